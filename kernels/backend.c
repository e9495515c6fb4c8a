#include "kernels/backend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/canon.h"
#include "kernels/bf16.h"

static bool always(void) {
    return true;
}

/* Words of one size in all arenas but the ids'. */
#define WORDS(bytes) \
    {[ROLE_PARAM] = bytes, [ROLE_ACT] = bytes,  [ROLE_SAVE] = bytes,    [ROLE_TOKEN] = sizeof(int32_t), \
     [ROLE_GRAD] = bytes,  [ROLE_DACT] = bytes, [ROLE_MOMENT1] = bytes, [ROLE_MOMENT2] = bytes}

#define DECLARE(prefix) \
    extern const Kernel *const prefix##_kernels[OP_COUNT]; \
    extern void (*const prefix##_update[OPTIMIZER_COUNT])(const Update *); \
    double prefix##_sumsq(const void *x, int rows, int cols);
#define ROW(id, prefix, class_of_bits, text, bytes, can_run, peak) \
    static const Backend backend_##prefix = { \
        id, class_of_bits, text, WORDS(bytes), prefix##_kernels, prefix##_update, prefix##_sumsq, can_run, NULL, peak, NULL};
/* Precision bf16: everything but linear of the float row `floats`. */
#define ROW_BF16(id, prefix, floats, class_of_bits, text, can_run, lacks) \
    extern const Kernel *const prefix##_kernels[OP_COUNT]; \
    static const Backend backend_##prefix = { \
        id, class_of_bits, text, WORDS(4), prefix##_kernels, floats##_update, floats##_sumsq, can_run, NULL, \
        floats##_fma_peak, lacks};

/* clang-format off */
DECLARE(cpu64) DECLARE(readable) DECLARE(portable)
ROW("cpu64",    cpu64,    "fp64",  "double, readable kernels: the oracle",          8, always, NULL)
ROW("readable", readable, "canon", "float, readable kernels, every chain written out", 4, always, NULL)
double portable_fma_peak(void);
ROW("portable", portable, "canon", "float, fast kernels without vector instructions",  4, always, portable_fma_peak)

#if defined(__x86_64__)
static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}
DECLARE(v3) DECLARE(v4)
double v3_fma_peak(void);
double v4_fma_peak(void);
ROW("v3", v3, "canon", "float, x86-64-v3 (AVX2 and FMA)", 4, has_v3, v3_fma_peak)
ROW("v4", v4, "canon", "float, x86-64-v4 (AVX-512)",      4, has_v4, v4_fma_peak)
ROW_BF16("soft-dot-bf16", soft_dot_bf16, v3, "bf16-dot", "dot-bf16 in software (slow: its proof)", has_v3, NULL)
ROW_BF16("soft-amx-bf16", soft_amx_bf16, v3, "bf16-amx", "amx-bf16 in software (slow: its proof)", has_v3, NULL)
#else
ROW_BF16("soft-dot-bf16", soft_dot_bf16, portable, "bf16-dot", "AVX512-BF16's products in software (slow)", always, NULL)
ROW_BF16("soft-amx-bf16", soft_amx_bf16, portable, "bf16-amx", "AMX's products in software (slow)",         always, NULL)
#endif
#ifdef HAVE_BF16
static bool has_dot(void) { return !bf16_dot_missing(); }
static bool has_amx(void) { return !bf16_amx_missing(); }
ROW_BF16("dot-bf16", dot_bf16, v4, "bf16-dot", "float, products in bf16 (AVX512-BF16)", has_dot, bf16_dot_missing)
ROW_BF16("amx-bf16", amx_bf16, v4, "bf16-amx", "float, products in bf16 (AMX)",         has_amx, bf16_amx_missing)
#endif
/* clang-format on */

#ifdef HAVE_SIMT
extern const Kernel *const simt_kernels[OP_COUNT], *const simt_fp32_kernels[OP_COUNT];
extern const Device simt_device;
static const Backend backend_simt = {
    "simt", "canon", "float, the CUDA kernels run thread by thread on the CPU (slow: their proof)", WORDS(4), simt_kernels, NULL,
    NULL, always, &simt_device, NULL, NULL};
static const Backend backend_simt_fp32 = {
    "simt-fp32", "simt-fp32", "the same with a library's products, as cuda-fp32 has them", WORDS(4), simt_fp32_kernels, NULL,
    NULL, always, &simt_device, NULL, NULL};
#endif

#ifdef HAVE_CUDA
extern const Kernel *const cuda_kernels[OP_COUNT], *const cuda_fp32_kernels[OP_COUNT];
extern const Device cuda_device, cuda_fp32_device;
extern char cuda_fp32_class[];
static bool has_cuda(void) {
    Error e;
    return cuda_device.present(&e);
}
static bool has_cuda_fp32(void) {
    Error e;
    return cuda_fp32_device.present(&e);
}
static const Backend backend_cuda = {
    "cuda", "canon", "float on a CUDA device, exact: the CPU's bits", WORDS(4), cuda_kernels, NULL, NULL, has_cuda, &cuda_device,
    NULL, NULL};
