/* Relabellings of two samples, and Welch's t. */
#include "stats/unpaired.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/permute.h"

/* C(n, k), or more than ST_RELABEL_MAX. */
static uint64_t choices(size_t n, size_t k) {
    uint64_t c = 1;
    k = k < n - k ? k : n - k;
    for (size_t i = 1; i <= k && c <= ST_RELABEL_MAX; i++) c = c * (n - k + i) / i;
    return c;
}

typedef struct {
    const double *x; /* [na + nb] a, then b */
    size_t na, n;
    double *next; /* where the next shift goes */
} Walk;

/* Which of a leave, then which of b take their places. swapped: how many leave; open: places still to be taken; gap:
 * sum of those that leave less the sum of those that come. */
static void walk(Walk *w, size_t at, size_t swapped, size_t open, double gap) {
    if (at >= w->na && open == 0) {
        if (swapped > 0) *w->next++ = gap / (double)swapped;
    } else if (at < w->na) {
        walk(w, at + 1, swapped, open, gap);
        if (open < w->n - w->na) walk(w, at + 1, swapped + 1, open + 1, gap + w->x[at]);
    } else {
        walk(w, at + 1, swapped, open - 1, gap - w->x[at]);
        if (w->n - at > open) walk(w, at + 1, swapped, open, gap);
    }
}

/* Random relabellings; the observed one is drawn again. */
static void draw(Walk *w, uint64_t draws, StKey key) {
    gsl_rng *rng = st_rng_new(key);
    for (uint64_t made = 0; made < draws;) {
        size_t need = w->na, swapped = 0;
        double gap = 0.0;
        for (size_t i = 0; i < w->n; i++) {
            bool is_a = st_rng_below(rng, (uint32_t)(w->n - i)) < need;
            need -= is_a;
            if (is_a == (i < w->na)) continue;
            swapped += !is_a;
            gap += is_a ? -w->x[i] : w->x[i];
        }
        if (swapped > 0) w->next[made++] = gap / (double)swapped;
    }
    gsl_rng_free(rng);
}

/* Both samples in ascending order, so that the order of the runs changes nothing. */
static StStatus samples(const double *a, size_t na, const double *b, size_t nb, StSample *x, StSample *y) {
    double scale = fmax(st_scale(a, NULL, na), st_scale(b, NULL, nb));
    StStatus status = st_sample_init(x, a, na, scale);
    if (status != ST_OK) return status;
    status = st_sample_init(y, b, nb, scale);
    if (status != ST_OK) st_sample_release(x);
    return status;
}

static void relabel(StRelabel *r, const StSample *a, const StSample *b, StKey key) {
    size_t n = a->n + b->n;
    uint64_t all = choices(n, a->n);
    r->exact = all <= ST_RELABEL_MAX;
    r->total = r->exact ? all : st_flip_draws(n) + 1;
    OWNED double *x = mem_alloc(n, sizeof *x);
    r->shift = mem_alloc((size_t)r->total, sizeof *r->shift);
    for (size_t i = 0; i < n; i++) x[i] = i < a->n ? a->x[i] : b->x[i - a->n];
    Walk w = {x, a->n, n, r->shift};
    if (r->exact)
        walk(&w, 0, 0, 0, 0.0);
    else
        draw(&w, r->total - 1, key);
}

StRelabel st_relabel(const double *a, size_t na, const double *b, size_t nb, StKey key) {
    StRelabel r = {ST_N_TOO_SMALL, na, nb, false, NAN, NAN, NAN, 0, NULL};
    StSample x, y;
    r.status = na > UINT32_MAX / 2 || nb > UINT32_MAX / 2 ? ST_BAD_ARG : samples(a, na, b, nb, &x, &y);
    if (r.status != ST_OK) return r;
    relabel(&r, &x, &y, key);
    r.mean = st_sample_mean(&x) - st_sample_mean(&y);
    r.tol = (double)(na + nb) * x.tol;
    r.p_min = fmin(1.0, 2.0 / (double)r.total);
    gsl_sort(r.shift, 1, (size_t)r.total - 1);
    st_sample_release(&x);
    st_sample_release(&y);
    return r;
}

void st_relabel_release(StRelabel *r) {
    free(r->shift);
    r->shift = NULL;
}

