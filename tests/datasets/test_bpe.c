/* The tokenizer bpe: what it takes, what it makes, that nothing is lost, and bits per
 * byte with tokens of many bytes. */
#include "base/utf8.h"
#include "bench/run/evaluate.h"
#include "datasets/bpe_sentencepiece.h"
#include "tests/datasets/data_case.h"

DATA_SUITE(bpe);

/* In a build without sentencepiece the name says so, and there is nothing else to test. */
static bool absent(void) {
    Tokenizer t;
    if (bpe_version()) return false;
    EXPECT_RC(tokenizer_init(&t, "bpe", (const uint8_t *)"text", 4, 4, &e), RC_UNMEASURED);
    EXPECT_SAYS("no sentencepiece", "libsentencepiece-dev");
    return true;
}

static uint32_t draw(uint64_t *at, uint32_t below) {
    return philox_below(philox_word(11, name_stream("bpe test"), (*at)++), below);
}

/* Lines of made-up words, some with code points of two, three and four bytes. */
static char *made_up(size_t words, uint64_t seed) {
    static const char *const PARTS[] = {"ba", "lo", "ti", "na", "ra", "e", "s", "n", "\u00e9", "\u20ac", "\U0001f600"};
    Text t;
    text_init(&t);
    uint64_t at = seed << 32;
    for (size_t i = 0; i < words; i++) {
        for (uint32_t k = draw(&at, 4) + 1; k > 0; k--) {
            uint32_t a = draw(&at, 11), b = draw(&at, 11);
            text_format(&t, "%s", PARTS[a < b ? a : b]);
        }
        text_format(&t, "%s", i % 9 == 8 ? "\n" : " ");
    }
    return t.at;
}

static Tokenizer trained(const char *name, const char *text) {
    Tokenizer t;
    EXPECT_RC(tokenizer_init(&t, name, (const uint8_t *)text, strlen(text), strlen(text), &e), RC_OK);
    return t;
}

/* Encodes and decodes; the same bytes must come back. Returns the number of tokens, in tokens. */
static size_t there_and_back(const Tokenizer *t, const char *text, size_t length, int32_t *tokens) {
    LOCAL_TEXT(out);
    size_t count, bytes = 0;
    EXPECT_RC(tokenizer_encode(t, (const uint8_t *)text, length, tokens, &count, &e), RC_OK);
    tokenizer_decode(t, tokens, count, &out);
    cr_assert(out.length == length && !memcmp(out.at, text, length), "%zu bytes in, %zu out: %s", length, out.length,
              out.at);
    for (size_t i = 0; i < count; i++) bytes += t->bytes[tokens[i]];
    cr_assert(bytes == length && count <= length);
    return count;
}

static size_t put_code(char *out, uint32_t code) {
    if (code < 0x80) return out[0] = (char)code, 1;
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00u >> n & 0xffu) | code);
    return n;
}

/* Random UTF-8: half from the training text's own code points, half from all of Unicode. */
static size_t random_text(char *out, size_t codes, uint64_t *at) {
    static const uint32_t USUAL[] = {'b', 'a', 'l', 'o', 't', 'i',  'n',  'r',
                                     'e', 's', ' ', ' ', ' ', '\n', 0xe9, 0x20ac};
    static const uint32_t TOP[] = {0x80, 0x800, 0xd800, 0x10000, 0x110000};
    size_t length = 0;
    while (codes--) {
        uint32_t code = draw(at, 2) ? USUAL[draw(at, 16)] : draw(at, TOP[draw(at, 5)]);
        bool taken = (code >= 0xd800 && code < 0xe000) || code == 0x2581;
        length += put_code(out + length, taken ? 'x' : code);
    }
    return length;
}

/* ---- what comes out ---- */

Test(bpe, bpe_loses_nothing) {
    if (absent()) return;
    static const char *const ODD[] = {"",
                                      " ",
                                      "\n",
                                      "\n\n\n",
                                      "   ",
                                      " \n ",
                                      "\t\r\v",
                                      "ba",
                                      " ba  lo ",
                                      "<unk>",
                                      " <unk> <0x41> <s>\n",
                                      "\\n",
                                      "\xe2\x96\x85 \xef\xbf\xbd \xc2\xa0 \xe3\x80\x80 \xef\xbb\xbf",
                                      "e\xcc\x81\xcc\x81",
                                      "\x01\x7f\xf4\x8f\xbf\xbf"};
    char *text = made_up(3000, 1), sample[4 * 300];
    LOCAL(tokenizer_release) Tokenizer t = trained("bpe:400", text);
    OWNED int32_t *tokens = mem_alloc(strlen(text) + sizeof sample, sizeof *tokens);
    cr_assert_lt(there_and_back(&t, text, strlen(text), tokens) * 2, strlen(text), "two bytes per token and more");
    for (size_t i = 0; i < sizeof ODD / sizeof *ODD; i++) there_and_back(&t, ODD[i], strlen(ODD[i]), tokens);
    there_and_back(&t, "a\0b\0\0", 5, tokens);
    uint64_t at = 0;
    for (int i = 0; i < 500; i++) there_and_back(&t, sample, random_text(sample, draw(&at, 300), &at), tokens);
    free(text);
}

