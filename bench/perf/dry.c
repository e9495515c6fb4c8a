#include "bench/perf/dry.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/dry.h"
#include "models/trainer.h"
#include "models/trainer_count.h"

const DryDevice dry_devices[DRY_DEVICES] = {{"A100", 19.5e12, 156e12, 312e12, 2.0e12},
                                            {"H200", 66.9e12, 494.7e12, 989.4e12, 4.3e12}};

static double larger(double x, double y) {
    return x > y ? x : y;
}

/* Return the peak FLOP/s of a kernel; products of narrow factors run on the tensor cores. */
static double peak_of(const DryDevice *on, bool narrow, PrecisionKind p) {
    if (!narrow || p == PRECISION_fp32) return on->flops;
    return p == PRECISION_tf32 ? on->tf32 : on->half;
}

static void add(DryKernel *k, const Note *n, PrecisionKind p) {
    k->launches++, k->flops += n->flops, k->bytes += n->bytes;
    for (int i = 0; i < DRY_DEVICES; i++) {
        const DryDevice *on = &dry_devices[i];
        k->floor[i] += larger(n->flops / peak_of(on, n->narrow, p), n->bytes / on->bytes);
    }
}

static DryKernel *kernel_of(DryStep *d, const char *name) {
    for (int i = 0; i < d->kernels; i++)
        if (!strcmp(d->kernel[i].name, name)) return &d->kernel[i];
    d->kernel = mem_grow(d->kernel, (size_t)d->kernels + 1, sizeof *d->kernel);
    d->kernel[d->kernels] = (DryKernel){.name = name};
    return &d->kernel[d->kernels++];
}

Rc dry_step(DryStep *out, const RunSpec *spec, int vocab, int replicas, const Backend *backend, Error *e) {
    Trainer *t;
    OWNED Recipe *recipe = mem_alloc((size_t)replicas, sizeof *recipe);
    OWNED uint64_t *seed = mem_alloc((size_t)replicas, sizeof *seed);
    const int32_t token = 0;
    const Corpus corpus = {&token, 1, 1, 0, 1};
    size_t count = 0;
    *out = (DryStep){.shape = spec_shape(spec, vocab), .replicas = replicas};
    for (int i = 0; i < replicas; i++) recipe[i] = spec_recipe(spec), seed[i] = (uint64_t)i + 1;
    Rc rc = trainer_for_gpt(&t, &out->shape, &spec->variant, NULL, recipe, seed, replicas, backend, e);
    if (!rc) {
        rc = trainer_keep_corpus(t, &corpus, e);
        if (!rc) rc = dry_fits(trainer_graph(t), SHARED_SM_90, e);
        const Note *note = rc ? NULL : dry_notes(trainer_graph(t), &count);
        for (size_t i = 0; i < count; i++, out->launches++)
            add(kernel_of(out, note[i].name), &note[i], backend->precision);
        out->model_flops = trainer_flops(t);
        trainer_free(t);
    }
    return rc;
}

Rc dry_passes_fit(const RunSpec *spec, const ModelShape *shape, int replicas, const Backend *backend, size_t shared,
                  Error *e) {
    Graph *passes;
    if (trainer_passes(&passes, shape, &spec->variant, replicas, backend, e)) return e->code;
    Rc rc = dry_fits(passes, shared, e);
    backend->device->forget(passes);
    return rc;
}

void dry_step_release(DryStep *d) {
    free(d->kernel);
    *d = (DryStep){0};
}

double dry_step_floor(const DryStep *d, int device) {
    double total = d->launches * DRY_GAP;
    for (int i = 0; i < d->kernels; i++) total += d->kernel[i].floor[device];
    return total;
}
