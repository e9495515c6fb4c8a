/* Attention by products on the tensor cores: attention.cu's stages for precisions whose factors have few digits
 * (fast.def). The equations are in kernels/cpu/attention.c. Factors of products, Q, K, V, dY, P and dS without its
 * 1/sqrt(h), are rounded to the Factor; all else is float. P is made by powers of two (approximate.cuh).
 *
 * A block takes a band of 64 rows of a head, a warp a strip of 16 of them, and the rows that they meet pass through
 * shared memory in chunks of 32; a strip's sums stay in registers. Forward and `queries` have queries in the band and
 * keys in the chunks. Forward scales its sums again whenever a larger score appears. `queries` first adds up P dP over
 * all chunks, which stays in scratch, and then dQ. `keys` has keys in the band, so that its P and dS are turned, and
 * adds up dV and dK over the queries. No two warps add to one sum, so its order is always the same.
 *
 * H: columns of a head in shared memory, its own and zeros. Beyond the last row a chunk has zeros. P is 0 where a query
 * does not see a key of a chunk; what stands there is a factor all the same: if it is not finite, the sum is a NaN. */
#ifndef KERNELS_CUDA_ATTENTION_MMA_CUH
#define KERNELS_CUDA_ATTENTION_MMA_CUH

#include "kernels/cuda/approximate.cuh"
#include "kernels/cuda/attention.cuh"
#include "kernels/cuda/mma.cuh"

enum { BAND = STRIP * CREW / WARP, CHUNK = 32, EIGHTS = CHUNK / EIGHT, LEAST = 16 };

#define LOG2_E 1.442695f

/* Stride in words between rows of a tile of H columns, and of one whose rows are the columns of a chunk. */
template <typename Factor, int H> constexpr int apart_of = words_apart(H / Factor::IN_WORD);
template <typename Factor> constexpr int apart_turned = words_apart(CHUNK / Factor::IN_WORD);

/* Blocks that fit on a processor by their registers. */
template <int H> constexpr int blocks_of = H <= 32 ? 4 : H <= 64 ? 3 : 2;

/* Band of a head (a block's) and strip of the band (a warp's). */
typedef struct {
    int block, first; /* first rows of the band, of the strip */
    int end, own_end; /* ends of the rows that meet the band and the strip; 0: the strip is empty */
    float rate;       /* factor of scores for powers of two */
} Strip;

DEVICE_FN int row_here(const Strip &s) {
    return s.first + lane_g();
}

/* Return this warp's strip if rows are queries. */
DEVICE_FN Strip strip_here(const Head &t) {
    Strip s;
    s.block = (int)blockIdx.y * BAND, s.first = s.block + (int)threadIdx.x / WARP * STRIP;
    s.end = keys_of(t, at_most(s.block + BAND, t.n) - 1);
    s.own_end = s.first < t.n ? keys_of(t, at_most(s.first + STRIP, t.n) - 1) : 0;
    s.rate = t.scale * LOG2_E;
    return s;
}

/* Copy a head's rows, of which `count` exist, to a tile, four columns at a time. */
template <typename Factor, int H, int ROWS>
DEVICE_FN void bring_fours(uint32_t *to, const Number *from, int apart, int count, const Head &t) {
    enum { IN = Factor::IN_WORD, FOURS = H / 4 };
#pragma unroll 4
    for (int i = 0; i < ROWS * FOURS / CREW; i++) {
        const int item = i * CREW + (int)threadIdx.x, row = item / FOURS, l = item % FOURS * 4;
        float x[4] = {0, 0, 0, 0};
        if (row < count && l < t.h) load(x, from + (row * apart + l));
#pragma unroll
        for (int k = 0; k < 4; k += 2 * IN) {
            const Words words = {Factor::word(x[k], x[k + IN - 1]), Factor::word(x[k + IN], x[k + 2 * IN - 1])};
            *(Words *)(to + row * apart_of<Factor, H> + (l + k) / IN) = words;
        }
    }
}

