/* Holm, Hochberg and Benjamini-Hochberg. With p sorted ascending, i = 0..m-1, and NaN last:
 *   Holm      adj_i = max_{k<=i} min(1, (m-k) p_k)
 *   Hochberg  adj_i = min_{k>=i} min(1, (m-k) p_k)
 *   BH        adj_i = min_{k>=i} min(1, m/(k+1) p_k) */
#include "stats/multiple.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

typedef struct {
    double p;
    size_t at;
} Ranked;

static int by_p(const void *x, const void *y) {
    const Ranked *a = x, *b = y;
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* The p that are numbers, ascending, *count of them; the others to adj. */
static StStatus rank_p(const double *p, size_t m, double *adj, Ranked **out, size_t *count) {
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < m; i++)
        if (p[i] < 0.0 || p[i] > 1.0) return ST_BAD_ARG;
    Ranked *r = *out = mem_alloc(m, sizeof *r);
    for (size_t i = 0; i < m; i++) {
        if (isnan(p[i]))
            adj[i] = NAN;
        else
            r[(*count)++] = (Ranked){p[i], i};
    }
    qsort(r, *count, sizeof *r, by_p);
    return ST_OK;
}

StStatus st_holm(const double *p, size_t m, double *adj) {
    Ranked *r;
    size_t count;
    StStatus status = rank_p(p, m, adj, &r, &count);
    double run = 0.0;
    for (size_t i = 0; i < count; i++) {
        run = fmax(run, fmin(1.0, (double)(m - i) * r[i].p));
        adj[r[i].at] = run;
    }
    free(r);
    return status;
}

/* The step-up procedures differ in one factor. */
static StStatus step_up(const double *p, size_t m, double *adj, bool fdr) {
    Ranked *r;
    size_t count;
    StStatus status = rank_p(p, m, adj, &r, &count);
    double run = 1.0;
    for (size_t i = count; i-- > 0;) {
        double factor = fdr ? (double)m / (double)(i + 1) : (double)(m - i);
        run = fmin(run, factor * r[i].p);
        adj[r[i].at] = run;
    }
    free(r);
    return status;
}

StStatus st_hochberg(const double *p, size_t m, double *adj) {
    return step_up(p, m, adj, false);
}

StStatus st_bh(const double *p, size_t m, double *adj) {
    return step_up(p, m, adj, true);
}
