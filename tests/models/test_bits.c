/* The promise of base/canon.h on the toy shape: one hash for every instruction set, replica
 * count, place of resumption. */

#include "base/pool.h"
#include "base/sha256.h"
#include "models/trainer_look.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* Every class of bits that is every machine's, and the row that the others of it are compared with. */
static const struct {
    const char *arithmetic, *row;
    int least; /* rows that run everywhere */
} classes[] = {{"canon", "readable", 2}, {"bf16-dot", "soft-dot-bf16", 1}, {"bf16-amx", "soft-amx-bf16", 1}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* The rows that runs are cut, shared and resumed on: the fastest exact one, and each order of bf16. */
static const char *const rows[] = {"cpu", "soft-dot-bf16", "soft-amx-bf16"};
enum { ROWS = sizeof rows / sizeof *rows };

TEST_EACH(bits, same_on_every_path, toy_settings()) {
    Variant v;
    ModelShape s;
    Recipe r;
    char expected[CLASSES][130], got[130];
    toy_setting(*index, &v, &s, &r);
    for (int c = 0; c < CLASSES; c++) {
        int paths = 0;
        toy_hashes(expected[c], &v, &s, &r, 1, backend_find(classes[c].row, &e), 6);
        for (int i = 0; i < backend_count; i++) {
            if (!backends[i]->supported() || strcmp(backend_class(backends[i]), classes[c].arithmetic)) continue;
            toy_hashes(got, &v, &s, &r, 1, backends[i], 6);
            cr_assert_str_eq(got, expected[c], "setting %d on %s", *index, backends[i]->name);
            paths++;
        }
        cr_assert_geq(paths, classes[c].least);
        for (int other = 0; other < c; other++) cr_assert_str_neq(expected[c], expected[other]);
    }
}

typedef struct {
    char hash[7][130];
} Jobs;

static void job(void *context, int i) {
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    toy_hashes(((Jobs *)context)->hash[i], variant_find("pre", &e), &s, &r, (uint64_t)i + 1, backend_find("cpu", &e),
               6);
}

/* 1, 2, 3 and 7 threads over seven jobs. */
Test(bits, same_for_any_thread_count) {
    const int threads[] = {1, 2, 3, 7};
    Jobs expected, got;
    pool_run(1, 7, job, &expected);
    for (int i = 0; i < 4; i++) {
        memset(&got, 0, sizeof got);
        pool_run(threads[i], 7, job, &got);
        for (int j = 0; j < 7; j++)
            cr_assert_str_eq(got.hash[j], expected.hash[j], "%d threads, job %d", threads[i], j);
    }
    cr_assert_str_neq(expected.hash[0], expected.hash[1]);
}

/* A run alone is the run among others, also when a neighbour diverges. */
TEST_EACH(bits, same_when_threads_share_a_run, toy_settings()) {
    const int threads[] = {2, 3, 7};
    Variant v;
    ModelShape s;
    Recipe r;
    char expected[130], got[130];
    toy_setting(*index, &v, &s, &r);
    for (int row = 0; row < ROWS; row++) {
        const Backend *b = backend_find(rows[row], &e);
        toy_hashes(expected, &v, &s, &r, 1, b, 3);
        for (int i = 0; i < 3; i++) {
            toy_hashes_shared(got, &v, &s, &r, 1, b, 3, threads[i]);
            cr_assert_str_eq(got, expected, "%s, setting %d, %d threads", b->name, *index, threads[i]);
        }
    }
}

static void alone_and_among(const Backend *backend) {
    ModelShape s = toy_shape();
    Recipe recipe[3] = {toy_recipe(), toy_recipe(), toy_recipe()};
    recipe[1].lr = 1e30, recipe[1].clip = 0;
    uint64_t seed[3] = {4, 5, 6};
    LOCAL(trainer_release) Trainer *three;
    StepReport report[3] = {{0}};
    OK(trainer_for_gpt(&three, &s, variant_find("pre", &e), NULL, recipe, seed, 3, backend, &e));
    uint8_t chain[3][32] = {{0}}, hash[32];
    bool diverged = false;
    for (int i = 0; i < 6; i++) {
        for (int r = 0; r < 3; r++) toy_batch(three, r, seed[r], (uint64_t)i);
        trainer_step(three, report);
        for (int r = 0; r < 3; r++) chain_add(chain[r], report[r].loss);
        diverged = diverged || !report[1].finite;
    }
    cr_assert(diverged, "the neighbour was meant to diverge");
    for (int r = 0; r < 3; r += 2) {
        char alone[130], among[130], a[SHA256_HEX], b[SHA256_HEX];
        toy_hashes(alone, variant_find("pre", &e), &s, &recipe[r], seed[r], backend, 6);
        trainer_hash(three, r, hash);
        snprintf(among, sizeof among, "%s:%s", sha256_hex(a, chain[r]), sha256_hex(b, hash));
        cr_assert_str_eq(among, alone, "%s", backend->name);
    }
}

Test(bits, same_alone_and_among_replicas) {
    for (int row = 0; row < ROWS; row++) alone_and_among(backend_find(rows[row], &e));
}

/* Stop after any step, carry parameters and moments over, go on: the same parameters. */
static void resumed_at_every_step(const Backend *b) {
    ModelShape s = toy_shape();
    s.dropout = true;
    Recipe recipe = toy_recipe();
    recipe.dropout = 0.2;
    uint64_t seed = 8;
    uint8_t expected[32], got[32], chain[32] = {0};
    Trainer *t, *u;
    const Variant *v = variant_find("peri", &e);
    OK(trainer_for_gpt(&t, &s, v, NULL, &recipe, &seed, 1, b, &e));
    toy_train(t, 6, chain);
    trainer_hash(t, 0, expected);
    trainer_free(t);
    for (int at = 0; at <= 6; at++) {
        OK(trainer_for_gpt(&t, &s, v, NULL, &recipe, &seed, 1, b, &e));
        OK(trainer_for_gpt(&u, &s, v, NULL, &recipe, &seed, 1, b, &e));
        toy_train(t, at, chain);
        for (int i = 0; i < t->tape.tensors; i++) {
            const Tensor *x = &t->tape.tensor[i];
            const Role roles[] = {ROLE_PARAM, ROLE_MOMENT1, ROLE_MOMENT2};
            for (int k = 0; x->role == ROLE_PARAM && k < 3; k++)
                memcpy(program_at(&u->program, roles[k], i, 0), program_at(&t->program, roles[k], i, 0),
                       (size_t)x->rows * (size_t)x->cols * sizeof(float));
        }
        trainer_seek(u, at);
        toy_train(u, 6 - at, chain);
        trainer_hash(u, 0, got);
        cr_assert_arr_eq(got, expected, 32, "%s, resumed at %d", b->name, at);
        trainer_free(t);
        trainer_free(u);
    }
}

Test(bits, same_when_resumed_at_every_step) {
    for (int row = 0; row < ROWS; row++) resumed_at_every_step(backend_find(rows[row], &e));
}

/* lr = 1e3 without clipping diverges at the same step, in the same tensor, with the same chain, on every path. */
Test(bits, divergence_is_the_same_everywhere) {
    char first[256] = "", here[256];
    for (int i = 0; i < backend_count; i++) {
        if (!backends[i]->supported() || strcmp(backend_class(backends[i]), "canon")) continue;
        ModelShape s = toy_shape();
        Recipe recipe = toy_recipe();
        recipe.lr = 1e3, recipe.clip = 0, recipe.weight_decay = 0.5;
        uint64_t seed = 1;
        LOCAL(trainer_release) Trainer *t;
        StepReport report = {.finite = true};
        uint8_t chain[32] = {0};
        char hex[SHA256_HEX];
        OK(trainer_for_gpt(&t, &s, variant_find("none", &e), NULL, &recipe, &seed, 1, backends[i], &e));
        while (report.finite && t->step < 50) {
            toy_batch(t, 0, seed, (uint64_t)t->step);
            trainer_step(t, &report);
            chain_add(chain, report.loss);
        }
        snprintf(here, sizeof here, "%d %s %s", t->step, report.culprit, sha256_hex(hex, chain));
        cr_assert(!report.finite, "it was meant to diverge");
        if (!first[0]) strcpy(first, here);
        cr_assert_str_eq(here, first, "%s", backends[i]->name);
    }
}

static void fill(Trainer *t, const char *name, float value) {
    int tensor = tape_find(&t->tape, name);
    int n = t->tape.tensor[tensor].rows * t->tape.tensor[tensor].cols;
    OWNED float *words = mem_alloc((size_t)n, sizeof *words);
    for (int i = 0; i < n; i++) words[i] = value;
    program_write(&t->program, ROLE_PARAM, tensor, 0, words);
}

enum { PROBES_MAX = 32 };

typedef struct {
    const char *variant, *bias;
    float stream, value;
    const char *culprit;
} Broken;

/* A step of seed 2, alone or behind a replica whose embeddings and one of whose biases are what x says. */
static void step_beside(StepReport *report, const Backend *b, const Broken *x, int replicas) {
    LOCAL(trainer_release) Trainer *t;
    ModelShape s = toy_shape();
    Recipe recipe[2] = {toy_recipe(), toy_recipe()};
    uint64_t seed[2] = {1, 2}, *first = seed + 2 - replicas;
    OK(trainer_for_gpt(&t, &s, variant_find(x->variant, &e), NULL, recipe, first, replicas, b, &e));
    for (int r = 0; r < replicas; r++) toy_batch(t, r, first[r], 0);
    if (replicas > 1) {
        fill(t, "wpe.weight", x->stream);
        fill(t, "h.0.attn.c_attn.weight", 0);
        fill(t, x->bias, x->value);
    }
    cr_assert(trainer_step(t, report));
}

/* x + f is computed in place of f, so the ops are run again to find the first tensor that is not finite: the sum when
 * only the sum is too large, else f. The replica beside it keeps its bits. */
Test(bits, the_first_broken_activation_is_named_everywhere) {
    static const Broken cases[] = {{"none", "h.0.attn.c_proj.bias", 2e38f, 2e38f, "act h.0.attn.residual"},
                                   {"pre", "h.0.mlp.c_proj.bias", 0, INFINITY, "act h.0.mlp.c_proj"}};
    for (int i = 0; i < 2 * backend_count; i++) {
        const Backend *b = backends[i / 2];
        double probe[3][PROBES_MAX] = {{0}};
        StepReport alone = {.probe = probe[0]}, both[2] = {{.probe = probe[1]}, {.probe = probe[2]}};
        if (!b->supported() || strcmp(backend_class(b), "canon")) continue;
        step_beside(&alone, b, &cases[i % 2], 1);
        step_beside(both, b, &cases[i % 2], 2);
        cr_expect_str_eq(both[0].culprit, cases[i % 2].culprit, "%s: %s", b->name, both[0].culprit);
        cr_expect(both[1].finite && both[1].loss == alone.loss && both[1].grad_norm == alone.grad_norm, "%s", b->name);
        for (int j = 0; j < PROBES_MAX; j++)
            cr_expect(!memcmp(&both[1].probe[j], &alone.probe[j], sizeof alone.probe[j]), "%s, probe %d", b->name, j);
    }
}

/* The hashes see a changed order of one reduction: the same sum from the other end differs in bits somewhere. */
static const Kernel *honest_mean;

static void mean_from_the_end(const Call *c) {
    const float *x = c->in[0].at;
    float sum = 0;
    for (int i = c->in[0].rows - 1; i >= 0; i--) sum += x[i];
    *(float *)c->out.at = sum / (float)c->scalars[0].count;
}

Test(bits, a_changed_reduction_order_changes_the_hash) {
    ModelShape s = toy_shape();
    Recipe recipe = toy_recipe();
    Backend changed = *backend_find("readable", &e);
    const Kernel *table[OP_COUNT];
    memcpy(table, changed.kernel, sizeof table);
    honest_mean = table[OP_mean];
    Kernel backwards = *honest_mean;
    backwards.forward = mean_from_the_end;
    table[OP_mean] = &backwards;
    changed.kernel = table;
    char a[130], b[130];
    toy_hashes(a, variant_find("pre", &e), &s, &recipe, 1, backend_find("readable", &e), 6);
    toy_hashes(b, variant_find("pre", &e), &s, &recipe, 1, &changed, 6);
    cr_assert_str_neq(a, b);
}
