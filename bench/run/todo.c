#include "bench/run/todo.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/run/cluster/deal.h"
#include "bench/run/execute.h"
#include "bench/run/quantized.h"
#include "bench/store/feeding.h"
#include "bench/store/texts.h"
#include "models/trainer_count.h"

#define UNEVEN 1.1 /* limit of the largest share of whole seeds over the mean share */

/* Hash of a toy run, shared by runs with one arithmetic text: it does not depend on sizes, rates or seeds. */
typedef struct {
    char text[SHA256_HEX], hash[SHA256_HEX]; /* text first: text_order compares it */
} Toy;

/* Look up, or compute, the hash of the arithmetic. toys: a tree of <search.h>. */
static Rc cached_arithmetic(void **toys, char out[SHA256_HEX], const RunSpec *s, const Backend *backend, Error *e) {
    RunSpec same = *s;
    char text[SHA256_HEX];
    same.seed = 0;
    spec_forget_text(&same);
    spec_hash(&same, text);
    Toy *const *found = tfind(text, toys, text_order);
    if (found) {
        strcpy(out, (*found)->hash);
        return RC_OK;
    }
    if (arithmetic_hash(out, s, backend, e)) return e->code;
    Toy *toy = mem_alloc(1, sizeof *toy);
    strcpy(toy->text, text);
    strcpy(toy->hash, out);
    if (!tsearch(toy, toys, text_order)) free(toy); /* no memory: computed again later */
    return RC_OK;
}

/* Find a stored run: its whole folder can be read. A damaged folder is an error: it is neither used nor overwritten. */
static Rc find_stored(TodoRun *run, const char *runs, const Experiment *x, Error *e) {
    char path[1024];
    LOCAL(record_release) RunRecord r = {0};
    snprintf(path, sizeof path, "%s/%s", runs, run->id);
    if (!file_exists(path)) return RC_OK;
    if (record_read(&r, runs, run->id, e)) return store_damage(runs, run->id, e);
    run->lacking = probes_lacking(&r.probes, &x->probes);
    run->lacks_hits = x->hits && !r.hits.targets && !strcmp(r.status, "ok"); /* a diverged run has none */
    const Evaluation *last = record_at(&r, (int)r.spec.steps);
    run->lacks_eight = x->quantize && last && !quantized_known(last);
    run->done = true;
    return RC_OK;
}

/* Explain a run that older builds trained otherwise than its equation: they are found by a spec without `mended`. */
static void wrong_before(TodoRun *run, const Store *stored) {
    char hash[SHA256_HEX];
    int count;
    RunSpec before = run->spec;
    before.mended = false;
    before = spec_by_bytes(&before);
    spec_hash(&before, hash);
    const RecordHead *old = store_find(stored, hash, &count);
    if (count)
        snprintf(run->why, sizeof run->why,
                 "an older build trained run %.12s otherwise than the equation of this arm says", old->id);
}

/* Explain why a run is missing: it was never run, or with another arithmetic or corpus. */
static void explain_missing(TodoRun *run, const Store *stored) {
    int count;
    const RecordHead *old = store_find(stored, run->spec_sha256, &count), *other = texts_other(stored, &run->spec);
    strcpy(run->why, "never run");
    if (run->spec.mended) wrong_before(run, stored);
    if (other)
        snprintf(run->why, sizeof run->why,
                 "never run on these bytes of '%.60s': SHA-256 %.12s, stored are runs on %.12s",
                 run->spec.dataset.text, run->data->sha256, other->dataset_sha256);
    for (int i = 0; i < count; i++)
        if (strcmp(old[i].dataset_sha256, run->data->sha256))
            snprintf(run->why, sizeof run->why, "the corpus has other bytes than in run %.12s", old[i].id);
        else if (strcmp(old[i].arithmetic_class, run->arithmetic_class))
            snprintf(run->why, sizeof run->why, "run %.12s was computed in class %.60s, not in %.60s", old[i].id,
                     old[i].arithmetic_class, run->arithmetic_class);
        else
            snprintf(run->why, sizeof run->why,
                     "the arithmetic of this arm changed since run %.12s (toy hash %.12s -> %.12s)", old[i].id,
                     old[i].arithmetic, run->arithmetic);
}

void todo_explain(Todo *t, const Store *stored) {
    for (int i = 0; i < t->runs; i++)
        if (!t->run[i].done) explain_missing(&t->run[i], stored);
}

