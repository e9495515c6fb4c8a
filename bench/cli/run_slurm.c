#include "bench/cli/run_slurm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/progress.h"
#include "bench/run/deal.h"
#include "bench/run/execute.h"
#include "bench/run/share.h"
#include "bench/run/slurm.h"

/* What happens to a run of the plan. */
typedef enum { OPEN, STORED, QUEUED, HELD } Fate;

/* Marks the runs that a task in the queue will train, whatever plan it was submitted for. */
static Rc find_queued(const Session *s, const Todo *t, Fate *fate, Error *e) {
    Submission *all;
    SlurmTask *queue = NULL;
    int rows = 0, count = submissions_read(s->results, &all);
    bool absent;
    Rc rc = count ? slurm_queue(&queue, &rows, &absent, e) : RC_OK;
    for (int k = 0; k < count && !rc; k++)
        for (const SubmittedRun *r = all[k].run; r < all[k].run + all[k].runs; r++) {
            if (!slurm_find(queue, rows, all[k].array_job, r->task)) continue;
            for (int i = 0; i < t->runs; i++)
                if (fate[i] == OPEN && !strcmp(t->run[i].id, r->id)) fate[i] = QUEUED;
        }
    free(queue);
    submissions_free(all, count);
    return rc;
}

/* Marks the runs that a process trains now, on whatever machine. */
static void find_held(const Session *s, const Todo *t, Fate *fate) {
    Hold *hold;
    int holds = share_list(s->runs, &hold);
    for (int k = 0; k < holds; k++)
        for (int i = 0; i < t->runs; i++)
            if (hold[k].alive && fate[i] == OPEN && !strcmp(t->run[i].id, hold[k].id)) fate[i] = HELD;
    free(hold);
}

/* Seconds of each run, by stored runs of its arm and, of other arms, by their speed; where nothing is stored,
 * operations take their place and the answer is false. */
static bool weigh(const Todo *t, const Outlook *o, double *cost) {
    double seconds = 0, operations = 0;
    for (int i = 0; i < t->runs; i++) {
        cost[i] = o->seconds[t->run[i].cell * (o->arms + 1) + t->run[i].arm];
        if (!isnan(cost[i])) seconds += cost[i], operations += t->run[i].cost;
    }
    double rate = operations > 0 && seconds > 0 ? seconds / operations : 1;
    for (int i = 0; i < t->runs; i++)
        if (isnan(cost[i]) || !(seconds > 0)) cost[i] = t->run[i].cost * rate;
    return seconds > 0;
}

static bool together(const TodoRun *a, const TodoRun *b) {
    return a->data == b->data && a->backend == b->backend && execute_together(&a->spec, &b->spec);
}

/* The open runs, those that one program can train beside each other. Returns how many. */
static int pieces_of(const Todo *t, const Fate *fate, const double *cost, bool grouped, Dealt *piece) {
    int count = 0, groups = 0, *first = mem_alloc((size_t)t->runs, sizeof *first);
    int *group = mem_alloc((size_t)t->runs, sizeof *group);
    for (int i = 0; i < t->runs; i++) {
        int g = 0;
        while (grouped && g < groups && !together(&t->run[first[g]], &t->run[i])) g++;
        if (g == groups) first[groups++] = i;
        group[i] = g;
    }
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < t->runs; i++)
            if (group[i] == g && fate[i] == OPEN)
                piece[count++] = (Dealt){.first = i, .seed = t->run[i].seed, .cost = cost[i]};
    free(first);
    free(group);
    return count;
}

/* Numbers the tasks that have a run, and lists their runs. */
static void fill(Submission *sub, const Experiment *x, const Todo *t, const Dealt *piece, int count, int tasks,
                 bool timed, int at_once) {
    char cell[256];
    sub->run = mem_alloc((size_t)count, sizeof *sub->run);
    sub->seconds = mem_alloc((size_t)tasks, sizeof *sub->seconds);
    for (int share = 0; share < tasks; share++) {
        int before = sub->runs;
        double seconds = 0, longest = 0;
        for (int i = 0; i < count; i++) {
            const TodoRun *run = &t->run[piece[i].first];
            if (piece[i].share != share) continue;
            SubmittedRun *r = &sub->run[sub->runs++];
            r->task = sub->tasks;
            strcpy(r->id, run->id);
            strcpy(r->arithmetic, run->arithmetic);
            snprintf(r->arithmetic_class, sizeof r->arithmetic_class, "%s", run->arithmetic_class);
            strcpy(r->spec_sha256, run->spec_sha256);
            experiment_cell_text(cell, x, run->cell);
            snprintf(r->what, sizeof r->what, "%s%s%s seed %llu", cell, cell[0] ? "  " : "", x->arm[run->arm].name,
                     (unsigned long long)run->spec.seed);
            seconds += piece[i].cost;
            longest = fmax(longest, piece[i].cost);
        }
        if (sub->runs > before) sub->seconds[sub->tasks++] = timed ? fmax(seconds / at_once, longest) : (double)NAN;
    }
}

