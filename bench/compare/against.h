/* Runs of an arm against one number, such as a public record's target: is the arm's mean better than it? One-sided, by
 * sign flips of value - number (exact up to 20 runs) and by Student's t; with a known standard deviation of a run by
 * the normal distribution too. Arms are adjusted by Holm. Beside it every arm is compared with the one before it, as
 * the records of a public list follow each other. */
#ifndef BENCH_COMPARE_AGAINST_H
#define BENCH_COMPARE_AGAINST_H

#include "bench/compare/compare.h"
#include "stats/permute.h"

typedef struct {
    double number, sigma; /* sigma: of a run, known beforehand; NaN: it is not */
    bool higher;          /* higher is better */
    double conf, cap;     /* cap: what a diverged run counts as; NaN: there must be none */
    double rule;        /* a rule such as a speed-run's: (number - mean) sqrt(runs) must be at least this; NaN: none */
    const double *step; /* [arms]: what step the values are of; NULL: not known */
} AgainstOptions;

typedef struct {
    int runs, diverged;
    StTci t;            /* of value - number; its p is two-sided */
    double t_p, z, z_p; /* one-sided; z and z_p NaN without sigma, t_p without spread */
    StSignflip flip;    /* one-sided */
    double holm;        /* of flip.p over all arms */
    bool shown;         /* better than the number: holm <= 1 - conf */
    double lead;        /* (number - mean) sqrt(runs), its sign turned where higher is better */
    bool holds;         /* the rule: lead >= rule, but for the last digits */
} AgainstArm;

typedef struct {
    const CompareData *data;
    AgainstOptions options;
    AgainstArm *arm; /* [data->arms] */
    Family before;   /* [data->arms - 1]: every arm minus the one before it, by relabelling, adjusted by Holm */
} Against;

/* data outlives *r. RC_USAGE: a diverged run without cap. */
Rc against_make(Against *r, const CompareData *data, const AgainstOptions *options, Error *e);
void against_release(Against *r);

/* RC_OK: every arm is shown to be better than the number; else RC_INCONCLUSIVE. */
Rc against_exit(const Against *r);

void against_json(const Against *r, Text *out);

#endif
