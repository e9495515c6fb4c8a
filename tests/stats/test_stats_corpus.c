/* Scores of a corpus, crossed over seeds and sentences: against the bootstrap of a mean, by hand, and what is
 * refused. */
#include <math.h>

#include "stats/corpus.h"
#include "stats/crossed.h"
#include "tests/stats/test_stats.h"

static const StKey KEY = {20261, 3};

TestSuite(stats_corpus, .init = st_init);

static double mean_of(const double *sum, size_t counts) {
    (void)counts;
    return sum[0] / sum[1];
}

/* A score that is a mean: the pigeonhole bootstrap of the differences, which counts every resample. */
Test(stats_corpus, of_a_mean_it_is_the_pigeonhole) {
    enum { S = 3, B = 4 };
    const double a[S][B] = {{5, 2, 8, 3}, {4, 4, 7, 1}, {6, 1, 9, 5}},
                 b[S][B] = {{4, 2, 5, 3}, {5, 1, 7, 0}, {2, 1, 8, 4}};
    double x[S][B][2], y[S][B][2], d[S * B];
    for (int s = 0; s < S; s++)
        for (int i = 0; i < B; i++) {
            x[s][i][0] = a[s][i], y[s][i][0] = b[s][i], x[s][i][1] = y[s][i][1] = 1;
            d[s * B + i] = a[s][i] - b[s][i];
        }
    StPigeonhole want = st_pigeonhole(d, S, B, 9, .95, 0, KEY);
    cr_assert(want.status == ST_OK && want.exact);
    StCorpus got = st_corpus(&x[0][0][0], &y[0][0][0], S, B, 2, mean_of, .95, 200000, KEY);
    cr_assert_eq(got.status, ST_OK);
    cr_expect_float_eq(got.mean, want.mean, 1e-12);
    cr_expect_float_eq(got.se, want.se, 0.01 * want.se, "%g, exactly %g", got.se, want.se);
    cr_expect_float_eq(got.lo, want.lo, 0.02);
    cr_expect_float_eq(got.hi, want.hi, 0.02);
    cr_expect(got.sentences.se < got.se && got.sentences.lo > got.lo && got.sentences.hi < got.hi);
    /* of sentences alone: the mean of the four sentence means, drawn four times: their variance / 4 */
    double column[B], mean = 0, squares = 0;
    for (int i = 0; i < B; i++) {
        column[i] = (d[i] + d[B + i] + d[2 * B + i]) / S;
        mean += column[i] / B;
    }
    for (int i = 0; i < B; i++) squares += (column[i] - mean) * (column[i] - mean) / B;
    cr_expect_float_eq(got.sentences.se, sqrt(squares / B), 0.01 * got.sentences.se);
}

/* A ratio of sums is not the mean of ratios: (1 + 9) / (2 + 10) against 1/2 and 9/10. */
Test(stats_corpus, counts_are_summed_before_they_are_scored) {
    const double a[2][2][2] = {{{1, 2}, {9, 10}}, {{1, 2}, {9, 10}}},
                 b[2][2][2] = {{{0, 2}, {0, 10}}, {{2, 2}, {10, 10}}};
    StCorpus alone = st_corpus(&a[0][0][0], NULL, 2, 2, 2, mean_of, .9, 4000, KEY);
    cr_expect_float_eq(alone.mean, 10. / 12, 1e-15);
    cr_expect_float_eq(alone.lo, .5, 1e-15);
    cr_expect_float_eq(alone.hi, .9, 1e-15);
    StCorpus pair = st_corpus(&a[0][0][0], &b[0][0][0], 2, 2, 2, mean_of, .9, 4000, KEY);
    cr_expect_float_eq(pair.mean, 10. / 12 - .5, 1e-15);
    StCorpus again = st_corpus(&a[0][0][0], &b[0][0][0], 2, 2, 2, mean_of, .9, 4000, KEY);
    cr_expect(pair.lo == again.lo && pair.hi == again.hi, "one key, two results");
    StCorpus self = st_corpus(&a[0][0][0], &a[0][0][0], 2, 2, 2, mean_of, .9, 100, KEY);
    cr_expect(self.mean == 0 && self.lo == 0 && self.hi == 0 && self.se == 0);
}

Test(stats_corpus, refusals) {
    const double one[4] = {1, 2, 3, 4}, bad[4] = {1, NAN, 3, 4};
    cr_expect_eq(st_corpus(one, NULL, 1, 2, 2, mean_of, .95, 10, KEY).status, ST_N_TOO_SMALL);
    cr_expect_float_eq(st_corpus(one, NULL, 1, 2, 2, mean_of, .95, 10, KEY).mean, 4. / 6, 1e-15);
    cr_expect_eq(st_corpus(one, NULL, 2, 1, 2, mean_of, .95, 10, KEY).status, ST_N_TOO_SMALL);
    cr_expect_eq(st_corpus(one, NULL, 0, 2, 2, mean_of, .95, 10, KEY).status, ST_N_TOO_SMALL);
    cr_expect_eq(st_corpus(bad, NULL, 1, 2, 2, mean_of, .95, 10, KEY).status, ST_NONFINITE_INPUT);
    cr_expect_eq(st_corpus(one, bad, 1, 2, 2, mean_of, .95, 10, KEY).status, ST_NONFINITE_INPUT);
    cr_expect_eq(st_corpus(one, NULL, 2, 2, 1, mean_of, .95, 0, KEY).status, ST_BAD_ARG);
    cr_expect_eq(st_corpus(one, NULL, 2, 2, 1, mean_of, 1, 10, KEY).status, ST_BAD_ARG);
    cr_expect_eq(st_corpus(one, NULL, 2, 2, 0, mean_of, .95, 10, KEY).status, ST_BAD_ARG);
}
