/* Corpora in shards: the tokens, batches and levels of the same text in memory, whatever the cut; what is refused; that
 * a file that changes is noticed; and that reading takes no more memory than a crop. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "datasets/bpe_sentencepiece.h"
#include "datasets/shards.h"
#include "datasets/shards_manifest.h"
#include "tests/datasets/data_case.h"

DATA_SUITE(shards);

static const DataPlaces nowhere = {.offline = true};

/* 20 kB of words, two of their letters outside ASCII. */
static void put_words(const char *path, uint64_t seed) {
    static const char *const PARTS[] = {"ba", "lo", "ti", "na", "\u00e9", "\u20ac", " ", " ", "\n"};
    LOCAL_TEXT(t);
    for (uint64_t i = 0; t.length < 20000; i++)
        text_format(&t, "%s", PARTS[philox_below(philox_word(seed, name_stream("shards test"), i), 9)]);
    cr_assert(!file_write(path, t.at, t.length, &e));
}

static Rc make(const char *folder, const char *tokenizer, size_t tokens, Error *e) {
    char note[512];
    const char *text = "text";
    ShardsPlan p = {.folder = folder, .tokenizer = tokenizer, .train = &text, .trains = 1, .tokens = tokens};
    return shards_make(&p, note, e);
}

/* Everything that training and validation read of b is a's. */
static void check_same(const Dataset *a, const Dataset *b) {
    enum { B = 8, T = 33 };
    int32_t x[B * T], y[B * T], x2[B * T], y2[B * T], *all = mem_alloc(a->train + a->valid, sizeof *all);
    cr_assert(a->train == b->train && a->valid == b->valid && a->vocab == b->vocab);
    cr_assert(a->train_bytes == b->train_bytes && a->valid_bytes == b->valid_bytes);
    cr_assert(a->unigram == b->unigram && a->unigram_train == b->unigram_train, "%.17g %.17g", a->unigram, b->unigram);
    cr_assert_str_eq(a->tokenizer_sha256, b->tokenizer_sha256);
    cr_assert_str_eq(a->tokenizer, b->tokenizer);
    dataset_tokens(b, 0, b->train + b->valid, all);
    cr_assert(!memcmp(all, a->tokens, (a->train + a->valid) * sizeof *all));
    for (uint64_t step = 0; step < 40; step++) {
        dataset_batch(a, 5, step, B, T, ROOM(x, y), 2);
        dataset_batch(b, 5, step, B, T, ROOM(x2, y2), 2);
        cr_assert(!memcmp(x, x2, sizeof x) && !memcmp(y, y2, sizeof y), "step %d", (int)step);
    }
    for (size_t first = 0; first < dataset_windows(a, T) + B; first += B) {
        int real = dataset_windows_fill(a, first, B, T, ROOM(x, y), 2);
        cr_assert_eq(dataset_windows_fill(b, first, B, T, ROOM(x2, y2), 2), real);
        cr_assert(!memcmp(x, x2, sizeof x) && !memcmp(y, y2, sizeof y), "window %zu", first);
        cr_assert_eq(dataset_target_bytes(a, y, B * T), dataset_target_bytes(b, y2, B * T));
    }
    cr_assert(!dataset_failed(b, NULL));
    free(all);
}

Test(shards, shards_are_the_text_whatever_the_cut) {
    static const char *const TOKENIZERS[] = {"char", "byte", "bpe:300"};
    static const size_t TOKENS[] = {7, 1000, 100000};
    put_words("text", 1);
    for (int i = 0; i < (bpe_version() ? 3 : 2); i++) {
        Dataset whole, cut;
        EXPECT_RC(dataset_open(&whole, "text:text", TOKENIZERS[i], &nowhere, &e), RC_OK);
        for (int k = 0; k < 3; k++) {
            char folder[64], name[96];
            snprintf(folder, sizeof folder, "made/%d-%d", i, k);
            snprintf(name, sizeof name, "shards:%s%s", folder, k % 2 ? "/manifest.json" : "");
            EXPECT_RC(make(folder, TOKENIZERS[i], TOKENS[k], &e), RC_OK);
            EXPECT_RC(dataset_open(&cut, name, TOKENIZERS[i], &nowhere, &e), RC_OK);
            check_same(&whole, &cut);
            dataset_release(&cut);
        }
        dataset_release(&whole);
    }
}

