/* Power, looks, evidence, sweep points, and the table of tests. Power references: scipy 1.17.1 (nct.sf + nct.cdf);
 * seeds needed and detectable effects: ../shared/statistics.md. */
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

#include "stats/design.h"
#include "stats/permute.h"
#include "stats/power.h"
#include "stats/tests.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_design, .init = st_init);

Test(stats_design, against_scipy) {
    NEAR(st_power(.5, 34, .05).power, 0.8077775012792738, 1e-9);
    NEAR(st_power(.8, 15, .05).power, 0.8213105387241096, 1e-9);
    NEAR(st_power(1, 10, .05).power, 0.8030968566327219, 1e-9);
    NEAR(st_power(1.5, 6, .05).power, 0.832529279866808, 1e-9);
    NEAR(st_power(-2, 5, .05).power, 0.9088848681009404, 1e-9);
    NEAR(st_power(3, 3, .05).power, 0.7452680070062837, 1e-9);
    NEAR(st_power(.1, 1000, .05).power, 0.8847890988907141, 1e-9);
}

Test(stats_design, limits) {
    for (size_t n = 2; n < 1000000; n = 3 * n + 1) {
        NEAR(st_power(0, n, .05).power, .05, 1e-9);
        NEAR(st_power(0, n, .3).power, .3, 1e-9);
        NEAR(st_power(1e6, n, .05).power, 1, 1e-9);
    }
    /* n = 2, one degree of freedom: T is a ratio of normals; delta large: power ~ 2 Phi(delta / t)
     * - 1 */
    NEAR(st_power(100 / sqrt(2), 2, .05).power, erf(100 / 12.706204736432095 / sqrt(2)), 1e-3);
    STATUS(st_power(1, 1, .05).status, ST_N_TOO_SMALL);
    STATUS(st_power(NAN, 5, .05).status, ST_BAD_ARG);
    STATUS(st_power(2e6, 5, .05).status, ST_BAD_ARG);
    STATUS(st_power(1, 5, 0).status, ST_BAD_ARG);
    STATUS(st_power(1, 5, 1).status, ST_BAD_ARG);
    STATUS(st_power(1, 1000001, .05).status, ST_BAD_ARG);
    cr_assert(isnan(st_power(1, 1, .05).power));
}

/* The audit's numbers: at the effect that a t test finds in 80 %, the sign-flip test that decides finds 0 with up to 5
 * seeds, .62 with 6 and .78 with 8. */
Test(stats_design, power_of_sign_flips) {
    for (size_t n = 2; n <= 5; n++) cr_assert(st_flip_power(2, n, 1, .05).power == 0);
    NEAR(st_flip_power(1.4345, 6, 1, .05).power, .62, .015);
    NEAR(st_flip_power(1.1560, 8, 1, .05).power, .78, .015);
    /* Nothing but chance: 2/64 of 6 seeds, 6/128 of 7. */
    NEAR(st_flip_power(0, 6, 1, .05).power, 2. / 64, .005);
    NEAR(st_flip_power(0, 7, 1, .05).power, 6. / 128, .006);
    /* All of 6 differences have one sign with the chance Phi(d)^6 + Phi(-d)^6. */
    NEAR(st_flip_power(1, 6, 1, .05).power, pow(.8413447460685429, 6) + pow(1 - .8413447460685429, 6), .012);
    double alone = st_flip_power(1.2, 8, 1, .05).power, of_three = st_flip_power(1.2, 8, 3, .05).power;
    cr_assert(of_three < alone && of_three > st_flip_power(1.2, 8, 10, .05).power);
    StPower least = st_flip_mde(8, 1, .8, .05);
    STATUS(least.status, ST_OK);
    cr_assert(least.d_z > 1.1560 && st_flip_power(least.d_z, 8, 1, .05).power >= .8);
    STATUS(st_flip_mde(5, 1, .8, .05).status, ST_NOT_REACHABLE);
    STATUS(st_flip_mde(0, 1, .8, .05).status, ST_N_TOO_SMALL);
    STATUS(st_flip_mde(8, 1, .04, .05).status, ST_BAD_ARG);
    STATUS(st_flip_power(1, 0, 1, .05).status, ST_N_TOO_SMALL);
    STATUS(st_flip_power(1, 6, 0, .05).status, ST_BAD_ARG);
    STATUS(st_flip_power((double)NAN, 6, 1, .05).status, ST_BAD_ARG);
    NEAR(st_flip_power(.5, 34, 1, .05).power, st_power(.5, 34, .05).power, 0);
    /* However large the difference, 6 seeds; beyond ST_POWER_FLIPPED the t test stands for both. */
    cr_assert(st_flip_nfor(50, .8, .05).n == 6 && st_nfor(50, .8, .05).n < 4);
    for (double d = .5; d < 3; d *= 1.1) {
        StPower t = st_nfor(d, .8, .05), flips = st_flip_nfor(d, .8, .05);
        size_t most = (t.n < 6 ? 6 : t.n) + 2;
        cr_assert(flips.n >= t.n && flips.n <= most && flips.power >= .8, "%g: %zu %zu", d, t.n, flips.n);
        if (t.n > ST_POWER_FLIPPED) cr_assert(flips.n == t.n && flips.power == t.power);
    }
    STATUS(st_flip_nfor(0, .8, .05).status, ST_NOT_REACHABLE);
    cr_assert(st_flip_power(.5, 34, 5, .05).power == st_power(.5, 34, .01).power);
}

