#include "stats/singular.h"

#include <gsl/gsl_linalg.h>
#include <string.h>

StStatus st_singular(const double *a, size_t d, double *s) {
    if (!d) return ST_N_TOO_SMALL;
    if (st_check_finite(a, d * d) != ST_OK) return ST_NONFINITE_INPUT;
    gsl_matrix *left = gsl_matrix_alloc(d, d), *right = gsl_matrix_alloc(d, d);
    StStatus status = left && right ? ST_OK : ST_NO_MEMORY;
    if (status == ST_OK) {
        gsl_vector_view values = gsl_vector_view_array(s, d);
        for (size_t i = 0; i < d; i++) memcpy(gsl_matrix_ptr(left, i, 0), a + i * d, d * sizeof *a);
        if (gsl_linalg_SV_decomp_jacobi(left, right, &values.vector)) status = ST_NO_CONVERGENCE;
    }
    if (left) gsl_matrix_free(left);
    if (right) gsl_matrix_free(right);
    return status;
}
