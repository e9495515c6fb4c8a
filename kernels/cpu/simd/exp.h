/* canon_exp for x <= 0, as in a softmax, without its upper bound. EXPS vectors are computed in step, since one chain of
 * fmas alone leaves the units idle. */
#ifndef KERNELS_CPU_SIMD_EXP_H
#define KERNELS_CPU_SIMD_EXP_H

#include "kernels/cpu/simd/vec.h"

#ifdef V_SCALE
enum { EXPS = VEC == 16 ? 8 : 4 };
V_FN void v_exp_below(vec x[EXPS]) {
    vec shifted[EXPS], n[EXPS], p[EXPS], magic = v_set(CANON_MAGIC);
    const float term[] = {0.008369026f, 0.041666202f, 0.16666518f, 0.5f};
    UNROLL for (int i = 0; i < EXPS; i++) x[i] = v_max(v_set(-104.0f), x[i]);
    UNROLL for (int i = 0; i < EXPS; i++) shifted[i] = v_fma(x[i], v_set(1.442695f), magic);
    UNROLL for (int i = 0; i < EXPS; i++) n[i] = v_sub(shifted[i], magic);
    UNROLL for (int i = 0; i < EXPS; i++) x[i] = v_fma(n[i], v_set(-0x1.62e4p-1f), x[i]);
    UNROLL for (int i = 0; i < EXPS; i++) x[i] = v_fma(n[i], v_set(-0x1.7f7d1cp-20f), x[i]),
                                          p[i] = v_set(0.0013950717f);
    UNROLL for (int k = 0; k < 4; k++) UNROLL for (int i = 0; i < EXPS; i++) p[i] = v_fma(p[i], x[i], v_set(term[k]));
    UNROLL for (int i = 0; i < EXPS; i++) p[i] = v_fma(v_mul(x[i], x[i]), p[i], x[i]);
    UNROLL for (int i = 0; i < EXPS; i++) x[i] = v_scale(v_add(p[i], v_set(1.0f)), shifted[i], n[i]);
}
#else
enum { EXPS = 4 };
V_FN void v_exp_below(vec x[EXPS]) {
    float y[EXPS * VEC];
    for (int i = 0; i < EXPS; i++) v_store(y + i * VEC, x[i]);
    for (int i = 0; i < EXPS * VEC; i++) y[i] = canon_exp(y[i]);
    for (int i = 0; i < EXPS; i++) x[i] = v_load(y + i * VEC);
}
#endif

#endif
