/* The arms over several corpora (bench/verdict/corpora.h) as text, LaTeX and JSON: of a table's runs, where the
 * experiment asks for it (`summaries: [corpora]`), and of a file that `normbench compare` reads. */
#ifndef BENCH_WRITE_CORPORA_H
#define BENCH_WRITE_CORPORA_H

#include <jansson.h>

#include "bench/verdict/corpora.h"
#include "bench/write/table.h"

enum { CORPORA_MOST_TAUS = 6 };

/* Nothing is written for an experiment that does not ask for them. json: new reference, null then. */
void corpora_text(const Table *t, Text *out);
void corpora_tex(const Table *t, Text *out);
json_t *corpora_json(const Table *t);

/* A sum with the names of its arms; what its writers share. */
typedef struct {
    const CorporaSum *sum;
    const char *const *arm; /* [arms] */
    const int *diverged;    /* [arms] */
    int digits;             /* of scores */
} CorporaShown;

/* Scores from the best to twice as far as the third quarter, so that lost runs do not stretch what is shown. */
void corpora_range(const CorporaSum *c, double *least, double *most);

/* Round taus of that range, ascending; returns how many, one at least. */
int corpora_taus(const CorporaSum *c, double tau[CORPORA_MOST_TAUS]);

/* "Friedman's test over 2 corpora: …": its p and which arms' mean ranks are apart. */
void corpora_ranks(const CorporaShown *s, Text *out);

/* What IQM, the intervals, ranks and shares are, as sentences. unit: "bits per byte". */
void corpora_methods(const CorporaShown *s, const char *unit, Text *out);

void corpora_lines(const CorporaShown *s, Text *out); /* a heading, then one line per arm */
void corpora_rows_tex(const CorporaShown *s, Text *out); /* \begin{tabular} … \end{tabular} */
json_t *corpora_sum_json(const CorporaShown *s); /* {arms, friedman, taus}; new reference */

/* "[-0.03, -0.01]" of the arm's IQM minus the baseline's, or why there is none. */
void corpora_interval(const CorporaShown *s, int arm, bool latex, Text *out);

/* The names of a table's arms, [arms]; freed by the caller. */
const char **corpora_labels(const Table *t);
CorporaShown corpora_shown(const Table *t, const Corpora *c, int group, const char *const *labels);

/* What stands above a table's sums. */
void corpora_words(const Table *t, const Corpora *c, Text *out);

#endif
