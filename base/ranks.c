#include "base/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool ranks_any(const Ranks *r, bool flag) {
    for (int level = 1; r && level < r->ranks; level *= 2) {
        unsigned char mine = flag, theirs = 0;
        r->swap(r->context, r->rank ^ level, &mine, &theirs, 1);
        flag = flag || theirs;
    }
    return flag;
}

void ranks_tell(const Ranks *r, void *bytes, size_t length) {
    OWNED char *theirs = mem_alloc(length + 1, 1);
    for (int level = 1; r && level < r->ranks; level *= 2) {
        if (r->rank >= 2 * level) continue;
        r->swap(r->context, r->rank ^ level, bytes, theirs, length);
        if (r->rank >= level) memcpy(bytes, theirs, length);
    }
}

bool ranks_equal(const Ranks *r, const void *bytes, size_t length) {
    OWNED char *first = mem_alloc(length + 1, 1);
    memcpy(first, bytes, length);
    ranks_tell(r, first, length);
    bool differs = ranks_any(r, memcmp(first, bytes, length) != 0);
    return !differs;
}

void ranks_end(const Ranks *r, const Error *e) {
    if (r && r->end) r->end(r->context, e);
}

void ranks_gather(const Ranks *r, void *all, size_t bytes) {
    for (int level = 1; r && level < r->ranks; level *= 2) {
        size_t run = (size_t)level * bytes;
        unsigned char *mine = (unsigned char *)all + (size_t)(r->rank / level) * run;
        r->swap(r->context, r->rank ^ level, mine, (unsigned char *)all + (size_t)((r->rank / level) ^ 1) * run, run);
    }
}
