/* Anytime: what comparisons say when one may stop after any seed, by the test martingales of stats/anytime.h. Their
 * p's and intervals take the place of all others: those of a fixed number of seeds do not hold for data that was
 * stopped.
 *
 * From the first diverged run on p is the larger one of the differences, with the cap, and of their signs alone, with a
 * diverged run worse than any other, where both show one side; there is no interval. */
#ifndef BENCH_VERDICT_ANYTIME_H
#define BENCH_VERDICT_ANYTIME_H

#include "bench/verdict/paired.h"
#include "stats/anytime.h"

/* Seeds that continuations may take, where none is named; seeds that can be watched. */
enum { ANYTIME_MAX = 64, ANYTIME_LARGEST = 2000 };

typedef struct Anytime {
    StStatus status;
    double mean;        /* of d */
    double alone_p;     /* of this comparison by itself */
    double p, inside_p; /* adjusted by Holm over the family; inside_p: NaN without a margin or with a diverged run */
    StInterval ci;      /* at the level alpha / count, so that all cover together; none with a diverged run */
    int at;             /* seeds after which it was decided; 0: it is not */
    Decision decision;  /* its side is that of the seed at which a difference was first shown */
    StAnytimeNeed need; /* at the level alpha / count; of decided ones without use */
} Anytime;

/* Of a family whose comparisons were made: its pairs, in the order of their seeds, without intervals and what is still
 * needed, which take most of the time. Fewer seeds than ST_EQUAL_SEEDS show nothing to be the same. out: [count]. */
void anytime_decisions(const Family *f, Anytime *out);

/* Makes all of it the family's, in the place of family_together: its p's, intervals and decisions are these, and of
 * what holds for a fixed number of seeds alone nothing is left. Readers that show an interval ask f->anytime what it
 * is. most: the seeds that may be taken. */
void anytime_decide(Family *f, int most);

#endif
