/* Figures over the learning rate, where `lr` is a factor, a panel for each combination of the other factors:
 *   NAME-rates   the last value of the deciding metric
 *   NAME-budget  the least loss that k rates drawn from the grid without replacement are expected to give
 *                (stats/choice.h, st_expected_least). The ring shows how much of it is luck: all rates are tried, and
 *                other seeds choose
 *   NAME-spikes  how often a run's gradient norm and its training loss spike. A spike is counted against the 128 steps
 *                before it (bench/plan/metrics.def), so runs as short as that have no such figure */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/figures/figure.h"
#include "bench/verdict/sensitivity.h"
#include "bench/write/summaries.h"

enum { ACROSS = 3, PANELS_MAX = 9, HEIGHT = 112, KINDS = 2, WINDOW = 128 };

/* ---- groups: cells that differ in the rate alone; all in one part where they fit ---- */

typedef struct {
    int rates, cell[EXPERIMENT_VALUES_MAX];
    double rate[EXPERIMENT_VALUES_MAX]; /* ascending */
} RateGroup;

static int groups_of(const Table *t) {
    int factor = sensitivity_factor(t->x);
    return factor < 0 ? 0 : t->sample.cells / t->x->factor[factor].values;
}

static bool together(const Table *t) {
    return groups_of(t) <= PANELS_MAX;
}

static int parts(const Table *t) {
    return together(t) ? groups_of(t) > 0 : groups_of(t);
}

static RateGroup group_at(const Table *t, int group) {
    RateGroup g;
    g.rates = sensitivity_cells(t->x, group, g.cell, g.rate);
    return g;
}

/* The cell of its first rate as the experiment lists them. */
static int group_cell(const Table *t, int group) {
    RateGroup g = group_at(t, group);
    int first = g.cell[0];
    for (int k = 1; k < g.rates; k++) first = g.cell[k] < first ? g.cell[k] : first;
    return first;
}

static int named_cell(const Table *t, int part) {
    return together(t) ? -1 : group_cell(t, part);
}

static int first_group(const Table *t, int part) {
    return together(t) ? 0 : part;
}

static int end_group(const Table *t, int part) {
    return together(t) ? groups_of(t) : part + 1;
}

static char *group_title(char out[256], const Table *t, int group) {
    return figure_where(out, t->x, group_cell(t, group), "lr");
}

static void caption(const Table *t, int part, const char *shown, Text *out) {
    char where[256] = "";
    if (named_cell(t, part) >= 0) group_title(where, t, part);
    figure_caption_begin(t, where, out);
    text_format(out, ": %s.", shown);
}

/* A panel whose x axis is the group's rates. */
static PlotPanel *rate_panel(Plot *p, const RateGroup *g, const char *title, const char *unit) {
    PlotPanel *panel = plot_panel(p, title, "learning rate", unit);
    panel->x.least = g->rate[0] / 1.25, panel->x.most = g->rate[g->rates - 1] * 1.25, panel->x.log = true;
    for (int k = 0; k < g->rates; k++) plot_tick_at(&panel->x, g->rate[k], FORMAT_RATE(g->rate[k]));
    return panel;
}

/* An arm's line with its band from seed to seed. */
static PlotSeries *arm_line(const Table *t, PlotPanel *panel, int arm) {
    unsigned band = t->sample.seeds > 1 ? PLOT_BAND : 0;
    return plot_series(panel, figure_arm_style(t, arm), arm, band | PLOT_LINE | PLOT_POINTS);
}

/* ---- rates ---- */

static SampleArm number(const Table *t, int cell, int arm) {
    return sample_arm(&t->sample, cell, table_last(t, cell), arm, t->metric);
}

/* The rate that all seeds choose by their losses; -1: they cannot. */
static int chosen_rate(const Table *t, const RateGroup *g, int arm) {
    StGrid grid = sensitivity_grid(&t->sample, g->cell, g->rates, arm);
    int best = st_check_finite(grid.value, grid.n * grid.settings) == ST_OK ? (int)st_choose(&grid, grid.n) : -1;
    free((void *)grid.value);
    return best;
}

