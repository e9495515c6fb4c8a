/* Slurm: run its programs sbatch, squeue and sacct. */
#ifndef BENCH_RUN_CLUSTER_SLURM_H
#define BENCH_RUN_CLUSTER_SLURM_H

#include <stdbool.h>

#include "bench/run/cluster/submission.h"

/* A job, or one task of an array, as squeue or sacct shows it. */
typedef struct {
    char job[SUBMISSION_JOB];          /* number of the job or array */
    int task;                          /* -1: a single job */
    char state[32], node[64], why[64]; /* "RUNNING", "n1", "Resources" */
} SlurmTask;

/* Submit by sbatch --parsable [--dependency=afterany:after] script (after: "1" or "1:2", NULL: none); job: its number.
 * RC_UNMEASURED: there is no sbatch; RC_USAGE or RC_UNMEASURED: it refused, and e is its line. */
Rc slurm_submit(const char *script, const char *after, char job[SUBMISSION_JOB], Error *e);

/* Return the most tasks of an array: MaxArraySize of `scontrol show config`, 0 if arrays are not allowed;
 * SLURM_TASKS_MAX without an answer. */
enum { SLURM_TASKS_MAX = 1000 };
int slurm_most_tasks(void);

/* List the queue. RC_UNMEASURED: there is no squeue (*absent), or it fails; e is its line. */
Rc slurm_queue(SlurmTask **all, int *count, bool *absent, Error *e);

/* List the tasks of an ended job by sacct; 0: no sacct or no accounting. */
int slurm_ended(const char *job, SlurmTask **all);

/* Return the queue's row of a task, or of the job itself (task -1); NULL: it is not queued. */
const SlurmTask *slurm_find(const SlurmTask *all, int count, const char *job, int task);

#endif
