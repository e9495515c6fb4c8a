/* Tests of equal variances: Levene with medians for unpaired arms, Pitman-Morgan for paired ones. */
#include "stats/variance.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/flips.h"
#include "stats/permute.h"

/* The sample of |x - median|, and the variance of x. */
static StStatus spread(const double *x, size_t n, double scale, StSample *out, double *var) {
    StSample s;
    *out = (StSample){0};
    StStatus status = st_sample_init(&s, x, n, scale);
    if (status != ST_OK) return status;
    if (n < 2) {
        st_sample_release(&s);
        return ST_N_TOO_SMALL;
    }
    double sd = st_sample_sd(&s), median = st_sample_median(&s);
    *var = sd <= s.tol ? 0.0 : sd * sd;
    for (size_t i = 0; i < n; i++) s.x[i] = fabs(s.x[i] - median);
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
    if ((!a && na > 0) || (!b && nb > 0)) return r;
    double scale = fmax(st_scale(a, NULL, na), st_scale(b, NULL, nb));
    double var_a = NAN, var_b = NAN;
    StSample za = {0}, zb = {0};
    r.status = spread(a, na, scale, &za, &var_a);
    if (r.status == ST_OK) r.status = spread(b, nb, scale, &zb, &var_b);
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

/* m pairs to be swapped. But for a divisor, var a - var b is sum(s d) and var a + var b is (sum s^2 + sum d^2) / 2,
 * with s and d about their means. A swap turns the sign of one d, so that the mean of d is made anew and that of s
 * stays. About the arms' means d is d - mean d: what a swap makes of its sums follows from sums of s and of signs. */
typedef struct {
    size_t m;
    double *s, *d, *sd; /* [m] s about its mean, d, s d */
    double mean_d;
    double squares[2];                 /* sum s^2 + sum d^2; about the arms' means */
    double slack[2], slack_squares[2]; /* what rounding of the raw values does to sum(s d) and to squares */
} Swaps;

/* Sums over the swapped pairs. */
typedef struct {
    double sd, s, d, signs;
} Swapped;

static void swaps_make(Swaps *w, const Pair *x, size_t n, size_t skip, double tol) {
    double mean_s = 0.0, sizes[2] = {0.0, 0.0};
    w->m = 0;
    w->mean_d = w->squares[0] = w->squares[1] = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (i != skip) {
            w->s[w->m] = x[i].a + x[i].b;
            w->d[w->m] = x[i].a - x[i].b;
            mean_s += w->s[w->m];
            w->mean_d += w->d[w->m++];
        }
    }
    mean_s /= (double)w->m;
    w->mean_d /= (double)w->m;
    for (size_t i = 0; i < w->m; i++) {
        w->s[i] -= mean_s;
        w->sd[i] = w->s[i] * w->d[i];
        for (int about = 0; about < 2; about++) {
            double d = w->d[i] - (about ? w->mean_d : 0.0);
            w->squares[about] += w->s[i] * w->s[i] + d * d;
            sizes[about] += fabs(w->s[i]) + fabs(d) + tol;
        }
    }
    for (int about = 0; about < 2; about++) {
        w->slack[about] = tol * sizes[about];
        w->slack_squares[about] = 4.0 * tol * sizes[about];
    }
}

/* |var a - var b| and var a + var b of a swap. */
static void parts(const Swaps *w, const Swapped *of, int about, double *apart, double *both) {
    double off = about ? w->mean_d : 0.0, d = of->d - off * of->signs;
    *apart = fabs(of->sd - off * of->s);
    *both = w->squares[about] - d * d / (double)w->m;
}

/* Whether a swap's |log(var a / var b)| is at least the observed one, which |var a - var b| / (var a + var b) grows
 * with. */
static bool as_far(const Swaps *w, const Swapped *of, const Swapped *seen, int about) {
    double apart, both, apart_seen, both_seen;
    parts(w, of, about, &apart, &both);
    parts(w, seen, about, &apart_seen, &both_seen);
    return apart * both_seen >=
           apart_seen * both - w->slack[about] * (both + both_seen) - w->slack_squares[about] * (apart + apart_seen);
}

