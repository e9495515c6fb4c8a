/* Sentence pairs: which lines belong together, in which order they come, and where their tokens stand in a batch. */
#include <unistd.h>

#include "base/text.h"
#include "datasets/pairs.h"
#include "tests/test.h"

/* Two files in a folder of their own, named as a dataset. */
static char *two_files(const char *source, const char *target) {
    static char name[200];
    char folder[] = "/tmp/normbench-pairs.XXXXXX", path[64];
    cr_assert(mkdtemp(folder));
    const char *text[] = {source, target}, *file[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, file[i]);
        OK(file_write(path, text[i], strlen(text[i]), &e));
    }
    snprintf(name, sizeof name, "text:%s/a,%s/b", folder, folder);
    return name;
}

static Rc opened(Dataset *d, const char *source, const char *target) {
    DataPlaces nowhere = {.offline = true};
    return dataset_open(d, two_files(source, target), "char", &nowhere, &e);
}

/* n pairs: "s<letters>" of 1 to 7 tokens, and the same letters in capitals with one more. */
static Rc many(Dataset *d, int n) {
    LOCAL_TEXT(source);
    LOCAL_TEXT(target);
    for (int i = 0; i < n; i++) {
        int length = 1 + i * 5 % 7;
        for (int k = 0; k < length; k++) text_format(&source, "%c", 'a' + (i + k) % 20);
        for (int k = 0; k <= length; k++) text_format(&target, "%c", 'A' + (i + k) % 20);
        text_format(&source, "\n"), text_format(&target, "\n");
    }
    Rc rc = opened(d, source.at, target.at);
    return rc;
}

enum { ROWS = 64 };
typedef struct {
    int32_t tokens[ROWS], targets[ROWS], positions[ROWS], keys[2 * ROWS];
    int32_t source[ROWS], source_positions[ROWS], source_keys[2 * ROWS], memory_keys[2 * ROWS];
} Rows;

static int rooms(Rows *x, int rows, FeedRoom room[8]) {
    FeedRoom all[] = {{"tokens", rows, x->tokens},
                      {"targets", rows, x->targets},
                      {"positions", rows, x->positions},
                      {"keys", 2 * rows, x->keys},
                      {"source", rows, x->source},
                      {"source_positions", rows, x->source_positions},
                      {"source_keys", 2 * rows, x->source_keys},
                      {"memory_keys", 2 * rows, x->memory_keys}};
    memset(x, 0x7e, sizeof *x);
    memcpy(room, all, sizeof all);
    return 8;
}

static void expect(const int32_t *got, const int32_t *wanted, int n, const char *what) {
    for (int i = 0; i < n; i++) cr_expect_eq(got[i], wanted[i], "%s[%d]: %d, not %d", what, i, got[i], wanted[i]);
}

