/* Tests of equal variances: Levene with medians for unpaired arms, Pitman-Morgan for paired ones.
 */
#include "stats/variance.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

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
    StVariance r = {ST_BAD_ARG, NAN, NAN, NAN, NAN, NAN};
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

/* Sums of squares and products about the means, for pairs put in ascending order of (a, b). */
typedef struct {
    double a, b;
} Pair;

static int by_pair(const void *x, const void *y) {
    const Pair *p = x, *q = y;
    int first = (p->a > q->a) - (p->a < q->a);
    return first != 0 ? first : (p->b > q->b) - (p->b < q->b);
}

static void pitman_morgan(Pair *x, size_t n, double tol, StVariance *r) {
    double mean_a = 0.0, mean_b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
    qsort(x, n, sizeof *x, by_pair);
    for (size_t i = 0; i < n; i++) {
        mean_a += x[i].a;
        mean_b += x[i].b;
    }
    mean_a /= (double)n;
    mean_b /= (double)n;
    for (size_t i = 0; i < n; i++) {
        double u = x[i].a - mean_a, v = x[i].b - mean_b;
        aa += u * u;
        bb += v * v;
        ab += u * v;
    }
    double df = (double)n - 2.0, sum = sqrt(fmax(0.0, aa + bb + 2.0 * ab));
    double diff = sqrt(fmax(0.0, aa + bb - 2.0 * ab)), limit = tol * sqrt((double)n - 1.0);
    r->ratio = sqrt(bb) > limit ? aa / bb : NAN;
    if (sum <= limit || diff <= limit) {
        r->status = ST_DEGENERATE;
        return;
    }
    double corr = (aa - bb) / sum / diff, rest = 1.0 - corr * corr;
    if (rest <= 64.0 * DBL_EPSILON) {
        r->status = ST_DEGENERATE;
        return;
    }
    r->df1 = df;
    r->stat = corr * sqrt(df / rest);
    r->p = 2.0 * gsl_cdf_tdist_Q(fabs(r->stat), df);
}

StVariance st_pitman_morgan(const double *a, const double *b, size_t n) {
    StVariance r = {ST_N_TOO_SMALL, NAN, NAN, NAN, NAN, NAN};
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
    if (x == NULL) {
        r.status = ST_NO_MEMORY;
        return r;
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = (Pair){a[i], b[i]};
    }
    r.status = ST_OK;
    pitman_morgan(x, n, st_tol(st_scale(a, b, n)), &r);
    free(x);
    return r;
}
