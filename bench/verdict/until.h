/* Until: an experiment whose seeds are added until it is decided ("seeds: {until: decided, most: 64}"). Decided is, by
 * p's that hold whenever one stops (bench/verdict/anytime.h), every primary comparison: each arm against the baseline,
 * or what `compare` names, in every cell, at its last step. Seeds count in the plan's ascending
 * order, and of those that are whole only the first: so whoever reads the same records, at whatever time, stops at the
 * same seed. */
#ifndef BENCH_VERDICT_UNTIL_H
#define BENCH_VERDICT_UNTIL_H

#include "bench/store/store.h"
#include "bench/verdict/anytime.h"
#include "bench/verdict/sample.h"

/* The primary comparisons: [returned] into *what, freed by the caller. */
int until_primaries(const Sample *s, Contrast **what);

/* The first number of seeds at which all of a family of primaries are decided, those aside that have no test; where
 * none has one, all its seeds. 0: one is still open. */
int until_decided(const Family *f);

/* Whether one of a family that has a test is decided. */
bool until_is(const Family *f, int i);

/* The fewest seeds at which one of all primaries could be decided; more than x->most: none can. */
int until_least(const Experiment *x);

/* records_take; where seeds are added until it is decided, those after the decision are left out of r and x. A plan
 * that fixes a number of seeds or looks, but was written down after runs of it were trained by a plan that adds them,
 * is read as one that adds them too: x then says so, since how many they are was seen.
 *
 * With looks (bench/plan/looks.h) x gets the seeds and the level of the first look that decides all primaries by the
 * tests of a fixed number of seeds, else of the last whose seeds are whole; x->most is 0 then. Before the first look
 * its runs are missing. */
Rc until_take(Records *r, const Store *s, Experiment *x, bool precise, Error *e);
Rc until_read(Records *r, const char *runs, Experiment *x, bool precise, Error *e); /* of the store in a folder */

/* Where an experiment stands. */
typedef struct {
    Experiment x;    /* of the seeds that count */
    Records records; /* missing: not one seed is whole, and nothing else is known */
    Sample sample;
    Family family;               /* of its primaries */
    int at;                      /* as until_decided; `most` where these are all stored and some is open */
    bool over;                   /* no seed is needed any more */
    int decided, open, untested; /* primaries */
} Until;

/* x: as it was planned, with all its seeds. The codes of records_take and sample_make; on failure there is nothing to
 * release. */
Rc until_make(Until *u, const Store *s, const Experiment *x, bool precise, Error *e);
void until_release(Until *u);

#endif
