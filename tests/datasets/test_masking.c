/* Masked language modeling: which tokens are hidden, how, and that the draws depend on nothing else. */
#include "datasets/masking.h"
#include "tests/test.h"

enum { VOCAB = 50, B = 16, T = 64, N = B * T };

typedef struct {
    int32_t text[N], tokens[N], targets[N];
} Batch;

static void fill(Batch *x) {
    for (int i = 0; i < N; i++) x->text[i] = x->tokens[i] = i % VOCAB, x->targets[i] = (i + 1) % VOCAB;
}

static void masked(Batch *x, uint64_t seed, uint64_t step, int batch, int context) {
    FeedRoom room[] = {{"tokens", batch * context, x->tokens}, {"targets", batch * context, x->targets}};
    fill(x);
    masking_batch(VOCAB, seed, step, batch, context, room, 2);
}

/* A share of so many within five standard errors. */
static void near(double got, double of, double share, const char *what) {
    cr_expect(fabs(got / of - share) < 5 * sqrt(share * (1 - share) / of), "%s: %.4f of %g, not %.4f", what, got / of,
              of, share);
}

Test(masking, shares) {
    Batch x;
    double chosen = 0, hidden = 0, same = 0, total = 0;
    for (uint64_t step = 0; step < 200; step++) {
        masked(&x, 7, step, B, T);
        for (int i = 0; i < N; i++, total++) {
            if (x.targets[i] < 0) {
                cr_assert_eq(x.tokens[i], x.text[i], "a token that is not asked for was changed");
                continue;
            }
            cr_assert_eq(x.targets[i], x.text[i], "the target is not the token that stood there");
            cr_assert(x.tokens[i] >= 0 && x.tokens[i] <= VOCAB);
            chosen++, hidden += x.tokens[i] == VOCAB, same += x.tokens[i] == x.text[i];
        }
    }
    near(chosen, total, 0.15, "chosen");
    near(hidden, chosen, 0.8, "hidden");
    near(same, chosen, 0.1 + 0.1 / VOCAB, "as it was");
}

Test(masking, draws_depend_on_seed_step_and_place) {
    Batch x, y;
    masked(&x, 7, 3, B, T), masked(&y, 7, 3, B, T);
    cr_assert(!memcmp(&x, &y, sizeof x));
    masked(&y, 7, 3, B / 2, T);
    cr_assert(!memcmp(x.tokens, y.tokens, sizeof x.tokens / 2), "the first rows follow the size of the batch");
    masked(&y, 7, 4, B, T);
    cr_assert(memcmp(x.targets, y.targets, sizeof x.targets));
    masked(&y, 8, 3, B, T);
    cr_assert(memcmp(x.targets, y.targets, sizeof x.targets));
    cr_assert(memcmp(x.targets, x.targets + T, T * sizeof *x.targets), "two rows have one mask");
}

/* With two tokens a row 72 % of rows choose none by themselves. */
Test(masking, every_row_gives_one) {
    Batch x;
    int alone[2] = {0};
    masked(&x, 1, 0, N / 2, 2);
    for (int b = 0; b < N / 2; b++) {
        int first = x.targets[2 * b] >= 0, second = x.targets[2 * b + 1] >= 0;
        cr_assert(first || second, "row %d asks for nothing", b);
        alone[second && !first] += first != second;
    }
    near(alone[0], alone[0] + alone[1], 0.5, "the first token of a row that gives one");
}

Test(masking, a_window_has_its_mask_wherever_it_stands) {
    Batch x, y;
    FeedRoom a[] = {{"tokens", N, x.tokens}, {"targets", N, x.targets}};
    FeedRoom b[] = {{"targets", N, y.targets}, {"tokens", N, y.tokens}};
    fill(&x), fill(&y);
    for (int i = 0; i < T; i++) y.tokens[i] = x.tokens[i + 5 * T];
    masking_windows(VOCAB, 40, B, T, a, 2);
    masking_windows(VOCAB, 45, B, T, b, 2);
    cr_assert(!memcmp(x.tokens + 5 * T, y.tokens, T * sizeof *y.tokens));
    cr_assert(!memcmp(x.targets + 5 * T, y.targets, T * sizeof *y.targets));
}

Test(masking, targets_of_a_window_are_counted) {
    Batch x;
    for (size_t window = 0; window < 200; window++) {
        int tokens = 1 + (int)window % T, count = 0;
        FeedRoom room[] = {{"tokens", tokens, x.tokens}, {"targets", tokens, x.targets}};
        fill(&x);
        masking_windows(VOCAB, window, 1, tokens, room, 2);
        for (int i = 0; i < tokens; i++) count += x.targets[i] >= 0;
        cr_assert_eq(masking_window_targets(window, tokens), count, "window %zu of %d tokens", window, tokens);
    }
}

Test(masking, rows_without_text_stay) {
    Batch x;
    FeedRoom room[] = {{"tokens", N, x.tokens}, {"targets", N, x.targets}};
    fill(&x);
    for (int i = N - T; i < N; i++) x.tokens[i] = 0, x.targets[i] = -1;
    masking_windows(VOCAB, 0, B, T, room, 2);
    for (int i = N - T; i < N; i++) cr_assert(x.tokens[i] == 0 && x.targets[i] == -1);
}
