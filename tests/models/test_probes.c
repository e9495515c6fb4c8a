/* Probes and feeds: every row of models/probes.def is measured and changes nothing that is trained; a model with one
 * more feed and a second stack is a builder, trained by the same trainer; 1,024 layers run. */
#include "base/sha256.h"
#include "models/massive.h"
#include "models/trainer_look.h"
#include "tests/models/toy.h"
#include "tests/test.h"

static ProbeChoice all_probes(void) {
    ProbeChoice c = {.every = 1};
    for (int i = 0; i < PROBE_COUNT; i++) c.wanted[i] = true;
    return c;
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
            LOCAL(trainer_release) Trainer *t = toy_trainer("peri", choice[i], &recipe, backend[b]);
            OWNED StepReport *report = trainer_reports(t, 1);
            train(t, 4, report, chain, hash);
            if (!i) memcpy(expected, hash, 32), memcpy(chain0, chain, 32);
            cr_expect_arr_eq(hash, expected, 32, "%s, choice %d: other parameters", backend[b], i);
            cr_expect_arr_eq(chain, chain0, 32, "%s, choice %d: other losses", backend[b], i);
        }
    }
}

static int by_size(const void *a, const void *b) {
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* By sorting. */
static double massive_share(double *x, size_t n) {
    double count = 0;
    qsort(x, n, sizeof *x, by_size);
    for (size_t i = 0; i < n; i++) count += fabs(x[i]) > 100 && fabs(x[i]) > 1000 * fabs(x[(n - 1) / 2]);
    return count / (double)n;
}

/* The number that a probe of this reduction makes of x[n]; variance in two passes. */
static double reduced(double *x, size_t n, Reduction how) {
    double sum = 0, most = 0, mean = 0, about = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i], most = fmax(most, fabs(x[i])), mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) about += (x[i] - mean) * (x[i] - mean) / (double)n;
    if (how == REDUCE_variance) return about;
    if (how == REDUCE_massive) return massive_share(x, n);
    return how == REDUCE_largest ? most : sqrt(how == REDUCE_rms ? sum / (double)n : sum);
}

static double by_hand(const Trainer *t, const Probe *p) {
    const Tensor *x = &t->tape.tensor[p->tensor];
    size_t n = (size_t)x->rows * (size_t)x->cols, first = (size_t)p->first * (size_t)x->cols;
    OWNED double *values = mem_alloc(n, sizeof *values);
    program_values(&t->program, p->role, p->tensor, 0, values);
    if (p->rows) n = (size_t)p->rows * (size_t)x->cols;
    double number = reduced(values + first, n, p->reduction == REDUCE_word ? REDUCE_norm : p->reduction);
    return number;
}

