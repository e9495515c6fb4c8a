/* Downloads by libcurl. No other file of normbench opens a connection; without libcurl, fetch fails and says so. */
#ifndef DATASETS_FETCH_H
#define DATASETS_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    size_t limit;          /* bytes: a longer answer is refused */
    bool allow_file;       /* also take file:// addresses (tests) */
    bool (*stopped)(void); /* called about once a second: true ends the download; NULL: never */
} FetchRules;

/* Return true if this build can download. */
bool fetch_available(void);

/* Download url: *bytes has *length bytes and a terminator, and the caller frees it. https only, certificates
 * checked, no redirect followed, 15 s to connect, given up below 1 kB/s over 30 s. RC_UNMEASURED: no libcurl,
 * no network, an HTTP error or redirect; RC_INTEGRITY: the answer is over the limit; RC_INTERRUPTED:
 * `stopped` returned true; RC_USAGE: unsupported address. The line names the url. */
Rc fetch(const char *url, const FetchRules *rules, char **bytes, size_t *length, Error *e);

#endif
