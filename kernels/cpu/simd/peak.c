/* Measure one core's fma peak in GFLOP/s (an fma counts two): twelve independent chains, the best of several short
 * runs. */
#include <time.h>

#include "kernels/cpu/simd/vec.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double SYMBOL(fma_peak)(void);
double SYMBOL(fma_peak)(void) {
    enum { CHAINS = 12, TURNS = 200000 };
    double best = 0;
    volatile float seed = 0.5f;
    for (int trial = 0; trial < 40; trial++) {
        vec sum[CHAINS], a = v_set(seed), b = v_set(1.0f - seed);
        for (int i = 0; i < CHAINS; i++) sum[i] = v_set((float)i);
        double start = now();
        for (int turn = 0; turn < TURNS; turn++)
            for (int i = 0; i < CHAINS; i++) sum[i] = v_fma(sum[i], a, b);
        double rate = 2e-9 * CHAINS * TURNS * VEC / (now() - start);
        float out[VEC], keep = 0;
        for (int i = 0; i < CHAINS; i++) {
            v_store(out, sum[i]);
            keep += out[0];
        }
        if (keep > 0 && rate > best) best = rate;
    }
    return best;
}
