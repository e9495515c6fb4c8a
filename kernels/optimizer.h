/* One optimizer step of one parameter tensor, in place. After it, g holds the update that was applied (new p - old p up
 * to rounding), so that update norms need no copy of the parameters. */
#ifndef KERNELS_OPTIMIZER_H
#define KERNELS_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/scalars.h"

typedef enum {
#define OPTIMIZER(name, moments, formula) OPTIMIZER_##name,
#include "kernels/optimizers.def"
#undef OPTIMIZER
    OPTIMIZER_COUNT
} OptimizerKind;

typedef struct {
    void *p, *g, *m, *v; /* [count], words of the backend; v is unused by sgd */
    size_t count;
    bool decay; /* weight decay applies to this tensor */
    const Scalars *scalars;
} Update;

#endif
