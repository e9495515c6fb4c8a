#include "bench/formats/safetensors.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sha256.h"

static size_t word_of(const char *dtype) {
    static const struct {
        const char *name;
        size_t bytes;
    } known[] = {{"F32", 4}, {"I32", 4}, {"F64", 8}, {"I64", 8}, {"BF16", 2}, {"F16", 2},     {"I16", 2},    {"U16", 2},
                 {"U32", 4}, {"U64", 8}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(dtype, known[i].name)) return known[i].bytes;
    return 0;
}

void safe_init(SafeFile *f) {
    *f = (SafeFile){0};
}

void safe_release(SafeFile *f) {
    for (int i = 0; i < f->texts; i++) {
        free(f->text[i].key);
        free(f->text[i].value);
    }
    free(f->text);
    for (int i = 0; i < f->shards; i++) safe_release(&f->shard[i]);
    free(f->shard);
    free(f->tensor);
    free(f->bytes);
    safe_init(f);
}

size_t safe_bytes(const SafeTensor *t) {
    size_t n = word_of(t->dtype);
    for (int i = 0; i < t->rank; i++) n *= (size_t)t->shape[i];
    return n;
}

void safe_add(SafeFile *f, const char *name, const char *dtype, int rank, int64_t rows, int64_t cols,
              const void *data) {
    SafeTensor t = {.rank = rank, .shape = {rows, cols}, .data = (void *)(uintptr_t)data};
    assert(word_of(dtype) && strlen(name) < sizeof t.name && rank >= 0 && rank <= 2);
    strcpy(t.name, name);
    strcpy(t.dtype, dtype);
    f->tensor = mem_grow(f->tensor, (size_t)f->tensors + 1, sizeof *f->tensor);
    f->tensor[f->tensors++] = t;
}

void safe_add_text(SafeFile *f, const char *key, const char *value) {
    f->text = mem_grow(f->text, (size_t)f->texts + 1, sizeof *f->text);
    f->text[f->texts++] = (SafeText){mem_text(key), mem_text(value)};
}

static char *header_of(const SafeFile *f, const char *hash) {
    json_t *root = json_object(), *metadata = json_object();
    for (int i = 0; i < f->texts; i++) json_object_set_new(metadata, f->text[i].key, json_string(f->text[i].value));
    json_object_set_new(metadata, "sha256", json_string(hash));
    json_object_set_new(root, "__metadata__", metadata);
    size_t at = 0;
    for (int i = 0; i < f->tensors; i++) {
        const SafeTensor *t = &f->tensor[i];
        json_t *shape = json_array();
        for (int j = 0; j < t->rank; j++) json_array_append_new(shape, json_integer(t->shape[j]));
        size_t end = at + safe_bytes(t);
        json_object_set_new(root, t->name,
                            json_pack("{s:s, s:o, s:[I, I]}", "dtype", t->dtype, "shape", shape, "data_offsets",
                                      (json_int_t)at, (json_int_t)end));
        at = end;
    }
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return text;
}

void safe_hash(const SafeFile *f, char out[static SHA256_HEX]) {
    Sha256 h;
    sha256_init(&h);
    for (int i = 0; i < f->tensors; i++) sha256_add(&h, f->tensor[i].data, safe_bytes(&f->tensor[i]));
    sha256_end(&h, out);
}

/* Parts of the file: the header's length, the header padded with blanks to a multiple of 8 bytes, and each tensor,
 * which is not copied. */
typedef struct {
    char length[8], *header;
    FilePart *at;
    int count;
} Parts;

static void parts_init(Parts *p, const SafeFile *f) {
    char hash[SHA256_HEX];
    safe_hash(f, hash);
    char *header = header_of(f, hash);
    size_t length = strlen(header), padded = (length + 7) / 8 * 8;
    p->header = mem_grow(header, padded + 1, 1);
    memset(p->header + length, ' ', padded - length);
    for (int i = 0; i < 8; i++) p->length[i] = (char)(padded >> (8 * i));
    p->count = f->tensors + 2;
    p->at = mem_alloc((size_t)p->count, sizeof *p->at);
    p->at[0] = (FilePart){p->length, sizeof p->length};
    p->at[1] = (FilePart){p->header, padded};
    for (int i = 0; i < f->tensors; i++) p->at[i + 2] = (FilePart){f->tensor[i].data, safe_bytes(&f->tensor[i])};
}

