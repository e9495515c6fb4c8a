/* The ledger for a terminal: what is claimed, how it is tested, what came out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/verdict/translations.h"
#include "bench/write/ledger.h"
#include "bench/write/replication.h"
#include "bench/write/targets.h"
#include "bench/write/theory.h"

enum { INDENT = 7, WORD_WIDTH = 18, NUMBERS = INDENT + WORD_WIDTH + 1, PAGE = 100 };

/* "2 reproduced, 1 not run; stored: 3 contradicted" */
static void count_words(const Ledger *b, const ClaimFile *f, Text *out) {
    int own[WORD_COUNT], stored[WORD_COUNT];
    Text words;
    text_init(&words);
    ledger_count(b, f, false, own);
    ledger_count(b, f, true, stored);
    ledger_counts_text(own, out);
    ledger_counts_text(stored, &words);
    if (words.length) text_format(out, "%sstored: %s", out->at[out->length - 1] == ' ' ? "" : "; ", words.at);
    if (!b->lines) text_format(out, "none");
    text_release(&words);
}

void ledger_place(const LedgerLine *l, Text *out) {
    char cell[256];
    const Table *t = &l->in->table;
    text_format(out, "%s %s, step %d", t->x->name, t->x->profile, t->sample.cell[l->v->cell].step[l->v->step]);
    if (claim_verdict_cell(cell, t->x, l->v)[0]) text_format(out, ", %s", cell);
    ledger_class(l, out);
}

void ledger_numbers(const LedgerLine *l, Text *out) {
    char number[SHOWN], confidence[40];
    const ClaimVerdict *v = l->v;
    const char *ratio = table_ratio(v->test);
    int decimals = table_effect_digits(v);
    if (ratio) text_format(out, "ratio of %s ", ratio);
    text_format(out, "%s", ratio ? show_number(number, v->effect, 2) : show_signed(number, v->effect, decimals));
    if (!isnan(v->lo)) {
        text_format(out, " ");
        show_interval(out, v->lo, v->hi, decimals, "", false);
        text_format(out, " (%s%% %s)", table_confidence(&l->in->table, confidence), v->interval);
    }
    if (table_side_found(v)[0]) text_format(out, ", %s", table_side_found(v));
    if (!isnan(v->reported))
        text_format(out, ", reported %s",
                    ratio ? show_number(number, v->reported, 2) : show_signed(number, v->reported, 4));
    text_format(out, "; %s: p %s", v->by, show_p(number, v->p));
    if (v->floor > 0) text_format(out, " (floor %s)", show_p(number, v->floor));
    if (v->p_writeup > v->p) text_format(out, ", p %s in the write-up's family", show_p(number, v->p_writeup));
    text_format(out, ", n = %d", l->in->table.sample.seeds);
    if (!isnan(v->test->margin)) text_format(out, ", margin %s", format_real(number, v->test->margin));
    if (v->why[0]) text_format(out, "; %s", v->why);
    if (v->c && translations_made(v->c)) {
        text_format(out, "; ");
        translations_text(v->c, l->in->table.family.conf, out);
    }
}

/* The verdict's word, and words that begin beside it. */
static void beside(const LedgerLine *l, const char *words, Text *out) {
    Text lines;
    text_init(&lines);
    table_wrapped(words, NUMBERS, &lines);
    text_format(out, "%*s%-*s %s", INDENT, "", WORD_WIDTH, verdict_word(ledger_word(l)), lines.at + NUMBERS);
    text_release(&lines);
}

static void stored_lines(const StoredVerdict *v, const LedgerLine *l, Text *out) {
    Text words;
    text_init(&words);
    text_format(&words, "%s (stored: %s)%s", v->where ? v->where : v->numbers, v->made,
                v->exploratory ? " (exploratory)" : "");
    beside(l, words.at, out);
    if (v->where) table_wrapped(v->numbers, NUMBERS, out);
    text_release(&words);
}

