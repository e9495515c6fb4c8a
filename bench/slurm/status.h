/* What `status` says of submissions to Slurm: of the tasks that wait or run by squeue, of those that are over by sacct,
 * where these are; of the runs by the results folder alone. */
#ifndef BENCH_SLURM_STATUS_H
#define BENCH_SLURM_STATUS_H

#include <jansson.h>

#include "bench/run/cluster/slurm.h"

typedef struct {
    Submission *sub; /* of the plan that was asked for */
    int subs;
    SlurmTask *queue;
    int rows;
    bool open;     /* some run of a submission is not stored */
    char why[300]; /* squeue could not be asked; "" */
} SlurmView;

/* Of the submissions that are of this plan (NULL: all of them). squeue is asked when a run of one is not stored
 * yet. */
void slurm_look(SlurmView *v, const char *results, const char *plan);
void slurm_view_release(SlurmView *v);

/* A line for each submission that is in the queue, or over without having stored all of its runs. */
void slurm_text(const SlurmView *v, const char *runs, Text *out);

/* [{job, table_job, folder, runs, missing, tasks: [{task, state, node, why}]}]; `tasks` are those in the queue. New
 * reference. */
json_t *slurm_json(const SlurmView *v, const char *runs);

#endif