/* Return one number of a head; 0 if it does not exist. */
DEVICE_FN float number_at(const Number *from, int row, int apart, int l, int count, const Head &t) {
    return row < count && l < t.h ? (float)from[row * apart + l] : 0;
}

/* Load ROWS rows of a head into a tile. */
template <typename Factor, int H, int ROWS>
DEVICE_FN void bring_rows(uint32_t *to, const Number *from, int apart, int count, const Head &t) {
    enum { IN = Factor::IN_WORD, WORDS = H / IN };
    if (t.fours) {
        bring_fours<Factor, H, ROWS>(to, from, apart, count, t);
        return;
    }
#pragma unroll 1
    for (int item = (int)threadIdx.x; item < ROWS * WORDS; item += CREW) {
        const int row = item / WORDS, l = item % WORDS * IN;
        to[row * apart_of<Factor, H> + l / IN] =
            Factor::word(number_at(from, row, apart, l, count, t), number_at(from, row, apart, l + IN - 1, count, t));
    }
}

/* Load a chunk transposed: the tile's rows are the chunk's columns. A warp takes eight columns at a time, of which half
 * a warp reads eight neighbours in each row and writes to all banks. */
template <typename Factor, int H>
DEVICE_FN void bring_turned(uint32_t *to, const Number *from, int apart, int count, const Head &t) {
    enum { IN = Factor::IN_WORD, BLOCKS = H / EIGHT, ITEMS = BLOCKS * CHUNK / IN / STEP };
    const int lane = lane_id(), of_eight = (lane & 3) | (lane >> 2 & 4), of_step = lane >> 2 & 3;
#pragma unroll 4
    for (int k = 0; k < ITEMS * WARP / CREW; k++) {
        const int item = k * (CREW / WARP) + (int)threadIdx.x / WARP, step = item / BLOCKS;
        const int l = item % BLOCKS * EIGHT + of_eight, first = step * STEP * IN + column_of_factor(of_step, 0);
        const Number *rows = from + (first * apart + l);
        float x[2 * IN];
#pragma unroll
        for (int i = 0; i < 2 * IN; i++) {
            const int row = column_of_factor(0, i);
            x[i] = first + row < count && l < t.h ? (float)rows[row * apart] : 0;
        }
        const Words words = {Factor::word(x[0], x[IN - 1]), Factor::word(x[IN], x[2 * IN - 1])};
        *(Words *)(to + l * apart_turned<Factor> + step * STEP + 2 * of_step) = words;
    }
}

/* Store two neighbours in a row; floats in one write, since `to` is a multiple of two words. */
#if NARROW
DEVICE_FN void put_two(Target to, float x, float next, bool accumulate) {
    put(to, x, accumulate), put(to + 1, next, accumulate);
}
#else
struct alignas(8) Pair {
    float first, second;
};

DEVICE_FN void put_two(Target to, float x, float next, bool accumulate) {
    const Pair there = accumulate ? *(const Pair *)to : Pair{0, 0};
    *(Pair *)to = Pair{accumulate ? there.first + x : x, accumulate ? there.second + next : next};
}
#endif

/* Write a strip's sums to its rows of a head, times by[0] and by[1] in rows g and g + 8; `count` rows exist. */
template <int H>
DEVICE_FN void put_rows(Target to, int apart, const float (&sum)[H / EIGHT][4], const float (&by)[2], int count,
                        const Head &t, bool accumulate) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        if (lane_g() + 8 * half >= count) continue;
        const Target row = to + (lane_g() + 8 * half) * apart;
#pragma unroll
        for (int n = 0; n < H / EIGHT; n++) {
            const int l = EIGHT * n + 2 * lane_t();
            const float x = sum[n][2 * half] * by[half], next = sum[n][2 * half + 1] * by[half];
            if (t.fours && l < t.h) put_two(row + l, x, next, accumulate);
            if (!t.fours && l < t.h) put(row + l, x, accumulate);
            if (!t.fours && l + 1 < t.h) put(row + l + 1, next, accumulate);
        }
    }
}

