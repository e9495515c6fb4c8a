/* What a model's shape says beside its sizes: which tokens a token sees and where it stands, and the MLP's width. */
#include "tests/models/toy.h"
#include "tests/test.h"

static Trainer *trainer(const ModelShape *s, const Variant *v) {
    Trainer *t;
    Recipe recipe = toy_recipe();
    uint64_t seed = 3;
    recipe.init = (InitStd){0.3, 0.3, 0.3, 0.2};
    OK(trainer_for_gpt(&t, s, v, NULL, &recipe, &seed, 1, backend_find("cpu64", &e), &e));
    toy_batch(t, 0, 7, 0);
    return t;
}

/* The first logit of a row after a forward pass. */
static double logit(Trainer *t, int row) {
    t->program.scalars[0] = (Scalars){.count = 1, .drop_scale = 1};
    program_forward(&t->program);
    size_t at = (size_t)row * (size_t)t->tape.tensor[t->tape.logits].cols;
    return program_value(&t->program, ROLE_ACT, t->tape.logits, 0, at);
}

/* Another last token changes what the first token's row says only where it sees the whole sequence; another sequence's
 * tokens change nothing. */
Test(shape, the_mask_full_sees_what_follows) {
    for (int full = 0; full < 2; full++) {
        ModelShape s = toy_shape();
        s.full = full;
        LOCAL(trainer_release) Trainer *t = trainer(&s, variant_find("pre", &e));
        double before[2] = {logit(t, 0), logit(t, s.context)};
        int32_t *tokens = trainer_feed(t, "tokens", 0);
        tokens[s.context - 1] = (tokens[s.context - 1] + 1) % s.vocab;
        double change = fabs(logit(t, 0) - before[0]);
        cr_assert(full ? change > 1e-6 : change == 0, "full %d: %g", full, change);
        cr_assert_eq(logit(t, s.context), before[1]);
    }
}

/* With one token everywhere, a model without positions says the same in every row; one that has them does not. */
Test(shape, positions_tell_rows_apart) {
    for (Positions p = POSITIONS_LEARNED; p <= POSITIONS_NONE; p++) {
        ModelShape s = toy_shape();
        s.positions = p;
        LOCAL(trainer_release) Trainer *t = trainer(&s, variant_find("pre", &e));
        cr_assert_eq(tape_find(&t->tape, "wpe.weight") >= 0, p == POSITIONS_LEARNED);
        for (int i = 0; i < s.batch * s.context; i++) trainer_feed(t, "tokens", 0)[i] = i % s.context == 0 ? 3 : 5;
        double change = fabs(logit(t, 1) - logit(t, s.context - 1));
        cr_assert(change > 1e-6, "rows 1 and %d see the first token in another share: %g", s.context - 1, change);
        for (int i = 0; i < s.batch * s.context; i++) trainer_feed(t, "tokens", 0)[i] = 5;
        change = fabs(logit(t, 1) - logit(t, s.context - 1));
        cr_assert(p == POSITIONS_LEARNED ? change > 1e-6 : change < 1e-12, "positions %d: %g", (int)p, change);
    }
}

/* RoPE knows the order of what stands before; without positions the keys before are a set. */
Test(shape, rope_knows_order) {
    for (Positions p = POSITIONS_ROPE; p <= POSITIONS_NONE; p++) {
        ModelShape s = toy_shape();
        s.positions = p, s.layers = 1;
        LOCAL(trainer_release) Trainer *t = trainer(&s, variant_find("pre", &e));
        int32_t *tokens = trainer_feed(t, "tokens", 0);
        tokens[0] = 1, tokens[1] = 2;
        double before = logit(t, 9);
        tokens[0] = 2, tokens[1] = 1;
        double change = fabs(logit(t, 9) - before);
        cr_assert(p == POSITIONS_ROPE ? change > 1e-6 : change < 1e-12, "positions %d: %g", (int)p, change);
    }
}

/* swiglu's three matrices have as many weights as two of the full width, up to the multiple of 8. */
Test(shape, swiglu_keeps_the_parameters) {
    const struct {
        int width, mult, hidden;
    } known[] = {{128, 4, 344}, {32, 4, 88}, {96, 4, 256}, {3, 1, 8}, {8192, 16, 87384}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ModelShape s = {.width = known[i].width, .ffn_mult = known[i].mult, .activation = ACTIVATION_SWIGLU};
        cr_assert_eq(shape_hidden(&s), known[i].hidden, "%d", shape_hidden(&s));
        cr_assert_leq(3 * shape_hidden(&s) - 2 * known[i].mult * known[i].width, 3 * 8);
    }
    ModelShape gelu = {.width = 128, .ffn_mult = 4};
    cr_assert_eq(shape_hidden(&gelu), 512);
}

Test(shape, rope_needs_pairs) {
    ModelShape s = toy_shape();
    s.positions = POSITIONS_ROPE, s.width = 36;
    cr_assert_eq(shape_keys(&s, &e), RC_USAGE);
    cr_assert_str_eq(e.text, "positions: rope turns pairs of columns; a head of width 36 / heads 4 has 9");
    s.heads = 6;
    OK(shape_keys(&s, &e));
}
