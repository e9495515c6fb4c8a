#include "bench/store/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/safe_shards.h"
#include "bench/store/record.h"
#include "models/trainer_look.h"

static size_t words_of(Parameter x) {
    return (size_t)x.rows * (size_t)x.cols;
}

/* Return the number of updates of the weights: the file's, or all of the run's if it says none. */
static int weights_step(const WeightsOrigin *o) {
    return o->step < 0 ? (int)o->spec.steps : o->step;
}

static void add_origin(SafeFile *f, const WeightsOrigin *o, const Tokenizer *tokenizer) {
    LOCAL_TEXT(spec);
    LOCAL_TEXT(model);
    LOCAL_TEXT(vocabulary);
    char step[24];
    spec_text(&o->spec, &spec);
    weights_model(&o->spec, o->vocab, weights_step(o), &model);
    snprintf(step, sizeof step, "%d", o->step);
    safe_add_text(f, "format_version", WEIGHTS_FORMAT);
    safe_add_text(f, "spec", spec.at);
    safe_add_text(f, "dataset_sha256", o->dataset_sha256);
    safe_add_text(f, "tokenizer_sha256", o->tokenizer_sha256);
    if (o->run[0]) {
        safe_add_text(f, "run", o->run);
        safe_add_text(f, "step", step);
        safe_add_text(f, "arithmetic_class", o->arithmetic_class);
        safe_add_text(f, "arithmetic", o->arithmetic);
    }
    safe_add_text(f, "model", model.at);
    if (tokenizer) {
        tokenizer_vocabulary(tokenizer, &vocabulary);
        safe_add_text(f, "vocabulary", vocabulary.at);
    }
    safe_add_text(f, "parameters_hash", o->parameters_hash);
}

Rc weights_write(const char *path, const Trainer *t, WeightsOrigin *origin, const FeedBatches *batches,
                 const Tokenizer *tokenizer, double file_bytes, Error *e) {
    SafeFile f;
    uint8_t hash[32];
    size_t at = 0;
    OWNED float *values = mem_alloc(trainer_weights(t), sizeof *values);
    trainer_hash(t, 0, hash);
    sha256_hex(origin->parameters_hash, hash);
    safe_init(&f);
    add_origin(&f, origin, tokenizer);
    /* 8-byte words first: readers that map the file want them aligned. */
    if (batches) safe_add(&f, "batches", "I64", 2, batches->steps, batches->columns, batches->number);
    for (int i = 0; i < trainer_parameters(t); i++) {
        Parameter x = trainer_parameter(t, i);
        trainer_read(t, i, 0, values + at);
        safe_add(&f, x.name, "F32", x.vector ? 1 : 2, x.vector ? x.cols : x.rows, x.vector ? 1 : x.cols, values + at);
        at += words_of(x);
    }
    Rc rc = safe_write_split(&f, path, file_bytes, e);
    safe_release(&f);
    return rc;
}

/* Copy a metadata text to out; an absent one is an error unless optional. */
static Rc take(const SafeFile *f, const char *key, char *out, size_t size, bool optional, Error *e) {
    const char *text = safe_text(f, key);
    out[0] = 0;
    if (!text && optional) return RC_OK;
    if (!text)
        return error_set(e, RC_INTEGRITY,
                         "__metadata__ has no '%s': start from a file of `normbench model export`, and keep its "
                         "metadata when another program saves the weights",
                         key);
    if (strlen(text) >= size) return error_set(e, RC_INTEGRITY, "__metadata__: '%s' is too long", key);
    strcpy(out, text);
    return RC_OK;
}

/* Check that the id is the hash of the other metadata, so that none was edited. */
static Rc check_run(WeightsOrigin *o, const SafeFile *f, Error *e) {
    char step[24];
    int64_t number;
    if (take(f, "arithmetic_class", o->arithmetic_class, sizeof o->arithmetic_class, false, e) ||
        take(f, "arithmetic", o->arithmetic, sizeof o->arithmetic, false, e) ||
        take(f, "step", step, sizeof step, false, e))
        return e->code;
    if (!parse_integer(step, &number) || number < 0 || number > o->spec.steps)
        return error_set(e, RC_INTEGRITY, "__metadata__: step '%s' is not one of the run", step);
    o->step = (int)number;
    if (!record_identity_holds(o->run, &o->spec, o->dataset_sha256, o->tokenizer_sha256, o->arithmetic_class,
                               o->arithmetic))
        return error_set(e, RC_INTEGRITY, "__metadata__: 'run' is not the id of this spec, corpus and arithmetic");
    return RC_OK;
}

