#include "bench/compare/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/print.h"
#include "bench/figures/figure.h"
#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/verdict/words.h"
#include "bench/write/stat_json.h"

/* The run of an arm with a number; both stand in the pick. */
static const PickedRun *run_of(const Pick *p, const char *arm, uint64_t seed) {
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].why && (uint64_t)p->run[i].number == seed && !strcmp(p->run[i].arm, arm)) return &p->run[i];
    return NULL;
}

/* Steps that every used run has, then at most so many of them, with the first and the last. */
static void find_steps(CompareCurves *c, const Pick *p) {
    const LogSeries *one = NULL;
    for (int i = 0; i < p->runs && !one; i++)
        if (!p->run[i].why && !pick_lost(&p->run[i])) one = p->run[i].series;
    for (int i = 0; i < p->runs && !one; i++)
        if (!p->run[i].why) one = p->run[i].series;
    OWNED double *shared = mem_alloc(one->count, sizeof *shared);
    for (size_t k = 0; k < one->count; k++) {
        bool all = true;
        for (int i = 0; i < p->runs && all; i++)
            if (!p->run[i].why) all = pick_value_at(&p->run[i], one->at[k].step, NULL);
        if (all) shared[c->shared++] = one->at[k].step;
    }
    c->steps = c->shared < CURVES_STEPS_MAX ? c->shared : CURVES_STEPS_MAX;
    for (int k = 0; k < c->steps; k++)
        c->step[k] = shared[c->steps < 2 ? 0 : (long)k * (c->shared - 1) / (c->steps - 1)];
}

static void read_values(CompareCurves *c, const Pick *p, double cap) {
    const CompareData *d = c->data;
    size_t all = (size_t)d->arms * (size_t)d->seeds * (size_t)c->steps;
    c->value = mem_alloc(all, sizeof *c->value), c->diverged = mem_alloc(all, sizeof *c->diverged);
    c->mean = mem_alloc((size_t)d->arms * (size_t)c->steps, sizeof *c->mean);
    for (int arm = 0; arm < d->arms; arm++)
        for (int s = 0; s < d->runs[arm]; s++) {
            const PickedRun *run = run_of(p, d->arm[arm], d->seed[arm * d->seeds + s]);
            for (int k = 0; k < c->steps; k++) {
                int at = (k * d->arms + arm) * d->seeds + s;
                double x;
                (void)pick_value_at(run, c->step[k], &x);
                c->value[at] = x, c->diverged[at] = isnan(x);
                c->mean[arm * c->steps + k] += (isnan(x) ? cap : x) / d->runs[arm];
            }
        }
}

/* Return the place in data->arm of an arm, counted without the baseline. */
static int arm_of(const CompareCurves *c, int other) {
    return other + (other >= c->baseline);
}

static void compare_at(CompareCurves *c, int other, int step, double cap) {
    const CompareData *d = c->data;
    int first = step * d->arms * d->seeds;
    StKey key = {.stream = (uint64_t)(other * c->steps + step)};
    CompareData at = *d;
    Comparison *to = &c->family.at[other * c->steps + step];
    at.value = c->value + first, at.diverged = c->diverged + first, at.block = NULL;
    to->what = contrast_pair(0, step, (Metric)0, arm_of(c, other), c->baseline, (double)NAN);
    compare_pair(&c->family, to, &at, NULL,
                 (PairedRuns){.cap = cap, .higher = c->higher, .flip = key, .ranks = key, .boot = key});
}

static Rc check_lost(const CompareCurves *c, double cap, Error *e) {
    const CompareData *d = c->data;
    for (int i = 0; i < c->steps * d->arms * d->seeds && isnan(cap); i++)
        if (c->diverged[i])
            return error_set(e, RC_USAGE,
                             "a run of arm '%.80s' diverged at step %g: --cap VALUE says what it counts as",
                             d->arm[i / d->seeds % d->arms], c->step[i / d->seeds / d->arms]);
    return RC_OK;
}

