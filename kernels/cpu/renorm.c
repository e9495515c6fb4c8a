/* Divide rows, or columns, of a parameter by their L2 norms (kernels/optimizer.h). */
#include "kernels/cpu/real.h"
#include "kernels/optimizer.h"

static void rows_of(real *x, int cols, Share rows) {
    for (int row = rows.from; row < rows.to; row++) {
        real *line = x + (size_t)row * (size_t)cols, norm = r_sqrt(row_dot(line, line, cols));
        for (int i = 0; norm > 0 && i < cols; i++) line[i] /= norm;
    }
}

enum { SOME = 32, SLOTS = 40 };

/* Scale n columns, at most SOME, from x on: sums of squares by rule 2, then the quotients. */
static void some_columns(real *x, int rows, int cols, int n) {
    real slots[SLOTS * SOME], norm[SOME];
    const real *total;
    assert(tree_slots(rows) <= SLOTS);
    ROWS_REDUCE(rows, n, slots, total, {
        const real *line = x + (size_t)row * (size_t)cols;
        for (int i = 0; i < n; i++) sum[i] = r_fma(line[i], line[i], sum[i]);
    });
    for (int i = 0; i < n; i++) norm[i] = total[i] > 0 ? r_sqrt(total[i]) : 1;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++) x[(size_t)row * (size_t)cols + (size_t)i] /= norm[i];
}

void SYMBOL(renorm)(void *x, int rows, int cols, UnitKind unit, int part, int parts);
void SYMBOL(renorm)(void *x, int rows, int cols, UnitKind unit, int part, int parts) {
    const Share mine = share_of(part, parts, unit == UNIT_rows ? rows : cols);
    if (unit == UNIT_rows) rows_of(x, cols, mine);
    for (int from = mine.from; unit == UNIT_columns && from < mine.to; from += SOME)
        some_columns((real *)x + from, rows, cols, mine.to - from < SOME ? mine.to - from : SOME);
}
