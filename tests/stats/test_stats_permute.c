/* Random streams, sign flips, Wilcoxon and max-T: exact counts, the facts about few seeds, and what must not change
 * them. Reference values named "scipy" come from scipy 1.17.1; brute-force ones from enumerating every pattern here,
 * the slow way. */
#include <stdlib.h>

#include "base/philox.h"
#include "stats/multiple.h"
#include "stats/permute.h"
#include "tests/stats/test_stats.h"

static const StKey KEY = {20260, 1};
static const double maize[15] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
static const double five[5] = {-.07, -.02, -.12, .05, -.17};

TestSuite(stats_permute, .init = st_init);

/* Words whose product leaves less than 2^32 mod n in its low half are drawn again. */
static void below_rejects(void) {
    const uint32_t n = 0x90000001u;
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(KEY);
    for (uint64_t at = 0; at < 200; at++) {
        uint64_t product = (uint64_t)philox_word(KEY.plan, KEY.stream, at) * n;
        if (product % 0x100000000u >= 0x100000000u % n) cr_assert_eq(st_rng_below(rng, n), product >> 32);
    }
}

Test(stats_permute, stream_is_philox) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){0x0123456789abcdef, 42});
    for (uint64_t i = 0; i < 41; i++)
        cr_assert_eq(gsl_rng_get(rng), philox_word(0x0123456789abcdef, 42, i), "word %d", (int)i);
    gsl_rng_set(rng, 7);
    cr_assert_eq(gsl_rng_get(rng), philox_word(7, 0, 0));
    double u = gsl_rng_uniform(rng);
    cr_assert(u == philox_word(7, 0, 1) * 0x1p-32);
    unsigned seen[7] = {0};
    for (int i = 0; i < 70000; i++) seen[st_rng_below(rng, 7)]++;
    for (int i = 0; i < 7; i++) NEAR(seen[i], 10000, 500);
    cr_assert_eq(st_rng_below(rng, 1), 0);
    below_rejects();
    for (int i = 0; i < 100; i++) /* almost half of all words are rejected */
        cr_assert_lt(st_rng_below(rng, 0x80000001u), 0x80000001u);
}

Test(stats_permute, signflip_published) {
    StSignflip r = st_signflip(maize, 15, 0, ST_TWO_SIDED, KEY); /* Fisher: 1726 of 32768 */
    STATUS(r.status, ST_OK);
    cr_assert_eq(r.count, 1726);
    cr_assert_eq(r.total, 32768);
    cr_assert(r.p == 1726.0 / 32768 && r.exact && r.p_lo == r.p && r.p_hi == r.p);
    r = st_signflip(maize, 15, 0, ST_GREATER, KEY);
    cr_assert_eq(r.count, 863);
    cr_assert(r.p_min == 1.0 / 32768);
    r = st_signflip(maize, 15, 0, ST_LESS, KEY);
    cr_assert_geq(r.count, 32768 - 863);
}

Test(stats_permute, floor_per_n) {
    const double floors[9] = {0, 1, .5, .25, .125, .0625, .03125, .015625, .0078125};
    double d[8];
    for (size_t n = 1; n <= 8; n++) {
        d[n - 1] = -1.0 - 0.1 * (double)n;
        StSignflip r = st_signflip(d, n, 0, ST_TWO_SIDED, KEY);
        cr_assert(r.p == floors[n] && r.p_min == floors[n] && r.p_min_here == floors[n], "n=%zu", n);
        r = st_signflip(d, n, 0, ST_LESS, KEY);
        cr_assert(r.p == ldexp(1, -(int)n) && r.p_min == r.p);
    }
    double zeros[5] = {0, 1, 0, 2, 3}; /* two cannot flip: floor 2 * 4 / 32 */
    StSignflip r = st_signflip(zeros, 5, 0, ST_TWO_SIDED, KEY);
    cr_assert(r.zeros == 2 && r.p == .25 && r.p_min == .0625 && r.p_min_here == .25);
    double none[3] = {0, 1e-16, 0};
    r = st_signflip(none, 3, 2.0, ST_TWO_SIDED, KEY);
    cr_assert(r.p == 1 && r.zeros == 3 && r.p_min_here == 1 && r.status == ST_OK);
}

