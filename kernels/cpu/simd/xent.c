/* Fast cross-entropy: kernels/cpu/xent.c with its exponentials by the vector layer. */
#include "kernels/cpu/simd/exp.h"

/* Compute to[i] = e^(x[i] - shift) of n numbers, a multiple of EXPS VEC; no x is above the shift except in padding,
 * whose results are not used. */
V_FN void exp_all(float *to, const float *x, float shift, int n) {
    for (int from = 0; from < n; from += EXPS * VEC) {
        vec e[EXPS];
        UNROLL for (int i = 0; i < EXPS; i++) e[i] = v_sub(v_load(x + from + i * VEC), v_set(shift));
        v_exp_below(e);
        UNROLL for (int i = 0; i < EXPS; i++) v_store(to + from + i * VEC, e[i]);
    }
}
#define EXP_ALL exp_all

#include "kernels/cpu/xent.c"
