/* Update one number by an optimizer of kernels/optimizers.def: rule_<name>(p, g, &m, &v, rates) returns the new
 * parameter from the old one, its clipped gradient and the moments, which it updates. One definition for every
 * backend: kernels/cpu/optimizer.c compiles it as float and as double, kernels/cuda/step.cu for devices and for the
 * SIMT shim. Includers define RULE_FN (how such a function is declared), real, r_fma and r_sqrt.
 *
 * AdamW: Loshchilov and Hutter 2019, in the order of operations PyTorch documents. Adam: Kingma and Ba 2015 (decay
 * inside the gradient). RAdam: Liu et al. 2020. SGD with momentum: PyTorch's form, no dampening. */
#ifndef KERNELS_OPTIMIZER_RULES_H
#define KERNELS_OPTIMIZER_RULES_H

#include "kernels/optimizer.h"

typedef struct {
    real lr, decay, b1, b2, eps, c1, c2, momentum, rectify, clip;
} Rates;

RULE_FN Rates rates_of(const Scalars *s, bool decay) {
    Rates a = {(real)s->lr,          decay ? (real)s->weight_decay : 0,
               (real)s->beta1,       (real)s->beta2,
               (real)s->eps,         (real)s->correction1,
               (real)s->correction2, (real)s->momentum,
               (real)s->rectify,     (real)s->grad_scale};
    return a;
}

/* Update the two running averages of the Adam family. */
RULE_FN void averages(real *m, real *v, real g, const Rates *a) {
    *m = r_fma(a->b1, *m, (1 - a->b1) * g);
    *v = r_fma(a->b2, *v, (1 - a->b2) * (g * g));
}

RULE_FN real rule_adamw(real p, real g, real *m, real *v, const Rates *a) {
    averages(m, v, g, a);
    real root = r_sqrt(*v / a->c2) + a->eps, kept = p - a->lr * a->decay * p;
    return kept - a->lr * (*m / a->c1) / root;
}

RULE_FN real rule_adam(real p, real g, real *m, real *v, const Rates *a) {
    averages(m, v, r_fma(a->decay, p, g), a);
    return p - a->lr * (*m / a->c1) / (r_sqrt(*v / a->c2) + a->eps);
}

RULE_FN real rule_radam(real p, real g, real *m, real *v, const Rates *a) {
    averages(m, v, r_fma(a->decay, p, g), a);
    real plain = a->lr * (*m / a->c1), adapted = plain * a->rectify / (r_sqrt(*v / a->c2) + a->eps);
    return p - (a->rectify > 0 ? adapted : plain);
}

RULE_FN real rule_sgd(real p, real g, real *m, real *v, const Rates *a) {
    (void)v;
    *m = r_fma(a->momentum, *m, r_fma(a->decay, p, g));
    return p - a->lr * *m;
}

#endif
