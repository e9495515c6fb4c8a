/* The report's first page: what was asked, what was found, what is open. A row for each experiment and for each
 * comparison; the page, the PDF and its abstract are made of the same ones. */
#include <math.h>
#include <stdlib.h>

#include "bench/figures/figure.h"
#include "bench/report/report.h"
#include "bench/verdict/words.h"
#include "bench/write/prose.h"
#include "stats/tests.h"

enum { ROWS_MAX = 8 }; /* of an experiment; where there are more, words sum them up */

/* ---- in short ---- */

void report_short(const Ledger *b, Text *out) {
    int count = 0, better = 0, worse = 0, other = 0, same = 0, exploratory = 0;
    for (int i = 0; i < b->made_count; i++) {
        const Table *t = &b->made[i]->table;
        OWNED const Comparison **c = mem_alloc((size_t)t->family.count + 1, sizeof *c);
        int own = report_comparisons(t, c);
        for (int k = 0; k < own; k++) {
            int side = contrast_better(&c[k]->what);
            bool apart = decision_apart(c[k]->decision), lower = decision_lower(c[k]->decision);
            if (t->exploratory) exploratory++;
            if (t->exploratory) continue;
            count++;
            same += decision_made(c[k]->decision) && !apart;
            other += apart && !side;
            better += apart && side && lower == (side < 0);
            worse += apart && side && lower != (side < 0);
        }
    }
    text_format(out,
                "In short: of %d comparison%s with a baseline %d found the arm better, %d worse, %d the same within "
                "the margin, and %d are not decided",
                count, count == 1 ? "" : "s", better, worse, same, count - better - worse - same - other);
    if (other) text_format(out, "; %d found a difference of which neither side is better", other);
    if (exploratory) text_format(out, "; %d more are exploratory", exploratory);
    text_format(out, ".");
}

/* ---- asked ---- */

/* "LayerNorm", or "LayerNorm minus RMSNorm" where an experiment lists its pairs. */
static void pair_words(const Table *t, int arm, int against, Text *out) {
    text_format(out, "%s", t->x->arm[arm].label);
    if (t->x->compares) text_format(out, " minus %s", t->x->arm[against].label);
}

static void asked_row(const Ledger *b, const LedgerTable *made, Cells *c) {
    const Table *t = &made->table;
    LOCAL_TEXT(words);
    cells_row(c);
    cell_by(c, report_title, b, made);
    text_clear(&words);
    text_format(&words, "#"), report_id(made, &words);
    cell_link(c, words.at);
    text_clear(&words);
    for (int arm = 0; arm < t->sample.arms; arm++)
        if (arm != t->sample.baseline) text_format(&words, "%s%s", words.length ? ", " : "", t->x->arm[arm].label);
    text_format(&words, "%s%s", words.length ? "; against " : "", t->x->arm[t->sample.baseline].label);
    if (t->x->compares) text_format(&words, "; compared: ");
    for (const Compared *p = t->x->compare; p < t->x->compare + t->x->compares; p++) {
        if (p > t->x->compare) text_format(&words, ", ");
        pair_words(t, p->arm, p->against, &words);
    }
    cell_text(c, words.at);
    cell_by(c, prose_size, t);
    cell_format(c, "%d seed%s", t->sample.seeds, t->sample.seeds == 1 ? "" : "s");
    text_clear(&words);
    report_caveats(made, &words);
    cell_text(c, words.length ? words.at : "declared before its runs");
    if (t->exploratory || t->synthetic) cell_style(c, "v-warning");
}

void report_asked(const Ledger *b, Cells *c) {
    cells_init(c, "asked", "What was asked");
    text_format(&c->caption, "Each experiment trains its arms with the same seeds and asks whether they differ from "
                             "the baseline, which stands behind \"against\".");
    cells_columns(c, {NULL, "p", "experiment"}, {NULL, "p", "arms"}, {NULL, "p", "size"}, {NULL, "r", ""},
                  {NULL, "p", "plan"});
    c->stub = 0;
    for (int i = 0; i < b->made_count; i++) asked_row(b, b->made[i], c);
}

/* ---- found ---- */

static CellAxis axis_of(const Table *t, const Best *best, const Comparison *const *c, int count) {
    CellAxis axis = {.margin = t->x->margin};
    for (int i = 0; best && i < best->pairs; i++) {
        cell_axis_add(&axis, best->pair[i].difference);
        bool interval = best->pair[i].minus.status == ST_OK;
        if (interval) cell_axis_add(&axis, best->pair[i].minus.lo), cell_axis_add(&axis, best->pair[i].minus.hi);
    }
    for (int i = 0; i < count; i++) {
        if (c[i]->status != ST_OK) continue;
        cell_axis_add(&axis, c[i]->t.mean);
        bool interval = c[i]->t_decides && c[i]->t.status == ST_OK;
        if (interval) cell_axis_add(&axis, c[i]->t.lo), cell_axis_add(&axis, c[i]->t.hi);
    }
    if (axis.margin > 0 && axis.margin < fmax(-axis.from, axis.to)) {
        cell_axis_add(&axis, axis.margin);
        cell_axis_add(&axis, -axis.margin);
    }
    double room = (axis.to - axis.from) / 30;
    axis.from -= room, axis.to += room;
    return axis;
}

