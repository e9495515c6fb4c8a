/* Scores as tables: one row for each model, task and metric. */
#include "bench/tasks/score_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const metric_name[ACC_COUNT] = {"acc", "acc_norm"};

enum { DECIMALS = 4 };

/* The mean of a metric over a model's tasks, and its standard error, the tasks being independent. */
static double score_mean(const ScoreTable *t, const ScoredModel *m, TaskMetric metric, double *error) {
    double sum = 0, square = 0;
    for (int i = 0; i < t->tasks; i++) {
        sum += m->score[i].of[metric].share;
        square += m->score[i].of[metric].error * m->score[i].of[metric].error;
    }
    *error = sqrt(square) / t->tasks;
    return sum / t->tasks;
}

static void score_columns(Cells *c) {
    cells_columns(c, {"task", "l", "task"}, {"items", "r", "items"}, {"metric", "l", "metric"}, {"share", "r", "share"},
                  {"share", "i", "95% interval"}, {"stderr", "r", "stderr"}, {"chance", "r", "chance"},
                  {"against_chance", "l", ""}, {"shortest", "r", "shortest"});
    cells_data(c, "model", "variant", "tokenizer", "layers", "width", "context", "version", "sha256", "pinned",
               "left_out", "equal_choices", "truncated");
}

static void model_cells(const ScoredModel *m, Cells *c) {
    cell_text(c, m->name), cell_text(c, m->variant), cell_text(c, m->tokenizer);
    cell_integer(c, m->layers), cell_integer(c, m->width), cell_integer(c, m->context);
}

static void task_row(const ScoredModel *m, const TaskScore *s, TaskMetric metric, Cells *c) {
    const TaskAccuracy *a = &s->of[metric];
    cells_row(c);
    cell_text(c, s->task->info->name), cell_integer(c, s->items), cell_text(c, metric_name[metric]);
    cell_number(c, a->share, DECIMALS);
    cell_interval(c, a->lo, a->hi, DECIMALS, "");
    cell_number(c, a->error, DECIMALS), cell_number(c, s->chance, DECIMALS);
    cell_text(c, a->chance ? "at chance" : a->share > s->chance ? "above chance" : "below chance");
    cell_number(c, s->shortest, DECIMALS);
    model_cells(m, c);
    cell_text(c, s->task->info->version), cell_text(c, s->task->sha256), cell_text(c, s->task->pinned ? "yes" : "no");
    cell_integer(c, s->left_out), cell_integer(c, s->twins), cell_integer(c, s->truncated);
}

/* What a number does not say by itself. */
static void task_words(const ScoredModel *m, const TaskScore *s, Cells *c) {
    const char *name = s->task->info->name;
    char words[300];
    if (s->left_out) {
        snprintf(words, sizeof words,
                 "%s: %d of %d items were left out, with characters that the tokenizer does not have", name,
                 s->left_out, s->left_out + s->items);
        cells_words(c, 2, words);
    }
    if (s->twins) {
        snprintf(words, sizeof words,
                 "%s: two choices of %d of %d items are equal: the first of them counts, as in lm_eval", name, s->twins,
                 s->items);
        cells_words(c, 2, words);
    }
    if (s->truncated) {
        snprintf(words, sizeof words, "%s: %d of %d items were truncated: longer than the model's context of %d tokens",
                 name, s->truncated, s->items, m->context);
        cells_words(c, 2, words);
    }
}

static void mean_row(const ScoreTable *t, const ScoredModel *m, TaskMetric metric, Cells *c) {
    double error, share = score_mean(t, m, metric, &error);
    cells_row(c);
    cell_text(c, "mean of the tasks"), cell_none(c), cell_text(c, metric_name[metric]);
    cell_number(c, share, DECIMALS), cell_none(c), cell_number(c, error, DECIMALS);
    cell_none(c), cell_none(c), cell_none(c);
    model_cells(m, c);
}

