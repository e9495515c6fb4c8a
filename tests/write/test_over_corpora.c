/* Arms over made-up corpora, worked out by hand. */
#include "bench/figures/figure.h"
#include "bench/write/corpora.h"
#include "tests/verdict/made_up.h"

#define HEAD \
    "name: made-up-corpora\ntitle: Made-up corpora\nbaseline: pre\nmetric: valid_loss\nsteps: 150\n" \
    "evaluate_at: 0,150\nseeds: 4\nsummaries: [corpora]\ndataset: [synthetic, tinyshakespeare]\n"
#define ARMS \
    "arms:\n  pre: {variant: pre, label: Pre-LN}\n  post: {variant: post, label: Post-LN}\n" \
    "  peri: {variant: peri, label: Peri-LN}\n  none: {variant: none, label: No norm}\n"

static Corpora c;

MADE_UP_SUMMARY(corpora, text)
MADE_UP_SUMMARY(corpora, tex)
MADE_UP_SUMMARY(failures, text)

/* Bits per byte over the corpus' own level, 1 and 3: far apart, so that without it all differences between arms were
 * lost among those of the corpora. */
static const double bits[4][2][4] = {{{.0, .2, .4, .6}, {.0, .2, .4, .6}},
                                     {{1, 1.2, 1.4, 1.6}, {2, 2.2, 2.4, 2.6}},
                                     {{-.1, .1, .3, .5}, {-.3, -.1, .1, .3}},
                                     {{2, 2.2, 2.4, 2.6}, {3, 3.2, 3.4, 3.6}}};

static void put(RunRecord *r, Metric metric, double x) {
    for (int i = 0; i < r->evaluations; i++)
        if (r->evaluation[i].step == 150) r->evaluation[i].metric[metric] = x;
}

static void fill(Metric metric, double sign) {
    for (int cell = 0; cell < experiment_cells(&m.x); cell++)
        for (int arm = 0; arm < m.x.arms; arm++)
            for (int seed = 0; seed < m.x.seeds; seed++) {
                RunRecord *r = made_up_at(cell, arm, seed);
                int corpus = strcmp(r->spec.dataset.text, "synthetic") != 0;
                put(r, metric, 1 + 2 * corpus + sign * bits[arm][corpus][seed]);
            }
}

static void make(const char *yaml, Metric metric, double sign) {
    corpora_release(&c);
    made_up_init(yaml, NULL);
    fill(metric, sign);
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(corpora_make(&c, &m.table.sample));
}

#define NEAR(x, y) cr_expect_float_eq(x, y, 1e-12, "%.17g, not %.17g", (double)(x), (double)(y))

/* Eight scores each, of which the middle four count. pre: twice -.3 -.1 .1 .3; post: .7 .9 1.1 1.3 and 1.7 … 2.3, the
 * middle 1.1 1.3 1.7 1.9; peri: -.4 … .2 and -.6 … 0, the middle -.4 -.2 -.2 0 (of -.6 -.4 -.4 -.2 -.2 0 0 .2). */
Test(over_corpora, scores_are_summed_up) {
    make(HEAD ARMS, METRIC_bits_per_byte, 1);
    const CorporaSum *s = c.sum;
    cr_assert(c.groups == 1 && c.corpora == 2 && !c.group[0][0] && c.metric == METRIC_bits_per_byte);
    cr_assert(!strcmp(c.corpus[0], "synthetic") && !strcmp(c.corpus[1], "tinyshakespeare"));
    NEAR(s->iqm[0].iqm, 0);
    NEAR(s->iqm[1].iqm, 1.5);
    NEAR(s->iqm[2].iqm, -.2);
    NEAR(s->iqm[2].difference, -.2);
    cr_expect(s->iqm[0].minus.status == ST_BAD_ARG && s->iqm[1].minus.status == ST_OK);
    cr_expect(s->iqm[1].minus.lo <= 1.5 && s->iqm[1].minus.hi >= 1.5 && s->iqm[1].minus.lo > 0);
    cr_expect(s->mean_rank[2] == 1 && s->mean_rank[0] == 2 && s->mean_rank[1] == 3 && s->mean_rank[3] == 4);
    NEAR(s->ranks.chi2, 6); /* 12 * 2 / (4 * 5) * (1 + 4 + 9 + 16 - 4 * 25 / 4) */
    NEAR(s->ranks.p, 1 / 24.); /* one order of the second corpus in 4! */
}

Test(over_corpora, profiles_are_shares_at_exact_taus) {
    const double tau[] = {-.5, -.15, .15, 1.2};
    StBand band[4];
    make(HEAD ARMS, METRIC_bits_per_byte, 1);
    corpora_profile(c.sum, 0, tau, 4, band);
    cr_expect(band[0].share == 0 && band[1].share == .25 && band[2].share == .75 && band[3].share == 1);
    corpora_profile(c.sum, 1, tau, 4, band);
    cr_expect(band[2].share == 0 && band[3].share == 3 / 8.);
    corpora_profile(c.sum, 2, tau, 4, band);
    cr_expect(band[0].share == 1 / 8. && band[1].share == 5 / 8. && band[2].share == 7 / 8. && band[3].share == 1);
    for (int i = 0; i < 4; i++) cr_expect(band[i].lo <= band[i].share && band[i].share <= band[i].hi);
}

