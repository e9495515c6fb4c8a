/* `normbench runs`: stored runs, a row each. */
#include "bench/runs/runs.h"

#include <math.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/run/history.h"
#include "bench/store/ended.h"
#include "bench/write/stat_json.h"

enum { KEYS_MAX = 32 };

/* Which columns a group's rows have. */
typedef struct {
    const Listing *l;
    int group, keys;
    const char *key[LISTING_KEYS_MAX]; /* that differ within an arm */
    bool other, twins;                 /* some class is not canon; only the bits tell two runs apart */
} Group;

static void title(const RunGroup *g, Text *out) {
    if (!g->planned && !g->experiment[0])
        text_format(out, "Of no experiment here");
    else if (g->options[0])
        text_format(out, "%s%s", g->experiment, g->options);
    else
        text_format(out, "%s%s%s%s", g->experiment, g->profile[0] ? " " : "", g->profile,
                    g->planned ? "" : ", changed on the command line");
    if (g->plan[0]) text_format(out, " (plan %.8s)", g->plan);
    if (g->planned)
        text_format(out, ": %d of %d runs stored", g->stored, g->planned);
    else
        text_format(out, ": %d run%s stored", g->stored, g->stored == 1 ? "" : "s");
}

static void columns(const Group *g, Cells *c) {
    cells_columns(c, {NULL, "l", "run"}, {"arm", "l", "arm"});
    c->stub = 2;
    for (int k = 0; k < g->keys; k++) cells_column(c, NULL, 'r', g->key[k]);
    cells_columns(c, {NULL, "r", "seed"}, {"valid_loss", "r", "valid loss"}, {NULL, "l", "status"});
    if (g->other) cells_column(c, NULL, 'l', "class");
    if (g->twins) cells_column(c, NULL, 'l', "bits");
    cells_data(c, "id", "label", "variant", "seed", "status", "diverged_step", "culprit", "step", "class",
               "records_commit", "made");
}

/* What a record says of itself, for programs. */
static void record_cells(const ListedRun *run, Cells *c) {
    const RunRecord *r = run->record;
    const Evaluation *last = listing_last(r);
    cell_text(c, r->id), cell_text(c, run->label), cell_text(c, r->spec.variant.name);
    cell_integer(c, (long)r->spec.seed);
    cell_text(c, record_status(r));
    if (r->diverged_step < 0)
        cell_none(c), cell_none(c);
    else
        cell_integer(c, r->diverged_step), cell_text(c, r->culprit);
    last ? cell_integer(c, last->step) : cell_none(c);
    cell_text(c, r->arithmetic_class), cell_text(c, r->provenance.commit), cell_integer(c, (long)r->provenance.made);
}

static void row(const Group *g, const ListedRun *run, Cells *c) {
    const RunRecord *r = run->record;
    const Evaluation *last = listing_last(r);
    char value[SPEC_TEXT_SIZE];
    cells_row(c);
    cell_format(c, "%.12s", r->id), cell_text(c, run->arm);
    for (int k = 0; k < g->keys; k++) cell_text(c, listing_shown(value, g->l, run, g->key[k]));
    cell_text(c, listing_value(value, g->l, run, "seed"));
    if (last)
        cell_number(c, last->metric[METRIC_valid_loss], metric_info[METRIC_valid_loss].digits);
    else
        cell_shown(c, (double)NAN, "-");
    if (r->diverged_step < 0)
        cell_text(c, record_status(r));
    else
        cell_format(c, "%s at step %d", r->status, r->diverged_step);
    if (g->other) cell_text(c, r->arithmetic_class);
    if (g->twins) cell_format(c, "%.8s, corpus %.8s", r->arithmetic, r->dataset_sha256);
    record_cells(run, c);
}

static void group_cells(const Listing *l, int group, Cells *c) {
    Group g = {.l = l, .group = group, .twins = listing_twins(l, group)};
    LOCAL_TEXT(words);
    title(&l->group[group], &words);
    cells_init(c, "runs", words.at);
    g.keys = listing_differ(l, group, true, g.key);
    if (g.keys > KEYS_MAX) g.keys = KEYS_MAX;
    for (int i = 0; i < l->runs; i++)
        g.other |= l->run[i].group == group && strcmp(l->run[i].record->arithmetic_class, "canon");
    columns(&g, c);
    for (int i = 0; i < l->runs; i++)
        if (l->run[i].group == group) row(&g, &l->run[i], c);
}

static bool is_shown(const Listing *l, int group, bool empty) {
    bool any = empty && !l->group[group].stored;
    for (int i = 0; i < l->runs; i++) any |= l->run[i].group == group;
    return any;
}

void runs_text(const Listing *l, bool empty, int width, Text *out) {
    for (int group = 0; group < l->groups; group++) {
        LOCAL(cells_release) Cells c = {0};
        if (!is_shown(l, group, empty)) continue;
        if (out->length) text_format(out, "\n");
        group_cells(l, group, &c);
        cells_text(&c, width, out);
    }
}

