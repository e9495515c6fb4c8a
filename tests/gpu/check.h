/* gpu_check: does a device compute the CPU's bits, and how fast is it. Each part is a function that adds one object to
 * the JSON, prints a line or two, and counts what went wrong. */
#ifndef TESTS_GPU_CHECK_H
#define TESTS_GPU_CHECK_H

#include "kernels/backend.h"
#include "models/trainer_state.h"
#include "tests/gpu/json.h"

/* Precisions that are measured: exact, then those of kernels/cuda/fast.def. */
enum {
    CHECK_exact,
#define FAST(name, ...) CHECK_##name,
#include "kernels/cuda/fast.def"
#undef FAST
    CHECK_PRECISIONS
};

typedef struct {
    const Backend *exact;
    const Backend *in[CHECK_PRECISIONS]; /* a precision that cannot be had: NULL, */
    Error without;                       /* and why */
    bool quick;                          /* toy sizes: shows that the parts work, judges no speed */
    bool device;                         /* a real one, not the shim */
    Json json;
    double fma_peak, copy_rate; /* ceilings in FLOP/s and bytes/s by check_ceilings; NaN: they could not be measured */
    int mismatches;             /* hashes that differ: exit code RC_INTEGRITY */
    int misses;                 /* bounds and targets that were missed: RC_REGRESSION */
    int unmeasured;             /* parts that could not run: RC_UNMEASURED */
} Check;

extern const char kernels_hash[]; /* of the kernels/ that this program was built from */

void part_toy(Check *c);   /* a little of everything, for a sanitizer to watch; no JSON */
void part_count(Check *c); /* kernels and bytes of the table's steps, nothing is run; no JSON */
void part_steps(Check *c, int replicas, int steps); /* what part_profile measures, at other sizes */
void part_hashes(Check *c);
void part_replicas(Check *c);
void part_agreement(Check *c);
void part_ceilings(Check *c);
void part_speed(Check *c);
void part_products(Check *c);
void part_probes(Check *c);
void part_profile(Check *c);

/* The name of one of them, and how many of them a part takes: quick ones leave most of the fast ones out. */
const char *check_precision(int i);
int check_precisions(const Check *c);

/* Measures the ceilings that shares are of, unless this process has. */
void check_ceilings(Check *c);

/* The part that is being written could not run; says why. */
void check_unmeasured(Check *c, const char *what, const Error *e);

/* Adds a verdict on a target; a miss counts only where speed is judged. */
void check_target(Check *c, const char *what, double value, double target, bool at_most);

#endif
