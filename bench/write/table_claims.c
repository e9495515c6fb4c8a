/* NAME-claims.tex: the write-up's claims, the reported effect beside ours, and the verdict. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/table.h"

enum { CLAIM_LINES_PER_TABLE = 40, LONGEST_HYPOTHESIS = 90 };

static int digits_of(const ClaimVerdict *v) {
    return v->c && v->c->t_decides && v->c->t.status == ST_OK ? table_effect_digits(v) : 2;
}

/* The hypothesis on a line of its own, above the steps and cells it is tested at. */
static void hypothesis_row(const ClaimVerdict *v, Text *out) {
    Text words;
    text_init(&words);
    text_format(&words, "%s ", v->claim->id);
    table_expectation(v->test, &words);
    text_format(&words, " (%s)", v->test->test->name);
    text_format(out,
                words.length > LONGEST_HYPOTHESIS ? "\\multicolumn{5}{@{}p{\\linewidth}}{" : "\\multicolumn{5}{@{}l}{");
    latex_text(out, words.at);
    text_format(out, "} \\\\\n");
    text_release(&words);
}

void table_claim_cells(const ClaimVerdict *v, Text *out) {
    char number[SHOWN];
    int digits = digits_of(v);
    text_format(out, " & ");
    if (!isnan(v->reported)) latex_number(out, show_number(number, v->reported, table_ratio(v->test) ? 2 : 4));
    text_format(out, " & ");
    latex_number(out, show_number(number, v->effect, digits));
    if (!isnan(v->lo)) {
        text_format(out, " ");
        show_interval(out, v->lo, v->hi, digits, "", true);
    }
    text_format(out, " & ");
    latex_number(out, show_p(number, v->p));
    if (v->floor > 0) {
        text_format(out, " (");
        latex_number(out, show_p(number, v->floor));
        text_format(out, ")");
    }
}

const char *table_claim_mark(const ClaimVerdict *v) {
    return v->small ? "$^{\\ddagger}$" : v->replication.agrees ? "$^{\\approx}$" : "";
}

static void claim_row(const Table *t, const ClaimVerdict *v, Text *out) {
    text_format(out, "\\quad %d", t->sample.cell[v->cell].step[v->step]);
    if (t->sample.cells > 1) text_format(out, ", cell %d", v->cell);
    table_claim_cells(v, out);
    text_format(out, " & %s%s \\\\\n", verdict_word(v->word), table_claim_mark(v));
}

static void begin(const Table *t, bool more, Text *out) {
    Text words;
    char where[256], conf[40];
    text_init(&words);
    text_format(&words, "%sClaims of write-up %s, ", t->exploratory ? "EXPLORATORY: " : "", t->claims->writeup);
    claims_cite(t->claims, &words);
    text_format(&words, ", against %s, n = %d seeds%s.", t->x->name, t->sample.seeds, more ? ", continued" : "");
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_text(out, words.at);
    text_clear(&words);
    for (int cell = 0; t->sample.cells > 1 && cell < t->sample.cells; cell++)
        text_format(&words, " Cell %d: %s.", cell, experiment_cell_text(where, t->x, cell));
    latex_text(out, words.at);
    text_format(out,
                "}\n\\footnotesize\n\\begin{tabular}{@{}l r l l l@{}}\n\\toprule\n"
                "after steps & rep. & ours [%s\\%% CI] & $p$ (floor) & verdict "
                "\\\\\n\\midrule\n",
                table_confidence(t, conf));
    text_release(&words);
}

/* What one test among the verdicts is, and how its p counts the others; nothing where it decided none. */
static void test_note(const StTest *test, const ClaimVerdict *const *v, int count, Text *out) {
    bool named = false, holm = false, ratio = false;
    for (int i = 0; i < count; i++) {
        if (!v[i]->c || (v[i]->test->test != test && strcmp(v[i]->by, test->name) != 0)) continue;
        named = true;
        holm |= v[i]->holm;
        ratio |= test->about == ST_ABOUT_variance && isnan(v[i]->lo);
    }
    if (!named) return;
    latex_text(out, test->name);
    text_format(out, ": ");
    latex_text(out, test->what);
    if (holm) text_format(out, ", Holm over those tested so");
    if (ratio)
        text_format(out, "; the number is the ratio of variances and has no interval, so it is confirmed in direction "
                         "at most");
    text_format(out, ". ");
}

