/* What other programs call our names: every row of base/foreign_names.def is suggested where its name may stand. */
#include "bench/plan/metric.h"
#include "bench/plan/reader.h"
#include "bench/plan/spec.h"
#include "kernels/backend.h"
#include "models/variant.h"
#include "tests/test.h"

typedef enum { KEY, PLAN, COLUMN, VARIANT, NORM, METRIC, TASK, COMMAND, OPTION, VALUE } Kind;

static const struct {
    const char *ours, *theirs;
    Kind kind;
} rows[] = {
#define FOREIGN(ours, kind, note, theirs) {ours, theirs, kind},
#include "base/foreign_names.def"
#undef FOREIGN
};
enum { ROWS = sizeof rows / sizeof *rows, MOST_WORDS = 1000 };

static const char *const tasks[] = {
#define TASK(id, name, ...) name,
#include "bench/tasks/tasks.def"
#undef TASK
};
static const char *const commands[] = {
#define NOUN(name, ...)
#define COMMAND(name, ...) #name,
#include "bench/cli/commands.def"
#undef COMMAND
};
static const char *const options[] = {
#define OPTION(name, ...) #name,
#include "bench/options/options.def"
#undef OPTION
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Whether e suggests ours. */
static bool suggested(const char *ours) {
    char hint[96];
    snprintf(hint, sizeof hint, "; did you mean '%s'?", ours);
    return strstr(e.text, hint) != NULL;
}

static bool among(const char *const *names, size_t count, const char *theirs, const char *ours) {
    char hint[96];
    e = (Error){0};
    error_set(&e, RC_USAGE, "'%s'%s", theirs, did_you_mean(hint, sizeof hint, theirs, names, count));
    return suggested(ours);
}

/* A value of some key that is a choice. */
static bool of_choice(const char *theirs, const char *ours) {
    static const char *const keys[] = {"optimizer", "schedule",  "activation", "positions",
                                       "precision", "objective", "tokenizer"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        RunSpec s;
        spec_init(&s);
        if (!spec_set(&s, keys[i], ours, &e) && spec_set(&s, keys[i], theirs, &e) && suggested(ours)) return true;
    }
    return !strcmp(ours, "tinyshakespeare") && among(&ours, 1, theirs, ours);
}

static bool found(Kind kind, const char *theirs, const char *ours) {
    Variant v = *variant_find("pre", &e);
    Metric m;
    switch (kind) {
    case KEY:
    case PLAN:
    case COLUMN: spec_unknown(theirs, experiment_keys, experiment_key_count, &e); return suggested(ours);
    case VARIANT: return !variant_find(theirs, &e) && suggested(ours);
    case NORM: return variant_set(&v, "attn.in", theirs, &e) && suggested(ours);
    case METRIC: return metric_find(&m, theirs, &e) && suggested(ours);
    case TASK: return among(tasks, COUNT(tasks), theirs, ours);
    case COMMAND: return among(commands, COUNT(commands), theirs, ours);
    case OPTION: return among(options, COUNT(options), theirs, ours);
    case VALUE: return of_choice(theirs, ours);
    }
    return false;
}

Test(foreign_names, every_word_is_suggested_where_it_may_stand) {
    static struct {
        char word[48];
        int row;
    } seen[MOST_WORDS];
    int words = 0;
    for (int i = 0; i < ROWS; i++)
        for (const char *at = rows[i].theirs; *at; at += strcspn(at, ";"), at += strspn(at, "; ")) {
            char *word = seen[words].word;
            snprintf(word, sizeof seen->word, "%.*s", (int)strcspn(at, "; "), at);
            cr_expect(found(rows[i].kind, word, rows[i].ours), "%s is not suggested for %s: %s", rows[i].ours, word,
                      e.text);
            for (int k = 0; k < words; k++)
                cr_expect(rows[seen[k].row].kind != rows[i].kind || strcmp(seen[k].word, word) ||
                              (rows[i].kind == VALUE && strcmp(rows[seen[k].row].ours, rows[i].ours)),
                          "%s stands there twice", word);
            cr_assert_lt(++words, MOST_WORDS);
            seen[words - 1].row = i;
        }
    cr_expect_geq(words, 521);
}

Test(foreign_names, capitals_and_separators_do_not_count) {
    static const char *const written[] = {"learning-rate", "LearningRate",  "learningRate",
                                          "LEARNING_RATE", "learning rate", "learning.rate"};
    for (size_t i = 0; i < COUNT(written); i++) {
        spec_unknown(written[i], NULL, 0, &e);
        cr_expect(suggested("lr"), "%s", e.text);
    }
    spec_unknown("Weight-Decay", NULL, 0, &e);
    cr_expect_str_eq(e.text, "unknown key 'Weight-Decay'; did you mean 'weight_decay'?");
    spec_unknown("intermediate_size", NULL, 0, &e);
    cr_expect_str_eq(e.text, "unknown key 'intermediate_size'; did you mean 'ffn_mult'? (a multiple of the width)");
    spec_unknown("_", NULL, 0, &e);
    cr_expect_str_eq(e.text, "unknown key '_'");
}
