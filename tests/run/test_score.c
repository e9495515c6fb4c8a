/* Scores of models whose likelihoods are known, and what log-likelihoods do not depend on. */
#include "bench/tasks/task_score.h"
#include "models/trainer_look.h"
#include "tests/models/toy.h"
#include "tests/test.h"

enum { BYTES = 256, CONTEXT = 16, BATCH = 3 };

static Tokenizer bytes(void) {
    Tokenizer t;
    OK(tokenizer_init(&t, "byte", (const uint8_t *)"", 0, 0, &e));
    return t;
}

static const uint64_t seed = 3;
static Recipe recipe;

static Trainer *model(int context, int batch) {
    ModelShape s = toy_shape();
    Trainer *t;
    recipe = toy_recipe();
    s.vocab = BYTES, s.context = context, s.batch = batch;
    const Backend *b = backend_find("cpu", &e);
    OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, b, &e));
    return t;
}

/* The first number of every row of a parameter: x[row]; the others 0. x NULL: all 0. */
static void set(Trainer *t, const char *name, const double *x) {
    for (int i = 0; i < trainer_parameters(t); i++) {
        Parameter p = trainer_parameter(t, i);
        if (strcmp(p.name, name)) continue;
        int rows = p.vector ? 1 : p.rows;
        OWNED float *values = mem_alloc((size_t)p.rows * (size_t)p.cols, sizeof *values);
        for (int r = 0; x && r < rows; r++) values[r * p.cols] = (float)x[r];
        trainer_write(t, i, 0, values);
        return;
    }
    cr_assert_fail("no parameter %s", name);
}

/* Half of all bytes are 'a', a quarter 'b', an eighth blanks, the rest all others alike. The final norm has gain 0 and
 * bias (1, 0, ...), so the logits are the first column of the tied embedding: the log of each byte's probability. */
static double probability(int byte) {
    return byte == 'a' ? .5 : byte == 'b' ? .25 : byte == ' ' ? .125 : .125 / (BYTES - 3);
}

static Trainer *unigram(int context, int batch) {
    double x[BYTES];
    Trainer *t = model(context, batch);
    for (int i = 0; i < BYTES; i++) x[i] = log(probability(i));
    set(t, "wte.weight", x);
    set(t, "ln_f.weight", NULL);
    set(t, "ln_f.bias", &(double){1});
    return t;
}

static double known(const char *text) {
    double sum = 0;
    for (; *text; text++) sum += log(probability((unsigned char)*text));
    return sum;
}

/* Labels that a model of these probabilities finds, and those it misses. acc: " b" is likelier than " aaa" (2^-5 and
 * 2^-6). acc_norm: by the character it is the other way round (ln 2 times 5 and 2). Of " ab" and " ba", equally likely,
 * the first is taken. */
#define ITEM(context, one, two, label) \
    "{\"goal\": \"" context "\", \"sol1\": \"" one "\", \"sol2\": \"" two "\", \"label\": " label "}\n"
static const char items[] = ITEM("x", "b", "aaa", "0") ITEM("x", "aaa", "b", "0") ITEM("x", "ab", "ba", "0")
    ITEM("x", "ab", "ba", "1") ITEM("a long question, longer than what the model sees at once", "z", "a", "1");
enum { ITEMS = 5 };
static const bool right[ACC_COUNT][ITEMS] = {{true, false, true, false, true}, {false, true, true, false, true}};

static void read_items(Task *t) {
    OK(task_read(t, &task_info[TASK_piqa], "items", items, sizeof items - 1, NULL, NULL, &e));
}

static int windows_seen;
static void count_windows(void *of, int windows) {
    (void)of;
    windows_seen += windows;
}

