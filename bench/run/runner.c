#include "bench/run/runner.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/run/checkpoint.h"
#include "bench/run/execute.h"
#include "bench/formats/progress.h"

enum { RUNNER_MOST_REPLICAS = 1024 };

/* Runs that one program trains, as indices into todo->run. */
typedef struct {
    int *run;
    int runs;
} Group;

typedef struct {
    Todo *todo;
    Session *s;
    const Experiment *x;
    const RunnerOptions *o;
    Group *job;
    Progress progress;
    pthread_mutex_t lock;
    int failures;
    Error error;      /* the first failure */
    atomic_bool full; /* a record could not be stored */
} Runner;

/* The context of a program's callbacks. */
typedef struct {
    Runner *runner;
    const Group *group;
} Job;

static void report(void *context, int steps, bool resumed) {
    const Job *j = context;
    progress_add(&j->runner->progress, steps, resumed);
}

static void summarize(char *line, size_t size, const Runner *r, const TodoRun *run, const RunRecord *record) {
    char cell[256];
    const Evaluation *last = record->evaluations ? &record->evaluation[record->evaluations - 1] : NULL;
    experiment_cell_text(cell, r->x, run->cell);
    int n = snprintf(line, size, "%s%s%s seed %llu  ", cell, cell[0] ? "  " : "", r->x->arm[run->arm].name,
                     (unsigned long long)run->spec.seed);
    if (!strcmp(record->status, "ok") && last)
        snprintf(line + n, size - (size_t)n, "valid loss %.4f at step %d  (%.0f ms/step)",
                 last->metric[METRIC_valid_loss], last->step, 1e3 * record->step_seconds);
    else
        snprintf(line + n, size - (size_t)n, "diverged at step %d (%s)", record->diverged_step, record->culprit);
}

/* Prints each failure when it happens; the program's last line names only the first. */
static void fail(Runner *r, const TodoRun *run, Error *e) {
    error_prefix(e, "arm %s, seed %llu: ", r->x->arm[run->arm].name, (unsigned long long)run->spec.seed);
    progress_note(&r->progress, e->text);
    pthread_mutex_lock(&r->lock);
    if (!r->failures++) r->error = *e;
    pthread_mutex_unlock(&r->lock);
}

static void store(void *context, int index, RunRecord *record) {
    const Job *j = context;
    Runner *r = j->runner;
    TodoRun *run = &r->todo->run[j->group->run[index]];
    Error e;
    char line[512];
    if (r->o->declared) record->declared = mem_text(r->o->declared);
    if (record_write(record, r->s->runs, &e)) {
        r->full = true;
        fail(r, run, &e);
        return;
    }
    run->done = true;
    checkpoint_remove(r->s->runs, run->id);
    summarize(line, sizeof line, r, run, record);
    progress_finish_job(&r->progress, line);
}

static void one_group(void *context, int index) {
    Runner *r = context;
    const Group *group = &r->job[index];
    TodoRun *all = r->todo->run;
    Error e;
    if (session_signal || r->full) return; /* what cannot be stored is not trained */
    ExecutedRun *run = mem_alloc((size_t)group->runs, sizeof *run);
    RunRecord *record = mem_alloc((size_t)group->runs, sizeof *record);
    for (int i = 0; i < group->runs; i++) {
        TodoRun *planned = &all[group->run[i]];
        run[i] = (ExecutedRun){&planned->spec, planned->id, planned->arithmetic};
    }
    Execution x = {.run = run,
                   .runs = group->runs,
                   .data = all[group->run[0]].data,
                   .backend = all[group->run[0]].backend,
                   .probes = &r->todo->probes,
                   .folder = r->s->runs,
                   .threads = r->s->threads_per_run,
                   .checkpoint_seconds = r->o->checkpoint_seconds,
                   .stop = &session_signal,
                   .progress = report,
                   .finished = store,
                   .context = &(Job){r, group}};
    Rc rc = run_execute(&x, record, &e);
    for (int i = 0; i < group->runs; i++) {
        Error own = e;
        if (record[i].status[0])
            record_release(&record[i]);
        else if (rc && rc != RC_INTERRUPTED)
            fail(r, &all[group->run[i]], &own);
    }
    free(run);
    free(record);
}

/* Bytes that programs can have. */
static double memory_of(const Backend *b) {
    double device = b->device ? (double)b->device->memory() : 0;
    return device > 0 ? device : pool_memory();
}

/* Groups the runs of pending[count], in their order: each group is a run and those after it that can be its replicas
 * and are at the same step (the start, or a checkpoint), at most `most` in all. Returns how many groups there are. */
