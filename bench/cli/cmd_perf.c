/* normbench perf [EXPERIMENT]: where a training step's time goes, beside what this core can do. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/perf/pairs.h"
#include "bench/perf/tables.h"
#include "bench/store/feeding.h"
#include "bench/store/provenance.h"
#include "bench/store/record.h"

const char perf_help[] =
    "\nWithout EXPERIMENT: one training step of every shape in bench/experiments, each once; with it, of every\n"
    "shape of its cells (of all of them, unless --profile picks some). A shape that does not fit or whose corpus\n"
    "is absent costs one line, and exit code 3 at the end. FLOPs are model FLOPs (matmuls 2 mnk each way, attention\n"
    "over the keys a query sees); bytes are every tensor moved once; shares are of this core's fma peak (of floats,\n"
    "with the backend's own vectors) and copy bandwidth, sampled before, between and after the steps; utilization is\n"
    "model FLOPs over (median step x peak).\n"
    "\n--format json: {schema, steps: [{experiment, arm, dataset, backend, model: {layers, width, heads, context, "
    "batch,\n"
    "  vocab, dropout, parameters}, fma_peak_gflops and copy_gb_per_s: {best, median, least, samples},\n"
    "  step: {measured, seconds, seconds_best, flops, gflops, utilization, tokens_per_second, ...},\n"
    "  ops: [{op, in_cols, out_cols, calls, forward and backward: {seconds, bytes, gb_per_s, copy_share, and for\n"
    "  matmuls and attention flops, gflops, peak_share}}], optimizer and norms: {seconds, bytes, gb_per_s,\n"
    "  copy_share}, two_threads: {runs, fma_peak, runs_over_fma_peak} (throughput over one's), shared_run:\n"
    "  {threads, speed} (one run on several threads), memory_mb: {one_run, two_runs}}], provenance}. What is not\n"
    "  measured is absent or \"nan\".\n"
    "\n--baseline ARM: a step of each other arm in turn with a step of that one, for 5 s of processor time: the ratio\n"
    "  of their times with its interval, of memory, FLOPs and bytes as counted, and of norm ops. With --format json: "
    "steps:\n"
    "  [{experiment, arm, baseline, layers, width, pairs, time_ratio, interval, of_arm and of_baseline: {seconds,\n"
    "  seconds_best, flops, bytes, memory, norms, normed, parameters}}].\n"
    "\n--dry-run: nothing runs; what one step of --replicas runs (default: 5) launches on a CUDA device in\n"
    "  the precision, and the floor that implies. With --format json: steps: [{experiment, backend,\n"
    "  layers, width, replicas, vocab, launches, model_flops (one replica), kernels: [{kernel, launches, flops,\n"
    "  bytes, floor_seconds}], floor_seconds: {A100, H200}}].\n";

typedef struct {
    const Session *s;
    const Experiment *x;
    const RunSpec *spec;
    const Dataset *data;
    Perf p;
} Report;

static json_t *rate_json(const PerfRate *r) {
    return json_pack("{s:f, s:f, s:f, s:i}", "best", r->best, "median", r->median, "least", r->least, "samples",
                     r->samples);
}

/* One pass of an op, or what stands outside the tape (no FLOPs). */
static json_t *work_json(const Perf *p, double seconds, double flops, double bytes) {
    double gflops = perf_rate(flops, seconds), gbs = perf_rate(bytes, seconds);
    json_t *work = json_pack("{s:f, s:f, s:f, s:f}", "seconds", seconds, "bytes", bytes, "gb_per_s", gbs, "copy_share",
                             gbs / p->copy.best);
    if (flops <= 0) return work;
    return json_add(work, "flops", json_real(flops), "gflops", json_real(gflops), "peak_share",
                    json_real(gflops / p->fma.best));
}

static json_t *ops_json(const Perf *p) {
    static const char *const pass_name[PASSES] = {"forward", "backward"};
    json_t *list = json_array();
    for (int g = 0; g < p->ops; g++) {
        const PerfOp *op = &p->op[g];
        json_t *entry = json_pack("{s:s, s:i, s:i, s:i}", "op", op_info[op->kind].name, "in_cols", op->in_cols,
                                  "out_cols", op->out_cols, "calls", op->calls);
        for (int pass = 0; pass < PASSES; pass++)
            if (op->seconds[pass] > 0)
                json_add(entry, pass_name[pass], work_json(p, op->seconds[pass], op->flops[pass], op->bytes[pass]));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *model_json(const Report *r) {
    const ModelShape *m = &r->p.shape;
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:I}", "layers", m->layers, "width", m->width, "heads",
                     m->heads, "context", m->context, "batch", m->batch, "vocab", m->vocab, "dropout", m->dropout,
                     "parameters", (json_int_t)r->p.parameters);
}