/* Means and band; a cross for each run that diverged, at what it counts as; a ring at the chosen rate. */
static int fill_arm(const Table *t, const RateGroup *g, int arm, PlotPanel *panel) {
    int best = metric_info[t->metric].better ? chosen_rate(t, g, arm) : -1, lost = 0;
    PlotSeries *line = arm_line(t, panel, arm);
    for (int k = 0; k < g->rates; k++) {
        SampleArm a = number(t, g->cell[k], arm);
        bool ok = a.status == ST_OK;
        lost += a.diverged;
        plot_point(line, g->rate[k], ok ? a.mean : (double)NAN, ok ? a.least : (double)NAN, ok ? a.most : (double)NAN);
    }
    PlotSeries *crosses = plot_series(panel, figure_mark_style(t, arm, PLOT_cross), arm, PLOT_POINTS);
    for (int k = 0; k < g->rates; k++)
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const SampleRun *run = sample_run(&t->sample, g->cell[k], t->sample.cell[g->cell[k]].steps - 1, arm, seed);
            double x = run->value[t->metric];
            if (run->diverged && isfinite(x)) plot_point(crosses, g->rate[k], x, x, x);
        }
    PlotSeries *ring = plot_series(panel, figure_mark_style(t, arm, PLOT_ring), arm, PLOT_POINTS);
    SampleArm at = best < 0 ? (SampleArm){.status = ST_BAD_ARG} : number(t, g->cell[best], arm);
    if (at.status == ST_OK) plot_point(ring, g->rate[best], at.mean, at.mean, at.mean);
    return lost;
}

static void rates_fill(const Table *t, int part, Plot *p) {
    char where[256], note[300];
    const char *diverged = metric_has_uniform(t->metric)
                               ? " A cross marks a run that diverged, which counts as a uniform guess (loss ln V)."
                               : " Where a run diverged, the arm has no mean.";
    int lost = 0, better = metric_info[t->metric].better;
    snprintf(where, sizeof where, "after %s", FIGURE_STEPS(t, named_cell(t, part)));
    figure_begin(p, t, where, ACROSS, HEIGHT);
    figure_legend(p, t);
    for (int group = first_group(t, part); group < end_group(t, part); group++) {
        RateGroup g = group_at(t, group);
        PlotPanel *panel = rate_panel(p, &g, group_title(where, t, group), metric_info[t->metric].heading);
        for (int i = 0; i < t->sample.arms; i++) lost += fill_arm(t, &g, figure_arm(t, i), panel);
    }
    plot_fit(p, 0, 1, PLOT_auto);
    snprintf(note, sizeof note, "%s%s%s",
             t->sample.seeds > 1 ? "A line is the mean of the seeds, a band goes from the smallest to the largest."
                                 : "",
             !better                              ? ""
             : t->metric == METRIC_valid_loss ? " A ring marks the rate that an arm's seeds choose."
                                              : " A ring marks the rate that an arm's seeds choose by their losses.",
             lost ? diverged : "");
    plot_note(p, note[0] == ' ' ? note + 1 : note);
}

static void rates_caption(const Table *t, int part, Text *out) {
    caption(t, part, SHOW_TEXT("%s after the last step against the learning rate", metric_info[t->metric].heading),
            out);
}

const FigureRow figure_rates = {"rates", parts, figure_always, named_cell, "lr", rates_fill, rates_caption, NULL};

/* ---- budget ---- */

/* Means over seeds and their range, by the number of rates tried; the ring: the mean loss at the rates that other seeds
 * choose, of several. */
