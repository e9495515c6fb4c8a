/* Readings: what each test of stats/tests.def says of a claim's contrast. */
#ifndef BENCH_VERDICT_READING_H
#define BENCH_VERDICT_READING_H

#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"
#include "stats/tests.h"

/* The kinds of intervals of intervals.def, and what they are called. */
typedef enum {
#define INTERVAL(id, words) INTERVAL_##id,
#include "bench/verdict/intervals.def"
#undef INTERVAL
    INTERVAL_COUNT
} IntervalKind;
extern const char *const interval_words[INTERVAL_COUNT];

typedef struct {
    const char *why;      /* why there is no p; NULL: there is one */
    double p;             /* two-sided, but for tests that say otherwise; NaN: none */
    double floor;         /* the smallest it could be; 0: any p > 0 */
    double effect;        /* positive weights minus negative ones, or their ratio; NaN: none */
    double neutral;       /* the effect of sides that do not differ: 0, or 1 for a ratio */
    double lo, hi;        /* the effect's interval; NaN: none */
    double se, df;        /* the effect's standard error and its degrees of freedom; NaN: none */
    IntervalKind interval;
    char note[160];       /* what else the test says; "": nothing */
} Reading;

/* sample, family: that the comparison was made from; higher: the claim expects a higher first side. */
typedef struct {
    const Sample *sample;
    const Family *family;
    const Comparison *c;
    bool higher;
} ReadingOf;

/* Every test has a reading: one that names no function does not compile. */
Reading reading_of(const StTest *test, const ReadingOf *of);

#endif
