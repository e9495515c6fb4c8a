/* NAME-claims.tex: the write-up's claims, the reported effect beside ours, and the verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/table.h"

enum { CLAIM_LINES_PER_TABLE = 40 };

static int digits_of(const ClaimVerdict *v) {
    return v->c && v->c->t_decides && v->c->t.status == ST_OK ? table_effect_digits(v) : 2;
}

/* The hypothesis on a line of its own, above the steps and cells it is tested at. */
static void hypothesis_row(const ClaimVerdict *v, Text *out) {
    Text words;
    text_init(&words);
    text_format(&words, "%s ", v->claim->id);
    table_hypothesis(v->test, &words);
    text_format(out, "\\multicolumn{5}{@{}l}{");
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

static void claim_row(const Table *t, const ClaimVerdict *v, Text *out) {
    text_format(out, "\\quad %d", t->sample.cell[v->cell].step[v->step]);
    if (t->sample.cells > 1) text_format(out, ", cell %d", v->cell);
    table_claim_cells(v, out);
    text_format(out, " & %s%s \\\\\n", verdict_word(v->word), v->small ? "$^{\\ddagger}$" : "");
}

static void begin(const Table *t, bool more, Text *out) {
    Text words;
    char where[256], conf[40];
    text_init(&words);
    text_format(&words, "%sClaims of write-up %s (%s) against %s, n = %d seeds%s.",
                t->exploratory ? "EXPLORATORY: " : "", t->claims->writeup, t->claims->title, t->x->name,
                t->sample.seeds, more ? ", continued" : "");
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_text(out, words.at);
    text_clear(&words);
    for (int cell = 0; t->sample.cells > 1 && cell < t->sample.cells; cell++)
        text_format(&words, " Cell %d: %s.", cell, experiment_cell_text(where, t->x, cell));
    latex_text(out, words.at);
    text_format(out,
                "}\n\\footnotesize\n\\begin{tabular}{@{}l r l l l@{}}\n\\toprule\n"
                "after steps & rep. & ours [%s\\%% CI] & $p_{\\mathrm{adj}}$ (floor) & verdict "
                "\\\\\n\\midrule\n",
                table_confidence(t, conf));
    text_release(&words);
}

/* What decided claims that name another test than those the note below the table explains. */
static void other_tests(const Table *t, Text *out) {
    static const char *const explained[] = {"maxt", "tost", "pitman-morgan"};
    for (const StTest *test = st_tests; test < st_tests + st_tests_count; test++) {
        bool named = false;
        for (int i = 0; i < t->verdicts.count; i++)
            named |= t->verdicts.at[i].c && t->verdicts.at[i].test->test == test;
        for (size_t k = 0; k < sizeof explained / sizeof *explained; k++)
            named &= strcmp(test->name, explained[k]) != 0;
        if (!named) continue;
        latex_text(out, test->name);
        text_format(out, ": ");
        latex_text(out, test->what);
        text_format(out, ". ");
    }
}

static void end(const Table *t, Text *out) {
    char number[SHOWN];
    text_format(out,
                "\\bottomrule\n\\end{tabular}\n\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright\n"
                "Differences: step-down max-T over the %d contrasts of the claims measured here, floor ",
                t->verdicts.family.count);
    latex_number(out, show_p(number, t->verdicts.family.floor));
    text_format(out,
                ". Equality: "
                "two one-sided tests within the claim's margin. Variances: Pitman-Morgan, Holm over those tested; the "
                "number is the ratio of variances and has no interval, so it is confirmed in direction at most. "
                "$\\ddagger$: separated from zero, and yet within the claim's margin. ");
    other_tests(t, out);
    text_format(out, "rep.: the effect that follows from the numbers of ");
    latex_text(out, t->claims->file);
    text_format(out, ", at the step they were reported for.}\n\\end{table}\n");
}

/* Lines that a test takes from its first verdict on. */
static int lines_of(const ClaimVerdicts *l, int i) {
    int lines = 1;
    for (const ClaimTest *test = l->at[i].test; i < l->count && l->at[i].test == test; i++) lines++;
    return lines;
}

void table_claims_tex(const Table *t, Text *out) {
    const ClaimTest *before = NULL;
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
        if (full) end(t, out);
        if (full || !before) begin(t, full, out);
        lines = full ? 0 : lines;
        if (lines && v->test != before) text_format(out, "\\addlinespace\n");
        if (!lines || v->test != before) hypothesis_row(v, out), lines++;
        claim_row(t, v, out);
        before = v->test;
        lines++;
    }
    if (before) end(t, out);
}
