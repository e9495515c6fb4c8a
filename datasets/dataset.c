#include "datasets/dataset.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "datasets/bpe_sentencepiece.h"
#include "datasets/overlap.h"
#include "datasets/pairs.h"
#include "datasets/prepared.h"
#include "datasets/shards.h"
#include "datasets/unigram.h"

/* A text in one block of bytes: [0, cut) trains, [cut, length) validates. */
typedef struct {
    uint8_t *bytes;
    size_t cut, length;
    const char *corpus; /* name in the manifest, or NULL */
    bool own_files;     /* each part has files of its own */
    bool paired;        /* each part is lines of one language, then as many of another (datasets/pairs.h) */
    size_t lines[2];    /* paired: lines of one language in the training part, and in the other */
} Parts;

size_t dataset_cut(const uint8_t *bytes, size_t length) {
    size_t cut = length / 10 * 9 + length % 10 * 9 / 10;
    for (int i = 0; i < 3 && cut < length && (bytes[cut] & 0xc0) == 0x80; i++) cut++;
    return cut;
}

/* Count both parts' ids and compute the unigram levels. */
static void unigram_level(Dataset *d) {
    UnigramCounts c;
    unigram_init(&c, d->vocab);
    unigram_add(c.train, d->tokens, d->train);
    unigram_add(c.valid, d->tokens + d->train, d->valid);
    unigram_levels(&c, &d->unigram_train, &d->unigram);
    unigram_release(&c);
}

/* Encode each part by itself, so that no token crosses the cut. */
static Rc encode(Dataset *d, const char *tokenizer, const Parts *p, Error *e) {
    Rc rc = tokenizer_init(&d->codec, tokenizer, p->bytes, p->length, p->cut, e);
    if (rc) return rc;
    d->tokens = mem_alloc(p->length, sizeof *d->tokens);
    rc = tokenizer_encode(&d->codec, p->bytes, p->cut, d->tokens, &d->train, e);
    if (!rc)
        rc = tokenizer_encode(&d->codec, p->bytes + p->cut, p->length - p->cut, d->tokens + d->train, &d->valid, e);
    return rc;
}

/* Check a trained tokenizer's result on a corpus against the manifest. */
static Rc check_pinned(const Dataset *d, const char *corpus, Error *e) {
    const CorpusTokens *pinned = corpus ? manifest_tokens(corpus, d->codec.name) : NULL;
    if (!pinned) return RC_OK;
    bool pieces = !strcmp(pinned->vocabulary, d->codec.sha256), tokens = !strcmp(pinned->tokens, d->tokens_sha256);
    if (pieces && tokens) return RC_OK;
    return error_set(e, RC_INTEGRITY,
                     "%s: the tokenizer %s that sentencepiece %s makes does not match its hash: expected SHA-256 %s of "
                     "its %s, found %s",
                     corpus, d->codec.name, bpe_version(), pieces ? pinned->tokens : pinned->vocabulary,
                     pieces ? "tokens" : "pieces", pieces ? d->tokens_sha256 : d->codec.sha256);
}

/* Encode, or read the result from the cache, for a tokenizer that takes seconds to train. */
static Rc encode_once(Dataset *d, const char *tokenizer, const Parts *p, const char *cache, Error *e) {
    Prepared kept;
    bool found;
    prepared_init(&kept, d->sha256, tokenizer, p->cut, cache);
    Rc rc = prepared_read(&kept, d, tokenizer, &found, e);
    if (!rc && !found) {
        rc = encode(d, tokenizer, p, e);
        if (!rc) prepared_hash(d);
    }
    if (!rc) rc = check_pinned(d, p->corpus, e);
    if (!rc && !found) prepared_write(&kept, d);
    prepared_release(&kept);
    return rc;
}

static Rc tokenize(Dataset *d, const char *tokenizer, const Parts *p, const char *cache, Error *e) {
    Tokenizer named;
    if (tokenizer_ready(tokenizer, e) || tokenizer_named(&named, tokenizer, e)) return e->code;
    Rc rc = named.kind->pieces ? encode_once(d, named.name, p, cache, e) : encode(d, named.name, p, e);
    if (rc) return rc;
    if (d->train > UINT32_MAX || d->valid > UINT32_MAX)
        return error_set(e, RC_USAGE, "%zu tokens; a part may hold at most %lu", d->train + d->valid,
                         (unsigned long)UINT32_MAX);
    if (!d->train || !d->valid)
        return error_set(e, RC_USAGE, "too short: %zu tokens to train on, %zu to validate on", d->train, d->valid);
    d->train_bytes = p->cut;
    d->valid_bytes = p->length - p->cut;
    d->vocab = d->codec.vocab;
    d->token_bytes = d->codec.bytes;
    memcpy(d->tokenizer, d->codec.name, sizeof d->tokenizer);
    memcpy(d->tokenizer_sha256, d->codec.sha256, sizeof d->tokenizer_sha256);
    unigram_level(d);
    return RC_OK;
}

