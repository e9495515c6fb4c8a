/* Bootstrap of a mean over seeds crossed with blocks (Owen 2007). */
#include <gsl/gsl_multiset.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/crossed.h"
#include "stats/resample.h"

#define PAIRS_MAX 1000000u

typedef struct {
    const double *d; /* [S][B] */
    size_t seeds, blocks;
    StWeighted *list; /* sums of c_s e_b d_sb */
    size_t count;
} Grid;

/* Pairs of multisets, or 0 when there are more than PAIRS_MAX. */
static size_t pairs(size_t seeds, size_t blocks) {
    if (seeds > 15 || blocks > 15) return 0;
    uint64_t all = st_multiset_count(seeds) * st_multiset_count(blocks);
    return all <= PAIRS_MAX ? (size_t)all : 0;
}

/* Block sums under the seed counts. */
static void weigh_rows(const Grid *g, const uint32_t *times, double *row) {
    for (size_t b = 0; b < g->blocks; b++) row[b] = 0.0;
    for (size_t s = 0; s < g->seeds; s++)
        for (size_t b = 0; times[s] > 0 && b < g->blocks; b++) row[b] += (double)times[s] * g->d[s * g->blocks + b];
}

/* How many of the S^S resamples have these counts. */
static uint64_t multinomial(const uint32_t *times, size_t n) {
    uint64_t ways = 1;
    unsigned placed = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 1; k <= times[i]; k++)
            ways = ways * ++placed / k; /* C(placed, k) so far: whole at every step */
    return ways;
}

static void fill_all(Grid *g, uint32_t *times, double *row) {
    gsl_multiset *c = st_or_end(gsl_multiset_calloc(g->seeds, g->seeds));
    size_t each = (size_t)st_multiset_count(g->blocks);
    StWeighted *next = g->list;
    do {
        for (size_t s = 0; s < g->seeds; s++) times[s] = 0;
        for (size_t i = 0; i < g->seeds; i++) times[gsl_multiset_get(c, i)]++;
        weigh_rows(g, times, row);
        st_multiset_sums(row, g->blocks, next);
        uint64_t ways = multinomial(times, g->seeds);
        for (size_t i = 0; i < each; i++) next++->weight *= ways;
    } while (gsl_multiset_next(c) == GSL_SUCCESS);
    gsl_multiset_free(c);
}

static void fill_some(Grid *g, uint32_t *times, double *row, StKey key) {
    gsl_rng *rng = st_rng_new(key);
    for (size_t draw = 0; draw < g->count; draw++) {
        for (size_t s = 0; s < g->seeds; s++) times[s] = 0;
        for (size_t s = 0; s < g->seeds; s++) times[st_rng_below(rng, (uint32_t)g->seeds)]++;
        weigh_rows(g, times, row);
        double sum = 0.0;
        for (size_t b = 0; b < g->blocks; b++) sum += row[st_rng_below(rng, (uint32_t)g->blocks)];
        g->list[draw] = (StWeighted){sum, 1};
    }
    gsl_rng_free(rng);
}

static void summarize(const Grid *g, double conf, StPigeonhole *r) {
    double cells = (double)g->seeds * (double)g->blocks, sum = 0.0, squares = 0.0, total = 0.0;
    for (size_t i = 0; i < g->count; i++) {
        g->list[i].value /= cells;
        sum += (double)g->list[i].weight * (g->list[i].value - r->mean);
        total += (double)g->list[i].weight;
    }
    double centre = r->mean + sum / total;
    for (size_t i = 0; i < g->count; i++) {
        double u = g->list[i].value - centre;
        squares += (double)g->list[i].weight * u * u;
    }
    r->se = sqrt(squares / total);
    StInterval middle = st_weighted_interval(g->list, g->count, conf);
    r->lo = middle.lo, r->hi = middle.hi;
    r->total = g->list[g->count - 1].weight;
}

StPigeonhole st_pigeonhole(const double *d, size_t seeds, size_t blocks, double scale, double conf, size_t draws,
                           StKey key) {
    StPigeonhole r = {ST_BAD_ARG, false, 0, NAN, NAN, NAN, NAN};
    size_t all = pairs(seeds, blocks);
    if (seeds > UINT32_MAX || blocks > UINT32_MAX || (all == 0 && !(draws >= 1 && draws <= 100000000))) return r;
    StCrossed whole = st_crossed(d, seeds, blocks, scale, conf); /* checks, mean and degeneracy */
    r.mean = whole.mean;
    r.status = whole.status;
    if (r.status != ST_OK) return r;
    r.exact = all > 0;
    Grid g = {d, seeds, blocks, NULL, r.exact ? all : draws};
    g.list = mem_alloc(g.count, sizeof *g.list);
    OWNED double *row = mem_alloc(blocks, sizeof *row);
    OWNED uint32_t *times = mem_alloc(seeds, sizeof *times);
    if (r.exact)
        fill_all(&g, times, row);
    else
        fill_some(&g, times, row, key);
    summarize(&g, conf, &r);
    free(g.list);
    return r;
}
