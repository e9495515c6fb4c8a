/* Settings chosen on other seeds: choices worked out by hand, and that swapping whole rows keeps the level where
 * flipping the signs of judged differences does not. */
#include <math.h>

#include "stats/choice.h"
#include "stats/paired.h"
#include "tests/stats/test_stats.h"

static const StKey KEY = {20261, 3};

TestSuite(stats_choice, .init = st_init);

/* Three settings, four seeds. Sums: 9.0, 8.8, 9.4. Without seed 1: 6.0, 6.8, 7.4 (its own are 3.0, 2.0, 2.0). */
static const double value[12] = {2.0, 3.0, 2.0, 2.0, /**/ 2.2, 2.0, 2.4, 2.2, /**/ 2.6, 2.0, 2.4, 2.4};
static const unsigned char none[12] = {0};
static const StGrid grid = {value, none, 3, 4, NULL};

Test(stats_choice, by_hand) {
    /* Sums without seed 0: 7.0, 6.6, 6.8; without 2: 7.0, 6.4, 7.0; without 3: 7.0, 6.6, 7.0. */
    static const size_t chosen[4] = {1, 0, 1, 1};
    static const double judged[4] = {2.2, 3.0, 2.4, 2.2};
    size_t got[4];
    double at[4];
    cr_assert_eq(st_choose(&grid, 4), 1);
    cr_assert_eq(st_choose(&grid, 1), 0);
    cr_assert_eq(st_judge(&grid, got, at), ST_OK);
    for (int s = 0; s < 4; s++) {
        cr_expect_eq(got[s], chosen[s], "seed %d", s);
        cr_expect_eq(at[s], judged[s], "seed %d", s);
    }
}

/* A setting at which another seed was lost comes last, whatever its mean; where all lost some, the fewest. */
Test(stats_choice, lost_runs_come_last) {
    unsigned char lost[12] = {[4] = 1}; /* setting 1, seed 0 */
    StGrid g = {value, lost, 3, 4, NULL};
    size_t got[4];
    double at[4];
    cr_assert_eq(st_judge(&g, got, at), ST_OK);
    cr_expect_eq(got[0], 1, "its own loss is not looked at");
    cr_expect(got[1] == 0 && got[2] == 0 && got[3] == 0, "%zu %zu %zu: 7.0 and 7.0 are a tie", got[1], got[2], got[3]);
    for (int i = 0; i < 12; i++) lost[i] = i != 9;
    cr_expect_eq(st_choose(&g, 4), 2);
}

Test(stats_choice, refuses) {
    double v[2] = {1, NAN}, at[2];
    size_t got[2];
    StMaxTRow row;
    StGrid g[2] = {{v, none, 1, 2, NULL}, {value, none, 1, 3, NULL}};
    cr_expect_eq(st_judge(&g[0], got, at), ST_NONFINITE_INPUT);
    cr_expect_eq(st_judge(&(StGrid){v, none, 1, 1, NULL}, got, at), ST_N_TOO_SMALL);
    cr_expect_eq(st_judge(&(StGrid){v, none, 0, 2, NULL}, got, at), ST_BAD_ARG);
    v[1] = 1;
    cr_expect_eq(st_choice_maxT(g, &(StGridPair){0, 1}, 1, KEY, &row).status, ST_BAD_ARG, "other seeds");
    cr_expect(isnan(row.step));
    cr_expect_eq(st_choice_maxT(g, NULL, 0, KEY, NULL).status, ST_N_TOO_SMALL);
}

/* With one setting nothing is chosen, and the test is the sign-flip test of the differences; so is max-T. */
Test(stats_choice, of_one_setting_is_a_sign_flip) {
    static const double a[3][6] = {
        {2.1, 2.0, 2.3, 2.2, 2.4, 2.2}, {2.0, 2.2, 2.1, 2.3, 2.2, 2.5}, {2.5, 2.6, 2.4, 2.7, 2.5, 2.9}};
    StGrid g[3];
    double d[12];
    StMaxTRow want[2], got[2];
    for (int i = 0; i < 3; i++) g[i] = (StGrid){a[i], none, 1, 6, NULL};
    for (int s = 0; s < 6; s++) d[s] = a[0][s] - a[1][s], d[6 + s] = a[2][s] - a[1][s];
    StMaxT all = st_maxT(d, 2, 6, (double[]){3, 3}, 0, KEY, want);
    StMaxT one = st_choice_maxT(g, (StGridPair[]){{0, 1}, {2, 1}}, 2, KEY, got);
    cr_assert(one.status == ST_OK && one.exact && one.total == all.total && one.p_min == all.p_min);
    for (int j = 0; j < 2; j++) {
        cr_expect_eq(got[j].raw_count, want[j].raw_count);
        cr_expect_eq(got[j].step_count, want[j].step_count);
        cr_expect_eq(got[j].single_count, want[j].single_count);
    }
    cr_expect_eq(got[1].step_count, 2, "every seed on one side");
}

