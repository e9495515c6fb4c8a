/* Claim verdicts: the claims of a write-up against one experiment's sample. A test of a claim gives one verdict for
 * each cell whose runs have the claim's set-up and each step it asks for that is measured; otherwise one `not tested`.
 * Every contrast is a family of its own: one of them decides the claim, and the others are estimates. */
#ifndef BENCH_VERDICT_CLAIM_VERDICT_H
#define BENCH_VERDICT_CLAIM_VERDICT_H

#include "bench/plan/claim.h"
#include "bench/verdict/reading.h"
#include "bench/verdict/replication.h"
#include "bench/verdict/verdict.h"

typedef enum {
#define VERDICT(id, words) WORD_##id,
#include "bench/verdict/verdict_words.def"
#undef VERDICT
    WORD_COUNT
} VerdictWord;

const char *verdict_word(VerdictWord w);    /* "not seen here" */

/* What a test showed of what it expects. */
typedef enum {
    SEEN_untested,
    SEEN_unclear, /* these runs cannot tell */
    SEEN_yes,     /* what is expected */
    SEEN_no,      /* the opposite */
    SEEN_nothing, /* no difference that matters */
    SEEN_COUNT
} Seen;

/* The word of it. own: at the write-up's own size, or by arithmetic. */
VerdictWord claim_word(ClaimKind kind, bool own, Seen seen);

/* Of tests that decide a claim together: shown where each is. */
Seen seen_together(Seen a, Seen b);

enum { CLAIM_ENDS_SIZE = 300, CLAIM_SEEDS_MAX = 500 }; /* seeds of a plan that would decide a claim; more are no plan */

/* The size of runs, as far as it is known: of a contrast the largest of its arms. */
typedef struct {
    int layers, width, seeds;
    bool pair; /* an encoder and a decoder of so many layers each */
    long parameters;
    double tokens; /* that training has seen at the step */
    double trained; /* all of a run's */
    char corpus[SPEC_TEXT_SIZE];
} RunSize;
/* "12 x 64, 0.71M parameters, 0.15M tokens of wikitext-2, 8 seeds"; of a pair "3 + 3 x 64, ..." */
void run_size_text(const RunSize *s, Text *out);
void run_size_brief(const RunSize *s, Text *out); /* "0.71M on 0.15M of wikitext-2, 8 seeds" */

typedef struct {
    const Claim *claim;
    const ClaimTest *test;   /* NULL: the claim has none yet */
    int cell, step;          /* step: index into the cell's steps; -1 when not run */
    const Comparison *c;     /* NULL when not run */
    double effect;           /* ours, in the reported form: mean d, a ratio or a difference of shares */
    double lo, hi;           /* its interval; NaN: none */
    IntervalKind interval;
    double p;                /* of this contrast alone */
    double floor;            /* the smallest it could be; 0: none */
    double reported;         /* the reported effect at this step; NaN: none */
    Replication replication; /* whether it agrees with ours */
    bool undeclared;         /* some of its runs were trained before the claim read as it does now */
    const char *by;          /* the test whose p decided: the claim's; of an equality that fails max-T, of a difference
                                inside the margin TOST */
    int place;               /* of the claim's places that decide, 0 the nearest to the write-up; -1: an estimate */
    const ClaimSize *own;    /* the write-up's size that these runs have; NULL: another size */
    RunSize size;
    Seen seen;
    VerdictWord word;
    int seeds_wanted;         /* about as many would decide; 0: not known; -1: over CLAIM_SEEDS_MAX */
    char why[CLAIM_WHY_SIZE]; /* of not tested and open; what else to know */
    char ends[CLAIM_ENDS_SIZE]; /* arms whose best rate is an end of the grid (bench/verdict/grid.h); "": none */
    bool apart;               /* the word is not what the interval alone says; why says more */
} ClaimVerdict;

typedef struct {
    Family family; /* every contrast of every claim that is measured here; each is tested alone */
    ClaimVerdict *at;
    int count;
} ClaimVerdicts;

/* Return true if runs cannot have the test's number, and say in why (CLAIM_WHY_SIZE bytes) what is missing. rates: how
 * many learning rates they have; quantize: they measure the cost of eight bits. */
bool claim_refused(const ClaimTest *t, int rates, bool quantize, char *why, size_t size);

/* Whether an experiment's plan, once run, measures a test; if not, why (CLAIM_WHY_SIZE bytes) says what is missing. */
bool claim_measured_by(const Claim *claim, const ClaimTest *t, const Experiment *x, char *why, size_t size);

/* Sets what a measured verdict's contrast shows, its word, and why: from its reading, c, own, place, replication. */
void claim_judge(ClaimVerdict *v, const Reading *r, const Family *f);

/* What the write-up reports for a contrast of runs with these specs at a step, as the test counts it; NaN: nothing. */
double claim_reported(const ClaimTest *t, const RunSpec *spec, int terms, int step);

/* The cell of a verdict, as "layers = 4, lr = 1e-3"; of a grid without its rate. Returns out. */
char *claim_verdict_cell(char out[256], const Experiment *x, const ClaimVerdict *v);

/* grid_end_text (bench/verdict/grid.h) of a term at its best rate, with its keys where another term is of the same arm:
 * "post@warmup=0 is best at 3e-4, …". */
void claim_end_text(const ClaimTest *t, int term, const double *chosen, int seeds, const double *rate, int rates,
                    Text *out);

void claim_verdicts_make(ClaimVerdicts *l, const ClaimFile *f, const Sample *s);
void claim_verdicts_release(ClaimVerdicts *l);

#endif
