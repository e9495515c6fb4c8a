/* Submission: what `run --slurm` gave to Slurm, in slurm/WORD/N/ of the results (WORD: of the plan's folder, N from 1):
 *
 *   tasks.json           {schema, experiment, profile, plan, commit, host, tasks: [{seconds, runs: [{id, spec_sha256,
 *                        class, arithmetic, what}]}]}: which task of the array trains what; commit and host are those
 *                        of the program that submitted
 *   run.sh, table.sh     the scripts of the array and of the job that makes the tables when it is over
 *   jobs.json            {array, table}: Slurm's numbers of the two
 *   task-I.txt, table.txt what they print
 *
 * A task trains the runs of its index alone, so tasks of one array share none; two submissions, or a task that was put
 * back into the queue while its first process still lives, are kept apart by the holds of bench/run/cluster/share.h. */
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
    double *seconds;                                           /* [tasks] that it should take; NaN: not known */
    char array_job[SUBMISSION_JOB], table_job[SUBMISSION_JOB]; /* "": not submitted */
} Submission;

void submission_release(Submission *s);

/* The folder of the next submission of a plan; make: it is this process's from now on. RC_UNMEASURED: the disk
 * refuses. */
Rc submission_next(Submission *s, const char *results, const char *word, bool make, Error *e);

/* Removes the folder of a submission that came to nothing, and those above it that are empty then. */
void submission_remove(const Submission *s);

/* Writes tasks.json; jobs.json. RC_UNMEASURED: the disk refuses. */
Rc submission_write(const Submission *s, Error *e);
Rc submission_write_jobs(const Submission *s, Error *e);

/* All submissions of a results folder that read, in order of word and number; returns how many. */
int submissions_read(const char *results, Submission **all);
void submissions_free(Submission *all, int count);

/* Leaves t the runs of a task, "FILE:I" (FILE: a tasks.json). RC_USAGE: it is no such file, I is no task of it, or it
 * is of another plan than x. RC_INTEGRITY: this program computes a run in another arithmetic, or on another corpus,
 * than the one that submitted; both are named. */
Rc submission_task(const char *task, const Experiment *x, Todo *t, Error *e);

#endif