/* Compute S(i, j) = x_i . y_j for a strip of x and a chunk of y. */
template <typename Factor, int H>
DEVICE_FN void scores_of(float (&s)[EIGHTS][4], const uint32_t *x, const uint32_t *y) {
    constexpr int apart = apart_of<Factor, H>;
#pragma unroll
    for (int n = 0; n < EIGHTS; n++) s[n][0] = s[n][1] = s[n][2] = s[n][3] = 0;
#pragma unroll
    for (int step = 0; step < H / Factor::IN_WORD / STEP; step++) {
        uint32_t left[4];
        left_at(left, x, apart, step);
        step_of(Factor(), s, left, y, apart, step);
    }
}

/* Add to y_i the sum over the chunk's rows j of w(i, j) x_j, for a strip's rows i; x is transposed. */
template <typename Factor, int H>
DEVICE_FN void weigh_chunk(float (&y)[H / EIGHT][4], const float (&w)[EIGHTS][4], const uint32_t *x) {
#pragma unroll
    for (int step = 0; step < CHUNK / Factor::IN_WORD / STEP; step++) {
        uint32_t left[4];
        left_of(Factor(), left, w, step);
        step_of(Factor(), y, left, x, apart_turned<Factor>, step);
    }
}

/* Sum over the four lanes that share a row. */
DEVICE_FN float sum_of_four(float x) {
    x += __shfl_xor_sync(ALL_LANES, x, 1);
    return x + __shfl_xor_sync(ALL_LANES, x, 2);
}

DEVICE_FN float most_of_four(float x) {
    x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 1));
    return fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 2));
}
#ifdef SIMT_CALL
#define sum_of_four(...) SIMT_CALL(sum_of_four, __VA_ARGS__)
#define most_of_four(...) SIMT_CALL(most_of_four, __VA_ARGS__)
#endif

/* Set scores to `hidden` where the strip's queries do not see the chunk's keys, which begin at `base`. */
DEVICE_FN void hide(float (&s)[EIGHTS][4], float hidden, int base, const Strip &at, const Head &t) {
    if (base + CHUNK <= keys_of(t, at.first)) return;
    const int from = base + 2 * lane_t();
    const int seen[2] = {keys_of(t, row_here(at)) - from, keys_of(t, row_here(at) + 8) - from};
#pragma unroll
    for (int n = 0; n < EIGHTS; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (EIGHT * n + i % 2 >= seen[i / 2]) s[n][i] = hidden;
}

/* Replace a strip's scores of a chunk by exponentials relative to the largest so far; scale earlier sums if a larger
 * score appears. */
template <int H>
DEVICE_FN void soften(float (&p)[EIGHTS][4], float (&most)[2], float (&sum)[2], float (&y)[H / EIGHT][4], float rate) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const float before = most[half];
        float now = before;
#pragma unroll
        for (int n = 0; n < EIGHTS; n++) now = fmaxf(now, fmaxf(p[n][2 * half], p[n][2 * half + 1]));
        now = most_of_four(now);
        const float again = power_of_two((before - now) * rate);
        most[half] = now, sum[half] *= again;
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
#pragma unroll
            for (int i = 2 * half; i < 2 * half + 2; i++) {
                p[n][i] = power_of_two((p[n][i] - now) * rate);
                sum[half] += p[n][i];
            }
#pragma unroll
        for (int n = 0; n < H / EIGHT; n++) y[n][2 * half] *= again, y[n][2 * half + 1] *= again;
    }
}

