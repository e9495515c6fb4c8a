/* One claim whole: its sentence, its verdict, every place it was measured in, its seeds, the way to its runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/ledger/ledger.h"
#include "bench/store/metrics.h"
#include "bench/store/run_list.h"
#include "bench/verdict/grid.h"
#include "bench/write/claims.h"

enum { STRIP = 41 }; /* characters of a seed's picture */

static void sentence(Cells *c, const char *head, const char *words) {
    LOCAL_TEXT(line);
    if (!words || !words[0]) return;
    text_format(&line, "%s%s", head, words);
    cells_words(c, 2, line.at);
}

static void said(Cells *c, const char *head, void (*words)(const LedgerClaim *, Text *), const LedgerClaim *of) {
    LOCAL_TEXT(line);
    words(of, &line);
    sentence(c, head, line.at);
}

static void verdict_words(const Ledger *b, const LedgerClaim *c, Text *out) {
    int k = ledger_family(b, c->file);
    text_format(out, "%s", verdict_word(c->word));
    if (c->word == WORD_ANSWERED && ledger_answer(c)) text_format(out, ": %s", ledger_answer(c));
    if (c->word == WORD_NOT_TESTED) return;
    if (!isnan(c->p)) text_format(out, "; p %s", SHOW_P(c->p));
    if (!isnan(c->holm))
        text_format(out, "; p adjusted by Holm's method over the %d claim%s of %s that comparisons of runs decide: %s",
                    k, k == 1 ? "" : "s", c->file->writeup, SHOW_P(c->holm));
    if (ledger_exploratory(c))
        text_format(out, "; exploratory: its numbers were seen before its test, or the window of its prediction, was "
                         "written down");
}

/* Why, and how many seeds the open test wants that wants the most. */
static void why_words(const Ledger *b, const LedgerClaim *c, Text *out) {
    double hours;
    ledger_why(c, out);
    int seeds = c->word == WORD_OPEN ? ledger_seeds(b, c, &hours) : 0;
    if (seeds && c->line->v && seeds > c->line->v->seeds_wanted)
        text_format(out, ", and about %d all tests of the claim", seeds);
}

/* The head: what is claimed, and what was found. */
static void head(const Ledger *b, const LedgerClaim *c, Cells *cells) {
    const Claim *claim = c->claim;
    LOCAL_TEXT(line);
    text_format(&line, "%s of write-up %s, %s", claim->kind == KIND_question ? "A question" : "A claim",
                c->file->writeup, claim->source);
    if (claim->kind != KIND_question) text_format(&line, " (%s)", kind_names[claim->kind]);
    sentence(cells, "", line.at);
    sentence(cells, "Says: ", claim->says);
    sentence(cells, "Number: ", claim->number);
    sentence(cells, "Note: ", claim->note);
    text_clear(&line);
    verdict_words(b, c, &line);
    sentence(cells, "Verdict: ", line.at);
    text_clear(&line);
    why_words(b, c, &line);
    sentence(cells, "Why: ", line.at);
    for (int i = 0; i < claim->own_count; i++) {
        text_clear(&line);
        claim_size_text(claim->own[i], &line);
        if (claim->own[i]->takes) text_format(&line, "; it takes %s", claim->own[i]->takes);
        sentence(cells, i ? "and: " : "Write-up's size: ", line.at);
    }
    said(cells, "Size here: ", ledger_our_size, c);
}

static void stated_row(const Ledger *b, ClaimsTable *x, const LedgerLine *l) {
    Cells *c = x->c;
    LedgerStated s;
    ledger_stated(l, &s);
    cells_row(c);
    cell_text(c, l->statement->what);
    cell_integer(c, s.n);
    cell_none(c);
    cell_text(c, s.ours);
    cell_interval_shown(c, (double)NAN, (double)NAN, s.interval);
    cell_none(c), cell_none(c);
    claims_verdict(c, ledger_word(b, l), "");
    cells_words(c, 4, s.rest);
    text_release(&s.words);
}

