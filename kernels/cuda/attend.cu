/* Attention of rows that choose their keys. The equations are in kernels/cpu/attend.c.
 *
 * A warp computes a row of scores of one head, lane j its keys j, j + 32, …, so that a row's sums are rule 3's; rows of
 * P and dS are in scratch. From them a thread computes a number of y or dQ, a chain over the keys its query sees, or a
 * number of dK and dV, a chain over the queries that see its key. */
#include "kernels/cuda/device.cuh"

typedef struct {
    const Number *q, *k, *v; /* the head's columns; row i at q + i * d */
    const int *range;
    int d, h, head, queries, keys;
    float scale;
} Head;

DEVICE_FN Head head_of(const Call &c, int r, int head) {
    Head t;
    t.d = c.in[0].cols, t.h = t.d / c.attr.heads, t.head = head;
    t.queries = c.in[0].rows, t.keys = c.in[1].rows;
    t.q = in_of(c, 0, r) + (size_t)head * t.h;
    t.k = in_of(c, 1, r) + (size_t)head * t.h;
    t.v = in_of(c, 2, r) + (size_t)head * t.h;
    t.range = ids(c.in[3], r);
    t.scale = 1 / CANON_SQRT((float)t.h);
    return t;
}

/* Return a head's and query's row of P, or of dS, which follow the rows of P of all heads. */
DEVICE_FN float *row_of(const Call &c, int r, int head, int i, bool slope) {
    size_t rows = (size_t)c.attr.heads * c.in[0].rows, row = (size_t)head * c.in[0].rows + i;
    return (float *)c.scratch + (((size_t)r * 2 + slope) * rows + row) * c.attr.seq;
}

DEVICE_FN float *save_of(const Call &c, int r, int head) {
    return at(c.save, r) + (size_t)head * 2 * c.in[0].rows;
}

DEVICE_FN float chain_dot(const Number *a, const Number *b, int n) {
    float chain = 0;
    for (int l = 0; l < n; l++) chain = CANON_FMA(a[l], b[l], chain);
    return chain;
}

KERNEL_FN(scores, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = warp_row(), head = (int)blockIdx.y;
    if (i >= c.in[0].rows) return;
    const Head t = head_of(c, r, head);
    int from = t.range[2 * i], n = t.range[2 * i + 1] - from;
    float *p = row_of(c, r, head, i, false), *save = save_of(c, r, head);
    for (int j = lane_id(); j < n; j += WARP)
        p[j] = chain_dot(t.q + (size_t)i * t.d, t.k + (size_t)(from + j) * t.d, t.h) * t.scale;
    float most = row_max(p, n); /* a lane reads what it wrote */
    if (n == 0) most = 0;
    for (int j = lane_id(); j < n; j += WARP) p[j] = canon_exp(p[j] - most);
    float sum = row_sum(p, n), inverse = n ? 1 / sum : 0;
    for (int j = lane_id(); j < n; j += WARP) p[j] *= inverse;
    if (lane_id() == 0) save[i] = most, save[t.queries + i] = inverse;
}

/* Compute a number of y or dQ: a row of P or dS times a column of v or k. */
DEVICE_FN void weigh(const Call &c, Target to, int other, bool slope, bool accumulate) {
    int r = (int)blockIdx.z, e = thread_index(), d = c.in[0].cols, h = d / c.attr.heads;
    if (e >= c.in[0].rows * d) return;
    int i = e / d, column = e % d;
    const int *range = ids(c.in[3], r) + 2 * i;
    const float *weight = row_of(c, r, column / h, i, slope);
    const Number *x = in_of(c, other, r) + (size_t)range[0] * d + column;
    float chain = 0;
    for (int j = 0; j < range[1] - range[0]; j++) chain = CANON_FMA(weight[j], x[(size_t)j * d], chain);
    put(to + e, chain, accumulate);
}

KERNEL_FN(values, THREADS, Call, c) {
    weigh(c, out_of(c, (int)blockIdx.z), 2, false, false);
}

