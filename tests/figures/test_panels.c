/* What an experiment's `table:` and `panels:` show, on made-up runs. */
#include "tests/figures/drawn.h"

/* Runs stored before the probe was asked for: a note stands in its panel's place, the others are drawn. */
Test(panels, a_panel_without_a_number_says_so) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml,
             "probes: [weight_norm, block_output_most]\n"
             "panels: [valid_loss, weight_norm, block_grad_norm, block_output_most]\n%s",
             made_up_four);
    made_up(yaml, "quick", (TableOptions){0});
    draw(FIGURE_curves);
    cr_expect(!plot.panel[0].note && plot.panel[0].series[0].points > 1);
    cr_expect_str_eq(plot.panel[1].note, "weight_norm: not measured");
    for (int i = 0; i < plot.panel[1].series_count; i++) cr_expect_eq(plot.panel[1].series[i].points, 0);
    OWNED char *blocks = made_up_write(figure_blocks_csv);
    cr_expect(strstr(blocks, ",block_output_most,0,") && strstr(blocks, ",grad_norm,0,"));
    Rc rc = figure_draw(&m.table, own_folder(), 1, &e);
    cr_expect(!rc || strstr(e.text, "gnuplot: not"), "%s", e.text);
}

/* The last point of a law of an arm at the last step; laws stand behind the arms' points, three of each arm. */
static const PlotSeries *law_of(int arm, int law) {
    const PlotSeries *s = &plot.panel[2].series[m.x.arms + 3 * arm + law];
    cr_assert(s->of == arm && s->draw == PLOT_LINE && s->points == 41 && !s->style.point);
    cr_expect_float_eq(s->at[40].x, 3, 1e-9);
    return s;
}

/* All three laws of an arm: of exp(l) the exponential one is exact and thick, of (l + 1) / 2 the linear and the power
 * law are. The power law of exp(l) through l = 1 to 4 by hand: log y = a + p log l with p = 2.104924, a = -0.172390. */
static void laws_hold(void) {
    static const char *const name[] = {"linear", "exponential", "power"}, *const dash[] = {"1", "(8,4)", "(1.5,2.5)"};
    cr_expect_float_eq(law_of(0, 1)->at[40].y, 20.0855369, 1e-6);
    cr_expect_float_eq(law_of(0, 2)->at[40].y, 15.57479, 1e-3);
    cr_expect_float_eq(law_of(1, 0)->at[40].y, 2, 1e-6);
    cr_expect_float_eq(law_of(1, 2)->at[40].y, 2, 1e-6);
    for (int law = 0; law < 3; law++) {
        const PlotEntry *entry = &plot.entry[m.x.arms + law];
        cr_expect_eq(law_of(0, law)->width, law == 1 ? 1.4 : 0.5, "the exponential one is preferred");
        cr_expect_str_eq(law_of(0, law)->style.dash, dash[law]);
        cr_expect(!strcmp(entry->label, name[law]) && !strcmp(entry->style.dash, dash[law]), "%s", name[law]);
    }
    cr_expect_eq(plot.entries, m.x.arms + 3, "each is named once");
}

static void points_are(int panel, int arm, unsigned how, const double want[4]) {
    const PlotSeries *s = series(panel, arm, how, 0);
    for (int i = 0; i < 4; i++)
        cr_expect(s->at[i].x == i && fabs(s->at[i].y - want[i]) < 1e-7, "panel %d, arm %d, block %d", panel, arm, i);
}

/* A variance of known laws, a gradient, a headroom: what is drawn is that, with the laws' names. */
Test(panels, growth_over_depth) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "probes: [growth]\n%s", made_up_four);
    made_up_init(yaml, "quick");
    made_up_growth();
    OK(made_up_table((TableOptions){0}, &e));
    static const double linear[] = {0.5, 1, 1.5, 2}, grows[] = {1, 2.71828183, 7.3890561, 20.0855369},
                        flat[] = {1.5, 1.5, 1.5, 1.5};
    draw(FIGURE_growth);
    cr_assert_eq(plot.panels, 6);
    points_are(0, 0, PLOT_POINTS, linear);
    points_are(2, 0, PLOT_POINTS, grows);
    points_are(2, 1, PLOT_POINTS, linear);
    points_are(4, 1, PLOT_LINE | PLOT_POINTS, flat);
    const PlotSeries *room = series(5, 0, PLOT_LINE, 0);
    for (int i = 0; i < 3; i++) cr_expect(room->at[i].x == 10 * i && fabs(room->at[i].y - 2) < 1e-9, "the headroom");
    cr_expect(noted("At the last step: baseline exponential"), "the law with the least AIC");
    laws_hold();
    cr_expect(plot.panel[5].levels == 1 && plot.panel[5].level[0].at == 0, "the limit of fp16");
    cr_expect_str_eq(plot.panel[0].title, "variance of the stream, first step");
    cr_expect_str_eq(plot.panel[4].title, "gradient of the stream, last tenth");
    OWNED Figure *figure;
    made_up(made_up_four, "quick", (TableOptions){0});
    int figures = figure_list(&m.table, &figure);
    for (int i = 0; i < figures; i++) cr_expect(figure[i].kind != FIGURE_growth, "nobody asked for the probes");
}

