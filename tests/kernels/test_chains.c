/* The fast kernels against the readable ones, bit for bit: matmul over shapes, strides, bias and accumulation against a
 * plain fmaf loop written here, and every op of ops.def, forward and backward, on every canonical backend. */

#include "base/philox.h"
#include "base/sha256.h"
#include "tests/test.h"
#define BACKEND readable
#include "kernels/cpu/matmul.h"
#include "tests/kernels/op_case.h"

#define MATMUL_OF(isa) \
    void isa##_matmul(float *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const float *bias, \
                      OldC old, float *sums, void *scratch); \
    size_t isa##_matmul_scratch(int m, int n, int k);
MATMUL_OF(portable)
#if defined(__x86_64__)
MATMUL_OF(v3)
MATMUL_OF(v4)
#endif

typedef struct {
    const char *backend;
    void (*matmul)(float *, size_t, Matrix, Matrix, int, int, int, const float *, OldC, float *, void *);
    size_t (*scratch)(int, int, int);
} Fast;

static const Fast fast[] = {
    {"readable", readable_matmul, readable_matmul_scratch},
    {"portable", portable_matmul, portable_matmul_scratch},
#if defined(__x86_64__)
    {"v3", v3_matmul, v3_matmul_scratch},
    {"v4", v4_matmul, v4_matmul_scratch},
#endif
};
enum { FAST = sizeof fast / sizeof *fast };

static void fill(float *x, size_t n, uint64_t stream) {
    for (size_t i = 0; i < n; i++) x[i] = canon_normal(philox_word(3, stream, i));
}

/* C(i, j) = one fmaf chain over ascending k from +0, then the bias, then the old C; or one from the old C. */
static void plain(float *c, int ldc, Matrix a, Matrix b, int m, int n, int k, const float *bias, OldC old) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float *to = &c[i * ldc + j], chain = old == C_continued ? *to : 0;
            for (int l = 0; l < k; l++)
                chain = fmaf(a.at[(size_t)i * a.row + (size_t)l * a.col], b.at[(size_t)l * b.row + (size_t)j * b.col],
                             chain);
            if (bias) chain += bias[j];
            *to = old == C_added ? *to + chain : chain;
        }
}

static void compare(int m, int n, int k, bool a_turned, bool b_turned, bool with_bias, OldC how) {
    int ldc = n + 3;
    size_t an = (size_t)m * (size_t)k, bn = (size_t)k * (size_t)n, cn = (size_t)m * (size_t)ldc;
    OWNED float *a = calloc(an + 1, 4), *b = calloc(bn + 1, 4), *bias = calloc((size_t)n + 1, 4),
                *old = calloc(cn + 1, 4);
    OWNED float *expected = calloc(cn + 1, 4), *got = calloc(cn + 1, 4), *sums = calloc((size_t)m + 1, 4);
    fill(a, an, 1), fill(b, bn, 2), fill(bias, (size_t)n, 3), fill(old, cn, 4);
    Matrix am = a_turned ? (Matrix){a, 1, (size_t)m} : (Matrix){a, (size_t)k, 1};
    Matrix bm = b_turned ? (Matrix){b, 1, (size_t)k} : (Matrix){b, (size_t)n, 1};
    memcpy(expected, old, cn * 4);
    plain(expected, ldc, am, bm, m, n, k, with_bias ? bias : NULL, how);
    for (int f = 0; f < FAST; f++) {
        if (!backend_find(fast[f].backend, &e)) continue;
        OWNED void *scratch = aligned_alloc(64, (fast[f].scratch(m, n, k) + 64) / 64 * 64);
        memcpy(got, old, cn * 4); /* what stands between the rows must stay */
        fast[f].matmul(got, (size_t)ldc, am, bm, m, n, k, with_bias ? bias : NULL, how, with_bias ? NULL : sums,
                       scratch);
        for (int i = 0; i < m && !with_bias; i++) {
            float sum = 0;
            for (int l = 0; l < k; l++) sum += am.at[(size_t)i * am.row + (size_t)l * am.col];
            cr_assert(sums[i] == sum, "%s: sum of row %d, %d x %d x %d, A %s", fast[f].backend, i, m, n, k,
                      a_turned ? "turned" : "straight");
        }
        cr_assert(!memcmp(got, expected, cn * 4), "%s: %d x %d x %d, A %s, B %s, bias %d, old C %d",
                  fast[f].backend, m, n, k, a_turned ? "turned" : "straight", b_turned ? "turned" : "straight",
                  with_bias, (int)how);
    }
}

enum { SHORT = 16, TALL = 2048, STEPS = 768, COLS = 600, GUARD = 1 << 16 };