/* How many shifts are below x, or not above it. */
static uint64_t below(const StRelabel *r, double x, bool or_equal) {
    uint64_t lo = 0, hi = r->total - 1;
    while (lo < hi) {
        uint64_t mid = (lo + hi) / 2;
        if (r->shift[mid] < x || (or_equal && r->shift[mid] == x))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

StShare st_relabel_p(const StRelabel *r, double shift, StAlt alt) {
    StShare p = {NAN, 0, r->total};
    if (r->status != ST_OK || !isfinite(shift)) return p;
    uint64_t greater = 1 + below(r, shift + r->tol, true), less = r->total - below(r, shift - r->tol, false);
    uint64_t fewer = greater < less ? greater : less;
    switch (alt) {
    case ST_GREATER: p.count = greater; break;
    case ST_LESS: p.count = less; break;
    case ST_TWO_SIDED: p.count = 2 * fewer < r->total ? 2 * fewer : r->total; break;
    }
    p.p = (double)p.count / (double)r->total;
    return p;
}

StInterval st_relabel_ci(const StRelabel *r, double conf) {
    StInterval ci = {ST_BAD_ARG, NAN, NAN};
    if (!(conf > 0.0 && conf < 1.0)) return ci;
    ci.status = r->status;
    if (r->status != ST_OK) return ci;
    double needed = (1.0 - conf) * (double)r->total / 2.0;
    uint64_t least = (uint64_t)ceil(needed * (1.0 - 1e-12)); /* of as extreme relabellings, the observed one counted */
    if (least < 2) return (StInterval){ST_NOT_REACHABLE, -INFINITY, INFINITY};
    ci.lo = r->shift[least - 2];
    ci.hi = r->shift[r->total - least];
    return ci;
}

/* What the interval and the equivalence tests share. */
typedef struct {
    double mean, se, df;
} Welch;

static StStatus welch(const double *a, size_t na, const double *b, size_t nb, Welch *w) {
    StSample x, y;
    StStatus status = samples(a, na, b, nb, &x, &y);
    if (status != ST_OK) return status;
    w->mean = st_sample_mean(&x) - st_sample_mean(&y);
    if (na < 2 || nb < 2) {
        status = ST_N_TOO_SMALL;
    } else {
        double sa = st_sample_sd(&x), sb = st_sample_sd(&y);
        double va = sa * sa / (double)na, vb = sb * sb / (double)nb, part = va / (va + vb);
        w->se = sqrt(va + vb);
        w->df = 1.0 / (part * part / (double)(na - 1) + (1.0 - part) * (1.0 - part) / (double)(nb - 1));
        if (sa <= x.tol && sb <= y.tol) status = ST_DEGENERATE;
    }
    st_sample_release(&x);
    st_sample_release(&y);
    return status;
}

StTci st_welch(const double *a, size_t na, const double *b, size_t nb, double conf) {
    StTci r = {ST_BAD_ARG, na + nb, conf, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    Welch w = {NAN, NAN, NAN};
    if (!(conf > 0.0 && conf < 1.0)) return r;
    r.status = welch(a, na, b, nb, &w);
    r.mean = w.mean;
    if (r.status != ST_OK) return r;
    r.se = w.se;
    r.df = w.df;
    st_t_from_se(&r);
    return r;
}

StTost st_welch_tost(const double *a, size_t na, const double *b, size_t nb, double lo, double hi, double alpha) {
    StTost r = {ST_BAD_ARG, na + nb, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
    Welch w = {NAN, NAN, NAN};
    if (!(lo < hi) || !isfinite(lo) || !isfinite(hi) || !(alpha > 0.0 && alpha < 0.5)) return r;
    r.status = welch(a, na, b, nb, &w);
    r.mean = w.mean;
    if (r.status != ST_OK) return r;
    r.se = w.se;
    r.df = w.df;
    st_tost_from_se(&r, lo, hi, alpha);
    return r;
}

static double mean_of(const double *x, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

double st_welch_tost_room(const double *a, size_t na, const double *b, size_t nb, double lo, double hi, double alpha) {
    if (!st_welch_tost(a, na, b, nb, lo, hi, alpha).equivalent) return NAN;
    double *more = mem_alloc(na + 1, sizeof *more), mean = mean_of(a, na), room = INFINITY;
    memcpy(more, a, na * sizeof *more);
    for (int side = -1; side <= 1; side += 2) {
        double inside = 0.0, outside = 2.0 * (hi - lo) * ((double)na + 1.0); /* so far off it moves the mean out */
        for (int i = 0; i < 100; i++) {
            double mid = 0.5 * (inside + outside);
            more[na] = mean + side * mid;
            bool still = st_welch_tost(more, na + 1, b, nb, lo, hi, alpha).equivalent;
            inside = still ? mid : inside;
            outside = still ? outside : mid;
        }
        room = fmin(room, inside);
    }
    free(more);
    return room;
}

void st_midranks(const double *x, size_t n, double tol, double *out) {
    OWNED size_t *order = mem_alloc(n, sizeof *order);
    gsl_sort_index(order, x, 1, n);
    for (size_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n; last++) {
            double low = x[order[last - 1]], high = x[order[last]];
            if (!(low == high || high - low <= tol)) break;
        }
        for (size_t i = first; i < last; i++) out[order[i]] = (double)(first + last + 1) / 2.0;
    }
}
