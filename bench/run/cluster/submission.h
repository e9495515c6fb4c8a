/* Submission: files of one `run --slurm`, in slurm/WORD/N/ of the results (WORD: the plan's folder, N from 1):
 *
 *   tasks.json           {schema, experiment, profile, plan, commit, host, tasks: [{seconds, runs: [{id, spec_sha256,
 *                        class, arithmetic, what}]}]}: runs of each task of the array; commit and host of the program
 *                        that submitted
 *   run.sh, table.sh     scripts of the array and of the job that makes the tables after it
 *   jobs.json            {array, table}: Slurm's numbers of the two
 *   task-I.txt, table.txt their output
 *
 * A task trains only the runs of its index, so tasks of one array share none; two submissions, or a requeued task whose
 * first process still lives, are kept apart by the leases of bench/run/cluster/share.h. */
#ifndef BENCH_RUN_CLUSTER_SUBMISSION_H
#define BENCH_RUN_CLUSTER_SUBMISSION_H

#include "bench/run/todo.h"

enum { SUBMISSION_SCHEMA = 1, SUBMISSION_JOB = 24 };

typedef struct {
    char id[SHA256_HEX], spec_sha256[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char what[340]; /* "token_std = 1  layernorm seed 3" */
    int task;       /* 0-based */
} SubmittedRun;

typedef struct {
    char folder[1200];
    char experiment[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE], plan[SHA256_HEX];
    char commit[64], host[64];
    SubmittedRun *run; /* in the order of tasks */
    int runs, tasks;
    bool guessed;    /* seconds are of this machine's speed, not of stored runs */
    double *seconds; /* [tasks] estimated; NaN: unknown */
    char array_job[SUBMISSION_JOB], table_job[SUBMISSION_JOB]; /* "": not submitted */
} Submission;

void submission_release(Submission *s);

/* Find the folder of a plan's next submission; make: create it for this process. RC_UNMEASURED: the disk refused. */
Rc submission_next(Submission *s, const char *results, const char *word, bool make, Error *e);

/* Remove the folder of a failed submission, and folders above it that become empty. */
void submission_remove(const Submission *s);

/* Write tasks.json; jobs.json. RC_UNMEASURED: the disk refused. */
Rc submission_write(const Submission *s, Error *e);
Rc submission_write_jobs(const Submission *s, Error *e);

/* List all readable submissions of a results folder, in order of word and number; return how many. */
int submissions_read(const char *results, Submission **all);
void submissions_free(Submission *all, int count);

/* Reduce t to the runs of a task, "FILE:I" (FILE: a tasks.json). RC_USAGE: it is no such file, has no task I, or is
 * another plan's. RC_INTEGRITY: this program computes a run in another arithmetic, or on another corpus, than the one
 * that submitted; both are named. */
Rc submission_task(const char *task, const Experiment *x, Todo *t, Error *e);

#endif
