/* The CUDA kernels' own code, run through the shim in several orders of threads: the readable backend's bits for every
 * op and for whole trainings, alone and among replicas, step by step and in stretches with the corpus on the device. */

#include "base/philox.h"
#include "base/sha256.h"
#include "kernels/cuda/simt/run.h"
#include "kernels/cuda/step_launch.h"
#include "models/trainer_look.h"
#include "tests/kernels/simt_case.h"
#include "tests/models/toy.h"
#include "tests/test.h"

KERNEL_BUILDS(simt);

TEST_EACH(simt, ops_have_the_readable_bits, CASE_COUNT) {
    int kind = *index;
    SimtCase shape;
    bool costly;
    unsigned reached = 0;
    char why[160];
    int ran = 0;
    for (int i = 0; simt_case(kind, i, &shape, &costly); i++, ran++) {
        for (int o = 0; o < SIMT_ORDERS; o++) {
            if (costly && o != i % SIMT_ORDERS) continue;
            cr_assert(simt_agrees(why, kind, &shape, simt_orders[o], &reached), "%s", why);
        }
    }
    cr_assert_geq(ran, 28);
    cr_assert_eq(reached, simt_all_stages(kind), "%s: a stage was never launched (%x of %x)", case_name(kind), reached,
                 simt_all_stages(kind));
}

/* Forward, or backward with nothing wanted of it, so that no stage writes: what scratch held before is gone. */
static void assert_fresh(const char *backend, int kind, bool back) {
    LOCAL(case_release) OpCase c;
    case_init(&c, kind, 9, 16, backend_find(backend, &e), 2, 7, true);
    const Kernel *k = c.backend->kernel[c.call.kind];
    size_t bytes = k->scratch(&c.call), stale = 0;
    memset(c.call.scratch, 0x3f, bytes);
    for (int i = 0; back && i < c.call.in_count; i++) c.call.din[i].at = NULL;
    if (back)
        k->backward(&c.call);
    else
        k->forward(&c.call);
    for (size_t i = 0; i < bytes / 4; i++) stale += ((const uint32_t *)c.call.scratch)[i] == 0x3f3f3f3fu;
    cr_assert_eq(stale, 0, "%s on %s: %zu words of scratch are of an op before", case_name(kind), backend, stale);
}

Test(simt, scratch_is_fresh_for_every_op) {
    int ran = 0;
    for (int kind = 0; kind < CASE_COUNT; kind++) {
        LOCAL(case_release) OpCase c;
        case_init(&c, kind, 9, 16, backend_find("simt", &e), 2, 7, true);
        bool has = c.backend->kernel[c.call.kind]->scratch(&c.call) > 0;
        if (!has || op_is_probe(case_op(kind))) continue;
        for (int way = 0; way < 4; way++) assert_fresh(way & 1 ? "simt" : "simt-fp32", kind, way & 2);
        ran++;
    }
    cr_assert_geq(ran, 5);
}

static void move_by_a_word(View *v) {
    if (v->at) v->at = (float *)v->at + 1;
}

static bool equal_bytes(View va, View vb, int replicas) {
    size_t bytes = view_count(va) * sizeof(float);
    bool same = true;
    for (size_t r = 0; va.at && r < (size_t)replicas; r++)
        same = same && !memcmp((char *)va.at + r * va.stride, (char *)vb.at + r * vb.stride, bytes);
    return same;
}

/* Kernels that read four neighbours at once have tensors on borders of 16 bytes from every tape; elsewhere they read
 * them one by one. */
Test(simt, fours_off_their_border) {
    static const OpKind kind[] = {OP_gelu, OP_residual, OP_dropout, OP_swiglu, OP_tanh};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        OpCase c[2];
        for (int i = 0; i < 2; i++) {
            Call *call = &c[i].call;
            case_init(&c[i], (int)kind[k], 5, 7, backend_find(i ? "simt" : "readable", &e), 2, 7, true);
            move_by_a_word(&call->out), move_by_a_word(&call->dout);
            for (int j = 0; j < call->in_count; j++) move_by_a_word(&call->in[j]), move_by_a_word(&call->din[j]);
            case_forward(&c[i]);
            case_backward(&c[i], true, 0.25);
        }
        cr_expect(equal_bytes(c[0].call.out, c[1].call.out, 2), "%s: y", case_name((int)kind[k]));
        for (int j = 0; j < c[0].call.in_count; j++)
            cr_expect(equal_bytes(c[0].call.din[j], c[1].call.din[j], 2), "%s: gradient of input %d",
                      case_name((int)kind[k]), j);
        case_release(&c[0]), case_release(&c[1]);
    }
}

