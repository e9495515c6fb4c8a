/* Probes and feeds: every row of models/probes.def is measured and changes nothing that is trained; a model with one
 * more feed and a second stack is a builder, trained by the same trainer; 1,024 layers run. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "tests/models/toy.h"

static ProbeChoice all_probes(void) {
    ProbeChoice c = {.every = 1};
    for (int i = 0; i < PROBE_COUNT; i++) c.wanted[i] = true;
    return c;
}

static Trainer *toy_trainer(const char *variant, const ProbeChoice *probes, const Recipe *recipe, const char *backend) {
    Error e;
    static const uint64_t seed = 3;
    const ModelShape s = toy_shape();
    Trainer *t;
    cr_assert_eq(
        trainer_new(&t, &s, variant_find(variant, &e), probes, recipe, &seed, 1, backend_find(backend, &e), &e), RC_OK);
    return t;
}

/* Parameters and losses of a few steps, and the last report. */
static void train(Trainer *t, int steps, StepReport *report, uint8_t chain[32], uint8_t hash[32]) {
    for (int i = 0; i < steps; i++) {
        toy_batch(t, 0, 3, (uint64_t)t->step);
        cr_assert(trainer_step(t, report));
        chain_add(chain, report->loss);
    }
    trainer_hash(t, 0, hash);
}

Test(probes, change_nothing_that_is_trained) {
    const ProbeChoice all = all_probes(), none = {.every = 1},
                      seldom = {.wanted = {[PROBE_norm_input] = true}, .every = 3};
    const ProbeChoice *const choice[] = {NULL, &all, &none, &seldom};
    static const char *const backend[] = {"cpu", "cpu64"};
    const Recipe recipe = toy_recipe();
    for (int b = 0; b < 2; b++) {
        uint8_t expected[32], chain0[32] = {0};
        for (int i = 0; i < 4; i++) {
            uint8_t hash[32], chain[32] = {0};
            Trainer *t = toy_trainer("peri", choice[i], &recipe, backend[b]);
            StepReport *report = trainer_reports(t, 1);
            train(t, 4, report, chain, hash);
            if (!i) memcpy(expected, hash, 32), memcpy(chain0, chain, 32);
            cr_expect_arr_eq(hash, expected, 32, "%s, choice %d: other parameters", backend[b], i);
            cr_expect_arr_eq(chain, chain0, 32, "%s, choice %d: other losses", backend[b], i);
            free(report);
            trainer_free(t);
        }
    }
}

static double value_of(const Trainer *t, const StepReport *report, ProbeKind kind, int layer) {
    for (int i = 0; i < trainer_probes(t); i++) {
        int at;
        if (trainer_probe(t, i, &at) == kind && at == layer) return report->probe[i];
    }
    cr_assert(false, "probe %s of layer %d is not listed", probe_info[kind].name, layer);
    return 0;
}

/* The number that a probe of this reduction makes of x[n]. */
static double reduced(const double *x, size_t n, Reduction how) {
    double sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i], most = fmax(most, fabs(x[i]));
    return how == REDUCE_largest ? most : sqrt(how == REDUCE_rms ? sum / (double)n : sum);
}

static double by_hand(const Trainer *t, const Probe *p) {
    const Tensor *x = &t->tape.tensor[p->tensor];
    size_t n = (size_t)x->rows * (size_t)x->cols;
    double *values = mem_alloc(n, sizeof *values);
    program_values(&t->program, p->role, p->tensor, 0, values);
    double number = reduced(values, n, p->reduction == REDUCE_word ? REDUCE_norm : p->reduction);
    free(values);
    return number;
}

/* Over all parameters of a layer, or of the model, as they stand. */
static double parameters_by_hand(const Trainer *t, Role role, int layer, const double *less) {
    double sum = 0;
    for (int i = 0, at = 0; i < t->parameters; i++) {
        const Tensor *x = &t->tape.tensor[t->parameter[i]];
        size_t n = (size_t)x->rows * (size_t)x->cols;
        double *values = mem_alloc(n, sizeof *values);
        program_values(&t->program, role, t->parameter[i], 0, values);
        for (size_t j = 0; j < n; j++, at++) {
            double d = values[j] - (less ? less[at] : 0);
            if (layer < 0 || x->layer == layer) sum += d * d;
        }
        free(values);
    }
    return sqrt(sum);
}

