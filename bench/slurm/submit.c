#include "bench/slurm/submit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/run/cluster/deal.h"
#include "bench/run/cluster/share.h"
#include "bench/run/cluster/slurm.h"
#include "bench/run/execute.h"

/* What happens to a run of the plan. */
typedef enum { OPEN, STORED, QUEUED, HELD } Fate;

/* Marks the runs that a task in the queue will train, whatever plan it was submitted for. */
static Rc find_queued(const Session *s, const Todo *t, Fate *fate, Error *e) {
    Submission *all;
    OWNED SlurmTask *queue = NULL;
    int rows = 0, count = submissions_read(s->results, &all);
    bool absent;
    Rc rc = count ? slurm_queue(&queue, &rows, &absent, e) : RC_OK;
    for (int k = 0; k < count && !rc; k++)
        for (const SubmittedRun *r = all[k].run; r < all[k].run + all[k].runs; r++) {
            if (!slurm_find(queue, rows, all[k].array_job, r->task)) continue;
            for (int i = 0; i < t->runs; i++)
                if (fate[i] == OPEN && !strcmp(t->run[i].id, r->id)) fate[i] = QUEUED;
        }
    submissions_free(all, count);
    return rc;
}

/* Marks the runs that a process trains now, on whatever machine. */
static void find_held(const Session *s, const Todo *t, Fate *fate) {
    Lease *hold;
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
    OWNED int *group = mem_alloc((size_t)t->runs, sizeof *group);
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

static int by_seed(const void *a, const void *b) {
    const Dealt *x = a, *y = b;
    return x->seed != y->seed ? x->seed - y->seed : x->first - y->first;
}

/* Of a machine that has stored nothing, by its speed on a few products. */
static void by_speed(const Todo *t, const Session *s, double *cost) {
    const double speed = t->runs ? todo_speed(t->run[0].backend, s->threads_per_run) : 1;
    for (int i = 0; i < t->runs; i++) cost[i] /= speed;
}

static void pack(Submission *sub, const Session *s, const Experiment *x, const Todo *t, const Outlook *o,
                 const Fate *fate) {
    const Options *options = s->options;
    bool device = t->runs && t->run[0].backend->device;
    bool grouped = device || option_integer(options, OPTION_replicas, 1) > 1;
    OWNED double *cost = mem_alloc((size_t)t->runs, sizeof *cost);
    OWNED Dealt *piece = mem_alloc((size_t)t->runs, sizeof *piece);
    bool timed = weigh(t, o, cost);
    if (!timed && !device) by_speed(t, s, cost);
    int count = pieces_of(t, fate, cost, grouped, piece);
    int tasks = option_integer(options, OPTION_array, option_integer(options, OPTION_nodes, 1));
    if (tasks > count) tasks = count;
    bool whole = !grouped && tasks <= x->seeds; /* half of an array then has whole seeds */
    if (whole) qsort(piece, (size_t)count, sizeof *piece, by_seed);
    if (grouped || whole)
        deal_in_order(piece, count, tasks);
    else
        deal(piece, count, tasks);
    int at_once = device ? option_integer(options, OPTION_gpus, 1) : option_integer(options, OPTION_threads, 1);
    fill(sub, x, t, piece, count, tasks, timed || !device, at_once);
    sub->guessed = !timed;
}

/* What is submitted together: an array, or several where Slurm takes fewer tasks to one. */
typedef struct {
    Submission *part;
    Text *script;
    Text table;
    int parts, runs, tasks;
    bool in_turn; /* one array after the other, so that no more tasks run at once than were asked for */
} Arrays;

static void arrays_release(Arrays *a) {
    for (int i = 0; i < a->parts; i++) submission_release(&a->part[i]), text_release(&a->script[i]);
    free(a->part);
    free(a->script);
    text_release(&a->table);
    *a = (Arrays){0};
}

/* Tasks [first, first + tasks) of a submission, from 0. */
static Submission part_of(const Submission *whole, int first, int tasks) {
    Submission part = *whole;
    part.tasks = tasks, part.runs = 0;
    part.run = mem_alloc((size_t)whole->runs + 1, sizeof *part.run);
    part.seconds = mem_alloc((size_t)tasks, sizeof *part.seconds);
    memcpy(part.seconds, whole->seconds + first, (size_t)tasks * sizeof *part.seconds);
    for (const SubmittedRun *r = whole->run; r < whole->run + whole->runs; r++) {
        if (r->task < first || r->task >= first + tasks) continue;
        part.run[part.runs] = *r;
        part.run[part.runs++].task -= first;
    }
    return part;
}

/* As few arrays of at most `most` tasks as do, of about the same size. */
static void cut_arrays(Arrays *a, const Submission *whole, int most, int at_once) {
    a->runs = whole->runs, a->tasks = whole->tasks;
    a->parts = (whole->tasks + most - 1) / most;
    a->in_turn = at_once < whole->tasks;
    a->part = mem_alloc((size_t)a->parts + 1, sizeof *a->part);
    a->script = mem_alloc((size_t)a->parts + 1, sizeof *a->script);
    for (int i = 0, first = 0; i < a->parts; i++) {
        int tasks = whole->tasks / a->parts + (i < whole->tasks % a->parts);
        a->part[i] = part_of(whole, first, tasks);
        text_init(&a->script[i]);
        first += tasks;
    }
}

/* Makes the folders, unless `dry`, and all scripts. */
static Rc prepare(Arrays *a, const Session *s, const Experiment *x, const SlurmRequest *request, const char *word,
                  bool dry, Error *e) {
    Rc rc = RC_OK;
    for (int i = 0; i < a->parts && !rc; i++) {
        rc = submission_next(&a->part[i], s->results, word, !dry, e);
        if (!rc) rc = slurm_array_script(s, x, &a->part[i], request, &a->script[i], e);
    }
    if (!rc && a->parts) rc = slurm_table_script(s, x, &a->part[a->parts - 1], request, &a->table, e);
    return rc;
}

static Rc write_script(const Submission *sub, const char *name, const Text *script, Error *e) {
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", sub->folder, name);
    return file_write(path, script->at, script->length, e);
}

static Rc submit_script(const Submission *sub, const char *name, const char *after, char job[SUBMISSION_JOB],
                        Error *e) {
    char script[1300];
    snprintf(script, sizeof script, "%s/%s", sub->folder, name);
    OWNED char *whole = realpath(script, NULL);
    return whole ? slurm_submit(whole, after, job, e)
                 : error_set(e, RC_UNMEASURED, "%s: the file is no longer there", script);
}

/* "1, 2 and 3", or with ':' between them. */
static void jobs_of(const Arrays *a, int parts, bool colons, Text *out) {
    for (int i = 0; i < parts; i++)
        text_format(out, "%s%s", !i ? "" : colons ? ":" : i < parts - 1 ? ", " : " and ", a->part[i].array_job);
}

/* The arrays, then the job of the tables after them all. What was not submitted leaves nothing. */
static Rc submit(Arrays *a, Error *e) {
    Submission *last = &a->part[a->parts - 1];
    Rc rc = RC_OK;
    int sent = 0;
    LOCAL_TEXT(jobs);
    for (int i = 0; i < a->parts && !rc; i++) {
        rc = submission_write(&a->part[i], e);
        if (!rc) rc = write_script(&a->part[i], "run.sh", &a->script[i], e);
    }
    if (!rc) rc = write_script(last, "table.sh", &a->table, e);
    for (; sent < a->parts && !rc; sent += !rc)
        rc = submit_script(&a->part[sent], "run.sh", a->in_turn && sent ? a->part[sent - 1].array_job : NULL,
                           a->part[sent].array_job, e);
    jobs_of(a, sent, true, &jobs);
    if (!rc) rc = submit_script(last, "table.sh", jobs.at, last->table_job, e);
    text_clear(&jobs);
    jobs_of(a, sent, false, &jobs);
    if (rc && sent)
        error_prefix(e, "job%s %s %s submitted, %s not: ", sent > 1 ? "s" : "", jobs.at, sent > 1 ? "are" : "is",
                     sent < a->parts ? "the other arrays and the tables are" : "the tables are");
    for (int i = a->parts - 1; i >= sent; i--) submission_remove(&a->part[i]);
    Error note;
    for (int i = 0; i < sent; i++)
        if (submission_write_jobs(&a->part[i], &note)) *e = note, rc = e->code;
    return rc;
}

static void say_submitted(const Arrays *a) {
    const Submission *last = &a->part[a->parts - 1];
    const char *to = a->parts > 1 ? strrchr(last->folder, '/') + 1 : "";
    LOCAL_TEXT(jobs);
    jobs_of(a, a->parts, false, &jobs);
    printf("submitted: job%s %s, %d run%s in %d task%s; job %s makes the tables. Scripts and output: %s%s%s\n",
           a->parts > 1 ? "s" : "", jobs.at, a->runs, a->runs == 1 ? "" : "s", a->tasks, a->tasks == 1 ? "" : "s",
           last->table_job, a->part[0].folder, to[0] ? " to " : "", to);
}

static void say_counts(const Todo *t, const Fate *fate, const Submission *sub) {
    int queued = 0, held = 0;
    double least = INFINITY, most = 0;
    char a[32], b[32];
    for (int i = 0; i < t->runs; i++) queued += fate[i] == QUEUED, held += fate[i] == HELD;
    if (queued) terminal_say(stderr, "  %d run%s in Slurm's queue already\n", queued, queued == 1 ? " is" : "s are");
    if (held) terminal_say(stderr, "  %d run%s being trained by others\n", held, held == 1 ? " is" : "s are");
    for (int i = 0; i < sub->tasks; i++) least = fmin(least, sub->seconds[i]), most = fmax(most, sub->seconds[i]);
    format_duration(a, least), format_duration(b, most);
    bool same = !strcmp(a, b);
    if (sub->tasks && most > 0)
        terminal_say(stderr, "  %d task%s of %s%s%s, %s\n", sub->tasks, sub->tasks == 1 ? "" : "s", a,
                     same ? "" : " to ", same ? "" : b,
                     sub->guessed ? "at 55% of this machine's fma peak, as no stored run tells the time"
                                  : "by the time of stored runs");
    else if (sub->tasks)
        terminal_say(stderr, "  %d task%s of about the same number of operations; no stored run tells the time\n",
                     sub->tasks, sub->tasks == 1 ? "" : "s");
}

/* -o DIR: what would be submitted, in a folder: DIR itself, or DIR/1, DIR/2 … of several arrays. */
static Rc write_folders(Arrays *a, const Session *s, const Experiment *x, const SlurmRequest *request, const char *to,
                        Error *e) {
    Rc rc = folder_filled(to) ? error_set(e, RC_USAGE, "--output: %.200s is not empty; name a new folder", to) : RC_OK;
    for (int i = 0; i < a->parts && !rc; i++) {
        Submission *sub = &a->part[i];
        snprintf(sub->folder, sizeof sub->folder, "%.1000s", to);
        if (a->parts > 1) snprintf(sub->folder, sizeof sub->folder, "%.1000s/%d", to, i + 1);
        rc = folder_make(sub->folder, e);
        if (!rc) rc = slurm_array_script(s, x, sub, request, &a->script[i], e);
        if (!rc) rc = submission_write(sub, e);
        if (!rc) rc = write_script(sub, "run.sh", &a->script[i], e);
    }
    Submission *last = a->parts ? &a->part[a->parts - 1] : NULL;
    if (!rc && last) rc = slurm_table_script(s, x, last, request, &a->table, e);
    if (!rc && last) rc = write_script(last, "table.sh", &a->table, e);
    for (int i = 0; i < a->parts && !rc; i++) printf("sbatch %s/run.sh\n", a->part[i].folder);
    if (!rc && last) printf("sbatch --dependency=afterany:JOB %s/table.sh\n", last->folder);
    return rc;
}

/* Packs what is open into arrays of as many tasks as Slurm takes. */
static Rc make_arrays(Arrays *a, const Session *s, const Experiment *x, const Todo *t, const Outlook *o,
                      const Fate *fate, const SlurmRequest *request, Error *e) {
    Submission sub = {0};
    int most = slurm_most_tasks();
    if (!most)
        return error_set(e, RC_UNMEASURED,
                         "--slurm: this Slurm takes no arrays (MaxArraySize 0); --part I/N trains a "
                         "part of the plan in a job of one's own");
    snprintf(sub.experiment, sizeof sub.experiment, "%s", x->name);
    snprintf(sub.profile, sizeof sub.profile, "%s", x->profile);
    snprintf(sub.plan, sizeof sub.plan, "%s", x->plan);
    snprintf(sub.commit, sizeof sub.commit, "%s", provenance_commit());
    (void)gethostname(sub.host, sizeof sub.host - 1);
    pack(&sub, s, x, t, o, fate);
    say_counts(t, fate, &sub);
    cut_arrays(a, &sub, most, request->nodes);
    if (a->parts > 1)
        terminal_say(stderr, "  %d arrays%s: Slurm takes %d tasks to one\n", a->parts,
                     a->in_turn ? ", one after the other" : "", most);
    submission_release(&sub);
    return RC_OK;
}

Rc slurm_run(Session *s, const Experiment *x, const Todo *t, const Outlook *o, const SlurmRequest *request,
             const char *word, Error *e) {
    OWNED Fate *fate = mem_alloc((size_t)t->runs, sizeof *fate);
    Arrays a = {0};
    bool dry = s->options->times[OPTION_dry_run] > 0;
    text_init(&a.table);
    for (int i = 0; i < t->runs; i++) fate[i] = todo_open(t, i) ? OPEN : STORED;
    const char *to = option(s->options, OPTION_output, NULL);
    Rc rc = find_queued(s, t, fate, e);
    if (dry || to) rc = RC_OK; /* on a machine without Slurm too */
    if (!rc) find_held(s, t, fate);
    if (!rc) rc = make_arrays(&a, s, x, t, o, fate, request, e);
    if (!rc && to) {
        rc = write_folders(&a, s, x, request, to, e);
        if (!rc && !a.parts) printf("%s: nothing to submit\n", x->name);
        arrays_release(&a);
        return rc;
    }
    if (!rc) rc = prepare(&a, s, x, request, word, dry, e);
    if (rc && !dry)
        for (int i = a.parts - 1; i >= 0; i--)
            if (a.part[i].folder[0]) submission_remove(&a.part[i]);
    for (int i = 0; i < a.parts && !rc && dry; i++) printf("%s%s", i ? "\n" : "", a.script[i].at);
    if (!rc && !dry && a.parts) rc = submit(&a, e);
    if (!rc && !dry && a.parts) say_submitted(&a);
    if (!rc && !a.parts) printf("%s: nothing to submit\n", x->name);
    arrays_release(&a);
    return rc;
}
