/* Regressions that the claims need: what predicts divergence, and how fast variance grows with depth. */
#ifndef STATS_REGRESS_H
#define STATS_REGRESS_H

#include "stats/status.h"

/* Logistic regression of y (0 or 1) on p predictors and an intercept, by iteratively reweighted least squares. Two
 * predictors are compared by the deviance each leaves. separated: some direction splits the zeros from the ones, so
 * coefficients run to infinity: status ST_DEGENERATE, while deviance stands (its limit, to 1e-9). A predictor without
 * spread, or predictors that determine each other: ST_DEGENERATE, separated false. n < p + 2: ST_N_TOO_SMALL. */
typedef struct {
    StStatus status;
    double deviance;
    bool separated;
} StLogistic;

/* x: [n][p]; y: [n]; each[n]: what every observation adds to the deviance; NULL: not wanted. */
StLogistic st_logistic(const double *x, const unsigned char *y, size_t n, size_t p, double *each);

/* Does y > 0 grow with x by a factor, by a step or by a power? All are fitted to log y by least squares:
 *   exponential  log y = a + b x            linear  log y = log(c + d x)            power  log y = a + p log x
 * aic: Akaike's criterion n ln(rss / n) + 6; delta = aic(exponential) - aic(linear), negative when the exponential
 * is better. rate = b per unit of x; growth = fitted y at the largest over y at the smallest x of the linear fit;
 * power = p, NaN with aic_pow when some x <= 0. n >= 3. y constant: ST_DEGENERATE (all fit). */
typedef struct {
    StStatus status;
    double rate, growth;
    double rss_exp, rss_lin;
    double aic_exp, aic_lin, delta;
    double power, aic_pow;
    double low, width;                      /* the smallest x, and the largest less it */
    double level_exp, level_lin, level_pow; /* log of the fitted y at the smallest x; of the power law at x = 1 */
} StGrowth;

typedef enum { ST_LAW_LINEAR, ST_LAW_EXPONENTIAL, ST_LAW_POWER } StLaw;

/* The fitted y of a law at x. */
double st_growth_at(const StGrowth *g, StLaw law, double x);

StGrowth st_growth(const double *x, const double *y, size_t n);

#endif
