/* The ledger in LaTeX: booktabs tables, one or more per write-up, rows of claims that were not run included. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/ledger.h"
#include "bench/write/theory.h"

enum { LINES_PER_TABLE = 34 };

static void begin(const Ledger *b, const ClaimFile *f, bool more, Text *out) {
    int own[WORD_COUNT], stored[WORD_COUNT];
    Text words, kept;
    text_init(&words);
    text_init(&kept);
    ledger_count(b, f, false, own);
    ledger_count(b, f, true, stored);
    text_format(&words, "Claims of write-up %s: ", f->writeup);
    claims_cite(f, &words);
    text_format(&words, "%s. ", more ? ", continued" : "");
    ledger_counts_text(own, &words);
    ledger_counts_text(stored, &kept);
    if (kept.length) text_format(&words, "%sstored: %s", words.at[words.length - 1] == ' ' ? "" : "; ", kept.at);
    text_format(&words, ".");
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_text(out, words.at);
    text_format(out, "}\n\\scriptsize\n\\begin{tabular}{@{}l r r l l@{}}\n\\toprule\n"
                     "experiment, step & $n$ & rep. & ours [CI] & $p$ (floor), verdict \\\\\n\\midrule\n");
    text_release(&words);
    text_release(&kept);
}

static void end(const LedgerLine *first, const LedgerLine *last, Text *out) {
    const ClaimVerdict **v = mem_alloc((size_t)(last - first), sizeof *v);
    int count = 0;
    bool exploratory = false;
    for (const LedgerLine *l = first; l < last; l++) {
        if (!l->v) continue;
        v[count++] = l->v;
        exploratory |= l->in->table.exploratory || l->v->undeclared;
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n");
    if (count) {
        text_format(out, "\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright\n");
        table_claims_note(v, count, out);
        text_format(out, "rep.: the effect that follows from the write-up's own numbers.%s}\n",
                    exploratory ? " *: exploratory, written down after the runs." : "");
    }
    text_format(out, "\\end{table}\n");
    free(v);
}

/* A paragraph across all columns. */
static void across(const char *id, const char *text, const char *shape, Text *out) {
    text_format(out, "\\multicolumn{5}{@{}p{\\linewidth}@{}}{%s ", shape);
    if (id[0]) {
        text_format(out, "\\textbf{");
        latex_text(out, id);
        text_format(out, "} ");
    }
    latex_text(out, text);
    text_format(out, "} \\\\\n");
}

static void measured(const LedgerLine *l, Text *out) {
    char cell[256];
    const ClaimVerdict *v = l->v;
    const Table *t = &l->in->table;
    Text words;
    text_init(&words);
    text_format(&words, "%s %s, %d", t->x->name, t->x->profile, t->sample.cell[v->cell].step[v->step]);
    if (claim_verdict_cell(cell, t->x, v)[0]) text_format(&words, ", %s", cell);
    ledger_class(l, &words);
    text_format(out, "\\quad ");
    latex_text(out, words.at);
    text_format(out, " & %d", t->sample.seeds);
    table_claim_cells(v, out);
    text_format(out, " %s%s%s \\\\\n", verdict_word(v->word), table_claim_mark(v),
                t->exploratory || v->undeclared ? "*" : "");
    text_release(&words);
}

static void hypothesis(const ClaimTest *test, Text *out) {
    Text words;
    text_init(&words);
    table_expectation(test, &words);
    if (!isnan(test->margin)) {
        char number[40];
        text_format(&words, ", margin %s", format_real(number, test->margin));
    }
    text_format(&words, " (%s)", test->test->name);
    across("", words.at, "\\quad", out);
    text_release(&words);
}

/* A line without columns: of a statement, stored, or not run. */
static void said(const LedgerLine *l, Text *out) {
    const StoredVerdict *v = l->stored;
    Text words;
    text_init(&words);
    text_format(&words, "%s: ", verdict_word(ledger_word(l)));
    if (v)
        text_format(&words, "%s%s%s (stored: %s)%s", v->where ? v->where : "", v->where ? ": " : "", v->numbers,
                    v->made, v->exploratory ? "*" : "");
    else if (l->stated)
        theory_summary(l->stated, &words);
    else
        text_format(&words, "%s", l->why);
    across("", words.at, v || l->stated ? "\\quad" : "\\quad\\itshape", out);
    text_release(&words);
}

void ledger_tex(const Ledger *b, Text *out) {
    int lines = 0;
    const LedgerLine *first = b->line;
    text_format(out, "%% normbench claims --tex: the claims of all write-ups. Needs booktabs.\n");
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        const LedgerLine *before = l > b->line ? l - 1 : NULL;
        bool file = !before || before->file != l->file, claim = file || before->claim != l->claim;
        bool test = claim || before->test != l->test, full = claim && lines >= LINES_PER_TABLE;
        if (before && (file || full)) end(first, l, out), first = l;
        if (file || full) begin(b, l->file, !file, out), lines = 0;
        if (claim) {
            if (lines) text_format(out, "\\addlinespace\n");
            across(l->claim->id, l->claim->says, "", out);
            lines += 3;
        }
        if (test && l->test && !l->statement && ledger_word(l) != WORD_NOT_RUN) hypothesis(l->test, out), lines++;
        if (l->v)
            measured(l, out);
        else
            said(l, out);
        lines++;
    }
    if (b->lines) end(first, b->line + b->lines, out);
}
