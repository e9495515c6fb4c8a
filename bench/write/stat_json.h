/* Statistics as JSON objects, one name for one number wherever it is written: tables, claims, compare.
 *
 * Every object has a "status"; when it is not "ok" the numbers that could not be made are left out. A number that is
 * not finite is a string. A p that is a share of cases comes with its exact count and total. */
#ifndef BENCH_WRITE_STAT_JSON_H
#define BENCH_WRITE_STAT_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "bench/formats/json.h"
#include "bench/verdict/paired.h"

/* {schema, made_by, commit}: the program that writes, and the commit that it was built from. schema: 0: it has none. */
json_t *json_begin(int schema);

json_t *json_status(StStatus status);                         /* {status} */
json_t *json_share(double p, uint64_t count, uint64_t total); /* {p, count, total} */
json_t *json_t_interval(const StTci *t);
json_t *json_tost(const StTost *x, double margin);

/* {status, confidence, lo, hi, alone_lo, alone_hi}: of all comparisons jointly, and of this one. */
json_t *json_flip_interval(const Family *f, const Comparison *c);

/* Who asks: how decisions are called, and what is known. */
typedef struct {
    const void *of;
    void (*words)(const void *of, const Comparison *c, Decision d, Text *out); /* a sentence */
    const char *(*code)(const void *of, Decision d);
    bool higher;          /* is better */
    bool blocks;          /* runs were evaluated by blocks of the text */
    double margin;        /* NaN: none */
    const char *withheld; /* status of intervals where a run diverged; NULL: they are shown */
} ComparisonJson;

/* Fills o: the head, every statistic that the family computed, the tail. */
void comparison_json(json_t *o, const Family *f, const Comparison *c, const ComparisonJson *j);

/* {decision, verdict, diverged_arm, diverged_baseline, intervals_decide}; {decision_on_ranks, verdict_on_ranks,
 * decision_with_cap?}. */
void comparison_json_head(json_t *o, const Comparison *c, const ComparisonJson *j);
void comparison_json_tail(json_t *o, const Comparison *c, const ComparisonJson *j);

/* Parts; each a new reference. */
json_t *json_not_made(const char *why);                 /* {status: why} */
json_t *json_with_floor(json_t *o, double floor);       /* beside a p: the smallest there can be; returns o */
json_t *json_chance(const StChance *x);
json_t *json_variance(const StVariance *v, const char *statistic);
void json_put_fisher(json_t *o, const Comparison *c);

/* What the posterior supposes, as a sentence. */
extern const char comparison_prior[];

#endif
