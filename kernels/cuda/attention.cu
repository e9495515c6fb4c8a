/* Attention, x = [q | k | v] in rows of 3d; head size h. The equations are in kernels/cpu/attention.c.
 *
 * Forward takes a band of up to 32 queries: the rows of scores stay in shared memory, a warp turns one at a time into
 * weights, lane j with keys j, j + 32, …, so that a row's sums are rule 3's, and then a thread computes four columns of
 * some queries, each a chain over the keys. Backward computes the queries' gradients likewise and leaves each row's sum
 * of P dP in scratch. For the keys' gradients, P and dS are computed again, square by square, each number by the same
 * operations, and added up in chains over the queries that see the key. */
#include "kernels/cuda/attention.cuh"

/* PIECE: columns of a head whose gradients a block computes; ROW: stride of rows of a square of P or dS; NEAR: bytes of
 * shared memory with which two blocks fit on a processor of an H100, one on one of an A100. */
enum { PIECE = 64, ROW = SQUARE + 4, NEAR = 96 << 10 };

static inline __host__ __device__ int head_pitch(const Call &c) {
    return pitch_of(at_most(c.in[0].cols / 3 / c.attr.heads, WIDE));
}

/* Return how many queries a block takes if it keeps `matrices` rows of scores for each: as many as fit beside the
 * squares. */
static inline __host__ __device__ int queries_of(const Call &c, int matrices) {
    int of_query = matrices * (pitch_of(c.attr.seq) + head_pitch(c));
    int room = NEAR / (int)sizeof(float) - matrices * SQUARE * head_pitch(c), fit = room > 0 ? room / of_query : 0;
    return fit < 1 ? 1 : fit < SQUARE ? fit : (int)SQUARE;
}

static inline __host__ __device__ int band_words(const Call &c, int matrices) {
    return matrices * (SQUARE * head_pitch(c) + queries_of(c, matrices) * (head_pitch(c) + pitch_of(c.attr.seq)));
}

/* This block's share of a head. */
typedef struct {
    int first, count; /* first query; queries that exist */
    int keys;         /* keys that the last query sees */
    int pitch;        /* stride of rows of scores, in numbers */
    float *square[2]; /* in shared memory: rows of keys or values, [32][head's pitch] */
    float *x[2];      /* rows of the queries, [queries][head's pitch] */
    float *scores[2]; /* [queries][pitch] */
} Band;

DEVICE_FN Band band_here(const Call &c, const Head &t, int matrices, float *near) {
    Band s;
    const int queries = queries_of(c, matrices);
    s.first = (int)blockIdx.y * queries, s.count = at_most(t.n - s.first, queries);
    s.keys = keys_of(t, s.first + s.count - 1), s.pitch = pitch_of(t.n);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int m = i < matrices ? i : 0;
        s.square[i] = near + m * SQUARE * t.pitch;
        s.x[i] = near + (matrices * SQUARE + m * queries) * t.pitch;
        s.scores[i] = near + matrices * (SQUARE + queries) * t.pitch + m * queries * s.pitch;
    }
    return s;
}

/* Compute y(query, l) = sum over the keys j it sees of w(query, j) v_j(l), for this block's queries; y's rows are
 * `apart`. A thread takes four columns of PER queries, all keys that the first sees, then those that only others see;
 * the columns are those from `from` on that are in shared memory at once. */
