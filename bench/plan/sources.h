/* Where an experiment's arms are from: the built-in placement of each, the papers that it names (models/references.h),
 * and what the arm changes. */
#ifndef BENCH_PLAN_SOURCES_H
#define BENCH_PLAN_SOURCES_H

#include "bench/plan/experiment.h"
#include "models/references.h"

/* The placement that an arm is made of: its label, "Pre-LN", and its source, "Xiong et al. 2020". */
typedef struct {
    const char *label, *cite;
} ArmSource;
ArmSource arm_source(const Arm *a);

/* "attn.out: rmsnorm from 2/3, gate: learned 0, lr: 2e-3": in which columns an arm differs from its placement, and the
 * keys that it or the baseline sets for itself. */
void arm_changes(const Experiment *x, int arm, int baseline, Text *out);

/* Whether the placement of some arm is from the paper. */
bool experiment_cites(const Experiment *x, const Reference *r);

#endif
