#include "models/observe.h"

#include <math.h>

#include "models/massive.h"

typedef struct {
    const Measure *m;
    const Program *p;
    int replica, from, to;
    bool thin;
    double *value;
} Parts;

static double largest_of(const void *words, bool wide, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(wide ? ((const double *)words)[i] : (double)((const float *)words)[i]);
        if (!isfinite(size)) return (double)INFINITY;
        if (size > most) most = size;
    }
    return most;
}

static double part_of(const Program *p, const MeasurePart *of, int replica) {
    int cols = p->tape->tensor[of->tensor].cols;
    size_t word = p->backend->word[of->role], n = (size_t)of->rows * (size_t)cols;
    const void *words = (const unsigned char *)program_at(p, of->role, of->tensor, replica) +
                        (size_t)of->first * (size_t)cols * word;
    switch (of->kind) {
    case PART_SQUARES: return p->backend->sumsq(words, of->rows, cols);
    case PART_SUM: return p->backend->sum(words, of->rows, cols);
    case PART_LARGEST: return largest_of(words, word == sizeof(double), n);
    case PART_MASSIVE: return massive_count(words, word == sizeof(double), n);
    }
    return (double)NAN;
}

/* Every thread takes whole tensors. */
static void some_parts(void *context, int part, int parts) {
    const Parts *s = context;
    for (int i = s->from + part; i < s->to; i += parts) {
        const MeasurePart *of = &s->m->part[i];
        if (s->thin || !of->thin) s->value[i] = part_of(s->p, of, s->replica);
    }
}

void observe_parts(const Measure *m, const Program *p, int replica, int from, int to, bool thin, double *value) {
    Parts s = {m, p, replica, from, to, thin, value};
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

/* The loss's gradients by activations are scaled with it. */
static double unscaled(const Program *p, Role role, int replica, double norm) {
    double scale = role == ROLE_DACT ? p->scalars[replica].loss_scale : 0;
    return scale > 0 ? norm / scale : norm;
}

double observe_probe(const Measure *m, const Program *p, int probe, int replica, const double *value) {
    const Probe *of = &p->tape->probe[probe];
    const Fold *fold = &m->fold[probe];
    double most = 0;
    if (of->tensor == TENSOR_NONE) return (double)NAN;
    value += fold->first;
    switch (of->reduction) {
    case REDUCE_word: return program_value(p, of->role, of->tensor, replica, 0);
    case REDUCE_norm: return unscaled(p, of->role, replica, program_round(p, sqrt(sum_of(p, value, fold->count))));
    case REDUCE_rms: {
        double rms = sqrt(sum_of(p, value, fold->count) / fold->elements);
        return isnan(rms) ? (double)INFINITY : rms; /* NaN would say that there is nothing to measure */
    }
    case REDUCE_largest:
        for (int i = 0; i < fold->count; i++)
            if (value[i] > most) most = value[i];
        return most;
    case REDUCE_variance: {
        double mean = value[1] / fold->elements, variance = value[0] / fold->elements - mean * mean;
        return isnan(variance) ? (double)INFINITY : variance > 0 ? variance : 0;
    }
    case REDUCE_massive: return value[0] / fold->elements;
    case REDUCTION_COUNT: break;
    }
    return (double)NAN;
}
