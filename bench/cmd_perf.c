/* normbench perf [EXPERIMENT]: where a training step's time goes, beside what this core can do. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/commands.h"
#include "bench/perf.h"
#include "bench/provenance.h"
#include "bench/record.h"

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
    json_object_set_new(work, "flops", json_real(flops));
    json_object_set_new(work, "gflops", json_real(gflops));
    json_object_set_new(work, "peak_share", json_real(gflops / p->fma.best));
    return work;
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
                json_object_set_new(entry, pass_name[pass],
                                    work_json(p, op->seconds[pass], op->flops[pass], op->bytes[pass]));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *model_json(const Report *r) {
    const ModelShape *m = &r->p.shape;
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:I}", "layers", m->layers, "width", m->width, "heads", m->heads,
                     "context", m->context, "batch", m->batch, "vocab", m->vocab, "parameters",
                     (json_int_t)r->p.parameters);
}

static json_t *step_json(const Perf *p) {
    double rate = perf_rate(p->flops, p->step_median), tokens = (double)p->shape.batch * p->shape.context;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "measured", p->steps, "seconds",
                     p->step_median, "seconds_best", p->step_best, "processor_seconds", p->step_own, "flops", p->flops,
                     "gflops", rate, "utilization", perf_utilization(p, p->step_median), "processor_utilization",
                     perf_utilization(p, p->step_own), "tokens_per_second", tokens / p->step_median, "undisturbed",
                     p->undisturbed);
}

static char *report_json(const Report *r) {
    const Perf *p = &r->p;
    json_t *root = json_object();
    json_object_set_new(root, "experiment", json_string(r->x->name));
    json_object_set_new(root, "arm", json_string(r->x->arm[0].name));
    json_object_set_new(root, "dataset", json_string(r->data->name));
    json_object_set_new(root, "backend", json_string(r->s->backend->name));
    json_object_set_new(root, "model", model_json(r));
    json_object_set_new(root, "fma_peak_gflops", rate_json(&p->fma));
    json_object_set_new(root, "copy_gb_per_s", rate_json(&p->copy));
    json_object_set_new(root, "step", step_json(p));
    json_object_set_new(root, "ops", ops_json(p));
    json_object_set_new(root, "optimizer", work_json(p, p->update.seconds, 0, p->update.bytes));
    json_object_set_new(root, "norms", work_json(p, p->norms.seconds, 0, p->norms.bytes));
    json_object_set_new(root, "two_threads",
                        json_pack("{s:o, s:o, s:o}", "runs", json_number_of(p->scaling_runs), "fma_peak",
                                  json_number_of(p->scaling_fma), "runs_over_fma_peak",
                                  json_number_of(p->scaling_runs / p->scaling_fma)));
    json_object_set_new(root, "memory_mb",
                        json_pack("{s:f, s:f}", "one_run", p->memory_one, "two_runs", p->memory_two));
    json_object_set_new(root, "provenance", provenance_json());
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    return text;
}

/* "66%" of a rate's best; matmuls and attention against the fma peak, everything else against the copy. */
static void print_rate(const Perf *p, double flops, double bytes, double seconds) {
    double rate = perf_rate(flops > 0 ? flops : bytes, seconds), best = flops > 0 ? p->fma.best : p->copy.best;
    if (seconds > 0)
        printf("  %7.1f %s %4.0f%%", rate, flops > 0 ? "GFLOP/s" : "GB/s   ", 100 * rate / best);
    else
        printf("  %21s", "");
}

static void print_op(const Perf *p, const PerfOp *op, double total) {
    char shape[32];
    if (op->in_cols == op->out_cols)
        snprintf(shape, sizeof shape, "%d", op->out_cols);
    else
        snprintf(shape, sizeof shape, "%d -> %d", op->in_cols, op->out_cols);
    printf("  %-10s %-12s %4d  %8.3f %8.3f  %4.1f%%", op_info[op->kind].name, shape, op->calls,
           1e3 * op->seconds[PASS_FORWARD], 1e3 * op->seconds[PASS_BACKWARD],
           100 * (op->seconds[PASS_FORWARD] + op->seconds[PASS_BACKWARD]) / total);
    for (int pass = 0; pass < PASSES; pass++) print_rate(p, op->flops[pass], op->bytes[pass], op->seconds[pass]);
    printf("\n");
}

