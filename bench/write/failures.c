/* Runs that diverge or stall, as tables (bench/verdict/failures.h). */
#include <math.h>

#include "bench/verdict/failures.h"
#include "bench/write/summaries.h"

static void words(const Table *t, const Failures *f, Text *out) {
    const RunRecord *r = t->records;
    text_format(out,
                "The table counts runs of %d seed%s per arm at the last step. A run stalled if it ended, but not 0.05 "
                "nats below the loss of the unigram model, which knows only how often each token occurs",
                f->seeds, f->seeds == 1 ? "" : "s");
    if (isnan(r->unigram))
        text_format(out, "; that loss is not known here, so none is counted");
    else
        text_format(out, " (%s nats)", SHOW_NUMBER(r->unigram, 3));
    text_format(out, ". Intervals of shares are 95 %% Clopper-Pearson.");
    if (f->arms > 1)
        text_format(out,
                    " p is that of the exact McNemar test against %s of how often either happens; p_adj is adjusted by "
                    "joint sign flips over all arms, cells and kinds (the smallest possible is %s).",
                    t->x->arm[t->sample.baseline].label, SHOW_P(f->floor));
    text_format(out, " Loss is the median over seeds, where a diverged run counts as a uniform guess (loss ln V).");
}

static void columns(Cells *c) {
    cells_column(c, "arm", 'l', "arm");
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        cells_columns(c, {failure_names[kind], "r", "runs", failure_names[kind]},
                      {failure_names[kind], "i", "[95% CI]", failure_names[kind]});
    }
    cells_columns(c, {"p", "r", "p"}, {"p_adjusted", "r", "p_adj"}, {"loss", "r", "loss"});
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        cells_columns(c, {SHOW_TEXT("%s_only_here", failure_names[kind]), "X", ""},
                      {SHOW_TEXT("%s_only_baseline", failure_names[kind]), "X", ""},
                      {SHOW_TEXT("%s_p", failure_names[kind]), "X", ""},
                      {SHOW_TEXT("%s_p_adjusted", failure_names[kind]), "X", ""});
    }
}

static void row(const Table *t, const Failures *f, int cell, int arm, Cells *c) {
    const FailureRow *r = &f->row[cell * f->arms + arm];
    SampleArm a = sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, METRIC_valid_loss);
    bool against = r->against[FAILURE_either].status == ST_OK;
    cells_row(c);
    cell_text(c, t->x->arm[arm].label);
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        const StCp *s = &r->share[kind];
        cell_count(c, (int)s->k, (int)s->n);
        cell_interval(c, s->lo, s->hi, 2, st_status_text(s->status));
    }
    if (against) {
        cell_p(c, r->against[FAILURE_either].p);
        cell_p(c, r->adjusted[FAILURE_either]);
    } else
        cell_none(c), cell_none(c);
    cell_number(c, a.median, 4);
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        const StMcnemar *m = &r->against[kind];
        if (m->status != ST_OK) {
            for (int i = 0; i < 4; i++) cell_none(c);
            continue;
        }
        cell_integer(c, (long)m->b), cell_integer(c, (long)m->c);
        cell_p(c, m->p), cell_p(c, r->adjusted[kind]);
    }
}

void failures_tables(const Table *t, CellsList *out) {
    Failures f;
    char where[256];
    if (!failures_make(&f, &t->sample)) return;
    Cells *c = cells_add(out, "failures", "Runs that diverge or stall");
    words(t, &f, &c->caption);
    columns(c);
    for (int cell = 0; cell < f.cells; cell++) {
        cells_heading(c, experiment_cell_text(where, t->x, cell));
        for (int arm = 0; arm < f.arms; arm++) row(t, &f, cell, arm, c);
    }
    failures_release(&f);
}