Test(shards, shards_of_several_texts_with_one_to_validate_on) {
    LOCAL(dataset_release) Dataset d;
    char note[512];
    int32_t ids[8];
    const char *texts[] = {"a", "b"};
    ShardsPlan p = {.folder = "made/two/", .tokenizer = "char", .train = texts, .trains = 2, .valid = "v", .tokens = 3};
    put_text("a", "abcd"), put_text("b", "dc"), put_text("v", "bb");
    EXPECT_RC(shards_make(&p, note, &e), RC_OK);
    EXPECT_RC(dataset_open(&d, "shards:made/two", "char", &nowhere, &e), RC_OK);
    dataset_tokens(&d, 0, 8, ids);
    cr_assert(d.train == 6 && d.valid == 2 && d.vocab == 4 && !memcmp(ids, (int32_t[]){0, 1, 2, 3, 3, 2, 1, 1}, 32));
    cr_assert_str_eq(d.name, "two");
    /* train counts a 1, b 1, c 2, d 2, each plus one, of 10; validation b 2 */
    cr_assert_float_eq(d.unigram, log(10.0 / 2), 1e-12);
    EXPECT_RC(shards_make(&p, note, &e), RC_USAGE);
    EXPECT_SAYS("made/two", "holds a manifest.json already");
    p.folder = "made/none", p.valid = NULL;
    EXPECT_RC(shards_make(&p, note, &e), RC_USAGE);
    EXPECT_SAYS("none to validate on");
    p.valid = "v";
    put_text("b", "dz");
    EXPECT_RC(shards_make(&p, note, &e), RC_USAGE);
    EXPECT_SAYS("b: ", "U+007A", "not in the vocabulary");
    cr_assert(!file_exists("made/none/manifest.json"));
    put_text("b", "");
    EXPECT_RC(shards_make(&p, note, &e), RC_USAGE);
    EXPECT_SAYS("b: the file is empty");
    put_words("a", 2), put_words("v", 2), put_text("b", "ba");
    EXPECT_RC(shards_make(&p, note, &e), RC_USAGE);
    EXPECT_SAYS("a: ", "stand in it word for word");
}

/* A name without a folder is looked for where corpora are. */
Test(shards, shards_are_found_below_a_data_folder) {
    Dataset d;
    DataPlaces p = {.data = "data", .cache = "cache", .offline = true};
    put_words("text", 3);
    EXPECT_RC(make("cache/shards/mine", "byte", 5000, &e), RC_OK);
    EXPECT_RC(dataset_open(&d, "shards:mine", "byte", &p, &e), RC_OK);
    cr_assert_str_eq(d.from, "cache/shards/mine/manifest.json");
    dataset_release(&d);
    EXPECT_RC(dataset_open(&d, "shards:dclm-c4", "byte", &p, &e), RC_UNMEASURED);
    EXPECT_SAYS("data/dclm-c4/manifest.json", "cache/dclm-c4/manifest.json", "normbench data shards -o DIR/dclm-c4",
                "mlfoundations");
    EXPECT_RC(dataset_open(&d, "shards:made/absent", "byte", &p, &e), RC_UNMEASURED);
    EXPECT_SAYS("made/absent/manifest.json");
    EXPECT_RC(dataset_open(&d, "shards:mine", "char", &p, &e), RC_USAGE);
    EXPECT_SAYS("cache/shards/mine/manifest.json", "tokenizer byte, not of char");
}