static double *copy_parameters(const Trainer *t) {
    double *all = mem_alloc(trainer_weights(t), sizeof *all);
    for (int i = 0, at = 0; i < t->parameters; i++) {
        const Tensor *x = &t->tape.tensor[t->parameter[i]];
        program_values(&t->program, ROLE_PARAM, t->parameter[i], 0, all + at);
        at += x->rows * x->cols;
    }
    return all;
}

/* In double, against numbers read from the tensors themselves. The activations stand after a step as they were. */
Test(probes, numbers_by_hand) {
    const ProbeChoice all = all_probes();
    Recipe recipe = toy_recipe();
    Trainer *t = toy_trainer("peri", &all, &recipe, "cpu64");
    StepReport *report = trainer_reports(t, 1);
    int checked = 0;
    uint8_t chain[32] = {0}, hash[32];
    train(t, 2, report, chain, hash);
    double *before = copy_parameters(t), weights = parameters_by_hand(t, ROLE_PARAM, -1, NULL);
    train(t, 1, report, chain, hash);
    for (int i = 0; i < trainer_probes(t); i++) {
        const Probe *p = &t->tape.probe[i];
        cr_expect(isfinite(report->probe[i]) && report->probe[i] > 0, "%s of layer %d: %g", probe_info[p->kind].name,
                  p->layer, report->probe[i]);
        if (p->role != ROLE_ACT) continue;
        cr_expect_float_eq(report->probe[i] / by_hand(t, p), 1, 1e-12, "%s of layer %d", probe_info[p->kind].name,
                           p->layer);
        checked++;
    }
    cr_expect_eq(checked, 1 + 3 * t->tape.layers);
    cr_expect_float_eq(value_of(t, report, PROBE_weight_norm, -1) / weights, 1, 1e-12);
    for (int layer = -1; layer < t->tape.layers; layer++) {
        double step = value_of(t, report, layer < 0 ? PROBE_update_norm : PROBE_block_update_norm, layer);
        cr_expect_float_eq(step / parameters_by_hand(t, ROLE_PARAM, layer, before), 1, 1e-9, "update of layer %d",
                           layer);
    }
    cr_expect_eq(value_of(t, report, PROBE_grad_norm, -1), report->grad_norm);
    free(before);
    free(report);
    trainer_free(t);
}

Test(probes, stand_at_the_steps_that_the_stride_divides) {
    ProbeChoice c = probes_usual();
    Recipe recipe = toy_recipe();
    c.wanted[PROBE_weight_norm] = c.wanted[PROBE_block_update_norm] = true, c.every = 3;
    Trainer *t = toy_trainer("none", &c, &recipe, "cpu");
    StepReport *report = trainer_reports(t, 1);
    for (int step = 0; step < 7; step++) {
        uint8_t chain[32] = {0}, hash[32];
        train(t, 1, report, chain, hash);
        cr_expect_eq(isnan(value_of(t, report, PROBE_weight_norm, -1)), step % 3 != 0, "step %d", step);
        cr_expect_eq(isnan(value_of(t, report, PROBE_block_update_norm, 0)), step % 3 != 0, "step %d", step);
        cr_expect(value_of(t, report, PROBE_update_norm, -1) > 0, "the usual ones stand at every step");
        cr_expect(isnan(value_of(t, report, PROBE_norm_input, 1)), "a model without norms has nothing there");
        cr_expect(report->grad_norm > 0, "clipping needs it at every step");
    }
    free(report);
    trainer_free(t);
}

Test(probes, what_a_stored_run_lacks) {
    ProbeChoice asked = probes_usual(), stored = probes_usual();
    cr_expect_eq(probes_lacking(&stored, &asked), PROBE_COUNT);
    asked.wanted[PROBE_weight_norm] = true;
    cr_expect_eq(probes_lacking(&stored, &asked), PROBE_weight_norm);
    cr_expect_eq(probes_lacking(&asked, &stored), PROBE_COUNT, "more than was asked for is enough");
    ProbeChoice older = stored;
    older.wanted[PROBE_norm_input] = false;
    cr_expect_eq(probes_lacking(&older, &stored), PROBE_COUNT, "a record may be older than a usual probe");
    stored = asked, stored.every = 2;
    cr_expect_eq(probes_lacking(&stored, &asked), PROBE_weight_norm);
    asked.every = 4;
    cr_expect_eq(probes_lacking(&stored, &asked), PROBE_COUNT);
}

