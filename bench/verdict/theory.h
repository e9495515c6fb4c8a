/* Verdicts on statements: numbers of seeds (bench/theory/theory.h) against what was declared
 * (bench/plan/statements.def). */
#ifndef BENCH_VERDICT_THEORY_H
#define BENCH_VERDICT_THEORY_H

#include <stdbool.h>

#include "bench/theory/theory.h"
#include "bench/verdict/claim_verdict.h"

typedef enum {
    STATED_HOLDS,
    STATED_FAILS,     /* measured, and outside of what was declared */
    STATED_UNDECIDED, /* the interval over seeds stands across a border of the window */
    STATED_UNMEASURED /* no numbers, or no finite ones */
} StatedWord;
const char *stated_word(StatedWord w); /* "holds", "does not hold", "not decided", "not measured" */

typedef struct {
    const Statement *statement;
    const Measured *m;
    StatedWord word;
    double value, lo, hi; /* the number that decides, its mean over seeds and 95% t interval (NaN: none): a slope, a
                             size. Of EXACT and AT_MOST the value that is farthest from the prediction, whatever the
                             seed; of LOGARITHM R^2 of the logarithm minus that of the line */
    double z;             /* EXPECTED: distance from the prediction in standard errors; NaN: none */
    double error;         /* EXACT: the largest distance from the prediction */
    int points;           /* that decide */
    bool left;            /* some value is not finite: x = `left_at` is the first such place, in left_seeds seeds */
    double left_at;
    int left_seeds;
} StatementVerdict;

StatementVerdict statement_judge(const Statement *s, const Measured *m);

/* What it shows of a claim that rests on it, and whether it was measured in the theory's own setting, or is arithmetic:
 * a GPT at its start is another. */
Seen stated_seen(StatedWord w);
bool statement_own(const Statement *s);

/* All of them, in the order of statements.def. */
void theory_judge(const Theory *t, StatementVerdict out[STATEMENT_COUNT]);

#endif
