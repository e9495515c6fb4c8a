/* Rates chosen on the other seeds, and arms that no rate trains. */
#include "bench/figures/figure.h"
#include "bench/verdict/sensitivity.h"
#include "bench/write/summaries.h"
#include "tests/verdict/made_up.h"

MADE_UP_SUMMARY(sensitivity, text)
MADE_UP_SUMMARY(sensitivity, tex)

enum { SEEDS = 4 };

/* Three rates a factor 2 apart: cell k has rate 2^k / 1000. */
static const char sweep[] = "name: made-up-sweep\ntitle: t\nbaseline: pre\nsteps: 150\nseeds: 4\nlayers: 4\n"
                            "evaluate_at: 0,150\nlr: [1e-3, 2e-3, 4e-3]\n"
                            "arms: {pre: {variant: pre}, post: {variant: post}}\n";

/* NaN: that run diverges. */
static void make(const double loss[2][3][SEEDS]) {
    made_up_init(sweep, NULL);
    for (int arm = 0; arm < 2; arm++)
        for (int k = 0; k < 3; k++)
            for (int seed = 0; seed < m.x.seeds; seed++) {
                RunRecord *r = made_up_at(k, arm, seed);
                made_up_loss(r, 0, 4);
                made_up_loss(r, 150, loss[arm][k][seed]);
                if (isnan(loss[arm][k][seed])) made_up_diverge(r, 40);
            }
    OK(made_up_table((TableOptions){0}, &e));
}

/* pre is the grid that tests/stats/test_stats_choice.c chooses from by hand: seed 1 gets the first rate, the others the
 * second. The seeds' own smallest losses are 2.0 throughout, 0.45 lower in the mean. post is 2.45 at every rate and
 * without any noise. */
static const double noisy[2][3][SEEDS] = {
    {{2.0, 3.0, 2.0, 2.0}, {2.2, 2.0, 2.4, 2.2}, {2.6, 2.0, 2.4, 2.4}},
    {{2.45, 2.45, 2.45, 2.45}, {2.45, 2.45, 2.45, 2.45}, {2.45, 2.45, 2.45, 2.45}}};

Test(sensitivity, noise_gains_nothing) {
    static const size_t chosen[SEEDS] = {1, 0, 1, 1};
    static const double judged[SEEDS] = {2.2, 3.0, 2.4, 2.2}, basin[SEEDS] = {1, 2, 2, 1},
                        mean[SEEDS] = {6.8 / 3, 7.0 / 3, 6.8 / 3, 6.6 / 3};
    LOCAL(sensitivity_release) Sensitivity y;
    make(noisy);
    cr_assert(sensitivity_make(&y, &m.table.sample));
    const SensitivityRow *pre = &y.row[0], *post = &y.row[1];
    for (int seed = 0; seed < SEEDS; seed++) {
        cr_expect_eq(pre->chosen[seed], chosen[seed], "seed %d", seed);
        cr_expect_float_eq(pre->value[SENSITIVITY_best][seed], judged[seed], 1e-12, "seed %d", seed);
        cr_expect_float_eq(pre->value[SENSITIVITY_sensitivity][seed], mean[seed] - judged[seed], 1e-12);
        cr_expect_float_eq(pre->value[SENSITIVITY_basin][seed], basin[seed], 1e-12, "seed %d", seed);
    }
    cr_expect_float_eq(pre->mean[SENSITIVITY_best], 2.45, 1e-12, "as low as post, not at 2.0");
    cr_expect_float_eq(post->mean[SENSITIVITY_best], 2.45, 1e-12);
    cr_expect_float_eq(post->minus[SENSITIVITY_best].mean, 0, 1e-12);
}

#define X NAN
/* No rate trains post. Seed by seed its largest stable rate is 5e-4, half of the smallest, against 4e-3: three octaves
 * in every seed, p 2/16; its loss is ln 65. */
static const double hopeless[2][3][SEEDS] = {{{2.3, 2.4, 2.3, 2.4}, {2.0, 2.1, 2.0, 2.1}, {2.4, 2.5, 2.4, 2.5}},
                                             {{X, X, X, X}, {X, X, X, X}, {X, X, X, X}}};

