/* NAME-spikes: how often a run's gradient norm and its training loss spike, against the learning rate, where `lr` is a
 * factor: two panels for each combination of the other factors. A spike is counted against the 128 steps before it
 * (bench/plan/metrics.def), so runs as short as that have no such figure. */
#include <math.h>
#include <stdio.h>

#include "bench/write/figure_groups.h"
#include "bench/write/summaries.h"

enum { ACROSS = 2, HEIGHT = 112, HEIGHT_NARROW = 105, KINDS = 2, WINDOW = 128 };

static const Metric counted[KINDS] = {METRIC_grad_spikes, METRIC_spikes};

static const SampleRun *run_of(const Table *t, int cell, int arm, int seed) {
    return sample_run(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, seed);
}

/* An arm at a rate: over the seeds whose run did not diverge. */
typedef struct {
    int n, lost;
    double mean, least, most; /* NaN: all diverged */
} Spikes;

static Spikes spikes_of(const Table *t, int cell, int arm, Metric metric) {
    Spikes s = {0, 0, 0, (double)INFINITY, -(double)INFINITY};
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const SampleRun *run = run_of(t, cell, arm, seed);
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
static bool any(const Table *t, int part) {
    bool found = false;
    for (int group = groups_first(t, part); group < groups_end(t, part); group++) {
        RateGroup g = groups_at(t, group);
        for (int i = 0; i < g.rates * t->sample.arms * t->sample.seeds; i++) {
            int seed = i % t->sample.seeds, arm = i / t->sample.seeds % t->sample.arms;
            const SampleRun *run = run_of(t, g.cell[i / t->sample.seeds / t->sample.arms], arm, seed);
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

/* $dP_A: rate, mean, smallest, largest of arm A in panel P; $x: the means of which some run diverged. */
static void arm_blocks(const Table *t, int group, int kind, int arm, Text *out) {
    RateGroup g = groups_at(t, group);
    int lost = 0;
    text_format(out, "$d%d_%d << END\n", group * KINDS + kind, arm);
    for (int k = 0; k < g.rates; k++) {
        Spikes s = spikes_of(t, g.cell[k], arm, counted[kind]);
        if (s.n)
            text_format(out, "%.9g %.9g %.9g %.9g\n", g.rate[k] * aside(t, arm), s.mean, s.least, s.most);
        else
            text_format(out, "%.9g NaN NaN NaN\n", g.rate[k]);
    }
    text_format(out, "END\n$x%d_%d << END\n", group * KINDS + kind, arm);
    for (int k = 0; k < g.rates; k++) {
        Spikes s = spikes_of(t, g.cell[k], arm, counted[kind]);
        if (!s.lost || !s.n) continue;
        text_format(out, "%.9g %.9g\n", g.rate[k] * aside(t, arm), s.mean);
        lost++;
    }
    text_format(out, lost ? "END\n" : "1 NaN\nEND\n");
}

static void data(const Table *t, int part, Text *out) {
    for (int group = groups_first(t, part); group < groups_end(t, part); group++)
        for (int i = 0; i < KINDS * t->sample.arms; i++)
            arm_blocks(t, group, i / t->sample.arms, i % t->sample.arms, out);
}

/* The largest of a kind in the figure, so that its panels have one axis; how many runs diverged. */
static double most_of(const Table *t, int part, int kind, int *lost) {
    double most = 1;
    *lost = 0;
    for (int group = groups_first(t, part); group < groups_end(t, part); group++) {
        RateGroup g = groups_at(t, group);
        for (int i = 0; i < g.rates * t->sample.arms; i++) {
            Spikes s = spikes_of(t, g.cell[i % g.rates], i / g.rates, counted[kind]);
            most = fmax(most, s.most), *lost += s.lost;
        }
    }
    return most;
}

static void panel_plot(const Table *t, int part, int panel, const Sheet *s, Text *out) {
    int kind = panel % KINDS, group = groups_first(t, part) + panel / KINDS, arms = t->sample.arms, lost;
    double most = most_of(t, part, kind, &lost);
    char where[256], title[SHEET_LINE];
    RateGroup g = groups_at(t, group);
    groups_title(where, t, group);
    snprintf(title, sizeof title, "%s%s%.150s", metric_info[counted[kind]].heading, where[0] ? ", " : "", where);
    sheet_panel(s, panel, title, "per run", "learning rate", out);
    groups_rate_axis(&g, s, out);
    sheet_yrange(0, most, false, out);
    text_format(out, "plot ");
    for (int i = 1; i <= arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % arms, at = group * KINDS + kind;
        const char *colour = figure_style(t, arm).colour;
        text_format(out, "$d%d_%d using 1:3:(0):($4-$3) with vectors nohead lw 0.8 lc rgb '%s' notitle, \\\n  ",
                    at, arm, colour);
        groups_line(t, at, arm, s, out);
        text_format(out, ", \\\n  $x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle%s", at, arm,
                    0.9 * s->mark, colour, i < arms ? ", \\\n  " : "\n");
    }
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    char where[256], note[SHEET_LINE];
    int lost, panels = KINDS * (groups_end(t, part) - groups_first(t, part)), lines = 1;
    snprintf(where, sizeof where, "spikes in %d steps", t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    most_of(t, part, 0, &lost);
    snprintf(note, sizeof note, "Steps with z > 6 against the %d before.%s%s", WINDOW,
             t->sample.seeds > 1 ? " Line: mean of the seeds; bar: smallest to largest." : "",
             lost ? " Runs that diverged are not counted; a cross marks a mean that lacks some." : "");
    sheet_note(s, note);
    for (int panel = 0; panel < panels; panel++) {
        char title[256], of[300];
        snprintf(of, sizeof of, "%s, %.200s", metric_info[counted[0]].heading,
                 groups_title(title, t, groups_first(t, part) + panel / KINDS));
        int own = sheet_title_lines(s, ACROSS, of) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, panels, ACROSS, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
    sheet_open(s, out);
    for (int panel = 0; panel < panels; panel++) panel_plot(t, part, panel, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int part, Text *out) {
    char where[256] = "";
    if (groups_named_cell(t, part) >= 0) groups_title(where, t, part);
    text_format(out, "%s%s%s: spikes of the gradient norm and of the loss against the learning rate.", t->x->title,
                where[0] ? ", " : "", where);
}

const FigureRow figure_spikes = {"spikes", groups_parts, any, groups_named_cell, "lr", data, draw, caption, NULL};
