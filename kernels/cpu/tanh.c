/* y = g tanh(x) + b: the last step of DyT (Zhu et al. 2025); op `gate` computes alpha x. tanh' = 1 - tanh^2 */
#include "kernels/cpu/squash.h"

static inline real squash(real x) {
    return r_tanh(x);
}

static inline real squash_slope(real x, real f) {
    (void)x;
    return r_fma(-f, f, 1);
}

KERNEL(tanh, forward, backward, scratch);
