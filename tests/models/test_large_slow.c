/* Tensors of 2^31 numbers and more on the host. A batch whose logits have so many gives the bits of the same batch in
 * four passes, whose logits have a quarter of them. Needs 11 GB of free memory. */
#include "models/trainer.h"
#include "models/trainer_look.h"
#include "tests/test.h"

static void needs_memory(double bytes) {
    double kib = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1) break;
    if (f) fclose(f);
    if (kib * 1024 < bytes) cr_skip_test("%.0f GB are free, %.0f are needed", kib * 1024 / 1e9, bytes / 1e9);
}

enum { CONTEXT = 64, BATCH = 512, VOCAB = 65544 }; /* 32,768 rows x 65,544 logits are 2^31 + 262,144 */

static double step(const char *backend, int passes, uint8_t hash[32]) {
    static const uint64_t seed = 5;
    static const Recipe recipe = {
        .steps = 2, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.99, .eps = 1e-8, .init = {0.02, 0.02, 0.02, 0.02}};
    const ModelShape s = {.layers = 1,
                          .width = 8,
                          .heads = 2,
                          .context = CONTEXT,
                          .vocab = VOCAB,
                          .batch = BATCH,
                          .passes = passes,
                          .ffn_mult = 4,
                          .bias = true,
                          .tied = true,
                          .norm_eps = 1e-5};
    LOCAL(trainer_release) Trainer *t;
    StepReport report = {0};
    const Backend *b = backend_find(backend, &e);
    cr_assert(b, "%s", e.text);
    OK(shape_check(&s, false, &e));
    OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, b, &e));
    OK(trainer_share(t, 2, &e));
    int32_t *tokens = trainer_feed(t, "tokens", 0), *targets = trainer_feed(t, "targets", 0);
    for (int i = 0; i < BATCH * CONTEXT; i++)
        tokens[i] = (int32_t)(i * 7919L % VOCAB), targets[i] = (int32_t)((i + 1) * 7919L % VOCAB);
    cr_assert(trainer_step(t, &report) && report.finite);
    trainer_hash(t, 0, hash);
    return report.loss;
}

static void whole_is_split(const char *backend) {
    uint8_t whole[32], split[32];
    needs_memory(11e9);
    double loss = step(backend, 1, whole), again = step(backend, 4, split);
    cr_expect_eq(loss, again, "%s: %.9g and %.9g", backend, loss, again);
    cr_expect_float_eq(loss, 11.09, 0.02, "ln 65544, not %g", loss);
    cr_expect(!memcmp(whole, split, sizeof whole), "%s: other parameters", backend);
}

Test(large_slow, logits_of_2_to_the_31, .timeout = 900) {
    whole_is_split("cpu");
}

Test(large_slow, logits_of_2_to_the_31_by_narrow_vectors, .timeout = 1800) {
    whole_is_split("portable");
}

/* Ops that go over numbers one by one, in place, on one tensor: the last ones are as they would be alone. */
Test(large_slow, numbers_one_by_one, .timeout = 900) {
    enum { ROWS = 1 << 16, COLS = (1 << 15) + 8, LAST = 512 };
    static const char *const backends[] = {"cpu", "readable"};
    size_t n = (size_t)ROWS * COLS;
    needs_memory(9.5e9);
    OWNED float *x = malloc(n * sizeof *x);
    cr_assert(x);
    for (size_t b = 0; b < 2; b++)
        for (int parts = 1; parts <= 3; parts += 2) {
            const Backend *k = backend_find(backends[b], &e);
            const Scalars scalars = {.drop_scale = 1};
            for (size_t i = 0; i < n; i++) x[i] = (float)(i % 1021);
            Call c = {.kind = OP_scale, .in_count = 1, .replicas = 1, .attr = {.alpha = 3}, .scalars = &scalars};
            c.in[0] = c.out = (View){x, 0, ROWS, COLS};
            c.parts = parts;
            for (c.part = 0; c.part < parts; c.part++) k->kernel[OP_scale]->forward(&c);
            for (size_t i = 0; i < n; i += i < n - LAST ? n / 4096 : 1)
                cr_assert_eq(x[i], 3 * (float)(i % 1021), "%s: number %zu", backends[b], i);
        }
}