/* The rows above reach the largest tiles with three strips of k and more, for each product. */
Test(simt, the_largest_tiles_take_many_strips) {
    enum { STRIP = 8, TILES = 3 };
    static const char *const name[TILES] = {"linear.forward 128", "linear.backward 128, dW 64", "linear.backward 128"};
    int most[TILES] = {0};
    SimtCase shape;
    bool costly;
    for (int i = 0; simt_case(OP_linear, i, &shape, &costly); i++) {
        LOCAL(case_release) OpCase c;
        case_init(&c, OP_linear, shape.rows, shape.cols, backend_find("simt", &e), shape.replicas, 7, shape.optional);
        /* dx's in the second, where dW has smaller tiles, and dW's in the third */
        const int k[TILES] = {c.call.in[0].cols, c.call.out.cols, c.call.in[0].rows};
        for (int t = 0; t < TILES; t++) {
            const Stage *s = t ? simt_build.stages[OP_linear]->backward : simt_build.stages[OP_linear]->forward;
            while (strcmp(s->name, name[t]) != 0) s++;
            if (s->grid(&c.call).x && k[t] > most[t]) most[t] = k[t];
        }
    }
    for (int t = 0; t < TILES; t++) cr_expect(most[t] > 2 * STRIP, "%s: k = %d", name[t], most[t]);
}

TEST_EACH(simt, trainings_have_the_readable_bits, toy_settings()) {
    Variant v;
    ModelShape s;
    Recipe r;
    char expected[130], got[130];
    toy_setting(*index, &v, &s, &r);
    toy_hashes(expected, &v, &s, &r, 1, backend_find("readable", &e), 3);
    const unsigned order[] = {1, SIMT_TOGETHER + 3};
    for (int i = 0; i < 2; i++) {
        simt_order(order[i]);
        toy_hashes(got, &v, &s, &r, 1, backend_find("simt", &e), 3);
        cr_assert_str_eq(got, expected, "setting %d, order %u", *index, order[i]);
    }
}

static void hash_text(char text[SHA256_HEX], const Trainer *t, int replica) {
    uint8_t hash[32];
    trainer_hash(t, replica, hash);
    sha256_hex(text, hash);
}

/* Three replicas, the middle one of which diverges, are three runs alone. */
static void compare_alone_and_among(const char *backend) {
    ModelShape s = toy_shape();
    Recipe recipe[3] = {toy_recipe(), toy_recipe(), toy_recipe()};
    recipe[1].lr = 1e30, recipe[1].clip = 0, recipe[2].lr = 3e-3;
    uint64_t seed[3] = {4, 5, 6};
    const Backend *b = backend_find(backend, &e);
    LOCAL(trainer_release) Trainer *three;
    StepReport report[3] = {{.finite = true}, {.finite = true}, {.finite = true}};
    OK(trainer_for_gpt(&three, &s, variant_find("pre", &e), NULL, recipe, seed, 3, b, &e));
    uint8_t chain[3][32] = {{0}};
    int died = 0;
    for (int i = 0; i < 6; i++) {
        for (int r = 0; r < 3; r++) toy_batch(three, r, seed[r], (uint64_t)i);
        bool alive = report[1].finite;
        cr_assert(trainer_step(three, report));
        for (int r = 0; r < 3; r += 2) chain_add(chain[r], report[r].loss);
        if (alive) chain_add(chain[1], report[1].loss);
        if (alive && !report[1].finite) died = i + 1;
    }
    cr_assert(died > 1 && died < 6, "the neighbour was meant to diverge on the way, not at %d", died);
    cr_assert(report[0].finite && report[2].finite);
    for (int r = 0; r < 3; r++) {
        char alone[130], among[130], chain_text[SHA256_HEX], parameters[SHA256_HEX];
        toy_hashes(alone, variant_find("pre", &e), &s, &recipe[r], seed[r], b, 6);
        hash_text(parameters, three, r);
        snprintf(among, sizeof among, "%s:%s", sha256_hex(chain_text, chain[r]), parameters);
        cr_assert_str_eq(among, alone, "%s, replica %d", backend, r);
    }
}

Test(simt, same_alone_and_among_replicas) {
    compare_alone_and_among("simt");
    compare_alone_and_among("simt-fp32"); /* the library sees one replica at a time */
}

