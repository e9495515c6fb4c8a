/* NAME-failures.tex, and the same for the terminal and NAME.json. */
#include "bench/write/failures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/verdict/failures.h"
#include "bench/write/stat_json.h"

enum { LABEL = 22, ROWS_PER_TABLE = 44 };

static void words(const Table *t, const Failures *f, Text *out) {
    const RunRecord *r = t->records;
    char number[SHOWN], floor[SHOWN];
    text_format(out,
                "Runs that diverge or stall, of %d seed%s per arm, at the last step. Stalled: ended, but not 0.05 "
                "nats below the unigram model",
                f->seeds, f->seeds == 1 ? "" : "s");
    if (isnan(r->unigram))
        text_format(out, ", whose loss is not known here: none is counted");
    else
        text_format(out, " (%s nats)", show_number(number, r->unigram, 3));
    text_format(out, ". Shares with 95 %% Clopper-Pearson intervals.");
    if (f->arms > 1)
        text_format(out,
                    " p: exact McNemar test against %s of how often either happens; adjusted: by joint sign flips over "
                    "all arms, cells and kinds (smallest possible: %s).",
                    t->x->arm[t->sample.baseline].label, show_p(floor, f->floor));
    text_format(out, " Loss: median over seeds, a diverged run counting as the uniform predictor.");
}

/* "1/8 [.00, .53]" */
static void share(const StCp *c, bool latex, Text *out) {
    text_format(out, "%llu/%llu ", (unsigned long long)c->k, (unsigned long long)c->n);
    show_interval(out, c->lo, c->hi, 2, st_status_text(c->status), latex);
}

static void loss(const Table *t, int cell, int arm, char out[SHOWN]) {
    SampleArm a = sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, METRIC_valid_loss);
    show_number(out, a.median, 4);
}

static void line(const Table *t, const Failures *f, int cell, int arm, Text *out) {
    const FailureRow *row = &f->row[cell * f->arms + arm];
    char number[SHOWN], adjusted[SHOWN];
    Text one;
    text_init(&one);
    text_format(out, "  ");
    show_column(out, t->x->arm[arm].label, LABEL);
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        text_clear(&one);
        share(&row->share[kind], false, &one);
        text_format(out, "  %-17s", one.at);
    }
    if (row->against[FAILURE_either].status == ST_OK)
        text_format(out, " %5s %5s", show_p(number, row->against[FAILURE_either].p),
                    show_p(adjusted, row->adjusted[FAILURE_either]));
    else
        text_format(out, " %12s", "");
    loss(t, cell, arm, number);
    text_format(out, " %8s\n", number);
    text_release(&one);
}

void failures_text(const Table *t, Text *out) {
    Failures f;
    Text head;
    char where[256];
    if (!failures_make(&f, &t->sample)) return;
    text_init(&head);
    words(t, &f, &head);
    text_format(out, "\n");
    table_wrapped(head.at, 0, out);
    text_format(out, "\n  %-*s  %-17s  %-17s  %-17s %5s %5s %8s\n", LABEL, "arm", "diverged", "stalled", "either", "p",
                "adj.", "loss");
    for (int cell = 0; cell < f.cells; cell++) {
        if (experiment_cell_text(where, t->x, cell)[0]) text_format(out, "  %s\n", where);
        for (int arm = 0; arm < f.arms; arm++) line(t, &f, cell, arm, out);
    }
    text_release(&head);
    failures_release(&f);
}

static void begin(const Table *t, const Failures *f, bool more, Text *out) {
    Text caption;
    text_init(&caption);
    text_format(&caption, "%s%s%s%s. ", table_mark(t), t->exploratory ? ": " : "", t->x->title,
                more ? ", continued" : "");
    if (!more) words(t, f, &caption);
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_breakable(out, caption.at);
    text_format(out, "}\n\\scriptsize\\setlength{\\tabcolsep}{3pt}\n\\begin{tabular}{@{}l l l l r r r@{}}\n\\toprule\n"
                     "arm & diverged & stalled & either & $p$ & $p_{\\mathrm{adj}}$ & loss \\\\\n\\midrule\n");
    text_release(&caption);
}

static void row_tex(const Table *t, const Failures *f, int cell, int arm, Text *out) {
    const FailureRow *row = &f->row[cell * f->arms + arm];
    const StMcnemar *c = &row->against[FAILURE_either];
    char number[SHOWN];
    latex_text(out, t->x->arm[arm].label);
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        text_format(out, " & ");
        share(&row->share[kind], true, out);
    }
    text_format(out, " & ");
    if (c->status == ST_OK) latex_number(out, show_p(number, c->p));
    text_format(out, " & ");
    if (c->status == ST_OK) latex_number(out, show_p(number, row->adjusted[FAILURE_either]));
    text_format(out, " & ");
    loss(t, cell, arm, number);
    latex_number(out, number);
    text_format(out, " \\\\\n");
}

void failures_tex(const Table *t, Text *out) {
    Failures f;
    char where[256];
    int lines = 0;
    if (!failures_make(&f, &t->sample)) return;
    table_header_comment(t, "runs that diverge or stall", out);
    for (int cell = 0; cell < f.cells; cell++) {
        if (lines && lines + f.arms > ROWS_PER_TABLE)
            text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n"), lines = 0;
        if (!lines)
            begin(t, &f, cell > 0, out);
        else
            text_format(out, "\\addlinespace\n");
        if (experiment_cell_text(where, t->x, cell)[0]) {
            text_format(out, "\\multicolumn{7}{@{}l}{\\textit{");
            latex_text(out, where);
            text_format(out, "}} \\\\\n");
        }
        for (int arm = 0; arm < f.arms; arm++, lines++) row_tex(t, &f, cell, arm, out);
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    failures_release(&f);
}

static json_t *kind_json(const FailureRow *row, int kind) {
    const StCp *c = &row->share[kind];
    const StMcnemar *m = &row->against[kind];
    json_t *o = json_object();
    json_object_set_new(o, "k", json_integer((json_int_t)c->k));
    json_object_set_new(o, "n", json_integer((json_int_t)c->n));
    json_put(o, "lo", c->lo), json_put(o, "hi", c->hi);
    if (m->status != ST_OK) return o;
    json_object_set_new(o, "only_here", json_integer((json_int_t)m->b));
    json_object_set_new(o, "only_baseline", json_integer((json_int_t)m->c));
    json_put(o, "p_mcnemar", m->p), json_put(o, "p_floor", m->p_min);
    if (!isnan(row->adjusted[kind])) json_put(o, "p_adjusted", row->adjusted[kind]);
    return o;
}

json_t *failures_json(const Table *t) {
    Failures f;
    char where[256];
    if (!failures_make(&f, &t->sample)) return json_null();
    json_t *o = json_object(), *rows = json_array();
    for (int cell = 0; cell < f.cells; cell++)
        for (int arm = 0; arm < f.arms; arm++) {
            const FailureRow *row = &f.row[cell * f.arms + arm];
            json_t *one = json_object();
            json_put_text(one, "factors", experiment_cell_text(where, t->x, cell));
            json_put_text(one, "arm", t->x->arm[arm].name);
            for (int kind = 0; kind < FAILURE_COUNT; kind++)
                json_object_set_new(one, failure_names[kind], kind_json(row, kind));
            json_array_append_new(rows, one);
        }
    json_put(o, "floor", f.floor);
    json_object_set_new(o, "rows", rows);
    failures_release(&f);
    return o;
}
