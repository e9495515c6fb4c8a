#include "bench/perf/perf.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/pool.h"
#include "bench/store/feeding.h"
#include "bench/store/session.h"
#include "models/trainer.h"
#include "models/trainer_count.h"
#include "models/trainer_look.h"
#include "stats/status.h"

enum { FEW_STEPS = 2, LEAST_STEPS = 10, STEPS_MAX = 2000, ROUNDS = 5 };
static const double least_seconds = 3, enough_seconds = 15, between_samples = 0.2, round_seconds = 0.4;

typedef struct {
    double *value;
    int count;
} Samples;

typedef struct {
    Perf *out;
    const RunSpec *spec;
    const Dataset *data;
    Trainer *t;
    StepReport *report;
    int *group; /* [trainer_ops] index into out->op */
    Samples step, own_step, update, norms, fma, copy;
    Samples *op[PASSES]; /* [out->ops] */
    double sampled;      /* time of the last sample of the fma peak */
} Bench;

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) {
    return clock_of(CLOCK_MONOTONIC);
}

/* Return this thread's processor time, which excludes other programs. */
static double own(void) {
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void add(Samples *s, double x) {
    s->value = mem_grow(s->value, (size_t)s->count + 1, sizeof *s->value);
    s->value[s->count++] = x;
}

/* Sort and return the median. */
static double median(Samples *s) {
    if (!s->count) return 0;
    qsort(s->value, (size_t)s->count, sizeof *s->value, st_compare_double);
    return (s->value[(s->count - 1) / 2] + s->value[s->count / 2]) / 2;
}

static PerfRate rate_of(Samples *s) {
    double middle = median(s);
    return (PerfRate){s->value[s->count - 1], middle, s->value[0], s->count};
}

/* Return the peak resident memory in MB. VmHWM counts this program only; ru_maxrss also the program that started it. */
static double resident_most(void) {
    struct rusage usage;
    char line[128];
    double kb = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmHWM:", 6)) kb = strtod(line + 6, NULL);
    if (f) fclose(f);
    if (kb <= 0 && !getrusage(RUSAGE_SELF, &usage)) kb = (double)usage.ru_maxrss;
    return kb / 1024;
}

/* Reset the peak of resident memory; if the kernel cannot, the figure remains the peak of all shapes so far. */
static void forget_resident(void) {
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "we");
    if (f) fputs("5", f), fclose(f);
}

static void next_batch(Trainer *t, const RunSpec *s, const Dataset *d) {
    feed_step(t, 0, d, s, spec_order_seed(s), (uint64_t)trainer_step_number(t));
}

typedef struct {
    const Bench *bench;
    double *sum[PASSES]; /* [out->ops] */
    double at;           /* end of the previous op */
} OpTimer;

static void time_op(void *context, int op, bool backward) {
    OpTimer *t = context;
    double now = own();
    if (op >= 0) t->sum[backward ? PASS_BACKWARD : PASS_FORWARD][t->bench->group[op]] += now - t->at;
    t->at = now;
}

/* Do the work of trainer_step, timing every kernel call by this thread's clock. */
static void timed_step(Bench *b) {
    OpTimer timer = {.bench = b};
    for (int pass = 0; pass < PASSES; pass++) timer.sum[pass] = mem_alloc((size_t)b->out->ops, sizeof *timer.sum[pass]);
    trainer_each_op(b->t, time_op, &timer);
    volatile double keep = trainer_norm_only(b->t);
    double normed = own();
    trainer_update_only(b->t);
    double updated = own();
    keep = trainer_norm_only(b->t);
    (void)keep;
    add(&b->norms, own() - updated + normed - timer.at);
    add(&b->update, updated - normed);
    for (int pass = 0; pass < PASSES; pass++) {
        for (int g = 0; g < b->out->ops; g++) add(&b->op[pass][g], timer.sum[pass][g]);
        free(timer.sum[pass]);
    }
}

static void real_step(Bench *b, bool measured) {
    next_batch(b->t, b->spec, b->data);
    double start = now(), ran = own();
    trainer_step(b->t, b->report);
    if (!measured) return;
    add(&b->step, now() - start);
    add(&b->own_step, own() - ran);
}

