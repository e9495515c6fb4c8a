/* Texts as datasets: user texts, tokenizers, the synthetic source, batches and windows. */
#include "tests/datasets/data_case.h"

DATA_SUITE(datasets);

/* ---- user texts and tokenizers ---- */

Test(datasets, user_text_is_a_dataset) {
    LOCAL(dataset_release) Dataset d;
    DataPlaces p = OFFLINE;
    static const char NAME[] = "a/my \u00fcber text.txt", TEXT[] = "na\u00efve \u20ac\U0001f600\nab";
    static const char SPEC[] = "text:a/my \u00fcber text.txt";
    put_text(NAME, TEXT);
    EXPECT_RC(dataset_open(&d, SPEC, "char", &p, &e), RC_OK);
    cr_assert_str_eq(d.name, "my \u00fcber text.txt");
    cr_assert_str_eq(d.from, NAME);
    cr_assert_eq(d.vocab, 10, "\\n, blank, a b e n v, i with dots, euro, face");
    cr_assert_eq(d.train + d.valid, 11, "naive + blank + euro + face + newline + ab");
    cr_assert_eq(d.train_bytes + d.valid_bytes, 17);
    cr_assert_eq(dataset_target_bytes(&d, d.tokens, d.train + d.valid), 17);
    cr_assert(isnan(d.entropy_rate) && !d.synthetic);
    LOCAL_TEXT(out);
    tokenizer_decode(&d.codec, d.tokens, d.train + d.valid, &out);
    cr_assert_str_eq(out.at, TEXT);
    char hash[SHA256_HEX], *byte_hash = mem_text(d.tokenizer_sha256);
    static const char CANONICAL[] = "char\n10\n32\n97\n98\n101\n110\n118\n239\n8364\n128512\n";
    cr_assert_str_eq(d.tokenizer_sha256, sha256_hex_of(hash, CANONICAL, sizeof CANONICAL - 1));
    dataset_release(&d);
    EXPECT_RC(dataset_open(&d, SPEC, "byte", &p, &e), RC_OK);
    cr_assert(d.vocab == 256 && d.train == 15 && d.valid == 2);
    cr_assert_str_neq(d.tokenizer_sha256, byte_hash);
    free(byte_hash);
}

Test(datasets, bad_utf8_is_refused_with_its_offset) {
    static const struct {
        const char *bytes;
        size_t length, offset; /* offset: of the first byte that is not UTF-8 */
    } BAD[] = {{"abc\xff", 4, 3},       {"\x80", 1, 0},          {"a\xc0\xaf", 3, 1},
               {"\xed\xa0\x80", 3, 0},  {"ab\xe2\x82", 4, 2},    {"x\xf4\x90\x80\x80", 5, 1},
               {"\xe0\x80\x80", 3, 0},  {"\xc3\xa9\xc3(", 4, 2}, {"\xf0\x80\x80\x80", 4, 0},
               {"\xff\xfe\x61\0", 4, 0}};
    Dataset d;
    DataPlaces p = OFFLINE;
    char offset[48];
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        put("bad.txt", BAD[i].bytes, BAD[i].length);
        EXPECT_RC(dataset_open(&d, "text:bad.txt", "char", &p, &e), RC_USAGE);
        snprintf(offset, sizeof offset, "not UTF-8 at byte offset %zu ", BAD[i].offset);
        EXPECT_SAYS(offset, "bad.txt: ", "byte tokenizer");
        cr_assert_null(d.tokens);
    }
    put("bad.txt", "\xff\xfe\0\n\x80\x80\x80\x80\x80zz", 11);
    EXPECT_RC(dataset_open(&d, "text:bad.txt", "byte", &p, &e), RC_OK);
    cr_assert(d.train == 9 && d.valid == 2 && d.tokens[1] == 0xfe);
    dataset_release(&d);
    put_text("bad.txt", "");
    EXPECT_RC(dataset_open(&d, "text:bad.txt", "char", &p, &e), RC_USAGE);
    EXPECT_SAYS("empty");
    put_text("bad.txt", "x");
    EXPECT_RC(dataset_open(&d, "text:bad.txt", "byte", &p, &e), RC_USAGE);
    EXPECT_SAYS("too short");
}

