/* Readable attention of rows that choose their keys, one head at a time. q has rows of d, k and v rows of d; query i
 * sees the keys from_i .. to_i - 1; head size h. With S(i,j) = (q_i . k_j) / sqrt(h), P = softmax over those keys:
 *
 *   y_i = sum_j P(i,j) v_j, 0 where there are no keys
 *   dV_j = sum_i P(i,j) dy_i     dP(i,j) = dy_i . v_j     dS = P (dP - sum_j P dP) / sqrt(h)
 *   dQ_i = sum_j dS(i,j) k_j     dK_j = sum_i dS(i,j) q_i
 *
 * Dot products and sums over keys or queries are single chains (rule 1), ascending; row sums take lanes (rule 3),
 * element 0 the first key seen. So a sequence has its bits wherever its rows stand. save: each head's largest scores,
 * then its 1/sum of exponentials, a number per query, from which backward recomputes P.
 *
 * Loops run over SPAN neighbouring outputs, which compilers turn into vectors: the keys of a score are neighbours in a
 * transposed copy. */
#include "kernels/cpu/real.h"

enum { SPAN = 16 };

typedef struct {
    const real *q, *k, *v; /* row i is at q + i * step */
    const int32_t *range;  /* from and to of each query */
    size_t step;
    int queries, keys, h, pitch; /* pitch: stride of the rows of kt and vt */
    real scale;
    real *kt, *vt, *dk, *dv, *p, *ds; /* scratch: [h][pitch] twice, [keys][h] twice, a row of scores twice */
} Head;

/* Return the stride of rows of kt, with room for the unused keys that the last span reads. */
static int pitch_of(const Call *c) {
    return (c->in[1].rows + 2 * SPAN - 1) / SPAN * SPAN;
}

static Head head_of(const Call *c, int r, int head) {
    int d = c->in[0].cols, h = d / c->attr.heads;
    size_t column = (size_t)head * (size_t)h;
    Head t = {.q = at(c->in[0], r) + column,
              .k = at(c->in[1], r) + column,
              .v = at(c->in[2], r) + column,
              .range = ids(c->in[3], r),
              .step = (size_t)d,
              .queries = c->in[0].rows,
              .keys = c->in[1].rows,
              .h = h,
              .pitch = pitch_of(c),
              .scale = 1 / r_sqrt((real)h)};
    t.kt = c->scratch, t.vt = t.kt + (size_t)h * (size_t)t.pitch, t.dk = t.vt + (size_t)h * (size_t)t.pitch;
    t.dv = t.dk + (size_t)h * (size_t)t.keys, t.p = t.dv + (size_t)h * (size_t)t.keys;
    t.ds = t.p + c->attr.seq + SPAN;
    return t;
}

static void transpose(real *to, const real *x, const Head *t) {
    for (size_t l = 0; l < (size_t)t->h; l++) {
        real *row = to + l * (size_t)t->pitch;
        for (size_t j = 0; j < (size_t)t->pitch; j++) row[j] = j < (size_t)t->keys ? x[j * t->step + l] : 0;
    }
}

/* Compute s[j] = a . key from + j, j < n; s has room for SPAN more. */
static void dots(real *s, const real *a, const real *kt, int from, int n, const Head *t) {
    for (int first = 0; first < n; first += SPAN) {
        const real *key = kt + from + first;
        real chain[SPAN] = {0};
        for (int l = 0; l < t->h; l++, key += t->pitch)
            for (int j = 0; j < SPAN; j++) chain[j] = r_fma(a[l], key[j], chain[j]);
        memcpy(s + first, chain, sizeof chain);
    }
}

/* Compute y[l] = sum_j weight[j] x_j[l] over n rows of x. */
static void weigh(real *y, const real *weight, const real *x, int n, const Head *t, bool accumulate) {
    int l = 0;
    for (; l + SPAN <= t->h; l += SPAN) {
        real chain[SPAN] = {0};
        for (int j = 0; j < n; j++)
            for (int i = 0; i < SPAN; i++)
                chain[i] = r_fma(weight[j], x[(size_t)j * t->step + (size_t)(l + i)], chain[i]);
        for (int i = 0; i < SPAN; i++) put(&y[l + i], chain[i], accumulate);
    }
    for (; l < t->h; l++) {
        real chain = 0;
        for (int j = 0; j < n; j++) chain = r_fma(weight[j], x[(size_t)j * t->step + (size_t)l], chain);
        put(&y[l], chain, accumulate);
    }
}

