/* Sign-flip tests turned into intervals. */
#include "stats/invert.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "stats/flips.h"

#define FARTHEST 1e12 /* widths from the mean, beyond which every shift is taken to be accepted */

/* How many flips must be as extreme, the observed one counted, for p to be at least alpha: of `total`, of which half
 * are the others' complements. */
static uint64_t least_count(double alpha, uint64_t total) {
    double needed = alpha * (double)total / 2.0;
    uint64_t count = (uint64_t)needed;
    return (double)count < needed * (1.0 - 1e-12) ? count + 1 : count;
}

/* The means of all subsets of x[n] but the empty one: [2^n - 1]. */
static StStatus all_means(const double *x, size_t n, double *mean) {
    double *half = st_alloc(n, sizeof *half), total = 0.0;
    StFlips flips;
    if (half == NULL) {
        return ST_NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        half[i] = x[i] / 2.0;
        total += half[i];
    }
    StStatus status = st_flips_init(&flips, half, n);
    for (uint64_t set = 1; status == ST_OK && set < flips.patterns; set++) {
        mean[set - 1] = (total - st_flips_sum(&flips, set)) / (double)__builtin_popcountll(set);
    }
    if (status == ST_OK) {
        st_flips_release(&flips);
    }
    free(half);
    return status;
}

/* Of random ones; the empty set, which stands for the observed signs, is drawn again. */
static StStatus some_means(const double *x, size_t n, StKey key, double *mean) {
    gsl_rng *rng = st_rng_new(key);
    if (rng == NULL) {
        return ST_NO_MEMORY;
    }
    for (uint64_t draw = 0; draw < st_flip_draws(n);) {
        double sum = 0.0;
        size_t size = 0;
        unsigned long word = 0;
        for (size_t i = 0; i < n; i++) {
            word = i % 32 == 0 ? gsl_rng_get(rng) : word >> 1;
            if (word & 1) {
                sum += x[i];
                size++;
            }
        }
        if (size > 0) {
            mean[draw++] = sum / (double)size;
        }
    }
    gsl_rng_free(rng);
    return ST_OK;
}

StFlipCi st_flip_ci(const double *d, size_t n, double scale, double conf, StKey key) {
    StFlipCi r = {ST_BAD_ARG, n, n <= ST_FLIP_MAX, conf, NAN, NAN};
    StSample s;
    if (!(conf > 0.0 && conf < 1.0)) {
        return r;
    }
    r.status = st_sample_init(&s, d, n, scale);
    if (r.status != ST_OK) {
        return r;
    }
    uint64_t means = r.exact ? ((uint64_t)1 << n) - 1 : st_flip_draws(n), least = least_count(1.0 - conf, means + 1);
    double *mean = st_alloc((size_t)means, sizeof *mean);
    r.status = mean == NULL ? ST_NO_MEMORY : r.exact ? all_means(s.x, n, mean) : some_means(s.x, n, key, mean);
    if (r.status == ST_OK && least < 2) {
        r.status = ST_NOT_REACHABLE;
        r.lo = -INFINITY;
        r.hi = INFINITY;
    } else if (r.status == ST_OK) {
        gsl_sort(mean, 1, (size_t)means);
        r.lo = mean[least - 2]; /* the observed signs are one of `least` */
        r.hi = mean[means - (least - 1)];
    }
    free(mean);
    st_sample_release(&s);
    return r;
}

/* Sums under `total` flips, the observed one first. */
typedef struct {
    uint64_t total;
    double weight; /* flips that each stands for, in p */
    double *ones;  /* [total] of +1 and -1 */
    double *sum;   /* [k][total] of d */
    double *norm;  /* [k] sqrt(n sum d^2), 1 for a column of zeros */
    double *tol;   /* [k] of a sum */
    double *rival; /* [total] largest statistic of the other columns */
} Flipped;

static void flip_row(const Flipped *f, const double *d, size_t k, size_t n, const double *sign, uint64_t at) {
    f->ones[at] = 0.0;
    for (size_t i = 0; i < n; i++) {
        f->ones[at] += sign[i];
    }
    for (size_t j = 0; j < k; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += sign[i] * d[j * n + i];
        }
        f->sum[j * f->total + at] = sum;
    }
}

static void flipped_release(Flipped *f) {
    free(f->ones);
    free(f->sum);
    free(f->norm);
    free(f->tol);
    free(f->rival);
}

