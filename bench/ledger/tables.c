/* The ledger as tables: one for each write-up with a row for each claim, and a legend of three lines. */
#include <math.h>
#include <stdlib.h>
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

/* Why nothing is seen, in a few words behind the verdict; NULL: there is more to say of it, or no such verdict. */
static const char *nothing_seen(const LedgerClaim *c, char out[48]) {
    const ClaimVerdict *v = c->line && c->word != WORD_NOT_TESTED ? c->line->v : NULL;
    if (!v || v->seen != SEEN_nothing || strchr(v->why, ';')) return NULL;
    if (v->c->inside)
        snprintf(out, 48, "within %s", FORMAT_REAL(v->c->what.margin));
    else
        snprintf(out, 48, "all equal");
    return v->c->inside || v->c->what.against == 0 ? out : NULL;
}

/* Whether more seeds than a plan may have would decide an open claim. */
static bool beyond_plans(const LedgerClaim *c) {
    return c->word == WORD_OPEN && c->line && c->line->v && c->line->v->seeds_wanted < 0;
}

/* " *" of what survives Holm, " +" of an exploratory verdict, ": 24 seeds, 0.3 h" of what is open, ": within 0.02" of
 * what is too small to matter. */
static void behind_word(const Ledger *b, const LedgerClaim *c, Text *out) {
    double hours;
    if (c->survives) text_format(out, " *");
    if (ledger_exploratory(c)) text_format(out, " +");
    char words[48];
    if (nothing_seen(c, words)) text_format(out, ": %s", words);
    if (beyond_plans(c)) text_format(out, ": over %d seeds", CLAIM_SEEDS_MAX);
    int seeds = c->word == WORD_OPEN ? ledger_seeds(b, c, &hours) : 0;
    if (!seeds) return;
    const bool device = ledger_device(c->line);
    text_format(out, ": %d seeds, ", seeds);
    ledger_hours_text(hours * (device ? LEDGER_SPEED / LEDGER_DEVICE_SPEED : 1), out);
    if (device) text_format(out, " GPU");
}

/* What the row alone does not say: an answer, why a claim is open of which no number of seeds is known, what a test
 * takes. */
static void behind_row(const Ledger *b, const LedgerClaim *c, Text *out) {
    const ClaimVerdict *v = c->line ? c->line->v : NULL;
    bool answered = c->word == WORD_ANSWERED && ledger_answer(c);
    if (answered) text_format(out, "Answer: %s", ledger_answer(c));
    double hours;
    bool unknown = c->word == WORD_OPEN && !ledger_seeds(b, c, &hours) && !beyond_plans(c);
    char words[48];
    bool apart = v && v->apart && c->word != WORD_NOT_TESTED && !nothing_seen(c, words);
    bool why = c->word == WORD_NOT_TESTED || unknown || apart;
    if (answered && why) text_format(out, " (");
    if (why) ledger_why(c, out);
    if (answered) text_format(out, why ? ")." : ".");
    if (unknown && v && v->seeds_wanted > v->size.seeds)
        text_format(out, " by this test; how many would decide the claim's other test is not known");
}

/* The sizes that a write-up's rows name, by letter: its own in capitals. */
typedef struct {
    char **at[2]; /* own, ours */
    int count[2];
} Sizes;

/* "B"; behind z a number follows: "a2". */
static void size_name(bool ours, int k, Text *out) {
    text_format(out, "%c", (ours ? 'a' : 'A') + k % 26);
    if (k >= 26) text_format(out, "%d", k / 26 + 1);
}

/* The name of a size, which is listed when it is new; "": it is none. */
static void name_size(Sizes *s, bool ours, const Text *size, Text *out) {
    int *n = &s->count[ours], k = 0;
    if (!size->length) return;
    while (k < *n && strcmp(s->at[ours][k], size->at) != 0) k++;
    if (k == *n) {
        s->at[ours] = mem_grow(s->at[ours], (size_t)*n + 1, sizeof *s->at[ours]);
        char *copy = s->at[ours][(*n)++] = mem_alloc(size->length + 1, 1);
        memcpy(copy, size->at, size->length + 1);
    }
    text_format(out, "%s", out->length ? " " : "");
    size_name(ours, k, out);
}

static void sizes_of(Sizes *s, const LedgerClaim *c, Text *out) {
    LOCAL_TEXT(size);
    ledger_own_brief(c, &size);
    name_size(s, false, &size, out);
    text_clear(&size);
    ledger_our_brief(c, &size);
    name_size(s, true, &size, out);
}

/* "Sizes: A: 38.6M on 3.7M of WikiText-2, 1 seed. Here: a: …"; releases them. */
static void sizes_text(Sizes *s, Text *out) {
    for (int ours = 0; ours < 2; ours++) {
        if (s->count[ours])
            text_format(out, "%s", ours ? ". Sizes of runs here: " : ". Its own sizes (parameters on tokens): ");
        for (int k = 0; k < s->count[ours]; k++) {
            text_format(out, "%s", k ? "; " : "");
            size_name(ours, k, out);
            text_format(out, " %s", s->at[ours][k]);
            free(s->at[ours][k]);
        }
        free(s->at[ours]);
    }
    text_format(out, ".");
}

