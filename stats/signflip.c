/* Sign-flip test and Wilcoxon's signed ranks: one walk over sign patterns serves both. */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/counts.h"
#include "stats/flips.h"
#include "stats/permute.h"

/* What a walk counts: sums at least as extreme as the observed one. */
typedef struct {
    StAlt alt;
    double slack; /* n * tol */
    uint64_t count, total;
} Walk;

/* How far a sum lies on the side that counts. */
static double extent(StAlt alt, double sum) {
    switch (alt) {
    case ST_LESS: return -sum;
    case ST_GREATER: return sum;
    case ST_TWO_SIDED: break;
    }
    return fabs(sum);
}

static void walk_all(Walk *w, const double *x, size_t n) {
    StFlips flips;
    st_flips_init(&flips, x, n);
    double least = extent(w->alt, st_flips_sum(&flips, 0)) - w->slack;
    w->total = flips.patterns;
    w->count = w->alt == ST_TWO_SIDED ? st_flips_reach_either(&flips, 0, least) : st_flips_reach(&flips, 0, least);
    st_flips_release(&flips);
}

static void walk_some(Walk *w, const double *x, size_t n, StKey key) {
    StFlipDraws draws;
    double sum[ST_FLIP_BATCH], observed = 0.0;
    st_flip_draws_init(&draws, n, key);
    for (size_t i = 0; i < n; i++) observed += x[i];
    double least = extent(w->alt, observed) - w->slack;
    w->total = w->count = 1; /* the observed pattern is one of them */
    for (uint64_t left = st_flip_draws(n); left > 0; left -= draws.count) {
        w->total += st_flip_draws_next(&draws, left);
        st_flip_draws_sums(&draws, x, sum);
        for (size_t at = 0; at < draws.count; at++) w->count += extent(w->alt, sum[at]) >= least;
    }
    st_flip_draws_release(&draws);
}

/* Every pattern, or random ones beyond ST_FLIP_MAX numbers. */
static void walk(Walk *w, const double *x, size_t n, StKey key) {
    if (n <= ST_FLIP_MAX)
        walk_all(w, x, n);
    else
        walk_some(w, x, n, key);
}

static bool valid_alt(StAlt alt) {
    return alt == ST_TWO_SIDED || alt == ST_LESS || alt == ST_GREATER;
}

/* Smallest p with `free` signs that can flip. */
static double floor_of(bool exact, uint64_t total, size_t free_signs, StAlt alt) {
    if (!exact) return 1.0 / (double)total;
    return fmin(1.0, ldexp(alt == ST_TWO_SIDED ? 2.0 : 1.0, -(int)free_signs));
}

StSignflip st_signflip(const double *d, size_t n, double scale, StAlt alt, StKey key) {
    StSignflip r = {ST_BAD_ARG, n, 0, n <= ST_FLIP_MAX, NAN, 0, 0, NAN, NAN, NAN, NAN};
    StSample s;
    if (!valid_alt(alt)) return r;
    r.status = st_sample_init(&s, d, n, scale);
    if (r.status != ST_OK) return r;
    for (size_t i = 0; i < n; i++) r.zeros += s.x[i] == 0.0;
    Walk w = {.alt = alt, .slack = (double)n * s.tol};
    walk(&w, s.x, n, key);
    st_sample_release(&s);
    r.count = w.count;
    r.total = w.total;
    r.p = r.p_lo = r.p_hi = (double)w.count / (double)w.total;
    r.p_min = floor_of(r.exact, w.total, n, alt);
    r.p_min_here = floor_of(r.exact, w.total, n - r.zeros, alt);
    if (!r.exact) {
        StCp cp = st_cp(w.count - 1, w.total - 1, 0.95);
        r.p_lo = cp.lo;
        r.p_hi = cp.hi;
    }
    return r;
}

double st_unseen(size_t n, double alpha) {
    return n == 0 ? 1.0 : -expm1(log(alpha) / (double)n);
}

/* Signed midranks of the nonzero values, doubled so that they are whole numbers. Returns how many. */
static size_t signed_ranks(const StSample *s, double *rank) {
    OWNED double *size = mem_alloc(s->n, sizeof *size);
    size_t *order = mem_alloc(s->n, sizeof *order), m = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->x[i] != 0.0) {
            size[m] = fabs(s->x[i]);
            rank[m++] = s->x[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    gsl_sort_index(order, size, 1, m);
    for (size_t first = 0, last; first < m; first = last) {
        for (last = first + 1; last < m && size[order[last]] - size[order[last - 1]] <= s->tol;) last++;
        for (size_t i = first; i < last; i++)
            rank[order[i]] *= (double)(first + last + 1); /* twice the mean of ranks first+1 … last */
    }
    free(order);
    return m;
}

StWilcoxon st_wilcoxon(const double *d, size_t n, double scale, StKey key) {
    StWilcoxon r = {ST_BAD_ARG, 0, 0, true, NAN, NAN, 0, 0, NAN};
    StSample s;
    r.status = st_sample_init(&s, d, n, scale);
    if (r.status != ST_OK) return r;
    OWNED double *rank = mem_alloc(n, sizeof *rank);
    r.m = signed_ranks(&s, rank);
    st_sample_release(&s);
    Walk w = {.alt = ST_TWO_SIDED, .slack = 0.5};
    walk(&w, rank, r.m, key);
    r.exact = r.m <= ST_FLIP_MAX;
    r.zeros = n - r.m;
    r.w = 0.0;
    for (size_t i = 0; i < r.m; i++) r.w += rank[i] > 0.0 ? rank[i] / 2.0 : 0.0;
    r.count = w.count;
    r.total = w.total;
    r.p = (double)w.count / (double)w.total;
    r.p_min = floor_of(r.exact, w.total, r.m, ST_TWO_SIDED);
    return r;
}
