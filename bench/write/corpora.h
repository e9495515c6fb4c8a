/* The arms over several corpora (bench/verdict/corpora.h): of a table's runs, where the experiment asks for it
 * (`summaries: [corpora]`), and of a file that `normbench compare` reads. */
#ifndef BENCH_WRITE_CORPORA_H
#define BENCH_WRITE_CORPORA_H

#include "bench/formats/cells.h"
#include "bench/verdict/corpora.h"
#include "bench/write/table.h"

enum { CORPORA_TAUS_MAX = 6 };

/* A sum with the names of its arms; what its writers share. */
typedef struct {
    const CorporaSum *sum;
    const char *const *arm; /* [arms] */
    const int *diverged;    /* [arms] */
    int digits;             /* of scores */
    const char *const *corpus; /* [corpora] */
} CorporaShown;

/* Scores from the best to twice as far as the third quarter, so that lost runs do not stretch what is shown. */
void corpora_range(const CorporaSum *c, double *least, double *most);

/* Round taus of that range, ascending; returns how many, one at least. */
int corpora_taus(const CorporaSum *c, double tau[CORPORA_TAUS_MAX]);

/* What was summed up, and what IQM, the intervals, ranks and shares are, as sentences. unit: "bits per byte"; steps:
 * after which the numbers are; 0: not said. */
void corpora_methods(const CorporaShown *s, const char *unit, int steps, Text *out);

/* The table of one sum; below it Friedman's test in words, and its numbers for programs. */
void corpora_sum_cells(const CorporaShown *s, const char *title, CellsList *out);

#endif
