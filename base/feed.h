/* Feeds: a model's inputs by name. A model's builder lists those it has (models/tape.h), a dataset fills those that
 * are cut from its text (base/feeds.def); whoever trains a model fills the others. */
#ifndef BASE_FEED_H
#define BASE_FEED_H

#include <stdint.h>

typedef struct {
    const char *name, *help;
    int shift;
    int32_t absent;
} FeedInfo;

/* The row of base/feeds.def called name, or NULL. */
const FeedInfo *feed_find(const char *name);

/* Room for one feed of one replica. */
typedef struct {
    const char *name;
    int rows;
    int32_t *ids; /* [rows] */
} FeedRoom;

#endif