/* The same numbers with the sign turned, of a metric of which more is better: every share and rank stays. */
Test(over_corpora, where_more_is_better_all_turns) {
    const double tau[] = {-1.2, -.15, .15, .5};
    StBand band[4];
    make("name: made-up-corpora\ntitle: T\nbaseline: pre\nmetric: accuracy\nsteps: 150\nevaluate_at: 0,150\nseeds: 4\n"
         "summaries: [corpora]\ndataset: [synthetic, tinyshakespeare]\n" ARMS,
         METRIC_accuracy, -1);
    const CorporaSum *s = c.sum;
    cr_assert(s->higher && c.metric == METRIC_accuracy);
    NEAR(s->iqm[1].iqm, -1.5);
    NEAR(s->iqm[2].iqm, .2);
    cr_expect(s->mean_rank[2] == 1 && s->mean_rank[3] == 4);
    corpora_profile(s, 2, tau, 4, band);
    cr_expect(band[3].share == 1 / 8. && band[2].share == 5 / 8. && band[1].share == 7 / 8. && band[0].share == 1);
    WRITES(corpora_text, "share of runs at least");
    WRITES(corpora_text, "higher is better");
}

/* ln 65 nats over ln 2 and the bytes of a target: far behind every run that ended, and not left out. */
Test(over_corpora, a_diverged_run_counts_as_the_uniform_predictor) {
    made_up_init(HEAD ARMS, NULL);
    fill(METRIC_bits_per_byte, 1);
    made_up_diverge(made_up_at(0, 2, 1), 40);
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(corpora_make(&c, &m.table.sample));
    const SampleRun *run = sample_run(&m.table.sample, 0, m.table.sample.cell[0].steps - 1, 2, 1);
    cr_assert(run->diverged && isfinite(run->value[METRIC_bits_per_byte]));
    NEAR(c.sum->score[2 * 8 + 1], run->value[METRIC_bits_per_byte] - 1.3);
    cr_expect(c.diverged[2] == 1 && made_up_writes(table_json, "\"diverged\": 1"));
}

Test(over_corpora, are_written_whole) {
    make(HEAD "layers: [2, 4]\n" ARMS, METRIC_bits_per_byte, 1);
    cr_assert(c.groups == 2 && !strcmp(c.group[1], "layers = 4"));
    WRITES(table_text, "\nOver corpora, layers = 4\n");
    WRITES(table_json, "\"critical_difference\": null");
    WRITES(table_json, "\"minus_baseline_lo\"");
}

/* Taus are round, and lost runs do not stretch them. */
Test(over_corpora, taus_are_round) {
    double tau[CORPORA_TAUS_MAX];
    make(HEAD ARMS, METRIC_bits_per_byte, 1);
    int taus = corpora_taus(c.sum, tau);
    cr_assert(taus == 4, "%d", taus);
    for (int i = 0; i < taus; i++) NEAR(tau[i], i);
}

Test(over_corpora, profiles_are_drawn) {
    OWNED Figure *figure;
    Plot plot;
    make(HEAD "layers: [2, 4]\n" ARMS, METRIC_bits_per_byte, 1);
    int figures = figure_list(&m.table, &figure), found = 0;
    for (int i = 0; i < figures; i++) {
        if (figure[i].kind != FIGURE_corpora) continue;
        found++;
        figure_plot(&m.table, &figure[i], &plot);
        const PlotPanel *panel = plot.panel;
        cr_expect(panel->series_count == 4 && panel->series[3].of == m.table.sample.baseline, "the baseline is on top");
        for (int k = 0; k < panel->series_count; k++) {
            const PlotSeries *s = &panel->series[k];
            double before = 0;
            cr_expect_eq(s->draw, PLOT_STEPS | PLOT_BAND);
            for (int at = 0; at < s->points; before = s->at[at++].y)
                cr_expect(s->at[at].y >= before && s->at[at].lo <= s->at[at].y && s->at[at].y <= s->at[at].hi);
            cr_expect(!s->at[0].y && before == 1, "all runs lie between the ends");
        }
        cr_expect_str_eq(panel->y.label, "share of runs");
        plot_release(&plot);
    }
    cr_expect_eq(found, 2);
    cr_expect_str_eq(figure[0].name, "made-up-corpora-corpora-layers=2");
}

Test(over_corpora, none_without_being_asked) {
    made_up(made_up_four, "quick", (TableOptions){0});
    cr_expect_not(corpora_make(&c, &m.table.sample));
    OMITS(corpora_tex, "a");
    OMITS(corpora_text, "a");
    OMITS(table_json, "\"friedman\"");
}

/* Runs stall by the unigram model of their own corpus; an arm with other tokens has another one. */
Test(over_corpora, failures_name_the_loss_of_each_corpus) {
    static const char *const says[] = {"each token occurs (3.347 nats). ",
                                       "each token occurs (3.347 nats on synthetic, 2.500 on tinyshakespeare). ",
                                       "each token occurs. "};
    for (int kind = 0; kind < 3; kind++) {
        made_up_init(HEAD ARMS, NULL);
        m.x.summary[SUMMARY_failures] = true;
        for (int arm = 0; arm < m.x.arms && kind; arm++)
            for (int seed = 0; seed < m.x.seeds; seed++) made_up_at(1, arm, seed)->unigram = arm ? 2.5 * kind : 2.5;
        OK(made_up_table((TableOptions){0}, &e));
        OWNED char *text = made_up_write(failures_text);
        made_up_unbroken(text);
        cr_expect(strstr(text, says[kind]), "'%s' is not in:\n%s", says[kind], text);
    }
}
