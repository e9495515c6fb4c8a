/* Whole models: every variant's gradient in double, learning, identities between rows, names, shapes. */

#include "base/sha256.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* The rows of the table, then rows with every column that the table leaves alone. */
static const char *const dressed[][2] = {
    {"embed", "layernorm"},
    {"embed", "rmsnorm"},
    {"embed", "center"},
    {"mlp.in", "crms"},
    {"attn.out", "scalenorm"},
    {"final", "unit"},
    {"mlp.in", "dyt"},
    {"attn.in", "derf"},
    {"attn.qk", "rmsnorm"},
    {"attn.mid", "ln"},
    {"mlp.mid", "rms"},
    {"gate", "learned 0.5"},
    {"gate", "learned_row 0.1"},
    {"carry", "learned 1"},
    {"carry", "deep_carry 1"},
    {"depth_scale", "layer_root 1"},
    {"gate", "0.5"},
    {"attn.out", "none; rmsnorm from 1/2"},
    {"mlp.in", "center to 0; layernorm from 1"},
    {"gate", "moves 0.2 1"},
    {"carry", "moves 1 0.5"},
    {"gate", "learned_block 0.5"},
    {"block_carry", "learned 0.9"},
    {"logit_scale", "learned_row 1.5"},
    {"head_scale", "learned 2"},
    {"streams", "attnres_block 2"},
    {"streams", "mhc 3"},
    {"streams", "siamese"},
    {"embed_scale", "learned 3"},
};
enum { DRESSED = sizeof dressed / sizeof *dressed };

static Variant variant_of(int i) {
    if (i < variant_count) return variants[i];
    Variant v = *variant_find(i % 2 ? "pre" : "post", &e);
    OK(variant_set(&v, dressed[i - variant_count][0], dressed[i - variant_count][1], &e));
    return v;
}

/* Directional derivatives of the whole loss along each parameter tensor's largest gradient. */
static void check_gradients(int index, const Variant *v, const ModelShape *s) {
    const Backend *oracle = backend_find("cpu64", &e);
    Recipe recipe = toy_recipe();
    recipe.init = (InitStd){0.3, 0.3, 0.3, 0.2};
    uint64_t seed = 3;
    LOCAL(trainer_release) Trainer *t;
    OK(trainer_for_gpt(&t, s, v, NULL, &recipe, &seed, 1, oracle, &e));
    toy_batch(t, 0, 7, 0);
    t->program.scalars[0] = (Scalars){.count = s->batch * s->context, .drop_scale = 1};
    program_forward(&t->program);
    program_backward(&t->program);
    int checked = 0;
    for (int i = 0; i < t->tape.tensors; i++) {
        const Tensor *x = &t->tape.tensor[i];
        if (x->role != ROLE_PARAM) continue;
        size_t n = (size_t)x->rows * (size_t)x->cols, at = n / 2;
        double *p = program_at(&t->program, ROLE_PARAM, i, 0), *g = program_at(&t->program, ROLE_GRAD, i, 0);
        double most = 1e-4, h = 1e-5;
        for (size_t j = 0; j < n; j++)
            if (fabs(g[j]) > most) most = fabs(g[j]), at = j;
        double old = p[at], side[2];
        for (int k = 0; k < 2; k++) {
            p[at] = old + (k ? -h : h);
            program_forward(&t->program);
            side[k] = program_value(&t->program, ROLE_ACT, t->tape.loss, 0, 0);
        }
        p[at] = old;
        double numeric = (side[0] - side[1]) / (2 * h);
        cr_assert(fabs(numeric - g[at]) < 1e-6 * most, "variant %d, %s[%zu]: %.10g, numeric %.10g", index, x->name, at,
                  g[at], numeric);
        checked++;
    }
    cr_assert(checked > 10);
}

TEST_EACH(model, gradient, (variant_count + DRESSED)) {
    Variant v = variant_of(*index);
    ModelShape s = toy_shape();
    s.layers = variant_depth(&v, s.layers);
    s.width = 8, s.heads = 2, s.context = 5, s.vocab = 11;
    s.full = *index % 5 == 4;
    s.tied = *index % 3 != 0, s.activation = (Activation)(*index % 4 % 3), s.positions = (Positions)(*index / 2 % 3);
    check_gradients(*index, &v, &s);
}

