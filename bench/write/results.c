
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict/words.h"
#include "bench/write/summaries.h"

/* One table of one cell at one step. */
typedef struct {
    const Table *t;
    int cell, step;
} Place;

/* The baseline, then the other arms as the experiment lists them. */
static int arm_at(const Table *t, int i) {
    int base = t->sample.baseline;
    return i == 0 ? base : i <= base ? i - 1 : i;
}

/* "2.973 +-0.050" with the digits that its SD allows; "div. 1/6" where a run diverged. */
static void mean_cell(const Place *p, int arm, Metric m, Cells *c) {
    char mean[SHOWN], sd[SHOWN], shown[3 * SHOWN];
    SampleArm a = sample_arm(&p->t->sample, p->cell, p->step, arm, m);
    int decimals = decimals_for(a.sd, metric_info[m].digits);
    if (a.diverged)
        snprintf(shown, sizeof shown, "div. %d/%d", a.diverged, a.n);
    else if (a.status != ST_OK)
        snprintf(shown, sizeof shown, "%s", a.lacking ? "not stored" : "n/a (beyond range)");
    else
        snprintf(shown, sizeof shown, "%s%s%s", show_number(mean, a.mean, decimals), a.n > 1 ? " +-" : "",
                 a.n > 1 ? show_number(sd, a.sd, decimals) : "");
    cell_shown(c, a.status == ST_OK ? a.mean : (double)NAN, shown);
    if (a.diverged) cell_emphasize(c);
}

static const ReportedNumber *reported(const Place *p, int arm, Metric m, bool sd) {
    return table_reported_number(p->t, p->cell, p->step, arm, SHOW_TEXT("%s%s", metric_info[m].key, sd ? "_sd" : ""));
}

/* The same as the write-up has it; no row where it has none. Returns whether there is one. */
static bool reported_row(const Place *p, Metric m, Cells *c) {
    bool any = false;
    for (int arm = 0; arm < p->t->sample.arms; arm++) any |= reported(p, arm, m, false) != NULL;
    if (!any) return false;
    cells_row(c);
    cell_text(c, "  as reported");
    for (int i = 0; i < p->t->sample.arms; i++) {
        const ReportedNumber *mean = reported(p, arm_at(p->t, i), m, false),
                             *sd = reported(p, arm_at(p->t, i), m, true);
        cell_shown(c, mean ? mean->value : (double)NAN,
                   SHOW_TEXT("%s%s%s", mean ? mean->text : "", sd ? " +-" : "", sd ? sd->text : ""));
    }
    return true;
}

static bool metric_rows(const Place *p, const TableRow *row, Cells *c) {
    const Table *t = p->t;
    bool decided = row->metric == t->metric || (t->metric == METRIC_valid_loss && row->metric == METRIC_perplexity);
    cells_row(c);
    cell_format(c, "%.200s%s", table_heading(row), table_arrow(row->metric));
    for (int i = 0; i < t->sample.arms; i++) {
        int arm = arm_at(t, i);
        mean_cell(p, arm, row->metric, c);
        if (!decided) continue;
        cell_mark(c, table_marks(t, p->cell, p->step, arm));
        cell_strong(c, table_tied(t, p->cell, p->step, arm));
    }
    return reported_row(p, row->metric, c);
}

/* How many runs of each arm diverged, are above ln V, or stalled; no row where none did. */
static void count_row(const Place *p, int which, Cells *c) {
    static const char *const labels[] = {"runs diverged", "runs above ln V, falling", "runs stalled"};
    int sum = 0, count[EXPERIMENT_ARMS_MAX];
    for (int i = 0; i < p->t->sample.arms; i++) {
        SampleArm a = sample_arm(&p->t->sample, p->cell, p->step, arm_at(p->t, i), p->t->metric);
        sum += count[i] = which == 0 ? a.diverged : which == 1 ? a.above : a.stalled;
    }
    if (!sum) return;
    cells_row(c);
    cell_text(c, labels[which]);
    for (int i = 0; i < p->t->sample.arms; i++) cell_count(c, count[i], p->t->sample.seeds);
}

