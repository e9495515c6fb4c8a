#include "bench/run/scale.h"

#include <string.h>

#include "bench/run/cluster/split.h"
#include "kernels/cuda/launch.h"

const ScaleDevice scale_devices[SCALE_DEVICES] = {
#define SCALE_DEVICE(name, memory, flops, tensor, shared) {#name, memory, flops, tensor, shared},
#include "bench/run/scale_devices.def"
#undef SCALE_DEVICE
};

const char *const scale_device_names[SCALE_DEVICES] = {
#define SCALE_DEVICE(name, ...) #name,
#include "bench/run/scale_devices.def"
#undef SCALE_DEVICE
};

static Rc vocabulary(int *out, Session *s, const RunSpec *spec, Error *e) {
    char name[SPEC_TEXT_SIZE];
    Tokenizer t;
    const Dataset *d;
    if (tokenizer_named(&t, spec_get(name, spec, "tokenizer"), e)) return e->code;
    *out = t.vocab;
    if (t.kind->pieces) return RC_OK;
    if (session_dataset(s, spec->dataset.text, name, &d, e))
        return error_prefix(e, "the vocabulary of tokenizer %s is the corpus': ", name);
    *out = d->vocab;
    return RC_OK;
}

static TrainerPlan planned(const Experiment *x, const RunSpec *spec, const ModelShape *shape, int64_t batch,
                           const Backend *backend) {
    ModelShape one = *shape;
    one.batch = (int)batch;
    if (batch < spec->batch) one.passes = 1;
    return trainer_plan(&one, &spec->variant, &x->probes, backend, true);
}

/* Return true if a step of `batch` sequences can be trained: it fits in memory, and no tensor is too large for a
 * kernel. */
static bool trains(const Experiment *x, const RunSpec *spec, const ModelShape *shape, int64_t batch,
                   const Backend *backend, double memory) {
    ModelShape one = *shape;
    Error ignored;
    one.batch = (int)(batch < spec->batch || shape->passes < 2 ? batch : batch / shape->passes);
    if (shape_check(&one, true, &ignored)) return false;
    TrainerPlan p = planned(x, spec, shape, batch, backend);
    return trainer_plan_bytes(&p) <= memory;
}

/* Find the largest batch that can be trained, by bisection: more sequences never take less; 0: none. */
static int64_t largest(const Experiment *x, const RunSpec *spec, const ModelShape *shape, const Backend *backend,
                       double memory) {
    int64_t low = 0, high = spec->batch;
    if (trains(x, spec, shape, high, backend, memory)) return high;
    for (high--; low < high;) {
        int64_t middle = (low + high + 1) / 2;
        if (trains(x, spec, shape, middle, backend, memory))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

Rc scale_shape(ModelShape *out, Session *s, const RunSpec *spec, Error *e) {
    const Backend *backend;
    int vocab = 0;
    if (vocabulary(&vocab, s, spec, e)) return e->code;
    const Todo cut = {.micro_batch = s->micro_batch, .ranks = s->ranks ? s->ranks->ranks : 1};
    if (split_fits(&cut, spec, e)) return e->code;
    *out = spec_shape(spec, vocab);
    out->passes = todo_passes(&cut, spec), out->head_rows = s->logit_rows, out->recompute = s->recompute;
    if (spec_check(spec, e) || shape_keys(out, e)) return e->code;
    if (s->logit_rows &&
        (session_backend(s, (PrecisionKind)spec->precision, &backend, e) || split_logits(spec, backend, e)))
        return e->code;
    return RC_OK;
}

Rc scale_of(Scale *out, Session *s, const Experiment *x, const RunSpec *spec, double memory, Error *e) {
    const Backend *backend;
    ModelShape shape;
    if (scale_shape(&shape, s, spec, e) || session_backend(s, (PrecisionKind)spec->precision, &backend, e))
        return e->code;
    TrainerPlan one = planned(x, spec, &shape, 1, backend);
    *out = (Scale){.plan = planned(x, spec, &shape, spec->batch, backend), .least = trainer_plan_bytes(&one)};
    out->run_flops = out->plan.flops * (double)spec->steps;
    out->fits = largest(x, spec, &shape, backend, memory);
    return RC_OK;
}
