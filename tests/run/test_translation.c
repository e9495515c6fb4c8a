/* Translations: what a pair's loss depends on, greedy decoding, beam search against all sentences there are. */
#include "bench/store/sentences.h"
#include "bench/translate/translation.h"
#include "datasets/pairs.h"
#include "models/trainer.h"
#include "models/trainer_look.h"
#include "tests/test.h"

static const uint64_t seed = 11;
static const Recipe recipe = {.steps = 1, .init = {0.5, 0.5, 0.5, 0.5}};

static Trainer *model(const char *variant, int batch, int context, int vocab, const char *backend) {
    static Variant v;
    ModelShape s = {.layers = 2,
                    .width = 8,
                    .heads = 2,
                    .context = context,
                    .vocab = vocab,
                    .batch = batch,
                    .ffn_mult = 2,
                    .positions = POSITIONS_SINUSOIDAL,
                    .bias = true,
                    .tied = true,
                    .pairs = true,
                    .shared = true,
                    .norm_eps = 1e-5};
    Trainer *t;
    v = *variant_find(variant, &e);
    OK(trainer_for_gpt(&t, &s, &v, NULL, &recipe, &seed, 1, backend_find(backend, &e), &e));
    return t;
}

static const int32_t source[] = {3, 1, 4, 1, 5}, target[] = {2, 6, 5, 3};

/* The nats of each token of the pair, with so many sentences before it and behind it. */
static void losses(Trainer *t, int before, int behind, double nll[5]) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    PackedRows rows;
    packed_begin(&rows, room, trainer_feeds(t, 0, room));
    int first = 0;
    for (int i = 0; i <= before + behind; i++) {
        bool here = i == before;
        int from = packed_source(&rows, source, here ? 5 : 1 + i % 3, 0);
        int at = packed_target(&rows, target, here ? 4 : 1 + i % 2, 0, true, from, rows.sources);
        if (here) first = at;
    }
    trainer_forward(t);
    for (int i = 0; i < 5; i++) {
        long hits, count;
        trainer_score(t, 0, first + i, 1, &nll[i], &hits, &count, NULL);
        cr_assert_eq(count, 1);
    }
}

/* Neither other sentences nor padding nor the batch's size change a bit of a token's loss. */
Test(translation, a_pair_stands_alone) {
    static const char *const backends[] = {"cpu", "portable", "simt"}, *const variants_[] = {"post", "peri", "hyper"};
    for (size_t b = 0; b < 3; b++)
        for (size_t v = 0; v < 3; v++) {
            double alone[5], packed[5];
            LOCAL(trainer_release)
            Trainer *small = model(variants_[v], 2, 8, 7, backends[b]),
                    *large = model(variants_[v], 9, 8, 7, backends[b]);
            losses(small, 0, 0, alone);
            losses(large, 0, 0, packed);
            cr_expect(!memcmp(alone, packed, sizeof alone), "%s: padding", backends[b]);
            losses(large, 5, 4, packed);
            cr_expect(!memcmp(alone, packed, sizeof alone), "%s: other sentences", backends[b]);
            for (int i = 0; i < 5; i++) cr_assert(alone[i] > 0);
        }
}

/* What a source is read for: another one gives other losses. */
Test(translation, the_source_is_read) {
    double one[5], other[5];
    LOCAL(trainer_release) Trainer *t = model("pre", 2, 8, 7, "cpu");
    FeedRoom room[TRAINER_FEEDS_MAX];
    PackedRows rows;
    long hits, count;
    losses(t, 0, 0, one);
    packed_begin(&rows, room, trainer_feeds(t, 0, room));
    packed_source(&rows, source + 1, 4, 0);
    packed_target(&rows, target, 4, 0, true, 0, rows.sources);
    trainer_forward(t);
    for (int i = 0; i < 5; i++) trainer_score(t, 0, i, 1, &other[i], &hits, &count, NULL);
    for (int i = 0; i < 5; i++) cr_expect_neq(one[i], other[i]);
}

/* log p of a sentence's tokens and its end given a source, and the likeliest token behind it. */
static double score_of(Trainer *t, const int32_t *from, int sources, const int32_t *token, int length, int *likeliest) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    PackedRows rows;
    int vocab = trainer_vocabulary(t);
    double logit[16], sum = 0;
    packed_begin(&rows, room, trainer_feeds(t, 0, room));
    packed_source(&rows, from, sources, 0);
    packed_target(&rows, token, length, 0, false, 0, rows.sources);
    trainer_forward(t);
    for (int row = 0; row <= length; row++) {
        double total = 0;
        trainer_logits(t, 0, row, logit);
        for (int i = 0; i < vocab; i++) total += exp(logit[i]);
        sum += logit[row < length ? token[row] : 0] - log(total);
    }
    *likeliest = 0;
    for (int i = 1; i < vocab; i++)
        if (logit[i] > logit[*likeliest]) *likeliest = i;
    return sum;
}

