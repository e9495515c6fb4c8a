/* Backends: where numbers are computed. A row of one table; callers hold a `const Backend *` and nothing else.
 *
 *   cpu64       double, readable kernels: the oracle
 *   readable    float, readable kernels, the chains written out with fmaf
 *   portable    float, fast matmul and attention without vector instructions
 *   v3, v4      the same for x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512)
 *   simt        the CUDA kernels on the CPU, one thread after another: slow, their proof without a device
 *   cpu         the fastest of the CPU's canonical float rows this machine can run
 *   dot-bf16, amx-bf16             linear's products in bf16 by AVX512-BF16's and AMX's instructions
 *   soft-dot-bf16, soft-amx-bf16   the same bits on any machine, slowly: their proof, and what stores their baselines
 *   cpu-bf16    the faster of the two instructions, if this machine has one
 *
 * All float rows of class canon give the same bits (base/canon.h), and so do the two rows of each class of bf16
 * (kernels/cpu/simd/bf16.h). */
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include "base/error.h"
#include "kernels/device.h"

typedef struct Backend {
    const char *name;
    const char *arithmetic; /* class of bits: records compare hashes only within one class */
    const char *what;
    size_t word[ROLE_COUNT];                            /* bytes of a word of each arena; token ids are int32 */
    const Kernel *const *kernel;                        /* [OP_COUNT] */
    void (*const *update)(const Update *u);             /* [OPTIMIZER_COUNT]; NULL with a device */
    double (*sumsq)(const void *x, int rows, int cols); /* sum of squares, by rules 2 and 3 of base/canon.h; likewise */
    bool (*supported)(void);                            /* can this machine run it */
    const Device *device;                               /* NULL: the host */
    double (*fma_peak)(void);                           /* of its vectors; NULL: it has none of its own */
    const char *(*missing)(void);                       /* what this machine lacks, in words; NULL: supported says all */
} Backend;

extern const Backend *const backends[];
extern const int backend_count;

/* By name; "cpu" and "cpu-bf16" are the fastest rows of their kind supported here. NULL with RC_USAGE (unknown; nearest
 * named) or RC_UNMEASURED (known, but this machine cannot run it). */
const Backend *backend_find(const char *name, Error *e);

/* Measured now: the fma peak of one core in GFLOP/s, with b's vectors or else (b has none, or is NULL) the widest supported;
 * and its copy bandwidth in GB/s. */
double backend_fma_peak(const Backend *b);
double backend_copy_bandwidth(void);

#endif
