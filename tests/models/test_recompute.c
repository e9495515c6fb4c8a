/* Activations that are computed again in the backward pass: the same bits, in the memory of one block. */
#include "models/places.h"
#include "models/trainer_look.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* Blocks 0 and 1 are computed again, the last is not. */
static void setting(int i, Variant *v, ModelShape *s, Recipe *r) {
    toy_setting(i, v, s, r);
    s->layers = 3;
}

static void compare_on(const char *name, int first, int every, int threads) {
    const Backend *backend = backend_find(name, &e);
    cr_assert(backend, "%s", e.text);
    for (int i = first; i < toy_settings(); i += every) {
        Variant v;
        ModelShape s;
        Recipe r;
        char kept[130], again[130];
        setting(i, &v, &s, &r);
        toy_hashes_shared(kept, &v, &s, &r, 5, backend, 3, threads);
        s.recompute = true;
        toy_hashes_shared(again, &v, &s, &r, 5, backend, 3, threads);
        cr_expect_str_eq(again, kept, "%s, setting %d (%s)", name, i, v.name);
    }
}

/* Every placement, with dropout, with two stacks. */
Test(recompute, changes_no_bit, .timeout = 300) {
    compare_on("cpu", 0, 1, 1);
    compare_on("cpu", 1, 5, 3);
    compare_on("cpu64", 2, 5, 1);
}

Test(recompute, changes_no_bit_of_rounded_words, .timeout = 300) {
    compare_on("portable-bf16-stored", 0, 6, 1);
    compare_on("portable-fp16-scaled", 3, 6, 1);
}

Test(recompute, changes_no_bit_on_a_device, .timeout = 600) {
    Error none;
    if (!backend_find("simt", &none)) cr_skip_test("built without the shim");
    compare_on("simt", 0, 9, 1);
}

/* In several passes over a batch. */
Test(recompute, changes_no_bit_in_passes) {
    Variant v;
    ModelShape s;
    Recipe r;
    char kept[130], again[130];
    setting(variant_count, &v, &s, &r);
    s.width = 8, s.batch = 2 * 4096 / s.context, s.passes = 2;
    toy_hashes(kept, &v, &s, &r, 5, backend_find("cpu", &e), 2);
    s.recompute = true;
    toy_hashes(again, &v, &s, &r, 5, backend_find("cpu", &e), 2);
    cr_expect_str_eq(again, kept);
}

static ProbeChoice all_probes(void) {
    ProbeChoice c = {.every = 1};
    for (int i = 0; i < PROBE_COUNT; i++) c.wanted[i] = true;
    return c;
}

/* What a probe looks at is kept. */
Test(recompute, probes_read_the_same) {
    static const char *const names[] = {"pre", "post", "peri", "sandwich"};
    Recipe r = toy_recipe();
    const ProbeChoice probes = all_probes();
    const uint64_t seed = 3;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        Trainer *t[2];
        StepReport *report[2];
        ModelShape s = toy_shape();
        s.layers = 3;
        for (int again = 0; again < 2; again++) {
            s.recompute = again;
            OK(trainer_for_gpt(&t[again], &s, variant_find(names[k], &e), &probes, &r, &seed, 1,
                               backend_find("cpu", &e), &e));
            report[again] = trainer_reports(t[again], 1);
            toy_batch(t[again], 0, 7, 0);
            cr_assert(trainer_step(t[again], report[again]));
        }
        for (int i = 0; i < trainer_probes(t[0]); i++) {
            int layer;
            double a = report[0]->probe[i], b = report[1]->probe[i];
            ProbeKind kind = trainer_probe(t[0], i, &layer);
            cr_expect(a == b || (isnan(a) && isnan(b)), "%s: %s of block %d is %g, kept %g", names[k],
                      probe_info[kind].name, layer, b, a);
        }
        for (int again = 0; again < 2; again++) free(report[again]), trainer_free(t[again]);
    }
}

