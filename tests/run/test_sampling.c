/* The token that a word of random bits draws, and texts that do not depend on what is drawn beside them. */
#include "bench/run/sampling.h"
#include "models/trainer_look.h"
#include "tests/test.h"

static int choose(const double *logit, int vocab, double temperature, int top_k, double at) {
    double own[8];
    Sampling how = {.temperature = temperature, .top_k = top_k};
    memcpy(own, logit, (size_t)vocab * sizeof *own);
    return sampling_choose(own, vocab, &how, (uint32_t)(at * 0x1p32));
}

/* Of probabilities 1/8, 1/2, 1/8, 1/4 in a row the word picks where it falls. */
Test(sampling, a_word_falls_into_a_share) {
    double logit[4] = {log(1), log(4), log(1), log(2)};
    const struct {
        double at;
        int token;
    } known[] = {{0, 0}, {0.124, 0}, {0.126, 1}, {0.624, 1}, {0.626, 2}, {0.749, 2}, {0.751, 3}, {0.999999, 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_eq(choose(logit, 4, 1, 0, known[i].at), known[i].token, "at %g", known[i].at);
    for (int i = 0; i < 4; i++) logit[i] *= 2; /* at temperature 2 the same */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_eq(choose(logit, 4, 2, 0, known[i].at), known[i].token, "at %g, temperature 2", known[i].at);
}

Test(sampling, the_likeliest_and_the_likeliest_k) {
    double logit[5] = {1, 3, 3, -(double)INFINITY, 2};
    cr_expect_eq(choose(logit, 5, 0, 0, 0.99), 1, "of equal logits the first");
    cr_expect_eq(choose(logit, 5, 1, 1, 0.99), 1);
    for (double at = 0; at < 1; at += 1.0 / 64) {
        int two = choose(logit, 5, 1, 2, at), three = choose(logit, 5, 1, 3, at), all = choose(logit, 5, 1, 5, at);
        cr_expect(two == (at < 0.5 ? 1 : 2), "%g: %d", at, two);
        cr_expect(three == 1 || three == 2 || three == 4);
        cr_expect(all != 3, "what has no probability was drawn");
    }
    cr_expect_eq(choose(logit, 5, 1, 3, 0.999), 4);
}

/* A small model with weights far from 0, so that it prefers some tokens. */
static Trainer *model(Recipe *recipe) {
    static uint64_t seed = 5;
    Trainer *t;
    ModelShape s = {.layers = 1,
                    .width = 16,
                    .heads = 2,
                    .context = 8,
                    .vocab = 7,
                    .batch = 3,
                    .ffn_mult = 2,
                    .bias = true,
                    .tied = true,
                    .norm_eps = 1e-5};
    *recipe = (Recipe){.optimizer = OPTIMIZER_sgd, .steps = 1, .lr = 0.1, .init = {0.7, 0.7, 0.5, 0.5}};
    OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, recipe, &seed, 1, backend_find("cpu", &e), &e));
    return t;
}

enum { PROMPT = 3, MORE = 20, WHOLE = PROMPT + MORE };

static void write_texts(Trainer *t, int samples, uint64_t seed, double temperature, int32_t *text) {
    Sampling how = {.temperature = temperature, .seed = seed};
    for (int i = 0; i < samples; i++)
        for (int k = 0; k < WHOLE; k++) text[i * WHOLE + k] = k < PROMPT ? k + 1 : -7;
    OK(sampling_text(t, 3, 8, 7, &how, text, samples, PROMPT, MORE, NULL, NULL, NULL, &e));
    for (int i = 0; i < samples * WHOLE; i++) cr_assert(text[i] >= 0 && text[i] < 7);
}

/* Five samples are made in two batches; each is what it is alone. */
Test(sampling, texts_do_not_depend_on_each_other) {
    Recipe recipe;
    LOCAL(trainer_release) Trainer *t = model(&recipe);
    int32_t five[5 * WHOLE], two[2 * WHOLE], other[2 * WHOLE];
    write_texts(t, 5, 1, 1, five), write_texts(t, 2, 1, 1, two), write_texts(t, 2, 2, 1, other);
    cr_expect(!memcmp(five, two, sizeof two));
    cr_expect(memcmp(two, other, sizeof two), "another seed, the same text");
    cr_expect(memcmp(five, five + WHOLE, WHOLE * sizeof *five), "two samples are one");
}

/* Greedy: every token is the likeliest behind those before it, of which a model sees `context`. */
Test(sampling, greedy_is_the_argmax) {
    Recipe recipe;
    LOCAL(trainer_release) Trainer *t = model(&recipe);
    int32_t text[WHOLE];
    write_texts(t, 1, 1, 0, text);
    for (int at = PROMPT; at < WHOLE; at++) {
        int seen = at < 8 ? at : 8, best = 0;
        double logit[7];
        memcpy(trainer_feed(t, "tokens", 0) + 8, text + at - seen, (size_t)seen * sizeof *text);
        trainer_forward(t);
        trainer_logits(t, 0, 8 + seen - 1, logit);
        for (int i = 1; i < 7; i++)
            if (logit[i] > logit[best]) best = i;
        cr_expect_eq(text[at], best, "token %d", at);
    }
}

Test(sampling, a_signal_stops_it) {
    Recipe recipe;
    LOCAL(trainer_release) Trainer *t = model(&recipe);
    volatile sig_atomic_t stop = SIGTERM;
    int32_t text[WHOLE] = {1, 2, 3};
    Sampling how = {.temperature = 1};
    cr_expect_eq((int)sampling_text(t, 3, 8, 7, &how, text, 1, PROMPT, MORE, &stop, NULL, NULL, &e), 143);
}
