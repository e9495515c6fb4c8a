#include "datasets/shards_manifest.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char FORMAT[] = "normbench shards 1";

Shard *shards_manifest_add(ShardsManifest *m) {
    m->shard = mem_grow(m->shard, (size_t)m->shards + 1, sizeof *m->shard);
    Shard *x = &m->shard[m->shards++], *before = m->shards > 1 ? x - 1 : NULL;
    *x = (Shard){.at = before ? before->at + before->tokens : 0};
    return x;
}

void shards_manifest_release(ShardsManifest *m) {
    free(m->shard);
    *m = (ShardsManifest){0};
}

/* Place of the reader, for messages that begin with "PATH: " or "PATH: shard 3: ". */
typedef struct {
    const char *path;
    int shard; /* 1-based; 0: not in a shard */
    Error *e;
} Reading;

static bool wrong(const Reading *r, const char *key, const char *what) {
    char shard[32] = "";
    if (r->shard) snprintf(shard, sizeof shard, "shard %d: ", r->shard);
    error_set(r->e, RC_INTEGRITY, "%s: %s'%s' %s", r->path, shard, key, what);
    return false;
}

/* Read a text of 1 to size - 1 printable letters. */
static bool read_text(const Reading *r, const json_t *in, const char *key, char *out, size_t size) {
    const char *text = json_string_value(json_object_get(in, key));
    size_t n = text ? strlen(text) : 0;
    bool printable = n > 0 && n < size;
    for (size_t i = 0; i < n; i++) printable &= (unsigned char)text[i] > ' ' && (unsigned char)text[i] < 0x7f;
    if (!printable) return wrong(r, key, text ? "is empty, too long or not printable" : "is no text");
    memcpy(out, text, n + 1);
    return true;
}

static bool read_file_name(const Reading *r, const json_t *in, char out[SHARD_FILE]) {
    if (!read_text(r, in, "file", out, SHARD_FILE)) return false;
    return !strchr(out, '/') && out[0] != '.' ? true : wrong(r, "file", "is not a file's name without a folder");
}

static bool read_hash(const Reading *r, const json_t *in, const char *key, char out[SHA256_HEX]) {
    if (!read_text(r, in, key, out, SHA256_HEX)) return false;
    return strspn(out, "0123456789abcdef") == SHA256_HEX - 1 ? true : wrong(r, key, "is no SHA-256");
}

static bool read_count(const Reading *r, const json_t *in, const char *key, uint64_t *out) {
    const json_t *value = json_object_get(in, key);
    if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > (json_int_t)1 << 50)
        return wrong(r, key, "is not a whole number from 1 to 2^50");
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_nats(const Reading *r, const json_t *in, const char *key, double *out) {
    const json_t *value = json_object_get(in, key);
    *out = json_number_value(value);
    return json_is_number(value) && *out >= 0 && isfinite(*out) ? true : wrong(r, key, "is not a number from 0 on");
}

static bool read_shard(Reading *r, ShardsManifest *m, const json_t *in) {
    char part[8];
    Shard *x = shards_manifest_add(m);
    r->shard = m->shards;
    if (!read_file_name(r, in, x->file) || !read_text(r, in, "part", part, sizeof part) ||
        !read_count(r, in, "tokens", &x->tokens) || !read_count(r, in, "bytes", &x->bytes) ||
        !read_hash(r, in, "sha256", x->sha256))
        return false;
    x->valid = !strcmp(part, "valid");
    if (!x->valid && strcmp(part, "train") != 0) return wrong(r, "part", "is neither train nor valid");
    if (!x->valid && m->shards > 1 && x[-1].valid) return wrong(r, "part", "is train behind one of valid");
    return true;
}

static bool read_all(Reading *r, ShardsManifest *m, const json_t *root) {
    const json_t *format = json_object_get(root, "format"), *model = json_object_get(root, "model"),
                 *list = json_object_get(root, "shards"), *one;
    size_t i;
    if (!json_is_string(format) || strcmp(json_string_value(format), FORMAT) != 0)
        return wrong(r, "format", "is not 'normbench shards 1'");
    if (!read_text(r, root, "name", m->name, sizeof m->name) ||
        !read_text(r, root, "tokenizer", m->tokenizer, sizeof m->tokenizer) ||
        !read_hash(r, root, "vocabulary", m->vocabulary) || !read_file_name(r, model, m->model) ||
        !read_hash(r, model, "sha256", m->model_sha256) || !read_nats(r, root, "unigram_train", &m->unigram_train) ||
        !read_nats(r, root, "unigram_valid", &m->unigram_valid))
        return false;
    if (!json_is_array(list) || json_array_size(list) > SHARDS_MAX) return wrong(r, "shards", "is no list of shards");
    json_array_foreach(list, i, one) if (!read_shard(r, m, one)) return false;
    r->shard = 0;
    if (!m->shards || m->shard[0].valid) return wrong(r, "shards", "has none to train on");
    return m->shard[m->shards - 1].valid ? true : wrong(r, "shards", "has none to validate on");
}

Rc shards_manifest_read(ShardsManifest *m, const char *path, Error *e) {
    char *bytes;
    size_t length;
    json_error_t why;
    Reading r = {path, 0, e};
    *m = (ShardsManifest){0};
    if (file_read(path, &bytes, &length, e)) return e->code;
    sha256_hex_of(m->sha256, bytes, length);
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &why);
    free(bytes);
    if (!root) return error_set(e, RC_INTEGRITY, "%s:%d: no JSON: %.200s", path, why.line, why.text);
    bool good = read_all(&r, m, root);
    json_decref(root);
    if (!good) shards_manifest_release(m);
    return good ? RC_OK : RC_INTEGRITY;
}

static json_t *shard_json(const Shard *x) {
    return json_pack("{s:s, s:s, s:I, s:I, s:s}", "file", x->file, "part", x->valid ? "valid" : "train", "tokens",
                     (json_int_t)x->tokens, "bytes", (json_int_t)x->bytes, "sha256", x->sha256);
}

Rc shards_manifest_write(const ShardsManifest *m, const char *path, Error *e) {
    json_t *list = json_array();
    for (int i = 0; i < m->shards; i++) json_array_append_new(list, shard_json(&m->shard[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:f, s:f, s:o}", "format", FORMAT, "name", m->name, "tokenizer",
                  m->tokenizer, "vocabulary", m->vocabulary, "model", "file", m->model, "sha256", m->model_sha256,
                  "unigram_train", m->unigram_train, "unigram_valid", m->unigram_valid, "shards", list);
    OWNED char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    LOCAL_TEXT(all);
    text_format(&all, "%s\n", text);
    Rc rc = file_write(path, all.at, all.length, e);
    json_decref(root);
    return rc;
}