Test(sensitivity, an_arm_that_no_rate_trains_stays_in_the_family) {
    LOCAL(sensitivity_release) Sensitivity y;
    make(hopeless);
    cr_assert(sensitivity_make(&y, &m.table.sample));
    const SensitivityRow *post = &y.row[1];
    cr_expect_eq(y.joint.k, 4);
    cr_expect_eq(post->none, SEEDS);
    for (int seed = 0; seed < SEEDS; seed++) {
        cr_expect_float_eq(post->value[SENSITIVITY_stable][seed], log2(5e-4), 1e-12);
        cr_expect_float_eq(post->value[SENSITIVITY_best][seed], log(65), 1e-12, "counts by the cap");
        cr_expect_float_eq(post->value[SENSITIVITY_basin][seed], 0, 1e-12);
    }
    cr_expect_float_eq(post->minus[SENSITIVITY_stable].mean, -3, 1e-12);
    cr_expect_float_eq(post->minus[SENSITIVITY_best].mean, log(65) - 2.05, 1e-12);
    cr_expect_eq(post->minus[SENSITIVITY_best].status, ST_BAD_ARG, "no t interval of what a diverged run counts as");
    for (int q = 0; q < SENSITIVITY_COUNT; q++) /* basins are a point in both */
        cr_expect_float_eq(post->p[q].step, q == SENSITIVITY_basin ? 1 : 0.125, 1e-12, "%s", sensitivity_names[q]);
    OWNED char *text = made_up_write(sensitivity_text), *tex = made_up_write(sensitivity_tex);
    made_up_unbroken(text);
    HOLDS(text, "largest stable rate none x 0.12");
    HOLDS(tex, "largest stable rate & none &  & x 0.12");
}

/* In some seeds there is no stable rate; the mean of the others and of these lies on the grid or below. */
Test(sensitivity, no_rate_in_some_seeds) {
    static const double one[2][3][SEEDS] = {{{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}},
                                            {{X, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}}},
                        three[2][3][SEEDS] = {{{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}},
                                              {{X, X, X, 2}, {2, 2, 2, X}, {2, 2, 2, 2}}};
    make(one);
    char *text = made_up_write(sensitivity_text);
    HOLDS(text, "2.4e-3 (none to 4e-3)");
    free(text);
    make(three);
    text = made_up_write(sensitivity_text);
    HOLDS(text, "below 1e-3 (none to 1e-3)");
    free(text);
}

/* Nothing chooses for one seed but itself. */
Test(sensitivity, one_seed_has_no_chosen_rate) {
    char yaml[512];
    LOCAL(sensitivity_release) Sensitivity y;
    snprintf(yaml, sizeof yaml, "%s", sweep);
    strstr(yaml, "seeds: 4")[7] = '1';
    made_up(yaml, NULL, (TableOptions){0});
    cr_assert(sensitivity_make(&y, &m.table.sample));
    cr_expect(isnan(y.row[1].value[SENSITIVITY_best][0]) && isnan(y.row[1].mean[SENSITIVITY_sensitivity]));
    cr_expect(isfinite(y.row[1].value[SENSITIVITY_stable][0]) && isnan(y.row[1].p[SENSITIVITY_stable].step));
    OWNED char *text = made_up_write(sensitivity_text), *json = made_up_write(table_json);
    made_up_unbroken(text);
    HOLDS(text, "loss at the chosen rate n/a");
}

/* The figure of the expected best. Of pre (test_stats_choice.c has the single seeds): after one rate the mean of all,
 * 27.2 / 12, after two (6.2 / 3 + 2 + 6.4 / 3 + 6.2 / 3) / 4, after three the seeds' own smallest; the ring is what
 * other seeds choose. Where nothing trains every number is the cap, ln 65. */
Test(sensitivity, expected_best_by_the_rates_tried) {
    static const double want[3][3] = {{27.2 / 12, 2.2, 7.0 / 3}, {6.2 / 3, 2, 6.4 / 3}, {2, 2, 2}};
    for (int i = 0; i < 2; i++) {
        Figure *figure;
        bool found = false;
        make(i ? hopeless : noisy);
        int figures = figure_list(&m.table, &figure);
        for (int k = 0; k < figures; k++) {
            if (figure[k].kind != FIGURE_budget) continue;
            Plot plot;
            found = true;
            cr_expect_str_eq(figure[k].name, "made-up-sweep-budget");
            figure_plot(&m.table, &figure[k], &plot);
            const PlotPanel *panel = plot.panel;
            const PlotSeries *post = &panel->series[0], *pre = &panel->series[2], *ring = &panel->series[3];
            cr_assert(post->of == 1 && pre->of == 0 && ring->of == 0 && ring->style.point == PLOT_ring);
            for (int r = 0; r < 3; r++) {
                cr_expect_float_eq(post->at[r].y, i ? log(65) : 2.45, 1e-8, "%g", post->at[r].y);
                if (i) continue;
                cr_expect_eq(pre->at[r].x, r + 1);
                cr_expect_float_eq(pre->at[r].y, want[r][0], 1e-8);
                cr_expect_float_eq(pre->at[r].lo, want[r][1], 1e-8);
                cr_expect_float_eq(pre->at[r].hi, want[r][2], 1e-8);
            }
            if (!i) cr_expect(ring->points == 1 && ring->at[0].x == 3 && fabs(ring->at[0].y - 2.45) < 1e-8);
            cr_expect(panel->x.first == 1 && panel->x.tick == 1 && !strcmp(panel->x.label, "learning rates tried"));
            plot_release(&plot);
        }
        cr_expect(found);
        free(figure);
    }
}