/* What the metrics of a claim's tests are, each once. */
static void meanings(const Claim *c, Text *out) {
    for (const ClaimTest *t = c->test; t < c->test + c->tests; t++) {
        bool again = !t->terms || t->metric < 0;
        for (const ClaimTest *x = c->test; x < t && !again; x++)
            again = x->terms && x->metric == t->metric && x->grid == t->grid;
        if (again) continue;
        const char *help = t->grid ? grid_info[t->grid].help : metric_info[t->metric].help;
        text_format(out, "%s%s: %s.", out->length ? " " : "", t->metric_text, help);
    }
}

static void places(const Ledger *b, const LedgerClaim *c, Cells *cells) {
    const LedgerLine *before = NULL;
    ClaimsTable x;
    LOCAL_TEXT(words);
    claims_begin(&x, cells, "[CI]");
    head(b, c, cells);
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->claim != c->claim) continue;
        if (l->test && (!before || before->test != l->test)) {
            text_clear(&words);
            claims_hypothesis(l->test, &words);
            cells_space(cells);
            sentence(cells, l->test->decides ? "Decides: " : "Beside it: ", words.at);
        }
        if (!ledger_measured(l)) {
            sentence(cells, "not tested: ", l == c->line ? "" : l->why);
        } else if (l->statement) {
            stated_row(b, &x, l);
        } else {
            LedgerRow row;
            ledger_row(b, l, &row);
            claims_row(&x, &row.r);
            claims_details(cells, &row.r, l->stored ? NULL : &l->in->table);
        }
        before = l;
    }
    meanings(c->claim, &cells->notes);
    claims_end(&x);
}

/* Where a number stands in a strip; borders are shown as < and >. */
static void mark(char strip[STRIP + 1], double x, double lo, double hi, char with) {
    if (isnan(x) || !(hi > lo)) return;
    double at = (x - lo) / (hi - lo) * (STRIP - 1);
    if (at < 0 || at > STRIP - 1) return;
    strip[(int)lround(at)] = with;
}

/* The ids of the runs that a term judges, NULL where they are not known; of a number of a whole grid there is no one
 * run. id[seeds] */
static void judged_ids(const LedgerLine *l, int term, const char **id, int seeds) {
    const Contrast *w = &l->v->c->what;
    for (int seed = 0; seed < seeds; seed++) id[seed] = NULL;
    if (w->grid) return;
    if (l->stored) {
        const json_t *o = stored_term(l->stored, term), *runs = json_object_get(o, "runs");
        bool known = !w->best || json_object_get(o, "rates"); /* older files name the runs of the lowest rate */
        for (int seed = 0; seed < seeds && known; seed++)
            id[seed] = json_string_value(json_array_get(runs, (size_t)seed));
        return;
    }
    const Sample *s = &l->in->table.sample;
    OWNED const SampleRun **run = mem_alloc((size_t)s->seeds, sizeof *run);
    grid_judged(s, w, &w->term[term], run);
    for (int seed = 0; seed < seeds; seed++) id[seed] = run[seed]->record->id;
}

/* Of one seed: id[terms][seeds]. */
static void run_ids(const char *const *id, int terms, int seeds, int seed, Text *out) {
    for (int i = 0; i < terms; i++) {
        const char *one = id[i * seeds + seed];
        if (one) text_format(out, "%s%.12s", out->length ? " " : "", one);
    }
}

/* Say which command trains the runs, and which one lists them where their records are. */
static void way_to_runs(const Ledger *b, const LedgerLine *l, Text *out) {
    const char *name = l->stored ? l->stored->experiment : l->in->table.x->name;
    const char *profile = l->stored ? l->stored->profile : l->in->table.x->profile;
    const char *device = ledger_device(l);
    char file[RUN_LIST_PATH];
    text_format(out, "`normbench run %s --profile %s` trains these runs", name, profile);
    text_format(out, device ? "; it takes an NVIDIA GPU, as no CPU computes in %s. " : ". ", device);
    if (l->v->c->what.grid) text_format(out, "Each number is of a seed's runs at all learning rates. ");
    if (l->stored && l->v->c->what.best && !json_object_get(stored_term(l->stored, 0), "rates"))
        text_format(out, "Which rate each seed was judged at was not stored. ");
    if (!l->stored) {
        text_format(out, "`normbench runs show ID` prints one of them.");
    } else if (stored_archive(b->root, profile, name, file)) {
        text_format(out, "Their records are stored (%s): `normbench runs %s --profile %s --results %s` lists them.",
                    l->stored->made, name, profile, file);
        if (metric_of_curves(l->v->c->what.metric))
            text_format(out, " The number is made of all steps of their curves: an archive that keeps step 0 alone "
                             "does not hold it.");
    } else {
        bool listed = stored_list(b->root, profile, name, file);
        text_format(out, "They are stored numbers (%s)%s%s; `normbench runs show ID` prints a run%s.", l->stored->made,
                    listed ? " of the runs in " : "", file, listed ? "'s line there" : " that is here");
    }
}

