#include "bench/store/record.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/store/metrics.h"

void record_release(RunRecord *r) {
    for (int i = 0; i < r->evaluations; i++) free(r->evaluation[i].block);
    free(r->evaluation);
    free(r->curves.value);
    free(r->declared);
    hits_release(&r->hits);
    translations_release(&r->translations);
    rounded_release(&r->rounded);
    r->declared = NULL;
    r->evaluation = NULL;
    r->evaluations = 0;
    r->curves = (Curves){0};
}

const char *const record_files[RECORD_FILES] = {"record.json", "curves.csv", HITS_FILE, TRANSLATIONS_FILE};

bool record_has(const RunRecord *r, int k) {
    return k < 2 || (k == 2 ? r->hits.targets > 0 : r->translations.sentences > 0);
}

const Evaluation *record_at(const RunRecord *r, int step) {
    for (int i = 0; i < r->evaluations; i++)
        if (r->evaluation[i].step == step) return &r->evaluation[i];
    return NULL;
}

void record_evaluated(RunRecord *r, const Evaluation *x) {
    r->evaluation = mem_grow(r->evaluation, (size_t)r->evaluations + 1, sizeof *r->evaluation);
    r->evaluation[r->evaluations++] = *x;
}

static bool stands(const Evaluation *x, Metric m, const ProbeChoice *asked) {
    return !x->absent[m] && !metric_of_curves(m) && (!asked || metric_asked(m, asked));
}

static json_t *evaluations_json(const RunRecord *r, const ProbeChoice *asked) {
    json_t *list = json_array();
    for (int i = 0; i < r->evaluations; i++) {
        const Evaluation *x = &r->evaluation[i];
        json_t *entry = json_new("step", x->step);
        for (int m = 0; m < METRIC_COUNT; m++)
            if (stands(x, (Metric)m, asked)) json_add(entry, metric_info[m].key, json_number_of(x->metric[m]));
        json_array_append_new(list, json_add(entry, "targets", x->targets, "dropped_targets", x->dropped,
                                             "block_losses", json_numbers(x->block, (size_t)x->blocks)));
    }
    return list;
}

static Rc evaluations_read(RunRecord *r, json_t *list, Error *e) {
    size_t i, j;
    json_t *entry, *block;
    if (!json_is_array(list)) return error_set(e, RC_INTEGRITY, "evaluations: not a list");
    json_array_foreach(list, i, entry) {
        Evaluation x = {.step = (int)json_get_whole(entry, "step")};
        json_t *blocks = json_object_get(entry, "block_losses");
        x.targets = (long)json_get_whole(entry, "targets");
        x.dropped = (long)json_get_whole(entry, "dropped_targets");
        for (int m = 0; m < METRIC_COUNT; m++)
            if (!json_object_get(entry, metric_info[m].key))
                x.metric[m] = (double)NAN, x.absent[m] = true;
            else if (!json_number_read(json_object_get(entry, metric_info[m].key), &x.metric[m]))
                return error_set(e, RC_INTEGRITY, "evaluations[%zu]: %s is not a number", i, metric_info[m].key);
        x.blocks = (int)json_array_size(blocks);
        x.block = mem_alloc((size_t)x.blocks, sizeof *x.block);
        record_evaluated(r, &x);
        json_array_foreach(blocks, j, block) if (!json_number_read(block, &x.block[j])) return error_set(
            e, RC_INTEGRITY, "evaluations[%zu]: block_losses[%zu] is not a number", i, j);
    }
    return RC_OK;
}

char *evaluations_text(const RunRecord *r, const ProbeChoice *asked) {
    json_auto_t *list = evaluations_json(r, asked);
    char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
    return text;
}

Rc evaluations_parse(RunRecord *r, const char *text, Error *e) {
    json_error_t why;
    json_auto_t *list = json_loads(text, 0, &why);
    return list ? evaluations_read(r, list, e) : error_set(e, RC_INTEGRITY, "evaluations: %s", why.text);
}

