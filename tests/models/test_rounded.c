/* Runs stored in words of 16 bits (kernels/rounding.h): the same bits and counts on every path, near a double oracle
 * that rounds at the same places; and the loss's scale (kernels/loss_scale.h). */

#include "base/sha256.h"
#include "models/trainer_look.h"
#include "tests/models/toy.h"
#include "tests/test.h"

static const PrecisionKind stored[] = {PRECISION_fp16, PRECISION_bf16_stored, PRECISION_fp16_scaled};
enum { STORED = sizeof stored / sizeof *stored };

/* A row's kernels in another precision. */
static Backend as(const char *row, PrecisionKind p) {
    Backend b = *backend_find(row, &e);
    b.precision = p;
    return b;
}

/* A whole training's hashes and, behind them, the hash of all its counts. */
typedef struct {
    char hashes[130], counts[SHA256_HEX];
    LossScale scale;
} Outcome;

static void hash_counts(Trainer *t, int replica, char out[SHA256_HEX]) {
    size_t sites = (size_t)trainer_sites(t);
    OWNED Rounded *count = mem_alloc(sites, sizeof *count);
    trainer_rounded(t, replica, count);
    sha256_hex_of(out, (const char *)count, sites * sizeof *count);
}

static Outcome outcome(const Backend *b, const Variant *v, const ModelShape *s, const Recipe *r, int steps,
                       int threads) {
    Trainer *t;
    Outcome o = {0};
    uint64_t seed = 1;
    uint8_t chain[32] = {0}, parameters[32];
    char x[SHA256_HEX], y[SHA256_HEX];
    OK(trainer_for_gpt(&t, s, v, NULL, r, &seed, 1, b, &e));
    if (threads > 1) OK(trainer_share(t, threads, &e));
    toy_train(t, steps, chain);
    trainer_hash(t, 0, parameters);
    snprintf(o.hashes, sizeof o.hashes, "%s:%s", sha256_hex(x, chain), sha256_hex(y, parameters));
    hash_counts(t, 0, o.counts);
    if (trainer_scaled(t)) o.scale = trainer_scale(t, 0);
    trainer_free(t);
    return o;
}

static void assert_same(const Outcome *got, const Outcome *expected, const char *who, int setting) {
    cr_assert_str_eq(got->hashes, expected->hashes, "setting %d on %s", setting, who);
    cr_assert_str_eq(got->counts, expected->counts, "counts of setting %d on %s", setting, who);
    cr_assert(got->scale.now == expected->scale.now && got->scale.skipped == expected->scale.skipped, "%s", who);
}

/* The readable kernels against the fast ones, alone and shared, and, of every third setting, the CUDA kernels. */
TEST_EACH(rounded, same_on_every_path, toy_settings()) {
    Variant v;
    ModelShape s;
    Recipe r;
    char exact[130];
    toy_setting(*index, &v, &s, &r);
    Backend plain = as("readable", PRECISION_exact);
    toy_hashes(exact, &v, &s, &r, 1, &plain, 2);
    for (int p = 0; p < STORED; p++) {
        Backend readable = as("readable", stored[p]);
        Outcome expected = outcome(&readable, &v, &s, &r, 2, 1);
        int paths = 0;
        cr_assert_str_neq(expected.hashes, exact);
        for (int i = 0; i < backend_count; i++) {
            const Backend *b = backends[i];
            if (b->precision != stored[p] || !b->supported()) continue;
            if (b->device && (!b->device->shares_memory || *index % 3 != p)) continue;
            cr_assert_str_eq(backend_class(b), precision_name(stored[p]));
            Outcome got = outcome(b, &v, &s, &r, 2, b->device || *index % 4 ? 1 : 3);
            assert_same(&got, &expected, b->name, *index);
            paths++;
        }
        cr_assert_geq(paths, 1);
    }
}

