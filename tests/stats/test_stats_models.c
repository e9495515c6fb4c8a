/* Crossed seeds and blocks, pigeonhole bootstrap, omnibus, curves. Reference values: numpy,
 * scipy 1.17.1 (linregress, t) and statsmodels 0.14 (RLM), on the data shown. */
#include <stdlib.h>

#include "stats/crossed.h"
#include "stats/curve.h"
#include "stats/permute.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_models, .init = st_init);

static const StKey KEY = {20260, 2};
static const double grid[12] = {1, 2, 3, 6, 2, 3, 5, 6, 0, 4, 4, 8}; /* 3 seeds, 4 blocks */

Test(stats_models, worked_example) {
    StCrossed r = st_crossed(grid, 3, 4, 0, .95);
    STATUS(r.status, ST_OK);
    NEAR(r.mean, 11.0 / 3, 1e-15);
    NEAR(r.ms_seed, 4.0 / 3, 1e-14); /* by hand: seed means 3, 4, 4 */
    NEAR(r.ms_block, 50.0 / 3, 1e-13);
    NEAR(r.ms_error, 1.0, 1e-14);
    NEAR(r.se, 1.1902380714238086, 1e-14); /* pooling the 12 cells would say .667 */
    NEAR(r.df, 3.0860193790785044, 1e-12);
    NEAR(r.hi - r.mean, 3.728833311780234, 1e-8);
    NEAR(r.p, 0.05212530214318045, 1e-12);
    cr_assert(!r.floored);
    NEAR(r.seeds.t, 11, 1e-12);
    NEAR(r.seeds.p, 0.008163401865824484, 1e-14);
    double moved[12];
    for (int b = 0; b < 4; b++) {
        moved[b] = grid[8 + b];
        moved[4 + b] = grid[b];
        moved[8 + b] = grid[4 + b];
    }
    StCrossed s = st_crossed(moved, 3, 4, 0, .95);
    cr_assert(s.mean == r.mean && s.seeds.p == r.seeds.p);
    NEAR(s.se, r.se, 1e-15);
}

Test(stats_models, floored_when_errors_dominate) {
    const double d[6] = {1, -1, 0, -1, 1, .5}; /* interaction only: the sum of squares would go below the larger */
    StCrossed r = st_crossed(d, 2, 3, 0, .95);
    STATUS(r.status, ST_OK);
    cr_assert(r.floored && r.ms_error > r.ms_seed && r.ms_error > r.ms_block);
    NEAR(r.se, sqrt(fmax(r.ms_seed, r.ms_block) / 6), 1e-15);
    cr_assert(r.df == (r.ms_seed >= r.ms_block ? 1 : 2));
    const double turned[6] = {1, -1, -1, 1, 0, .5};
    StCrossed t = st_crossed(turned, 3, 2, 0, .95);
    NEAR(t.se, r.se, 1e-15);
    cr_assert(t.df == r.df);
}

Test(stats_models, refuses) {
    StCrossed r = st_crossed(grid, 1, 4, 0, .95);
    STATUS(r.status, ST_N_TOO_SMALL);
    cr_assert(r.mean == 3 && isnan(r.se));
    r = st_crossed(grid, 4, 1, 0, .95);
    STATUS(r.status, ST_N_TOO_SMALL);
    STATUS(r.seeds.status, ST_OK);
    cr_assert(isnan(r.lag1));
    const double flat[4] = {.3, .1 + .2, .3, .3};
    r = st_crossed(flat, 2, 2, 4, .95);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(isnan(r.se) && isnan(r.p) && !r.floored);
    STATUS(st_crossed(grid, 0, 4, 0, .95).status, ST_N_TOO_SMALL);
    STATUS(st_crossed(grid, 4, 0, 0, .95).status, ST_N_TOO_SMALL);
    STATUS(st_crossed(NULL, 4, 2, 0, .95).status, ST_BAD_ARG);
    STATUS(st_crossed(grid, 3, 4, 0, 1).status, ST_BAD_ARG);
    STATUS(st_crossed(grid, 3, 4, 0, 0).status, ST_BAD_ARG);
    STATUS(st_crossed(grid, 3, 4, -1, .9).status, ST_BAD_ARG);
    STATUS(st_crossed(grid, SIZE_MAX, 4, 0, .9).status, ST_BAD_ARG);
    STATUS(st_crossed(grid, 3, 4, INFINITY, .9).status, ST_NONFINITE_INPUT);
    const double bad[4] = {1, 2, NAN, 3};
    STATUS(st_crossed(bad, 2, 2, 0, .95).status, ST_NONFINITE_INPUT);
}

