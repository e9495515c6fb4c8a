/* Sensitivity to the learning rate: what a sweep over `lr` says of each arm, seed by seed, at the last step.
 *
 *   best         the smallest loss over the grid
 *   stable       log2 of the largest rate up to which no run diverged or ended above ln V
 *   basin        log2 of the largest over the smallest rate, next to each other on the grid, within 0.1 nats of the
 *                best
 *   sensitivity  mean over the grid of min(loss, first loss) - best (Wortsman et al. 2023)
 *
 * A grid can only show what it spans: where a range reaches the grid's edge, the edge is taken as its end.
 * Differences to the baseline are paired by seed, their sign-flip p's adjusted by step-down max-T over all arms,
 * groups and the four quantities. */
#ifndef BENCH_VERDICT_SENSITIVITY_H
#define BENCH_VERDICT_SENSITIVITY_H

#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"

#define SENSITIVITY_BASIN 0.1 /* nats */

typedef enum {
    SENSITIVITY_best,
    SENSITIVITY_stable,
    SENSITIVITY_basin,
    SENSITIVITY_sensitivity,
    SENSITIVITY_COUNT
} SensitivityKind;
extern const char *const sensitivity_names[SENSITIVITY_COUNT]; /* in JSON */

/* An arm within a group: the cells that differ in `lr` alone. */
typedef struct {
    int group, arm;
    double *value[SENSITIVITY_COUNT]; /* [seeds]; NaN: no rate was stable */
    double mean[SENSITIVITY_COUNT], sd[SENSITIVITY_COUNT];
    const Comparison *against[SENSITIVITY_COUNT]; /* minus the baseline of its group; NULL for the baseline itself */
} SensitivityRow;

typedef struct {
    int groups, rates, seeds, rows;
    char (*group)[256]; /* "warmup = 45", "" when lr is the only factor */
    double *rate;       /* [rates] ascending */
    double floor; /* smallest p there can be; 1: nothing could be compared */
    Family family; /* every arm but the baseline, in every group, by every quantity */
    SensitivityRow *row; /* [groups][arms] */
} Sensitivity;

/* The factor `lr`; -1: it has fewer than two values, or an arm sets its own. */
int sensitivity_factor(const Experiment *x);

/* A rate, and its level of that factor. */
typedef struct {
    double rate;
    int level;
} RateLevel;

/* The rates of the factor, which there is, ascending; returns how many. */
int sensitivity_rates(const Experiment *x, RateLevel order[EXPERIMENT_MOST_VALUES]);

/* The cells of a group, which differ in that factor alone, and their rates, ascending; without the factor every cell
 * is a group. Returns how many. */
int sensitivity_cells(const Experiment *x, int group, int cell[EXPERIMENT_MOST_VALUES],
                      double rate[EXPERIMENT_MOST_VALUES]);

/* "warmup = 45" of a group's cell: its other factors, or "". */
void sensitivity_group(const Experiment *x, int cell, char out[256]);

/* False, and nothing to release, when there is no such factor. */
bool sensitivity_make(Sensitivity *y, const Sample *s);
void sensitivity_release(Sensitivity *y);

#endif
