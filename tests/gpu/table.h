/* Write-up 002's table as work: its shape, its recipe, three arms. The corpus is made up;
 * speed does not read letters. */
#ifndef TESTS_GPU_TABLE_H
#define TESTS_GPU_TABLE_H

#include "models/trainer_state.h"
#include "tests/gpu/check.h"

enum { TABLE_ARMS = 3, TABLE_SEEDS = 5, TABLE_STEPS = 300, TABLE_MAX = 15 };

/* small: the toy's sizes. */
ModelShape table_shape(bool small);
Recipe table_recipe(bool small);
Variant table_arm(int arm);
const char *table_arm_name(int arm);

/* R runs of one arm on a device that holds their corpus. */
typedef struct {
    Trainer *trainer;
    Recipe recipe[TABLE_MAX];
    uint64_t seed[TABLE_MAX];
    StepReport *report;
} Group;

/* probes: NULL for the usual ones. On failure there is nothing to release. */
Rc group_init(Group *g, const Backend *backend, bool small, int arm, int replicas, const ProbeChoice *probes, Error *e);
void group_release(Group *g);

/* Seconds that n steps took, on the host's clock; below 0 when the device failed (trainer_failed). */
double group_steps(Group *g, int n);

double clock_now(void);
double median(double *x, int n); /* sorts */

#endif
