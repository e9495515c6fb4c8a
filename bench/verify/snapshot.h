/* Stored snapshots: results/baselines/<experiment>-<profile>.json, of class canon, and
 * <experiment>-<profile>-<class>.json of each other class whose bits are every machine's. Rows are raw per-run numbers
 * (hashes, every evaluation's loss), never summaries; the history holds each regeneration's reason, its old -> new
 * table, and the hash of the rows it left, so that rows edited without a reason do not pass; the tolerances of other
 * arithmetic classes (bench/verify/gate.h) count as rows there. */
#ifndef BENCH_VERIFY_SNAPSHOT_H
#define BENCH_VERIFY_SNAPSHOT_H

#include <jansson.h>

#include "bench/store/session.h"
#include "bench/store/store.h"

/* Reads a snapshot file. RC_UNMEASURED: there is none. RC_INTEGRITY: it does not parse, or its rows are not those its
 * last reason left. *out is a new reference. */
Rc snapshot_read(json_t **out, const char *path, Error *e);

/* Old and new rows: one line per difference (missing, extra, changed member) into report and one object each into
 * *table (a new array). Returns how many. */
int snapshot_compare(json_t *old_rows, json_t *new_rows, Text *report, json_t **table);

/* Stores rows with a reason on top of the history of old (NULL: the first). */
Rc snapshot_write(const char *path, const Experiment *x, json_t *old, json_t *rows, json_t *tolerances, json_t *table,
                  const char *reason, Error *e);

/* Whether a class's bits are every machine's, so that they can be stored. */
bool snapshot_has_own(const char *arithmetic_class);

/* The file of a class, or canon's for a class without its own, under the checkout's results (never under --results). */
void snapshot_path(char *path, size_t size, const Session *s, const Experiment *x, const char *arithmetic_class);

/* Trains the whole experiment anew in a temporary results folder (stored runs prove nothing about today's code) and
 * returns its rows. The synthetic source never stands in for another corpus here. *rows is a new reference. */
Rc snapshot_measure(Session *s, const Experiment *x, json_t **rows, Error *e);

#endif