/* Replaces the first `from` in a file, or cuts or removes it (from NULL). */
static void damage(const char *path, const char *from, const char *to) {
    OWNED char *bytes;
    size_t length;
    LOCAL_TEXT(t);
    cr_assert(!file_read(path, &bytes, &length, &e));
    char *at = from ? strstr(bytes, from) : bytes;
    cr_assert(at, "%s has no %s", path, from);
    text_add(&t, bytes, (size_t)(at - bytes));
    text_format(&t, "%s%s", to, at + (from ? strlen(from) : length));
    cr_assert(!file_write(path, t.at, t.length, &e));
}

static void flip(const char *path, off_t at) {
    unsigned char byte;
    int fd = open(path, O_RDWR);
    cr_assert(fd >= 0 && pread(fd, &byte, 1, at) == 1);
    byte ^= 1;
    cr_assert(pwrite(fd, &byte, 1, at) == 1 && !close(fd));
}

Test(shards, a_manifest_that_is_none_is_refused) {
    static const struct {
        const char *from, *to, *line;
    } BAD[] = {
        {NULL, "", "no JSON"},
        {NULL, "{}", "'format' is not 'normbench shards 1'"},
        {"shards 1", "shards 2", "'format' is not 'normbench shards 1'"},
        {"\"name\": \"x\"", "\"name\": 7", "'name' is no text"},
        {"\"name\": \"x\"", "\"name\": \"\"", "'name' is empty"},
        {"\"vocabulary\": \"", "\"vocabulary\": \"z", "'vocabulary' is empty, too long"},
        {"\"unigram_valid\"", "\"other\"", "'unigram_valid' is not a number"},
        {"train-00000", "../train-00000", "shard 1: 'file' is not a file's name without a folder"},
        {"\"part\": \"train\"", "\"part\": \"test\"", "shard 1: 'part' is neither"},
        {"\"tokens\": 5000", "\"tokens\": 0", "shard 1: 'tokens' is not a whole number"},
        {"\"tokens\": 5000", "\"tokens\": 5000.5", "shard 1: 'tokens' is not a whole number"},
        {"\"tokens\": 5000", "\"tokens\": 4999", "the shard is damaged: 20000 bytes, the manifest says 19996"},
        {"\"part\": \"train\"", "\"part\": \"valid\"", "shard 2: 'part' is train behind one of valid"},
        {"\"part\": \"valid\"", "\"part\": \"train\"", "'shards' has none to validate on"},
        {"\"shards\": [", "\"shards\": [], \"x\": [", "'shards' has none to train on"},
        {"\"tokenizer\": \"byte\"", "\"tokenizer\": \"bytes\"", "tokenizer bytes, not of byte"},
    };
    put_words("text", 4);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        Dataset d;
        nftw("made", remove_one, 16, FTW_DEPTH | FTW_PHYS);
        EXPECT_RC(make("made/x", "byte", 5000, &e), RC_OK);
        damage("made/x/manifest.json", BAD[i].from, BAD[i].to);
        Rc rc = dataset_open(&d, "shards:made/x", "byte", &nowhere, &e);
        cr_assert(rc == (strstr(BAD[i].line, "not of byte") ? RC_USAGE : RC_INTEGRITY), "%zu: %d %s", i, rc, e.text);
        EXPECT_SAYS("made/x/", BAD[i].line);
        cr_assert(!d.shards && !d.tokens);
    }
}

static void refused(const char *name, const char *line) {
    Dataset d;
    EXPECT_RC(dataset_open(&d, "shards:made/x", "byte", &nowhere, &e), RC_INTEGRITY);
    EXPECT_SAYS(name, line);
}