/* Six seeds count 0 to 5 spikes, at the largest rate two of them diverged; a run of 128 steps has none to be judged. */
Test(panels, spikes_over_rates) {
    made_up_init(made_up_rates, NULL);
    for (int cell = 0; cell < 4; cell++)
        for (int seed = 0; seed < 6; seed++) {
            RunRecord *r = made_up_at(cell, 1, seed);
            for (int i = 0; i < r->evaluations; i++) r->evaluation[i].metric[METRIC_grad_spikes] = seed;
            if (cell == 3 && seed > 3) made_up_diverge(r, 40);
        }
    OK(made_up_table((TableOptions){0}, &e));
    static const double rate[] = {3e-4, 1e-3, 3e-3, 1e-2};
    draw(FIGURE_spikes);
    const PlotSeries *line = series(0, 1, PLOT_BARS | PLOT_LINE | PLOT_POINTS, 0);
    const PlotSeries *lost = series(0, 1, PLOT_POINTS, PLOT_cross);
    cr_assert(line->points == 4 && lost->points == 1);
    for (int k = 0; k < 4; k++) {
        bool whole = k < 3;
        cr_expect_float_eq(line->at[k].x / rate[k], 1.02920053, 1e-8, "beside the other arm");
        cr_expect(line->at[k].y == (whole ? 2.5 : 1.5) && !line->at[k].lo && line->at[k].hi == (whole ? 5 : 3));
    }
    cr_expect(lost->at[0].x == line->at[3].x && lost->at[0].y == 1.5, "a mean that lacks two");
    lost = series(1, 1, PLOT_POINTS, PLOT_cross);
    cr_expect(lost->points == 1 && !lost->at[0].y, "loss spikes: none, but two runs are lost");
    cr_expect_str_eq(plot.panel[0].title, "gradient spikes, warmup=0");
    cr_expect_str_eq(plot.panel[3].title, "loss spikes, warmup=40");
    cr_expect(plot.panel[0].y.most == plot.panel[2].y.most && plot.panel[0].y.most > 5 && plot.panel[1].y.most < 2);
    cr_expect(noted("a cross marks a mean that lacks some"));
    char yaml[1000], *at;
    OWNED Figure *figure;
    snprintf(yaml, sizeof yaml, "%s", made_up_rates);
    cr_assert((at = strstr(yaml, "steps: 150")));
    memcpy(at, "steps: 128", 10);
    cr_assert((at = strstr(yaml, "0,150")));
    memcpy(at, "0,128", 5);
    made_up(yaml, NULL, (TableOptions){0});
    int figures = figure_list(&m.table, &figure);
    for (int i = 0; i < figures; i++) cr_expect(figure[i].kind != FIGURE_spikes, "no step has 128 before it");
}

/* The experiment says which metrics are rows and which curves are panels. */
Test(panels, rows_and_panels_are_the_experiments) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "table: [bits_per_byte, {metric: perplexity, heading: PPL & co}]\n"
                                "panels: [train_loss, {curve: valid_loss, axis: log}]\n%s", made_up_four);
    made_up(yaml, "quick", (TableOptions){0});
    OWNED char *tex = made_up_write(table_tex), *text = made_up_write(table_text),
         *csv = made_up_write(figure_csv);
    OWNED char *macros = made_up_write(table_macros), *blocks = made_up_write(figure_blocks_csv);
    cr_expect(strstr(tex, "\nbits per byte \\ensuremath{\\downarrow} &") && strstr(tex, "\nPPL \\& co \\ensuremath{"));
    cr_expect(!strstr(tex, "accuracy"));
    cr_expect(strstr(text, "\n  bits per byte ↓ ") && strstr(text, "\n  PPL & co ↓ "));
    cr_expect(!strstr(text, "\n  accuracy "));
    cr_expect(strstr(macros, "BitsPerByte") && !strstr(macros, "Accuracy"));
    cr_expect(strstr(csv, ",train_loss,") && strstr(csv, ",valid_loss,") && !strstr(csv, ",grad_norm,"));
    cr_expect(!strstr(blocks, "grad_norm"), "no curve of the blocks was asked for");
    draw(FIGURE_curves);
    cr_expect(!strcmp(plot.panel[0].title, "train loss") && plot.panel[1].y.log);
}
