#include "datasets/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "datasets/keep.h"
#include "datasets/shards_manifest.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ids are mapped as they stand in the file");

enum { ID = sizeof(int32_t), BLOCK = 1 << 20 /* bytes that a check reads at once */ };

/* Stamp of a file, by which a change after the check is found. */
typedef struct {
    uint64_t inode, bytes;
    int64_t changed[4]; /* times of content and inode: seconds and nanoseconds */
} Stamp;

struct Shards {
    ShardsManifest m;
    Text folder;
    Stamp *stamp; /* [m.shards] */
    pthread_mutex_t lock;
    bool failed;
    Error error; /* the first failure */
};

static const ShardCorpus CORPORA[] = {
#define SHARDS(name, about, texts) {name, about, texts},
#include "datasets/manifest.def"
};

const ShardCorpus *shard_corpora(size_t *count) {
    *count = sizeof CORPORA / sizeof *CORPORA;
    return CORPORA;
}

static void shard_path(const Shards *s, const char *file, Text *path) {
    text_clear(path);
    text_format(path, "%s/%s", s->folder.at, file);
}

static Stamp stamp_of(const struct stat *x) {
    return (Stamp){(uint64_t)x->st_ino,
                   (uint64_t)x->st_size,
                   {x->st_mtim.tv_sec, x->st_mtim.tv_nsec, x->st_ctim.tv_sec, x->st_ctim.tv_nsec}};
}

/* Report a file that cannot be opened: an absent one is RC_INTEGRITY, an unreadable one RC_UNMEASURED. */
static Rc absent(const char *path, Error *e) {
    return error_set(e, errno == ENOENT ? RC_INTEGRITY : RC_UNMEASURED, "%s: the shard cannot be read: %s",
                     path, strerror(errno));
}

/* ---- checking ---- */

/* Check the file's length; *stamp identifies the file. */
static Rc look(const Shard *x, const char *path, Stamp *stamp, Error *e) {
    struct stat info;
    if (stat(path, &info)) return absent(path, e);
    *stamp = stamp_of(&info);
    if (S_ISREG(info.st_mode) && stamp->bytes == x->tokens * ID) return RC_OK;
    return error_set(e, RC_INTEGRITY, "%s: the shard is damaged: %llu bytes, the manifest says %llu", path,
                     (unsigned long long)stamp->bytes, (unsigned long long)(x->tokens * ID));
}

/* Check the file's bytes, block by block. */
static Rc hash_file(int fd, const Shard *x, int vocab, const char *path, Error *e) {
    int32_t *ids = mem_alloc(BLOCK, 1);
    char found[SHA256_HEX];
    Sha256 h;
    uint64_t left = x->tokens * ID, foreign = 0;
    ssize_t n = 1;
    sha256_init(&h);
    for (; left && n > 0; left -= (uint64_t)n) {
        size_t want = left < BLOCK ? (size_t)left : BLOCK, got = 0;
        while (got < want && (n = file_take(fd, (char *)ids + got, want - got)) > 0) got += (size_t)n;
        if (!n) errno = ENODATA; /* the file ends early */
        if (got < want) break;
        n = (ssize_t)want;
        sha256_add(&h, ids, want);
        for (size_t i = 0; i < want / ID; i++) foreign += ids[i] < 0 || ids[i] >= vocab;
    }
    sha256_end(&h, found);
    free(ids);
    if (left) return absent(path, e);
    if (strcmp(found, x->sha256) != 0)
        return error_set(e, RC_INTEGRITY, "%s: the shard is damaged: SHA-256 %s, the manifest says %s", path, found,
                         x->sha256);
    if (foreign)
        return error_set(e, RC_INTEGRITY, "%s: %llu of the shard's ids are outside the vocabulary of %d", path,
                         (unsigned long long)foreign, vocab);
    return RC_OK;
}

static Rc check(const Shards *s, int vocab, const DataPlaces *places, Error *e) {
    LOCAL_TEXT(path);
    Rc rc = RC_OK;
    for (int i = 0; i < s->m.shards && !rc; i++) {
        shard_path(s, s->m.shard[i].file, &path);
        int fd = file_open(path.at, O_RDONLY);
        rc = fd < 0 ? absent(path.at, e) : hash_file(fd, &s->m.shard[i], vocab, path.at, e);
        if (fd >= 0) close(fd);
        if (!rc && places->stopped && places->stopped())
            rc = error_set(e, RC_INTERRUPTED, "%s: stopped while its shards were checked", s->folder.at);
    }
    return rc;
}

/* Check that every shard exists with its length, then its bytes unless these files were checked before. A file younger
 * than two seconds is not remembered: it could change again within one tick of the clock. */
