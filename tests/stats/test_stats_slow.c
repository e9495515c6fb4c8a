/* Calibration: what the tests and intervals do at n = 3 … 8 when the truth is known.
 *
 * The rows are those of ../shared/statistics.md: coverage of nominal 95 % intervals and the rate at
 * which p <= .05 comes up when there is no difference. A row passes within four Monte-Carlo
 * standard errors of its own simulation plus `slack`, for the error and the rounding of the stored
 * number. Seeds are fixed: a failure is a change of code. */
#include <gsl/gsl_randist.h>

#include "stats/bootstrap.h"
#include "stats/counts.h"
#include "stats/crossed.h"
#include "stats/multiple.h"
#include "stats/permute.h"
#include "stats/power.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_slow, .init = st_init);

typedef enum { NORMAL, LAPLACE, EXPONENTIAL } Law;

typedef struct {
    Law law;
    size_t n;
    unsigned sets; /* simulated experiments */
    double slack;
    double t, percentile, bca; /* coverage; NAN: not stored */
    double shift, signflip;    /* share of p <= .05 */
} Row;

// clang-format off
static const Row rows[] = {
    {NORMAL,      3, 40000, .004, .948, .675, .690, .301, 0},
    {NORMAL,      4, 40000, .004, .948, .798, .794, .188, 0},
    {NORMAL,      5, 40000, .004, .950, .842, .842, .158, 0},
    {NORMAL,      6, 20000, .004, .950, .857, .857, .143, .032},
    {NORMAL,      8, 10000, .004, .949, .887, .882, .112, .048},
    {LAPLACE,     3, 40000, .020, .966, .658, NAN,  .305, 0},
    {LAPLACE,     5, 40000, .020, .972, .835, NAN,  .149, 0},
    {LAPLACE,     8,  8000, .020, .963, .884, NAN,  .104, .048},
    {EXPONENTIAL, 3, 40000, .020, .880, .615, NAN,  .371, 0},
    {EXPONENTIAL, 5, 40000, .020, .881, .784, NAN,  .222, 0},
    {EXPONENTIAL, 8,  8000, .020, .875, .824, NAN,  .180, NAN},
};
// clang-format on

static double draw(gsl_rng *rng, Law law) {
    switch (law) {
    case NORMAL: return gsl_ran_gaussian_ziggurat(rng, 1.0);
    case LAPLACE: return gsl_ran_laplace(rng, 1.0);
    case EXPONENTIAL: break;
    }
    return gsl_ran_exponential(rng, 1.0) - 1.0;
}

static bool covers(double lo, double hi) {
    return lo <= 0.0 && 0.0 <= hi;
}

static void judge(const Row *row, const char *what, unsigned hits, double want) {
    double got = (double)hits / row->sets;
    double error = sqrt(want * (1.0 - want) / row->sets);
    fprintf(stderr, "law %d n %zu %-10s %.4f  stored %.3f\n", row->law, row->n, what, got, want);
    cr_expect(isnan(want) || fabs(got - want) <= 4.0 * error + row->slack,
              "law %d, n %zu, %s: got %.4f, stored %.3f, error %.4f", row->law, row->n, what, got, want, error);
}

static void simulate(const Row *row, uint64_t stream) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){20260101, stream});
    unsigned t = 0, percentile = 0, bca = 0, shift = 0, flips = 0;
    for (unsigned set = 0; set < row->sets; set++) {
        double d[8];
        for (size_t i = 0; i < row->n; i++) d[i] = draw(rng, row->law);
        StTci ci = st_tci(d, row->n, 0.0, 0.95);
        StBoot boot = st_boot_exact(d, row->n, 0.0, 0.95);
        cr_assert(ci.status == ST_OK && boot.status == ST_OK);
        t += covers(ci.lo, ci.hi);
        percentile += covers(boot.percentile.lo, boot.percentile.hi);
        bca += covers(boot.bca.lo, boot.bca.hi);
        shift += boot.shift.p <= 0.05;
        flips += st_signflip(d, row->n, 0.0, ST_TWO_SIDED, (StKey){0, 0}).p <= 0.05;
    }
    judge(row, "t", t, row->t);
    judge(row, "percentile", percentile, row->percentile);
    judge(row, "bca", bca, row->bca);
    judge(row, "shift", shift, row->shift);
    judge(row, "signflip", flips, row->signflip);
}

Test(stats_slow, small_n_rows) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) simulate(&rows[i], i);
}

/* Three comparisons that share a baseline, eight seeds, no difference: family-wise error at most
 * .05, and step-down max-T closer to it than Holm. */
