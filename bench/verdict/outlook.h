/* Outlook: what a plan can decide, before it is trained. Nothing but the plan is needed; where some of its runs are
 * stored, they give the spread of the differences over seeds and the time that a run takes. */
#ifndef BENCH_VERDICT_OUTLOOK_H
#define BENCH_VERDICT_OUTLOOK_H

#include "bench/plan/experiment.h"
#include "bench/store/store.h"

typedef struct {
    int seeds, arms, cells;     /* arms: beside the baseline */
    int comparisons;            /* of `table`: arms (or what `compare` names) x cells x steps above 0, adjusted
                                   together */
    double alpha, floor;        /* floor: the smallest p that so many seeds can have */
    int least;                  /* the fewest seeds with a floor below alpha; 0: none has */
    double detectable, among;   /* the difference that is found in 80 %, in SDs of the differences over seeds, by one
                                   comparison alone and by one among `comparisons`; NaN: none is, or not computed */
    int stored;                 /* seeds of which the runs of all arms and cells are stored, 0 when fewer than 2 */
    double *sd;                 /* [arms + 1]: of an arm's differences in these seeds at the last step, the largest of
                                   the cells, in the metric's unit; NaN: not known */
    double *seconds;            /* [cells][arms + 1]: what a stored run took on this processor; NaN: not known */
    int timed;                  /* runs that tell it */
} Outlook;

/* What is stored and does not read counts as not stored. */
void outlook_make(Outlook *o, const Experiment *x, const Store *stored, bool precise);
void outlook_release(Outlook *o);

/* About the FLOPs of all runs of a plan, without a corpus: 6 x parameters x tokens, of characters 100 kinds. */
double outlook_flops(const Experiment *x);

#endif
