/* Test martingales of signs, their intervals and what they still need. */
#include "stats/anytime.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum { BETS = 4, BISECTIONS = 60 };
static const double bet[BETS] = {.5, 1.0, 2.0, 4.0};

/* What is kept from seed to seed. */
typedef struct {
    StAlt alt;
    size_t n;
    double squares;
    double up[BETS], down[BETS]; /* logarithms of E_n */
    double e, most;
} Process;

/* ln(exp(x) / cosh(x)) */
static double log_factor(double x) {
    return M_LN2 - (x >= 0.0 ? log1p(exp(-2.0 * x)) : -2.0 * x + log1p(exp(2.0 * x)));
}

static void add(Process *p, double d) {
    double up = 0.0, down = 0.0;
    p->n++;
    p->squares += d * d;
    double z = d == 0.0 ? 0.0 : d / sqrt(p->squares / (double)p->n);
    for (int i = 0; i < BETS; i++) {
        p->up[i] += log_factor(bet[i] * z);
        p->down[i] += log_factor(-bet[i] * z);
        up += exp(fmin(p->up[i], 230.0)) / BETS; /* e^230 is about ST_HUGE */
        down += exp(fmin(p->down[i], 230.0)) / BETS;
    }
    switch (p->alt) {
    case ST_TWO_SIDED: p->e = (up + down) / 2.0; break;
    case ST_GREATER: p->e = up; break;
    case ST_LESS: p->e = down; break;
    }
    p->most = fmax(p->most, p->e);
}

static bool reached(double e, double alpha) {
    return e >= (1.0 - 1e-12) / alpha;
}

static double clean(double d, double tol) {
    return fabs(d) <= tol ? 0.0 : d;
}

static StStatus check(const double *d, size_t n, double scale, double alpha, double *tol) {
    if (n == 0) return ST_N_TOO_SMALL;
    if (!d || !(alpha > 0.0 && alpha < 1.0) || !(scale >= 0.0)) return ST_BAD_ARG;
    *tol = st_tol(fmax(scale, st_scale(d, NULL, n)));
    return scale > ST_HUGE ? ST_NONFINITE_INPUT : st_check_finite(d, n);
}

StStatus st_anytime_path(const double *d, size_t n, double scale, double *p) {
    Process process = {.alt = ST_TWO_SIDED};
    double tol;
    StStatus status = check(d, n, scale, .05, &tol);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        add(&process, clean(d[i], tol));
        p[i] = fmin(1.0, 1.0 / process.most);
    }
    return status;
}

StStatus st_anytime_inside_path(const double *d, size_t n, double scale, double margin, double *p) {
    Process above = {.alt = ST_GREATER}, below = {.alt = ST_LESS};
    double tol;
    StStatus status = !(margin > 0.0) || !isfinite(margin) ? ST_BAD_ARG : check(d, n, fmax(scale, margin), .05, &tol);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        add(&above, clean(d[i] + margin, tol));
        add(&below, clean(d[i] - margin, tol));
        p[i] = fmin(1.0, 1.0 / fmin(above.most, below.most));
    }
    return status;
}

/* e of the first n differences less m; all n count alike, whatever came before. */
static double e_at(const double *d, size_t n, double m, double tol) {
    Process p = {.alt = ST_TWO_SIDED};
    for (size_t i = 0; i < n; i++) add(&p, clean(d[i] - m, tol));
    return p.e;
}

static double limit(const double *d, size_t n, double mean, double width, double side, double tol, double alpha) {
    double inside = 0.0, outside = width;
    while (!reached(e_at(d, n, mean + side * outside, tol), alpha)) {
        inside = outside;
        outside *= 2.0;
        if (outside > 1e12 * width) return side * (double)INFINITY;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        double mid = 0.5 * (inside + outside);
        if (reached(e_at(d, n, mean + side * mid, tol), alpha))
            outside = mid;
        else
            inside = mid;
    }
    return mean + side * inside;
}

StInterval st_anytime_ci(const double *d, size_t n, double scale, double conf) {
    StInterval r = {ST_BAD_ARG, NAN, NAN};
    double tol, sum = 0.0, lo = -INFINITY, hi = INFINITY;
    r.status = check(d, n, scale, 1.0 - conf, &tol);
    for (size_t k = 1; k <= n && r.status == ST_OK; k++) {
        double mean = (sum += d[k - 1]) / (double)k, width = tol;
        for (size_t i = 0; i < k; i++) width = fmax(width, fabs(d[i] - mean));
        if (isinf(lo) || reached(e_at(d, k, lo, tol), 1.0 - conf))
            lo = fmax(lo, limit(d, k, mean, width, -1.0, tol, 1.0 - conf));
        if (isinf(hi) || reached(e_at(d, k, hi, tol), 1.0 - conf))
            hi = fmin(hi, limit(d, k, mean, width, 1.0, tol, 1.0 - conf));
    }
    if (r.status == ST_OK)
        r = (StInterval){isinf(lo) || isinf(hi) ? ST_NOT_REACHABLE : lo > hi ? ST_NO_CONVERGENCE : ST_OK, lo, hi};
    return r;
}

/* The three processes that can decide. */
typedef struct {
    Process apart, above, below;
} Race;

static bool race(Race *r, double d, double margin, double tol, double alpha) {
    add(&r->apart, clean(d, tol));
    if (margin > 0.0) {
        add(&r->above, clean(d + margin, tol));
        add(&r->below, clean(d - margin, tol));
    }
    bool inside = margin > 0.0 && reached(r->above.most, alpha) && reached(r->below.most, alpha);
    return (inside && r->apart.n >= ST_EQUAL_SEEDS) || reached(r->apart.most, alpha);
}

static int by_size(const void *x, const void *y) {
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    return (a > b) - (a < b);
}

StAnytimeNeed st_anytime_need(const double *d, size_t n, double scale, double margin, double alpha, size_t most,
                              size_t runs, StKey key) {
    StAnytimeNeed r = {ST_N_TOO_SMALL, 0, 0, NAN};
    double tol;
    if (n < 2) return r;
    r.status = runs == 0 || n > UINT32_MAX ? ST_BAD_ARG : check(d, n, scale, alpha, &tol);
    if (r.status != ST_OK) return r;
    Race seen = {{.alt = ST_TWO_SIDED}, {.alt = ST_GREATER}, {.alt = ST_LESS}};
    size_t *need = mem_alloc(runs, sizeof *need), decided = 0, done = 0;
    gsl_rng *rng = st_rng_new(key);
    for (size_t i = 0; i < n; i++) done = race(&seen, d[i], margin, tol, alpha) && done == 0 ? i + 1 : done;
    for (size_t run = 0; run < runs; run++) {
        Race one = seen;
        bool ended = done > 0;
        need[run] = ended ? done : n;
        while (!ended && need[run] <= most) {
            need[run]++;
            ended = need[run] <= most && race(&one, d[st_rng_below(rng, (uint32_t)n)], margin, tol, alpha);
        }
        decided += ended;
    }
    qsort(need, runs, sizeof *need, by_size);
    r = (StAnytimeNeed){ST_OK, need[(runs - 1) / 2], need[(runs * 9 + 9) / 10 - 1], (double)decided / (double)runs};
    free(need);
    gsl_rng_free(rng);
    return r;
}