static void parts_release(Parts *p) {
    free(p->header);
    free(p->at);
}

Rc safe_write(const SafeFile *f, const char *path, Error *e) {
    Parts p;
    parts_init(&p, f);
    Rc rc = file_write_parts(path, p.at, p.count, e);
    parts_release(&p);
    return rc;
}

/* Refuse an entry with an unsupported dtype or shape. */
static Rc unread(const char *name, const char *dtype, json_t *shape, Error *e) {
    OWNED char *text = json_dumps(shape, JSON_COMPACT);
    if (!word_of(dtype))
        error_set(e, RC_INTEGRITY, "tensor '%.60s': dtype '%.20s' (shape %.60s) is not known here", name, dtype, text);
    else
        error_set(e, RC_INTEGRITY, "tensor '%.60s': %s of shape %.60s; one or two dimensions are read", name, dtype,
                  text);
    return e->code;
}

/* Read a tensor from a header entry, checking every number against the data's length. */
static Rc read_tensor(SafeFile *f, const char *name, json_t *entry, char *data, size_t length, Error *e) {
    SafeTensor t = {.shape = {1, 1}};
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    json_t *shape = json_object_get(entry, "shape"), *offsets = json_object_get(entry, "data_offsets");
    json_int_t begin = json_integer_value(json_array_get(offsets, 0)),
               end = json_integer_value(json_array_get(offsets, 1));
    if (strlen(name) >= sizeof t.name || !dtype || !json_is_array(shape) || json_array_size(offsets) != 2)
        return error_set(e, RC_INTEGRITY, "tensor '%.60s': unreadable entry", name);
    if (!word_of(dtype) || json_array_size(shape) > 2) return unread(name, dtype, shape, e);
    strcpy(t.name, name);
    strcpy(t.dtype, dtype);
    t.rank = (int)json_array_size(shape);
    int64_t most = (int64_t)1 << 58; /* most numbers whose bytes fit in 64 bits */
    for (int i = 0; i < t.rank; i++) {
        t.shape[i] = json_integer_value(json_array_get(shape, (size_t)i));
        if (t.shape[i] < 0 || t.shape[i] > most)
            return error_set(e, RC_INTEGRITY, "tensor '%s': impossible shape", name);
        if (t.shape[i]) most /= t.shape[i];
    }
    if (begin < 0 || end < begin || (size_t)end > length || (size_t)(end - begin) != safe_bytes(&t))
        return error_set(e, RC_INTEGRITY, "tensor '%s': its bytes do not lie inside the file", name);
    t.data = data + begin;
    f->tensor = mem_grow(f->tensor, (size_t)f->tensors + 1, sizeof *f->tensor);
    f->tensor[f->tensors++] = t;
    return RC_OK;
}

static Rc read_header(SafeFile *f, json_t *root, char *data, size_t length, Error *e) {
    const char *key, *inner;
    json_t *value, *text;
    json_object_foreach(root, key, value) {
        if (strcmp(key, "__metadata__")) {
            if (read_tensor(f, key, value, data, length, e)) return e->code;
            continue;
        }
        json_object_foreach(value, inner, text) {
            if (!json_is_string(text)) return error_set(e, RC_INTEGRITY, "__metadata__: '%s' is not text", inner);
            safe_add_text(f, inner, json_string_value(text));
        }
    }
    char hash[SHA256_HEX];
    const char *stated = safe_text(f, "sha256");
    if (stated && strcmp(stated, sha256_hex_of(hash, data, length)))
        return error_set(
            e, RC_INTEGRITY,
            "its data do not have the hash that its metadata name (a file written anew leaves sha256 out)");
    return RC_OK;
}

