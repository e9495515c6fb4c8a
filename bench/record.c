#include "bench/record.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/provenance.h"

void record_release(RunRecord *r) {
    for (int i = 0; i < r->evaluations; i++) free(r->evaluation[i].block);
    free(r->evaluation);
    free(r->curves.value);
    free(r->declared);
    r->declared = NULL;
    r->evaluation = NULL;
    r->evaluations = 0;
    r->curves = (Curves){0};
}

const Evaluation *record_at(const RunRecord *r, int step) {
    for (int i = 0; i < r->evaluations; i++)
        if (r->evaluation[i].step == step) return &r->evaluation[i];
    return NULL;
}

struct json_t *json_number_of(double x) {
    return isnan(x) ? json_string("nan") : isinf(x) ? json_string(x > 0 ? "inf" : "-inf") : json_real(x);
}

bool json_number_read(const struct json_t *value, double *out) {
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (!text || (strcmp(text, "nan") && strcmp(text, "inf") && strcmp(text, "-inf"))) return false;
    *out = text[0] == 'n' ? (double)NAN : text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return true;
}

static json_t *evaluations_json(const RunRecord *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->evaluations; i++) {
        const Evaluation *x = &r->evaluation[i];
        json_t *entry = json_object(), *blocks = json_array();
        json_object_set_new(entry, "step", json_integer(x->step));
        for (int m = 0; m < METRIC_COUNT; m++)
            json_object_set_new(entry, metric_info[m].key, json_number_of(x->metric[m]));
        json_object_set_new(entry, "targets", json_integer(x->targets));
        json_object_set_new(entry, "dropped_targets", json_integer(x->dropped));
        for (int b = 0; b < x->blocks; b++) json_array_append_new(blocks, json_number_of(x->block[b]));
        json_object_set_new(entry, "block_losses", blocks);
        json_array_append_new(list, entry);
    }
    return list;
}

static Rc evaluations_read(RunRecord *r, json_t *list, Error *e) {
    size_t i, j;
    json_t *entry, *block;
    if (!json_is_array(list)) return error_set(e, RC_INTEGRITY, "evaluations: not a list");
    json_array_foreach(list, i, entry) {
        Evaluation x = {.step = (int)json_integer_value(json_object_get(entry, "step"))};
        json_t *blocks = json_object_get(entry, "block_losses");
        x.targets = (long)json_integer_value(json_object_get(entry, "targets"));
        x.dropped = (long)json_integer_value(json_object_get(entry, "dropped_targets"));
        for (int m = 0; m < METRIC_COUNT; m++)
            if (!json_object_get(entry, metric_info[m].key))
                x.metric[m] = (double)NAN; /* a metric that is younger than the record */
            else if (!json_number_read(json_object_get(entry, metric_info[m].key), &x.metric[m]))
                return error_set(e, RC_INTEGRITY, "evaluations[%zu]: %s is not a number", i, metric_info[m].key);
        x.blocks = (int)json_array_size(blocks);
        x.block = mem_alloc((size_t)x.blocks, sizeof *x.block);
        r->evaluation = mem_grow(r->evaluation, (size_t)r->evaluations + 1, sizeof *r->evaluation);
        r->evaluation[r->evaluations++] = x;
        json_array_foreach(blocks, j, block) if (!json_number_read(block, &x.block[j])) return error_set(
            e, RC_INTEGRITY, "evaluations[%zu]: block_losses[%zu] is not a number", i, j);
    }
    return RC_OK;
}

char *evaluations_text(const RunRecord *r) {
    json_t *list = evaluations_json(r);
    char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(list);
    return text;
}

Rc evaluations_parse(RunRecord *r, const char *text, Error *e) {
    json_error_t why;
    json_t *list = json_loads(text, 0, &why);
    Rc rc = list ? evaluations_read(r, list, e) : error_set(e, RC_INTEGRITY, "evaluations: %s", why.text);
    json_decref(list);
    return rc;
}

/* Text members of the record, once for writing and once for reading. */
#define RECORD_TEXTS(T) \
    T(id) \
    T(arithmetic_class) T(arithmetic) T(dataset) T(dataset_sha256) T(tokenizer_sha256) T(status) T(culprit) \
        T(loss_chain) T(parameters_hash)
