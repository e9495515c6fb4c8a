/* One row per statistical test, of tests.def; the functions that give their floors. */
#include "stats/tests.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <string.h>

#include "stats/permute.h"

static double flip_floor(size_t n, size_t m) {
    (void)m; /* one comparison, or all flipped jointly */
    return n <= ST_FLIP_MAX ? fmin(1.0, ldexp(2.0, -(int)n)) : 1.0 / (double)(st_flip_draws(n) + 1);
}

static double holm_floor(size_t n, size_t m) {
    return fmin(1.0, (double)(m > 0 ? m : 1) * flip_floor(n, 1));
}

static double mcnemar_floor(size_t n, size_t m) {
    (void)m;
    return n <= 1000 ? fmin(1.0, ldexp(2.0, -(int)n)) : 0.0;
}

static double inside_floor(size_t n, size_t m) {
    (void)m; /* shifted differences flipped jointly */
    return n < ST_EQUAL_SEEDS ? 1.0 : n <= ST_FLIP_MAX ? ldexp(1.0, -(int)n) : 1.0 / (double)(st_flip_draws(n) + 1);
}

static double swap_floor(size_t n, size_t m) {
    return n > 1 ? flip_floor(n - 1, m) : 1.0;
}

static double fisher_floor(size_t n, size_t m) {
    (void)m; /* all of n against none of n: 2 / C(2n, n) */
    return fmin(1.0, 2.0 * exp(2.0 * gsl_sf_lngamma((double)n + 1.0) - gsl_sf_lngamma(2.0 * (double)n + 1.0)));
}

static double omnibus_floor(size_t n, size_t m) {
    double log_all = (double)(n > 0 ? n - 1 : 0) * gsl_sf_lngamma((double)m + 2.0); /* (k!)^(n-1), k = m + 1 */
    return log_all <= log(1e6) ? exp(-log_all) : 1.0 / 100001.0;
}

const StTest st_tests[] = {
#define TEST(name, about, what, source, floor, reading) {name, ST_ABOUT_##about, what, source, floor},
#include "stats/tests.def"
#undef TEST
};

const size_t st_tests_count = sizeof st_tests / sizeof st_tests[0];

const StTest *st_test_find(const char *name) {
    for (size_t i = 0; i < st_tests_count; i++)
        if (strcmp(st_tests[i].name, name) == 0) return &st_tests[i];
    return NULL;
}

size_t st_test_seeds(const StTest *test, size_t m, double alpha) {
    for (size_t n = 1; n <= 64; n++)
        if (!test->floor || test->floor(n, m) < alpha) return n;
    return 0;
}
