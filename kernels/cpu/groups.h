/* Groups of columns (residual streams), and sums of them weighted by the numbers of a matrix. */
#ifndef KERNELS_CPU_GROUPS_H
#define KERNELS_CPU_GROUPS_H

#include "kernels/cpu/real.h"

typedef struct {
    int d, n, m; /* columns of a group, groups of in[0], groups of out */
} Groups;

static inline Groups groups_of(const Call *c) {
    int d = c->attr.group ? c->attr.group : c->in[0].cols;
    return (Groups){d, c->in[0].cols / d, c->out.cols / d};
}

/* Compute to[i] = chain over k of w[k * step] from[k * d + i] for n numbers of a line, in vectors of chains. */
static inline void mix_line(real *restrict to, const real *restrict from, const real *w, int step, int count, int d,
                            int n, bool accumulate) {
    real chain[LINE] = {0};
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++) chain[i] = r_fma(w[k * step], from[k * d + i], chain[i]);
    for (int i = 0; i < n; i++) put(&to[i], chain[i], accumulate);
}

/* Mix a whole group, line by line. */
static inline void mix(real *to, const real *from, const real *w, int step, int count, int d, bool accumulate) {
    int i = 0;
    for (; i + LINE <= d; i += LINE) mix_line(to + i, from + i, w, step, count, d, LINE, accumulate);
    if (i < d) mix_line(to + i, from + i, w, step, count, d, d - i, accumulate);
}

#endif