Rc compare_curves_make(CompareCurves *c, const CompareCorpora *data, const Pick *p, const CompareOptions *o, Error *e) {
    const CompareData *d = &data->of[0];
    *c = (CompareCurves){.data = d, .metric = p->metric, .higher = o->higher};
    if (data->corpora > 1)
        return error_set(e, RC_USAGE, "--at every takes one corpus, and there are %d", data->corpora);
    if (compare_find_baseline(d, o->baseline, &c->baseline, e)) return e->code;
    find_steps(c, p);
    if (c->steps < 2)
        return error_set(e, RC_USAGE, "--at every: runs share %d step%s; two are needed", c->shared,
                         c->shared == 1 ? "" : "s");
    read_values(c, p, o->cap);
    if (check_lost(c, o->cap, e)) return e->code;
    st_init();
    c->family = (Family){.tests = PAIRED_T | PAIRED_FLIP | PAIRED_RANKS | PAIRED_INTERVAL,
                         .alpha = compare_alpha(o->conf),
                         .conf = o->conf,
                         .unpaired = d->unpaired,
                         .n = compare_fewest_runs(d)};
    family_begin(&c->family, (d->arms - 1) * c->steps);
    for (int other = 0; other < d->arms - 1; other++)
        for (int step = 0; step < c->steps; step++) compare_at(c, other, step, o->cap);
    compare_together(&c->family);
    return RC_OK;
}

void compare_curves_release(CompareCurves *c) {
    if (c->family.at) family_release(&c->family);
    free(c->value), free(c->diverged), free(c->mean);
    *c = (CompareCurves){0};
}

const Comparison *compare_curves_at(const CompareCurves *c, int other, int step) {
    return &c->family.at[other * c->steps + step];
}

int compare_curves_from(const CompareCurves *c, int other) {
    int from = -1;
    bool lower = decision_lower(compare_curves_at(c, other, c->steps - 1)->decision);
    for (int step = c->steps - 1; step >= 0; step--) {
        Decision d = compare_curves_at(c, other, step)->decision;
        if (!decision_apart(d) || decision_lower(d) != lower) break;
        from = step;
    }
    return from;
}

Rc compare_curves_exit(const CompareCurves *c) {
    OWNED bool *last = mem_alloc((size_t)c->family.count, sizeof *last);
    for (int i = 0; i < c->family.count; i++) last[i] = (i + 1) % c->steps == 0;
    return comparisons_gate(c->family.at, c->family.count, last, &(FailOn){0});
}

enum { SHOWN_STEPS = 10 };

static double band(const Comparison *c, bool high) {
    bool made = c->t_decides && c->together.status == ST_OK;
    return made ? high ? c->together.hi : c->together.lo : (double)NAN;
}

static void row(const CompareCurves *c, int other, int step, Cells *cells) {
    const Comparison *x = compare_curves_at(c, other, step);
    int arm = arm_of(c, other);
    cells_row(cells);
    cell_text(cells, c->data->arm[arm]);
    cell_exact(cells, c->step[step]);
    cell_shown(cells, c->mean[c->baseline * c->steps + step],
               SHOW_WITH_ERROR(c->mean[c->baseline * c->steps + step], x->t.se, false));
    cell_shown(cells, x->t.mean, SHOW_WITH_ERROR(x->t.mean, x->t.se, true));
    cell_interval_shown(cells, band(x, false), band(x, true),
                        isnan(band(x, true)) ? "unbounded" : SHOW_BOUNDS(band(x, false), band(x, true), x->t.se));
    cell_p(cells, x->joint.step);
    cell_by(cells, decision_words, &c->family, x, x->decision, c->higher ? 1 : -1, NULL);
}

/* every: all steps, for programs. */
static void fill(const CompareCurves *c, bool every, Cells *cells) {
    cells_columns(cells, {"arm", "l", "arm"}, {"step", "r", "step"},
                  {"baseline", "r", SHOW_TEXT("%.80s", c->data->arm[c->baseline])}, {"delta", "r", "Δ"},
                  {"delta", "i", SHOW_TEXT("[%s%% jointly]", FORMAT_PERCENT(c->family.conf))},
                  {"p_adj", "r", "p_adj"}, {"verdict", "l", "verdict"});
    int shown = every || c->steps < SHOWN_STEPS ? c->steps : SHOWN_STEPS;
    for (int other = 0; other < c->data->arms - 1; other++) {
        if (other) cells_space(cells);
        for (int k = 0; k < shown; k++) row(c, other, shown < 2 ? 0 : k * (c->steps - 1) / (shown - 1), cells);
    }
}

