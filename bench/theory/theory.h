/* Theory: the numbers that statements about a network before its first step are decided on (bench/plan/statements.def),
 * measured in double on backend cpu64. Nothing is trained. theory_measure makes them, theory_write stores them in
 * results/out/theory/measured.json, theory_read reads them back: whatever prints them computes nothing anew. Two
 * measurements give the same bytes, whatever the number of threads. */
#ifndef BENCH_THEORY_THEORY_H
#define BENCH_THEORY_THEORY_H

#include <pthread.h>
#include <stdbool.h>

#include "bench/plan/statement.h"

enum { THEORY_SCHEMA = 1 };

/* The numbers of one statement, x ascending. A value may be infinite or NaN: the network left the numbers of a
 * double. */
typedef struct {
    int points, seeds;
    double *x, *predicted; /* [points]; predicted NaN: what is measured has no number to be compared with */
    double *value;         /* [points][seeds] */
} Measured;

typedef struct {
    Measured at[STATEMENT_COUNT]; /* points 0: not measured */
} Theory;

/* stop: asked between networks; a nonzero answer ends it with RC_INTERRUPTED. RC_UNMEASURED: memory is short. */
Rc theory_measure(Theory *t, int threads, bool (*stop)(void), Error *e);
void theory_release(Theory *t);

/* RC_UNMEASURED: the file cannot be written, or is not there. RC_INTEGRITY names what is wrong in it: an unknown
 * statement, a key, a number. On failure there is nothing to release. */
Rc theory_write(const Theory *t, const char *path, Error *e);
Rc theory_read(Theory *t, const char *path, Error *e);

/* "RESULTS/out/theory", where the tables stand, and "RESULTS/out/theory/measured.json". */
enum { THEORY_PATH_SIZE = 700 };
const char *theory_folder(const char *results, char out[THEORY_PATH_SIZE]);
const char *theory_file(const char *results, char out[THEORY_PATH_SIZE]);

/* The word that `run` and `table` take for these statements, as if it were an experiment's name. */
extern const char *const theory_word;

/* What is measured is gathered here, by several threads: one number of one seed. For this room and tests. */
typedef struct {
    StatementId id;
    int seed;
    double x, predicted, value;
} TheoryNumber;

typedef struct {
    pthread_mutex_t lock;
    TheoryNumber *number;
    int numbers;
    Error error; /* of the first that failed */
    bool (*stop)(void);
} TheoryNotes;

void theory_note(TheoryNotes *n, StatementId id, int seed, double x, double predicted, double value);
/* Sorts what was noted into *t. */
void theory_gather(Theory *t, TheoryNotes *n);

/* One piece of work: everything that `measure` can say about one seed, at a size that it knows. */
typedef struct {
    Rc (*measure)(TheoryNotes *n, int seed, int argument, Error *e);
    int argument, seeds;
    bool large; /* hundreds of MB: at most two at once */
} TheoryJob;
extern const TheoryJob theory_nets[], theory_norms[], theory_deep[], theory_gpt[];
extern const int theory_nets_count, theory_norms_count, theory_deep_count, theory_gpt_count;

#endif
