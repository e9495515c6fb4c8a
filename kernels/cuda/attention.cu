/* Attention, x = [q | k | v] in rows of 3d; head size h. The equations are in kernels/cpu/attention.c.
 *
 * A block takes up to QUERIES queries of a head, a warp one at a time: lane j its keys j, j + 32, …, so that a row's
 * sums are rule 3's. Keys pass through shared memory, 32 at a time; the rows of scores stay there, and from them the
 * threads make the columns of the head, each a chain over the keys, two queries side by side. Backward keeps P and dS
 * of a head in scratch, from which a thread per key makes dK and dV, PIECE columns at a time, each a chain over
 * the queries that see the key. */
#include "kernels/cuda/device.cuh"

/* NEAR: bytes of shared memory that every block can have */
enum { QUERIES = 32, PIECE = 16, ODD = 4, NEAR = 48 << 10 };

typedef struct {
    const float *q, *k, *v; /* row i at q + i * step */
    int step, n, h, d, head, sequence;
    float scale;
    bool fours; /* rows of a head can be read four numbers at a time */
    bool full;  /* a query sees every key */
} Head;

/* Of replica r; `pair` counts heads, sequence by sequence. */
DEVICE_FN Head head_of(const Call &c, int r, int pair) {
    Head t;
    t.d = c.in[0].cols / 3, t.h = t.d / c.attr.heads, t.n = c.attr.seq, t.step = 3 * t.d;
    t.sequence = pair / c.attr.heads, t.head = pair % c.attr.heads;
    t.q = at(c.in[0], r) + (size_t)t.sequence * t.n * t.step + (size_t)t.head * t.h;
    t.k = t.q + t.d, t.v = t.k + t.d;
    t.scale = 1 / CANON_SQRT((float)t.h);
    t.fours = t.h % 4 == 0, t.full = c.attr.full;
    return t;
}

/* Keys that query i sees. */
DEVICE_FN int keys_of(const Head &t, int i) {
    return t.full ? t.n : i + 1;
}

/* A head's largest scores; its 1/sum of exponentials n words behind. */
DEVICE_FN float *save_of(const Call &c, int r, int pair) {
    return at(c.save, r) + (size_t)pair * 2 * c.attr.seq;
}

/* Words between keys in shared memory. */
static inline __host__ __device__ int pitch_of(const Call &c) {
    return c.in[0].cols / 3 / c.attr.heads + ODD;
}

/* Queries of a block: as many as have room for their rows beside the keys. */
static inline __host__ __device__ int queries_of(const Call &c) {
    int room = NEAR / (int)sizeof(float) - WARP * pitch_of(c), fit = room > 0 ? room / c.attr.seq : 0;
    return fit < 1 ? 1 : fit < QUERIES ? fit : (int)QUERIES;
}

/* This block's share of a head. */
typedef struct {
    int first, count; /* queries; count: those that exist */
    int queries, pitch;
    float *keys, *rows; /* in shared memory: [32][pitch], [queries][n] */
} Band;

DEVICE_FN Band share_here(const Call &c, const Head &t, float *near) {
    Band s;
    s.queries = queries_of(c), s.pitch = pitch_of(c);
    s.first = (int)blockIdx.y * s.queries;
    s.count = t.n - s.first < s.queries ? t.n - s.first : s.queries;
    s.keys = near, s.rows = near + WARP * s.pitch;
    return s;
}

/* Keys (or values) base.. of the head come into shared memory; all threads call. */
DEVICE_FN void bring(const Band &s, const float *from, const Head &t, int base) {
    __syncthreads();
    for (int e = (int)threadIdx.x; e < WARP * t.h; e += (int)blockDim.x) {
        int key = e / t.h, l = e % t.h;
        if (base + key < t.n) s.keys[key * s.pitch + l] = from[(size_t)(base + key) * t.step + l];
    }
    __syncthreads();
}

DEVICE_FN float chain_dot(const float *a, const float *b, const Head &t) {
    float chain = 0;
    if (!t.fours) {
        for (int i = 0; i < t.h; i++) chain = CANON_FMA(a[i], b[i], chain);
        return chain;
    }
#pragma unroll 2
    for (int i = 0; i < t.h; i += 4) {
        const float4 x = *(const float4 *)(a + i), y = *(const float4 *)(b + i);
        chain = CANON_FMA(x.x, y.x, chain), chain = CANON_FMA(x.y, y.y, chain);
        chain = CANON_FMA(x.z, y.z, chain), chain = CANON_FMA(x.w, y.w, chain);
    }
    return chain;
}

/* y(query, l) = sum over the keys j it sees of row(query, j) v_j(l), for this block's queries; y's rows are `apart`. A
 * thread takes a column of two queries, so that v is read once for both. */
