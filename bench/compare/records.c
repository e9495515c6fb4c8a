/* JSON: {"arms": {ARM: {SEED: value}}} or [{"seed", "arm", "value", "block"?}]; JSONL: such objects, one a line. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/rows.h"
#include "bench/formats/json.h"

static Rc value_of(const char *where, const json_t *v, double *out, Error *e) {
    if (json_is_string(v)) return compare_value(where, "value", json_string_value(v), out, e);
    if (json_is_null(v)) return compare_value(where, "value", "null", out, e);
    if (!json_is_number(v))
        return error_set(e, RC_USAGE, "%s: the value is not a number (a diverged run is written \"nan\")", where);
    *out = json_number_value(v) + 0.0;
    return compare_value_fits(where, "value", *out, e);
}

/* A run that is not there, where a file may have such. */
static bool passed_over(const CompareRows *r, const json_t *v) {
    return compare_may_lack(r) && (json_is_null(v) || (json_is_string(v) && log_absent(json_string_value(v))));
}

/* A whole number, as one or in quotes; 3.0 is one. */
static Rc whole(const char *where, const char *key, const json_t *v, int64_t *out, Error *e) {
    if (json_is_string(v)) return compare_seed(where, key, json_string_value(v), out, e);
    double x = json_number_value(v);
    *out = json_is_integer(v) ? (int64_t)json_integer_value(v) : -1;
    if (json_is_real(v) && x >= 0 && x <= 0x1p53 && x == floor(x)) *out = (int64_t)x;
    if (*out >= 0) return RC_OK;
    return error_set(e, RC_USAGE, "%s: \"%s\" is not a whole number from 0 on", where, key);
}

/* Of the first of its keys that the command line does not say to be another. */
static Rc read_corpus(CompareRows *r, const char *where, const json_t *o, CompareRow *row, Error *e) {
    const CompareColumns *n = &r->columns;
    const char *const named[] = {n->seed, n->arm, n->value, n->step};
    const json_t *v = NULL;
    for (size_t i = 0; i < sizeof compare_corpus_columns / sizeof *compare_corpus_columns && !v; i++) {
        v = json_object_get(o, compare_corpus_columns[i]);
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            if (named[k] && !strcmp(named[k], compare_corpus_columns[i])) v = NULL;
    }
    if (r->rows && !v != !r->corpora)
        return error_set(e, RC_USAGE, "%s: some records have a \"corpus\" and some do not", where);
    if (!v) return RC_OK;
    if (!json_is_string(v)) return error_set(e, RC_USAGE, "%s: the corpus is not a string", where);
    return compare_corpus(r, where, json_string_value(v), &row->corpus, e);
}