static void results(const Place *p, CellsList *out) {
    const Table *t = p->t;
    char where[256], why[CLAIM_WHY_SIZE];
    bool any = false;
    experiment_cell_text(where, t->x, p->cell);
    Cells *c = cells_add(out, "results",
                         SHOW_TEXT("After %d steps%s%s: %s over %d seed%s", t->sample.cell[p->cell].step[p->step],
                                   where[0] ? ", " : "", where, t->sample.seeds > 1 ? "mean and SD" : "mean",
                                   t->sample.seeds, t->sample.seeds == 1 ? "" : "s"));
    c->most_columns = 4;
    table_corpus(t, p->cell, &c->caption);
    cells_column(c, "metric", 'l', "");
    for (int i = 0; i < t->sample.arms; i++)
        cells_column(c, t->x->arm[arm_at(t, i)].name, 'r', t->x->arm[arm_at(t, i)].label);
    c->stub = t->sample.arms > 1 ? 2 : 1;
    for (int i = 0; i < t->x->rows; i++) any |= metric_rows(p, &t->x->row[i], c);
    for (int which = 0; which < 3; which++) count_row(p, which, c);
    table_reported_why(t, p->cell, why, sizeof why);
    text_format(&c->caption, " ↓: lower is better, ↑: higher.");
    if (any)
        text_format(&c->caption, " Rows \"as reported\" hold the numbers of write-up %s.", t->claims->writeup);
    else if (why[0])
        text_format(&c->caption, " The numbers of write-up %s are not shown: %s.", t->claims->writeup, why);
}

/* The comparisons that could be made, each a row. */
static void each_row(const Place *p, Cells *c, void (*cells)(const Place *, const Comparison *, Cells *)) {
    const Table *t = p->t;
    for (int i = 0; i < t->family.count; i++) {
        const Comparison *one = &t->family.at[i];
        const Term *term = one->what.term;
        if (one->what.cell != p->cell || one->what.step != p->step) continue;
        cells_row(c);
        if (t->x->compares)
            cell_format(c, "%s - %s", t->x->arm[term[0].arm].label, t->x->arm[term[1].arm].label);
        else {
            cell_text(c, t->x->arm[term[0].arm].label);
            cell_mark(c, table_marks(t, p->cell, p->step, term[0].arm));
        }
        if (one->status == ST_OK)
            cells(p, one, c);
        else
            cell_format(c, "n/a (%s)", words_status(one));
    }
}

static Cells *tests_table(const Place *p, const char *name, const char *what, CellsList *out) {
    const Table *t = p->t;
    Cells *c = cells_add(out, name, SHOW_TEXT("After %d steps: %s", t->sample.cell[p->cell].step[p->step], what));
    cells_column(c, "arm", 'l', t->x->compares ? "difference" : HEAD_MINUS(t));
    c->below = true;
    return c;
}

static const char *why_no_interval(const Comparison *c) {
    return !c->t_decides ? "diverged" : st_status_text(c->t.status);
}

static double p_of(StStatus status, double p) {
    return status == ST_OK ? p : (double)NAN;
}

void difference_cells(const Comparison *one, Cells *c) {
    int decimals = decimals_for(one->t.se, 4);
    bool shown = one->t_decides && one->t.status == ST_OK;
    cell_signed(c, one->t.mean, decimals);
    cell_interval(c, shown ? one->t.lo : (double)NAN, one->t.hi, decimals, why_no_interval(one));
}

static void test_cells(const Place *p, const Comparison *one, Cells *c) {
    const Table *t = p->t;
    LOCAL_TEXT(words);
    table_decision(t, one, &words);
    if (t->exploratory) text_format(&words, t->partial ? " (partial)" : " (exploratory)");
    difference_cells(one, c);
    cell_p(c, p_of(one->flip.status, one->flip.p));
    cell_p(c, one->joint.step);
    cell_text(c, words.at);
}

/* m times the floor of the sign flips, at most 1. */
double table_holm_floor(const Table *t) {
    return fmin(1, t->family.count * t->family.floor);
}

/* A column of p's that cannot fall below alpha is left out. */
static bool table_shows_holm(const Table *t) {
    return table_holm_floor(t) < t->family.alpha;
}