static StStatus flipped_init(Flipped *f, const double *d, size_t k, size_t n, const double *scale, StKey key) {
    bool exact = n <= ST_FLIP_MAX;
    uint64_t total = exact ? (uint64_t)1 << (n - 1) : st_flip_draws(n) + 1;
    *f = (Flipped){.total = total, .weight = exact ? 2.0 : 1.0};
    f->ones = st_alloc((size_t)total, sizeof *f->ones);
    f->sum = st_alloc((size_t)total * k, sizeof *f->sum);
    f->norm = st_alloc(k, sizeof *f->norm);
    f->tol = st_alloc(k, sizeof *f->tol);
    f->rival = st_alloc((size_t)total, sizeof *f->rival);
    double *sign = st_alloc(n, sizeof *sign);
    gsl_rng *rng = exact ? NULL : st_rng_new(key);
    bool have = f->ones && f->sum && f->norm && f->tol && f->rival && sign && (exact || rng);
    StStatus status = have ? ST_OK : ST_NO_MEMORY;
    for (size_t j = 0; j < k && status == ST_OK; j++) {
        StSample s;
        double squares = 0.0;
        status = st_sample_init(&s, d + j * n, n, scale != NULL ? scale[j] : 0.0);
        for (size_t i = 0; i < n && status == ST_OK; i++) {
            squares += s.x[i] * s.x[i];
        }
        if (status == ST_OK) {
            f->norm[j] = squares > 0.0 ? sqrt((double)n * squares) : 1.0;
            f->tol[j] = (double)n * s.tol;
            st_sample_release(&s);
        }
    }
    for (uint64_t at = 0; at < total && status == ST_OK; at++) {
        unsigned long word = 0;
        for (size_t i = 0; i < n; i++) {
            if (!exact && at > 0) {
                word = i % 32 == 0 ? gsl_rng_get(rng) : word >> 1;
            }
            sign[i] = (exact ? at >> i & 1 : word & 1) ? -1.0 : 1.0;
        }
        flip_row(f, d, k, n, sign, at);
    }
    free(sign);
    if (rng != NULL) {
        gsl_rng_free(rng);
    }
    return status;
}

/* Largest statistic of all columns but j, flip by flip; their own differences are not shifted. */
static void find_rivals(const Flipped *f, size_t k, size_t j) {
    for (uint64_t at = 0; at < f->total; at++) {
        f->rival[at] = -INFINITY;
        for (size_t i = 0; i < k; i++) {
            if (i != j) {
                f->rival[at] = fmax(f->rival[at], (fabs(f->sum[i * f->total + at]) + f->tol[i]) / f->norm[i]);
            }
        }
    }
}

/* Whether column d[n] shifted by m is not rejected at the level alpha. */
static bool accepted(const Flipped *f, const double *d, size_t j, size_t n, double m, double alpha) {
    const double *sum = f->sum + j * f->total;
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        squares += (d[i] - m) * (d[i] - m);
    }
    double norm = sqrt((double)n * squares), slack = f->tol[j];
    if (norm <= slack) {
        return true;
    }
    double least = (fabs(sum[0] - m * f->ones[0]) - slack) / norm;
    uint64_t count = 0;
    for (uint64_t at = 0; at < f->total; at++) {
        count += f->rival[at] >= least || (fabs(sum[at] - m * f->ones[at]) + slack) / norm >= least;
    }
    return (double)count * f->weight >= alpha * f->weight * (double)f->total * (1.0 - 1e-12);
}

/* The limit on one side of the mean: sign -1 or 1. */
static double limit(const Flipped *f, const double *d, size_t j, size_t n, double mean, double width, double sign,
                    double alpha) {
    double inside = 0.0, outside = width;
    while (accepted(f, d, j, n, mean + sign * outside, alpha)) {
        inside = outside;
        outside *= 2.0;
        if (outside > FARTHEST * width) {
            return sign * (double)INFINITY;
        }
    }
    for (int i = 0; i < 200 && outside - inside > 1e-12 * outside; i++) {
        double mid = 0.5 * (inside + outside);
        if (accepted(f, d, j, n, mean + sign * mid, alpha)) {
            inside = mid;
        } else {
            outside = mid;
        }
    }
    return mean + sign * inside;
}

StStatus st_maxT_ci(const double *d, size_t k, size_t n, const double *scale, double conf, StKey key, StFlipCi *ci) {
    double alpha = 1.0 - conf;
    if (!(conf > 0.0 && conf < 1.0)) {
        return ST_BAD_ARG;
    }
    if (n == 0 || k == 0) {
        return ST_N_TOO_SMALL;
    }
    Flipped f;
    StStatus status = flipped_init(&f, d, k, n, scale, key);
    bool reachable = f.weight < alpha * f.weight * (double)f.total * (1.0 - 1e-12);
    for (size_t j = 0; j < k && status == ST_OK; j++) {
        const double *column = d + j * n;
        double mean = f.sum[j * f.total] / (double)n, squares = 0.0;
        for (size_t i = 0; i < n; i++) {
            squares += (column[i] - mean) * (column[i] - mean);
        }
        double width = sqrt(squares);
        ci[j] = (StFlipCi){ST_OK, n, n <= ST_FLIP_MAX, conf, mean, mean};
        if (!reachable) {
            ci[j].status = ST_NOT_REACHABLE;
            ci[j].lo = -INFINITY;
            ci[j].hi = INFINITY;
        } else if (width > f.tol[j]) {
            find_rivals(&f, k, j);
            ci[j].lo = limit(&f, column, j, n, mean, width, -1.0, alpha);
            ci[j].hi = limit(&f, column, j, n, mean, width, 1.0, alpha);
        }
    }
    flipped_release(&f);
    return status;
}