static Rc check_once(Shards *s, int vocab, const DataPlaces *places, Error *e) {
    LOCAL_TEXT(path);
    LOCAL_TEXT(now);
    LOCAL_TEXT(kept);
    Error ignored;
    char *bytes = NULL;
    size_t length;
    Rc rc = RC_OK;
    time_t before = time(NULL) - 2;
    bool settled = true;
    for (int i = 0; i < s->m.shards && !rc; i++) {
        Stamp *x = &s->stamp[i];
        shard_path(s, s->m.shard[i].file, &path);
        rc = look(&s->m.shard[i], path.at, x, e);
        settled &= x->changed[2] < before;
        text_format(&now, "%s %llu %llu %lld.%09lld %lld.%09lld\n", s->m.shard[i].file, (unsigned long long)x->inode,
                    (unsigned long long)x->bytes, (long long)x->changed[0], (long long)x->changed[1],
                    (long long)x->changed[2], (long long)x->changed[3]);
    }
    if (places->cache && *places->cache) text_format(&kept, "%s/shards/%s.checked", places->cache, s->m.sha256);
    bool known = !rc && kept.length && file_exists(kept.at) && !file_read(kept.at, &bytes, &length, &ignored) &&
                 !strcmp(bytes, now.at);
    if (!rc && !known) rc = check(s, vocab, places, e);
    if (!rc && !known && kept.length && settled) (void)keep_store(kept.at, now.at, now.length, &ignored);
    free(bytes);
    return rc;
}

/* ---- opening ---- */

/* Find the folder of a name. */
static Rc find(const char *name, const DataPlaces *places, Text *folder, Error *e) {
    Text manifest;
    LOCAL_TEXT(tried);
    static const char *const below[] = {"", "shards/"};
    static const char FILE_NAME[] = "/manifest.json";
    bool found = false;
    text_init(&manifest);
    if (strchr(name, '/')) {
        size_t n = strlen(name), tail = sizeof FILE_NAME - 1;
        if (n > tail && !strcmp(name + n - tail, FILE_NAME)) n -= tail;
        text_add(folder, name, n);
        text_format(&manifest, "%s%s", folder->at, FILE_NAME);
        found = file_exists(manifest.at);
        text_format(&tried, " %s", manifest.at);
    }
    for (int i = 0; i < 2 * PLACE_COUNT && !found && !strchr(name, '/'); i++) {
        LOCAL_TEXT(file);
        text_format(&file, "%s%s", below[i % 2], name);
        if (place_path(places, (Place)(i / 2), file.at, folder)) {
            text_clear(&manifest);
            text_format(&manifest, "%s%s", folder->at, FILE_NAME);
            found = file_exists(manifest.at);
            if (!(i % 2)) text_format(&tried, "%s %s", tried.length ? "," : "", manifest.at);
        }
    }
    if (!found) {
        const ShardCorpus *known = NULL;
        for (size_t i = 0; i < sizeof CORPORA / sizeof *CORPORA; i++)
            if (!strcmp(CORPORA[i].name, name)) known = &CORPORA[i];
        error_set(
            e, RC_UNMEASURED,
            "no shards at%.400s; `normbench data shards -o DIR/%.80s --text FILE --tokenizer NAME` makes them%s%.300s",
            tried.length ? tried.at : " no folder", strchr(name, '/') ? "NAME" : name, known ? " of " : "",
            known ? known->texts : "");
    }
    text_release(&manifest);
    return found ? RC_OK : RC_UNMEASURED;
}

/* Make the tokenizer from the model's file. */
static Rc restore(const Shards *s, Tokenizer *codec, Error *e) {
    LOCAL_TEXT(path);
    char *bytes, hash[SHA256_HEX];
    size_t length;
    Tokenizer named;
    shard_path(s, s->m.model, &path);
    Rc rc = tokenizer_named(&named, s->m.tokenizer, e);
    if (!rc && file_read(path.at, &bytes, &length, e)) {
        if (!file_exists(path.at)) e->code = RC_INTEGRITY;
        return e->code;
    }
    if (!rc) {
        if (strcmp(sha256_hex_of(hash, bytes, length), s->m.model_sha256) != 0)
            rc = error_set(e, RC_INTEGRITY, "%s: the tokenizer's model is damaged: SHA-256 %s, the manifest says %s",
                           path.at, hash, s->m.model_sha256);
        else if (named.kind->pieces)
            rc = tokenizer_restore(codec, s->m.tokenizer, bytes, length, e);
        else
            rc = tokenizer_init(codec, s->m.tokenizer, (const uint8_t *)bytes, length, length, e);
        free(bytes);
    }
    if (!rc && strcmp(codec->sha256, s->m.vocabulary) != 0)
        rc = error_set(e, RC_INTEGRITY, "%s: the vocabulary has SHA-256 %s, the manifest says %s", path.at,
                       codec->sha256, s->m.vocabulary);
    return rc;
}

static void hash_shards(char out[SHA256_HEX], const ShardsManifest *m) {
    LOCAL_TEXT(hashes);
    for (int i = 0; i < m->shards; i++) text_format(&hashes, "%s\n", m->shard[i].sha256);
    sha256_hex_of(out, hashes.at, hashes.length);
}

Rc shards_hash(char out[SHA256_HEX], const char *name, const DataPlaces *places, Error *e) {
    ShardsManifest m;
    LOCAL_TEXT(folder);
    Rc rc = find(name, places, &folder, e);
    if (!rc) text_format(&folder, "/manifest.json");
    if (!rc) rc = shards_manifest_read(&m, folder.at, e);
    if (!rc) {
        hash_shards(out, &m);
        shards_manifest_release(&m);
    }
    return rc;
}

