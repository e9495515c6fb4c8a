/* Address: how a user names one stored run, everywhere: by its id or a beginning of it that no other run has, or by
 *
 *     ARM/lr=1e-3/seed=3        EXPERIMENT:ARM/lr=1e-3/seed=3
 *
 * with as many keys (bench/store/listing.h) as make it one run. ARM is an arm's name or label. */
#ifndef BENCH_STORE_ADDRESS_H
#define BENCH_STORE_ADDRESS_H

#include "bench/store/session.h"

/* RC_USAGE: no run is stored, none is called so (the nearest, or the values that there are), or several are (what would
 * tell them apart). RC_INTEGRITY: a record that does not read. */
Rc address_find(const Session *s, const char *text, char id[SHA256_HEX], Error *e);

/* The EXPERIMENT in front of an address, or NULL; freed by the caller. */
char *address_experiment(const char *text);

#endif