/* The share of the samples of st_flip_power in which st_maxT itself rejects the row that differs. */
static double power_by_maxt(double d_z, size_t n, size_t k, double alpha) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){0x504f574552, n * 1000 + k});
    OWNED double *d = malloc(n * k * sizeof *d);
    OWNED StMaxTRow *row = malloc(k * sizeof *row);
    unsigned found = 0;
    for (int sample = 0; sample < ST_POWER_SAMPLES; sample++) {
        for (size_t i = 0; i < n; i++) {
            double common = k > 1 ? gsl_ran_gaussian_ziggurat(rng, 1) : 0;
            for (size_t j = 0; j < k; j++) {
                double own = gsl_ran_gaussian_ziggurat(rng, 1);
                d[j * n + i] = (k > 1 ? M_SQRT1_2 * (common + own) : own) + (j ? 0 : d_z);
            }
        }
        st_maxT(d, k, n, NULL, 0, (StKey){0, 0}, row);
        found += row[0].step < alpha;
    }
    return (double)found / ST_POWER_SAMPLES;
}

/* At high levels rows without a difference are rejected before the one that has it, and at small or negative
 * differences it is not the first. */
Test(stats_design, power_of_sign_flips_is_that_of_maxt) {
    static const struct {
        size_t n, k;
        double d_z, alpha;
    } at[] = {{6, 1, 1.8, .05}, {7, 1, -1, .05}, {6, 2, 2.2, .05}, {6, 24, 3.5, .05},
              {7, 3, 1.5, .05}, {7, 3, -.7, .5}, {6, 5, .4, .9},   {4, 4, .6, .5},
              {8, 3, 1.3, .05}, {2, 2, 1, .6},   {3, 1, 1, .3},    {8, 2, 1e6, .05}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        double power = st_flip_power(at[i].d_z, at[i].n, at[i].k, at[i].alpha).power;
        NEAR(power, power_by_maxt(at[i].d_z, at[i].n, at[i].k, at[i].alpha), 0);
        cr_assert(power > 0 && power <= 1, "%zu: %g", i, power);
    }
}

/* A search takes the sums of the rows without a difference once, whatever it tries: most that `run --dry-run` asks. */
Test(stats_design, work_of_a_search) {
    static const size_t at[][2] = {{6, 187}, {8, 46}, {10, 1}, {12, 2}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        StPower r = st_flip_mde(at[i][0], at[i][1], .8, .05);
        double tries = ldexp(ST_POWER_SAMPLES, (int)at[i][0] - 1), most = 1.1 * ST_POWER_SUMS + 12 * tries;
        STATUS(r.status, ST_OK);
        cr_assert(r.sums > 5 * tries && (double)r.sums <= most, "%zu: %g of %g", i, (double)r.sums, most);
        cr_assert((double)r.sums <= 4e8);
    }
    cr_assert_eq(st_flip_power(1, 34, 1, .05).sums + st_flip_power(1, 4, 1, .05).sums, 0);
    /* More seeds than a dry run asks about: fewer samples. */
    StPower many = st_flip_power(1, 14, 10, .05);
    cr_assert((double)many.sums <= 1.2 * ST_POWER_SUMS);
    cr_assert(many.power > .6 && many.power < .75, "%g", many.power);
}