static size_t words_of(int layers, bool recompute) {
    LOCAL(tape_release) Tape t;
    LOCAL(recompute_release) Recompute again;
    LOCAL(places_release) Places p;
    ModelShape s = toy_shape();
    const ProbeChoice none = {.every = 1};
    s.layers = layers, s.recompute = recompute;
    transformer_build(&t, &s, variant_find("pre", &e), &none);
    recompute_init(&again, &t);
    places_init(&p, &t, true, &again, sizeof(float));
    size_t words = p.words;
    return words;
}

/* A block more is its output more: [rows][width]; a block that keeps its activations has 15 times that beside it:
 * two norms, q, k and v, attention, the sum behind it, and the hidden layer before and behind its GELU. */
Test(recompute, a_block_more_keeps_its_output_alone) {
    ModelShape s = toy_shape();
    size_t output = (size_t)(s.batch * s.context * s.width);
    cr_expect_eq(words_of(9, true) - words_of(5, true), 4 * output);
    cr_expect_eq(words_of(9, false) - words_of(5, false), 4 * 16 * output);
}

/* Each op of the first of two blocks but those that only a sum reads: the last products. */
Test(recompute, last_products_are_not_run_again) {
    LOCAL(tape_release) Tape t;
    LOCAL(recompute_release) Recompute r;
    ModelShape s = toy_shape();
    const ProbeChoice none = {.every = 1};
    s.recompute = true, s.dropout = true;
    transformer_build(&t, &s, variant_find("pre", &e), &none);
    recompute_init(&r, &t);
    for (int i = 0; i < t.ops; i++) {
        const char *name = t.tensor[t.op[i].out].name;
        bool output = !strcmp(name, "h.0.mlp.residual"), product = strstr(name, "mlp.c_proj") != NULL;
        bool dropped = strstr(name, "mlp.dropout") != NULL;
        cr_expect_eq(r.again[i], t.op[i].layer == 0 && !output && !product && !dropped, "%s", name);
        cr_expect_eq(r.lost[t.op[i].out], t.op[i].layer >= 0 && !strstr(name, "mlp.residual"), "%s", name);
    }
}

/* Where a run stops is named as it is without. */
Test(recompute, names_what_is_not_finite) {
    for (int again = 0; again < 2; again++) {
        char culprit[CULPRIT_SIZE];
        ModelShape s = toy_shape();
        s.layers = 3, s.recompute = again;
        toy_culprit(culprit, &s, "h.1.mlp.c_fc.weight", "cpu");
        cr_expect_str_eq(culprit, "act h.1.mlp.c_fc", "recompute %d", again);
    }
}

/* The sites of a step in which something was counted. */
static int counted_once(const char *row, double init_std) {
    const uint64_t seed = 3;
    Recipe r = toy_recipe();
    Rounded *count[2];
    int sites = 0, rounded = 0;
    for (int again = 0; again < 2; again++) {
        LOCAL(trainer_release) Trainer *t;
        ModelShape s = toy_shape();
        s.layers = 3, s.recompute = again;
        if (init_std > 0) r.init.matrix = r.init.residual = init_std;
        const Backend *backend = backend_find(row, &e);
        OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &r, &seed, 1, backend, &e));
        OWNED StepReport *report = trainer_reports(t, 1);
        toy_batch(t, 0, 7, 0);
        cr_assert(trainer_step(t, report));
        sites = roundings_sites(&t->program);
        count[again] = mem_alloc((size_t)sites, sizeof *count[again]);
        roundings_read(&t->program, 0, count[again]);
    }
    for (int i = 0; i < sites; i++) {
        rounded += count[0][i].subnormal || count[0][i].over;
        cr_expect(!memcmp(&count[1][i], &count[0][i], sizeof count[0][i]), "%s, site %d", row, i);
    }
    free(count[0]);
    free(count[1]);
    return rounded;
}

/* What was rounded is counted once. Large weights, so that numbers of bf16 are counted too. */
Test(recompute, roundings_are_counted_once) {
    cr_expect_gt(counted_once("portable-fp16", 0), 20);
    cr_expect_gt(counted_once("simt-fp16", 0), 20);
    int large = counted_once("simt-bf16-stored-fast", 100);
    cr_expect_gt(large, 10, "%d", large);
}
