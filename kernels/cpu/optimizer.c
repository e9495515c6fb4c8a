/* Apply an optimizer of kernels/optimizers.def to one tensor, number by number (kernels/optimizer_rules.h); afterwards
 * g holds the update. */
#include "kernels/cpu/real.h"

#define RULE_FN static inline
#include "kernels/optimizer_rules.h"

typedef real (*Rule)(real p, real g, real *m, real *v, const Rates *a);

/* Update all numbers; inlined once per optimizer, so that its loop is vectorized. A moment that it lacks is not
 * touched. */
static inline __attribute__((always_inline)) void update_by(const Update *u, int moments, Rule rule) {
    const Rates a = rates_of(u->scalars, u->decay);
    real *restrict p = u->p, *restrict g = u->g, *restrict m = u->m, *restrict v = u->v;
    for (size_t i = 0; i < u->count; i++) {
        real old = p[i], first = moments > 0 ? m[i] : 0, second = moments > 1 ? v[i] : 0;
        p[i] = rule(old, g[i] * a.clip, &first, &second, &a);
        g[i] = p[i] - old;
        if (moments > 0) m[i] = first;
        if (moments > 1) v[i] = second;
    }
}

#define OPTIMIZER(name, moments, ...) \
    static void update_##name(const Update *u) { \
        update_by(u, moments, rule_##name); \
    }
#include "kernels/optimizers.def"
#undef OPTIMIZER

extern void (*const SYMBOL(update)[OPTIMIZER_COUNT])(const Update *u);
void (*const SYMBOL(update)[OPTIMIZER_COUNT])(const Update *u) = {
#define OPTIMIZER(name, ...) [OPTIMIZER_##name] = update_##name,
#include "kernels/optimizers.def"
#undef OPTIMIZER
};
