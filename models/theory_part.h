/* Compute single parts of a network in double (backend cpu64), for exact statements of theory: a norm and its Jacobian,
 * an MLP with a norm on its output, ReLU on normals, a chain of residual adds. All matrices are row-major. */
#ifndef MODELS_THEORY_PART_H
#define MODELS_THEORY_PART_H

#include <stdint.h>

#include "models/norm.h"

/* Compute y [d], the norms of x [d], one after the other, with initial parameters and eps 0. */
Rc theory_norm(const Norm *norm, int norms, const double *x, int d, double *y, Error *e);

/* Compute jacobian [d][d], dy_i / dx_j, by d backward passes. */
Rc theory_norm_jacobian(Norm norm, const double *x, int d, double *jacobian, Error *e);

/* Compute o = norm(a), a = W2 h, h = relu(W1 x), one token, x of N(0, I_d), entries of W1 and W2 of N(0, 1/d) times
 * scale1 and scale2; the loss is c . o with c of N(0, I_d). Fill the gradient of W2 [d][d] (to a, from h) and h, a,
 * c [d]. */
Rc theory_mlp(Norm norm, int d, double scale1, double scale2, uint64_t seed, double *w2, double *h, double *a,
              double *c, Error *e);

/* Compute the mean over `tokens` x of N(0, s^2 I_d) of |relu(x)|^2 / d. */
Rc theory_relu(int tokens, int d, double s, uint64_t seed, double *out, Error *e);

/* Compute x_l [layers], x <- x + a w x from x = 1. */
Rc theory_chain(int layers, double a, double w, double *x, Error *e);

/* Fill x[i] with s times the i-th normal of the stream of that name. */
void theory_normals(double *x, int count, uint64_t seed, const char *stream, double s);

#endif
