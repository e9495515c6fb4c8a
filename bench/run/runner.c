#include "bench/run/runner.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/run/cluster/share.h"
#include "bench/run/cluster/split.h"
#include "bench/run/execute.h"
#include "bench/run/watch.h"
#include "bench/store/checkpoint.h"

enum { RUNNER_REPLICAS_MAX = 1024 };

/* Runs of one program, as indices into todo->run. */
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
    Leases holds;
    Watch *watch;   /* [todo->runs] */
    bool *failed;   /* [todo->runs] failed here: not tried again */
    bool told;      /* the number that fits was printed */
    time_t noticed; /* time of the last look for others' runs */
    int open;       /* runs looked for then */
    pthread_mutex_t lock;
    int failures;
    Error error;      /* the first failure */
    atomic_bool full; /* a record could not be stored: the disk may be full */
    pthread_mutex_t asking;
    int whole, wanted; /* state of o->seeds */
    int begun;         /* runs begun, towards o->most_runs */
    atomic_bool enough;
} Runner;

/* Context of a program's callbacks. */
typedef struct {
    Runner *runner;
    const Group *group;
} Job;

/* Report progress by the cost of one update, equal for replicas of one program. */
static void report(void *context, int steps, bool resumed) {
    const Job *j = context;
    const TodoRun *first = &j->runner->todo->run[j->group->run[0]];
    progress_add(&j->runner->progress, steps * first->cost / (double)first->spec.steps, resumed);
}

/* Fill in a run's lease. */
static Lease describe(const Runner *r, const TodoRun *run) {
    Lease c = {.steps = run->spec.steps};
    char cell[256];
    experiment_cell_text(cell, r->x, run->cell);
    strcpy(c.id, run->id);
    strcpy(c.spec_sha256, run->spec_sha256);
    snprintf(c.experiment, sizeof c.experiment, "%s", r->x->name);
    snprintf(c.profile, sizeof c.profile, "%s", r->x->profile);
    snprintf(c.what, sizeof c.what, "%s%s%s seed %llu", cell, cell[0] ? "  " : "", r->x->arm[run->arm].name,
             (unsigned long long)run->spec.seed);
    return c;
}

static void row(void *context, int index, const RunRecord *record, int step) {
    const Job *j = context;
    Runner *r = j->runner;
    int at = j->group->run[index];
    char state[96];
    bool begins = !r->watch[at].running;
    Lease c = describe(r, &r->todo->run[at]);
    if (begins) share_began(&r->holds, &c, step);
    pthread_mutex_lock(&r->lock);
    watch_row(&r->watch[at], r->s->runs, record, step, session_signal != 0);
    watch_summary(state, r->watch, r->todo->runs);
    pthread_mutex_unlock(&r->lock);
    progress_state(&r->progress, state);
}

/* Release a run that was stored, failed or stopped here. */
static void leave(Runner *r, int at, const char *why, bool failed) {
    char state[96];
    Lease c = describe(r, &r->todo->run[at]);
    pthread_mutex_lock(&r->lock);
    watch_end(&r->watch[at], r->s->runs, c.id, r->todo->run[at].done);
    watch_summary(state, r->watch, r->todo->runs);
    pthread_mutex_unlock(&r->lock);
    progress_state(&r->progress, state);
    share_drop(&r->holds, &c, why, failed);
}

static void summarize(char *line, size_t size, const Runner *r, const TodoRun *run, const RunRecord *record) {
    const Evaluation *last = record->evaluations ? &record->evaluation[record->evaluations - 1] : NULL;
    int n = snprintf(line, size, "%s  ", describe(r, run).what);
    if (!strcmp(record->status, "ok") && last) {
        n += snprintf(line + n, size - (size_t)n, "valid loss %.4f at step %d", last->metric[METRIC_valid_loss],
                      last->step);
        if (isfinite(record->step_seconds)) /* not where a run goes on after its last step */
            snprintf(line + n, size - (size_t)n, "  (%.0f ms/step)", 1e3 * record->step_seconds);
    } else
        snprintf(line + n, size - (size_t)n, "diverged at step %d (%s)", record->diverged_step, record->culprit);
}

