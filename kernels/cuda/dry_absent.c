/* A build without a C++ compiler has no stage tables, so it has no dry run. */
#include "kernels/cuda/dry.h"

const Backend *dry_backend(const char *name) {
    (void)name;
    return NULL;
}

const Backend *dry_precise(PrecisionKind p) {
    (void)p;
    return NULL;
}

Rc dry_fits(const Graph *g, size_t shared, Error *e) {
    (void)g, (void)shared, (void)e;
    return RC_OK;
}

const Note *dry_notes(const Graph *g, size_t *count) {
    (void)g;
    *count = 0;
    return NULL;
}
