#include "models/measure.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"

/* Parameters of each block, in tape order: where they begin among all and how many they are. */
typedef struct {
    int *tensor, count;
    int *first, *many; /* [layers] */
} Parameters;

static Parameters list_parameters(const Tape *t) {
    Parameters p = {.tensor = mem_alloc((size_t)t->tensors, sizeof *p.tensor),
                    .first = mem_alloc((size_t)t->layers + 1, sizeof *p.first),
                    .many = mem_alloc((size_t)t->layers + 1, sizeof *p.many)};
    for (int i = 0; i < t->tensors; i++) {
        int layer = t->tensor[i].layer;
        if (t->tensor[i].role != ROLE_PARAM) continue;
        if (layer >= 0) {
            if (!p.many[layer]++) p.first[layer] = p.count;
            assert(p.first[layer] + p.many[layer] == p.count + 1 && "a block's parameters stand side by side");
        }
        p.tensor[p.count++] = i;
    }
    return p;
}

static void add_part(Measure *m, const Tape *t, int tensor, Role role, bool largest) {
    m->part = mem_grow(m->part, (size_t)m->parts + 1, sizeof *m->part);
    m->part[m->parts++] = (MeasurePart){tensor, t->tensor[tensor].layer, role, largest};
}

/* Sums of squares of gradients are made for clipping: probes of them need no parts of their own. */
static bool has_own_parts(const Probe *p) {
    if (p->tensor == TENSOR_NONE || p->reduction == REDUCE_word) return false;
    return p->role != ROLE_GRAD || p->reduction == REDUCE_largest;
}

static void add_own_parts(Measure *m, const Tape *t, const Parameters *all, int probe) {
    const Probe *p = &t->probe[probe];
    bool whole = p->layer < 0, largest = p->reduction == REDUCE_largest;
    int first = whole ? 0 : all->first[p->layer], count = whole ? all->count : all->many[p->layer];
    m->fold[probe].first = m->parts;
    if (p->tensor >= 0)
        add_part(m, t, p->tensor, p->role, largest);
    else
        for (int i = 0; i < count; i++) add_part(m, t, all->tensor[first + i], p->role, largest);
    m->fold[probe].count = m->parts - m->fold[probe].first;
}

static void use_gradients(Measure *m, const Tape *t, const Parameters *all, int probe) {
    const Probe *p = &t->probe[probe];
    bool whole = p->layer < 0;
    m->fold[probe].first = m->gradient + (whole ? 0 : all->first[p->layer]);
    m->fold[probe].count = whole ? all->count : all->many[p->layer];
}

void measure_init(Measure *m, const Tape *t) {
    Parameters all = list_parameters(t);
    *m = (Measure){.fold = mem_alloc((size_t)t->probes + 1, sizeof *m->fold), .parameters = all.count};
    for (int after = 0; after < 2; after++) {
        for (int i = 0; i < t->probes; i++)
            if (site_info[probe_info[t->probe[i].kind].site].after == after && has_own_parts(&t->probe[i]))
                add_own_parts(m, t, &all, i);
        if (!after) m->gradient = m->parts;
        for (int i = 0; !after && i < all.count; i++) add_part(m, t, all.tensor[i], ROLE_GRAD, false);
    }
    for (int i = 0; i < t->probes; i++) {
        const Probe *p = &t->probe[i];
        m->after |= site_info[probe_info[p->kind].site].after;
        if (p->role == ROLE_GRAD && !has_own_parts(p)) use_gradients(m, t, &all, i);
        for (int j = 0; j < m->fold[i].count; j++) {
            const Tensor *x = &t->tensor[m->part[m->fold[i].first + j].tensor];
            m->fold[i].elements += (double)x->rows * x->cols;
        }
    }
    free(all.tensor);
    free(all.first);
    free(all.many);
}

void measure_release(Measure *m) {
    free(m->part);
    free(m->fold);
    *m = (Measure){0};
}
