/* Bootstrap: multisets, exact shares, BCa, and what must not change them. Reference values named "numpy" come from
 * numpy and scipy 1.17.1 over all n^n resamples; brute-force ones from enumerating every resample here, the slow
 * way. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multiset.h>
#include <stdlib.h>

#include "stats/bootstrap.h"
#include "stats/resample.h"
#include "tests/stats/test_stats.h"

static const StKey KEY = {20260, 1};
static const double maize[15] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
static const double five[5] = {-.07, -.02, -.12, .05, -.17};

TestSuite(stats_bootstrap, .init = st_init);

Test(stats_bootstrap, multisets) {
    const uint64_t counts[13] = {0, 1, 3, 10, 35, 126, 462, 1716, 6435, 24310, 92378, 352716, 1352078};
    for (size_t n = 1; n <= 12; n++) cr_assert_eq(st_multiset_count(n), counts[n]);
    cr_assert_eq(st_power_self(5), 3125);
    cr_assert_eq(st_power_self(8), 16777216);
    cr_assert_eq(st_power_self(15), 437893890380859375u);
    gsl_multiset *c = gsl_multiset_calloc(5, 5);
    int distinct = 0;
    do {
        distinct++;
    } while (gsl_multiset_next(c) == 0);
    gsl_multiset_free(c);
    cr_assert_eq(distinct, 126);
    StWeighted list[126];
    st_multiset_sums(five, 5, list);
    uint64_t total = 0;
    for (int i = 0; i < 126; i++) total += list[i].weight;
    cr_assert_eq(total, 3125);
    cr_assert(list[125].weight == 1 && list[125].value == 5 * five[0]);
}

Test(stats_bootstrap, weighted_quantile) {
    StWeighted list[3] = {{3, 1}, {1, 2}, {2, 1}}; /* 1 1 2 3 */
    st_weighted_sort(list, 3);
    cr_assert(st_weighted_quantile(list, 3, 0) == 1 && st_weighted_quantile(list, 3, 1) == 3);
    cr_assert(st_weighted_quantile(list, 3, .5) == 1.5 && st_weighted_quantile(list, 3, .75) == 2.25);
    cr_assert_eq(st_weighted_below(list, 3, 1, false), 0);
    cr_assert_eq(st_weighted_below(list, 3, 1, true), 2);
    cr_assert_eq(st_weighted_below(list, 3, 2.5, false), 3);
    cr_assert_eq(st_weighted_below(list, 3, 9, false), 4);
}

/* Asked in halves, the resamples answer as their whole sorted list does, bit by bit: of values without ties, with many,
 * and with one far away. */
Test(stats_bootstrap, halves_answer_as_the_whole_list) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){7, 8});
    const double levels[] = {0, 1e-6, .02, .025, .5, .731, .975, .99999, 1};
    for (size_t n = 2; n <= 11; n++) {
        size_t count = (size_t)st_multiset_count(n);
        OWNED StWeighted *list = malloc(count * sizeof *list);
        for (int kind = 0; kind < 4; kind++) {
            double x[11];
            for (size_t i = 0; i < n; i++) {
                x[i] = kind == 1 ? st_rng_below(rng, 3) / 100. : gsl_rng_uniform(rng) - .4;
                x[i] *= kind == 2 && i > 0 ? 1e-4 : kind == 3 ? 1e90 : 1;
            }
            st_multiset_sums(x, n, list);
            for (size_t i = 0; i < count; i++) list[i].value /= (double)n;
            st_weighted_sort(list, count);
            LOCAL(st_multisets_release) StMultisets m;
            st_multisets_init(&m, x, n);
            for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
                double value = st_multisets_quantile(&m, levels[i]);
                double want = st_weighted_quantile(list, count, levels[i]);
                cr_assert(value == want, "n %zu, kind %d, %g: %.17g, not %.17g", n, kind, levels[i], value, want);
                cr_assert_eq(st_multisets_below(&m, want, i % 2), st_weighted_below(list, count, want, i % 2));
            }
        }
    }
}

/* The standard error in closed form is the root mean square over all resamples. */
Test(stats_bootstrap, error_is_that_of_all_resamples) {
    const double x[7] = {.31, -.2, .05, .05, 1.4, -.77, .02};
    StWeighted list[1716];
    double mean = 0, squares = 0, total = (double)st_power_self(7);
    st_multiset_sums(x, 7, list);
    for (int i = 0; i < 1716; i++) mean += (double)list[i].weight * list[i].value / 7 / total;
    for (int i = 0; i < 1716; i++)
        squares += (double)list[i].weight * (list[i].value / 7 - mean) * (list[i].value / 7 - mean);
    StBoot r = st_boot_exact(x, 7, 1, .95);
    cr_assert_float_eq(r.se, sqrt(squares / total), 1e-15);
}

/* What a bootstrap of 12 values without ties asks looks at about as many parts as there are multisets; sorting those
 * compared twenty times as many. */