/* What is judged may be another number than what is chosen by: here the setting itself, times ten, plus the seed. */
Test(stats_choice, judges_what_it_is_told_to) {
    static const double chosen[4] = {1, 0, 1, 1};
    double other[12], at[4], flat[12] = {0};
    size_t got[4];
    StMaxTRow p[2];
    for (int i = 0; i < 12; i++) other[i] = 10 * (i / 4) + i % 4;
    StGrid g[3] = {grid, grid, grid};
    g[0].judged = other, g[1].judged = flat;
    cr_assert_eq(st_judge(&g[0], got, at), ST_OK);
    for (int s = 0; s < 4; s++) cr_expect_eq(at[s], 10 * chosen[s] + s, "seed %d", s);
    StMaxT r = st_choice_maxT(g, (StGridPair[]){{0, 1}, {1, 2}}, 2, KEY, p);
    cr_expect_eq(r.status, ST_OK);
    cr_expect_eq(p[1].raw_count, 2, "0 - 2.2, 0 - 3.0, 0 - 2.4, 0 - 2.2");
    other[3] = NAN;
    cr_expect_eq(st_judge(&g[0], got, at), ST_NONFINITE_INPUT);
}

/* Three settings of seed 0: 2.0, 2.2, 2.6; of seed 1: 3.0, 2.0, 2.0. Of one setting tried the mean; of two, each pair
 * with share 1/3: (2.0 + 2.0 + 2.2) / 3 and 2.0; of all the least. Four settings 1, 2, 4, 8, two tried: the least is 1
 * in three of six pairs, 2 in two, 4 in one. */
Test(stats_choice, expected_least_of_some) {
    static const double want[3][4] = {{6.8 / 3, 7.0 / 3, 6.8 / 3, 6.6 / 3},
                                      {6.2 / 3, 2.0, 6.4 / 3, 6.2 / 3},
                                      {2, 2, 2, 2}},
                        four[8] = {4, 4, 1, 1, 8, 8, 2, 2};
    double got[4];
    for (size_t k = 1; k <= 3; k++) {
        cr_assert_eq(st_expected_least(&grid, k, got), ST_OK);
        for (int s = 0; s < 4; s++) cr_expect_float_eq(got[s], want[k - 1][s], 1e-14, "%zu tried, seed %d", k, s);
    }
    static const double least[4] = {15.0 / 4, (3 * 1 + 2 * 2 + 4) / 6.0, (3 * 1 + 2) / 4.0, 1};
    for (size_t k = 1; k <= 4; k++) {
        cr_assert_eq(st_expected_least(&(StGrid){four, none, 4, 2, NULL}, k, got), ST_OK);
        cr_expect_float_eq(got[0], least[k - 1], 1e-14, "%zu tried", k);
        cr_expect_eq(got[0], got[1]);
    }
    cr_expect_eq(st_expected_least(&grid, 0, got), ST_BAD_ARG);
    cr_expect_eq(st_expected_least(&grid, 4, got), ST_BAD_ARG);
}

