/* Counts of rounding in a run with 16-bit storage (kernels/rounding.h): "rounded" in record.json. */
#ifndef BENCH_STORE_ROUNDED_H
#define BENCH_STORE_ROUNDED_H

#include <jansson.h>

#include "models/trainer.h"
#include "models/trainer_look.h"

/* Counts for a tensor's values or its gradient, over all training steps. */
typedef struct {
    char tensor[TENSOR_NAME_SIZE];
    int layer; /* -1: outside the blocks */
    RoundPass pass;
    Rounded count;
} RoundedSite;

/* Sites with counts, in the order of a step. */
typedef struct {
    bool known; /* false: nothing is rounded, or not counted yet */
    RoundedSite *site;
    int sites;
    bool scaled; /* the loss is scaled; state of the scale */
    LossScale scale;
} RoundedRun;

void rounded_release(RoundedRun *r);

/* Read a replica's counts now; `known` is false if its precision rounds nothing. */
void rounded_take(RoundedRun *r, Trainer *t, int replica);

/* Return how many numbers exceeded 65,504 at all sites, and the first site that had one (NULL: none); its step is the
 * count's first - 1. */
double rounded_overflows(const RoundedRun *r);
const RoundedSite *rounded_first(const RoundedRun *r);
double rounded_first_step(const RoundedRun *r); /* NaN: none */

/* Return the pass's name: "forward" and so on. */
const char *rounded_pass(RoundPass pass);

/* Convert to JSON, a new reference (NULL: nothing is known), and back (NULL is allowed; RC_INTEGRITY). */
json_t *rounded_json(const RoundedRun *r);
Rc rounded_parse(RoundedRun *r, const json_t *value, Error *e);

#endif
