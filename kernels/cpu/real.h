/* The dialect of readable CPU kernels. Each kernels/cpu/<op>.c is compiled as double (REAL_DOUBLE, backend cpu64,
 * the oracle) and as float, by the rules of base/canon.h, once per instruction set. BACKEND prefixes its one symbol. */
#ifndef KERNELS_CPU_REAL_H
#define KERNELS_CPU_REAL_H

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/canon.h"
#include "kernels/op.h"

#ifdef REAL_DOUBLE
typedef double real;
#define r_fma(a, b, c) ((a) * (b) + (c))
#define r_sqrt sqrt
#define r_exp exp
#define r_log log
#define r_tanh tanh
#define r_erf erf
#else
typedef float real;
#define r_fma CANON_FMA
#define r_sqrt CANON_SQRT
#define r_exp canon_exp
#define r_log canon_log
#define r_tanh canon_tanh
#define r_erf canon_erf
#endif

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define SYMBOL(name) PASTE(BACKEND, name)
/* Define an op's export; last line of its file. */
#define KERNEL(op, forward_, backward_, scratch_) \
    extern const Kernel SYMBOL(op); \
    const Kernel SYMBOL(op) = {.forward = forward_, .backward = backward_, .scratch = scratch_}

/* Return the address of replica r of a view, as reals and as token ids. */
static inline real *at(View v, int r) {
    return v.at ? (real *)((char *)v.at + (size_t)r * v.stride) : NULL;
}

static inline const int32_t *ids(View v, int r) {
    return (const int32_t *)((const char *)v.at + (size_t)r * v.stride);
}

/* Write or add, as the Call says. */
static inline void put(real *to, real value, bool accumulate) {
    *to = accumulate ? *to + value : value;
}

/* Return p, from which a kernel now reads or writes n reals of a longer run, and prefetch the n reals 4 KB further on:
 * processors prefetch by themselves, but not across a border of 4 KB. reading_then prefetches the n reals `next` reals
 * further on instead, which a kernel reads next. A prefetch never faults. */
enum { AHEAD = 4096 / sizeof(real), LINE = 64 / sizeof(real) };

static inline const real *reading_then(const real *p, int n, size_t next) {
    for (int i = 0; i < n; i += LINE) __builtin_prefetch((const void *)((uintptr_t)(p + i) + next * sizeof(real)));
    return p;
}

static inline const real *reading(const real *p, int n) {
    return reading_then(p, n, AHEAD);
}

static inline real *writing(real *p, int n) {
    for (int i = 0; i < n; i += LINE) __builtin_prefetch((void *)((uintptr_t)(p + i) + AHEAD * sizeof(real)), 1);
    return p;
}

/* Run the last argument for each i of a Share, in whole cache lines and a rest; prefetch once a line what `asks` lists
 * by READS and WRITES of long runs. */
#define STREAM(all, asks, ...) \
    do { \
        ptrdiff_t i = (all).from; \
        for (; i + LINE <= (all).to;) { \
            const ptrdiff_t line_end = i + LINE; \
            asks for (; i < line_end; i++) __VA_ARGS__; \
        } \
        for (; i < (all).to; i++) __VA_ARGS__; \
    } while (0)
#define READS(x) (void)reading((x) + i, LINE);
#define WRITES(y) (void)writing((y) + i, LINE);

/* Sum lanes by rule 3: fold 16, 8, 4, 2, 1. Written with vector types, since compilers leave such short loops scalar.
 * */
static inline real fold(const real *lane) {
    typedef real By4 __attribute__((vector_size(4 * sizeof(real))));
    typedef real By8 __attribute__((vector_size(8 * sizeof(real))));
    typedef real By16 __attribute__((vector_size(16 * sizeof(real))));
    struct { By16 low, high; } all;
    struct { By8 low, high; } half;
    struct { By4 low, high; } quarter;
    memcpy(&all, lane, sizeof all);
    By16 by16 = all.low + all.high;
    memcpy(&half, &by16, sizeof half);
    By8 by8 = half.low + half.high;
    memcpy(&quarter, &by8, sizeof quarter);
    By4 by4 = quarter.low + quarter.high;
    return (by4[0] + by4[2]) + (by4[1] + by4[3]);
}

/* Reduce over i in [0, n) by rule 3: the last argument says how lane[j] takes element i. Whole turns, the usual case,
 * are separate: their lanes stay in registers. */
