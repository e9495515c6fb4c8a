/* Feeds: a model's inputs by name. A model's builder lists its feeds (models/tape.h), a dataset fills those that are
 * cut from its text (base/feeds.def), and the model's trainer fills the others. */
#ifndef BASE_FEED_H
#define BASE_FEED_H

#include <stdint.h>

typedef struct {
    const char *name, *help;
    int shift;
    int32_t absent;
} FeedInfo;

/* Find a row of base/feeds.def by name; NULL: there is none. */
const FeedInfo *feed_find(const char *name);

/* Memory for one feed of one replica. */
typedef struct {
    const char *name;
    int rows;
    int32_t *ids; /* [rows] */
} FeedRoom;

#endif