/* Report stored runs that lack something that the experiment asks for; first NULL: none. */
static Rc stored_without(const Todo *t, const Session *s, const TodoRun *first, int count, const char *what,
                         const char *key, Error *e) {
    return error_set(e, RC_UNMEASURED,
                     "%d of %d runs were stored without %s; move their folders (the first: %s/%s) away and run "
                     "again, or leave %s out",
                     count, t->runs, what, s->runs, first->id, key);
}

Rc todo_lacking(const Todo *t, const Session *s, Error *e) {
    const TodoRun *probe = NULL, *hits = NULL, *eight = NULL;
    int probes = 0, hitless = 0, eightless = 0;
    char what[96];
    for (int i = 0; i < t->runs; i++) {
        const TodoRun *run = &t->run[i];
        if (run->lacking != PROBE_COUNT && !probes++) probe = run;
        if (run->lacks_hits && !hitless++) hits = run;
        if (run->lacks_eight && !eightless++) eight = run;
    }
    if (probe) snprintf(what, sizeof what, "probe '%s' at every step asked for", probe_info[probe->lacking].name);
    if (probe) return stored_without(t, s, probe, probes, what, "the probe", e);
    if (hits) return stored_without(t, s, hits, hitless, "'hits', which targets they predict right", "'hits'", e);
    if (eight) return stored_without(t, s, eight, eightless, "'quantize', what eight bits cost", "'quantize'", e);
    return RC_OK;
}

/* Check that its backend can count a pass' numbers. */
static Rc counted(const Todo *t, const TodoRun *run, Error *e) {
    ModelShape pass = spec_shape(&run->spec, run->data->vocab);
    int passes = todo_passes(t, &run->spec);
    if (passes > 0 && pass.batch % passes == 0) pass.batch /= passes;
    return shape_check(&pass, run->backend->device, e);
}

/* Put the hash of a user's own text into the spec. */
static Rc know_text(TodoRun *run, Error *e) {
    spec_know_text(&run->spec, run->data->sha256);
    if (!spec_own_text(&run->spec) || !strcmp(run->spec.text_sha256.text, run->data->sha256)) return RC_OK;
    return error_set(e, RC_INTEGRITY, "'%s' has other bytes: SHA-256 %s, not %s", run->spec.dataset.text,
                     run->data->sha256, run->spec.text_sha256.text);
}

/* Find the id of a run of a user's text that an older program stored: its spec had the name, or only the name. */
static void older_id(TodoRun *run, const char *runs) {
    char path[1024], id[SHA256_HEX];
    RunSpec spec = run->spec;
    snprintf(path, sizeof path, "%s/%s", runs, run->id);
    for (int known = 1; known >= 0 && spec_own_text(&spec) && !file_exists(path); known--) {
        if (!known) spec_forget_text(&spec);
        record_identity(id, &spec, run->data->sha256, run->data->tokenizer_sha256, run->arithmetic_class,
                        run->arithmetic);
        snprintf(path, sizeof path, "%s/%s", runs, id);
        if (file_exists(path)) strcpy(run->id, id);
    }
}

/* Fill in the first run of an arm in a cell what all of them share. */
static Rc describe_arm(const Todo *t, TodoRun *run, Session *s, const Experiment *x, void **toys, Error *e) {
    char tokenizer[SPEC_TEXT_SIZE];
    if (session_dataset(s, run->spec.dataset.text, spec_get(tokenizer, &run->spec, "tokenizer"), &run->data, e) ||
        know_text(run, e) || session_backend(s, (PrecisionKind)run->spec.precision, &run->backend, e) ||
        counted(t, run, e) || cached_arithmetic(toys, run->arithmetic, &run->spec, run->backend, e))
        return e->code;
    if (x->quantize && run->backend->device)
        return error_set(e, RC_UNMEASURED, "quantize: backend '%s' has no pass in eight bits; --backend cpu has",
                         run->backend->name);
    run_class(run->arithmetic_class, run->backend, todo_passes(t, &run->spec), t->ranks,
              t->logit_rows);
    return RC_OK;
}

