/* NAME-rates: the last value of the deciding metric against the learning rate, where `lr` is a factor: a panel for each
 * combination of the other factors. */
#include <math.h>
#include <stdio.h>

#include "bench/verdict/sensitivity.h"
#include "bench/write/figure_sheet.h"
#include "bench/write/sensitivity.h"

enum { ACROSS = 3, MOST_PANELS = 9, HEIGHT = 112, HEIGHT_NARROW = 105 };

static int groups_of(const Table *t) {
    int factor = sensitivity_factor(t->x);
    return factor < 0 ? 0 : t->sample.cells / t->x->factor[factor].values;
}

static bool together(const Table *t) {
    return groups_of(t) <= MOST_PANELS;
}

static int parts(const Table *t) {
    return together(t) ? groups_of(t) > 0 : groups_of(t);
}

static bool any(const Table *t, int part) {
    (void)part;
    return t->sample.arms > 0;
}

/* A group's cell at level k of the rate. */
static int cell_at(const Table *t, int group, int k) {
    int factor = sensitivity_factor(t->x), stride = 1, cell = 0;
    for (int f = t->x->factors - 1; f > factor; f--) stride *= t->x->factor[f].values;
    for (int seen = 0;; cell++)
        if (!experiment_level(t->x, cell, factor) && seen++ == group) break;
    return cell + k * stride;
}

static int named_cell(const Table *t, int part) {
    return together(t) ? -1 : cell_at(t, part, 0);
}

static int first_group(const Table *t, int part) {
    return together(t) ? 0 : part;
}

static int end_group(const Table *t, int part) {
    return together(t) ? groups_of(t) : part + 1;
}

static SampleArm number(const Table *t, int cell, int arm) {
    return sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, t->metric);
}

/* $d: means and band; $b: the best of the means; $x: the runs that diverged, at what they count as. */
static void arm_blocks(const Table *t, int group, int arm, Text *out) {
    RateLevel rate[EXPERIMENT_MOST_VALUES];
    int rates = sensitivity_rates(t->x, rate), best = -1, lost = 0;
    double most = 0;
    text_format(out, "$d%d_%d << END\n", group, arm);
    for (int k = 0; k < rates; k++) {
        SampleArm a = number(t, cell_at(t, group, rate[k].level), arm);
        double good = metric_info[t->metric].better * a.mean;
        if (a.status != ST_OK) {
            text_format(out, "%.9g NaN NaN NaN\n", rate[k].rate);
            continue;
        }
        text_format(out, "%.9g %.9g %.9g %.9g\n", rate[k].rate, a.mean, a.least, a.most);
        if (best < 0 || good > most) best = k, most = good;
    }
    text_format(out, "END\n$b%d_%d << END\n", group, arm);
    if (best >= 0 && metric_info[t->metric].better)
        text_format(out, "%.9g %.9g\nEND\n", rate[best].rate, number(t, cell_at(t, group, rate[best].level), arm).mean);
    else
        text_format(out, "1 NaN\nEND\n");
    text_format(out, "$x%d_%d << END\n", group, arm);
    for (int k = 0; k < rates; k++) {
        int cell = cell_at(t, group, rate[k].level);
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const SampleRun *run = sample_run(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, seed);
            if (!run->diverged || !isfinite(run->value[t->metric])) continue;
            text_format(out, "%.9g %.9g\n", rate[k].rate, run->value[t->metric]);
            lost++;
        }
    }
    text_format(out, lost ? "END\n" : "1 NaN\nEND\n");
}

static void data(const Table *t, int part, Text *out) {
    for (int group = first_group(t, part); group < end_group(t, part); group++)
        for (int arm = 0; arm < t->sample.arms; arm++) arm_blocks(t, group, arm, out);
}

/* Of all that is drawn in the figure, so that its panels have one axis. */
static void range_of(const Table *t, int part, double *least, double *most, int *lost) {
    RateLevel rate[EXPERIMENT_MOST_VALUES];
    int rates = sensitivity_rates(t->x, rate);
    *least = (double)INFINITY, *most = -(double)INFINITY, *lost = 0;
    for (int group = first_group(t, part); group < end_group(t, part); group++)
        for (int i = 0; i < rates * t->sample.arms; i++) {
            SampleArm a = number(t, cell_at(t, group, i % rates), i / rates);
            *lost += a.diverged;
            if (a.status == ST_OK) *least = fmin(*least, a.least), *most = fmax(*most, a.most);
        }
}

