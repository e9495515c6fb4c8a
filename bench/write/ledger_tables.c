/* The ledger as tables: one for each write-up, a row for each claim or for each verdict, and what the words mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/claims.h"
#include "bench/write/ledger.h"
#include "bench/write/theory.h"

static bool of_form(const LedgerLine *l, LedgerForm form) {
    bool run = ledger_word(l) != WORD_NOT_RUN;
    switch (form) {
    case LEDGER_short:
    case LEDGER_whole: return true;
    case LEDGER_measured: return run;
    case LEDGER_missing: return !run;
    }
    return false;
}

/* What is shown of the ledger. */
typedef struct {
    const Ledger *b;
    LedgerForm form;
    const Claim *only;
    bool mixed; /* the write-up has verdicts of runs here and stored ones, which are marked */
} LedgerView;

static bool shows(const LedgerView *w, const LedgerLine *l) {
    return (!w->only || l->claim == w->only) && of_form(l, w->form);
}

static void count(const LedgerView *w, const ClaimFile *f, bool stored, int count[WORD_COUNT]) {
    memset(count, 0, WORD_COUNT * sizeof *count);
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++)
        if ((!f || l->file == f) && shows(w, l) && stored == (l->stored != NULL)) count[ledger_word(l)]++;
}

/* "2 reproduced, 1 not run; stored: 3 contradicted" */
static void count_words(const LedgerView *w, const ClaimFile *f, Text *out) {
    int own[WORD_COUNT], stored[WORD_COUNT];
    Text words;
    text_init(&words);
    count(w, f, false, own);
    count(w, f, true, stored);
    ledger_counts_text(own, out);
    ledger_counts_text(stored, &words);
    if (words.length) text_format(out, "%sstored: %s", out->length ? "; " : "", words.at);
    text_release(&words);
}

static void writeup_title(const ClaimFile *f, Text *out) {
    text_format(out, "Write-up %s: ", f->writeup);
    claims_cite(f, out);
}

/* A line of a contrast, as a row. */
typedef struct {
    ClaimRow r;
    char where[CLAIMS_WHERE_SIZE], interval[CLAIMS_INTERVAL_SIZE];
} Line;

static void contrast_line(const LedgerView *w, const LedgerLine *l, Line *out) {
    const StoredVerdict *s = l->stored;
    Text place;
    if (s) {
        snprintf(out->where, sizeof out->where, "%.380s%s", s->where, w->mixed ? " (stored)" : "");
        out->r = (ClaimRow){.test = l->test,
                            .v = &s->judged,
                            .where = out->where,
                            .interval = s->interval,
                            .n = s->n,
                            .se = s->se,
                            .exploratory = s->exploratory,
                            .more = s->more};
        return;
    }
    text_init(&place);
    ledger_place(l, &place);
    snprintf(out->where, sizeof out->where, "%.390s", place.at);
    out->r = claim_row(&l->in->table, l->v, out->where, out->interval);
    text_release(&place);
}

/* A statement's line: "LABEL: MEASURED [INTERVAL], predicted …", cut into its parts. */
typedef struct {
    Text words; /* all of it */
    char ours[64], interval[96];
    const char *rest; /* "predicted …", inside words; all of them where they cannot be cut */
    int n;
} Stated;

static void stated_line(const LedgerLine *l, Stated *out) {
    *out = (Stated){.n = l->stored ? l->stored->n : l->stated->m->seeds};
    text_init(&out->words);
    if (l->stored)
        text_format(&out->words, "%s", l->stored->numbers);
    else
        theory_summary(l->stated, &out->words);
    const char *what = l->statement->what, *at = out->words.at, *end;
    size_t n = strlen(what);
    out->rest = at;
    if (strncmp(at, what, n) != 0 || strncmp(at + n, ": ", 2) != 0) return;
    at += n + 2, end = strstr(at, ", predicted ");
    if (!end) return;
    const char *bracket = strstr(at, " [");
    if (!bracket || bracket > end) bracket = end;
    snprintf(out->ours, sizeof out->ours, "%.*s", (int)(bracket - at), at);
    if (bracket < end) snprintf(out->interval, sizeof out->interval, "%.*s", (int)(end - bracket - 1), bracket + 1);
    out->rest = end + 2;
}

static void stated_numbers(const Stated *s, Cells *c) {
    cell_text(c, s->ours);
    cell_interval_shown(c, (double)NAN, (double)NAN, s->interval);
}