/* Random numbers of a fixed stream. */
static gsl_rng *rng;
static double uniform(void) {
    return gsl_rng_uniform(rng);
}
static double normal(void) {
    return sqrt(-2 * log(1 - uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

enum { RATES = 5, MOST = 16 };

/* An arm of 5 settings: seeds share their level, each run has noise of .01; at some settings a run is lost by
 * chance. */
static void make(double *v, unsigned char *lost, const double *mean, const double *chance, const double *level, int n) {
    for (int k = 0; k < RATES; k++)
        for (int s = 0; s < n; s++) {
            int i = k * n + s;
            v[i] = 2.3 + mean[k] + level[s] + .01 * normal();
            lost[i] = uniform() < chance[k];
            if (lost[i]) v[i] = 4.17;
        }
}

/* Two arms of one law. Choosing on the judged seed itself flatters by 1.16 sd, the mean of the least of five;
 * choosing on the others does not. A nominal .05 is held by swapping rows, and is not by flipping signs. */
Test(stats_choice, does_not_flatter_and_keeps_its_level) {
    static const double flat[RATES] = {0}, bowl[RATES] = {.3, .05, 0, .02, .3}, sure[RATES] = {0},
                        chance[RATES] = {0, 0, .02, .1, .5};
    enum { N = 8, TIMES = 1000 };
    rng = st_rng_new(KEY);
    for (int which = 0; which < 2; which++) {
        int rows = 0, signs = 0, covered = 0;
        double own = 0, other = 0;
        for (int r = 0; r < TIMES; r++) {
            double v[2][RATES * MOST], judged[2][MOST], d[MOST], level[MOST];
            unsigned char lost[2][RATES * MOST];
            size_t chosen[MOST];
            StGrid g[2];
            StMaxTRow p;
            for (int s = 0; s < N; s++) level[s] = .02 * normal();
            for (int a = 0; a < 2; a++) {
                make(v[a], lost[a], which ? bowl : flat, which ? chance : sure, level, N);
                g[a] = (StGrid){v[a], lost[a], RATES, N, NULL};
                cr_assert_eq(st_judge(&g[a], chosen, judged[a]), ST_OK);
            }
            for (int s = 0; s < N; s++) {
                double least = v[0][s];
                for (int k = 1; k < RATES; k++) least = fmin(least, v[0][k * N + s]);
                own += (least - 2.3 - level[s]) / N / TIMES, other += (judged[0][s] - 2.3 - level[s]) / N / TIMES;
                d[s] = judged[0][s] - judged[1][s];
            }
            st_choice_maxT(g, &(StGridPair){0, 1}, 1, KEY, &p);
            StTci t = st_tci(d, N, 5, .95);
            covered += t.lo <= 0 && 0 <= t.hi;
            rows += p.raw < .05;
            signs += st_signflip(d, N, 5, ST_TWO_SIDED, KEY).p < .05;
        }
        cr_log_info("%d: rows %d, signs %d of %d; chosen on itself %.4f, on others %.4f", which, rows, signs, TIMES,
                    own, other);
        cr_expect_lt(rows, .065 * TIMES, "%d: %d of %d", which, rows, TIMES);
        cr_expect_gt(signs, .12 * TIMES, "%d: flipped signs reject %d of %d: the reason for all this is gone", which,
                     signs, TIMES);
        if (which) continue;
        cr_expect(covered > .77 * TIMES && covered < .85 * TIMES, "t covers %d of %d", covered, TIMES);
        cr_expect_float_eq(own, -.0116, .001, "%g", own);
        cr_expect_float_eq(other, 0, .001, "%g", other);
    }
    gsl_rng_free(rng);
}

/* Beyond ST_CHOICE_MAX seeds patterns are drawn: p is never 0, and the stream decides alone. */
Test(stats_choice, draws_beyond_twelve_seeds) {
    double v[2][26];
    unsigned char lost[26] = {0};
    StMaxTRow p, again;
    for (int i = 0; i < 26; i++) v[0][i] = 2 + .001 * (i % 13), v[1][i] = v[0][i] + .1 + .001 * (i % 3);
    StGrid g[2] = {{v[0], lost, 2, 13, NULL}, {v[1], lost, 2, 13, NULL}};
    StMaxT r = st_choice_maxT(g, &(StGridPair){0, 1}, 1, KEY, &p);
    cr_assert(r.status == ST_OK && !r.exact && r.total == ST_CHOICE_DRAWS + 1);
    cr_expect(p.raw >= r.p_min && p.raw < .01 && p.lo <= p.step && p.step <= p.hi, "%g", p.raw);
    st_choice_maxT(g, &(StGridPair){0, 1}, 1, KEY, &again);
    cr_expect_eq(again.raw_count, p.raw_count);
}