template <int PER>
DEVICE_FN void weigh_by(Target y, size_t apart, const float *w, const Number *v, const Band &s, const Head &t,
                        const Portion &mine, bool accumulate, int from) {
    const int cols = at_most(t.h - from, WIDE), fours = (cols + 3) / 4;
    for (int done = 0; done < SQUARE / PER * fours; done += CREW) {
        const int item = done + (int)threadIdx.x, query = item / fours * PER, l = item % fours * 4;
        const float *row[PER];
        int end[PER];
        float chain[PER][4];
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const int q = at_most(query + i, s.count - 1);
            row[i] = w + q * s.pitch, end[i] = keys_of(t, s.first + q);
#pragma unroll
            for (int k = 0; k < 4; k++) chain[i][k] = 0;
        }
        for (int base = 0; base < s.keys; base += SQUARE) {
            __syncthreads();
            const Number *value_rows = v + (size_t)base * t.step + from;
            bring(s.square[0], value_rows, (size_t)t.step, at_most(t.n - base, SQUARE), cols, t, mine);
            __syncthreads();
            if (query >= s.count) continue;
            const float *value = s.square[0] + l;
            const int all = at_most(end[0] - base, SQUARE), last = at_most(end[PER - 1] - base, SQUARE);
            int j = 0;
            for (; j + 4 <= all; j += 4) {
                float x[PER][4], b[4];
#pragma unroll
                for (int i = 0; i < PER; i++) load(x[i], row[i] + base + j);
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    load(b, value + (j + k) * t.pitch);
#pragma unroll
                    for (int i = 0; i < PER; i++) add_four(chain[i], x[i][k], b);
                }
            }
#pragma unroll 1
            for (; j < last; j++) {
                float b[4];
                load(b, value + j * t.pitch);
#pragma unroll
                for (int i = 0; i < PER; i++)
                    if (j < end[i] - base) add_four(chain[i], row[i][base + j], b);
            }
        }
#pragma unroll
        for (int i = 0; i < PER; i++)
            if (query + i < s.count)
                put_four(y + (size_t)(query + i) * apart + from + l, chain[i], from + l, t, accumulate);
    }
}

/* Choose PER, the queries of a thread, so that a head's columns are work for all threads. */
DEVICE_FN void weigh(Target y, size_t apart, const float *w, const Number *v, const Band &s, const Head &t,
                     const Portion &mine, bool accumulate) {
    if (t.h <= 16)
        weigh_by<1>(y, apart, w, v, s, t, mine, accumulate, 0);
    else if (t.h <= 32)
        weigh_by<2>(y, apart, w, v, s, t, mine, accumulate, 0);
    else
        for (int from = 0; from < t.h; from += WIDE) weigh_by<4>(y, apart, w, v, s, t, mine, accumulate, from);
}

/* A lane's keys of a row: up to HELD * WARP keys stay in registers from one pass to the next. */
enum { HELD = 4 };
#define EACH_HELD(c, keys) \
    _Pragma("unroll") for (int c = 0; c < HELD; c++) if (c * WARP < (keys))

/* Turn a row of scores into weights, by one warp. Return its largest score; *inverse is 1/sum of exponentials. */
DEVICE_FN float soften(float *p, int keys, float *inverse) {
    float most, x[HELD], lane = -INFINITY;
    const int left = keys - lane_id();
    if (keys > HELD * WARP) { /* a lane reads what it wrote */
        most = row_max(p, keys);
        for (int j = lane_id(); j < keys; j += WARP) p[j] = canon_exp(p[j] - most);
        *inverse = 1 / row_sum(p, keys);
        for (int j = lane_id(); j < keys; j += WARP) p[j] *= *inverse;
        return most;
    }
    p += lane_id();
    EACH_HELD(c, keys) x[c] = c * WARP < left ? p[c * WARP] : -INFINITY, lane = larger(x[c], lane);
    most = fold_max(lane), lane = 0;
    EACH_HELD(c, keys) {
        x[c] = canon_exp(x[c] - most);
        if (c * WARP < left) lane += x[c];
    }
    *inverse = 1 / fold(lane);
    EACH_HELD(c, keys) if (c * WARP < left) p[c * WARP] = x[c] * *inverse;
    return most;
}

/* Turn a row of dP into dS, by one warp. Return the sum of P dP. */
DEVICE_FN float slopes(const float *p, float *ds, int keys, float scale) {
    float sum, x[HELD], y[HELD], lane = 0;
    const int left = keys - lane_id();
    if (keys > HELD * WARP) { /* a lane reads what it wrote */
        sum = row_dot(p, ds, keys);
        for (int j = lane_id(); j < keys; j += WARP) ds[j] = p[j] * (ds[j] - sum) * scale;
        return sum;
    }
    p += lane_id(), ds += lane_id();
    EACH_HELD(c, keys) if (c * WARP < left) {
        x[c] = p[c * WARP], y[c] = ds[c * WARP];
        lane = CANON_FMA(x[c], y[c], lane);
    }
    sum = fold(lane);
    EACH_HELD(c, keys) if (c * WARP < left) ds[c * WARP] = x[c] * (y[c] - sum) * scale;
    return sum;
}