/* The definition, on the text as a whole: join the adjacent pair that makes the lowest piece, leftmost first, until no
 * pair makes one; what is no piece then falls apart into bytes. */
typedef struct {
    const char *at;
    size_t length;
    int id; /* -1: no piece */
} Symbol;

static int piece_of(const Tokenizer *t, const char *at, size_t length) {
    char piece[BPE_PIECE_MAX];
    size_t n;
    for (int id = 0; id < t->vocab; id++)
        if (t->bytes[id] == length && !memcmp(t->text + t->codes[id], at, length) &&
            bpe_piece(t->model, id, piece, &n) != BPE_BYTE)
            return id;
    return -1;
}

static size_t by_definition(const Tokenizer *t, const char *text, size_t length, int32_t *tokens) {
    OWNED Symbol *s = mem_alloc(length + 1, sizeof *s);
    size_t n = 0, count = 0;
    for (size_t at = 0, bytes; at < length; at += bytes, n++) {
        uint32_t code;
        bytes = utf8_next((const uint8_t *)text + at, length - at, &code);
        s[n] = (Symbol){text + at, bytes, piece_of(t, text + at, bytes)};
    }
    for (;;) {
        int best = INT32_MAX;
        size_t where = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            int id = piece_of(t, s[i].at, s[i].length + s[i + 1].length);
            if (id >= 0 && id < best) best = id, where = i;
        }
        if (best == INT32_MAX) break;
        s[where].length += s[where + 1].length, s[where].id = best;
        memmove(s + where + 1, s + where + 2, (--n - where - 1) * sizeof *s);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (s[i].id < 0 ? s[i].length : 1); k++)
            tokens[count++] = s[i].id < 0 ? 2 + (uint8_t)s[i].at[k] : s[i].id;
    return count;
}

Test(bpe, bpe_is_the_definition_on_the_whole_text) {
    if (absent()) return;
    enum { CODES = 60, ROOM = 4 * CODES };
    char *text = made_up(3000, 2), sample[ROOM], byte[BPE_PIECE_MAX];
    int32_t tokens[ROOM], expected[ROOM];
    LOCAL(tokenizer_release) Tokenizer t = trained("bpe:330", text);
    size_t n, words = 0;
    for (int i = 0; i < 256; i++)
        cr_assert(bpe_piece(t.model, 2 + i, byte, &n) == BPE_BYTE && n == 1 && (uint8_t)*byte == i, "byte %d", i);
    cr_assert(bpe_piece(t.model, 1, byte, &n) == BPE_NEWLINE && n == 1 && *byte == '\n');
    cr_assert(bpe_piece(t.model, 0, byte, &n) == BPE_UNKNOWN && n == 0 && t.bytes[0] == 0);
    uint64_t at = 0;
    for (int i = 0; i < 60; i++) {
        const char *from = i % 2 ? sample : text + 97 * i;
        size_t length = i % 2 ? random_text(sample, CODES, &at) : CODES;
        uint32_t code;
        while (!utf8_next((const uint8_t *)from, 4, &code))
            from++; /* made_up's text may be entered inside a code point */
        for (size_t k = 0, bytes; i % 2 == 0 && k < CODES; k += bytes)
            length = k + (bytes = utf8_next((const uint8_t *)from + k, 4, &code));
        size_t count = there_and_back(&t, from, length, tokens);
        cr_assert_eq(count, by_definition(&t, from, length, expected), "sample %d: %.*s", i, (int)length, from);
        cr_assert(!memcmp(tokens, expected, count * sizeof *tokens), "sample %d: %.*s", i, (int)length, from);
        for (size_t k = 0; k < count; k++) words += t.bytes[tokens[k]] > 2;
    }
    cr_assert_gt(words, 100, "the samples hold pieces that training made");
    free(text);
}

