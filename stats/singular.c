#include "stats/singular.h"

#include <gsl/gsl_linalg.h>
#include <string.h>

StStatus st_singular(const double *a, size_t d, double *s) {
    if (!d) return ST_N_TOO_SMALL;
    if (st_check_finite(a, d * d) != ST_OK) return ST_NONFINITE_INPUT;
    gsl_matrix *left = st_or_end(gsl_matrix_alloc(d, d)), *right = st_or_end(gsl_matrix_alloc(d, d));
    gsl_vector_view values = gsl_vector_view_array(s, d);
    for (size_t i = 0; i < d; i++) memcpy(gsl_matrix_ptr(left, i, 0), a + i * d, d * sizeof *a);
    bool failed = gsl_linalg_SV_decomp_jacobi(left, right, &values.vector) != 0;
    gsl_matrix_free(left);
    gsl_matrix_free(right);
    return failed ? ST_NO_CONVERGENCE : ST_OK;
}
