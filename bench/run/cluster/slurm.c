#include "bench/run/cluster/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"

/* Cut line breaks off the end, and return the last line. */
static char *last_line(char *text) {
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n') text[--n] = 0;
    char *before = strrchr(text, '\n');
    return before ? before + 1 : text;
}

/* Run a program of Slurm; *said: its output, which the caller frees. On failure e is the first line with "error", or
 * the last one. */
static Rc ask(const char *const *argv, char **said, bool *absent, Error *e) {
    Scratch folder;
    char path[640];
    size_t length;
    *said = NULL;
    *absent = false;
    if (scratch_make(&folder, e)) return e->code;
    Rc rc = subprocess_run(argv, folder.path, absent, e);
    Error unread;
    snprintf(path, sizeof path, "%s/output.txt", folder.path);
    if (*absent || file_read(path, said, &length, &unread)) *said = mem_text("");
    scratch_remove(&folder);
    if (!rc || *absent) return rc;
    const char *line = strstr(*said, "error");
    while (line && line > *said && line[-1] != '\n') line--;
    if (!line) line = last_line(*said);
    if (line[0]) error_set(e, RC_UNMEASURED, "%.*s", (int)strcspn(line, "\n"), line);
    return e->code;
}

Rc slurm_submit(const char *script, const char *after, char job[SUBMISSION_JOB], Error *e) {
    LOCAL_TEXT(dependency);
    text_format(&dependency, "--dependency=afterany:%s", after ? after : "");
    const char *const argv[] = {"sbatch", "--parsable", after ? dependency.at : script, after ? script : NULL, NULL};
    char *said;
    bool absent;
    Rc rc = ask(argv, &said, &absent, e);
    if (absent)
        rc = error_set(e, RC_UNMEASURED,
                       "--slurm: sbatch is not on $PATH; on a machine without Slurm, `run` trains here, and --part "
                       "I/N a part");
    else if (rc && strstr(e->text, "nvalid"))
        rc = e->code = RC_USAGE;
    /* "123" or "123;cluster", after warnings */
    const char *line = last_line(said);
    size_t digits = strspn(line, "0123456789");
    if (!rc && (!digits || digits >= SUBMISSION_JOB))
        rc = error_set(e, RC_UNMEASURED, "sbatch --parsable: '%.80s' is no number of a job", line);
    if (!rc) snprintf(job, SUBMISSION_JOB, "%.*s", (int)digits, line);
    free(said);
    return rc;
}

int slurm_most_tasks(void) {
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    static const char KEY[] = "MaxArraySize";
    char *said, number[24];
    bool absent;
    int64_t most = SLURM_TASKS_MAX;
    Error ignored;
    Rc rc = ask(argv, &said, &absent, &ignored);
    const char *at = rc ? NULL : strstr(said, KEY);
    if (at) at += strcspn(at, "=\n");
    if (at && *at == '=') {
        at += 1 + strspn(at + 1, " ");
        snprintf(number, sizeof number, "%.*s", (int)strspn(at, "0123456789"), at);
        if (!parse_integer(number, &most) || most > 1 << 24) most = SLURM_TASKS_MAX;
    }
    free(said);
    return (int)most;
}

/* Split "a|b|c" at its bars. */
static int cut(char *line, char **field, int most) {
    int n = 0;
    for (char *at = line; at && n < most; n++) {
        field[n] = at;
        at = strchr(at, '|');
        if (at) *at++ = 0;
    }
    return n;
}

static SlurmTask *add(SlurmTask **all, int *count) {
    *all = mem_grow(*all, (size_t)*count + 1, sizeof **all);
    SlurmTask *t = &(*all)[(*count)++];
    *t = (SlurmTask){.task = -1};
    return t;
}

Rc slurm_queue(SlurmTask **all, int *count, bool *absent, Error *e) {
    static const char *const argv[] = {"squeue", "--noheader", "--array", "--format=%F|%K|%T|%N|%r", NULL};
    char *said, *rest = NULL, *field[5];
    *all = NULL;
    *count = 0;
    Rc rc = ask(argv, &said, absent, e);
    for (char *line = strtok_r(said, "\n", &rest); line && !rc; line = strtok_r(NULL, "\n", &rest)) {
        int64_t task;
        if (cut(line, field, 5) < 5) continue;
        SlurmTask *t = add(all, count);
        snprintf(t->job, sizeof t->job, "%s", field[0]);
        if (parse_integer(field[1], &task)) t->task = (int)task;
        snprintf(t->state, sizeof t->state, "%s", field[2]);
        snprintf(t->node, sizeof t->node, "%s", field[3]);
        snprintf(t->why, sizeof t->why, "%s", field[4]);
    }
    free(said);
    return rc;
}

int slurm_ended(const char *job, SlurmTask **all) {
    const char *const argv[] = {"sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State,NodeList",
                                "-j",    job,          NULL};
    char *said, *rest = NULL, *field[3];
    bool absent;
    int count = 0;
    Error e;
    *all = NULL;
    Rc rc = ask(argv, &said, &absent, &e);
    for (char *line = strtok_r(said, "\n", &rest); line && !rc; line = strtok_r(NULL, "\n", &rest)) {
        int64_t task;
        if (cut(line, field, 3) < 3) continue;
        char *under = strchr(field[0], '_');
        SlurmTask *t = add(all, &count);
        if (under && parse_integer(under + 1, &task)) t->task = (int)task;
        if (under) *under = 0;
        snprintf(t->job, sizeof t->job, "%s", field[0]);
        snprintf(t->state, sizeof t->state, "%.*s", (int)strcspn(field[1], " "), field[1]); /* "CANCELLED by 0" */
        snprintf(t->node, sizeof t->node, "%s", field[2]);
    }
    free(said);
    return count;
}

const SlurmTask *slurm_find(const SlurmTask *all, int count, const char *job, int task) {
    for (int i = 0; i < count; i++)
        if (all[i].task == task && !strcmp(all[i].job, job)) return &all[i];
    return NULL;
}
