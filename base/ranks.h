/* Processes that train one run together. */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    int rank, ranks; /* ranks is a power of two */
    int local;       /* this rank's number among those of its host */
    /* Gives `partner` mine[bytes] and takes theirs[bytes], which must not overlap. Every rank calls it in the same
     * order, one thread at a time: any thread. A rank that is lost ends the program. */
    void (*swap)(void *context, int partner, const void *mine, void *theirs, size_t bytes);
    /* Ends the program on all ranks with this rank's error, said once, for others may wait for what it can no longer
     * give; NULL, in tests: nobody can. */
    void (*end)(void *context, const Error *e);
    void *context;
} Ranks;

/* Whether any rank's flag is set: recursive doubling, every rank calls it. NULL: one rank. */
bool ranks_any(const Ranks *r, bool flag);

/* Whether all ranks hold the same bytes. */
bool ranks_equal(const Ranks *r, const void *bytes, size_t length);

/* Rank 0's bytes, on every rank. */
void ranks_tell(const Ranks *r, void *bytes, size_t length);

/* all[ranks * bytes]: this rank's part stands at its place, afterwards everybody's do. */
void ranks_gather(const Ranks *r, void *all, size_t bytes);

/* Ranks.end, where there is one: NULL or one rank alone has none. */
void ranks_end(const Ranks *r, const Error *e);

#endif
