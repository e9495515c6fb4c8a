#include "bench/compare/print_curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/compare/print.h"
#include "bench/figures/figure.h"
#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/verdict/words.h"
#include "bench/write/stat_json.h"

enum { SHOWN_STEPS = 10 };

static double band(const Comparison *c, bool high) {
    bool made = c->t_decides && c->together.status == ST_OK;
    return made ? high ? c->together.hi : c->together.lo : (double)NAN;
}

static void row(const CompareCurves *c, int other, int step, Cells *cells) {
    const Comparison *x = compare_curves_at(c, other, step);
    int arm = compare_curves_arm(c, other);
    char shown[48], low[48], high[160];
    Text words;
    cells_row(cells);
    cell_text(cells, c->data->arm[arm]);
    cell_exact(cells, c->step[step]);
    cell_shown(cells, c->mean[c->baseline * c->steps + step],
               show_with_error(shown, c->mean[c->baseline * c->steps + step], x->t.se, false));
    cell_shown(cells, x->t.mean, show_with_error(shown, x->t.mean, x->t.se, true));
    snprintf(high, sizeof high, "[%s, ", show_with_error(low, band(x, false), x->t.se, false));
    snprintf(high + strlen(high), sizeof high - strlen(high), "%s]",
             show_with_error(low, band(x, true), x->t.se, false));
    cell_interval_shown(cells, band(x, false), band(x, true), isnan(band(x, true)) ? "unbounded" : high);
    cell_p(cells, x->joint.step);
    text_init(&words);
    decision_words(&c->family, x, x->decision, c->higher ? 1 : -1, NULL, &words);
    cell_text(cells, words.at);
    text_release(&words);
}

/* every: all steps, for programs. */
static void fill(const CompareCurves *c, bool every, Cells *cells) {
    char heading[120], conf[40];
    cells_init(cells, "curves", "");
    cells_column(cells, "arm", 'l', "arm");
    cells_column(cells, "step", 'r', "step");
    snprintf(heading, sizeof heading, "%.80s", c->data->arm[c->baseline]);
    cells_column(cells, "baseline", 'r', heading);
    cells_column(cells, "delta", 'r', "Δ");
    snprintf(heading, sizeof heading, "[%s%% jointly]", format_real(conf, round(1e8 * c->family.conf) / 1e6));
    cells_column(cells, "delta", 'i', heading);
    cells_column(cells, "p_adj", 'r', "p_adj");
    cells_column(cells, "verdict", 'l', "verdict");
    int shown = every || c->steps < SHOWN_STEPS ? c->steps : SHOWN_STEPS;
    for (int other = 0; other < c->data->arms - 1; other++) {
        if (other) cells_space(cells);
        for (int k = 0; k < shown; k++) row(c, other, shown < 2 ? 0 : k * (c->steps - 1) / (shown - 1), cells);
    }
}

static void say(const CompareCurves *c, Text *out) {
    const CompareData *d = c->data;
    char number[40];
    text_format(out, "%s, %d step%s from %s", c->metric, c->steps, c->steps == 1 ? "" : "s",
                format_real(number, c->step[0]));
    text_format(out, " to %s", format_real(number, c->step[c->steps - 1]));
    if (c->steps < c->shared) text_format(out, ", evenly chosen of the %d that all runs have", c->shared);
    if (d->unpaired)
        text_format(out, "; %d arms, unpaired", d->arms);
    else
        text_format(out, "; %d arms, %d paired seeds", d->arms, d->seeds);
    text_format(out, "; %s is better; baseline: %s. Δ = arm - baseline.\nRead as %s.\n", c->higher ? "higher" : "lower",
                d->arm[c->baseline], d->columns);
    text_format(out, "%s", d->remarks);
}

static void notes(const CompareCurves *c, Text *out) {
    char number[40], step[40];
    for (int other = 0; other < c->data->arms - 1; other++) {
        int from = compare_curves_from(c, other);
        const Comparison *last = compare_curves_at(c, other, c->steps - 1);
        const char *arm = c->data->arm[compare_curves_arm(c, other)];
        if (from < 0)
            text_format(out, "%s is not shown to differ at the last step.\n", arm);
        else
            text_format(out, "%s is %s from step %s on.\n", arm, decision_lower(last->decision) ? "lower" : "higher",
                        format_real(step, c->step[from]));
    }
    text_format(
        out,
        "Brackets: with %s %% confidence all differences lie in theirs, over %d steps%s at once (%s). p_adj: adjusted "
        "over the same.\n",
        format_real(number, round(1e8 * c->family.conf) / 1e6), c->steps, c->data->arms > 2 ? " and all arms" : "",
        c->data->unpaired ? "relabelling, Bonferroni" : "sign flips, max-T");
    if (c->family.floor >= c->family.alpha)
        text_format(out, "%d %s cannot reach p < %s: nothing can be decided.\n", c->family.n,
                    c->data->unpaired ? "runs" : "seeds", format_real(number, c->family.alpha));
}