static void scores(const ScoreTable *t, Cells *c) {
    char heading[400];
    score_columns(c);
    text_format(&c->caption,
                "By the rules of lm_eval 0.4, no examples; Clopper and Pearson's 95 %% interval. shortest: "
                "always taking the shortest choice.");
    for (const ScoredModel *m = t->model; m < t->model + t->models; m++) {
        snprintf(heading, sizeof heading, "%.200s: %.60s, %d layers x %d, context %d, tokenizer %.40s", m->name,
                 m->variant, m->layers, m->width, m->context, m->tokenizer);
        cells_heading(c, heading);
        for (int k = 0; k < t->tasks; k++) {
            for (int metric = 0; metric < ACC_COUNT; metric++) task_row(m, &m->score[k], (TaskMetric)metric, c);
            task_words(m, &m->score[k], c);
        }
        for (int metric = 0; metric < ACC_COUNT && t->tasks > 1; metric++) mean_row(t, m, (TaskMetric)metric, c);
    }
    text_format(&c->notes, "rules: lm_eval 0.4, no examples;");
    for (int i = 0; i < t->tasks; i++)
        text_format(&c->notes, "%s %s %s, %s%.12s", i ? "," : "", t->task[i].info->name, t->task[i].info->version,
                    t->task[i].pinned ? "sha256 " : "your file, sha256 ", t->task[i].sha256);
}

static void against(const ScoreTable *t, Cells *c) {
    text_format(&c->caption, "Items that one of the two alone has right; exact McNemar p.");
    cells_columns(c, {"model", "l", "model"}, {"task", "l", "task"}, {"metric", "l", "metric"},
                  {"here_alone", "r", "here", "right alone"}, {"there_alone", "r", "there", "right alone"},
                  {"items", "r", "items"}, {"p", "r", "p"});
    for (int i = 1; i < t->models; i++)
        for (int k = 0; k < t->tasks; k++)
            for (int metric = 0; metric < ACC_COUNT; metric++) {
                int shared;
                StMcnemar test =
                    task_compare(&t->model[i].score[k], &t->model[0].score[k], (TaskMetric)metric, &shared);
                cells_row(c);
                cell_text(c, t->model[i].name), cell_text(c, t->task[k].info->name), cell_text(c, metric_name[metric]);
                cell_integer(c, (long)test.b), cell_integer(c, (long)test.c), cell_integer(c, shared);
                cell_p(c, test.p);
            }
}

void score_tables(const ScoreTable *t, CellsList *out) {
    scores(t, cells_add(out, "scores", "Scores on tasks"));
    if (t->models < 2) return;
    LOCAL_TEXT(title);
    text_format(&title, "Against %s, item by item", t->model[0].name);
    against(t, cells_add(out, "against", title.at));
}

json_t *score_json(const ScoreTable *t) {
    LOCAL(cells_list_release) CellsList tables = {0};
    score_tables(t, &tables);
    json_t *o = json_pack("{s:i, s:s, s:i, s:o}", "schema", SCORE_SCHEMA, "rules", "lm_eval 0.4", "examples", 0,
                          "scores", cells_json(&tables.at[0]));
    if (tables.count > 1) json_object_set_new(o, "against", cells_json(&tables.at[1]));
    return o;
}

static void dump_item(const ScoredModel *m, const TaskScore *s, int i, Text *out) {
    const TaskItem *item = &s->task->item[s->at[i]];
    for (int c = 0; c < item->choices; c++) {
        const Scored *text = &s->text[i * TASK_CHOICES + c];
        LOCAL_TEXT(continuation);
        text_format(&continuation, " %s", item->text[c]);
        json_t *o = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:i, s:i, s:f}", "model", m->name, "task",
                              s->task->info->name, "line", item->line, "choice", c, "label", item->label, "context",
                              item->context[c], "continuation", continuation.at, "tokens", text->count - text->scored,
                              "windows", scored_windows(text, m->context), "loglikelihood", text->loglikelihood);
        OWNED char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
        text_format(out, "%s\n", line);
        json_decref(o);
    }
}

void score_dump(const ScoreTable *t, Text *out) {
    for (const ScoredModel *m = t->model; m < t->model + t->models; m++)
        for (int k = 0; k < t->tasks; k++)
            for (int i = 0; i < m->score[k].items; i++) dump_item(m, &m->score[k], i, out);
}
