/* Tests of equal variances: Levene with medians for unpaired arms, Pitman-Morgan for paired ones.
 */
#include "stats/variance.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/flips.h"
#include "stats/permute.h"

/* The sample of |x - median|, and the variance of x. */
static StStatus spread(const double *x, size_t n, double scale, StSample *out, double *var) {
    StSample s;
    *out = (StSample){0};
    StStatus status = st_sample_init(&s, x, n, scale);
    if (status != ST_OK) {
        return status;
    }
    if (n < 2) {
        st_sample_release(&s);
        return ST_N_TOO_SMALL;
    }
    double sd = st_sample_sd(&s), median = st_sample_median(&s);
    *var = sd <= s.tol ? 0.0 : sd * sd;
    for (size_t i = 0; i < n; i++) {
        s.x[i] = fabs(s.x[i] - median);
    }
    status = st_sample_init(out, s.x, n, scale);
    st_sample_release(&s);
    return status;
}

static void levene_f(const StSample *a, const StSample *b, StVariance *r) {
    double na = (double)a->n, nb = (double)b->n;
    double ma = st_sample_mean(a), mb = st_sample_mean(b);
    double sa = st_sample_sd(a), sb = st_sample_sd(b);
    if (sa <= a->tol && sb <= b->tol) {
        r->status = ST_DEGENERATE;
        return;
    }
    double within = (na - 1.0) * sa * sa + (nb - 1.0) * sb * sb;
    double between = na * nb / (na + nb) * (ma - mb) * (ma - mb);
    r->df1 = 1.0;
    r->df2 = na + nb - 2.0;
    r->stat = between / (within / r->df2);
    r->p = gsl_cdf_fdist_Q(r->stat, r->df1, r->df2);
}

StVariance st_levene(const double *a, size_t na, const double *b, size_t nb) {
    StVariance r = {ST_BAD_ARG, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if ((a == NULL && na > 0) || (b == NULL && nb > 0)) {
        return r;
    }
    double scale = fmax(st_scale(a, NULL, na), st_scale(b, NULL, nb));
    double var_a = NAN, var_b = NAN;
    StSample za = {0}, zb = {0};
    r.status = spread(a, na, scale, &za, &var_a);
    if (r.status == ST_OK) {
        r.status = spread(b, nb, scale, &zb, &var_b);
    }
    if (r.status == ST_OK) {
        r.ratio = var_b > 0.0 ? var_a / var_b : NAN;
        levene_f(&za, &zb, &r);
    }
    st_sample_release(&za);
    st_sample_release(&zb);
    return r;
}

/* Pairs in ascending order of (a, b), so that the order of seeds does not matter. */
typedef struct {
    double a, b;
} Pair;

static int by_pair(const void *x, const void *y) {
    const Pair *p = x, *q = y;
    int first = (p->a > q->a) - (p->a < q->a);
    return first != 0 ? first : (p->b > q->b) - (p->b < q->b);
}

/* Sums s = a + b and differences d = a - b about their means. Two nearby arms lose nothing: a - b is exact there, while
 * a variance of a - b put together from those of a and b cancels. */
static void centred(const Pair *x, size_t n, double *s, double *d) {
    double mean_s = 0.0, mean_d = 0.0;
    for (size_t i = 0; i < n; i++) {
        s[i] = x[i].a + x[i].b;
        d[i] = x[i].a - x[i].b;
        mean_s += s[i];
        mean_d += d[i];
    }
    for (size_t i = 0; i < n; i++) {
        s[i] -= mean_s / (double)n;
        d[i] -= mean_d / (double)n;
    }
}

/* What swaps leave of m pairs, about the means where `about`. But for a divisor, var a - var b is sum(s d) and
 * var a + var b is (sum s^2 + sum d^2) / 2, with s and d about their means. A swap turns the sign of one d, so that the
 * mean of d is made anew and that of s stays. */
typedef struct {
    size_t m;
    double *sd, *d;             /* [m] s d with s about its mean; d */
    double squares;             /* sum s^2 + sum d^2, s about its mean */
    double slack, slack_across; /* what rounding of the raw values does to a sum of s d, and to the sum of squares */
} Swaps;

static void swaps_make(Swaps *w, const Pair *x, size_t n, size_t skip, bool about, double tol) {
    double mean_s = 0.0, mean_d = 0.0, sizes = 0.0;
    w->m = 0;
    w->squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (i != skip) {
            w->sd[w->m] = x[i].a + x[i].b;
            w->d[w->m] = x[i].a - x[i].b;
            mean_s += w->sd[w->m];
            mean_d += w->d[w->m++];
        }
    }
    for (size_t i = 0; i < w->m; i++) {
        double s = w->sd[i] - mean_s / (double)w->m;
        w->d[i] -= about ? mean_d / (double)w->m : 0.0;
        w->squares += s * s + w->d[i] * w->d[i];
        sizes += fabs(s) + fabs(w->d[i]) + tol;
        w->sd[i] = s * w->d[i];
    }
    w->slack = tol * sizes;
    w->slack_across = 4.0 * tol * sizes;
}