/* "Intervals: paired t." */
static void interval_note(const ClaimVerdict *const *v, int count, Text *out) {
    int named = 0;
    for (int i = 0; i < count; i++) {
        bool before = !v[i]->c || isnan(v[i]->lo);
        for (int k = 0; k < i && !before; k++)
            before = v[k]->c && !isnan(v[k]->lo) && !strcmp(v[k]->interval, v[i]->interval);
        if (!before) text_format(out, "%s%s", named++ ? ", " : "Intervals: ", v[i]->interval);
    }
    if (named) text_format(out, ". ");
}

void table_claims_note(const ClaimVerdict *const *v, int count, Text *out) {
    bool small = false, agrees = false, equality_failed = false;
    for (const StTest *test = st_tests; test < st_tests + st_tests_count; test++) test_note(test, v, count, out);
    for (int i = 0; i < count; i++) {
        small |= v[i]->small;
        agrees |= v[i]->replication.agrees;
        equality_failed |= v[i]->c && strcmp(v[i]->by, v[i]->test->test->name) != 0;
    }
    if (equality_failed) text_format(out, "A claim of equality that is contradicted shows the p of maxt. ");
    interval_note(v, count, out);
    if (small) text_format(out, "$\\ddagger$: within the claim's margin, too small to matter. ");
    if (agrees)
        text_format(out, "$\\approx$: not shown by our test, but the reported number lies in the prediction "
                         "interval. ");
}

static void end(const Table *t, const ClaimVerdict *first, const ClaimVerdict *last, Text *out) {
    int count = (int)(last - first);
    const ClaimVerdict **v = mem_alloc((size_t)count, sizeof *v);
    for (int i = 0; i < count; i++) v[i] = first + i;
    text_format(out, "\\bottomrule\n\\end{tabular}\n\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright\n");
    table_claims_note(v, count, out);
    text_format(out, "rep.: the effect that follows from the numbers of ");
    latex_text(out, t->claims->file);
    text_format(out, ", at the step they were reported for.}\n\\end{table}\n");
    free(v);
}

/* Lines that a test takes from its first verdict on. */
static int lines_of(const ClaimVerdicts *l, int i) {
    int lines = 1;
    for (const ClaimTest *test = l->at[i].test; i < l->count && l->at[i].test == test; i++) lines++;
    return lines;
}

void table_claims_tex(const Table *t, Text *out) {
    const ClaimTest *before = NULL;
    const ClaimVerdict *first = t->verdicts.at;
    int lines = 0;
    table_header_comment(t, "claims", out);
    for (int i = 0; i < t->verdicts.count; i++) {
        const ClaimVerdict *v = &t->verdicts.at[i];
        if (v->word == WORD_NOT_RUN) {
            bool said = i && v[-1].claim == v->claim && !strcmp(v[-1].why, v->why);
            if (!said) text_format(out, "%% %s: not run: %s\n", v->claim->id, v->why);
            continue;
        }
        int more = v->test == before ? 1 : lines_of(&t->verdicts, i);
        bool full = lines && lines + more > CLAIM_LINES_PER_TABLE;
        if (full) end(t, first, v, out), first = v;
        if (full || !before) begin(t, full, out);
        lines = full ? 0 : lines;
        if (lines && v->test != before) text_format(out, "\\addlinespace\n");
        if (!lines || v->test != before) hypothesis_row(v, out), lines++;
        claim_row(t, v, out);
        before = v->test;
        lines++;
    }
    if (before) end(t, first, t->verdicts.at + t->verdicts.count, out);
}
