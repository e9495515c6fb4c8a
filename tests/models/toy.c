#include "tests/models/toy.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "base/sha256.h"
#include "models/trainer_look.h"

/* Encoder-decoders: rows whose constants or streams know of two stacks, and one of each kind of embedding. */
static const char *const paired[] = {"post", "peri", "deepnorm", "admin", "subln", "attnres-block"};
enum { PAIRED = sizeof paired / sizeof *paired };

int toy_settings(void) {
    return variant_count + 3 + OPTIMIZER_COUNT + PAIRED;
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
    else if (i > variant_count + 2 + OPTIMIZER_COUNT) {
        int pair = i - variant_count - 3 - OPTIMIZER_COUNT;
        *v = *variant_find(paired[pair], &e);
        s->pairs = true, s->shared = pair % 2, s->positions = pair % 3 ? POSITIONS_SINUSOIDAL : POSITIONS_LEARNED;
        r->init = (InitStd){0.2, 0.2, 0.2, 0.2}; /* or an encoder's gradients are too small for fp16 */
        s->tied = pair != 4, s->dropout = pair == 1, r->dropout = s->dropout ? 0.1 : 0, r->smoothing = 0.1;
        if (pair == 1) variant_set(v, "attn.qk", "rms", &e), variant_set(v, "attn.v", "rms", &e);
    } else if (i > variant_count + 1 + OPTIMIZER_COUNT)
        s->positions = POSITIONS_ROPE, s->activation = ACTIVATION_SWIGLU, s->bias = s->tied = false;
    else
        variant_set(v, "attn.qk", "rms", &e), variant_set(v, "gate", "learned 0.5", &e), r->lr = 1e3, r->clip = 0;
    s->layers = variant_depth(v, s->layers);
}

/* Of sentences packed by hand: of 1 to 6 tokens, each reading one of as many, a pair to 7 rows; then padding. */
static void toy_ranges(Trainer *t, int replica, uint64_t seed, uint64_t step) {
    static const char *const kinds[][2] = {{"positions", "keys"}, {"source_positions", "source_keys"}};
    int rows = t->tape.tensor[t->targets].rows, pairs = rows / 7;
    int32_t *memory = trainer_feed(t, "memory_keys", replica), *target = trainer_feed(t, "targets", replica);
    memset(memory, 0, 2 * (size_t)rows * sizeof *memory);
    for (int kind = 0; kind < 2; kind++) {
        int32_t *position = trainer_feed(t, kinds[kind][0], replica), *key = trainer_feed(t, kinds[kind][1], replica);
        memset(position, 0, (size_t)rows * sizeof *position);
        memset(key, 0, 2 * (size_t)rows * sizeof *key);
        for (int i = 0; i < rows; i++) {
            int pair = i / 7, place = i % 7;
            uint32_t word = philox_word(seed, 2, philox_offset(step, (uint64_t)pair));
            int length = 1 + (int)philox_below(word, 6), source = 1 + (int)philox_below(word * 747796405u, 6);
            if (kind) length = source;
            bool real = pair < pairs && place < length;
            if (!kind && !real) target[i] = -1;
            if (!real) continue;
            position[i] = place;
            key[2 * i] = i - place, key[2 * i + 1] = kind ? i - place + length : i + 1;
            if (!kind) memory[2 * i] = i - place, memory[2 * i + 1] = i - place + source;
        }
    }
}

void toy_batch(Trainer *t, int replica, uint64_t seed, uint64_t step) {
    int rows = t->tape.tensor[t->targets].rows * t->tape.passes;
    uint32_t vocab = (uint32_t)t->tape.tensor[t->tape.logits].cols;
    for (int i = 0; i < rows; i++) {
        trainer_feed(t, "tokens", replica)[i] =
            (int32_t)philox_below(philox_word(seed, 1, philox_offset(step, (uint64_t)i)), vocab);
        trainer_feed(t, "targets", replica)[i] =
            (int32_t)philox_below(philox_word(seed, 1, philox_offset(step, (uint64_t)i + 1)), vocab);
        if (tape_fed(&t->tape, "source") >= 0)
            trainer_feed(t, "source", replica)[i] =
                (int32_t)philox_below(philox_word(seed, 3, philox_offset(step, (uint64_t)i)), vocab);
    }
    if (tape_fed(&t->tape, "memory_keys") >= 0) toy_ranges(t, replica, seed, step);
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
    Rc rc = trainer_for_gpt(&t, s, v, NULL, r, &seed, 1, backend, &e);
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
    Rc rc = trainer_for_gpt(&t, &s, variant_find(variant, &e), probes, recipe, &seed, 1, backend_find(backend, &e), &e);
    assert(rc == RC_OK);
    (void)rc;
    return t;
}

void toy_culprit(char out[CULPRIT_SIZE], const ModelShape *s, const char *parameter, const char *backend) {
    Error e;
    LOCAL(trainer_release) Trainer *t = NULL;
    const uint64_t seed = 3;
    Recipe r = toy_recipe();
    Rc rc = trainer_for_gpt(&t, s, variant_find("pre", &e), NULL, &r, &seed, 1, backend_find(backend, &e), &e);
    assert(rc == RC_OK);
    (void)rc;
    *(float *)program_at(&t->program, ROLE_PARAM, tape_find(&t->tape, parameter), 0) = (float)INFINITY;
    OWNED StepReport *report = trainer_reports(t, 1);
    toy_batch(t, 0, 7, 0);
    (void)trainer_step(t, report);
    strcpy(out, report->culprit);
}

double toy_probe(const Trainer *t, const StepReport *report, ProbeKind kind, int layer) {
    for (int i = 0; i < trainer_probes(t); i++) {
        int at;
        if (trainer_probe(t, i, &at) == kind && at == layer) return report->probe[i];
    }
    assert(!"a probe that is not listed");
    return 0;
}