#define ROW_LANES(from, count, ...) \
    for (int j = 0; j < (count); j++) { \
        const int i = (from) + j; \
        __VA_ARGS__; \
    }
#define ROW_REDUCE(n, result, ...) \
    do { \
        real lane[CANON_LANES] = {0}; \
        int row_i = 0; \
        if ((n) % CANON_LANES == 0) { \
            for (; row_i < (n); row_i += CANON_LANES) ROW_LANES(row_i, CANON_LANES, __VA_ARGS__) \
            (result) = fold(lane); \
            break; \
        } \
        for (; row_i + CANON_LANES <= (n); row_i += CANON_LANES) ROW_LANES(row_i, CANON_LANES, __VA_ARGS__) \
        ROW_LANES(row_i, (n) - row_i, __VA_ARGS__) \
        (result) = fold(lane); \
    } while (0)

static inline real row_sum(const real *x, int n) {
    real sum;
    ROW_REDUCE(n, sum, lane[j] += x[i]);
    return sum;
}

static inline real row_dot(const real *x, const real *y, int n) {
    real sum;
    ROW_REDUCE(n, sum, lane[j] = r_fma(x[i], y[i], lane[j]));
    return sum;
}

static inline real larger(real x, real best) {
    return x > best ? x : best;
}

/* Return the largest, by lanes, which settles the sign of a zero. A NaN is ignored. */
static inline real row_max(const real *x, int n) {
    real lane[CANON_LANES], by16[16], by8[8], by4[4];
    int row_i = 0;
    for (int j = 0; j < CANON_LANES; j++) lane[j] = -(real)INFINITY;
    for (; row_i + CANON_LANES <= n; row_i += CANON_LANES)
        for (int j = 0; j < CANON_LANES; j++) lane[j] = larger(x[row_i + j], lane[j]);
    for (int j = 0; row_i + j < n; j++) lane[j] = larger(x[row_i + j], lane[j]);
    for (int j = 0; j < 16; j++) by16[j] = larger(lane[j + 16], lane[j]);
    for (int j = 0; j < 8; j++) by8[j] = larger(by16[j + 8], by16[j]);
    for (int j = 0; j < 4; j++) by4[j] = larger(by8[j + 4], by8[j]);
    return larger(larger(by4[3], by4[1]), larger(by4[2], by4[0]));
}

/* Rule 2 for many columns at once. Partial sums of finished blocks are in slots of `width` reals, the newest last; when
 * block b is finished, the trailing one bits of b say how many pairs of equal size join. */
static inline int tree_slots(int rows) {
    int slots = 2;
    for (int blocks = (rows + CANON_BLOCK - 1) / CANON_BLOCK; blocks > 1; blocks = (blocks + 1) / 2) slots++;
    return slots;
}

static inline int tree_join(real *slots, size_t width, int used, int block) {
    for (; block & 1; block >>= 1, used--)
        for (size_t i = 0; i < width; i++)
            slots[(size_t)(used - 2) * width + i] += slots[(size_t)(used - 1) * width + i];
    return used;
}

static inline const real *tree_end(real *slots, size_t width, int used) {
    for (; used > 1; used--)
        for (size_t i = 0; i < width; i++)
            slots[(size_t)(used - 2) * width + i] += slots[(size_t)(used - 1) * width + i];
    return slots;
}

/* Sum over rows 0..rows-1 in blocks: the last argument adds row `row` into `sum[width]`; then `total` points at the
 * joined sums. */
#define ROWS_REDUCE(rows, width, slots, total, ...) \
    do { \
        int used = 0, block = 0; \
        if ((rows) == 0) memset((slots), 0, (size_t)(width) * sizeof(real)); \
        for (int begin = 0; begin < (rows); begin += CANON_BLOCK, block++) { \
            real *const sum = (slots) + (size_t)used++ * (size_t)(width); \
            const int end = (rows)-begin < CANON_BLOCK ? (rows) : begin + CANON_BLOCK; \
            memset(sum, 0, (size_t)(width) * sizeof(real)); \
            for (int row = begin; row < end; row++) { \
                __VA_ARGS__; \
            } \
            used = tree_join((slots), (size_t)(width), used, block); \
        } \
        (total) = tree_end((slots), (size_t)(width), used); \
    } while (0)

#endif
