/* Tables of signed sums, see flips.h. */
#include "stats/flips.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>

#include "base/error.h"

static void fill(double *sum, const double *x, unsigned bits) {
    for (uint64_t pattern = 0; pattern < (uint64_t)1 << bits; pattern++) {
        double s = 0.0;
        for (unsigned i = 0; i < bits; i++) s += pattern >> i & 1 ? -x[i] : x[i];
        sum[pattern] = s;
    }
}

void st_flips_init(StFlips *flips, const double *x, size_t n) {
    unsigned low = (unsigned)(n / 2), high = (unsigned)n - low;
    size_t low_count = (size_t)1 << low, high_count = (size_t)1 << high;
    *flips = (StFlips){.low_bits = low, .patterns = (uint64_t)1 << n};
    flips->low = mem_alloc(low_count + high_count, sizeof *flips->low);
    flips->high = flips->low + low_count;
    fill(flips->low, x, low);
    fill(flips->high, x + low, high);
}

void st_flips_release(StFlips *flips) {
    free(flips->low);
    *flips = (StFlips){0};
}

/* A rounded sum never falls when one of its parts rises, so of ordered halves the first that reaches `least` with a low
 * part moves one way only. */
uint64_t st_flips_reach(StFlips *flips, double slack, double least) {
    size_t low = (size_t)1 << flips->low_bits, high = (size_t)(flips->patterns >> flips->low_bits), first = high;
    uint64_t count = 0;
    gsl_sort(flips->low, 1, low);
    gsl_sort(flips->high, 1, high);
    for (size_t i = 0; i < low; i++) {
        while (first > 0 && flips->low[i] + flips->high[first - 1] + slack >= least) first--;
        count += high - first;
    }
    return count;
}

/* A pattern's complement has the negated sum. */
uint64_t st_flips_reach_either(StFlips *flips, double slack, double least) {
    return slack >= least ? flips->patterns : 2 * st_flips_reach(flips, slack, least);
}

void st_flip_draws_init(StFlipDraws *draws, size_t n, StKey key) {
    *draws = (StFlipDraws){.n = n, .bytes = (n + 7) / 8, .rng = st_rng_new(key)};
    draws->bits = mem_alloc(draws->bytes, ST_FLIP_BATCH);
    draws->table = mem_alloc(draws->bytes, 256 * sizeof *draws->table);
}

void st_flip_draws_release(StFlipDraws *draws) {
    if (draws->rng) gsl_rng_free(draws->rng);
    free(draws->bits);
    free(draws->table);
    *draws = (StFlipDraws){0};
}

size_t st_flip_draws_next(StFlipDraws *draws, uint64_t most) {
    draws->count = most < ST_FLIP_BATCH ? (size_t)most : ST_FLIP_BATCH;
    for (size_t at = 0; at < draws->count; at++) {
        unsigned char *bits = draws->bits + at * draws->bytes;
        unsigned long word = 0;
        for (size_t i = 0; i < draws->bytes; i++) {
            word = i % 4 == 0 ? gsl_rng_get(draws->rng) : word >> 8;
            bits[i] = (unsigned char)(word & 255);
        }
        if (draws->n % 8 != 0) bits[draws->bytes - 1] &= (unsigned char)((1U << draws->n % 8) - 1);
    }
    return draws->count;
}

/* Of up to eight numbers, all 256 signed sums. */
static void fill_byte(double *sum, const double *x, size_t n) {
    double low[16], high[16], eight[8] = {0};
    for (size_t i = 0; i < n && i < 8; i++) eight[i] = x[i];
    fill(low, eight, 4);
    fill(high, eight + 4, 4);
    for (size_t pattern = 0; pattern < 256; pattern++) sum[pattern] = low[pattern & 15] + high[pattern >> 4];
}

void st_flip_draws_sums(const StFlipDraws *draws, const double *x, double *sum) {
    for (size_t i = 0; i < draws->bytes; i++) fill_byte(draws->table + 256 * i, x + 8 * i, draws->n - 8 * i);
    for (size_t at = 0; at < draws->count; at++) {
        const unsigned char *bits = draws->bits + at * draws->bytes;
        double s = 0.0;
        for (size_t i = 0; i < draws->bytes; i++) s += draws->table[256 * i + bits[i]];
        sum[at] = s;
    }
}

size_t st_flip_draws_turned(const StFlipDraws *draws, size_t at) {
    size_t turned = 0;
    for (size_t i = 0; i < draws->bytes; i++) turned += (size_t)__builtin_popcount(draws->bits[at * draws->bytes + i]);
    return turned;
}
