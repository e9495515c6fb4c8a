/* One stored run as JSON. */
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/run/history.h"
#include "bench/runs/runs.h"
#include "bench/store/ended.h"
#include "bench/write/stat_json.h"

static void put_status(json_t *o, const RunRecord *r) {
    json_put_text(o, "status", record_status(r));
    if (r->diverged_step < 0) return;
    json_object_set_new(o, "diverged_step", json_integer(r->diverged_step));
    json_put_text(o, "culprit", r->culprit);
}

json_t *run_keys_json(const RunSpec *s, bool changed) {
    char value[SPEC_TEXT_SIZE], initial[SPEC_TEXT_SIZE];
    RunSpec defaults;
    json_t *o = json_object();
    spec_init(&defaults);
    for (int i = 0; i < spec_key_count + variant_key_count; i++) {
        const char *key = i < spec_key_count ? spec_keys[i] : variant_keys[i - spec_key_count];
        spec_get(value, s, key);
        if (!changed || strcmp(value, spec_get(initial, &defaults, key))) json_put_text(o, key, value);
    }
    return o;
}

static json_t *plans_json(const RunShown *shown) {
    json_t *list = json_array();
    for (int i = 0; i < shown->listing->runs; i++) {
        const ListedRun *run = &shown->listing->run[i];
        const RunGroup *g = &shown->listing->group[run->group];
        json_t *o = json_object();
        if (strcmp(run->record->id, shown->record->id)) {
            json_decref(o);
            continue;
        }
        json_put_text(o, "experiment", g->experiment), json_put_text(o, "profile", g->profile);
        json_put_text(o, "plan", g->plan);
        json_put_text(o, "arm", run->arm), json_put_text(o, "label", run->label);
        if (g->planned) {
            Written w = history_plan(g->file, g->profile, g->plan);
            json_object_set_new(o, "written", history_json(&w));
        }
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *evaluations_list(const RunRecord *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->evaluations; i++) {
        const Evaluation *x = &r->evaluation[i];
        json_t *o = json_object();
        json_object_set_new(o, "step", json_integer(x->step));
        for (int m = 0; m < METRIC_COUNT; m++)
            if (!x->absent[m]) json_put(o, metric_info[m].key, x->metric[m]);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *curve_json(const Curves *c) {
    static const CurveColumn columns[] = {CURVE_train_loss, CURVE_valid_loss, CURVE_grad_norm};
    static const char *const names[] = {"train_loss", "valid_loss", "grad_norm"};
    json_t *o = json_object(), *steps = json_array();
    for (int row = 0; row < c->rows; row++) json_array_append_new(steps, json_number_of(curve_at(c, row, CURVE_step)));
    json_object_set_new(o, "step", steps);
    for (int k = 0; k < 3; k++) {
        json_t *list = json_array();
        for (int row = 0; row < c->rows; row++)
            json_array_append_new(list, json_number_of(curve_at(c, row, columns[k])));
        json_object_set_new(o, names[k], list);
    }
    return o;
}

json_t *run_json(const RunShown *shown) {
    const RunRecord *r = shown->record;
    json_t *o = json_object(), *files = json_array();
    json_object_set_new(o, "schema", json_integer(RUN_SCHEMA));
    json_put_made_by(o);
    json_put_text(o, "id", r->id);
    json_object_set_new(o, "plans", plans_json(shown));
    json_put_text(o, "variant", r->spec.variant.name);
    json_object_set_new(o, "seed", json_integer((json_int_t)r->spec.seed));
    put_status(o, r);
    json_object_set_new(o, "changed", run_keys_json(&r->spec, true));
    json_object_set_new(o, "spec", run_keys_json(&r->spec, false));
    json_put_text(o, "spec_sha256", r->spec_sha256);
    json_put_text(o, "class", r->arithmetic_class), json_put_text(o, "arithmetic", r->arithmetic);
    json_put_text(o, "dataset", r->dataset), json_put_text(o, "dataset_sha256", r->dataset_sha256);
    json_put_text(o, "tokenizer_sha256", r->tokenizer_sha256);
    json_object_set_new(o, "vocabulary", json_integer(r->vocab));
    json_object_set_new(o, "parameters", json_integer(r->parameters));
    json_put_text(o, "loss_chain", r->loss_chain), json_put_text(o, "parameters_hash", r->parameters_hash);
    json_object_set_new(o, "evaluations", evaluations_list(r));
    if (r->rounded.known) json_object_set_new(o, "rounded", rounded_json(&r->rounded));
    json_object_set_new(o, "curve", curve_json(&r->curves));
    json_put(o, "step_seconds", r->step_seconds), json_put(o, "wall_seconds", r->wall_seconds);
    json_put(o, "memory_mb", r->memory_mb);
    json_object_set_new(o, "provenance", provenance_json_of(&r->provenance));
    json_array_append_new(files, json_sprintf("runs/%s/record.json", r->id));
    json_array_append_new(files, json_sprintf("runs/%s/curves.csv", r->id));
    if (r->hits.targets) {
        json_object_set_new(o, "hits", hits_json(&r->hits));
        json_array_append_new(files, json_sprintf("runs/%s/" HITS_FILE, r->id));
    }
    json_object_set_new(o, "files", files);
    return o;
}