/* Refuse a validation part of which too much occurs in the training part; a text cut in two gets a note instead. */
static Rc check_overlap(Dataset *d, const Parts *p, Error *e) {
    Overlap o = overlap_find(p->bytes, p->cut, p->bytes + p->cut, p->length - p->cut);
    if (o.shared * OVERLAP_ALLOWED <= o.blocks) return RC_OK;
    if (p->own_files)
        return error_set(e, RC_USAGE,
                         "%s: the validation part overlaps the training part: %zu of its %zu blocks of %d bytes stand "
                         "there word for word",
                         d->name, o.shared, o.blocks, OVERLAP_BLOCK);
    if (!*d->note)
        snprintf(d->note, sizeof d->note,
                 "%zu of the validation part's %zu blocks of %d bytes stand in the training part word for word",
                 o.shared, o.blocks, OVERLAP_BLOCK);
    return RC_OK;
}

/* Set the name: bytes that are not UTF-8 or not printable become '?', and a cut keeps whole code points. */
static void set_name(Dataset *d, const char *name) {
    const uint8_t *from = (const uint8_t *)name;
    size_t left = strlen(name), at = 0, n;
    for (; left; from += n, left -= n) {
        uint32_t code = 0;
        n = utf8_next(from, left, &code);
        bool good = n && code >= ' ' && code != 0x7f;
        if (!n) n = 1;
        if (at + n >= sizeof d->name) break;
        if (good)
            memcpy(d->name + at, from, n);
        else
            memset(d->name + at, '?', n);
        at += n;
    }
    d->name[at] = 0;
}

/* Encode the parts of the corpus that d->sha256 names; free p's bytes. */
static Rc finish(Dataset *d, const char *name, const char *tokenizer, const Parts *p, const char *cache, Error *e) {
    set_name(d, name);
    Rc rc = check_overlap(d, p, e);
    if (!rc) rc = tokenize(d, tokenizer, p, cache, e);
    if (!rc && p->paired) rc = pairs_find(d, p->lines, e);
    free(p->bytes);
    if (rc) dataset_release(d);
    return rc;
}

static void add_bytes(Parts *p, const uint8_t *bytes, size_t length) {
    p->bytes = mem_grow(p->bytes, p->length + length + 1, 1);
    memcpy(p->bytes + p->length, bytes, length);
    p->length += length;
}

static size_t count_lines(const uint8_t *bytes, size_t length) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++) n += bytes[i] == '\n';
    return n + (length && bytes[length - 1] != '\n');
}

/* Append lines and end the last one. Lines of a part's second file are pairs of those of its first. */
static Rc add_lines(Parts *p, int part, const char *name, const uint8_t *bytes, size_t length, Error *e) {
    size_t lines = count_lines(bytes, length);
    add_bytes(p, bytes, length);
    if (length && bytes[length - 1] != '\n') add_bytes(p, (const uint8_t *)"\n", 1);
    if (!p->lines[part]) p->lines[part] = lines;
    if (p->lines[part] == lines) return RC_OK;
    return error_set(e, RC_USAGE, "%s: %zu lines, and %zu in the file of the other language: they are no pairs", name,
                     lines, p->lines[part]);
}

/* Append the files of one part to p; hashes collects "HASH\n" per file. */
static Rc add_files(Dataset *d, Parts *p, const CorpusFile *rows, size_t count, Part part, const DataPlaces *places,
                    Text *hashes, Error *e) {
    for (size_t i = 0; i < count; i++) {
        if (rows[i].part != part) continue;
        CorpusBytes c;
        Rc rc = corpus_obtain(&c, &rows[i], places, e);
        if (rc) return rc;
        p->paired = rows[i].order == ORDER_LINES;
        if (!p->paired)
            add_bytes(p, c.bytes, c.length);
        else
            rc = add_lines(p, part == PART_VALID, rows[i].file, c.bytes, c.length, e);
        text_format(hashes, "%s\n", c.sha256);
        if (!*d->from) snprintf(d->from, sizeof d->from, "%s", c.from.at);
        if (!*d->note) snprintf(d->note, sizeof d->note, "%s", c.note.at);
        corpus_release(&c);
        if (rc) return rc;
    }
    return RC_OK;
}

