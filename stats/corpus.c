#include "stats/corpus.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/resample.h"

typedef struct {
    const double *a, *b;
    size_t seeds, items, counts;
    StScore *score;
    double *sum, *difference; /* [counts], [seeds] */
} Scored;

/* The score of one seed's sentences, each `times` over; NULL: once. */
static double scored(const Scored *g, const double *arm, size_t seed, const uint32_t *times) {
    const double *x = arm + seed * g->items * g->counts;
    for (size_t k = 0; k < g->counts; k++) g->sum[k] = 0.0;
    for (size_t i = 0; i < g->items; i++, x += g->counts) {
        double weight = times ? times[i] : 1.0;
        for (size_t k = 0; k < g->counts; k++) g->sum[k] += weight * x[k];
    }
    return g->score(g->sum, g->counts);
}

/* Every seed's difference of scores; their mean. */
static double differences(const Scored *g, const uint32_t *times) {
    double sum = 0.0;
    for (size_t s = 0; s < g->seeds; s++) {
        g->difference[s] = scored(g, g->a, s, times);
        if (g->b) g->difference[s] -= scored(g, g->b, s, times);
        sum += g->difference[s];
    }
    return sum / (double)g->seeds;
}

static void draw_all(const Scored *g, StWeighted *both, StWeighted *alone, uint32_t *times, size_t draws,
                     gsl_rng *rng) {
    for (size_t draw = 0; draw < draws; draw++) {
        double sum = 0.0;
        for (size_t i = 0; i < g->items; i++) times[i] = 0;
        for (size_t i = 0; i < g->items; i++) times[st_rng_below(rng, (uint32_t)g->items)]++;
        alone[draw] = (StWeighted){differences(g, times), 1};
        for (size_t s = 0; s < g->seeds; s++) sum += g->difference[st_rng_below(rng, (uint32_t)g->seeds)];
        both[draw] = (StWeighted){sum / (double)g->seeds, 1};
    }
}

static void summarize(StWeighted *list, size_t count, double conf, double *se, double *lo, double *hi) {
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) sum += list[i].value;
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) squares += (list[i].value - mean) * (list[i].value - mean);
    *se = sqrt(squares / (double)count);
    StInterval middle = st_weighted_interval(list, count, conf);
    *lo = middle.lo, *hi = middle.hi;
}

StCorpus st_corpus(const double *a, const double *b, size_t seeds, size_t items, size_t counts, StScore *score,
                   double conf, size_t draws, StKey key) {
    StCorpus r = {ST_BAD_ARG, items, draws, NAN, NAN, NAN, NAN, {NAN, NAN, NAN}};
    size_t all = seeds * items * counts;
    if (counts == 0 || !(conf > 0.0 && conf < 1.0) || draws < 1 || draws > 1000000 || items > UINT32_MAX) return r;
    r.status = st_check_finite(a, all);
    if (b && r.status == ST_OK) r.status = st_check_finite(b, all);
    if (r.status != ST_OK) return r;
    r.status = ST_N_TOO_SMALL;
    if (seeds == 0 || items == 0) return r;
    Scored g = {a, b, seeds, items, counts, score, mem_alloc(counts, sizeof(double)), mem_alloc(seeds, sizeof(double))};
    OWNED StWeighted *both = mem_alloc(draws, sizeof *both), *alone = mem_alloc(draws, sizeof *alone);
    OWNED uint32_t *times = mem_alloc(items, sizeof *times);
    gsl_rng *rng = st_rng_new(key);
    r.mean = differences(&g, NULL);
    if (seeds > 1 && items > 1) {
        draw_all(&g, both, alone, times, draws, rng);
        summarize(both, draws, conf, &r.se, &r.lo, &r.hi);
        summarize(alone, draws, conf, &r.sentences.se, &r.sentences.lo, &r.sentences.hi);
        r.status = ST_OK;
    }
    gsl_rng_free(rng);
    free(g.difference);
    free(g.sum);
    return r;
}
