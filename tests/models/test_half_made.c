/* No row is half made: each norm, rule, choice and column changes the tape of some network and the losses that it is
 * trained to, from those of every other row of its kind. */
#include "models/norm.h"
#include "models/transformer.h"
#include "tests/models/toy.h"
#include "tests/test.h"

enum { ROWS_MAX = 64 };

static const char *const column_of[CHOICE_COUNT] = {
#define CHOICE(column, ...) #column,
#include "models/choices.def"
#undef CHOICE
};

/* A network and what came of it. */
typedef struct {
    char what[96], tape[SHA256_HEX], chain[65];
} Made;
static Made made[ROWS_MAX];
static int count;

/* What a row's place in a network is beside: norms wherever there may be some. */
static Variant dressed(const char *const (*changes)[2]) {
    Variant v = *variant_find("pre", &e);
    static const char *const norms[][2] = {{"attn.out", "rms"}, {"mlp.out", "rms"}};
    for (int i = 0; i < 2; i++) OK(variant_set(&v, norms[i][0], norms[i][1], &e));
    for (; changes && (*changes)[0]; changes++)
        OK(variant_set(&v, (*changes)[0], (*changes)[1], &e));
    return v;
}

/* Trains v; its tape and its losses must be those of none before it. */
static void try(const Variant *v, const char *key, const char *value) {
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    char hashes[130];
    LOCAL(tape_release) Tape t;
    s.layers = 3, s.width = 16, r.lr = 1e-2;
    cr_assert(count < ROWS_MAX);
    cr_assert_eq(variant_check(v, s.layers, &e), RC_OK, "%s %s: %s", key, value, e.text);
    Made *now = &made[count++];
    snprintf(now->what, sizeof now->what, "%.40s: %.50s", key, value);
    transformer_build(&t, &s, v, NULL);
    tape_sha256(&t, now->tape);
    toy_hashes(hashes, v, &s, &r, 3, backend_find("cpu", &e), 3);
    snprintf(now->chain, sizeof now->chain, "%.64s", hashes);
    for (Made *other = made; other < now; other++) {
        cr_expect(strcmp(now->tape, other->tape) != 0, "%s and %s run the same operations", now->what, other->what);
        cr_expect(strcmp(now->chain, other->chain) != 0, "%s and %s have the same losses", now->what, other->what);
    }
}

static void try_set(Variant v, const char *key, const char *value) {
    OK(variant_set(&v, key, value, &e));
    try(&v, key, value);
}

Test(half_made, norms) {
    for (int n = 0; n < NORM_COUNT; n++) try_set(dressed(NULL), "attn.in", norm_info[n].name);
}

/* A carry may be what any rule says. */
Test(half_made, rules) {
    static const char *const gate[][2] = {{"gate", "0.3"}, {"attn.post", "ln"}, {"mlp.post", "ln"}, {NULL, NULL}};
    for (int i = 0; i < RULE_COUNT; i++) {
        char value[80];
        bool two = strstr(rule_formula((Rule){(RuleKind)i, 1, 0}), " end ");
        snprintf(value, sizeof value, "%s%s", rule_name((RuleKind)i),
                 rule_numberless((RuleKind)i) ? "" : two ? " 0.5 0.25" : " 0.5");
        try_set(dressed(gate), "carry", value);
    }
}

/* The choices of each column; those that take a number get 2. */
static void choices_of(const char *key, const char *const (*changes)[2]) {
    const char *dot = strrchr(key, '.');
    count = 0;
    for (int i = 0; i < CHOICE_COUNT; i++) {
        char value[CHOICE_TEXT_SIZE];
        if (strcmp(column_of[i], dot ? dot + 1 : key) != 0) continue;
        Variant v = dressed(changes);
        snprintf(value, sizeof value, "%s 2", choice_name((ChoiceKind)i));
        if (variant_set(&v, key, value, &e)) *strchr(value, ' ') = 0; /* it takes no number */
        try_set(dressed(changes), key, value);
    }
}

Test(half_made, choices) {
    static const char *const qk[][2] = {{"attn.qk", "rms"}, {NULL, NULL}};
    int columns = 0;
    for (int i = 0; i < variant_key_count; i++) {
        const char *key = variant_keys[i], *dot = strrchr(key, '.');
        bool choice = false;
        for (int c = 0; c < CHOICE_COUNT; c++) choice |= !strcmp(column_of[c], dot ? dot + 1 : key);
        if (!choice) continue;
        choices_of(key, qk);
        cr_expect(count >= 2, "%s", key);
        columns++;
    }
    cr_expect_eq(columns, 4);
}

/* Each column by itself, with a value that is not its usual one. */
Test(half_made, columns) {
    static const char *const norms[][2] = {{"attn.post", "ln"}, {"mlp.post", "ln"}, {"attn.mid", "ln"}, {NULL, NULL}};
    Variant usual = dressed(norms);
    try(&usual, "nothing", "");
    for (int i = 0; i < variant_key_count; i++) {
        Rule rule[VARIANT_RULES_MAX];
        const char *key = variant_keys[i], *value = "0.5";
        if (variant_normed(key)) value = strcmp(key, "attn.qk") && strcmp(key, "attn.v") ? "dyt" : "rms";
        if (!variant_normed(key) && !variant_rules(&usual, key, rule) && !strchr(key, '.')) continue; /* a choice */
        if (!strcmp(key, "attn.qk_over")) continue;
        try_set(usual, key, value);
    }
}
