/* Keys and columns that change nothing, and arms that older builds trained wrong: what tells two runs apart. */
#include "bench/plan/experiment.h"
#include "bench/plan/settle.h"
#include "bench/run/execute.h"
#include "tests/test.h"

/* Where a key is idle and where it is read, and another value of it. */
static const struct {
    const char *key, *value, *idle[2], *read[2];
} keys[] = {
    {"final_lr", "2e-4", {"schedule", "constant"}, {"schedule", "linear"}},
    {"warmup_lr", "2e-4", {"warmup", "0"}, {"warmup", "3"}},
    {"momentum", "0.5", {"optimizer", "radam"}, {"optimizer", "sgd"}},
    {"beta1", "0.5", {"optimizer", "sgd"}, {"optimizer", "adam"}},
    {"beta2", "0.5", {"optimizer", "sgd"}, {"optimizer", "adamw"}},
    {"adam_eps", "0.5", {"optimizer", "sgd"}, {"optimizer", "adam"}},
    {"position_std", "0.5", {"positions", "rope"}, {"positions", "learned"}},
    {"dropout_seed", "3", {"dropout", "0"}, {"dropout", "0.5"}},
    {"shared_embeddings", "false", {"objective", "next"}, {"objective", "translate"}},
    {"long_lines", "truncate", {"objective", "masked"}, {"objective", "translate"}},
};

static void set(RunSpec *s, const char *key, const char *value) {
    OK(spec_set(s, key, value, &e));
}

static void arithmetic(char out[SHA256_HEX], const RunSpec *s) {
    const Backend *b = backend_find("cpu", &e);
    cr_assert(b);
    OK(arithmetic_hash(out, s, b, &e));
}

static bool is_idle(const RunSpec *s, const char *key) {
    IdleKey all[IDLE_KEYS];
    spec_idle(s, all);
    for (int i = 0; i < IDLE_KEYS; i++)
        if (!strcmp(all[i].key, key)) return all[i].idle;
    cr_assert(false, "%s is in no row", key);
    return false;
}

/* An idle key changes no number of a training; the same key elsewhere does, but for what the toy run has not. */
Test(settle, idle_keys_change_nothing) {
    cr_assert_eq(sizeof keys / sizeof *keys, IDLE_KEYS);
    for (size_t i = 0; i < IDLE_KEYS; i++)
        for (int read = 0; read < 2; read++) {
            RunSpec one, other;
            char a[SHA256_HEX], b[SHA256_HEX];
            bool toy = strcmp(keys[i].key, "dropout_seed") != 0 && strcmp(keys[i].key, "warmup_lr") != 0;
            spec_init(&one);
            set(&one, "steps", "9");
            set(&one, read ? keys[i].read[0] : keys[i].idle[0], read ? keys[i].read[1] : keys[i].idle[1]);
            other = one;
            set(&other, keys[i].key, keys[i].value);
            cr_expect_eq(is_idle(&other, keys[i].key), !read, "%s", keys[i].key);
            if (read && (!toy || one.objective == OBJECTIVE_TRANSLATE)) continue;
            arithmetic(a, &one), arithmetic(b, &other);
            cr_expect_eq(!strcmp(a, b), !read, "%s where %s", keys[i].key, read ? "it is read" : "it is idle");
        }
}

static Experiment *plan_of(const char *more) {
    char text[2000];
    Experiment *x = calloc(1, sizeof *x);
    snprintf(text, sizeof text, "dataset: synthetic\nsteps: 3\nevaluate_at: \"3\"\nseeds: 2\n%s\n", more);
    OK(experiment_parse(x, "p.yaml", text, "", &(Overrides){0}, &e));
    return x;
}

static void hash_of(char out[SHA256_HEX], const Experiment *x, int cell, int arm) {
    RunSpec s = experiment_spec(x, cell, arm, 0);
    spec_hash(&s, out);
}

static bool alike(const Experiment *x, int cell, int a, int other, int b) {
    char one[SHA256_HEX], two[SHA256_HEX];
    hash_of(one, x, cell, a), hash_of(two, x, other, b);
    return !strcmp(one, two);
}

static void done(Experiment *x) {
    experiment_release(x);
    free(x);
}