static void fill_budget(const Table *t, const RateGroup *group, int arm, PlotPanel *panel) {
    StGrid g = sensitivity_grid(&t->sample, group->cell, group->rates, arm);
    size_t n = (size_t)t->sample.seeds, *chosen = mem_alloc(n, sizeof *chosen);
    double *x = mem_alloc(n, sizeof *x), sum = 0;
    PlotSeries *line = arm_line(t, panel, arm);
    for (int k = 1; k <= group->rates; k++) {
        PlotAxis of = {.least = (double)INFINITY, .most = -(double)INFINITY};
        double mean = 0;
        bool made = st_expected_least(&g, (size_t)k, x) == ST_OK;
        for (size_t s = 0; s < n && made; s++) mean += x[s] / (double)n, plot_widen(&of, x[s]);
        made = made && isfinite(mean);
        plot_point(line, k, made ? mean : (double)NAN, made ? of.least : (double)NAN, made ? of.most : (double)NAN);
    }
    PlotSeries *ring = plot_series(panel, figure_mark_style(t, arm, PLOT_ring), arm, PLOT_POINTS);
    bool judged = st_judge(&g, chosen, x) == ST_OK;
    for (size_t s = 0; s < n && judged; s++) sum += x[s];
    sum /= (double)n;
    if (judged && isfinite(sum)) plot_point(ring, group->rates, sum, sum, sum);
    free(x);
    free(chosen);
    free((void *)g.value);
}

static void budget_fill(const Table *t, int part, Plot *p) {
    char where[256];
    snprintf(where, sizeof where, "expected best after %s", FIGURE_STEPS(t, named_cell(t, part)));
    figure_begin(p, t, where, ACROSS, HEIGHT);
    figure_legend(p, t);
    plot_note(p, t->sample.seeds > 1
                     ? "A line is the least loss of so many rates of the grid, drawn without replacement, a mean of "
                       "the seeds; a band goes from the smallest to the largest. A ring is all rates tried, each "
                       "seed's chosen by the others. A run that diverged counts as a uniform guess (loss ln V)."
                     : "A line is the least loss of so many rates of the grid, drawn without replacement. A run that "
                       "diverged counts as a uniform guess (loss ln V).");
    for (int group = first_group(t, part); group < end_group(t, part); group++) {
        RateGroup g = group_at(t, group);
        PlotPanel *panel =
            plot_panel(p, group_title(where, t, group), "learning rates tried", metric_info[METRIC_valid_loss].heading);
        panel->x.least = 0.8, panel->x.most = g.rates + 0.2, panel->x.first = 1;
        panel->x.tick = g.rates > 6 ? plot_tick(g.rates, 6) : 1;
        for (int i = 0; i < t->sample.arms; i++) fill_budget(t, &g, figure_arm(t, i), panel);
    }
    plot_fit(p, 0, 1, PLOT_auto);
}

static void budget_caption(const Table *t, int part, Text *out) {
    caption(t, part, "expected best validation loss against the number of learning rates tried", out);
}

const FigureRow figure_budget = {"budget", parts, figure_always, named_cell, "lr", budget_fill, budget_caption, NULL};

/* ---- spikes ---- */

static const Metric counted[KINDS] = {METRIC_grad_spikes, METRIC_spikes};

static const SampleRun *last_run(const Table *t, int cell, int arm, int seed) {
    return sample_run(&t->sample, cell, table_last(t, cell), arm, seed);
}

/* An arm at a rate: over the seeds whose run did not diverge. */
typedef struct {
    int n, lost;
    double mean, least, most; /* NaN: all diverged */
} Spikes;

static Spikes spikes_of(const Table *t, int cell, int arm, Metric metric) {
    Spikes s = {0, 0, 0, (double)INFINITY, -(double)INFINITY};
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const SampleRun *run = last_run(t, cell, arm, seed);
        double x = run->value[metric];
        s.lost += run->diverged;
        if (run->diverged || !isfinite(x)) continue;
        s.mean += x, s.least = fmin(s.least, x), s.most = fmax(s.most, x), s.n++;
    }
    s.mean /= s.n;
    if (!s.n) s.mean = s.least = s.most = (double)NAN;
    return s;
}

