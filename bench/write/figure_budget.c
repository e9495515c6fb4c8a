/* NAME-budget: what a number of learning rates tried is expected to give, where `lr` is a factor: the least loss of k
 * rates drawn from the grid without replacement (stats/choice.h, st_expected_least), a panel for each combination of
 * the other factors. The ring shows how much of it is luck: all rates are tried, and other seeds choose. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/figure_groups.h"

/* An arm's line: means over seeds and their range, by the number of rates tried. */
typedef struct {
    int rates;
    double mean[EXPERIMENT_MOST_VALUES], least[EXPERIMENT_MOST_VALUES], most[EXPERIMENT_MOST_VALUES];
    double judged; /* mean loss at the rates that other seeds choose; NaN: one seed */
} Budget;

static void at_budget(const StGrid *g, Budget *b, int k, double *x) {
    b->mean[k] = 0, b->least[k] = (double)INFINITY, b->most[k] = -(double)INFINITY;
    bool made = st_expected_least(g, (size_t)k + 1, x) == ST_OK;
    for (size_t s = 0; s < g->n; s++) {
        double one = made ? x[s] : (double)NAN;
        b->mean[k] += one / (double)g->n, b->least[k] = fmin(b->least[k], one), b->most[k] = fmax(b->most[k], one);
    }
}

static Budget budget_of(const Table *t, int group, int arm) {
    RateGroup group_at = groups_at(t, group);
    RateGrid grid = sensitivity_grid(&t->sample, group_at.cell, group_at.rates, arm);
    size_t n = (size_t)t->sample.seeds, *chosen = mem_alloc(n, sizeof *chosen);
    double *x = mem_alloc(n, sizeof *x), sum = 0;
    StGrid g = {grid.loss, grid.untrained, (size_t)group_at.rates, n, NULL};
    Budget b = {.rates = group_at.rates};
    for (int k = 0; k < b.rates; k++) at_budget(&g, &b, k, x);
    bool judged = st_judge(&g, chosen, x) == ST_OK;
    for (size_t s = 0; s < n && judged; s++) sum += x[s];
    b.judged = judged ? sum / (double)n : (double)NAN;
    free(x);
    free(chosen);
    free(grid.loss);
    return b;
}

/* $d: rates tried, mean, smallest, largest; $j: all of them, chosen on other seeds. */
static void data(const Table *t, int part, Text *out) {
    for (int group = groups_first(t, part); group < groups_end(t, part); group++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            Budget b = budget_of(t, group, arm);
            text_format(out, "$d%d_%d << END\n", group, arm);
            for (int k = 0; k < b.rates; k++)
                if (isfinite(b.mean[k]))
                    text_format(out, "%d %.9g %.9g %.9g\n", k + 1, b.mean[k], b.least[k], b.most[k]);
                else
                    text_format(out, "%d NaN NaN NaN\n", k + 1);
            text_format(out, "END\n$j%d_%d << END\n", group, arm);
            if (isfinite(b.judged))
                text_format(out, "%d %.9g\nEND\n", b.rates, b.judged);
            else
                text_format(out, "1 NaN\nEND\n");
        }
}

/* Of all that is drawn in the figure, so that its panels have one axis. */
static void range_of(const Table *t, int part, double *least, double *most) {
    *least = (double)INFINITY, *most = -(double)INFINITY;
    for (int group = groups_first(t, part); group < groups_end(t, part); group++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            Budget b = budget_of(t, group, arm);
            for (int k = 0; k < b.rates; k++) *least = fmin(*least, b.least[k]), *most = fmax(*most, b.most[k]);
            *least = fmin(*least, b.judged), *most = fmax(*most, b.judged);
        }
}

static void panel_plot(const Table *t, int group, int panel, double least, double most, const Sheet *s, Text *out) {
    int arms = t->sample.arms, rates = groups_at(t, group).rates;
    bool log_axis = figure_log_axis(AXIS_auto, least, most);
    char name[256], unit[120];
    snprintf(unit, sizeof unit, "%s%s", metric_info[METRIC_valid_loss].heading, log_axis ? ", log axis" : "");
    sheet_panel(s, panel, groups_title(name, t, group), unit, "learning rates tried", out);
    text_format(out, "unset logscale x\nset xrange [0.8:%g]\nset xtics 1,%g\n", rates + 0.2,
                rates > 6 ? figure_tick(rates, 6) : 1);
    sheet_yrange(least, most, log_axis, out);
    text_format(out, "plot ");
    groups_bands(t, group, out);
    for (int i = 1; i <= arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % arms;
        groups_line(t, group, arm, s, out);
        text_format(out, ", \\\n  $j%d_%d using 1:2 with points pt 6 ps %g lw 1 lc rgb '%s' notitle%s", group, arm,
                    0.95 * s->mark, figure_style(t, arm).colour, i < arms ? ", \\\n  " : "\n");
    }
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    double least, most;
    char where[256];
    range_of(t, part, &least, &most);
    snprintf(where, sizeof where, "expected best after %d steps", t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    sheet_note(s, t->sample.seeds > 1 ? "Least loss of so many rates of the grid, drawn without replacement: mean of "
                                        "the seeds; band: smallest to largest. Ring: all rates tried, each seed's "
                                        "chosen by the others. A run that diverged counts as the uniform predictor."
                                      : "Least loss of so many rates of the grid, drawn without replacement. A run "
                                        "that diverged counts as the uniform predictor.");
    groups_panels(t, part, s);
    sheet_open(s, out);
    for (int group = groups_first(t, part); group < groups_end(t, part); group++)
        panel_plot(t, group, group - groups_first(t, part), least, most, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int part, Text *out) {
    char where[256] = "";
    if (groups_named_cell(t, part) >= 0) groups_title(where, t, part);
    text_format(out, "%s%s%s: expected best validation loss against the number of learning rates tried.", t->x->title,
                where[0] ? ", " : "", where);
}

const FigureRow figure_budget = {"budget", groups_parts, groups_any, groups_named_cell, "lr", data,
                                 draw,     caption,      NULL};