Test(datasets, code_points_of_every_length_go_there_and_back) {
    static const char EDGES[] = "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
                                "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
    static const uint32_t CODES[] = {1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    enum { LENGTH = sizeof EDGES - 1, COUNT = sizeof CODES / sizeof CODES[0] };
    LOCAL(tokenizer_release) Tokenizer t;
    LOCAL_TEXT(out);
    int32_t tokens[LENGTH];
    size_t count;
    const uint8_t *text = (const uint8_t *)EDGES;
    EXPECT_RC(tokenizer_init(&t, "char", text, LENGTH, LENGTH, &e), RC_OK);
    EXPECT_RC(tokenizer_encode(&t, text, LENGTH, tokens, &count, &e), RC_OK);
    cr_assert(count == COUNT && t.vocab == COUNT);
    for (int i = 0; i < COUNT; i++) cr_assert(tokens[i] == i && t.codes[i] == CODES[i], "U+%04X", CODES[i]);
    tokenizer_decode(&t, tokens, count, &out);
    cr_assert_str_eq(out.at, EDGES);
    EXPECT_RC(tokenizer_encode(&t, (const uint8_t *)"\x01\x7fz", 3, tokens, &count, &e), RC_USAGE);
    EXPECT_SAYS("U+007A at byte offset 2");
}

Test(datasets, unknown_names_suggest_the_nearest) {
    Dataset d;
    DataPlaces p = OFFLINE;
    EXPECT_RC(dataset_open(&d, "tinyshakespear", "char", &p, &e), RC_USAGE);
    EXPECT_SAYS("unknown dataset 'tinyshakespear'; did you mean 'tinyshakespeare'?");
    EXPECT_RC(dataset_open(&d, "syntetic", "char", &p, &e), RC_USAGE);
    EXPECT_SAYS("did you mean 'synthetic'?");
    EXPECT_RC(dataset_open(&d, "tinyshakespeare", "chars", &p, &e), RC_USAGE);
    EXPECT_SAYS("unknown tokenizer 'chars'; did you mean 'char'?");
    EXPECT_RC(dataset_open(&d, "synthetic", "bite", &p, &e), RC_USAGE);
    EXPECT_SAYS("did you mean 'byte'?");
}

Test(datasets, manifest_rows_are_well_formed) {
    static const char *const files[] = {
#define CORPUS(name, ...) name,
#include "datasets/manifest.def"
    };
    size_t rows, sources = 0, seen = 0;
    const char *names[MANIFEST_NAMES];
    size_t count = manifest_names(names);
    for (size_t i = 0; i < count; i++) {
        const Source *s = manifest_source(names[i]);
        const CorpusFile *first = manifest_corpus(names[i], &rows);
        cr_assert(!s || (!first && !strcmp(s->name, names[i])), "%s", names[i]);
        for (const CorpusFile *f = first; f && f < first + rows; f++, seen++) {
            /* No address has the bytes of Multi30k's files, which lie packed. */
            bool packed = f->order == ORDER_LINES && !*f->url;
            cr_assert((packed || !strncmp(f->url, "https://", 8)) && f->bytes && *f->licence, "%s", f->file);
            cr_assert(strlen(f->sha256) == 64 && strspn(f->sha256, "0123456789abcdef") == 64);
            cr_assert(f->file[0] != '/' && !strstr(f->file, ".."), "%s", f->file);
        }
        sources += s != NULL;
    }
    cr_assert(sources && seen == sizeof files / sizeof *files, "rows of each corpus stand together");
    cr_assert_null(manifest_corpus("absent", &rows));
    cr_assert_null(manifest_source("absent"));
}

/* Tasks are pinned as corpora are, and are none. */
Test(datasets, tasks_are_no_corpora) {
    size_t files, rows;
    const CorpusFile *f = manifest_task_files(&files);
    DataPlaces p = {.offline = true};
    Dataset d;
    for (size_t i = 0; i < files; i++) {
        cr_assert((!*f[i].url || !strncmp(f[i].url, "https://", 8)) && f[i].bytes && *f[i].licence, "%s", f[i].file);
        cr_assert(strlen(f[i].sha256) == 64 && strspn(f[i].sha256, "0123456789abcdef") == 64);
        const CorpusFile *first = manifest_task(f[i].name, &rows);
        cr_assert(first <= &f[i] && &f[i] < first + rows && !manifest_corpus(f[i].name, &rows), "%s", f[i].name);
        EXPECT_RC(dataset_open(&d, f[i].name, "char", &p, &e), RC_USAGE);
        EXPECT_SAYS("questions to score weights on", "normbench score");
    }
    cr_assert_null(manifest_task("tinyshakespeare", &rows));
}

/* ---- tokenizers from their vocabularies ---- */

Test(datasets, a_vocabulary_makes_its_tokenizer) {
    static const char text[] = "h\xc3\xa9 \xe6\xb0\xb4 \xf0\x9d\x9b\xbc\n";
    static const char *const kinds[] = {"char", "byte"};
    for (int i = 0; i < 2; i++) {
        LOCAL(tokenizer_release) Tokenizer a, b;
        LOCAL_TEXT(vocabulary);
        cr_assert_eq(tokenizer_init(&a, kinds[i], (const uint8_t *)text, sizeof text - 1, sizeof text - 1, &e), RC_OK);
        tokenizer_vocabulary(&a, &vocabulary);
        EXPECT_RC(tokenizer_of_vocabulary(&b, vocabulary.at, &e), RC_OK);
        cr_assert(b.vocab == a.vocab && !strcmp(a.sha256, b.sha256) && !strcmp(a.name, b.name));
    }
}

Test(datasets, what_is_no_vocabulary_is_refused) {
    static const struct {
        const char *text;
        Rc rc;
        const char *says;
    } bad[] = {{"", RC_INTEGRITY, "no kind of tokenizer"},
               {"chars\n10\n", RC_INTEGRITY, "'chars' is no kind"},
               {"char\n10\nx\n", RC_INTEGRITY, "no code point"},
               {"char\n10\n1114112\n", RC_INTEGRITY, "no code point"},
               {"char\n10\n32", RC_INTEGRITY, "no code point"},
               {"char\n32\n10\n", RC_INTEGRITY, "in their order"},
               {"byte\n0\n", RC_INTEGRITY, "in their order"},
               {"bpe\nt 20\n", RC_UNMEASURED, "how a text is cut"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Tokenizer t;
        EXPECT_RC(tokenizer_of_vocabulary(&t, bad[i].text, &e), bad[i].rc);
        EXPECT_SAYS(bad[i].says);
    }
}

/* ---- the synthetic source ---- */

Test(datasets, synthetic_is_pinned_and_has_the_stated_entropy) {
    const Source *s = manifest_source("synthetic");
    OWNED uint8_t *bytes = mem_alloc(s->bytes, 1);
    char hash[SHA256_HEX];
    synthetic_fill(bytes, s->bytes);
    cr_assert_str_eq(sha256_hex_of(hash, bytes, s->bytes), s->sha256);
    cr_assert_eq(s->bytes, 1115394);
    cr_assert_float_eq(synthetic_rate(), 2.142421628040618, 1e-12);
    uint32_t(*pairs)[256] = mem_alloc(256, sizeof *pairs);
    uint32_t singles[256] = {0};
    for (size_t i = 0; i + 1 < s->bytes; i++) pairs[bytes[i]][bytes[i + 1]]++, singles[bytes[i]]++;
    double n = (double)(s->bytes - 1), conditional = 0, unigram = 0;
    int symbols = 0, targets = 0;
    for (int a = 0; a < 256; a++) {
        symbols += singles[a] != 0;
        if (singles[a]) unigram -= singles[a] / n * log(singles[a] / n);
        for (int b = 0; b < 256; b++) {
            double p = singles[a] ? (double)pairs[a][b] / singles[a] : 0;
            targets += p > 0;
            if (p > 0) conditional -= pairs[a][b] / n * log(p);
        }
    }
    cr_assert(symbols == 65 && targets == 65 * SYNTHETIC_TARGETS);
    cr_assert_float_eq(conditional, synthetic_rate(), 0.003, "empirical %.5f", conditional);
    cr_assert_float_eq(unigram, log(65), 0.001, "empirical %.5f", unigram);
    free(pairs);
}

/* ---- datasets and batches ---- */

static void check_batches(const Dataset *d) {
    enum { B = 16, T = 128 };
    int32_t x[B * T], y[B * T], x2[B * T], y2[B * T];
    uint64_t starts[B];
    EXPECT_RC(dataset_fits(d, B, T, &e), RC_OK);
    dataset_batch(d, 7, 3, B, T, ROOM(x, y), 2);
    dataset_batch(d, 7, 3, B, T, ROOM(x2, y2), 2);
    cr_assert(!memcmp(x, x2, sizeof x) && !memcmp(y, y2, sizeof y), "same seed and step, same crops");
    dataset_batch_starts(d, 7, 3, B, T, starts);
    for (int b = 0; b < B; b++) {
        uint32_t word = philox_word(7, name_stream("batch"), ((uint64_t)3 << 40) + (uint64_t)b);
        cr_assert_eq(starts[b], (uint64_t)word * (d->train - T) >> 32);
        for (int i = 0; i < T; i++) {
            cr_assert_eq(x[b * T + i], d->tokens[starts[b] + (uint64_t)i]);
            cr_assert_eq(y[b * T + i], d->tokens[starts[b] + (uint64_t)i + 1]);
        }
    }
    dataset_batch(d, 7, 4, B, T, ROOM(x2, y2), 2);
    cr_assert(memcmp(x, x2, sizeof x), "another step, other crops");
    dataset_batch(d, 8, 3, B, T, ROOM(x2, y2), 2);
    cr_assert(memcmp(x, x2, sizeof x), "another seed, other crops");
    dataset_batch(d, 7, 3, B / 2, T, ROOM(x2, y2), 2);
    cr_assert(!memcmp(x, x2, sizeof x / 2), "a smaller batch is the first rows of a larger one");
}

static void check_windows(const Dataset *d) {
    enum { B = 16, T = 128 };
    int32_t x[B * T], y[B * T];
    size_t windows = dataset_windows(d, T), seen = 0, bytes = 0;
    cr_assert_eq(windows * T + dataset_dropped(d, T) + 1, d->valid);
    cr_assert_lt(dataset_dropped(d, T), T);
    for (size_t first = 0; first < windows + B; first += B) {
        int real = dataset_windows_fill(d, first, B, T, ROOM(x, y), 2);
        bytes += dataset_target_bytes(d, y, B * T);
        for (int i = 0; i < real * T; i++, seen++) {
            cr_assert_eq(x[i], d->tokens[d->train + seen]);
            cr_assert_eq(y[i], d->tokens[d->train + seen + 1]);
        }
        for (int i = real * T; i < B * T; i++) cr_assert(x[i] == 0 && y[i] == -1);
    }
    cr_assert_eq(seen, windows * T, "every window once, none twice");
    cr_assert_eq(bytes, seen, "ASCII: one byte per target");
}

Test(datasets, synthetic_dataset) {
    Dataset d;
    DataPlaces nowhere = {.offline = true};
    const char *tokenizers[] = {"char", "byte"};
    for (int i = 0; i < 2; i++) {
        EXPECT_RC(dataset_open(&d, "synthetic", tokenizers[i], &nowhere, &e), RC_OK);
        cr_assert(d.synthetic && d.train == 1003854 && d.valid == 111540 && d.vocab == (i ? 256 : 65));
        cr_assert_str_eq(d.sha256, manifest_source("synthetic")->sha256);
        cr_assert_float_eq(d.entropy_rate, synthetic_rate(), 0);
        cr_assert_float_eq(d.unigram, log(65), 0.002);
        check_batches(&d);
        check_windows(&d);
        dataset_release(&d);
    }
}

Test(datasets, tiny_shakespeare_where_the_mirror_has_it) {
    LOCAL(dataset_release) Dataset d;
    DataPlaces p = {.root = SOURCE_ROOT, .offline = true};
    bool here = file_exists(SOURCE_ROOT "/../shared/datasets/tinyshakespeare/input.txt");
    EXPECT_RC(dataset_open(&d, "tinyshakespeare", "char", &p, &e), here ? RC_OK : RC_UNMEASURED);
    if (!here) {
        EXPECT_SAYS("mirror");
        EXPECT_RC(dataset_open(&d, "synthetic", "char", &p, &e), RC_OK);
    }
    cr_assert(d.vocab == 65 && d.train == 1003854 && d.valid == 111540);
    cr_assert_float_eq(d.unigram, here ? 3.347 : log(65), here ? 0.0005 : 0.002);
    cr_assert_float_eq(d.unigram_train, here ? 3.309 : log(65), here ? 0.0005 : 0.002);
    cr_assert(dataset_windows(&d, 128) == 871 && dataset_dropped(&d, 128) == 51);
    check_batches(&d);
    check_windows(&d);
}

Test(datasets, two_files_and_a_hand_computed_case) {
    static const char TRAIN[] = "abcabcabc\u00e9", VALID[] = "bcabcab";
    LOCAL(dataset_release) Dataset d;
    char hash[2][SHA256_HEX], both[SHA256_HEX], joined[2 * SHA256_HEX + 1];
    sha256_hex_of(hash[0], TRAIN, 11), sha256_hex_of(hash[1], VALID, 7);
    CorpusFile rows[] = {{"two", PART_VALID, "two/v", "", 7, hash[1], "", ORDER_FILE},
                         {"two", PART_TRAIN, "two/t", "", 11, hash[0], "", ORDER_FILE},
                         {"two", PART_TEST, "two/absent", "", 1, hash[0], "", ORDER_FILE}};
    DataPlaces p = {.data = "data", .offline = true};
    put_text("data/two/t", TRAIN), put_text("data/two/v", VALID);
    EXPECT_RC(dataset_open_files(&d, rows, 3, "char", &p, &e), RC_OK);
    snprintf(joined, sizeof joined, "%s\n%s\n", hash[0], hash[1]);
    cr_assert_str_eq(d.sha256, sha256_hex_of(both, joined, strlen(joined)));
    cr_assert(d.vocab == 4 && d.train == 10 && d.valid == 7 && d.train_bytes == 11);
    /* train counts a 3, b 3, c 3, e-acute 1, each plus one, of 14; validation a 2, b 3, c 2 */
    cr_assert_float_eq(d.unigram, log(14.0 / 4), 1e-12);
    cr_assert_float_eq(d.unigram_train, 0.9 * log(14.0 / 4) + 0.1 * log(14.0 / 2), 1e-12);
    /* six targets; windows of 4: one whole, two targets dropped */
    cr_assert(dataset_windows(&d, 4) == 1 && dataset_dropped(&d, 4) == 2);
    cr_assert(dataset_windows(&d, 3) == 2 && dataset_dropped(&d, 3) == 0 && dataset_windows(&d, 7) == 0);
    int32_t x[9], y[9];
    const int32_t expect_x[9] = {1, 2, 0, 1, 2, 0, 0, 0, 0}, expect_y[9] = {2, 0, 1, 2, 0, 1, -1, -1, -1};
    cr_assert_eq(dataset_windows_fill(&d, 0, 3, 3, ROOM(x, y), 2), 2);
    cr_assert(!memcmp(x, expect_x, sizeof x) && !memcmp(y, expect_y, sizeof y));
    cr_assert_eq(dataset_target_bytes(&d, y, 9), 6);
    cr_assert_eq(dataset_target_bytes(&d, (const int32_t[]){3, -1, 0}, 3), 3, "e-acute is two bytes");
    EXPECT_RC(dataset_fits(&d, 3, 3, &e), RC_OK);
    EXPECT_RC(dataset_fits(&d, 5, 2, &e), RC_USAGE);
    EXPECT_SAYS("too short for one batch: 10 tokens", "11 needed");
    EXPECT_RC(dataset_fits(&d, 1, 7, &e), RC_USAGE);
    EXPECT_SAYS("too short for one validation window: 7 tokens");
    for (uint64_t step = 0; step < 200; step++) {
        uint64_t start;
        dataset_batch_starts(&d, 1, step, 1, 9, &start);
        cr_assert_eq(start, 0, "one crop of 9 fits 10 tokens in one way");
    }
}