template <typename Factor, int H> KERNEL_FN(forward, AT_LEAST(blocks_of<H>, CREW), Call, c) {
    DYNAMIC_SHARED(uint32_t, near);
    constexpr int apart = apart_of<Factor, H>;
    const int r = (int)blockIdx.z, pair = (int)blockIdx.x;
    const Head t = head_of(c, r, pair);
    const Strip s = strip_here(t);
    uint32_t *q = near, *k = q + BAND * apart, *v = k + CHUNK * apart;
    float y[H / EIGHT][4] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0}, inverse[2];
    bring_rows<Factor, H, BAND>(q, t.q + (size_t)s.block * t.step, t.step, t.n - s.block, t);
    for (int base = 0; base < s.end; base += CHUNK) {
        float p[EIGHTS][4];
        __syncthreads();
        bring_rows<Factor, H, CHUNK>(k, t.k + (size_t)base * t.step, t.step, t.n - base, t);
        bring_turned<Factor, H>(v, t.v + (size_t)base * t.step, t.step, t.n - base, t);
        __syncthreads();
        if (base >= s.own_end) continue;
        scores_of<Factor, H>(p, q + (s.first - s.block) * apart, k);
        hide(p, -INFINITY, base, s, t);
        soften<H>(p, most, sum, y, s.rate);
        weigh_chunk<Factor, H>(y, p, v);
    }
    const size_t row = (size_t)t.sequence * t.n + s.first;
    float *save = save_of(c, r, pair) + row_here(s);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        inverse[half] = 1 / sum_of_four(sum[half]);
        if (lane_t() == 0 && row_here(s) + 8 * half < t.n)
            save[8 * half] = most[half] * t.scale, save[t.n + 8 * half] = inverse[half];
    }
    put_rows<H>(out_of(c, r) + row * t.d + (size_t)t.head * t.h, t.d, y, inverse, t.n - s.first, t, false);
}

/* Shared memory of `queries`, and of a lane's two rows the largest scores (base 2), 1/sums and sums of P dP. */
typedef struct {
    uint32_t *q, *dy, *k, *v, *turned;
    float most[2], inverse[2], dot[2];
} Slopes;

/* Load the numbers of a lane's rows, of which `count` exist; inverses are `apart` from the largest scores. */
template <typename Factor, int H> DEVICE_FN Slopes slopes_in(uint32_t *near, const float *save, int count, int apart) {
    enum { WORDS = apart_of<Factor, H> };
    Slopes m;
    m.q = near, m.dy = m.q + BAND * WORDS, m.k = m.dy + BAND * WORDS, m.v = m.k + CHUNK * WORDS;
    m.turned = m.v + CHUNK * WORDS;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const bool exists = 8 * half < count;
        m.most[half] = exists ? save[8 * half] * LOG2_E : 0, m.inverse[half] = exists ? save[apart + 8 * half] : 0;
        m.dot[half] = 0;
    }
    return m;
}

/* Compute P and dP of a strip and a chunk in shared memory. */
template <typename Factor, int H>
DEVICE_FN void slopes_of(float (&p)[EIGHTS][4], float (&dp)[EIGHTS][4], const Slopes &m, int base, const Strip &s,
                         const Head &t) {
    const int from = (s.first - s.block) * apart_of<Factor, H>;
    scores_of<Factor, H>(p, m.q + from, m.k);
    scores_of<Factor, H>(dp, m.dy + from, m.v);
#pragma unroll
    for (int n = 0; n < EIGHTS; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            p[n][i] = power_of_two(CANON_FMA(p[n][i], s.rate, -m.most[i / 2])) * m.inverse[i / 2];
    hide(p, 0, base, s, t);
}

template <typename Factor, int H> DEVICE_FN void bring_keys(const Slopes &m, int base, const Head &t) {
    const size_t from = (size_t)base * t.step;
    bring_rows<Factor, H, CHUNK>(m.k, t.k + from, t.step, t.n - base, t);
    bring_rows<Factor, H, CHUNK>(m.v, t.v + from, t.step, t.n - base, t);
}

/* Compute the rows' sums of P dP, by all four lanes of a row. */
template <typename Factor, int H> DEVICE_FN void add_dots(Slopes &m, const Strip &s, const Head &t) {
    for (int base = 0; base < s.end; base += CHUNK) {
        float p[EIGHTS][4], dp[EIGHTS][4];
        __syncthreads();
        bring_keys<Factor, H>(m, base, t);
        __syncthreads();
        if (base >= s.own_end) continue;
        slopes_of<Factor, H>(p, dp, m, base, s, t);
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) m.dot[i / 2] = CANON_FMA(p[n][i], dp[n][i], m.dot[i / 2]);
    }
    m.dot[0] = sum_of_four(m.dot[0]), m.dot[1] = sum_of_four(m.dot[1]);
}

