/* Cut texts into shards; see datasets/shards.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "datasets/bpe_sentencepiece.h"
#include "datasets/overlap.h"
#include "datasets/shards.h"
#include "datasets/shards_manifest.h"
#include "datasets/unigram.h"

typedef struct {
    const ShardsPlan *plan;
    ShardsManifest m;
    Tokenizer codec;
    bool learned;
    UnigramCounts counts;
    CorpusBytes own; /* the validation text; length 0: cut from the training text */
    char *note;
    FILE *file; /* the shard being written, or NULL */
    Sha256 hash;
} Making;

static void path_of(const Making *k, const char *file, Text *path) {
    text_clear(path);
    text_format(path, "%s/%s", k->plan->folder, file);
}

static Rc unwritten(const Making *k, const char *file, Error *e) {
    return error_set(e, RC_UNMEASURED, "%s/%s: cannot be written: %s", k->plan->folder, file, strerror(errno));
}

/* End the open shard, if there is one. */
static Rc end_shard(Making *k, Error *e) {
    if (!k->file) return RC_OK;
    Shard *x = &k->m.shard[k->m.shards - 1];
    sha256_end(&k->hash, x->sha256);
    /* sync, so that the manifest that names it does not outlive it in a power cut */
    bool bad = fflush(k->file) || ferror(k->file) || file_sync(fileno(k->file));
    bad |= fclose(k->file) != 0;
    k->file = NULL;
    return bad ? unwritten(k, x->file, e) : RC_OK;
}

static Rc begin_shard(Making *k, bool valid, Error *e) {
    LOCAL_TEXT(path);
    int of_part = 0;
    for (int i = 0; i < k->m.shards; i++) of_part += k->m.shard[i].valid == valid;
    Shard *x = shards_manifest_add(&k->m);
    x->valid = valid;
    snprintf(x->file, sizeof x->file, "%s-%05d.tokens", valid ? "valid" : "train", of_part);
    path_of(k, x->file, &path);
    k->file = fopen(path.at, "wbe");
    if (!k->file) return unwritten(k, x->file, e);
    sha256_init(&k->hash);
    return RC_OK;
}

/* Append ids to a part's stream. */
static Rc add(Making *k, bool valid, const int32_t *ids, size_t count, Error *e) {
    unigram_add(valid ? k->counts.valid : k->counts.train, ids, count);
    while (count) {
        Shard *x = k->file ? &k->m.shard[k->m.shards - 1] : NULL;
        if (x && (x->valid != valid || x->tokens == k->plan->tokens) && end_shard(k, e)) return e->code;
        if (!k->file && begin_shard(k, valid, e)) return e->code;
        x = &k->m.shard[k->m.shards - 1];
        size_t room = k->plan->tokens - (size_t)x->tokens, n = room < count ? room : count;
        if (fwrite(ids, sizeof *ids, n, k->file) != n) return unwritten(k, x->file, e);
        sha256_add(&k->hash, ids, n * sizeof *ids);
        for (size_t i = 0; i < n; i++) x->bytes += k->codec.bytes[ids[i]];
        x->tokens += n, ids += n, count -= n;
    }
    return RC_OK;
}

static Rc encode(Making *k, bool valid, const uint8_t *text, size_t length, Error *e) {
    OWNED int32_t *ids = mem_alloc(length, sizeof *ids);
    size_t count;
    Rc rc = tokenizer_encode(&k->codec, text, length, ids, &count, e);
    if (!rc) rc = add(k, valid, ids, count, e);
    return rc;
}

/* Check the overlap as dataset_open does: a text that is cut in two gets a note instead of an error. */
static Rc compare(Making *k, const uint8_t *train, size_t length, const uint8_t *valid, size_t valid_length, Error *e) {
    Overlap o = overlap_find(train, length, valid, valid_length);
    if (o.shared * OVERLAP_ALLOWED <= o.blocks) return RC_OK;
    if (k->own.length)
        return error_set(e, RC_USAGE, "%zu of the %zu blocks of %d bytes of %s stand in it word for word", o.shared,
                         o.blocks, OVERLAP_BLOCK, k->plan->valid);
    snprintf(k->note, 512,
             "%zu of the validation part's %zu blocks of %d bytes stand in the training part word for word", o.shared,
             o.blocks, OVERLAP_BLOCK);
    return RC_OK;
}

static Rc learn(Making *k, const CorpusBytes *c, size_t cut, Error *e) {
    if (k->learned) return RC_OK;
    if (tokenizer_init(&k->codec, k->plan->tokenizer, c->bytes, c->length, cut, e)) return e->code;
    k->learned = true;
    unigram_init(&k->counts, k->codec.vocab);
    return RC_OK;
}

