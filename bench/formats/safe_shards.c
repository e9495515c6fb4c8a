#include "bench/formats/safe_shards.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bench/formats/json.h"

enum { DIGITS = 12 /* digits of a shard's hash in its name */ };
#define ENDING ".safetensors"

static double bytes_of(const SafeFile *f) {
    double n = 0;
    for (int i = 0; i < f->tensors; i++) n += (double)safe_bytes(&f->tensor[i]);
    return n;
}

/* Return true if f's tensors have more than `most` bytes and are written as shards. */
static bool safe_splits(const SafeFile *f, double most) {
    return f->tensors > 1 && bytes_of(f) > most;
}

static char *index_of(const char *path) {
    Text t;
    text_init(&t);
    text_format(&t, "%s" SAFE_INDEX, path);
    return t.at;
}

/* Split a path into its folder with the slash, and the prefix of its shards' names. */
static void split_path(const char *path, Text *folder, Text *stem) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name) - (text_ends(name, ENDING) ? strlen(ENDING) : 0);
    text_init(folder);
    text_init(stem);
    text_add(folder, path, (size_t)(name - path));
    text_add(stem, name, n);
}

static bool is_shard(const char *name, const Text *stem) {
    unsigned i, n;
    int end = 0;
    if (strncmp(name, stem->at, stem->length) || name[stem->length] != '-') return false;
    name += stem->length + 1;
    if (strspn(name, "0123456789abcdef") != DIGITS) return false;
    return sscanf(name + DIGITS, "-%5u-of-%5u" ENDING "%n", &i, &n, &end) == 2 && end && !name[DIGITS + end];
}

/* Remove the path's shards that the index (NULL: none) does not name; return false on failure. */
static bool tidy(const char *path, json_t *hashes) {
    Text folder, stem;
    bool clean = true;
    split_path(path, &folder, &stem);
    const char *where = folder.length ? folder.at : ".";
    DIR *all = opendir(where);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (is_shard(entry->d_name, &stem) && !json_object_get(hashes, entry->d_name))
            clean = !unlinkat(dirfd(all), entry->d_name, 0) && clean;
    clean = clean && all;
    if (all) closedir(all);
    folder_sweep(where);
    text_release(&folder);
    text_release(&stem);
    return clean;
}

/* Write tensors from..end of f to a shard, and its name to the index. */
static Rc write_shard(const SafeFile *f, const char *path, const int range[2], int number, int count, json_t *index,
                      Error *e) {
    Text folder, stem, name;
    SafeFile shard;
    char hash[SHA256_HEX];
    safe_init(&shard);
    safe_add_text(&shard, "format", "pt"); /* PyTorch's layout, which readers of Hugging Face require */
    for (int i = range[0]; i < range[1]; i++) {
        const SafeTensor *t = &f->tensor[i];
        safe_add(&shard, t->name, t->dtype, t->rank, t->shape[0], t->shape[1], t->data);
    }
    safe_hash(&shard, hash);
    split_path(path, &folder, &stem);
    text_init(&name);
    text_format(&name, "%s-%.*s-%05d-of-%05d" ENDING, stem.at, DIGITS, hash, number, count);
    for (int i = range[0]; i < range[1]; i++)
        json_object_set_new(json_object_get(index, "weight_map"), f->tensor[i].name, json_string(name.at));
    json_object_set_new(json_object_get(index, "sha256"), name.at, json_string(hash));
    text_add(&folder, name.at, name.length);
    Rc rc = safe_write(&shard, folder.at, e);
    safe_release(&shard);
    text_release(&folder);
    text_release(&stem);
    text_release(&name);
    return rc;
}

/* Return the end of the shard that begins at tensor i. */
static int shard_end(const SafeFile *f, int i, double most) {
    double n = (double)safe_bytes(&f->tensor[i++]);
    while (i < f->tensors && (n += (double)safe_bytes(&f->tensor[i])) <= most) i++;
    return i;
}

static json_t *index_new(const SafeFile *f) {
    json_t *metadata = json_pack("{s:I}", "total_size", (json_int_t)bytes_of(f));
    for (int i = 0; i < f->texts; i++) json_object_set_new(metadata, f->text[i].key, json_string(f->text[i].value));
    return json_pack("{s:o, s:{}, s:{}}", "metadata", metadata, "weight_map", "sha256");
}

static Rc write_shards(const SafeFile *f, const char *path, double most, Error *e) {
    json_t *index = index_new(f), *before;
    int count = 0, number = 0;
    Rc rc = RC_OK;
    for (int i = 0; i < f->tensors; i = shard_end(f, i, most)) count++;
    for (int i = 0; i < f->tensors && !rc;) {
        int range[2] = {i, shard_end(f, i, most)};
        rc = write_shard(f, path, range, ++number, count, index, e);
        i = range[1];
    }
    OWNED char *at = index_of(path);
    if (!rc) rc = json_write_file(json_incref(index), JSON_EXACT, at, e);
    if (!rc) {
        unlink(path);
        (void)tidy(path, json_object_get(index, "sha256"));
    } else if ((before = json_load_file(at, 0, NULL)) || !file_exists(at)) {
        (void)tidy(path, json_object_get(before, "sha256")); /* the part of the new set that was written */
        json_decref(before);
    }
    json_decref(index);
    return rc;
}

Rc safe_write_split(const SafeFile *f, const char *path, double most, Error *e) {
    if (safe_splits(f, most)) return write_shards(f, path, most, e);
    if (safe_write(f, path, e)) return e->code;
    /* remove the index last: while it exists, the next write looks for shards again. Readers prefer the whole file */
    OWNED char *at = index_of(path);
    if (file_exists(at) && tidy(path, NULL)) unlink(at);
    return RC_OK;
}