Test(score, a_model_of_known_likelihoods_has_its_exact_scores) {
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    LOCAL(trainer_release) Trainer *t = unigram(CONTEXT, BATCH);
    LOCAL(task_score_release) TaskScore s;
    LOCAL(task_release) Task task;
    read_items(&task);
    OK(task_encode(&s, &task, &codec, false, &e));
    OK(task_weigh(&s, t, BATCH, CONTEXT, NULL, count_windows, NULL, &e));
    task_count(&s, CONTEXT);
    cr_assert(s.items == ITEMS && !s.left_out && windows_seen == task_windows(&s, CONTEXT));
    for (int i = 0; i < ITEMS; i++) {
        for (int c = 0; c < 2; c++) {
            char text[16] = " ";
            strcat(text, task.item[i].text[c]);
            cr_expect_float_eq(s.text[i * TASK_CHOICES + c].loglikelihood, known(text), 2e-6, "%d %d", i, c);
        }
        for (int m = 0; m < ACC_COUNT; m++) cr_expect_eq(s.right[m][i], right[m][i], "item %d, metric %d", i, m);
    }
    /* "Question: x\nAnswer: aaa" has 22 tokens, of which a context of 16 sees the last 17. */
    cr_expect_eq(s.truncated, ITEMS);
    cr_expect_eq(s.chance, .5);
    cr_expect_eq(s.of[ACC].share, .6);
    cr_expect_eq(s.of[ACC_NORM].share, .6);
    cr_expect_float_eq(s.of[ACC].error, sqrt(.6 * .4 / 4), 1e-15);
    cr_expect_float_eq(s.of[ACC].lo, .14663, 1e-5); /* Clopper and Pearson, 3 of 5 */
    cr_expect_float_eq(s.of[ACC].hi, .94726, 1e-5);
    cr_expect(s.of[ACC].chance);
    cr_expect_eq(s.shortest, .4); /* of the last three items, of equal lengths, the first choice */
}

/* A unigram model does not care what it sees, so a continuation of any length has the same likelihood under any
 * context: each of its tokens is counted once, in whatever window. */
Test(score, long_continuations_are_counted_once) {
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    static const int contexts[] = {1, 2, 3, 7, 16, 64};
    for (size_t k = 0; k < sizeof contexts / sizeof *contexts; k++) {
        LOCAL(trainer_release) Trainer *t = unigram(contexts[k], BATCH);
        char text[80] = " ";
        for (int n = 1; n < 70; n += 4) {
            LOCAL(scored_release) Scored s;
            memset(text + 1, n % 8 == 1 ? 'a' : 'b', (size_t)n), text[1 + n / 2] = 'z', text[n + 1] = 0;
            OK(scored_encode(&s, &codec, "Answer:", text, &e));
            cr_assert(s.scored == 7 && s.count == 8 + n);
            OK(likelihoods(t, BATCH, contexts[k], &s, 1, NULL, NULL, NULL, &e));
            cr_expect_float_eq(s.loglikelihood, known(text), 1e-5, "context %d, %d letters", contexts[k], n);
        }
    }
}

/* What fits is one window with all that the model can see in front; else each target sees half a context at least. */
Test(score, windows_follow_their_rule) {
    for (int context = 1; context < 12; context++)
        for (int scored = 1; scored < 30; scored++)
            for (int count = scored + 1; count < 60; count++) {
                Scored s = {.count = count, .scored = scored};
                int n = count - scored, windows = 0;
                for (int from = scored; from < count; windows++) {
                    Window w = scored_window(&s, from, context);
                    int end = w.first + w.inputs + 1;
                    cr_assert(w.target == from && end > from && end <= count && w.inputs <= context && w.first >= 0);
                    cr_assert(from - w.first >= (from < context - context / 2 ? from : context - context / 2) ||
                              n <= context);
                    cr_assert(w.first == 0 || w.inputs == context, "it leaves out what it could see");
                    from = end;
                }
                cr_assert(windows == scored_windows(&s, context) && (windows == 1 || n > context));
                cr_assert_eq(scored_truncated(&s, context), count - 1 > context);
            }
}