/* Two-decimal scores: naive doubles count 12 of 32 where 22 sums are as extreme. */
Test(stats_permute, rounding_trap) {
    unsigned long naive_wrong = 0;
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(KEY);
    for (int set = 0; set < 20000; set++) {
        double a[5], b[5], d[5];
        long whole[5], observed = 0;
        for (int i = 0; i < 5; i++) {
            long x = 180 + st_rng_below(rng, 30), y = 180 + st_rng_below(rng, 30);
            a[i] = (double)x / 100;
            b[i] = (double)y / 100;
            d[i] = a[i] - b[i];
            whole[i] = x - y;
            observed += whole[i];
        }
        uint64_t truth = 0, naive = 0;
        for (int mask = 0; mask < 32; mask++) {
            long sum = 0;
            double s = 0, s0 = 0;
            for (int i = 0; i < 5; i++) {
                sum += mask >> i & 1 ? -whole[i] : whole[i];
                s += mask >> i & 1 ? -d[i] : d[i];
                s0 += d[i];
            }
            truth += labs(sum) >= labs(observed);
            naive += fabs(s) >= fabs(s0);
        }
        StSignflip r = st_signflip(d, 5, st_scale(a, b, 5), ST_TWO_SIDED, KEY);
        cr_assert_eq(r.count, truth, "set %d: %d of 32, truth %d", set, (int)r.count, (int)truth);
        naive_wrong += naive != truth;
    }
    cr_assert_gt(naive_wrong, 500, "the trap is gone: %lu", naive_wrong);
}

Test(stats_permute, properties) {
    double swapped[5], scaled[5], moved[5] = {five[2], five[4], five[0], five[1], five[3]};
    for (int i = 0; i < 5; i++) {
        swapped[i] = -five[i];
        scaled[i] = 3 * five[i];
    }
    StSignflip r = st_signflip(five, 5, 2, ST_TWO_SIDED, KEY);
    cr_assert_eq(r.count, 6); /* by hand: the minority sign holds {}, {.05} or {.02} */
    cr_assert_eq(st_signflip(swapped, 5, 2, ST_TWO_SIDED, KEY).count, r.count);
    cr_assert_eq(st_signflip(scaled, 5, 6, ST_TWO_SIDED, KEY).count, r.count);
    cr_assert_eq(st_signflip(moved, 5, 2, ST_TWO_SIDED, KEY).count, r.count);
    cr_assert_eq(st_signflip(five, 5, 2, ST_LESS, KEY).count, st_signflip(swapped, 5, 2, ST_GREATER, KEY).count);
}

Test(stats_permute, beyond_twenty) {
    double d[24];
    for (int i = 0; i < 24; i++) d[i] = maize[i % 15] + i;
    StSignflip exact = st_signflip(d, 20, 0, ST_TWO_SIDED, KEY);
    cr_assert(exact.exact && exact.total == 1u << 20 && exact.p_min == ldexp(1, -19));
    StSignflip r = st_signflip(d, 24, 0, ST_TWO_SIDED, KEY);
    cr_assert(!r.exact && r.total == ST_FLIP_DRAWS + 1 && r.count >= 1);
    cr_assert(r.p_lo <= r.p && r.p <= r.p_hi && r.p_min == 1.0 / (ST_FLIP_DRAWS + 1));
    cr_assert_eq(r.count, st_signflip(d, 24, 0, ST_TWO_SIDED, KEY).count, "same key, same p");
    double same[24];
    for (int i = 0; i < 24; i++) same[i] = 1;
    r = st_signflip(same, 24, 0, ST_TWO_SIDED, KEY); /* none of the draws is as extreme: never p = 0 */
    cr_assert(r.count == 1 && r.p == r.p_min && r.p_lo == 0);
    double even[22]; /* true p by symmetry: P(|S| >= 2) of 22 fair signs = 1 - C(22,11)/2^22 */
    for (int i = 0; i < 22; i++) even[i] = i < 12 ? 1 : -1;
    r = st_signflip(even, 22, 0, ST_TWO_SIDED, KEY);
    NEAR(r.p, 1 - 705432.0 / 4194304, 0.006);
}