static const char *style_of(const Table *t, Decision d, int better) {
    if (t->exploratory || !decision_made(d)) return "v-open";
    if (!decision_apart(d) || !better) return "v-same";
    return decision_lower(d) == (better < 0) ? "v-better" : "v-worse";
}

/* Two arms, each at its best learning rate. */
static void best_row(const Table *t, const Best *b, const BestPair *p, CellAxis axis, Cells *out) {
    bool shown = p->minus.status == ST_OK;
    double none = (double)NAN;
    int decimals = decimals_for(p->minus.se, 3);
    LOCAL_TEXT(words);
    cells_row(out);
    pair_words(t, p->arm->arm, p->against->arm, &words);
    text_format(&words, ", each at its best of %d rates%s%s", b->ranking.rates,
                b->ranking.group[p->group][0] ? ", " : "", b->ranking.group[p->group]);
    cell_text(out, words.at);
    cell_picture(out, p->difference, shown ? p->minus.lo : none, shown ? p->minus.hi : none, axis);
    cell_signed(out, p->difference, decimals);
    cell_interval(out, shown ? p->minus.lo : none, shown ? p->minus.hi : none, decimals, "a run diverged");
    cell_p(out, p->p.step), cell_style(out, "p");
    text_clear(&words);
    if (t->exploratory) text_format(&words, "exploratory: ");
    best_words(b, p, t->x->arm[p->against->arm].label, &words);
    if (best_at_end(b, p->arm) || best_at_end(b, p->against))
        text_format(&words, "; a best rate is an end of the grid");
    cell_text(out, words.at), cell_style(out, style_of(t, p->decision, -1));
}

static void found_row(const Table *t, const Comparison *c, CellAxis axis, Cells *out) {
    char where[256];
    bool interval = c->t_decides && c->t.status == ST_OK;
    int decimals = decimals_for(c->t.se, 4);
    LOCAL_TEXT(words);
    cells_row(out);
    bool cell = experiment_cell_text(where, t->x, c->what.cell)[0];
    pair_words(t, c->what.term[0].arm, c->what.term[1].arm, &words);
    text_format(&words, "%s%s", cell ? ", " : "", where);
    cell_text(out, words.at);
    if (c->status != ST_OK) {
        cell_none(out), cell_format(out, "n/a (%s)", words_status(c)), cell_none(out), cell_none(out);
    } else {
        double none = (double)NAN;
        cell_picture(out, c->t.mean, interval ? c->t.lo : none, interval ? c->t.hi : none, axis);
        cell_signed(out, c->t.mean, decimals > 4 ? 4 : decimals);
        cell_interval(out, interval ? c->t.lo : none, interval ? c->t.hi : none, decimals > 4 ? 4 : decimals,
                      "a run diverged");
        text_clear(&words);
        forest_p(&t->family, c, &words);
        cell_text(out, words.at), cell_style(out, "p");
    }
    text_clear(&words);
    if (t->exploratory) text_format(&words, "exploratory: ");
    table_decision(t, c, &words);
    cell_text(out, words.at);
    cell_style(out, style_of(t, c->decision, contrast_better(&c->what)));
}

/* "EXPLORATORY: Spread over seeds: validation loss minus Pre-LN's after 600 steps, 16 seeds, 95% t interval and p of
 * sign flips" */
static void found_heading(const Ledger *b, const LedgerTable *made, Text *out) {
    const Table *t = &made->table;
    text_format(out, "%s%s", table_mark(t), t->exploratory ? ": " : "");
    report_title(b, made, out);
    text_format(out, ": %s", metric_info[t->metric].heading);
    if (!t->x->compares) text_format(out, " minus %s's", t->x->arm[t->sample.baseline].label);
    text_format(out, " after ");
    if (table_end(t) >= 0)
        text_format(out, "%d steps", table_end(t));
    else
        text_format(out, "the last step");
    text_format(out, ", %d seed%s", t->sample.seeds, t->sample.seeds == 1 ? "" : "s");
    if (t->sample.seeds > 1 && t->family.count)
        text_format(out, ", %s%% %s interval and %s", TABLE_CONFIDENCE(t), table_interval(t),
                    t->family.anytime ? "anytime p" : "p of sign flips");
    if (t->synthetic) text_format(out, ", on the built-in synthetic source");
}

