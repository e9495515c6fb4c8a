/* Table of backends: kernels/backends.def, with the macros of its column `built`. */
#include <stdbool.h>

#include "kernels/backend.h"
#include "kernels/bf16.h"

static bool always(void) {
    return true;
}

/* Functions by which rows ask this machine, and by which rows that are not in this build refuse. */
#if defined(__x86_64__)
static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
#define X86 HOST
#define SOFT(kernels) HOST(kernels, v3, 4, has_v3, NULL, v3_fma_peak)
#else
static const char *no_x86(void) {
    return "this program was built for another processor";
}
#define X86(...) UNBUILT(no_x86)
#define SOFT(kernels) HOST(kernels, portable, 4, always, NULL, portable_fma_peak)
#endif

#ifdef HAVE_BF16
static bool has_dot(void) {
    return !bf16_dot_missing();
}

static bool has_amx(void) {
    return !bf16_amx_missing();
}
#define BF16 HOST
#else
static const char *no_bf16(void) {
    return "built without its instructions";
}
#define BF16(...) UNBUILT(no_bf16)
#endif

#ifdef HAVE_SIMT
#define SIMT(build, bytes) DEVICE(build##_fresh, build##_exact_device, always, NULL, bytes)
#define SIMT_FAST(name, build, bytes) DEVICE(build##_fast_fresh, simt_##name##_device, always, NULL, bytes)
#else
static const char *no_simt(void) {
    return "built without the CUDA kernels for the CPU (a C++ compiler, meson setup -Dsimt=enabled)";
}
#define SIMT(...) UNBUILT(no_simt)
#define SIMT_FAST(...) UNBUILT(no_simt)
#endif

#ifdef HAVE_CUDA
#define CUDA_PRESENT(place) \
    extern const Device place; \
    static bool has_##place(void) { \
        Error e; \
        return place.present(&e); \
    }
#define FAST(name, ...) \
    const char *cuda_##name##_class(void); \
    CUDA_PRESENT(cuda_##name##_device)
CUDA_PRESENT(cuda_exact_device)
CUDA_PRESENT(cuda_fp16_exact_device)
CUDA_PRESENT(cuda_bf16_exact_device)
#include "kernels/cuda/fast.def"
#undef FAST
#define CUDA(build, bytes) DEVICE(build, build##_exact_device, has_##build##_exact_device, NULL, bytes)
#define CUDA_FAST(name, build, bytes) \
    DEVICE(build##_fast, cuda_##name##_device, has_cuda_##name##_device, cuda_##name##_class, bytes)
#else
static const char *no_cuda(void) {
    return "no CUDA device: this program was built without CUDA (nvcc, meson setup -Dcuda=enabled)";
}
#define CUDA(...) UNBUILT(no_cuda)
#define CUDA_FAST(...) UNBUILT(no_cuda)
#endif

__attribute__((unused)) static bool never(void) {
    return false;
}

/* Symbols that the rows of this build name. */
double portable_fma_peak(void), v3_fma_peak(void), v4_fma_peak(void);
#define BACKEND(name, family, precision, bits_class, bits, rank, built, what) built
#define HOST(kernels, floats, ...) \
    extern const Kernel *const kernels##_kernels[OP_COUNT]; \
    extern void (*const floats##_update[OPTIMIZER_COUNT])(const Update *); \
    void floats##_renorm(void *x, int rows, int cols, UnitKind unit, int part, int parts); \
    double floats##_sumsq(const void *x, int rows, int cols); \
    double floats##_sum(const void *x, int rows, int cols); \
    void floats##_round(const Rounding *);
#define DEVICE(kernels, place, can_run, place_class, bytes) \
    extern const Kernel *const kernels##_kernels[OP_COUNT]; \
    extern const Device place;
#define UNBUILT(lacks)
#include "kernels/backends.def"
#undef BACKEND
#undef HOST
#undef DEVICE
#undef UNBUILT

/* Set Backend.word: `stored` bytes for activations and their gradients, `bytes` for the rest but ids. */
#define WORDS(bytes, stored) \
    {[ROLE_PARAM] = bytes, [ROLE_ACT] = stored,  [ROLE_SAVE] = bytes,    [ROLE_TOKEN] = sizeof(int32_t), \
     [ROLE_GRAD] = bytes,  [ROLE_DACT] = stored, [ROLE_MOMENT1] = bytes, [ROLE_MOMENT2] = bytes}
enum { BITS_local = false, BITS_portable = true };
#define HOST(kernels, floats, bytes, can_run, lacks, peak) \
    .word = WORDS(bytes, bytes), .kernel = kernels##_kernels, .update = floats##_update, .renorm = floats##_renorm, \
    .sumsq = floats##_sumsq, .sum = floats##_sum, .round = floats##_round, \
    .supported = can_run, .missing = lacks, .fma_peak = peak
#define DEVICE(kernels, place, can_run, place_class, bytes) \
    .word = WORDS(4, bytes), .kernel = kernels##_kernels, .supported = can_run, .device = &place, \
    .class_here = place_class
#define UNBUILT(lacks) .supported = never, .missing = lacks
#define BACKEND(name_, family_, precision_, bits_class, bits, rank_, built, what_) \
    &(const Backend){.name = name_, .family = family_, .precision = PRECISION_##precision_, \
                     .class_of_bits = bits_class, .portable = BITS_##bits, .rank = rank_, .what = what_, built},
const Backend *const backends[] = {
#include "kernels/backends.def"
};
#undef BACKEND
const int backend_count = sizeof backends / sizeof backends[0];
