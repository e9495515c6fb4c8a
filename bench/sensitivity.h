/* Sensitivity to the learning rate: what a sweep over `lr` says of each arm, seed by seed, at the last step.
 *
 *   best         the smallest loss over the grid
 *   stable       log2 of the largest rate up to which no run diverged or ended above ln V
 *   basin        log2 of the largest over the smallest rate, next to each other on the grid, within 0.1 nats of the best
 *   sensitivity  mean over the grid of min(loss, first loss) - best (Wortsman et al. 2023)
 *
 * A grid can only show what it spans: an edge counts as the end. Differences to the baseline are paired by seed, their
 * sign-flip p's adjusted by step-down max-T over all arms, groups and the four quantities. */
#ifndef BENCH_SENSITIVITY_H
#define BENCH_SENSITIVITY_H

#include <jansson.h>

#include "bench/table.h"

#define SENSITIVITY_BASIN 0.1 /* nats */

typedef enum { SENSITIVITY_best, SENSITIVITY_stable, SENSITIVITY_basin, SENSITIVITY_sensitivity, SENSITIVITY_COUNT } SensitivityKind;
extern const char *const sensitivity_names[SENSITIVITY_COUNT];

/* An arm within a group: the cells that differ in `lr` alone. */
typedef struct {
    int group, arm;
    double *value[SENSITIVITY_COUNT]; /* [seeds]; NaN: no rate was stable */
    double mean[SENSITIVITY_COUNT], sd[SENSITIVITY_COUNT];
    StTci against[SENSITIVITY_COUNT]; /* minus the baseline; status ST_BAD_ARG for the baseline itself */
    double p[SENSITIVITY_COUNT];      /* adjusted; NaN: none */
} SensitivityRow;

typedef struct {
    int groups, rates, seeds, rows;
    char (*group)[256]; /* "warmup = 45", "" when lr is the only factor */
    double *rate;       /* [rates] ascending */
    double floor;
    SensitivityRow *row; /* [groups][arms] */
} Sensitivity;

/* False, and nothing to release, when the experiment has no factor `lr` with two values or more, or an arm sets its own. */
bool sensitivity_make(Sensitivity *y, const Table *t);
void sensitivity_release(Sensitivity *y);

/* Nothing is written when sensitivity_make says false. json: new reference, null. */
void sensitivity_text(const Table *t, Text *out);
void sensitivity_tex(const Table *t, Text *out);
json_t *sensitivity_json(const Table *t);

#endif
