/* Tests of equal variances: Levene with medians for unpaired arms, Pitman-Morgan for paired ones.
 */
#include "stats/variance.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

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

/* Sums s = a + b and differences d = a - b about their means, without the pair `skip`. Two nearby arms lose nothing:
 * a - b is exact there, while a variance of a - b put together from those of a and b cancels. Returns how many. */
static size_t centred(const Pair *x, size_t n, size_t skip, double *s, double *d) {
    size_t m = 0;
    double mean_s = 0.0, mean_d = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (i != skip) {
            s[m] = x[i].a + x[i].b;
            d[m] = x[i].a - x[i].b;
            mean_s += s[m];
            mean_d += d[m++];
        }
    }
    mean_s /= (double)m;
    mean_d /= (double)m;
    for (size_t i = 0; i < m; i++) {
        s[i] -= mean_s;
        d[i] -= mean_d;
    }
    return m;
}

/* The covariance of sums and differences is var a - var b, and swapping the arms of a seed turns the sign of its term.
 * work: [3n]. */
static StSignflip swaps(const Pair *x, size_t n, size_t skip, double *work) {
    double *s = work, *d = s + n, *term = d + n;
    size_t m = centred(x, n, skip, s, d);
    for (size_t i = 0; i < m; i++) {
        term[i] = s[i] * d[i];
    }
    return st_signflip(term, m, 0, ST_TWO_SIDED, (StKey){0x53574150, m});
}

static void pitman_morgan(const Pair *x, size_t n, double tol, double *work, StVariance *r) {
    double *s = work, *d = s + n, ss = 0.0, dd = 0.0, sd = 0.0;
    centred(x, n, n, s, d);
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
    size_t most = 0, last = n - 1; /* most: whose swap changes most; it alone where all take too long */
    for (size_t i = 1; i < n; i++) {
        most = s[i] * d[i] * sd > s[most] * d[most] * sd ? i : most;
    }
    last = n > ST_FLIP_MAX + 1 ? most : last;
    StSignflip all = swaps(x, n, n, work);
    r->status = all.status;
    r->p_swap = r->p_left_out = all.p;
    r->p_min = 0.0;
    for (size_t i = n > ST_FLIP_MAX + 1 ? most : 0; i <= last && r->status == ST_OK; i++) {
        StSignflip rest_of = swaps(x, n, i, work);
        r->status = rest_of.status;
        r->p_left_out = fmax(r->p_left_out, rest_of.p);
        r->p_min = fmax(r->p_min, rest_of.p_min);
    }
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
    double *work = st_alloc(3 * n, sizeof *work);
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