static void pack(Submission *sub, const Session *s, const Experiment *x, const Todo *t, const Outlook *o,
                 const Fate *fate) {
    const Options *options = s->options;
    bool device = t->runs && t->run[0].backend->device;
    bool grouped = device || option_integer(options, OPTION_replicas, 1) > 1;
    double *cost = mem_alloc((size_t)t->runs, sizeof *cost);
    Dealt *piece = mem_alloc((size_t)t->runs, sizeof *piece);
    bool timed = weigh(t, o, cost);
    int count = pieces_of(t, fate, cost, grouped, piece);
    int tasks = option_integer(options, OPTION_array, option_integer(options, OPTION_nodes, 1));
    if (tasks > count) tasks = count;
    if (grouped)
        deal_in_order(piece, count, tasks);
    else
        deal(piece, count, tasks);
    int at_once = device ? option_integer(options, OPTION_gpus, 1) : option_integer(options, OPTION_threads, 1);
    fill(sub, x, t, piece, count, tasks, timed, at_once);
    free(cost);
    free(piece);
}

static Rc write_script(const Submission *sub, const char *name, const Text *script, Error *e) {
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", sub->folder, name);
    return file_write(path, script->at, script->length, e);
}

static Rc submit(Submission *sub, const Text *array, const Text *table, Error *e) {
    char script[2][1300], *whole;
    Rc rc = submission_write(sub, e);
    if (!rc) rc = write_script(sub, "run.sh", array, e);
    if (!rc) rc = write_script(sub, "table.sh", table, e);
    for (int i = 0; i < 2 && !rc; i++) {
        snprintf(script[i], sizeof script[i], "%s/%s", sub->folder, i ? "table.sh" : "run.sh");
        whole = realpath(script[i], NULL);
        rc = whole ? slurm_submit(whole, i ? sub->array_job : NULL, i ? sub->table_job : sub->array_job, e)
                   : error_set(e, RC_UNMEASURED, "%s: it is gone", script[i]);
        free(whole);
    }
    if (!sub->array_job[0]) {
        submission_remove(sub);
        return rc;
    }
    Error note;
    if (rc) error_prefix(e, "job %s is submitted, its tables are not: ", sub->array_job);
    if (submission_write_jobs(sub, &note)) return *e = note, e->code;
    return rc;
}

static void say_counts(const Todo *t, const Fate *fate, const Submission *sub) {
    int queued = 0, held = 0;
    double least = INFINITY, most = 0;
    char a[32], b[32];
    for (int i = 0; i < t->runs; i++) queued += fate[i] == QUEUED, held += fate[i] == HELD;
    if (queued) fprintf(stderr, "  %d run%s in Slurm's queue already\n", queued, queued == 1 ? " is" : "s are");
    if (held) fprintf(stderr, "  %d run%s being trained by others\n", held, held == 1 ? " is" : "s are");
    for (int i = 0; i < sub->tasks; i++) least = fmin(least, sub->seconds[i]), most = fmax(most, sub->seconds[i]);
    if (sub->tasks && most > 0)
        fprintf(stderr, "  %d task%s of %s to %s, by the time of stored runs\n", sub->tasks, sub->tasks == 1 ? "" : "s",
                format_duration(a, least), format_duration(b, most));
    else if (sub->tasks)
        fprintf(stderr, "  %d task%s of about the same number of operations; no stored run tells the time\n",
                sub->tasks, sub->tasks == 1 ? "" : "s");
}

Rc slurm_run(Session *s, const Experiment *x, const Todo *t, const Outlook *o, const SlurmRequest *request,
             const char *word, Error *e) {
    Fate *fate = mem_alloc((size_t)t->runs, sizeof *fate);
    Submission sub = {0};
    Text array, table;
    bool dry = s->options->times[OPTION_dry_run] > 0;
    for (int i = 0; i < t->runs; i++) fate[i] = todo_open(t, i) ? OPEN : STORED;
    Rc rc = find_queued(s, t, fate, e);
    if (dry) rc = RC_OK; /* on a machine without Slurm too */
    text_init(&array), text_init(&table);
    if (!rc) {
        find_held(s, t, fate);
        snprintf(sub.experiment, sizeof sub.experiment, "%s", x->name);
        snprintf(sub.profile, sizeof sub.profile, "%s", x->profile);
        snprintf(sub.plan, sizeof sub.plan, "%s", x->plan);
        snprintf(sub.commit, sizeof sub.commit, "%s", provenance_commit());
        (void)gethostname(sub.host, sizeof sub.host - 1);
        pack(&sub, s, x, t, o, fate);
        say_counts(t, fate, &sub);
    }
    if (!rc && sub.runs) rc = submission_next(&sub, s->results, word, !dry, e);
    if (!rc && sub.runs) rc = slurm_array_script(s, x, &sub, request, &array, e);
    if (!rc && sub.runs) rc = slurm_table_script(s, x, &sub, request, &table, e);
    if (!rc && dry)
        fputs(array.at, stdout);
    else if (!rc && sub.runs)
        rc = submit(&sub, &array, &table, e);
    else if (sub.folder[0] && !dry)
        submission_remove(&sub);
    if (!rc && !dry && sub.runs)
        printf("submitted: job %s, %d run%s in %d task%s; job %s makes the tables. Scripts and output: %s\n",
               sub.array_job, sub.runs, sub.runs == 1 ? "" : "s", sub.tasks, sub.tasks == 1 ? "" : "s", sub.table_job,
               sub.folder);
    if (!rc && !sub.runs) printf("%s: nothing to submit\n", x->name);
    text_release(&array), text_release(&table);
    submission_release(&sub);
    free(fate);
    return rc;
}
