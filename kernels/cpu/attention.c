/* Readable attention, one head of one sequence at a time. x = [q | k | v] in rows of 3d; head size h.
 *
 *   S(i,j) = (q_i . k_j) / sqrt(h)     P = softmax over the keys present, j <= i or all     y_i = sum_j P(i,j) v_j
 *   dV_j = sum_i P(i,j) dy_i     dP(i,j) = dy_i . v_j     dS = P (dP - sum_j P dP) / sqrt(h)
 *   dQ_i = sum_j dS(i,j) k_j     dK_j = sum_i dS(i,j) q_i
 *
 * Dot products and sums over keys or queries are single chains (rule 1), row sums take lanes (rule 3). save: each
 * head's largest scores, then its 1/sum of exponentials, a number per query, from which backward recomputes P. */
#include "kernels/cpu/real.h"

typedef struct {
    const real *q, *k, *v; /* row i is at q + i * step */
    size_t step;
    int n, h; /* sequence length, head size */
    bool full;
    real scale;
} Head;

static Head head_of(const Call *c, const real *x, int sequence, int head) {
    size_t d = (size_t)c->in[0].cols / 3, n = (size_t)c->attr.seq, h = d / (size_t)c->attr.heads;
    const real *q = x + (size_t)sequence * n * 3 * d + (size_t)head * h;
    return (Head){q, q + d, q + 2 * d, 3 * d, (int)n, (int)h, c->attr.full, 1 / r_sqrt((real)h)};
}

/* Return how many keys query i sees. */
static int keys_of(const Head *t, int i) {
    return t->full ? t->n : i + 1;
}

/* Return the first query that sees key j. */
static size_t first_of(const Head *t, size_t j) {
    return t->full ? 0 : j;
}

static real *save_of(const Call *c, int r, int sequence, int head) {
    return at(c->save, r) + ((size_t)sequence * (size_t)c->attr.heads + (size_t)head) * 2 * (size_t)c->attr.seq;
}

static real chain_dot(const real *a, const real *b, int n) {
    real chain = 0;
    for (int i = 0; i < n; i++) chain = r_fma(a[i], b[i], chain);
    return chain;
}

static void scores(real *s, const Head *t, int i) {
    for (int j = 0; j < keys_of(t, i); j++)
        s[j] = chain_dot(t->q + (size_t)i * t->step, t->k + (size_t)j * t->step, t->h) * t->scale;
}

static void forward_head(const Call *c, int r, int sequence, int head) {
    Head t = head_of(c, at(c->in[0], r), sequence, head);
    size_t d = (size_t)c->out.cols;
    real *p = c->scratch, *save = save_of(c, r, sequence, head);
    for (int i = 0; i < t.n; i++) {
        const int keys = keys_of(&t, i);
        size_t row = (size_t)sequence * (size_t)t.n + (size_t)i;
        real *y = at(c->out, r) + row * d + (size_t)head * (size_t)t.h;
        scores(p, &t, i);
        real most = row_max(p, keys);
        for (int j = 0; j < keys; j++) p[j] = r_exp(p[j] - most);
        real inverse = 1 / row_sum(p, keys);
        for (int j = 0; j < keys; j++) p[j] *= inverse;
        for (int l = 0; l < t.h; l++) {
            real chain = 0;
            for (int j = 0; j < keys; j++) chain = r_fma(p[j], t.v[(size_t)j * t.step + (size_t)l], chain);
            y[l] = chain;
        }
        save[i] = most, save[t.n + i] = inverse;
    }
}

/* Compute P and dS of one head, [n][n] each, where keys are present. */
static void probabilities(const Call *c, int r, int sequence, int head, const Head *t, real *p, real *ds) {
    size_t d = (size_t)c->out.cols, n = (size_t)t->n;
    const real *most = save_of(c, r, sequence, head), *inverse = most + n;
    for (int i = 0; i < t->n; i++) {
        const int keys = keys_of(t, i);
        size_t row = (size_t)sequence * n + (size_t)i;
        const real *dy = at(c->dout, r) + row * d + (size_t)head * (size_t)t->h;
        real *pi = p + (size_t)i * n, *dsi = ds + (size_t)i * n;
        scores(pi, t, i);
        for (int j = 0; j < keys; j++) pi[j] = r_exp(pi[j] - most[i]) * inverse[i];
        for (int j = 0; j < keys; j++) dsi[j] = chain_dot(dy, t->v + (size_t)j * t->step, t->h);
        real dot = row_dot(pi, dsi, keys);
        for (int j = 0; j < keys; j++) dsi[j] = pi[j] * (dsi[j] - dot) * t->scale;
    }
}

/* Go column by column, since dx may be written over x: a column of q and k is read before its gradient is written and
 * not afterwards. */
static void backward_head(const Call *c, int r, int sequence, int head) {
    Head t = head_of(c, at(c->in[0], r), sequence, head);
    size_t n = (size_t)t.n, d = (size_t)c->out.cols, first = (size_t)sequence * n;
    real *p = c->scratch, *ds = p + n * n, *q = ds + n * n, *k = q + n;
    const real *dy = at(c->dout, r) + first * d + (size_t)head * (size_t)t.h;
    real *dq = at(c->din[0], r) + first * t.step + (size_t)head * (size_t)t.h, *dk = dq + d, *dv = dk + d;
    probabilities(c, r, sequence, head, &t, p, ds);
    for (size_t l = 0; l < (size_t)t.h; l++) {
        for (size_t i = 0; i < n; i++) {
            const size_t keys = (size_t)keys_of(&t, (int)i), query = first_of(&t, i);
            real v = q[i] = k[i] = 0;
            for (size_t j = 0; j < keys; j++) q[i] = r_fma(ds[i * n + j], t.k[j * t.step + l], q[i]);
            for (size_t j = query; j < n; j++) k[i] = r_fma(ds[j * n + i], t.q[j * t.step + l], k[i]);
            for (size_t j = query; j < n; j++) v = r_fma(p[j * n + i], dy[j * d + l], v);
            put(&dv[i * t.step + l], v, c->accumulate[0]);
        }
        for (size_t i = 0; i < n; i++) {
            put(&dq[i * t.step + l], q[i], c->accumulate[0]);
            put(&dk[i * t.step + l], k[i], c->accumulate[0]);
        }
    }
}

static void each_head(const Call *c, void (*visit)(const Call *, int, int, int)) {
    Share heads = call_share(c, c->in[0].rows / c->attr.seq * c->attr.heads);
    for (int r = 0; r < c->replicas; r++)
        for (int i = heads.from; i < heads.to; i++) visit(c, r, i / c->attr.heads, i % c->attr.heads);
}

static void forward(const Call *c) {
    each_head(c, forward_head);
}

static void backward(const Call *c) {
    if (c->din[0].at) each_head(c, backward_head);
}

static size_t scratch(const Call *c) {
    return 2 * (size_t)c->attr.seq * ((size_t)c->attr.seq + 1) * sizeof(real);
}

KERNEL(attention, forward, backward, scratch);