static void tests(const Place *p, CellsList *out) {
    const Table *t = p->t;
    Cells *c = tests_table(p, "tests", "differences, tests and verdicts", out);
    cells_columns(c, {"difference", "r", HEAD_DIFFERENCE(t)}, {"difference", "i", HEAD_INTERVAL(t)}, {"p", "r", "p"},
                  {"p_adjusted", "r", "p_adj"}, {"verdict", "p", "verdict"});
    each_row(p, c, test_cells);
    text_format(&c->notes, "p_adj is p adjusted for all comparisons of this table; the smallest possible p is %s.",
                SHOW_P(t->family.floor));
}

/* The row's p's and intervals, and where it stands. */
static void anytime_row(const Place *p, const Comparison *one, Cells *c) {
    const Table *t = p->t;
    LOCAL_TEXT(words);
    table_decision(t, one, &words);
    if (t->exploratory) text_format(&words, " (exploratory)");
    anytime_cells(&t->family.anytime[one - t->family.at], t->x->most, true,
                  one->t_decides ? NULL : "diverged", c);
    cell_text(c, words.at);
}

static void anytime_tests(const Place *p, CellsList *out) {
    const Table *t = p->t;
    Cells *c = tests_table(p, "anytime", "differences, with p and intervals that hold at every stop", out);
    anytime_columns(c, HEAD_DIFFERENCE(t), 1 - t->x->alpha, true);
    cells_column(c, "verdict", 'p', "verdict");
    each_row(p, c, anytime_row);
    text_format(&c->notes, "Seeds were added until every comparison was decided: ");
    table_stop(t, &c->notes);
    text_format(&c->notes, ".");
}

static void ratio_cells(const Comparison *one, Cells *c) {
    int places = decimals_for(exp(one->t.mean) * one->t.se, 3);
    bool shown = one->t_decides && one->t.status == ST_OK;
    cell_number(c, exp(one->t.mean), places);
    cell_interval(c, shown ? exp(one->t.lo) : (double)NAN, exp(one->t.hi), places, why_no_interval(one));
}

static void interval_cells(const Place *p, const Comparison *one, Cells *c) {
    const Table *t = p->t;
    LOCAL_TEXT(shown);
    table_flip_interval(t, one, &shown);
    if (t->metric == METRIC_valid_loss) ratio_cells(one, c);
    cell_interval_shown(c, one->together.lo, one->together.hi, shown.at);
    cell_p(c, one->joint_ranks);
    if (table_shows_holm(t)) cell_p(c, one->holm);
}

/* Other intervals and p's of the same differences. */
static void intervals(const Place *p, CellsList *out) {
    const Table *t = p->t;
    Cells *c = tests_table(p, "intervals", "other intervals of the differences", out);
    if (t->metric == METRIC_valid_loss) {
        cells_columns(c, {"ppl_ratio", "r", "PPL ratio"}, {"ppl_ratio", "i", "[t interval]"});
    }
    cells_columns(c, {"sign_flips", "i", "[by sign flips]"}, {"p_ranks", "r", "p on ranks"});
    if (table_shows_holm(t)) cells_column(c, "p_holm", 'r', "p_Holm");
    each_row(p, c, interval_cells);
    text_format(&c->notes,
                "[by sign flips] is the interval of the differences that the sign-flip test does not reject; p on "
                "ranks is that of the same test on ranks; both are adjusted for all comparisons.");
    if (table_shows_holm(t))
        text_format(&c->notes, " p_Holm is p adjusted by Holm's method; the smallest possible is %s.",
                    SHOW_P(table_holm_floor(t)));
}

static void resampling_cells(const Place *p, const Comparison *one, Cells *c) {
    (void)p;
    const StBoot *b = &one->boot;
    int decimals = decimals_for(b->se, 4);
    const char *why = why_no_interval(one);
    bool shown = one->t_decides && b->status == ST_OK, corrected = shown && b->bca.status == ST_OK;
    cell_interval(c, shown ? b->percentile.lo : (double)NAN, b->percentile.hi, decimals, why);
    cell_interval(c, corrected ? b->bca.lo : (double)NAN, b->bca.hi, decimals,
                  shown ? st_status_text(b->bca.status) : why);
    cell_p(c, one->t_decides ? p_of(one->tost.status, one->tost.p) : (double)NAN);
    cell_p(c, one->inside_p);
}

