/* Read and write measured.json: {schema, statements: {NAME: {x: [], predicted: [], values: [x][seed]}}}. */
#include <math.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/theory/theory.h"

static json_t *measured_json(const Measured *m) {
    json_t *values = json_array();
    size_t points = (size_t)m->points, seeds = (size_t)m->seeds;
    for (size_t i = 0; i < points; i++) json_array_append_new(values, json_numbers(m->value + i * seeds, seeds));
    return json_new("x", json_numbers(m->x, points), "predicted", json_numbers(m->predicted, points), "values", values);
}

Rc theory_write(const Theory *t, const char *path, Error *e) {
    json_t *all = json_object();
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (t->at[i].points) json_add(all, statements[i].name, measured_json(&t->at[i]));
    return json_write_file(json_new("schema", THEORY_SCHEMA, "statements", all), JSON_EXACT, path, e);
}

/* Read a list of `count` numbers into out. */
static bool take_numbers(const json_t *list, int count, double *out) {
    if (!json_is_array(list) || (int)json_array_size(list) != count) return false;
    for (int i = 0; i < count; i++)
        if (!json_number_read(json_array_get(list, (size_t)i), &out[i])) return false;
    return true;
}

static Rc take_measured(Measured *m, const char *path, const char *name, const json_t *one, Error *e) {
    const json_t *x = json_object_get(one, "x"), *values = json_object_get(one, "values");
    const json_t *predicted = json_object_get(one, "predicted");
    m->points = (int)json_array_size(x), m->seeds = (int)json_array_size(json_array_get(values, 0));
    if (json_object_size(one) != 3 || m->points < 1 || m->seeds < 1 || (int)json_array_size(values) != m->points)
        return error_set(e, RC_INTEGRITY, "%s: statement '%.60s': x, predicted and values are wanted, as long as each "
                         "other", path, name);
    m->x = mem_alloc((size_t)m->points, sizeof *m->x);
    m->predicted = mem_alloc((size_t)m->points, sizeof *m->predicted);
    m->value = mem_alloc((size_t)m->points * (size_t)m->seeds, sizeof *m->value);
    bool good = take_numbers(x, m->points, m->x) && take_numbers(predicted, m->points, m->predicted);
    for (int i = 0; i < m->points && good; i++) {
        good = take_numbers(json_array_get(values, (size_t)i), m->seeds, m->value + i * m->seeds);
        good = good && isfinite(m->x[i]) && (!i || m->x[i] > m->x[i - 1]);
    }
    return good ? RC_OK
                : error_set(e, RC_INTEGRITY, "%s: statement '%.60s': not numbers at ascending x", path, name);
}

static Rc take_all(Theory *t, const char *path, json_t *root, Error *e) {
    json_t *all = json_object_get(root, "statements"), *one;
    const char *name;
    if (json_get_whole(root, "schema") != THEORY_SCHEMA || !json_is_object(all))
        return error_set(e, RC_INTEGRITY, "%s: no statements of schema %d", path, THEORY_SCHEMA);
    json_object_foreach(all, name, one) {
        StatementId id;
        Error unknown;
        if (statement_find(&id, name, &unknown))
            return error_set(e, RC_INTEGRITY, "%.600s: %.300s", path, unknown.text);
        if (take_measured(&t->at[id], path, name, one, e)) return e->code;
    }
    return RC_OK;
}

Rc theory_read(Theory *t, const char *path, Error *e) {
    *t = (Theory){0};
    if (!file_exists(path))
        return error_set(e, RC_UNMEASURED, "theory: nothing is measured in %s: normbench run theory", path);
    json_auto_t *root = json_read_file(path, e);
    if (!root) return e->code;
    Rc rc = take_all(t, path, root, e);
    if (rc) theory_release(t);
    return rc;
}