bool safe_stands(const char *path) {
    OWNED char *at = index_of(path);
    return file_exists(path) || file_exists(at);
}

void safe_remove(const char *path) {
    OWNED char *at = index_of(path);
    unlink(path);
    if (!unlink(at)) (void)tidy(path, NULL);
}

/* Check that the shard has exactly the tensors that the index puts there. */
static Rc check_map(const SafeFile *shard, const char *name, json_t *map, Error *e) {
    const char *tensor;
    json_t *file;
    for (int i = 0; i < shard->tensors; i++) {
        const char *where = json_string_value(json_object_get(map, shard->tensor[i].name));
        if (!where || strcmp(where, name))
            return error_set(e, RC_INTEGRITY, "tensor '%s' is in '%.200s', and weight_map says %s%.200s",
                             shard->tensor[i].name, name, where ? "" : "that it is in no file", where ? where : "");
    }
    json_object_foreach(map, tensor, file) {
        if (!strcmp(json_string_value(file), name) && !safe_find(shard, tensor))
            return error_set(e, RC_INTEGRITY, "weight_map: tensor '%.80s' is not in '%.200s'", tensor, name);
    }
    return RC_OK;
}

static Rc read_shard(SafeFile *f, const char *folder, const char *name, json_t *index, Error *e) {
    const char *want = json_string_value(json_object_get(json_object_get(index, "sha256"), name)), *stated;
    SafeFile shard;
    LOCAL_TEXT(path);
    if (!name[0] || strchr(name, '/') || name[0] == '.')
        return error_set(e, RC_INTEGRITY, "weight_map: '%.200s' is not the name of a file in its folder", name);
    text_format(&path, "%s%s", folder, name);
    Rc rc = safe_read(&shard, path.at, e);
    if (rc == RC_USAGE) rc = error_set(e, RC_INTEGRITY, "shard '%.200s' is missing", name);
    if (rc) return rc;
    f->shard = mem_grow(f->shard, (size_t)f->shards + 1, sizeof *f->shard);
    f->shard[f->shards++] = shard;
    stated = safe_text(&shard, "sha256");
    if (want && (!stated || strcmp(stated, want)))
        return error_set(e, RC_INTEGRITY, "shard '%.200s' has another hash than the index says", name);
    if (safe_tiled(&shard, e)) return error_prefix(e, "shard '%.200s': ", name);
    if (check_map(&shard, name, json_object_get(index, "weight_map"), e)) return e->code;
    for (int i = 0; i < shard.tensors; i++) {
        const SafeTensor *t = &shard.tensor[i];
        safe_add(f, t->name, t->dtype, t->rank, t->shape[0], t->shape[1], t->data);
    }
    return RC_OK;
}

/* Read the texts; total_size, if present, must equal the tensors' size. */
static Rc read_metadata(SafeFile *f, json_t *index, bool hashed, Error *e) {
    const char *key;
    char hash[SHA256_HEX];
    json_t *value, *size = json_object_get(json_object_get(index, "metadata"), "total_size");
    json_object_foreach(json_object_get(index, "metadata"), key, value) {
        if (json_is_string(value) && strcmp(key, "sha256")) safe_add_text(f, key, json_string_value(value));
    }
    if (size && json_number_value(size) != bytes_of(f))
        return error_set(e, RC_INTEGRITY, "metadata: total_size is not %.0f, the bytes of its tensors", bytes_of(f));
    if (!hashed) return RC_OK;
    OWNED char *all = json_dumps(json_object_get(index, "sha256"), JSON_COMPACT);
    safe_add_text(f, "sha256", sha256_hex_of(hash, all, strlen(all)));
    return RC_OK;
}

static Rc read_index(SafeFile *f, const char *path, json_t *index, Error *e) {
    json_t *map = json_object_get(index, "weight_map"), *file, *seen = json_object();
    const char *tensor, *slash = strrchr(path, '/');
    LOCAL_TEXT(folder);
    bool hashed = true;
    Rc rc = json_object_size(map) ? RC_OK : error_set(e, RC_INTEGRITY, "it has no weight_map");
    if (slash) text_add(&folder, path, (size_t)(slash + 1 - path));
    json_object_foreach(map, tensor, file) {
        if (!rc && !json_is_string(file))
            rc = error_set(e, RC_INTEGRITY, "weight_map: '%.80s' names no file", tensor);
    }
    json_object_foreach(map, tensor, file) {
        const char *name = json_string_value(file);
        if (rc || json_object_get(seen, name)) continue;
        json_object_set_new(seen, name, json_true());
        hashed = hashed && json_is_string(json_object_get(json_object_get(index, "sha256"), name));
        rc = read_shard(f, folder.at, name, index, e);
    }
    if (!rc) rc = read_metadata(f, index, hashed, e);
    json_decref(seen);
    return rc;
}

static Rc read_split(SafeFile *f, const char *path, Error *e) {
    safe_init(f);
    json_auto_t *index = json_read_file(path, e);
    if (!index) return e->code;
    Rc rc = json_is_object(index)
                ? read_index(f, path, index, e)
                : error_set(e, RC_INTEGRITY, "not an index of safetensors: it is no object");
    if (!rc) return RC_OK;
    safe_release(f);
    return error_prefix(e, "%s: ", path);
}

Rc safe_read_split(SafeFile *f, const char *path, Error *e) {
    if (text_ends(path, SAFE_INDEX)) return read_split(f, path, e);
    OWNED char *at = index_of(path);
    return !file_exists(path) && file_exists(at) ? read_split(f, at, e) : safe_read(f, path, e);
}
