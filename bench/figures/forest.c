/* The forest plot, and NAME-differences: every arm minus the baseline at the last step, one row per cell and arm, with
 * the numbers of NAME.json's `family`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/figures/figure.h"
#include "bench/verdict/words.h"

enum { ROWS_MAX = 40, DIGITS = 4 };

/* ---- a row ---- */

static bool has_interval(const Comparison *c) {
    return c->t_decides && c->t.status == ST_OK;
}

void forest_p(const Family *f, const Comparison *c, Text *out) {
    if (isnan(c->joint.step) || f->n < 2)
        text_format(out, "n/a");
    else if (f->joint.exact && !f->unpaired)
        text_format(out, "%llu/%llu", (unsigned long long)c->joint.step_count, (unsigned long long)f->joint.total);
    else
        text_format(out, "%s", SHOW_P(c->joint.step));
}

/* "worse, p 2/64": decision_words in the room that there is, without the baseline, which the axis names. */
static void verdict(const ForestRow *r, Text *out) {
    if (r->c->decision == DECISION_NOT_TESTABLE)
        text_format(out, "too few seeds");
    else if (r->c->decision == DECISION_INCONCLUSIVE)
        text_format(out, "not decided");
    else
        decision_words(r->family, r->c, r->c->decision, r->better, NULL, out);
    text_format(out, ", p ");
    forest_p(r->family, r->c, out);
}

void forest_row(PlotPanel *panel, const ForestRow *r) {
    const Comparison *c = r->c;
    LOCAL_TEXT(said);
    PlotRow *row = plot_row(panel, r->style, r->of, r->label);
    if (r->heading && r->heading[0]) plot_text(&row->heading, "%s", r->heading);
    if (!c || c->status != ST_OK) {
        plot_text(&row->words, "n/a");
        return;
    }
    for (size_t i = 0; i < c->pairs.n; i++) {
        bool lost = r->lost && r->lost[i];
        plot_value(row, lost && r->lost_at_end ? (double)INFINITY : c->pairs.d[i], lost);
        plot_widen(&panel->x, row->value[i]);
    }
    row->mean = row->lo = row->hi = c->t.mean;
    if (has_interval(c)) row->lo = c->t.lo, row->hi = c->t.hi;
    if (has_interval(c) || !r->lost_at_end) plot_widen(&panel->x, row->lo), plot_widen(&panel->x, row->hi);
    verdict(r, &said);
    plot_text(&row->words, "%s", said.at);
    plot_text(&row->numbers, "%s", r->numbers);
}

void forest_axis(PlotPanel *panel, const char *minus, int better, double margin) {
    PlotAxis *x = &panel->x;
    panel->zero = true;
    if (isfinite(margin)) panel->margin = margin;
    plot_widen(x, -1.15 * panel->margin), plot_widen(x, 1.15 * panel->margin);
    if (!(x->least < x->most)) x->least -= 1, x->most += 1;
    plot_room(x);
    plot_text(&x->label, "%s", minus);
    if (better) plot_text(&x->low, better < 0 ? "← better" : "← worse");
    if (better) plot_text(&x->high, better < 0 ? "worse →" : "better →");
}

/* ---- NAME-differences ---- */

/* The comparison of a cell's i-th pair; NULL: the runs end at step 0. */
static const Comparison *comparison_at(const Table *t, int cell, int i, Compared *pair) {
    Compared pairs[EXPERIMENT_COMPARES_MAX];
    (void)experiment_pairs(t->x, pairs);
    *pair = pairs[i];
    for (const Comparison *c = t->family.at; c < t->family.at + t->family.count; c++)
        if (c->what.cell == cell && c->what.step == table_last(t, cell) && c->what.term[0].arm == pair->arm &&
            c->what.term[1].arm == pair->against)
            return c;
    return NULL;
}

static int pairs_of(const Table *t) {
    Compared pairs[EXPERIMENT_COMPARES_MAX];
    return experiment_pairs(t->x, pairs);
}

static bool together(const Table *t) {
    return t->sample.cells * pairs_of(t) <= ROWS_MAX;
}

static int parts(const Table *t) {
    return together(t) ? 1 : t->sample.cells;
}

static int named_cell(const Table *t, int part) {
    return together(t) ? -1 : part;
}

static int first_cell(const Table *t, int part) {
    return together(t) ? 0 : part;
}

static int end_cell(const Table *t, int part) {
    return together(t) ? t->sample.cells : part + 1;
}

static bool any(const Table *t, int part) {
    int found = 0, pairs = pairs_of(t);
    Compared pair;
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int i = 0; i < pairs; i++) {
            const Comparison *c = comparison_at(t, cell, i, &pair);
            found += c && c->status == ST_OK;
        }
    return found > 0;
}