/* Whether a swap's |log(var a / var b)| is at least the observed one, which |var a - var b| / (var a + var b) grows
 * with. */
static bool as_far(const Swaps *w, double apart, double mean, double apart_seen, double mean_seen) {
    double both = w->squares - mean * mean / (double)w->m;
    double both_seen = w->squares - mean_seen * mean_seen / (double)w->m;
    double here = fabs(apart), seen = fabs(apart_seen);
    return here * both_seen >= seen * both - w->slack * (both + both_seen) - w->slack_across * (here + seen);
}

/* All swaps, of which half are the others' complements. */
static StStatus count_swaps(const Swaps *w, double *p) {
    StFlips apart, mean;
    uint64_t half = (uint64_t)1 << (w->m - 1), count = 0;
    StStatus status = st_flips_init(&apart, w->sd, w->m);
    if (status != ST_OK) {
        return status;
    }
    status = st_flips_init(&mean, w->d, w->m);
    if (status == ST_OK) {
        double apart_seen = st_flips_sum(&apart, 0), mean_seen = st_flips_sum(&mean, 0);
        for (uint64_t at = 0; at < half; at++) {
            count += as_far(w, st_flips_sum(&apart, at), st_flips_sum(&mean, at), apart_seen, mean_seen);
        }
        *p = (double)count / (double)half;
        st_flips_release(&mean);
    }
    st_flips_release(&apart);
    return status;
}

static StStatus draw_swaps(const Swaps *w, double *p) {
    gsl_rng *rng = st_rng_new((StKey){0x53574150, w->m});
    double apart_seen = 0.0, mean_seen = 0.0;
    uint64_t draws = st_flip_draws(w->m), count = 1;
    if (rng == NULL) {
        return ST_NO_MEMORY;
    }
    for (size_t i = 0; i < w->m; i++) {
        apart_seen += w->sd[i];
        mean_seen += w->d[i];
    }
    for (uint64_t draw = 0; draw < draws; draw++) {
        double apart = 0.0, mean = 0.0;
        unsigned long word = 0;
        for (size_t i = 0; i < w->m; i++) {
            word = i % 32 == 0 ? gsl_rng_get(rng) : word >> 1;
            apart += word & 1 ? -w->sd[i] : w->sd[i];
            mean += word & 1 ? -w->d[i] : w->d[i];
        }
        count += as_far(w, apart, mean, apart_seen, mean_seen);
    }
    gsl_rng_free(rng);
    *p = (double)count / (double)(draws + 1);
    return ST_OK;
}

/* The larger p of swaps of the values and of swaps about the arms' means. work: [2n]. */
static StStatus swaps(const Pair *x, size_t n, size_t skip, double tol, double *work, double *p) {
    Swaps w = {.sd = work, .d = work + n};
    StStatus status = ST_OK;
    *p = 0.0;
    for (int about = 0; about < 2 && status == ST_OK; about++) {
        double one = NAN;
        swaps_make(&w, x, n, skip, about, tol);
        status = w.m <= ST_FLIP_MAX ? count_swaps(&w, &one) : draw_swaps(&w, &one);
        *p = fmax(*p, one);
    }
    return status;
}

/* p_swap, p_left_out and p_min; most: the seed whose swap changes most, which alone is left out where all take too
 * long. */
static void swap_all(const Pair *x, size_t n, double tol, size_t most, double *work, StVariance *r) {
    bool few = n <= ST_FLIP_MAX + 1;
    r->status = swaps(x, n, n, tol, work, &r->p_swap);
    r->p_left_out = r->p_swap;
    r->p_min = few ? fmin(1.0, ldexp(2.0, -(int)(n - 1))) : 1.0 / (double)(st_flip_draws(n - 1) + 1);
    for (size_t i = few ? 0 : most; i <= (few ? n - 1 : most) && r->status == ST_OK; i++) {
        double p = NAN;
        r->status = swaps(x, n, i, tol, work, &p);
        r->p_left_out = fmax(r->p_left_out, p);
    }
}

