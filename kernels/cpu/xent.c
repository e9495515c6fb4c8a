/* nll = logsumexp(x) - x[target] in nats; a row with target -1 gives 0 and no gradient. With smoothed labels
 * q = (1 - s) onehot + s / columns (Szegedy et al. 2016) nll = logsumexp(x) - sum q x; evaluation has s = 0.
 * save: logsumexp; 1 where the target's logit is the (first) largest.   dx = (softmax(x) - q) dnll */
#include "kernels/cpu/real.h"

enum { PIECE = 128 };

#ifndef EXP_ALL /* kernels/cpu/simd/xent.c defines its own */
static inline void exp_all(real *to, const real *x, real shift, int n) {
    for (int i = 0; i < n; i++) to[i] = r_exp(x[i] - shift);
}
#define EXP_ALL exp_all
#endif

/* Compute e[i] = e^(x[i] - shift) for the first n of a piece, 0 for the others. */
static inline void exp_piece(real e[PIECE], const real *x, real shift, int n) {
    if (n >= PIECE) {
        EXP_ALL(e, x, shift, PIECE);
        return;
    }
    memset(e, 0, PIECE * sizeof(real));
    memcpy(e, x, (size_t)n * sizeof(real));
    EXP_ALL(e, e, shift, PIECE);
    memset(e + n, 0, (size_t)(PIECE - n) * sizeof(real));
}

/* Sum exponentials by rule 3; a lane is never -0, so adding a piece's zeros changes no bit. */
static real exp_sum(const real *x, real shift, int v) {
    real lane[CANON_LANES] = {0}, e[PIECE];
    for (int from = 0; from < v; from += PIECE) {
        /* prefetch the same piece of the next row */
        exp_piece(e, reading_then(x + from, PIECE, (size_t)v), shift, v - from);
        for (int k = 0; k < PIECE; k += CANON_LANES)
            for (int j = 0; j < CANON_LANES; j++) lane[j] += e[k + j];
    }
    return fold(lane);
}

/* Return true if no logit is larger than the target's, and none before it as large. */
static bool is_first_largest(const real *x, int target, real most) {
    if (target < 0 || isnan(x[0])) return target == 0;
    bool first = x[target] == most;
    for (int i = 0; i < target && first; i++) first = x[i] != most;
    return first;
}

static real loss(const real *x, int v, real lse, int target, real smoothing) {
    if (target < 0) return 0;
    real nll = lse - x[target];
    return smoothing > 0 ? r_fma(smoothing, x[target] - row_sum(x, v) / (real)v, nll) : nll;
}

static void forward(const Call *c) {
    int v = c->in[0].cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)v;
            int target = ids(c->in[1], r)[row];
            real *save = at(c->save, r) + 2 * (size_t)row, most = row_max(x, v);
            save[0] = most + r_log(exp_sum(x, most, v));
            save[1] = (real)is_first_largest(x, target, most);
            at(c->out, r)[row] = loss(x, v, save[0], target, (real)c->scalars[r].smoothing);
        }
}

static void backward_row(const real *x, real *dx, int v, real lse, int target, real smoothing, real dy,
                         bool accumulate) {
    real e[PIECE], even = smoothing / (real)v; /* without smoothing its 0 changes no bit */
    for (int from = 0; from < v; from += PIECE) {
        int n = v - from < PIECE ? v - from : PIECE;
        real *to = writing(dx + from, PIECE);
        exp_piece(e, reading(x + from, PIECE), lse, n);
        if (target >= from && target < from + n) e[target - from] -= 1 - smoothing;
        for (int i = 0; i < n; i++) put(&to[i], (e[i] - even) * dy, accumulate);
    }
}

static void backward(const Call *c) {
    int v = c->in[0].cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; c->din[0].at && r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)v;
            real *dx = at(c->din[0], r) + (size_t)row * (size_t)v, lse = at(c->save, r)[2 * (size_t)row];
            int target = ids(c->in[1], r)[row];
            if (target < 0) {
                if (!c->accumulate[0]) memset(dx, 0, (size_t)v * sizeof(real));
                continue;
            }
            backward_row(x, dx, v, lse, target, (real)c->scalars[r].smoothing, at(c->dout, r)[row], c->accumulate[0]);
        }
}

KERNEL(xent, forward, backward, NULL);
