/* Scores of weights on tasks (bench/run/task_score.h): as a table for a terminal, as JSON, as LaTeX. */
#ifndef BENCH_WRITE_SCORE_H
#define BENCH_WRITE_SCORE_H

#include <jansson.h>

#include "bench/run/task_score.h"

typedef struct {
    const char *name; /* as it was asked for: a run or a file */
    const char *variant;
    const char *tokenizer;
    int layers, width, context;
    TaskScore *score; /* [tasks] */
} ScoredModel;

typedef struct {
    const Task *task;         /* [tasks] */
    const ScoredModel *model; /* [models]; the others are compared with the first, item by item */
    int tasks, models;
} ScoreTable;

/* "acc", "acc_norm". */
extern const char *const task_metric_name[ACC_COUNT];

/* The mean of a metric over a model's tasks, and its standard error, the tasks being independent. */
double score_mean(const ScoreTable *t, const ScoredModel *m, TaskMetric metric, double *error);

void score_text(const ScoreTable *t, Text *out);
void score_tex(const ScoreTable *t, Text *out);
json_t *score_json(const ScoreTable *t); /* new reference */

/* One line of JSON per choice that was scored: model, task, line of its file (from 1), choice and label (from 0),
 * context, continuation, tokens of the continuation, windows, loglikelihood (nats): what another program computes again
 * (bench/peers/score_torch.py). */
void score_dump(const ScoreTable *t, Text *out);

#endif
