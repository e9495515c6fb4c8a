/* Address: a user's name for one stored run: its id, a unique prefix of it, or
 *
 *     ARM/lr=1e-3/seed=3        EXPERIMENT:ARM/lr=1e-3/seed=3
 *
 * with enough keys (bench/store/listing.h) to select one run. ARM is an arm's name or label. */
#ifndef BENCH_STORE_ADDRESS_H
#define BENCH_STORE_ADDRESS_H

#include "bench/plan/experiment.h"
#include "bench/store/record.h"
#include "bench/store/session.h"

/* Find the run's id. RC_USAGE: no run is stored, none matches (the line names the nearest, or the values that exist),
 * or several match (it names keys that distinguish them). RC_INTEGRITY: a damaged record. */
Rc address_find(const Session *s, const char *text, char id[SHA256_HEX], Error *e);

/* Write the name of a stored run's arm in the first of its plans, else its variant's row, to out; return out. */
char *address_arm(const Session *s, const RunRecord *r, char out[ARM_NAME_SIZE]);

/* Return the EXPERIMENT of an address, or NULL; the caller frees it. */
char *address_experiment(const char *text);

#endif