#define ROW(member) JSON_FIELD(RunRecord, member)
static const JsonField members[] = {
    ROW(id), ROW(arithmetic_class), ROW(arithmetic), ROW(dataset), ROW(dataset_sha256), ROW(tokenizer_sha256),
    ROW(status), ROW(culprit), ROW(loss_chain), ROW(parameters_hash), ROW(vocab), ROW(entropy_rate), ROW(unigram),
    ROW(diverged_step), ROW(parameters), ROW(step_seconds), ROW(memory_mb), ROW(wall_seconds), {0}};
#define HEAD(member) JSON_FIELD(RecordHead, member)
static const JsonField head_members[] = {HEAD(id), HEAD(arithmetic_class), HEAD(arithmetic), HEAD(dataset_sha256),
                                         HEAD(tokenizer_sha256), HEAD(status), HEAD(vocab), HEAD(wall_seconds),
                                         {0}};

/* Read the members of a record or of its head. */
static Rc take_members(void *to, const JsonField *fields, const json_t *root, Error *e) {
    const char *bad = json_take(to, fields, root);
    return bad ? error_set(e, RC_INTEGRITY, "%s: absent, of another type or too large", bad) : RC_OK;
}

static char *members_hash(char out[SHA256_HEX], Text *text, const char *curves, size_t length) {
    text_add(text, "\n", 1);
    text_add(text, curves, length);
    return sha256_hex_of(out, text->at, text->length);
}

/* Hash all members of a record but its own hash, and its curves, so that any change is noticed. */
static void record_hash(char out[SHA256_HEX], json_t *root, const char *curves, size_t length) {
    json_auto_t *rest = json_copy(root);
    json_object_del(rest, "sha256");
    OWNED char *json = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    LOCAL_TEXT(t);
    text_add(&t, json, strlen(json));
    members_hash(out, &t, curves, length);
}

/* Compare a record's hash with that of its text as it is spelled, which is record_hash's for what record_write wrote,
 * and then with record_hash. */
static bool hash_holds(const char *stated, const char *text, json_t *root, const char *curves, size_t length) {
    char hash[SHA256_HEX];
    LOCAL_TEXT(t);
    if (!stated) return false;
    if (json_compact(text, "sha256", &t) && !strcmp(stated, members_hash(hash, &t, curves, length))) return true;
    record_hash(hash, root, curves, length);
    return !strcmp(stated, hash);
}

void record_seal(json_t *root, const char *curves, size_t length) {
    char hash[SHA256_HEX];
    record_hash(hash, root, curves, length);
    json_object_set_new(root, "sha256", json_string(hash));
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

/* Write {"names": […], "added_every": 10}, unless they are the usual probes: they are no part of a run's identity. */
static void set_probes(json_t *root, const ProbeChoice *c) {
    const ProbeChoice usual = probes_usual();
    json_t *names = json_array();
    if (!c->every || probes_same(c, &usual)) {
        json_decref(names);
        return;
    }
    for (int i = 0; i < PROBE_COUNT; i++)
        if (c->wanted[i]) json_array_append_new(names, json_string(probe_info[i].name));
    json_object_set_new(root, "probes", json_pack("{s:o, s:i}", "names", names, "added_every", c->every));
}

/* Read the probes. Records with "every" in place of "added_every" thinned the usual ones too: those do not count as
 * measured. The run has the named probes whose columns are in the curves: which ones are usual changes with versions.
 * */
static Rc read_probes(ProbeChoice *c, json_t *probes, Error *e) {
    size_t i;
    json_t *name;
    *c = (ProbeChoice){.every = 1};
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) c->wanted[kind] = true;
    if (!probes) return RC_OK;
    json_t *every = json_object_get(probes, "every"), *added = json_object_get(probes, "added_every");
    *c = (ProbeChoice){.every = (int)json_integer_value(added ? added : every)};
    if (c->every < 1) return error_set(e, RC_INTEGRITY, "probes: every is not a number of steps");
    json_array_foreach(json_object_get(probes, "names"), i, name) {
        const char *text = json_string_value(name);
        ProbeKind kind = text ? probe_find(text) : PROBE_COUNT;
        if (kind == PROBE_COUNT)
            return error_set(e, RC_INTEGRITY, "probes: this program knows no '%.60s'", text ? text : "");
        c->wanted[kind] = added || c->every == 1 || !probe_info[kind].usual;
    }
    return RC_OK;
}

