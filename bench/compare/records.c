/* JSON: {"arms": {ARM: {SEED: value}}}, or a table, which is read as the CSV file that it is: a list of records, one
 * a line (JSONL), or columns as a data frame's to_json and to_dict write them. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bench/compare/rows.h"
#include "bench/formats/csv.h"
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

/* Append a field of CSV; a line's end inside becomes another control byte, which no name may hold. */
static void add_field(Text *out, const json_t *v) {
    OWNED char *dumped = v && !json_is_string(v) ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
    const char *text = dumped ? dumped : v ? json_string_value(v) : "";
    text_add(out, "\"", 1);
    for (; *text; text++)
        text_format(out, "%s%c", *text == '"' ? "\"" : "", *text == '\n' || *text == '\r' ? 1 : *text);
    text_add(out, "\"", 1);
}

/* Read the CSV file of these rows: objects, NULL for a blank line. The first row stands at `line`. */
static Rc read_table(CompareRows *r, const json_t *rows, long line, Error *e) {
    json_t *names = json_object(), *row, *v;
    const char *name;
    size_t i, columns = 0;
    LOCAL_TEXT(csv);
    json_array_foreach((json_t *)rows, i, row) json_object_foreach(row, name, v) {
        if (json_object_get(names, name)) continue;
        json_t *as_text = json_string(name);
        text_add(&csv, ",", columns++ > 0);
        add_field(&csv, as_text);
        json_object_set_new(names, name, as_text);
    }
    json_array_foreach((json_t *)rows, i, row) {
        text_add(&csv, "\n", 1);
        columns = 0;
        if (!json_is_null(row)) json_object_foreach(names, name, v) {
                text_add(&csv, ",", columns++ > 0);
                add_field(&csv, json_object_get(row, name));
            }
    }
    json_decref(names);
    return compare_csv(r, csv.at, csv.length, r->lines ? CSV_LINES_OF_JSON : CSV_LIST_OF_JSON, line, e);
}

static Rc read_list(CompareRows *r, const json_t *list, Error *e) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_object(json_array_get(list, i)))
            return error_set(e, RC_USAGE, "%.600s: [%zu]: not an object of seed, arm and value", r->file, i);
    return json_array_size(list) ? read_table(r, list, 0, e) : RC_OK;
}

/* Add a value to a row, which is made where it is first asked for. */
static void put(json_t *rows, size_t at, const char *name, json_t *v) {
    while (json_array_size(rows) <= at) json_array_append_new(rows, json_object());
    json_object_set(json_array_get(rows, at), name, v);
}

/* Make rows of columns: {"seed": [1, 2], "pre": [3.2, 3.1]}, as to_dict("list") writes them, or {"seed": {"0": 1,
 * "1": 2}, ...}, as to_json() does; of {"columns": ["seed", "pre"], "data": [[1, 3.2], ...]}; or of {"schema": ...,
 * "data": [...]}. *out is NULL where root is none of these. */
static Rc rows_of_columns(const CompareRows *r, json_t *root, json_t **out, Error *e) {
    const char *name, *key, *seed = r->columns.seed ? r->columns.seed : "seed";
    json_t *data = json_object_get(root, "data"), *columns = json_object_get(root, "columns"), *seeds, *values, *v;
    size_t i, k;
    *out = NULL;
    seeds = json_object_get(root, seed);
    json_object_foreach(root, name, v) if (!seeds && !strcasecmp(name, seed)) seeds = v;
    bool split = json_is_array(data) && json_is_array(columns), listed = json_is_array(seeds);
    if (json_is_array(data) && json_object_get(root, "schema")) *out = json_incref(data);
    if (*out || !(split || listed || json_is_object(seeds))) return RC_OK;
    *out = json_array();
    if (split) {
        json_array_foreach(data, i, values) json_array_foreach(values, k, v) {
            name = json_string_value(json_array_get(columns, k));
            if (!name) return error_set(e, RC_USAGE, "%.600s: columns: name %zu is missing or no text", r->file, k + 1);
            put(*out, i, name, v);
        }
        return RC_OK;
    }
    json_object_foreach(root, name, values) {
        size_t count = listed ? json_array_size(values) : json_object_size(values), at = 0;
        size_t rows = listed ? json_array_size(seeds) : json_object_size(seeds);
        if (count != rows)
            return error_set(e, RC_USAGE, "%.600s: %.200s: %zu values beside %zu seeds", r->file, name, count, rows);
        if (listed)
            json_array_foreach(values, i, v) put(*out, i, name, v);
        else
            json_object_foreach(seeds, key, v) {
                if (!(v = json_object_get(values, key)))
                    return error_set(e, RC_USAGE, "%.600s: %.200s: row '%.80s' of the seeds is missing", r->file, name,
                                     key);
                put(*out, at++, name, v);
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
    json_object_foreach(arms, key, v) if (read_arm(r, key, v, e)) return e->code;
    return RC_OK;
}

/* Is the first line an object by itself, and no {"arms": ...}? */
static bool is_lines(const char *bytes, size_t length) {
    const char *end = memchr(bytes, '\n', length);
    json_auto_t *first = json_python(bytes, end ? (size_t)(end - bytes) : length, NULL);
    return json_object_size(first) > 1 && !json_object_get(first, "arms") && !is_arms(first);
}

static Rc read_lines(CompareRows *r, const char *bytes, size_t length, Error *e) {
    const char *at = bytes, *last = bytes + length;
    json_auto_t *rows = json_array();
    Rc rc = RC_OK;
    r->lines = true;
    for (long line = 1 + r->before; !rc && at < last; line++) {
        const char *stop = memchr(at, '\n', (size_t)(last - at));
        if (!stop) stop = last;
        bool blank = at + strspn(at, " \t\r") >= stop;
        json_error_t why;
        json_t *o = blank ? json_null() : json_python(at, (size_t)(stop - at), &why);
        if (!blank && !json_is_object(o))
            rc = error_set(e, RC_USAGE, "%.600s:%ld: %s", r->file, line,
                           o ? "not an object of seed, arm and value" : why.text);
        json_array_append_new(rows, o ? o : json_null());
        at = stop + 1;
    }
    return rc ? rc : read_table(r, rows, 1 + r->before, e);
}

Rc compare_records(CompareRows *r, const char *bytes, size_t length, Error *e) {
    json_error_t why;
    while (length && strchr(" \t\r\n", *bytes)) r->before += *bytes == '\n', bytes++, length--;
    if (is_lines(bytes, length)) return read_lines(r, bytes, length, e);
    json_auto_t *root = json_python(bytes, length, &why), *rows = NULL;
    if (!root) return error_set(e, RC_USAGE, "%.600s:%ld: %s", r->file, why.line + r->before, why.text);
    Rc rc = json_is_object(root) ? rows_of_columns(r, root, &rows, e) : RC_OK;
    if (rc) return rc;
    return rows || json_is_array(root) ? read_list(r, rows ? rows : root, e) : read_arms(r, root, e);
}