/* "ab" -> "X" and "c" -> "YZ" of the alphabet \n X Y Z a b c, in eight rows, then padding. */
Test(pairs, rows_by_hand) {
    LOCAL(dataset_release) Dataset d;
    Rows x;
    FeedRoom room[8];
    /* the last tenth of eleven lines, one, validates */
    OK(opened(&d, "ab\nc\nab\nc\nab\nc\nab\nc\nab\nc\nab\n", "X\nYZ\nX\nYZ\nX\nYZ\nX\nYZ\nX\nYZ\nX\n"));
    const Packing how = {2, 4, false};
    size_t train, valid;
    pairs_of(&d, 0, &train), pairs_of(&d, 1, &valid);
    cr_assert(train == 10 && valid == 1);
    pairs_validation(&d, 0, &how, room, rooms(&x, 8, room));
    expect(x.source, (int32_t[]){4, 5, 0, 0, 0, 0, 0, 0}, 8, "source");
    expect(x.source_positions, (int32_t[]){0, 1, 2, 0, 0, 0, 0, 0}, 8, "source_positions");
    expect(x.source_keys, (int32_t[]){0, 3, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 16, "source_keys");
    expect(x.tokens, (int32_t[]){0, 1, 0, 0, 0, 0, 0, 0}, 8, "tokens");
    expect(x.targets, (int32_t[]){1, 0, -1, -1, -1, -1, -1, -1}, 8, "targets");
    expect(x.positions, (int32_t[]){0, 1, 0, 0, 0, 0, 0, 0}, 8, "positions");
    expect(x.keys, (int32_t[]){0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 16, "keys");
    expect(x.memory_keys, (int32_t[]){0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 16, "memory_keys");
    pairs_validation(&d, 1, &how, room, rooms(&x, 8, room));
    expect(x.targets, (int32_t[]){-1, -1, -1, -1, -1, -1, -1, -1}, 8, "targets of a batch that is not there");
    /* unigrams are those of the target sentences: in training 10 ends, 5 each of X, Y and Z, of 7 ids */
    cr_expect_float_eq(d.unigram, (log(32 / 6.0) + log(32 / 11.0)) / 2, 1e-9);
}

/* Every pair once in an epoch, in an order that follows from seed and epoch alone, whichever step is asked for first.
 */
Test(pairs, an_epoch_has_every_pair_once) {
    LOCAL(dataset_release) Dataset d;
    Rows x, again;
    FeedRoom room[8];
    const Packing how = {4, 8, false};
    OK(many(&d, 230));
    size_t train, long_tokens, sentences = 0, first_epoch = 0;
    pairs_of(&d, 0, &train);
    train -= pairs_long(&d, 0, &how, &long_tokens);
    uint64_t step = 0;
    for (; sentences < 2 * train; step++) {
        pairs_batch(&d, 5, step, &how, room, rooms(&x, 32, room));
        int here = 0;
        for (int i = 0; i < 32; i++) here += x.targets[i] == pairs_end(&d);
        cr_assert(here, "an empty batch");
        sentences += (size_t)here;
        if (sentences == train) first_epoch = step + 1;
        cr_assert(sentences <= train || first_epoch, "an epoch ends inside a batch");
    }
    cr_assert_eq(sentences, 2 * train);
    for (uint64_t s = 0; s < step; s += 7) {
        pairs_batch(&d, 5, step - 1 - s, &how, room, rooms(&x, 32, room));
        pairs_batch(&d, 6, s, &how, room, rooms(&again, 32, room));
        cr_expect(memcmp(&x, &again, sizeof x), "two seeds have one batch");
        pairs_batch(&d, 5, 0, &how, room, rooms(&again, 32, room));
        pairs_batch(&d, 5, step - 1 - s, &how, room, rooms(&again, 32, room));
        cr_expect(!memcmp(&x, &again, sizeof x), "a batch follows what was asked before");
    }
    pairs_batch(&d, 5, 0, &how, room, rooms(&x, 32, room));
    pairs_batch(&d, 5, first_epoch, &how, room, rooms(&again, 32, room));
    cr_expect(memcmp(&x, &again, sizeof x), "the second epoch begins as the first");
}

Test(pairs, a_batch_is_the_pairs_of_its_numbers) {
    LOCAL(dataset_release) Dataset d;
    Rows x;
    FeedRoom room[8];
    int64_t number[16];
    const Packing how = {4, 8, false};
    OK(many(&d, 230));
    size_t train;
    const Pair *pair = pairs_of(&d, 0, &train);
    for (uint64_t step = 0; step < 90; step += 29) {
        pairs_batch(&d, 5, step, &how, room, rooms(&x, 32, room));
        size_t count = pairs_numbers(&d, 5, step, &how, NULL), sources = 0, targets = 0;
        cr_assert(count && count <= 16 && pairs_numbers(&d, 5, step, &how, number) == count);
        for (size_t i = 0; i < count; i++) {
            const Pair *p = &pair[number[i]];
            cr_assert(number[i] >= 0 && (size_t)number[i] < train);
            for (int k = 0; k < p->source_length; k++) cr_assert_eq(x.source[sources++], d.tokens[p->source + k]);
            cr_assert_eq(x.source[sources++], pairs_end(&d));
            for (int k = 0; k < p->target_length; k++) cr_assert_eq(x.targets[targets++], d.tokens[p->target + k]);
            cr_assert_eq(x.targets[targets++], pairs_end(&d));
        }
        cr_assert(targets == 32 || x.targets[targets] == -1, "the batch has another pair");
    }
}

Test(pairs, long_sentences_are_dropped_or_cut) {
    LOCAL(dataset_release) Dataset d;
    Rows x;
    FeedRoom room[8];
    Packing how = {3, 8, false};
    size_t tokens;
    const char *source = "ab\nabcdefghij\nab\nab\nab\nab\nab\nab\nab\nab\nabcdefghij\nab\n", *target = source;
    OK(opened(&d, source, target));
    cr_assert(d.pairs);
    cr_assert(strstr(d.note, "of 12 pairs both lines are the same"), "%s", d.note);
    cr_expect_eq(pairs_long(&d, 0, &how, &tokens), 2);
    cr_expect_eq(tokens, 22);
    how.context = 2;
    cr_expect_eq(pairs_fit(&d, &how, &e), RC_USAGE);
    HOLDS(e.text, "every one of the 11 training pairs has a sentence of more than context - 1 = 1 tokens");
    how.cut = true;
    cr_expect_eq(pairs_fit(&d, &how, &e), RC_OK);
    pairs_validation(&d, 0, &how, room, rooms(&x, 6, room));
    expect(x.source, (int32_t[]){1, 0, 0, 0, 0, 0}, 6, "source, cut");
    expect(x.targets, (int32_t[]){1, 0, -1, -1, -1, -1}, 6, "targets, cut");
}

Test(pairs, what_is_no_pairs_is_refused) {
    LOCAL(dataset_release) Dataset d;
    cr_expect_eq(opened(&d, "a\nb\nc\n", "a\nb\n"), RC_USAGE);
    cr_expect(strstr(e.text, "3 lines, and ") && strstr(e.text, "b 2: they are no pairs"), "%s", e.text);
    cr_expect_eq(opened(&d, "a\n\n\n\n\n\n\n\n\n\n", "\n\n\n\n\n\n\n\n\nb\n"), RC_USAGE);
    HOLDS(e.text, "no pair of lines that are not empty to train on");
    cr_expect_eq(opened(&d, "a\n\xff\n", "a\nb\n"), RC_USAGE);
    HOLDS(e.text, "UTF-8");
    cr_expect_eq(opened(&d, "", "a\n"), RC_USAGE);
    /* pairs with an empty line are left out, with the other line */
    OK(opened(&d, "a\n\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "A\nX\n\nC\nD\nE\nF\nG\nH\nI\nJ\n"));
    size_t train;
    pairs_of(&d, 0, &train);
    cr_expect_eq(train, 8);
    HOLDS(d.note, "2 pairs with an empty line are left out");
}