static json_t *record_json(const RunRecord *r) {
    json_t *root = json_put(json_new("schema", (int)RECORD_SCHEMA), members, r);
    LOCAL_TEXT(spec);
    spec_text(&r->spec, &spec);
    char hash[SHA256_HEX];
    json_add(root, "spec", spec.at, "spec_sha256", sha256_hex_of(hash, spec.at, spec.length), "declared",
             declared_json(r->declared));
    set_probes(root, &r->probes);
    return json_add(root, "hits", r->hits.targets ? hits_json(&r->hits) : NULL, "translations",
                    r->translations.sentences ? translations_json(&r->translations) : NULL, "evaluations",
                    evaluations_json(r, NULL), "rounded", rounded_json(&r->rounded), "provenance",
                    provenance_json_of(&r->provenance));
}

static Rc write_beside(const char *folder, const char *name, const void *bytes, size_t length, Error *e) {
    LOCAL_TEXT(path);
    text_format(&path, "%s/%s", folder, name);
    return file_write(path.at, bytes, length, e);
}

/* The bytes, or NULL. RC_INTEGRITY: the file is absent, or its bytes are not those that the record names. */
static char *read_beside(const char *folder, const char *name, const char *sha256, size_t *length, Error *e) {
    LOCAL_TEXT(path);
    char hash[SHA256_HEX], *bytes = NULL;
    text_format(&path, "%s/%s", folder, name);
    if (file_read(path.at, &bytes, length, e)) {
        if (e->code == RC_USAGE) e->code = RC_INTEGRITY;
        bytes = NULL;
    } else if (strcmp(sha256_hex_of(hash, bytes, *length), sha256)) {
        error_set(e, RC_INTEGRITY, "%s: its bytes do not have the hash that record.json names", path.at);
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

Rc record_write(const RunRecord *r, const char *folder, Error *e) {
    Text aside, final, path, curves;
    Text *const all[] = {&aside, &final, &path, &curves};
    for (int i = 0; i < 4; i++) text_init(all[i]);
    text_format(&aside, "%s/.aside.%s.%ld", folder, r->id, (long)getpid());
    text_format(&final, "%s/%s", folder, r->id);
    curves_text(&r->curves, &curves);
    json_auto_t *root = record_json(r);
    record_seal(root, curves.at, curves.length);
    OWNED char *json = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    Rc rc = folder_make_own(aside.at, e);
    const Hits *hits = &r->hits;
    const Translations *t = &r->translations;
    if (!rc) rc = write_beside(aside.at, "curves.csv", curves.at, curves.length, e);
    if (!rc && hits->targets) rc = write_beside(aside.at, HITS_FILE, hits->bit, hits_bytes(hits), e);
    if (!rc && t->sentences) rc = write_beside(aside.at, TRANSLATIONS_FILE, t->text, strlen(t->text), e);
    if (!rc) rc = write_beside(aside.at, "record.json", json, strlen(json), e);
    if (!rc) rc = folder_publish(aside.at, final.at, e);
    if (rc) folder_remove(aside.at);
    /* another process has stored this run meanwhile, and swept what was written aside */
    text_format(&path, "%s/record.json", final.at);
    if (rc && file_exists(path.at)) rc = RC_OK;
    for (int i = 0; i < 4; i++) text_release(all[i]);
    return rc;
}

static bool begins_with(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

PrecisionKind precision_of_class(const char *arithmetic_class) {
    static const char *const families[] = {"", "cuda-", "simt-"};
    char name[BACKEND_CLASS_SIZE];
    PrecisionKind own;
    Error none;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (!begins_with(arithmetic_class, families[i])) continue;
        const char *rest = arithmetic_class + strlen(families[i]);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, " "), rest);
        if (!precision_find(&own, name, &none)) return own;
    }
    return begins_with(arithmetic_class, "bf16") ? PRECISION_bf16 : PRECISION_exact;
}

