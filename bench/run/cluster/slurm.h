/* Slurm: its programs sbatch, squeue and sacct. */
#ifndef BENCH_RUN_CLUSTER_SLURM_H
#define BENCH_RUN_CLUSTER_SLURM_H

#include <stdbool.h>

#include "bench/run/cluster/submission.h"

/* A job, or one task of an array, as squeue or sacct calls it. */
typedef struct {
    char job[SUBMISSION_JOB];          /* of the array: its number */
    int task;                          /* -1: a job of its own */
    char state[32], node[64], why[64]; /* "RUNNING", "n1", "Resources" */
} SlurmTask;

/* sbatch --parsable [--dependency=afterany:after] script (after: "1" or "1:2", NULL: nothing); job: its number.
 * RC_UNMEASURED: sbatch is not there; RC_USAGE or RC_UNMEASURED: it refused, and e is its own line. */
Rc slurm_submit(const char *script, const char *after, char job[SUBMISSION_JOB], Error *e);

/* Tasks that an array may have: MaxArraySize as `scontrol show config` says it, 0 where arrays are not allowed;
 * SLURM_MOST_TASKS where nobody answers. */
enum { SLURM_MOST_TASKS = 1000 };
int slurm_most_tasks(void);

/* What is in the queue. RC_UNMEASURED: squeue is not there (*absent), or it does not answer; e is its own line. */
Rc slurm_queue(SlurmTask **all, int *count, bool *absent, Error *e);

/* What became of a job that is no longer in the queue, by sacct; 0 where there is no sacct or no accounting. */
int slurm_ended(const char *job, SlurmTask **all);

/* Whether a task of s, or its table job (task -1), is in the queue: the row; NULL: it is not. */
const SlurmTask *slurm_find(const SlurmTask *all, int count, const char *job, int task);

#endif