#define RECORD_NUMBERS(N) \
    N(vocab, int) \
    N(entropy_rate, double) N(unigram, double) N(diverged_step, int) N(parameters, long) N(step_seconds, double) \
        N(memory_mb, double) N(wall_seconds, double)

/* SHA-256 of everything a record says but its own hash, and of its curves: a changed digit is noticed. */
static void record_hash(char out[SHA256_HEX], json_t *root, const char *curves, size_t length) {
    json_t *rest = json_copy(root);
    json_object_del(rest, "sha256");
    char *json = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    Text t;
    text_init(&t);
    text_format(&t, "%s\n", json);
    text_add(&t, curves, length);
    sha256_hex_of(out, t.at, t.length);
    text_release(&t);
    free(json);
    json_decref(rest);
}

static json_t *declared_json(const char *lines) {
    json_t *list = json_array();
    for (const char *at = lines; at && *at;) {
        size_t n = strcspn(at, "\n");
        json_array_append_new(list, json_stringn(at, n));
        at += n + (at[n] == '\n');
    }
    return list;
}

static Rc read_declared(RunRecord *r, json_t *list, Error *e) {
    Text lines;
    size_t i;
    json_t *line;
    text_init(&lines);
    json_array_foreach(list, i, line) {
        if (!json_is_string(line)) {
            text_release(&lines);
            return error_set(e, RC_INTEGRITY, "declared: not a list of lines");
        }
        text_format(&lines, "%s\n", json_string_value(line));
    }
    r->declared = lines.at;
    return RC_OK;
}

static json_t *record_json(const RunRecord *r) {
    json_t *root = json_object();
    Text spec;
    text_init(&spec);
    spec_text(&r->spec, &spec);
    json_object_set_new(root, "schema", json_integer(RECORD_SCHEMA));
#define T(name) json_object_set_new(root, #name, json_string(r->name));
    RECORD_TEXTS(T)
#undef T
#define N(name, type) \
    json_object_set_new(root, #name, \
                        _Generic(r->name, double \
                                 : json_number_of((double)r->name), default \
                                 : json_integer((json_int_t)r->name)));
    RECORD_NUMBERS(N)
#undef N
    json_object_set_new(root, "spec", json_string(spec.at));
    json_object_set_new(root, "declared", declared_json(r->declared));
    json_object_set_new(root, "evaluations", evaluations_json(r));
    json_t *provenance = provenance_json();
    json_object_set_new(provenance, "threads_per_run", json_integer(r->threads));
    json_object_set_new(provenance, "replicas", json_integer(r->replicas));
    if (r->device[0]) json_object_set_new(provenance, "device", json_string(r->device));
    json_object_set_new(root, "provenance", provenance);
    text_release(&spec);
    return root;
}

Rc record_write(const RunRecord *r, const char *folder, Error *e) {
    Text aside, final, path, curves;
    Text *const all[] = {&aside, &final, &path, &curves};
    for (int i = 0; i < 4; i++) text_init(all[i]);
    text_format(&aside, "%s/.aside.%s.%ld", folder, r->id, (long)getpid());
    text_format(&final, "%s/%s", folder, r->id);
    curves_text(&r->curves, &curves);
    json_t *root = record_json(r);
    char hash[SHA256_HEX];
    record_hash(hash, root, curves.at, curves.length);
    json_object_set_new(root, "sha256", json_string(hash));
    char *json = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    Rc rc = folder_make(aside.at, e);
    text_format(&path, "%s/curves.csv", aside.at);
    if (!rc) rc = file_write(path.at, curves.at, curves.length, e);
    text_clear(&path);
    text_format(&path, "%s/record.json", aside.at);
    if (!rc) rc = file_write(path.at, json, strlen(json), e);
    if (!rc) rc = folder_publish(aside.at, final.at, e);
    if (rc) folder_remove(aside.at);
    /* Another process stored this very run meanwhile, and swept what was written aside. */
    text_clear(&path);
    text_format(&path, "%s/record.json", final.at);
    if (rc && file_exists(path.at)) rc = RC_OK;
    free(json);
    json_decref(root);
    for (int i = 0; i < 4; i++) text_release(all[i]);
    return rc;
}

