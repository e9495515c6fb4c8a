/* One row per statistical test. Adding one: a function elsewhere and a line here. */
#include "stats/tests.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <string.h>

#include "stats/permute.h"

static double flip_floor(size_t n, size_t m) {
    (void)m; /* one comparison, or all flipped jointly */
    return n <= ST_FLIP_MAX ? fmin(1.0, ldexp(2.0, -(int)n)) : 1.0 / (ST_FLIP_DRAWS + 1);
}

static double holm_floor(size_t n, size_t m) {
    return fmin(1.0, (double)(m > 0 ? m : 1) * flip_floor(n, 1));
}

static double mcnemar_floor(size_t n, size_t m) {
    (void)m;
    return n <= 1000 ? fmin(1.0, ldexp(2.0, -(int)n)) : 0.0;
}

static double fisher_floor(size_t n, size_t m) {
    (void)m; /* all of n against none of n: 2 / C(2n, n) */
    return fmin(1.0, 2.0 * exp(2.0 * gsl_sf_lngamma((double)n + 1.0) - gsl_sf_lngamma(2.0 * (double)n + 1.0)));
}

static double omnibus_floor(size_t n, size_t m) {
    double log_all = (double)(n > 0 ? n - 1 : 0) * gsl_sf_lngamma((double)m + 2.0); /* (k!)^(n-1), k = m + 1 */
    return log_all <= log(1e6) ? exp(-log_all) : 1.0 / 100001.0;
}

// clang-format off
const StTest st_tests[] = {
    {"t", "paired t test and interval of the mean difference", "Student 1908", "-", NULL},
    {"signflip", "exact sign flips of the mean difference", "Fisher 1935", "2/2^n", flip_floor},
    {"wilcoxon", "exact signed ranks", "Wilcoxon 1945", "2/2^n", flip_floor},
    {"maxt", "step-down max-T, all comparisons flipped together", "Westfall and Young 1993", "2/2^n", flip_floor},
    {"holm", "Holm's adjustment of sign-flip p", "Holm 1979", "m 2/2^n", holm_floor},
    {"hochberg", "Hochberg's adjustment of sign-flip p", "Hochberg 1988", "2/2^n", flip_floor},
    {"bh", "Benjamini-Hochberg false discovery rate of sign-flip p", "Benjamini and Hochberg 1995", "2/2^n",
     flip_floor},
    {"omnibus", "variants relabelled within seeds: do any differ?", "Fisher 1935", "1/(k!)^(n-1)", omnibus_floor},
    {"boot-pct", "bootstrap: twice the smaller tail; reported, never decides below ten seeds", "Efron 1979", "-",
     NULL},
    {"boot-shift", "bootstrap of the centred differences; reported, never decides below ten seeds",
     "Efron and Tibshirani 1993", "-", NULL},
    {"boot-koehn", "bootstrap: share of resamples where A is not better; reported, never decides below ten seeds",
     "Koehn 2004", "-", NULL},
    {"tost", "equivalence within a margin by two one-sided t tests", "Schuirmann 1987", "-", NULL},
    {"crossed", "mean difference over seeds crossed with blocks of text", "Satterthwaite 1946", "-", NULL},
    {"mcnemar", "exact test of paired divergence", "McNemar 1947", "2/2^n", mcnemar_floor},
    {"fisher", "exact test of unpaired divergence", "Fisher 1935", "2/C(2n,n)", fisher_floor},
    {"poisson", "paired counts given their totals", "Przyborowski and Wilenski 1940", "-", NULL},
    {"levene", "equal variances, unpaired, about medians", "Brown and Forsythe 1974", "-", NULL},
    {"pitman-morgan", "equal variances, paired", "Pitman 1939", "-", NULL},
    {"logistic", "what predicts divergence: deviance gained", "Cox 1958", "-", NULL},
};
// clang-format on

const size_t st_tests_count = sizeof st_tests / sizeof st_tests[0];

const StTest *st_test_find(const char *name) {
    for (size_t i = 0; i < st_tests_count; i++) {
        if (strcmp(st_tests[i].name, name) == 0) {
            return &st_tests[i];
        }
    }
    return NULL;
}

size_t st_test_seeds(const StTest *test, size_t m, double alpha) {
    for (size_t n = 1; n <= 64; n++) {
        if (test->floor == NULL || test->floor(n, m) < alpha) {
            return n;
        }
    }
    return 0;
}
