/* What each arm costs. Measured times, so not part of what must come out the same. */
#include <math.h>

#include "bench/verdict/ranking.h"
#include "bench/write/summaries.h"

/* The precision whose cells alone are counted; NULL: all are. */
static const char *counted(const Table *t) {
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int first = table_spec(t, 0, arm)->precision;
        for (int cell = 1; cell < t->sample.cells; cell++)
            if (table_spec(t, cell, arm)->precision != first) return precision_name((PrecisionKind)first);
    }
    return NULL;
}

static void columns(Cells *c, bool ranked) {
    if (ranked) cells_column(c, "rank", 'r', "rank");
    cells_column(c, "arm", 'l', "arm");
    c->stub = c->columns;
    if (ranked) cells_column(c, "loss", 'r', "loss");
    cells_column(c, "parameters", 'r', "parameters");
    if (ranked) cells_column(c, "flops_per_step", 'r', "MFLOP");
    cells_columns(c, {"ratio", "r", "median", "step time / baseline"},
                  {"ratio", "i", "[least, most]", "step time / baseline"}, {"step_ms", "r", "ms per step"},
                  {"memory_mb", "r", "MB"});
}

static bool row(const Table *t, int arm, const RankingRow *r, Cells *c) {
    Cost cost = table_cost(t, arm);
    cells_row(c);
    if (r) cell_integer(c, r->rank);
    cell_format(c, "%.200s%s", t->x->arm[arm].label, cost.unlike ? " *" : "");
    if (r) cell_number(c, r->t.mean, 3);
    cell_integer(c, cost.parameters);
    if (r) {
        cell_shown(c, r->flops, SHOW_TEXT("%.1f", 1e-6 * r->flops));
    }
    cell_number(c, cost.ratio, 3);
    cell_interval(c, cost.least, cost.most, 2, "not timed");
    cell_number(c, 1e3 * cost.step_seconds, 1);
    cell_number(c, cost.memory_mb, 0);
    return cost.unlike;
}

void cost_tables(const Table *t, CellsList *out) {
    const Ranking *y = table_ranking(t);
    bool ranked = y && y->rows, unlike = false;
    Cells *c = cells_add(out, "cost", "Cost (times are noisy)");
    text_format(&c->caption,
                "Step time / baseline is the median [smallest, largest] of the ratios to %s, paired by seed. These are "
                "wall-clock times, which are noisy on a shared machine. MB is the memory of a run.",
                t->x->arm[t->sample.baseline].label);
    if (ranked) text_format(&c->caption, " MFLOP counts a step's matrix products and attention.");
    if (counted(t)) text_format(&c->caption, " The times are those of the cells of precision %s.", counted(t));
    columns(c, ranked);
    for (int i = 0; ranked && i < y->rows; i++) {
        if (i % y->arms == 0) cells_heading(c, y->group[y->row[i].group]);
        unlike |= row(t, y->row[i].arm, &y->row[i], c);
    }
    for (int arm = 0; !ranked && arm < t->sample.arms; arm++) unlike |= row(t, arm, NULL, c);
    if (unlike)
        text_format(&c->notes, "*: the pairs of some seeds ran on different devices, or in programs of different "
                               "numbers of runs or threads.");
}