void record_identity_text(Text *out, const char *dataset_sha256, const char *tokenizer_sha256,
                          const char *arithmetic_class, const char *arithmetic) {
    text_format(out, "dataset_sha256 = %s\ntokenizer_sha256 = %s\narithmetic = %s %s\n", dataset_sha256,
                tokenizer_sha256, arithmetic_class, arithmetic);
}

void record_identity(char out[SHA256_HEX], const RunSpec *s, const char *dataset_sha256, const char *tokenizer_sha256,
                     const char *arithmetic_class, const char *arithmetic) {
    LOCAL_TEXT(text);
    spec_text(s, &text);
    record_identity_text(&text, dataset_sha256, tokenizer_sha256, arithmetic_class, arithmetic);
    sha256_hex_of(out, text.at, text.length);
}

const char *record_identity_among(const char (*id)[SHA256_HEX], int ids, const RunSpec *s, const char *dataset_sha256,
                                  const char *tokenizer_sha256, const char *arithmetic_class, const char *arithmetic) {
    char hash[SHA256_HEX];
    const char *found = NULL;
    for (int older = 0; older < 6 && !found; older++) { /* older / 2: by bytes, with its name too, by its name alone */
        RunSpec before = older < 2 ? spec_by_bytes(s) : *s;
        if ((older & 1 && s->precision == PRECISION_exact) || (older > 1 && !spec_own_text(s))) continue;
        if (older & 1) before.precision = PRECISION_exact;
        if (older > 3) spec_forget_text(&before);
        record_identity(hash, &before, dataset_sha256, tokenizer_sha256, arithmetic_class, arithmetic);
        found = bsearch(hash, id, (size_t)ids, sizeof *id, text_order);
    }
    return found;
}

bool record_identity_holds(const char *id, const RunSpec *s, const char *dataset_sha256, const char *tokenizer_sha256,
                           const char *arithmetic_class, const char *arithmetic) {
    char one[1][SHA256_HEX];
    snprintf(one[0], sizeof one[0], "%s", id);
    return record_identity_among(one, 1, s, dataset_sha256, tokenizer_sha256, arithmetic_class, arithmetic);
}

static Rc read_schema(json_t *root, int *schema, Error *e) {
    json_int_t number = json_get_whole(root, "schema");
    *schema = (int)number;
    if (number >= 1 && number <= RECORD_SCHEMA) return RC_OK;
    return error_set(e, RC_INTEGRITY, "schema: this program reads versions 1 to %d", RECORD_SCHEMA);
}

/* Read the spec and its hash. Schemas 1 and 2 have the precision only in the arithmetic class, those up to 6 a text's
 * bytes only beside the spec. */
static Rc read_spec(json_t *root, int schema, const char *arithmetic_class, RunSpec *s, char hash[SHA256_HEX],
                    Error *e) {
    const char *text = json_get_text(root, "spec");
    const char *stated = json_get_text(root, "spec_sha256");
    if (!text) return error_set(e, RC_INTEGRITY, "spec: absent");
    if (spec_parse(s, text, e)) {
        error_prefix(e, "spec: ");
        return e->code = RC_INTEGRITY;
    }
    if (schema < 3) s->precision = (int)precision_of_class(arithmetic_class);
    spec_hash(s, hash);
    if (schema >= 3 && (!stated || strcmp(stated, hash)))
        return error_set(e, RC_INTEGRITY, "spec_sha256: not the hash of the spec");
    const char *bytes = json_get_text(root, "dataset_sha256");
    if (!spec_own_text(s) || !bytes) return RC_OK;
    spec_know_text(s, bytes);
    RunSpec found = spec_by_bytes(s);
    spec_hash(&found, hash);
    return RC_OK;
}

