#include "models/observe.h"

#include <math.h>

typedef struct {
    const Measure *m;
    const Program *p;
    int replica, from, to;
    double *value;
} Parts;

static double largest_of(const Program *p, Role role, int tensor, int replica) {
    const Tensor *x = &p->tape->tensor[tensor];
    const void *words = program_at(p, role, tensor, replica);
    bool wide = p->backend->word[role] == sizeof(double);
    double most = 0;
    for (size_t i = 0, n = (size_t)x->rows * (size_t)x->cols; i < n; i++) {
        double size = fabs(wide ? ((const double *)words)[i] : (double)((const float *)words)[i]);
        if (!isfinite(size)) return (double)INFINITY;
        if (size > most) most = size;
    }
    return most;
}

/* Every thread takes whole tensors. */
static void some_parts(void *context, int part, int parts) {
    const Parts *s = context;
    for (int i = s->from + part; i < s->to; i += parts) {
        const MeasurePart *of = &s->m->part[i];
        const Tensor *x = &s->p->tape->tensor[of->tensor];
        s->value[i] = of->largest ? largest_of(s->p, of->role, of->tensor, s->replica)
                                  : s->p->backend->sumsq(program_at(s->p, of->role, of->tensor, s->replica), x->rows,
                                                         x->cols);
    }
}

void observe_parts(const Measure *m, const Program *p, int replica, int from, int to, double *value) {
    Parts s = {m, p, replica, from, to, value};
    program_together(p, some_parts, &s);
}

static double sum_of(const Program *p, const double *value, int count) {
    double total = 0;
    for (int i = 0; i < count; i++) total = program_round(p, total + value[i]);
    return total;
}

double observe_norm(const Measure *m, const Program *p, const double *value) {
    return program_round(p, sqrt(sum_of(p, value + m->gradient, m->parameters)));
}

double observe_probe(const Measure *m, const Program *p, int probe, int replica, const double *value) {
    const Probe *of = &p->tape->probe[probe];
    const Fold *fold = &m->fold[probe];
    double most = 0;
    if (of->tensor == TENSOR_NONE) return (double)NAN;
    value += fold->first;
    switch (of->reduction) {
    case REDUCE_word: return program_value(p, of->role, of->tensor, replica, 0);
    case REDUCE_norm: return program_round(p, sqrt(sum_of(p, value, fold->count)));
    case REDUCE_rms: {
        double rms = sqrt(sum_of(p, value, fold->count) / fold->elements);
        return isnan(rms) ? (double)INFINITY : rms; /* NaN would say that there is nothing to measure */
    }
    case REDUCE_largest:
        for (int i = 0; i < fold->count; i++)
            if (value[i] > most) most = value[i];
        return most;
    case REDUCTION_COUNT: break;
    }
    return (double)NAN;
}