Test(shards, a_shard_missing_or_damaged_is_named) {
    char hash[SHA256_HEX], *bytes;
    size_t length;
    put_words("text", 5);
    EXPECT_RC(make("made/x", "byte", 5000, &e), RC_OK);
    flip("made/x/train-00001.tokens", 77);
    refused("made/x/train-00001.tokens", "damaged: SHA-256");
    flip("made/x/train-00001.tokens", 77);
    cr_assert(!truncate("made/x/train-00001.tokens", 19999));
    refused("made/x/train-00001.tokens", "damaged: 19999 bytes, the manifest says 20000");
    cr_assert(!truncate("made/x/train-00001.tokens", 20000)); /* its last byte was a zero */
    cr_assert(!rename("made/x/valid-00000.tokens", "aside"));
    refused("made/x/valid-00000.tokens", "cannot be read: No such file");
    cr_assert(!mkdir("made/x/valid-00000.tokens", 0777));
    refused("made/x/valid-00000.tokens", "damaged");
    cr_assert(!rmdir("made/x/valid-00000.tokens") && !rename("aside", "made/x/valid-00000.tokens"));
    flip("made/x/tokenizer.model", 3);
    refused("made/x/tokenizer.model", "model is damaged");
    flip("made/x/tokenizer.model", 3);
    /* An id outside the vocabulary, rightly hashed. */
    cr_assert(!file_read("made/x/train-00002.tokens", &bytes, &length, &e));
    char old[SHA256_HEX];
    sha256_hex_of(old, bytes, length);
    bytes[401] = 1;
    cr_assert(!file_write("made/x/train-00002.tokens", bytes, length, &e));
    damage("made/x/manifest.json", old, sha256_hex_of(hash, bytes, length));
    free(bytes);
    refused("made/x/train-00002.tokens", "1 of the shard's ids are outside the vocabulary of 256");
}

Test(shards, a_shard_that_changes_fails_the_dataset) {
    LOCAL(dataset_release) Dataset d;
    int32_t ids[3] = {7, 7, 7};
    put_words("text", 6);
    EXPECT_RC(make("made/x", "byte", 5000, &e), RC_OK);
    EXPECT_RC(dataset_open(&d, "shards:made/x", "byte", &nowhere, &e), RC_OK);
    dataset_tokens(&d, 4999, 3, ids);
    cr_assert(!dataset_failed(&d, &e));
    cr_assert(!truncate("made/x/train-00001.tokens", 0));
    dataset_tokens(&d, 0, 3, ids);
    cr_assert(!dataset_failed(&d, NULL), "a shard that nobody reads fails nobody");
    dataset_tokens(&d, 4999, 3, ids);
    cr_assert(dataset_failed(&d, &e) && e.code == RC_INTEGRITY && ids[0] && !ids[1] && !ids[2]);
    EXPECT_SAYS("made/x/train-00001.tokens", "has changed since it was checked");
    cr_assert(!unlink("made/x/train-00000.tokens"));
    dataset_tokens(&d, 0, 3, ids);
    cr_assert(dataset_failed(&d, &e));
    EXPECT_SAYS("made/x/train-00001.tokens"); /* the first one stays */
}

Test(shards, checked_shards_are_remembered_until_they_change) {
    Dataset d;
    DataPlaces p = {.cache = "cache", .offline = true};
    glob_t found;
    struct stat info;
    put_words("text", 7);
    EXPECT_RC(make("made/x", "byte", 5000, &e), RC_OK);
    EXPECT_RC(dataset_open(&d, "shards:made/x", "byte", &p, &e), RC_OK);
    dataset_release(&d);
    cr_assert(glob("cache/shards/*.checked", 0, NULL, &found) == GLOB_NOMATCH, "too young");
    sleep(4);
    EXPECT_RC(dataset_open(&d, "shards:made/x", "byte", &p, &e), RC_OK);
    dataset_release(&d);
    cr_assert(!glob("cache/shards/*.checked", 0, NULL, &found) && found.gl_pathc == 1);
    globfree(&found);
    /* Another byte under the old time of the content is noticed by the inode's. */
    cr_assert(!stat("made/x/train-00001.tokens", &info));
    flip("made/x/train-00001.tokens", 8);
    struct timespec times[2] = {info.st_atim, info.st_mtim};
    cr_assert(!utimensat(AT_FDCWD, "made/x/train-00001.tokens", times, 0));
    EXPECT_RC(dataset_open(&d, "shards:made/x", "byte", &p, &e), RC_INTEGRITY);
    EXPECT_SAYS("train-00001.tokens");
}