KERNEL_FN(forward, AT_LEAST(4, CREW), Call, c) {
    DYNAMIC_SHARED(float, near);
    const int r = (int)blockIdx.z, warp = (int)threadIdx.x / WARP;
    const Head t = head_of(c, r, (int)blockIdx.x);
    const Band s = band_here(c, t, 1, near);
    const Place here = place_here();
    const Portion mine = portion_of(t);
    const size_t first = (size_t)t.sequence * t.n + s.first;
    for (int base = 0; base < s.keys; base += SQUARE) {
        float score[BY][OVER] = {};
        for (int from = 0; from < t.h; from += WIDE) {
            const int cols = at_most(t.h - from, WIDE);
            const Number *q = t.q + (size_t)s.first * t.step + from, *k = t.k + (size_t)base * t.step + from;
            __syncthreads();
            if (!base || t.h > WIDE) bring(s.x[0], q, (size_t)t.step, s.count, cols, t, mine);
            bring(s.square[0], k, (size_t)t.step, at_most(t.n - base, SQUARE), cols, t, mine);
            __syncthreads();
            dots(score, s.x[0], s.square[0], s.count, cols, t, here);
        }
#pragma unroll
        for (int i = 0; i < BY; i++)
#pragma unroll
            for (int k = 0; k < OVER; k++) {
                const int q = here.query + 8 * i, j = base + here.key + 16 * k;
                if (q < s.count && j < keys_of(t, s.first + q)) s.scores[0][q * s.pitch + j] = score[i][k] * t.scale;
            }
    }
    __syncthreads();
    for (int q = warp; q < s.count; q += CREW / WARP) {
        float *save = save_of(c, r, (int)blockIdx.x) + s.first + q, inverse;
        float most = soften(s.scores[0] + q * s.pitch, keys_of(t, s.first + q), &inverse);
        if (lane_id() == 0) save[0] = most, save[t.n] = inverse;
    }
    weigh(out_of(c, r) + first * t.d + (size_t)t.head * t.h, (size_t)t.d, s.scores[0], t.v, s, t, mine, false);
}

/* Compute the queries' gradients; rows of P, and of dP and then dS, stay in shared memory. */
KERNEL_FN(queries, AT_LEAST(4, CREW), Call, c) {
    DYNAMIC_SHARED(float, near);
    const int r = (int)blockIdx.z, warp = (int)threadIdx.x / WARP;
    const Head t = head_of(c, r, (int)blockIdx.x);
    const Band s = band_here(c, t, 2, near);
    const Place here = place_here();
    const Portion mine = portion_of(t);
    const size_t first = (size_t)t.sequence * t.n + s.first, column = (size_t)t.head * t.h;
    float most[BY], inverse[BY];
#pragma unroll
    for (int i = 0; i < BY; i++) {
        const float *save = save_of(c, r, (int)blockIdx.x) + s.first + at_most(here.query + 8 * i, s.count - 1);
        most[i] = save[0], inverse[i] = save[t.n];
    }
    for (int base = 0; base < s.keys; base += SQUARE) {
        float score[BY][OVER] = {}, slope[BY][OVER] = {};
        const int count = at_most(t.n - base, SQUARE);
        for (int from = 0; from < t.h; from += WIDE) {
            const int cols = at_most(t.h - from, WIDE);
            __syncthreads();
            if (!base || t.h > WIDE) {
                bring(s.x[0], t.q + (size_t)s.first * t.step + from, (size_t)t.step, s.count, cols, t, mine);
                bring(s.x[1], dout_of(c, r) + first * t.d + column + from, (size_t)t.d, s.count, cols, t, mine);
            }
            bring(s.square[0], t.k + (size_t)base * t.step + from, (size_t)t.step, count, cols, t, mine);
            bring(s.square[1], t.v + (size_t)base * t.step + from, (size_t)t.step, count, cols, t, mine);
            __syncthreads();
            dots(score, s.x[0], s.square[0], s.count, cols, t, here);
            dots(slope, s.x[1], s.square[1], s.count, cols, t, here);
        }
#pragma unroll
        for (int i = 0; i < BY; i++) {
            const int q = here.query + 8 * i;
            if (q >= s.count) continue;
#pragma unroll
            for (int k = 0; k < OVER; k++) {
                const int j = base + here.key + 16 * k;
                if (j >= keys_of(t, s.first + q)) continue;
                s.scores[0][q * s.pitch + j] = canon_exp(score[i][k] * t.scale - most[i]) * inverse[i];
                s.scores[1][q * s.pitch + j] = slope[i][k];
            }
        }
    }
    __syncthreads();
    for (int q = warp; q < s.count; q += CREW / WARP) {
        float sum = slopes(s.scores[0] + q * s.pitch, s.scores[1] + q * s.pitch, keys_of(t, s.first + q), t.scale);
        if (lane_id() == 0) kept(c, r, (int)blockIdx.x)[s.first + q] = sum;
    }
    weigh(din_of(c, 0, r) + first * t.step + column, (size_t)t.step, s.scores[1], t.k, s, t, mine, c.accumulate[0]);
}

