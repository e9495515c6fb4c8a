/* The toy shape that bits are proven on: 2 layers x 32, T = 16, B = 2, a synthetic batch from Philox. */
#ifndef TESTS_TOY_H
#define TESTS_TOY_H

#include "models/trainer_state.h"

static inline ModelShape toy_shape(void) {
    return (ModelShape){.layers = 2,
                        .width = 32,
                        .heads = 4,
                        .context = 16,
                        .vocab = 65,
                        .batch = 2,
                        .ffn_mult = 4,
                        .bias = true,
                        .tied = true,
                        .norm_eps = 1e-5};
}

/* The shape of write-up 002 and of `perf`: 8 layers x 128, T = 128, B = 16. */
static inline ModelShape whole_shape(void) {
    ModelShape s = toy_shape();
    s.layers = 8, s.width = 128, s.heads = 8, s.context = 128, s.batch = 16;
    return s;
}

static inline Recipe toy_recipe(void) {
    return (Recipe){.optimizer = OPTIMIZER_adamw,
                    .schedule = SCHEDULE_constant,
                    .steps = 20,
                    .lr = 1e-3,
                    .beta1 = 0.9,
                    .beta2 = 0.95,
                    .eps = 1e-8,
                    .momentum = 0.9,
                    .weight_decay = 0.1,
                    .clip = 1,
                    .init = {0.02, 0.02, 0.02, 0.01}};
}

/* The settings that bits are compared in: every variant, dropout, each optimizer, learned gates at lr = 1e3 without
 * clipping (which diverges), rotary positions with a gated MLP, encoder-decoders of several variants. */
int toy_settings(void);
void toy_setting(int i, Variant *v, ModelShape *s, Recipe *r);

/* Random tokens keyed by (seed, step); the targets are the tokens shifted by one. */
void toy_batch(Trainer *t, int replica, uint64_t seed, uint64_t step);

/* Trains `steps` steps from where the trainer stands and folds every loss into chain[32]. Returns the last loss of
 * replica 0; stops when a replica's loss is not finite. */
float toy_train(Trainer *t, int steps, uint8_t chain[32]);

/* A whole run: loss chain and parameter hash as one hex text "chain:parameters". */
void toy_hashes(char out[130], const Variant *v, const ModelShape *s, const Recipe *r, uint64_t seed,
                const Backend *backend, int steps);
/* The same by several threads together. */
void toy_hashes_shared(char out[130], const Variant *v, const ModelShape *s, const Recipe *r, uint64_t seed,
                       const Backend *backend, int steps, int threads);

/* A trainer of the toy shape, one replica of seed 3. */
Trainer *toy_trainer(const char *variant, const ProbeChoice *probes, const Recipe *recipe, const char *backend);
/* What a step is stopped by (StepReport.culprit) once the first word of a parameter is infinite; "" if by nothing. Of
 * Pre-LN. */
void toy_culprit(char out[CULPRIT_SIZE], const ModelShape *s, const char *parameter, const char *backend);
/* A probe's number in a report; layer -1: of the whole model. */
double toy_probe(const Trainer *t, const StepReport *report, ProbeKind kind, int layer);

#endif