/* Whether some run was long enough to be judged. */
static bool spikes_any(const Table *t, int part) {
    bool found = false;
    for (int group = first_group(t, part); group < end_group(t, part); group++) {
        RateGroup g = group_at(t, group);
        for (int i = 0; i < g.rates * t->sample.arms * t->sample.seeds; i++) {
            int seed = i % t->sample.seeds, arm = i / t->sample.seeds % t->sample.arms;
            const SampleRun *run = last_run(t, g.cell[i / t->sample.seeds / t->sample.arms], arm, seed);
            found |= !run->diverged && run->record->spec.steps > WINDOW;
        }
    }
    return found;
}

/* Arms stand beside each other at a rate: a factor on its axis. */
static double aside(const Table *t, int arm) {
    int arms = t->sample.arms;
    return pow(10, (arms > 7 ? 0.15 / (arms - 1) : 0.025) * (arm - (arms - 1) / 2.0));
}

/* Means with bars; a cross at a mean that lacks the runs that diverged. Returns how many did. */
static int fill_spikes(const Table *t, const RateGroup *g, int arm, Metric metric, PlotPanel *panel) {
    int lost = 0;
    PlotSeries *line = plot_series(panel, figure_arm_style(t, arm), arm, PLOT_BARS | PLOT_LINE | PLOT_POINTS);
    for (int k = 0; k < g->rates; k++) {
        Spikes s = spikes_of(t, g->cell[k], arm, metric);
        plot_point(line, g->rate[k] * aside(t, arm), s.mean, s.least, s.most);
    }
    PlotSeries *crosses = plot_series(panel, figure_mark_style(t, arm, PLOT_cross), arm, PLOT_POINTS);
    crosses->size = 0.9;
    for (int k = 0; k < g->rates; k++) {
        Spikes s = spikes_of(t, g->cell[k], arm, metric);
        lost += s.lost;
        if (s.lost && s.n) plot_point(crosses, g->rate[k] * aside(t, arm), s.mean, s.mean, s.mean);
    }
    return lost;
}

static void spikes_fill(const Table *t, int part, Plot *p) {
    char where[256];
    int lost = 0;
    snprintf(where, sizeof where, "spikes in %s", FIGURE_STEPS(t, named_cell(t, part)));
    figure_begin(p, t, where, KINDS, HEIGHT);
    figure_legend(p, t);
    for (int group = first_group(t, part); group < end_group(t, part); group++)
        for (int kind = 0; kind < KINDS; kind++) {
            RateGroup g = group_at(t, group);
            group_title(where, t, group);
            PlotPanel *panel = rate_panel(
                p, &g, SHOW_TEXT("%s%s%.200s", metric_info[counted[kind]].heading, where[0] ? ", " : "", where),
                "per run");
            plot_widen(&panel->y, 0), plot_widen(&panel->y, 1);
            for (int i = 0; i < t->sample.arms; i++) {
                int of_arm = fill_spikes(t, &g, figure_arm(t, i), counted[kind], panel);
                lost += kind ? 0 : of_arm;
            }
        }
    for (int kind = 0; kind < KINDS; kind++) plot_fit(p, kind, KINDS, PLOT_linear);
    plot_note(p, SHOW_TEXT("A spike is a step with z > 6 against the %d before.%s%s", WINDOW,
                           t->sample.seeds > 1
                               ? " A line is the mean of the seeds, a bar goes from the smallest to the largest."
                               : "",
                           lost ? " Runs that diverged are not counted; a cross marks a mean that lacks some." : ""));
}

static void spikes_caption(const Table *t, int part, Text *out) {
    caption(t, part, "spikes of the gradient norm and of the loss against the learning rate", out);
}

const FigureRow figure_spikes = {"spikes", parts, spikes_any, named_cell, "lr", spikes_fill, spikes_caption, NULL};
