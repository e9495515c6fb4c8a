/* PrecisionKind bf16 (kernels/cpu/simd/bf16.h): rounding, steps and products against an oracle that works in double and
 * knows nothing of fma; every row of a class bit for bit, those of the instructions too
 * (tests/kernels/bf16_traps.h). */
#include "base/philox.h"
#include "base/sha256.h"
#include "kernels/backend.h"
#include "tests/test.h"
#define BACKEND readable
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/simd/bf16.h"
#ifdef HAVE_BF16
#include "tests/kernels/bf16_traps.h"
#endif
#include "tests/models/toy.h"

#define MATMUL_OF(row) \
    void row##_matmul(float *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const float *bias, \
                      OldC old, float *sums, void *scratch); \
    size_t row##_matmul_scratch(int m, int n, int k);
MATMUL_OF(soft_dot_bf16)
MATMUL_OF(soft_amx_bf16)
#ifdef HAVE_BF16
MATMUL_OF(dot_bf16)
MATMUL_OF(amx_bf16)
#endif

typedef enum { DOT, AMX, ORDERS } Order;

static const struct {
    const char *name;
    Order order;
    void (*matmul)(float *, size_t, Matrix, Matrix, int, int, int, const float *, OldC, float *, void *);
    size_t (*scratch)(int, int, int);
} rows[] = {
    {"soft-dot-bf16", DOT, soft_dot_bf16_matmul, soft_dot_bf16_matmul_scratch},
    {"soft-amx-bf16", AMX, soft_amx_bf16_matmul, soft_amx_bf16_matmul_scratch},
#ifdef HAVE_BF16
    {"dot-bf16", DOT, dot_bf16_matmul, dot_bf16_matmul_scratch},
    {"amx-bf16", AMX, amx_bf16_matmul, amx_bf16_matmul_scratch},
#endif
};
enum { ROWS = sizeof rows / sizeof *rows };

static const Backend *backend_named(const char *name) {
    for (int i = 0; i < backend_count; i++)
        if (!strcmp(backends[i]->name, name)) return backends[i];
    return NULL;
}

/* True when this machine has the backend's instructions, or they can be computed in software
 * (tests/kernels/bf16_traps.h). False for an instruction that is there but sums in another order. */
static bool runs(const char *name) {
    const Backend *b = backend_named(name);
    if (b->supported()) return true;
#ifdef HAVE_BF16
    return b->missing && strstr(b->missing(), "has no ") && bf16_traps_set();
#else
    return false;
#endif
}

/* The nearest number of `digits` binary digits, ties to even, whatever its exponent: a double has room for both. */
static double nearest(double x, int digits) {
    uint64_t bits, unit = (uint64_t)1 << (53 - digits);
    if (!isfinite(x)) return x;
    memcpy(&bits, &x, sizeof bits);
    bits += unit / 2 - 1 + (bits / unit & 1);
    bits -= bits % unit;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* What is tiny becomes zero, what is past the largest number infinite. */
static float settle(double x, double past) {
    if (fabs(x) < 0x1p-126) return (float)copysign(0, x);
    return fabs(x) >= past ? (float)copysign((double)INFINITY, x) : (float)x;
}

static float rounded(float x) {
    if (isnan(x)) return canon_from_bits((canon_to_bits(x) | 0x400000u) & 0xffff0000u);
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : settle(nearest((double)x, 8), 0x1p128);
}

/* a b + c in double: the product is exact and the sum is rounded to odd, so that rounding it once more, to fewer
 * digits, gives the correctly rounded result. */
static float step(float a, float b, float c) {
    double p = (double)a * (double)b, d = (double)c, sum = p + d;
    if (!isfinite(sum)) return (float)sum;
    double back = sum - p, error = (p - (sum - back)) + (d - back);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    memcpy(&sum, &bits, sizeof sum);
    return settle(nearest(sum, 24), 0x1p128);
}

static float oracle(Order order, const float *a, const float *b, size_t b_row, int k) {
    float c = 0;
    int whole = order == DOT ? (k + 1) / 2 * 2 : (k + 31) / 32 * 32, block = order == DOT ? 2 : 32;
    for (int from = 0; from < whole; from += block) {
        float even = 0, odd = 0;
        for (int l = from; l < from + block; l += 2) {
            float x[2] = {l < k ? a[l] : 0, l + 1 < k ? a[l + 1] : 0};
            float y[2] = {l < k ? b[(size_t)l * b_row] : 0, l + 1 < k ? b[(size_t)(l + 1) * b_row] : 0};
            if (order == DOT) c = step(x[0], y[0], step(x[1], y[1], c));
            else even = step(x[0], y[0], even), odd = step(x[1], y[1], odd);
        }
        if (order == AMX) c = settle((double)(c + settle((double)(even + odd), 0x1p128)), 0x1p128);
    }
    return c;
}

static bool equal(float x, float y) {
    return canon_bits(x) == canon_bits(y);
}

static float normal(uint64_t stream, uint64_t i) {
    return canon_normal(philox_word(3, stream, i));
}

/* Plain; of sizes whose products lie about the smallest normal number; now and then something special; powers of two
 * whose sums are the smallest normal number and a little less; small integers, whose products and sums are exact. */
typedef enum { PLAIN, TINY, SPECIAL, EDGE, WHOLE, FILLS } Fill;
static float filled(Fill fill, uint64_t stream, uint64_t i) {
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x007fffff, 0x00800000,
                                       0x7f7fffff, 0xff7f7fff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc12345,
                                       0xffbfffff, 0x3f808000, 0x3f818000, 0x3f808001, 0x20000000, 0x9f800000};
    uint32_t word = philox_word(4, stream, i);
    float x = normal(stream, i);
    if (fill == TINY) return x * canon_pow2(-55 - (int)(word % 20));
    int exponent = -63 - 12 * (int)(word / 6 % 2) - (int)(word / 12 % 2);
    if (fill == EDGE) return word % 6 == 0 ? 0 : canon_pow2(exponent) * (word & 64 ? 1 : -1);
    if (fill == WHOLE) return (float)(int)(word % 17) - 8;
    return fill == SPECIAL && word % 40 == 0 ? canon_from_bits(special[word / 40 % (sizeof special / sizeof *special)])
                                             : x;
}