/* As datasets/batch.c draws them. */
static void draw(Trainer *t, int context, const int32_t *corpus, uint32_t choices, uint64_t stream) {
    int rows = t->tape.tensor[t->targets].rows;
    for (int r = 0; r < t->program.replicas; r++)
        for (int i = 0; i < rows; i++) {
            uint64_t offset = philox_offset((uint64_t)t->step, (uint64_t)(i / context));
            const int32_t *from = corpus + philox_below(philox_word(t->seed[r], stream, offset), choices) + i % context;
            trainer_feed(t, "tokens", r)[i] = from[0], trainer_feed(t, "targets", r)[i] = from[1];
        }
}

static void assert_same(const StepReport *a, const StepReport *b, int probes, int step) {
    cr_assert_eq(a->finite, b->finite, "step %d", step);
    cr_assert_eq(canon_bits(a->loss), canon_bits(b->loss), "loss of step %d", step);
    cr_assert_str_eq(a->culprit, b->culprit, "step %d", step);
    cr_assert_eq(canon_bits((float)a->grad_norm), canon_bits((float)b->grad_norm), "gradient norm, step %d", step);
    for (int i = 0; i < probes; i++)
        cr_assert(!memcmp(&a->probe[i], &b->probe[i], sizeof *a->probe) || (isnan(a->probe[i]) && isnan(b->probe[i])),
                  "probe %d, step %d: %.9g on the host, %.9g on the device", i, step, a->probe[i], b->probe[i]);
}

enum { CORPUS = 400, STEPS = 70, REPLICAS = 2 }; /* more steps than the ring has rows */

static ModelShape small_shape(void) {
    ModelShape s = toy_shape();
    s.layers = 1, s.width = 16, s.heads = 2, s.vocab = 11;
    return s;
}

/* Both to the end; the reports of a replica end with the step it died in. */
static void train_both(Trainer *host, Trainer *device, int context, int steps, int at_once, StepReport *a,
                       StepReport *b) {
    const uint64_t stream = UINT64_C(0x123456789abcdef0);
    const uint32_t choices = (uint32_t)(CORPUS - context);
    int32_t corpus[CORPUS];
    for (int i = 0; i < CORPUS; i++) corpus[i] = (int32_t)philox_below(philox_word(5, 6, (uint64_t)i), 11);
    const Corpus kept = {corpus, CORPUS, choices, stream, context};
    OK(trainer_keep_corpus(device, &kept, &e));
    while (device->step < steps) {
        int n = steps - device->step < at_once ? steps - device->step : at_once, before = device->step;
        cr_assert_eq(trainer_steps(device, n, b + before * REPLICAS), n);
        cr_assert_eq(device->step, before + n);
    }
    while (host->step < steps) {
        draw(host, context, corpus, choices, stream);
        cr_assert(trainer_step(host, a + host->step * REPLICAS));
    }
}

static const ProbeChoice *chosen; /* NULL: the usual ones */

/* Steps with the corpus on the device, in stretches of `at_once`, against as many single steps of backend cpu on
 * batches drawn here. Returns the step that replica 1 died in, or `steps`. */
static int compare_stretches(ModelShape s, const Recipe *recipe, const char *variant, int steps, int at_once) {
    const uint64_t seed[REPLICAS] = {21, 22};
    const Variant *v = variant_find(variant, &e);
    LOCAL(trainer_release) Trainer *host, *device;
    OK(trainer_for_gpt(&host, &s, v, chosen, recipe, seed, REPLICAS, backend_find("cpu", &e), &e));
    OK(trainer_for_gpt(&device, &s, v, chosen, recipe, seed, REPLICAS, backend_find("simt", &e), &e));
    OWNED StepReport *a = trainer_reports(host, steps * REPLICAS), *b = trainer_reports(device, steps * REPLICAS);
    train_both(host, device, s.context, steps, at_once, a, b);
    int died = steps;
    for (int i = 0; i < steps * REPLICAS; i++) {
        assert_same(&a[i], &b[i], trainer_probes(host), i / REPLICAS);
        if (i % REPLICAS == 1 && died == steps && !a[i].finite) died = i / REPLICAS;
    }
    for (int r = 0; r < REPLICAS; r++) {
        char x[SHA256_HEX], y[SHA256_HEX];
        hash_text(x, host, r);
        hash_text(y, device, r);
        cr_assert_str_eq(x, y, "parameters of replica %d", r);
        cr_assert_eq(host->alive[r], device->alive[r]);
    }
    return died;
}

Test(simt, stretches_are_single_steps) {
    Recipe recipe[REPLICAS] = {toy_recipe(), toy_recipe()};
    for (int r = 0; r < REPLICAS; r++) recipe[r].steps = STEPS, recipe[r].warmup = 10;
    recipe[1].lr = 1e-2;
    cr_assert_eq(compare_stretches(small_shape(), recipe, "pre", STEPS, STEPS), STEPS, "nothing was meant to diverge");
}

