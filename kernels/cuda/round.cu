/* Round floats of one or many tensors to 16 bits, or to floats that 16 bits can hold, and count the outcomes:
 * kernels/cpu/round.c. */
#include "kernels/cuda/step_launch.h"

#include "kernels/cuda/device.cuh"

enum { EACH = 4, COUNTS = 5 };
static_assert(THREADS * EACH == ROUND_PIECE, "a block rounds a piece");

/* Return this block's piece. */
DEVICE_FN RoundPiece piece_of(const Rounding &c) {
    if (c.piece) return c.piece[blockIdx.x];
    const size_t at = (size_t)blockIdx.x * ROUND_PIECE, left = (size_t)c.from.rows * (size_t)c.from.cols - at;
    const RoundPiece of_tensor = {at, left < ROUND_PIECE ? (int)left : (int)ROUND_PIECE, 0};
    return of_tensor;
}

DEVICE_FN void count_one(int *count, Word word, float x, float y) {
    const uint32_t was = canon_to_bits(x) & 0x7fffffffu, is = canon_to_bits(y) & 0x7fffffffu;
    const uint32_t normal = word == WORD_fp16 ? ROUNDING_FP16_NORMAL : ROUNDING_BF16_NORMAL;
    count[0] += is == ROUNDING_INFINITY;
    count[1] += is > ROUNDING_INFINITY;
    count[2] += was > ROUNDING_FP16_MAX && was <= ROUNDING_INFINITY;
    count[3] += is - 1 < normal - 1;
    count[4] += is == 0 && was != 0;
}

DEVICE_FN void store_one(const Rounding &c, int r, size_t i, float y) {
#if NARROW
    if (c.narrow) {
        numbers_at(c.to, r)[i].bits = word_of(y);
        return;
    }
#endif
    at(c.to, r)[i] = y;
}

/* Round; a block counts in shared memory and then adds to the total, since integer sums do not depend on the order. All
 * blocks of a step write the same `first`. */
KERNEL_FN(round_words, THREADS, Rounding, c) {
    SHARED(int, count, [COUNTS]);
    const int r = (int)blockIdx.z;
    const RoundPiece piece = piece_of(c);
    const float *from = at(c.from, r) + piece.at;
    int mine[COUNTS] = {0, 0, 0, 0, 0};
    if (threadIdx.x < COUNTS) count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = k * THREADS + (int)threadIdx.x;
        if (i >= piece.count) continue;
        const float x = from[i], y = c.word == WORD_fp16 ? rounding_fp16(x) : rounding_bf16(x);
        store_one(c, r, piece.at + (size_t)i, y);
        count_one(mine, c.word, x, y);
    }
    if (!c.count || c.scalars[r].stopped) return;
#pragma unroll
    for (int k = 0; k < COUNTS; k++)
        if (mine[k]) atomicAdd(&count[k], mine[k]);
    __syncthreads();
    if (threadIdx.x) return;
    Rounded *all = c.count + (size_t)r * c.count_stride + piece.site;
    unsigned long long *const counts[COUNTS] = {(unsigned long long *)&all->infinite, (unsigned long long *)&all->nan,
                                                (unsigned long long *)&all->over, (unsigned long long *)&all->subnormal,
                                                (unsigned long long *)&all->flushed};
#pragma unroll
    for (int k = 0; k < COUNTS; k++)
        if (count[k]) atomicAdd(counts[k], (unsigned long long)count[k]);
    if (count[2] && !all->first) all->first = c.scalars[r].step + 1;
}

static Grid each_piece(const Rounding *c) {
    const unsigned of_tensor = ceil_of((size_t)c->from.rows * (size_t)c->from.cols, ROUND_PIECE);
    Grid g = {c->piece ? (unsigned)c->pieces : of_tensor, 1, (unsigned)c->replicas, THREADS, 0};
    return g;
}

extern "C" const RoundLaunch SYMBOL(round);
extern "C" const RoundLaunch SYMBOL(round) = {"round", BODY(round_words, Rounding), each_piece};