static void say(const CompareCurves *c, Text *out) {
    const CompareData *d = c->data;
    text_format(out, "%s, %d step%s from %s", c->metric, c->steps, c->steps == 1 ? "" : "s", FORMAT_REAL(c->step[0]));
    text_format(out, " to %s", FORMAT_REAL(c->step[c->steps - 1]));
    if (c->steps < c->shared) text_format(out, ", evenly chosen of the %d that all runs have", c->shared);
    if (d->unpaired)
        text_format(out, "; %d arms, unpaired", d->arms);
    else
        text_format(out, "; %d arms, %d paired seeds", d->arms, d->seeds);
    text_format(out, "; %s is better; the baseline is %s. Δ is arm minus baseline.\n", c->higher ? "higher" : "lower",
                d->arm[c->baseline]);
}

static void notes(const CompareCurves *c, Text *out) {
    for (int other = 0; other < c->data->arms - 1; other++) {
        int from = compare_curves_from(c, other);
        const Comparison *last = compare_curves_at(c, other, c->steps - 1);
        const char *arm = c->data->arm[arm_of(c, other)];
        if (from < 0)
            text_format(out, "%s is not shown to differ at the last step.\n", arm);
        else
            text_format(out, "%s is %s from step %s on.\n", arm, decision_lower(last->decision) ? "lower" : "higher",
                        FORMAT_REAL(c->step[from]));
    }
    text_format(out,
                "With %s %% confidence all differences lie in their brackets, over %d steps%s at once (%s); p_adj is "
                "adjusted over the same.\n",
                FORMAT_PERCENT(c->family.conf), c->steps, c->data->arms > 2 ? " and all arms" : "",
                c->data->unpaired ? "relabelling, Bonferroni" : "sign flips, max-T");
    if (c->family.floor >= c->family.alpha)
        text_format(out, "%d %s cannot reach p < %s: nothing can be decided.\n", c->family.n,
                    c->data->unpaired ? "runs" : "seeds", FORMAT_REAL(c->family.alpha));
}

void compare_curves_page(const CompareCurves *c, ComparePage *p) {
    *p = compare_page_new();
    say(c, &p->head), notes(c, &p->notes);
    compare_reading(c->data, &p->reading);
    fill(c, false, cells_add(&p->tables, "curves", ""));
}

void compare_curves_json(const CompareCurves *c, Text *out) {
    json_t *o = json_begin(COMPARE_SCHEMA), *from = json_array();
    LOCAL(cells_release) Cells cells = {0};
    json_add(o, "metric", c->metric, "baseline", c->data->arm[c->baseline], "better", c->higher ? "higher" : "lower",
             "confidence", c->family.conf, "unpaired", c->data->unpaired);
    compare_reading_json(c->data, o);
    for (int other = 0; other < c->data->arms - 1; other++) {
        int first = compare_curves_from(c, other);
        json_array_append_new(from, json_new("arm", c->data->arm[arm_of(c, other)], "differs_from",
                                             first < 0 ? json_null() : json_number_of(c->step[first])));
    }
    cells_init(&cells, "curves", "");
    fill(c, true, &cells);
    json_print(json_add(o, "arms", from, "curves", cells_json(&cells)), JSON_EXACT, out);
}

void compare_curves_plot(const CompareCurves *c, Plot *p) {
    plot_init(p, 1, 170);
    plot_text(&p->title, "Each arm minus %s over steps", c->data->arm[c->baseline]);
    plot_text(&p->caption, "%s", p->title);
    PlotPanel *panel =
        plot_panel(p, "", "step", SHOW_TEXT("%.100s minus %.150s's", c->metric, c->data->arm[c->baseline]));
    plot_level(panel, 0, "", false);
    for (int other = 0; other < c->data->arms - 1; other++) {
        int arm = arm_of(c, other);
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
    snprintf(text, sizeof text,
             "A line is the mean difference, a band its %s %% interval, jointly over steps and arms, from %d %s.",
             FORMAT_PERCENT(c->family.conf), c->family.n,
             c->data->unpaired ? "runs an arm" : "paired seeds");
    plot_note(p, text);
}
