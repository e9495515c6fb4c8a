/* Fast GELU: the operations of kernels/cpu/gelu.c, which has the equations, in the same order, four vectors at a time
 * because one chain of them alone leaves the units idle. The slope's x/2 halves a constant instead: no bit changes. */
#include "kernels/cpu/simd/vec.h"

enum { STRIDE = 4 * VEC };

V_FN void inner4(vec u[4], const vec x[4]) {
    UNROLL for (int i = 0; i < 4; i++)
        u[i] = v_mul(v_set(0.7978845608028654f), v_fma(v_mul(v_mul(v_set(0.044715f), x[i]), x[i]), x[i], x[i]));
}

V_FN void value4(vec y[4], const vec x[4]) {
    vec t[4];
    inner4(t, x);
    v_tanh4(t);
    UNROLL for (int i = 0; i < 4; i++) y[i] = v_mul(v_mul(v_set(0.5f), x[i]), v_add(v_set(1), t[i]));
}

V_FN void slope4(vec y[4], const vec x[4]) {
    vec t[4];
    const vec one = v_set(1), half = v_set(0.5f);
    inner4(t, x);
    v_tanh4(t);
    UNROLL for (int i = 0; i < 4; i++) {
        vec half_du = v_mul(v_set(0.5f * 0.7978845608028654f), v_fma(v_mul(v_set(3 * 0.044715f), x[i]), x[i], one));
        y[i] = v_fma(v_mul(x[i], v_fnma(t[i], t[i], one)), half_du, v_mul(half, v_add(one, t[i])));
    }
}

V_FN void load4(vec x[4], const float *from) {
    UNROLL for (int i = 0; i < 4; i++) x[i] = v_load(from + i * VEC);
}

V_FN void store4(float *to, const vec x[4]) {
    UNROLL for (int i = 0; i < 4; i++) v_store(to + i * VEC, x[i]);
}

V_FN void forward4(float *y, const float *x) {
    vec v[4], out[4];
    y = writing(y, STRIDE);
    load4(v, reading(x, STRIDE));
    value4(out, v);
    store4(y, out);
}

/* Compute dx of four vectors; dx may be dy. */
V_FN void backward4(float *dx, const float *dy, const float *x, const bool accumulate) {
    vec v[4], s[4];
    dx = writing(dx, STRIDE), dy = reading(dy, STRIDE);
    load4(v, reading(x, STRIDE));
    slope4(s, v);
    UNROLL for (int i = 0; i < 4; i++) {
        s[i] = v_mul(v_load(dy + i * VEC), s[i]);
        if (accumulate) s[i] = v_add(v_load(dx + i * VEC), s[i]);
    }
    store4(dx, s);
}

static void forward(const Call *c) {
    Share all = call_share(c, view_words(c->out));
    for (int r = 0; r < c->replicas; r++) {
        const float *x = at(c->in[0], r);
        float *y = at(c->out, r), last[STRIDE] = {0};
        ptrdiff_t i = all.from;
        for (; i + STRIDE <= all.to; i += STRIDE) forward4(y + i, x + i);
        if (i == all.to) continue;
        size_t rest = (size_t)(all.to - i) * sizeof(float);
        memcpy(last, x + i, rest);
        forward4(last, last);
        memcpy(y + i, last, rest);
    }
}

static void backward(const Call *c) {
    Share all = call_share(c, view_words(c->out));
    for (int r = 0; c->din[0].at && r < c->replicas; r++) {
        const float *x = at(c->in[0], r), *dy = at(c->dout, r);
        float *dx = at(c->din[0], r), last[3][STRIDE] = {{0}};
        ptrdiff_t i = all.from;
        if (c->accumulate[0])
            for (; i + STRIDE <= all.to; i += STRIDE) backward4(dx + i, dy + i, x + i, true);
        else
            for (; i + STRIDE <= all.to; i += STRIDE) backward4(dx + i, dy + i, x + i, false);
        if (i == all.to) continue;
        size_t rest = (size_t)(all.to - i) * sizeof(float);
        memcpy(last[0], x + i, rest), memcpy(last[1], dy + i, rest), memcpy(last[2], dx + i, rest);
        backward4(last[2], last[1], last[0], c->accumulate[0]);
        memcpy(dx + i, last[2], rest);
    }
}

KERNEL(gelu, forward, backward, NULL);
