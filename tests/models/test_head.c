/* A head in pieces of rows: the bits of the whole, with a piece's logits in memory. */
#include "base/canon.h"
#include "models/head.h"
#include "models/trainer_count.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* Whether this setting's head can be cut: nothing in it learns but its matrix. */
static bool can_cut(const ModelShape *s, const Variant *v) {
    LOCAL(tape_release) Tape t;
    transformer_build(&t, s, v, NULL);
    bool can = tape_can_cut(&t);
    return can;
}

static void compare(const char *what, const Backend *backend, const Variant *v, ModelShape s, const Recipe *r,
                    int head_rows, int threads) {
    char whole[130], pieces[130];
    toy_hashes_shared(whole, v, &s, r, 5, backend, 2, threads);
    s.head_rows = head_rows;
    toy_hashes_shared(pieces, v, &s, r, 5, backend, 2, threads);
    cr_expect_str_eq(pieces, whole, "%s, %s, %s: pieces of %d rows", what, backend->name, v->name, head_rows);
}

/* 32 rows in pieces of 5: six and a last one of two. */
Test(head, pieces_have_the_bits_of_the_whole, .timeout = 300) {
    int compared = 0;
    for (int i = 0; i < toy_settings(); i++) {
        Variant v;
        ModelShape s;
        Recipe r;
        toy_setting(i, &v, &s, &r);
        if (!can_cut(&s, &v)) continue;
        compare("every setting", backend_find("cpu", &e), &v, s, &r, 5, 1);
        if (i % 6 == 0) compare("in double", backend_find("cpu64", &e), &v, s, &r, 7, 1);
        if (i % 7 == 0) compare("threads", backend_find("cpu", &e), &v, s, &r, 9, 3);
        compared++;
    }
    cr_expect_geq(compared, toy_settings() - 10, "%d settings", compared);
}

/* Every instruction set, and the device's kernels; matrices that tiles do and do not cover. */
Test(head, pieces_have_the_bits_of_the_whole_on_every_backend, .timeout = 600) {
    static const int shapes[][2] = {{32, 65}, {24, 37}, {16, 192}}; /* width, vocabulary */
    int rows = 0;
    for (int i = 0; i < backend_count; i++) {
        Recipe r = toy_recipe();
        if (!backends[i]->supported() || strcmp(backend_class(backends[i]), "canon")) continue;
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            ModelShape s = toy_shape();
            s.width = shapes[k][0], s.vocab = shapes[k][1], s.layers = 1;
            compare("shapes", backends[i], variant_find("pre", &e), s, &r, 11, 1);
        }
        rows++;
    }
    cr_expect_geq(rows, 2);
}

/* Batches of several blocks, the last one not whole: partial sums join as those of the whole do. */
Test(head, blocks_join_by_the_same_tree, .timeout = 300) {
    static const int sequences[] = {256, 300, 512, 600, 1024, 1500}; /* of 16 rows; a block has 256 */
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        ModelShape s = toy_shape();
        Recipe r = toy_recipe();
        s.width = 8, s.layers = 1, s.batch = sequences[i];
        compare("blocks", backend_find("cpu", &e), variant_find("pre", &e), s, &r, 1000, 2);
        s.tied = false;
        compare("blocks", backend_find("cpu", &e), variant_find("pre", &e), s, &r, 100000, 1);
    }
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    const Backend *simt = backend_find("simt", &e);
    s.width = 4, s.heads = 1, s.layers = 1, s.vocab = 11, s.batch = 300;
    if (simt) compare("blocks", simt, variant_find("pre", &e), s, &r, 3000, 1);
}

/* With parts of a batch and recomputed blocks as well. */
Test(head, goes_with_parts_and_recomputing) {
    Variant pre = *variant_find("pre", &e);
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    char whole[130], pieces[130];
    s.width = 8, s.layers = 3, s.batch = 2 * CANON_BLOCK / s.context, s.dropout = true;
    toy_hashes(whole, &pre, &s, &r, 5, backend_find("cpu", &e), 2);
    s.passes = 2, s.recompute = true, s.head_rows = 700;
    toy_hashes(pieces, &pre, &s, &r, 5, backend_find("cpu", &e), 2);
    cr_expect_str_eq(pieces, whole);
}

/* Logits and their gradient, which is in place of them, are those of a piece. */
Test(head, a_piece_is_in_memory) {
    Variant pre = *variant_find("pre", &e);
    ModelShape s = toy_shape();
    const Backend *cpu = backend_find("cpu", &e);
    s.vocab = 160;
    TrainerPlan whole = trainer_plan(&s, &pre, NULL, cpu, false);
    s.head_rows = 8;
    TrainerPlan pieces = trainer_plan(&s, &pre, NULL, cpu, false);
    /* The gradient of nll stays beside that of the head's input. */
    size_t rows = (size_t)(s.batch * s.context), less = (rows - 8) * 160 * sizeof(float);
    size_t saved = whole.activations - pieces.activations, nll = 2 * rows * sizeof(float);
    cr_expect(saved <= less && saved + nll >= less, "%zu bytes, of %zu", saved, less);
    /* On a device the gradient of the logits is apart. */
    pieces = trainer_plan(&s, &pre, NULL, cpu, true), s.head_rows = 0;
    whole = trainer_plan(&s, &pre, NULL, cpu, true);
    cr_expect_gt(whole.activations - pieces.activations, saved);
}

/* The first that is not finite is named as it is without pieces, in whichever piece it is. */
Test(head, names_what_is_not_finite) {
    static const char *const bad[][2] = {{"lm_head.weight", "act logits"}, {"h.1.mlp.c_fc.weight", "act h.1.mlp.c_fc"}};
    for (int k = 0; k < 2; k++) {
        char whole[CULPRIT_SIZE], pieces[CULPRIT_SIZE];
        ModelShape s = toy_shape();
        s.tied = false;
        toy_culprit(whole, &s, bad[k][0], "cpu");
        s.head_rows = 5;
        toy_culprit(pieces, &s, bad[k][0], "cpu");
        cr_expect_str_eq(whole, bad[k][1]);
        cr_expect_str_eq(pieces, bad[k][1]);
    }
}