/* Sample the rates; the copy evicts the step's data from the caches, so an untimed step follows. */
static void sample_machine(Bench *b, bool copy) {
    add(&b->fma, backend_fma_peak(trainer_backend(b->t)));
    if (copy) {
        add(&b->copy, backend_copy_bandwidth());
        real_step(b, false);
    }
    b->sampled = now();
}

static bool enough(int steps, double spent) {
    return (steps >= LEAST_STEPS && spent >= least_seconds) || (steps >= FEW_STEPS && spent >= enough_seconds) ||
           steps >= STEPS_MAX;
}

static void measure_steps(Bench *b) {
    bool halfway = false;
    sample_machine(b, true);
    double start = now(), ran = own(), spent = 0;
    while (!session_signal && !enough(b->step.count, spent)) {
        real_step(b, true);
        timed_step(b);
        spent = now() - start;
        bool copy = !halfway && spent > least_seconds / 2;
        halfway = halfway || copy;
        if (copy || now() - b->sampled > between_samples) sample_machine(b, copy);
    }
    b->out->undisturbed = (own() - ran) / (now() - start);
    sample_machine(b, true);
}

/* Threads that do the same work at once. */
typedef struct {
    Bench *bench;
    Trainer *trainer[2];
    int steps; /* steps of each trainer; 0 = the fma peak's loop instead */
} Crowd;

static void crowd_job(void *context, int index) {
    Crowd *c = context;
    OWNED StepReport *report = trainer_reports(c->bench->t, 1);
    for (int i = 0; i < c->steps && !session_signal; i++) {
        next_batch(c->trainer[index], c->bench->spec, c->bench->data);
        trainer_step(c->trainer[index], report);
    }
    for (int i = 0; !c->steps && i < 10; i++) (void)backend_fma_peak(trainer_backend(c->bench->t));
}

static double crowd_seconds(Crowd *c, int threads) {
    double start = now();
    pool_run(threads, threads, crowd_job, c);
    return now() - start;
}

/* Measure the throughput of two threads over one, for runs and for the fma peak in turn. */
static void measure_scaling(Bench *b, Trainer *second) {
    Samples runs = {0}, fma = {0}; /* not for long steps: the machine's speed changes meanwhile */
    if (pool_processors() < 2 || b->out->step_median >= enough_seconds / 4) return;
    Crowd work = {b, {b->t, second}, (int)(round_seconds / b->out->step_median) + 1}, peak = {.bench = b};
    double start = now();
    for (int i = 0; i < ROUNDS && !session_signal && now() - start < enough_seconds; i++) {
        double one = crowd_seconds(&work, 1), two = crowd_seconds(&work, 2);
        add(&runs, 2 * one / two);
        one = crowd_seconds(&peak, 1), two = crowd_seconds(&peak, 2);
        add(&fma, 2 * one / two);
    }
    b->out->scaling_runs = median(&runs);
    b->out->scaling_fma = median(&fma);
    free(runs.value);
    free(fma.value);
}

/* Measure one run that several threads share over one of one thread, in turn. */
static void measure_sharing(Bench *b, Trainer *second, int sharing) {
    Samples speed = {0};
    Error ignored;
    Crowd alone = {b, {b->t}, (int)(round_seconds / b->out->step_median) + 1}, shared = {b, {second}, alone.steps};
    if (sharing < 2 || session_signal || trainer_share(second, sharing, &ignored)) return;
    double start = now();
    for (int i = 0; i < ROUNDS && !session_signal && (!i || now() - start < enough_seconds); i++) {
        double one = crowd_seconds(&alone, 1);
        add(&speed, one / crowd_seconds(&shared, 1));
    }
    b->out->sharing = sharing;
    b->out->shared = median(&speed);
    free(speed.value);
}

static void summarize(Bench *b) {
    Perf *out = b->out;
    out->steps = b->step.count;
    out->step_median = median(&b->step);
    out->step_own = median(&b->own_step);
    out->step_best = b->step.count ? b->step.value[0] : 0;
    out->update.seconds = median(&b->update);
    out->norms.seconds = median(&b->norms);
    for (int g = 0; g < out->ops; g++)
        for (int pass = 0; pass < PASSES; pass++) out->op[g].seconds[pass] = median(&b->op[pass][g]);
}