static void stated_row(const LedgerView *w, ClaimsTable *x, const LedgerLine *l) {
    Cells *c = x->c;
    Stated s;
    Text where;
    text_init(&where);
    stated_line(l, &s);
    text_format(&where, "%s%s", l->statement->what, l->stored && w->mixed ? " (stored)" : "");
    cells_row(c);
    cell_text(c, where.at);
    cell_integer(c, s.n);
    cell_none(c);
    stated_numbers(&s, c);
    for (int i = 0; i < 2 + x->family; i++) cell_none(c);
    claims_verdict(c, ledger_word(l), "");
    cells_words(c, 4, s.rest);
    text_release(&s.words);
    text_release(&where);
}

static void verdict_row(const LedgerView *w, ClaimsTable *x, const LedgerLine *l) {
    Line line;
    if (l->statement) {
        stated_row(w, x, l);
        return;
    }
    contrast_line(w, l, &line);
    claims_row(x, &line.r);
    claims_details(x->c, &line.r, l->stored ? NULL : &l->in->table);
}

/* What nothing measures, said once for neighbours with the same reason. */
static void not_run(const LedgerView *w, Cells *c, const LedgerLine *l, const LedgerLine *before) {
    bool said =
        before && before->claim == l->claim && ledger_word(before) == WORD_NOT_RUN && !strcmp(l->why, before->why);
    Text words;
    if (said && w->form != LEDGER_missing) return;
    text_init(&words);
    if (w->form == LEDGER_missing) {
        if (l->test) claims_hypothesis(l->test, &words);
        cells_row(c);
        cell_text(c, words.at);
        cell_text(c, l->why);
    } else {
        text_format(&words, "not run: %s", l->why);
        cells_words(c, 2, words.at);
    }
    text_release(&words);
}

static void write_rows(const LedgerView *w, const ClaimFile *f, ClaimsTable *x, Cells *c) {
    const LedgerLine *before = NULL;
    Text words;
    text_init(&words);
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++) {
        if (l->file != f || !shows(w, l)) continue;
        bool run = ledger_word(l) != WORD_NOT_RUN;
        if (!before || before->claim != l->claim) claims_heading(c, l->claim);
        if (run && (!before || before->test != l->test || ledger_word(before) == WORD_NOT_RUN)) {
            text_clear(&words);
            claims_hypothesis(l->test, &words);
            cells_words(c, 2, words.at);
        }
        if (run)
            verdict_row(w, x, l);
        else
            not_run(w, c, l, before);
        before = l;
    }
    text_release(&words);
}

/* Where the stored verdicts come from: each experiment once. */
static void stored_note(const LedgerView *w, const ClaimFile *f, Text *out) {
    bool any = false;
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++) {
        if (l->file != f || !shows(w, l) || !l->stored) continue;
        if (!any)
            text_format(out,
                        "%s%s of results/reference/claims.json (commit %s), not of runs here; --own leaves it out.",
                        out->length ? " " : "", w->mixed ? "stored:" : "Stored verdicts", w->b->kept.commit);
        any = true;
        Text made;
        text_init(&made);
        text_format(&made, " %s: %s.", l->stored->experiment ? l->stored->experiment : "theory", l->stored->made);
        if (!strstr(out->at, made.at)) text_format(out, "%s", made.at);
        text_release(&made);
    }
}

static bool family_differs(const LedgerView *w, const ClaimFile *f) {
    bool any = false;
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++) {
        const ClaimVerdict *v = l->stored && !l->statement ? &l->stored->judged : l->v;
        any |= l->file == f && shows(w, l) && v && v->p_writeup > v->p;
    }
    return any;
}

static void whole(const LedgerView *w, const ClaimFile *f, Cells *c) {
    ClaimsTable x;
    if (w->form == LEDGER_missing) {
        cells_column(c, "hypothesis", 'p', "hypothesis");
        cells_column(c, "needs", 'p', "not run: what would measure it, or must exist first");
        write_rows(w, f, NULL, c);
        return;
    }
    claims_begin(&x, c, "[CI]", family_differs(w, f));
    write_rows(w, f, &x, c);
    claims_end(&x);
    stored_note(w, f, &c->notes);
}

/* " (3/6)": how many of the claim's verdicts have this word. */
static void others(const LedgerView *w, const Claim *claim, VerdictWord word, Text *out) {
    int same = 0, lines = 0;
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++)
        if (l->claim == claim) same += ledger_word(l) == word, lines++;
    if (lines > 1) text_format(out, " (%d/%d)", same, lines);
}