Rc safe_read(SafeFile *f, const char *path, Error *e) {
    size_t length = 0;
    uint64_t header = 0;
    safe_init(f);
    if (file_read(path, &f->bytes, &length, e)) return e->code;
    f->length = length;
    for (int i = 7; i >= 0 && length >= 8; i--) header = header << 8 | (uint8_t)f->bytes[i];
    json_error_t why;
    json_t *root = NULL;
    bool archive = length > 4 && !memcmp(f->bytes, "PK\3\4", 4), pickle = length > 1 && !memcmp(f->bytes, "\x80\2", 2);
    if (archive || pickle)
        error_set(e, RC_INTEGRITY, "%s, as PyTorch's .pt is: write its tensors with safetensors.torch.save_file",
                  archive ? "a zip archive" : "a pickle");
    else if (length < 8 || header > length - 8)
        error_set(e, RC_INTEGRITY, "truncated, or not a safetensors file");
    else if (!(root = json_loadb(f->bytes + 8, header, JSON_REJECT_DUPLICATES, &why)) || !json_is_object(root))
        error_set(e, RC_INTEGRITY, "not a safetensors file: %s", root ? "the header is no object" : why.text);
    else if (!read_header(f, root, f->bytes + 8 + header, length - 8 - header, e)) {
        json_decref(root);
        return RC_OK;
    }
    json_decref(root);
    safe_release(f);
    return error_prefix(e, "%s: ", path);
}

bool safe_floats(const SafeTensor *t) {
    return !strcmp(t->dtype, "F32") || !strcmp(t->dtype, "BF16") || !strcmp(t->dtype, "F16");
}

/* Convert IEEE 754 binary16: a sign, five bits of the exponent, ten of the fraction. */
static float half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t word = (uint32_t)(bits & 0x8000) << 16;
    if (exponent == 31)
        word |= 0x7f800000u | (uint32_t)fraction << 13;
    else if (exponent)
        word |= (uint32_t)(exponent + 112) << 23 | (uint32_t)fraction << 13;
    float x;
    memcpy(&x, &word, sizeof x);
    if (exponent || !fraction) return x;
    return (bits & 0x8000 ? -1.f : 1.f) * (float)fraction * 0x1p-24f;
}

void safe_take_floats(const SafeTensor *t, float *out) {
    size_t bytes = safe_bytes(t);
    assert(safe_floats(t));
    if (!strcmp(t->dtype, "F32")) {
        if (bytes) memcpy(out, t->data, bytes); /* the file's data may be unaligned */
        return;
    }
    for (size_t i = 0; i < bytes / 2; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)t->data + 2 * i, sizeof bits);
        uint32_t word = (uint32_t)bits << 16;
        if (t->dtype[0] == 'B')
            memcpy(out + i, &word, sizeof word);
        else
            out[i] = half_value(bits);
    }
}

const SafeTensor *safe_find(const SafeFile *f, const char *name) {
    for (int i = 0; i < f->tensors; i++)
        if (!strcmp(f->tensor[i].name, name)) return &f->tensor[i];
    return NULL;
}

const char *safe_text(const SafeFile *f, const char *key) {
    for (int i = 0; i < f->texts; i++)
        if (!strcmp(f->text[i].key, key)) return f->text[i].value;
    return NULL;
}

static int by_place(const void *a, const void *b) {
    const SafeTensor *x = a, *y = b;
    if (x->data != y->data) return (char *)x->data < (char *)y->data ? -1 : 1;
    return (safe_bytes(x) > safe_bytes(y)) - (safe_bytes(x) < safe_bytes(y));
}

Rc safe_tiled(const SafeFile *f, Error *e) {
    uint64_t header = 0;
    for (int i = 7; i >= 0; i--) header = header << 8 | (uint8_t)f->bytes[i];
    OWNED SafeTensor *sorted = mem_alloc((size_t)f->tensors, sizeof *sorted);
    if (f->tensors) memcpy(sorted, f->tensor, (size_t)f->tensors * sizeof *sorted);
    qsort(sorted, (size_t)f->tensors, sizeof *sorted, by_place);
    const char *at = f->bytes + 8 + header;
    Rc rc = RC_OK;
    for (int i = 0; i < f->tensors && !rc; i++) {
        if ((const char *)sorted[i].data != at)
            rc = error_set(e, RC_INTEGRITY, "tensor '%s' overlaps another, or bytes before it belong to none",
                           sorted[i].name);
        at += safe_bytes(&sorted[i]);
    }
    if (!rc && at != f->bytes + f->length) rc = error_set(e, RC_INTEGRITY, "bytes at its end belong to no tensor");
    return rc;
}
