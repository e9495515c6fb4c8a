/* Sensitivity to the learning rate: what a sweep over `lr` says of each arm, seed by seed, at the last step. A seed's
 * rate is the one that the other seeds choose (stats/choice.h), as in the ranking: its own smallest loss would flatter
 * the arm with more noise. A run that diverged counts as the uniform predictor.
 *
 *   best         the loss at the seed's rate
 *   stable       log2 of the largest rate up to which no run diverged or ended above ln V; where there is none, one
 *                step of the grid below its smallest rate, so that such an arm is compared like any other
 *   basin        log2 of the largest over the smallest rate, next to the seed's rate and to each other on the grid,
 *                whose losses are up to 0.1 nats above that at the seed's rate and whose runs neither diverged nor
 *                stalled; 0 where the run at the seed's rate did
 *   sensitivity  mean over the grid of min(loss, first loss), minus best (Wortsman et al. 2023)
 *
 * A grid can only show what it spans: where a range reaches the grid's edge, the edge is taken as its end.
 * Differences to the baseline are paired by seed. Their tests exchange whole rows of rates between two arms, seed by
 * seed, and choose anew; p's are adjusted by step-down max-T over all arms, groups and the four quantities. t intervals
 * take the chosen rates as given, as in bench/verdict/ranking.h. */
#ifndef BENCH_VERDICT_SENSITIVITY_H
#define BENCH_VERDICT_SENSITIVITY_H

#include "bench/verdict/sample.h"
#include "stats/choice.h"
#include "stats/paired.h"

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
    StGrid grid;                       /* losses, as `rate` is sorted; lost: diverged or stalled */
    double *judged[SENSITIVITY_COUNT]; /* [rates][seeds]: the value, were that rate chosen */
    size_t *chosen;                    /* [seeds] index into rate; not set for one seed */
    double *value[SENSITIVITY_COUNT];  /* [seeds]; of one seed alone NaN but for stable: no other seed chooses */
    double mean[SENSITIVITY_COUNT], sd[SENSITIVITY_COUNT];
    int none;                       /* seeds without a stable rate */
    bool baseline;                  /* of its group; what follows is not set */
    StTci minus[SENSITIVITY_COUNT]; /* value minus the baseline's; ST_BAD_ARG: a judged run of either diverged */
    StMaxTRow p[SENSITIVITY_COUNT]; /* NaN: not made */
} SensitivityRow;

typedef struct {
    int groups, rates, seeds, rows;
    char (*group)[256];  /* "warmup = 45", "" when lr is the only factor */
    double *rate;        /* [rates] ascending */
    double floor;        /* smallest p there can be; 1: nothing could be compared */
    StMaxT joint;        /* every arm but the baseline, in every group, by every quantity */
    SensitivityRow *row; /* [groups][arms] */
} Sensitivity;

/* The factor `lr`; -1: it has fewer than two values, or an arm sets its own. */
int sensitivity_factor(const Experiment *x);

/* The cells of a group, which differ in that factor alone, and their rates, ascending; without the factor every cell
 * is a group. Returns how many. */
int sensitivity_cells(const Experiment *x, int group, int cell[EXPERIMENT_VALUES_MAX],
                      double rate[EXPERIMENT_VALUES_MAX]);

/* "warmup = 45" of a group's cell: its other factors, or "". */
void sensitivity_group(const Experiment *x, int cell, char out[256]);

/* An arm's losses over cells[rates], value freed by the caller; lost lies behind it. */
StGrid sensitivity_grid(const Sample *s, const int *cells, int rates, int arm);

/* Whether a coded `stable` stands for no rate. */
bool sensitivity_none(const Sensitivity *y, double stable);

/* False, and nothing to release, when there is no such factor. */
bool sensitivity_make(Sensitivity *y, const Sample *s);
void sensitivity_release(Sensitivity *y);

#endif