Test(stats_models, pigeonhole) {
    StPigeonhole r = st_pigeonhole(grid, 3, 4, 0, .95, 0, KEY); /* numpy over all 27 * 256 resamples */
    STATUS(r.status, ST_OK);
    cr_assert(r.exact && r.total == 6912);
    NEAR(r.se, 1.075828707279838, 1e-12);
    NEAR(r.lo, 5.0 / 3, 1e-12);
    NEAR(r.hi, 35.0 / 6, 1e-12);
    double wide[3 * 20];
    for (int s = 0; s < 3; s++)
        for (int b = 0; b < 20; b++) wide[20 * s + b] = grid[4 * s + b % 4];
    r = st_pigeonhole(wide, 3, 20, 0, .95, 20000, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(!r.exact && r.total == 20000 && r.lo < r.mean && r.mean < r.hi);
    NEAR(r.se, .542, .008); /* numpy, 60000 draws */
    StPigeonhole again = st_pigeonhole(wide, 3, 20, 0, .95, 20000, KEY);
    cr_assert(again.lo == r.lo && again.se == r.se);
    STATUS(st_pigeonhole(wide, 3, 20, 0, .95, 0, KEY).status, ST_BAD_ARG);
    STATUS(st_pigeonhole(wide, 3, 20, 0, .95, 100000001, KEY).status, ST_BAD_ARG);
    STATUS(st_pigeonhole(grid, 1, 4, 0, .95, 0, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_pigeonhole(wide, 20, 3, 0, .95, 0, KEY).status, ST_BAD_ARG);
    STATUS(st_pigeonhole(wide, 12, 5, 0, .95, 0, KEY).status, ST_BAD_ARG);
}

Test(stats_models, blocks_grow_until_independent) {
    enum { B = 1024 };
    static double d[2 * B], out[2 * B];
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(KEY);
    double level = 0;
    for (int b = 0; b < B; b++) { /* an autoregression of .8: neighbours alike */
        level = .8 * level + gsl_rng_uniform(rng) - .5;
        d[b] = level;
        d[B + b] = level + .01;
    }
    StCrossed before = st_crossed(d, 2, B, 0, .95);
    cr_assert_gt(before.lag1, .6);
    StBlocks r = st_blocks_merge(d, 2, B, .1, out);
    STATUS(r.status, ST_OK);
    cr_assert(r.factor >= 4 && r.blocks == B / r.factor && r.dropped == 0 && r.lag1 < .1);
    double sum = 0;
    for (size_t i = 0; i < r.factor; i++) sum += d[B + i];
    NEAR(out[r.blocks], sum / (double)r.factor, 1e-12);
    StCrossed after = st_crossed(out, 2, r.blocks, 0, .95);
    cr_assert_gt(after.ms_block / (double)after.blocks_n, 2 * before.ms_block / B);
    for (int b = 0; b < B; b++) d[b] = d[B + b] = b; /* a trend never becomes independent */
    r = st_blocks_merge(d, 2, 37, .1, out);
    STATUS(r.status, ST_NO_CONVERGENCE);
    cr_assert(r.blocks == 9 && r.factor == 4 && r.dropped == 1);
    STATUS(st_blocks_merge(d, 2, 37, 0, out).status, ST_BAD_ARG);
    STATUS(st_blocks_merge(d, 2, 37, .1, NULL).status, ST_BAD_ARG);
    STATUS(st_blocks_merge(d, 0, 37, .1, out).status, ST_N_TOO_SMALL);
}

Test(stats_models, three_variants_three_seeds) {
    const double x[9] = {1, 2, 3, 2, 3, 4, 5, 6, 7}; /* the same order in every seed: the one exact .0278 */
    StOmnibus r = st_omnibus(x, 3, 3, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(r.exact && r.total == 36 && r.count == 1 && r.p == 1.0 / 36 && r.p_min == r.p);
    const double two[10] = {1.83, 1.94, 1.77, 2.10, 1.69, 1.90, 1.96, 1.89, 2.05, 1.86};
    double d[5];
    for (int i = 0; i < 5; i++) d[i] = two[i] - two[5 + i];
    r = st_omnibus(two, 2, 5, KEY); /* two variants: the sign-flip test */
    cr_assert(r.total == 16);
    NEAR(r.p, st_signflip(d, 5, 2.1, ST_TWO_SIDED, KEY).p, 1e-15);
    const double flat[6] = {1, 2, 1, 2, 1, 2};
    r = st_omnibus(flat, 3, 2, KEY);
    cr_assert(r.p == 1 && r.status == ST_OK);
}

/* Two decimals, three variants, three seeds: whole numbers say the truth. */
Test(stats_models, ties_are_ties) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(KEY);
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int set = 0; set < 500; set++) {
        double x[9];
        long w[9], seen = 0;
        uint64_t truth = 0;
        for (int i = 0; i < 9; i++) {
            long whole = 300 + st_rng_below(rng, 12);
            x[i] = (double)whole / 100;
            w[i] = whole - 305;
        }
        for (int j = 0; j < 3; j++) {
            long sum = w[3 * j] + w[3 * j + 1] + w[3 * j + 2];
            seen += sum * sum;
        }
        for (int a = 0; a < 6; a++) {
            for (int b = 0; b < 6; b++) {
                long all = 0;
                for (int j = 0; j < 3; j++) {
                    long sum = w[3 * j] + w[3 * order[a][j] + 1] + w[3 * order[b][j] + 2];
                    all += sum * sum;
                }
                truth += all >= seen;
            }
        }
        StOmnibus r = st_omnibus(x, 3, 3, KEY);
        cr_assert_eq(r.count, truth, "set %d: %d, truth %d", set, (int)r.count, (int)truth);
    }
}

Test(stats_models, sampled_and_refused) {
    double x[4 * 9];
    for (int i = 0; i < 36; i++) x[i] = (i * 7) % 11 + (i < 9 ? 3 : 0);
    StOmnibus r = st_omnibus(x, 4, 9, KEY);
    cr_assert(!r.exact && r.total == 100001 && r.p > 0 && r.p < 1 && r.p_min == 1.0 / 100001);
    cr_assert_eq(st_omnibus(x, 4, 9, KEY).count, r.count);
    double far[4 * 9];
    for (int i = 0; i < 36; i++) far[i] = 100.0 * (i / 9) + i % 5;
    r = st_omnibus(far, 4, 9, KEY);
    cr_assert(r.count == 1 && r.p == r.p_min);
    r = st_omnibus(x, 12, 3, KEY);
    cr_assert(!r.exact && r.status == ST_OK);
    double pair[2 * 21], d[21]; /* two variants, 21 seeds: the sampled p near the true one */
    for (int i = 0; i < 21; i++) {
        pair[i] = i % 3 ? 1 : 0;
        pair[21 + i] = i % 3 ? 0 : 1;
        d[i] = pair[i] - pair[21 + i];
    }
    NEAR(st_omnibus(pair, 2, 21, KEY).p, st_signflip(d, 20, 0, ST_TWO_SIDED, KEY).p, .15);
    NEAR(st_omnibus(pair, 2, 21, KEY).p, 2 * 0.0945897, .006); /* P(X >= 14 of 21) = .09459 */
    STATUS(st_omnibus(x, 1, 9, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_omnibus(x, 4, 1, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_omnibus(NULL, 4, 9, KEY).status, ST_BAD_ARG);
    STATUS(st_omnibus(x, 2, SIZE_MAX, KEY).status, ST_BAD_ARG);
    x[3] = INFINITY;
    STATUS(st_omnibus(x, 4, 9, KEY).status, ST_NONFINITE_INPUT);
}

static const double xs[5] = {1, 2, 3, 4, 5}, ys[5] = {2.1, 3.9, 6.2, 7.8, 10.1};

Test(stats_models, line) {
    StLine r = st_line(xs, ys, 5);
    STATUS(r.status, ST_OK);
    NEAR(r.slope, 1.99, 1e-14);
    NEAR(r.intercept, .05, 1e-13);
    NEAR(r.rss, .107, 1e-13);
    STATUS(st_line(xs, ys, 1).status, ST_N_TOO_SMALL);
    STATUS(st_line(NULL, ys, 2).status, ST_BAD_ARG);
    STATUS(st_line(xs, NULL, 2).status, ST_BAD_ARG);
    STATUS(st_line((double[]){1, NAN}, ys, 2).status, ST_NONFINITE_INPUT);
    STATUS(st_line(xs, (double[]){1, NAN}, 2).status, ST_NONFINITE_INPUT);
    STATUS(st_line((double[]){2, 2, 2}, ys, 3).status, ST_DEGENERATE);
}
