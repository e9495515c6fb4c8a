#include "tests/gpu/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/dry.h"
#include "models/trainer_count.h"

static KernelWork *kernel_of(Work *w, const char *name) {
    for (int i = 0; i < w->kernels; i++)
        if (!strcmp(w->kernel[i].name, name)) return &w->kernel[i];
    assert(w->kernels < KERNELS_MAX);
    w->kernel[w->kernels] = (KernelWork){.name = name};
    return &w->kernel[w->kernels++];
}

Rc work_of(Work *out, const Backend *backend, bool small, int arm, int replicas, const ProbeChoice *probes, Error *e) {
    Group *g = mem_alloc(1, sizeof *g);
    size_t count = 0;
    *out = (Work){.kernels = 0};
    Rc rc = group_init(g, dry_precise(backend->precision), small, arm, replicas, probes, e);
    const Note *note = rc ? NULL : dry_notes(trainer_graph(g->trainer), &count);
    for (size_t i = 0; i < count; i++) {
        KernelWork *k = kernel_of(out, note[i].name);
        k->launches++, k->flops += note[i].flops, k->bytes += note[i].bytes;
        out->launches++, out->bytes += note[i].bytes;
    }
    if (!rc) group_release(g);
    free(g);
    return rc;
}