/* Prefix an error with the run, for the program's last line, which names the first failure only. */
static void name_run(const Runner *r, const TodoRun *run, Error *e) {
    error_prefix(e, "arm %s, seed %llu: ", r->x->arm[run->arm].name, (unsigned long long)run->spec.seed);
}

/* Print a failure when it happens, and keep the first. */
static void fail(Runner *r, const TodoRun *run, Error *e) {
    name_run(r, run, e);
    progress_note(&r->progress, e->text);
    pthread_mutex_lock(&r->lock);
    if (!r->failures++) r->error = *e;
    pthread_mutex_unlock(&r->lock);
}

static void store(void *context, int index, RunRecord *record) {
    const Job *j = context;
    Runner *r = j->runner;
    int at = j->group->run[index];
    TodoRun *run = &r->todo->run[at];
    Error e;
    char line[512];
    if (r->o->declared) record->declared = mem_text(r->o->declared);
    if (record_write(record, r->s->runs, &e)) {
        r->full = true;
        r->failed[at] = true;
        leave(r, at, e.text, true);
        fail(r, run, &e);
        return;
    }
    pthread_mutex_lock(&r->lock);
    run->done = true;
    pthread_mutex_unlock(&r->lock);
    checkpoint_remove(r->s->runs, run->id);
    leave(r, at, NULL, false);
    summarize(line, sizeof line, r, run, record);
    progress_finish_job(&r->progress, line);
}

/* Return true if another process stored a run meanwhile; count it as done. */
static bool adopt(Runner *r, int at) {
    TodoRun *run = &r->todo->run[at];
    LOCAL(record_release) RunRecord record = {0};
    Error ignored;
    char line[512];
    pthread_mutex_lock(&r->lock);
    bool before = run->done, now = before || !record_read(&record, r->s->runs, run->id, &ignored);
    run->done = now;
    pthread_mutex_unlock(&r->lock);
    if (before || !now) return now;
    summarize(line, sizeof line - 32, r, run, &record);
    strcat(line, "  (another process)");
    progress_add(&r->progress, run->cost, false);
    progress_finish_job(&r->progress, line);
    return true;
}

/* Count runs that other processes stored meanwhile, for the line of progress. */
static void notice_others(Runner *r) {
    char path[1024];
    time_t now = time(NULL);
    pthread_mutex_lock(&r->lock);
    bool due = now - r->noticed >= watch_pause(r->open);
    if (due) r->noticed = now, r->open = 0;
    pthread_mutex_unlock(&r->lock);
    if (!due) return;
    for (int i = 0; i < r->todo->runs; i++) {
        const TodoRun *run = &r->todo->run[i];
        pthread_mutex_lock(&r->lock);
        bool open = todo_mine(r->todo, run) && todo_open(r->todo, i) && !r->watch[i].running;
        r->open += open;
        pthread_mutex_unlock(&r->lock);
        snprintf(path, sizeof path, "%.900s/%s", r->s->runs, run->id);
        if (open && file_exists(path)) (void)adopt(r, i);
    }
}

/* Return how many leading seeds are stored, counting on from r->whole. */
static int whole_seeds(const Runner *r) {
    char path[1024];
    for (int seed = r->whole; seed < r->x->seeds; seed++)
        for (const TodoRun *run = r->todo->run; run < r->todo->run + r->todo->runs; run++) {
            if (run->seed != seed) continue;
            snprintf(path, sizeof path, "%.900s/%s", r->s->runs, run->id);
            if (!file_exists(path)) return seed;
        }
    return r->x->seeds;
}

static void say_lines(Runner *r, char *words) {
    for (char *line; (line = strsep(&words, "\n"));)
        if (*line) progress_note(&r->progress, line);
}

/* Return true if no new run is to be begun: the stored seeds are enough, or one can never be whole. */
static bool enough(Runner *r) {
    Error e = {.code = RC_OK};
    if (!r->o->seeds) return false;
    pthread_mutex_lock(&r->asking);
    int whole = r->enough ? r->whole : whole_seeds(r);
    if (whole > r->whole) {
        LOCAL_TEXT(words);
        r->whole = whole;
        r->wanted = r->o->seeds(r->o->context, whole, &words, &e);
        r->enough = r->wanted <= whole;
        say_lines(r, words.at);
    }
    pthread_mutex_unlock(&r->asking);
    pthread_mutex_lock(&r->lock);
    if (e.code && !r->failures++) r->error = e;
    bool stops = r->enough || r->failures || (r->o->most_runs && r->begun >= r->o->most_runs);
    pthread_mutex_unlock(&r->lock);
    return stops;
}

