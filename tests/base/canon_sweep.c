/* One canonical function over every k-th of the 2^32 words, folded into 64 bits: the sum over words w of
 * mix(bits of f(w), w), which does not depend on the order and vectorizes. Compiled once
 * per instruction set (BACKEND). */
#include "tests/base/canon_sweep.h"

#include "base/canon.h"
#include "kernels/cpu/real.h"

static inline uint64_t mix(float y, uint32_t word) {
    uint32_t bits = canon_to_bits(y);
    bits = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
    uint32_t a = (bits ^ (word * 0x9e3779b1u)) * 0x85ebca77u;
    return ((uint64_t)a << 20) ^ (a >> 13) ^ bits;
}

#define SWEEP(name, value) \
    static uint64_t sweep_##name(uint32_t step) { \
        uint64_t sum = 0, count = (0xffffffffull / step) + 1; \
        for (uint64_t block = 0; block < count; block += 1u << 16) { \
            uint32_t first = (uint32_t)block, n = count - block < 1u << 16 ? (uint32_t)(count - block) : 1u << 16; \
            for (uint32_t i = 0; i < n; i++) { \
                uint32_t word = (first + i) * step; \
                sum += mix(value, word); \
            } \
        } \
        return sum; \
    }

SWEEP(exp, canon_exp(canon_from_bits(word)))
SWEEP(log, canon_log(canon_from_bits(word)))
SWEEP(tanh, canon_tanh(canon_from_bits(word)))
SWEEP(erf, canon_erf(canon_from_bits(word)))
SWEEP(sin, canon_sin(canon_from_bits(word)))
SWEEP(cos, canon_cos(canon_from_bits(word)))
SWEEP(normal, canon_normal(word))

uint64_t SYMBOL(canon_sweep)(int function, uint32_t step) {
    static uint64_t (*const sweeps[])(uint32_t) = {sweep_exp, sweep_log, sweep_tanh,  sweep_erf,
                                                   sweep_sin, sweep_cos, sweep_normal};
    return sweeps[function](step);
}