/* Blanks at the context's end go to the continuation. */
Test(score, tokens_are_cut_as_in_the_harness) {
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    Scored s;
    OK(scored_encode(&s, &codec, "ab \n", " c", &e));
    cr_assert(s.scored == 2 && s.count == 6 && s.token[2] == ' ' && s.token[3] == '\n' && s.token[5] == 'c');
    scored_release(&s);
    cr_assert_eq(scored_encode(&s, &codec, "  ", " c", &e), RC_USAGE);
    cr_assert_eq(scored_encode(&s, &codec, "ab", "", &e), RC_USAGE);
}

static void weigh(Scored *s, int n, const char *const *context, int width, int batch, int threads) {
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    LOCAL(trainer_release) Trainer *t = model(width, batch);
    OK(trainer_share(t, threads, &e));
    for (int i = 0; i < n; i++) OK(scored_encode(&s[i], &codec, context[i], " is so", &e));
    OK(likelihoods(t, batch, width, s, n, NULL, NULL, NULL, &e));
    for (int i = 0; i < n; i++) scored_release(&(Scored){.token = s[i].token});
}

/* The same bits whatever the batch and the threads; and a context that is too long has those of its last part. */
Test(score, bits_depend_on_the_text_alone) {
    static const char *const context[] = {"it", "the grass at night",
                                          "the same grass, seen from far away, in the light of the moon", "a"};
    enum { N = 4 };
    Scored a[N], b[N], cut[1];
    weigh(a, N, context, CONTEXT, 2, 1);
    weigh(b, N, context, CONTEXT, 7, 2);
    for (int i = 0; i < N; i++)
        cr_expect(a[i].loglikelihood == b[i].loglikelihood && a[i].loglikelihood < -20, "%d", i);
    /* " is so" are six tokens, the last of which is no input: eleven of the context are seen. */
    weigh(cut, 1, (const char *const[]){"of the moon"}, CONTEXT, 1, 1);
    cr_expect_eq(a[2].loglikelihood, cut[0].loglikelihood);
    weigh(cut, 1, (const char *const[]){"f the moon"}, CONTEXT, 1, 1);
    cr_expect_neq(a[2].loglikelihood, cut[0].loglikelihood);
}

/* A continuation's tokens are predicted from those before them: by the chain rule, the likelihood of a text is the sum
 * of those of its parts. */
Test(score, the_chain_rule_holds) {
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    LOCAL(trainer_release) Trainer *t = model(64, 4);
    static const char *const part[][2] = {{"we saw", " it there"}, {"we saw", " it"}, {"we saw it", " there"}};
    Scored s[3];
    for (int i = 0; i < 3; i++) OK(scored_encode(&s[i], &codec, part[i][0], part[i][1], &e));
    OK(likelihoods(t, 4, 64, s, 3, NULL, NULL, NULL, &e));
    cr_expect_float_eq(s[0].loglikelihood, s[1].loglikelihood + s[2].loglikelihood, 1e-9);
    for (int i = 0; i < 3; i++) scored_release(&s[i]);
}

Test(score, weights_that_diverged_are_refused) {
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    LOCAL(trainer_release) Trainer *t = unigram(CONTEXT, BATCH);
    LOCAL(scored_release) Scored s;
    set(t, "ln_f.bias", &(double){NAN});
    OK(scored_encode(&s, &codec, "a", " b", &e));
    cr_assert_eq(likelihoods(t, BATCH, CONTEXT, &s, 1, NULL, NULL, NULL, &e), RC_UNMEASURED);
    cr_assert(strstr(e.text, "not finite"));
}