static json_t *step_json(const Perf *p) {
    double rate = perf_rate(p->flops, p->step_median), tokens = (double)p->shape.batch * p->shape.context;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "measured", p->steps, "seconds",
                     p->step_median, "seconds_best", p->step_best, "processor_seconds", p->step_own, "flops", p->flops,
                     "gflops", rate, "utilization", perf_utilization(p, p->step_median), "processor_utilization",
                     perf_utilization(p, p->step_own), "tokens_per_second", tokens / p->step_median, "undisturbed",
                     p->undisturbed);
}

static json_t *report_json(const Report *r) {
    const Perf *p = &r->p;
    json_t *root =
        json_new("experiment", json_string(r->x->name), "arm", json_string(r->x->arm[0].name), "dataset",
                 json_string(r->data->name), "backend", json_string(r->s->backend->name), "model", model_json(r),
                 "fma_peak_gflops", rate_json(&p->fma), "copy_gb_per_s", rate_json(&p->copy), "step", step_json(p));
    json_add(root, "ops", ops_json(p), "optimizer", work_json(p, p->update.seconds, 0, p->update.bytes), "norms",
             work_json(p, p->norms.seconds, 0, p->norms.bytes), "two_threads",
             json_pack("{s:o, s:o, s:o}", "runs", json_number_of(p->scaling_runs), "fma_peak",
                       json_number_of(p->scaling_fma), "runs_over_fma_peak",
                       json_number_of(p->scaling_runs / p->scaling_fma)));
    if (p->sharing) json_add(root, "shared_run", json_pack("{s:i, s:f}", "threads", p->sharing, "speed", p->shared));
    return json_add(root, "memory_mb",
                    json_pack("{s:f, s:o}", "one_run", p->memory_one, "two_runs", json_number_of(p->memory_two)));
}

static void print_table(Cells *c, const char *before) {
    LOCAL_TEXT(out);
    cells_text(c, terminal_width(), &out);
    printf("%s%s", before, out.at);
    cells_release(c);
}

static void print_text(const Report *r) {
    const Perf *p = &r->p;
    const ModelShape *m = &p->shape;
    double total = perf_parts(p);
    Cells c;
    printf("one training step of %s, arm %s: %d layers x %d, %d heads, context %d, batch %d, vocabulary %d,\n"
           "%zu parameters; backend %s, one core\n",
           r->x->name, r->x->arm[0].name, m->layers, m->width, m->heads, m->context, m->batch, m->vocab, p->parameters,
           r->s->backend->name);
    perf_core_cells(p, &c), print_table(&c, "\n");
    perf_ops_cells(p, &c), print_table(&c, "\n");
    printf("\nstep         %.2f ms median of %d, %.2f ms best; parts add up to %.2f ms; %.0f tokens/s\n",
           1e3 * p->step_median, p->steps, 1e3 * p->step_best, 1e3 * total,
           (double)m->batch * m->context / p->step_median);
    printf("utilization  %.1f%% of the fma peak (%.4g model GFLOP in the median step, %.1f GFLOP/s)\n",
           100 * perf_utilization(p, p->step_median), 1e-9 * p->flops, perf_rate(p->flops, p->step_median));
    if (p->undisturbed < 0.95)
        printf(
            "             other programs had this core for %.0f%% of the time: %.1f%% of the peak in the %.2f ms that "
            "the\n             step had it; measure again when it is quiet\n",
            100 * (1 - p->undisturbed), 100 * perf_utilization(p, p->step_own), 1e3 * p->step_own);
    if (isnan(p->scaling_runs))
        printf("two threads  not measured: %s\n", pool_processors() > 1 ? "the steps are too long" : "one processor");
    else
        printf("two threads  %.2f x one run's throughput; the fma peak itself %.2f x\n", p->scaling_runs,
               p->scaling_fma);
    if (p->sharing) printf("one run      on %d threads %.2f x its throughput on one\n", p->sharing, p->shared);
    printf("memory       %.0f MB resident with one run", p->memory_one);
    if (isnan(p->memory_two))
        printf("; a second does not fit\n");
    else
        printf(", %.0f MB with two\n", p->memory_two);
}

/* What has been measured so far: a shape that several experiments or cells share is measured once. */
typedef struct {
    Session *s;
    Text seen;
    json_t *list;
    int failed;
    int replicas; /* of a dry run; 0: it is none */
} Measured;

/* True when this line, a shape or an error, was not printed before. */
static bool is_new(Measured *m, const char *line) {
    char key[1100];
    snprintf(key, sizeof key, "\n%s\n", line);
    if (strstr(m->seen.at, key)) return false;
    text_format(&m->seen, "%s", key);
    return true;
}

