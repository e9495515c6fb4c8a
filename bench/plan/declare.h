/* Declarations: plans and claims fixed before a run was trained. A record keeps one line per plan of its experiment
 * file (one per profile) and one per claim of its write-up:
 *
 *   plan SHA256            baseline, metric, alpha, margin, seeds, factors and arms (experiment_text)
 *   stops SHA256           the plan again, if it adds seeds until it is decided
 *   claim 002-1 SHA256     set-up, steps, family, and of each test metric, contrast, direction, test and margin
 *
 * A comparison whose line is not in every record that it uses was planned or changed after the results were known: it
 * is marked exploratory. Notes, reported numbers and wording may change freely. */
#ifndef BENCH_PLAN_DECLARE_H
#define BENCH_PLAN_DECLARE_H

#include "bench/plan/claim.h"
#include "bench/plan/experiment.h"

/* Append the lines of an experiment's plans, or of a write-up's claims, each with its newline. */
void declare_plans(const Experiment *x, Text *out);
void declare_claims(const ClaimFile *claims, Text *out);

/* Set out to "plan SHA256" or "claim ID SHA256", without newline. */
void declare_plan(const Experiment *x, Text *out);
void declare_claim(const Claim *c, Text *out);

/* Return true if a line is among the lines of a record; lines NULL: none. */
bool declared(const char *lines, const char *line);

/* Return true if a run was trained under some plan that adds seeds until it is decided, while x's plan was not
 * declared: the number of its seeds may depend on results. */
bool declared_stops(const char *lines, const Experiment *x);

#endif
