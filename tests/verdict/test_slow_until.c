/* Experiments that add seeds until all their arms are decided: how often they say something false, how often they find
 * what is there, and how many seeds that takes. Each sample is stopped by the functions that stop an experiment.
 *
 * Up to 64 seeds, level .05. A level passes up to .05 and three Monte-Carlo standard errors; the mean numbers of seeds
 * of one arm are those of an independent simulation of 20,000 samples, within four standard errors. Seeds are fixed: a
 * failure is a change of code. */
#include <gsl/gsl_randist.h>

#include "bench/verdict/until.h"
#include "tests/stats/test_stats.h"

TestSuite(slow_until, .init = st_init, .timeout = 1800);

enum { MOST = 64, SAMPLES = 4000, ARMS = 3 };

/* Arms against a baseline whose noise they share, in SD of the differences. */
typedef struct {
    const char *what;
    int arms;
    double effect[ARMS]; /* 0: a false decision is that it is apart; at the margin: that it is the same */
    double margin;
    bool heavy;          /* t with 3 df */
    double found, seeds; /* at least so often all that are apart; mean seeds of the decided; NAN: not held */
} Row;

// clang-format off
static const Row rows[] = {
    {"one arm, nothing",                 1, {0},           NAN, false, NAN, NAN},
    {"three arms, nothing",              3, {0, 0, 0},     NAN, false, NAN, NAN},
    {"three arms, nothing, t with 3 df", 3, {0, 0, 0},     NAN, true,  NAN, NAN},
    {"one of three apart by 2 sd",       3, {0, 2, 0},     NAN, false, .99, NAN},
    {"at the margin and inside it",      3, {.5, 0, 2},    .5,  false, .99, NAN},
    {"one arm, .8 sd",                   1, {.8},          NAN, false, .99, 18.4},
    {"one arm, 1 sd",                    1, {1},           NAN, false, .99, 13.2},
    {"one arm, 2 sd",                    1, {2},           NAN, false, .99, 7.3},
    {"three arms, 2 sd",                 3, {2, 2, 2},     NAN, false, .99, NAN},
};
// clang-format on

static double noise(gsl_rng *rng, bool heavy) {
    return heavy ? gsl_ran_tdist(rng, 3) / sqrt(3) : gsl_ran_gaussian_ziggurat(rng, 1);
}

static void draw(gsl_rng *rng, const Row *row, double value[ARMS + 1][MOST]) {
    for (int seed = 0; seed < MOST; seed++)
        for (int arm = 0; arm <= row->arms; arm++)
            value[arm][seed] = (arm ? row->effect[arm - 1] : 0) + sqrt(.5) * noise(rng, row->heavy);
}

static void make(Family *f, const Row *row, double value[ARMS + 1][MOST], const uint64_t *seed) {
    *f = (Family){.tests = PAIRED_DIVERGED, .alpha = .05, .conf = .95, .n = MOST};
    family_begin(f, row->arms);
    for (int i = 0; i < row->arms; i++) {
        PairedRuns in = {.n = MOST, .seed = seed, .arm = {{1, value[i + 1]}, {-1, value[0]}}, .arms = 2, .cap = NAN};
        f->at[i].what = contrast_pair(0, 0, METRIC_valid_loss, i + 1, 0, row->margin);
        comparison_make(f, &f->at[i], &in);
    }
    f->anytime = mem_alloc((size_t)row->arms, sizeof *f->anytime);
    anytime_decisions(f, f->anytime);
}

/* Whether something false is said of any arm by whoever stops as late as he likes: that it is apart, and that it is the
 * same. */
static bool wrongly_apart(const Row *row, const Family *f) {
    bool any = false;
    for (int i = 0; i < row->arms; i++) any |= !(fabs(row->effect[i]) > 0) && decision_apart(f->anytime[i].decision);
    return any;
}

static bool wrongly_same(const Row *row, const Family *f) {
    bool any = false;
    for (int i = 0; i < row->arms; i++)
        any |= fabs(row->effect[i]) >= row->margin && f->anytime[i].inside_p <= f->alpha;
    return any;
}

Test(slow_until, experiments_stop_at_their_level) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){44, 2});
    uint64_t seed[MOST];
    for (int s = 0; s < MOST; s++) seed[s] = (uint64_t)s + 1;
    for (const Row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        int apart = 0, same = 0, found = 0, decided = 0;
        double sum = 0, squares = 0;
        for (int sample = 0; sample < SAMPLES; sample++) {
            double value[ARMS + 1][MOST];
            LOCAL(family_release) Family f;
            draw(rng, row, value);
            make(&f, row, value, seed);
            bool all = true;
            for (int i = 0; i < row->arms; i++)
                all &= fabs(row->effect[i]) <= fmax(0, row->margin) || decision_apart(f.anytime[i].decision);
            int at = until_decided(&f);
            apart += wrongly_apart(row, &f), same += wrongly_same(row, &f), found += all, decided += at > 0;
            sum += at, squares += (double)at * at;
        }
        double level = (.05 + 3 * sqrt(.05 * .95 / SAMPLES)) * SAMPLES, mean = sum / decided;
        double sd = sqrt(fmax(0, squares / decided - mean * mean));
        cr_log_info("%s: wrongly apart %.4f, the same %.4f; %.4f found, %.4f decided after %.2f seeds (sd %.2f)",
                    row->what, (double)apart / SAMPLES, (double)same / SAMPLES, (double)found / SAMPLES,
                    (double)decided / SAMPLES, mean, sd);
        cr_expect(apart <= level, "%s: %d apart", row->what, apart);
        cr_expect(same <= level, "%s: %d the same", row->what, same);
        if (!isnan(row->found)) cr_expect((double)found / SAMPLES >= row->found, "%s: %d found", row->what, found);
        if (isnan(row->seeds)) continue;
        cr_expect(fabs(mean - row->seeds) <= 4 * sd * (1 / sqrt(SAMPLES) + 1 / sqrt(20000)) + .05, "%s: mean %.2f",
                  row->what, mean);
    }
}
