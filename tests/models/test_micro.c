/* A batch in several passes, and by several processes, has the bits of one pass. */
#include "base/sha256.h"
#include "models/micro.h"
#include "models/trainer_count.h"
#include "models/trainer_look.h"
#include "tests/base/forked.h"
#include "tests/models/toy.h"
#include "tests/test.h"

enum { RANKS = 4, STEPS = 2 };

/* The settings that bits are proven in, on batches of four blocks. Encoder-decoders have packed rows, and some variants
 * begin with what a whole batch measures. */
static bool setting(int i, Variant *v, ModelShape *s, Recipe *r) {
    toy_setting(i, v, s, r);
    s->width = 8, s->batch = 4 * CANON_BLOCK / s->context;
    LOCAL(tape_release) Tape tape;
    transformer_build(&tape, s, v, NULL);
    bool possible = !s->pairs && !tape.data_inits;
    return possible;
}

/* All probes that a step makes of sums over rows. */
static ProbeChoice probes_of_sums(void) {
    ProbeChoice c = {.every = 1};
    for (int i = 0; i < PROBE_COUNT; i++)
        c.wanted[i] = probe_info[i].reduction != REDUCE_apart && probe_info[i].reduction != REDUCE_massive;
    return c;
}

/* Set in the processes of ranks that share the moments out. */
static bool shares;

/* Of what a run ends with: every loss and every probe, and the weights. */
static void hash_on(char out[130], const char *backend, const Variant *v, const ModelShape *s, const Recipe *r,
                    const Ranks *ranks) {
    Trainer *t;
    uint64_t seed = 11;
    uint8_t weights[32];
    const ProbeChoice probes = probes_of_sums();
    OK(trainer_for_gpt(&t, s, v, &probes, r, &seed, 1, backend_find(backend, &e), &e));
    if (ranks) OK(trainer_join(t, ranks, &e));
    if (shares) trainer_share_moments(t, ranks);
    StepReport *report = trainer_reports(t, 1);
    Sha256 h;
    sha256_init(&h);
    for (int i = 0; i < STEPS; i++) {
        toy_batch(t, 0, seed, (uint64_t)i);
        cr_assert(trainer_step(t, report));
        trainer_gather_moments(t), trainer_drop_moments(t); /* as around a checkpoint */
        sha256_add(&h, &report->loss, sizeof report->loss);
        sha256_add(&h, report->probe, (size_t)trainer_probes(t) * sizeof *report->probe);
    }
    free(report);
    trainer_hash(t, 0, weights);
    sha256_end(&h, out), sha256_hex(out + 65, weights);
    out[64] = ':';
    trainer_free(t);
}

static void hash_of(char out[130], const Variant *v, const ModelShape *s, const Recipe *r, const Ranks *ranks) {
    hash_on(out, "cpu", v, s, r, ranks);
}

static void compare_passes(int first, int every) {
    int compared = 0;
    for (int i = first; i < toy_settings(); i += every) {
        Variant v;
        ModelShape s;
        Recipe r;
        char whole[130], split[130];
        if (!setting(i, &v, &s, &r)) continue;
        hash_of(whole, &v, &s, &r, NULL);
        for (int passes = 2; passes <= 4; passes *= 2) {
            s.passes = passes;
            hash_of(split, &v, &s, &r, NULL);
            cr_expect_str_eq(split, whole, "setting %d (%s) in %d passes", i, v.name, passes);
        }
        compared++;
    }
    cr_assert_geq(compared, 10);
}

Test(micro, passes_have_the_bits_of_one) {
    compare_passes(0, 4);
}

/* A setting that ranks train. */
typedef struct {
    int index, passes;
    bool moments;
} Shared;

static void train_together(const Ranks *ranks, void *context, char *said) {
    const Shared *of = context;
    Variant v;
    ModelShape s;
    Recipe r;
    (void)setting(of->index, &v, &s, &r);
    s.passes = of->passes, shares = of->moments;
    hash_of(said, &v, &s, &r, ranks);
}

/* Every setting in as many passes as ranks; some in more, and with moments shared out. */
Test(micro, ranks_have_the_bits_of_one, .timeout = 600) {
    int several = variant_count, compared = 0; /* with dropout */
    for (int k = 0; k < toy_settings(); k++) {
        Variant v;
        ModelShape s;
        Recipe r;
        char whole[130], each[FORKED_MAX][FORKED_SAID];
        int most = k == 0 || k == 5 || k == several ? 4 : 1;
        if (!setting(k, &v, &s, &r)) continue;
        hash_of(whole, &v, &s, &r, NULL);
        for (int ranks = 2; ranks <= RANKS; ranks *= 2)
            for (int passes = ranks; passes == ranks || passes <= most; passes *= 2) {
                bool moments = most > 1 && (passes > ranks || ranks == RANKS);
                forked_ranks(ranks, train_together, &(Shared){k, passes, moments}, each);
                for (int i = 0; i < ranks; i++)
                    cr_expect_str_eq(each[i], whole, "rank %d of %d, %d passes, setting %d", i, ranks, passes, k);
            }
        compared++;
    }
    cr_assert_geq(compared, 40);
}

/* Losses, weights and all probes of a device are those of the host in one pass. The shim takes its time, so: two
 * blocks, one layer; with dropout. */