static Rc read_record(CompareRows *r, const json_t *o, long at, Error *e) {
    const CompareColumns *n = &r->columns;
    const char *const keys[] = {n->seed ? n->seed : "seed",    n->arm ? n->arm : "arm",
                                n->value ? n->value : "value", n->steps ? n->step ? n->step : "step" : "block",
                                compare_corpus_columns[0],     compare_corpus_columns[1]};
    bool others = n->arm || n->value; /* are passed over */
    CompareRow row = {.at = at};
    char where[700], hint[96];
    const char *key;
    json_t *v, *object = (json_t *)o;
    compare_where(where, sizeof where, r, &row);
    if (!json_is_object(o))
        return error_set(e, RC_USAGE, "%s: not an object of %.80s, %.80s and %.80s", where, keys[0], keys[1], keys[2]);
    json_object_foreach(object, key, v) {
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) known |= !strcmp(key, keys[i]);
        if (!known && !others)
            return error_set(e, RC_USAGE, "%s: unknown key '%.60s'%s", where, key,
                             did_you_mean(hint, sizeof hint, key, keys, sizeof keys / sizeof *keys));
    }
    bool blocks = json_object_get(o, keys[3]) != NULL;
    if (n->steps && !blocks) return error_set(e, RC_USAGE, "%s: no \"%.80s\": --target reads curves", where, keys[3]);
    bool numbered = n->unpaired && !n->seed && !blocks && !json_object_get(o, keys[0]);
    for (size_t i = numbered; i < 3; i++)
        if (!json_object_get(o, keys[i]))
            return error_set(e, RC_USAGE, "%s: no \"%s\"%s", where, keys[i],
                             i ? "" : "; --unpaired compares runs without one");
    if (r->rows && numbered != r->numbered)
        return error_set(e, RC_USAGE, "%s: some records have a \"%s\" and some do not", where, keys[0]);
    r->numbered = numbered;
    if (r->rows && blocks != r->blocks)
        return error_set(e, RC_USAGE, "%s: some records have a \"block\" and some do not", where);
    r->blocks = blocks;
    if (!json_is_string(json_object_get(o, keys[1])))
        return error_set(e, RC_USAGE, "%s: \"%.80s\" is not a string", where, keys[1]);
    if (read_corpus(r, where, o, &row, e)) return e->code;
    if (!numbered && whole(where, keys[0], json_object_get(o, keys[0]), &row.seed, e)) return e->code;
    if (blocks && whole(where, keys[3], json_object_get(o, keys[3]), &row.block, e)) return e->code;
    if (compare_arm(r, where, json_string_value(json_object_get(o, keys[1])), &row.arm, e)) return e->code;
    row.absent = passed_over(r, json_object_get(o, keys[2]));
    if (numbered && row.absent) return RC_OK;
    if (!row.absent && value_of(where, json_object_get(o, keys[2]), &row.value, e)) return e->code;
    if (numbered) row.seed = compare_next_run(r, row.arm);
    compare_row_add(r, row);
    return RC_OK;
}

static Rc read_list(CompareRows *r, const json_t *list, Error *e) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (read_record(r, json_array_get(list, i), (long)i, e)) return e->code;
    return RC_OK;
}

/* [3.2, 3.1]: runs that name no seeds, so that none is another's pair. */
static Rc read_arm_list(CompareRows *r, const char *name, const char *arm_at, const json_t *values, Error *e) {
    CompareRow row = {.at = -1};
    char where[1200];
    if (!r->columns.unpaired)
        return error_set(e, RC_USAGE,
                         "%s: a list names no seeds; write {SEED: value}, or --unpaired compares runs "
                         "without them",
                         arm_at);
    if (r->rows && !r->numbered) return error_set(e, RC_USAGE, "%s: some arms have seeds and some do not", arm_at);
    r->numbered = true;
    if (compare_arm(r, arm_at, name, &row.arm, e)) return e->code;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i);
        row.seed = compare_next_run(r, row.arm);
        compare_where(where, sizeof where, r, &row);
        row.absent = passed_over(r, v);
        if (!row.absent && value_of(where, v, &row.value, e)) return e->code;
        compare_row_add(r, row);
    }
    return RC_OK;
}

static Rc read_arm(CompareRows *r, const char *name, json_t *seeds, Error *e) {
    CompareRow row = {.at = -1};
    char where[1200];
    const char *key;
    json_t *v;
    snprintf(where, sizeof where, "%.600s: arms.%.200s", r->file, name);
    if (json_is_array(seeds)) return read_arm_list(r, name, where, seeds, e);
    if (!json_is_object(seeds)) return error_set(e, RC_USAGE, "%s: not an object of seeds and values", where);
    if (compare_arm(r, where, name, &row.arm, e)) return e->code;
    json_object_foreach(seeds, key, v) {
        if (compare_seed(where, "seed", key, &row.seed, e)) return e->code;
        compare_where(where, sizeof where, r, &row);
        row.absent = passed_over(r, v);
        if (!row.absent && value_of(where, v, &row.value, e)) return e->code;
        compare_row_add(r, row);
    }
    if (r->numbered) return error_set(e, RC_USAGE, "%s: some arms have seeds and some do not", where);
    return RC_OK;
}

/* {"pre": [3.2, ...], "post": {"1": 3.3}}: arms without "arms" around them. */
static bool is_arms(json_t *root) {
    const char *key;
    json_t *v;
    if (!json_is_object(root) || json_object_size(root) < 2) return false;
    json_object_foreach(root, key, v) if (!json_is_array(v) && !json_is_object(v)) return false;
    return true;
}