Rc dataset_open_files(Dataset *d, const CorpusFile *rows, size_t count, const char *tokenizer, const DataPlaces *places,
                      Error *e) {
    *d = (Dataset){0};
    if (tokenizer_ready(tokenizer, e)) return e->code; /* before any download */
    d->entropy_rate = NAN;
    bool whole = rows[0].part == PART_WHOLE;
    Parts p = {.corpus = rows[0].name, .own_files = !whole};
    LOCAL_TEXT(hashes);
    Rc rc = add_files(d, &p, rows, count, whole ? PART_WHOLE : PART_TRAIN, places, &hashes, e);
    p.cut = whole && !rc ? dataset_cut(p.bytes, p.length) : p.length;
    if (!rc && !whole) rc = add_files(d, &p, rows, count, PART_VALID, places, &hashes, e);
    if (hashes.length == SHA256_HEX)
        memcpy(d->sha256, hashes.at, SHA256_HEX - 1);
    else
        sha256_hex_of(d->sha256, hashes.at, hashes.length);
    if (!rc) return finish(d, rows[0].name, tokenizer, &p, places->cache, e);
    free(p.bytes);
    dataset_release(d);
    return rc;
}

static Rc open_source(Dataset *d, const Source *source, const char *tokenizer, const char *cache, Error *e) {
    d->synthetic = true;
    snprintf(d->from, sizeof d->from, "built in");
    Parts p = {.bytes = mem_alloc(source->bytes, 1), .length = source->bytes};
    source->fill(p.bytes, p.length);
    p.cut = dataset_cut(p.bytes, p.length);
    sha256_hex_of(d->sha256, p.bytes, p.length);
    if (strcmp(d->sha256, source->sha256)) {
        error_set(e, RC_INTEGRITY, "%s: this build makes other bytes than pinned: expected SHA-256 %s, found %s",
                  source->name, source->sha256, d->sha256);
        free(p.bytes);
        dataset_release(d);
        return RC_INTEGRITY;
    }
    Rc rc = finish(d, source->name, tokenizer, &p, cache, e);
    if (!rc) d->entropy_rate = d->train + d->valid == source->bytes ? source->rate() : NAN;
    return rc;
}

/* Return the offset of the end of the first `lines` lines. */
static size_t behind_lines(const CorpusBytes *c, size_t lines) {
    size_t at = 0;
    for (; lines && at < c->length; at++) lines -= c->bytes[at] == '\n';
    return at;
}

/* Cut two files, whose last tenth of the lines validates, or take two to train on and two to validate on. */
static Rc pair_parts(Parts *p, const CorpusBytes *c, char *const *path, int files, Error *e) {
    size_t lines = count_lines(c[0].bytes, c[0].length), train = lines - lines / 10;
    p->own_files = files == 4;
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 2; i++) {
            const CorpusBytes *of = &c[files == 4 ? 2 * part + i : i];
            size_t cut = files == 4 ? 0 : behind_lines(of, train), from = part ? cut : 0;
            size_t to = part || files == 4 ? of->length : cut;
            if (add_lines(p, part, path[of - c], of->bytes + from, to - from, e)) return e->code;
        }
        if (!part) p->cut = p->length;
    }
    return RC_OK;
}

/* Hash one file, or for several files "HASH\n" per file. */
static void hash_files(char out[SHA256_HEX], const CorpusBytes *c, int files) {
    LOCAL_TEXT(hashes);
    for (int i = 0; i < files; i++) text_format(&hashes, "%s\n", c[i].sha256);
    if (files == 1)
        memcpy(out, c->sha256, SHA256_HEX);
    else
        sha256_hex_of(out, hashes.at, hashes.length);
}

/* Open text:SOURCE,TARGET or text:SOURCE,TARGET,SOURCE,TARGET. */
static Rc open_pairs(Dataset *d, char *const *path, int files, const char *tokenizer, const char *cache, Error *e) {
    CorpusBytes c[4];
    Parts p = {.paired = true};
    int opened = 0;
    Rc rc = RC_OK;
    while (!rc && opened < files) {
        rc = corpus_open_text(&c[opened], path[opened], e);
        opened += !rc;
    }
    hash_files(d->sha256, c, opened);
    if (!rc && count_lines(c[0].bytes, c[0].length) != count_lines(c[1].bytes, c[1].length))
        rc = error_set(e, RC_USAGE, "%s: %zu lines, and %s %zu: they are no pairs", path[0],
                       count_lines(c[0].bytes, c[0].length), path[1], count_lines(c[1].bytes, c[1].length));
    if (!rc) rc = pair_parts(&p, c, path, files, e);
    d->entropy_rate = NAN;
    snprintf(d->from, sizeof d->from, "%s", path[0]);
    while (opened--) corpus_release(&c[opened]);
    if (rc) {
        free(p.bytes);
        return rc;
    }
    const char *slash = strrchr(path[0], '/');
    return finish(d, slash ? slash + 1 : path[0], tokenizer, &p, cache, e);
}

