/* The claims of a ledger: which line decides each, its word, and Holm's p over a write-up's claims. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ledger/ledger.h"
#include "bench/verdict/outlook.h"
#include "stats/multiple.h"

bool ledger_measured(const LedgerLine *l) {
    return l->v || l->stated || l->stored;
}

static StatedWord stated_of(const LedgerLine *l) {
    return l->stored ? l->stored->stated : l->stated->word;
}

/* The nearest to the write-up of the places where a test was measured. */
static const LedgerLine *nearest(const Ledger *b, const ClaimTest *t) {
    const LedgerLine *best = NULL;
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->test != t || !l->v || l->v->place < 0) continue;
        if (!best || l->v->place < best->v->place) best = l;
    }
    return best;
}

/* What a claim's primary tests show, one after another. */
typedef struct {
    LedgerClaim *c;
    Seen seen;
    bool own, any;
    int contrasts;                              /* that decide the claim, measured or not */
    double least[SEEN_COUNT], most[SEEN_COUNT]; /* p of the tests that show it; NaN: none */
    bool late[SEEN_COUNT];                      /* one of them was written down after its runs were seen */
} Adding;

typedef struct {
    Seen seen;
    bool own, late;
    double p; /* NaN: a statement's */
} ClaimPart;

static void add_part(Adding *a, const LedgerLine *l, ClaimPart part) {
    LedgerClaim *c = a->c;
    Seen before = a->seen;
    a->seen = a->any ? seen_together(before, part.seen) : part.seen;
    if (!c->line || (a->seen == part.seen && before != part.seen)) c->line = l;
    a->own = a->any ? a->own && part.own : part.own;
    a->any = true;
    a->late[part.seen] |= part.late;
    a->least[part.seen] = fmin(a->least[part.seen], part.p), a->most[part.seen] = fmax(a->most[part.seen], part.p);
}

/* Return the p of the claim: where all its tests must show it the largest, where one of them shows otherwise the
 * least of those that do times the number of tests (Bonferroni). */
static double p_together(const Adding *a) {
    double p = a->contrasts * a->least[a->seen];
    if (a->seen != SEEN_no && a->seen != SEEN_nothing) return a->most[a->seen];
    return p > 1 ? 1 : p;
}

static void add_test(const Ledger *b, Adding *a, const ClaimTest *t) {
    const LedgerLine *first = NULL, *best = t->theories ? NULL : nearest(b, t);
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->test != t) continue;
        if (!first) first = l;
        if (!l->statement) continue;
        bool measured = l->stated || l->stored;
        add_part(a, l, (ClaimPart){measured ? stated_seen(stated_of(l)) : SEEN_untested, statement_own(l->statement),
                              statement_late(l->statement), (double)NAN});
    }
    const ClaimVerdict *v = best ? ledger_verdict(best) : NULL;
    if (v) add_part(a, best, (ClaimPart){v->seen, v->own != NULL, v->undeclared, v->p});
    if (!best && !t->theories && first) add_part(a, first, (ClaimPart){SEEN_untested, false, false, (double)NAN});
}

static bool measured(const Ledger *b, const ClaimTest *t) {
    bool any = false;
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++)
        any |= l->test == t && ledger_measured(l) && (!l->v || l->v->place >= 0);
    return any;
}

/* A primary test, or where it was not measured the first behind it that stands in for it and was. */
static const ClaimTest *measured_of(const Ledger *b, const ClaimTest *t, const ClaimTest *end) {
    if (measured(b, t)) return t;
    for (const ClaimTest *x = t + 1; x < end && x->otherwise; x++)
        if (measured(b, x)) return x;
    return t;
}

static void judge_claim(const Ledger *b, LedgerClaim *c) {
    Adding a = {.c = c, .seen = SEEN_untested};
    for (int i = 0; i < SEEN_COUNT; i++) a.least[i] = a.most[i] = (double)NAN;
    const ClaimTest *end = c->claim->test + c->claim->tests;
    for (const ClaimTest *t = c->claim->test; t < end; t++)
        if (t->decides && !t->otherwise) {
            a.contrasts += !t->theories;
            add_test(b, &a, measured_of(b, t, end));
        }
    for (const LedgerLine *l = b->line; l < b->line + b->lines && !c->line; l++)
        if (l->claim == c->claim) c->line = l;
    if (c->line) (void)ledger_verdict(c->line);
    c->seen = a.any ? a.seen : SEEN_untested;
    c->p = p_together(&a), c->late = a.late[c->seen];
    c->word = claim_word(c->claim->kind, a.own || c->claim->kind == KIND_arithmetic, c->seen);
}