/* A deep model, more layers than there ever was room for. */
Test(probes, a_thousand_and_twenty_four_layers) {
    Error e;
    ModelShape s = toy_shape();
    s.layers = 1024, s.width = 4, s.heads = 1, s.context = 4, s.batch = 1, s.vocab = 11;
    Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    Trainer *t;
    cr_assert_eq(trainer_new(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, backend_find("cpu", &e), &e),
                 RC_OK);
    StepReport *report = trainer_reports(t, 1);
    toy_batch(t, 0, 1, 0);
    cr_assert(trainer_step(t, report) && report->finite);
    cr_assert_eq(trainer_probes(t), 3 + 2 * 1024);
    cr_expect(value_of(t, report, PROBE_block_grad_norm, 1023) > 0 && value_of(t, report, PROBE_norm_input, 1023) > 0);
    free(report);
    trainer_free(t);
}

/* A model that no file of models/ knows: a second stack reads the feed "source", and what it makes of it is added to
 * what enters the first one's blocks. */
static void two_stacks(Tape *t, const ModelShape *s, const Variant *v) {
    Stack source, text;
    int rows = s->batch * s->context;
    const ProbeChoice usual = probes_usual();
    tape_init(t);
    int tokens = tape_feed(t, rows, "tokens"), targets = tape_feed(t, rows, "targets"),
        from = tape_feed(t, rows, "source");
    stack_init(&source, t, s, v, "src.");
    stack_init(&text, t, s, v, "");
    int read = stack_blocks(&source, stack_embedding(&source, from));
    int x = stack_embedding(&text, tokens);
    x = tape_op2(t, OP_residual, x, read, (Attr){.alpha = 1, .beta = 1}, -1, "joined");
    stack_head(&text, stack_blocks(&text, x), targets);
    tape_probe(t, &usual);
}

/* The targets are the source's tokens: what the text stack reads says nothing about them. */
static void two_batch(Trainer *t, uint64_t step) {
    toy_batch(t, 0, 5, step);
    memcpy(trainer_feed(t, "source", 0), trainer_feed(t, "targets", 0),
           sizeof(int32_t) * (size_t)t->tape.tensor[t->targets].rows);
}

Test(feeds, a_second_stack_is_a_builder) {
    Error e;
    ModelShape s = toy_shape();
    Recipe recipe = toy_recipe();
    const uint64_t seed = 2;
    static const char *const backend[] = {"cpu", "simt"};
    uint8_t hash[2][32];
    s.vocab = 11, recipe.lr = 3e-3, recipe.weight_decay = 0;
    for (int b = 0; b < 2; b++) {
        Tape tape;
        Trainer *t;
        FeedRoom room[TRAINER_MOST_FEEDS];
        StepReport report = {.finite = true};
        const Backend *on = backend_find(backend[b], &(Error){.code = RC_OK});
        if (!on) continue;
        two_stacks(&tape, &s, variant_find("pre", &e));
        cr_assert_eq(trainer_of(&t, &tape, 1, &recipe, &seed, 1, on, &e), RC_OK);
        cr_assert_eq(trainer_feeds(t, 0, room), 3);
        cr_assert_str_eq(room[2].name, "source");
        cr_assert_eq(t->tape.layers, 4);
        cr_assert(tape_find(&t->tape, "src.h.1.attn.c_attn.weight") >= 0 &&
                  tape_find(&t->tape, "h.1.attn.c_attn.weight") >= 0);
        if (b) {
            const Corpus corpus = {(int32_t[]){0, 0}, 2, 1, 1, s.context};
            cr_expect_eq(trainer_keep_corpus(t, &corpus, &e), RC_USAGE);
            cr_expect(strstr(e.text, "'source'"), "%s", e.text);
        }
        float first = 0;
        for (int step = 0; step < (b ? 3 : 60); step++) {
            two_batch(t, (uint64_t)step);
            cr_assert(trainer_step(t, &report));
            if (!step) first = report.loss;
            if (step == 2) trainer_hash(t, 0, hash[b]);
        }
        cr_assert(b || report.loss < 0.5f * first, "loss %g after 60 steps, %g at the start", (double)report.loss,
                  (double)first);
        cr_expect(!b || !memcmp(hash[1], hash[0], 32), "the device's kernels train it alike");
        trainer_free(t);
    }
}