/* The same of encoder-decoders, of every variant. */
TEST_EACH(model, gradient_of_pairs, (variant_count + DRESSED)) {
    Variant v = variant_of(*index);
    ModelShape s = toy_shape();
    s.layers = variant_depth(&v, s.layers);
    s.width = 8, s.heads = 2, s.context = 7, s.vocab = 11, s.batch = 3;
    s.pairs = true, s.shared = *index % 2, s.tied = *index % 3 != 0, s.activation = (Activation)(*index % 4 % 3);
    s.positions = *index % 4 ? POSITIONS_SINUSOIDAL : POSITIONS_LEARNED;
    check_gradients(*index, &v, &s);
}

/* Every optimizer learns one batch by heart (SGD needs its own learning rate). */
Test(model, overfits_one_batch) {
    const Backend *cpu = backend_find("cpu", &e);
    for (int o = 0; o < OPTIMIZER_COUNT; o++) {
        Recipe recipe = toy_recipe();
        recipe.optimizer = (OptimizerKind)o, recipe.lr = o == OPTIMIZER_sgd ? 0.1 : 3e-3, recipe.weight_decay = 0;
        ModelShape s = toy_shape();
        uint64_t seed = 1;
        LOCAL(trainer_release) Trainer *t;
        StepReport report = {.finite = true};
        OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, cpu, &e));
        for (int i = 0; i < 300; i++) {
            toy_batch(t, 0, 1, 0);
            trainer_step(t, &report);
            if (i == 0) cr_assert_float_eq(report.loss, logf(65), 0.1f);
        }
        cr_assert(report.loss < 0.5f, "optimizer %d: loss %g after 300 steps", o, (double)report.loss);
    }
}

static void losses(double *out, int steps, const Variant *v, double eps) {
    ModelShape s = toy_shape();
    s.norm_eps = eps;
    Recipe recipe = toy_recipe();
    uint64_t seed = 5;
    LOCAL(trainer_release) Trainer *t;
    StepReport report = {.finite = true};
    OK(trainer_for_gpt(&t, &s, v, NULL, &recipe, &seed, 1, backend_find("cpu64", &e), &e));
    for (int i = 0; i < steps; i++) {
        toy_batch(t, 0, 5, (uint64_t)i);
        trainer_step(t, &report);
        out[i] = program_value(&t->program, ROLE_ACT, t->tape.loss, 0, 0);
    }
}

/* LN(LN(x)) = LN(x) at gain 1, bias 0, eps 0: prepost is post at initialization when both carry an embedding LN. */
Test(model, prepost_equals_post_at_initialization) {
    Variant post = *variant_find("post", &e), prepost = *variant_find("prepost", &e);
    double a, b;
    variant_set(&post, "embed", "layernorm", &e);
    variant_set(&prepost, "embed", "layernorm", &e);
    losses(&a, 1, &post, 0);
    losses(&b, 1, &prepost, 0);
    cr_assert(fabs(a - b) < 1e-12 * fabs(a), "%.17g %.17g", a, b);
    post = *variant_find("post", &e), prepost = *variant_find("prepost", &e);
    losses(&a, 1, &post, 0);
    losses(&b, 1, &prepost, 0);
    cr_assert(fabs(a - b) > 1e-9, "without the embedding norm the first sublayer differs");
}

/* Whose values are in `tensor`'s memory before op `until`: those of the last tensor written that shares some of it. */
static int owner(const Tape *t, const Places *p, int tensor, int until) {
    int last = -1;
    size_t from = p->at[tensor], to = from + tensor_words(&t->tensor[tensor]);
    for (int i = 0; i < until; i++) {
        int out = t->op[i].out;
        if (p->at[out] < to && p->at[out] + tensor_words(&t->tensor[out]) > from) last = out;
    }
    return last;
}

/* No op's input is overwritten before it runs forward, nor before it runs backward, except by an output that may alias
 * it. */