/* Scratch for `most_m` rows and `most_k` steps serves m and k. */
static void fits(int f, int m, int n, int k, int most_m, int most_k, bool a_turned) {
    static float a[TALL * STEPS], b[STEPS * COLS], c[TALL * COLS], sums[TALL];
    size_t bytes = fast[f].scratch(most_m, n, most_k);
    OWNED unsigned char *scratch = aligned_alloc(64, (bytes + GUARD + 63) / 64 * 64);
    memset(scratch + bytes, 0xa5, GUARD);
    Matrix am = a_turned ? (Matrix){a, 1, (size_t)m} : (Matrix){a, (size_t)k, 1};
    fast[f].matmul(c, (size_t)n, am, (Matrix){b, (size_t)n, 1}, m, n, k, NULL, C_replaced, sums, scratch);
    for (size_t at = 0; at < GUARD; at++)
        cr_assert(scratch[bytes + at] == 0xa5, "%s: %d x %d x %d, A %s, byte %zu past the scratch", fast[f].backend, m,
                  n, k, a_turned ? "turned" : "straight", at);
}

/* A scratch serves all products of fewer rows and steps: threads share rows, and the last block of rows is short. */
Test(chains, scratch_serves_smaller_products) {
    static const int ns[] = {1, 33, 128, 496, 504, 512, COLS}, ms[] = {1, 2, 8, SHORT},
                     ks[] = {1, 16, 33, 100, 257, 511, STEPS};
    for (int f = 0; f < FAST; f++) {
        if (!backend_find(fast[f].backend, &e)) continue;
        for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
            for (size_t j = 0; j < sizeof ms / sizeof *ms; j++)
                for (size_t l = 0; l < 2 * sizeof ks / sizeof *ks; l++)
                    fits(f, ms[j], ns[i], ks[l / 2], 4 * ms[j], 2 * ks[l / 2], l % 2);
        fits(f, TALL, 64, STEPS, TALL, STEPS + 1, false); /* chains wait for 768 steps, though not for 769 */
    }
}

Test(chains, matmul_is_one_fma_chain) {
    static const int shapes[][3] = {{1, 1, 1},     {1, 1, 0},       {20, 0, 50},    {2, 3, 4},     {5, 17, 9},
                                    {12, 32, 16},  {13, 33, 31},    {14, 16, 65},   {31, 48, 7},   {64, 65, 128},
                                    {65, 128, 96}, {7, 100, 300},   {40, 31, 515},  {64, 96, 300}, {450, 160, 101},
                                    {30, 544, 67}, {40, 100, 1101}, {17, 33, 2049}, {17, 33, 1024}};
    int ran = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int how = 0; how < 24; how++, ran++)
            compare(shapes[s][0], shapes[s][1], shapes[s][2], how & 1, how & 2, how & 4, (OldC)(how / 8));
    cr_assert_eq(ran, 19 * 24);
}

static bool same_bits(const OpCase *a, const OpCase *b, View va, View vb) {
    for (size_t i = 0; i < view_count(va); i++)
        if (canon_bits((float)view_get(a, va, 0, i)) != canon_bits((float)view_get(b, vb, 0, i))) return false;
    return true;
}

TEST_EACH(chains, ops_have_the_readable_bits, CASE_COUNT) {
    static const Shape shapes[] = {{1, 4}, {3, 7}, {33, 16}, {6, 48}, {64, 32}, {129, 20}, {157, 40}, {9, 130}};
    int kind = *index;
    OpKind op = case_op(kind);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            OpCase readable;
            case_init(&readable, kind, shapes[s].rows, shapes[s].cols, backend_find("readable", &e), 1, 7, true);
            case_forward(&readable);
            if (!op_is_probe(op)) case_backward(&readable, accumulate, 0.25);
            for (int f = 1; f < FAST; f++) {
                OpCase quick;
                const Backend *b = backend_find(fast[f].backend, &e);
                if (!b) continue;
                case_init(&quick, kind, shapes[s].rows, shapes[s].cols, b, 1, 7, true);
                case_forward(&quick);
                cr_assert(same_bits(&quick, &readable, quick.call.out, readable.call.out), "%s forward on %s, %d x %d",
                          case_name(kind), b->name, shapes[s].rows, shapes[s].cols);
                if (!op_is_probe(op)) case_backward(&quick, accumulate, 0.25);
                for (int i = 0; i < quick.call.in_count && !op_is_probe(op); i++)
                    if (quick.call.din[i].at)
                        cr_assert(same_bits(&quick, &readable, quick.call.din[i], readable.call.din[i]),
                                  "%s backward on %s, input %d, %d x %d", case_name(kind), b->name, i, shapes[s].rows,
                                  shapes[s].cols);
                case_release(&quick);
            }
            case_release(&readable);
        }
}
