#include "datasets/prepared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "datasets/bpe_sentencepiece.h"
#include "datasets/keep.h"

#define HEADER "normbench tokens 1\nkey %64s\ntokens %64s\nmodel %zu\ntrain %zu\nvalid %zu\n" /* for both ways */

void prepared_init(Prepared *p, const char *corpus_sha256, const char *tokenizer, size_t cut, const char *cache) {
    LOCAL_TEXT(all);
    text_init(&p->path);
    text_format(&all, "corpus %s\ncut %zu\ntokenizer %s\nsentencepiece %s\n", corpus_sha256, cut, tokenizer,
                bpe_version());
    sha256_hex_of(p->key, all.at, all.length);
    if (cache && *cache) text_format(&p->path, "%s/tokens/%s.tokens", cache, p->key);
}

void prepared_release(Prepared *p) {
    text_release(&p->path);
}

/* Return the bytes of an id in the file. */
static size_t id_bytes(int vocab) {
    return vocab <= 1 << 16 ? 2 : 4;
}

/* Append the ids in the file's form. */
static void add_ids(Text *out, const Dataset *d) {
    size_t count = d->train + d->valid, width = id_bytes(d->codec.vocab);
    OWNED char *ids = mem_alloc(count, width);
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < width; b++) ids[width * i + b] = (char)(d->tokens[i] >> 8 * b & 255);
    text_add(out, ids, width * count);
}

void prepared_hash(Dataset *d) {
    LOCAL_TEXT(ids);
    add_ids(&ids, d);
    sha256_hex_of(d->tokens_sha256, ids.at, ids.length);
}

/* Parse the header and lengths of a file whose hash is right; false: invalid. */
static bool parse(const Prepared *p, Dataset *d, const char *bytes, size_t length, size_t width, const char **model,
                  size_t *model_length) {
    char key[SHA256_HEX];
    int lines = 0;
    const char *end = bytes;
    while (lines < 6 && (end = memchr(end, '\n', length - (size_t)(end - bytes)))) end++, lines++;
    if (lines < 6 || sscanf(bytes, HEADER, key, d->tokens_sha256, model_length, &d->train, &d->valid) != 5)
        return false;
    size_t rest = length - (size_t)(end - bytes), most = rest / width;
    *model = end;
    return !strcmp(key, p->key) && *model_length <= rest && d->train <= most && d->valid <= most &&
           *model_length + width * (d->train + d->valid) == rest;
}

static bool take_ids(Dataset *d, const uint8_t *ids) {
    size_t count = d->train + d->valid;
    d->tokens = mem_alloc(count, sizeof *d->tokens);
    size_t width = id_bytes(d->codec.vocab);
    for (size_t i = 0; i < count; i++) {
        uint32_t id = 0;
        for (size_t b = 0; b < width; b++) id |= (uint32_t)ids[width * i + b] << 8 * b;
        if (id >= (uint32_t)d->codec.vocab) return false;
        d->tokens[i] = (int32_t)id;
    }
    return true;
}

Rc prepared_read(const Prepared *p, Dataset *d, const char *tokenizer, bool *found, Error *e) {
    char *bytes, hash[SHA256_HEX];
    uint8_t digest[SHA256_BYTES];
    size_t length, model_length;
    Error why;
    Tokenizer named;
    *found = false;
    if (tokenizer_named(&named, tokenizer, e)) return e->code;
    if (!p->path.length || !file_exists(p->path.at)) return RC_OK;
    if (file_read(p->path.at, &bytes, &length, &why)) {
        snprintf(d->note, sizeof d->note, "the prepared tokens are made again: %.400s", why.text);
        return RC_OK;
    }
    const char *model;
    size_t body = length > SHA256_BYTES ? length - SHA256_BYTES : 0;
    sha256(digest, bytes, body);
    bool right = body && !memcmp(digest, bytes + body, SHA256_BYTES) &&
                 parse(p, d, bytes, body, id_bytes(named.vocab), &model, &model_length);
    if (right && !tokenizer_restore(&d->codec, tokenizer, model, model_length, &why))
        *found = take_ids(d, (const uint8_t *)model + model_length);
    Rc rc = RC_OK;
    if (!*found) {
        rc = error_set(e, RC_INTEGRITY, "%s: the tokenizer model and tokens do not match their hash", p->path.at);
        keep_reject(p->path.at, sha256_hex_of(hash, bytes, length), "makes them again", e);
    }
    free(bytes);
    return rc;
}

void prepared_write(const Prepared *p, Dataset *d) {
    if (!p->path.length) return;
    LOCAL_TEXT(all);
    Error why;
    uint8_t digest[SHA256_BYTES];
    size_t model_length;
    const char *model = bpe_serialized(d->codec.model, &model_length);
    text_format(&all, HEADER, p->key, d->tokens_sha256, model_length, d->train, d->valid);
    text_add(&all, model, model_length);
    add_ids(&all, d);
    sha256(digest, all.at, all.length);
    text_add(&all, (const char *)digest, sizeof digest);
    if (keep_store(p->path.at, all.at, all.length, &why) && !*d->note)
        snprintf(d->note, sizeof d->note, "the prepared tokens cannot be kept: %.400s", why.text);
}