Test(bpe, bpe_is_the_same_each_time_and_sees_the_training_part_alone) {
    if (absent()) return;
    OWNED char *text = made_up(2000, 3), *other = mem_text(text);
    size_t length = strlen(text), cut = length / 10 * 9;
    while ((text[cut] & 0xc0) == 0x80) cut++;
    for (size_t i = cut; i < length; i++) other[i] = 'q';
    Tokenizer t[4];
    const char *from[] = {text, text, other, other};
    for (int i = 0; i < 4; i++) {
        if (i == 3) other[1] = 'q';
        EXPECT_RC(tokenizer_init(&t[i], "bpe:300", (const uint8_t *)from[i], length, cut, &e), RC_OK);
    }
    cr_assert(t[0].vocab == 300);
    cr_assert_str_eq(t[0].name, "bpe:300");
    cr_assert_str_eq(t[0].sha256, t[1].sha256);
    cr_assert_str_eq(t[0].sha256, t[2].sha256, "another validation part");
    cr_assert_str_neq(t[0].sha256, t[3].sha256, "another training part");
    for (int i = 0; i < 4; i++) tokenizer_release(&t[i]);
}

/* The hash is of the pieces: letter and bytes of each, one per line. */
Test(bpe, bpe_hash_is_of_the_pieces) {
    if (absent()) return;
    LOCAL(tokenizer_release) Tokenizer t = trained("bpe:262", "ab ab ab ab ab\nab ab ab");
    LOCAL_TEXT(all);
    char hash[SHA256_HEX];
    text_format(&all, "bpe\nu \nn 0a\n");
    for (int i = 0; i < 256; i++) text_format(&all, "b %02x\n", i);
    text_format(&all, "t 6162\n"); /* one pair joined, then the characters by frequency and code point */
    text_format(&all, "t 61\nt 62\nt 20\n");
    cr_assert_str_eq(t.sha256, sha256_hex_of(hash, all.at, all.length));
}

/* ---- what is refused ---- */

static void refuses(const char *name, const char *text, size_t length, const char *line) {
    Tokenizer t;
    EXPECT_RC(tokenizer_init(&t, name, (const uint8_t *)text, length, length, &e), RC_USAGE);
    EXPECT_SAYS(line);
    cr_assert(!t.codes && !t.model, "nothing to release");
}

Test(bpe, bpe_names_and_sizes) {
    static const struct {
        const char *name, *says;
    } BAD[] = {{"bpe:", "from 259 to 262144"},       {"bpe:258", "from 259 to 262144"},
               {"bpe:262145", "from 259 to 262144"}, {"bpe:many", "from 259 to 262144"},
               {"bpe:-1", "from 259 to 262144"},     {"char:65", "char has no size"},
               {"bp", "did you mean 'bpe'?"},        {"bpee:300", "did you mean"}};
    Tokenizer t;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) refuses(BAD[i].name, "text", 4, BAD[i].says);
    EXPECT_RC(tokenizer_named(&t, "bpe:1664", &e), RC_OK);
    cr_assert(t.vocab == 1664 && !strcmp(t.name, "bpe"), "one name for one tokenizer: %s", t.name);
    EXPECT_RC(tokenizer_named(&t, "bpe:262144", &e), RC_OK);
    cr_assert_str_eq(t.name, "bpe:262144");
}

Test(bpe, bpe_refuses_what_it_would_lose) {
    if (absent()) return;
    int32_t tokens[16];
    size_t count;
    refuses("bpe:300", "abc \xe2\x96\x81", 7, "U+2581 at byte offset 4");
    refuses("bpe:300", "\n\n\n\n", 4,
            "tokenizer bpe:300: the training text holds nothing to make pieces of; char and byte");
    refuses("bpe:300", "\t\t\t\t\n\t\t", 7, "holds nothing to make pieces of; char and byte take it");
    refuses("bpe:300", "ab\xe2\x82", 4, "not UTF-8 at byte offset 2");
    refuses("bpe:300", "\xff\xfe\x61\0", 4, "not UTF-8 at byte offset 0 (byte 0xff), it looks like UTF-16");
    OWNED char *text = made_up(500, 4);
    LOCAL(tokenizer_release) Tokenizer t = trained("bpe:280", text);
    EXPECT_RC(tokenizer_encode(&t, (const uint8_t *)"ab\xe2\x96\x81", 5, tokens, &count, &e), RC_USAGE);
    EXPECT_SAYS("U+2581 at byte offset 2");
    EXPECT_RC(tokenizer_encode(&t, (const uint8_t *)"ab\xed\xa0\x80", 5, tokens, &count, &e), RC_USAGE);
    EXPECT_SAYS("not UTF-8 at byte offset 2");
}