static void found_rows(const Ledger *b, const LedgerTable *made, Cells *out) {
    const Table *t = &made->table;
    OWNED const Comparison **c = mem_alloc((size_t)t->family.count + 1, sizeof *c);
    int count = report_comparisons(t, c);
    LOCAL_TEXT(words);
    found_heading(b, made, &words);
    cells_heading(out, words.at);
    const Best *best = t->sample.seeds > 1 ? table_best(t) : NULL;
    bool rows = count && count <= ROWS_MAX && t->sample.seeds > 1;
    CellAxis axis = axis_of(t, best, c, rows ? count : 0);
    for (int i = 0; best && i < best->pairs && best->pairs <= ROWS_MAX; i++)
        best_row(t, best, &best->pair[i], axis, out);
    for (int i = 0; rows && i < count; i++) found_row(t, c[i], axis, out);
    if (!rows) {
        text_clear(&words);
        report_answer(t, &words);
        cells_words(out, 0, words.at);
    }
}

void report_found(const Ledger *b, Cells *c) {
    cells_init(c, "found", "What was found");
    text_format(&c->caption,
                "Each row is an arm minus the baseline at the last step: mean over the seeds, interval, p adjusted for "
                "all comparisons of the experiment; its heading says which interval and p. In the picture the upright "
                "line is no difference and the shaded band is the margin; rows of one experiment have one axis. "
                "Experiments with more than %d comparisons are summed up in words. At its best rate, each seed of an "
                "arm has the rate that the other seeds choose.",
                ROWS_MAX);
    cells_columns(c, {NULL, "p", "arm"}, {NULL, "g", ""}, {NULL, "r", "difference"}, {NULL, "i", "[interval]"},
                  {NULL, "r", "p"}, {NULL, "p", "verdict"});
    for (int i = 0; i < b->made_count; i++) found_rows(b, b->made[i], c);
}

/* ---- open ---- */

/* "; about 40 seeds would find a difference of this size in 80% of cases", or nothing. Adjust it for no others. */
static void seeds_would_do(const Table *t, const Comparison *c, Text *out) {
    if (c->status != ST_OK || !c->t_decides || !(c->t.sd > 0)) return;
    StPower need = st_flip_nfor(c->t.mean / c->t.sd, PAIRED_POWER_AIM, t->x->alpha);
    if (need.status == ST_OK && need.n > (size_t)t->sample.seeds && need.n <= 1000)
        text_format(out, "; %sabout %zu seeds would find a difference of this size in %.0f%% of cases",
                    t->family.count > 1 ? "for this comparison alone " : "", need.n, 100 * PAIRED_POWER_AIM);
}

/* " LayerNorm at lr = 0.01 lies between -0.02 and +0.01; for this comparison alone about 40 seeds …." */
static void open_comparison(const Table *t, const Comparison *c, Text *out) {
    char where[256];
    int decimals = decimals_for(c->t.se, 4);
    bool cell = experiment_cell_text(where, t->x, c->what.cell)[0];
    text_format(out, " ");
    pair_words(t, c->what.term[0].arm, c->what.term[1].arm, out);
    text_format(out, "%s%s", cell ? " at " : "", where);
    if (c->status != ST_OK)
        text_format(out, " has no difference (%s)", words_status(c));
    else if (!c->t_decides || c->t.status != ST_OK)
        text_format(out, " has a run that diverged, so no interval");
    else
        text_format(out, " lies between %s and %s", SHOW_SIGNED(c->t.lo, decimals > 4 ? 4 : decimals),
                    SHOW_SIGNED(c->t.hi, decimals > 4 ? 4 : decimals));
    seeds_would_do(t, c, out);
    text_format(out, ".");
}

/* What an experiment leaves open, as a line: by name where it is few, else how many. */
static void open_line(const Ledger *b, const LedgerTable *made, Text *out) {
    enum { NAMED = 3 };
    const Table *t = &made->table;
    OWNED const Comparison **c = mem_alloc((size_t)t->family.count + 1, sizeof *c);
    int count = report_comparisons(t, c), open = 0;
    bool few = t->family.floor >= t->x->alpha;
    for (int i = 0; i < count; i++) open += !decision_made(c[i]->decision);
    if (open) {
        report_title(b, made, out);
        text_format(out, ": %d of %d comparison%s %s not decided", open, count, count == 1 ? "" : "s",
                    open == 1 ? "is" : "are");
        if (few)
            text_format(out, ", as %d seed%s cannot reach p < %.3g; %zu seeds can", t->sample.seeds,
                        t->sample.seeds == 1 ? "" : "s", t->x->alpha,
                        st_test_seeds(st_test_find("maxt"), (size_t)t->family.count, t->x->alpha));
        text_format(out, ".");
    }
    for (int i = 0; i < count && open <= NAMED && !few; i++)
        if (!decision_made(c[i]->decision)) open_comparison(t, c[i], out);
}

void report_open(const Ledger *b, const ReportMarkup *m, Text *out) {
    LOCAL_TEXT(line);
    int lines = 0;
    for (int i = 0; i < b->made_count; i++) {
        text_clear(&line);
        open_line(b, b->made[i], &line);
        if (!line.length) continue;
        if (!lines++) text_format(out, "%s", m->list[0]);
        report_marked(m, m->item, line.at, out);
    }
    if (lines) text_format(out, "%s", m->list[1]);
}