/* Whether a contrast decides the claim, measured or not. */
static bool by_contrast(const Claim *c) {
    bool any = false;
    for (int i = 0; i < c->tests; i++) any |= c->test[i].decides && !c->test[i].theories;
    return any;
}

/* Whether two claims rest on the same numbers of the same runs. */
static bool same_contrast(const LedgerClaim *x, const LedgerClaim *y) {
    const ClaimVerdict *a = x->line->v, *b = y->line->v;
    if (!a || !b || !a->c || !b->c || a->test->metric != b->test->metric || a->test->grid != b->test->grid)
        return false;
    if (a->test->test->about != b->test->test->about || a->c->pairs.n != b->c->pairs.n || !a->c->pairs.n) return false;
    return !memcmp(a->c->pairs.d, b->c->pairs.d, a->c->pairs.n * sizeof *a->c->pairs.d);
}

/* The earlier claim that shares a claim's contrast, or the claim itself. */
static LedgerClaim *shared(const Ledger *b, LedgerClaim *c) {
    for (LedgerClaim *x = b->claim; x < c; x++)
        if (x->file == c->file && by_contrast(x->claim) && same_contrast(x, c)) return x;
    return c;
}

int ledger_family(const Ledger *b, const ClaimFile *f) {
    int k = 0;
    for (LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        k += c->file == f && by_contrast(c->claim) && shared(b, c) == c;
    return k;
}

/* Holm over a write-up's claims; one that is not measured counts, as if it had shown nothing. */
static void adjust(Ledger *b, const ClaimFile *f) {
    OWNED double *p = mem_alloc((size_t)b->claims + 1, sizeof *p);
    size_t k = 0, at = 0;
    for (LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        if (c->file == f && by_contrast(c->claim) && shared(b, c) == c) p[k++] = c->p;
    bool made = k && st_holm(p, k, p) == ST_OK;
    for (LedgerClaim *c = b->claim; c < b->claim + b->claims && made; c++) {
        if (c->file != f || !by_contrast(c->claim)) continue;
        LedgerClaim *of = shared(b, c);
        c->holm = of == c ? p[at++] : of->holm;
        bool shown = c->seen == SEEN_yes || c->seen == SEEN_no || c->seen == SEEN_nothing;
        c->survives = shown && c->line->v && c->holm < c->line->family->alpha;
    }
}

void ledger_judge(Ledger *b) {
    free(b->claim);
    b->claim = NULL, b->claims = 0;
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) {
        for (const Claim *c = f->claim; c < f->claim + f->claims; c++) {
            b->claim = mem_grow(b->claim, (size_t)b->claims + 1, sizeof *b->claim);
            LedgerClaim *one = &b->claim[b->claims++];
            *one = (LedgerClaim){.file = f, .claim = c, .p = (double)NAN, .holm = (double)NAN};
            judge_claim(b, one);
        }
        adjust(b, f);
    }
}

const LedgerClaim *ledger_claim(const Ledger *b, const Claim *c) {
    for (const LedgerClaim *x = b->claim; x < b->claim + b->claims; x++)
        if (x->claim == c) return x;
    return NULL;
}

VerdictWord ledger_word(const Ledger *b, const LedgerLine *l) {
    const LedgerClaim *c = ledger_claim(b, l->claim);
    if (!ledger_measured(l)) return WORD_NOT_TESTED;
    if (c->line == l) return c->word;
    const ClaimTest *t = l->test, *end = l->claim->test + l->claim->tests;
    while (t->otherwise && t > l->claim->test) t--;
    bool decides = l->test->decides && measured_of(b, t, end) == l->test && (l->statement || nearest(b, l->test) == l);
    if (!decides) return WORD_ESTIMATE;
    const ClaimVerdict *v = ledger_verdict(l);
    Seen seen = l->statement ? stated_seen(stated_of(l)) : v->seen;
    bool own = l->statement ? statement_own(l->statement) : v->own != NULL;
    return claim_word(l->claim->kind, own || l->claim->kind == KIND_arithmetic, seen);
}

void ledger_count(const Ledger *b, const ClaimFile *f, int count[WORD_COUNT]) {
    memset(count, 0, WORD_COUNT * sizeof *count);
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        if (!f || c->file == f) count[c->word]++;
}

void ledger_counts_text(const int count[WORD_COUNT], Text *out) {
    int written = 0;
    for (int w = 0; w < WORD_COUNT; w++)
        if (count[w]) text_format(out, "%s%d %s", written++ ? ", " : "", count[w], verdict_word((VerdictWord)w));
}

static const ClaimSize *own_size_of(const LedgerClaim *c) {
    const ClaimSize *own = c->line && c->line->v ? c->line->v->own : NULL;
    return own || !c->claim->own_count ? own : c->claim->own[0];
}

void ledger_own_size(const LedgerClaim *c, Text *out) {
    if (own_size_of(c)) claim_size_text(own_size_of(c), out);
}

void ledger_own_brief(const LedgerClaim *c, Text *out) {
    if (own_size_of(c)) claim_size_brief(own_size_of(c), out);
}

void ledger_our_brief(const LedgerClaim *c, Text *out) {
    if (c->line && c->line->v && c->word != WORD_NOT_TESTED)
        run_size_brief(&c->line->v->size, out);
    else
        ledger_our_size(c, out);
}

void ledger_our_size(const LedgerClaim *c, Text *out) {
    const LedgerLine *l = c->line;
    if (!l || c->word == WORD_NOT_TESTED) return;
    if (l->v) run_size_text(&l->v->size, out);
    if (!l->statement) return;
    if (c->claim->kind == KIND_arithmetic) {
        text_format(out, "arithmetic");
        return;
    }
    int seeds = l->stored ? l->stored->n : l->stated->m->seeds;
    theory_setting(l->statement, out);
    text_format(out, ", before the first step, %d seed%s", seeds, seeds == 1 ? "" : "s");
}

void ledger_why(const LedgerClaim *c, Text *out) {
    const LedgerLine *l = c->line;
    if (!l) return;
    if (l->v && c->word != WORD_NOT_TESTED) {
        text_format(out, "%s", l->v->why);
        return;
    }
    if (c->word == WORD_OPEN && l->statement)
        text_format(out, "the interval over %d seeds contains a bound of the prediction, %s",
                    l->stored ? l->stored->n : l->stated->m->seeds, l->statement->predicted);
    if (c->word != WORD_NOT_TESTED) return;
    text_format(out, "%s", l->why[0] ? l->why : l->v ? "another of its tests was not measured" : "");
    const char *takes = c->claim->own_count ? c->claim->own[0]->takes : NULL;
    bool runs = l->test && !l->test->theories;
    if (takes && runs) text_format(out, "%sits own size takes %s", out->length ? "; " : "", takes);
}

bool ledger_exploratory(const LedgerClaim *c) {
    return c->late && c->word != WORD_OPEN && c->word != WORD_NOT_TESTED;
}

const char *ledger_answer(const LedgerClaim *c) {
    switch (c->seen) {
    case SEEN_yes: return c->claim->answer[0];
    case SEEN_no: return c->claim->answer[1];
    case SEEN_nothing: return c->claim->answer[2];
    case SEEN_untested:
    case SEEN_unclear:
    case SEEN_COUNT: break;
    }
    return NULL;
}

/* ---- What the seeds would take that decide an open claim ---- */

/* Learning rates of an experiment. */
static int rates_of(const Ledger *b, const char *experiment) {
    for (int i = 0; i < b->links; i++)
        if (!strcmp(b->link[i].name, experiment)) return b->link[i].rates;
    return 1;
}

/* Return the hours of two cores of the seeds that a test wants. */
static double hours_of(const Ledger *b, const LedgerLine *l) {
    const char *experiment = l->stored ? l->stored->experiment : l->in->table.x->name;
    bool grid = l->test->grid || (l->test->terms && l->test->term[0].arm.best);
    double runs = (double)l->v->seeds_wanted * l->test->terms * (grid ? rates_of(b, experiment) : 1);
    return runs * 6 * (double)l->v->size.parameters * l->v->size.trained / LEDGER_SPEED / 3600;
}

int ledger_seeds(const Ledger *b, const LedgerClaim *c, double *hours) {
    int most = 0;
    *hours = 0;
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->claim != c->claim || ledger_word(b, l) != WORD_OPEN || (l->v && l->v->seen != SEEN_unclear)) continue;
        if (!l->v || !l->test || l->v->seeds_wanted <= l->v->size.seeds) return *hours = (double)NAN, 0;
        if (l->v->seeds_wanted > most) most = l->v->seeds_wanted;
        *hours += hours_of(b, l);
    }
    if (!most) *hours = (double)NAN;
    return most;
}

const char *ledger_device(const LedgerLine *l) {
    if (l->stored) return l->stored->specs ? spec_needs_device(l->stored->spec) : NULL;
    return l->in ? experiment_needs_device(l->in->table.x) : NULL;
}

double ledger_plan_hours(const Experiment *x) {
    return outlook_flops(x) / LEDGER_SPEED / 3600;
}

void ledger_hours_text(double hours, Text *out) {
    if (hours < 1)
        text_format(out, "%.0f min", fmax(1, 60 * hours));
    else
        text_format(out, "%.*f h", hours < 10 ? 1 : 0, hours);
}