TEST_EACH(model, places, (variant_count + DRESSED)) {
    Variant v = variant_of(*index);
    ModelShape s = toy_shape();
    s.dropout = true;
    Recipe recipe = toy_recipe();
    uint64_t seed = 3;
    LOCAL(trainer_release) Trainer *t;
    OK(trainer_for_gpt(&t, &s, &v, NULL, &recipe, &seed, 1, backend_find("cpu64", &e), &e));
    const Tape *tape = &t->tape;
    const Places *p = &t->program.places;
    int over = 0;
    for (int i = 0; i < tape->ops; i++)
        for (int j = 0; j < tape->op[i].in_count; j++) {
            int x = tape->input[tape->op[i].in_at + j];
            if (tape->tensor[x].role != ROLE_ACT) continue;
            cr_assert(owner(tape, p, x, i) == x, "variant %d: op %d forward", *index, i);
            if (p->at[tape->op[i].out] == p->at[x]) over++;
            else if (j != op_over(tape->op[i].kind))
                cr_assert(owner(tape, p, x, tape->ops) == x, "variant %d: op %d backward", *index, i);
        }
    const int read[] = {tape->logits, tape->nll, tape->loss};
    for (int i = 0; i < 3; i++)
        cr_assert(owner(tape, p, read[i], tape->ops) == read[i], "%s", tape->tensor[read[i]].name);
    for (int i = 0; i < tape->probes; i++) {
        int x = tape->probe[i].tensor;
        cr_assert(x < 0 || owner(tape, p, x, tape->ops) == x, "%s", probe_info[tape->probe[i].kind].name);
    }
    cr_assert(over >= s.layers, "variant %d: %d outputs over an input", *index, over);
    cr_assert(p->words < tape->words[ROLE_ACT]);
}

/* An output may alias an input that only one op reads, and not one that two ops read. */
Test(model, places_by_hand) {
    LOCAL(tape_release) Tape t;
    Places p;
    LOCAL(recompute_release) Recompute none;
    tape_init(&t);
    Attr attr = {.seq = 4, .alpha = 1, .beta = 1};
    int id = tape_feed(&t, 8, "id"), wte = tape_param(&t, 5, 16, INIT_TOKEN, 0, -1, "wte"),
        wpe = tape_param(&t, 4, 16, INIT_POSITION, 0, -1, "wpe");
    int x = tape_op(&t, OP_embed, (int[]){id, wte, wpe}, 3, attr, -1, "x");
    int dropped = tape_op1(&t, OP_dropout, x, attr, -1, "dropped");
    int sum = tape_op2(&t, OP_residual, dropped, x, attr, -1, "sum");
    int scaled = tape_op1(&t, OP_scale, sum, attr, -1, "scaled"),
        bent = tape_op1(&t, OP_gelu, scaled, attr, -1, "bent");
    recompute_init(&none, &t);
    places_init(&p, &t, true, &none, sizeof(float));
    cr_assert(p.at[x] != p.at[dropped] && p.at[x] != p.at[sum] && p.at[dropped] != p.at[sum]);
    cr_assert(p.at[scaled] == p.at[sum] && p.at[bent] != p.at[scaled]);
    cr_assert_eq(p.words, 4u * 8 * 16);
    places_release(&p);
    places_init(&p, &t, false, &none, sizeof(float));
    cr_assert_eq(p.words, 5u * 8 * 16);
    places_release(&p);
}

/* A gradient aliases its activation where only one op reads the activation; then the op before it cannot take over the
 * gradient's memory. */
Test(model, gradients_over_activations) {
    for (int probed = 0; probed < 2; probed++) {
        LOCAL(tape_release) Tape t;
        Gradients g;
        tape_init(&t);
        Attr attr = {.seq = 4, .heads = 2, .alpha = 2};
        int id = tape_feed(&t, 8, "id"), target = tape_feed(&t, 8, "target");
        int wte = tape_param(&t, 5, 16, INIT_TOKEN, 0, -1, "wte"),
            wpe = tape_param(&t, 4, 16, INIT_POSITION, 0, -1, "wpe");
        int in = tape_param(&t, 48, 16, INIT_MATRIX, 0, -1, "in"),
            head = tape_param(&t, 5, 16, INIT_MATRIX, 0, -1, "head");
        int x = tape_op(&t, OP_embed, (int[]){id, wte, wpe}, 3, attr, -1, "x");
        int qkv = tape_op2(&t, OP_linear, x, in, attr, -1, "qkv");
        int scaled = tape_op1(&t, OP_scale, qkv, attr, -1, "scaled");
        if (probed) tape_op1(&t, OP_rownorm, scaled, attr, -1, "probe");
        int y = tape_op1(&t, OP_attention, scaled, attr, -1, "y");
        int logits = tape_op2(&t, OP_linear, y, head, attr, -1, "logits");
        int nll = tape_op2(&t, OP_xent, logits, target, attr, -1, "nll");
        t.loss = tape_op1(&t, OP_mean, nll, attr, -1, "loss");
        gradients_init(&g, &t, true, sizeof(float));
        cr_assert(g.over[logits] && g.over[scaled] == !probed);
        cr_assert(!g.over[x] && !g.over[qkv] && !g.over[y] && !g.over[nll]);
        cr_assert(g.at[x] + 8 * 16 <= g.at[qkv] || g.at[qkv] + 8 * 48 <= g.at[x], "probed %d: over one that lives",
                  probed);
        cr_assert(!probed || g.at[qkv] == g.at[scaled]);
        gradients_release(&g);
        gradients_init(&g, &t, false, sizeof(float));
        for (int i = 0; i < t.tensors; i++) cr_assert(!g.over[i]);
        gradients_release(&g);
    }
}

