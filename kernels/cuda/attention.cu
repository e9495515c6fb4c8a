/* Causal attention, x = [q | k | v] in rows of 3d; head size h. The equations stand in kernels/cpu/attention.c.
 *
 * A warp takes a query: lane j its keys j, j + 32, …, so that the row's sums are rule 3's; then lane l the columns
 * l, l + 32, … of the head, each a chain over the keys. Backward keeps P and dS of a head in scratch, from which a thread
 * per key makes dK and dV, PIECE columns at a time, each a chain over the queries that see the key. */
#include "kernels/cuda/device.cuh"

enum { QUERIES = 4, QUERY_THREADS = QUERIES * WARP, PIECE = 16 };

typedef struct {
    const float *q, *k, *v; /* row i at q + i * step */
    int step, n, h, d, heads, head, sequence;
    float scale;
} Head;

/* Of replica r; `pair` counts heads, sequence by sequence. */
DEVICE_FN Head head_of(const Call &c, int r, int pair) {
    Head t;
    t.heads = c.attr.heads, t.d = c.in[0].cols / 3, t.h = t.d / t.heads, t.n = c.attr.seq, t.step = 3 * t.d;
    t.sequence = pair / t.heads, t.head = pair % t.heads;
    t.q = at(c.in[0], r) + (size_t)t.sequence * t.n * t.step + (size_t)t.head * t.h;
    t.k = t.q + t.d, t.v = t.k + t.d;
    t.scale = 1 / CANON_SQRT((float)t.h);
    return t;
}

/* The query of this warp: blockIdx.y counts groups of as many as a block has warps. */
DEVICE_FN int query_row(void) {
    return (int)(blockIdx.y * (blockDim.x / WARP) + threadIdx.x / WARP);
}

DEVICE_FN float chain_dot(const float *a, const float *b, int n) {
    float chain = 0;
    for (int i = 0; i < n; i++) chain = CANON_FMA(a[i], b[i], chain);
    return chain;
}

/* y(l) = sum over keys j <= i of p[j] v_j(l), this warp's columns. */
DEVICE_FN void weigh(float *y, const float *p, const float *v, const Head &t, int i, bool accumulate) {
    for (int l = lane_id(); l < t.h; l += WARP) {
        float chain = 0;
        for (int j = 0; j <= i; j++) chain = CANON_FMA(p[j], v[(size_t)j * t.step + l], chain);
        put(&y[l], chain, accumulate);
    }
}

KERNEL_FN(forward, QUERY_THREADS, Call, c) {
    DYNAMIC_SHARED(float, rows);
    int r = (int)blockIdx.z, warp = (int)threadIdx.x / WARP, i = query_row();
    Head t = head_of(c, r, (int)blockIdx.x);
    if (i >= t.n) return;
    size_t row = (size_t)t.sequence * t.n + i;
    float *p = rows + (size_t)warp * t.n, *save = at(c.save, r) + (row * t.heads + t.head) * 2;
    const float *q = t.q + (size_t)i * t.step;
    for (int j = lane_id(); j <= i; j += WARP) p[j] = chain_dot(q, t.k + (size_t)j * t.step, t.h) * t.scale;
    float most = row_max(p, i + 1); /* a lane reads what it wrote */
    for (int j = lane_id(); j <= i; j += WARP) p[j] = canon_exp(p[j] - most);
    float inverse = 1 / row_sum(p, i + 1);
    for (int j = lane_id(); j <= i; j += WARP) p[j] *= inverse;
    __syncwarp();
    weigh(at(c.out, r) + row * t.d + (size_t)t.head * t.h, p, t.v, t, i, false);
    if (lane_id() == 0) save[0] = most, save[1] = inverse;
}

/* P of a head in scratch, [n][n], lower triangle; dS behind it. */
DEVICE_FN float *kept(const Call &c, int r, int pair) {
    size_t pairs = (size_t)(c.in[0].rows / c.attr.seq) * c.attr.heads;
    return (float *)c.scratch + ((size_t)r * pairs + pair) * 2 * c.attr.seq * c.attr.seq;
}

KERNEL_FN(queries, QUERY_THREADS, Call, c) {
    int r = (int)blockIdx.z, i = query_row();
    Head t = head_of(c, r, (int)blockIdx.x);
    if (i >= t.n) return;
    size_t row = (size_t)t.sequence * t.n + i, column = (size_t)t.head * t.h;
    const float *dy = at(c.dout, r) + row * t.d + column, *q = t.q + (size_t)i * t.step;
    const float *save = at(c.save, r) + (row * t.heads + t.head) * 2;
    float *p = kept(c, r, (int)blockIdx.x) + (size_t)i * t.n, *ds = p + (size_t)t.n * t.n, dot;
    float most = save[0], inverse = save[1];
    for (int j = lane_id(); j <= i; j += WARP) {
        float s = chain_dot(q, t.k + (size_t)j * t.step, t.h) * t.scale;
        p[j] = canon_exp(s - most) * inverse;
        ds[j] = chain_dot(dy, t.v + (size_t)j * t.step, t.h);
    }
    dot = row_dot(p, ds, i + 1);
    for (int j = lane_id(); j <= i; j += WARP) ds[j] = p[j] * (ds[j] - dot) * t.scale;
    __syncwarp();
    weigh(at(c.din[0], r) + row * t.step + column, ds, t.k, t, i, c.accumulate[0]);
}

