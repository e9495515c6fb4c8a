/* Ridge regression of a class on a vector, in closed form: what a linear readout finds in it.
 *
 * Every class k has the target 1 where an observation is of it and 0 elsewhere. With S the d x d sum of squares and
 * products of x about its mean m, and c_k the sum of x over class k less its share of the mean, the weights are
 *   w_k = (S + lambda tr(S) / d I)^-1 c_k      (Hoerl and Kennard 1970),
 * and the score of an observation is (x - m) . w_k + n_k / n: the intercept is not shrunk. lambda counts in the mean
 * variance of x, so the answer does not depend on x's scale. Solved by GSL's Cholesky factorization. All in double and
 * in the order of the observations. */
#ifndef STATS_RIDGE_H
#define STATS_RIDGE_H

#include "stats/status.h"

typedef struct StRidge StRidge;

/* d numbers an observation, classes 0 .. classes - 1. NULL: d or classes is 0, or d is 2^20 or more. */
StRidge *st_ridge_new(size_t d, size_t classes);
void st_ridge_free(StRidge *r);

/* One observation; before st_ridge_fit. */
void st_ridge_add(StRidge *r, const double *x, size_t class);

/* lambda > 0. ST_N_TOO_SMALL: fewer than two observations. ST_DEGENERATE: x has no spread. ST_NONFINITE_INPUT: some x
 * was not finite. */
StStatus st_ridge_fit(StRidge *r, double lambda);

/* After a fit that is ST_OK: the class with the largest score, of equal ones the first; its score where score is not
 * NULL. */
size_t st_ridge_class(const StRidge *r, const double *x, double *score);

#endif