static void bench_release(Bench *b) {
    for (int pass = 0; pass < PASSES; pass++) {
        for (int g = 0; g < b->out->ops; g++) free(b->op[pass][g].value);
        free(b->op[pass]);
    }
    Samples *const all[] = {&b->step, &b->own_step, &b->update, &b->norms, &b->fma, &b->copy};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]->value);
    free(b->group);
    free(b->report);
    trainer_free(b->t);
}

/* Check memory before allocating: Linux grants memory that it does not have, and kills the program when it is used. */
static Rc check_memory(const ModelShape *shape, const RunSpec *spec, const Backend *backend, Error *e) {
    double need = (double)trainer_need(shape, &spec->variant, NULL, backend), have = pool_memory(), mb = 1 << 20;
    if (need <= have) return RC_OK;
    return error_set(e, RC_UNMEASURED, "out of memory: a run needs %.0f MB; %.0f MB can be had", need / mb, have / mb);
}

/* Measure a second run beside the first; if it does not fit into memory, the figures of two runs stay NaN. */
static void measure_two(Bench *b, const Recipe *recipe, int sharing) {
    Perf *p = b->out;
    Trainer *second;
    Error ignored;
    const Backend *backend = trainer_backend(b->t);
    forget_resident(); /* exclude the copy's memory */
    if (check_memory(&p->shape, b->spec, backend, &ignored) ||
        trainer_for_gpt(&second, &p->shape, &b->spec->variant, NULL, recipe, &b->spec->seed, 1, backend, &ignored))
        return;
    trainer_cancel(second, &session_signal);
    next_batch(second, b->spec, b->data);
    trainer_step(second, b->report);
    p->memory_two = resident_most();
    if (!session_signal) measure_scaling(b, second);
    measure_sharing(b, second, sharing);
    trainer_free(second);
}

Rc perf_measure(Perf *p, const RunSpec *spec, const Dataset *d, const Backend *backend, int sharing, Error *e) {
    Bench b = {.out = p, .spec = spec, .data = d};
    Recipe recipe = spec_recipe(spec);
    const double unknown = (double)NAN;
    forget_resident();
    *p = (Perf){.shape = spec_shape(spec, d->vocab)};
    p->scaling_runs = p->scaling_fma = p->memory_two = unknown;
    if (check_memory(&p->shape, spec, backend, e) ||
        trainer_for_gpt(&b.t, &p->shape, &spec->variant, NULL, &recipe, &spec->seed, 1, backend, e))
        return e->code;
    b.report = trainer_reports(b.t, 1);
    b.group = mem_alloc((size_t)trainer_ops(b.t), sizeof *b.group);
    trainer_cancel(b.t, &session_signal);
    perf_count(p, b.group, b.t, recipe.optimizer);
    for (int pass = 0; pass < PASSES; pass++) b.op[pass] = mem_alloc((size_t)p->ops, sizeof *b.op[pass]);
    real_step(&b, false);
    p->memory_one = resident_most();
    measure_steps(&b);
    summarize(&b);
    measure_two(&b, &recipe, sharing);
    sample_machine(&b, false);
    p->fma = rate_of(&b.fma), p->copy = rate_of(&b.copy);
    bench_release(&b);
    if (!session_signal) return RC_OK;
    perf_release(p);
    return error_set(e, (Rc)(128 + session_signal), "stopped");
}

Rc perf_speed(double *flops, const RunSpec *spec, const Dataset *d, const Backend *backend, Error *e) {
    const ModelShape shape = spec_shape(spec, d->vocab);
    const Recipe recipe = spec_recipe(spec);
    Trainer *t;
    if (check_memory(&shape, spec, backend, e) ||
        trainer_for_gpt(&t, &shape, &spec->variant, NULL, &recipe, &spec->seed, 1, backend, e))
        return e->code;
    OWNED StepReport *report = trainer_reports(t, 1);
    trainer_cancel(t, &session_signal);
    next_batch(t, spec, d);
    double start = own();
    trainer_step(t, report);
    *flops = trainer_flops(t) / (own() - start);
    trainer_free(t);
    return RC_OK;
}

void perf_release(Perf *p) {
    free(p->op);
    p->op = NULL;
    p->ops = 0;
}
