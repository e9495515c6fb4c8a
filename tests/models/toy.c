#include "tests/models/toy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/philox.h"
#include "base/sha256.h"

int toy_settings(void) {
    return variant_count + 3 + OPTIMIZER_COUNT;
}

void toy_setting(int i, Variant *v, ModelShape *s, Recipe *r) {
    Error e;
    *s = toy_shape();
    *r = toy_recipe();
    *v = *variant_find("pre", &e);
    if (i < variant_count)
        *v = variants[i];
    else if (i == variant_count)
        s->dropout = true, r->dropout = 0.1, variant_set(v, "embed", "rms", &e);
    else if (i < variant_count + 1 + OPTIMIZER_COUNT)
        r->optimizer = (OptimizerKind)(i - variant_count - 1);
    else if (i > variant_count + 1 + OPTIMIZER_COUNT)
        s->positions = POSITIONS_ROPE, s->activation = ACTIVATION_SWIGLU, s->bias = s->tied = false;
    else
        variant_set(v, "attn.qk", "rms", &e), variant_set(v, "gate", "learned 0.5", &e), r->lr = 1e3, r->clip = 0;
    s->layers = variant_depth(v, s->layers);
}

void toy_batch(Trainer *t, int replica, uint64_t seed, uint64_t step) {
    int rows = t->tape.tensor[t->targets].rows;
    uint32_t vocab = (uint32_t)t->tape.tensor[t->tape.logits].cols;
    for (int i = 0; i < rows; i++) {
        trainer_feed(t, "tokens", replica)[i] =
            (int32_t)philox_below(philox_word(seed, 1, philox_offset(step, (uint64_t)i)), vocab);
        trainer_feed(t, "targets", replica)[i] =
            (int32_t)philox_below(philox_word(seed, 1, philox_offset(step, (uint64_t)i + 1)), vocab);
    }
}

float toy_train(Trainer *t, int steps, uint8_t chain[32]) {
    StepReport report[8] = {{0}};
    assert(t->program.replicas <= 8);
    for (int i = 0; i < steps; i++) {
        for (int r = 0; r < t->program.replicas; r++) toy_batch(t, r, t->seed[r], (uint64_t)t->step);
        trainer_step(t, report);
        for (int r = 0; r < t->program.replicas; r++) chain_add(chain, report[r].loss);
        if (!report[0].finite) break;
    }
    return report[0].loss;
}

void toy_hashes(char out[130], const Variant *v, const ModelShape *s, const Recipe *r, uint64_t seed,
                const Backend *backend, int steps) {
    toy_hashes_shared(out, v, s, r, seed, backend, steps, 1);
}

void toy_hashes_shared(char out[130], const Variant *v, const ModelShape *s, const Recipe *r, uint64_t seed,
                       const Backend *backend, int steps, int threads) {
    Trainer *t;
    Error e;
    uint8_t chain[32] = {0}, parameters[32];
    char a[SHA256_HEX], b[SHA256_HEX];
    Rc rc = trainer_new(&t, s, v, NULL, r, &seed, 1, backend, &e);
    assert(!rc);
    rc = program_share(&t->program, threads, &e);
    assert(!rc);
    (void)rc;
    toy_train(t, steps, chain);
    trainer_hash(t, 0, parameters);
    snprintf(out, 130, "%s:%s", sha256_hex(a, chain), sha256_hex(b, parameters));
    trainer_free(t);
}

Trainer *toy_trainer(const char *variant, const ProbeChoice *probes, const Recipe *recipe, const char *backend) {
    Error e;
    static const uint64_t seed = 3;
    const ModelShape s = toy_shape();
    Trainer *t = NULL;
    Rc rc = trainer_new(&t, &s, variant_find(variant, &e), probes, recipe, &seed, 1, backend_find(backend, &e), &e);
    assert(rc == RC_OK);
    (void)rc;
    return t;
}

double toy_probe(const Trainer *t, const StepReport *report, ProbeKind kind, int layer) {
    for (int i = 0; i < trainer_probes(t); i++) {
        int at;
        if (trainer_probe(t, i, &at) == kind && at == layer) return report->probe[i];
    }
    assert(!"a probe that is not listed");
    return 0;
}
