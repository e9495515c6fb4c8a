#include "base/ranks.h"

bool ranks_any(const Ranks *r, bool flag) {
    for (int level = 1; r && level < r->ranks; level *= 2) {
        unsigned char mine = flag, theirs = 0;
        r->swap(r->context, r->rank ^ level, &mine, &theirs, 1);
        flag = flag || theirs;
    }
    return flag;
}

void ranks_gather(const Ranks *r, void *all, size_t bytes) {
    for (int level = 1; r && level < r->ranks; level *= 2) {
        size_t run = (size_t)level * bytes;
        unsigned char *mine = (unsigned char *)all + (size_t)(r->rank / level) * run;
        r->swap(r->context, r->rank ^ level, mine, (unsigned char *)all + (size_t)(r->rank / level ^ 1) * run, run);
    }
}
