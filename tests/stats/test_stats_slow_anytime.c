/* Seeds until it is decided: how often the anytime test decides where there is nothing, and how soon where there is.
 *
 * Up to 64 seeds, watched after each, alpha .05, two-sided. A level passes up to .05; the other figures within four
 * Monte-Carlo standard errors of their simulations and the rounding of the row. Seeds are fixed: a failure is a change
 * of code. */
#include <gsl/gsl_randist.h>

#include "stats/anytime.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_slow_anytime, .init = st_init, .timeout = 1800);

enum { MOST = 64, SAMPLES = 8000 };

typedef enum { NORMAL, T3, LAPLACE, OUTLIERS, EXPONENTIAL } Law;

typedef struct {
    const char *what;
    Law law;
    double effect;  /* in SD */
    double decided; /* share of samples */
    double seeds;   /* mean of the decided; NAN: not held */
    double late;    /* nine in ten have decided by then */
} Row;

// clang-format off
static const Row rows[] = { /* an independent simulation of 20,000 samples each */
    {"normal",                          NORMAL,      0,   .036, NAN,  NAN},
    {"t with 3 df",                     T3,          0,   .035, NAN,  NAN},
    {"Laplace",                         LAPLACE,     0,   .035, NAN,  NAN},
    {"1/8 outliers of 45 sd",           OUTLIERS,    0,   .033, NAN,  NAN},
    {"exponential - 1, not symmetric",  EXPONENTIAL, 0,   .116, NAN,  NAN},
    {"normal, .8 sd",                   NORMAL,      .8,  .998, 18.4, 33},
    {"normal, 1 sd",                    NORMAL,      1,   1,    13.2, 23},
    {"normal, 1.5 sd",                  NORMAL,      1.5, 1,    8.5,  13},
    {"normal, 2 sd",                    NORMAL,      2,   1,    7.3,  8},
    {"t with 3 df, 1 sd",               T3,          1,   1,    10.5, 18},
};
// clang-format on

static double draw(gsl_rng *rng, Law law) {
    switch (law) {
    case NORMAL: return gsl_ran_gaussian_ziggurat(rng, 1);
    case T3: return gsl_ran_tdist(rng, 3) / sqrt(3);
    case LAPLACE: return gsl_ran_laplace(rng, 1) / sqrt(2);
    case OUTLIERS: return gsl_ran_gaussian_ziggurat(rng, gsl_rng_get(rng) % 8 ? 1 : 45);
    case EXPONENTIAL: break;
    }
    return gsl_ran_exponential(rng, 1) - 1;
}

Test(stats_slow_anytime, decides_rarely_without_cause_and_soon_with) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){43, 6});
    for (const Row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        int decided = 0, by_late = 0;
        double sum = 0, squares = 0;
        for (int sample = 0; sample < SAMPLES; sample++) {
            double d[MOST];
            for (int i = 0; i < MOST; i++) d[i] = row->effect + draw(rng, row->law);
            double p[MOST], at = 0;
            STATUS(st_anytime_path(d, MOST, 0, p), ST_OK);
            for (int i = 0; i < MOST && at == 0; i++) at = p[i] <= .05 ? i + 1 : 0;
            decided += at > 0;
            by_late += at > 0 && at <= row->late;
            sum += at, squares += at * at;
        }
        double share = (double)decided / SAMPLES, mean = sum / decided, error = sqrt(.25 / SAMPLES);
        double sd = sqrt(fmax(0, squares / decided - mean * mean)), slack = sqrt(row->decided * (1 - row->decided));
        cr_log_info("%s: %.4f decided, mean %.2f seeds, sd %.2f, %.3f by %g", row->what, share, mean, sd,
                    (double)by_late / SAMPLES, row->late);
        cr_expect(fabs(share - row->decided) <= 4 * (slack / sqrt(SAMPLES) + slack / sqrt(20000)) + .001,
                  "%s: decided in %.4f", row->what, share);
        if (row->effect <= 0 && row->law != EXPONENTIAL) cr_expect(share <= .05, "%s: %.4f", row->what, share);
        if (isnan(row->seeds)) continue;
        cr_expect(fabs(mean - row->seeds) <= 4 * sd * (1 / sqrt(SAMPLES) + 1 / sqrt(20000)) + .05, "%s: mean %.2f",
                  row->what, mean);
        cr_expect((double)by_late / SAMPLES >= .9 - 4 * error, "%s: %d by %g", row->what, by_late, row->late);
    }
}

/* The interval misses a true mean of symmetric differences, whenever one stops, in at most .05 of samples; equivalence
 * at a true difference of the margin is found in at most .05. */
Test(stats_slow_anytime, intervals_cover_and_margins_hold) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){43, 60});
    enum { INTERVALS = 1000, LEAST = 24 };
    int missed = 0, same = 0, found = 0;
    for (int sample = 0; sample < INTERVALS; sample++) {
        double d[LEAST], edge[MOST], middle[MOST], p[MOST];
        for (int i = 0; i < LEAST; i++) d[i] = .7 + draw(rng, LAPLACE);
        for (int i = 0; i < MOST; i++) edge[i] = .5 + .5 * draw(rng, NORMAL), middle[i] = .2 * draw(rng, NORMAL);
        StInterval ci = st_anytime_ci(d, LEAST, 0, .95);
        missed += ci.lo > .7 || ci.hi < .7;
        STATUS(st_anytime_inside_path(edge, MOST, 0, .5, p), ST_OK);
        same += p[MOST - 1] <= .05;
        STATUS(st_anytime_inside_path(middle, MOST, 0, .5, p), ST_OK);
        found += p[MOST - 1] <= .05;
    }
    double slack = 3 * sqrt(.05 * .95 / INTERVALS);
    cr_expect(missed <= (.05 + slack) * INTERVALS, "%d of %d", missed, INTERVALS);
    cr_expect(same <= (.05 + slack) * INTERVALS, "%d of %d", same, INTERVALS);
    cr_expect(found > .99 * INTERVALS, "%d of %d", found, INTERVALS);
}