/* A warp for 32 keys; blockIdx.y counts such groups, blockIdx.x heads and within them pieces of columns. */
KERNEL_FN(keys, WARP, Call, c) {
    int h = c.in[0].cols / 3 / c.attr.heads, pieces = (h + PIECE - 1) / PIECE;
    int r = (int)blockIdx.z, pair = (int)blockIdx.x / pieces, from = (int)blockIdx.x % pieces * PIECE;
    Head t = head_of(c, r, pair);
    int first = (int)blockIdx.y * WARP, j = first + lane_id(), cols = t.h - from < PIECE ? t.h - from : PIECE;
    if (j >= t.n) return;
    const float *p = kept(c, r, pair) + j, *ds = p + (size_t)t.n * t.n, *q = t.q + from;
    const float *dy = at(c.dout, r) + (size_t)t.sequence * t.n * t.d + (size_t)t.head * t.h + from;
    float dk[PIECE] = {0}, dv[PIECE] = {0};
    for (int i = first; i < t.n; i++) {
        if (i < j) continue;
        float weight = p[(size_t)i * t.n], slope = ds[(size_t)i * t.n];
#pragma unroll
        for (int l = 0; l < PIECE; l++)
            if (l < cols) {
                dv[l] = CANON_FMA(weight, dy[(size_t)i * t.d + l], dv[l]);
                dk[l] = CANON_FMA(slope, q[(size_t)i * t.step + l], dk[l]);
            }
    }
    float *to = at(c.din[0], r) + ((size_t)t.sequence * t.n + j) * t.step + (size_t)t.head * t.h + from;
#pragma unroll
    for (int l = 0; l < PIECE; l++)
        if (l < cols) {
            put(&to[t.d + l], dk[l], c.accumulate[0]);
            put(&to[2 * t.d + l], dv[l], c.accumulate[0]);
        }
}

static unsigned pairs_of(const Call *c) {
    return (unsigned)(c->in[0].rows / c->attr.seq * c->attr.heads);
}

/* A row of scores per query stands in shared memory, 48 KB of it: long sequences get fewer queries to a block. */
static Grid each_query(const Call *c) {
    size_t row = (size_t)c->attr.seq * sizeof(float), fit = (48 << 10) / row;
    unsigned queries = fit < 1 ? 1 : fit < QUERIES ? (unsigned)fit : (unsigned)QUERIES;
    Grid g = {pairs_of(c), ceil_of((size_t)c->attr.seq, queries), (unsigned)c->replicas, queries * WARP, queries * row};
    return g;
}

static Grid each_query_back(const Call *c) {
    Grid g = each_query(c);
    g.shared = 0;
    return c->din[0].at ? g : no_grid();
}

static Grid each_key(const Call *c) {
    int h = c->in[0].cols / 3 / c->attr.heads;
    Grid g = {pairs_of(c) * ceil_of((size_t)h, PIECE), ceil_of((size_t)c->attr.seq, WARP), (unsigned)c->replicas, WARP, 0};
    return c->din[0].at ? g : no_grid();
}

/* One product over the causal half of the squares: 2 h per pair of query and key. */
static double half_product(const Call *c) {
    return (double)c->in[0].rows * (c->attr.seq + 1) * (c->in[0].cols / 3);
}

static double two_products(const Call *c) {
    return 2 * half_product(c);
}

static double three_products(const Call *c) {
    return 3 * half_product(c);
}

/* P and dS, lower triangles. */
static double scratch_bytes(const Call *c) {
    return 4.0 * pairs_of(c) * c->attr.seq * (c->attr.seq + 1);
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * pairs_of(c) * 2 * (size_t)c->attr.seq * (size_t)c->attr.seq * sizeof(float);
}

STAGES(attention, {{"attention.forward", BODY(forward, Call), each_query, two_products, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {{"attention.queries", BODY(queries, Call), each_query_back, three_products,
         TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, scratch_bytes, false},
        {"attention.keys", BODY(keys, Call), each_key, two_products, TOUCH_in0 | TOUCH_dout | TOUCH_din0, scratch_bytes, true}},
       scratch);
