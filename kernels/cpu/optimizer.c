/* The optimizers of kernels/optimizers.def, elementwise over one tensor; afterwards g holds the update applied.
 * AdamW: Loshchilov and Hutter 2019, in the order of operations PyTorch documents. Adam: Kingma and Ba 2015 (decay inside
 * the gradient). RAdam: Liu et al. 2020. SGD with momentum: PyTorch's form, no dampening. */
#include "kernels/optimizer.h"
#include "kernels/cpu/real.h"

typedef struct {
    real lr, decay, b1, b2, eps, c1, c2, momentum, rectify, clip;
} Rates;

static Rates rates_of(const Update *u) {
    const Scalars *s = u->scalars;
    return (Rates){(real)s->lr,          u->decay ? (real)s->weight_decay : 0,
                   (real)s->beta1,       (real)s->beta2,
                   (real)s->eps,         (real)s->correction1,
                   (real)s->correction2, (real)s->momentum,
                   (real)s->rectify,     (real)s->grad_scale};
}

/* The two running averages that the Adam family shares. */
static inline void averages(real *m, real *v, real g, const Rates *a) {
    *m = r_fma(a->b1, *m, (1 - a->b1) * g);
    *v = r_fma(a->b2, *v, (1 - a->b2) * (g * g));
}

static void update_adamw(const Update *u) {
    Rates a = rates_of(u);
    real *restrict p = u->p, *restrict g = u->g, *restrict m = u->m, *restrict v = u->v;
    for (size_t i = 0; i < u->count; i++) {
        averages(&m[i], &v[i], g[i] * a.clip, &a);
        real root = r_sqrt(v[i] / a.c2) + a.eps, old = p[i];
        real kept = old - a.lr * a.decay * old;
        p[i] = kept - a.lr * (m[i] / a.c1) / root;
        g[i] = p[i] - old;
    }
}

static void update_adam(const Update *u) {
    Rates a = rates_of(u);
    real *restrict p = u->p, *restrict g = u->g, *restrict m = u->m, *restrict v = u->v;
    for (size_t i = 0; i < u->count; i++) {
        real old = p[i];
        averages(&m[i], &v[i], r_fma(a.decay, old, g[i] * a.clip), &a);
        p[i] = old - a.lr * (m[i] / a.c1) / (r_sqrt(v[i] / a.c2) + a.eps);
        g[i] = p[i] - old;
    }
}

static void update_radam(const Update *u) {
    Rates a = rates_of(u);
    real *restrict p = u->p, *restrict g = u->g, *restrict m = u->m, *restrict v = u->v;
    for (size_t i = 0; i < u->count; i++) {
        real old = p[i];
        averages(&m[i], &v[i], r_fma(a.decay, old, g[i] * a.clip), &a);
        real plain = a.lr * (m[i] / a.c1), adapted = plain * a.rectify / (r_sqrt(v[i] / a.c2) + a.eps);
        p[i] = old - (a.rectify > 0 ? adapted : plain);
        g[i] = p[i] - old;
    }
}

static void update_sgd(const Update *u) {
    Rates a = rates_of(u);
    real *restrict p = u->p, *restrict g = u->g, *restrict m = u->m;
    for (size_t i = 0; i < u->count; i++) {
        real old = p[i];
        m[i] = r_fma(a.momentum, m[i], r_fma(a.decay, old, g[i] * a.clip));
        p[i] = old - a.lr * m[i];
        g[i] = p[i] - old;
    }
}

extern void (*const SYMBOL(update)[OPTIMIZER_COUNT])(const Update *u);
void (*const SYMBOL(update)[OPTIMIZER_COUNT])(const Update *u) = {
#define OPTIMIZER(name, moments, formula) [OPTIMIZER_##name] = update_##name,
#include "kernels/optimizers.def"
#undef OPTIMIZER
};
