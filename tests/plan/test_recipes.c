/* Recipes are replaced by what they stand for, wherever they are said: the runs are those of the keys written out. */
#include "bench/plan/experiment.h"
#include "tests/test.h"

static Experiment x; /* too large for a stack; each test has its own process */

static Rc parse(const char *text, const char *profile, const char *set, const char *arm) {
    Overrides o = {.set = &set, .sets = set != NULL, .arm = &arm, .arms = arm != NULL};
    e = (Error){0};
    experiment_release(&x);
    return experiment_parse(&x, "f.yaml", text, profile, &o, &e);
}

/* The id that records of an arm are found by. */
static const char *hash(const char *text, const char *profile, const char *set, const char *arm_option, int arm) {
    static char out[SHA256_HEX];
    cr_assert_eq(parse(text, profile, set, arm_option), RC_OK, "%s\n%s", e.text, text);
    RunSpec s = experiment_spec(&x, 0, arm, 0);
    spec_hash(&s, out);
    return out;
}

#define LLAMA_KEYS "positions: rope, activation: swiglu, bias: false, tied: false"
#define PRE_RMS "attn.in: rmsnorm, mlp.in: rmsnorm, final: rmsnorm"

Test(recipes, llama_is_its_keys_and_norms) {
    char want[SHA256_HEX];
    strcpy(want, hash("arms: {a: {variant: pre, " PRE_RMS ", " LLAMA_KEYS "}}", NULL, NULL, NULL, 0));
    cr_expect_str_eq(hash("arms: {a: {variant: pre, recipe: llama}}", NULL, NULL, NULL, 0), want);
    cr_expect_str_eq(hash("arms: {a: {variant: pre}}\nrecipe: llama\n", NULL, NULL, NULL, 0), want, "of a file");
    cr_expect_str_eq(hash("arms: {a: {variant: pre}}\nprofiles: {quick: {recipe: llama}}\n", "quick", NULL, NULL, 0),
                     want, "of a profile");
    cr_expect_str_eq(hash("arms: {a: {variant: pre}}\n", NULL, "recipe=llama", NULL, 0), want, "of --set");
    cr_expect_str_eq(hash("arms: {a: {variant: pre}}\n", NULL, NULL, "{base: pre, recipe: llama}", 1), want,
                     "of --arm");
    cr_expect_str_eq(x.arm[1].name, "pre+recipe=llama");
    cr_expect_str_eq(x.arm[1].label, "Pre-LN + recipe llama");
    cr_expect_str_neq(hash("arms: {a: {variant: pre}}", NULL, NULL, NULL, 0), want);
}

/* gpt2 is what stands without a word, also over a recipe before it. */
Test(recipes, gpt2_is_the_default) {
    for (int i = 0; i < variant_count; i++) {
        char plain[200], file[300], arm[200], want[SHA256_HEX];
        snprintf(plain, sizeof plain, "arms: {a: {variant: %s}}", variants[i].name);
        snprintf(file, sizeof file, "%s\nrecipe: llama\n", plain);
        snprintf(arm, sizeof arm, "arms: {a: {variant: %s, recipe: gpt2}}\nrecipe: llama\n", variants[i].name);
        strcpy(want, hash(plain, NULL, NULL, NULL, 0));
        cr_expect_str_eq(hash(plain, NULL, "recipe=gpt2", NULL, 0), want, "%s", variants[i].name);
        cr_expect_str_eq(hash(file, NULL, "recipe=gpt2", NULL, 0), want, "%s", variants[i].name);
        cr_expect_str_eq(hash(arm, NULL, NULL, NULL, 0), want, "%s", variants[i].name);
    }
}

