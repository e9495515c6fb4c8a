/* What the rows of models/variants.c promise: exact identities between them, what their starts and profiling passes
 * measure, what does not go together. In double, eps = 0 where an identity needs it. */
#include "base/sha256.h"
#include "models/init.h"
#include "models/norm.h"
#include "models/trainer_look.h"
#include "tests/models/changed.h"
#include "tests/models/toy.h"

static Trainer *trainer(const Variant *v, int layers, double eps, const Recipe *r, const char *backend) {
    static const uint64_t seed = 5;
    ModelShape s = toy_shape();
    s.layers = layers, s.norm_eps = eps;
    Trainer *t;
    OK(variant_check(v, layers, &e));
    OK(trainer_for_gpt(&t, &s, v, NULL, r, &seed, 1, backend_find(backend, &e), &e));
    return t;
}

/* Losses of the first steps and the gradient norm of the first. */
static void train(double *loss, int steps, double *norm, Trainer *t) {
    StepReport report = {.finite = true};
    for (int i = 0; i < steps; i++) {
        toy_batch(t, 0, 5, (uint64_t)i);
        trainer_step(t, &report);
        loss[i] = program_value(&t->program, ROLE_ACT, t->tape.loss, 0, 0);
        if (!i) *norm = report.grad_norm;
    }
}

enum { STEPS = 3 };
static double apart(const Variant *a, const Variant *b, int layers, int steps) {
    double x[STEPS], y[STEPS], norm[2] = {0}, worst = 0;
    Recipe r = toy_recipe();
    LOCAL(trainer_release) Trainer *ta = trainer(a, layers, 0, &r, "cpu64"), *tb = trainer(b, layers, 0, &r, "cpu64");
    train(x, steps, &norm[0], ta), train(y, steps, &norm[1], tb);
    for (int i = 0; i < steps; i++) worst = fmax(worst, fabs(x[i] - y[i]) / fabs(x[i]));
    return fmax(worst, steps ? fabs(norm[0] - norm[1]) / norm[0] : 0);
}