/* All swaps, of which half are the others' complements. */
static void count_swaps(const Swaps *w, uint64_t *count, uint64_t *total) {
    const double *const of[3] = {w->sd, w->s, w->d};
    StFlips flips[3] = {0};
    Swapped seen = {0};
    *total = (uint64_t)1 << (w->m - 1);
    for (int i = 0; i < 3; i++) st_flips_init(&flips[i], of[i], w->m);
    for (uint64_t at = 0; at < *total; at++) {
        double signs = (double)w->m - 2.0 * (double)__builtin_popcountll(at);
        Swapped one = {st_flips_sum(&flips[0], at), st_flips_sum(&flips[1], at), st_flips_sum(&flips[2], at), signs};
        seen = at == 0 ? one : seen;
        for (int about = 0; about < 2; about++) count[about] += as_far(w, &one, &seen, about);
    }
    for (int i = 0; i < 3; i++) st_flips_release(&flips[i]);
}

static void draw_swaps(const Swaps *w, uint64_t *count, uint64_t *total) {
    StFlipDraws draws;
    double sd[ST_FLIP_BATCH], s[ST_FLIP_BATCH], d[ST_FLIP_BATCH];
    st_flip_draws_init(&draws, w->m, (StKey){0x53574150, w->m});
    Swapped seen = {.signs = (double)w->m};
    for (size_t i = 0; i < w->m; i++) {
        seen.sd += w->sd[i];
        seen.s += w->s[i];
        seen.d += w->d[i];
    }
    *total = count[0] = count[1] = 1; /* the arms as they are */
    for (uint64_t left = st_flip_draws(w->m); left > 0; left -= draws.count) {
        *total += st_flip_draws_next(&draws, left);
        st_flip_draws_sums(&draws, w->sd, sd);
        st_flip_draws_sums(&draws, w->s, s);
        st_flip_draws_sums(&draws, w->d, d);
        for (size_t at = 0; at < draws.count; at++) {
            double signs = (double)w->m - 2.0 * (double)st_flip_draws_turned(&draws, at);
            for (int about = 0; about < 2; about++)
                count[about] += as_far(w, &(Swapped){sd[at], s[at], d[at], signs}, &seen, about);
        }
    }
    st_flip_draws_release(&draws);
}

/* The larger p of swaps of the values and of swaps about the arms' means. work: [3n]. */
static double swaps(const Pair *x, size_t n, size_t skip, double tol, double *work) {
    Swaps w = {.s = work, .d = work + n, .sd = work + 2 * n};
    uint64_t count[2] = {0, 0}, total = 1;
    swaps_make(&w, x, n, skip, tol);
    if (w.m <= ST_FLIP_MAX)
        count_swaps(&w, count, &total);
    else
        draw_swaps(&w, count, &total);
    return (double)(count[0] > count[1] ? count[0] : count[1]) / (double)total;
}

/* p_swap, p_left_out and p_min; most: the seed whose swap changes most, which alone is left out where all take too
 * long. */
static void swap_all(const Pair *x, size_t n, double tol, size_t most, double *work, StVariance *r) {
    bool few = n <= ST_FLIP_MAX + 1;
    r->p_left_out = r->p_swap = swaps(x, n, n, tol, work);
    r->p_min = few ? fmin(1.0, ldexp(2.0, -(int)(n - 1))) : 1.0 / (double)(st_flip_draws(n - 1) + 1);
    for (size_t i = few ? 0 : most; i <= (few ? n - 1 : most); i++)
        r->p_left_out = fmax(r->p_left_out, swaps(x, n, i, tol, work));
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
    for (size_t i = 1; i < n; i++) most = s[i] * d[i] * sd > s[most] * d[most] * sd ? i : most;
    swap_all(x, n, tol, most, work, r);
}

StVariance st_pitman_morgan(const double *a, const double *b, size_t n) {
    StVariance r = {ST_N_TOO_SMALL, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n < 3) return r;
    if (!a || !b) {
        r.status = ST_BAD_ARG;
        return r;
    }
    if (st_check_finite(a, n) != ST_OK || st_check_finite(b, n) != ST_OK) {
        r.status = ST_NONFINITE_INPUT;
        return r;
    }
    OWNED Pair *x = mem_alloc(n, sizeof *x);
    OWNED double *work = mem_alloc(3 * n, sizeof *work);
    r.status = ST_OK;
    for (size_t i = 0; i < n; i++) x[i] = (Pair){a[i], b[i]};
    qsort(x, n, sizeof *x, by_pair);
    pitman_morgan(x, n, st_tol(st_scale(a, b, n)), work, &r);
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
    if (!(conf > 0.0 && conf < 1.0) || !x) return r;
    StSample s;
    r.status = st_sample_init(&s, x, n, 0);
    if (r.status != ST_OK) return r;
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
    if (!(conf > 0.0 && conf < 1.0) || !part || parts == 0) return r;
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