static bool diverged(const Table *t, const Comparison *c, int seed) {
    for (int i = 0; i < c->what.terms; i++)
        if (sample_run(&t->sample, c->what.cell, c->what.step, c->what.term[i].arm, seed)->diverged) return true;
    return false;
}

/* "+0.1173 [0.1120, 0.1227]" */
static void numbers(const Comparison *c, Text *out) {
    int digits = decimals_for(c->t.se, DIGITS);
    digits = digits > DIGITS ? DIGITS : digits;
    text_format(out, "%s", SHOW_SIGNED(c->t.mean, digits));
    if (has_interval(c)) text_format(out, " "), show_interval(out, c->t.lo, c->t.hi, digits, "");
}

/* Returns how many runs of it diverged. */
static int fill_row(const Table *t, int cell, int i, PlotPanel *panel) {
    Compared pair;
    LOCAL_TEXT(said);
    LOCAL_TEXT(label);
    const Comparison *c = comparison_at(t, cell, i, &pair);
    text_format(&label, "%s", t->x->arm[pair.arm].label);
    if (t->x->compares) text_format(&label, " minus %s", t->x->arm[pair.against].label);
    if (c) numbers(c, &said);
    OWNED bool *lost = mem_alloc((size_t)t->sample.seeds, sizeof *lost);
    for (int seed = 0; c && seed < t->sample.seeds; seed++) lost[seed] = diverged(t, c, seed);
    forest_row(panel, &(ForestRow){.family = &t->family,
                                   .c = c,
                                   .better = metric_info[t->metric].better,
                                   .heading = i ? NULL : FIGURE_WHERE(t->x, cell, NULL),
                                   .label = label.at,
                                   .numbers = said.at,
                                   .style = figure_arm_style(t, pair.arm),
                                   .of = pair.arm,
                                   .lost = lost});
    return c ? c->diverged_a + c->diverged_b : 0;
}

static void note_differences(const Table *t, int lost, Plot *p) {
    LOCAL_TEXT(note);
    text_format(&note, "○ is one seed (of %d). Below stands the mean", t->sample.seeds);
    if (t->sample.seeds > 1)
        text_format(&note, " with its paired %s%% %s interval", TABLE_CONFIDENCE(t), table_interval(t));
    text_format(&note, ".");
    if (isfinite(t->x->margin)) text_format(&note, " The shaded band is the margin, %s.", FORMAT_REAL(t->x->margin));
    text_format(&note, " Verdict and p are those of the %s at level %s, adjusted for the table's %d comparison%s.",
                t->family.anytime ? "anytime test of signs" : "sign-flip test", FORMAT_REAL(t->x->alpha),
                t->family.count, t->family.count == 1 ? "" : "s");
    if (lost && metric_has_uniform(t->metric))
        text_format(&note,
                    " × marks a run that diverged; it counts as a uniform guess (loss ln V), so there is no interval.");
    else if (lost)
        text_format(&note, " A run that diverged has no %s, so its arm is not compared (n/a).",
                    metric_info[t->metric].heading);
    plot_note(p, note.at);
}

static void fill(const Table *t, int part, Plot *p) {
    char words[400];
    int cell = first_cell(t, part), lost = 0, pairs = pairs_of(t);
    snprintf(words, sizeof words, "after %s", FIGURE_STEPS(t, named_cell(t, part)));
    figure_begin(p, t, words, 1, 0);
    PlotPanel *panel = plot_panel(p, "", "", "");
    for (; cell < end_cell(t, part); cell++)
        for (int i = 0; i < pairs; i++) lost += fill_row(t, cell, i, panel);
    if (t->x->compares)
        snprintf(words, sizeof words, "difference in %s", metric_info[t->metric].heading);
    else
        snprintf(words, sizeof words, "%s minus %.100s's", metric_info[t->metric].heading,
                 t->x->arm[t->sample.baseline].label);
    forest_axis(panel, words, metric_info[t->metric].better, t->x->margin);
    note_differences(t, lost, p);
}

static void caption(const Table *t, int part, Text *out) {
    char where[256] = "", margin[40];
    if (!together(t)) figure_where(where, t->x, part, NULL);
    figure_caption_begin(t, where, out);
    text_format(out, ": %s%s", t->x->compares ? "differences in " : "", metric_info[t->metric].heading);
    if (!t->x->compares) text_format(out, " minus %s's", t->x->arm[t->sample.baseline].label);
    text_format(out, " after the last step, a point per seed, the mean with its paired %s%% %s interval",
                TABLE_CONFIDENCE(t), table_interval(t));
    if (isfinite(t->x->margin)) text_format(out, "; shaded: within %s", format_real(margin, t->x->margin));
    text_format(out, ".");
}

const FigureRow figure_differences = {"differences", parts, any, named_cell, NULL, fill, caption, NULL};