/* ||a - b|| / ||b|| of a gradient. */
static double apart(Trainer *a, Trainer *b, int tensor) {
    const Tensor *x = &a->tape.tensor[tensor];
    size_t n = (size_t)x->rows * (size_t)x->cols;
    double *p = mem_alloc(n, sizeof *p), *q = mem_alloc(n, sizeof *q), up = 0, down = 1e-12;
    program_values(&a->program, ROLE_GRAD, tensor, 0, p);
    program_values(&b->program, ROLE_GRAD, tensor, 0, q);
    for (size_t i = 0; i < n; i++) up += (p[i] - q[i]) * (p[i] - q[i]), down += q[i] * q[i];
    free(p), free(q);
    return sqrt(up / down);
}

static Trainer *passed(const Backend *b, const Variant *v, const ModelShape *s, const Recipe *r) {
    static uint64_t seed = 1;
    Trainer *t;
    OK(trainer_for_gpt(&t, s, v, NULL, r, &seed, 1, b, &e));
    toy_batch(t, 0, seed, 0);
    if (trainer_awaits_data(t)) trainer_init_from_data(t);
    if (trainer_scaled(t)) trainer_set_scale(t, 0, (LossScale){.now = 64}); /* fits every row */
    trainer_scalars(t);
    program_forward(&t->program);
    program_backward(&t->program);
    return t;
}

/* A word's rounding, half its last digit, is what one store may be off by; a gradient is the work of some dozens. */
static double farthest(PrecisionKind p) {
    return p == PRECISION_bf16_stored ? 0.3 : 0.05;
}

/* Double kernels that store the same words: single stores may fall to the other neighbour, which moves what follows by
 * a unit of the word. All parameters together are nearer to this oracle than that is to one that does not round. */
TEST_EACH(rounded, gradients_are_the_rounded_oracles, toy_settings()) {
    Variant v;
    ModelShape s;
    Recipe r;
    toy_setting(*index, &v, &s, &r);
    for (int p = 0; p < STORED; p++) {
        Backend kernels = as("readable", stored[p]), rounding = as("cpu64", stored[p]),
                plain = as("cpu64", PRECISION_fp64);
        LOCAL(trainer_release) Trainer *t = passed(&kernels, &v, &s, &r), *oracle = passed(&rounding, &v, &s, &r);
        LOCAL(trainer_release) Trainer *exact = passed(&plain, &v, &s, &r);
        double near = 0, far = 0;
        for (int i = 0; i < t->parameters; i++) {
            /* a scaled gradient is compared with its like alone */
            double d = apart(t, oracle, t->parameter[i]), from_exact = 1;
            if (stored[p] != PRECISION_fp16_scaled) from_exact = apart(oracle, exact, t->parameter[i]);
            cr_assert(d < farthest(stored[p]) || d < 2 * from_exact, "%s, setting %d, %s: %.3g",
                      precision_name(stored[p]), *index, t->tape.tensor[t->parameter[i]].name, d);
            near += d, far += from_exact;
        }
        cr_assert(near < far, "%s, setting %d: %.3g from the oracle, which is %.3g from double",
                  precision_name(stored[p]), *index, near / t->parameters, far / t->parameters);
    }
}

/* Whatever stands in a narrow tensor after a step is a number of the word; masters and the loss are not. */
Test(rounded, memory_holds_words) {
    Variant v = *variant_find("peri", &e);
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    Backend b = as("readable", PRECISION_fp16);
    LOCAL(trainer_release) Trainer *t = passed(&b, &v, &s, &r);
    int words = 0, floats = 0;
    for (int i = 0; i < t->tape.tensors; i++) {
        const Tensor *x = &t->tape.tensor[i];
        size_t n = (size_t)x->rows * (size_t)x->cols;
        if (x->role != ROLE_PARAM) continue;
        OWNED float *value = mem_alloc(n, sizeof *value), *gradient = mem_alloc(n, sizeof *gradient);
        program_read(&t->program, ROLE_PARAM, i, 0, value);
        program_read(&t->program, ROLE_GRAD, i, 0, gradient);
        for (size_t j = 0; j < n; j++) {
            float read = ((float *)roundings_weight(&t->program, i).at)[j];
            cr_assert(canon_to_bits(gradient[j]) == canon_to_bits(rounding_fp16(gradient[j])), "%s", x->name);
            cr_assert(canon_to_bits(read) == canon_to_bits(rounding_fp16(value[j])), "%s", x->name);
            words++, floats += value[j] != rounding_fp16(value[j]);
        }
    }
    cr_assert(floats > words / 2, "masters keep their digits");
    float logits[65 * 32], loss;
    program_read(&t->program, ROLE_ACT, t->tape.loss, 0, &loss);
    cr_assert(loss != rounding_fp16(loss), "the loss is float");
    trainer_forward(t);
    program_read(&t->program, ROLE_ACT, t->tape.logits, 0, logits);
    for (int i = 0; i < 65 * 32; i++) cr_assert(logits[i] == rounding_fp16(logits[i]));
}

