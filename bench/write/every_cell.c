/* One row per cell and arm at the last step, as write-ups with a grid of set-ups print them, their numbers beside
 * ours. */
#include <math.h>

#include "bench/write/summaries.h"

/* What is shown of a run; sd: with its standard deviation. */
static const struct {
    Metric metric;
    const char *heading;
    bool sd;
} shown[] = {{METRIC_valid_loss, "valid loss", true},
             {METRIC_bits_per_byte, "BPB", false},
             {METRIC_grad_norm, "grad norm", false},
             {METRIC_grad_ratio, "lg last/first", false}};
enum { SHOWN_COLUMNS = sizeof shown / sizeof *shown };

static void words(const Table *t, bool reported, Text *out) {
    table_sources(t, out);
    if (t->sample.seeds > 1)
        text_format(out,
                    " Each row is one arm in one cell, a combination of the values that vary. Numbers are means over n "
                    "= %d seeds; SD is the standard deviation of the loss over them.",
                    t->sample.seeds);
    else
        text_format(out, " Each row is one arm in one cell, a combination of the values that vary. There is one seed, "
                         "so the table is descriptive.");
    text_format(out,
                " lg last/first is log10 of the last block's gradient norm over the first's, averaged over the steps.");
    if (reported) text_format(out, " Columns with rep. hold the numbers of the write-up.");
}

static void columns(const Table *t, bool reported, Cells *c) {
    for (int f = 0; f < t->x->factors; f++) cells_column(c, t->x->factor[f].key, 'r', t->x->factor[f].key);
    cells_column(c, "arm", 'l', "arm");
    c->stub = c->columns;
    for (int k = 0; k < SHOWN_COLUMNS; k++) {
        cells_column(c, metric_info[shown[k].metric].key, 'r', shown[k].heading);
        if (shown[k].sd && t->sample.seeds > 1) cells_column(c, "sd", 'r', "SD");
    }
    if (reported) cells_column(c, "reported_loss", 'r', "rep. loss"), cells_column(c, "reported_bpb", 'r', "rep. BPB");
    cells_column(c, "diverged", 'r', "diverged");
}

static void measured(const Table *t, int cell, int arm, int k, Cells *c) {
    int step = t->sample.cell[cell].steps - 1, digits = metric_info[shown[k].metric].digits;
    SampleArm a = sample_arm(&t->sample, cell, step, arm, shown[k].metric);
    bool spread = shown[k].sd && t->sample.seeds > 1, ok = a.status == ST_OK;
    int decimals = spread && !a.diverged ? decimals_for(a.sd, digits) : digits;
    cell_number(c, ok ? a.mean : (double)NAN, decimals);
    if (k == 0) cell_strong(c, table_tied(t, cell, step, arm));
    if (!spread) return;
    if (ok && !a.diverged)
        cell_number(c, a.sd, decimals);
    else
        cell_none(c);
}

static void reported_number_cell(const Table *t, int cell, int arm, Metric m, Cells *c) {
    const ReportedNumber *n = table_reported_number(t, cell, t->sample.cell[cell].steps - 1, arm, metric_info[m].key);
    if (n)
        cell_shown(c, n->value, n->text);
    else
        cell_none(c);
}

static void row(const Table *t, int cell, int arm, bool reported, Cells *c) {
    SampleArm a = sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, METRIC_valid_loss);
    cells_row(c);
    for (int f = 0; f < t->x->factors; f++) cell_text(c, t->x->factor[f].value[experiment_level(t->x, cell, f)]);
    cell_text(c, t->x->arm[arm].label);
    for (int k = 0; k < SHOWN_COLUMNS; k++) measured(t, cell, arm, k, c);
    if (reported) {
        reported_number_cell(t, cell, arm, METRIC_valid_loss, c);
        reported_number_cell(t, cell, arm, METRIC_bits_per_byte, c);
    }
    cell_count(c, a.diverged, a.n);
    if (a.diverged) cell_emphasize(c);
}

void every_cell_tables(const Table *t, CellsList *out) {
    bool reported = t->claims && t->claims->tables;
    if (t->sample.cells < 2) return;
    Cells *c = cells_add(out, "cells", "Every cell at its last step");
    words(t, reported, &c->caption);
    columns(t, reported, c);
    for (int cell = 0; cell < t->sample.cells; cell++) {
        if (t->sample.arms > 1) cells_space(c);
        for (int arm = 0; arm < t->sample.arms; arm++) row(t, cell, arm, reported, c);
    }
}