static Rc read_members(RunRecord *r, json_t *root, Error *e) {
    int schema;
    if (read_schema(root, &schema, e)) return e->code;
    if (schema > 1 && read_declared(r, json_object_get(root, "declared"), e)) return e->code;
    if (take_members(r, members, root, e)) return e->code;
    provenance_read(&r->provenance, json_object_get(root, "provenance"));
    if (read_probes(&r->probes, json_object_get(root, "probes"), e)) return e->code;
    if (hits_parse(&r->hits, json_object_get(root, "hits"), e)) return e->code;
    if (translations_parse(&r->translations, json_object_get(root, "translations"), e)) return e->code;
    if (rounded_parse(&r->rounded, json_object_get(root, "rounded"), e)) return e->code;
    if (read_spec(root, schema, r->arithmetic_class, &r->spec, r->spec_sha256, e)) return e->code;
    return evaluations_read(r, json_object_get(root, "evaluations"), e);
}

/* Cut out the evaluations, nine tenths of a record's text, if it has record_write's layout. Return the last one's loss;
 * NaN: not known. */
static double cut_evaluations(char *bytes, size_t *length) {
    static const char key[] = "\n   \"valid_loss\": ";
    char *from = strstr(bytes, "\n \"evaluations\": ["), *to = from ? strstr(from, "\n ],\n") : NULL, *end;
    if (!to) return (double)NAN;
    const char *last = NULL;
    for (const char *at = from; (at = strstr(at, key)) && at < to; at += strlen(key)) last = at + strlen(key);
    double loss = last ? strtod(last, &end) : (double)NAN;
    if (last && end == last) loss = (double)NAN;
    from += strlen("\n \"evaluations\": [");
    memmove(from, to, *length - (size_t)(to - bytes));
    *length -= (size_t)(to - from);
    bytes[*length] = '\0';
    return loss;
}

/* Load a record; last_loss not NULL: without the evaluations, and the last one's loss; text: what was loaded, for the
 * caller to free (NULL: not wanted). */
static Rc load(json_t **root, const char *path, double *last_loss, char **text, Error *e) {
    char *bytes;
    size_t length;
    json_error_t why;
    if (file_read(path, &bytes, &length, e)) return e->code;
    if (last_loss) *last_loss = cut_evaluations(bytes, &length);
    *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &why);
    if (*root && text)
        *text = bytes;
    else
        free(bytes);
    if (!*root && last_loss) return load(root, path, NULL, text, e); /* for the line numbers of the whole text */
    return *root ? RC_OK : error_set(e, RC_INTEGRITY, "%s: line %d: %s", path, why.line, why.text);
}

static Rc read_head(RecordHead *h, json_t *root, const char *id, Error *e) {
    RunSpec spec;
    int schema;
    if (read_schema(root, &schema, e)) return e->code;
    if (take_members(h, head_members, root, e)) return e->code;
    h->made = json_get_whole(json_object_get(root, "provenance"), "made");
    if (strcmp(h->id, id)) return error_set(e, RC_INTEGRITY, "id: names another run");
    if (read_spec(root, schema, h->arithmetic_class, &spec, h->spec_sha256, e)) return e->code;
    h->precision = (PrecisionKind)spec.precision;
    RunSpec plain = spec;
    spec_forget_text(&plain);
    memcpy(h->plain_sha256, h->spec_sha256, SHA256_HEX);
    if (spec_own_text(&spec)) spec_hash(&plain, h->plain_sha256);
    if (record_identity_holds(id, &spec, h->dataset_sha256, h->tokenizer_sha256, h->arithmetic_class, h->arithmetic))
        return RC_OK;
    return error_set(e, RC_INTEGRITY, "id: it is not that of this spec, dataset, tokenizer and arithmetic");
}

Rc record_head(RecordHead *h, const char *folder, const char *id, Error *e) {
    LOCAL_TEXT(path);
    json_auto_t *root = NULL;
    *h = (RecordHead){0};
    text_format(&path, "%s/%s/record.json", folder, id);
    Rc rc = load(&root, path.at, &h->last_loss, NULL, e);
    if (!rc) rc = read_head(h, root, id, e) ? error_prefix(e, "%s: ", path.at) : RC_OK;
    return rc;
}

static Rc read_record(RunRecord *r, json_t **root, char **text, const char *path, const char *id, Error *e) {
    if (load(root, path, NULL, text, e)) return e->code;
    Rc rc = read_members(r, *root, e);
    if (!rc && strcmp(r->id, id)) rc = error_set(e, RC_INTEGRITY, "id: names another run");
    return rc ? error_prefix(e, "%s: ", path) : RC_OK;
}