Test(stats_slow, family_wise_error) {
    enum { SETS = 20000, K = 3, N = 8 };
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){20260101, 100});
    unsigned joint = 0, holm = 0;
    for (int set = 0; set < SETS; set++) {
        double d[K * N], p[K], base[N];
        StMaxTRow row[K];
        for (int i = 0; i < N; i++) base[i] = draw(rng, NORMAL);
        for (int j = 0; j < K; j++) {
            for (int i = 0; i < N; i++) d[j * N + i] = draw(rng, NORMAL) - base[i];
            p[j] = st_signflip(d + j * N, N, 0.0, ST_TWO_SIDED, (StKey){0, 0}).p;
        }
        st_maxT(d, K, N, NULL, 0, (StKey){0, 0}, row);
        st_holm(p, K, p);
        joint += fmin(row[0].step, fmin(row[1].step, row[2].step)) <= 0.05;
        holm += fmin(p[0], fmin(p[1], p[2])) <= 0.05;
    }
    fprintf(stderr, "family-wise error: max-T %.4f, Holm %.4f\n", (double)joint / SETS, (double)holm / SETS);
    cr_expect(joint <= SETS * (0.05 + 4 * sqrt(0.05 * 0.95 / SETS)), "max-T %u of %d", joint, SETS);
    cr_expect(joint >= SETS * 0.04, "max-T %u of %d", joint, SETS);
    cr_expect_lt(holm, joint);
}

/* Relabelling three variants over three seeds rejects at .0278, its floor, and no more often. */
Test(stats_slow, omnibus_level) {
    enum { SETS = 40000 };
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){20260101, 101});
    unsigned hits = 0;
    for (int set = 0; set < SETS; set++) {
        double x[9];
        for (int i = 0; i < 9; i++) x[i] = draw(rng, EXPONENTIAL);
        hits += st_omnibus(x, 3, 3, (StKey){0, 0}).p <= 0.05;
    }
    double want = 1.0 / 36;
    NEAR((double)hits / SETS, want, 4 * sqrt(want * (1 - want) / SETS));
}

/* Simulated rejections meet the noncentral t; equivalence comes up falsely at most at its level. */
Test(stats_slow, power_and_equivalence) {
    enum { SETS = 40000, N = 5 };
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){20260101, 102});
    unsigned rejected = 0, equivalent = 0;
    for (int set = 0; set < SETS; set++) {
        double d[N], edge[N];
        for (int i = 0; i < N; i++) {
            d[i] = draw(rng, NORMAL) + 1.5;
            edge[i] = draw(rng, NORMAL) + 3.0; /* the truth is the margin itself */
        }
        rejected += st_tci(d, N, 0.0, 0.95).p <= 0.05;
        equivalent += st_tost(edge, N, 0.0, -3.0, 3.0, 0.05).equivalent;
    }
    double power = st_power(1.5, N, 0.05).power;
    NEAR((double)rejected / SETS, power, 4 * sqrt(power * (1 - power) / SETS));
    NEAR((double)equivalent / SETS, 0.05, 4 * sqrt(0.05 * 0.95 / SETS));
}

/* Seeds and blocks both random: the crossed interval covers, the pooled one does not. */
Test(stats_slow, crossed_coverage) {
    enum { SETS = 8000, S = 5, B = 12 };
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){20260101, 103});
    unsigned crossed = 0, pooled = 0;
    for (int set = 0; set < SETS; set++) {
        double d[S * B], block[B];
        for (int b = 0; b < B; b++) block[b] = draw(rng, NORMAL);
        for (int s = 0; s < S; s++) {
            double seed = draw(rng, NORMAL);
            for (int b = 0; b < B; b++) d[s * B + b] = seed + block[b] + draw(rng, NORMAL);
        }
        StCrossed c = st_crossed(d, S, B, 0.0, 0.95);
        StTci t = st_tci(d, S * B, 0.0, 0.95);
        crossed += covers(c.lo, c.hi);
        pooled += covers(t.lo, t.hi);
    }
    fprintf(stderr, "crossed %.4f, pooled %.4f\n", (double)crossed / SETS, (double)pooled / SETS);
    cr_expect(crossed >= 0.94 * SETS && crossed <= 0.98 * SETS, "crossed covers %u of %d", crossed, SETS);
    cr_expect_lt(pooled, 0.75 * SETS);
}

/* Clopper-Pearson never covers less than it says, whatever the true rate. */
Test(stats_slow, clopper_pearson_coverage) {
    for (unsigned n = 1; n <= 12; n++) {
        StCp cp[13];
        for (unsigned k = 0; k <= n; k++) cp[k] = st_cp(k, n, 0.95);
        for (int i = 1; i < 200; i++) {
            double rate = i / 200.0, covered = 0.0;
            for (unsigned k = 0; k <= n; k++) {
                bool inside = cp[k].lo <= rate && rate <= cp[k].hi;
                covered += inside ? gsl_ran_binomial_pdf(k, rate, n) : 0.0;
            }
            cr_assert(covered >= 0.95 - 1e-12, "n %u, rate %g: %g", n, rate, covered);
        }
    }
}