/* What stands beside a recipe wins, before or behind it; a later level wins over an earlier one. */
Test(recipes, what_is_beside_wins) {
    char value[SPEC_TEXT_SIZE];
    OK(parse("bias: true\nrecipe: llama\narms: {a: {attn.in: ln, recipe: llama, variant: peri}}", NULL, NULL,
             "{attn.out: 'none; ln from 1/2', tied: true, base: pre, recipe: llama}"));
    const Arm *a = &x.arm[1];
    cr_expect_str_eq(a->label, "Pre-LN + recipe llama + attn.out layernorm from 1/2 + tied true");
    cr_expect_str_eq(variant_get(value, &a->spec.variant, "attn.out"), "none; layernorm from 1/2");
    cr_expect_str_eq(variant_get(value, &a->spec.variant, "attn.in"), "rmsnorm");
    cr_expect(a->spec.tied && !a->spec.bias);
    cr_expect_str_eq(x.arm[0].name, "pre");
    cr_expect_str_eq(variant_get(value, &x.arm[0].spec.variant, "attn.in"), "rmsnorm", "the file's recipe");
    cr_expect(x.arm[0].spec.bias, "the file's key");
    cr_assert_eq(parse("bias: true\nrecipe: llama\narms: {a: {attn.in: ln, variant: peri}}", NULL, NULL, NULL), RC_OK);
    cr_expect_str_eq(variant_get(value, &x.arm[0].spec.variant, "attn.in"), "layernorm");
    cr_expect_str_eq(variant_get(value, &x.arm[0].spec.variant, "attn.out"), "rmsnorm");
    cr_expect(x.arm[0].spec.bias && x.arm[0].spec.positions == POSITIONS_ROPE);
}

Test(recipes, ranges_change_too) {
    char value[VARIANT_TEXT_SIZE];
    Variant v = *variant_find("pre", &e);
    OK(variant_set(&v, "mlp.in", "ln; center from 1/2; ln from 3", &e));
    model_recipe_norms(model_recipe_find("llama", &e), &v);
    cr_expect_str_eq(variant_get(value, &v, "mlp.in"), "rmsnorm; center from 1/2; rmsnorm from 3");
}

Test(recipes, a_spec_knows_its_recipe) {
    RunSpec s;
    spec_init(&s);
    cr_assert_str_eq(model_recipe_of(&s)->name, "gpt2");
    for (int i = 0; i < model_recipe_count; i++) {
        const ModelRecipe *m = &model_recipes[i];
        for (int k = 0; k < RECIPE_KEYS_MAX && m->pair[k].key; k++)
            OK(spec_set(&s, m->pair[k].key, m->pair[k].value, &e));
        cr_expect_eq(model_recipe_of(&s), m);
    }
    spec_set(&s, "activation", "relu", &e);
    cr_expect_null(model_recipe_of(&s));
}

Test(recipes, mistakes) {
    static const struct {
        const char *text, *set, *arm, *error;
    } rows[] = {
        {"recipe: lama\narms: {a: {variant: pre}}", NULL, NULL,
         "f.yaml:1: recipe: unknown value 'lama'; did you mean 'llama'?"},
        {"arms: {a: {variant: pre}}\nprofiles: {quick: {recipe: gpt}}", NULL, NULL,
         "f.yaml:2: recipe: unknown value 'gpt'; did you mean 'gpt2'?"},
        {"arms: {a: {variant: pre}}", "recipe=x", NULL, "--set: recipe: unknown value 'x'; valid: gpt2, llama"},
        {"arms: {a: {variant: pre}}", "recipe=[gpt2, llama]", NULL,
         "--set: recipe: one word is needed, not a list; two recipes are two arms"},
        {"arms: {a: {variant: pre}}", NULL, "{base: pre, recip: llama}",
         "--arm: unknown key 'recip'; did you mean 'recipe'?"},
        {"arms: {a: {variant: pre, recipe: llama}}\nwidth: 24\nheads: 8", NULL, NULL,
         "f.yaml:2: arm 'a': positions: rope turns pairs of columns; a head of width 24 / heads 8 has 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(parse(rows[i].text, NULL, rows[i].set, rows[i].arm), RC_USAGE, "not refused: %s", rows[i].error);
        cr_expect_str_eq(e.text, rows[i].error);
    }
}
