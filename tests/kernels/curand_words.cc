/* base/philox.h against NVIDIA's own integer code (curand_kernel.h, compiled for the host): what curand_init, curand
 * and curand4 of Philox4_32_10 give for a seed, subsequence and offset, carries into the upper words included. */
#include <cuda_runtime.h>
#define QUALIFIERS static inline
#include <curand_kernel.h>
#include <stdio.h>

#include "base/philox.h"

static long draws, wrong;

static void expect(uint32_t theirs, uint64_t seed, uint64_t stream, uint64_t offset) {
    uint32_t ours = philox_word(seed, stream, offset);
    draws++;
    if (ours == theirs || ++wrong > 5) return;
    printf("# seed %llx, subsequence %llx, offset %llx: %08x, cuRAND %08x\n", (unsigned long long)seed,
           (unsigned long long)stream, (unsigned long long)offset, ours, theirs);
}

/* 8 words one by one, then 2 x 4 at once, then one more, from an offset on. */
static void follow(uint64_t seed, uint64_t stream, uint64_t offset) {
    curandStatePhilox4_32_10_t state;
    curand_init(seed, stream, offset, &state);
    for (int i = 0; i < 8; i++) expect(curand(&state), seed, stream, offset++);
    for (int i = 0; i < 2; i++) {
        uint4 four = curand4(&state);
        expect(four.x, seed, stream, offset++), expect(four.y, seed, stream, offset++);
        expect(four.z, seed, stream, offset++), expect(four.w, seed, stream, offset++);
    }
    expect(curand(&state), seed, stream, offset);
}

static void skip(uint64_t seed, uint64_t stream, uint64_t sequences, uint64_t words) {
    curandStatePhilox4_32_10_t state;
    curand_init(seed, stream, 2, &state);
    skipahead_sequence(sequences, &state);
    skipahead(words, &state);
    expect(curand(&state), seed, stream + sequences, 2 + words);
}

int main() {
    const uint64_t edges[] = {0,
                              1,
                              3,
                              4,
                              0x7fffffff,
                              0xffffffff,
                              0x100000000,
                              0x3fffffff8,
                              0x3fffffffb,
                              0x400000000,
                              0xfffffffffffffff0,
                              0x8000000000000001,
                              0x123456789abcdef0,
                              (uint64_t)20 << 40,
                              ((uint64_t)3 << 40) - 5};
    const int count = sizeof edges / sizeof *edges;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            for (int k = 0; k < count; k++)
                if (edges[k] < 0xfffffffffffffff0) follow(edges[i], edges[j], edges[k]);
    for (uint64_t i = 0; i < 2000; i++) /* everywhere else */
        follow(philox_word(1, 0, i) * 0x100000001 + i, philox_word(1, 1, i) * 0x200000003,
               philox_word(1, 2, i) * 0x10000001 >> i % 24);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) skip(5, 0xfffffff0, edges[i] % 0xffffffffff, edges[j] % 0xffffffffffff);
    printf("# %ld draws, %ld differ\n", draws, wrong);
    return wrong || draws < 10000;
}