Test(stats_bootstrap, halves_are_few) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){9, 10});
    double x[12];
    LOCAL(st_multisets_release) StMultisets m;
    for (int i = 0; i < 12; i++) x[i] = gsl_rng_uniform(rng) - .3;
    st_multisets_init(&m, x, 12);
    cr_assert_eq(m.steps, 2 * 18564); /* C(18, 6) of each half */
    for (int i = 0; i < 4; i++)
        st_multisets_below(&m, st_multisets_quantile(&m, (double[]){.025, .975, .031, .98}[i]), true);
    cr_assert(m.steps < 2 * st_multiset_count(12), "%zu", (size_t)m.steps);
}

Test(stats_bootstrap, five_seeds) {
    StBoot r = st_boot_exact(five, 5, 2.1, .95); /* numpy over all 3125 resamples; scipy normal quantiles */
    STATUS(r.status, ST_OK);
    cr_assert(r.total == 3125 && r.exact);
    NEAR(r.percentile.lo, -.13, 1e-12);
    NEAR(r.percentile.hi, .002, 1e-12);
    NEAR(r.basic.lo, 2 * -.066 - .002, 1e-12);
    NEAR(r.basic.hi, 2 * -.066 + .13, 1e-12);
    NEAR(r.se, 0.03424616766880639, 1e-15);
    NEAR(r.bias, 0.016444222571954565, 1e-12);
    NEAR(r.accel, 0.012476874310043332, 1e-14);
    NEAR(r.bca.lo, -.13, 1e-12);
    NEAR(r.bca.hi, .002, 1e-12);
    cr_assert_eq(r.shift.count, 147);
    cr_assert_eq(r.koehn.count, 91);
    cr_assert_eq(r.pct.count, 182);
    cr_assert_eq(r.pct.total, 3125);
    cr_assert(r.pct.p == 182.0 / 3125);
}

Test(stats_bootstrap, skewed_seeds) {
    const double d[6] = {.03, -.01, .07, .22, 1.4, .11}; /* numpy over all 46656 resamples */
    StBoot r = st_boot_exact(d, 6, 4, .95);
    NEAR(r.bias, 0.10792928937299355, 1e-13);
    NEAR(r.accel, 0.11611993947546653, 1e-14);
    NEAR(r.bca.lo, .06166666666666667, 1e-14); /* levels .0783 and .9977, not .025 and .975 */
    NEAR(r.bca.hi, .975, 1e-14);
    NEAR(r.percentile.lo, .03666666666666667, 1e-14);
    NEAR(r.percentile.hi, .7533333333333333, 1e-14);
}

/* Two-decimal scores: whole numbers say how many resamples tie with zero and with twice the mean.
 */
Test(stats_bootstrap, ties_are_ties) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){5, 6});
    for (int set = 0; set < 2000; set++) {
        double a[4], b[4], d[4];
        long whole[4], sum = 0;
        for (int i = 0; i < 4; i++) {
            long x = 200 + st_rng_below(rng, 9), y = 200 + st_rng_below(rng, 9);
            a[i] = (double)x / 100;
            b[i] = (double)y / 100;
            d[i] = a[i] - b[i];
            whole[i] = x - y;
            sum += whole[i];
        }
        uint64_t koehn = 0, shift = 0, below = 0, upto = 0;
        for (int code = 0; code < 256; code++) {
            long s = 0;
            for (int i = 0; i < 4; i++) s += whole[code >> 2 * i & 3];
            koehn += s >= 0;
            shift += labs(s - sum) >= labs(sum);
            below += s < sum;
            upto += s <= sum;
        }
        StBoot r = st_boot_exact(d, 4, st_scale(a, b, 4), .95);
        if (r.status == ST_DEGENERATE) continue;
        cr_assert_eq(r.koehn.count, koehn, "set %d", set);
        cr_assert_eq(r.shift.count, shift, "set %d", set);
        NEAR(gsl_cdf_ugaussian_P(r.bias), (double)(below + upto) / 512, 1e-13);
    }
}

/* Every one of the n^n resamples, expanded, sorted, type 7. */
Test(stats_bootstrap, equals_brute_force) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){5, 5});
    for (int set = 0; set < 12; set++) {
        size_t n = 2 + (size_t)set % 4;
        double d[5], *all = malloc(3125 * sizeof *all), m = 0;
        for (size_t i = 0; i < n; i++) {
            d[i] = floor(100 * gsl_rng_uniform(rng)) / 100 - .4; /* two decimals: many ties */
            m += d[i];
        }
        m /= (double)n;
        uint64_t total = st_power_self(n), koehn = 0, shift = 0, le = 0;
        for (uint64_t code = 0; code < total; code++) {
            uint64_t rest = code;
            double sum = 0;
            for (size_t i = 0; i < n; i++, rest /= n) sum += d[rest % n];
            all[code] = sum / (double)n;
            koehn += all[code] >= -1e-13;
            le += all[code] <= 1e-13;
            shift += fabs(all[code] - m) >= fabs(m) - 1e-13;
        }
        qsort(all, total, sizeof *all, st_compare_double);
        StBoot r = st_boot_exact(d, n, 1.0, .9);
        STATUS(r.status, ST_OK);
        double place = .05 * (double)(total - 1);
        size_t at = (size_t)place;
        NEAR(r.percentile.lo, all[at] + (place - (double)at) * (all[at + 1] - all[at]), 1e-14);
        cr_assert_eq(r.koehn.count, koehn);
        cr_assert_eq(r.shift.count, shift);
        cr_assert_eq(r.pct.count, 2 * (koehn < le ? koehn : le) < total ? 2 * (koehn < le ? koehn : le) : total);
        free(all);
    }
}

