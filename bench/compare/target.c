/* Curves: every run becomes the first step at which it reaches the target. */
#include <math.h>

#include "bench/compare/rows.h"

static bool reaches(const CompareColumns *c, double value) {
    return c->rising ? value >= c->target : value <= c->target; /* false for NaN */
}

Rc compare_reach(CompareRows *r, CompareReached *out, Error *e) {
    size_t runs = 0;
    *out = (CompareReached){.ended = (double)INFINITY};
    for (size_t first = 0, next; first < r->rows; first = next) {
        CompareRow run = r->row[first];
        run.value = (double)NAN;
        for (next = first; next < r->rows && r->row[next].arm == run.arm && r->row[next].seed == run.seed; next++) {
            const CompareRow *at = &r->row[next];
            if (next > first && at[-1].block == at->block) return compare_twice(r, at - 1, at, e);
            if (isnan(run.value) && reaches(&r->columns, at->value)) run.value = (double)at->block;
        }
        double end = (double)r->row[next - 1].block;
        out->last = fmax(out->last, end);
        if (isnan(run.value)) out->ended = fmin(out->ended, end);
        run.block = 0;
        r->row[runs++] = run;
    }
    r->rows = runs;
    r->blocks = false;
    return RC_OK;
}