Test(translation, greedy_takes_the_likeliest) {
    const Decoding how = {.beam = 1, .context = 8};
    LOCAL(trainer_release) Trainer *t = model("post", 4, 8, 7, "cpu");
    Translation x[6];
    for (int i = 0; i < 6; i++) x[i] = (Translation){.source = source, .source_length = i == 2 ? 3 : 1 + i % 5};
    OK(translate(t, 0, &how, x, 6, NULL, &e));
    int32_t by_hand[8];
    int length = 0, next;
    for (;; by_hand[length++] = next) {
        score_of(t, source, 3, by_hand, length, &next);
        if (!next || length == 7) break;
    }
    cr_expect_eq(x[2].length, length);
    cr_expect(!memcmp(x[2].token, by_hand, (size_t)length * sizeof *by_hand));
    for (int i = 0; i < 6; i++) free(x[i].token);
}

/* Every sentence of up to three of two tokens: 1 + 2 + 4 that end, 8 that the context ends. A beam as wide finds the
 * best under every penalty. */
Test(translation, a_wide_beam_finds_the_best) {
    const double penalties[] = {0, 1, 2};
    for (size_t p = 0; p < 3; p++) {
        const Decoding how = {.beam = 32, .penalty = penalties[p], .context = 4};
        LOCAL(trainer_release) Trainer *t = model("peri", 64, 4, 3, "cpu");
        Translation x = {.source = (int32_t[]){1, 2, 1}, .source_length = 3};
        int32_t best[4] = {0};
        int best_length = -1, unused;
        double most = -INFINITY;
        OK(translate(t, 0, &how, &x, 1, NULL, &e));
        for (int length = 0; length <= 3; length++)
            for (int word = 0; word < 1 << length; word++) {
                int32_t token[4];
                for (int i = 0; i < length; i++) token[i] = 1 + (word >> i & 1);
                double s = score_of(t, x.source, 3, token, length, &unused);
                s /= pow(length + 1, how.penalty);
                if (s > most) most = s, best_length = length, memcpy(best, token, sizeof best);
            }
        cr_expect_eq(x.length, best_length, "penalty %g: %d tokens, not %d", how.penalty, x.length, best_length);
        cr_expect(!memcmp(x.token, best, (size_t)best_length * sizeof *best));
        free(x.token);
    }
}

Test(translation, sentences_read_back) {
    const char *text =
        "words\treference_words\tmatches_1\tmatches_2\tmatches_3\tmatches_4\ttotal_1\ttotal_2\ttotal_3"
        "\ttotal_4\tsource\treference\thypothesis\n2\t3\t2\t1\t0\t0\t2\t1\t0\t0\tein Haus\ta small house\t"
        "a house\n0\t1\t0\t0\t0\t0\t0\t0\t0\t0\tx\ty\t\n";
    Translations t = {.sentences = 2, .text = (char *)(uintptr_t)text};
    TranslatedLine *line = translations_lines(&t);
    cr_assert(line);
    cr_expect(line[0].counts.hypothesis == 2 && line[0].counts.reference == 3 && line[0].counts.matches[1] == 1);
    cr_expect(line[0].hypothesis_length == 7 && !strncmp(line[0].hypothesis, "a house", 7));
    cr_expect(line[1].source_length == 1 && line[1].hypothesis_length == 0);
    free(line);
    t.sentences = 3;
    cr_expect_null(translations_lines(&t), "a line that is not there was read");
    OWNED char *bad = strdup(text);
    memcpy(strstr(bad, "2\t3"), "2\tx", 3);
    t = (Translations){.sentences = 2, .text = bad};
    cr_expect_null(translations_lines(&t), "a count that is no number was read");
}

Test(translation, a_beam_of_more_rows_than_a_batch_is_refused) {
    const struct {
        const char *backend;
        int most;
    } tries[] = {{"cpu", 8}, {"simt", 2}}; /* a device computes whole sentences */
    for (size_t i = 0; i < 2; i++) {
        LOCAL(trainer_release) Trainer *t = model("pre", 2, 4, 7, tries[i].backend);
        Translation x = {.source = (int32_t[]){1, 2}, .source_length = 2};
        Decoding how = {.beam = tries[i].most + 1, .context = 4};
        cr_expect_eq(translate(t, 0, &how, &x, 1, NULL, &e), RC_USAGE);
        cr_expect(strstr(e.text, "beam: ") && strstr(e.text, "batch"), "%s", e.text);
        free(x.token);
        how.beam--;
        cr_expect_eq(translate(t, 0, &how, &x, 1, NULL, &e), RC_OK, "%s", e.text);
        free(x.token);
    }
}

/* A device computes whole sentences again for each token, a host keeps what earlier ones left. */
Test(translation, hosts_and_devices_translate_alike) {
    enum { COUNT = 5 };
    const Decoding how = {.beam = 3, .penalty = 1, .context = 8};
    Translation x[2][COUNT];
    for (int b = 0; b < 2; b++) {
        LOCAL(trainer_release) Trainer *t = model("peri", 6, 8, 7, b ? "simt" : "cpu");
        for (int i = 0; i < COUNT; i++) x[b][i] = (Translation){.source = source, .source_length = 1 + i};
        OK(translate(t, 0, &how, x[b], COUNT, NULL, &e));
    }
    for (int i = 0; i < COUNT; i++) {
        cr_expect_eq(x[0][i].length, x[1][i].length);
        cr_expect(!memcmp(&x[0][i].score, &x[1][i].score, sizeof x[0][i].score), "%.17g", x[0][i].score);
        cr_expect(!memcmp(x[0][i].token, x[1][i].token, (size_t)x[0][i].length * sizeof(int32_t)));
        free(x[0][i].token), free(x[1][i].token);
    }
}