/* Fill in the runs of an arm in a cell. */
static Rc describe_seeds(Todo *t, Session *s, const Experiment *x, int cell, int arm, void **toys, Error *e) {
    TodoRun all = {.spec = experiment_spec(x, cell, arm, 0), .cell = cell, .arm = arm, .lacking = PROBE_COUNT};
    SpecSeeds text;
    LOCAL_TEXT(identity);
    if (describe_arm(t, &all, s, x, toys, e)) return e->code;
    RunSpec bytes = spec_by_bytes(&all.spec);
    spec_seeds_init(&text, &bytes);
    record_identity_text(&identity, all.data->sha256, all.data->tokenizer_sha256, all.arithmetic_class,
                         all.arithmetic);
    Rc rc = RC_OK;
    for (int seed = 0; seed < x->seeds && !rc; seed++) {
        TodoRun *run = &t->run[t->runs++];
        *run = all;
        run->seed = seed, run->spec.seed = x->seed[seed];
        spec_seeds_hash(&text, run->spec.seed, "", run->spec_sha256);
        spec_seeds_hash(&text, run->spec.seed, identity.at, run->id);
        older_id(run, s->runs);
        rc = find_stored(run, s->runs, x, e);
        t->missing += !run->done;
    }
    spec_seeds_release(&text);
    return rc;
}

typedef struct {
    const char *id;
    int at;
} Named;

static int by_id(const void *a, const void *b) {
    const Named *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    return order ? order : x->at - y->at;
}

static void find_first(Todo *t) {
    OWNED Named *all = mem_alloc((size_t)t->runs + 1, sizeof *all);
    for (int i = 0; i < t->runs; i++) all[i] = (Named){t->run[i].id, i};
    qsort(all, (size_t)t->runs, sizeof *all, by_id);
    for (int i = 0; i < t->runs; i++) {
        bool again = i && !strcmp(all[i].id, all[i - 1].id);
        t->run[all[i].at].first = again ? t->run[all[i - 1].at].first : all[i].at;
    }
}

bool todo_open(const Todo *t, int run) {
    return !t->run[run].done && t->run[run].first == run;
}

void todo_settle(Todo *t) {
    t->missing = 0;
    for (int i = 0; i < t->runs; i++) {
        t->run[i].done = t->run[t->run[i].first].done;
        t->missing += !t->run[i].done;
    }
}

Rc todo_make(Todo *t, Session *s, const Experiment *x, Error *e) {
    void *toys = NULL;
    Rc rc = RC_OK;
    bool used = false; /* the backend asked for is used */
    *t = (Todo){.probes = x->probes, .hits = x->hits, .quantize = x->quantize, .parts = 1};
    t->micro_batch = s->micro_batch, t->ranks = s->ranks ? s->ranks->ranks : 1;
    t->logit_rows = s->logit_rows, t->recompute = s->recompute;
    t->run = mem_alloc((size_t)experiment_cells(x) * (size_t)x->arms * (size_t)x->seeds, sizeof *t->run);
    for (int cell = 0; cell < experiment_cells(x) && !rc; cell++)
        for (int arm = 0; arm < x->arms && !rc; arm++)
            if (!(rc = describe_seeds(t, s, x, cell, arm, &toys, e)))
                used |= s->oracle || !strcmp(s->backend_name, "cpu") ||
                        !strcmp(t->run[t->runs - 1].backend->family, s->backend_name);
    if (!rc && !used && !backend_precise(s->backend_name, "exact", e)) rc = e->code = RC_UNMEASURED;
    tdestroy(toys, free);
    if (rc) todo_release(t);
    if (rc) return rc;
    find_first(t);
    todo_parts(t, 0, 1);
    return RC_OK;
}

/* Operations of one update, cached for each list of ops: a deep model's takes most of a second to build. */
typedef struct {
    ModelShape shape;
    const Variant *variant;
    double flops;
} Built;

static double update_flops(Built **all, int *count, const TodoRun *run, const ModelShape *shape) {
    for (int i = *count - 1; i >= 0; i--) /* seeds run fastest, so it is usually the last */
        if (shape_equal(&(*all)[i].shape, shape) &&
            !memcmp((*all)[i].variant, &run->spec.variant, sizeof run->spec.variant))
            return (*all)[i].flops;
    LOCAL(tape_release) Tape tape = {0};
    transformer_build(&tape, shape, &run->spec.variant, NULL);
    *all = mem_grow(*all, (size_t)*count + 1, sizeof **all);
    (*all)[*count] = (Built){*shape, &run->spec.variant, tape_flops(&tape)};
    return (*all)[(*count)++].flops;
}