/* Records from before there were groups of runs name no size of one. */
static void read_provenance(RunRecord *r, json_t *provenance) {
    const char *device = json_string_value(json_object_get(provenance, "device"));
    const char *cpu = json_string_value(json_object_get(provenance, "cpu"));
    int threads = (int)json_integer_value(json_object_get(provenance, "threads_per_run"));
    int replicas = (int)json_integer_value(json_object_get(provenance, "replicas"));
    snprintf(r->device, sizeof r->device, "%s", device ? device : cpu ? cpu : "unknown");
    r->threads = threads > 1 ? threads : 1, r->replicas = replicas > 1 ? replicas : 1;
}

static Rc read_members(RunRecord *r, json_t *root, Error *e) {
    double number;
    json_int_t schema = json_integer_value(json_object_get(root, "schema"));
    if (schema < 1 || schema > RECORD_SCHEMA)
        return error_set(e, RC_INTEGRITY, "schema: this program reads versions 1 to %d", RECORD_SCHEMA);
    if (schema > 1 && read_declared(r, json_object_get(root, "declared"), e)) return e->code;
#define T(name) \
    { \
        const char *text = json_string_value(json_object_get(root, #name)); \
        if (!text || strlen(text) >= sizeof r->name) return error_set(e, RC_INTEGRITY, #name ": absent or too long"); \
        strcpy(r->name, text); \
    }
    RECORD_TEXTS(T)
#undef T
#define N(name, type) \
    if (!json_number_read(json_object_get(root, #name), &number)) \
        return error_set(e, RC_INTEGRITY, #name ": absent or not a number"); \
    r->name = (type)number;
    RECORD_NUMBERS(N)
#undef N
    read_provenance(r, json_object_get(root, "provenance"));
    const char *spec = json_string_value(json_object_get(root, "spec"));
    if (!spec) return error_set(e, RC_INTEGRITY, "spec: absent");
    if (spec_parse(&r->spec, spec, e)) {
        error_prefix(e, "spec: ");
        return e->code = RC_INTEGRITY;
    }
    return evaluations_read(r, json_object_get(root, "evaluations"), e);
}

static Rc read_record(RunRecord *r, json_t **root, const char *path, const char *id, Error *e) {
    char *bytes;
    size_t length;
    json_error_t why;
    if (file_read(path, &bytes, &length, e)) return e->code;
    *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &why);
    free(bytes);
    Rc rc = *root ? read_members(r, *root, e) : error_set(e, RC_INTEGRITY, "line %d: %s", why.line, why.text);
    if (!rc && strcmp(r->id, id)) rc = error_set(e, RC_INTEGRITY, "id: names another run");
    return rc ? error_prefix(e, "%s: ", path) : RC_OK;
}

/* The curves, once the hash has vouched for them and for the record. */
static Rc read_vouched(RunRecord *r, json_t *root, const char *path, Error *e) {
    char *bytes, hash[SHA256_HEX];
    size_t length;
    const char *stated = json_string_value(json_object_get(root, "sha256"));
    if (file_read(path, &bytes, &length, e)) return e->code == RC_USAGE ? e->code = RC_INTEGRITY : e->code;
    record_hash(hash, root, bytes, length);
    Rc rc = stated && !strcmp(stated, hash)
                ? curves_read(&r->curves, bytes, e)
                : error_set(e, RC_INTEGRITY,
                            "this file and record.json beside it do not have the hash that record.json names");
    free(bytes);
    return rc ? error_prefix(e, "%s: ", path) : RC_OK;
}

Rc record_read(RunRecord *r, const char *folder, const char *id, Error *e) {
    Text path;
    json_t *root = NULL;
    *r = (RunRecord){0};
    text_init(&path);
    text_format(&path, "%s/%s/record.json", folder, id);
    Rc rc = read_record(r, &root, path.at, id, e);
    text_clear(&path);
    text_format(&path, "%s/%s/curves.csv", folder, id);
    if (!rc) rc = read_vouched(r, root, path.at, e);
    json_decref(root);
    if (rc) record_release(r);
    text_release(&path);
    return rc;
}
