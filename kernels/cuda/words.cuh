/* Storage of tensors: kernels are compiled once for each type of kernels/rounding.h, with STORED as its name. A Number
 * is a stored number, read as a float; a Target is the address to which an activation or its gradient is written,
 * rounded and counted. In a build of floats they are a float and its address. Gradients of parameters, what ops save,
 * scratch, the loss and measures are floats in every build. */
#ifndef KERNELS_CUDA_WORDS_CUH
#define KERNELS_CUDA_WORDS_CUH

#include "kernels/rounding.h"

#ifndef STORED
#define STORED float
#endif
#define STORED_WORD PASTE(WORD, STORED)
#define IN_float 0
#define IN_fp16 1
#define IN_bf16 2
#define NARROW PASTE(IN, STORED) /* for the preprocessor; 0: floats */

/* Return the address of replica r of a view, as floats and as token ids. */
DEVICE_FN float *at(const View v, int r) {
    return v.at ? (float *)((char *)v.at + (size_t)r * v.stride) : NULL;
}

DEVICE_FN const int32_t *ids(const View v, int r) {
    return (const int32_t *)((const char *)v.at + (size_t)r * v.stride);
}

/* Load N neighbours in memory; four in one access, for which `at` must be a multiple of four numbers. */
template <int N>
DEVICE_FN void load(float (&x)[N], const float *at) {
    if (N == 4) {
        const float4 four = *(const float4 *)at;
        x[0] = four.x, x[1 % N] = four.y, x[2 % N] = four.z, x[3 % N] = four.w;
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) x[i] = at[i];
    }
}

template <int N>
DEVICE_FN void store(float *at, const float (&x)[N]) {
    if (N == 4) {
        *(float4 *)at = make_float4(x[0], x[1 % N], x[2 % N], x[3 % N]);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) at[i] = x[i];
    }
}

/* Return true if rows of x with stride `apart` can be read and written `by` numbers at once. */
template <typename X>
DEVICE_FN bool lies_by(const X *x, size_t apart, int by) {
    return (((uintptr_t)x / sizeof(X)) | apart) % by == 0;
}

#if NARROW

#define SMALLEST_NORMAL (STORED_WORD == WORD_fp16 ? ROUNDING_FP16_NORMAL : ROUNDING_BF16_NORMAL)

DEVICE_FN float rounded(float x) {
    return STORED_WORD == WORD_fp16 ? rounding_fp16(x) : rounding_bf16(x);
}

/* Round by the device's conversions, which give equal results; a NaN keeps its bits. */
DEVICE_FN uint16_t word_of(float x) {
#ifdef __CUDA_ARCH__
    if (STORED_WORD == WORD_fp16 && x == x) {
        uint16_t word;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(word) : "f"(x));
        return word;
    }
    if (STORED_WORD == WORD_bf16 && x == x) {
        uint16_t word;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(word) : "f"(x));
        return word;
    }
#endif
    return STORED_WORD == WORD_fp16 ? rounding_fp16_word(rounded(x)) : rounding_bf16_word(rounded(x));
}

DEVICE_FN float number_of(uint16_t word) {
#ifdef __CUDA_ARCH__
    if (STORED_WORD == WORD_fp16 && (word & 0x7fffu) <= 0x7c00u) {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(word));
        return x;
    }
#endif
    return STORED_WORD == WORD_fp16 ? rounding_fp16_number(word) : rounding_bf16_number(word);
}

struct Number {
    uint16_t bits;
    DEVICE_METHOD operator float() const {
        return number_of(bits);
    }
};

#ifndef RARE_FN /* code that seldom runs, inlined; tests/gpu/sass.py counts a kernel's instructions without it */
#define RARE_FN DEVICE_FN
#endif

/* Count x, which is stored rounded, as round.cu does: in one counter, or two, since a number that becomes infinite is
 * also over fp16's largest. Integer sums do not depend on the order; all threads of a step write the same `first`. */
RARE_FN void count_number(Rounded *count, const Scalars *now, float x) {
    const uint32_t was = canon_to_bits(x) & 0x7fffffffu, is = canon_to_bits(rounded(x)) & 0x7fffffffu;
    const bool over = was > ROUNDING_FP16_MAX && was <= ROUNDING_INFINITY, nan = was > ROUNDING_INFINITY;
    uint64_t *counter = nan ? &count->nan : over ? &count->over : is ? &count->subnormal : &count->flushed;
    if (now->stopped || (!nan && !over && is >= SMALLEST_NORMAL)) return;
    atomicAdd((unsigned long long *)counter, 1ull);
    if (is == ROUNDING_INFINITY) atomicAdd((unsigned long long *)&count->infinite, 1ull);
    if (over && !count->first) count->first = now->step + 1;
}