Test(bf16, rounding) {
    for (uint32_t high = 0; high < 1u << 16; high++)
        for (uint32_t i = 0; i < 12; i++) {
            static const uint32_t low[] = {0,      1,      0x1234, 0x7ffe, 0x7fff, 0x8000,
                                           0x8001, 0x8002, 0xc000, 0xfffe, 0xffff, 0x00ff};
            float x = canon_from_bits(high << 16 | low[i]);
            uint32_t got = bf16_round(x) << 16, want = canon_to_bits(rounded(x));
            cr_assert_eq(got, want, "%08x: %08x, expected %08x", high << 16 | low[i], got, want);
        }
    cr_assert_eq(bf16_pair(1, -2), 0xc0003f80u);
    cr_assert(bf16_even(0xc0003f80u) == 1 && bf16_odd(0xc0003f80u) == -2);
}

Test(bf16, steps) {
    int flushed = 0, kept = 0;
    for (uint64_t i = 0; i < 300000; i++) {
        Fill fill = (Fill)(i % FILLS);
        float a = rounded(filled(fill, 1, i)), b = rounded(filled(fill, 2, i));
        float c =
            fill == TINY ? a * b * filled(PLAIN, 3, i) : rounded(filled(fill, 3, i)) * (fill == EDGE ? 0x1p-63f : 1);
        if (fabsf(c) < 0x1p-126f) c = copysignf(0, c);
        cr_assert(equal(bf16_step(a, b, c), step(a, b, c)), "%a %a %a", (double)a, (double)b, (double)c);
        flushed += step(a, b, c) == 0, kept += step(a, b, c) != 0;
    }
    cr_assert(flushed > 1000 && kept > 1000);
    /* fma rounds both to 2^-126. With 24 digits and a free exponent only the second is; the first is flushed. */
    cr_assert(bf16_step(-0x1p-75f, 0x1p-75f, 0x1p-126f) == 0 && step(-0x1p-75f, 0x1p-75f, 0x1p-126f) == 0);
    cr_assert(bf16_step(-0x1p-75f, 0x1p-76f, 0x1p-126f) == 0x1p-126f &&
              step(-0x1p-75f, 0x1p-76f, 0x1p-126f) == 0x1p-126f);
    cr_assert(equal(bf16_step(0x1p-75f, -0x1p-75f, 0.0f), -0.0f) && equal(bf16_add(-0x1.8p-126f, 0x1p-126f), -0.0f));
}

typedef struct {
    int m, n, k;
    float *a, *b, *bias, *old, *turned_a, *turned_b, *chain[ORDERS], *expected, *got; /* a [m][k], b [k][n] */
} Product;