DEVICE_FN void weigh(float *y, size_t apart, const float *v, const Band &s, const Head &t, bool accumulate) {
    const int half = (s.queries + 1) / 2;
    __syncthreads();
    for (int output = (int)threadIdx.x; output < half * t.h; output += (int)blockDim.x) {
        int l = output % t.h, one = output / t.h, two = one + half, j = 0;
        const int end_one = one < s.count ? keys_of(t, s.first + one) - 1 : -1; /* its last key; -1: no such query */
        const int end_two = two < s.count ? keys_of(t, s.first + two) - 1 : -1;
        const float *p_one = s.rows + (size_t)one * t.n, *p_two = s.rows + (size_t)two * t.n, *value = v + l;
        float chain_one = 0, chain_two = 0;
        for (; end_two >= 0 && j <= end_one; j++, value += t.step) {
            chain_one = CANON_FMA(p_one[j], *value, chain_one);
            chain_two = CANON_FMA(p_two[j], *value, chain_two);
        }
        for (; j <= end_one; j++, value += t.step) chain_one = CANON_FMA(p_one[j], *value, chain_one);
        for (; j <= end_two; j++, value += t.step) chain_two = CANON_FMA(p_two[j], *value, chain_two);
        if (end_one >= 0) put(&y[(size_t)one * apart + l], chain_one, accumulate);
        if (end_two >= 0) put(&y[(size_t)two * apart + l], chain_two, accumulate);
    }
}

KERNEL_FN(forward, AT_LEAST(3, THREADS), Call, c) {
    DYNAMIC_SHARED(float, near);
    int r = (int)blockIdx.z, warp = (int)threadIdx.x / WARP;
    const Head t = head_of(c, r, (int)blockIdx.x);
    const Band s = share_here(c, t, near);
    size_t first = (size_t)t.sequence * t.n + s.first;
    for (int base = 0; base < keys_of(t, s.first + s.count - 1); base += WARP) {
        bring(s, t.k, t, base);
        for (int q = warp, j = base + lane_id(); q < s.count; q += WARPS)
            if (j < keys_of(t, s.first + q))
                s.rows[(size_t)q * t.n + j] =
                    chain_dot(t.q + (size_t)(s.first + q) * t.step, s.keys + lane_id() * s.pitch, t) * t.scale;
    }
    for (int q = warp; q < s.count; q += WARPS) { /* a lane reads what it wrote */
        float *p = s.rows + (size_t)q * t.n, *save = save_of(c, r, (int)blockIdx.x) + s.first + q;
        int keys = keys_of(t, s.first + q);
        float most = row_max(p, keys);
        for (int j = lane_id(); j < keys; j += WARP) p[j] = canon_exp(p[j] - most);
        float inverse = 1 / row_sum(p, keys);
        for (int j = lane_id(); j < keys; j += WARP) p[j] *= inverse;
        if (lane_id() == 0) save[0] = most, save[t.n] = inverse;
    }
    weigh(at(c.out, r) + first * t.d + (size_t)t.head * t.h, (size_t)t.d, t.v, s, t, false);
}

/* P of a head in scratch, [n][n], where keys are present; dS behind it. */
DEVICE_FN float *kept(const Call &c, int r, int pair) {
    size_t pairs = (size_t)(c.in[0].rows / c.attr.seq) * c.attr.heads;
    return (float *)c.scratch + ((size_t)r * pairs + pair) * 2 * c.attr.seq * c.attr.seq;
}

/* Rows of dP, then of dS, are kept in shared memory; P and dS are written to scratch. */
KERNEL_FN(queries, AT_LEAST(3, THREADS), Call, c) {
    DYNAMIC_SHARED(float, near);
    int r = (int)blockIdx.z, warp = (int)threadIdx.x / WARP;
    const Head t = head_of(c, r, (int)blockIdx.x);
    const Band s = share_here(c, t, near);
    size_t first = (size_t)t.sequence * t.n + s.first, column = (size_t)t.head * t.h;
    float *p = kept(c, r, (int)blockIdx.x) + (size_t)s.first * t.n, *far = p + (size_t)t.n * t.n;
    for (int base = 0; base < keys_of(t, s.first + s.count - 1); base += WARP) {
        bring(s, t.k, t, base);
        for (int q = warp, j = base + lane_id(); q < s.count; q += WARPS) {
            const float *save = save_of(c, r, (int)blockIdx.x) + s.first + q;
            if (j >= keys_of(t, s.first + q)) continue;
            float score = chain_dot(t.q + (size_t)(s.first + q) * t.step, s.keys + lane_id() * s.pitch, t) * t.scale;
            p[(size_t)q * t.n + j] = canon_exp(score - save[0]) * save[t.n];
        }
        bring(s, t.v, t, base);
        for (int q = warp, j = base + lane_id(); q < s.count; q += WARPS)
            if (j < keys_of(t, s.first + q))
                s.rows[(size_t)q * t.n + j] =
                    chain_dot(at(c.dout, r) + (first + q) * t.d + column, s.keys + lane_id() * s.pitch, t);
    }
    for (int q = warp; q < s.count; q += WARPS) { /* a lane reads what it wrote */
        float *ds = s.rows + (size_t)q * t.n, *pq = p + (size_t)q * t.n;
        int keys = keys_of(t, s.first + q);
        float dot = row_dot(pq, ds, keys);
        for (int j = lane_id(); j < keys; j += WARP) far[(size_t)q * t.n + j] = ds[j] = pq[j] * (ds[j] - dot) * t.scale;
    }
    weigh(at(c.din[0], r) + first * t.step + column, (size_t)t.step, t.k, s, t, c.accumulate[0]);
}