Test(score, characters_that_a_tokenizer_lacks_are_counted) {
    static const char text[] = "Question: x\nAnswer: ab";
    LOCAL(tokenizer_release) Tokenizer codec;
    LOCAL(task_release) Task task;
    TaskScore s;
    read_items(&task);
    OK(tokenizer_init(&codec, "char", (const uint8_t *)text, sizeof text - 1, sizeof text - 1, &e));
    cr_assert_eq(task_encode(&s, &task, &codec, false, &e), RC_USAGE);
    cr_assert(strstr(e.text,
                     "piqa: 1 of 5 items have characters that the tokenizer 'char' does not have (first, line 5: "
                     "code point U+006C at byte offset 12"),
              "%s", e.text);
    cr_assert(strstr(e.text, "--tasks unknown=drop leaves them out"), "%s", e.text);
    OK(task_encode(&s, &task, &codec, true, &e));
    cr_assert(s.items == 4 && s.left_out == 1 && s.at[3] == 3);
    task_score_release(&s);
    tokenizer_release(&codec);
    OK(tokenizer_init(&codec, "char", (const uint8_t *)"ab", 2, 2, &e));
    cr_assert_eq(task_encode(&s, &task, &codec, true, &e), RC_USAGE);
    cr_assert(strstr(e.text, "every item"), "%s", e.text);
}

Test(score, lengths_are_characters_and_the_first_of_equals_wins) {
    cr_expect_eq(task_length("a\xc3\xa9\xe6\xb0\xb4\xf0\x9d\x9b\xbc"), 4);
    cr_expect_eq(task_length(""), 0);
    cr_expect_eq(task_pick((const double[]){-2, -1, -1}, 3), 1);
    cr_expect_eq(task_pick((const double[]){-1, -1, -1}, 3), 0);
    cr_expect_eq(task_pick((const double[]){-3, -2, -1}, 3), 2);
}

/* Of the items that both scored. */
Test(score, models_are_compared_item_by_item) {
    TaskScore a = {.items = 4, .at = (int[]){0, 1, 3, 4}}, b = {.items = 4, .at = (int[]){1, 2, 3, 4}};
    int shared;
    a.right[ACC] = (bool[]){true, true, true, false};
    b.right[ACC] = (bool[]){false, true, false, false};
    StMcnemar m = task_compare(&a, &b, ACC, &shared);
    cr_expect(shared == 3 && m.b == 2 && m.c == 0 && m.p == .5);
}

/* lm_eval takes numpy's argmax: of two equal choices the first wins, whichever the label is. */
Test(score, equal_choices_count_as_in_lm_eval) {
    static const char lines[] = "{\"ctx\": \"c\", \"endings\": [\"a\", \"a\"], \"label\": 0}\n"
                                "{\"ctx\": \"c\", \"endings\": [\"a\", \"a\", \"b\"], \"label\": 1}\n"
                                "{\"ctx\": \"c\", \"endings\": [\"a\", \"b\"], \"label\": 0}\n";
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    LOCAL(task_score_release) TaskScore s;
    LOCAL(task_release) Task task;
    OK(task_read(&task, &task_info[TASK_hellaswag], "f", lines, sizeof lines - 1, NULL, NULL, &e));
    OK(task_encode(&s, &task, &codec, false, &e));
    task_count(&s, 64);
    cr_expect(s.items == 3 && s.twins == 2 && s.left_out == 0);
    cr_expect(s.right[ACC][0] && !s.right[ACC][1] && s.right[ACC][2]); /* all likelihoods are 0 */
    cr_expect(s.right[ACC_NORM][0] && !s.right[ACC_NORM][1]);
}

/* Items of different size: chance is the mean of one over their choices. */
Test(score, chance_is_the_mean_over_items) {
    static const char lines[] = "{\"ctx\": \"c\", \"endings\": [\"a\", \"b\"], \"label\": 0}\n"
                                "{\"ctx\": \"c\", \"endings\": [\"a\", \"b\", \"z\", \"y\"], \"label\": 3}\n";
    LOCAL(tokenizer_release) Tokenizer codec = bytes();
    LOCAL(task_score_release) TaskScore s;
    LOCAL(task_release) Task task;
    OK(task_read(&task, &task_info[TASK_hellaswag], "f", lines, sizeof lines - 1, NULL, NULL, &e));
    OK(task_encode(&s, &task, &codec, false, &e));
    task_count(&s, 64);
    cr_expect_eq(s.chance, .375);
    cr_expect_eq(s.of[ACC].share, .5); /* no likelihoods yet: all are 0, the first wins */
    cr_expect_eq(s.truncated, 0);
}