static Trainer *made(const Backend *b, const Recipe *recipe, const uint64_t *seed, int replicas, const char *variant) {
    Trainer *t;
    static ModelShape s;
    s = toy_shape();
    OK(trainer_for_gpt(&t, &s, variant_find(variant, &e), NULL, recipe, seed, replicas, b, &e));
    return t;
}

static void step(Trainer *t, StepReport *report) {
    for (int r = 0; r < t->program.replicas; r++) toy_batch(t, r, t->seed[r], (uint64_t)t->step);
    cr_assert(trainer_step(t, report));
}

static void state_of(const Trainer *t, uint8_t out[32]) {
    trainer_hash(t, 0, out);
}

static const char *const scaled_rows[] = {"portable-fp16-scaled", "simt-fp16-scaled"};

/* A scale that is too large: halved until the gradient fits, nothing moves until then, and the first update is that
 * of a run whose scale was right from the start. */
Test(rounded, a_scale_that_is_too_large_is_halved) {
    for (int row = 0; row < 2; row++) {
        const Backend *b = backend_find(scaled_rows[row], &e);
        Recipe recipe = toy_recipe();
        uint64_t seed = 3;
        StepReport report = {0}, right = {0};
        uint8_t before[32], after[32], expected[32];
        int skipped = 0;
        if (!b) continue;
        LOCAL(trainer_release) Trainer *t = made(b, &recipe, &seed, 1, "pre");
        trainer_set_scale(t, 0, (LossScale){.now = 0x1p24});
        for (;; skipped++) {
            state_of(t, before);
            step(t, &report);
            state_of(t, after);
            cr_assert(report.finite);
            if (!report.skipped) break;
            cr_assert(isnan(report.grad_norm) && !memcmp(before, after, 32), "step %d", skipped);
            cr_assert(trainer_scale(t, 0).now == ldexp(0x1p23, -skipped));
        }
        LossScale scale = trainer_scale(t, 0);
        cr_assert(skipped > 0 && scale.skipped == skipped && scale.good == 1, "%d skipped", skipped);
        LOCAL(trainer_release) Trainer *u = made(b, &recipe, &seed, 1, "pre");
        trainer_set_scale(u, 0, (LossScale){.now = scale.now});
        toy_batch(u, 0, seed, (uint64_t)skipped);
        cr_assert(trainer_step(u, &right) && !right.skipped);
        state_of(u, expected);
        cr_assert_arr_eq(after, expected, 32, "bias correction counts updates, not steps");
        cr_assert(right.grad_norm == report.grad_norm && report.grad_norm < 100, "the norm is that of the loss");
    }
}

Test(rounded, a_scale_that_fits_is_doubled) {
    for (int row = 0; row < 2; row++) {
        const Backend *b = backend_find(scaled_rows[row], &e);
        Recipe recipe = toy_recipe();
        uint64_t seed = 3;
        StepReport report = {0};
        if (!b) continue;
        LOCAL(trainer_release) Trainer *t = made(b, &recipe, &seed, 1, "pre");
        trainer_set_scale(t, 0, (LossScale){.now = 4, .good = LOSS_SCALE_GOOD - 2});
        step(t, &report);
        cr_assert(trainer_scale(t, 0).now == 4);
        step(t, &report);
        cr_assert(trainer_scale(t, 0).now == 8 && trainer_scale(t, 0).good == 0);
    }
}

