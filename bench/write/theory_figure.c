/* The statements' figure: a panel for every row of bench/plan/theory_panels.def, a line for every statement that names
 * it. A point is the mean over seeds, of logarithms where the axis is one; the band goes from the least seed to the
 * largest. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/write/figure_sheet.h"
#include "bench/write/theory.h"

enum { ACROSS = 2, HEIGHT = 120, HEIGHT_NARROW = 105 };

/* Lines are told apart as an experiment's arms are; none of them is a baseline. */
static const Table plain = {.sample = {.baseline = EXPERIMENT_MOST_ARMS}};

/* The statements' labels in their order, each once: a label looks the same in all panels. */
static int style_of(const Statement *s) {
    int place = 0;
    for (const Statement *other = statements; strcmp(other->label, s->label) != 0; other++) {
        bool first = other->panel != PANEL_none;
        for (const Statement *before = statements; before < other; before++)
            first = first && (before->panel == PANEL_none || strcmp(before->label, other->label) != 0);
        place += first;
    }
    return place;
}

static bool drawn(const StatementVerdict *v, int panel) {
    return (int)v->statement->panel == panel && v->points > 1;
}

/* Mean, least and most of a point's seeds; false: nothing that the axis can show. */
static bool point_of(const StatementVerdict *v, int point, double out[3]) {
    bool logs = panel_info[v->statement->panel].log_y;
    double sum = 0;
    out[1] = INFINITY, out[2] = -INFINITY;
    for (int seed = 0; seed < v->m->seeds; seed++) {
        double x = v->m->value[point * v->m->seeds + seed];
        if (!isfinite(x) || (logs && x <= 0)) return false;
        sum += logs ? log(x) : x;
        out[1] = fmin(out[1], x), out[2] = fmax(out[2], x);
    }
    out[0] = logs ? exp(sum / v->m->seeds) : sum / v->m->seeds;
    return true;
}

static void data(const StatementVerdict *all, Text *out) {
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        double y[3];
        if (!all[i].statement->panel || !drawn(&all[i], (int)all[i].statement->panel)) continue;
        text_format(out, "$d%d << EOD\n", i);
        for (int p = 0; p < all[i].points; p++)
            if (point_of(&all[i], p, y))
                text_format(out, "%.9g %.9g %.9g %.9g\n", all[i].m->x[p], y[0], y[1], y[2]);
        text_format(out, "EOD\n");
    }
}

static void range_of(const StatementVerdict *all, int panel, double x[2], double y[2]) {
    x[0] = y[0] = INFINITY, x[1] = y[1] = -INFINITY;
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        double at[3];
        if (!drawn(&all[i], panel)) continue;
        for (int p = 0; p < all[i].points; p++) {
            if (!point_of(&all[i], p, at)) continue;
            x[0] = fmin(x[0], all[i].m->x[p]), x[1] = fmax(x[1], all[i].m->x[p]);
            y[0] = fmin(y[0], at[1]), y[1] = fmax(y[1], at[2]);
        }
    }
    if (y[0] == y[1]) y[0] *= .9, y[1] *= 1.1; /* a panel of one size */
}

static void panel_plot(const StatementVerdict *all, int panel, int place, const Sheet *s, Text *out) {
    const PanelInfo *info = &panel_info[panel];
    double x[2], y[2];
    const char *before = "plot ";
    range_of(all, panel, x, y);
    sheet_panel(s, place, info->title, info->ylabel, info->xlabel, out);
    sheet_yrange(y[0], y[1], info->log_y, out);
    sheet_bounds(&x[0], &x[1], info->log_x);
    text_format(out, "%sset xrange [%.9g:%.9g]\nset xtics autofreq\n", info->log_x ? "set logscale x\n" : "",
                x[0], x[1]);
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        if (!drawn(&all[i], panel)) continue;
        FigureStyle style = figure_style(&plain, style_of(all[i].statement));
        text_format(out, "%s$d%d using 1:3:4 with filledcurves fs transparent solid 0.15 noborder lc rgb '%s' notitle",
                    before, i, style.colour);
        text_format(out, ", \\\n  $d%d using 1:2 with linespoints pt %d ps %g", i, style.point, .4 * s->mark);
        sheet_line(&plain, style_of(all[i].statement), 1.2, out);
        text_format(out, " notitle");
        before = ", \\\n  ";
    }
    text_format(out, "\n");
}

static void legends(const StatementVerdict *all, Sheet *s) {
    int next = 0;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (all[i].statement->panel && style_of(all[i].statement) == next)
            sheet_legend(s, next++, all[i].statement->label);
}

static void draw(const StatementVerdict *all, Sheet *s, Text *out) {
    int panels = 0;
    bool any[PANEL_COUNT] = {false};
    for (int panel = 1; panel < PANEL_COUNT; panel++) {
        for (int i = 0; i < STATEMENT_COUNT; i++) any[panel] |= drawn(&all[i], panel);
        panels += any[panel];
    }
    s->titles = 1;
    figure_cut(s->title[0], "Networks before their first step", sheet_fit(s->width, 8.5));
    legends(all, s);
    sheet_note(s, "Points: mean over seeds, of logarithms on logarithmic axes; bands: least to largest seed.");
    sheet_panels(s, panels, ACROSS, s->narrow ? HEIGHT_NARROW : HEIGHT, 2);
    sheet_open(s, out);
    for (int panel = 1, place = 0; panel < PANEL_COUNT; panel++)
        if (any[panel]) panel_plot(all, panel, place++, s, out);
    sheet_close(s, &plain, out);
}

void theory_caption(Text *out) {
    text_format(out, "What theory speaks of in networks before their first step, measured in double:");
    for (int panel = 1; panel < PANEL_COUNT; panel++)
        text_format(out, "%s %s", panel > 1 ? ";" : "", panel_info[panel].title);
    text_format(out, ".");
}

void theory_script(const StatementVerdict all[STATEMENT_COUNT], int formats, Text *out) {
    text_format(out, "set encoding utf8\n");
    data(all, out);
    for (int i = 0, format; (format = sheet_format(formats, &i, out)) >= 0;) {
        Sheet s;
        sheet_init(&s, format);
        draw(all, &s, out);
    }
}

Rc theory_draw(const StatementVerdict all[STATEMENT_COUNT], const char *folder, int formats, Error *e) {
    Scratch aside;
    Text script, caption;
    if (scratch_make(&aside, e)) return e->code;
    text_init(&script);
    text_init(&caption);
    theory_script(all, formats, &script);
    theory_caption(&caption);
    folder_sweep(folder);
    Rc rc = figure_make(&(FigureText){"theory", caption.at, script.at}, formats, aside.path, folder, e);
    text_release(&script);
    text_release(&caption);
    scratch_remove(&aside);
    return rc;
}