static size_t unit_of(const Todo *t, int run, int seeds, bool together) {
    return together ? (size_t)t->run[run].cell * (size_t)seeds + (size_t)t->run[run].seed : (size_t)run;
}

/* Deal whole seeds (together: the arms of a cell's seed) or single runs. Return the largest load. */
static double deal_runs(Todo *t, int parts, bool together) {
    int seeds = 1, cells = 1, count = 0;
    for (int i = 0; i < t->runs; i++) {
        if (t->run[i].seed >= seeds) seeds = t->run[i].seed + 1;
        if (t->run[i].cell >= cells) cells = t->run[i].cell + 1;
    }
    size_t units = together ? (size_t)cells * (size_t)seeds : (size_t)t->runs;
    OWNED Dealt *order = mem_alloc((size_t)t->runs, sizeof *order);
    int *at = mem_alloc(units, sizeof *at), *share = mem_alloc(units, sizeof *share); /* at: into order, plus 1 */
    for (int i = 0; i < t->runs; i++) {
        size_t unit = unit_of(t, i, seeds, together);
        if (!at[unit]) order[count] = (Dealt){.first = i, .seed = t->run[i].seed}, at[unit] = ++count;
        order[at[unit] - 1].cost += t->run[i].cost;
    }
    double most = deal(order, count, parts);
    for (int i = 0; i < count; i++) share[unit_of(t, order[i].first, seeds, together)] = order[i].share;
    for (int i = 0; i < t->runs; i++) t->run[i].part = share[unit_of(t, t->run[i].first, seeds, together)];
    free(share);
    free(at);
    return most;
}

void todo_parts(Todo *t, int part, int parts) {
    OWNED Built *built = NULL;
    int builds = 0, at[64];
    double total = 0;
    t->part = part, t->parts = parts;
    for (int i = 0; i < t->runs; i++) {
        TodoRun *run = &t->run[i];
        ModelShape shape = spec_shape(&run->spec, run->data->vocab);
        int evaluations = spec_evaluations(&run->spec, at, 64);
        double passes = (double)(feed_window_count(&run->spec, run->data) / (size_t)shape.batch + 1) * evaluations / 3;
        run->cost = update_flops(&built, &builds, run, &shape) * ((double)run->spec.steps + passes);
        if (run->first != i) run->cost = 0;
        total += run->cost;
    }
    if (deal_runs(t, parts, true) > UNEVEN * total / parts) deal_runs(t, parts, false);
}

void todo_only(Todo *t, const bool *mine) {
    t->part = 0, t->parts = 1;
    for (int i = 0; i < t->runs; i++) t->run[i].part = !mine[i];
}

bool todo_mine(const Todo *t, const TodoRun *run) {
    return run->part == t->part;
}

int todo_passes(const Todo *t, const RunSpec *spec) {
    if (!t->micro_batch) return t->ranks;
    return spec->batch > t->micro_batch ? (int)(spec->batch / t->micro_batch) : 1;
}

double todo_speed(const Backend *backend, int threads) {
    return 0.55e9 * backend_fma_peak(backend) * threads;
}

double todo_bytes(const Todo *t, int *of) {
    double most = 0;
    const TodoRun *last = NULL;
    ModelShape last_shape = {0};
    *of = 0;
    for (int i = 0; i < t->runs; i++) {
        const TodoRun *run = &t->run[i];
        if (run->done || !todo_mine(t, run)) continue;
        ModelShape shape = spec_shape(&run->spec, run->data->vocab);
        shape.passes = todo_passes(t, &run->spec);
        shape.head_rows = t->logit_rows, shape.recompute = t->recompute;
        bool same = last && shape_equal(&shape, &last_shape) && last->backend == run->backend &&
                    !memcmp(&last->spec.variant, &run->spec.variant, sizeof run->spec.variant);
        last = run, last_shape = shape;
        if (same) continue; /* a deep model's list of ops takes most of a second to build */
        double bytes = (double)trainer_need(&shape, &run->spec.variant, &t->probes, run->backend);
        if (bytes > most) most = bytes, *of = i;
    }
    return most;
}

void todo_release(Todo *t) {
    free(t->run);
    *t = (Todo){0};
}
