/* How often the paired test of spread rejects where nothing differs in spread, and where something does.
 *
 * A level passes up to .05 and three Monte-Carlo standard errors. Seeds are fixed: a failure is a change of code. */
#include <gsl/gsl_randist.h>

#include "stats/rng.h"
#include "stats/variance.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_slow_variance, .init = st_init, .timeout = 1800);

typedef enum { NORMAL, STALLS, CAPPED, LOGNORMAL } Law;

/* Runs of both arms; share: correlation of normal values; shift: what is added to all of the first arm; times: how many
 * times as widely the first arm spreads. A run stalls, or is capped, with the chance 1/8 in either arm. */
typedef struct {
    const char *what;
    Law law;
    double share, shift, times;
    double least[3]; /* share of rejections at 8, 10 and 12 seeds that is asked for; all 0: a level */
} Row;

static const Row rows[] = {
    {"stalls in both arms", STALLS, .2, 0, 1, {0, 0, 0}},
    {"capped runs in both arms", CAPPED, 0, 0, 1, {0, 0, 0}},
    {"normal", NORMAL, 0, 0, 1, {0, 0, 0}},
    {"normal, means 2 sd apart", NORMAL, 0, 2, 1, {0, 0, 0}},
    {"normal, means 5 sd apart", NORMAL, .5, 5, 1, {0, 0, 0}},
    {"normal, correlation .9, means 2 sd apart", NORMAL, .9, 2, 1, {0, 0, 0}},
    {"lognormal", LOGNORMAL, 0, 0, 1, {0, 0, 0}},
    {"lognormal, means 3 apart", LOGNORMAL, 0, 3, 1, {0, 0, 0}},
    {"normal, sd 3 times", NORMAL, 0, 0, 3, {.06, .25, .45}},
    {"normal, sd 3 times, means 5 apart", NORMAL, 0, 5, 3, {.06, .25, .45}},
    {"normal, correlation .9, sd 3 times", NORMAL, .9, 0, 3, {.3, .7, .85}},
};

static double run(gsl_rng *rng, Law law, double common) {
    bool lost = (law == STALLS || law == CAPPED) && gsl_ran_flat(rng, 0, 1) < .125;
    double noise = gsl_ran_gaussian_ziggurat(rng, 1);
    switch (law) {
    case NORMAL: return common + noise;
    case STALLS: return 3 + .1 * (common + noise) + (lost ? 1.4 : 0);
    case CAPPED: return lost ? 4.17 : 3 + .1 * noise;
    case LOGNORMAL: break;
    }
    return exp(noise);
}

static double rejected(const Row *row, size_t n, int samples, gsl_rng *rng) {
    int count = 0;
    for (int sample = 0; sample < samples; sample++) {
        double a[16], b[16];
        for (size_t i = 0; i < n; i++) {
            double common = sqrt(row->share / (1 - row->share)) * gsl_ran_gaussian_ziggurat(rng, 1);
            a[i] = row->times * run(rng, row->law, common) + row->shift;
            b[i] = run(rng, row->law, common);
        }
        StVariance r = st_pitman_morgan(a, b, n);
        cr_assert(r.status == ST_OK || r.status == ST_DEGENERATE);
        count += r.status == ST_OK && r.p_left_out < .05;
    }
    return (double)count / samples;
}

Test(stats_slow_variance, rejects_rarely_without_cause) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){43, 7});
    enum { SAMPLES = 1500 };
    for (const Row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        bool level = row->least[0] <= 0;
        for (int k = 0; k < 3; k++) {
            size_t n = (size_t)(8 + 2 * k);
            double share = rejected(row, n, SAMPLES, rng), slack = 3 * sqrt(.05 * .95 / SAMPLES);
            cr_log_info("%s, %zu seeds: %.3f", row->what, n, share);
            if (level)
                cr_expect(share <= .05 + slack, "%s, %zu seeds: rejected in %.3f", row->what, n, share);
            else
                cr_expect(share >= row->least[k], "%s, %zu seeds: rejected in %.3f", row->what, n, share);
        }
    }
}
