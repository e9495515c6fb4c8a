/* A comparison as JSON (docs/json.md), for `table`, `claims` and `compare` alike. */
#ifndef BENCH_WRITE_COMPARISON_JSON_H
#define BENCH_WRITE_COMPARISON_JSON_H

#include "base/text.h"
#include "bench/write/stat_json.h"

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
void json_put_count(json_t *o, const char *key, uint64_t n);

/* What the posterior supposes, as a sentence. */
extern const char comparison_prior[];

#endif
