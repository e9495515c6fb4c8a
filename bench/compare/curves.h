/* compare --at every: arms over all the steps that runs share. At every step every arm is compared with the baseline,
 * and all of these comparisons are one family: the intervals hold jointly, as a band around the curve of differences.
 */
#ifndef BENCH_COMPARE_CURVES_H
#define BENCH_COMPARE_CURVES_H

#include "bench/compare/compare.h"
#include "bench/compare/print.h"
#include "bench/formats/plot.h"
#include "bench/readers/pick.h"

enum { CURVES_STEPS_MAX = 50 };

typedef struct {
    const CompareData *data; /* arms and runs at the last step that all share */
    const char *metric;
    int baseline, steps, shared; /* steps: that are compared, evenly chosen among `shared` */
    double step[CURVES_STEPS_MAX];
    bool higher;
    double *value;  /* [steps][arms][seeds]; NaN: diverged */
    bool *diverged; /* the same */
    double *mean;   /* [arms][steps], a diverged run counting as the cap */
    Family family;  /* [arms - 1][steps], in the order of the arms */
} CompareCurves;

/* data, of compare_logs, and p outlive *c. RC_USAGE: several corpora, an unknown baseline, a diverged run without cap,
 * fewer than two shared steps. */
Rc compare_curves_make(CompareCurves *c, const CompareCorpora *data, const Pick *p, const CompareOptions *o, Error *e);
void compare_curves_release(CompareCurves *c);

const Comparison *compare_curves_at(const CompareCurves *c, int other, int step); /* other: the arms but the baseline */

/* The first step from which on the arm is shown to differ on the same side; -1: not at the last step. */
int compare_curves_from(const CompareCurves *c, int other);

/* RC_REGRESSION: an arm is worse at the last step. RC_OK: something is decided there. RC_INCONCLUSIVE. */
Rc compare_curves_exit(const CompareCurves *c);

void compare_curves_page(const CompareCurves *c, ComparePage *p);
void compare_curves_json(const CompareCurves *c, Text *out);

/* The differences over steps with their joint bands. */
void compare_curves_plot(const CompareCurves *c, Plot *p);

/* ---- compare over runs that were picked from trainers' logs (bench/readers/pick.h): they become what a file of
 * compare's own becomes, and the tests, words and exit codes are the same. ---- */

/* alone: arms are compared with a number, and one of one run is enough. With columns.steps every point of a run is
 * read, else its one value. The codes of compare_corpora_read; RC_UNMEASURED: one arm, or one run of each. On failure
 * *c is zeroed. */
Rc compare_logs(CompareCorpora *c, const Pick *p, CompareColumns columns, bool alone, Error *e);

#endif
