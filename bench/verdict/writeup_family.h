/* One family per write-up: the claims that carry one `family` are tested by several experiments, and a table that shows
 * one of them adjusts p's within it alone. Where all are in view (`claims`, `report`), Holm over the experiments makes
 * one family of the verdicts by one test: in an experiment their p's are adjusted by max-T or Holm, and each experiment
 * may spend alpha over the number of those that are not rejected as a whole (st_holm_groups). Nothing is assumed of
 * how experiments depend on each other, so shared seeds do no harm. Tests of different kinds remain families of their
 * own, as within an experiment.
 *
 * A verdict that rested on p < alpha and does not hold in this family becomes `inconclusive`. That something was shown
 * to lie inside its margin where a difference was claimed (`not reproduced`) stays adjusted within its experiment. */
#ifndef BENCH_VERDICT_WRITEUP_FAMILY_H
#define BENCH_VERDICT_WRITEUP_FAMILY_H

#include "bench/verdict/claim_verdict.h"

/* A verdict by a test, and the experiment that made it: a number from 0 for each. */
typedef struct {
    ClaimVerdict *v; /* NULL: a test that was planned and decides nothing; its group counts */
    size_t group;
    double alpha;
} FamilyMember;

/* Sets p_writeup of every member, never below its p, and the word of those that hold no more. */
void writeup_family(FamilyMember *member, size_t count);

#endif
