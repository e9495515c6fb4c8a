/* Every relabelling of arms within blocks, or random ones. */
#include "stats/relabel_blocks.h"

#include <gsl/gsl_permutation.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

#define RELABELLINGS_MAX 1000000u
#define DRAWS 100000u

typedef struct {
    size_t k, n;
    double *x;     /* [n][k], centred by block */
    double *sum;   /* [n][k], arms' sums over blocks 0 … s */
    size_t *order; /* [orders][k], every permutation; NULL when sampling */
    size_t orders; /* k! */
    StBlockSums *seen;
    void *context;
} Walk;

/* Relabels block s in every way on top of what the earlier blocks add up to. */
static void relabel(Walk *w, size_t s) {
    const double *before = w->sum + (s - 1) * w->k, *x = w->x + s * w->k;
    double *sum = w->sum + s * w->k;
    for (size_t o = 0; o < w->orders; o++) {
        const size_t *order = w->order + o * w->k;
        for (size_t j = 0; j < w->k; j++) sum[j] = before[j] + x[order[j]];
        if (s + 1 == w->n)
            w->seen(w->context, sum);
        else
            relabel(w, s + 1);
    }
}

static void list_orders(Walk *w) {
    gsl_permutation *p = st_or_end(gsl_permutation_calloc(w->k));
    w->order = mem_alloc(w->orders * w->k, sizeof *w->order);
    for (size_t o = 0; o < w->orders; o++) {
        for (size_t j = 0; j < w->k; j++) w->order[o * w->k + j] = gsl_permutation_get(p, j);
        gsl_permutation_next(p);
    }
    gsl_permutation_free(p);
}

static void walk_all(Walk *w) {
    list_orders(w);
    for (size_t j = 0; j < w->k; j++) w->sum[j] = w->x[j];
    relabel(w, 1);
}

static void walk_some(Walk *w, StKey key) {
    gsl_rng *rng = st_rng_new(key);
    double *sum = w->sum, *labelled = w->sum + w->k; /* n >= 2, so two rows are there */
    w->seen(w->context, sum);
    for (unsigned draw = 0; draw < DRAWS; draw++) {
        for (size_t j = 0; j < w->k; j++) sum[j] = w->x[j];
        for (size_t s = 1; s < w->n; s++) {
            for (size_t j = 0; j < w->k; j++) { /* Fisher and Yates, inside out */
                size_t at = st_rng_below(rng, (uint32_t)(j + 1));
                labelled[j] = labelled[at];
                labelled[at] = w->x[s * w->k + j];
            }
            for (size_t j = 0; j < w->k; j++) sum[j] += labelled[j];
        }
        w->seen(w->context, sum);
    }
    gsl_rng_free(rng);
}

/* (k!)^(n-1), or 0 when above RELABELLINGS_MAX; k! to *orders. */
static uint64_t relabellings(size_t k, size_t n, size_t *orders) {
    uint64_t each = 1, all = 1;
    for (size_t i = 2; i <= k; i++) {
        each *= i;
        if (each > RELABELLINGS_MAX) return 0;
    }
    *orders = (size_t)each;
    for (size_t s = 1; s < n; s++) {
        all *= each;
        if (all > RELABELLINGS_MAX) return 0;
    }
    return all;
}

/* Blocks as rows, each less its mean; the arms' sums to the first row of sum. */
static void load(Walk *w, const double *x) {
    for (size_t j = 0; j < w->k; j++) w->sum[j] = 0.0;
    for (size_t s = 0; s < w->n; s++) {
        double mean = 0.0;
        for (size_t j = 0; j < w->k; j++) mean += x[j * w->n + s] / (double)w->k;
        for (size_t j = 0; j < w->k; j++) {
            w->x[s * w->k + j] = x[j * w->n + s] - mean;
            w->sum[j] += w->x[s * w->k + j];
        }
    }
}

StRelabelBlocks st_relabel_blocks(const double *x, size_t k, size_t n, StKey key, StBlockSums *first, StBlockSums *seen,
                                  void *context) {
    StRelabelBlocks r = {.status = ST_N_TOO_SMALL};
    if (k < 2 || n < 2) return r;
    if (!x || k > UINT32_MAX || n > SIZE_MAX / k) {
        r.status = ST_BAD_ARG;
        return r;
    }
    r.status = st_check_finite(x, k * n);
    if (r.status != ST_OK) return r;
    Walk w = {.k = k, .n = n, .seen = seen, .context = context};
    w.x = mem_alloc(k * n, sizeof *w.x);
    w.sum = mem_alloc(k * n, sizeof *w.sum);
    load(&w, x);
    uint64_t all = relabellings(k, n, &w.orders);
    r.exact = all > 0;
    r.total = r.exact ? all : DRAWS + 1;
    if (first) first(context, w.sum);
    if (r.exact)
        walk_all(&w);
    else
        walk_some(&w, key);
    free(w.order);
    free(w.sum);
    free(w.x);
    return r;
}
