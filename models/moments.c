#include "models/moments.h"

#include <assert.h>
#include <stdlib.h>

_Static_assert(ARENA_ALIGN / sizeof(float) == MOMENTS_RANKS_MAX, "a rank's part is whole words");

/* Bytes of a rank's part of one replica's parameters. */
static size_t part_bytes(const Trainer *t) {
    return t->program.stride[ROLE_PARAM] / (size_t)t->owners->ranks;
}

Share moments_share(const Trainer *t, const Tensor *x, int part, int parts) {
    Share own = {0, (ptrdiff_t)x->rows * x->cols};
    if (t->owners) {
        ptrdiff_t words = (ptrdiff_t)(part_bytes(t) / t->program.backend->word[ROLE_PARAM]);
        ptrdiff_t from = words * t->owners->rank - (ptrdiff_t)x->at, to = from + words;
        if (from > own.from) own.from = from < own.to ? from : own.to;
        if (to < own.to) own.to = to > own.from ? to : own.from;
    }
    Share share = share_of(part, parts, own.to - own.from);
    return (Share){own.from + share.from, own.from + share.to};
}

void moments_exchange(const Trainer *t, int replica, bool updates) {
    const Program *p = &t->program;
    if (!t->owners) return;
    for (Role role = 0; role < ROLE_COUNT; role++) /* gradients have their parameters' places */
        if (role == ROLE_PARAM || (updates && role == ROLE_GRAD))
            ranks_gather(t->owners, p->arena[role].at + (size_t)replica * p->stride[role], part_bytes(t));
}

void trainer_gather_moments(Trainer *t) {
    const Ranks *r = t->owners;
    const Program *p = &t->program;
    if (!r) return;
    size_t bytes = part_bytes(t);
    unsigned char *unused = r->rank ? mem_alloc(bytes, 1) : NULL;
    for (Role role = ROLE_MOMENT1; role <= ROLE_MOMENT2; role++)
        for (int replica = 0; replica < p->replicas; replica++) {
            unsigned char *all = p->arena[role].at + (size_t)replica * p->stride[role];
            for (int other = 1; other < r->ranks && !r->rank; other++)
                r->swap(r->context, other, all, all + (size_t)other * bytes, bytes);
            if (r->rank) r->swap(r->context, 0, all + (size_t)r->rank * bytes, unused, bytes);
        }
    free(unused);
}

void trainer_drop_moments(Trainer *t) {
    const Program *p = &t->program;
    if (!t->owners) return;
    size_t bytes = part_bytes(t), own = (size_t)t->owners->rank * bytes;
    for (Role role = ROLE_MOMENT1; role <= ROLE_MOMENT2; role++)
        for (int replica = 0; replica < p->replicas; replica++) {
            size_t first = (size_t)replica * p->stride[role];
            arena_drop(&p->arena[role], first, first + own);
            arena_drop(&p->arena[role], first + own + bytes, first + p->stride[role]);
        }
}

void trainer_share_moments(Trainer *t, const Ranks *ranks) {
    assert(t->micro && !t->program.queue && ranks->ranks <= MOMENTS_RANKS_MAX && !t->step);
    assert(t->program.stride[ROLE_MOMENT1] == t->program.stride[ROLE_PARAM]);
    t->owners = ranks;
    trainer_drop_moments(t);
}