/* The line names a size that works; the next one on the wrong side does not. */
Test(bpe, bpe_says_which_sizes_a_text_supports) {
    if (absent()) return;
    static const char TEXT[] = "hello world hello there\nworld of words\n";
    char name[2][TOKENIZER_NAME];
    refuses("bpe", TEXT, sizeof TEXT - 1, "no vocabulary of 1664 pieces; the largest is 309: use bpe:309");
    refuses("bpe:260", TEXT, sizeof TEXT - 1, "need 269 pieces, more than 260: use bpe:269 or more");
    for (int i = 0; i < 2; i++) {
        snprintf(name[0], TOKENIZER_NAME, "bpe:%d", i ? 309 : 269);
        snprintf(name[1], TOKENIZER_NAME, "bpe:%d", i ? 310 : 268);
        LOCAL(tokenizer_release) Tokenizer t = trained(name[0], TEXT);
        cr_assert_eq(t.vocab, i ? 309 : 269);
        refuses(name[1], TEXT, sizeof TEXT - 1, i ? "use bpe:309" : "use bpe:269");
    }
    refuses("bpe", "\n\n\n", 3, "tokenizer bpe: ");
    refuses("bpe", "", 0, "tokenizer bpe: ");
}

/* A line, and a word, longer than the library's 16-bit places. */
Test(bpe, bpe_takes_a_text_without_blanks) {
    if (absent()) return;
    enum { LENGTH = 200000 };
    OWNED char *text = mem_alloc(LENGTH + 1, 1);
    OWNED int32_t *tokens = mem_alloc(LENGTH, sizeof *tokens);
    uint64_t at = 0;
    for (int i = 0; i < LENGTH - 2; i++) text[i] = "abcdefgh"[draw(&at, 8)];
    text[LENGTH - 2] = (char)0xc3, text[LENGTH - 1] = (char)0xa9;
    LOCAL(tokenizer_release) Tokenizer t = trained("bpe:320", text);
    there_and_back(&t, text, LENGTH, tokens);
}

/* ---- bits per byte ---- */

/* What evaluate_whole says of a model that gives every token the probability 1 / vocab. */
static Evaluation of_uniform(const Dataset *d) {
    static const char *const KEYS[][2] = {{"layers", "1"},    {"width", "16"},      {"heads", "2"},
                                          {"context", "16"},  {"batch", "4"},       {"init_std", "0"},
                                          {"token_std", "0"}, {"position_std", "0"}};
    RunSpec s;
    LOCAL(trainer_release) Trainer *t;
    Evaluation got = {0};
    spec_init(&s);
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) EXPECT_RC(spec_set(&s, KEYS[i][0], KEYS[i][1], &e), RC_OK);
    ModelShape shape = spec_shape(&s, d->vocab);
    Recipe recipe = spec_recipe(&s);
    EXPECT_RC(trainer_for_gpt(&t, &shape, &s.variant, NULL, &recipe, &s.seed, 1, backend_find("cpu", &e), &e), RC_OK);
    cr_assert(evaluate_whole(t, d, &s, NULL, &got, NULL, NULL));
    free(got.block);
    return got;
}

/* 1000 words of a blank, e-acute (two bytes) and a with ring below (three): six bytes each. The last 10% of the 6000
 * bytes, 100 words, validate: six windows of 16 bpe tokens of six bytes; eighteen of 16
 * characters, two bytes on average. */
Test(bpe, bits_per_byte_by_hand) {
    DataPlaces p = OFFLINE;
    Dataset d;
    LOCAL_TEXT(text);
    for (int i = 0; i < 1000; i++) text_format(&text, " \u00e9\u1e01");
    put_text("words.txt", text.at);
    EXPECT_RC(dataset_open(&d, "text:words.txt", "char", &p, &e), RC_OK);
    cr_assert(d.valid == 300 && d.valid_bytes == 600 && strstr(d.note, "stand in the training part"));
    Evaluation got = of_uniform(&d);
    /* targets 1 .. 288 of 300: 96 whole words but for the order, 96 * 6 bytes; ln 3 nats each */
    cr_assert(got.targets == 288 && got.dropped == 11);
    cr_assert_float_eq(got.metric[METRIC_valid_loss], log(3), 1e-6);
    cr_assert_float_eq(got.metric[METRIC_bits_per_byte], 288 * log2(3) / 576, 1e-6);
    dataset_release(&d);
    if (absent()) return;
    /* 258 pieces before the text's own; its 3 characters, and the blank joined with the others in two steps */
    EXPECT_RC(dataset_open(&d, "text:words.txt", "bpe:263", &p, &e), RC_OK);
    cr_assert(d.train == 900 && d.valid == 100 && d.token_bytes[d.tokens[0]] == 6, "one token per word");
    got = of_uniform(&d);
    cr_assert(got.targets == 96 && got.dropped == 3);
    cr_assert_float_eq(got.metric[METRIC_valid_loss], log(263), 1e-5);
    cr_assert_float_eq(got.metric[METRIC_bits_per_byte], log2(263) / 6, 1e-6, "%.7f", got.metric[METRIC_bits_per_byte]);
    dataset_release(&d);
}
