#include "base/feed.h"

#include <stddef.h>
#include <string.h>

static const FeedInfo feeds[] = {
#define FEED(name, shift, absent, help) {#name, help, shift, absent},
#include "base/feeds.def"
#undef FEED
};

const FeedInfo *feed_find(const char *name) {
    for (size_t i = 0; i < sizeof feeds / sizeof *feeds; i++)
        if (!strcmp(feeds[i].name, name)) return &feeds[i];
    return NULL;
}
