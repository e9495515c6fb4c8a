#include "bench/perf/dry.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/dry.h"
#include "models/trainer.h"

const DryDevice dry_devices[] = {{"A100", 19.5e12, 2.0e12}, {"H200", 66.9e12, 4.3e12}};
const int dry_device_count = sizeof dry_devices / sizeof *dry_devices;

static DryKernel *kernel_of(DryStep *d, const char *name) {
    for (int i = 0; i < d->kernels; i++)
        if (!strcmp(d->kernel[i].name, name)) return &d->kernel[i];
    d->kernel = mem_grow(d->kernel, (size_t)d->kernels + 1, sizeof *d->kernel);
    d->kernel[d->kernels] = (DryKernel){.name = name};
    return &d->kernel[d->kernels++];
}

Rc dry_step(DryStep *out, const RunSpec *spec, int vocab, int replicas, const Backend *backend, Error *e) {
    Trainer *t;
    Recipe *recipe = mem_alloc((size_t)replicas, sizeof *recipe);
    uint64_t *seed = mem_alloc((size_t)replicas, sizeof *seed);
    const int32_t token = 0;
    const Corpus corpus = {&token, 1, 1, 0, 1};
    size_t count = 0;
    *out = (DryStep){.shape = spec_shape(spec, vocab), .replicas = replicas};
    for (int i = 0; i < replicas; i++) recipe[i] = spec_recipe(spec), seed[i] = (uint64_t)i + 1;
    Rc rc = trainer_new(&t, &out->shape, &spec->variant, NULL, recipe, seed, replicas, backend, e);
    if (!rc) {
        rc = trainer_keep_corpus(t, &corpus, e);
        if (!rc) rc = dry_fits(trainer_graph(t), SHARED_SM_90, e);
        const Note *note = rc ? NULL : dry_notes(trainer_graph(t), &count);
        for (size_t i = 0; i < count; i++, out->launches++) {
            DryKernel *k = kernel_of(out, note[i].name);
            k->launches++, k->flops += note[i].flops, k->bytes += note[i].bytes;
        }
        out->model_flops = trainer_flops(t);
        trainer_free(t);
    }
    free(recipe);
    free(seed);
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

double dry_floor(const DryKernel *k, const DryDevice *on) {
    double math = k->flops / on->flops, traffic = k->bytes / on->bytes;
    return math > traffic ? math : traffic;
}

double dry_step_floor(const DryStep *d, const DryDevice *on) {
    double total = d->launches * DRY_GAP;
    for (int i = 0; i < d->kernels; i++) total += dry_floor(&d->kernel[i], on);
    return total;
}
