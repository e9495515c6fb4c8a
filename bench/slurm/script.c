#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/formats/progress.h"
#include "bench/slurm/submit.h"

/* Options of `run` that its tasks get as they were given. */
static const OptionKind passed_on[] = {OPTION_data,        OPTION_offline,   OPTION_backend,
                                       OPTION_replicas,    OPTION_name,      OPTION_checkpoint_every,
                                       OPTION_micro_batch, OPTION_recompute, OPTION_threads_per_run,
                                       OPTION_logit_rows,  OPTION_file_size};

/* A path from the root of the file system, of a file that need not be there. */
static void whole_path(char out[PATH_MAX], const char *path) {
    char here[PATH_MAX];
    if (realpath(path, out)) return;
    if (path[0] == '/' || !getcwd(here, sizeof here)) here[0] = 0;
    snprintf(out, PATH_MAX, "%.2000s%s%.2000s", here, here[0] ? "/" : "", path);
}

static Rc head(const Session *s, const Experiment *x, const Submission *sub, const SlurmRequest *request,
               const char *what, const char *log, Text *out, Error *e) {
    char folder[PATH_MAX], here[PATH_MAX], root[PATH_MAX];
    if (!getcwd(here, sizeof here)) return error_set(e, RC_UNMEASURED, "--slurm: no working folder");
    if (slurm_plain("--slurm: this folder", here, "\n\"%", e)) return e->code;
    whole_path(folder, sub->folder);
    whole_path(root, s->root);
    text_format(out, "#SBATCH --job-name=%s%s\n#SBATCH --chdir=\"%s\"\n", x->name, what, here);
    text_format(out, "#SBATCH --output=\"%s/%s\"\n#SBATCH --open-mode=append\n", folder, log);
    if (request->partition[0]) text_format(out, "#SBATCH --partition=%s\n", request->partition);
    for (int i = 0; i < request->more_count; i++) text_format(out, "#SBATCH %s\n", request->more[i]);
    text_format(out, "export NORMBENCH_ROOT=");
    text_shell(out, root);
    if (s->places.environment) text_format(out, " NORMBENCH_DATA=");
    if (s->places.environment) text_shell(out, s->places.environment);
    text_format(out, "\n");
    return RC_OK;
}

/* "PATH VERB EXPERIMENT --profile …" */
static void command(const Session *s, const Experiment *x, const char *verb, Text *out) {
    char program[PATH_MAX];
    LOCAL_TEXT(line);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    session_command(s, x, verb, &line);
    text_shell(out, n > 0 ? program : "normbench");
    text_format(out, "%s", line.at + strlen("normbench"));
}

static void pass_on(const Options *o, Text *out) {
    char name[OPTION_NAME];
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        for (int k = 0; k < o->times[passed_on[i]]; k++) {
            text_format(out, " --%s", option_name(name, passed_on[i]));
            if (!o->value[passed_on[i]][k][0]) continue;
            text_format(out, option_shown(passed_on[i]).part_of < 0 ? " " : "=");
            text_shell(out, o->value[passed_on[i]][k]);
        }
}

static void describe_tasks(const Submission *sub, Text *out) {
    enum { NAMED = 2 };
    for (int task = 0; task < sub->tasks; task++) {
        int runs = 0;
        char took[32];
        for (int i = 0; i < sub->runs; i++) runs += sub->run[i].task == task;
        text_format(out, "# task %d: %d run%s", task, runs, runs == 1 ? "" : "s");
        if (!isnan(sub->seconds[task])) text_format(out, ", about %s", format_duration(took, sub->seconds[task]));
        const char *before = ": ";
        for (int i = 0, named = 0; i < sub->runs; i++) {
            if (sub->run[i].task != task) continue;
            if (named++ < NAMED) text_format(out, "%s%s", before, sub->run[i].what);
            before = ", ";
        }
        text_format(out, runs > NAMED ? ", …\n" : "\n");
    }
}

Rc slurm_array_script(const Session *s, const Experiment *x, const Submission *sub, const SlurmRequest *request,
                      Text *out, Error *e) {
    const Options *o = s->options;
    char folder[PATH_MAX];
    whole_path(folder, sub->folder);
    text_format(out, "#!/bin/bash\n# %d run%s of %s%s%s as %d task%s; normbench run --slurm wrote this.\n", sub->runs,
                sub->runs == 1 ? "" : "s", x->name, x->profile[0] ? ", profile " : "", x->profile, sub->tasks,
                sub->tasks == 1 ? "" : "s");
    describe_tasks(sub, out);
    text_format(out, "#SBATCH --array=0-%d", sub->tasks - 1);
    if (request->nodes < sub->tasks) text_format(out, "%%%d", request->nodes);
    text_format(out, "\n#SBATCH --nodes=1 --ntasks=%d --cpus-per-task=%d\n", request->gpus > 1 ? request->gpus : 1,
                request->cpus);
    if (request->gpus) text_format(out, "#SBATCH --gpus-per-task=1\n");
    if (request->time[0]) text_format(out, "#SBATCH --time=%s\n", request->time);
    text_format(out, "#SBATCH --requeue --signal=B:USR1@120\n");
    if (head(s, x, sub, request, "", "task-%a.txt", out, e)) return e->code;
    text_format(out,
                "\n# USR1: the time is nearly up. normbench stores a checkpoint, ends with 143 and goes back into "
                "the queue.\n# TERM: preempted or cancelled. Slurm sends it to normbench too, which does the same.\n"
                "again= signalled=\n"
                "trap 'again=yes signalled=yes; kill -TERM \"$pid\"' USR1\n"
                "trap 'signalled=yes' TERM\n");
    if (request->gpus > 1) text_format(out, "srun ");
    command(s, x, "run", out);
    pass_on(o, out);
    text_format(out, " --threads %d --part ", option_integer(o, OPTION_threads, 1));
    text_shell(out, folder);
    text_format(out, "/tasks.json:\"$SLURM_ARRAY_TASK_ID\" &\n"
                     "pid=$!\n"
                     "while wait \"$pid\"; code=$?; [ \"$signalled\" ]; do signalled=; done\n"
                     "[ \"$again$code\" != yes143 ] || scontrol requeue "
                     "\"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
                     "exit \"$code\"\n");
    return RC_OK;
}

Rc slurm_table_script(const Session *s, const Experiment *x, const Submission *sub, const SlurmRequest *request,
                      Text *out, Error *e) {
    text_format(out, "#!/bin/bash\n# The tables of %s%s%s; normbench run --slurm wrote this.\n#SBATCH --ntasks=1\n",
                x->name, x->profile[0] ? ", profile " : "", x->profile);
    if (head(s, x, sub, request, "-table", "table.txt", out, e)) return e->code;
    text_format(out, "\nexec ");
    command(s, x, "table", out);
    if (s->options->times[OPTION_name]) text_format(out, " --name "), text_shell(out, s->slug);
    text_format(out, "\n");
    return RC_OK;
}