static int make_groups(Runner *r, const int *pending, int count, int most) {
    int *step = mem_alloc((size_t)count + 1, sizeof *step), groups = 0;
    bool *taken = mem_alloc((size_t)count + 1, sizeof *taken);
    for (int i = 0; i < count && most > 1; i++) step[i] = checkpoint_step(r->s->runs, r->todo->run[pending[i]].id);
    for (int i = 0; i < count; i++) {
        if (taken[i]) continue;
        const TodoRun *first = &r->todo->run[pending[i]];
        Group *g = &r->job[groups++];
        free(g->run);
        *g = (Group){mem_alloc((size_t)(most < count ? most : count), sizeof *g->run), 0};
        for (int j = i; j < count && g->runs < most; j++) {
            const TodoRun *other = &r->todo->run[pending[j]];
            if (taken[j] || other->data != first->data || step[j] != step[i]) continue;
            if (j > i && !execute_together(&first->spec, &other->spec)) continue;
            taken[j] = true;
            g->run[g->runs++] = pending[j];
        }
    }
    free(step);
    free(taken);
    return groups;
}

Rc runner_fits(const Todo *p, double *need, double *have, Error *e) {
    int of;
    double mb = 1 << 20;
    *need = todo_bytes(p, &of), *have = memory_of(p->run[of].backend);
    const RunSpec *spec = &p->run[of].spec;
    if (*need <= *have) return RC_OK;
    return error_set(e, RC_UNMEASURED,
                     "out of memory: a run of %lld layers x %lld, batch %lld x %lld, needs %.0f MB; %.0f MB can be had",
                     (long long)spec->layers, (long long)spec->width, (long long)spec->batch, (long long)spec->context,
                     *need / mb, *have / mb);
}

/* Before anything is allocated: a run that does not fit is refused. A program takes no more runs, and no more programs
 * run at once, than fit together: `replicas` runs to a program when asked for, all on a device, else one. */
static Rc fit_memory(Runner *r, const int *pending, int jobs, int *groups, int *threads, Error *e) {
    const Device *device = r->todo->run[pending[0]].backend->device; /* one machine computes all precisions of a plan */
    int asked = r->o->replicas ? r->o->replicas : device ? RUNNER_MOST_REPLICAS : 1;
    double need, have, mb = 1 << 20;
    if (runner_fits(r->todo, &need, &have, e)) return e->code;
    int wanted = *threads, fit = need > 0 && have / need < 1e6 ? (int)(have / need) : 1000000, most = asked;
    *groups = make_groups(r, pending, jobs, most);
    if (*threads > *groups) *threads = *groups;
    if (device) fit = fit * 9 / 10 > 0 ? fit * 9 / 10 : 1; /* others may use it */
    if (device && most > fit / *threads) most = fit / *threads > 0 ? fit / *threads : 1;
    if (most > fit) most = fit;
    if (most < asked) *groups = make_groups(r, pending, jobs, most);
    if (*threads > fit / most) *threads = fit / most;
    if ((*threads < wanted && *threads < *groups) || (r->o->replicas && most < asked))
        fprintf(stderr, "%d runs at once instead of %d: each needs %.0f MB, %.0f MB can be had\n", *threads * most,
                wanted * (r->o->replicas ? asked : most), need / mb, have / mb);
    return RC_OK;
}

Rc runner_train(Todo *p, Session *s, const Experiment *x, const RunnerOptions *o, Error *e) {
    Runner r = {.todo = p, .s = s, .x = x, .o = o};
    int jobs = 0, groups = 0, nth = 0, threads = s->threads, *pending = mem_alloc((size_t)p->runs, sizeof *pending);
    double steps = 0;
    r.job = mem_alloc((size_t)p->runs, sizeof *r.job);
    /* Seeds outermost: a stopped sweep leaves whole sets of arms, which can already be compared. */
    for (int seed = 0; seed < x->seeds; seed++)
        for (int i = 0; i < p->runs; i++) {
            if (p->run[i].seed != seed || nth++ % o->shards != o->shard || p->run[i].done) continue;
            pending[jobs++] = i;
            steps += (double)p->run[i].spec.steps;
        }
    Rc rc = jobs ? folder_make(s->runs, e) : RC_OK;
    if (jobs && !rc && access(s->runs, W_OK | X_OK))
        rc = error_set(e, RC_UNMEASURED, "%s: nothing can be stored here: %s", s->runs, strerror(errno));
    if (jobs && !rc) rc = fit_memory(&r, pending, jobs, &groups, &threads, e);
    if (jobs && !rc) {
        pthread_mutex_init(&r.lock, NULL);
        progress_init(&r.progress, steps, jobs);
        pool_run(threads, groups, one_group, &r);
        progress_end(&r.progress);
        pthread_mutex_destroy(&r.lock);
    }
    while (groups) free(r.job[--groups].run);
    free(r.job);
    free(pending);
    checkpoint_sweep(s->runs);
    for (p->missing = 0, nth = 0; nth < p->runs; nth++) p->missing += !p->run[nth].done;
    if (rc) return rc;
    if (session_signal)
        return error_set(e, (Rc)(128 + session_signal),
                         "stopped with %d of %d runs stored; to resume where the others "
                         "stand, give the same command again",
                         p->runs - p->missing, p->runs);
    if (r.failures > 1) error_prefix(&r.error, "%d runs failed; the first: ", r.failures);
    if (r.failures) *e = r.error;
    return r.failures ? r.error.code : RC_OK;
}
