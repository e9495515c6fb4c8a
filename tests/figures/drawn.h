/* The figure of made-up runs that was drawn last, and what stands in it. */
#ifndef TESTS_DRAWN_H
#define TESTS_DRAWN_H

#include "bench/figures/figure.h"
#include "tests/verdict/made_up.h"

static Plot plot; /* the last that was made */

/* The first figure of a kind. */
static inline void draw(FigureKind kind) {
    plot_release(&plot);
    figure_plot(&m.table, &(Figure){.kind = kind}, &plot);
}

/* The series of an arm in a panel that has these bits of drawing; point: of that kind, or 0: any. */
static inline const PlotSeries *series(int panel, int arm, unsigned how, int point) {
    const PlotPanel *p = &plot.panel[panel];
    cr_assert(panel < plot.panels);
    for (const PlotSeries *s = p->series; s < p->series + p->series_count; s++)
        if (s->of == arm && (s->draw & how) == how && (!point || s->style.point == point)) return s;
    cr_assert(false, "no series of arm %d in panel %d", arm, panel);
    return NULL;
}

static inline bool noted(const char *words) {
    for (int i = 0; i < plot.notes; i++)
        if (strstr(plot.note[i], words)) return true;
    return false;
}

#endif