Test(stats_design, seeds_needed) {
    const double d[6] = {.5, .8, 1, 1.5, 2, 3};
    const size_t n[6] = {34, 15, 10, 6, 5, 4};
    for (int i = 0; i < 6; i++) {
        StPower r = st_nfor(d[i], .8, .05);
        STATUS(r.status, ST_OK);
        cr_assert_eq(r.n, n[i], "d_z %g: %zu", d[i], r.n);
        cr_assert(r.power >= .8 && st_power(d[i], r.n - 1, .05).power < .8);
    }
    /* Brysbaert 2019, "How many participants do we have to include": one within-participant variable, d_z */
    cr_assert(st_nfor(.2, .8, .05).n == 199 && st_nfor(.4, .8, .05).n == 52 && st_nfor(.5, .8, .05).n == 34);
    cr_assert(st_nfor(1000, .8, .05).n == 2 && st_nfor(2e6, .8, .05).n == 2 && st_nfor(-INFINITY, .8, .05).n == 2);
    cr_assert_eq(st_flip_nfor(-1e9, .8, .05).n, 6);
    cr_assert_eq(st_nfor(.01, .8, .05).n, 78491); /* nct: .7999974 at 78490, .8000024 here */
    StPower r = st_nfor(0, .8, .05);
    STATUS(r.status, ST_NOT_REACHABLE);
    cr_assert(r.n == 0 && isnan(r.power));
    STATUS(st_nfor(NAN, .8, .05).status, ST_BAD_ARG);
    STATUS(st_nfor(1, 1, .05).status, ST_BAD_ARG);
    STATUS(st_nfor(1, .8, 0).status, ST_BAD_ARG);
}

/* Where only equal signs reject, power is Phi(d)^n. */
Test(stats_design, sign_flips_with_one_pattern) {
    NEAR(st_flip_mde(6, 1, .8, .05).d_z, 1.7927, .03);
    NEAR(st_flip_mde(6, 1, .5, .05).d_z, 1.2313, .03);
    NEAR(st_flip_mde(5, 1, .8, .1).d_z, 1.7098, .03);
    NEAR(st_flip_mde(8, 1, .9, .01).d_z, 2.2237, .04);
}

Test(stats_design, looks) {
    const size_t n[3] = {3, 5, 8};
    StLook k[3];
    STATUS(st_looks(n, 3, .05, k), ST_NOT_REACHABLE);
    NEAR(k[0].spent, .00137, 5e-6);
    NEAR(k[1].spent, .0132, 5e-5);
    cr_assert(k[2].spent == .05 && k[2].t == 1);
    NEAR(k[0].alpha + k[1].alpha + k[2].alpha, .05, 1e-16);
    cr_assert(!k[0].usable && !k[1].usable && k[2].usable, "no exact look before eight seeds");
    cr_assert(k[0].p_floor == .25 && k[1].p_floor == .0625);
    STATUS(st_looks(n + 2, 1, .05, k), ST_OK);
    cr_assert(k[0].alpha == .05);
    const size_t same[2] = {5, 5}, zero[1] = {0}, far[1] = {30};
    STATUS(st_looks(same, 2, .05, k), ST_BAD_ARG);
    STATUS(st_looks(zero, 1, .05, k), ST_BAD_ARG);
    STATUS(st_looks(n, 0, .05, k), ST_BAD_ARG);
    STATUS(st_looks(n, 3, 1, k), ST_BAD_ARG);
    STATUS(st_looks(n, 3, 0, k), ST_BAD_ARG);
    STATUS(st_looks(far, 1, .05, k), ST_OK);
    cr_assert(k[0].p_floor == 1.0 / (ST_FLIP_DRAWS + 1));
}

Test(stats_design, rows) {
    cr_assert_geq(st_tests_count, 15);
    for (size_t i = 0; i < st_tests_count; i++) {
        const StTest *t = &st_tests[i];
        cr_assert_eq(st_test_find(t->name), t, "%s is not unique", t->name);
        cr_assert(strlen(t->what) > 10 && strlen(t->source) > 5);
        for (size_t n = 0; t->floor != NULL && n < 40; n++) {
            double p = t->floor(n, 2);
            cr_assert(p > 0 && p <= 1, "%s n=%zu: %g", t->name, n, p);
        }
    }
    cr_assert_null(st_test_find("anova"));
}

Test(stats_design, floors) {
    const StTest *holm = st_test_find("holm"), *maxt = st_test_find("maxt");
    cr_assert(st_test_find("signflip")->floor(5, 1) == .0625);
    cr_assert(holm->floor(5, 3) == .1875 && maxt->floor(5, 3) == .0625);
    NEAR(st_test_find("omnibus")->floor(3, 2), 1.0 / 36, 1e-15);
    NEAR(st_test_find("fisher")->floor(4, 1), 2.0 / 70, 1e-14);
    cr_assert(st_test_find("mcnemar")->floor(5, 1) == .0625 && st_test_find("mcnemar")->floor(2000, 1) == 0);
    const size_t m[5] = {2, 3, 5, 6, 10}, n[5] = {7, 7, 8, 8, 9};
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(st_test_seeds(holm, m[i], .05), n[i]);
        cr_assert_eq(st_test_seeds(maxt, m[i], .05), 6);
    }
    cr_assert_eq(st_test_seeds(st_test_find("t"), 1, .05), 1);
    cr_assert_eq(st_test_seeds(maxt, 1, 1e-9), 0);
    cr_assert(holm->floor(5, 0) == .0625);
}