/* Check the hash of the record and its curves, and read these if they are wanted. */
static Rc read_vouched(RunRecord *r, json_t *root, const char *text, const char *path, bool wanted, Error *e) {
    char *bytes;
    size_t length;
    const char *stated = json_get_text(root, "sha256");
    if (file_read(path, &bytes, &length, e)) return e->code == RC_USAGE ? e->code = RC_INTEGRITY : e->code;
    Rc rc = !hash_holds(stated, text, root, bytes, length)
                ? error_set(e, RC_INTEGRITY,
                            "this file and record.json beside it do not have the hash that record.json names")
            : wanted ? curves_read(&r->curves, bytes, e)
                     : RC_OK;
    free(bytes);
    if (rc || !wanted) return rc ? error_prefix(e, "%s: ", path) : RC_OK;
    r->curves.every = r->probes.every;
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) r->probes.wanted[kind] &= r->curves.at[kind] >= 0;
    return RC_OK;
}

/* Read the members of record.json; the caller releases the root and the text (NULL: not wanted). */
static Rc read_json_of(RunRecord *r, json_t **root, char **text, const char *folder, const char *id, Error *e) {
    LOCAL_TEXT(path);
    *r = (RunRecord){0};
    text_format(&path, "%s/%s/record.json", folder, id);
    return read_record(r, root, text, path.at, id, e);
}

static Rc read_sidecars(RunRecord *r, const char *folder, Error *e) {
    size_t length;
    Hits *h = &r->hits;
    Translations *t = &r->translations;
    if (h->targets && !(h->bit = (uint8_t *)read_beside(folder, HITS_FILE, h->sha256, &length, e))) return e->code;
    if (h->targets && length != hits_bytes(h))
        return error_set(e, RC_INTEGRITY, "%s/" HITS_FILE ": %ld targets take other than %zu bytes", folder, h->targets,
                         length);
    if (t->sentences && !(t->text = read_beside(folder, TRANSLATIONS_FILE, t->sha256, &length, e))) return e->code;
    return RC_OK;
}

/* Read the members and check the hash; curves: read the curves and the files beside them too. */
static Rc read_checked(RunRecord *r, const char *folder, const char *id, bool curves, Error *e) {
    LOCAL_TEXT(path);
    json_auto_t *root = NULL;
    OWNED char *text = NULL;
    Rc rc = read_json_of(r, &root, &text, folder, id, e);
    text_format(&path, "%s/%s/curves.csv", folder, id);
    if (!rc) rc = read_vouched(r, root, text, path.at, curves, e);
    text_clear(&path);
    text_format(&path, "%s/%s", folder, id);
    if (!rc && curves) rc = read_sidecars(r, path.at, e);
    if (rc) record_release(r);
    return rc;
}

Rc record_read(RunRecord *r, const char *folder, const char *id, Error *e) {
    return read_checked(r, folder, id, true, e);
}

Rc record_checked(RunRecord *r, const char *folder, const char *id, Error *e) {
    return read_checked(r, folder, id, false, e);
}

Rc record_members(RunRecord *r, const char *folder, const char *id, Error *e) {
    json_auto_t *root = NULL;
    Rc rc = read_json_of(r, &root, NULL, folder, id, e);
    if (rc) record_release(r);
    return rc;
}

int records_made_by(MadeBy out[MADE_BY_MAX], const RunRecord *const *r, int runs) {
    int count = 0;
    for (int i = 0; i < runs; i++) {
        const Provenance *p = &r[i]->provenance;
        int k = 0;
        while (k < count && strcmp(out[k].commit, p->commit)) k++;
        if (k == MADE_BY_MAX) continue;
        if (k == count) out[count++] = (MadeBy){.commit = p->commit, .first = p->made, .last = p->made};
        out[k].runs++;
        if (p->made < out[k].first) out[k].first = p->made;
        if (p->made > out[k].last) out[k].last = p->made;
    }
    return count;
}