/* The high half of a 128-bit product, beside the program's halves. */
Test(shards, crops_of_more_than_32_bits) {
    __extension__ typedef unsigned __int128 Wide;
    static const uint64_t TRAIN[] = {1000, (uint64_t)UINT32_MAX + 5, (uint64_t)UINT32_MAX + 6, 30000000000,
                                     ((uint64_t)1 << 50) + 12345};
    uint64_t starts[64], most = 0;
    for (size_t i = 0; i < sizeof TRAIN / sizeof *TRAIN; i++) {
        Dataset d = {.train = TRAIN[i]};
        uint64_t choices = TRAIN[i] - 5, low = name_stream("batch.low");
        dataset_batch_starts(&d, 9, 2, 64, 5, starts);
        for (uint64_t b = 0; b < 64; b++) {
            uint32_t word = philox_word(9, name_stream("batch"), philox_offset(2, b));
            uint64_t both = (uint64_t)word << 32 | philox_word(9, low, philox_offset(2, b));
            uint64_t expected =
                choices > UINT32_MAX ? (uint64_t)((Wide)both * choices >> 64) : (uint64_t)word * choices >> 32;
            cr_assert_eq(starts[b], expected, "%zu, crop %d", i, (int)b);
            cr_assert_lt(starts[b], choices);
            most = starts[b] > most ? starts[b] : most;
        }
    }
    cr_assert_gt(most, (uint64_t)1 << 49, "places beyond 32 bits are drawn");
}

static long pages(int field) {
    long value[2] = {0};
    FILE *f = fopen("/proc/self/statm", "re");
    cr_assert(f && fscanf(f, "%ld %ld", &value[0], &value[1]) == 2 && !fclose(f));
    return value[field];
}

/* 512 MB of ids, all zeros in files without blocks, where 32 MB more may be mapped. */
Test(shards, reading_takes_no_more_memory_than_a_crop) {
    enum { SHARDS = 16, TOKENS = 1 << 23, B = 16, T = 1024 };
    static int32_t x[B * T], y[B * T];
    LOCAL(dataset_release) Dataset d;
    LOCAL(shards_manifest_release) ShardsManifest m;
    Sha256 h;
    char hash[SHA256_HEX];
    put_words("text", 8);
    EXPECT_RC(make("made/x", "byte", 5000, &e), RC_OK);
    EXPECT_RC(shards_manifest_read(&m, "made/x/manifest.json", &e), RC_OK);
    sha256_init(&h);
    for (int i = 0; i < TOKENS * 4; i += (int)sizeof x) sha256_add(&h, x, sizeof x);
    sha256_end(&h, hash);
    m.shards = 0;
    for (int i = 0; i < SHARDS; i++) {
        Shard *s = shards_manifest_add(&m);
        char path[96];
        s->valid = i == SHARDS - 1, s->tokens = TOKENS, s->bytes = TOKENS;
        memcpy(s->sha256, hash, sizeof hash);
        snprintf(s->file, sizeof s->file, "big-%02d.tokens", i);
        snprintf(path, sizeof path, "made/x/%s", s->file);
        put_text(path, "");
        cr_assert(!truncate(path, (off_t)TOKENS * 4));
    }
    EXPECT_RC(shards_manifest_write(&m, "made/x/manifest.json", &e), RC_OK);
    long page = sysconf(_SC_PAGESIZE), before = pages(1);
    rlim_t most = (rlim_t)(pages(0) * page + (32 << 20));
    cr_assert(!setrlimit(RLIMIT_AS, &(struct rlimit){most, most}));
    EXPECT_RC(dataset_open(&d, "shards:made/x", "byte", &nowhere, &e), RC_OK);
    cr_assert_eq(d.train, (size_t)(SHARDS - 1) * TOKENS);
    for (uint64_t step = 0; step < 200; step++) dataset_batch(&d, 1, step, B, T, ROOM(x, y), 2);
    cr_assert(!dataset_failed(&d, &e), "%s", e.text);
    long grown = (pages(1) - before) * page;
    cr_assert_lt(grown, 4 << 20, "%ld bytes of 512 MB stay resident", grown);
}