static void verdict_lines(const LedgerLine *l, Text *out) {
    Text words;
    text_init(&words);
    if (l->stored)
        stored_lines(l->stored, l, out);
    else if (l->stated) {
        theory_summary(l->stated, &words);
        beside(l, words.at, out);
    } else if (!l->v) {
        text_format(&words, "not run: %s", l->why);
        table_wrapped(words.at, INDENT, out);
    } else {
        bool exploratory = l->in->table.exploratory || l->v->undeclared;
        ledger_place(l, &words);
        text_format(out, "%*s%-*s %s%s%s\n", INDENT, "", WORD_WIDTH, verdict_word(l->v->word), words.at,
                    replication_word(l->v), exploratory ? " (exploratory)" : "");
        text_clear(&words);
        ledger_numbers(l, &words);
        table_wrapped(words.at, NUMBERS, out);
        text_clear(&words);
        replication_text(l->v, &words);
        if (l->test->test == st_test_find("mcnemar-targets")) targets_text(&l->in->table, &l->v->c->what, &words);
        if (words.length) table_wrapped(words.at, NUMBERS, out);
    }
    text_release(&words);
}

static void claim_head(const Claim *c, Text *out) {
    Text words;
    text_init(&words);
    table_wrapped(c->says, INDENT, &words);
    if (strlen(c->id) < INDENT)
        memcpy(words.at, c->id, strlen(c->id)); /* into the first line's indent */
    else
        text_format(out, "%s\n", c->id);
    text_format(out, "%s", words.at);
    if (c->note) {
        text_clear(&words);
        text_format(&words, "Note: %s", c->note);
        table_wrapped(words.at, INDENT, out);
    }
    text_release(&words);
}

static void file_head(const Ledger *b, const ClaimFile *f, Text *out) {
    text_format(out, "%sWrite-up %s: ", f == b->file ? "" : "\n", f->writeup);
    claims_cite(f, out);
    text_format(out, "\n  ");
    count_words(b, f, out);
    text_format(out, "\n");
    for (int i = 0; i < PAGE; i++) text_format(out, "-");
    text_format(out, "\n");
}

/* What the words mean that stand above. */
static void legend(const Ledger *b, Text *out) {
    int own[WORD_COUNT], stored[WORD_COUNT], kept = 0;
    Text words;
    text_init(&words);
    ledger_count(b, NULL, false, own);
    ledger_count(b, NULL, true, stored);
    text_format(out, "\n");
    for (int w = 0; w < WORD_COUNT; w++) {
        kept += stored[w];
        if (!own[w] && !stored[w]) continue;
        text_clear(&words);
        text_format(&words, "%s: %s", verdict_word((VerdictWord)w), verdict_meaning((VerdictWord)w));
        table_wrapped(words.at, 2, out);
    }
    table_wrapped("p: adjusted within its experiment; in the write-up's family, which decides: by Holm over its "
                  "experiments that are here, of verdicts by the same test. They may share seeds.",
                  2, out);
    if (kept)
        text_format(out,
                    "  stored: of results/reference/claims.json (commit %s), not of runs here; --own leaves it out\n",
                    b->kept.commit);
    text_release(&words);
}

void ledger_text(const Ledger *b, Text *out) {
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        const LedgerLine *before = l > b->line ? l - 1 : NULL;
        if (!before || before->file != l->file) file_head(b, l->file, out);
        if (!before || before->claim != l->claim) claim_head(l->claim, out);
        bool not_run = ledger_word(l) == WORD_NOT_RUN;
        bool said = not_run && before && before->claim == l->claim && ledger_word(before) == WORD_NOT_RUN &&
                    !strcmp(l->why, before->why);
        if (!not_run && (!before || before->test != l->test)) {
            text_format(out, "%*s", INDENT, "");
            if (l->statement)
                text_format(out, "%s", l->test->metric_text);
            else
                table_expectation(l->test, out);
            text_format(out, "\n");
        }
        if (!said) verdict_lines(l, out);
    }
    text_format(out, "\nAll verdicts: ");
    count_words(b, NULL, out);
    text_format(out, "\n");
    legend(b, out);
}
