/* Theory: measure the numbers that decide statements about a network before its first step (bench/plan/statements.def),
 * in double on backend cpu64, without training. theory_measure computes them, theory_write stores them in
 * results/out/theory/measured.json, theory_read reads them for tables. Measurements give the same bytes for any number
 * of threads. */
#ifndef BENCH_THEORY_THEORY_H
#define BENCH_THEORY_THEORY_H

#include <pthread.h>
#include <stdbool.h>

#include "bench/plan/statement.h"

enum { THEORY_SCHEMA = 1 };

/* Numbers of one statement, x ascending. A value may be infinite or NaN: the network left the range of double. */
typedef struct {
    int points, seeds;
    double *x, *predicted; /* [points]; predicted NaN: there is no prediction to compare with */
    double *value;         /* [points][seeds] */
} Measured;

typedef struct {
    Measured at[STATEMENT_COUNT]; /* points 0: not measured */
} Theory;

/* Measure all statements. stop: called between networks; true ends with RC_INTERRUPTED. RC_UNMEASURED: memory is
 * short. */
Rc theory_measure(Theory *t, int threads, bool (*stop)(void), Error *e);
void theory_release(Theory *t);

/* Write or read the file. RC_UNMEASURED: it cannot be written, or is absent. RC_INTEGRITY names the problem: an unknown
 * statement, a key, a number. On failure there is nothing to release. */
Rc theory_write(const Theory *t, const char *path, Error *e);
Rc theory_read(Theory *t, const char *path, Error *e);

/* Write "RESULTS/out/theory", the folder of the tables, or "RESULTS/out/theory/measured.json". */
enum { THEORY_PATH_SIZE = 700 };
const char *theory_folder(const char *results, char out[THEORY_PATH_SIZE]);
const char *theory_file(const char *results, char out[THEORY_PATH_SIZE]);

/* Word that `run` and `table` take for these statements in place of an experiment's name. */
extern const char *const theory_word;

/* Numbers noted by several threads, each of one seed; for this room and tests. */
typedef struct {
    StatementId id;
    int seed;
    double x, predicted, value;
} TheoryNumber;

typedef struct {
    pthread_mutex_t lock;
    TheoryNumber *number;
    int numbers;
    Error error; /* the first failure */
    bool (*stop)(void);
} TheoryNotes;

void theory_note(TheoryNotes *n, StatementId id, int seed, double x, double predicted, double value);
/* Sort the notes into *t. */
void theory_gather(Theory *t, TheoryNotes *n);

/* One piece of work: `measure` notes all its numbers of one seed. */
typedef struct {
    Rc (*measure)(TheoryNotes *n, int seed, int argument, Error *e);
    int argument, seeds;
    bool large; /* needs hundreds of MB: at most two at once */
} TheoryJob;
extern const TheoryJob theory_nets[], theory_norms[], theory_deep[], theory_gpt[];
extern const int theory_nets_count, theory_norms_count, theory_deep_count, theory_gpt_count;

#endif
