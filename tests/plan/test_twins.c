/* Arms that are one network: which, in which cells, and how that is said. */
#include "bench/plan/twins.h"
#include "tests/test.h"

static Experiment x; /* too large for a stack; each test has its own process */

static char *said(const char *text, int sets, const char *const *set, int arms, const char *const *arm) {
    Overrides o = {.set = set, .sets = sets, .arm = arm, .arms = arms};
    Text out;
    experiment_release(&x);
    OK(experiment_parse(&x, "f.yaml", text, NULL, &o, &e));
    text_init(&out);
    twins_text(&x, &out);
    return out.at;
}

#define OF(a, b, where) \
    "Arms " a " and " b " are one network" where ": their runs are trained once and are not compared. "

Test(twins, each_kind) {
    static const struct {
        const char *file, *want;
    } cases[] = {
        {"arms: {pre: {variant: pre}, post: {variant: post}}", ""},
        {"arms: {pre: {variant: pre}, again: {variant: pre}}", OF("pre", "again", "")},
        {"arms: {peri: {variant: peri}, sandwich: {variant: sandwich}}", OF("peri", "sandwich", "")},
        /* By a column, by a key at its default, by another way to write a number. */
        {"arms: {peri: {variant: peri}, made: {base: pre, attn.out: layernorm, mlp.out: layernorm}}",
         OF("peri", "made", "")},
        {"arms: {pre: {variant: pre}, said: {variant: pre, lr: 0.0003, dropout: 0}}", OF("pre", "said", "")},
        {"arms: {pre: {variant: pre}, said: {variant: pre, lr: 0.00031}}", ""},
        /* Three alike are named by the first of them. */
        {"arms: {a: {variant: pre}, b: {variant: pre}, c: {variant: pre}}", OF("a, b", "c", "")},
        /* An arm that keeps its own rate meets the other's in one cell of two. */
        {"lr: [1e-3, 2e-3]\narms: {pre: {variant: pre}, own: {variant: pre, lr: 0.002}}",
         OF("pre", "own", " where lr = 2e-3")},
        {"lr: [1e-3, 2e-3]\narms: {pre: {variant: pre}, own: {variant: pre, lr: 0.003}}", ""},
        {"lr: [1e-3, 2e-3]\narms: {one: {variant: pre, lr: 0.003}, two: {variant: pre, lr: 0.003}}",
         OF("one", "two", "")},
        {"lr: [1e-3, 2e-3]\nwarmup: [0, 1, 2, 3]\narms: {pre: {variant: pre}, own: {variant: pre, lr: 0.001}}",
         OF("pre", "own", " where lr = 1e-3, warmup = 0 and lr = 1e-3, warmup = 1 and in 2 more cells")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED char *words = said(cases[i].file, 0, NULL, 0, NULL);
        cr_expect_str_eq(words, cases[i].want, "%s:\n%s", cases[i].file, words);
    }
}

#define LIKE(a, b, where) \
    "Arms " a " and " b " run the same operations" where \
    ": they are one network in other words, and every difference between " \
    "them is 0. "

/* Other words, other ids, the same tape; and what only looks so. */
Test(twins, one_tape_by_other_words) {
    static const struct {
        const char *file, *want;
    } cases[] = {
        {"layers: 4\narms: {peri: {variant: peri}, made: {base: pre, attn.out: {to: 3, norm: ln}, mlp.out: [ln, {from: "
         "2, norm: ln}]}}",
         LIKE("peri", "made", "")},
        {"layers: 4\narms: {pre: {variant: pre}, made: {base: pre, gate: ramp 1 1}}", LIKE("pre", "made", "")},
        {"layers: 4\narms: {pre: {variant: pre}, made: {base: pre, gate: {to: 1, rule: 0.5}}}", ""},
        {"layers: 4\narms: {a: {base: pre, gate: 0.5}, b: {base: pre, attn.gate: 0.5, mlp.gate: 0.5}}",
         LIKE("a", "b", "")},
        {"layers: 4\narms: {a: {base: pre, gate: learned 0.5}, b: {base: pre, gate: learned 0.6}}", ""},
        {"layers: 4\narms: {a: {base: pre, gate: moves 0 1}, b: {base: pre, gate: moves 0 0.5}}", ""},
        {"layers: 4\narms: {a: {base: pre, gate: ramp 1 1}, b: {base: pre, lr: 0.5}}", ""},
        {"layers: [1, 4]\narms: {a: {base: pre}, b: {base: pre, attn.in: {to: 0, norm: ln}, mlp.in: [none, {to: 0, "
         "norm: ln}]}}",
         LIKE("a", "b", " where layers = 1")},
        /* Eight groups of four blocks' sublayers are the sublayers. */
        {"layers: [2, 4, 6]\narms: {a: {variant: attnres}, b: {variant: attnres-block}}",
         LIKE("a", "b", " where layers = 2 and in 1 more cells")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED char *words = said(cases[i].file, 0, NULL, 0, NULL);
        cr_expect_str_eq(words, cases[i].want, "%s:\n%s", cases[i].file, words);
    }
}

Test(twins, arms_of_the_command_line) {
    static const char *const arm[] = {"{base: peri}", "{base: sandwich}", "{base: pre}"};
    OWNED char *words = said("arms: {post: {variant: post}}", 0, NULL, 3, arm);
    cr_expect_str_eq(words, OF("peri", "sandwich", ""));
}

Test(twins, first_of_each_cell) {
    int first[6];
    free(said("lr: [1e-3, 2e-3]\narms: {a: {variant: post}, b: {variant: pre}, c: {variant: pre, lr: 1e-3}}", 0, NULL,
              0, NULL));
    twins_find(&x, first);
    static const int want[6] = {0, 1, 1, 0, 1, 2};
    for (int i = 0; i < 6; i++) cr_expect_eq(first[i], want[i], "%d: %d", i, first[i]);
}