static inline __host__ __device__ int pieces_of(const Call &c) {
    return (c.in[0].cols / 3 / c.attr.heads + PIECE - 1) / PIECE;
}

static inline __host__ __device__ int keys_words(const Call &c) {
    return 4 * SQUARE * head_pitch(c) + 2 * SQUARE * ROW;
}

/* Compute a piece of the columns of dV and dK for 32 keys. A thread takes four columns of PER keys of one of the two,
 * ITEMS times. */
template <int PER, int ITEMS>
DEVICE_FN void gather(const Call &c, float *near) {
    const int r = (int)blockIdx.z, pieces = pieces_of(c), pair = (int)blockIdx.x / pieces;
    const int from = (int)blockIdx.x % pieces * PIECE, first = (int)blockIdx.y * SQUARE;
    const Head t = head_of(c, r, pair);
    const Place here = place_here();
    const Portion mine = portion_of(t);
    const int count = at_most(t.n - first, SQUARE), words = SQUARE * t.pitch;
    const int fours = (at_most(t.h - from, PIECE) + 3) / 4, half = SQUARE / PER * fours;
    float *k = near, *v = k + words, *q = v + words, *dy = q + words, *p = dy + words, *ds = p + SQUARE * ROW;
    const float *save = save_of(c, r, pair), *dot = kept(c, r, pair);
    const Number *far = dout_of(c, r) + (size_t)t.sequence * t.n * t.d + (size_t)t.head * t.h;
    float chain[ITEMS][PER][4];
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
#pragma unroll
        for (int i = 0; i < PER; i++)
#pragma unroll
            for (int l = 0; l < 4; l++) chain[u][i][l] = 0;
    const int start = t.full ? 0 : first, near_from = t.h > WIDE ? 0 : from;
    for (int base = start; base < t.n; base += SQUARE) {
        const int rows = at_most(t.n - base, SQUARE);
        float score[BY][OVER] = {}, slope[BY][OVER] = {};
        for (int l = 0; l < t.h; l += WIDE) {
            const int cols = at_most(t.h - l, WIDE);
            __syncthreads();
            if (base == start || t.h > WIDE) {
                bring(k, t.k + (size_t)first * t.step + l, (size_t)t.step, count, cols, t, mine);
                bring(v, t.v + (size_t)first * t.step + l, (size_t)t.step, count, cols, t, mine);
            }
            bring(q, t.q + (size_t)base * t.step + l, (size_t)t.step, rows, cols, t, mine);
            bring(dy, far + (size_t)base * t.d + l, (size_t)t.d, rows, cols, t, mine);
            __syncthreads();
            dots(score, q, k, rows, cols, t, here), dots(slope, dy, v, rows, cols, t, here);
        }
#pragma unroll
        for (int i = 0; i < BY; i++) {
            const int query = here.query + 8 * i;
            if (query >= rows) continue;
            const float most = save[base + query], inverse = save[t.n + base + query], sum = dot[base + query];
#pragma unroll
            for (int j = 0; j < OVER; j++) {
                const int key = here.key + 16 * j;
                if (first + key >= keys_of(t, base + query)) continue;
                const float weight = canon_exp(score[i][j] * t.scale - most) * inverse;
                p[query * ROW + key] = weight, ds[query * ROW + key] = weight * (slope[i][j] - sum) * t.scale;
            }
        }
        __syncthreads();
        if (t.h > WIDE) { /* load the columns whose gradients are computed here over the last ones */
            bring(q, t.q + (size_t)base * t.step + from, (size_t)t.step, rows, at_most(t.h - from, PIECE), t, mine);
            bring(dy, far + (size_t)base * t.d + from, (size_t)t.d, rows, at_most(t.h - from, PIECE), t, mine);
            __syncthreads();
        }
#pragma unroll
        for (int u = 0; u < ITEMS; u++) {
            const int item = (int)threadIdx.x + u * CREW, of = item % half, key = of / fours * PER;
            if (item >= 2 * half) continue;
            const float *w = (item < half ? p : ds) + key, *x = (item < half ? dy : q) + near_from + of % fours * 4;
            float a[PER], b[4];
            int i = 0;
            if (!t.full && base == first) { /* queries that see only some of the keys */
#pragma unroll 1
                for (i = key; i < at_most(key + PER - 1, rows); i++) {
                    load(b, x + i * t.pitch);
#pragma unroll
                    for (int j = 0; j < PER; j++)
                        if (key + j <= i) add_four(chain[u][j], w[i * ROW + j], b);
                }
                i = key + PER - 1;
            }
#pragma unroll 2
            for (; i < rows; i++) {
                load(a, w + i * ROW), load(b, x + i * t.pitch);
#pragma unroll
                for (int j = 0; j < PER; j++) add_four(chain[u][j], a[j], b);
            }
        }
    }
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        const int item = (int)threadIdx.x + u * CREW, of = item % half, key = of / fours * PER;
        const int l = from + of % fours * 4;
        if (item >= 2 * half) continue;
        const size_t row = (size_t)t.sequence * t.n + first + key;
        const Target to = din_of(c, 0, r) + row * t.step + (size_t)t.head * t.h + l;
#pragma unroll
        for (int j = 0; j < PER; j++)
            if (key + j < count)
                put_four(to + (size_t)j * t.step + (item < half ? 2 : 1) * t.d, chain[u][j], l, t, c.accumulate[0]);
    }
}