/* Acquire the runs of a group: those that no other process has, that are not stored meanwhile, and whose checkpoints
 * are of one step, as replicas of one program need. */
static Group take_group(Runner *r, const Group *wanted) {
    Group mine = {mem_alloc((size_t)wanted->runs, sizeof *mine.run), 0};
    Lease theirs;
    int step = -1;
    for (int i = 0; i < wanted->runs; i++) {
        int at = wanted->run[i], here = -1;
        Lease c = describe(r, &r->todo->run[at]);
        if (!share_take(&r->holds, &c, &theirs)) continue;
        bool fits = !adopt(r, at);
        if (fits && wanted->runs > 1) here = checkpoint_step(r->s->runs, c.id);
        if (fits && (!mine.runs || here == step))
            mine.run[mine.runs++] = at, step = here;
        else
            share_drop(&r->holds, &c, NULL, false);
    }
    return mine;
}

/* Describe runs of the todo as one program. */
static Execution execution_of(const Runner *r, const Group *group, ExecutedRun *run) {
    const TodoRun *first = &r->todo->run[group->run[0]];
    for (int i = 0; i < group->runs; i++) {
        const TodoRun *planned = &r->todo->run[group->run[i]];
        run[i] = (ExecutedRun){&planned->spec, planned->id, planned->arithmetic};
    }
    return (Execution){.run = run,
                       .runs = group->runs,
                       .data = first->data,
                       .backend = first->backend,
                       .probes = &r->todo->probes,
                       .hits = r->todo->hits,
                       .quantize = r->todo->quantize,
                       .folder = r->s->runs,
                       .threads = r->s->threads_per_run,
                       .passes = todo_passes(r->todo, &first->spec),
                       .logit_rows = r->todo->logit_rows,
                       .recompute = r->todo->recompute,
                       .ranks = r->s->ranks,
                       .own_moments = r->s->own_moments && r->s->ranks,
                       .checkpoint_seconds = r->o->checkpoint_seconds,
                       .file_bytes = r->o->file_bytes,
                       .stop = &session_signal};
}

/* Return the exit code after all trainings. */
static Rc end_with_failures(Runner *r, Error *e) {
    if (r->failures > 1) error_prefix(&r->error, "%d runs failed; the first: ", r->failures);
    if (r->failures) *e = r->error;
    return r->failures ? r->error.code : RC_OK;
}

/* Train, on every rank but the first, what the first does, and store nothing. A common failure has the same words on
 * all. */
static Rc follow(Runner *r, Error *e) {
    Group group;
    Rc rc = RC_OK;
    while ((group.runs = split_told(r->s->ranks, &group.run))) {
        OWNED ExecutedRun *run = mem_alloc((size_t)group.runs, sizeof *run);
        OWNED RunRecord *record = mem_alloc((size_t)group.runs, sizeof *record);
        Execution x = execution_of(r, &group, run);
        rc = run_execute(&x, record, e);
        for (int i = 0; i < group.runs; i++) {
            Error own = *e;
            if (record[i].status[0])
                record_release(&record[i]);
            else if (rc && rc != RC_INTERRUPTED && !r->failures++)
                name_run(r, &r->todo->run[group.run[i]], &own), r->error = own;
        }
        free(group.run);
    }
    free(group.run);
    return rc == RC_INTERRUPTED ? rc : end_with_failures(r, e);
}

