/* BLEU and chrF of small examples: counts by hand, scores those of sacrebleu 2.6.0 (tests/datasets/sacrebleu_equal.py
 * compares thousands of lines where that package can be had). */
#include <ctype.h>

#include "datasets/bleu.h"
#include "datasets/chrf.h"
#include "datasets/ngrams.h"
#include "datasets/tokenize_13a.h"
#include "tests/test.h"

static const struct {
    const char *hypothesis, *reference, *words; /* words: of the hypothesis */
    long matches[BLEU_ORDERS], totals[BLEU_ORDERS], h, r;
    double bleu, chrf;
} cases[] = {
    {"The cat sat on the mat.", "The cat is sitting on the mat.", "The cat sat on the mat .",
     {6, 4, 2, 1}, {7, 6, 5, 4}, 7, 8, 42.38365628278778, 49.6485170311433},
    {"the the the cat", "the cat sleeps", "the the the cat",
     {2, 1, 0, 0}, {4, 3, 2, 1}, 4, 3, 31.947155212313625, 37.45670995670996}, /* (1/2 1/3 1/4 1/4)^(1/4) */
    {"It costs 1,234.5 dollars, he said - twice.", "It cost 1,234.50 dollars, she said twice.",
     "It costs 1,234.5 dollars , he said - twice .",
     {6, 2, 0, 0}, {10, 9, 8, 7}, 10, 9, 13.134549472120794, 62.340819758988644},
    {"", "A dog runs.", "", {0}, {0}, 0, 4, 0, 0},
    {"&quot;Nein&quot;, sagte 水.", "\"Nein\", sagte 火.", "\" Nein \" , sagte 水 .",
     {6, 4, 3, 2}, {7, 6, 5, 4}, 7, 7, 64.34588841607616, 36.93648346650178},
    {"!?", "...", "! ?", {0}, {2, 1, 0, 0}, 2, 3, 0, 0},
};

enum { CASES = sizeof cases / sizeof *cases };

static void near(double got, double want, const char *what) {
    cr_expect(fabs(got - want) <= 1e-12 * fabs(want), "%s: %.17g instead of %.17g", what, got, want);
}

Test(bleu, sentences_and_their_corpus) {
    BleuCounts words = {0};
    ChrfCounts characters = {0};
    for (int i = 0; i < CASES; i++) {
        const char *h = cases[i].hypothesis, *r = cases[i].reference;
        BleuCounts b = bleu_counts(h, strlen(h), r, strlen(r));
        ChrfCounts c = chrf_counts(h, strlen(h), r, strlen(r));
        for (int n = 0; n < BLEU_ORDERS; n++)
            cr_expect(b.matches[n] == cases[i].matches[n] && b.totals[n] == cases[i].totals[n], "%s: order %d", h,
                      n + 1);
        cr_expect(b.hypothesis == cases[i].h && b.reference == cases[i].r, "%s", h);
        near(bleu_score(&b).score, cases[i].bleu, h);
        near(chrf_score(&c), cases[i].chrf, h);
        bleu_add(&words, &b);
        chrf_add(&characters, &c);
    }
    Bleu b = bleu_score(&words);
    near(b.score, 29.968826925494263, "BLEU");
    near(b.precision[0], 66.66666666666667, "1-grams");
    near(b.precision[3], 18.75, "4-grams");
    near(b.brevity, 0.8751733190429475, "brevity");
    near(chrf_score(&characters), 47.14357292980896, "chrF");
}

Test(bleu, words_of_13a) {
    static const char *const pairs[][2] = {{"&amp;lt; &amp;quot; &nbsp;", "< & quot ; & nbsp ;"},
                                           {"a <skipped>b", "a b"},
                                           {"cut-\nhere\nthen-\n", "cuthere then-"},
                                           {"a.5 5.a 1.5 .5 1. e-mail 3-4", "a . 5 5 . a 1.5 . 5 1 . e-mail 3 - 4"},
                                           {"a..b...", "a . . b . . ."},
                                           {"it's don't", "it's don't"},
                                           {"\xc2\xa0no\xc2\xa0" "break\xe3\x80\x80" "wide \xe2\x80\x8b",
                                            "no break wide \xe2\x80\x8b"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        LOCAL_TEXT(t);
        tokenize_13a(pairs[i][0], strlen(pairs[i][0]), &t);
        cr_expect_str_eq(t.at, pairs[i][1], "%s", pairs[i][0]);
    }
}

/* Between letters every mark of ASCII stands alone but the apostrophe and the hyphen. */
Test(bleu, marks_of_ascii) {
    for (int c = '!'; c < 127; c++) {
        if (isalnum(c)) continue;
        char in[] = {'x', (char)c, 'y', 0}, apart[] = {'x', ' ', (char)c, ' ', 'y', 0};
        LOCAL_TEXT(t);
        tokenize_13a(in, 3, &t);
        cr_expect_str_eq(t.at, c == '\'' || c == '-' ? in : apart);
    }
}

Test(bleu, each_n_gram_is_matched_once) {
    const uint32_t a[] = {1, 2, 1, 2, 1}, b[] = {2, 1, 2, 2};
    cr_expect_eq(ngrams_shared(a, 5, b, 4, 1), 3, "1 once, 2 twice");
    cr_expect_eq(ngrams_shared(a, 5, b, 4, 2), 2, "12 and 21");
    cr_expect_eq(ngrams_shared(a, 5, b, 4, 3), 1, "212");
    cr_expect_eq(ngrams_shared(a, 5, b, 4, 6), 0, "both are shorter");
    cr_expect_eq(ngrams_count(5, 6), 0);
}
