/* Paired t, effect sizes, interquartile mean and equivalence over differences of seeds. */
#include "stats/paired.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* Mean, and when there is a spread sd and se: what t and TOST share. */
static StStatus moments(const double *d, size_t n, double scale, double *mean, double *sd) {
    StSample s;
    StStatus status = st_sample_init(&s, d, n, scale);
    if (status != ST_OK) return status;
    *mean = st_sample_mean(&s);
    if (n < 2) {
        status = ST_N_TOO_SMALL;
    } else {
        double spread = st_sample_sd(&s);
        if (spread <= s.tol)
            status = ST_DEGENERATE;
        else
            *sd = spread;
    }
    st_sample_release(&s);
    return status;
}

void st_t_from_se(StTci *r) {
    r->t = r->mean / r->se;
    r->p = 2.0 * gsl_cdf_tdist_Q(fabs(r->t), r->df);
    double half = gsl_cdf_tdist_Pinv((1.0 + r->conf) / 2.0, r->df) * r->se;
    r->lo = r->mean - half;
    r->hi = r->mean + half;
}

void st_tost_from_se(StTost *r, double lo, double hi, double alpha) {
    r->p_lower = gsl_cdf_tdist_Q((r->mean - lo) / r->se, r->df);
    r->p_upper = gsl_cdf_tdist_P((r->mean - hi) / r->se, r->df);
    r->p = fmax(r->p_lower, r->p_upper);
    double half = gsl_cdf_tdist_Pinv(1.0 - alpha, r->df) * r->se;
    r->ci_lo = r->mean - half;
    r->ci_hi = r->mean + half;
    r->equivalent = r->p <= alpha;
}

StTci st_tci(const double *d, size_t n, double scale, double conf) {
    StTci r = {ST_BAD_ARG, n, conf, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!(conf > 0.0 && conf < 1.0)) return r;
    r.status = moments(d, n, scale, &r.mean, &r.sd);
    if (r.status != ST_OK) return r;
    r.df = (double)(n - 1);
    r.se = r.sd / sqrt((double)n);
    st_t_from_se(&r);
    return r;
}

double st_half_width(double sd, size_t n, double conf) {
    return n < 2 ? (double)NAN : gsl_cdf_tdist_Pinv((1.0 + conf) / 2.0, (double)(n - 1)) * sd / sqrt((double)n);
}

StInterval st_sd_ci(double sd, size_t n, double conf) {
    StInterval r = {ST_BAD_ARG, NAN, NAN};
    if (!(conf > 0.0 && conf < 1.0) || !(sd > 0.0 && sd <= ST_HUGE)) return r;
    if (n < 2) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    double df = (double)(n - 1);
    r.status = ST_OK;
    r.lo = sd * sqrt(df / gsl_cdf_chisq_Pinv((1.0 + conf) / 2.0, df));
    r.hi = sd * sqrt(df / gsl_cdf_chisq_Pinv((1.0 - conf) / 2.0, df));
    return r;
}

/* Hedges' exact small-sample factor. */
static double hedges_j(double df) {
    return exp(gsl_sf_lngamma(df / 2.0) - gsl_sf_lngamma((df - 1.0) / 2.0)) / sqrt(df / 2.0);
}

/* Pairing gain and correlation of the arms, when both arms vary. */
static void pairing(const double *a, const double *b, size_t n, double sd, double tol, StEffect *r) {
    double va = gsl_stats_variance(a, 1, n), vb = gsl_stats_variance(b, 1, n);
    if (sd > tol) r->vr = (va + vb) / (sd * sd);
    if (sqrt(va) > tol && sqrt(vb) > tol)
        r->r = fmax(-1.0, fmin(1.0, gsl_stats_covariance(a, 1, b, 1, n) / (sqrt(va) * sqrt(vb))));
}

static double share_better(const StSample *s) {
    double better = 0.0;
    for (size_t i = 0; i < s->n; i++) better += s->x[i] < 0.0 ? 1.0 : s->x[i] == 0.0 ? 0.5 : 0.0;
    return better / (double)s->n;
}

static double skewness(const StSample *s, double mean) {
    double squares = 0.0, cubes = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double u = s->x[i] - mean;
        squares += u * u, cubes += u * u * u;
    }
    return cubes / (double)s->n / pow(squares / (double)s->n, 1.5);
}

static void effect_of(const StSample *s, const double *a, const double *b, StEffect *r) {
    r->mean = st_sample_mean(s);
    r->median = st_sample_median(s);
    r->least = s->x[0], r->most = s->x[s->n - 1];
    r->better = share_better(s);
    double ratio = exp(r->mean);
    r->ratio = isfinite(ratio) ? ratio : NAN;
    if (s->n < 2) {
        r->status = ST_N_TOO_SMALL;
        return;
    }
    double sd = st_sample_sd(s);
    if (b) pairing(a, b, s->n, sd, s->tol, r);
    if (sd <= s->tol) {
        r->status = ST_DEGENERATE;
        return;
    }
    r->sd = sd;
    r->d_z = r->mean / sd;
    if (s->n >= 3) {
        r->j = hedges_j((double)(s->n - 1));
        r->g_z = r->j * r->d_z;
        r->skew = skewness(s, r->mean);
    }
}