static void print_part(const Perf *p, const char *name, const PerfPart *part, double total) {
    printf("  %-28s  %8.3f %8s  %4.1f%%", name, 1e3 * part->seconds, "", 100 * part->seconds / total);
    print_rate(p, 0, part->bytes, part->seconds);
    printf("\n");
}

/* Time of one kind of work, both passes: the shares that speed targets are about. */
static void print_shares(const Perf *p, double total) {
    double matmul[2] = {0}, attention[2] = {0};
    for (int g = 0; g < p->ops; g++) {
        double *sum = p->op[g].kind == OP_linear ? matmul : p->op[g].kind == OP_attention ? attention : NULL;
        for (int pass = 0; sum && pass < PASSES; pass++)
            sum[0] += p->op[g].seconds[pass], sum[1] += p->op[g].flops[pass];
    }
    printf("  matmuls %.1f%% of the step at %.0f%% of peak, attention %.1f%% at %.0f%%, everything else %.1f%%\n",
           100 * matmul[0] / total, 100 * perf_rate(matmul[1], matmul[0]) / p->fma.best, 100 * attention[0] / total,
           100 * perf_rate(attention[1], attention[0]) / p->fma.best, 100 * (total - matmul[0] - attention[0]) / total);
}

static void print_machine(const char *what, const char *unit, const PerfRate *r) {
    printf("  %-15s %7.1f %s  (best of %d; median %.1f, least %.1f)\n", what, r->best, unit, r->samples, r->median,
           r->least);
}

static void print_text(const Report *r) {
    const Perf *p = &r->p;
    const ModelShape *m = &p->shape;
    double total = p->update.seconds + p->norms.seconds;
    for (int g = 0; g < p->ops; g++)
        for (int pass = 0; pass < PASSES; pass++) total += p->op[g].seconds[pass];
    printf("one training step of %s, arm %s: %d layers x %d, %d heads, context %d, batch %d, vocabulary %d,\n"
           "%zu parameters; backend %s, one core\n\nthis core, before, between and after the steps\n",
           r->x->name, r->x->arm[0].name, m->layers, m->width, m->heads, m->context, m->batch, m->vocab, p->parameters,
           r->s->backend->name);
    print_machine("fma peak", "GFLOP/s", &p->fma);
    print_machine("copy", "GB/s   ", &p->copy);
    printf("\n  %-10s %-12s %4s  %8s %8s  %5s  %21s  %21s\n", "op", "columns", "ops", "fwd ms", "bwd ms", "time",
           "forward, of peak/copy", "backward");
    for (int g = 0; g < p->ops; g++) print_op(p, &p->op[g], total);
    print_part(p, "optimizer", &p->update, total);
    print_part(p, "gradient and update norms", &p->norms, total);
    print_shares(p, total);
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
        printf("two threads  not measured: one processor\n");
    else
        printf("two threads  %.2f x one run's throughput; the fma peak itself %.2f x\n", p->scaling_runs,
               p->scaling_fma);
    printf("memory       %.0f MB resident with one run, %.0f MB with two\n", p->memory_one, p->memory_two);
}

static Rc report(const Report *r, Error *e) {
    const Options *o = r->s->options;
    const char *path = option(o, OPTION_output, NULL);
    char *json = report_json(r);
    Rc rc = RC_OK;
    if (o->times[OPTION_json])
        printf("%s\n", json);
    else
        print_text(r);
    if (path) rc = file_write(path, json, strlen(json), e);
    free(json);
    return rc;
}

Rc command_perf(Session *s, Error *e) {
    Experiment x;
    Report r = {.s = s, .x = &x};
    char tokenizer[160];
    if (s->options->operands > 1) return error_set(e, RC_USAGE, "perf: name at most one experiment");
    session_signals();
    if (session_experiment(s, s->options->operands ? s->options->operand[0] : "embedding-norm", &x, e)) return e->code;
    RunSpec spec = experiment_spec(&x, 0, 0, 0);
    r.spec = &spec;
    Rc rc = session_dataset(s, spec.dataset.text, spec_get(tokenizer, &spec, "tokenizer"), &r.data, e);
    if (!rc) rc = perf_measure(&r.p, &spec, r.data, s->backend, e);
    if (!rc) {
        rc = report(&r, e);
        perf_release(&r.p);
    }
    experiment_release(&x);
    return rc;
}