Test(micro, a_device_in_passes_has_the_bits_of_the_host, .timeout = 600) {
    Error none;
    Variant v;
    ModelShape s;
    Recipe r;
    char host[130], device[130];
    if (!backend_find("simt", &none)) cr_skip_test("built without the shim");
    cr_assert(setting(variant_count, &v, &s, &r));
    s.layers = 1, s.width = 4, s.heads = 1, s.batch = 2 * CANON_BLOCK / s.context;
    hash_of(host, &v, &s, &r, NULL);
    s.passes = 2;
    hash_on(device, "simt", &v, &s, &r, NULL);
    cr_expect_str_eq(device, host);
}

/* A forward pass gives the same nll of every row. */
Test(micro, forward_scores_every_row) {
    double nll[2];
    long hits[2], count[2];
    for (int k = 0; k < 2; k++) {
        LOCAL(trainer_release) Trainer *t;
        Variant v;
        ModelShape s;
        Recipe r;
        uint64_t seed = 11;
        cr_assert(setting(0, &v, &s, &r));
        s.passes = k ? 4 : 1;
        OK(trainer_for_gpt(&t, &s, &v, NULL, &r, &seed, 1, backend_find("cpu", &e), &e));
        toy_batch(t, 0, 7, 0);
        trainer_forward(t);
        trainer_score(t, 0, 100, s.batch * s.context - 200, &nll[k], &hits[k], &count[k], NULL);
    }
    cr_expect_eq(nll[0], nll[1]);
    cr_expect_eq(hits[0], hits[1]);
    cr_expect_eq(count[0], count[1]);
    cr_expect_eq(count[0], 4 * CANON_BLOCK - 200);
}

/* What a step in `passes` stops at when one row's token has an infinite embedding. small: two blocks, one layer. */
static void stopped_at(char culprit[CULPRIT_SIZE], const char *backend, bool small, int passes, int row) {
    LOCAL(trainer_release) Trainer *t;
    Variant v;
    ModelShape s;
    Recipe r;
    uint64_t seed = 11;
    cr_assert(setting(0, &v, &s, &r));
    if (small) s.layers = 1, s.width = 4, s.heads = 1, s.batch = 2 * CANON_BLOCK / s.context;
    s.passes = passes;
    OK(trainer_for_gpt(&t, &s, &v, NULL, &r, &seed, 1, backend_find(backend, &e), &e));
    toy_batch(t, 0, 7, 0);
    OWNED float *table = mem_alloc((size_t)(65 * s.width), sizeof *table);
    for (int i = 0; i < 65 * s.width; i++) table[i] = i / s.width == 64 ? INFINITY : 0.01f * (float)(i % 7);
    int32_t *token = trainer_feed(t, "tokens", 0);
    for (int i = 0; i < s.batch * s.context; i++)
        if (token[i] == 64) token[i] = 0;
    token[row] = 64;
    trainer_write(t, 0, 0, table);
    OWNED StepReport *report = trainer_reports(t, 1);
    cr_assert(trainer_step(t, report));
    cr_expect_not(report->finite);
    memcpy(culprit, report->culprit, CULPRIT_SIZE);
}

/* A loss that is not finite in the last micro-batch alone stops the run where it stops it in one pass. */
Test(micro, a_bad_row_is_found_in_any_pass) {
    char culprit[2][CULPRIT_SIZE];
    for (int k = 0; k < 2; k++) stopped_at(culprit[k], "cpu", false, k ? 4 : 1, 3 * CANON_BLOCK + 5);
    cr_expect_str_eq(culprit[1], culprit[0]);
}

/* The device holds the last pass's activations, which are finite when the bad row is in the first. */
Test(micro, a_device_names_a_bad_row_of_any_pass, .timeout = 600) {
    Error none;
    char host[CULPRIT_SIZE], device[CULPRIT_SIZE];
    const int row[] = {5, CANON_BLOCK + 5};
    if (!backend_find("simt", &none)) cr_skip_test("built without the shim");
    for (int i = 0; i < 2; i++) {
        stopped_at(host, "cpu", true, 1, row[i]);
        stopped_at(device, "simt", true, 2, row[i]);
        cr_expect_str_eq(device, host);
    }
}

/* Two passes need what one over half the batch needs, a partial sum of the gradients, and room for contributions
 * that are joined apart. */
Test(micro, memory_counts_the_partial_sums) {
    Variant v;
    ModelShape s;
    Recipe r;
    cr_assert(setting(0, &v, &s, &r));
    const Backend *cpu = backend_find("cpu", &e);
    size_t one = trainer_need(&s, &v, NULL, cpu), gradients = trainer_plan(&s, &v, NULL, cpu, false).gradients;
    s.batch *= 2, s.passes = 2;
    size_t two = trainer_need(&s, &v, NULL, cpu);
    cr_expect(two >= one + gradients && two <= one + 5 * gradients, "%zu after %zu, gradients %zu", two, one,
              gradients);
}

Test(micro, what_cannot_be_cut_is_refused) {
    cr_expect_eq(micro_fits(512, 16, 2, 1, &e), RC_OK);
    cr_expect_eq(micro_fits(512, 16, 1, 1, &e), RC_OK);
    cr_expect_eq(micro_fits(512, 16, 4, 1, &e), RC_USAGE);
    HOLDS(e.text, "2 parts are possible");
    cr_expect_eq(micro_fits(16, 64, 2, 1, &e), RC_USAGE);
    HOLDS(e.text, "1 part is possible");
    cr_expect_eq(micro_fits(3 * 512, 16, 2, 2, &e), RC_USAGE); /* three blocks each */
    cr_expect_eq(micro_fits(1024, 16, 3, 3, &e), RC_USAGE);
    HOLDS(e.text, "3 is no power of two");
}