static void product_init(Product *p, int m, int n, int k, Fill fill) {
    size_t an = (size_t)m * (size_t)k, bn = (size_t)k * (size_t)n, cn = (size_t)m * (size_t)(n + 3);
    float **const all[] = {&p->a,   &p->turned_a, &p->b,   &p->turned_b,   &p->bias,
                           &p->old, &p->expected, &p->got, &p->chain[DOT], &p->chain[AMX]};
    size_t words[] = {an, an, bn, bn, (size_t)n, cn, cn, cn, cn, cn};
    *p = (Product){.m = m, .n = n, .k = k};
    for (int i = 0; i < 10; i++) *all[i] = calloc(words[i] + 1, sizeof(float));
    for (size_t i = 0; i < an; i++)
        p->a[i] = filled(fill, 11, i), p->turned_a[i % (size_t)k * (size_t)m + i / (size_t)k] = p->a[i];
    for (size_t i = 0; i < bn; i++)
        p->b[i] = filled(fill, 12, i), p->turned_b[i % (size_t)n * (size_t)k + i / (size_t)n] = p->b[i];
    for (int i = 0; i < n; i++) p->bias[i] = normal(13, (uint64_t)i);
    for (size_t i = 0; i < cn; i++) p->old[i] = normal(14, i);
    OWNED float *ra = malloc((an + 1) * 4), *rb = malloc((bn + 1) * 4);
    for (size_t i = 0; i < an; i++) ra[i] = rounded(p->a[i]);
    for (size_t i = 0; i < bn; i++) rb[i] = rounded(p->b[i]);
    for (Order o = DOT; o < ORDERS; o++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                p->chain[o][i * n + j] = oracle(o, ra + (size_t)i * (size_t)k, rb + j, (size_t)n, k);
}

static void product_release(Product *p) {
    float *const all[] = {p->a,   p->turned_a, p->b,   p->turned_b,   p->bias,
                          p->old, p->expected, p->got, p->chain[DOT], p->chain[AMX]};
    for (int i = 0; i < 10; i++) free(all[i]);
}

/* How: A turned, B turned, bias, accumulate. */
static void check(Product *p, int row, int how) {
    int m = p->m, n = p->n, k = p->k, ldc = n + 3;
    size_t bytes = (size_t)m * (size_t)ldc * sizeof(float);
    const float *bias = how & 4 ? p->bias : NULL;
    Matrix a = how & 1 ? (Matrix){p->turned_a, 1, (size_t)m} : (Matrix){p->a, (size_t)k, 1};
    Matrix b = how & 2 ? (Matrix){p->turned_b, 1, (size_t)k} : (Matrix){p->b, (size_t)n, 1};
    memcpy(p->expected, p->old, bytes), memcpy(p->got, p->old, bytes);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = p->chain[rows[row].order][i * n + j], *to = &p->expected[i * ldc + j];
            if (bias) sum += bias[j];
            *to = how & 8 ? *to + sum : sum;
        }
    size_t need = (rows[row].scratch(m, n, k) + 127) / 64 * 64;
    OWNED char *scratch = aligned_alloc(64, need + 64);
    memset(scratch, 0xff, need + 64); /* NaN that is read shows */
    memset(scratch + need, 0x5a, 64);
    rows[row].matmul(p->got, (size_t)ldc, a, b, m, n, k, bias, how & 8 ? C_added : C_replaced, NULL, scratch);
    for (int i = 0; i < m * ldc; i++)
        cr_assert(equal(p->got[i], p->expected[i]), "%s, %d x %d x %d, how %d, (%d, %d): %a, expected %a",
                  rows[row].name, m, n, k, how, i / ldc, i % ldc, (double)p->got[i], (double)p->expected[i]);
    for (int i = 0; i < 64; i++)
        cr_assert_eq(scratch[need + (size_t)i], 0x5a, "%s writes past its scratch", rows[row].name);
}

/* Every row in each `by`-th way from `first`; a row that traps takes its time, so one way is enough, or none of a
 * product of many instructions. */
static int all_rows(int m, int n, int k, Fill fill, int first, int by) {
    static enum { UNKNOWN, NEVER, TRAPS, RUNS } state[ROWS];
    LOCAL(product_release) Product p;
    int ran = 0;
    product_init(&p, m, n, k, fill);
    for (int row = 0; row < ROWS; row++) {
        if (!state[row])
            state[row] = !runs(rows[row].name) ? NEVER : backend_named(rows[row].name)->supported() ? RUNS : TRAPS;
        if (state[row] == TRAPS && (fill == PLAIN || m * n * k < 100000)) check(&p, row, (m + 3 * n + 5 * k) % 16);
        for (int how = first; how < 16 && state[row] == RUNS; how += by, ran++) check(&p, row, how);
    }
    return ran;
}

Test(bf16, products_of_every_small_size) {
    static const int sizes[] = {1, 2, 3, 13, 14, 15, 16, 17, 31, 32, 33};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    int ran = 0;
    for (int i = 0; i < SIZES * SIZES * SIZES; i++)
        ran +=
            all_rows(sizes[i % SIZES], sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES], (Fill)(i % FILLS), i % 4, 4);
    cr_assert_geq(ran, SIZES * SIZES * SIZES * 4 * 2);
}