/* Add up dQ without its factor 1/sqrt(h). */
template <typename Factor, int H>
DEVICE_FN void add_slopes(float (&dq)[H / EIGHT][4], const Slopes &m, const Strip &s, const Head &t) {
    for (int base = 0; base < s.end; base += CHUNK) {
        float p[EIGHTS][4], ds[EIGHTS][4];
        __syncthreads();
        bring_keys<Factor, H>(m, base, t);
        bring_turned<Factor, H>(m.turned, t.k + (size_t)base * t.step, t.step, t.n - base, t);
        __syncthreads();
        if (base >= s.own_end) continue;
        slopes_of<Factor, H>(p, ds, m, base, s, t);
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) ds[n][i] = p[n][i] * (ds[n][i] - m.dot[i / 2]);
        weigh_chunk<Factor, H>(dq, ds, m.turned);
    }
}

template <typename Factor, int H> KERNEL_FN(queries, AT_LEAST(blocks_of<H>, CREW), Call, c) {
    DYNAMIC_SHARED(uint32_t, near);
    const int r = (int)blockIdx.z, pair = (int)blockIdx.x;
    const Head t = head_of(c, r, pair);
    const Strip s = strip_here(t);
    const size_t first = (size_t)t.sequence * t.n, column = (size_t)t.head * t.h;
    float dq[H / EIGHT][4] = {};
    Slopes m = slopes_in<Factor, H>(near, save_of(c, r, pair) + row_here(s), t.n - row_here(s), t.n);
    const Number *far = dout_of(c, r) + (first + s.block) * t.d + column;
    bring_rows<Factor, H, BAND>(m.q, t.q + (size_t)s.block * t.step, t.step, t.n - s.block, t);
    bring_rows<Factor, H, BAND>(m.dy, far, t.d, t.n - s.block, t);
    add_dots<Factor, H>(m, s, t);
    add_slopes<Factor, H>(dq, m, s, t);
#pragma unroll
    for (int half = 0; half < 2; half++)
        if (lane_t() == 0 && row_here(s) + 8 * half < t.n) kept(c, r, pair)[row_here(s) + 8 * half] = m.dot[half];
    const float by[2] = {t.scale, t.scale};
    put_rows<H>(din_of(c, 0, r) + (first + s.first) * t.step + column, t.step, dq, by, t.n - s.first, t,
                c.accumulate[0]);
}

/* Shared memory of `keys`; last come the largest scores (base 2), 1/sums and sums of P dP of a chunk's queries. */
typedef struct {
    uint32_t *k, *v, *q, *dy, *q_turned, *dy_turned;
    float *most, *inverse, *dot;
} Turned;

template <typename Factor, int H> DEVICE_FN Turned turned_in(uint32_t *near) {
    constexpr int apart = apart_of<Factor, H>, turned = H * apart_turned<Factor>;
    Turned m;
    m.k = near, m.v = m.k + BAND * apart, m.q = m.v + BAND * apart, m.dy = m.q + CHUNK * apart;
    m.q_turned = m.dy + CHUNK * apart, m.dy_turned = m.q_turned + turned;
    m.most = (float *)(m.dy_turned + turned), m.inverse = m.most + CHUNK, m.dot = m.inverse + CHUNK;
    return m;
}