KERNEL_FN(keys, AT_LEAST(4, CREW), Call, c) {
    DYNAMIC_SHARED(float, near);
    const int h = c.in[0].cols / 3 / c.attr.heads;
    if (h <= 16)
        gather<2, 1>(c, near);
    else if (h <= 32)
        gather<4, 1>(c, near);
    else
        gather<4, 2>(c, near);
}

static Grid each_band(const Call *c, int matrices) {
    const unsigned queries = (unsigned)queries_of(*c, matrices);
    Grid g = {pairs_of(c), ceil_of((size_t)c->attr.seq, queries), (unsigned)c->replicas, CREW,
              (size_t)band_words(*c, matrices) * sizeof(float)};
    return g;
}

static Grid each_query(const Call *c) {
    return each_band(c, 1);
}

static Grid each_query_back(const Call *c) {
    return c->din[0].at ? each_band(c, 2) : no_grid();
}

static Grid each_key(const Call *c) {
    Grid g = {pairs_of(c) * (unsigned)pieces_of(*c), ceil_of((size_t)c->attr.seq, SQUARE), (unsigned)c->replicas, CREW,
              (size_t)keys_words(*c) * sizeof(float)};
    return c->din[0].at ? g : no_grid();
}

/* Return twice the average number of keys that a query sees. */
static double keys_twice(const Call *c) {
    return c->attr.full ? 2.0 * c->attr.seq : c->attr.seq + 1.0;
}

/* Count 2 h FLOPs per pair of a query and a key that it sees. */
static double one_product(const Call *c) {
    return (double)c->in[0].rows * keys_twice(c) * (c->in[0].cols / 3);
}

static double two_products(const Call *c) {
    return 2 * one_product(c);
}

static double three_products(const Call *c) {
    return 3 * one_product(c);
}

static double four_products(const Call *c) {
    return 4 * one_product(c);
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * pairs_of(c) * (size_t)c->attr.seq * sizeof(float);
}

STAGES(attention,
       {{"attention.forward", BODY(forward, Call), each_query, two_products, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL,
         false}},
       {{"attention.queries", BODY(queries, Call), each_query_back, three_products,
         TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, scratch_bytes, false},
        {"attention.keys", BODY(keys, Call), each_key, four_products, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0,
         scratch_bytes, false}},
       scratch);
