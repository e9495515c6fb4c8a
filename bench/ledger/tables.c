/* The ledger as tables: one for each write-up with a row for each claim, and a legend of three lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/ledger/ledger.h"
#include "bench/write/claims.h"

/* "Write-up 000: TITLE (…)" */
static void ledger_title(const ClaimFile *f, Text *out) {
    text_format(out, "Write-up %s: ", f->writeup);
    claims_cite(f, out);
}

/* What the write-up prints, ours and its interval. */
static void numbers(const Ledger *b, const LedgerClaim *c, Cells *cells) {
    const LedgerLine *l = c->line;
    bool measured = l && c->word != WORD_NOT_TESTED && ledger_measured(l);
    LedgerRow row;
    LedgerStated stated;
    if (measured && l->v) ledger_row(b, l, &row);
    if (c->claim->number)
        cell_text(cells, c->claim->number);
    else if (measured && l->v)
        claims_reported(cells, &row.r);
    else
        cell_none(cells);
    if (measured && l->v) {
        claims_ours(cells, &row.r);
    } else if (measured) {
        ledger_stated(l, &stated);
        cell_text(cells, stated.ours);
        cell_interval_shown(cells, (double)NAN, (double)NAN, stated.interval);
        text_release(&stated.words);
    } else {
        cell_none(cells), cell_none(cells);
    }
}

/* Ours with its interval on an axis of its own; the upright line is what the claim is held against: no difference, or
 * the number that it names. */
static void picture(const LedgerClaim *c, Cells *cells) {
    const ClaimVerdict *v = c->line ? c->line->v : NULL;
    const double none = (double)NAN;
    bool measured = v && c->word != WORD_NOT_TESTED && ledger_measured(c->line);
    CellAxis axis = {0};
    double at = !measured ? 0 : !isnan(v->test->against) ? v->test->against : table_ratio(v->test) ? 1 : 0;
    if (measured) {
        cell_axis_add(&axis, v->effect - at), cell_axis_add(&axis, v->lo - at), cell_axis_add(&axis, v->hi - at);
        double room = (axis.to - axis.from) / 8;
        axis.from -= room, axis.to += room;
    }
    if (measured)
        cell_picture(cells, v->effect - at, v->lo - at, v->hi - at, axis);
    else
        cell_picture(cells, none, none, none, axis);
}

/* " *" of what survives Holm, ": 24 seeds" of what is open, the answer to a question. */
static void behind_word(const LedgerClaim *c, Text *out) {
    const ClaimVerdict *v = c->line ? c->line->v : NULL;
    if (c->survives) text_format(out, " *");
    if (c->word == WORD_ANSWERED && ledger_answer(c)) text_format(out, ": %s", ledger_answer(c));
    if (c->word != WORD_OPEN || !v) return;
    if (v->seeds_wanted > v->size.seeds) text_format(out, ": %d seeds", v->seeds_wanted);
    if (v->seeds_wanted < 0) text_format(out, ": another test");
}

/* "write-up: 38.6M on 3.7M of WikiText-2, 1 seed; here: …", or what it takes. */
static void sizes(const LedgerClaim *c, Text *out) {
    const LedgerLine *l = c->line;
    const ClaimSize *own = l && l->v && l->v->own ? l->v->own : c->claim->owns ? c->claim->own[0] : NULL;
    Text words;
    text_init(&words);
    if (own) text_format(out, "write-up: "), claim_size_brief(own, out);
    if (c->word == WORD_NOT_TESTED)
        ledger_why(c, &words);
    else if (l && l->v)
        text_format(&words, "here: "), run_size_brief(&l->v->size, &words);
    else
        text_format(&words, "here: "), ledger_our_size(c, &words);
    text_format(out, "%s%s", out->length ? "; " : "", words.at);
    text_release(&words);
}

static void claim_row_of(const Ledger *b, const LedgerClaim *c, Cells *cells) {
    Text words;
    text_init(&words);
    cells_row(cells);
    cell_text(cells, c->claim->id);
    cell_text(cells, c->claim->brief);
    numbers(b, c, cells);
    picture(c, cells);
    behind_word(c, &words);
    claims_verdict(cells, c->word, words.at);
    text_clear(&words);
    ledger_own_size(c, &words);
    cell_text(cells, words.at);
    text_clear(&words);
    ledger_our_size(c, &words);
    cell_text(cells, words.at);
    if (isnan(c->p))
        cell_none(cells);
    else
        cell_exact(cells, c->p);
    if (isnan(c->holm))
        cell_none(cells);
    else
        cell_exact(cells, c->holm);
    text_clear(&words);
    ledger_why(c, &words);
    cell_text(cells, words.at);
    text_clear(&words);
    sizes(c, &words);
    if (words.length) cells_words(cells, 9, words.at);
    text_release(&words);
}

static void writeup_table(const Ledger *b, const ClaimFile *f, CellsList *out) {
    static const char *const behind[] = {"own_size", "our_size", "p", "p_holm", "why"};
    int count[WORD_COUNT], k = ledger_family(b, f);
    Cells *c = cells_add(out, f->writeup, "");
    ledger_title(f, &c->title);
    ledger_count(b, f, count);
    ledger_counts_text(count, &c->caption);
    if (k)
        text_format(&c->caption, ". *: survives Holm over %s", k > 1 ? "" : "the one claim that a contrast decides.");
    if (k > 1) text_format(&c->caption, "the %d claims that contrasts decide.", k);
    cells_column(c, "claim", 'l', "claim");
    cells_column(c, "says", 'p', "what it says");
    cells_column(c, "reported", 'p', "write-up");
    cells_column(c, "ours", 'r', "ours");
    cells_column(c, "ours", 'i', "[CI]");
    cells_column(c, NULL, 'g', "");
    cells_column(c, "verdict", 'p', "verdict");
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) cells_column(c, behind[i], 'X', "");
    for (const LedgerClaim *one = b->claim; one < b->claim + b->claims; one++)
        if (one->file == f) claim_row_of(b, one, c);
}

/* Three lines: the words, and where the numbers are from. */
static void legend(const Ledger *b, Cells *c) {
    text_format(&c->notes,
                "reproduced, contradicted: at the write-up's own size, or by arithmetic; seen here, not seen here: at "
                "the size named. open: these seeds cannot tell, so many would; not tested: no run here measures it. "
                "38.6M on 3.7M: parameters on training tokens. ");
    if (b->kept.count)
        text_format(&c->notes, "Own runs, else those of results/reference/claims.json (--own: not these). ");
    text_format(&c->notes, "One claim whole: normbench claims ID.");
}

void ledger_tables(const Ledger *b, bool all, CellsList *out) {
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) writeup_table(b, f, out);
    if (out->count) legend(b, &out->at[out->count - 1]);
    for (int i = 0; all && i < b->claims; i++) ledger_whole(b, b->claim[i].claim, out);
}

void ledger_tex(const CellsList *tables, Text *out) {
    TexLayout layout = {.mark = ""};
    text_format(out, "%% normbench claims --tex: the claims of write-ups. Needs booktabs.\n");
    cells_list_tex(tables, &layout, out);
}