/* Seeds that would decide, and their hours. */
static void cell_seeds(const Ledger *b, const LedgerClaim *c, Cells *cells) {
    double hours = (double)NAN;
    int seeds = c->word == WORD_OPEN ? ledger_seeds(b, c, &hours) : 0;
    if (!seeds) {
        cell_none(cells), cell_none(cells);
        return;
    }
    cell_exact(cells, seeds), cell_exact(cells, hours);
}

static void claim_row_of(const Ledger *b, const LedgerClaim *c, Sizes *of, Cells *cells) {
    LOCAL_TEXT(words);
    cells_row(cells);
    cell_text(cells, c->claim->id);
    cell_text(cells, c->claim->brief);
    numbers(b, c, cells);
    picture(c, cells);
    cell_by(cells, sizes_of, of, c);
    text_clear(&words);
    behind_word(b, c, &words);
    claims_verdict(cells, c->word, words.at);
    cell_by(cells, ledger_own_size, c);
    cell_by(cells, ledger_our_size, c);
    isnan(c->p) ? cell_none(cells) : cell_exact(cells, c->p);
    isnan(c->holm) ? cell_none(cells) : cell_exact(cells, c->holm);
    cell_seeds(b, c, cells);
    cell_by(cells, ledger_why, c);
    text_clear(&words);
    behind_row(b, c, &words);
    if (words.length) cells_words(cells, 9, words.at);
}

bool ledger_holds(const Claim *c, const char *word) {
    return strcasestr(c->says, word) || strcasestr(c->brief, word) || (c->note && strcasestr(c->note, word)) ||
           strcasestr(c->source, word);
}

static bool wanted(const LedgerClaim *c, bool open, const char *word) {
    return (!open || c->word == WORD_OPEN) && (!word || ledger_holds(c->claim, word));
}

static void writeup_table(const Ledger *b, const ClaimFile *f, bool open, const char *word, CellsList *out) {
    static const char *const behind[] = {"own_size", "our_size", "p", "p_holm", "seeds_wanted", "hours_wanted", "why"};
    int count[WORD_COUNT], k = ledger_family(b, f);
    bool exploratory = false;
    Sizes of = {0};
    Cells *c = cells_add(out, f->writeup, "");
    ledger_title(f, &c->title);
    ledger_count(b, f, count);
    ledger_counts_text(count, &c->caption);
    if (k)
        text_format(&c->caption, ". A star marks a verdict that holds with p adjusted by Holm's method over %s",
                    k > 1 ? "" : "the one claim that a comparison of runs decides");
    if (k > 1) text_format(&c->caption, "the %d claims that comparisons of runs decide", k);
    cells_columns(c, {"claim", "l", "claim"}, {"says", "p", "what it says"}, {"reported", "p", "write-up"},
                  {"ours", "r", "ours"});
    cells_stack(c);
    cells_column(c, "ours", 'i', "[CI]");
    cells_stack(c);
    cells_columns(c, {NULL, "g", ""}, {NULL, "l", "size"}, {"verdict", "p", "verdict"});
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) cells_column(c, behind[i], 'X', "");
    for (const LedgerClaim *one = b->claim; one < b->claim + b->claims; one++)
        if (one->file == f && wanted(one, open, word)) {
            claim_row_of(b, one, &of, c);
            exploratory |= ledger_exploratory(one);
        }
    if (exploratory)
        text_format(&c->caption, ". A plus marks one whose test, or window, is younger than its runs (exploratory)");
    sizes_text(&of, &c->caption);
}

/* Three lines: the words, and where the numbers are from. */
static void legend(const Ledger *b, Cells *c) {
    text_format(&c->notes,
                "A claim is reproduced or contradicted at the write-up's own size or by arithmetic, seen or not "
                "seen here at another size, open where these runs cannot tell (then: seeds that would, time "
                "on two cores or a GPU). ");
    if (b->kept.count) text_format(&c->notes, "Stored numbers stand for runs that you lack (--own: without them). ");
    text_format(&c->notes, "`normbench claims ID` prints one whole.");
}

/* "13 of 18 open claims would be decided in a day of two cores each; …" */
static void days(const Ledger *b, Cells *c) {
    int open = 0, day = 0, more = 0;
    for (const LedgerClaim *one = b->claim; one < b->claim + b->claims; one++) {
        if (one->word != WORD_OPEN) continue;
        double hours;
        ledger_seeds(b, one, &hours);
        open++, day += hours <= 24, more += hours > 24;
    }
    text_format(&c->notes,
                "Of %d open claim%s a day of two cores or less would decide %d, and more time %d; for %d no number of "
                "seeds is known that would decide it. ",
                open, open == 1 ? "" : "s", day, more, open - day - more);
}

void ledger_tables(const Ledger *b, bool all, bool open, const char *word, CellsList *out) {
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) {
        bool has = false;
        for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
            has |= c->file == f && wanted(c, open, word);
        if (has || (!open && !word)) writeup_table(b, f, open, word, out);
    }
    if (out->count && open) days(b, &out->at[out->count - 1]);
    if (out->count) legend(b, &out->at[out->count - 1]);
    for (int i = 0; all && i < b->claims; i++)
        if (wanted(&b->claim[i], open, word)) ledger_whole(b, b->claim[i].claim, out);
}

void ledger_tex(const CellsList *tables, Text *out) {
    TexLayout layout = {.mark = ""};
    text_format(out, "%% normbench claims --format tex: the claims of write-ups. Needs booktabs.\n");
    cells_list_tex(tables, &layout, out);
}