Test(stats_bootstrap, edges) {
    StBoot r = st_boot_exact((double[]){1, 3}, 2, 0, .95); /* no skew: BCa is the percentile interval */
    cr_assert(r.bias == 0 && r.accel == 0 && r.bca.status == ST_OK);
    NEAR(r.bca.lo, r.percentile.lo, 1e-12);
    r = st_boot_exact((double[]){-1, -2, -3}, 3, 0, .95);
    cr_assert(r.koehn.count == 0 && r.pct.count == 0 && r.koehn.total == 27);
    r = st_boot_exact((double[]){.5}, 1, 0, .95);
    STATUS(r.status, ST_N_TOO_SMALL);
    cr_assert(r.mean == .5 && isnan(r.percentile.lo) && isnan(r.pct.p) && r.bca.status == ST_N_TOO_SMALL);
    double same[4] = {.3, .1 + .2, .3, .3};
    r = st_boot_exact(same, 4, 2, .95);
    STATUS(r.status, ST_DEGENERATE);
    NEAR(r.mean, .3, 1e-15);
    STATUS(st_boot_exact(maize, 13, 0, .95).status, ST_BAD_ARG);
    STATUS(st_boot_exact(maize, 5, 0, 1.5).status, ST_BAD_ARG);
    STATUS(st_boot_mc(maize, 5, 0, .95, 0, KEY).status, ST_BAD_ARG);
    STATUS(st_boot_mc(maize, 5, 0, .95, 100000001, KEY).status, ST_BAD_ARG);
    STATUS(st_boot_exact((double[]){1, NAN}, 2, 0, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_boot_exact(NULL, 0, 0, .95).status, ST_N_TOO_SMALL);
    double extreme[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1e6}; /* a = .145, 1 - a (z0 + z) < 0 */
    r = st_boot_exact(extreme, 12, 0, 1 - 1e-12);
    cr_assert(r.status == ST_OK && r.bca.status == ST_DEGENERATE);
    cr_assert(r.bca.lo == r.percentile.lo && r.bca.hi == r.percentile.hi && r.accel > .14);
    for (size_t i = 0; i < 12; i++) extreme[i] = -extreme[i];
    cr_assert(st_boot_exact(extreme, 12, 0, 1 - 1e-12).bca.status == ST_DEGENERATE);
    r = st_boot_mc(maize, 15, 0, .95, 1, KEY); /* one resample lies on one side: no bias to correct */
    cr_assert(r.status == ST_OK && r.bca.status == ST_DEGENERATE && isnan(r.bias));
}

Test(stats_bootstrap, properties) {
    double swapped[5], moved[5] = {five[4], five[3], five[1], five[0], five[2]}, shifted[5];
    for (int i = 0; i < 5; i++) {
        swapped[i] = -five[i];
        shifted[i] = five[i] + 1;
    }
    StBoot r = st_boot_exact(five, 5, 2.1, .95), s = st_boot_exact(swapped, 5, 2.1, .95);
    StBoot m = st_boot_exact(moved, 5, 2.1, .95), t = st_boot_exact(shifted, 5, 2.1, .95);
    NEAR(s.percentile.lo, -r.percentile.hi, 1e-14);
    NEAR(s.bca.lo, -r.bca.hi, 1e-12);
    cr_assert_eq(s.shift.count, r.shift.count);
    cr_assert(m.percentile.lo == r.percentile.lo && m.bca.hi == r.bca.hi && m.se == r.se);
    NEAR(t.percentile.lo, r.percentile.lo + 1, 1e-14);
    NEAR(t.bca.lo, r.bca.lo + 1, 1e-12);
}

Test(stats_bootstrap, monte_carlo) {
    StBoot exact = st_boot_exact(maize, 10, 0, .95), r = st_boot_mc(maize, 10, 0, .95, 100000, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(!r.exact && r.total == 100000);
    NEAR(r.se, exact.se, 0.05);
    NEAR(r.percentile.lo, exact.percentile.lo, 0.5);
    NEAR(r.bca.hi, exact.bca.hi, 0.5);
    NEAR(r.koehn.p, exact.koehn.p, 0.002);
    StBoot again = st_boot_mc(maize, 10, 0, .95, 100000, KEY);
    cr_assert(again.percentile.lo == r.percentile.lo && again.pct.count == r.pct.count);
    StBoot other = st_boot_mc(maize, 10, 0, .95, 100000, (StKey){KEY.plan, KEY.stream + 1});
    cr_assert(other.se != r.se);
    StBoot many = st_boot(maize, 15, 0, .95, KEY);
    cr_assert(!many.exact && many.total == ST_BOOT_DRAWS && st_boot(maize, 12, 0, .95, KEY).exact);
    NEAR(many.se, 37.7443783262898 / 15 * sqrt(14), 0.1);
}
