/* The statements' figure: a panel for every row of bench/plan/theory_panels.def, a line for every statement that names
 * it. A point is the mean over seeds, of logarithms where the axis is one; the band goes from the least seed to the
 * largest. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/figures/figure.h"

enum { ACROSS = 2, HEIGHT = 120 };

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

/* Lines are told apart as an experiment's arms are; none of them is a baseline. */
static PlotStyle look_of(int place) {
    return figure_style(place, -1);
}

static void fill_statement(const StatementVerdict *v, PlotPanel *panel) {
    int place = style_of(v->statement);
    double y[3];
    PlotSeries *s = plot_series(panel, look_of(place), place, PLOT_BAND | PLOT_LINE | PLOT_POINTS);
    for (int i = 0; i < v->points; i++) {
        if (!point_of(v, i, y)) continue;
        plot_point(s, v->m->x[i], y[0], y[1], y[2]);
        plot_widen(&panel->x, v->m->x[i]), plot_widen(&panel->y, y[1]), plot_widen(&panel->y, y[2]);
    }
}

static void fill_panel(const StatementVerdict *all, int panel, Plot *p) {
    const PanelInfo *info = &panel_info[panel];
    PlotPanel *to = plot_panel(p, info->title, info->xlabel, info->ylabel);
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (drawn(&all[i], panel)) fill_statement(&all[i], to);
    to->x.log = info->log_x;
    plot_room(&to->x);
    if (to->y.least == to->y.most) to->y.least *= .9, to->y.most *= 1.1; /* a panel of one size */
    plot_fit(p, p->panels - 1, p->panels, info->log_y ? PLOT_log : PLOT_linear);
}

static void legend(const StatementVerdict *all, Plot *p) {
    for (int i = 0, next = 0; i < STATEMENT_COUNT; i++)
        if (all[i].statement->panel && style_of(all[i].statement) == next)
            plot_entry(p, look_of(next++), all[i].statement->label);
}

void theory_caption(Text *out) {
    text_format(out, "Properties of networks before their first step, measured in double precision:");
    for (int panel = 1; panel < PANEL_COUNT; panel++)
        text_format(out, "%s %s", panel > 1 ? ";" : "", panel_info[panel].title);
    text_format(out, ".");
}

static void theory_plot(const StatementVerdict all[STATEMENT_COUNT], Plot *p) {
    LOCAL_TEXT(caption);
    theory_caption(&caption);
    plot_init(p, ACROSS, HEIGHT);
    plot_text(&p->title, "Networks before their first step");
    plot_text(&p->caption, "%s", caption.at);
    legend(all, p);
    plot_note(p, "Points are means over seeds, of logarithms on logarithmic axes; bands go from the smallest to the "
                 "largest seed.");
    for (int panel = 1; panel < PANEL_COUNT; panel++) {
        bool any = false;
        for (int i = 0; i < STATEMENT_COUNT; i++) any |= drawn(&all[i], panel);
        if (any) fill_panel(all, panel, p);
    }
}

Rc theory_draw(const StatementVerdict all[STATEMENT_COUNT], const char *folder, int formats, Error *e) {
    Scratch aside;
    LOCAL(plot_release) Plot plot = {0};
    if (scratch_make(&aside, e)) return e->code;
    theory_plot(all, &plot);
    folder_sweep(folder);
    Rc rc = plot_draw(&plot, "theory", formats, aside.path, folder, e);
    scratch_remove(&aside);
    return rc;
}