static void rate_axis(const Table *t, const Sheet *s, Text *out) {
    RateLevel rate[EXPERIMENT_MOST_VALUES];
    int rates = sensitivity_rates(t->x, rate), fit = sheet_fit(s->width / s->columns - s->left - s->right, 7) / 6;
    int each = fit > 0 ? (rates + fit - 1) / fit : rates;
    char text[SHOWN];
    text_format(out, "set logscale x\nset xrange [%.9g:%.9g]\nset xtics (", rate[0].rate / 1.25,
                rate[rates - 1].rate * 1.25);
    for (int k = 0; k < rates; k++)
        text_format(out, "%s'%s' %.9g", k ? ", " : "", k % each ? "" : show_rate(text, rate[k].rate), rate[k].rate);
    text_format(out, ")\n");
}

static void panel_plot(const Table *t, int group, int panel, double least, double most, const Sheet *s, Text *out) {
    int arms = t->sample.arms;
    bool log_axis = figure_log_axis(AXIS_auto, least, most);
    char name[256], unit[120];
    figure_where(name, t->x, cell_at(t, group, 0), "lr");
    snprintf(unit, sizeof unit, "%s%s", metric_info[t->metric].heading, log_axis ? ", log axis" : "");
    sheet_panel(s, panel, name, unit, "learning rate", out);
    rate_axis(t, s, out);
    sheet_yrange(least, most, log_axis, out);
    text_format(out, "plot ");
    for (int arm = 0; arm < arms && t->sample.seeds > 1; arm++)
        text_format(out,
                    "$d%d_%d using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s' notitle, "
                    "\\\n  ",
                    group, arm, figure_style(t, arm).colour);
    for (int i = 1; i <= arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % arms;
        FigureStyle style = figure_style(t, arm);
        text_format(out, "$d%d_%d using 1:2 with linespoints pt %d ps %g", group, arm, style.point, 0.4 * s->mark);
        sheet_line(t, arm, 1.2, out);
        text_format(
            out,
            " notitle, \\\n  $x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle, \\\n  $b%d_%d "
            "using 1:2 with points pt 6 ps %g lw 1 lc rgb '%s' notitle%s",
            group, arm, 0.7 * s->mark, style.colour, group, arm, 0.95 * s->mark, style.colour,
            i < arms ? ", \\\n  " : "\n");
    }
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    double least, most;
    char where[256] = "", note[300];
    int lost, groups = end_group(t, part) - first_group(t, part), lines = 1, better = metric_info[t->metric].better;
    range_of(t, part, &least, &most, &lost);
    snprintf(where, sizeof where, "after %d steps", t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    snprintf(note, sizeof note, "%s%s%s",
             t->sample.seeds > 1 ? "Line: mean of the seeds; band: smallest to largest." : "",
             better ? " Ring: an arm's best rate." : "",
             lost ? " Cross: a run that diverged, which counts as the uniform predictor." : "");
    sheet_note(s, note[0] == ' ' ? note + 1 : note);
    for (int group = first_group(t, part); group < end_group(t, part); group++) {
        figure_where(where, t->x, cell_at(t, group, 0), "lr");
        int own = sheet_title_lines(s, groups < ACROSS ? groups : ACROSS, where) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, groups, ACROSS, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
    sheet_open(s, out);
    for (int group = first_group(t, part); group < end_group(t, part); group++)
        panel_plot(t, group, group - first_group(t, part), least, most, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int part, Text *out) {
    char where[256] = "";
    if (!together(t)) figure_where(where, t->x, cell_at(t, part, 0), "lr");
    text_format(out, "%s%s%s: %s after the last step against the learning rate.", t->x->title, where[0] ? ", " : "",
                where, metric_info[t->metric].heading);
}

const FigureRow figure_rates = {"rates", parts, any, named_cell, "lr", data, draw, caption, NULL};