/* Every probe that a step computes, at every second step; those with passes of their own are test_device's. */
Test(simt, every_probe) {
    Recipe recipe[REPLICAS] = {toy_recipe(), toy_recipe()};
    ModelShape s = toy_shape();
    ProbeChoice all = {.every = 2};
    for (int i = 0; i < PROBE_COUNT; i++) all.wanted[i] = probe_info[i].reduction != REDUCE_apart;
    chosen = &all;
    s.vocab = 11;
    cr_assert_eq(compare_stretches(s, recipe, "peri", 5, 5), 5);
}

Test(simt, a_longer_table_than_planned_is_made) {
    Recipe recipe[REPLICAS] = {toy_recipe(), toy_recipe()}; /* 20 steps */
    cr_assert_eq(compare_stretches(small_shape(), recipe, "post", 25, 9), 25);
}

Test(simt, a_replica_that_dies_inside_a_stretch) {
    Recipe recipe[REPLICAS] = {toy_recipe(), toy_recipe()};
    recipe[1].lr = 1e3, recipe[1].clip = 0, recipe[1].weight_decay = 0.5;
    int died = compare_stretches(small_shape(), recipe, "none", STEPS, STEPS);
    cr_assert(died > 0 && died < STEPS, "it was meant to diverge on the way, not at %d", died);
}

/* More parameters than a block has threads, one of more rows than a block of rule 2: in several orders of threads. */
Test(simt, many_parameters_and_a_tall_one) {
    Recipe recipe[REPLICAS] = {toy_recipe(), toy_recipe()};
    ModelShape s = toy_shape();
    s.layers = 24, s.width = 4, s.heads = 1, s.vocab = 4200, s.context = 4, s.batch = 1;
    for (int r = 0; r < REPLICAS; r++) recipe[r].clip = 0.1;
    const unsigned order[] = {1, SIMT_TOGETHER + 3};
    for (int i = 0; i < 2; i++) {
        simt_order(order[i]);
        cr_assert_eq(compare_stretches(s, recipe, "pre", 2, 2), 2);
    }
}

/* Where a run breaks: the same step, the same tensor, the same loss chain and parameters as on the CPU. */
static void compare_death(const char *variant, const char *gate, double lr, char culprit[64]) {
    ModelShape s = toy_shape();
    Recipe recipe = toy_recipe();
    Variant v = *variant_find(variant, &e);
    if (gate) OK(variant_set(&v, "gate", gate, &e));
    recipe.lr = lr, recipe.clip = 0, recipe.weight_decay = 0.5;
    uint64_t seed = 1;
    char hash[2][SHA256_HEX];
    StepReport report[2];
    double probe[2][64] = {{0}};
    int probes = 0;
    const char *const name[2] = {"cpu", "simt"};
    int step[2];
    for (int i = 0; i < 2; i++) {
        LOCAL(trainer_release) Trainer *t;
        report[i] = (StepReport){.finite = true, .probe = probe[i]};
        OK(trainer_for_gpt(&t, &s, &v, NULL, &recipe, &seed, 1, backend_find(name[i], &e), &e));
        probes = trainer_probes(t);
        cr_assert_leq(probes, 64);
        while (report[i].finite && t->step < 50) {
            toy_batch(t, 0, seed, (uint64_t)t->step);
            trainer_step(t, &report[i]);
        }
        cr_assert(!report[i].finite, "%s was meant to diverge", variant);
        step[i] = t->step;
        hash_text(hash[i], t, 0);
    }
    cr_assert_eq(step[0], step[1]);
    cr_assert_str_eq(hash[0], hash[1]);
    assert_same(&report[0], &report[1], probes, step[0]);
    strcpy(culprit, report[1].culprit);
}

/* A broken activation, a broken gradient, and gradients that are finite but not their squares' sum. */
Test(simt, a_diverging_run_names_the_same_culprit) {
    static const struct {
        const char *variant, *gate, *culprit;
        double lr;
    } broken[] = {{"none", NULL, "act h.", 1e3},
                  {"pre", "learned 0.5", "act h.", 1e3},
                  {"none", NULL, "grad h.1.mlp.c_fc.weight", 1e2},
                  {"post", NULL, "grad norm", 1e2}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char culprit[64];
        compare_death(broken[i].variant, broken[i].gate, broken[i].lr, culprit);
        cr_assert(!strncmp(culprit, broken[i].culprit, strlen(broken[i].culprit)),
                  "%s was meant to break at %s, not at %s", broken[i].variant, broken[i].culprit, culprit);
    }
}