Rc runs_csv(const Listing *l, Text *out, Error *e) {
    const char *key[LISTING_KEYS_MAX];
    char value[SPEC_TEXT_SIZE];
    int group = -1, keys;
    for (const ListedRun *run = l->run; run < l->run + l->runs; run++) {
        const RunGroup *a = &l->group[run->group], *b = &l->group[group < 0 ? run->group : group];
        if (a != b)
            return error_set(
                e, RC_USAGE,
                "runs: --format csv lists the runs of one plan; name one, such as plan=%.8s (another is %.8s)",
                b->plan[0] ? b->plan : "…", a->plan[0] ? a->plan : "…");
        group = run->group;
    }
    if (group < 0) return error_set(e, RC_UNMEASURED, "runs: none is stored");
    keys = listing_differ(l, group, true, key);
    text_format(out, "arm,");
    for (int k = 0; k < keys; k++) text_format(out, "%s,", key[k]);
    text_format(out, "seed,status,valid_loss,loss_chain,parameters_hash,id\n");
    for (const ListedRun *run = l->run; run < l->run + l->runs; run++) {
        const RunRecord *r = run->record;
        const Evaluation *last = listing_last(r);
        csv_text(out, run->arm), text_format(out, ",");
        for (int k = 0; k < keys; k++) csv_text(out, listing_value(value, l, run, key[k])), text_format(out, ",");
        text_format(out, "%llu,%s,%s,%s,%s,%s\n", (unsigned long long)r->spec.seed, record_status(r),
                    last ? FORMAT_REAL(last->metric[METRIC_valid_loss]) : "nan", r->loss_chain, r->parameters_hash,
                    r->id);
    }
    return RC_OK;
}

/* {KEY: value} of the spec's keys and the variant's columns; changed: only those that are not at their default. */
static json_t *keys_json(const RunSpec *s, bool changed) {
    char value[SPEC_TEXT_SIZE], initial[SPEC_TEXT_SIZE];
    RunSpec defaults;
    json_t *o = json_object();
    spec_init(&defaults);
    for (int i = 0; i < spec_key_count + variant_key_count; i++) {
        const char *key = i < spec_key_count ? spec_keys[i] : variant_keys[i - spec_key_count];
        spec_get(value, s, key);
        if (!changed || strcmp(value, spec_get(initial, &defaults, key))) json_add(o, key, value);
    }
    return o;
}

static json_t *group_json(const Listing *l, int group) {
    const RunGroup *g = &l->group[group];
    LOCAL(cells_release) Cells c = {0};
    group_cells(l, group, &c);
    json_t *runs = cells_json(&c);
    for (int i = 0, at = 0; i < l->runs; i++)
        if (l->run[i].group == group)
            json_add(json_array_get(runs, (size_t)at++), "keys", keys_json(&l->run[i].record->spec, true));
    return json_new("experiment", g->experiment, "profile", g->profile, "options", g->options, "plan", g->plan,
                    "planned", g->planned, "stored", g->stored, "runs", runs);
}

json_t *runs_json(const Listing *l, bool empty) {
    json_t *groups = json_array();
    for (int group = 0; group < l->groups; group++)
        if (is_shown(l, group, empty)) json_array_append_new(groups, group_json(l, group));
    return json_add(json_begin(RUNS_SCHEMA), "groups", groups);
}

/* ---- One stored run as JSON ---- */

static json_t *plans_json(const RunShown *shown) {
    json_t *list = json_array();
    for (int i = 0; i < shown->listing->runs; i++) {
        const ListedRun *run = &shown->listing->run[i];
        const RunGroup *g = &shown->listing->group[run->group];
        if (strcmp(run->record->id, shown->record->id)) continue;
        json_t *o = json_new("experiment", g->experiment, "profile", g->profile, "plan", g->plan, "arm", run->arm,
                             "label", run->label);
        if (g->planned) {
            Written w = history_plan(g->file, g->profile, g->plan);
            json_add(o, "written", history_json(&w));
        }
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *evaluations_list(const RunRecord *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->evaluations; i++) {
        const Evaluation *x = &r->evaluation[i];
        json_t *o = json_new("step", x->step);
        for (int m = 0; m < METRIC_COUNT; m++)
            if (!x->absent[m]) json_add(o, metric_info[m].key, x->metric[m]);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *curve_json(const Curves *c) {
    static const CurveColumn columns[] = {CURVE_step, CURVE_train_loss, CURVE_valid_loss, CURVE_grad_norm};
    static const char *const names[] = {"step", "train_loss", "valid_loss", "grad_norm"};
    json_t *o = json_object();
    for (int k = 0; k < 4; k++) {
        json_t *list = json_array();
        for (int row = 0; row < c->rows; row++)
            json_array_append_new(list, json_number_of(curve_at(c, row, columns[k])));
        json_add(o, names[k], list);
    }
    return o;
}

json_t *run_json(const RunShown *shown) {
    const RunRecord *r = shown->record;
    json_t *o = json_begin(RUN_SCHEMA), *files = json_array();
    json_add(o, "id", r->id, "plans", plans_json(shown), "variant", r->spec.variant.name, "seed", r->spec.seed,
             "status", record_status(r));
    if (r->diverged_step >= 0) json_add(o, "diverged_step", r->diverged_step, "culprit", r->culprit);
    json_add(o, "changed", keys_json(&r->spec, true), "spec", keys_json(&r->spec, false), "spec_sha256", r->spec_sha256,
             "class", r->arithmetic_class, "arithmetic", r->arithmetic, "dataset", r->dataset, "dataset_sha256",
             r->dataset_sha256, "tokenizer_sha256", r->tokenizer_sha256, "vocabulary", r->vocab);
    json_add(o, "parameters", r->parameters, "loss_chain", r->loss_chain, "parameters_hash", r->parameters_hash,
             "evaluations", evaluations_list(r), "rounded", rounded_json(&r->rounded), "curve", curve_json(&r->curves),
             "step_seconds", r->step_seconds, "wall_seconds", r->wall_seconds, "memory_mb", r->memory_mb, "provenance",
             provenance_json_of(&r->provenance));
    json_array_append_new(files, json_sprintf("runs/%s/record.json", r->id));
    json_array_append_new(files, json_sprintf("runs/%s/curves.csv", r->id));
    if (r->hits.targets) {
        json_add(o, "hits", hits_json(&r->hits));
        json_array_append_new(files, json_sprintf("runs/%s/" HITS_FILE, r->id));
    }
    return json_add(o, "files", files);
}