static Rc add_text(Making *k, const char *path, Error *e) {
    CorpusBytes c;
    Rc rc = corpus_open_text(&c, path, e);
    if (rc) return rc;
    size_t cut = k->own.length ? c.length : dataset_cut(c.bytes, c.length);
    const uint8_t *valid = k->own.length ? k->own.bytes : c.bytes + cut;
    rc = compare(k, c.bytes, cut, valid, k->own.length ? k->own.length : c.length - cut, e);
    if (!rc) rc = learn(k, &c, cut, e);
    if (!rc) rc = encode(k, false, c.bytes, cut, e);
    if (!rc && !k->own.length) rc = encode(k, true, valid, c.length - cut, e);
    corpus_release(&c);
    return rc ? error_prefix(e, "%s: ", path) : RC_OK;
}

/* Write the model's file; for an untrained tokenizer all tokens' text, from which it learns the same vocabulary. */
static Rc write_model(Making *k, Error *e) {
    LOCAL_TEXT(path);
    LOCAL_TEXT(text);
    size_t length;
    if (k->codec.model) {
        const char *model = bpe_serialized(k->codec.model, &length);
        text_add(&text, model, length);
    }
    for (int32_t i = 0; i < k->codec.vocab && !k->codec.model; i++) tokenizer_decode(&k->codec, &i, 1, &text);
    snprintf(k->m.model, sizeof k->m.model, "tokenizer.model");
    sha256_hex_of(k->m.model_sha256, text.at, text.length);
    path_of(k, k->m.model, &path);
    return file_write(path.at, text.at, text.length, e);
}

static Rc write_manifest(Making *k, Error *e) {
    LOCAL_TEXT(path);
    bool train = k->m.shards > 0 && !k->m.shard[0].valid, valid = k->m.shards > 0 && k->m.shard[k->m.shards - 1].valid;
    if (!train || !valid) return error_set(e, RC_USAGE, "too short: nothing to %s on", train ? "validate" : "train");
    if (write_model(k, e)) return e->code;
    unigram_levels(&k->counts, &k->m.unigram_train, &k->m.unigram_valid);
    snprintf(k->m.tokenizer, sizeof k->m.tokenizer, "%s", k->codec.name);
    snprintf(k->m.vocabulary, sizeof k->m.vocabulary, "%s", k->codec.sha256);
    path_of(k, "manifest.json", &path);
    return shards_manifest_write(&k->m, path.at, e);
}

/* Set the name: the folder's last name, in letters that a manifest allows. */
static Rc name_it(Making *k, Error *e) {
    char *folder = mem_text(k->plan->folder), *end = folder + strlen(folder);
    while (end > folder && end[-1] == '/') *--end = 0;
    const char *slash = strrchr(folder, '/'), *last = slash ? slash + 1 : folder;
    bool good = *last && strlen(last) < sizeof k->m.name;
    for (const char *c = last; *c; c++) good &= *c > ' ' && *c < 0x7f;
    if (good) snprintf(k->m.name, sizeof k->m.name, "%s", last);
    free(folder);
    return good ? RC_OK
                : error_set(e, RC_USAGE, "'%s': the folder's name is that of the corpus: up to %zu printable letters",
                            k->plan->folder, sizeof k->m.name - 1);
}

static Rc begin(Making *k, Error *e) {
    const ShardsPlan *p = k->plan;
    LOCAL_TEXT(path);
    if (tokenizer_ready(p->tokenizer, e) || name_it(k, e)) return e->code;
    if (!p->trains) return error_set(e, RC_USAGE, "no text to cut into shards");
    if (p->trains > 1 && !p->valid)
        return error_set(e, RC_USAGE, "%d texts to train on, and none to validate on; only one text is cut in two",
                         p->trains);
    path_of(k, "manifest.json", &path);
    bool taken = file_exists(path.at);
    if (taken) return error_set(e, RC_USAGE, "%s holds a manifest.json already", p->folder);
    if (p->valid && corpus_open_text(&k->own, p->valid, e)) return e->code;
    Rc rc = folder_make(p->folder, e);
    if (!rc) folder_sweep(p->folder);
    return rc;
}

Rc shards_make(const ShardsPlan *p, char note[512], Error *e) {
    Making k = {.plan = p, .note = note};
    *note = 0;
    Rc rc = begin(&k, e);
    for (int i = 0; i < p->trains && !rc; i++) rc = add_text(&k, p->train[i], e);
    if (!rc && k.own.length && encode(&k, true, k.own.bytes, k.own.length, e)) rc = error_prefix(e, "%s: ", p->valid);
    Error ignored;
    if (end_shard(&k, rc ? &ignored : e) && !rc) rc = e->code;
    if (!rc) rc = write_manifest(&k, e);
    if (k.learned) unigram_release(&k.counts), tokenizer_release(&k.codec);
    if (k.own.length) corpus_release(&k.own);
    shards_manifest_release(&k.m);
    return rc;
}