static void spread_cells(const Place *p, const Comparison *one, Cells *c) {
    (void)p;
    cell_number(c, one->effect.status == ST_OK ? one->effect.g_z : (double)NAN, 2);
    cell_number(c, one->effect.vr, 1);
    cell_interval(c, one->effect.least, one->effect.most, decimals_for(one->effect.sd, 4), "");
    cell_number(c, one->effect.skew, 1);
}

static void resampling(const Place *p, CellsList *out) {
    char margin[40];
    Cells *c = tests_table(p, "resampling", "bootstrap intervals and equivalence", out);
    format_real(margin, p->t->x->margin);
    cells_columns(c, {"bootstrap", "i", "[bootstrap]"}, {"bca", "i", "[BCa]"},
                  {"p_tost", "r", SHOW_TEXT("TOST ±%s", margin)}, {"p_inside", "r", SHOW_TEXT("p within ±%s", margin)});
    each_row(p, c, resampling_cells);
    text_format(
        &c->notes,
        "[bootstrap] is the percentile interval, [BCa] the bias-corrected and accelerated one. TOST is p of the two "
        "one-sided t tests; p within ±%s is that which decides, of t tests and sign flips, adjusted.",
        margin);
}

static void spread(const Place *p, CellsList *out) {
    Cells *c = tests_table(p, "spread", "sizes and spread of the differences", out);
    cells_columns(c, {"g_z", "r", "g_z"}, {"gain", "r", "gain"}, {"by_seed", "i", "[by seed]"}, {"skew", "r", "skew"});
    each_row(p, c, spread_cells);
    text_format(&c->notes, "g_z is the mean difference over its standard deviation, with Hedges' correction. Gain is "
                           "(var a + var b) / var d: above 1 pairing by seed makes the comparison more precise, below "
                           "1 less. [by seed] are the smallest and the largest difference; skew is their skewness.");
}

void table_signs(const Table *t, unsigned marks, bool bold, Text *out) {
    if (marks & MARK_separated)
        text_format(out, " †: the arm differs from %s, adjusted p < %s.", t->x->arm[t->sample.baseline].label,
                    FORMAT_REAL(t->x->alpha));
    if (marks & MARK_equivalent)
        text_format(out, " ‡: the arm is shown to lie within ±%s of %s%s.", FORMAT_REAL(t->x->margin),
                    t->x->arm[t->sample.baseline].label,
                    marks & MARK_separated ? ", so a difference marked † is too small to matter" : "");
    if ((marks & MARK_diverged) && metric_has_uniform(t->metric))
        text_format(out, " §: a run diverged and counts as a uniform guess (loss ln V).");
    else if (marks & MARK_diverged)
        text_format(out, " §: a run diverged and has no %s, so the arm is not compared.",
                    metric_info[t->metric].heading);
    if (bold)
        text_format(
            out, " Bold are the best mean and all means that the joint test of all pairs does not separate from it.");
}

/* What the marks say, which runs were lost, and which comparison rests on one seed. */
static void notes(const Place *p, bool whole, Text *out) {
    const Table *t = p->t;
    int above = 0, stalled = 0;
    unsigned marks = 0;
    bool bold = false;
    LOCAL_TEXT(why);
    table_exploratory(t, &why);
    if (t->exploratory)
        text_format(out,
                    t->partial ? " The table is partial (%s) and has no marks."
                               : " The comparisons are exploratory (%s) and have no marks.",
                    why.at);
    for (int arm = 0; arm < t->sample.arms; arm++) {
        marks |= table_marks(t, p->cell, p->step, arm);
        bold |= whole && table_tied(t, p->cell, p->step, arm);
    }
    table_signs(t, marks, bold, out);
    for (int arm = 0; arm < t->sample.arms; arm++) {
        SampleArm a = sample_arm(&t->sample, p->cell, p->step, arm, t->metric);
        above += a.above, stalled += a.stalled;
    }
    if (above)
        text_format(out, " Runs whose loss is above ln V but below their own first loss are counted in the row \"runs "
                         "above ln V, falling\"; they enter the mean with their own loss.");
    if (stalled)
        text_format(out, " A run stalled if its loss is not 0.05 nats below that of the unigram model, which knows "
                         "only how often each token occurs.");
    for (int arm = 0; arm < t->sample.arms; arm++) table_flags(t, p->cell, p->step, arm, out);
}

