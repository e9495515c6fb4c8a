/* gpu_check: does a device compute the CPU's bits, and how fast is it. Each part is a function that adds one object to
 * the JSON, prints a line or two, and counts what went wrong. */
#ifndef TESTS_GPU_CHECK_H
#define TESTS_GPU_CHECK_H

#include "kernels/backend.h"
#include "models/trainer_state.h"
#include "tests/gpu/json.h"

typedef struct {
    const Backend *exact, *fp32;
    bool quick;  /* toy sizes: shows that the parts work, judges no speed */
    bool device; /* a real one, not the shim */
    Json json;
    double fma_peak, copy_rate; /* this run's ceilings in FLOP/s and bytes/s; 0: not measured */
    int mismatches;             /* hashes that differ: exit code RC_INTEGRITY */
    int misses;                 /* bounds and targets that were missed: RC_REGRESSION */
    int unmeasured;             /* parts that could not run: RC_UNMEASURED */
} Check;

extern const char kernels_hash[]; /* of the kernels/ that this program was built from */

void part_toy(Check *c, bool exact_only); /* a little of everything, for a sanitizer to watch; no JSON */
void part_count(Check *c); /* kernels and bytes of the table's steps, nothing is run; no JSON */
void part_hashes(Check *c);
void part_replicas(Check *c);
void part_agreement(Check *c);
void part_ceilings(Check *c);
void part_speed(Check *c);
void part_products(Check *c);
void part_probes(Check *c);

/* The part that is being written could not run; says why. */
void check_unmeasured(Check *c, const char *what, const Error *e);

/* Adds a verdict on a target; a miss counts only where speed is judged. */
void check_target(Check *c, const char *what, double value, double target, bool at_most);

#endif
