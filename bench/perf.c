#include "bench/perf.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/pool.h"
#include "bench/session.h"
#include "models/trainer.h"

enum { FEW_STEPS = 2, LEAST_STEPS = 10, MOST_STEPS = 2000, ROUNDS = 5 };
static const double least_seconds = 3, enough_seconds = 15, between_samples = 0.2, round_seconds = 0.4;

typedef struct {
    double *value;
    int count;
} Samples;

typedef struct {
    Perf *out;
    const RunSpec *spec;
    const Dataset *data;
    Trainer t;
    int *group; /* [tape.ops] index into out->op */
    Samples step, own_step, update, norms, fma, copy;
    Samples *op[PASSES]; /* [out->ops] */
    double sampled;      /* when the fma peak was last taken */
} Bench;

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) {
    return clock_of(CLOCK_MONOTONIC);
}

/* Time in which this thread had a processor: what other programs take does not count. */
static double own(void) {
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void add(Samples *s, double x) {
    s->value = mem_grow(s->value, (size_t)s->count + 1, sizeof *s->value);
    s->value[s->count++] = x;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts; the middle one, or the mean of the two in the middle. */
static double median(Samples *s) {
    if (!s->count) return 0;
    qsort(s->value, (size_t)s->count, sizeof *s->value, by_value);
    return (s->value[(s->count - 1) / 2] + s->value[s->count / 2]) / 2;
}

static PerfRate rate_of(Samples *s) {
    double middle = median(s);
    return (PerfRate){s->value[s->count - 1], middle, s->value[0], s->count};
}

/* The most this process ever held, MB. VmHWM is of this program alone; ru_maxrss also remembers the program it was
 * started from. */
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

/* From here on, of what follows; where the kernel cannot, the figure is of all shapes measured so far. */
static void forget_resident(void) {
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "we");
    if (f) fputs("5", f), fclose(f);
}

static void next_batch(Trainer *t, const RunSpec *s, const Dataset *d) {
    dataset_batch(d, s->seed, (uint64_t)t->step, (int)s->batch, (int)s->context, trainer_inputs(t, 0),
                  trainer_targets(t, 0));
}

static double square_norms(const Trainer *t) {
    double total = 0;
    for (int i = 0; i < t->tape.tensors; i++) {
        const Tensor *x = &t->tape.tensor[i];
        if (x->role == ROLE_PARAM)
            total += t->program.backend->sumsq(program_at(&t->program, ROLE_GRAD, i, 0), x->rows, x->cols);
    }
    return total;
}

static void update(const Trainer *t) {
    const Program *p = &t->program;
    for (int i = 0; i < t->tape.tensors; i++) {
        const Tensor *x = &t->tape.tensor[i];
        if (x->role != ROLE_PARAM) continue;
        Update u = {.p = program_at(p, ROLE_PARAM, i, 0),
                    .g = program_at(p, ROLE_GRAD, i, 0),
                    .m = program_at(p, ROLE_MOMENT1, i, 0),
                    .v = program_at(p, ROLE_MOMENT2, i, 0),
                    .count = (size_t)x->rows * (size_t)x->cols,
                    .decay = x->rows > 1,
                    .scalars = &p->scalars[0]};
        p->backend->update[t->recipe->optimizer](&u);
    }
}

/* The work of trainer_step, with the scalars of the step before, every kernel call timed by this thread's own clock. */
static void timed_step(Bench *b) {
    Program *p = &b->t.program;
    double *sum[PASSES];
    for (int pass = 0; pass < PASSES; pass++) sum[pass] = mem_alloc((size_t)b->out->ops, sizeof *sum[pass]);
    double at = own(), next;
    for (int i = 0; i < p->tape->ops && !session_signal; i++, at = next) {
        p->backend->kernel[p->call[i].kind]->forward(&p->call[i]);
        next = own();
        sum[PASS_FORWARD][b->group[i]] += next - at;
    }
    program_seed(p);
    for (int i = p->tape->ops - 1; i >= 0 && !session_signal; i--) {
        if (!p->gradients.reached[i]) continue;
        p->backend->kernel[p->call[i].kind]->backward(&p->call[i]);
        next = own();
        sum[PASS_BACKWARD][b->group[i]] += next - at;
        at = next;
    }
    volatile double keep = square_norms(&b->t);
    double normed = own();
    update(&b->t);
    double updated = own();
    keep = square_norms(&b->t);
    (void)keep;
    add(&b->norms, own() - updated + normed - at);
    add(&b->update, updated - normed);
    for (int pass = 0; pass < PASSES; pass++) {
        for (int g = 0; g < b->out->ops; g++) add(&b->op[pass][g], sum[pass][g]);
        free(sum[pass]);
    }
}

static void real_step(Bench *b, bool measured) {
    StepReport report;
    next_batch(&b->t, b->spec, b->data);
    double start = now(), ran = own();
    trainer_step(&b->t, &report);
    if (!measured) return;
    add(&b->step, now() - start);
    add(&b->own_step, own() - ran);
}

/* The copy streams through the caches, so a step that does not count follows. */
static void sample_machine(Bench *b, bool copy) {
    add(&b->fma, backend_fma_peak(b->t.program.backend));
    if (copy) {
        add(&b->copy, backend_copy_bandwidth());
        real_step(b, false);
    }
    b->sampled = now();
}

static bool enough(int steps, double spent) {
    return (steps >= LEAST_STEPS && spent >= least_seconds) || (steps >= FEW_STEPS && spent >= enough_seconds) ||
           steps >= MOST_STEPS;
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

/* Several threads doing the same work at once. */
typedef struct {
    Bench *bench;
    Trainer *trainer[2];
    int steps; /* of each trainer; 0 = the fma peak's loop instead */
} Crowd;

static void crowd_job(void *context, int index) {
    Crowd *c = context;
    StepReport report;
    for (int i = 0; i < c->steps && !session_signal; i++) {
        next_batch(c->trainer[index], c->bench->spec, c->bench->data);
        trainer_step(c->trainer[index], &report);
    }
    for (int i = 0; !c->steps && i < 10; i++) (void)backend_fma_peak(c->bench->t.program.backend);
}

static double crowd_seconds(Crowd *c, int threads) {
    double start = now();
    pool_run(threads, threads, crowd_job, c);
    return now() - start;
}

/* Throughput of two threads over one, for runs and for the fma peak in turn. */
static void measure_scaling(Bench *b, Trainer *second) {
    Samples runs = {0}, fma = {0}; /* not of steps so long that the machine changes meanwhile */
    if (pool_processors() < 2 || b->out->step_median >= enough_seconds / 4) return;
    Crowd work = {b, {&b->t, second}, (int)(round_seconds / b->out->step_median) + 1}, peak = {.bench = b};
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

/* One run that several threads share, over one of one thread, in turn. */
static void measure_sharing(Bench *b, Trainer *second, int sharing) {
    Samples speed = {0};
    Error ignored;
    Crowd alone = {b, {&b->t}, (int)(round_seconds / b->out->step_median) + 1}, shared = {b, {second}, alone.steps};
    if (sharing < 2 || session_signal || program_share(&second->program, sharing, &ignored)) return;
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
    trainer_release(&b->t);
}

/* Asked before anything is allocated: memory that only seems to be there ends the program. */
static Rc check_memory(const ModelShape *shape, const RunSpec *spec, const Backend *backend, Error *e) {
    Tape t;
    transformer_build(&t, shape, &spec->variant);
    double need = (double)program_bytes(&t, backend, 1), have = pool_memory(), mb = 1 << 20;
    tape_release(&t);
    if (need <= have) return RC_OK;
    return error_set(e, RC_UNMEASURED, "out of memory: a run needs %.0f MB; %.0f MB can be had", need / mb, have / mb);
}

/* A second run beside the first; where it does not fit, what two of them do stays unknown. */
static void measure_two(Bench *b, const Recipe *recipe, int sharing) {
    Perf *p = b->out;
    Trainer second;
    Error ignored;
    StepReport report;
    const Backend *backend = b->t.program.backend;
    forget_resident(); /* what the copy took */
    if (check_memory(&p->shape, b->spec, backend, &ignored) ||
        trainer_init(&second, &p->shape, &b->spec->variant, recipe, &b->spec->seed, 1, backend, &ignored))
        return;
    second.program.cancel = &session_signal;
    next_batch(&second, b->spec, b->data);
    trainer_step(&second, &report);
    p->memory_two = resident_most();
    if (!session_signal) measure_scaling(b, &second);
    measure_sharing(b, &second, sharing);
    trainer_release(&second);
}

Rc perf_measure(Perf *p, const RunSpec *spec, const Dataset *d, const Backend *backend, int sharing, Error *e) {
    Bench b = {.out = p, .spec = spec, .data = d};
    Recipe recipe = spec_recipe(spec);
    const double unknown = (double)NAN;
    forget_resident();
    *p = (Perf){.shape = spec_shape(spec, d->vocab)};
    p->scaling_runs = p->scaling_fma = p->memory_two = unknown;
    if (check_memory(&p->shape, spec, backend, e) ||
        trainer_init(&b.t, &p->shape, &spec->variant, &recipe, &spec->seed, 1, backend, e))
        return e->code;
    b.group = mem_alloc((size_t)b.t.tape.ops, sizeof *b.group);
    b.t.program.cancel = &session_signal;
    perf_count(p, b.group, &b.t.program, recipe.optimizer);
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

void perf_release(Perf *p) {
    free(p->op);
    p->op = NULL;
    p->ops = 0;
}
