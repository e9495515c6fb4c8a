/* Round numbers to 16 bits and count the outcomes (kernels/rounding.h). */
#include "kernels/cpu/real.h"
#include "kernels/cpu/simd/vec_round.h"
#include "kernels/rounding.h"

void SYMBOL(round)(const Rounding *c);

enum { BLOCK = 512 }; /* numbers that fit in the first-level cache */

#ifdef REAL_DOUBLE
typedef uint64_t Bits;
enum { FRACTION = 52, BIAS = 1023 };
#else
typedef uint32_t Bits;
enum { FRACTION = 23, BIAS = 127 };
#endif

static inline Bits size_of(real x) {
    Bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & ~((Bits)1 << (8 * sizeof bits - 1));
}

#ifdef REAL_DOUBLE
/* Round x once to `digits` binary digits, no finer than 2^least, by adding 1.5 x 2^52 such units, which leaves a whole
 * number of them. */
static double nearest(double x, int digits, int least, double past) {
    int exponent;
    if (isnan(x) || x == 0) return x;
    if (fabs(x) >= past) return copysign((double)INFINITY, x);
    (void)frexp(x, &exponent);
    int unit = exponent - digits > least ? exponent - digits : least;
    double magic = ldexp(1.5, FRACTION + unit), y = (fabs(x) + magic) - magic;
    return copysign(y >= past ? (double)INFINITY : y, x);
}

static void to_word(Word word, const double *x, double *y, int n) {
    bool half = word == WORD_fp16;
    for (int i = 0; i < n; i++) y[i] = nearest(x[i], half ? 11 : 8, half ? -24 : -133, half ? 0x1p16 : 0x1p128);
}
#else
static void to_word(Word word, const float *x, float *y, int n) {
    int i = 0;
    if (word == WORD_fp16) {
        i = v_round_fp16(x, y, n);
        for (; i < n; i++) y[i] = rounding_fp16(x[i]);
    } else
        for (; i < n; i++) y[i] = rounding_bf16(x[i]);
}
#endif

/* The bits of 2^e, and of fp16's largest number. */
#define POWER(e) ((Bits)((e) + BIAS) << FRACTION)
#define FP16_MAX (POWER(15) | ((Bits)0x3ff << (FRACTION - 10)))
#define REALS_INFINITY POWER(BIAS + 1)

/* Count x[n] by what they were rounded to, y[n]. Counters have 32 bits, so that the loop is vectorized. */
static void count(Rounded *to, const real *x, const real *y, int n, Word word) {
    const Bits normal = word == WORD_fp16 ? POWER(-14) : POWER(-126);
    Bits infinite = 0, nan = 0, over = 0, subnormal = 0, flushed = 0;
    for (int i = 0; i < n; i++) {
        Bits was = size_of(x[i]), is = size_of(y[i]);
        infinite += is == REALS_INFINITY;
        nan += is > REALS_INFINITY;
        over += was > FP16_MAX && was <= REALS_INFINITY;
        subnormal += is - 1 < normal - 1;
        flushed += is == 0 && was != 0;
    }
    to->infinite += infinite, to->nan += nan, to->over += over, to->subnormal += subnormal, to->flushed += flushed;
}

/* Add counts of a thread atomically; all threads of a step write the same `first`. */
static void add(Rounded *to, const Rounded *more, uint64_t step) {
    __atomic_fetch_add(&to->infinite, more->infinite, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->nan, more->nan, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->over, more->over, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->subnormal, more->subnormal, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->flushed, more->flushed, __ATOMIC_RELAXED);
    if (more->over && !__atomic_load_n(&to->first, __ATOMIC_RELAXED))
        __atomic_store_n(&to->first, step + 1, __ATOMIC_RELAXED);
}

void SYMBOL(round)(const Rounding *c) {
    real rounded[BLOCK];
    Share share = share_of(c->part, c->parts, view_words(c->from));
    for (int r = 0; r < c->replicas; r++) {
        const real *from = at(c->from, r);
        real *to = at(c->to, r);
        Rounded seen = {0};
        bool counts = c->count && !c->scalars[r].stopped;
        for (ptrdiff_t i = share.from; i < share.to; i += BLOCK) {
            int n = share.to - i < BLOCK ? (int)(share.to - i) : BLOCK;
            to_word(c->word, from + i, rounded, n);
            if (counts) count(&seen, from + i, rounded, n, c->word);
            memcpy(to + i, rounded, (size_t)n * sizeof *rounded);
        }
        if (counts) add(&c->count[(size_t)r * c->count_stride], &seen, c->scalars[r].step);
    }
}
