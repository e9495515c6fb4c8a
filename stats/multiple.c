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

/* The largest p of each group; 1 where one could not be made. Returns how many groups have a member. */
static size_t largest_of(const double *p, const size_t *group, size_t m, double *largest, size_t numbers) {
    size_t groups = 0;
    for (size_t g = 0; g < numbers; g++) largest[g] = -1.0;
    for (size_t i = 0; i < m; i++) {
        groups += largest[group[i]] < 0.0;
        largest[group[i]] = fmax(largest[group[i]], isnan(p[i]) ? 1.0 : p[i]);
    }
    return groups;
}

/* order: [numbers] groups by their largest p, those without members first. */
static double over_groups(double p, size_t own, const double *largest, const size_t *order, size_t numbers,
                          size_t groups) {
    double left = (double)groups, whole = 0.0, best = fmin(1.0, left * p);
    for (size_t k = 0; k < numbers; k++) {
        double one = largest[order[k]];
        if (order[k] == own || one < 0.0) continue;
        whole = fmax(whole, left * one);
        left -= 1.0;
        best = fmin(best, fmax(whole, left * p));
    }
    return best;
}

StStatus st_holm_groups(const double *p, const size_t *group, size_t m, double *adj) {
    size_t numbers = 0;
    for (size_t i = 0; i < m; i++) {
        if (p[i] < 0.0 || p[i] > 1.0 || group[i] >= m) return ST_BAD_ARG;
        numbers = group[i] + 1 > numbers ? group[i] + 1 : numbers;
    }
    OWNED double *largest = mem_alloc(numbers + 1, sizeof *largest), *out = mem_alloc(m + 1, sizeof *out);
    OWNED size_t *order = mem_alloc(numbers + 1, sizeof *order);
    size_t groups = largest_of(p, group, m, largest, numbers);
    for (size_t g = 0; g < numbers; g++) {
        size_t k = g;
        for (; k > 0 && largest[order[k - 1]] > largest[g]; k--) order[k] = order[k - 1];
        order[k] = g;
    }
    for (size_t i = 0; i < m; i++)
        out[i] = isnan(p[i]) ? p[i] : over_groups(p[i], group[i], largest, order, numbers, groups);
    for (size_t i = 0; i < m; i++) adj[i] = out[i];
    return ST_OK;
}
