#include "bench/write/figure_groups.h"

#include "bench/write/summaries.h"

enum { ACROSS = 3, MOST_PANELS = 9, HEIGHT = 112, HEIGHT_NARROW = 105 };

static int groups_of(const Table *t) {
    int factor = sensitivity_factor(t->x);
    return factor < 0 ? 0 : t->sample.cells / t->x->factor[factor].values;
}

static bool together(const Table *t) {
    return groups_of(t) <= MOST_PANELS;
}

int groups_parts(const Table *t) {
    return together(t) ? groups_of(t) > 0 : groups_of(t);
}

bool groups_any(const Table *t, int part) {
    (void)part;
    return t->sample.arms > 0;
}

RateGroup groups_at(const Table *t, int group) {
    RateGroup g;
    g.rates = sensitivity_cells(t->x, group, g.cell, g.rate);
    return g;
}

/* The cell of its first rate as the experiment lists them. */
static int first_cell(const Table *t, int group) {
    RateGroup g = groups_at(t, group);
    int first = g.cell[0];
    for (int k = 1; k < g.rates; k++) first = g.cell[k] < first ? g.cell[k] : first;
    return first;
}

int groups_named_cell(const Table *t, int part) {
    return together(t) ? -1 : first_cell(t, part);
}

int groups_first(const Table *t, int part) {
    return together(t) ? 0 : part;
}

int groups_end(const Table *t, int part) {
    return together(t) ? groups_of(t) : part + 1;
}

char *groups_title(char out[256], const Table *t, int group) {
    return figure_where(out, t->x, first_cell(t, group), "lr");
}

void groups_panels(const Table *t, int part, Sheet *s) {
    int groups = groups_end(t, part) - groups_first(t, part), lines = 1;
    char where[256];
    for (int group = groups_first(t, part); group < groups_end(t, part); group++) {
        int own = sheet_title_lines(s, groups < ACROSS ? groups : ACROSS, groups_title(where, t, group)) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, groups, ACROSS, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
}

void groups_bands(const Table *t, int group, Text *out) {
    for (int arm = 0; arm < t->sample.arms && t->sample.seeds > 1; arm++)
        text_format(out,
                    "$d%d_%d using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s' notitle, "
                    "\\\n  ",
                    group, arm, figure_style(t, arm).colour);
}

void groups_line(const Table *t, int group, int arm, const Sheet *s, Text *out) {
    text_format(out, "$d%d_%d using 1:2 with linespoints pt %d ps %g", group, arm, figure_style(t, arm).point,
                0.4 * s->mark);
    sheet_line(t, arm, 1.2, out);
    text_format(out, " notitle");
}

void groups_rate_axis(const RateGroup *g, const Sheet *s, Text *out) {
    int fit = sheet_fit(s->width / s->columns - s->left - s->right, 7) / 6;
    int each = fit > 0 ? (g->rates + fit - 1) / fit : g->rates;
    char text[SHOWN];
    text_format(out, "set logscale x\nset xrange [%.9g:%.9g]\nset xtics (", g->rate[0] / 1.25,
                g->rate[g->rates - 1] * 1.25);
    for (int k = 0; k < g->rates; k++)
        text_format(out, "%s'%s' %.9g", k ? ", " : "", k % each ? "" : show_rate(text, g->rate[k]), g->rate[k]);
    text_format(out, ")\n");
}