/* Each seed's difference as a number and as a picture: o the difference, | zero or the threshold, : the margin. */
static void seeds_table(const Ledger *b, const LedgerClaim *c, CellsList *out) {
    const LedgerLine *l = c->line;
    if (!l || !l->v || !l->v->c || l->v->c->status != ST_OK) return;
    const Comparison *of = l->v->c;
    const StPairs *p = &of->pairs;
    double lo = 0, hi = 0, margin = of->what.margin;
    for (size_t i = 0; i < p->n; i++) lo = fmin(lo, p->d[i]), hi = fmax(hi, p->d[i]);
    if (!isnan(margin)) lo = fmin(lo, -margin), hi = fmax(hi, margin);
    Cells *cells = cells_add(out, "seeds", "Its seeds");
    text_format(&cells->caption, "In the picture o marks the difference, | marks %s and colons mark the margin.",
                of->what.against != 0 ? "the threshold" : "0");
    cells_columns(cells, {"seed", "r", "seed"}, {"difference", "r", "difference"}, {NULL, "l", "picture"},
                  {"runs", "p", "runs"});
    int seeds = (int)p->n;
    OWNED const char **id = mem_alloc(p->n * CONTRAST_TERMS_MAX, sizeof *id);
    for (int i = 0; i < of->what.terms; i++) judged_ids(l, i, id + i * seeds, seeds);
    for (size_t i = 0; i < p->n; i++) {
        char strip[STRIP + 1];
        memset(strip, '.', STRIP), strip[STRIP] = 0;
        mark(strip, margin, lo, hi, ':'), mark(strip, -margin, lo, hi, ':');
        mark(strip, 0, lo, hi, '|'), mark(strip, p->d[i], lo, hi, 'o');
        cells_row(cells);
        cell_integer(cells, (long)p->seed[i]);
        cell_signed(cells, p->d[i] + of->what.against, decimals_for(of->t.se, 4));
        cell_text(cells, strip);
        cell_by(cells, run_ids, id, of->what.terms, seeds, (int)i);
    }
    way_to_runs(b, l, &cells->notes);
}

void ledger_whole(const Ledger *b, const Claim *claim, CellsList *out) {
    const LedgerClaim *c = ledger_claim(b, claim);
    Cells *cells = cells_add(out, claim->id, "");
    text_format(&cells->title, "%s  %s", claim->id, claim->brief);
    places(b, c, cells);
    seeds_table(b, c, out);
}

/* ---- A line of the ledger as a row: of a contrast, and of a statement ---- */

/* "WHAT: MEASURED [INTERVAL], predicted …", cut into its parts. */
void ledger_stated(const LedgerLine *l, LedgerStated *out) {
    *out = (LedgerStated){.n = l->stored ? l->stored->n : l->stated->m->seeds};
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

void ledger_row(const Ledger *b, const LedgerLine *l, LedgerRow *out) {
    const ClaimVerdict *v = ledger_verdict(l);
    LOCAL_TEXT(place);
    if (l->stored)
        text_format(&place, "%s", l->stored->where);
    else
        ledger_place(l, &place);
    snprintf(out->where, sizeof out->where, "%.390s", place.at);
    if (l->stored)
        out->r = (ClaimRow){.n = l->stored->n, .se = v->c->t.se, .exploratory = v->undeclared};
    else
        out->r = claim_row(&l->in->table, v, out->where, out->interval);
    if (l->stored) snprintf(out->interval, sizeof out->interval, "95%% %.40s", interval_words[v->interval]);
    out->r.test = l->test, out->r.v = v, out->r.where = out->where, out->r.interval = out->interval;
    out->r.word = ledger_word(b, l);
}
