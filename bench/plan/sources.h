/* Sources of an experiment's arms: each one's built-in placement, the papers that it names (models/references.h), and
 * the arm's changes. */
#ifndef BENCH_PLAN_SOURCES_H
#define BENCH_PLAN_SOURCES_H

#include "bench/plan/experiment.h"
#include "models/references.h"

/* Placement of an arm: its label, "Pre-LN", and its source, "Xiong et al. 2020". */
typedef struct {
    const char *label, *cite;
} ArmSource;
ArmSource arm_source(const Arm *a);

/* Append the columns in which an arm differs from its placement, and the keys that it or the baseline itself sets:
 * "attn.out: rmsnorm from 2/3, gate: learned 0, lr: 2e-3". */
void arm_changes(const Experiment *x, int arm, int baseline, Text *out);

/* Return true if the placement of some arm is from the paper. */
bool experiment_cites(const Experiment *x, const Reference *r);

#endif