void compare_curves_text(const CompareCurves *c, int width, Text *out) {
    Cells cells;
    Text words;
    text_init(&words);
    say(c, &words);
    compare_paragraphs(words.at, width, out);
    fill(c, false, &cells);
    text_format(out, "\n");
    cells_text(&cells, width, out);
    text_clear(&words);
    notes(c, &words);
    text_format(out, "\n");
    compare_paragraphs(words.at, width, out);
    text_release(&words);
    cells_release(&cells);
}

void compare_curves_markdown(const CompareCurves *c, Text *out) {
    Cells cells;
    Text words;
    text_init(&words);
    notes(c, &words);
    fill(c, false, &cells);
    cells_markdown(&cells, out);
    text_format(out, "\n");
    markdown_text(words.at, out);
    text_release(&words);
    cells_release(&cells);
}

void compare_curves_tex(const CompareCurves *c, Text *out) {
    Cells cells;
    Text words;
    text_init(&words);
    say(c, &words), notes(c, &words);
    compare_comments(words.at, out);
    fill(c, false, &cells);
    cells_tabular(&cells, &(TexLayout){0}, out);
    text_release(&words);
    cells_release(&cells);
}

void compare_curves_json(const CompareCurves *c, Text *out) {
    json_t *o = json_object(), *from = json_array();
    Cells cells;
    json_put_count(o, "schema", COMPARE_SCHEMA);
    json_put_made_by(o);
    json_put_text(o, "metric", c->metric);
    json_put_text(o, "baseline", c->data->arm[c->baseline]);
    json_put_text(o, "better", c->higher ? "higher" : "lower");
    json_put(o, "confidence", c->family.conf);
    json_object_set_new(o, "unpaired", json_boolean(c->data->unpaired));
    json_put_text(o, "read_as", c->data->columns);
    for (int other = 0; other < c->data->arms - 1; other++) {
        int first = compare_curves_from(c, other);
        json_t *one = json_object();
        json_put_text(one, "arm", c->data->arm[compare_curves_arm(c, other)]);
        json_object_set_new(one, "differs_from", first < 0 ? json_null() : json_number_of(c->step[first]));
        json_array_append_new(from, one);
    }
    json_object_set_new(o, "arms", from);
    fill(c, true, &cells);
    json_object_set_new(o, "curves", cells_json(&cells));
    json_print(o, JSON_EXACT, out);
    cells_release(&cells);
}

void compare_curves_plot(const CompareCurves *c, Plot *p) {
    char label[300], number[40];
    plot_init(p, 1, 170);
    plot_text(&p->title, "Each arm minus %s over steps", c->data->arm[c->baseline]);
    plot_text(&p->caption, "%s", p->title);
    snprintf(label, sizeof label, "%.100s minus %.150s's", c->metric, c->data->arm[c->baseline]);
    PlotPanel *panel = plot_panel(p, "", "step", label);
    plot_level(panel, 0, "", false);
    for (int other = 0; other < c->data->arms - 1; other++) {
        int arm = compare_curves_arm(c, other);
        PlotStyle style = figure_style(arm, c->baseline);
        plot_entry(p, style, c->data->arm[arm]);
        PlotSeries *s = plot_series(panel, style, arm, PLOT_BAND | PLOT_LINE);
        for (int k = 0; k < c->steps; k++) {
            const Comparison *x = compare_curves_at(c, other, k);
            bool made = !isnan(band(x, true));
            plot_point(s, c->step[k], x->t.mean, made ? band(x, false) : x->t.mean, made ? band(x, true) : x->t.mean);
            plot_widen(&panel->y, x->t.mean), plot_widen(&panel->y, band(x, false)),
                plot_widen(&panel->y, band(x, true));
        }
    }
    plot_widen(&panel->y, 0);
    plot_room(&panel->y);
    plot_steps(&panel->x, (int)c->step[c->steps - 1]);
    char text[300];
    snprintf(text, sizeof text, "Line: mean difference; band: %s %% jointly over steps and arms, from %d %s.",
             format_real(number, round(1e8 * c->family.conf) / 1e6), c->family.n,
             c->data->unpaired ? "runs an arm" : "paired seeds");
    plot_note(p, text);
}