/* True for a shape that was not measured before. Keys that do not change a step's cost (the corpus, …) are not part of
 * it. */
static bool new_shape(Measured *m, const ModelShape *s) {
    char line[240];
    snprintf(line, sizeof line,
             "%d x %d, %d heads, %d x %d, vocabulary %d, MLP %d %d, positions %d, bias %d, tied %d, dropout %d",
             s->layers, s->width, s->heads, s->batch, s->context, s->vocab, s->ffn_mult, (int)s->activation,
             (int)s->positions, s->bias, s->tied, s->dropout);
    return is_new(m, line);
}

/* --dry-run: what a device would launch. */
static void print_dry(const DryStep *d, const Experiment *x, const Backend *b) {
    Cells c;
    terminal_say(
        stdout,
        "%s: %d layers x %d, %d heads, batch %d x %d, vocabulary %d; backend %s, %d replica%s in one graph; nothing "
        "ran\n",
        x->name, d->shape.layers, d->shape.width, d->shape.heads, d->shape.batch, d->shape.context, d->shape.vocab,
        b->name, d->replicas, d->replicas == 1 ? "" : "s");
    dry_cells(d, &c), print_table(&c, "\n");
    terminal_say(stdout, "A step, with %.1f us between kernels:\n", 1e6 * DRY_GAP);
    for (int i = 0; i < DRY_DEVICES; i++) {
        const DryDevice *on = &dry_devices[i];
        double floor = dry_step_floor(d, i);
        terminal_say(
            stdout,
            "  %s (taken as %.1f TFLOP/s, %.1f TB/s): floor %.3f ms, %.0f%% of the float32 peak in model FLOPs\n",
            on->name, 1e-12 * on->flops, 1e-12 * on->bytes, 1e3 * floor,
            100 * d->model_flops * d->replicas / floor / on->flops);
    }
    terminal_say(stdout, "This is arithmetic on counts and on vendors' figures; what an H100 took stands in "
                         "docs/gpu.md.\n");
}

static json_t *on_devices(const double seconds[DRY_DEVICES]) {
    json_t *to = json_object();
    for (int i = 0; i < DRY_DEVICES; i++) json_add(to, dry_devices[i].name, json_real(seconds[i]));
    return to;
}

static json_t *dry_json(const DryStep *d, const Experiment *x, const Backend *b) {
    json_t *kernels = json_array();
    double floor[DRY_DEVICES];
    for (int k = 0; k < d->kernels; k++) {
        const DryKernel *row = &d->kernel[k];
        json_array_append_new(kernels, json_pack("{s:s, s:i, s:f, s:f, s:o}", "kernel", row->name, "launches",
                                                 row->launches, "flops", row->flops, "bytes", row->bytes,
                                                 "floor_seconds", on_devices(row->floor)));
    }
    for (int i = 0; i < DRY_DEVICES; i++) floor[i] = dry_step_floor(d, i);
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:o, s:o}", "experiment", x->name, "backend",
                     b->name, "layers", d->shape.layers, "width", d->shape.width, "replicas", d->replicas, "vocab",
                     d->shape.vocab, "launches", d->launches, "model_flops", d->model_flops, "kernels", kernels,
                     "floor_seconds", on_devices(floor));
}

static Rc count_launches(Measured *m, const Experiment *x, const RunSpec *spec, int vocab, Error *e) {
    LOCAL(dry_step_release) DryStep d = {0};
    Rc rc = dry_step(&d, spec, vocab, m->replicas, m->s->backend, e);
    if (rc) return rc;
    if (!m->s->options->times[OPTION_json]) {
        if (json_array_size(m->list)) printf("\n\n");
        print_dry(&d, x, m->s->backend);
    }
    json_array_append_new(m->list, dry_json(&d, x, m->s->backend));
    return RC_OK;
}