/* A claim in one row: its first verdict in the order of the ledger. */
static void claim_in_short(const LedgerView *w, const LedgerLine *first, Cells *c) {
    const Claim *claim = first->claim;
    const LedgerLine *l = first, *end = w->b->line + w->b->lines;
    Text behind;
    Line line;
    while (l < end && (l->claim != claim || ledger_word(l) == WORD_NOT_RUN)) l++;
    if (l == end) l = first;
    VerdictWord word = ledger_word(l);
    text_init(&behind);
    cells_row(c);
    cell_text(c, claim->id);
    cell_text(c, claim->says);
    if (word == WORD_NOT_RUN) {
        cell_none(c), cell_none(c), cell_none(c);
    } else if (l->statement) {
        Stated s;
        stated_line(l, &s);
        cell_none(c);
        stated_numbers(&s, c);
        text_release(&s.words);
    } else {
        contrast_line(w, l, &line);
        claims_reported(c, &line.r), claims_ours(c, &line.r);
        if (line.r.exploratory) text_format(&behind, " (exploratory)");
    }
    if (w->mixed && l->stored) text_format(&behind, " (stored)");
    others(w, claim, word, &behind);
    claims_verdict(c, word, behind.at);
    text_release(&behind);
}

static void in_short(const LedgerView *w, const ClaimFile *f, Cells *c) {
    const LedgerLine *before = NULL;
    bool kept = false;
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++) kept |= l->file == f && l->stored;
    cells_column(c, "claim", 'l', "claim");
    cells_column(c, "says", 'p', "what it says");
    cells_column(c, "reported", 'r', "reported");
    cells_column(c, "ours", 'r', "ours");
    cells_column(c, "ours", 'i', "[CI]");
    cells_column(c, "verdict", 'p', "verdict");
    for (const LedgerLine *l = w->b->line; l < w->b->line + w->b->lines; l++) {
        if (l->file != f || (before && before->claim == l->claim)) continue;
        claim_in_short(w, l, c);
        before = l;
    }
    text_format(&c->notes,
                "Reported, ours and verdict: of the first test that was measured, in the first experiment; in "
                "brackets, how many of the claim's verdicts say the same. Whole: normbench claims %s, or "
                "--all.",
                f->claims ? f->claim[0].id : "ID");
    if (kept)
        text_format(&c->notes,
                    " %s of results/reference/claims.json (commit %s), not of runs here; --own leaves it out.",
                    w->mixed ? "stored:" : "Stored verdicts", w->b->kept.commit);
}

/* What the words mean that stand above. */
static void words_table(const LedgerView *w, CellsList *out) {
    int own[WORD_COUNT], stored[WORD_COUNT];
    count(w, NULL, false, own);
    count(w, NULL, true, stored);
    Cells *c = cells_add(out, "verdicts", w->only ? "What the words mean" : "All verdicts");
    cells_column(c, "verdict", 'l', "verdict");
    cells_column(c, "here", 'r', "here");
    cells_column(c, "stored", 'r', "stored");
    cells_column(c, "meaning", 'p', "meaning");
    for (int word = 0; word < WORD_COUNT; word++) {
        if (!own[word] && !stored[word]) continue;
        cells_row(c);
        cell_text(c, verdict_word((VerdictWord)word));
        cell_integer(c, own[word]), cell_integer(c, stored[word]);
        cell_text(c, verdict_meaning((VerdictWord)word));
    }
    if (!c->rows) text_format(&c->caption, "none");
}

void ledger_tables(const Ledger *b, LedgerForm form, const Claim *only, CellsList *out) {
    LedgerView w = {.b = b, .form = form, .only = only};
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) {
        bool any = false, own = false, kept = false;
        for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
            if (l->file != f || !shows(&w, l)) continue;
            any = true, own |= !l->stored && ledger_word(l) != WORD_NOT_RUN, kept |= l->stored != NULL;
        }
        if (!any) continue;
        w.mixed = own && kept;
        Cells *c = cells_add(out, f->writeup, "");
        writeup_title(f, &c->title);
        count_words(&w, f, &c->caption);
        if (form == LEDGER_short)
            in_short(&w, f, c);
        else
            whole(&w, f, c);
    }
    if (form != LEDGER_missing) words_table(&w, out);
}

void ledger_tex(const Ledger *b, const Claim *only, Text *out) {
    CellsList all = {0};
    TexLayout layout = {.mark = ""};
    text_format(out, "%% normbench claims --tex: the claims of all write-ups. Needs booktabs.\n");
    ledger_tables(b, LEDGER_whole, only, &all);
    cells_list_tex(&all, &layout, out);
    cells_list_release(&all);
}
