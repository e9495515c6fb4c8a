/* Products of a warp on the tensor cores: 16 rows by columns in eights, summed in float.
 *
 * A tile is rows of words of 32 bits in shared memory. A word has Factor::IN_WORD factors that follow each other along
 * the sum, the first in its lower bits, and one mma.sync, a step, sums over eight words. PTX ("Matrix Fragments for
 * mma.m16n8k8" and "for mma.m16n8k16") gives lane 4 g + t words t and t + 4 of row g, and of sums columns 2 t and 2 t +
 * 1. In which order is summed is free, as long as both factors have the same: here words 2 t and 2 t + 1 of a row stand
 * for those two, so that a lane loads them at once, and sums become factors in the lanes that they are in. */
#ifndef KERNELS_CUDA_MMA_CUH
#define KERNELS_CUDA_MMA_CUH

#include "kernels/cuda/device.cuh"
#include "kernels/rounding.h"

/* Rows of a left factor and of its sums, columns of a right factor, words that are summed over in a step. */
enum { STRIP = 16, EIGHT = 8, STEP = 8 };

/* Two neighbouring words in a row of a tile. */
struct alignas(8) Words {
    uint32_t low, high;
};

#ifdef __CUDACC__
/* Factor types, rounded as in kernels/rounding.h; only a NaN may have other bits. */
struct Tf32 {
    enum { IN_WORD = 1 };
    static DEVICE_METHOD uint32_t word(float x, float) {
#if __CUDA_ARCH__ >= 900
        uint32_t bits;
        asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
        return bits;
#else
        return canon_to_bits(rounding_tf32(x));
#endif
    }
};

#define PAIR_OF(Factor, instruction) \
    struct Factor { \
        enum { IN_WORD = 2 }; \
        static DEVICE_METHOD uint32_t word(float x, float next) { \
            uint32_t bits; \
            asm(instruction " %0, %1, %2;" : "=r"(bits) : "f"(next), "f"(x)); \
            return bits; \
        } \
    };
PAIR_OF(Bf16, "cvt.rn.bf16x2.f32")
PAIR_OF(Fp16, "cvt.rn.f16x2.f32")

/* Define sum += left right for one step. */
#define MMA_OF(Factor, kind) \
    DEVICE_FN void mma(Factor, float (&sum)[4], const uint32_t (&left)[4], Words right) { \
        asm("mma.sync.aligned." kind " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) \
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right.low), "r"(right.high)); \
    }
MMA_OF(Tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_OF(Bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_OF(Fp16, "m16n8k16.row.col.f32.f16.f16.f32")
#else
#include "kernels/cuda/simt/mma.h"
#endif

/* Return the stride of a tile's rows of `words` words (a multiple of eight): an odd number of eights, so that the eight
 * words that half a warp loads from each of four rows are in different banks. */
static constexpr int words_apart(int words) {
    return words % (2 * STEP) ? words : words + STEP;
}

/* Return the lane's group g and its index t in it: it has rows g and g + 8 of a strip, columns 2 t and 2 t + 1. */
DEVICE_FN int lane_g(void) {
    return lane_id() / 4;
}

DEVICE_FN int lane_t(void) {
    return lane_id() % 4;
}

/* Load a lane's words of a row in one step. */
DEVICE_FN Words words_at(const uint32_t *row, int step) {
    return *(const Words *)(row + step * STEP + 2 * lane_t());
}

/* Load a lane's left factors of a strip of a tile. */
DEVICE_FN void left_at(uint32_t (&left)[4], const uint32_t *strip, int apart, int step) {
    const uint32_t *row = strip + lane_g() * apart;
    const Words upper = words_at(row, step), lower = words_at(row + 8 * apart, step);
    left[0] = upper.low, left[1] = lower.low, left[2] = upper.high, left[3] = lower.high;
}

/* Make left factors of sums, whose columns are now summed over. In a lane's words of a step, factor i comes from column
 * 2 t + i % 2 of eight number i / 2: column_of_factor. */
template <typename Factor, int EIGHTS>
DEVICE_FN void left_of(Factor, uint32_t (&left)[4], const float (&sum)[EIGHTS][4], int step) {
    enum { IN = Factor::IN_WORD };
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = i % 2, first = i / 2 * IN, last = first + IN - 1;
        left[i] = Factor::word(sum[step * IN + first / 2][2 * row + first % 2],
                               sum[step * IN + last / 2][2 * row + last % 2]);
    }
}

DEVICE_FN int column_of_factor(int t, int i) {
    return 2 * t + i % 2 + EIGHT * (i / 2);
}

/* Add left right to `sum` for one step and EIGHTS times eight columns; the right tile's rows are `apart` words. */
template <typename Factor, int EIGHTS>
DEVICE_FN void step_of(Factor f, float (&sum)[EIGHTS][4], const uint32_t (&left)[4], const uint32_t *right, int apart,
                       int step) {
#pragma unroll
    for (int n = 0; n < EIGHTS; n++) mma(f, sum[n], left, words_at(right + (EIGHT * n + lane_g()) * apart, step));
}

/* In the shim, check that all lanes of a warp make the same call of it (device.cuh). */
#ifdef SIMT_CALL
#define step_of(...) SIMT_CALL(step_of, __VA_ARGS__)
#endif

#endif