Test(stats_permute, refuses) {
    STATUS(st_signflip(five, 0, 0, ST_TWO_SIDED, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_signflip(NULL, 3, 0, ST_TWO_SIDED, KEY).status, ST_BAD_ARG);
    STATUS(st_signflip(five, 5, 0, (StAlt)9, KEY).status, ST_BAD_ARG);
    STATUS(st_signflip((double[]){1, NAN}, 2, 0, ST_LESS, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_signflip((double[]){1, 1e308}, 2, 0, ST_LESS, KEY).status, ST_NONFINITE_INPUT);
    cr_assert(isnan(st_signflip(five, 0, 0, ST_TWO_SIDED, KEY).p));
}

Test(stats_permute, wilcoxon_published) {
    StWilcoxon r = st_wilcoxon(maize, 15, 0, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(r.w == 96 && r.m == 15 && r.zeros == 0); /* scipy: smaller sum 24, p .041259765625 */
    cr_assert(r.p == 0.041259765625 && r.p_min == ldexp(1, -14) && r.exact);
    double tied[6] = {.1, -.1, 0, .3, .2, .2}; /* ranks 1.5 -1.5 5 3.5 3.5 */
    r = st_wilcoxon(tied, 6, 2, KEY);
    cr_assert(r.w == 13.5 && r.zeros == 1 && r.m == 5 && r.total == 32);
    cr_assert_eq(r.count, 6); /* negative ranks of at most 1.5: none, or one of two; mirrored */
}

Test(stats_permute, edges) {
    double zeros[3] = {0, 0, 0}, many[22];
    StWilcoxon r = st_wilcoxon(zeros, 3, 1, KEY);
    cr_assert(r.status == ST_OK && r.p == 1 && r.m == 0 && r.zeros == 3 && r.p_min == 1);
    for (int i = 0; i < 22; i++) many[i] = i % 3 ? 1.0 + i : -1.0 - i;
    r = st_wilcoxon(many, 22, 0, KEY);
    cr_assert(!r.exact && r.total == ST_FLIP_DRAWS + 1 && r.p > 0 && r.p < 1);
    STATUS(st_wilcoxon(zeros, 0, 1, KEY).status, ST_N_TOO_SMALL);
}

Test(stats_permute, floor_does_not_grow) {
    double d[15]; /* five seeds, three comparisons, all in favour: step-down .0625, Holm .1875 */
    for (int i = 0; i < 15; i++) d[i] = -0.1 - 0.01 * ((i * 7) % 5) - 0.1 * (i / 5);
    StMaxTRow row[3];
    StMaxT r = st_maxT(d, 3, 5, NULL, 0, KEY, row);
    STATUS(r.status, ST_OK);
    cr_assert(r.p_min == .0625 && r.total == 32 && r.exact);
    double holm[3];
    for (int j = 0; j < 3; j++) {
        cr_assert(row[j].single == .0625 && row[j].step == .0625);
        cr_assert(row[j].single_count == 2 && row[j].step_count == 2);
        holm[j] = st_signflip(d + 5 * j, 5, 0, ST_TWO_SIDED, KEY).p;
    }
    st_holm(holm, 3, holm);
    cr_assert(holm[0] == .1875);
}

/* Step-down max-T the plain way: t^2 itself, every pattern, no tables. */
static void brute_maxt(const double *d, int k, int n, double *single, double *step) {
    double seen[8], flipped[8], share[8] = {0}, step_share[8] = {0};
    int order[8];
    for (int mask = 0; mask < 1 << n; mask++) {
        for (int j = 0; j < k; j++) {
            double sum = 0, squares = 0;
            for (int i = 0; i < n; i++) {
                sum += mask >> i & 1 ? -d[j * n + i] : d[j * n + i];
                squares += d[j * n + i] * d[j * n + i];
            }
            double mean = sum / n, var = (squares - n * mean * mean) / (n - 1);
            flipped[j] = mean * mean / (var / n);
        }
        if (mask == 0) {
            for (int j = 0; j < k; j++) {
                seen[j] = flipped[j];
                order[j] = j;
            }
            for (int x = 0; x < k; x++) {
                for (int y = x + 1; y < k; y++) {
                    if (seen[order[y]] > seen[order[x]]) {
                        int keep = order[x];
                        order[x] = order[y];
                        order[y] = keep;
                    }
                }
            }
        }
        double run = 0;
        for (int x = k; x-- > 0;) {
            run = fmax(run, flipped[order[x]]);
            step_share[order[x]] += run >= seen[order[x]] * (1 - 1e-12);
        }
        for (int j = 0; j < k; j++) share[j] += run >= seen[j] * (1 - 1e-12);
    }
    double run = 0;
    for (int x = 0; x < k; x++) {
        run = fmax(run, step_share[order[x]]);
        step[order[x]] = run / (1 << n);
        single[order[x]] = share[order[x]] / (1 << n);
    }
}

Test(stats_permute, equals_brute_force) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(KEY);
    for (int set = 0; set < 30; set++) {
        int k = 1 + set % 6, n = 3 + set % 7;
        double d[6 * 9], single[6], step[6];
        StMaxTRow row[6];
        for (int i = 0; i < k * n; i++) d[i] = gsl_rng_uniform(rng) - 0.3 - 0.2 * (i / n);
        brute_maxt(d, k, n, single, step);
        StMaxT r = st_maxT(d, (size_t)k, (size_t)n, NULL, 0, KEY, row);
        STATUS(r.status, ST_OK);
        for (int j = 0; j < k; j++) {
            NEAR(row[j].single, single[j], 1e-15);
            NEAR(row[j].step, step[j], 1e-15);
            cr_assert(row[j].step <= row[j].single);
        }
        if (k == 1) NEAR(row[0].step, st_signflip(d, (size_t)n, 0, ST_TWO_SIDED, KEY).p, 1e-15);
    }
}

Test(stats_permute, columns_without_spread) {
    const double d[3 * 4] = {.05, .05, .05, .05, 0, 0, 0, 0, .1, -.2, .3, .4};
    const double scale[3] = {4, 4, 4};
    StMaxTRow row[3];
    StMaxT r = st_maxT(d, 3, 4, scale, 0, KEY, row);
    STATUS(r.status, ST_OK);
    cr_assert(row[0].step == .125 && row[0].single == .125, "infinite t^2");
    cr_assert(row[1].step == 1 && row[1].single == 1, "nothing to test");
    cr_assert(row[2].step < 1);
    cr_assert(row[0].step_count == 2 && r.total == 16);
}

Test(stats_permute, equal_comparisons_get_equal_p) {
    double d[3 * 7];
    for (int i = 0; i < 7; i++) {
        d[i] = d[14 + i] = 3.0 + (i * i) % 5;
        d[7 + i] = 1.0 - i;
    }
    StMaxTRow row[3];
    STATUS(st_maxT(d, 3, 7, NULL, 0, KEY, row).status, ST_OK);
    cr_assert(row[0].step == row[2].step && row[0].single == row[2].single && row[0].step < row[1].step);
}

Test(stats_permute, many_seeds_and_bad_input) {
    double d[2 * 24];
    for (int i = 0; i < 48; i++) d[i] = i < 24 ? (i % 4 ? 1.0 : -1.0) : (i % 2 ? 1.0 : -1.0);
    StMaxTRow row[2];
    StMaxT r = st_maxT(d, 2, 24, NULL, 0, KEY, row);
    cr_assert(!r.exact && r.total == ST_FLIP_DRAWS + 1 && row[1].step == 1 && row[0].single < 0.1);
    NEAR(r.p_min, 1e-5, 1e-8);
    NEAR(row[0].step, 2 * 0.0226, 0.006); /* one column: P(|S| >= 12) = 2 P(X >= 18 of 24) = .0227; two: twice */
    d[30] = NAN;
    STATUS(st_maxT(d, 2, 24, NULL, 0, KEY, row).status, ST_NONFINITE_INPUT);
    cr_assert(isnan(row[0].step));
    STATUS(st_maxT(d, 0, 5, NULL, 0, KEY, row).status, ST_N_TOO_SMALL);
    STATUS(st_maxT(d, 1, 0, NULL, 0, KEY, row).status, ST_N_TOO_SMALL);
    STATUS(st_maxT(d, 1, 5, (double[]){-1}, 0, KEY, row).status, ST_BAD_ARG);
    r = st_maxT(d, 1, 1, NULL, 0, KEY, row);
    cr_assert(r.status == ST_OK && row[0].step == 1 && r.p_min == 1);
}

/* Beyond ST_FLIP_MAX seeds a p alone and an adjusted one come from the same flips. The audit's case: with draws of
 * their own an adjusted p fell below the raw one in 23 of 40 one-comparison samples. */
Test(stats_permute, maxT_never_below_the_raw_p) {
    st_init();
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){24, 1});
    for (int sample = 0; sample < 10; sample++) {
        double d[3 * 24];
        for (int i = 0; i < 3 * 24; i++) d[i] = (double)gsl_rng_get(rng) / 4294967296. - .4;
        StMaxTRow one, row[3];
        StMaxT r = st_maxT(d, 1, 24, NULL, 0, (StKey){5, (uint64_t)sample}, &one);
        cr_assert(!r.exact && one.raw_count == one.step_count && one.raw_count == one.single_count);
        st_maxT(d, 3, 24, NULL, 0, KEY, row);
        for (int j = 0; j < 3; j++) cr_assert(row[j].raw_count <= row[j].step_count && row[j].step <= row[j].single);
        StSignflip alone = st_signflip(d, 24, 0, ST_TWO_SIDED, (StKey){5, (uint64_t)sample});
        cr_assert(alone.p_lo <= one.hi && one.lo <= alone.p_hi);
    }
}

/* 17 of 24 signs are positive: p = 2 P(X >= 17) = .0639 exactly. Far from .05 the usual draws settle it; a level that
 * equals p is never settled, and all draws are made. */
Test(stats_permute, maxT_draws_more_near_alpha) {
    st_init();
    double d[24];
    for (int i = 0; i < 24; i++) d[i] = i < 17 ? 1 : -1;
    StMaxTRow few, many;
    StMaxT a = st_maxT(d, 1, 24, NULL, .05, KEY, &few), b = st_maxT(d, 1, 24, NULL, .06391, KEY, &many);
    cr_assert(a.total == ST_FLIP_DRAWS + 1 && few.lo > .05);
    cr_assert(b.total == ST_FLIP_REFINE * ST_FLIP_DRAWS + 1);
    cr_assert(many.hi - many.lo < (few.hi - few.lo) / 3 && many.lo < .06391 && .06391 < many.hi);
}