/* Over all parameters of a layer, or of the model, as they stand. */
static double parameters_by_hand(const Trainer *t, Role role, int layer, const double *less) {
    double sum = 0;
    for (int i = 0, at = 0; i < t->parameters; i++) {
        const Tensor *x = &t->tape.tensor[t->parameter[i]];
        size_t n = (size_t)x->rows * (size_t)x->cols;
        OWNED double *values = mem_alloc(n, sizeof *values);
        program_values(&t->program, role, t->parameter[i], 0, values);
        for (size_t j = 0; j < n; j++, at++) {
            double d = values[j] - (less ? less[at] : 0);
            if (layer < 0 || x->layer == layer) sum += d * d;
        }
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

/* Gradients of the batch that the next step takes. */
static void gradients_of_next(Trainer *t) {
    toy_batch(t, 0, 3, (uint64_t)t->step);
    trainer_scalars(t);
    program_forward(&t->program);
    program_backward(&t->program);
    trainer_seek(t, t->step);
}

/* In double, against numbers read from the tensors themselves. The activations stand after a step as they were, the
 * gradients in a trainer of the same seed that stops before the update. */
Test(probes, numbers_by_hand) {
    const ProbeChoice all = all_probes();
    Recipe recipe = toy_recipe();
    LOCAL(trainer_release) Trainer *t = toy_trainer("peri", &all, &recipe, "cpu64");
    LOCAL(trainer_release) Trainer *before_update = toy_trainer("peri", &all, &recipe, "cpu64");
    OWNED StepReport *report = trainer_reports(t, 1);
    int checked = 0;
    uint8_t chain[32] = {0}, hash[32];
    train(t, 2, report, chain, hash);
    double *before = copy_parameters(t), weights = parameters_by_hand(t, ROLE_PARAM, -1, NULL);
    train(t, 1, report, chain, hash);
    OWNED StepReport *report_of_other = trainer_reports(before_update, 1);
    train(before_update, 2, report_of_other, chain, hash);
    gradients_of_next(before_update);
    for (int i = 0; i < trainer_probes(t); i++) {
        const Probe *p = &t->tape.probe[i];
        bool massive = p->reduction == REDUCE_massive;
        if (p->reduction == REDUCTION_COUNT) {
            cr_expect(isnan(report->probe[i]), "%s: no step computes it", probe_info[p->kind].name);
            continue;
        }
        cr_expect(isfinite(report->probe[i]) && (massive || report->probe[i] > 0), "%s of layer %d: %g",
                  probe_info[p->kind].name, p->layer, report->probe[i]);
        if (p->tensor < 0) continue;
        cr_expect_float_eq(report->probe[i], by_hand(before_update, p), 1e-12 * fabs(report->probe[i]),
                           "%s of layer %d", probe_info[p->kind].name, p->layer);
        checked++;
    }
    cr_expect_eq(checked, 1 + (3 + 17) * t->tape.layers);
    cr_expect_float_eq(toy_probe(t, report, PROBE_weight_norm, -1) / weights, 1, 1e-12);
    for (int layer = -1; layer < t->tape.layers; layer++) {
        double step = toy_probe(t, report, layer < 0 ? PROBE_update_norm : PROBE_block_update_norm, layer);
        cr_expect_float_eq(step / parameters_by_hand(t, ROLE_PARAM, layer, before), 1, 1e-9, "update of layer %d",
                           layer);
    }
    cr_expect_eq(toy_probe(t, report, PROBE_grad_norm, -1), report->grad_norm);
    free(before);
}

/* A block's last bias is added to every row of what leaves it: its gradient is the sum of the stream's gradient over
 * the rows. */
Test(probes, the_streams_gradient_is_kept_whole) {
    const ProbeChoice all = all_probes();
    Recipe recipe = toy_recipe();
    static const char *const variant[] = {"pre", "none"};
    for (int v = 0; v < 2; v++) {
        LOCAL(trainer_release) Trainer *t = toy_trainer(variant[v], &all, &recipe, "cpu64");
        gradients_of_next(t);
        for (int i = 0; i < trainer_probes(t); i++) {
            const Probe *p = &t->tape.probe[i];
            char name[TENSOR_NAME_SIZE];
            if (p->kind != PROBE_stream_grad) continue;
            int rows = t->tape.tensor[p->tensor].rows, cols = t->tape.tensor[p->tensor].cols;
            OWNED double *stream = mem_alloc((size_t)(rows * cols), sizeof *stream),
                         *bias = mem_alloc(32, sizeof *bias);
            snprintf(name, sizeof name, "h.%d.mlp.c_proj.bias", p->layer);
            program_values(&t->program, ROLE_DACT, p->tensor, 0, stream);
            program_values(&t->program, ROLE_GRAD, tape_find(&t->tape, name), 0, bias);
            for (int c = 0; c < cols; c++) {
                double sum = 0;
                for (int row = 0; row < rows; row++) sum += stream[row * cols + c];
                cr_expect_float_eq(sum, bias[c], 1e-15 + 1e-9 * fabs(bias[c]), "%s, block %d", variant[v], p->layer);
            }
        }
    }
}

/* Every placement with every probe: what is kept for them changes no bit, and what they say is the same for any number
 * of threads and beside another replica. */
Test(probes, change_no_placement_and_are_the_same_for_all_threads) {
    const ProbeChoice all = all_probes();
    const Recipe recipe[2] = {toy_recipe(), toy_recipe()};
    const uint64_t seed[2] = {3, 4};
    ModelShape s = toy_shape();
    s.layers = 3;
    for (int v = 0; v < variant_count; v++) {
        double first[512] = {0};
        uint8_t expected[32], hash[32];
        for (int run = 0; run < 4; run++) { /* without probes; with them on 1, 2 and 3 threads, replicas beside it */
            Trainer *t;
            int replicas = run == 2 ? 2 : 1;
            OK(trainer_for_gpt(&t, &s, &variants[v], run ? &all : NULL, recipe, seed, replicas, backend_find("cpu", &e),
                               &e));
            if (run) OK(program_share(&t->program, run, &e));
            StepReport *report = trainer_reports(t, replicas);
            for (int step = 0; step < 2; step++) {
                for (int r = 0; r < replicas; r++) toy_batch(t, r, seed[r], (uint64_t)step);
                cr_assert(trainer_step(t, report));
            }
            trainer_hash(t, 0, hash);
            if (!run) memcpy(expected, hash, 32);
            cr_expect_arr_eq(hash, expected, 32, "%s: other parameters, run %d", variants[v].name, run);
            cr_assert_leq(trainer_probes(t), 512);
            if (run == 1) memcpy(first, report->probe, (size_t)trainer_probes(t) * sizeof *first);
            for (int i = 0; run && i < trainer_probes(t); i++)
                cr_expect(!memcmp(&first[i], &report->probe[i], sizeof *first), "%s: %s on %d threads",
                          variants[v].name, probe_info[t->tape.probe[i].kind].name, run);
            free(report);
            trainer_free(t);
        }
    }
}

/* The loss is scaled, what is reported of the stream's gradient is not. */
Test(probes, the_streams_gradient_is_not_scaled_with_the_loss) {
    const ProbeChoice all = all_probes();
    const Recipe recipe = toy_recipe();
    const ModelShape s = toy_shape();
    const uint64_t seed = 3;
    static const char *const precision[] = {"exact", "fp16-scaled"};
    double norm[2][2];
    for (int p = 0; p < 2; p++) {
        LOCAL(trainer_release) Trainer *t;
        const Backend *b = backend_precise("cpu", precision[p], &e);
        cr_assert(b, "%s", e.text);
        OK(trainer_for_gpt(&t, &s, variant_find("peri", &e), &all, &recipe, &seed, 1, b, &e));
        OWNED StepReport *report = trainer_reports(t, 1);
        do { /* a skipped step changes nothing but the scale */
            toy_batch(t, 0, 3, 0);
            cr_assert(trainer_step(t, report) && t->step < 20);
            cr_expect(!report->skipped || isnan(toy_probe(t, report, PROBE_stream_grad, 0)));
        } while (report->skipped);
        for (int l = 0; l < 2; l++) norm[p][l] = toy_probe(t, report, PROBE_stream_grad, l);
    }
    for (int l = 0; l < 2; l++) cr_expect_float_eq(norm[1][l] / norm[0][l], 1, 0.02, "%g", norm[1][l] / norm[0][l]);
}

Test(probes, massive_activations_by_hand) {
    const double x[] = {0.1, -0.2, 0.3, 299, -301, 100, 0.05}, few[] = {0.01, -0.1, 101, 99}, same[] = {500, 500};
    const float narrow[] = {0.1f, -0.2f, 0.3f, 301, -301, INFINITY, NAN, 0, 0};
    cr_expect_eq(massive_count(x, true, 7), 1, "median 0.3: above 300 is 301 alone");
    cr_expect_eq(massive_count(few, true, 4), 1, "the lower of two medians, 0.1: 101 alone is above 100");
    cr_expect_eq(massive_count(same, true, 2), 0);
    cr_expect_eq(massive_count(narrow, false, 9), 4, "median 0.3 in 32 bits; what is not finite counts");
    cr_expect_eq(massive_count((double[]){150}, true, 1), 0);
}

/* A channel of the embedding so large that the blocks' output has massive activations in it. */
static void plant(Trainer *t) {
    int wte = tape_find(&t->tape, "wte.weight");
    const Tensor *x = &t->tape.tensor[wte];
    OWNED float *words = mem_alloc((size_t)x->rows * (size_t)x->cols, sizeof *words);
    program_read(&t->program, ROLE_PARAM, wte, 0, words);
    for (int row = 0; row < x->rows; row++) words[row * x->cols + 5] = row % 2 ? -20000 : 2;
    program_write(&t->program, ROLE_PARAM, wte, 0, words);
}

Test(probes, massive_activations_that_were_planted) {
    const ProbeChoice all = all_probes();
    Recipe recipe = toy_recipe();
    static const char *const backend[] = {"cpu64", "cpu", "simt"};
    double share[3] = {0};
    for (int b = 0; b < 3; b++) {
        uint8_t chain[32] = {0}, hash[32];
        if (!backend_find(backend[b], &(Error){.code = RC_OK})) continue;
        LOCAL(trainer_release) Trainer *t = toy_trainer("pre", &all, &recipe, backend[b]);
        OWNED StepReport *report = trainer_reports(t, 1);
        plant(t);
        train(t, 1, report, chain, hash);
        share[b] = toy_probe(t, report, PROBE_block_massive, 1);
        cr_expect(share[b] > 0 && share[b] < 1.0 / 32, "%s: %g of all, an odd token's channel", backend[b], share[b]);
        cr_expect_eq(share[b], share[0], "%s", backend[b]);
        cr_expect(toy_probe(t, report, PROBE_block_output_most, 1) > 19000);
    }
}

Test(probes, stand_at_the_steps_that_the_stride_divides) {
    ProbeChoice c = probes_usual();
    Recipe recipe = toy_recipe();
    c.wanted[PROBE_weight_norm] = c.wanted[PROBE_block_update_norm] = true, c.every = 3;
    LOCAL(trainer_release) Trainer *t = toy_trainer("none", &c, &recipe, "cpu");
    OWNED StepReport *report = trainer_reports(t, 1);
    for (int step = 0; step < 7; step++) {
        uint8_t chain[32] = {0}, hash[32];
        train(t, 1, report, chain, hash);
        cr_expect_eq(isnan(toy_probe(t, report, PROBE_weight_norm, -1)), step % 3 != 0, "step %d", step);
        cr_expect_eq(isnan(toy_probe(t, report, PROBE_block_update_norm, 0)), step % 3 != 0, "step %d", step);
        cr_expect(toy_probe(t, report, PROBE_update_norm, -1) > 0, "the usual ones stand at every step");
        cr_expect(isnan(toy_probe(t, report, PROBE_norm_input, 1)), "a model without norms has nothing there");
        cr_expect(report->grad_norm > 0, "clipping needs it at every step");
    }
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
    ModelShape s = toy_shape();
    s.layers = 1024, s.width = 4, s.heads = 1, s.context = 4, s.batch = 1, s.vocab = 11;
    Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    LOCAL(trainer_release) Trainer *t;
    OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, backend_find("cpu", &e), &e));
    OWNED StepReport *report = trainer_reports(t, 1);
    toy_batch(t, 0, 1, 0);
    cr_assert(trainer_step(t, report) && report->finite);
    cr_assert_eq(trainer_probes(t), 3 + 2 * 1024);
    cr_expect(toy_probe(t, report, PROBE_block_grad_norm, 1023) > 0 &&
              toy_probe(t, report, PROBE_norm_input, 1023) > 0);
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

Test(probes, a_second_stack_is_a_builder) {
    ModelShape s = toy_shape();
    Recipe recipe = toy_recipe();
    const uint64_t seed = 2;
    static const char *const backend[] = {"cpu", "simt"};
    uint8_t hash[2][32];
    s.vocab = 11, recipe.lr = 3e-3, recipe.weight_decay = 0;
    for (int b = 0; b < 2; b++) {
        Tape tape;
        Trainer *t;
        FeedRoom room[TRAINER_FEEDS_MAX];
        StepReport report = {.finite = true};
        const Backend *on = backend_find(backend[b], &(Error){.code = RC_OK});
        if (!on) continue;
        two_stacks(&tape, &s, variant_find("pre", &e));
        OK(trainer_from_tape(&t, &tape, 1, &recipe, &seed, 1, on, &e));
        cr_assert_eq(trainer_feeds(t, 0, room), 3);
        cr_assert_str_eq(room[2].name, "source");
        cr_assert_eq(t->tape.layers, 4);
        cr_assert(tape_find(&t->tape, "src.h.1.attn.c_attn.weight") >= 0 &&
                  tape_find(&t->tape, "h.1.attn.c_attn.weight") >= 0);
        if (b) {
            const Corpus corpus = {(int32_t[]){0, 0}, 2, 1, 1, s.context};
            cr_expect_eq(trainer_keep_corpus(t, &corpus, &e), RC_USAGE);
            HOLDS(e.text, "'source'");
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
