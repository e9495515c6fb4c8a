/* Processes that train one run together. */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    int rank, ranks; /* ranks is a power of two */
    int local;       /* this rank's index among the ranks of its host */
    /* Send mine[bytes] to `partner` and receive theirs[bytes], which must not overlap. Every rank calls it in the same
     * order, from any thread, one at a time. A lost rank ends the program. */
    void (*swap)(void *context, int partner, const void *mine, void *theirs, size_t bytes);
    /* End the program on all ranks with this rank's error, printed once, since others may wait for this rank. NULL in
     * tests: not possible. */
    void (*end)(void *context, const Error *e);
    void *context;
} Ranks;

/* Return true if any rank's flag is set, by recursive doubling; every rank calls it. r NULL: one rank. */
bool ranks_any(const Ranks *r, bool flag);

/* Return true if all ranks have the same bytes. */
bool ranks_equal(const Ranks *r, const void *bytes, size_t length);

/* Broadcast rank 0's bytes to every rank. */
void ranks_tell(const Ranks *r, void *bytes, size_t length);

/* Gather all ranks' parts in all[ranks * bytes], which holds this rank's part in its place. */
void ranks_gather(const Ranks *r, void *all, size_t bytes);

/* Call Ranks.end if there is one; r NULL or a single rank has none. */
void ranks_end(const Ranks *r, const Error *e);

#endif
