/* `run --slurm`: the missing runs of a plan as an array of Slurm. */
#ifndef BENCH_SLURM_SUBMIT_H
#define BENCH_SLURM_SUBMIT_H

#include "bench/options/session_options.h"
#include "bench/run/cluster/submission.h"
#include "bench/verdict/outlook.h"

/* What is asked of Slurm. */
typedef struct {
    int nodes, gpus, cpus;        /* tasks at once; of a task: GPUs, processors */
    const char *partition, *time; /* "": Slurm's own */
    const char *const *more;      /* [more_count] */
    int more_count;
} SlurmRequest;

/* The options as they fit together. RC_USAGE: options of --slurm without it, or with --part; a value that
 * cannot stand in a script; a time or an option that sbatch would refuse, or one that `run` decides. */
Rc slurm_options(const Session *s, SlurmRequest *request, Error *e);

/* Packs what is missing and not in the queue yet into tasks, writes the scripts and submits them; dry: prints the
 * array's script and does nothing. word: of the plan's folder. RC_UNMEASURED: no sbatch, a disk that refuses; RC_USAGE:
 * what Slurm refused, in its own words. */
Rc slurm_run(Session *s, const Experiment *x, const Todo *t, const Outlook *o, const SlurmRequest *request,
             const char *word, Error *e);

/* What cannot stand behind #SBATCH, out of the forbidden bytes: it ends the line, or Slurm reads it as something
 * else. */
Rc slurm_plain(const char *option, const char *value, const char *forbidden, Error *e);

/* The array's script and that of the tables. */
Rc slurm_array_script(const Session *s, const Experiment *x, const Submission *sub, const SlurmRequest *request,
                      Text *out, Error *e);
Rc slurm_table_script(const Session *s, const Experiment *x, const Submission *sub, const SlurmRequest *request,
                      Text *out, Error *e);

#endif