static Rc read_origin(WeightsOrigin *o, const SafeFile *f, Error *e) {
    char version[32];
    const char *spec = safe_text(f, "spec");
    *o = (WeightsOrigin){.step = -1};
    if (take(f, "format_version", version, sizeof version, false, e)) return e->code;
    if (strcmp(version, WEIGHTS_FORMAT))
        return error_set(e, RC_INTEGRITY, "__metadata__: format_version '%s'; this program reads " WEIGHTS_FORMAT,
                         version);
    if (take(f, "dataset_sha256", o->dataset_sha256, SHA256_HEX, false, e) ||
        take(f, "tokenizer_sha256", o->tokenizer_sha256, SHA256_HEX, false, e) ||
        take(f, "run", o->run, SHA256_HEX, true, e) ||
        take(f, "parameters_hash", o->parameters_hash, SHA256_HEX, true, e))
        return e->code;
    const char *vocabulary = safe_text(f, "vocabulary");
    char hash[SHA256_HEX];
    if (vocabulary && strcmp(sha256_hex_of(hash, vocabulary, strlen(vocabulary)), o->tokenizer_sha256))
        return error_set(e, RC_INTEGRITY, "__metadata__: 'vocabulary' does not hash to tokenizer_sha256");
    if (!spec) return take(f, "spec", version, sizeof version, false, e);
    if (spec_parse(&o->spec, spec, e) || spec_check(&o->spec, e)) {
        error_prefix(e, "__metadata__: spec: ");
        return e->code = RC_INTEGRITY;
    }
    return o->run[0] ? check_run(o, f, e) : RC_OK;
}

Rc weights_open(Weights *w, const char *path, Error *e) {
    if (safe_read_split(&w->file, path, e)) return e->code;
    if (!(w->file.bytes && safe_tiled(&w->file, e)) && !read_origin(&w->origin, &w->file, e)) return RC_OK;
    safe_release(&w->file);
    return error_prefix(e, "%s: ", path);
}

void weights_release(Weights *w) {
    safe_release(&w->file);
}

static char *shape_text(char out[56], int rank, int64_t first, int64_t second) {
    if (rank == 1)
        snprintf(out, 56, "[%lld]", (long long)first);
    else
        snprintf(out, 56, "[%lld, %lld]", (long long)first, (long long)second);
    return out;
}

static Rc match_one(const SafeFile *f, const Tensor *x, Error *e) {
    const SafeTensor *y = safe_find(f, x->name);
    char got[56], want[56];
    for (int i = 0; !y && i < f->tensors; i++) { /* module.wte.weight, of programs that wrap the model */
        const char *name = f->tensor[i].name;
        size_t n = strlen(name), m = strlen(x->name);
        if (n > m && name[n - m - 1] == '.' && !strcmp(name + n - m, x->name))
            return error_set(e, RC_INTEGRITY,
                             "tensor '%s' is missing; the file calls it '%.80s': take '%.*s' off its names", x->name,
                             name, (int)(n - m), name);
    }
    if (!y) return error_set(e, RC_INTEGRITY, "tensor '%s' is missing", x->name);
    if (!safe_floats(y))
        return error_set(e, RC_INTEGRITY, "tensor '%s' is %s, not F32 (float32), BF16 or F16", x->name, y->dtype);
    shape_text(got, y->rank ? y->rank : 1, y->shape[0], y->shape[1]); /* a scalar is a vector of one */
    bool vector = tensor_vector(x);
    shape_text(want, vector ? 1 : 2, vector ? x->cols : x->rows, x->cols);
    if (!strcmp(got, want)) return RC_OK;
    return error_set(e, RC_INTEGRITY, "tensor '%s' has shape %s, its model wants %s", x->name, got, want);
}

Rc weights_match(const Weights *w, const Tape *tape, Error *e) {
    int parameters = 0;
    for (int i = 0; i < tape->tensors; i++) {
        if (tape->tensor[i].role != ROLE_PARAM) continue;
        if (match_one(&w->file, &tape->tensor[i], e)) return e->code;
        parameters++;
    }
    const SafeTensor *batches = safe_find(&w->file, "batches");
    if (batches && (strcmp(batches->dtype, "I64") || batches->rank != 2 || batches->shape[0] != w->origin.spec.steps))
        return error_set(e, RC_INTEGRITY, "tensor 'batches' is not I64 with %lld rows",
                         (long long)w->origin.spec.steps);
    if (w->file.tensors == parameters + (batches != NULL)) return RC_OK;
    for (int i = 0; i < w->file.tensors; i++) {
        const char *name = w->file.tensor[i].name;
        if (strcmp(name, "batches") && tape_find(tape, name) < 0)
            return error_set(e, RC_INTEGRITY, "tensor '%s' is not one of its model's", name);
    }
    return error_set(e, RC_INTEGRITY, "a tensor stands twice");
}

Rc weights_load(const Weights *w, Trainer *t, Error *e) {
    uint8_t hash[32];
    char hex[SHA256_HEX];
    for (int i = 0; i < trainer_parameters(t); i++) {
        Parameter x = trainer_parameter(t, i);
        OWNED float *values = mem_alloc(words_of(x), sizeof *values);
        safe_take_floats(safe_find(&w->file, x.name), values);
        trainer_write(t, i, 0, values);
    }
    trainer_seek(t, weights_step(&w->origin));
    trainer_hash(t, 0, hash);
    if (!w->origin.parameters_hash[0] || !strcmp(sha256_hex(hex, hash), w->origin.parameters_hash)) return RC_OK;
    return error_set(e, RC_INTEGRITY,
                     "the weights hash to %.12s, the file says %.12s (a program that changes weights leaves "
                     "`parameters_hash` and `run` out)",
                     hex, w->origin.parameters_hash);
}