Test(rounded, the_scale_stays_within_its_bounds) {
    LossScale s = {.now = LOSS_SCALE_MAX, .good = LOSS_SCALE_GOOD - 1};
    loss_scale_goes_on(&s);
    cr_assert(s.now == LOSS_SCALE_MAX && !s.good);
    s.now = 2;
    cr_assert(loss_scale_skips(&s) && s.now == 1 && !loss_scale_skips(&s) && s.now == 1 && s.skipped == 1);
}

static int first_site(Trainer *t, int replica, uint64_t *step) {
    int sites = trainer_sites(t), best = -1;
    OWNED Rounded *n = mem_alloc((size_t)sites, sizeof *n);
    trainer_rounded(t, replica, n);
    for (int i = 0; i < sites; i++)
        if (n[i].first && (best < 0 || n[i].first < n[best].first ||
                           (n[i].first == n[best].first && trainer_site(t, i).order < trainer_site(t, best).order)))
            best = i;
    if (best >= 0) *step = n[best].first - 1;
    return best;
}

/* Weights far too large: numbers pass 65,504 before the first update; fp16 has diverged, bf16 stores them and goes
 * on. */
Test(rounded, overflow_at_step_0) {
    static const char *const rows[] = {"portable-fp16", "portable-fp16-scaled", "simt-fp16", "portable-bf16-stored"};
    for (int i = 0; i < 4; i++) {
        const Backend *b = backend_find(rows[i], &e);
        Recipe recipe = toy_recipe();
        uint64_t seed = 1, at = 99;
        StepReport report = {0};
        recipe.init = (InitStd){20, 20, 20, 20};
        if (!b) continue;
        LOCAL(trainer_release) Trainer *t = made(b, &recipe, &seed, 1, "none");
        step(t, &report);
        RoundSite site = trainer_site(t, first_site(t, 0, &at));
        cr_expect_eq(at, 0, "%s", rows[i]);
        cr_expect(site.pass == PASS_forward && site.layer == 0 && !strncmp(site.tensor, "h.0.", 4), "%s: %s", rows[i],
                  site.tensor);
        if (i < 3) cr_expect(!report.finite, "%s", rows[i]);
        if (i == 3) cr_expect(isfinite(report.loss), "%s: %s", rows[i], report.culprit);
    }
}

/* A loss times 2^24: forward all is well, and the gradient of the logits is the first that passes 65,504. All behind it
 * follow, that of the embedding among them, which a measure reads, too. */
Test(rounded, overflow_of_a_backward_pass) {
    static const char *const rows[] = {"portable-fp16-scaled", "simt-fp16-scaled"};
    for (int i = 0; i < 2; i++) {
        const Backend *b = backend_find(rows[i], &e);
        Recipe recipe = toy_recipe();
        uint64_t seed = 1, at = 99;
        StepReport report = {0};
        if (!b) continue;
        LOCAL(trainer_release) Trainer *t = made(b, &recipe, &seed, 1, "none");
        trainer_set_scale(t, 0, (LossScale){.now = 0x1p24});
        step(t, &report);
        RoundSite site = trainer_site(t, first_site(t, 0, &at));
        cr_expect(report.skipped && site.pass == PASS_backward && !strcmp(site.tensor, "logits"), "%s: %s", rows[i],
                  site.tensor);
    }
}

/* A replica that diverges counts no further, and its neighbours are as alone. */
static void alone_and_among(const Backend *b) {
    Recipe recipe[3] = {toy_recipe(), toy_recipe(), toy_recipe()};
    uint64_t seed[3] = {4, 5, 6};
    StepReport report[3] = {{.finite = true}, {.finite = true}, {.finite = true}};
    recipe[1].lr = 1e30, recipe[1].clip = 0;
    LOCAL(trainer_release) Trainer *three = made(b, recipe, seed, 3, "pre");
    for (int i = 0; i < 4; i++) step(three, report);
    cr_assert(!report[1].finite, "the neighbour was meant to diverge");
    for (int r = 0; r < 3; r++) {
        StepReport one = {.finite = true};
        uint8_t x[32], y[32];
        char among[SHA256_HEX], alone[SHA256_HEX];
        LOCAL(trainer_release) Trainer *t = made(b, &recipe[r], &seed[r], 1, "pre");
        for (int i = 0; i < 4 && one.finite; i++) step(t, &one);
        trainer_hash(three, r, x), trainer_hash(t, 0, y);
        hash_counts(three, r, among), hash_counts(t, 0, alone);
        cr_assert_arr_eq(x, y, 32, "%s, replica %d", b->name, r);
        cr_assert_str_eq(among, alone, "counts, %s, replica %d", b->name, r);
    }
}

