/* Loops over every element of every replica, for ops whose y(i) depends on x(i) alone. VALUE and SLOPE are written in
 * terms of x[i]; SLOPE is dy/dx, multiplied by the incoming gradient. */
#ifndef KERNELS_CPU_ELEMENTWISE_H
#define KERNELS_CPU_ELEMENTWISE_H

#include "kernels/cpu/real.h"

#define ELEMENTWISE_FORWARD(c, value) \
    for (int r = 0; r < (c)->replicas; r++) { \
        const real *restrict x = at((c)->in[0], r); \
        real *restrict y = at((c)->out, r); \
        const int n = (c)->out.rows * (c)->out.cols; \
        for (int i = 0; i < n; i++) y[i] = (value); \
    }

#define ELEMENTWISE_BACKWARD(c, slope) \
    for (int r = 0; (c)->din[0].at && r < (c)->replicas; r++) { \
        const real *restrict x = at((c)->in[0], r), *restrict dy = at((c)->dout, r); \
        real *restrict dx = at((c)->din[0], r); \
        const int n = (c)->out.rows * (c)->out.cols; \
        (void)x; \
        if ((c)->accumulate[0]) \
            for (int i = 0; i < n; i++) dx[i] += dy[i] * (slope); \
        else \
            for (int i = 0; i < n; i++) dx[i] = dy[i] * (slope); \
    }

#endif
