/* Components of variance, as tables (bench/verdict/components.h). */
#include <math.h>

#include "bench/verdict/components.h"
#include "bench/write/summaries.h"

enum { DIGITS = 5 };

static void words(const Table *t, const Components *c, Text *out) {
    const SampleCell *cell = &t->sample.cell[0];
    char conf[40];
    text_format(out,
                "SD is the standard deviation over %d seeds of %s after %d steps. What varies follows the run's seed; "
                "the other draws are those of one seed. Intervals are %s %% chi-square intervals for normal values, "
                "that of the sum is Satterthwaite's.",
                c->seeds, metric_info[t->metric].heading, cell->step[cell->steps - 1], table_confidence(t, conf));
    text_format(out, " The variance of a source includes its interactions with what is fixed, so the sum can exceed "
                     "the variance found when all vary. Both come from the same draws, and no test compares them. A "
                     "run that diverged counts as a uniform guess (loss ln V).");
}

/* "starting weights, batches" */
static void row_name(const ComponentRow *row, int streams, Text *out) {
    int named = 0;
    text_clear(out);
    if (row->all) text_format(out, "all %d together", streams);
    for (int k = 0; k < COMPONENT_STREAMS && !row->all; k++)
        if (row->varies >> k & 1) text_format(out, "%s%s", named++ ? ", " : "", component_names[k]);
    if (!row->varies) text_format(out, "nothing");
}

/* share NaN, diverged -1: of a sum, which has neither. */
static void line(Cells *c, const char *name, const StSd *sd, double share, int diverged) {
    char shown[SHOWN] = "";
    cells_row(c);
    cell_text(c, name);
    cell_number(c, sd->sd, DIGITS);
    cell_interval(c, sd->status == ST_OK ? sd->lo : (double)NAN, sd->hi, DIGITS, st_status_text(sd->status));
    if (!isnan(share)) snprintf(shown, sizeof shown, "%.0f %%", 100 * share);
    cell_shown(c, share, shown);
    if (diverged < 0)
        cell_none(c);
    else
        cell_integer(c, diverged);
    cell_number(c, sd->df, 1);
}

static void arm_rows(const Table *t, const Components *f, const ComponentArm *arm, Cells *c) {
    LOCAL_TEXT(name);
    text_format(&name, "%s%s%s", t->x->arm[arm->arm].label, f->group[arm->group][0] ? ", " : "", f->group[arm->group]);
    cells_heading(c, name.at);
    for (int i = 0; i < arm->rows; i++) {
        const ComponentRow *row = &arm->row[i];
        if (row->all) line(c, "root of the sum of these variances", &arm->sum, (double)NAN, -1);
        row_name(row, f->streams, &name);
        line(c, name.at, &row->sd, component_share(arm, row), row->diverged);
    }
}

void components_tables(const Table *t, CellsList *out) {
    Components f;
    if (!components_make(&f, &t->sample)) return;
    Cells *c = cells_add(out, "components", "Components of variance");
    words(t, &f, &c->caption);
    cells_columns(c, {"varies", "l", "what varies"}, {"sd", "r", "SD"}, {"sd", "i", "[interval]"},
                  {"share_of_sum", "r", "of sum"}, {"diverged", "r", "diverged"}, {"df", "X", ""});
    for (int i = 0; i < f.groups * f.arms; i++) arm_rows(t, &f, &f.at[i], c);
    components_release(&f);
}