Test(bf16, products_that_take_blocks) {
    static const int shapes[][3] = {{5, 7, 0},     {65, 128, 65},  {33, 65, 128},  {29, 384, 128}, {2, 65, 512},
                                    {70, 33, 513}, {15, 515, 130}, {3, 1030, 544}, {31, 17, 1500}, {64, 64, 384}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    int ran = 0;
    for (int s = 0; s < SHAPES; s++)
        for (int fill = 0; fill < FILLS; fill++)
            ran += all_rows(shapes[s][0], shapes[s][1], shapes[s][2], (Fill)fill, fill, fill == PLAIN ? 1 : 5);
    cr_assert_geq(ran, SHAPES * (16 + 4 * 3) * 2);
}

/* Against a sum in double of what was rounded, within the error of a chain; and without rounding the products of small
 * whole numbers are exact in both orders. */
Test(bf16, products_are_near_the_exact_ones) {
    enum { M = 37, N = 41, K = 384 };
    for (Fill fill = PLAIN; fill <= WHOLE; fill = (Fill)(fill + WHOLE)) {
        LOCAL(product_release) Product p;
        product_init(&p, M, N, K, fill);
        for (int row = 0; row < 2; row++) {
            check(&p, row, 0);
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++) {
                    double exact = 0, size = 0;
                    for (int l = 0; l < K; l++) {
                        double term = (double)rounded(p.a[i * K + l]) * (double)rounded(p.b[l * N + j]);
                        exact += term, size += fabs(term);
                    }
                    double error = fabs((double)p.got[i * (N + 3) + j] - exact);
                    double bound = fill == WHOLE ? 0 : (K + 2) * 0x1p-24 * size;
                    cr_assert(error <= bound, "%s (%d, %d): %g, at most %g", rows[row].name, i, j, error, bound);
                }
        }
    }
}

/* Orders differ in bits, so they are two classes. */
Test(bf16, the_two_orders_differ) {
    LOCAL(product_release) Product p;
    int differ = 0;
    product_init(&p, 20, 20, 64, PLAIN);
    for (int i = 0; i < 400; i++) differ += !equal(p.chain[DOT][i], p.chain[AMX][i]);
    cr_assert(differ > 100, "%d of 400", differ);
}

/* A run in bf16 goes nearly, not exactly, as the exact one. */
Test(bf16, training_is_near_the_exact_one) {
    static const char *const names[] = {"readable", "soft-dot-bf16", "soft-amx-bf16"};
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    uint64_t seed = 1;
    float loss[3];
    for (int i = 0; i < 3; i++) {
        LOCAL(trainer_release) Trainer *t;
        uint8_t chain[32] = {0};
        OK(
            trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &r, &seed, 1, backend_find(names[i], &e), &e));
        loss[i] = toy_train(t, 12, chain);
    }
    for (int i = 1; i < 3; i++)
        cr_assert(loss[i] != loss[0] && fabsf(loss[i] - loss[0]) < 5e-3f, "%s: %.9g, exact %.9g", names[i],
                  (double)loss[i], (double)loss[0]);
    cr_assert(loss[1] != loss[2]);
}

/* A whole training on each instruction's backend, whatever makes it run. */
Test(bf16, training_by_instructions) {
    static const char *const names[][2] = {{"dot-bf16", "soft-dot-bf16"}, {"amx-bf16", "soft-amx-bf16"}};
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    for (int i = 0; i < 2 && backend_named(names[i][0]); i++) {
        char got[130], expected[130];
        if (!runs(names[i][0])) continue;
        toy_hashes(got, variant_find("pre", &e), &s, &r, 1, backend_named(names[i][0]), 2);
        toy_hashes(expected, variant_find("pre", &e), &s, &r, 1, backend_named(names[i][1]), 2);
        cr_assert_str_eq(got, expected, "%s", names[i][0]);
#ifdef HAVE_BF16
        cr_assert(backend_named(names[i][0])->supported() || bf16_traps_taken() > 1000);
#endif
    }
}

/* What a machine lacks is said, and nothing slow takes its place. */
Test(bf16, instructions_are_here_or_are_named) {
    static const char *const names[] = {"dot-bf16", "amx-bf16", "cpu-bf16"};
    for (int i = 0; i < 3; i++) {
        const Backend *b = backend_find(names[i], &e);
        if (b) cr_assert(b->missing && !b->missing() && strncmp(b->name, "soft", 4));
#ifdef HAVE_BF16
        else cr_assert(e.code == RC_UNMEASURED && strstr(e.text, "this machine"), "%s", e.text);
#endif
    }
    cr_assert_str_eq(backend_class(backend_find("cpu", &e)), "canon");
}
