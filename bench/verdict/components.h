/* Components of variance: how much of the spread of an arm's runs over seeds comes from the starting weights, how much
 * from the order of the batches, how much from dropout (Bouthillier et al. 2021). The keys init_seed, order_seed and
 * dropout_seed, or two of them, are factors of the values 0 (follows the run's seed) and one other (fixed), so that
 * every subset of the streams varies in a cell of its own; of the experiment's metric at the last step.
 *
 * A source's spread is that with the others fixed at one seed: it holds the source's interactions with them too, and
 * the sum of the sources can therefore exceed what is found when all vary. */
#ifndef BENCH_VERDICT_COMPONENTS_H
#define BENCH_VERDICT_COMPONENTS_H

#include "bench/verdict/sample.h"
#include "stats/variance.h"

enum { COMPONENT_STREAMS = 3, COMPONENT_SUBSETS = 1 << COMPONENT_STREAMS };
extern const char *const component_names[COMPONENT_STREAMS]; /* "starting weights", … */

typedef struct {
    unsigned varies; /* bit i: stream i follows the seed */
    bool source;     /* one stream alone */
    bool all;        /* every stream that is a factor */
    int diverged;    /* runs that count as the uniform predictor */
    StSd sd;
} ComponentRow;

/* An arm of a group of cells, which differ in the streams alone. */
typedef struct {
    int group, arm, rows;
    ComponentRow row[COMPONENT_SUBSETS]; /* the sources, all, then the others */
    StSd sum;                            /* root of the sum of the sources' variances */
} ComponentArm;

typedef struct {
    int groups, seeds, arms, streams;
    char (*group)[256]; /* "layers = 4", "" without other factors */
    ComponentArm *at;   /* [groups][arms] */
} Components;

/* False, and nothing to release, when the experiment asks for none. */
bool components_make(Components *c, const Sample *s);
void components_release(Components *c);

/* Part of the sum's variance that a source has; NaN: not one, or there is no variance. */
double component_share(const ComponentArm *arm, const ComponentRow *row);

#endif
