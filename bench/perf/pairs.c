#include "bench/perf/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/perf/perf.h"
#include "bench/perf/tables.h"
#include "bench/store/feeding.h"
#include "bench/store/session.h"
#include "models/norm.h"
#include "models/trainer_count.h"
#include "models/trainer_look.h"
#include "stats/counts.h"
#include "stats/status.h"

enum { LEAST_PAIRS = 10, PAIRS_MAX = 5000 };

/* Return this thread's processor time, which excludes other programs. */
static double own(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double middle(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, st_compare_double);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

typedef struct {
    const RunSpec *spec;
    const Dataset *data;
    Recipe recipe;
    Trainer *t;
    StepReport *report;
    double *seconds;
} Side;

/* Return true for an op of models/norms.def, without gates and shifts, which are also used elsewhere. */
static bool is_norm(OpKind kind) {
    if (kind == OP_gate || kind == OP_shift) return false;
    for (int n = 0; n < NORM_COUNT; n++) {
        const NormInfo *norm = &norm_info[n];
        if ((int)kind == norm->qk_op || (int)kind == norm->v_op) return true;
        for (int i = 0; norm->step[i] != NORM_NOTHING; i++)
            if ((int)kind == norm->step[i]) return true;
    }
    return false;
}

static void count(PairSide *out, const Trainer *t, OptimizerKind optimizer) {
    LOCAL(perf_release) Perf all = {0};
    OWNED int *group = mem_alloc((size_t)trainer_ops(t), sizeof *group);
    perf_count(&all, group, t, optimizer);
    *out = (PairSide){.flops = all.flops, .memory = (double)trainer_bytes(t), .parameters = all.parameters};
    for (int g = 0; g < all.ops; g++) out->bytes += all.op[g].bytes[PASS_FORWARD] + all.op[g].bytes[PASS_BACKWARD];
    for (int i = 0; i < trainer_ops(t); i++) {
        const Call *c = trainer_op(t, i).call;
        if (is_norm(c->kind)) out->norms++, out->normed += (double)c->out.rows * c->out.cols;
    }
}

static Rc side_init(Side *s, const RunSpec *spec, const Dataset *d, const Backend *backend, Error *e) {
    ModelShape shape = spec_shape(spec, d->vocab);
    *s = (Side){.spec = spec, .data = d, .recipe = spec_recipe(spec)};
    s->seconds = mem_alloc(PAIRS_MAX, sizeof *s->seconds);
    if (trainer_for_gpt(&s->t, &shape, &spec->variant, NULL, &s->recipe, &spec->seed, 1, backend, e)) return e->code;
    s->report = trainer_reports(s->t, 1);
    trainer_cancel(s->t, &session_signal);
    return RC_OK;
}

static void side_release(Side *s) {
    if (s->t) trainer_free(s->t);
    free(s->report);
    free(s->seconds);
}

static double step(Side *s) {
    feed_step(s->t, 0, s->data, s->spec, spec_order_seed(s->spec), (uint64_t)trainer_step_number(s->t));
    double start = own();
    trainer_step(s->t, s->report);
    return own() - start;
}

/* Train in turn, ABBA, so that neither always follows the other. */
static int train(Side *a, Side *b, double seconds) {
    int n = 0;
    double start = own();
    (void)step(a), (void)step(b);
    while (!session_signal && n < PAIRS_MAX && (n < LEAST_PAIRS || own() - start < seconds)) {
        Side *first = n % 2 ? b : a, *second = n % 2 ? a : b;
        first->seconds[n] = step(first);
        second->seconds[n] = step(second);
        n++;
    }
    return n;
}

static void summarize(PerfPair *out, Side *arm, Side *baseline, int n) {
    OWNED double *ratio = mem_alloc((size_t)n, sizeof *ratio);
    unsigned low = st_median_rank((unsigned)n, 0.95);
    for (int i = 0; i < n; i++) ratio[i] = arm->seconds[i] / baseline->seconds[i];
    out->pairs = n;
    out->ratio = middle(ratio, n);
    out->lo = out->hi = (double)NAN;
    if (low) out->lo = ratio[low - 1], out->hi = ratio[n - (int)low];
    out->arm.seconds = middle(arm->seconds, n), out->arm.best = arm->seconds[0];
    out->baseline.seconds = middle(baseline->seconds, n), out->baseline.best = baseline->seconds[0];
}

Rc pairs_measure(PerfPair *out, const RunSpec *arm, const RunSpec *baseline, const Dataset *d, const Backend *backend,
                 double seconds, Error *e) {
    Side a, b = {0};
    *out = (PerfPair){0};
    Rc rc = side_init(&a, arm, d, backend, e);
    if (!rc) rc = side_init(&b, baseline, d, backend, e);
    if (!rc) {
        count(&out->arm, a.t, a.recipe.optimizer), count(&out->baseline, b.t, b.recipe.optimizer);
        summarize(out, &a, &b, train(&a, &b, seconds));
        if (session_signal) rc = error_set(e, (Rc)(128 + session_signal), "stopped");
    }
    side_release(&a);
    side_release(&b);
    return rc;
}

static const double pair_seconds = 5; /* of processor time, for each arm */

static json_t *side_json(const PairSide *s) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:f, s:I}", "seconds", s->seconds, "seconds_best", s->best,
                     "flops", s->flops, "bytes", s->bytes, "memory", s->memory, "norms", s->norms, "normed", s->normed,
                     "parameters", (json_int_t)s->parameters);
}

