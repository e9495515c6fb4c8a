/* What a run in words of 16 bits rounded (kernels/rounding.h), as its record says it: "rounded" in record.json. */
#ifndef BENCH_STORE_ROUNDED_H
#define BENCH_STORE_ROUNDED_H

#include <jansson.h>

#include "models/trainer.h"
#include "models/trainer_look.h"

/* A tensor's values or its gradient, over all training steps. */
typedef struct {
    char tensor[TENSOR_NAME_SIZE];
    int layer; /* -1: outside the blocks */
    RoundPass pass;
    Rounded count;
} RoundedSite;

/* Sites where something was counted, in the order of a step. */
typedef struct {
    bool known; /* false: nothing is rounded, or it is not counted yet */
    RoundedSite *site;
    int sites;
    bool scaled; /* the loss was, and where its scale stands */
    LossScale scale;
} RoundedRun;

void rounded_release(RoundedRun *r);

/* Of a replica, now; not known where its precision rounds nothing. */
void rounded_take(RoundedRun *r, Trainer *t, int replica);

/* Numbers beyond 65,504 at all sites, and the first of them: NULL, none. first - 1 of its count is the step. */
double rounded_overflows(const RoundedRun *r);
const RoundedSite *rounded_first(const RoundedRun *r);
double rounded_first_step(const RoundedRun *r); /* NaN: none */

/* "forward" and so on. */
const char *rounded_pass(RoundPass pass);

/* NULL where nothing is known; a new reference. Reading: NULL is fine; RC_INTEGRITY. */
json_t *rounded_json(const RoundedRun *r);
Rc rounded_parse(RoundedRun *r, const json_t *value, Error *e);

#endif