/* {"seed": [1, 2], "pre": [3.2, 3.1], ...}: columns, as a data frame's to_dict("list") has them. */
static Rc read_columns(CompareRows *r, json_t *seeds, json_t *root, Error *e) {
    const char *name;
    json_t *values;
    char where[1200];
    json_object_foreach(root, name, values) {
        CompareRow row = {.at = -1};
        if (values == seeds) continue;
        snprintf(where, sizeof where, "%.600s: %.200s", r->file, name);
        if (json_array_size(values) != json_array_size(seeds))
            return error_set(e, RC_USAGE, "%s: %zu values beside %zu seeds", where, json_array_size(values),
                             json_array_size(seeds));
        if (compare_arm(r, where, name, &row.arm, e)) return e->code;
        for (size_t i = 0; i < json_array_size(seeds); i++) {
            const json_t *v = json_array_get(values, i);
            if (whole(where, "seed", json_array_get(seeds, i), &row.seed, e)) return e->code;
            if (passed_over(r, v)) continue;
            if (value_of(where, v, &row.value, e)) return e->code;
            compare_row_add(r, row);
        }
    }
    return RC_OK;
}

static Rc read_arms(CompareRows *r, json_t *root, Error *e) {
    json_t *arms = is_arms(root) ? root : json_object_get(root, "arms"), *v;
    const char *key;
    if (r->columns.seed || r->columns.arm || r->columns.value)
        return error_set(e, RC_USAGE,
                         "%.600s: {\"arms\": ...} has no columns to name; leave --column "
                         "and --metric out",
                         r->file);
    if (r->columns.steps)
        return error_set(e, RC_USAGE, "%.600s: {\"arms\": ...} has no steps; --target takes a list of records",
                         r->file);
    if (!json_is_object(arms) || (arms != root && json_object_size(root) != 1))
        return error_set(e, RC_USAGE, "%.600s: a JSON object holds \"arms\": {ARM: {SEED: value}} and nothing else",
                         r->file);
    if (arms == root && json_is_array(json_object_get(root, "seed")))
        return read_columns(r, json_object_get(root, "seed"), root, e);
    json_object_foreach(arms, key, v) if (read_arm(r, key, v, e)) return e->code;
    return RC_OK;
}

/* Is the first line an object by itself, and no {"arms": ...}? */
static bool is_lines(const char *bytes, size_t length) {
    const char *end = memchr(bytes, '\n', length);
    json_t *first = json_python(bytes, end ? (size_t)(end - bytes) : length, NULL);
    bool is = json_object_size(first) > 1 && !json_object_get(first, "arms") && !is_arms(first);
    json_decref(first);
    return is;
}

static Rc read_lines(CompareRows *r, const char *bytes, size_t length, Error *e) {
    const char *at = bytes, *last = bytes + length;
    Rc rc = RC_OK;
    r->lines = true;
    for (long line = 1 + r->before; !rc && at < last; line++) {
        const char *stop = memchr(at, '\n', (size_t)(last - at));
        if (!stop) stop = last;
        size_t blank = strspn(at, " \t\r");
        if (at + blank < stop) {
            json_error_t why;
            json_t *o = json_python(at, (size_t)(stop - at), &why);
            rc = o ? read_record(r, o, line, e) : error_set(e, RC_USAGE, "%.600s:%ld: %s", r->file, line, why.text);
            json_decref(o);
        }
        at = stop + 1;
    }
    return rc;
}

Rc compare_records(CompareRows *r, const char *bytes, size_t length, Error *e) {
    json_error_t why;
    while (length && strchr(" \t\r\n", *bytes)) r->before += *bytes == '\n', bytes++, length--;
    if (is_lines(bytes, length)) return read_lines(r, bytes, length, e);
    json_t *root = json_python(bytes, length, &why);
    if (!root) return error_set(e, RC_USAGE, "%.600s:%ld: %s", r->file, why.line + r->before, why.text);
    Rc rc = json_is_array(root) ? read_list(r, root, e) : read_arms(r, root, e);
    json_decref(root);
    return rc;
}
