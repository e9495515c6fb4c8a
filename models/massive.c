#include "models/massive.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/reduction.h"

/* Magnitudes as integers of the same order: the bits without the sign. */
static uint64_t key_of(const void *x, bool wide, size_t i) {
    uint64_t bits;
    uint32_t half;
    if (wide) {
        memcpy(&bits, (const double *)x + i, sizeof bits);
        return bits & UINT64_MAX >> 1;
    }
    memcpy(&half, (const float *)x + i, sizeof half);
    return half & UINT32_MAX >> 1;
}

static double value_of(uint64_t key, bool wide) {
    double value;
    float narrow;
    uint32_t half = (uint32_t)key;
    memcpy(&value, &key, sizeof value);
    memcpy(&narrow, &half, sizeof narrow);
    return wide ? value : (double)narrow;
}

/* The key of rank (n - 1) / 2: a byte of it is known after each pass over the numbers, the highest first. */
static uint64_t median_key(const void *x, bool wide, size_t n) {
    uint64_t prefix = 0, known = 0;
    size_t rank = (n - 1) / 2;
    for (int shift = wide ? 56 : 24; shift >= 0; shift -= 8) {
        size_t count[256] = {0};
        uint64_t digit = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t key = key_of(x, wide, i);
            if ((key & known) == prefix) count[key >> shift & 255]++;
        }
        while (rank >= count[digit]) rank -= count[digit++];
        prefix |= digit << shift, known |= UINT64_C(255) << shift;
    }
    return prefix;
}

double massive_count(const void *x, bool wide, size_t n) {
    double bound = MASSIVE_TIMES * value_of(median_key(x, wide, n), wide), count = 0;
    for (size_t i = 0; i < n; i++) {
        double size = value_of(key_of(x, wide, i), wide);
        count += !(size <= MASSIVE_SIZE) && !(size <= bound);
    }
    return count;
}
