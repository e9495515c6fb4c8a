/* The statistics at their limits: bad input, a thousand comparisons, 10^5 blocks, many threads, and time. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "stats/anytime.h"
#include "stats/bootstrap.h"
#include "stats/choice.h"
#include "stats/counts.h"
#include "stats/crossed.h"
#include "stats/curve.h"
#include "stats/design.h"
#include "stats/friedman.h"
#include "stats/multiple.h"
#include "stats/paired.h"
#include "stats/permute.h"
#include "stats/power.h"
#include "stats/profile.h"
#include "stats/regress.h"
#include "stats/ridge.h"
#include "stats/unpaired.h"
#include "stats/variance.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_limits, .init = st_init);

enum { MOST = 8 };

/* What a test on differences leaves behind: its status and every number that must be NaN unless it is ST_OK. */
typedef struct {
    StStatus status;
    int numbers;
    double number[8];
} Said;

static Said said_tci(const double *d, size_t n) {
    StTci r = st_tci(d, n, 0, 0.95);
    return (Said){r.status, 5, {r.se, r.t, r.p, r.lo, r.hi}};
}
static Said said_signflip(const double *d, size_t n) {
    StSignflip r = st_signflip(d, n, 0, ST_TWO_SIDED, (StKey){1, 2});
    return (Said){r.status, 3, {r.p, r.p_lo, r.p_hi}};
}
static Said said_wilcoxon(const double *d, size_t n) {
    StWilcoxon r = st_wilcoxon(d, n, 0, (StKey){1, 2});
    return (Said){r.status, 2, {r.w, r.p}};
}
static Said said_boot(const double *d, size_t n) {
    StBoot r = st_boot(d, n, 0, 0.95, (StKey){1, 2});
    return (Said){r.status, 4, {r.se, r.percentile.lo, r.basic.hi, r.shift.p}};
}
static Said said_boot_mc(const double *d, size_t n) {
    StBoot r = st_boot_mc(d, n, 0, 0.95, 200, (StKey){1, 2});
    return (Said){r.status, 4, {r.se, r.percentile.lo, r.basic.hi, r.shift.p}};
}
static Said said_tost(const double *d, size_t n) {
    StTost r = st_tost(d, n, 0, -0.02, 0.02, 0.05);
    return (Said){r.status, 5, {r.se, r.p_lower, r.p_upper, r.p, r.ci_lo}};
}
static Said said_effect(const double *d, size_t n) {
    StEffect r = st_effect(d, NULL, n);
    return (Said){r.status, 2, {r.sd, r.d_z}};
}
static Said said_maxT(const double *d, size_t n) {
    StMaxTRow row = {0};
    StMaxT r = st_maxT(d, 1, n, NULL, 0, (StKey){1, 2}, &row);
    return (Said){r.status, 3, {r.status ? (double)NAN : row.single, r.status ? (double)NAN : row.step, r.p_min}};
}
static Said said_levene(const double *d, size_t n) {
    const double other[3] = {1, 2, 4};
    StVariance r = st_levene(d, n, other, 3);
    return (Said){r.status, 2, {r.stat, r.p}};
}
static Said said_pitman(const double *d, size_t n) {
    const double other[MOST] = {1, 2, 4, 8, 16, 32, 64, 128};
    StVariance r = st_pitman_morgan(d, other, n);
    return (Said){r.status, 2, {r.stat, r.p}};
}
static Said said_anytime(const double *d, size_t n) {
    double p[MOST] = {NAN};
    StStatus status = st_anytime_path(d, n, 0, p);
    return (Said){status, 1, {p[n && status == ST_OK ? n - 1 : 0]}};
}
static Said said_omnibus(const double *d, size_t n) {
    double x[2 * MOST] = {0};
    if (n) memcpy(x, d, n * sizeof *x);
    StOmnibus r = st_omnibus(x, 2, n, (StKey){1, 2});
    return (Said){r.status, 2, {r.p, r.p_min}};
}
static Said said_line(const double *d, size_t n) {
    const double x[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    StLine r = st_line(x, d, n);
    return (Said){r.status, 2, {r.slope, r.intercept}};
}
static Said said_crossed(const double *d, size_t n) {
    double x[2 * MOST] = {0};
    if (n) memcpy(x, d, n * sizeof *x);
    StCrossed r = st_crossed(x, 2, n, 0, 0.95);
    return (Said){r.status, 4, {r.se, r.lo, r.hi, r.p}};
}

static const struct {
    const char *name;
    Said (*call)(const double *d, size_t n);
} tests[] = {{"tci", said_tci},       {"signflip", said_signflip}, {"wilcoxon", said_wilcoxon},
             {"boot", said_boot},     {"boot_mc", said_boot_mc},   {"tost", said_tost},
             {"effect", said_effect}, {"maxT", said_maxT},         {"levene", said_levene},
             {"pitman", said_pitman}, {"anytime", said_anytime},   {"omnibus", said_omnibus},
             {"line", said_line},     {"crossed", said_crossed}};
enum { TESTS = sizeof tests / sizeof *tests };

/* A number with a status, or no number: never a wrong one, never a NaN that claims to be fine. */
Test(stats_limits, bad_input_is_a_status_or_a_number) {
    static const double inf = (double)INFINITY, nan = (double)NAN;
    const double inputs[][MOST] = {{0.1, -0.2, 0.3, 0.1, -0.1, 0.4, 0.2, -0.3},
                                   {0, 0, 0, 0, 0, 0, 0, 0},
                                   {-0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0},
                                   {7, 7, 7, 7, 7, 7, 7, 7},
                                   {5e-324, 0, -5e-324, 1e-310, 0, 0, 0, 0},
                                   {1e-200, 2e-200, -1e-200, 0, 0, 1e-200, 0, 0},
                                   {1e99, -1e99, 1e99, 1e99, 0, 1e99, -1e99, 1e99},
                                   {0.1, 1e308, 0.3, 0.1, -0.1, 0.4, 0.2, -0.3},
                                   {1e308, -1e308, 1e308, -1e308, 1e308, 1, 1e308, 1e308},
                                   {0.1, nan, 0.3, 0.1, -0.1, 0.4, 0.2, -0.3},
                                   {inf, 0.2, 0.3, 0.1, -0.1, 0.4, 0.2, -0.3},
                                   {-inf, inf, nan, 0.1, -0.1, 0.4, 0.2, -0.3}};
    enum { FIRST_NONFINITE = 7 };
    int refused = 0, fine = 0;
    for (int t = 0; t < TESTS; t++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            for (size_t n = 0; n <= MOST; n++) {
                Said s = tests[t].call(inputs[i], n);
                refused += s.status != ST_OK, fine += s.status == ST_OK;
                for (int k = 0; k < s.numbers; k++)
                    cr_expect(s.status == ST_OK ? isfinite(s.number[k]) : isnan(s.number[k]),
                              "%s, input %zu, n %zu: %s, number %d is %g", tests[t].name, i, n,
                              st_status_text(s.status), k, s.number[k]);
                bool held = i >= FIRST_NONFINITE && n == MOST;
                cr_expect(!held || s.status == ST_NONFINITE_INPUT, "%s takes input %zu: %s", tests[t].name, i,
                          st_status_text(s.status));
                cr_expect(n > 0 || s.status != ST_OK, "%s is content with nothing", tests[t].name);
            }
    cr_expect(refused > 400 && fine > 400, "%d refused, %d fine: the table tests too little", refused, fine);
}

Test(stats_limits, a_thousand_comparisons) {
    enum { K = 1000, N = 8 };
    static double d[K * N], p[K], adjusted[K];
    static StMaxTRow rows[K];
    for (int i = 0; i < K * N; i++) d[i] = sin(0.7 * i) + (i < N ? 3 : 0); /* the first is far from zero */
    for (int i = 0; i < K; i++) p[i] = (i + 1.0) / (K + 1);
    StMaxT r = st_maxT(d, K, N, NULL, 0, (StKey){1, 2}, rows);
    STATUS(r.status, ST_OK);
    cr_expect_eq(r.total, 256);
    cr_expect_float_eq(r.p_min, 2 / 256.0, 1e-15);
    for (int i = 0; i < K; i++)
        cr_assert(rows[i].step >= r.p_min && rows[i].step <= 1 && rows[i].step <= rows[i].single);
    StStatus (*const all[])(const double *, size_t, double *) = {st_holm, st_hochberg, st_bh};
    for (int a = 0; a < 3; a++) {
        STATUS(all[a](p, K, adjusted), ST_OK);
        for (int i = 0; i < K; i++) cr_assert(adjusted[i] >= p[i] && adjusted[i] <= 1);
    }
}

Test(stats_limits, a_hundred_thousand_blocks) {
    enum { SEEDS = 3, BLOCKS = 100000 };
    OWNED double *d = calloc(SEEDS * (size_t)BLOCKS, sizeof *d), *out = calloc(SEEDS * (size_t)BLOCKS, sizeof *out);
    cr_assert(d && out);
    for (int s = 0; s < SEEDS; s++)
        for (int b = 0; b < BLOCKS; b++) d[s * BLOCKS + b] = 0.1 * s + sin(1.3 * b) + 0.01 * cos(2.1 * b + s);
    StCrossed r = st_crossed(d, SEEDS, BLOCKS, 0, 0.95);
    STATUS(r.status, ST_OK);
    cr_expect_float_eq(r.mean, 0.1, 1e-4);
    cr_expect(r.lo < r.mean && r.mean < r.hi && isfinite(r.p));
    StBlocks merged = st_blocks_merge(d, SEEDS, BLOCKS, 0.1, out);
    cr_expect(merged.status == ST_OK || merged.status == ST_NO_CONVERGENCE);
    cr_expect(merged.blocks >= 8 && merged.blocks <= BLOCKS);
}

/* Everything that draws or enumerates, from one thread: the bytes that each of several threads must give. */
typedef struct {
    StBoot exact, drawn;
    StSignflip flip;
    StMaxTRow row[3];
    StOmnibus omnibus;
    StPower power;
} Bytes;

static void *all_of_it(void *at) {
    Bytes *b = at;
    double d[24];
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 24; i++) d[i] = cos(1.7 * i) + 0.2;
    b->exact = st_boot_exact(d, 8, 0, 0.95);
    b->drawn = st_boot_mc(d, 24, 0, 0.95, 2000, (StKey){3, 4});
    b->flip = st_signflip(d, 24, 0, ST_TWO_SIDED, (StKey){5, 6});
    st_maxT(d, 3, 8, NULL, 0, (StKey){7, 8}, b->row);
    b->omnibus = st_omnibus(d, 3, 8, (StKey){9, 10});
    b->power = st_power(1.1, 7, 0.05);
    return NULL;
}

static bool same_bytes(const Bytes *x, const Bytes *y) { /* field by field: padding bytes are undefined */
    return x->exact.percentile.lo == y->exact.percentile.lo && x->exact.bca.hi == y->exact.bca.hi &&
           x->exact.shift.count == y->exact.shift.count && x->drawn.percentile.lo == y->drawn.percentile.lo &&
           x->drawn.se == y->drawn.se && x->drawn.koehn.count == y->drawn.koehn.count &&
           x->flip.count == y->flip.count && x->row[0].step_count == y->row[0].step_count &&
           x->row[2].single_count == y->row[2].single_count && x->omnibus.count == y->omnibus.count &&
           x->power.power == y->power.power;
}

Test(stats_limits, threads_change_nothing) {
    enum { THREADS = 6 };
    static Bytes alone, each[THREADS];
    pthread_t id[THREADS];
    all_of_it(&alone);
    for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&id[i], NULL, all_of_it, &each[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
    for (int i = 0; i < THREADS; i++) cr_expect(same_bytes(&alone, &each[i]), "thread %d has other numbers", i);
    cr_expect_eq(alone.exact.status, ST_OK);
}

/* Time on the processor, so that a busy machine does not count. */
static double busy_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Test(stats_limits, fast_enough) {
    double d[240], start = busy_seconds(), took;
    StMaxTRow rows[20];
    for (int i = 0; i < 240; i++) d[i] = sin(3.1 * i) + 0.3;
    for (int metric = 0; metric < 10; metric++) STATUS(st_boot_exact(d + 8 * metric, 8, 0, 0.95).status, ST_OK);
    took = busy_seconds() - start;
    cr_expect(took < 0.05, "exact bootstrap of ten metrics at n = 8: %.3f s, not under 50 ms", took);
    start = busy_seconds();
    STATUS(st_boot_exact(d, 10, 0, 0.95).status, ST_OK);
    took = busy_seconds() - start;
    cr_expect(took < 1, "exact bootstrap at n = 10: %.2f s, not under 1 s", took);
    start = busy_seconds();
    STATUS(st_maxT(d, 20, 12, NULL, 0, (StKey){1, 2}, rows).status, ST_OK);
    took = busy_seconds() - start;
    cr_expect(took < 1, "max-T of 20 comparisons at n = 12: %.2f s, not under 1 s", took);
}

/* Of every argument, one outside of its range. */
Test(stats_limits, bad_arguments_are_refused) {
    const double x[4] = {1, 2, 3, 5}, wrong[] = {0, 1, -1, NAN};
    const StKey key = {1, 2};
    double rank[2], path[4];
    StBand band;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) { /* levels */
        STATUS(st_welch(x, 2, x + 2, 2, wrong[i]).status, ST_BAD_ARG);
        STATUS(st_welch_tost(x, 2, x + 2, 2, -1, 1, wrong[i]).status, ST_BAD_ARG);
        STATUS(st_anytime_ci(x, 4, 0, wrong[i]).status, ST_BAD_ARG);
        STATUS(st_flip_power(1, 6, 1, wrong[i]).status, ST_BAD_ARG);
        STATUS(st_flip_mde(6, 1, .8, wrong[i]).status, ST_BAD_ARG);
        STATUS(st_flip_mde(6, 1, wrong[i], .05).status, ST_BAD_ARG);
        STATUS(st_task_iqm(x, NULL, 2, 2, wrong[i], key).status, ST_BAD_ARG);
        STATUS(st_performance(x, 2, 2, 0, x, 1, wrong[i], key, &band), ST_BAD_ARG);
    }
    STATUS(st_welch_tost(x, 2, x + 2, 2, 1, 1, .05).status, ST_BAD_ARG);
    STATUS(st_welch_tost(x, 2, x + 2, 2, -INFINITY, 1, .05).status, ST_BAD_ARG);
    STATUS(st_welch_tost(x, 2, x + 2, 2, -1, INFINITY, .05).status, ST_BAD_ARG);
    STATUS(st_anytime_path(x, 4, -1, path), ST_BAD_ARG);
    STATUS(st_anytime_path(x, 4, INFINITY, path), ST_NONFINITE_INPUT);
    STATUS(st_anytime_inside_path(NULL, 4, 0, 1, path), ST_BAD_ARG);
    STATUS(st_anytime_inside_path(x, 4, 0, INFINITY, path), ST_BAD_ARG);
    STATUS(st_anytime_path(NULL, 4, 0, path), ST_BAD_ARG);
    STATUS(st_flip_power(INFINITY, 6, 1, .05).status, ST_BAD_ARG);
    for (size_t k = 0; k <= 1001; k += 1001) {
        STATUS(st_flip_power(1, 6, k, .05).status, ST_BAD_ARG);
        STATUS(st_flip_mde(6, k, .8, .05).status, ST_BAD_ARG);
    }
    STATUS(st_friedman(NULL, 2, 2, .05, key, rank, NULL).status, ST_BAD_ARG);
    STATUS(st_friedman(x, 0, 2, .05, key, rank, NULL).status, ST_BAD_ARG);
    STATUS(st_friedman(x, 2, SIZE_MAX / 16, .05, key, rank, NULL).status, ST_BAD_ARG);
    STATUS(st_friedman((double[]){1, 2, -INFINITY, 3}, 2, 2, .05, key, rank, NULL).status, ST_NONFINITE_INPUT);
    STATUS(st_task_iqm(NULL, NULL, 2, 2, .95, key).status, ST_BAD_ARG);
    STATUS(st_task_iqm(x, NULL, 0, 2, .95, key).status, ST_BAD_ARG);
    STATUS(st_task_iqm(x, NULL, 2, SIZE_MAX / 2, .95, key).status, ST_BAD_ARG);
    cr_expect(!st_ridge_new(2, 0) && !st_ridge_new(1 << 20, 1));
    cr_expect(isnan(st_growth_at(&(StGrowth){.low = 1, .width = 1}, (StLaw)99, 2)));
    STATUS(st_relabel(x, (size_t)UINT32_MAX, x, 2, key).status, ST_BAD_ARG);
}

/* Two pairs of the same grids are as far apart; beyond the flips that are simulated, power is the t test's. */
Test(stats_limits, ties_and_the_t_test) {
    const double v[8] = {1, 2, 3, 4, 1.5, 2.25, 3.5, 4.75};
    const unsigned char none[8] = {0};
    StGrid grid[2] = {{v, none, 1, 4, NULL}, {v + 4, none, 1, 4, NULL}};
    StMaxTRow row[2];
    STATUS(st_choice_maxT(grid, (StGridPair[]){{0, 1}, {0, 1}}, 2, (StKey){1, 2}, row).status, ST_OK);
    cr_expect(row[0].step_count == row[1].step_count && row[0].raw_count == row[1].raw_count);
    double t = .6604; /* found in 80 % by a t test: scipy */
    NEAR(st_flip_mde(20, 1, .8, .05).d_z, t, .01 * t);
    NEAR(st_half_width(2, 5, .95), 2.7764451051977987 * 2 / sqrt(5), 1e-12); /* scipy */
    cr_expect(isnan(st_half_width(2, 1, .95)));
}
