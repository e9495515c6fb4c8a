/* Scores of weights on tasks (bench/tasks/task_score.h), as tables and as JSON. */
#ifndef BENCH_TASKS_SCORE_TABLES_H
#define BENCH_TASKS_SCORE_TABLES_H

#include "bench/formats/cells.h"
#include "bench/tasks/task_score.h"

enum { SCORE_SCHEMA = 2 };

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

/* "scores": a row for each model, task and metric, and their means over the tasks (items: none); "against": of two
 * models or more, each beside the first, item by item. */
void score_tables(const ScoreTable *t, CellsList *out);

/* {schema, rules, examples, scores: [ROW], against?: [ROW]}, rows of the tables; new reference. */
json_t *score_json(const ScoreTable *t);

/* One line of JSON per choice that was scored: model, task, line of its file (from 1), choice and label (from 0),
 * context, continuation, tokens of the continuation, windows, loglikelihood (nats): what another program computes again
 * (bench/peers/score_torch.py). */
void score_dump(const ScoreTable *t, Text *out);

#endif