/* Fill d's name, hashes and sizes. */
static void describe(Dataset *d, const Shards *s) {
    for (int i = 0; i < s->m.shards; i++) {
        const Shard *x = &s->m.shard[i];
        *(x->valid ? &d->valid : &d->train) += x->tokens;
        *(x->valid ? &d->valid_bytes : &d->train_bytes) += x->bytes;
    }
    hash_shards(d->sha256, &s->m);
    snprintf(d->name, sizeof d->name, "%s", s->m.name);
    snprintf(d->from, sizeof d->from, "%.490s/manifest.json", s->folder.at);
    memcpy(d->tokenizer, d->codec.name, sizeof d->tokenizer);
    memcpy(d->tokenizer_sha256, d->codec.sha256, sizeof d->tokenizer_sha256);
    d->vocab = d->codec.vocab;
    d->token_bytes = d->codec.bytes;
    d->entropy_rate = (double)NAN;
    d->unigram_train = s->m.unigram_train, d->unigram = s->m.unigram_valid;
}

/* Open the shards in s->folder. */
static Rc open_folder(Dataset *d, const char *tokenizer, const DataPlaces *places, Error *e) {
    Shards *s = d->shards;
    Tokenizer asked;
    LOCAL_TEXT(path);
    shard_path(s, "manifest.json", &path);
    Rc rc = tokenizer_named(&asked, tokenizer, e);
    if (!rc) rc = shards_manifest_read(&s->m, path.at, e);
    if (!rc && strcmp(asked.name, s->m.tokenizer) != 0)
        rc = error_set(e, RC_USAGE, "%s: its tokens are those of tokenizer %s, not of %s", path.at, s->m.tokenizer,
                       asked.name);
    if (rc) return rc;
    s->stamp = mem_alloc((size_t)s->m.shards, sizeof *s->stamp);
    rc = restore(s, &d->codec, e);
    if (!rc) rc = check_once(s, d->codec.vocab, places, e);
    if (!rc) describe(d, s);
    return rc;
}

Rc shards_open(Dataset *d, const char *name, const char *tokenizer, const DataPlaces *places, Error *e) {
    *d = (Dataset){0};
    if (tokenizer_ready(tokenizer, e)) return e->code;
    Shards *s = d->shards = mem_alloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    text_init(&s->folder);
    Rc rc = find(name, places, &s->folder, e);
    return rc ? rc : open_folder(d, tokenizer, places, e);
}

void shards_close(Shards *s) {
    if (!s) return;
    shards_manifest_release(&s->m);
    text_release(&s->folder);
    pthread_mutex_destroy(&s->lock);
    free(s->stamp);
    free(s);
}

/* ---- reading ---- */

/* Return the shard of a position: the last that begins at or before it. */
static int shard_at(const Shards *s, uint64_t position) {
    int low = 0, high = s->m.shards - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (s->m.shard[middle].at <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Copy count ids of shard i, from its id `first` on, to out. */
static Rc read_one(const Shards *s, int i, uint64_t first, size_t count, int32_t *out, const char *path, Error *e) {
    struct stat info;
    int fd = file_open(path, O_RDONLY);
    if (fd < 0) return absent(path, e);
    Rc rc = fstat(fd, &info) ? absent(path, e) : RC_OK;
    Stamp now = stamp_of(&info);
    if (!rc && memcmp(&now, &s->stamp[i], sizeof now) != 0)
        rc = error_set(e, RC_INTEGRITY, "%s: the shard has changed since it was checked", path);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = first * ID / page * page, skip = first * ID - from;
    size_t length = (size_t)skip + count * ID;
    void *map = rc ? MAP_FAILED : mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)from);
    if (!rc && map == MAP_FAILED) rc = absent(path, e);
    if (!rc) {
        memcpy(out, (const char *)map + skip, count * ID);
        munmap(map, length);
    }
    close(fd);
    return rc;
}

static void fail(Shards *s, const Error *e) {
    pthread_mutex_lock(&s->lock);
    if (!s->failed) s->error = *e;
    s->failed = true;
    pthread_mutex_unlock(&s->lock);
}

void shards_read(Shards *s, uint64_t first, size_t count, int32_t *out) {
    LOCAL_TEXT(path);
    Error e;
    for (int i = shard_at(s, first); count; i++) {
        const Shard *x = &s->m.shard[i];
        uint64_t within = first - x->at, left = x->tokens - within;
        size_t n = left < count ? (size_t)left : count;
        shard_path(s, x->file, &path);
        if (read_one(s, i, within, n, out, path.at, &e)) {
            memset(out, 0, n * sizeof *out);
            fail(s, &e);
        }
        first += n, out += n, count -= n;
    }
}

bool shards_failed(Shards *s, Error *e) {
    pthread_mutex_lock(&s->lock);
    bool failed = s->failed;
    if (failed && e) *e = s->error;
    pthread_mutex_unlock(&s->lock);
    return failed;
}