/* Four numbers of a row; where they cannot be read at once, the `left` that exist. */
DEVICE_FN float4 four_of(const float *x, int left, bool fours) {
    float4 f;
    if (fours) return *(const float4 *)x;
    f.x = x[0], f.y = left > 1 ? x[1] : 0, f.z = left > 2 ? x[2] : 0, f.w = left > 3 ? x[3] : 0;
    return f;
}

DEVICE_FN void add_four(float *chain, float weight, float4 x) {
    chain[0] = CANON_FMA(weight, x.x, chain[0]), chain[1] = CANON_FMA(weight, x.y, chain[1]);
    chain[2] = CANON_FMA(weight, x.z, chain[2]), chain[3] = CANON_FMA(weight, x.w, chain[3]);
}

/* A warp for 32 keys; blockIdx.y counts such groups, blockIdx.x heads and within them pieces of columns. */
KERNEL_FN(keys, AT_LEAST(16, WARP), Call, c) {
    int h = c.in[0].cols / 3 / c.attr.heads, pieces = (h + PIECE - 1) / PIECE;
    int r = (int)blockIdx.z, pair = (int)blockIdx.x / pieces, from = (int)blockIdx.x % pieces * PIECE;
    Head t = head_of(c, r, pair);
    int first = (int)blockIdx.y * WARP, j = first + lane_id(), cols = t.h - from < PIECE ? t.h - from : PIECE;
    if (j >= t.n) return;
    const float *p = kept(c, r, pair) + j, *ds = p + (size_t)t.n * t.n, *q = t.q + from;
    const float *dy = at(c.dout, r) + (size_t)t.sequence * t.n * t.d + (size_t)t.head * t.h + from;
    float dk[PIECE] = {0}, dv[PIECE] = {0};
    for (int i = t.full ? 0 : first; i < t.n; i++) {
        if (!t.full && i < j) continue;
        float weight = p[(size_t)i * t.n], slope = ds[(size_t)i * t.n];
#pragma unroll
        for (int l = 0; l < PIECE; l += 4)
            if (l < cols) {
                add_four(dv + l, weight, four_of(dy + (size_t)i * t.d + l, cols - l, t.fours));
                add_four(dk + l, slope, four_of(q + (size_t)i * t.step + l, cols - l, t.fours));
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

static Grid each_query(const Call *c) {
    int queries = queries_of(*c);
    size_t words = (size_t)(WARP * pitch_of(*c)) + (size_t)queries * (size_t)c->attr.seq;
    Grid g = {pairs_of(c), ceil_of((size_t)c->attr.seq, (unsigned)queries), (unsigned)c->replicas, THREADS,
              words * sizeof(float)};
    return g;
}

static Grid each_query_back(const Call *c) {
    return c->din[0].at ? each_query(c) : no_grid();
}

static Grid each_key(const Call *c) {
    int h = c->in[0].cols / 3 / c->attr.heads;
    Grid g = {pairs_of(c) * ceil_of((size_t)h, PIECE), ceil_of((size_t)c->attr.seq, WARP), (unsigned)c->replicas, WARP,
              0};
    return c->din[0].at ? g : no_grid();
}

/* Twice the keys that a query sees, on average. */
static double keys_twice(const Call *c) {
    return c->attr.full ? 2.0 * c->attr.seq : c->attr.seq + 1.0;
}

/* 2 h per pair of a query and a key that it sees. */
static double one_product(const Call *c) {
    return (double)c->in[0].rows * keys_twice(c) * (c->in[0].cols / 3);
}

static double two_products(const Call *c) {
    return 2 * one_product(c);
}

static double three_products(const Call *c) {
    return 3 * one_product(c);
}

/* P and dS where keys are present. */
static double scratch_bytes(const Call *c) {
    return 4.0 * pairs_of(c) * c->attr.seq * keys_twice(c);
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * pairs_of(c) * 2 * (size_t)c->attr.seq * (size_t)c->attr.seq * sizeof(float);
}

STAGES(attention,
       {{"attention.forward", BODY(forward, Call), each_query, two_products, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL,
         false}},
       {{"attention.queries", BODY(queries, Call), each_query_back, three_products,
         TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, scratch_bytes, false},
        {"attention.keys", BODY(keys, Call), each_key, two_products, TOUCH_in0 | TOUCH_dout | TOUCH_din0, scratch_bytes,
         true}},
       scratch);
