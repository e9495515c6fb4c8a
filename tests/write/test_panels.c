/* What an experiment's `table:` and `panels:` show, on made-up runs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/write/figure.h"
#include "tests/verdict/made_up.h"

static MadeUp m; /* too large for a stack; each test has its own process */
static Error e;

TestSuite(panels, .timeout = 600);

static void make(const char *yaml, const char *profile, TableOptions options) {
    made_up_init(&m, yaml, profile);
    cr_assert_eq(made_up_table(&m, options, &e), RC_OK, "%s", e.text);
}

/* The first figure of a kind, as gnuplot is told to draw it. */
static void script_of(FigureKind kind, Text *script) {
    figure_script(&m.table, &(Figure){.kind = kind}, FIGURE_SVG, script);
}

/* Runs stored before the probe was asked for: a note stands in its panel's place, the others are drawn. */
Test(panels, a_panel_without_a_number_says_so) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml,
             "probes: [weight_norm, block_output_most]\n"
             "panels: [valid_loss, weight_norm, block_grad_norm, block_output_most]\n%s",
             made_up_four);
    make(yaml, "quick", (TableOptions){0});
    Text script;
    text_init(&script);
    script_of(FIGURE_curves, &script);
    cr_expect(strstr(script.at, "'weight_norm: not measured'") && strstr(script.at, "plot $d0_0 "));
    cr_expect(!strstr(script.at, "plot $d1_0 "));
    text_release(&script);
    char *blocks = made_up_write(&m, figure_blocks_csv);
    cr_expect(strstr(blocks, ",block_output_most,0,") && strstr(blocks, ",grad_norm,0,"));
    free(blocks);
    char to[64] = "/tmp/normbench-figure-XXXXXX";
    cr_assert(mkdtemp(to));
    Rc rc = figure_draw(&m.table, to, 1, &e);
    cr_expect(!rc || strstr(e.text, "gnuplot: not"), "%s", e.text);
    folder_remove(to);
    made_up_release(&m);
}

/* Block $fL_A: the last point of law L, of the panel of the last step from 6, of arm A. */
static double law_end(const char *script, int law, int arm) {
    char head[40];
    double x = 0, y = 0;
    snprintf(head, sizeof head, "$f%d_%d << END\n", law, arm);
    const char *at = strstr(script, head);
    cr_assert(at, "%s", head);
    for (at += strlen(head); strncmp(at, "END", 3) != 0; at += strcspn(at, "\n") + 1)
        cr_assert_eq(sscanf(at, "%lf %lf", &x, &y), 2);
    cr_expect_float_eq(x, 3, 1e-9);
    return y;
}

/* All three laws of an arm: of exp(l) the exponential one is exact and thick, of (l + 1) / 2 the linear and the power
 * law are. The power law of exp(l) through l = 1 to 4 by hand: log y = a + p log l with p = 2.104924, a = -0.172390. */
static void laws_hold(const char *script) {
    cr_expect_float_eq(law_end(script, 7, 0), 20.0855369, 1e-6);
    cr_expect_float_eq(law_end(script, 8, 0), 15.57479, 1e-3);
    cr_expect_float_eq(law_end(script, 6, 1), 2, 1e-6);
    cr_expect_float_eq(law_end(script, 8, 1), 2, 1e-6);
    cr_expect(strstr(script, "$f7_0 using 1:2 with lines lc rgb '#000000' dt (8,4) lw 1.4"), "preferred");
    cr_expect(strstr(script, "$f6_0 using 1:2 with lines lc rgb '#000000' dt 1 lw 0.5"), "not preferred");
    cr_expect(strstr(script, "$f8_0 using 1:2 with lines lc rgb '#000000' dt (1.5,2.5) lw 0.5"), "not preferred");
    static const char *const name[] = {"linear", "exponential", "power"};
    for (int i = 0; i < 3; i++) {
        char label[40];
        snprintf(label, sizeof label, "set label '%s' at", name[i]);
        const char *first = strstr(script, label);
        cr_expect(first && !strstr(first + 1, label), "%s is named once", name[i]);
    }
}

