/* Heads of attention: a block of CREW threads works on squares of 32 queries by 32 keys of a head, whose rows pass
 * through shared memory; a thread computes 4 x 2 numbers of a square. */
#ifndef KERNELS_CUDA_HEADS_CUH
#define KERNELS_CUDA_HEADS_CUH

#include "kernels/cuda/device.cuh"

/* BY, OVER: queries and keys of a thread's numbers of a square, 8 and 16 apart; WIDE: columns of a head that are in
 * shared memory at once. */
enum { CREW = 128, SQUARE = 32, BY = 4, OVER = 2, WIDE = 128 };

typedef struct {
    const Number *q, *k, *v; /* row i at q + i * step */
    int step, n, h, d, head, sequence;
    int pitch; /* stride of rows in shared memory, in numbers */
    float scale;
    bool fours; /* rows of a head can be read four numbers at a time */
    bool full;  /* a query sees every key */
} Head;

static inline __host__ __device__ int at_most(int x, int most) {
    return x < most ? x : most;
}

/* Return the stride of rows of n numbers in shared memory: an odd number of fours, so that neighbouring rows begin in
 * different banks. */
static inline __host__ __device__ int pitch_of(int n) {
    return 4 * ((n + 3) / 4 | 1);
}

/* Return a head of replica r; `pair` counts heads, sequence by sequence. */
DEVICE_FN Head head_of(const Call &c, int r, int pair) {
    Head t;
    t.d = c.in[0].cols / 3, t.h = t.d / c.attr.heads, t.n = c.attr.seq, t.step = 3 * t.d;
    t.sequence = pair / c.attr.heads, t.head = pair % c.attr.heads;
    t.q = in_of(c, 0, r) + (size_t)t.sequence * t.n * t.step + (size_t)t.head * t.h;
    t.k = t.q + t.d, t.v = t.k + t.d, t.pitch = pitch_of(at_most(t.h, WIDE));
    t.scale = 1 / CANON_SQRT((float)t.h);
    t.fours = t.h % 4 == 0, t.full = c.attr.full;
    return t;
}

/* Return how many keys query i sees. */
DEVICE_FN int keys_of(const Head &t, int i) {
    return t.full ? t.n : i + 1;
}

/* Numbers of rows that a thread loads: every `rows`th row from `row` on, in it every `words`th number (or four) from
 * `word` on. Computed once, since a division takes more instructions than a copy. */
typedef struct {
    int row, rows, word, words;
} Portion;

DEVICE_FN Portion portion_of(const Head &t) {
    Portion s;
    const int thread = (int)threadIdx.x;
    s.words = at_most(t.fours ? t.h / 4 : t.h, t.fours ? WIDE / 4 : WIDE), s.rows = CREW / s.words;
    s.row = thread / s.words, s.word = thread % s.words;
    if (s.row >= s.rows) s.row = SQUARE; /* none */
    return s;
}

/* Load `cols` columns, at most WIDE, of up to 32 rows of a head into shared memory. */
DEVICE_FN void bring(float *to, const Number *from, size_t apart, int count, int cols, const Head &t,
                     const Portion &mine) {
    const int by = t.fours ? 4 : 1;
#pragma unroll 1
    for (int row = mine.row; row < count; row += mine.rows)
#pragma unroll 1
        for (int l = mine.word * by; l < cols; l += mine.words * by) {
            const Number *x = from + (size_t)row * apart + l;
            float *y = to + row * t.pitch + l;
            if (t.fours)
                copy_four(y, x);
            else
                *y = *x;
        }
}

/* First query and key of a thread in a square. Lanes n and n ^ 1 share queries, n and n ^ 2 keys (matmul.cuh). */
typedef struct {
    int query, key;
} Place;

DEVICE_FN Place place_here(void) {
    const int lane = lane_id();
    Place p = {(int)threadIdx.x / WARP * 2 + (lane >> 1 & 1), (lane & 1) | (lane >> 1 & 14)};
    return p;
}

/* Add x_i . y_j over `cols` columns, in order, to s(i, j) for a thread's queries and keys. x has `count` rows; beyond
 * them the last row is used. */
DEVICE_FN void dots(float (&s)[BY][OVER], const float *x, const float *y, int count, int cols, const Head &t,
                    Place here) {
    const float *row[BY];
#pragma unroll
    for (int i = 0; i < BY; i++) row[i] = x + at_most(here.query + 8 * i, count - 1) * t.pitch;
    y += here.key * t.pitch;
    int l = 0;
#pragma unroll 1
    for (; l + 4 <= cols; l += 4) {
        float b[OVER][4];
#pragma unroll
        for (int j = 0; j < OVER; j++) load(b[j], y + 16 * j * t.pitch + l);
#pragma unroll
        for (int i = 0; i < BY; i++) {
            float a[4];
            load(a, row[i] + l);
#pragma unroll
            for (int j = 0; j < OVER; j++)
#pragma unroll
                for (int k = 0; k < 4; k++) s[i][j] = CANON_FMA(a[k], b[j][k], s[i][j]);
        }
    }
#pragma unroll 1
    for (; l < cols; l++)
#pragma unroll
        for (int i = 0; i < BY; i++)
#pragma unroll
            for (int j = 0; j < OVER; j++) s[i][j] = CANON_FMA(row[i][l], y[16 * j * t.pitch + l], s[i][j]);
}

DEVICE_FN void add_four(float (&chain)[4], float weight, const float (&x)[4]) {
#pragma unroll
    for (int k = 0; k < 4; k++) chain[k] = CANON_FMA(weight, x[k], chain[k]);
}

/* Store columns l .. l + 3 of a head's row, of which those below h exist. */
DEVICE_FN void put_four(Target to, const float (&x)[4], int l, const Head &t, bool accumulate) {
    float sum[4];
    if (!t.fours) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (l + k < t.h) put(to + k, x[k], accumulate);
        return;
    }
    if (accumulate) load(sum, to);
#pragma unroll
    for (int k = 0; k < 4; k++) sum[k] = accumulate ? sum[k] + x[k] : x[k];
    store(to, sum);
}

#endif