static void one_group(void *context, int index) {
    Runner *r = context;
    TodoRun *all = r->todo->run;
    Error e = {.code = RC_OK};
    if (session_signal || r->full || enough(r)) return; /* runs that cannot be stored are not trained */
    Group group = take_group(r, &r->job[index]);
    OWNED ExecutedRun *run = mem_alloc((size_t)group.runs + 1, sizeof *run);
    OWNED RunRecord *record = mem_alloc((size_t)group.runs + 1, sizeof *record);
    Rc rc = RC_OK;
    if (group.runs) {
        Execution x = execution_of(r, &group, run);
        x.progress = report, x.row = row, x.finished = store, x.context = &(Job){r, &group};
        split_tell(r->s->ranks, group.run, group.runs);
        pthread_mutex_lock(&r->lock);
        r->begun += group.runs;
        pthread_mutex_unlock(&r->lock);
        rc = run_execute(&x, record, &e);
        if (rc == RC_INTERRUPTED) session_stop(); /* another rank may be the one that was told to */
    }
    for (int i = 0; i < group.runs; i++) {
        int at = group.run[i];
        Error own = e;
        if (record[i].status[0]) {
            record_release(&record[i]);
            continue;
        }
        r->failed[at] = rc && rc != RC_INTERRUPTED;
        leave(r, at, own.text, r->failed[at]);
        if (r->failed[at]) fail(r, &all[at], &own);
    }
    notice_others(r);
    free(group.run);
}

/* Return the bytes available for programs. */
static double memory_of(const Backend *b) {
    double device = b->device ? (double)b->device->memory() : 0;
    return device > 0 ? device : pool_memory();
}

/* Group the runs of pending[count], in their order: each group is a run and later ones that can be its replicas and are
 * at the same step (the start, or a checkpoint), at most `most`. Return the number of groups. */