KERNEL_FN(slopes, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = warp_row(), head = (int)blockIdx.y;
    if (i >= c.in[0].rows) return;
    const Head t = head_of(c, r, head);
    int from = t.range[2 * i], n = t.range[2 * i + 1] - from;
    float *p = row_of(c, r, head, i, false), *ds = row_of(c, r, head, i, true);
    const float *save = save_of(c, r, head) + i;
    const Number *dy = dout_of(c, r) + (size_t)i * t.d + (size_t)head * t.h;
    for (int j = lane_id(); j < n; j += WARP) {
        float score = chain_dot(t.q + (size_t)i * t.d, t.k + (size_t)(from + j) * t.d, t.h) * t.scale;
        p[j] = canon_exp(score - save[0]) * save[t.queries];
        ds[j] = chain_dot(dy, t.v + (size_t)(from + j) * t.d, t.h);
    }
    float dot = row_dot(p, ds, n); /* a lane reads what it wrote */
    for (int j = lane_id(); j < n; j += WARP) ds[j] = p[j] * (ds[j] - dot) * t.scale;
}

KERNEL_FN(queries, THREADS, Call, c) {
    weigh(c, din_of(c, 0, (int)blockIdx.z), 1, true, c.accumulate[0]);
}

/* Compute a number of dK and dV over all queries in order, skipping those that do not see the key. */
KERNEL_FN(keys, THREADS, Call, c) {
    int r = (int)blockIdx.z, e = thread_index(), d = c.in[0].cols;
    if (e >= c.in[1].rows * d) return;
    int key = e / d, column = e % d, head = column / (d / c.attr.heads);
    const int *range = ids(c.in[3], r);
    const Number *q = in_of(c, 0, r) + column, *dy = dout_of(c, r) + column;
    float dk = 0, dv = 0;
    for (int i = 0; i < c.in[0].rows; i++) {
        int j = key - range[2 * i];
        if (j < 0 || key >= range[2 * i + 1]) continue;
        dk = CANON_FMA(row_of(c, r, head, i, true)[j], q[(size_t)i * d], dk);
        dv = CANON_FMA(row_of(c, r, head, i, false)[j], dy[(size_t)i * d], dv);
    }
    if (c.din[1].at) put(din_of(c, 1, r) + e, dk, c.accumulate[1]);
    if (c.din[2].at) put(din_of(c, 2, r) + e, dv, c.accumulate[2]);
}

static Grid each_row(const Call *c) {
    Grid g = grid_of_rows(c, (size_t)c->in[0].rows);
    g.y = (unsigned)c->attr.heads;
    return g;
}

static Grid each_key(const Call *c) {
    return grid_of(c, (size_t)c->in[1].rows * (size_t)c->in[1].cols);
}

/* Count at most 2 h FLOPs per pair of a query and a key that it sees. */
static double one_product(const Call *c) {
    return 2.0 * c->in[0].rows * c->attr.seq * c->in[0].cols;
}

static double two_products(const Call *c) {
    return 2 * one_product(c);
}

static double scratch_bytes(const Call *c) {
    return 4.0 * c->in[0].rows * c->attr.heads * c->attr.seq;
}

static double scratch_twice(const Call *c) {
    return 2 * scratch_bytes(c);
}

static size_t scratch(const Call *c) {
    return 2 * sizeof(float) * (size_t)c->replicas * (size_t)c->attr.heads * (size_t)c->in[0].rows *
           (size_t)c->attr.seq;
}

STAGES(attend,
       {{"attend.scores", BODY(scores, Call), each_row, one_product, TOUCH_in0 | TOUCH_in1 | TOUCH_save, scratch_bytes,
         false},
        {"attend.values", BODY(values, Call), each_element, one_product, TOUCH_in2 | TOUCH_out, scratch_bytes, true}},
       {{"attend.slopes", BODY(slopes, Call), each_row, two_products,
         TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_dout | TOUCH_save, scratch_twice, false},
        {"attend.queries", BODY(queries, Call), each_element_back, one_product, TOUCH_in1 | TOUCH_din0, scratch_bytes,
         true},
        {"attend.keys", BODY(keys, Call), each_key, two_products, TOUCH_in0 | TOUCH_dout | TOUCH_din1 | TOUCH_din2,
         scratch_twice, true}},
       scratch);