Test(rounded, same_alone_and_among_replicas) {
    for (int i = 0; i < backend_count; i++) {
        const Backend *b = backends[i];
        bool runs = b->supported() && (!b->device || b->device->shares_memory);
        if (precision_word(b->precision) != WORD_float && runs) alone_and_among(b);
    }
}

/* What a checkpoint keeps: parameters, moments, counts and scale. */
static void carry(Trainer *to, Trainer *from) {
    const Role role[] = {ROLE_PARAM, ROLE_MOMENT1, ROLE_MOMENT2};
    OWNED Rounded *n = mem_alloc((size_t)trainer_sites(from), sizeof *n);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < trainer_parameters(from); i++) {
            OWNED void *mine;
            trainer_put(to, role[k], i, 0, trainer_words(from, role[k], i, 0, &mine));
        }
    trainer_rounded(from, 0, n);
    trainer_set_rounded(to, 0, n);
    if (trainer_scaled(from)) trainer_set_scale(to, 0, trainer_scale(from, 0));
    trainer_seek(to, from->step);
}

Test(rounded, same_when_resumed_at_every_step) {
    static const char *const rows[] = {"portable-fp16", "portable-fp16-scaled", "portable-bf16-stored",
                                       "simt-fp16-scaled"};
    for (int i = 0; i < 4; i++) {
        const Backend *b = backend_find(rows[i], &e);
        Recipe recipe = toy_recipe();
        uint64_t seed = 8;
        uint8_t expected[32], got[32];
        char counts[SHA256_HEX], again[SHA256_HEX];
        StepReport report = {0};
        recipe.optimizer = OPTIMIZER_radam;
        for (int at = 0; b && at <= 6; at += b->device ? 3 : 1) {
            LOCAL(trainer_release)
            Trainer *t = made(b, &recipe, &seed, 1, "peri"), *u = made(b, &recipe, &seed, 1, "peri");
            if (trainer_scaled(t)) trainer_set_scale(t, 0, (LossScale){.now = 0x1p22}); /* some steps are skipped */
            for (int k = 0; k < at; k++) step(t, &report);
            carry(u, t);
            for (int k = at; k < 6; k++) step(u, &report);
            trainer_hash(u, 0, got), hash_counts(u, 0, again);
            if (!at) memcpy(expected, got, 32), strcpy(counts, again);
            cr_assert_arr_eq(got, expected, 32, "%s, resumed at %d", rows[i], at);
            cr_assert_str_eq(again, counts, "%s, resumed at %d", rows[i], at);
            if (trainer_scaled(u)) cr_assert(trainer_scale(u, 0).skipped > 0);
        }
    }
}

/* Runs as they are meant: the loss falls in each, and none is the exact one. */
Test(rounded, training_is_near_the_exact_one) {
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    uint64_t seed = 1;
    float loss[STORED + 1];
    for (int i = 0; i <= STORED; i++) {
        Backend b = as("portable", i < STORED ? stored[i] : PRECISION_exact);
        LOCAL(trainer_release) Trainer *t;
        uint8_t chain[32] = {0};
        OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &r, &seed, 1, &b, &e));
        loss[i] = toy_train(t, 12, chain);
    }
    for (int i = 0; i < STORED; i++)
        cr_assert(loss[i] != loss[STORED] && fabsf(loss[i] - loss[STORED]) < 2e-2f, "%s: %.9g, exact %.9g",
                  precision_name(stored[i]), (double)loss[i], (double)loss[STORED]);
}
