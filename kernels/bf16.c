#include "kernels/bf16.h"

#include <cpuid.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/philox.h"
#include "base/sha256.h"
#define BACKEND amx_bf16
#include "kernels/cpu/matmul.h"

#define MATMUL(row) \
    void row##_matmul(float *, size_t, Matrix, Matrix, int, int, int, const float *, OldC, float *, void *); \
    size_t row##_matmul_scratch(int, int, int);
MATMUL(dot_bf16)
MATMUL(soft_dot_bf16)
MATMUL(soft_amx_bf16)

typedef struct {
    void (*matmul)(float *, size_t, Matrix, Matrix, int, int, int, const float *, OldC, float *, void *);
    size_t (*scratch)(int, int, int);
} Row;

enum { M = 17, N = 33, K = 70, CHECKS = 3 };

/* Make input i of a check. 0: ordinary numbers; 1: numbers whose products are near the smallest normal number;
 * 2: both, and special values. */
static float number(int check, uint64_t i) {
    static const float special[] = {0.0f,       -0.0f,      0x1p-127f, -0x1p-149f, 0x1.fffffep127f,
                                    0x1.018p0f, 0x1.008p0f, 0x1p-63f};
    float x = canon_normal(philox_word(1, (uint64_t)check, 2 * i));
    uint32_t word = philox_word(1, (uint64_t)check, 2 * i + 1);
    if (check == 2 && word % 5 == 0) return special[word / 5 % (sizeof special / sizeof *special)];
    return check == 1 ? x * canon_pow2(-60 - (int)(word % 16)) : x;
}

/* Make c[0] = 2^-126 - 2^-150 in bf16-dot: it is below the smallest normal number, so it is flushed, though 2^-126 is
 * the nearest float. (bf16-amx flushes the second term by itself.) */
static void edge(float *a, float *b) {
    memset(a, 0, K * sizeof *a);
    for (int l = 0; l < K; l++) b[l * N] = 0;
    a[1] = b[N] = 0x1p-63f;
    a[0] = 0x1p-75f, b[0] = -0x1p-75f;
}

static void product(float *c, Row row, const float *a, const float *b) {
    void *scratch = mem_alloc(row.scratch(M, N, K), 1);
    row.matmul(c, N, (Matrix){a, K, 1}, (Matrix){b, N, 1}, M, N, K, NULL, C_replaced, NULL, scratch);
    free(scratch);
}

static bool same(Row hard, Row soft) {
    float a[M * K], b[K * N], expected[M * N], got[M * N];
    for (int check = 0; check < CHECKS; check++) {
        for (int i = 0; i < M * K; i++) a[i] = number(check, (uint64_t)i);
        for (int i = 0; i < K * N; i++) b[i] = number(check, (uint64_t)(M * K + i));
        if (check == 1) edge(a, b);
        product(expected, soft, a, b);
        product(got, hard, a, b);
        for (int i = 0; i < M * N; i++)
            if (canon_bits(got[i]) != canon_bits(expected[i])) return false;
    }
    return true;
}

static unsigned int cpuid_7(unsigned int leaf, int word) {
    unsigned int r[4] = {0};
    return __get_cpuid_count(7, leaf, &r[0], &r[1], &r[2], &r[3]) ? r[word] : 0;
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

const char *bf16_dot_missing(void) {
    if (!has_avx512() || !(cpuid_7(1, 0) >> 5 & 1)) return "this machine has no AVX512-BF16";
    if (!same((Row){dot_bf16_matmul, dot_bf16_matmul_scratch},
              (Row){soft_dot_bf16_matmul, soft_dot_bf16_matmul_scratch}))
        return "this machine's AVX512-BF16 sums otherwise than bf16-dot is defined";
    return NULL;
}

/* Ask Linux for the tile registers, which it grants to the whole process. */
static bool lent_tiles(void) {
    enum { REQUEST = 0x1023, TILE_DATA = 18 };
    return !syscall(SYS_arch_prctl, REQUEST, TILE_DATA);
}

const char *bf16_amx_missing(void) {
    unsigned int bits = cpuid_7(0, 3);
    if (!(bits >> 22 & 1) || !(bits >> 24 & 1)) return "this machine has no AMX-BF16";
    if (!has_avx512() || !(cpuid_7(1, 0) >> 5 & 1)) return "this machine has AMX-BF16 but no AVX512-BF16";
    if (!lent_tiles()) return "the kernel of this machine does not lend AMX's registers";
    if (!same((Row){amx_bf16_matmul, amx_bf16_matmul_scratch},
              (Row){soft_amx_bf16_matmul, soft_amx_bf16_matmul_scratch}))
        return "this machine's AMX sums otherwise than bf16-amx is defined";
    return NULL;
}