static void pitman_morgan(const Pair *x, size_t n, double tol, double *work, StVariance *r) {
    double *s = work, *d = s + n, ss = 0.0, dd = 0.0, sd = 0.0;
    centred(x, n, s, d);
    for (size_t i = 0; i < n; i++) {
        ss += s[i] * s[i];
        dd += d[i] * d[i];
        sd += s[i] * d[i];
    }
    double df = (double)n - 2.0, limit = tol * sqrt((double)n - 1.0);
    double aa = (ss + dd) / 4.0 + sd / 2.0, bb = (ss + dd) / 4.0 - sd / 2.0; /* of a = (s + d)/2, b = (s - d)/2 */
    r->ratio = bb > limit * limit ? aa / bb : NAN;
    if (sqrt(ss) <= limit || sqrt(dd) <= limit) {
        r->status = ST_DEGENERATE;
        return;
    }
    double corr = sd / sqrt(ss) / sqrt(dd), rest = 1.0 - corr * corr;
    if (rest <= 64.0 * DBL_EPSILON) {
        r->status = ST_DEGENERATE;
        return;
    }
    r->df1 = df;
    r->stat = corr * sqrt(df / rest);
    r->p = 2.0 * gsl_cdf_tdist_Q(fabs(r->stat), df);
    size_t most = 0;
    for (size_t i = 1; i < n; i++) {
        most = s[i] * d[i] * sd > s[most] * d[most] * sd ? i : most;
    }
    swap_all(x, n, tol, most, work, r);
}

StVariance st_pitman_morgan(const double *a, const double *b, size_t n) {
    StVariance r = {ST_N_TOO_SMALL, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n < 3) {
        return r;
    }
    if (a == NULL || b == NULL) {
        r.status = ST_BAD_ARG;
        return r;
    }
    if (st_check_finite(a, n) != ST_OK || st_check_finite(b, n) != ST_OK) {
        r.status = ST_NONFINITE_INPUT;
        return r;
    }
    Pair *x = st_alloc(n, sizeof *x);
    double *work = st_alloc(2 * n, sizeof *work);
    r.status = x == NULL || work == NULL ? ST_NO_MEMORY : ST_OK;
    if (r.status == ST_OK) {
        for (size_t i = 0; i < n; i++) {
            x[i] = (Pair){a[i], b[i]};
        }
        qsort(x, n, sizeof *x, by_pair);
        pitman_morgan(x, n, st_tol(st_scale(a, b, n)), work, &r);
    }
    free(x);
    free(work);
    return r;
}

static StSd with_interval(double variance, double df, double conf) {
    double tail = (1.0 - conf) / 2.0;
    StSd r = {ST_OK, sqrt(variance), df, 0.0, 0.0};
    if (variance > 0.0) {
        r.lo = sqrt(variance * df / gsl_cdf_chisq_Qinv(tail, df));
        r.hi = sqrt(variance * df / gsl_cdf_chisq_Pinv(tail, df));
    }
    return r;
}

StSd st_sd(const double *x, size_t n, double conf) {
    StSd r = {ST_BAD_ARG, NAN, NAN, NAN, NAN};
    if (!(conf > 0.0 && conf < 1.0) || x == NULL) {
        return r;
    }
    StSample s;
    r.status = st_sample_init(&s, x, n, 0);
    if (r.status != ST_OK) {
        return r;
    }
    if (n < 2) {
        r.status = ST_N_TOO_SMALL;
    } else {
        double sd = st_sample_sd(&s);
        r = with_interval(sd <= s.tol ? 0.0 : sd * sd, (double)n - 1.0, conf);
    }
    st_sample_release(&s);
    return r;
}

StSd st_sd_of_sum(const StSd *part, size_t parts, double conf) {
    StSd r = {ST_BAD_ARG, NAN, NAN, NAN, NAN};
    double sum = 0.0, weight = 0.0, df = 0.0;
    if (!(conf > 0.0 && conf < 1.0) || part == NULL || parts == 0) {
        return r;
    }
    for (size_t i = 0; i < parts; i++) {
        if (part[i].status != ST_OK) {
            r.status = part[i].status;
            return r;
        }
        double v = part[i].sd * part[i].sd;
        sum += v;
        weight += v * v / part[i].df;
        df += part[i].df;
    }
    return with_interval(sum, weight > 0.0 ? sum * sum / weight : df, conf);
}
