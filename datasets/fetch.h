/* Downloads, through libcurl. The only file of normbench that opens a connection; built without libcurl it
 * says so. */
#ifndef DATASETS_FETCH_H
#define DATASETS_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    size_t limit;          /* bytes: a longer answer is refused */
    bool allow_file;       /* also take file:// addresses (tests) */
    bool (*stopped)(void); /* asked about once a second: true ends the download; NULL: never */
} FetchRules;

/* Whether this build can download at all. */
bool fetch_available(void);

/* *bytes = what url answers, *length bytes and a terminator, freed by the caller. https only, certificates
 * checked, no redirect followed, 15 s to connect, given up below 1 kB/s over 30 s. RC_UNMEASURED: no libcurl,
 * no network, an HTTP error or redirect; RC_INTEGRITY: the answer is over the limit; RC_INTERRUPTED:
 * `stopped` said so; RC_USAGE: not an address we take. The line names the url. */
Rc fetch(const char *url, const FetchRules *rules, char **bytes, size_t *length, Error *e);

#endif