static void print_pair(const PerfPair *p, const char *arm, const char *baseline) {
    LOCAL(cells_release) Cells c = {0};
    LOCAL_TEXT(out);
    pair_cells(p, arm, baseline, &c);
    cells_text(&c, terminal_width(), &out);
    printf("\n%s", out.at);
}

static Rc find_arm(const Experiment *x, const char *name, int *out, Error *e) {
    const char *names[EXPERIMENT_ARMS_MAX];
    char hint[160];
    for (*out = 0; *out < x->arms; ++*out) {
        names[*out] = x->arm[*out].name;
        if (!strcmp(names[*out], name)) return RC_OK;
    }
    return error_set(e, RC_USAGE, "--baseline: %s has no arm '%.80s'%s", x->name, name,
                     did_you_mean(hint, sizeof hint, name, names, (size_t)x->arms));
}

Rc perf_pairs(Session *s, const Experiment *x, const char *baseline, bool quiet, json_t *list, Error *e) {
    int base;
    char tokenizer[SPEC_TEXT_SIZE];
    const Dataset *d;
    if (find_arm(x, baseline, &base, e)) return e->code;
    RunSpec b = experiment_spec(x, 0, base, 0);
    if (session_dataset(s, b.dataset.text, spec_get(tokenizer, &b, "tokenizer"), &d, e)) return e->code;
    if (!quiet)
        printf(
            "%s: %d layers x %d, steps of two arms in turn on one core; x: first over second, with the 95 %% interval "
            "of the median\n",
            x->name, (int)b.layers, (int)b.width);
    for (int arm = 0; arm < x->arms; arm++) {
        PerfPair p;
        RunSpec a = experiment_spec(x, 0, arm, 0);
        if (arm == base) continue;
        if (strcmp(a.dataset.text, b.dataset.text)) return error_set(e, RC_USAGE, "--baseline: arms of two corpora");
        if (pairs_measure(&p, &a, &b, d, s->backend, pair_seconds, e)) return e->code;
        if (!quiet) print_pair(&p, x->arm[arm].name, baseline), (void)output_flush(NULL);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:[f,f], s:o, s:o}", "experiment", x->name,
                                        "arm", x->arm[arm].name, "baseline", baseline, "layers", (int)b.layers, "width",
                                        (int)b.width, "pairs", p.pairs, "time_ratio", p.ratio, "interval", p.lo, p.hi,
                                        "of_arm", side_json(&p.arm), "of_baseline", side_json(&p.baseline)));
    }
    return RC_OK;
}
