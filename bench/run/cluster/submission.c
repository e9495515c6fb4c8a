#include "bench/run/cluster/submission.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/json.h"

void submission_release(Submission *s) {
    free(s->run);
    free(s->seconds);
    *s = (Submission){0};
}

Rc submission_next(Submission *s, const char *results, const char *word, bool make, Error *e) {
    snprintf(s->folder, sizeof s->folder, "%.1000s/slurm/%.80s", results, word);
    size_t n = strlen(s->folder);
    if (make && folder_make_own(s->folder, e)) return e->code;
    for (int number = 1;; number++) {
        snprintf(s->folder + n, sizeof s->folder - n, "/%d", number);
        if (make ? !mkdir(s->folder, 0777) : !file_exists(s->folder)) return RC_OK;
        if (make && errno != EEXIST)
            return error_set(e, RC_UNMEASURED, "%s: cannot make folder: %s", s->folder, strerror(errno));
    }
}

void submission_remove(const Submission *s) {
    char path[1200];
    folder_remove(s->folder);
    snprintf(path, sizeof path, "%s", s->folder);
    for (int up = 0; up < 3; up++) { /* folders of the word, of all submissions, of the results */
        char *slash = strrchr(path, '/');
        if (!slash) return;
        *slash = 0;
        if (rmdir(path)) return;
    }
}

/* ---- files ---- */

static Rc write_json(json_t *root, const char *folder, const char *name, Error *e) {
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return json_write_file(root, 9, path, e);
}

static const JsonField run_fields[] = {JSON_FIELD(SubmittedRun, id),
                                       JSON_FIELD(SubmittedRun, spec_sha256),
                                       JSON_FIELD_AS("class", SubmittedRun, arithmetic_class),
                                       JSON_FIELD(SubmittedRun, arithmetic),
                                       JSON_FIELD(SubmittedRun, what),
                                       {0}};
static const JsonField fields[] = {JSON_FIELD(Submission, experiment),
                                   JSON_FIELD(Submission, profile),
                                   JSON_FIELD(Submission, plan),
                                   JSON_FIELD(Submission, commit),
                                   JSON_FIELD(Submission, host),
                                   {0}};
static const JsonField jobs[] = {
    JSON_FIELD_AS("array", Submission, array_job), JSON_FIELD_AS("table", Submission, table_job), {0}};

Rc submission_write(const Submission *s, Error *e) {
    json_t *tasks = json_array();
    for (int task = 0; task < s->tasks; task++) {
        json_t *runs = json_array();
        for (const SubmittedRun *r = s->run; r < s->run + s->runs; r++)
            if (r->task == task) json_array_append_new(runs, json_put(json_object(), run_fields, r));
        json_array_append_new(tasks, json_new("seconds", json_or_null(s->seconds[task]), "runs", runs));
    }
    json_t *root = json_put(json_new("schema", (int)SUBMISSION_SCHEMA), fields, s);
    return write_json(json_add(root, "tasks", tasks), s->folder, "tasks.json", e);
}

Rc submission_write_jobs(const Submission *s, Error *e) {
    return write_json(json_put(json_object(), jobs, s), s->folder, "jobs.json", e);
}

static bool read_tasks(Submission *s, const json_t *tasks) {
    size_t i, j;
    json_t *task, *one;
    if (!json_array_size(tasks)) return false;
    s->tasks = (int)json_array_size(tasks);
    s->seconds = mem_alloc((size_t)s->tasks, sizeof *s->seconds);
    json_array_foreach(tasks, i, task) {
        json_t *runs = json_object_get(task, "runs"), *seconds = json_object_get(task, "seconds");
        s->seconds[i] = json_is_number(seconds) ? json_number_value(seconds) : (double)NAN;
        if (!json_array_size(runs)) return false;
        json_array_foreach(runs, j, one) {
            s->run = mem_grow(s->run, (size_t)s->runs + 1, sizeof *s->run);
            s->run[s->runs] = (SubmittedRun){.task = (int)i};
            if (json_take(&s->run[s->runs++], run_fields, one)) return false;
        }
    }
    return true;
}

static json_t *load(const char *folder, const char *name, Error *e) {
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return json_read_file(path, e);
}

