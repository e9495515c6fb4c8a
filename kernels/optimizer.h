/* One optimizer step of one parameter tensor, in place. After it, g holds the update that was applied (new p - old p up
 * to rounding), so that update norms need no copy of the parameters. */
#ifndef KERNELS_OPTIMIZER_H
#define KERNELS_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/scalars.h"

typedef enum {
#define OPTIMIZER(name, ...) OPTIMIZER_##name,
#include "kernels/optimizers.def"
#undef OPTIMIZER
    OPTIMIZER_COUNT
} OptimizerKind;

typedef struct {
    void *p, *g, *m, *v; /* [count], in the backend's type; m and v are unused if the optimizer keeps fewer */
    size_t count;
    bool decay; /* weight decay applies to this tensor */
    const Scalars *scalars;
} Update;

/* The lines of a parameter that are brought to length 1 after each update (nGPT, Loshchilov et al. 2024): every row, or
 * every column, is divided by its L2 norm. A line whose squares sum to 0 stays as it is. */
typedef enum { UNIT_none, UNIT_rows, UNIT_columns } UnitKind;

/* Return how many moments an optimizer keeps for each parameter: 0, 1 (m) or 2 (m and v). */
static inline int optimizer_moments(OptimizerKind kind) {
    static const int kept[] = {
#define OPTIMIZER(name, moments, ...) moments,
#include "kernels/optimizers.def"
#undef OPTIMIZER
    };
    return kept[kind];
}

#endif