static Rc measure(Measured *m, const Experiment *x, const RunSpec *spec, Error *e) {
    Report r = {.s = m->s, .x = x, .spec = spec};
    char tokenizer[SPEC_TEXT_SIZE];
    if (session_dataset(m->s, spec->dataset.text, spec_get(tokenizer, spec, "tokenizer"), &r.data, e)) return e->code;
    ModelShape shape = spec_shape(spec, r.data->vocab);
    if (spec_check(spec, e) || shape_check(&shape, m->s->backend->device, e) || feed_fits(spec, r.data, e))
        return error_prefix(e, "%s: ", x->file);
    if (!new_shape(m, &shape)) return RC_OK;
    if (m->replicas) return count_launches(m, x, spec, r.data->vocab, e);
    int sharing = m->s->threads_per_run > 1 ? m->s->threads_per_run : pool_processors() > 1 ? 2 : 1;
    Rc rc = perf_measure(&r.p, spec, r.data, m->s->backend, sharing, e);
    if (rc == RC_UNMEASURED) error_prefix(e, "%lld layers x %lld: ", (long long)spec->layers, (long long)spec->width);
    if (rc) return rc;
    if (!m->s->options->times[OPTION_json]) {
        if (json_array_size(m->list)) printf("\n\n");
        print_text(&r);
        (void)output_flush(NULL);
    }
    json_array_append_new(m->list, report_json(&r));
    perf_release(&r.p);
    session_release(m->s); /* so that the next shape's memory does not include this one's corpus */
    return RC_OK;
}

/* Reads the file without a profile, because a profile may leave shapes out. A shape that cannot be measured, or whose
 * corpus is missing, gets a line that says so; no other corpus takes its place, and the other shapes are measured. */
static Rc measure_cells(Measured *m, const char *name, Error *e) {
    const Options *o = m->s->options;
    const Overrides overrides = {o->value[OPTION_set], o->times[OPTION_set], o->value[OPTION_arm],
                                 o->times[OPTION_arm], true};
    char path[1024];
    LOCAL(experiment_release) Experiment x = {0};
    if (m->s->recalled.all ? session_plan(m->s, name, &x, e)
                           : experiment_find(path, sizeof path, m->s->root, name, e) ||
                                 experiment_read(&x, path, option(o, OPTION_profile, NULL), &overrides, e))
        return e->code;
    Rc rc = RC_OK;
    const char *baseline = option(o, OPTION_baseline, NULL);
    if (baseline) rc = perf_pairs(m->s, &x, baseline, o->times[OPTION_json], m->list, e);
    for (int cell = 0; !baseline && !rc && cell < experiment_cells(&x); cell++) {
        RunSpec spec = experiment_spec(&x, cell, 0, 0);
        rc = measure(m, &x, &spec, e);
        if (rc != RC_UNMEASURED) continue;
        error_prefix(e, "%s: ", x.name);
        if (is_new(m, e->text)) {
            terminal_say(stderr, "normbench: %s\n", e->text);
            m->failed++;
        }
        rc = RC_OK;
    }
    return rc;
}

static Rc write_json(const Measured *m, Error *e) {
    const char *path = option(m->s->options, OPTION_output, NULL);
    json_t *root = json_pack("{s:i, s:O, s:o}", "schema", 1, "steps", m->list, "provenance", provenance_json());
    LOCAL_TEXT(json);
    json_print(root, 9, &json);
    if (m->s->options->times[OPTION_json]) printf("%s", json.at);
    return path ? file_write(path, json.at, json.length, e) : RC_OK;
}

static Rc check_options(const Options *o, int *replicas, Error *e) {
    if (o->times[OPTION_replicas] && !o->times[OPTION_dry_run])
        return error_set(e, RC_USAGE, "perf: --replicas goes with --dry-run");
    *replicas = o->times[OPTION_dry_run] ? option_integer(o, OPTION_replicas, 5) : 0;
    if (o->times[OPTION_baseline] && (!o->operands || o->times[OPTION_dry_run]))
        return error_set(e, RC_USAGE, "perf: --baseline needs an experiment, and does not go with --dry-run");
    return RC_OK;
}

Rc command_perf(Session *s, Error *e) {
    char folder[1024], **names;
    Measured m = {.s = s, .list = json_array()};
    Rc rc = RC_OK;
    if (s->options->operands > 1) return error_set(e, RC_USAGE, "perf: name at most one experiment");
    if (check_options(s->options, &m.replicas, e)) return e->code;
    if (!m.replicas && s->backend->device)
        return error_set(e, RC_USAGE,
                         "perf: backend '%s' is measured by bench/gpu-check; --dry-run --backend cuda counts launches",
                         s->backend->name);
    session_signals();
    text_init(&m.seen);
    if (s->options->operands) {
        rc = measure_cells(&m, s->options->operand[0], e);
    } else {
        snprintf(folder, sizeof folder, "%s/bench/experiments", s->root);
        int count = folder_names(folder, ".yaml", &names);
        for (int i = 0; i < count && !rc; i++) rc = measure_cells(&m, names[i], e);
        names_free(names, count);
    }
    if (!rc) rc = write_json(&m, e);
    if (!rc && m.failed) rc = error_set(e, RC_UNMEASURED, "perf: %d measurements failed, named above", m.failed);
    json_decref(m.list);
    text_release(&m.seen);
    return rc;
}