/* Read tasks.json, and jobs.json if it exists. RC_USAGE: there is none; RC_INTEGRITY: it is damaged. */
static Rc submission_read(Submission *s, const char *folder, Error *e) {
    Error none;
    *s = (Submission){0};
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    json_t *root = load(folder, "tasks.json", e);
    if (!root) return e->code;
    bool good = !json_take(s, fields, root) && json_get_whole(root, "schema") == SUBMISSION_SCHEMA &&
                read_tasks(s, json_object_get(root, "tasks"));
    json_decref(root);
    if (!good) {
        submission_release(s);
        return error_set(e, RC_INTEGRITY, "%.900s/tasks.json: not what `run --slurm` writes", folder);
    }
    root = load(folder, "jobs.json", &none);
    (void)json_take(s, jobs, root);
    json_decref(root);
    return RC_OK;
}

int submissions_read(const char *results, Submission **all) {
    char path[1200], **word;
    int count = 0;
    *all = NULL;
    snprintf(path, sizeof path, "%.1000s/slurm", results);
    int words = folder_names(path, "", &word);
    for (int i = 0; i < words; i++)
        for (int number = 1;; number++) {
            Submission s;
            Error ignored;
            snprintf(path, sizeof path, "%.1000s/slurm/%.80s/%d", results, word[i], number);
            if (!file_exists(path)) break;
            if (submission_read(&s, path, &ignored)) continue;
            *all = mem_grow(*all, (size_t)count + 1, sizeof **all);
            (*all)[count++] = s;
        }
    names_free(word, words);
    return count;
}

void submissions_free(Submission *all, int count) {
    for (int i = 0; i < count; i++) submission_release(&all[i]);
    free(all);
}

/* ---- a task ---- */

/* Report that the submitting program gave `run` another id, that of r. */
static Rc differs(const Submission *s, const SubmittedRun *r, const TodoRun *run, Error *e) {
    const char *class_here = run->arithmetic_class;
    char host[64] = "";
    (void)gethostname(host, sizeof host - 1);
    if (!strcmp(r->arithmetic, run->arithmetic) && !strcmp(r->arithmetic_class, class_here))
        return error_set(e, RC_INTEGRITY, "%.200s: the corpus has other bytes on %.40s than on %.40s, which submitted",
                         r->what, host, s->host);
    return error_set(e, RC_INTEGRITY,
                     "%.200s: two versions of the program: arithmetic %.40s %.12s of commit %.40s on %.40s, %.40s "
                     "%.12s of commit %.40s on %.40s, which submitted; nothing was trained",
                     r->what, class_here, run->arithmetic, provenance_commit(), host, r->arithmetic_class,
                     r->arithmetic, s->commit, s->host);
}

static Rc choose(const Submission *s, int task, Todo *t, Error *e) {
    OWNED bool *mine = mem_alloc((size_t)t->runs, sizeof *mine);
    Rc rc = RC_OK;
    for (const SubmittedRun *r = s->run; r < s->run + s->runs && !rc; r++) {
        int i = 0;
        if (r->task != task) continue;
        while (i < t->runs && strcmp(t->run[i].spec_sha256, r->spec_sha256) != 0) i++;
        if (i == t->runs)
            rc = error_set(e, RC_USAGE, "--part: %.700s/tasks.json: run %.12s is not of this plan", s->folder, r->id);
        else if (strcmp(t->run[i].id, r->id) != 0)
            rc = differs(s, r, &t->run[i], e);
        else
            mine[i] = true;
    }
    if (!rc) todo_only(t, mine);
    return rc;
}

Rc submission_task(const char *task, const Experiment *x, Todo *t, Error *e) {
    const char *colon = strrchr(task, ':'), *end = "/tasks.json";
    char folder[1200];
    int64_t index;
    size_t n = colon ? (size_t)(colon - task) : 0;
    LOCAL(submission_release) Submission s = {0};
    if (!colon || !parse_integer(colon + 1, &index) || n <= strlen(end) || n >= sizeof folder ||
        strncmp(colon - strlen(end), end, strlen(end)) != 0)
        return error_set(e, RC_USAGE, "--part: '%.300s' is not FOLDER/tasks.json:I", task);
    snprintf(folder, sizeof folder, "%.*s", (int)(n - strlen(end)), task);
    if (submission_read(&s, folder, e)) return e->code;
    Rc rc = RC_OK;
    if (strcmp(s.plan, x->plan) != 0)
        rc = error_set(e, RC_USAGE, "--part: %.500s/tasks.json is of plan %.8s of %s, not of plan %.8s of %s", folder,
                       s.plan, s.experiment, x->plan, x->name);
    else if (index < 0 || index >= s.tasks)
        rc = error_set(e, RC_USAGE, "--part: %.500s/tasks.json has tasks 0 to %d, not %lld", folder, s.tasks - 1,
                       (long long)index);
    else
        rc = choose(&s, (int)index, t, e);
    return rc;
}
