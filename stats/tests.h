/* The statistical tests as rows, from stats/tests.def: what claims may name and `list` shows. */
#ifndef STATS_TESTS_H
#define STATS_TESTS_H

#include <stddef.h>

/* What a small p shows: that means differ, that they are equal within a margin, that variances over seeds,
 * shares of diverged or stalled runs differ, or that a number predicts which runs diverge. */
typedef enum {
    ST_ABOUT_difference,
    ST_ABOUT_equality,
    ST_ABOUT_variance,
    ST_ABOUT_divergence,
    ST_ABOUT_stall,
    ST_ABOUT_predictor
} StAbout;

/* floor: the smallest two-sided p that n seeds (or pairs) and m comparisons on the same seeds can
 * give; NULL: any p > 0 can occur. For the omnibus the m comparisons are m + 1 variants. */
typedef struct {
    const char *name; /* as written in claims and JSON */
    StAbout about;
    const char *what;
    const char *source;
    double (*floor)(size_t n, size_t m);
} StTest;

extern const StTest st_tests[];
extern const size_t st_tests_count;

/* The row of that name, or NULL. */
const StTest *st_test_find(const char *name);

/* The fewest seeds, up to 64, with floor < alpha, so that some p < alpha; 0 when there are none, 1 for a test without
 * floor. */
size_t st_test_seeds(const StTest *test, size_t m, double alpha);

#endif