static int make_groups(Runner *r, const int *pending, int count, int most) {
    int *step = mem_alloc((size_t)count + 1, sizeof *step), groups = 0;
    OWNED bool *taken = mem_alloc((size_t)count + 1, sizeof *taken);
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

static int most_replicas(const Runner *r) {
    return r->o->replicas ? r->o->replicas : r->todo->run[0].backend->device ? RUNNER_REPLICAS_MAX : 1;
}

static int largest_group(const Runner *r, int groups) {
    int most = 1;
    for (int i = 0; i < groups; i++)
        if (r->job[i].runs > most) most = r->job[i].runs;
    return most;
}

int runner_at_once(int fit, int group, int threads) {
    int whole = fit / group > 0 ? fit / group : 1;
    return threads < whole ? threads : whole;
}

/* Refuse a run that does not fit, before anything is allocated. Limit the runs of a program and the programs at once to
 * what fits: `replicas` runs to a program if set, else all on a device, else one. */
static Rc fit_memory(Runner *r, const int *pending, int jobs, int *groups, int *threads, Error *e) {
    const Device *device = r->todo->run[pending[0]].backend->device; /* one machine computes all precisions of a plan */
    int asked = most_replicas(r);
    double need, have, mb = 1 << 20;
    if (runner_fits(r->todo, &need, &have, e)) return e->code;
    int wanted = *threads, fit = need > 0 && have / need < 1e6 ? (int)(have / need) : 1000000, most = asked;
    *groups = make_groups(r, pending, jobs, most);
    if (*threads > *groups) *threads = *groups;
    if (device) fit = fit * 9 / 10 > 0 ? fit * 9 / 10 : 1; /* other processes may use it */
    if (device) *threads = runner_at_once(fit, largest_group(r, *groups), *threads);
    if (device && most > fit / *threads) most = fit / *threads > 0 ? fit / *threads : 1;
    if (most > fit) most = fit;
    if (most < asked) *groups = make_groups(r, pending, jobs, most);
    if (*threads > fit / most) *threads = fit / most;
    if (!r->told && ((*threads < wanted && *threads < *groups) || (r->o->replicas && most < asked)))
        terminal_say(stderr, "%d runs at once instead of %d: each needs %.0f MB, %.0f MB can be had\n", *threads * most,
                     wanted * (r->o->replicas ? asked : most), need / mb, have / mb);
    r->told = true;
    return RC_OK;
}

/* List the missing runs, seeds outermost, so that a stopped sweep leaves whole sets of arms, which can be compared. */
static int collect(Runner *r, int *pending) {
    int count = 0, seeds = r->x->seeds;
    if (r->o->seeds && most_replicas(r) > 1 && r->wanted < seeds) seeds = r->wanted;
    for (int seed = 0; seed < seeds; seed++)
        for (int i = 0; i < r->todo->runs; i++) {
            const TodoRun *run = &r->todo->run[i];
            if (run->seed == seed && todo_mine(r->todo, run) && todo_open(r->todo, i) && !r->failed[i])
                pending[count++] = i;
        }
    return count;
}

/* Wait until another process stores one of its runs, or gives one up. */
static void wait_for_others(Runner *r, const int *pending, int count) {
    char line[512], owner[96];
    Lease theirs = {0};
    bool held = true, stored = false;
    for (bool first = true; held && !stored && !session_signal && !enough(r); first = false) {
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        for (int i = 0; i < count && held; i++) {
            if (adopt(r, pending[i]))
                stored = true;
            else
                held = share_held(&r->holds, r->todo->run[pending[i]].id, &theirs);
        }
        progress_add(&r->progress, 0, false);
        if (!first || !held || stored) continue;
        snprintf(line, sizeof line,
                 "waiting for %d run%s of other processes (%s trains %.300s); Ctrl-C ends this one alone", count,
                 count == 1 ? "" : "s", share_owner(owner, &theirs), theirs.what[0] ? theirs.what : "one");
        progress_note(&r->progress, line);
    }
}

/* Go over the runs that are not stored, repeatedly: runs that others train now may be left to this process later. */
static Rc rounds(Runner *r, int *pending, int count, Error *e) {
    Rc rc = RC_OK;
    while (count && !rc && !session_signal && !r->full && !enough(r)) {
        int groups = 0, threads = r->s->threads;
        rc = fit_memory(r, pending, count, &groups, &threads, e);
        if (!rc) pool_run(r->s->ranks ? 1 : threads, groups, one_group, r);
        for (int i = 0; i < r->todo->runs; i++) free(r->job[i].run), r->job[i] = (Group){0};
        bool done = enough(r);
        count = collect(r, pending);
        if (!rc && count && !r->full && !done) wait_for_others(r, pending, count);
        if (!rc) count = collect(r, pending);
    }
    return rc;
}

static Rc writable(const Session *s, Error *e) {
    if (folder_make(s->runs, e)) return e->code;
    if (!access(s->runs, W_OK | X_OK)) return RC_OK;
    return error_set(e, RC_UNMEASURED, "%s: nothing can be stored here: %s", s->runs, strerror(errno));
}

Rc runner_train(Todo *p, Session *s, const Experiment *x, const RunnerOptions *o, Error *e) {
    Runner r = {.todo = p, .s = s, .x = x, .o = o, .whole = o->whole, .wanted = o->wanted};
    r.enough = o->seeds && o->wanted <= o->whole;
    if (split_agree(s->ranks, p, e)) return e->code;
    if (s->ranks && s->ranks->rank) return follow(&r, e);
    int *pending = mem_alloc((size_t)p->runs, sizeof *pending), stored = 0;
    double all = 0, before = 0;
    r.job = mem_alloc((size_t)p->runs, sizeof *r.job);
    r.watch = mem_alloc((size_t)p->runs, sizeof *r.watch);
    r.failed = mem_alloc((size_t)p->runs, sizeof *r.failed);
    int count = collect(&r, pending), mine = 0;
    for (int i = 0; i < p->runs; i++) {
        if (!todo_mine(p, &p->run[i]) || p->run[i].first != i) continue;
        mine++, all += p->run[i].cost;
        if (p->run[i].done) stored++, before += p->run[i].cost;
    }
    Rc rc = count ? writable(s, e) : RC_OK;
    if (count && !rc) {
        pthread_mutex_init(&r.lock, NULL);
        pthread_mutex_init(&r.asking, NULL);
        progress_init(&r.progress, all, mine);
        progress_before(&r.progress, before, stored);
        r.progress.expected = o->expected_seconds;
        share_open(&r.holds, s->runs);
        rc = rounds(&r, pending, count, e);
        share_close(&r.holds);
        progress_end(&r.progress);
        pthread_mutex_destroy(&r.asking);
        pthread_mutex_destroy(&r.lock);
    }
    split_tell(s->ranks, NULL, 0);
    free(r.job);
    free(r.watch);
    free(r.failed);
    free(pending);
    checkpoint_sweep(s->runs);
    todo_settle(p);
    if (rc) return rc;
    if (session_signal)
        return error_set(e, (Rc)(128 + session_signal),
                         "stopped with %d of %d runs stored; to resume where the others "
                         "stand, give the same command again",
                         p->runs - p->missing, p->runs);
    return end_with_failures(&r, e);
}
