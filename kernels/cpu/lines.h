/* Ops on lines: a line is a row, or one of a row's groups of columns, which has the memory of a row of its own. */
#ifndef KERNELS_CPU_LINES_H
#define KERNELS_CPU_LINES_H

#include "kernels/cpu/real.h"

static inline int width_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols;
}

static inline int lines_of(const Call *c) {
    return c->in[0].rows * (c->in[0].cols / width_of(c));
}

/* Run the last argument for each of this thread's lines in every replica r: n numbers from index `first` on. */
#define EACH_LINE(c, ...) \
    do { \
        const int n = width_of(c); \
        const Share lines = call_share(c, lines_of(c)); \
        for (int r = 0; r < (c)->replicas; r++) \
            for (int line = lines.from; line < lines.to; line++) { \
                const size_t first = (size_t)line * (size_t)n; \
                __VA_ARGS__; \
            } \
    } while (0)

/* Return the bytes of scratch of ROWS_REDUCE over all lines for the gradient of one gain. */
static inline size_t gain_scratch(const Call *c) {
    return (size_t)tree_slots(lines_of(c)) * (size_t)width_of(c) * sizeof(real);
}

#endif