/* Load a chunk of queries from `base` on; for those that do not exist, P is 0. */
template <typename Factor, int H>
DEVICE_FN void bring_queries(const Turned &m, const float *save, const float *dot, const Number *far, int base,
                             const Head &t) {
    const Number *q = t.q + (size_t)base * t.step;
    const int count = t.n - base, i = (int)threadIdx.x;
    far += (size_t)base * t.d;
    bring_rows<Factor, H, CHUNK>(m.q, q, t.step, count, t);
    bring_rows<Factor, H, CHUNK>(m.dy, far, t.d, count, t);
    bring_turned<Factor, H>(m.q_turned, q, t.step, count, t);
    bring_turned<Factor, H>(m.dy_turned, far, t.d, count, t);
    if (i >= CHUNK) return;
    const bool exists = i < count;
    m.most[i] = exists ? save[base + i] * LOG2_E : 0, m.inverse[i] = exists ? save[t.n + base + i] : 0;
    m.dot[i] = exists ? dot[base + i] : 0;
}

/* Replace transposed scores and slopes of a strip of keys and a chunk of queries by P and dS (without 1/sqrt(h)). */
DEVICE_FN void soften_turned(float (&p)[EIGHTS][4], float (&ds)[EIGHTS][4], const Turned &m, int base, const Strip &s,
                             const Head &t) {
    const bool edge = !t.full && base < s.first + STRIP;
    const int seen = row_here(s) - base - 2 * lane_t();
#pragma unroll
    for (int n = 0; n < EIGHTS; n++)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const int query = EIGHT * n + 2 * lane_t() + j;
            const float most = m.most[query], inverse = m.inverse[query], dot = m.dot[query];
#pragma unroll
            for (int i = j; i < 4; i += 2) {
                p[n][i] = power_of_two(CANON_FMA(p[n][i], s.rate, -most)) * inverse;
                if (edge && EIGHT * n + j < seen + i / 2 * 8) p[n][i] = 0;
                ds[n][i] = p[n][i] * (ds[n][i] - dot);
            }
        }
}

template <typename Factor, int H> KERNEL_FN(keys, AT_LEAST(blocks_of<H>, CREW), Call, c) {
    DYNAMIC_SHARED(uint32_t, near);
    const int r = (int)blockIdx.z, pair = (int)blockIdx.x;
    const Head t = head_of(c, r, pair);
    const Strip s = strip_here(t);
    const Turned m = turned_in<Factor, H>(near);
    const size_t first = (size_t)t.sequence * t.n, column = (size_t)t.head * t.h;
    const Number *far = dout_of(c, r) + first * t.d + column;
    const int own = (s.first - s.block) * apart_of<Factor, H>;
    float dk[H / EIGHT][4] = {}, dv[H / EIGHT][4] = {};
    bring_rows<Factor, H, BAND>(m.k, t.k + (size_t)s.block * t.step, t.step, t.n - s.block, t);
    bring_rows<Factor, H, BAND>(m.v, t.v + (size_t)s.block * t.step, t.step, t.n - s.block, t);
    for (int base = t.full ? 0 : s.block; base < t.n; base += CHUNK) {
        float p[EIGHTS][4], ds[EIGHTS][4];
        __syncthreads();
        bring_queries<Factor, H>(m, save_of(c, r, pair), kept(c, r, pair), far, base, t);
        __syncthreads();
        if (s.first >= t.n || (!t.full && base + CHUNK <= s.first)) continue;
        scores_of<Factor, H>(p, m.k + own, m.q);
        scores_of<Factor, H>(ds, m.v + own, m.dy);
        soften_turned(p, ds, m, base, s, t);
        weigh_chunk<Factor, H>(dv, p, m.dy_turned);
        weigh_chunk<Factor, H>(dk, ds, m.q_turned);
    }
    const Target dq = din_of(c, 0, r) + (first + s.first) * t.step + column;
    const float once[2] = {1, 1}, by[2] = {t.scale, t.scale};
    put_rows<H>(dq + t.d, t.step, dk, by, t.n - s.first, t, c.accumulate[0]);
    put_rows<H>(dq + 2 * t.d, t.step, dv, once, t.n - s.first, t, c.accumulate[0]);
}

