/* Identify runs before training: arithmetic of their operations here, ids, and which runs one program can train. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/philox.h"
#include "base/sha256.h"
#include "bench/run/execute.h"
#include "models/trainer_look.h"

/* Hash a toy run: it keeps everything of the spec that chooses operations, and makes sizes, steps and warm-up small. */
Rc arithmetic_hash(char out[SHA256_HEX], const RunSpec *s, const Backend *backend, Error *e) {
    ModelShape shape = spec_shape(s, 65);
    shape.layers = variant_depth(&s->variant, 2); /* deep enough for norms of some blocks only */
    shape.width = 32, shape.heads = 4, shape.context = 16, shape.batch = 2, shape.ffn_mult = 4;
    Recipe recipe = spec_recipe(s);
    recipe.init_seed = recipe.order_seed = recipe.dropout_seed = 0;
    recipe.steps = 2, recipe.warmup = recipe.warmup > 1 ? 1 : recipe.warmup;
    uint64_t seed = 1;
    uint8_t chain[32] = {0};
    Trainer *t;
    StepReport report = {.finite = true};
    if (trainer_for_gpt(&t, &shape, &s->variant, NULL, &recipe, &seed, 1, backend, e)) return e->code;
    for (uint64_t step = 0; step < 2 && report.finite; step++) {
        for (uint64_t i = 0; i < 32; i++) {
            trainer_feed(t, "tokens", 0)[i] = (int32_t)philox_below(philox_word(1, 1, philox_offset(step, i)), 65);
            trainer_feed(t, "targets", 0)[i] = (int32_t)philox_below(philox_word(1, 1, philox_offset(step, i + 1)), 65);
        }
        if (!trainer_step(t, &report)) break;
        chain_add(chain, report.loss);
        chain_add(chain, (float)report.grad_norm);
    }
    trainer_hash(t, 0, chain);
    Rc rc = trainer_failed(t, e) ? e->code : RC_OK;
    trainer_free(t);
    sha256_hex(out, chain);
    return rc;
}

void run_class(char out[BACKEND_CLASS_SIZE], const Backend *backend, int passes, int ranks,
               int logit_rows) {
    char text[2 * BACKEND_CLASS_SIZE];
    int length = snprintf(text, sizeof text, "%s", backend_class(backend));
    if (passes > 1 && backend_has_library(backend))
        length += snprintf(text + length, sizeof text - (size_t)length, " %d parts %d ranks", passes, ranks);
    if (logit_rows && backend_has_library(backend))
        length += snprintf(text + length, sizeof text - (size_t)length, " logits by %d", logit_rows);
    assert(length < BACKEND_CLASS_SIZE);
    memcpy(out, text, (size_t)length + 1);
}

void run_id(char out[SHA256_HEX], const RunSpec *s, const Dataset *d, const char *arithmetic_class,
            const char *arithmetic) {
    RunSpec bytes = spec_by_bytes(s);
    record_identity(out, &bytes, d->sha256, d->tokenizer_sha256, arithmetic_class, arithmetic);
}

/* Return b with a's values of the keys in which replicas of one program may differ (scalars, initialization). */
static RunSpec alike(const RunSpec *a, const RunSpec *b) {
    RunSpec s = *b;
    s.seed = a->seed;
    s.init_std = a->init_std, s.token_std = a->token_std, s.position_std = a->position_std;
    s.residual_init = a->residual_init;
    s.init_seed = a->init_seed, s.order_seed = a->order_seed, s.dropout_seed = a->dropout_seed;
    s.lr = a->lr, s.warmup_lr = a->warmup_lr, s.final_lr = a->final_lr, s.schedule = a->schedule, s.warmup = a->warmup;
    s.beta1 = a->beta1, s.beta2 = a->beta2, s.adam_eps = a->adam_eps, s.momentum = a->momentum;
    s.weight_decay = a->weight_decay, s.clip = a->clip;
    return s;
}

bool execute_together(const RunSpec *a, const RunSpec *b) {
    RunSpec like = alike(a, b);
    LOCAL_TEXT(ours);
    LOCAL_TEXT(theirs);
    spec_text(a, &ours), spec_text(&like, &theirs);
    return !strcmp(ours.at, theirs.at);
}