void results_tables(const Table *t, int cell, int step, bool whole, CellsList *out) {
    Place p = {t, cell, step};
    results(&p, out);
    if (t->family.anytime && step == table_last(t, cell)) {
        anytime_tests(&p, out);
        notes(&p, whole, &out->at[out->count - 1].notes);
        if (whole) spread(&p, out);
    } else if (!t->family.anytime && t->sample.seeds > 1 && t->sample.arms > 1) {
        tests(&p, out);
        notes(&p, whole, &out->at[out->count - 1].notes);
        intervals(&p, out);
        if (whole) resampling(&p, out), spread(&p, out);
    } else
        notes(&p, whole, &out->at[out->count - 1].notes);
    if (!whole) return;
    Text *last = &out->at[out->count - 1].notes;
    text_format(last, "%s", last->length ? " " : "");
    table_methods(t, last);
    text_format(last, " ");
    table_signature(t, last);
}

void results_all(const Table *t, bool whole, CellsList *out) {
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++)
            if (t->sample.cell[cell].step[step]) results_tables(t, cell, step, whole, out);
}

enum { SHOWN_SENTENCES = 3, NAMES = 22 };

/* The first seed's record in the cell where the arm's mean loss at the last step is the lowest. */
static const RunRecord *best_of(const Table *t, int arm, int *best) {
    double least = (double)INFINITY;
    *best = 0;
    for (int cell = 0; cell < t->sample.cells; cell++) {
        SampleArm a = sample_arm(&t->sample, cell, table_last(t, cell), arm, METRIC_valid_loss);
        if (a.status == ST_OK && a.mean < least) least = a.mean, *best = cell;
    }
    return sample_run(&t->sample, *best, table_last(t, *best), arm, 0)->record;
}

static void line(const char *name, const char *text, int length, Text *out) {
    text_format(out, "  %-*s %.*s\n", NAMES, name, length, text);
}

void translations_shown(const Table *t, Text *out) {
    const RunRecord *first = sample_run(&t->sample, 0, table_last(t, 0), 0, 0)->record;
    int arms = t->sample.arms, count = first->translations.sentences, cell;
    OWNED TranslatedLine **lines = mem_alloc((size_t)arms, sizeof *lines);
    char where[256];
    bool any = false;
    for (int arm = 0; arm < arms; arm++) {
        const RunRecord *r = best_of(t, arm, &cell);
        if (r->translations.sentences == count && count) lines[arm] = translations_lines(&r->translations);
        any |= lines[arm] != NULL;
    }
    bool several = t->sample.cells > 1;
    if (any)
        text_format(out, "\nWhat the first seed's runs write%s:\n",
                    several ? ", each arm where its loss is the lowest" : "");
    for (int arm = 0; any && arm < arms; arm++) {
        if (!several && lines[arm]) continue;
        (void)best_of(t, arm, &cell);
        experiment_cell_text(where, t->x, cell);
        text_format(out, "  %-*s %s\n", NAMES, t->x->arm[arm].label, lines[arm] ? where : "no translations");
    }
    for (int k = 0; any && k < SHOWN_SENTENCES; k++) {
        int i = k * (count - 1) / (SHOWN_SENTENCES - 1);
        const TranslatedLine *some = NULL;
        for (int arm = 0; arm < arms; arm++) some = lines[arm] && !some ? &lines[arm][i] : some;
        text_format(out, "\n");
        line("source", some->source, some->source_length, out);
        line("reference", some->reference, some->reference_length, out);
        for (int arm = 0; arm < arms; arm++)
            if (lines[arm]) line(t->x->arm[arm].label, lines[arm][i].hypothesis, lines[arm][i].hypothesis_length, out);
    }
    for (int arm = 0; arm < arms; arm++) free(lines[arm]);
}