static const Backend backend_cuda_fp32 = {
    "cuda-fp32", cuda_fp32_class, "float on a CUDA device, products by cuBLAS (pedantic)", WORDS(4), cuda_fp32_kernels, NULL,
    NULL, has_cuda_fp32, &cuda_fp32_device, NULL, NULL};
#endif

/* Slowest first: "cpu" takes the last canonical row that is supported, "cpu-bf16" the last instruction. */
const Backend *const backends[] = {
#ifdef HAVE_CUDA
    &backend_cuda,  &backend_cuda_fp32,
#endif
#ifdef HAVE_SIMT
    &backend_simt,  &backend_simt_fp32,
#endif
    &backend_soft_dot_bf16, &backend_soft_amx_bf16,
#ifdef HAVE_BF16
    &backend_dot_bf16, &backend_amx_bf16,
#endif
    &backend_cpu64, &backend_readable, &backend_portable,
#if defined(__x86_64__)
    &backend_v3,    &backend_v4,
#endif
};
const int backend_count = sizeof backends / sizeof backends[0];

/* The last row that "cpu" or "cpu-bf16" may be. */
static const Backend *fastest(bool bf16) {
    for (int i = backend_count - 1; i >= 0; i--) {
        const Backend *b = backends[i];
        if (!b->device && (bf16 ? b->missing != NULL : !strcmp(b->arithmetic, "canon")) && b->supported()) return b;
    }
    return NULL;
}

static const Backend *fastest_bf16(Error *e) {
    const Backend *b = fastest(true);
#ifdef HAVE_BF16
    const char *amx = bf16_amx_missing(), *dot = bf16_dot_missing();
    if (!b) error_set(e, RC_UNMEASURED, "precision bf16: %s; %s (--backend soft-dot-bf16 computes its bits slowly)", amx, dot);
#else
    if (!b) error_set(e, RC_UNMEASURED, "precision bf16: built without its instructions (--backend soft-dot-bf16 computes its bits "
                      "slowly)");
#endif
    return b;
}

const Backend *backend_find(const char *name, Error *e) {
    const char *names[sizeof backends / sizeof backends[0] + 1] = {"cpu"};
    if (!strcmp(name, "cpu")) return fastest(false);
    if (!strcmp(name, "cpu-bf16")) return fastest_bf16(e);
    for (int i = backend_count - 1; i >= 0; i--) {
        names[i + 1] = backends[i]->name;
        if (strcmp(name, backends[i]->name)) continue;
        if (backends[i]->supported()) return backends[i];
        const char *missing = backends[i]->missing ? backends[i]->missing() : NULL;
        if (!backends[i]->device) error_set(e, RC_UNMEASURED, "%s", missing ? missing : "this machine cannot run it");
        else if (backends[i]->device->present(e)) error_set(e, RC_UNMEASURED, "cannot be had");
        error_prefix(e, "backend '%s': ", name);
        return NULL;
    }
#ifndef HAVE_CUDA
    if (!strncmp(name, "cuda", 4)) {
        error_set(e, RC_UNMEASURED, "backend '%s': no CUDA device: this program was built without CUDA (nvcc, meson setup "
                  "-Dcuda=enabled)", name);
        return NULL;
    }
#endif
#ifndef HAVE_BF16
    if (!strcmp(name, "dot-bf16") || !strcmp(name, "amx-bf16")) {
        error_set(e, RC_UNMEASURED, "backend '%s': built without its instructions", name);
        return NULL;
    }
#endif
    char hint[96];
    error_set(e, RC_USAGE, "unknown backend '%s'%s", name,
              did_you_mean(hint, sizeof hint, name, names, (size_t)backend_count + 1));
    return NULL;
}

double backend_fma_peak(const Backend *b) {
    if (b && b->fma_peak) return b->fma_peak();
#if defined(__x86_64__)
    if (has_v4()) return v4_fma_peak();
    if (has_v3()) return v3_fma_peak();
#endif
    return portable_fma_peak();
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double backend_copy_bandwidth(void) {
    enum { BYTES = 64 << 20 };
    char *from = mem_alloc(BYTES, 1), *to = mem_alloc(BYTES, 1);
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double start = seconds();
        from[i] = (char)i;
        memcpy(to, from, BYTES);
        double rate = 2e-9 * BYTES / (seconds() - start);
        if (i && rate > best) best = rate; /* the first pass touches the pages */
    }
    volatile char keep = to[7];
    (void)keep;
    free(from);
    free(to);
    return best;
}
