#include "bench/slurm/status.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static bool stored(const char *runs, const SubmittedRun *r) {
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/%s/record.json", runs, r->id);
    return file_exists(path);
}

static bool in_queue(const SlurmView *v, const SubmittedRun *r) {
    for (const Submission *s = v->sub; s < v->sub + v->subs; s++)
        for (const SubmittedRun *o = s->run; o < s->run + s->runs; o++)
            if (!strcmp(o->id, r->id) && slurm_find(v->queue, v->rows, s->array_job, o->task)) return true;
    return false;
}

/* Whether a submission after s has the run too: what is missing is said of the last one alone. */
static bool later(const SlurmView *v, const Submission *s, const SubmittedRun *r) {
    for (const Submission *after = s + 1; after < v->sub + v->subs; after++)
        for (const SubmittedRun *o = after->run; o < after->run + after->runs; o++)
            if (!strcmp(o->id, r->id)) return true;
    return false;
}

void slurm_look(SlurmView *v, const char *results, const char *plan) {
    char runs[1100];
    Submission *all;
    Error e;
    bool absent;
    int count = submissions_read(results, &all);
    *v = (SlurmView){0};
    snprintf(runs, sizeof runs, "%.1000s/runs", results);
    for (int i = 0; i < count; i++) {
        if (!all[i].array_job[0] || (plan && strcmp(all[i].plan, plan) != 0)) {
            submission_release(&all[i]);
            continue;
        }
        for (int k = 0; k < all[i].runs; k++) v->open |= !stored(runs, &all[i].run[k]);
        all[v->subs++] = all[i];
    }
    v->sub = all;
    if (v->open && slurm_queue(&v->queue, &v->rows, &absent, &e))
        snprintf(v->why, sizeof v->why, "%.250s", absent ? "squeue is not on $PATH" : e.text);
}

void slurm_view_release(SlurmView *v) {
    submissions_free(v->sub, v->subs);
    free(v->queue);
    *v = (SlurmView){0};
}

static void lower(char *out, size_t size, const char *word) {
    size_t n = 0;
    for (; word[n] && n + 1 < size; n++) out[n] = (char)tolower((unsigned char)word[n]);
    out[n] = 0;
}

/* "2 pending (Resources), 1 running on n1": tasks of one state counted together. Returns how many are in the queue. */
static int queue_words(const SlurmView *v, const char *job, Text *out) {
    int in = 0;
    char state[32];
    for (int i = 0; i < v->rows; i++) {
        const SlurmTask *t = &v->queue[i];
        int same = 0, earlier = 0;
        if (strcmp(t->job, job) != 0) continue;
        in++;
        for (int k = 0; k < v->rows; k++)
            if (!strcmp(v->queue[k].job, job) && !strcmp(v->queue[k].state, t->state)) same++, earlier += k < i;
        if (earlier) continue;
        lower(state, sizeof state, t->state);
        text_format(out, "%s%d %s", in > 1 ? ", " : "", same, state);
        if (t->node[0]) text_format(out, " (%s", t->node);
        for (int k = i + 1; k < v->rows && t->node[0]; k++)
            if (!strcmp(v->queue[k].job, job) && !strcmp(v->queue[k].state, t->state))
                text_format(out, ", %s", v->queue[k].node);
        if (t->node[0]) text_format(out, ")");
        if (!t->node[0] && t->why[0]) text_format(out, " (%s)", t->why);
    }
    return in;
}

/* What sacct says of the tasks that did not complete: ": task 1 NODE_FAIL, task 2 TIMEOUT". */
static void ended_words(const char *job, Text *out) {
    SlurmTask *all;
    int count = slurm_ended(job, &all), named = 0;
    for (int i = 0; i < count; i++) {
        if (!strcmp(all[i].state, "COMPLETED") || all[i].task < 0 || ++named > 6) continue;
        text_format(out, "%s task %d %s", named > 1 ? "," : ":", all[i].task, all[i].state);
    }
    free(all);
}

static int missing_of(const SlurmView *v, const Submission *s, const char *runs) {
    int missing = 0;
    for (const SubmittedRun *r = s->run; r < s->run + s->runs; r++)
        missing += !stored(runs, r) && !in_queue(v, r) && !later(v, s, r);
    return missing;
}

void slurm_text(const SlurmView *v, const char *runs, Text *out) {
    LOCAL_TEXT(words);
    if (v->open && v->why[0]) text_format(out, "slurm    not known what is in the queue: %s\n", v->why);
    for (const Submission *s = v->sub; s < v->sub + v->subs && !v->why[0]; s++) {
        text_clear(&words);
        if (queue_words(v, s->array_job, &words)) text_format(out, "slurm    job %s: %s\n", s->array_job, words.at);
        text_clear(&words);
        if (queue_words(v, s->table_job, &words))
            text_format(out, "slurm    job %s, the tables: %s\n", s->table_job, words.at);
        int missing = missing_of(v, s, runs);
        if (!missing) continue;
        text_clear(&words);
        ended_words(s->array_job, &words);
        text_format(out,
                    "slurm    job %s is over, %d of its %d runs %s not stored%s; `run --slurm` submits them again\n",
                    s->array_job, missing, s->runs, missing == 1 ? "is" : "are", words.at);
    }
}

json_t *slurm_json(const SlurmView *v, const char *runs) {
    json_t *list = json_array();
    for (const Submission *s = v->sub; s < v->sub + v->subs; s++) {
        json_t *tasks = json_array();
        for (int i = 0; i < v->rows; i++) {
            const SlurmTask *t = &v->queue[i];
            bool table = !strcmp(t->job, s->table_job);
            if (!table && strcmp(t->job, s->array_job) != 0) continue;
            json_array_append_new(tasks, json_pack("{s:o, s:s, s:s, s:s}", "task",
                                                   table ? json_string("table") : json_integer(t->task), "state",
                                                   t->state, "node", t->node, "why", t->why));
        }
        json_t *missing = v->why[0] ? json_null() : json_integer(missing_of(v, s, runs));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:o, s:o}", "job", s->array_job, "table_job",
                                              s->table_job, "folder", s->folder, "runs", s->runs, "missing", missing,
                                              "tasks", tasks));
    }
    return list;
}
