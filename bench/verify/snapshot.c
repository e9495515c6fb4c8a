#include "bench/verify/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/json.h"
#include "bench/run/runner.h"
#include "bench/store/provenance.h"

bool snapshot_has_own(const char *arithmetic_class) {
    for (int i = 0; i < backend_count; i++)
        if (backends[i]->portable && !strcmp(backend_class(backends[i]), arithmetic_class)) return true;
    return false;
}

void snapshot_path(char *path, size_t size, const Session *s, const Experiment *x, const char *arithmetic) {
    bool own = snapshot_has_own(arithmetic) && strcmp(arithmetic, "canon") != 0;
    snprintf(path, size, "%s/results/baselines/%s%s%s%s%s.json", s->root, x->name, x->profile[0] ? "-" : "",
             x->profile, own ? "-" : "",
             own ? arithmetic : "");
}

/* The first step's gradient norm of each block, before clipping, exactly. */
static json_t *first_gradients(const RunRecord *r) {
    json_t *norms = json_array();
    for (int layer = 0; r->curves.rows && layer < spec_blocks(&r->spec); layer++) {
        char exact[40];
        snprintf(exact, sizeof exact, "%a", r->curves.value[curve_column(&r->curves, PROBE_block_grad_norm, layer)]);
        json_array_append_new(norms, json_string(exact));
    }
    return norms;
}

static json_t *row_of(const Experiment *x, int index, const RunRecord *r) {
    char cell[256], exact[40];
    json_t *losses = json_object();
    experiment_cell_text(cell, x, index / x->seeds / x->arms);
    for (int i = 0; i < r->evaluations; i++) {
        char key[24];
        snprintf(key, sizeof key, "%d", r->evaluation[i].step);
        double loss = r->evaluation[i].metric[METRIC_valid_loss];
        snprintf(exact, sizeof exact, "%a", loss);
        json_add(losses, key, json_new("hex", exact, "nats", json_number_of(loss)));
    }
    return json_new("run",
                    json_sprintf("%s%s%s seed %llu", cell, cell[0] ? ", " : "",
                                 x->arm[index / x->seeds % x->arms].name, (unsigned long long)r->spec.seed),
                    "arithmetic_class", r->arithmetic_class, "status", r->status, "diverged_step", r->diverged_step,
                    "loss_chain", r->loss_chain, "parameters_hash", r->parameters_hash, "dataset_sha256",
                    r->dataset_sha256, "valid_loss", losses, "first_block_grad_norms", first_gradients(r));
}

/* The rows of an experiment's records ([cells][arms][seeds]): an array of objects, in this order. New reference. */
static json_t *rows_of(const Experiment *x, const RunRecord *records) {
    json_t *rows = json_array();
    int runs = experiment_cells(x) * x->arms * x->seeds;
    for (int i = 0; i < runs; i++) json_array_append_new(rows, row_of(x, i, &records[i]));
    return rows;
}

static void rows_hash(char out[SHA256_HEX], json_t *rows, json_t *tolerances) {
    json_auto_t *both = tolerances ? json_pack("[O, O]", rows, tolerances) : json_incref(rows);
    OWNED char *text = json_dumps(both, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    sha256_hex_of(out, text, strlen(text));
}

Rc snapshot_read(json_t **out, const char *path, Error *e) {
    char hash[SHA256_HEX];
    if (!file_exists(path))
        return error_set(e, RC_UNMEASURED, "%s: no such snapshot (normbench verify snapshot makes one)", path);
    json_t *root = json_read_file(path, e);
    if (!root) return e->code;
    json_t *rows = json_object_get(root, "rows"), *history = json_object_get(root, "history");
    json_t *last = json_array_get(history, json_array_size(history) - 1);
    const char *stated = json_get_text(last, "rows_sha256");
    const char *reason = json_get_text(last, "reason");
    if (!json_is_array(rows) || !json_array_size(rows))
        error_set(e, RC_INTEGRITY, "%s: it has no rows", path);
    else if (!stated || !reason || !*reason)
        error_set(e, RC_INTEGRITY, "%s: its history has no reason", path);
    else if (rows_hash(hash, rows, json_object_get(root, "tolerances")), strcmp(hash, stated))
        error_set(e, RC_INTEGRITY, "%s: its rows changed without a reason (normbench verify snapshot --reason TEXT)",
                  path);
    else {
        *out = root;
        return RC_OK;
    }
    json_decref(root);
    return e->code;
}

static json_t *find_row(json_t *rows, const char *run) {
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) {
        const char *name = json_get_text(row, "run");
        if (name && !strcmp(name, run)) return row;
    }
    return NULL;
}

