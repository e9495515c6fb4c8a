/* Exact tests and intervals for counts. */
#include "stats/counts.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#define COUNT_MAX 100000000u

/* x with I_x(a, b) = p. GSL's inverse is a Newton iteration that may stop short; its answer is kept
 * when it is right and bisected otherwise. */
static double beta_quantile(double p, double a, double b) {
    double x = gsl_cdf_beta_Pinv(p, a, b);
    if (x > 0.0 && x < 1.0 && fabs(gsl_cdf_beta_P(x, a, b) - p) <= 1e-10 * p) return x;
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (lo + hi);
        if (gsl_cdf_beta_P(mid, a, b) < p)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

StCp st_cp(uint64_t k, uint64_t n, double conf) {
    StCp r = {ST_BAD_ARG, k, n, NAN, NAN};
    if (!(conf > 0.0 && conf < 1.0) || k > n) return r;
    if (n == 0) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    double tail = (1.0 - conf) / 2.0, hits = (double)k, misses = (double)(n - k);
    r.status = ST_OK;
    r.lo = k == 0 ? 0.0 : beta_quantile(tail, hits, misses + 1.0);
    r.hi = k == n ? 1.0 : 1.0 - beta_quantile(tail, misses, hits + 1.0); /* mirrored: both ends as precise */
    return r;
}

/* P(X <= k) of binomial(n, 1/2), n <= 60, as a whole number of the 2^n outcomes. */
static double half_tail(uint64_t k, uint64_t n) {
    uint64_t ways = 1, sum = 1;
    for (uint64_t i = 1; i <= k; i++) {
        ways = ways * (n - i + 1) / i; /* exact: at most C(60, 30) * 60 < 2^63 */
        sum += ways;
    }
    return ldexp((double)sum, -(int)n);
}

/* Two-sided binomial p by doubling the smaller tail. */
static double binomial_p(uint64_t k, uint64_t n, double share) {
    if (share == 0.5 && n <= 60) return fmin(1.0, 2.0 * half_tail(k < n - k ? k : n - k, n));
    double low = gsl_cdf_binomial_P((unsigned)k, share, (unsigned)n);
    double high = k == 0 ? 1.0 : gsl_cdf_binomial_Q((unsigned)(k - 1), share, (unsigned)n);
    return fmin(1.0, 2.0 * fmin(low, high));
}

unsigned st_median_rank(unsigned n, double conf) {
    unsigned low = 0;
    while (low < n / 2 && gsl_cdf_binomial_P(low, 0.5, n) <= (1 - conf) / 2) low++;
    return low;
}

StMcnemar st_mcnemar(uint64_t b, uint64_t c) {
    StMcnemar r = {ST_BAD_ARG, b, c, NAN, NAN};
    if (b > COUNT_MAX || c > COUNT_MAX) return r;
    uint64_t n = b + c;
    r.status = ST_OK;
    r.p = n == 0 ? 1.0 : binomial_p(b < c ? b : c, n, 0.5);
    r.p_min = n == 0 ? 1.0 : 2.0 * gsl_pow_uint(0.5, (unsigned)n);
    return r;
}

StFisher st_fisher(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    StFisher r = {ST_BAD_ARG, NAN, NAN, NAN};
    if (a > COUNT_MAX || b > COUNT_MAX || c > COUNT_MAX || d > COUNT_MAX) return r;
    if (a + b + c + d == 0) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    unsigned row = (unsigned)(a + b), other = (unsigned)(c + d), column = (unsigned)(a + c);
    unsigned first = column > other ? column - other : 0, last = column < row ? column : row;
    double seen = gsl_ran_hypergeometric_pdf((unsigned)a, row, other, column);
    double p = 0.0, rarest = 1.0;
    for (unsigned k = first; k <= last; k++) {
        double each = gsl_ran_hypergeometric_pdf(k, row, other, column);
        p += each <= seen * (1.0 + 1e-7) ? each : 0.0;
        rarest = fmin(rarest, each);
    }
    double low = gsl_ran_hypergeometric_pdf(first, row, other, column);
    double high = gsl_ran_hypergeometric_pdf(last, row, other, column);
    bool tied = first != last && fabs(low - high) <= 1e-7 * rarest;
    r.status = ST_OK;
    r.p = fmin(1.0, p);
    r.p_min = fmin(1.0, tied ? 2.0 * rarest : rarest);
    if (b > 0 && c > 0) r.odds = (double)a * (double)d / ((double)b * (double)c);
    return r;
}
