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

bool measure_of_rows(const MeasurePart *p) {
    return p->role == ROLE_ACT || p->role == ROLE_DACT;
}

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

static void add_part(Measure *m, const Tape *t, int tensor, Role role, PartKind kind) {
    const Tensor *x = &t->tensor[tensor];
    m->part = mem_grow(m->part, (size_t)m->parts + 1, sizeof *m->part);
    m->part[m->parts] = (MeasurePart){.tensor = tensor, .layer = x->layer, .rows = x->rows, .role = role, .kind = kind};
    m->parts++;
}

/* What a reduction begins with; the variance takes the sum behind it. */
static PartKind begins_with(Reduction how) {
    return how == REDUCE_largest ? PART_LARGEST : how == REDUCE_massive ? PART_MASSIVE : PART_SQUARES;
}

/* Sums of squares of gradients are made for clipping: probes of them need no parts of their own. */
static bool has_own_parts(const Probe *p) {
    if (p->tensor == TENSOR_NONE || p->reduction == REDUCE_word || p->reduction == REDUCTION_COUNT) return false;
    return p->role != ROLE_GRAD || p->tensor >= 0 || begins_with(p->reduction) != PART_SQUARES;
}

static void add_own_parts(Measure *m, const Tape *t, const Parameters *all, int probe) {
    const Probe *p = &t->probe[probe];
    bool whole = p->layer < 0, thin = !probe_info[p->kind].usual;
    PartKind kind = begins_with(p->reduction);
    int first = whole ? 0 : all->first[p->layer], count = whole ? all->count : all->many[p->layer];
    if (p->tensor >= 0) count = 1;
    assert(count == 1 || (p->reduction != REDUCE_variance && p->reduction != REDUCE_massive));
    m->fold[probe].first = m->parts;
    for (int i = 0; i < count; i++) {
        add_part(m, t, p->tensor >= 0 ? p->tensor : all->tensor[first + i], p->role, kind);
        if (p->reduction == REDUCE_variance) add_part(m, t, p->tensor, p->role, PART_SUM);
    }
    for (int i = m->fold[probe].first; i < m->parts; i++) {
        m->part[i].thin = thin;
        if (p->rows) m->part[i].first = p->first, m->part[i].rows = p->rows;
    }
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
        for (int i = 0; !after && i < all.count; i++) add_part(m, t, all.tensor[i], ROLE_GRAD, PART_SQUARES);
    }
    for (int i = 0; i < t->probes; i++) {
        const Probe *p = &t->probe[i];
        m->after |= site_info[probe_info[p->kind].site].after;
        if (p->role == ROLE_GRAD && !has_own_parts(p)) use_gradients(m, t, &all, i);
        for (int j = 0; j < m->fold[i].count; j++) {
            const MeasurePart *part = &m->part[m->fold[i].first + j];
            if (part->kind == PART_SUM) continue; /* of what its squares are of */
            int passes = measure_of_rows(part) && t->passes > 1 ? t->passes : 1;
            m->fold[i].elements += (double)passes * part->rows * t->tensor[part->tensor].cols;
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