/* A scale of 1 is no scale, and constant rules of 1 are the plain row: exactly, for several updates. */
Test(model, rules_of_one_change_nothing) {
    Variant pre = *variant_find("pre", &e), ruled = pre;
    double a[4], b[4];
    variant_set(&ruled, "carry", "1", &e);
    variant_set(&ruled, "gate", "constant 1", &e);
    losses(a, 4, &pre, 1e-5);
    losses(b, 4, &ruled, 1e-5);
    cr_assert_arr_eq(a, b, sizeof a);
}

/* ReZero: gate 0 makes the blocks the identity, so only the gates have a gradient inside the blocks. */
Test(model, rezero_is_the_identity_at_start) {
    Variant v = *variant_find("none", &e);
    variant_set(&v, "gate", "learned 0", &e);
    ModelShape s = toy_shape();
    Recipe recipe = toy_recipe();
    uint64_t seed = 2;
    LOCAL(trainer_release) Trainer *t;
    OK(trainer_for_gpt(&t, &s, &v, NULL, &recipe, &seed, 1, backend_find("cpu64", &e), &e));
    toy_batch(t, 0, 2, 0);
    t->program.scalars[0] = (Scalars){.count = s.batch * s.context, .drop_scale = 1};
    program_forward(&t->program);
    program_backward(&t->program);
    for (int i = 0; i < t->tape.tensors; i++) {
        const Tensor *x = &t->tape.tensor[i];
        if (x->role != ROLE_PARAM || x->layer < 0) continue;
        double squares = t->program.backend->sumsq(program_at(&t->program, ROLE_GRAD, i, 0), x->rows, x->cols);
        cr_assert((squares > 0) == (strstr(x->name, "gate") != NULL), "%s: %g", x->name, squares);
    }
}

/* The shape of the write-up: 1,611,136 parameters with biases and positions at 8 layers, 818,048 at 4. */
Test(model, parameter_counts) {
    const struct {
        int layers;
        size_t parameters;
    } known[] = {{8, 1611136}, {4, 818048}};
    for (int i = 0; i < 2; i++) {
        ModelShape s = whole_shape();
        s.layers = known[i].layers;
        LOCAL(tape_release) Tape t;
        transformer_build(&t, &s, variant_find("pre", &e), NULL);
        cr_assert_eq(tape_parameters(&t), known[i].parameters, "%zu", tape_parameters(&t));
        cr_assert(tape_find(&t, "h.3.attn.c_attn.weight") >= 0 && tape_find(&t, "ln_f.bias") >= 0);
    }
}

/* FLOPs by the published formula: 3 (2 (12 L d^2 + V d) + L 4 d (T + 1) / 2) per token. */
Test(model, flops_follow_the_formula) {
    ModelShape s = whole_shape();
    LOCAL(tape_release) Tape t;
    transformer_build(&t, &s, variant_find("pre", &e), NULL);
    double formula = 2048.0 * 3 * (2 * (12.0 * 8 * 128 * 128 + 65 * 128) + 8 * 4 * 128 * 129 / 2.0);
    cr_assert_float_eq(tape_flops(&t), formula, 1.0);
}