StEffect st_effect(const double *a, const double *b, size_t n) {
    StEffect r = {ST_N_TOO_SMALL, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0) return r;
    if (!a) {
        r.status = ST_BAD_ARG;
        return r;
    }
    if (st_check_finite(a, n) != ST_OK || (b && st_check_finite(b, n) != ST_OK)) {
        r.status = ST_NONFINITE_INPUT;
        return r;
    }
    OWNED double *d = mem_alloc(n, sizeof *d);
    for (size_t i = 0; i < n; i++) d[i] = b ? a[i] - b[i] : a[i];
    StSample s;
    r.status = st_sample_init(&s, d, n, st_scale(a, b, n));
    if (r.status == ST_OK) {
        effect_of(&s, a, b, &r);
        st_sample_release(&s);
    }
    return r;
}

StIqm st_iqm(const double *x, size_t n) {
    StIqm r = {ST_OK, n, n / 4, NAN};
    StSample s;
    r.status = st_sample_init(&s, x, n, 0.0);
    if (r.status == ST_OK) {
        r.value = gsl_stats_trmean_from_sorted_data(0.25, s.x, 1, n);
        st_sample_release(&s);
    }
    return r;
}

StTost st_tost(const double *d, size_t n, double scale, double lo, double hi, double alpha) {
    StTost r = {ST_BAD_ARG, n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
    if (!(lo < hi) || !isfinite(lo) || !isfinite(hi) || !(alpha > 0.0 && alpha < 0.5)) return r;
    double sd = NAN;
    r.status = moments(d, n, scale, &r.mean, &sd);
    if (r.status != ST_OK) return r;
    r.df = (double)(n - 1);
    r.se = sd / sqrt((double)n);
    st_tost_from_se(&r, lo, hi, alpha);
    return r;
}

/* Whether n values of this mean and sum of squares about it are equivalent with one more, `off` beside their mean. */
static bool equivalent_with(const StTost *r, double squares, double off, double lo, double hi, double alpha) {
    double n = (double)r->n, mean = r->mean + off / (n + 1.0);
    double se = sqrt((squares + off * off * n / (n + 1.0)) / n / (n + 1.0));
    double half = gsl_cdf_tdist_Pinv(1.0 - alpha, n) * se;
    return mean - half >= lo && mean + half <= hi;
}

double st_tost_room(const double *d, size_t n, double scale, double lo, double hi, double alpha) {
    StTost r = st_tost(d, n, scale, lo, hi, alpha);
    double squares = r.se * r.se * (double)n * (double)(n - 1), room = INFINITY;
    if (r.status != ST_OK || !r.equivalent) return NAN;
    for (int side = -1; side <= 1; side += 2) {
        double inside = 0.0, outside = (hi - lo) * ((double)n + 1.0); /* so far off it moves the mean out */
        for (int i = 0; i < 100; i++) {
            double mid = 0.5 * (inside + outside);
            bool still = equivalent_with(&r, squares, side * mid, lo, hi, alpha);
            inside = still ? mid : inside;
            outside = still ? outside : mid;
        }
        room = fmin(room, inside);
    }
    return room;
}

StPosterior st_posterior(const double *d, size_t n, double scale, double margin) {
    StPosterior r = {ST_BAD_ARG, NAN, NAN, NAN};
    if (!(margin >= 0.0) || !isfinite(margin)) return r;
    double mean, sd;
    r.status = moments(d, n, scale, &mean, &sd);
    if (r.status != ST_OK) return r;
    double df = (double)(n - 1), se = sd / sqrt((double)n);
    double from = (-margin - mean) / se, to = (margin - mean) / se;
    r.below = gsl_cdf_tdist_P(from, df);
    r.above = gsl_cdf_tdist_Q(to, df);
    r.inside = mean > 0.0 ? gsl_cdf_tdist_P(to, df) - r.below : gsl_cdf_tdist_Q(from, df) - r.above;
    return r;
}

/* Matching the runs of two arms by seed, with divergence kept as data. */
static int by_seed(const void *x, const void *y) {
    uint64_t a = ((const StRun *)x)->seed, b = ((const StRun *)y)->seed;
    return (a > b) - (a < b);
}

static StStatus refuse(StPairs *p, StPairFault fault, uint64_t seed) {
    p->fault = fault;
    p->fault_seed = seed;
    return fault == ST_PAIR_NONFINITE ? ST_NONFINITE_INPUT : ST_BAD_ARG;
}

/* Checks one arm, already sorted. */
static StStatus check_arm(StPairs *p, const StRun *run, size_t n, double cap) {
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && run[i].seed == run[i - 1].seed) return refuse(p, ST_PAIR_DUPLICATE, run[i].seed);
        switch (run[i].state) {
        case ST_RUN_OK:
            if (!(fabs(run[i].value) <= ST_HUGE)) return refuse(p, ST_PAIR_NONFINITE, run[i].seed);
            break;
        case ST_RUN_DIVERGED:
            if (!(fabs(cap) <= ST_HUGE)) return refuse(p, ST_PAIR_NO_CAP, run[i].seed);
            break;
        case ST_RUN_FAILED: return refuse(p, ST_PAIR_FAILED, run[i].seed);
        }
    }
    return ST_OK;
}

