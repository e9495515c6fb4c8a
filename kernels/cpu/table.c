/* Table of the kernels of one CPU backend, in ops.def's order, and its sums. */
#include "kernels/cpu/real.h"

#define OP(name, ...) extern const Kernel SYMBOL(name);
#include "kernels/ops.def"
#undef OP

extern const Kernel *const SYMBOL(kernels)[OP_COUNT];
const Kernel *const SYMBOL(kernels)[OP_COUNT] = {
#define OP(name, ...) [OP_##name] = &SYMBOL(name),
#include "kernels/ops.def"
#undef OP
};

/* Sum each row by lanes (rule 3), then the rows in blocks (rule 2). */
double SYMBOL(sumsq)(const void *x, int rows, int cols);
double SYMBOL(sumsq)(const void *x, int rows, int cols) {
    real slots[40] = {0};
    const real *from = x, *total;
    assert(tree_slots(rows) <= 40);
    ROWS_REDUCE(rows, 1, slots, total, {
        const real *line = reading(from + (size_t)row * (size_t)cols, cols);
        sum[0] += row_dot(line, line, cols);
    });
    return (double)total[0];
}

double SYMBOL(sum)(const void *x, int rows, int cols);
double SYMBOL(sum)(const void *x, int rows, int cols) {
    real slots[40] = {0};
    const real *from = x, *total;
    assert(tree_slots(rows) <= 40);
    ROWS_REDUCE(rows, 1, slots, total, sum[0] += row_sum(reading(from + (size_t)row * (size_t)cols, cols), cols));
    return (double)total[0];
}