/* Rows that are one network at these values, trained for three steps; and that they are apart without them. */
Test(placements, identities) {
    static const struct {
        const char *row, *changes, *same, *same_changes, *not_without;
    } rows[] = {
        {"sandwich", "", "peri", "", NULL},
        {"mixln", "attn.in=ln,mlp.in=ln,attn.post=none,mlp.post=none", "pre", "", "mixln"},
        {"mixln", "attn.in=none,mlp.in=none,attn.post=ln,mlp.post=ln", "post", "final=ln", "mixln"},
        {"pre", "attn.in=none; ln from 0/1,mlp.in=none; ln to 1/1", "pre", "", NULL},
        {"deepnorm", "carry=1,init=recipe", "post", "", "deepnorm"},
        {"lns", "depth_scale=1", "pre", "init=plain", "lns"},
        {"keel", "carry=1", "prepost", "", "keel"},
        {"b2t", "streams=one", "post", "", "b2t"},
        {"residual", "streams=one,final=none", "post", "", "residual"},
        {"layerscale", "gate=1", "pre", "", "layerscale"},
        {"normformer", "head_scale=1,attn.out=none,mlp.mid=none", "pre", "", "normformer"},
        {"subln", "attn.mid=none,mlp.mid=none,init=recipe", "pre", "", "subln"},
        {"gemma2", "embed_scale=1,logit_cap=0", "peri", "attn.in=rms,mlp.in=rms,attn.out=rms,mlp.out=rms,final=rms",
         "gemma2"},
        {"pre-to-post", "in_strength=1,post_strength=0", "pre", "", NULL},
        {"pre-to-post", "in_strength=1,post_strength=1", "prepost", "final=ln", "pre-to-post"},
        {"pre-to-post", "in_strength=moves 1 1,post_strength=moves 1 1", "prepost", "final=ln", "pre-to-post"},
        {"none", "gate=moves 0.5 0.5", "none", "gate=0.5", "none"},
        {"post", "carry=moves 2 2", "post", "carry=2", "post"},
        {"post", "carry=rest 1,gate=0.25", "post", "carry=0.75,gate=0.25", "post"},
        {"post", "carry=rest 1,gate=moves 0.25 0.25", "post", "carry=0.75,gate=0.25", "post"},
        {"pre", "block_carry=1,x0=moves 0 0", "pre", "", NULL},
        {"x0-lambdas", "block_carry=1,x0=0,embed=none,init=recipe", "pre", "attn.in=rms,mlp.in=rms,final=rms",
         "x0-lambdas"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant a = changed(rows[i].row, rows[i].changes), b = changed(rows[i].same, rows[i].same_changes);
        double far = apart(&a, &b, 4, STEPS);
        cr_expect(far < 1e-10, "%s %s and %s %s are %g apart", rows[i].row, rows[i].changes, rows[i].same,
                  rows[i].same_changes, far);
        if (!rows[i].not_without) continue;
        a = changed(rows[i].not_without, "");
        far = apart(&a, &b, 4, STEPS);
        cr_expect(far > 1e-9, "%s as it stands is %s %s too", rows[i].not_without, rows[i].same, rows[i].same_changes);
    }
}

/* Those that hold at the start alone: one step. */
Test(placements, identities_at_the_start) {
    static const struct {
        const char *row, *changes, *same, *same_changes;
    } rows[] = {
        {"prepost", "embed=ln", "post", "embed=ln"},
        {"gpas", "", "pre", ""},  /* silu(0) = 0 */
        {"hyper", "", "pre", ""}, /* every stream is the stream, and the norm before the head takes their number off */
        {"hybridnorm-star", "attn.qk=none,attn.v=none,attn.in=none,mlp.in=none,attn.post=rms", "hybridnorm",
         "attn.qk=none,attn.v=none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant a = changed(rows[i].row, rows[i].changes), b = changed(rows[i].same, rows[i].same_changes);
        double x, y, norm[2];
        Recipe r = toy_recipe();
        LOCAL(trainer_release) Trainer *ta = trainer(&a, 2, 0, &r, "cpu64"), *tb = trainer(&b, 2, 0, &r, "cpu64");
        train(&x, 1, &norm[0], ta), train(&y, 1, &norm[1], tb);
        cr_expect(fabs(x - y) < 1e-12 * fabs(x), "%s and %s: %.17g %.17g", rows[i].row, rows[i].same, x, y);
    }
}

static double *values(const Trainer *t, int tensor) {
    const Tensor *x = &t->tape.tensor[tensor];
    double *out = mem_alloc((size_t)x->rows * (size_t)x->cols, sizeof *out);
    program_values(&t->program, x->role, tensor, 0, out);
    return out;
}

/* Takes the mean off every row, or off every column, of a parameter. */
static void center(Trainer *t, const char *name, bool by_row) {
    int tensor = tape_find(&t->tape, name);
    cr_assert(tensor >= 0, "%s", name);
    const Tensor *x = &t->tape.tensor[tensor];
    int rows = x->rows, cols = x->cols;
    OWNED double *v = values(t, tensor);
    for (int i = 0; i < (by_row ? rows : cols); i++) {
        double mean = 0;
        int n = by_row ? cols : rows;
        for (int j = 0; j < n; j++) mean += v[by_row ? i * cols + j : j * cols + i] / n;
        for (int j = 0; j < n; j++) v[by_row ? i * cols + j : j * cols + i] -= mean;
    }
    program_put(&t->program, ROLE_PARAM, tensor, 0, v);
}

/* Pre-LN whose stream has mean zero in every row is Pre-RMSNorm (Jiang et al. 2023): LinearZeroMeanOutput. */
Test(placements, centered_pre_ln_is_pre_rmsnorm) {
    double loss[2], norm[2];
    for (int i = 0; i < 2; i++) {
        Variant v = i ? changed("pre", "attn.in=rms,mlp.in=rms,final=rms") : changed("pre", "");
        Recipe r = toy_recipe();
        LOCAL(trainer_release) Trainer *t = trainer(&v, 2, 0, &r, "cpu64");
        center(t, "wte.weight", true), center(t, "wpe.weight", true);
        for (int block = 0; block < 2; block++)
            for (int j = 0; j < 2; j++) {
                char name[48];
                snprintf(name, sizeof name, "h.%d.%s.c_proj.weight", block, j ? "mlp" : "attn");
                center(t, name, false);
            }
        train(&loss[i], 1, &norm[i], t);
    }
    cr_expect(fabs(loss[0] - loss[1]) < 1e-12 * loss[0], "%.17g %.17g", loss[0], loss[1]);
}

/* w_k = sqrt(1 + sum_{j<k} Var f_j), from the branches that the very pass with these w computes. */
Test(placements, admin_profiles_the_first_batch) {
    static const char *const backends_tried[] = {"cpu64", "readable"};
    for (size_t b = 0; b < 2; b++) {
        const Variant *v = variant_find("admin", &e);
        Recipe r = toy_recipe();
        LOCAL(trainer_release) Trainer *t = trainer(v, 2, 1e-5, &r, backends_tried[b]);
        cr_assert(trainer_awaits_data(t));
        toy_batch(t, 0, 5, 0);
        trainer_init_from_data(t);
        cr_expect(!trainer_awaits_data(t));
        cr_assert_eq(t->tape.data_inits, 4);
        double total = 1;
        for (int op = 0, k = 0; op < t->tape.ops; op++) {
            program_forward_op(&t->program, op);
            const DataInit *p = &t->tape.data_init[k];
            if (k == 4 || t->tape.op[op].out != p->branch) continue;
            double *w = values(t, p->parameter), *f = values(t, p->branch), mean = 0, squares = 0;
            int n = t->tape.tensor[p->branch].rows * t->tape.tensor[p->branch].cols;
            for (int i = 0; i < t->tape.tensor[p->parameter].cols; i++)
                cr_expect(fabs(w[i] - sqrt(total)) < 1e-6, "sublayer %d: %.9g, not %.9g", k, w[i], sqrt(total));
            for (int i = 0; i < n; i++) mean += f[i] / n;
            for (int i = 0; i < n; i++) squares += (f[i] - mean) * (f[i] - mean) / n;
            total += squares, k++;
            free(w), free(f);
        }
        cr_expect(total > 1.0000001);
    }
}

/* Whoever trains without a profiling pass of his own gets the same; a second pass changes nothing. */
Test(placements, admin_profiles_by_itself) {
    const Variant *v = variant_find("admin", &e);
    Recipe r = toy_recipe();
    char hash[3][SHA256_HEX];
    for (int i = 0; i < 3; i++) {
        LOCAL(trainer_release) Trainer *t = trainer(v, 2, 1e-5, &r, "readable");
        double loss[2], norm;
        uint8_t bytes[32];
        toy_batch(t, 0, 5, 0);
        if (i) trainer_init_from_data(t);
        if (i == 2) trainer_restart(t, 0);
        train(loss, 2, &norm, t);
        trainer_hash(t, 0, bytes);
        sha256_hex(hash[i], bytes);
    }
    cr_expect_str_eq(hash[0], hash[1]);
    cr_expect_str_eq(hash[0], hash[2]);
}

/* A profiling pass that meets NaN ends the run at its first step, by name; it does not crash. */
Test(placements, a_profiling_pass_that_meets_nan) {
    const Variant *v = variant_find("admin", &e);
    Recipe r = toy_recipe();
    LOCAL(trainer_release) Trainer *t = trainer(v, 2, 1e-5, &r, "readable");
    StepReport report = {.finite = true};
    int bias = tape_find(&t->tape, "h.0.mlp.c_fc.bias"), n = t->tape.tensor[bias].cols;
    OWNED float *nan = mem_alloc((size_t)n, sizeof *nan);
    for (int i = 0; i < n; i++) nan[i] = NAN;
    program_write(&t->program, ROLE_PARAM, bias, 0, nan);
    toy_batch(t, 0, 5, 0);
    cr_assert(trainer_step(t, &report));
    cr_expect(!report.finite && !strncmp(report.culprit, "act h.0.mlp.", 12), "%s", report.culprit);
}

static double deviation(const Trainer *t, const char *name, int from_part, int parts) {
    int tensor = tape_find(&t->tape, name);
    cr_assert(tensor >= 0, "%s", name);
    const Tensor *x = &t->tape.tensor[tensor];
    size_t n = (size_t)x->rows * (size_t)x->cols, from = n / 3 * (size_t)from_part, to = from + n / 3 * (size_t)parts;
    double *v = values(t, tensor), squares = 0;
    for (size_t i = from; i < to; i++) squares += v[i] * v[i];
    free(v);
    return sqrt(squares / (double)(to - from));
}

/* The standard deviations that the init columns promise, within the error of some 3,000 to 12,000 draws. */
Test(placements, starts) {
    const double d = 32, xavier = sqrt(2 / (d + d)), fc = sqrt(2 / (5 * d)), deep = pow(32, -.25);
    const struct {
        const char *init, *tensor;
        int part, parts;
        double std;
    } rows[] = {
        {"recipe", "h.3.attn.c_attn.weight", 0, 3, .02},
        {"recipe", "h.3.mlp.c_proj.weight", 0, 3, .01},
        {"plain", "h.3.mlp.c_proj.weight", 0, 3, .02},
        {"zero_out", "h.3.attn.c_proj.weight", 0, 3, 0},
        {"zero_out", "h.3.mlp.c_fc.weight", 0, 3, .02},
        {"deepnorm", "h.1.attn.c_attn.weight", 0, 2, xavier},
        {"deepnorm", "h.1.attn.c_attn.weight", 2, 1, xavier * deep},
        {"deepnorm", "h.1.attn.c_proj.weight", 0, 3, xavier * deep},
        {"deepnorm", "h.1.mlp.c_fc.weight", 0, 3, fc * deep},
        {"deepnorm", "h.1.mlp.c_proj.weight", 0, 3, fc * deep},
        {"deepnorm", "wte.weight", 0, 3, .02},
        {"layerwise", "h.0.mlp.c_fc.weight", 0, 3, fc / 4},
        {"layerwise", "h.3.mlp.c_fc.weight", 0, 3, fc},
        {"magneto", "h.2.mlp.c_fc.weight", 0, 3, fc * sqrt(log(8))},
        {"magneto", "h.2.attn.c_attn.weight", 0, 2, xavier},
        {"fixup", "h.2.mlp.c_proj.weight", 0, 3, 0},
        {"fixup", "h.2.mlp.c_fc.weight", 0, 3, .02 / sqrt(8)},
        {"fixup", "h.2.attn.c_attn.weight", 0, 2, .02},
        {"fixup", "h.2.attn.c_attn.weight", 2, 1, .02 / sqrt(8)},
        {"t_fixup", "h.2.mlp.c_fc.weight", 0, 3, fc * .67 * pow(4, -.25)},
        {"t_fixup", "wte.weight", 0, 3, pow(d, -.5) * pow(36, -.25)},
        {"unit", "h.2.mlp.c_proj.weight", 0, 3, pow(d, -.5)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed("pre", "");
        OK(variant_set(&v, "init", rows[i].init, &e));
        Recipe r = toy_recipe();
        LOCAL(trainer_release) Trainer *t = trainer(&v, 4, 1e-5, &r, "readable");
        double got = deviation(t, rows[i].tensor, rows[i].part, rows[i].parts);
        cr_expect(fabs(got - rows[i].std) <= .06 * rows[i].std, "%s %s: %g, not %g", rows[i].init, rows[i].tensor, got,
                  rows[i].std);
    }
}

Test(placements, columns_that_do_not_go_together) {
    static const struct {
        const char *row, *changes, *error;
    } rows[] = {
        {"attnres", "carry=2", "carry: not possible with streams: attnres, whose sublayers end in no sum x + f"},
        {"hyper", "attn.post=ln", "attn.post: not possible with streams: hyper"},
        {"hyper", "mlp.post=ln to 0", "mlp.post: not possible with streams: hyper"},
        {"attnres-block", "x0=0.5", "x0: not possible with streams: attnres_block"},
        {"mhc", "mlp.carry=2", "mlp.carry: not possible with streams: mhc"},
        {"hyper", "shrink=learned 0", "shrink: not possible with streams: hyper"},
        {"pre", "logit_cap=layer_root 0", "logit_cap: layer_root of 0 is no cap; write 0"},
        {"pre", "logit_cap=ramp -1 3", "logit_cap: it is 0 (none) or above, not -1"},
        {"pre", "logit_cap=-1", "logit_cap: it is 0 (none) or above"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed(rows[i].row, rows[i].changes);
        cr_expect_eq(variant_check(&v, 4, &e), RC_USAGE, "%s %s", rows[i].row, rows[i].changes);
        cr_expect(!strncmp(e.text, rows[i].error, strlen(rows[i].error)), "%s", e.text);
    }
}

Test(placements, values_that_are_not_there) {
    static const char *const rows[][3] = {
        {"streams", "hyperr",
         "streams: unknown value 'hyperr'; did you mean 'hyper'? valid: one, dual and a number, skip"},
        {"streams", "hyper 1", "streams: hyper: '1' is not a whole number from 2 to 64"},
        {"streams", "mhc 9", "streams: mhc: '9' is not a whole number from 2 to 8"},
        {"streams", "siamese 2", "streams: 'siamese' takes no number, not '2'"},
        {"streams", "hyper 2.5", "streams: hyper: '2.5' is not a whole number"},
        {"streams", "skip 2", "streams: 'skip' takes no number, not '2'"},
        {"streams", "dual 0", "streams: dual: '0' is not a number above 0"},
        {"init", "deepnrom", "init: unknown value 'deepnrom'; did you mean 'deepnorm'?"},
        {"attn.qk_over", "heads", "attn.qk_over: unknown value 'heads'; did you mean 'head'?"},
        {"attn.v", "ln", "attn.v: 'ln' is not possible here; valid: none, rmsnorm"},
        {"gate", "moves 1", "gate: 'moves' takes two numbers, such as 'moves 0 1'"},
        {"gate", "moves 0 1 2", "gate: 'moves' takes two numbers"},
        {"gate", "moves 0 x", "gate: 'x' is not a number"},
        {"gate", "profiled", "gate: 'profiled' is not possible here; valid: a number, or constant"},
        {"carry", "rset", "carry: 'rset' is neither a number nor a rule; did you mean 'rest'?"},
        {"in_strength", "learned 1", "in_strength: 'learned' is not possible here"},
        {"after_step", "renormalise", "after_step: unknown value 'renormalise'; did you mean 'renormalize'?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed("pre", "");
        char before[VARIANT_TEXT_SIZE], after[VARIANT_TEXT_SIZE];
        variant_get(before, &v, rows[i][0]);
        cr_expect_eq(variant_set(&v, rows[i][0], rows[i][1], &e), RC_USAGE, "%s", rows[i][1]);
        cr_expect(!strncmp(e.text, rows[i][2], strlen(rows[i][2])), "%s", e.text);
        cr_expect_str_eq(variant_get(after, &v, rows[i][0]), before);
    }
}

/* Every column's text reads back, and a young column at its default is not in the canonical text: ids hang on it. */
Test(placements, columns_read_back) {
    for (int i = 0; i < variant_count; i++) {
        Variant v = *variant_find("none", &e);
        for (int k = 0; k < variant_key_count; k++) {
            char value[VARIANT_TEXT_SIZE], again[VARIANT_TEXT_SIZE];
            variant_get(value, &variants[i], variant_keys[k]);
            cr_assert_eq(variant_set(&v, variant_keys[k], value, &e), RC_OK, "%s: %s", variants[i].name, e.text);
            cr_expect_str_eq(variant_get(again, &v, variant_keys[k]), value);
        }
        LOCAL_TEXT(ours);
        LOCAL_TEXT(theirs);
        variant_text(&variants[i], &ours), variant_text(&v, &theirs);
        cr_expect_str_eq(ours.at, theirs.at);
        for (int k = 0; k < variant_key_count; k++) {
            char value[VARIANT_TEXT_SIZE], line[VARIANT_TEXT_SIZE + 40];
            snprintf(line, sizeof line, "%s = %s\n", variant_keys[k], variant_get(value, &v, variant_keys[k]));
            bool young = variant_since(variant_keys[k]) > 1 && !strcmp(value, variant_default(variant_keys[k]));
            cr_expect_eq(strstr(ours.at, line) != NULL, !young, "%s: %s", variants[i].name, line);
        }
        cr_expect(variant_same(&variants[i], &v));
        for (int k = 0; k < variant_count; k++) {
            text_clear(&theirs);
            variant_text(&variants[k], &theirs);
            cr_expect_eq(variant_same(&variants[i], &variants[k]), !strcmp(ours.at, theirs.at), "%d %d", i, k);
        }
    }
}

/* By its text alone a young column is known to stand at its default. */
Test(placements, young_defaults_are_canonical_text) {
    for (int k = 0; k < variant_key_count; k++) {
        Variant v = variants[0];
        char value[VARIANT_TEXT_SIZE];
        OK(variant_set(&v, variant_keys[k], variant_default(variant_keys[k]), &e));
        cr_expect_str_eq(variant_get(value, &v, variant_keys[k]), variant_default(variant_keys[k]));
        cr_expect_eq(variant_left_out(variant_keys[k], value), variant_since(variant_keys[k]) > 1);
    }
}
