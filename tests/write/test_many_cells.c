/* A table of a thousand cells: neither a figure's name nor a comparison is found by a look at all of them. */
#include "bench/figures/figure.h"
#include "tests/verdict/made_up.h"

static bool named(const Figure *figure, int figures, const char *name) {
    for (int i = 0; i < figures; i++)
        if (!strcmp(figure[i].name, name)) return true;
    return false;
}

Test(many_cells, names_and_comparisons_are_each_cell_s_own) {
    enum { SIDE = 32 };
    LOCAL_TEXT(yaml);
    OWNED Figure *figure;
    text_format(&yaml, "name: made-up-many\nbaseline: pre\nsteps: 40\nseeds: 2\nevaluate_at: 0,40\nlayers: 4\nlr: [");
    for (int i = 0; i < SIDE; i++) text_format(&yaml, "%s%de-5", i ? ", " : "", i + 1);
    text_format(&yaml, "]\nwarmup: [");
    for (int i = 0; i < SIDE; i++) text_format(&yaml, "%s%d", i ? ", " : "", i);
    text_format(&yaml, "]\narms: {pre: {variant: pre}, post: {variant: post}}\n");
    made_up(yaml.at, NULL, (TableOptions){.exploratory = true});
    int figures = figure_list(&m.table, &figure), cells = SIDE * SIDE, curves = 0;
    for (int i = 0; i < figures; i++) {
        cr_expect(!strstr(figure[i].name, "cell"), "%s", figure[i].name);
        curves += figure[i].kind == FIGURE_curves;
    }
    cr_expect_eq(curves, cells);
    cr_expect(named(figure, figures, "made-up-many-curves-lr=7e-5,warmup=31"));
    for (int cell = 0; cell < cells; cell++) {
        const Comparison *c = table_comparison(&m.table, cell, 1, 1);
        cr_assert(c && c->what.cell == cell && c->what.step == 1 && c->what.term[0].arm == 1, "%d", cell);
        cr_expect_eq(table_comparison(&m.table, cell, 1, 0), NULL);
        cr_expect_eq(table_comparison(&m.table, cell, 0, 1), NULL);
    }
}