/* Add weight[j] y[l] to x_j[l], in rows of h. */
static void spread(real *x, const real *weight, const real *y, int n, int h) {
    for (int j = 0; j < n; j++)
        for (int l = 0; l < h; l++)
            x[(size_t)j * (size_t)h + (size_t)l] = r_fma(weight[j], y[l], x[(size_t)j * (size_t)h + (size_t)l]);
}

static void scores(const Head *t, int i, int from, int n) {
    dots(t->p, t->q + (size_t)i * t->step, t->kt, from, n, t);
    for (int j = 0; j < n; j++) t->p[j] *= t->scale;
}

static real *save_of(const Call *c, int r, int head) {
    return at(c->save, r) + (size_t)head * 2 * (size_t)c->in[0].rows;
}

static void forward_head(const Call *c, int r, int head) {
    Head t = head_of(c, r, head);
    real *save = save_of(c, r, head), *out = at(c->out, r) + (size_t)head * (size_t)t.h;
    transpose(t.kt, t.k, &t);
    for (int i = 0; i < t.queries; i++) {
        int from = t.range[2 * i], n = t.range[2 * i + 1] - from;
        real most = 0, inverse = 0;
        assert(from >= 0 && n >= 0 && n <= c->attr.seq && from + n <= t.keys);
        scores(&t, i, from, n);
        if (n) {
            most = row_max(t.p, n);
            for (int j = 0; j < n; j++) t.p[j] = r_exp(t.p[j] - most);
            inverse = 1 / row_sum(t.p, n);
        }
        for (int j = 0; j < n; j++) t.p[j] *= inverse;
        weigh(out + (size_t)i * t.step, t.p, t.v + (size_t)from * t.step, n, &t, false);
        save[i] = most, save[t.queries + i] = inverse;
    }
}

/* Write the gradient of a head's keys or values, summed over all queries; to NULL: not wanted. */
static void hand(real *to, const real *sum, const Head *t, bool accumulate) {
    for (size_t j = 0; to && j < (size_t)t->keys; j++)
        for (size_t l = 0; l < (size_t)t->h; l++) put(&to[j * t->step + l], sum[j * (size_t)t->h + l], accumulate);
}

static real *gradient(const Call *c, int input, int r, int head, int h) {
    real *x = at(c->din[input], r);
    return x ? x + (size_t)head * (size_t)h : NULL;
}

static void backward_head(const Call *c, int r, int head) {
    Head t = head_of(c, r, head);
    const real *most = save_of(c, r, head), *inverse = most + t.queries;
    const real *dout = at(c->dout, r) + (size_t)head * (size_t)t.h;
    real *dq = gradient(c, 0, r, head, t.h);
    transpose(t.kt, t.k, &t), transpose(t.vt, t.v, &t);
    memset(t.dk, 0, 2 * (size_t)t.keys * (size_t)t.h * sizeof(real));
    for (int i = 0; i < t.queries; i++) {
        int from = t.range[2 * i], n = t.range[2 * i + 1] - from;
        const real *dy = dout + (size_t)i * t.step;
        size_t first = (size_t)from * (size_t)t.h;
        scores(&t, i, from, n);
        for (int j = 0; j < n; j++) t.p[j] = r_exp(t.p[j] - most[i]) * inverse[i];
        dots(t.ds, dy, t.vt, from, n, &t);
        real dot = n ? row_dot(t.p, t.ds, n) : 0;
        for (int j = 0; j < n; j++) t.ds[j] = t.p[j] * (t.ds[j] - dot) * t.scale;
        if (dq) weigh(dq + (size_t)i * t.step, t.ds, t.k + (size_t)from * t.step, n, &t, c->accumulate[0]);
        spread(t.dk + first, t.ds, t.q + (size_t)i * t.step, n, t.h);
        spread(t.dv + first, t.p, dy, n, t.h);
    }
    hand(gradient(c, 1, r, head, t.h), t.dk, &t, c->accumulate[1]);
    hand(gradient(c, 2, r, head, t.h), t.dv, &t, c->accumulate[2]);
}

static void each_head(const Call *c, void (*visit)(const Call *, int, int)) {
    Share heads = call_share(c, c->attr.heads);
    for (int r = 0; r < c->replicas; r++)
        for (int i = heads.from; i < heads.to; i++) visit(c, r, i);
}

static void forward(const Call *c) {
    each_head(c, forward_head);
}

static void backward(const Call *c) {
    each_head(c, backward_head);
}

static size_t scratch(const Call *c) {
    size_t h = (size_t)(c->in[0].cols / c->attr.heads);
    return (2 * h * (size_t)(pitch_of(c) + c->in[1].rows) + 2 * (size_t)(c->attr.seq + SPAN)) * sizeof(real);
}

KERNEL(attend, forward, backward, scratch);
