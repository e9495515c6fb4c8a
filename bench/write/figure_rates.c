/* NAME-rates: the last value of the deciding metric against the learning rate, where `lr` is a factor: a panel for each
 * combination of the other factors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/figure_groups.h"
#include "bench/write/summaries.h"

static SampleArm number(const Table *t, int cell, int arm) {
    return sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, t->metric);
}

/* The rate that all seeds choose by their losses; -1: they cannot. */
static int chosen_rate(const Table *t, const RateGroup *g, int arm) {
    RateGrid grid = sensitivity_grid(&t->sample, g->cell, g->rates, arm);
    size_t n = (size_t)t->sample.seeds;
    StGrid of = {grid.loss, grid.untrained, (size_t)g->rates, n, NULL};
    int best = st_check_finite(grid.loss, n * of.settings) == ST_OK ? (int)st_choose(&of, n) : -1;
    free(grid.loss);
    return best;
}

/* $d: means and band; $b: that at the chosen rate; $x: the runs that diverged, at what they count as. */
static void arm_blocks(const Table *t, int group, int arm, Text *out) {
    RateGroup g = groups_at(t, group);
    int best = metric_info[t->metric].better ? chosen_rate(t, &g, arm) : -1, lost = 0;
    text_format(out, "$d%d_%d << END\n", group, arm);
    for (int k = 0; k < g.rates; k++) {
        SampleArm a = number(t, g.cell[k], arm);
        if (a.status == ST_OK)
            text_format(out, "%.9g %.9g %.9g %.9g\n", g.rate[k], a.mean, a.least, a.most);
        else
            text_format(out, "%.9g NaN NaN NaN\n", g.rate[k]);
    }
    text_format(out, "END\n$b%d_%d << END\n", group, arm);
    if (best >= 0 && number(t, g.cell[best], arm).status == ST_OK)
        text_format(out, "%.9g %.9g\nEND\n", g.rate[best], number(t, g.cell[best], arm).mean);
    else
        text_format(out, "1 NaN\nEND\n");
    text_format(out, "$x%d_%d << END\n", group, arm);
    for (int k = 0; k < g.rates; k++)
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const SampleRun *run = sample_run(&t->sample, g.cell[k], t->sample.cell[g.cell[k]].steps - 1, arm, seed);
            if (!run->diverged || !isfinite(run->value[t->metric])) continue;
            text_format(out, "%.9g %.9g\n", g.rate[k], run->value[t->metric]);
            lost++;
        }
    text_format(out, lost ? "END\n" : "1 NaN\nEND\n");
}

static void data(const Table *t, int part, Text *out) {
    for (int group = groups_first(t, part); group < groups_end(t, part); group++)
        for (int arm = 0; arm < t->sample.arms; arm++) arm_blocks(t, group, arm, out);
}

/* Of all that is drawn in the figure, so that its panels have one axis. */
static void range_of(const Table *t, int part, double *least, double *most, int *lost) {
    *least = (double)INFINITY, *most = -(double)INFINITY, *lost = 0;
    for (int group = groups_first(t, part); group < groups_end(t, part); group++) {
        RateGroup g = groups_at(t, group);
        for (int i = 0; i < g.rates * t->sample.arms; i++) {
            SampleArm a = number(t, g.cell[i % g.rates], i / g.rates);
            *lost += a.diverged;
            if (a.status == ST_OK) *least = fmin(*least, a.least), *most = fmax(*most, a.most);
        }
    }
}

static void panel_plot(const Table *t, int group, int panel, double least, double most, const Sheet *s, Text *out) {
    int arms = t->sample.arms;
    bool log_axis = figure_log_axis(AXIS_auto, least, most);
    char name[256], unit[120];
    RateGroup g = groups_at(t, group);
    snprintf(unit, sizeof unit, "%s%s", metric_info[t->metric].heading, log_axis ? ", log axis" : "");
    sheet_panel(s, panel, groups_title(name, t, group), unit, "learning rate", out);
    groups_rate_axis(&g, s, out);
    sheet_yrange(least, most, log_axis, out);
    text_format(out, "plot ");
    groups_bands(t, group, out);
    for (int i = 1; i <= arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % arms;
        FigureStyle style = figure_style(t, arm);
        groups_line(t, group, arm, s, out);
        text_format(out,
                    ", \\\n  $x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle, \\\n  $b%d_%d "
                    "using 1:2 with points pt 6 ps %g lw 1 lc rgb '%s' notitle%s",
                    group, arm, 0.7 * s->mark, style.colour, group, arm, 0.95 * s->mark, style.colour,
                    i < arms ? ", \\\n  " : "\n");
    }
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    double least, most;
    char where[256] = "", note[300];
    int lost, better = metric_info[t->metric].better;
    range_of(t, part, &least, &most, &lost);
    snprintf(where, sizeof where, "after %d steps", t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    snprintf(note, sizeof note, "%s%s%s",
             t->sample.seeds > 1 ? "Line: mean of the seeds; band: smallest to largest." : "",
             better ? " Ring: the rate that an arm's seeds choose." : "",
             lost ? " Cross: a run that diverged, which counts as the uniform predictor." : "");
    sheet_note(s, note[0] == ' ' ? note + 1 : note);
    groups_panels(t, part, s);
    sheet_open(s, out);
    for (int group = groups_first(t, part); group < groups_end(t, part); group++)
        panel_plot(t, group, group - groups_first(t, part), least, most, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int part, Text *out) {
    char where[256] = "";
    if (groups_named_cell(t, part) >= 0) groups_title(where, t, part);
    text_format(out, "%s%s%s: %s after the last step against the learning rate.", t->x->title, where[0] ? ", " : "",
                where, metric_info[t->metric].heading);
}

const FigureRow figure_rates = {"rates", groups_parts, groups_any, groups_named_cell, "lr", data, draw, caption, NULL};