/* Launch a block for each band of each head with more than H / 2 and at most H columns. Shared memory: `rows` rows of
 * bands and chunks, `turned` transposed chunks, `beside` other numbers. */
template <typename Factor, int H> static Grid each_band(const Call *c, int rows, int turned, int beside) {
    const int h = c->in[0].cols / 3 / c->attr.heads;
    const int words = rows * apart_of<Factor, H> + turned * H * apart_turned<Factor> + beside;
    Grid g = {pairs_of(c), ceil_of((size_t)c->attr.seq, BAND), (unsigned)c->replicas, CREW,
              (size_t)words * sizeof(uint32_t)};
    return h <= H && (h > H / 2 || H == LEAST) ? g : no_grid();
}

template <typename Factor, int H> static Grid each_query(const Call *c) {
    return each_band<Factor, H>(c, BAND + CHUNK, 1, 0);
}

template <typename Factor, int H> static Grid each_query_back(const Call *c) {
    return c->din[0].at ? each_band<Factor, H>(c, 2 * BAND + 2 * CHUNK, 1, 0) : no_grid();
}

template <typename Factor, int H> static Grid each_key(const Call *c) {
    return c->din[0].at ? each_band<Factor, H>(c, 2 * BAND + 2 * CHUNK, 2, 3 * CHUNK) : no_grid();
}

/* Count the FLOPs of a product of all strips with the chunks that they meet, zeros included. */
template <int H> static double one_product(const Call *c) {
    const int n = c->attr.seq, chunks = (int)ceil_of((size_t)n, CHUNK);
    double met = 0;
    for (int first = 0; first < n; first += STRIP)
        met += c->attr.full ? chunks : at_most((first + STRIP - 1) / CHUNK + 1, chunks);
    return met * STRIP * CHUNK * 2 * H * pairs_of(c);
}

template <int H, int PRODUCTS> static double products_of(const Call *c) {
    return PRODUCTS * one_product<H>(c);
}

/* Forward multiplies for S and Y; `queries` for S and dP twice and for dQ; `keys` for S, dP, dV and dK. */
#define FORWARD(name, Factor, h) \
    { \
        "attention.forward " name " " #h, BODY((forward<Factor, h>), Call), each_query<Factor, h>, products_of<h, 2>, \
            TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false \
    }
#define QUERIES(name, Factor, h) \
    { \
        "attention.queries " name " " #h, BODY((queries<Factor, h>), Call), each_query_back<Factor, h>, \
            products_of<h, 5>, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, scratch_bytes, false \
    }
#define KEYS(name, Factor, h) \
    { \
        "attention.keys " name " " #h, BODY((keys<Factor, h>), Call), each_key<Factor, h>, products_of<h, 4>, \
            TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, scratch_bytes, false \
    }
/* Define the stages of a Factor; the scratch is attention's. */
#define MMA_ATTENTION(name, Factor) \
    STAGES(attention_##name, \
           {FORWARD(#name, Factor, 16), FORWARD(#name, Factor, 32), FORWARD(#name, Factor, 64), \
            FORWARD(#name, Factor, 128)}, \
           {QUERIES(#name, Factor, 16), QUERIES(#name, Factor, 32), QUERIES(#name, Factor, 64), \
            QUERIES(#name, Factor, 128), KEYS(#name, Factor, 16), KEYS(#name, Factor, 32), KEYS(#name, Factor, 64), \
            KEYS(#name, Factor, 128)}, \
           NULL)

#endif