static void add_change(json_t *table, const char *run, const char *what, json_t *old, json_t *new) {
    json_t *entry = json_pack("{s:s, s:s}", "run", run, "member", what);
    json_object_set(entry, "old", old ? old : json_null());
    json_object_set(entry, "new", new ? new : json_null());
    json_array_append_new(table, entry);
}

static const char *short_text(char out[24], json_t *value) {
    OWNED char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    snprintf(out, 24, "%.20s", text ? text : "absent");
    return out;
}

int snapshot_compare(json_t *old_rows, json_t *new_rows, Text *report, json_t **table) {
    size_t i;
    json_t *row;
    const char *key;
    json_t *value;
    *table = json_array();
    json_array_foreach(old_rows, i, row) {
        const char *run = json_get_text(row, "run");
        json_t *other = run ? find_row(new_rows, run) : NULL;
        if (!other) {
            text_format(report, "  missing: %s\n", run ? run : "a row without a name");
            add_change(*table, run ? run : "", "missing", row, NULL);
            continue;
        }
        json_object_foreach(row, key, value) {
            char a[24], b[24];
            json_t *now = json_object_get(other, key);
            if (json_equal(value, now)) continue;
            text_format(report, "  changed: %s: %s %s -> %s\n", run, key, short_text(a, value), short_text(b, now));
            add_change(*table, run, key, value, now);
        }
    }
    json_array_foreach(new_rows, i, row) {
        const char *run = json_get_text(row, "run");
        if (find_row(old_rows, run)) continue;
        text_format(report, "  extra: %s\n", run);
        add_change(*table, run, "extra", NULL, row);
    }
    return (int)json_array_size(*table);
}

Rc snapshot_write(const char *path, const Experiment *x, json_t *old, json_t *rows, json_t *tolerances, json_t *table,
                  const char *reason, Error *e) {
    char hash[SHA256_HEX];
    json_t *history = old ? json_deep_copy(json_object_get(old, "history")) : json_array();
    rows_hash(hash, rows, tolerances);
    json_array_append_new(history, json_pack("{s:s, s:s, s:s, s:O}", "reason", reason, "commit", provenance_commit(),
                                             "rows_sha256", hash, "changes", table));
    json_t *root = json_pack("{s:i, s:s, s:s, s:s, s:O, s:O, s:o}", "schema", 1, "experiment", x->name, "profile",
                             x->profile, "plan", x->plan, "tolerances", tolerances, "rows", rows, "history", history);
    return json_write_file(root, JSON_EXACT, path, e);
}

/* The records that were just made, by their ids: whatever class the backend computes in. */
static Rc read_rows(const Todo *todo, const Session *s, const Experiment *x, json_t **rows, Error *e) {
    OWNED RunRecord *records = mem_alloc((size_t)todo->runs, sizeof *records);
    int read = 0;
    Rc rc = RC_OK;
    while (read < todo->runs && !rc) rc = record_read(&records[read], s->runs, todo->run[read].id, e), read += !rc;
    if (!rc) *rows = rows_of(x, records);
    while (read) record_release(&records[--read]);
    return rc;
}

Rc snapshot_measure(Session *s, const Experiment *x, json_t **rows, Error *e) {
    Session anew = *s; /* the same datasets, another place for runs */
    LOCAL(todo_release) Todo todo = {0};
    RunnerOptions o = {.checkpoint_seconds = INFINITY, .file_bytes = INFINITY};
    Scratch folder;
    if (scratch_make(&folder, e)) return e->code;
    snprintf(anew.results, sizeof anew.results, "%s", folder.path);
    snprintf(anew.runs, sizeof anew.runs, "%s/runs", anew.results);
    Rc rc = todo_make(&todo, &anew, x, e);
    if (!rc) rc = runner_train(&todo, &anew, x, &o, e);
    if (rc >= (Rc)128) error_set(e, rc, "%s: stopped; nothing is kept", x->name);
    if (!rc) rc = read_rows(&todo, &anew, x, rows, e);
    scratch_remove(&folder);
    memcpy(s->dataset, anew.dataset, sizeof s->dataset);
    memcpy(s->dataset_key, anew.dataset_key, sizeof s->dataset_key);
    s->datasets = anew.datasets;
    return rc;
}