/* The first seed that one sorted arm has and the other lacks. */
static StStatus check_match(StPairs *p, const StRun *a, size_t na, const StRun *b, size_t nb) {
    for (size_t i = 0; i < na || i < nb; i++) {
        if (i >= na || (i < nb && b[i].seed < a[i].seed)) return refuse(p, ST_PAIR_UNMATCHED, b[i].seed);
        if (i >= nb || a[i].seed < b[i].seed) return refuse(p, ST_PAIR_UNMATCHED, a[i].seed);
    }
    return ST_OK;
}

static void fill(StPairs *p, const StRun *a, const StRun *b, size_t n, double cap) {
    size_t each = sizeof *p->seed + 3 * sizeof *p->d + sizeof *p->lost;
    p->seed = mem_alloc(n, each);
    p->n = n;
    p->a = (double *)(p->seed + n);
    p->b = p->a + n;
    p->d = p->b + n;
    p->lost = (unsigned char *)(p->d + n);
    for (size_t i = 0; i < n; i++) {
        bool lost_a = a[i].state == ST_RUN_DIVERGED, lost_b = b[i].state == ST_RUN_DIVERGED;
        p->seed[i] = a[i].seed;
        p->a[i] = lost_a ? cap : a[i].value;
        p->b[i] = lost_b ? cap : b[i].value;
        p->d[i] = p->a[i] - p->b[i];
        p->lost[i] = (unsigned char)(lost_a | lost_b << 1);
        p->lost_a += lost_a;
        p->lost_b += lost_b;
        p->only_a += lost_a && !lost_b;
        p->only_b += lost_b && !lost_a;
    }
    p->scale = st_scale(p->a, p->b, n);
}

static StRun *sorted_copy(const StRun *run, size_t n) {
    StRun *copy = mem_alloc(n, sizeof *copy);
    for (size_t i = 0; i < n; i++) copy[i] = run[i];
    qsort(copy, n, sizeof *copy, by_seed);
    return copy;
}

StPairs st_pair(const StRun *a, size_t na, const StRun *b, size_t nb, double cap) {
    StPairs p = {.scale = NAN};
    if ((!a && na > 0) || (!b && nb > 0)) {
        p.status = ST_BAD_ARG;
        return p;
    }
    if (na == 0 && nb == 0) {
        p.status = ST_N_TOO_SMALL;
        return p;
    }
    OWNED StRun *x = sorted_copy(a, na), *y = sorted_copy(b, nb);
    p.status = check_arm(&p, x, na, cap);
    if (p.status == ST_OK) p.status = check_arm(&p, y, nb, cap);
    if (p.status == ST_OK) p.status = check_match(&p, x, na, y, nb);
    if (p.status == ST_OK) fill(&p, x, y, na, cap);
    return p;
}

void st_pairs_release(StPairs *pairs) {
    free(pairs->seed);
    *pairs = (StPairs){.status = ST_BAD_ARG};
}

static double size_of(const StPairs *pairs, size_t i) {
    unsigned lost = pairs->lost[i];
    return lost == 0 ? fabs(pairs->d[i]) : lost == 3 ? 0.0 : INFINITY;
}

/* How many of the ascending list[n] lie below size, or not above it, ties within tol counting as equal. */
static size_t count_below(const double *list, size_t n, double size, double tol, bool or_tied) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        bool tied = list[mid] == size || fabs(list[mid] - size) <= tol; /* inf - inf is NaN: never tied by it */
        if (tied ? or_tied : list[mid] < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

StStatus st_pairs_ranks(const StPairs *pairs, double *rank) {
    if (pairs->status != ST_OK) return pairs->status;
    size_t n = pairs->n;
    double tol = st_tol(pairs->scale), *list = mem_alloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++) list[i] = size_of(pairs, i);
    qsort(list, n, sizeof *list, st_compare_double);
    double zero = (double)count_below(list, n, 0.0, tol, true);
    for (size_t i = 0; i < n; i++) {
        unsigned lost = pairs->lost[i];
        double size = size_of(pairs, i);
        double below = (double)count_below(list, n, size, tol, false);
        double tied = (double)count_below(list, n, size, tol, true) - below;
        double sign = lost == 1 ? 1.0 : lost == 2 ? -1.0 : pairs->d[i] > 0.0 ? 1.0 : -1.0;
        rank[i] = size <= tol ? 0.0 : sign * (below - zero + (tied + 1.0) / 2.0);
    }
    free(list);
    return ST_OK;
}