/* Split a list of two or four paths at ','; return how many, 0: it is no such list. `copy` is cut. */
static int pair_paths(char *copy, char *path[4]) {
    int n = 0;
    for (char *at = copy; at && n < 4; n++) {
        path[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = 0;
        if (at && n == 3) return 0;
    }
    return n == 2 || n == 4 ? n : 0;
}

static Rc open_text(Dataset *d, const char *path, const char *tokenizer, const char *cache, Error *e) {
    CorpusBytes c;
    char *several[4], *copy = mem_text(path);
    int files = file_exists(path) ? 0 : pair_paths(copy, several);
    Rc rc = files ? open_pairs(d, several, files, tokenizer, cache, e) : corpus_open_text(&c, path, e);
    free(copy);
    if (rc || files) return rc;
    d->entropy_rate = NAN;
    memcpy(d->sha256, c.sha256, sizeof d->sha256);
    snprintf(d->from, sizeof d->from, "%s", path);
    Parts p = {.bytes = c.bytes, .cut = dataset_cut(c.bytes, c.length), .length = c.length};
    c.bytes = NULL;
    corpus_release(&c);
    const char *slash = strrchr(path, '/');
    rc = finish(d, slash ? slash + 1 : path, tokenizer, &p, cache, e);
    return rc ? error_prefix(e, "%s: ", path) : RC_OK;
}

static const char TEXT[] = "text:", SHARDS[] = "shards:";

static Rc hash_text(char out[SHA256_HEX], const char *path, Error *e) {
    CorpusBytes c[4];
    char *several[4], *copy = mem_text(path);
    int files = file_exists(path) ? 0 : pair_paths(copy, several), opened = 0;
    if (!files) files = 1, several[0] = copy;
    Rc rc = RC_OK;
    while (!rc && opened < files) rc = corpus_open_text(&c[opened], several[opened], e), opened += !rc;
    if (!rc) hash_files(out, c, files);
    while (opened--) corpus_release(&c[opened]);
    free(copy);
    return rc;
}

Rc dataset_hash(char out[SHA256_HEX], const char *name, const DataPlaces *places, Error *e) {
    if (!strncmp(name, SHARDS, sizeof SHARDS - 1)) return shards_hash(out, name + sizeof SHARDS - 1, places, e);
    assert(!strncmp(name, TEXT, sizeof TEXT - 1));
    return hash_text(out, name + sizeof TEXT - 1, e);
}

Rc dataset_open(Dataset *d, const char *name, const char *tokenizer, const DataPlaces *places, Error *e) {
    *d = (Dataset){0};
    if (!strncmp(name, TEXT, sizeof TEXT - 1)) return open_text(d, name + sizeof TEXT - 1, tokenizer, places->cache, e);
    if (!strncmp(name, SHARDS, sizeof SHARDS - 1)) {
        Rc rc = shards_open(d, name + sizeof SHARDS - 1, tokenizer, places, e);
        if (rc) dataset_release(d);
        return rc;
    }
    const Source *source = manifest_source(name);
    if (source) return open_source(d, source, tokenizer, places->cache, e);
    size_t count;
    const CorpusFile *rows = manifest_corpus(name, &count);
    if (rows) return dataset_open_files(d, rows, count, tokenizer, places, e);
    if (manifest_task(name, &count))
        return error_set(e, RC_USAGE, "dataset '%s': questions to score weights on (`normbench score`), not a text",
                         name);
    const char *names[MANIFEST_NAMES];
    char hint[128];
    count = manifest_names(names);
    if (file_exists(name))
        return error_set(e, RC_USAGE, "unknown dataset '%s'; did you mean the file, text:%s?", name, name);
    return error_set(e, RC_USAGE, "unknown dataset '%s'%s", name, did_you_mean(hint, sizeof hint, name, names, count));
}

void dataset_release(Dataset *d) {
    free(d->tokens);
    shards_close(d->shards);
    pairs_free(d->pairs);
    tokenizer_release(&d->codec);
    *d = (Dataset){0};
}

Rc dataset_fits(const Dataset *d, int batch, int context, Error *e) {
    assert(batch > 0 && context > 0);
    size_t need = (size_t)batch * (size_t)context + 1, window = (size_t)context + 1;
    if (d->train < need)
        return error_set(e, RC_USAGE, "%s: too short for one batch: %zu tokens to train on, %d x %d + 1 = %zu needed",
                         d->name, d->train, batch, context, need);
    if (d->valid < window)
        return error_set(e, RC_USAGE,
                         "%s: too short for one validation window: %zu tokens to validate on, %d + 1 needed", d->name,
                         d->valid, context);
    return RC_OK;
}
