/* Singular values of a small matrix. */
#ifndef STATS_SINGULAR_H
#define STATS_SINGULAR_H

#include "stats/status.h"

/* s [d]: the singular values of a [d][d], row-major, descending, by one-sided Jacobi rotations, which keep the small
 * ones exact (gsl_linalg_SV_decomp_jacobi). ST_NONFINITE_INPUT, ST_NO_CONVERGENCE; d = 0: ST_N_TOO_SMALL. */
StStatus st_singular(const double *a, size_t d, double *s);

#endif