/* A variance of known laws, a gradient, a headroom: what is drawn is that, with the laws' names. */
Test(panels, growth_over_depth) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "probes: [growth]\n%s", made_up_four);
    made_up_init(&m, yaml, "quick");
    made_up_growth(&m);
    cr_assert_eq(made_up_table(&m, (TableOptions){0}, &e), RC_OK, "%s", e.text);
    Text script;
    text_init(&script);
    script_of(FIGURE_growth, &script);
    cr_expect(strstr(script.at, "$g0_0 << END\n0 0.5\n1 1\n2 1.5\n3 2\nEND"), "the first step");
    cr_expect(strstr(script.at, "$g2_0 << END\n0 1\n1 2.71828183\n2 7.3890561\n3 20.0855369\nEND"), "the last");
    cr_expect(strstr(script.at, "$g2_1 << END\n0 0.5\n1 1\n2 1.5\n3 2\nEND"));
    cr_expect(strstr(script.at, "$g4_1 << END\n0 1.5\n1 1.5\n"), "the gradient");
    cr_expect(strstr(script.at, "$g5_0 << END\n0 2\n10 2\n20 2\n"), "the headroom");
    cr_expect(strstr(script.at, "Last step: baseline exponential"), "the law with the least AIC");
    laws_hold(script.at);
    cr_expect(strstr(script.at, "plot 0 with lines"), "the limit of fp16");
    char *named[] = {"variance of the stream, first step", "gradient of the stream, last tenth"};
    for (int i = 0; i < 2; i++) cr_expect(strstr(script.at, named[i]), "%s", named[i]);
    text_release(&script);
    Figure *figure;
    made_up_release(&m);
    make(made_up_four, "quick", (TableOptions){0});
    int figures = figure_list(&m.table, &figure);
    for (int i = 0; i < figures; i++) cr_expect(figure[i].kind != FIGURE_growth, "nobody asked for the probes");
    free(figure);
    made_up_release(&m);
}

/* Six seeds count 0 to 5 spikes, at the largest rate two of them diverged; a run of 128 steps has none to be judged. */
Test(panels, spikes_over_rates) {
    made_up_init(&m, made_up_rates, NULL);
    for (int cell = 0; cell < 4; cell++)
        for (int seed = 0; seed < 6; seed++) {
            RunRecord *r = made_up_at(&m, cell, 1, seed);
            for (int i = 0; i < r->evaluations; i++) r->evaluation[i].metric[METRIC_grad_spikes] = seed;
            if (cell == 3 && seed > 3) made_up_diverge(r, 40);
        }
    cr_assert_eq(made_up_table(&m, (TableOptions){0}, &e), RC_OK, "%s", e.text);
    Text script;
    text_init(&script);
    script_of(FIGURE_spikes, &script);
    cr_expect(strstr(script.at, "$d0_1 << END\n0.000308760158 2.5 0 5\n0.00102920053 2.5 0 5\n0.00308760158 2.5 0 5\n"
                                "0.0102920053 1.5 0 3\nEND\n$x0_1 << END\n0.0102920053 1.5\nEND"), "%.600s", script.at);
    cr_expect(strstr(script.at, "$x1_1 << END\n0.0102920053 0\nEND"), "loss spikes: none, but two runs are lost");
    cr_expect(strstr(script.at, "'gradient spikes, warmup=0'") && strstr(script.at, "'loss spikes, warmup=40'"));
    cr_expect(strstr(script.at, "a cross marks a mean that lacks some"));
    text_release(&script);
    made_up_release(&m);
    char yaml[1000], *at;
    Figure *figure;
    snprintf(yaml, sizeof yaml, "%s", made_up_rates);
    cr_assert((at = strstr(yaml, "steps: 150")));
    memcpy(at, "steps: 128", 10);
    cr_assert((at = strstr(yaml, "0,150")));
    memcpy(at, "0,128", 5);
    make(yaml, NULL, (TableOptions){0});
    int figures = figure_list(&m.table, &figure);
    for (int i = 0; i < figures; i++) cr_expect(figure[i].kind != FIGURE_spikes, "no step has 128 before it");
    free(figure);
    made_up_release(&m);
}

/* The experiment says which metrics are rows and which curves are panels. */
Test(panels, rows_and_panels_are_the_experiments) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "table: [bits_per_byte, {metric: perplexity, heading: PPL & co}]\n"
                                "panels: [train_loss, {curve: valid_loss, axis: log}]\n%s", made_up_four);
    make(yaml, "quick", (TableOptions){0});
    char *tex = made_up_write(&m, table_tex), *text = made_up_write(&m, table_text),
         *csv = made_up_write(&m, figure_csv);
    char *macros = made_up_write(&m, table_macros), *blocks = made_up_write(&m, figure_blocks_csv);
    cr_expect(strstr(tex, "mean bits per byte $\\downarrow$") && strstr(tex, "mean PPL \\& co $\\downarrow$"));
    cr_expect(!strstr(tex, "accuracy"));
    cr_expect(strstr(text, "\nbits per byte  ") && strstr(text, "\nPPL & co  ") && !strstr(text, "\naccuracy "));
    cr_expect(strstr(macros, "BitsPerByte") && !strstr(macros, "Accuracy"));
    cr_expect(strstr(csv, ",train_loss,") && strstr(csv, ",valid_loss,") && !strstr(csv, ",grad_norm,"));
    cr_expect(!strstr(blocks, "grad_norm"), "no curve of the blocks was asked for");
    Text script;
    text_init(&script);
    script_of(FIGURE_curves, &script);
    cr_expect(strstr(script.at, "set label 'train loss'") && strstr(script.at, "set label 'nats per token, log axis'"));
    text_release(&script);
    free(tex), free(text), free(csv), free(macros), free(blocks);
    made_up_release(&m);
}
