/* Tables of signed sums, see flips.h. */
#include "stats/flips.h"

#include <stdlib.h>

static void fill(double *sum, const double *x, unsigned bits) {
    for (uint64_t pattern = 0; pattern < (uint64_t)1 << bits; pattern++) {
        double s = 0.0;
        for (unsigned i = 0; i < bits; i++) {
            s += pattern >> i & 1 ? -x[i] : x[i];
        }
        sum[pattern] = s;
    }
}

StStatus st_flips_init(StFlips *flips, const double *x, size_t n) {
    unsigned low = (unsigned)(n / 2), high = (unsigned)n - low;
    size_t low_count = (size_t)1 << low, high_count = (size_t)1 << high;
    *flips = (StFlips){.low_bits = low, .patterns = (uint64_t)1 << n};
    flips->low = st_alloc(low_count + high_count, sizeof *flips->low);
    if (flips->low == NULL) {
        return ST_NO_MEMORY;
    }
    flips->high = flips->low + low_count;
    fill(flips->low, x, low);
    fill(flips->high, x + low, high);
    return ST_OK;
}

void st_flips_release(StFlips *flips) {
    free(flips->low);
    *flips = (StFlips){0};
}
