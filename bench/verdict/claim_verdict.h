/* Claim verdicts: the claims of a write-up against one experiment's sample. A test of a claim gives one verdict for
 * each cell whose runs have the claim's set-up and each step it asks for that is measured; otherwise one `not run`. */
#ifndef BENCH_VERDICT_CLAIM_VERDICT_H
#define BENCH_VERDICT_CLAIM_VERDICT_H

#include "bench/plan/claim.h"
#include "bench/verdict/claim_words.h"
#include "bench/verdict/reading.h"
#include "bench/verdict/replication.h"
#include "bench/verdict/verdict.h"

typedef struct {
    const Claim *claim;
    const ClaimTest *test; /* NULL: the claim has none yet */
    int cell, step;        /* step: index into the cell's steps; -1 when not run */
    const Comparison *c;   /* NULL when not run */
    double effect;         /* ours, in the reported form: mean d, a ratio or a difference of shares */
    double lo, hi;         /* its interval; NaN: none */
    const char *interval;  /* what kind of interval: "t", "bootstrap", … */
    double p;              /* the one that decides: the test's; Holm's over the verdicts by the same test where it does
                              not adjust p itself */
    double p_writeup;      /* p in the family of the write-up's experiments (bench/verdict/writeup_family.h); NaN: no
                              more than this experiment is in view */
    double floor;          /* the smallest it could be; 0: none */
    double reported;       /* the reported effect at this step; NaN: none */
    Replication replication; /* whether it agrees with ours */
    bool undeclared;       /* some of its runs were trained before the claim read as it does now */
    const char *by;        /* the test whose p decided: the claim's, or of a claim of equality that fails, max-T */
    bool holm;             /* p is Holm's over the verdicts by the same test */
    bool small;            /* separated from zero on the claimed side, and yet inside the claim's margin */
    VerdictWord word;
    char why[CLAIM_WHY_SIZE]; /* of not run, too few seeds and not testable; what else to know */
} ClaimVerdict;

typedef struct {
    Family family; /* every contrast of every claim that is measured here, adjusted together */
    ClaimVerdict *at;
    int count;
} ClaimVerdicts;

/* Whether an experiment's plan, once run, measures a test; if not, why (CLAIM_WHY_SIZE bytes) says what is missing. */
bool claim_measured_by(const Claim *claim, const ClaimTest *t, const Experiment *x, char *why, size_t size);

/* The cell of a verdict, as "layers = 4, lr = 1e-3"; of a grid without its rate. Returns out. */
char *claim_verdict_cell(char out[256], const Experiment *x, const ClaimVerdict *v);

void claim_verdicts_make(ClaimVerdicts *l, const ClaimFile *f, const Sample *s);
void claim_verdicts_release(ClaimVerdicts *l);

#endif