/* Arms and cells that differ in idle keys alone are one run, and what the file says for all arms stays in its id. */
Test(settle, arms_and_cells_meet) {
    char id[SHA256_HEX], bare[SHA256_HEX];
    Experiment *x = plan_of("momentum: 0.7\narms: {a: {variant: pre, momentum: 0.8}, b: {variant: pre}, "
                            "c: {variant: pre, momentum: 0.8, optimizer: sgd}, d: {variant: pre, optimizer: sgd}}");
    cr_expect(alike(x, 0, 0, 0, 1));
    cr_expect_not(alike(x, 0, 2, 0, 3));
    RunSpec s = experiment_spec(x, 0, 0, 0);
    cr_expect_eq(s.momentum, 0.7);
    RunSpec as_said = x->arm[1].spec; /* an id of older builds */
    as_said.seed = 1;
    spec_hash(&as_said, bare), hash_of(id, x, 0, 1);
    cr_expect_str_eq(id, bare);
    done(x);
    x = plan_of("optimizer: [adamw, sgd]\nmomentum: [0.9, 0.5]\narms: {a: {variant: pre}, b: {variant: post}}");
    cr_expect(alike(x, 0, 0, 1, 0), "AdamW has no momentum");
    cr_expect_not(alike(x, 2, 0, 3, 0), "SGD has");
    done(x);
    x = plan_of("arms: {a: {variant: pre, momentum: 0.8}, b: {variant: pre, momentum: 0.7}}");
    cr_expect(alike(x, 0, 0, 0, 1), "no arm leaves the key alone");
    done(x);
}

Test(settle, columns_of_norms_that_stand_nowhere) {
    Experiment *x = plan_of("arms: {a: {variant: pre}, b: {base: pre, attn.qk_over: width}, "
                            "c: {base: pre, out_strength: 0.5}, d: {base: pre, post_strength: ramp 0 1}, "
                            "e: {base: pre, in_strength: 0.5}, f: {base: pre, attn.qk: rmsnorm, attn.qk_over: width}, "
                            "g: {base: pre, attn.qk: rmsnorm}, "
                            "h: {base: none, attn.in: layernorm from 1/2, in_strength: 0.5}, "
                            "i: {base: none, attn.in: layernorm from 1/2}}");
    for (int i = 1; i < 4; i++) cr_expect(alike(x, 0, 0, 0, i), "arm %d", i);
    cr_expect_not(alike(x, 0, 0, 0, 4));
    cr_expect_not(alike(x, 0, 5, 0, 6));
    cr_expect_not(alike(x, 0, 7, 0, 8));
    done(x);
}

/* Arms that builds before 2026-11-26 trained wrong, and neighbours of theirs that were right. */
Test(settle, once_wrong_arms_are_others) {
    static const struct {
        const char *arm;
        bool wrong;
    } arms[] = {
        {"{base: pre}", false},
        {"{base: pre, in_strength: ramp 0.3 0.9}", true},
        {"{base: pre, in_strength: ramp 0.3 0.3}", false},
        {"{base: pre, in_strength: 0.3}", false},
        {"{base: pre, in_strength: moves 0 1}", false},
        {"{base: pre, out_strength: ramp 0.3 0.9}", false},
        {"{base: peri, out_strength: layer_root 1}", true},
        {"{base: post, post_strength: deep_carry 0.25}", true},
        {"{base: post, in_strength: deep_carry 0.25}", false},
        {"{base: pre, shrink: ramp 0.3 0.1}", true},
        {"{base: pre, shrink: learned_ramp 0.3 0.1}", false},
        {"{base: pre, shrink: 0.3}", false},
        {"{base: deepnorm}", false},
        {"{base: deepnorm, activation: swiglu}", true},
        {"{base: pre, init: magneto, recipe: llama}", true},
        {"{base: pre, activation: swiglu}", false},
        {"{base: pre, carry: rest, gate: learned 0.3, streams: dual}", true},
        {"{base: pre, carry: rest, gate: 0.3, streams: dual}", false},
        {"{base: pre, carry: rest, gate: learned 0.3}", false},
    };
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        char text[200];
        snprintf(text, sizeof text, "arms: {a: %s}", arms[i].arm);
        Experiment *x = plan_of(text);
        cr_expect_eq(experiment_spec(x, 0, 0, 0).mended, arms[i].wrong, "%s", arms[i].arm);
        done(x);
    }
    Experiment x = {0};
    cr_expect_eq(experiment_parse(&x, "p.yaml", "mended: true\narms: {a: {variant: pre}}\n", "", &(Overrides){0}, &e),
                 RC_USAGE);
    HOLDS(e.text, "mended: only the program sets this key");
}