/* Shared tensors start with the same numbers whatever else an arm has. */
Test(model, arms_share_initial_weights) {
    ModelShape s = toy_shape();
    Recipe recipe = toy_recipe();
    uint64_t seed = 9;
    LOCAL(trainer_release) Trainer *a, *b;
    OK(trainer_for_gpt(&a, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, backend_find("cpu", &e), &e));
    OK(
        trainer_for_gpt(&b, &s, variant_find("peri", &e), NULL, &recipe, &seed, 1, backend_find("cpu", &e), &e));
    int shared = 0;
    for (int i = 0; i < a->tape.tensors; i++) {
        if (a->tape.tensor[i].role != ROLE_PARAM) continue;
        int j = tape_find(&b->tape, a->tape.tensor[i].name);
        cr_assert(j >= 0);
        size_t bytes = (size_t)a->tape.tensor[i].rows * (size_t)a->tape.tensor[i].cols * sizeof(float);
        cr_assert_arr_eq(program_at(&a->program, ROLE_PARAM, i, 0), program_at(&b->program, ROLE_PARAM, j, 0), bytes);
        shared++;
    }
    cr_assert(shared > 20);
}

/* Learning rates against hand-computed values. */
Test(model, schedules) {
    Recipe r = {.schedule = SCHEDULE_linear, .steps = 902, .warmup = 500, .lr = 1e-3, .warmup_lr = 1e-4};
    cr_assert_float_eq(recipe_lr(&r, 499), 1e-3, 1e-15);
    cr_assert_float_eq(recipe_lr(&r, 249), 5.5e-4, 1e-15);
    cr_assert_float_eq(recipe_lr(&r, 701), 5e-4, 1e-15);
    cr_assert_float_eq(recipe_lr(&r, 902), 0, 1e-15);
    r.schedule = SCHEDULE_cosine, r.final_lr = 1e-4;
    cr_assert_float_eq(recipe_lr(&r, 701), 5.5e-4, 1e-10);
    r.schedule = SCHEDULE_inverse_sqrt, r.warmup = 100;
    cr_assert_float_eq(recipe_lr(&r, 399), 5e-4, 1e-12);
    r.schedule = SCHEDULE_constant, r.warmup = 0;
    cr_assert_float_eq(recipe_lr(&r, 700), 1e-3, 1e-15);
}

/* One AdamW step by hand: m = 0.1 g, v = 0.05 g^2, both corrected back to g and g^2, so the step is lr sign(g). */
Test(model, adamw_by_hand) {
    Recipe r = toy_recipe();
    Scalars s;
    recipe_scalars(&r, &s, 1, 0, 1, 0.9, 0.95);
    double p[2] = {1, -2}, g[2] = {0.5, -4}, m[2] = {0}, v[2] = {0};
    Update u = {.p = p, .g = g, .m = m, .v = v, .count = 2, .decay = true, .scalars = &s};
    backend_find("cpu64", &e)->update[OPTIMIZER_adamw](&u);
    cr_assert_float_eq(p[0], 1 * (1 - 1e-4) - 1e-3, 1e-9);
    cr_assert_float_eq(p[1], -2 * (1 - 1e-4) + 1e-3, 1e-9);
    cr_assert_float_eq(g[0], p[0] - 1, 1e-15);
    cr_assert_float_eq(m[0], 0.05, 1e-12);
    cr_assert_float_eq(v[1], 0.8, 1e-12);
}

/* Kernels count the numbers of a tensor in an int. */
Test(model, a_tensor_of_too_many_numbers_is_refused_on_a_device) {
    ModelShape s = toy_shape();
    OK(shape_check(&s, true, &e));
    s.batch = 1 << 13, s.context = 1 << 11;
    cr_assert_eq(shape_check(&s, true, &e), RC_USAGE, "2^24 rows x 128");
    cr_assert(strstr(e.text, "batch") && strstr(e.text, "2^31"), "%s", e.text);
    OK(shape_check(&s, false, &e));
    s.batch = 1 << 12;
    OK(shape_check(&s, true, &e));
    s.vocab = 1 << 26;
    cr_assert_eq(shape_check(&s, true, &e), RC_USAGE);
    OK(shape_check(&s, false, &e));
    s.width = 1 << 28, s.heads = 1;
    cr_assert_eq(shape_check(&s, false, &e), RC_USAGE, "rows of 2^31 numbers");
}