/* Return true if x may be counted: its magnitude is neither 0 nor between the smallest normal number and fp16's
 * largest. Few are. */
DEVICE_FN bool may_count(float x) {
    const uint32_t size = canon_to_bits(x) & 0x7fffffffu;
    return size - SMALLEST_NORMAL > ROUNDING_FP16_MAX - SMALLEST_NORMAL && size;
}

struct Target {
    Number *to;
    Rounded *count; /* this replica's counters; NULL: do not count */
    const Scalars *now;

    DEVICE_METHOD Target operator+(size_t n) const {
        const Target further = {to + n, count, now};
        return further;
    }
    /* A number in memory that is read as its value and written by `=`. */
    struct Place {
        Number *to;
        Rounded *count;
        const Scalars *now;
        DEVICE_METHOD operator float() const {
            return *to;
        }
        DEVICE_METHOD void operator=(float x) const {
            to->bits = word_of(x);
            if (count && may_count(x)) count_number(count, now, x);
        }
    };
    DEVICE_METHOD Place operator[](size_t i) const {
        const Place place = {to + i, count, now};
        return place;
    }
    DEVICE_METHOD Place operator*() const {
        return (*this)[0];
    }
};

/* Four 16-bit numbers, with the operations of four floats. */
struct alignas(8) FourWords {
    uint16_t word[4];
};

template <int N>
DEVICE_FN void load(float (&x)[N], const Number *at) {
    if (N == 4) {
        const FourWords four = *(const FourWords *)at;
#pragma unroll
        for (int i = 0; i < N; i++) x[i] = number_of(four.word[i % 4]);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) x[i] = at[i];
    }
}

template <int N>
DEVICE_FN void load(float (&x)[N], const Target &at) {
    load(x, (const Number *)at.to);
}

template <int N>
DEVICE_FN void store(const Target &at, const float (&x)[N]) {
    if (N == 4) {
        FourWords four;
#pragma unroll
        for (int i = 0; i < N; i++) {
            four.word[i % 4] = word_of(x[i]);
            if (at.count && may_count(x[i])) count_number(at.count, at.now, x[i]);
        }
        *(FourWords *)at.to = four;
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) at[i] = x[i];
    }
}

DEVICE_FN void copy_four(float *to, const Number *from) {
    float four[4];
    load(four, from), store(to, four);
}

DEVICE_FN bool lies_by(const Target &x, size_t apart, int by) {
    return lies_by(x.to, apart, by);
}

DEVICE_FN Number *numbers_at(const View v, int r) {
    return (Number *)at(v, r);
}

DEVICE_FN Target target_at(const Call &c, const View v, Rounded *count, int r) {
    const Target t = {numbers_at(v, r), count ? count + (size_t)r * c.count_stride : NULL, c.scalars + r};
    return t;
}

#else

typedef float Number;
typedef float *Target;

/* Copy four numbers unchanged. */
DEVICE_FN void copy_four(float *to, const float *from) {
    *(float4 *)to = *(const float4 *)from;
}

DEVICE_FN float *numbers_at(const View v, int r) {
    return at(v, r);
}

DEVICE_FN float *target_at(const Call &c, const View v, Rounded *count, int r) {
    (void)c, (void)count;
    return at(v, r);
}

#endif

/* Return replica r's input, output, output's gradient, and gradient of an input that is an activation. */
DEVICE_FN const Number *in_of(const Call &c, int i, int r) {
    return numbers_at(c.in[i], r);
}

DEVICE_FN const Number *dout_of(const Call &c, int r) {
    return numbers_at(c.dout, r);
}

DEVICE_FN Target out_of(const Call &c, int r) {
    return target_at(c, c.out, c.count_out, r);
}

DEVICE_FN Target din_of(const Call &c, int i, int r) {
    return target_at(c, c.din[i], c.count_din[i], r);
}

/* Write or add, as the Call says. */
template <typename To>
DEVICE_FN void put(To to, float value, bool accumulate) {
    *to = accumulate ? *to + value : value;
}

#endif
