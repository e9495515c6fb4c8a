#include <stdlib.h>

#include "bench/formats/json.h"
#include "bench/write/score.h"

static json_t *accuracy(const TaskAccuracy *a) {
    json_t *o =
        json_pack("{s:f, s:f, s:f, s:b}", "share", a->share, "lo", a->lo, "hi", a->hi, "at_chance", (int)a->chance);
    json_object_set_new(o, "stderr", json_number_of(a->error));
    return o;
}

static json_t *task(const TaskScore *s) {
    const Task *t = s->task;
    json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:f, s:f}", "task", t->info->name, "version",
                          t->info->version, "sha256", t->sha256, "pinned", (int)t->pinned, "items", s->items,
                          "left_out", s->left_out, "equal_choices", s->twins, "truncated", s->truncated, "chance",
                          s->chance, "shortest", s->shortest);
    for (int m = 0; m < ACC_COUNT; m++) json_object_set_new(o, task_metric_name[m], accuracy(&s->of[m]));
    return o;
}

static json_t *comparison(const ScoreTable *t, const ScoredModel *m, int i) {
    json_t *o = json_object();
    for (int metric = 0; metric < ACC_COUNT; metric++) {
        int shared;
        StMcnemar test = task_compare(&m->score[i], &t->model[0].score[i], (TaskMetric)metric, &shared);
        json_object_set_new(o, task_metric_name[metric],
                            json_pack("{s:I, s:I, s:i, s:f}", "here_alone", (json_int_t)test.b, "there_alone",
                                      (json_int_t)test.c, "items", shared, "p", test.p));
    }
    return o;
}

static json_t *model(const ScoreTable *t, const ScoredModel *m) {
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i}", "model", m->name, "variant", m->variant, "tokenizer",
                          m->tokenizer, "layers", m->layers, "width", m->width, "context", m->context);
    json_t *tasks = json_array();
    for (int i = 0; i < t->tasks; i++) {
        json_t *row = task(&m->score[i]);
        if (m > t->model) json_object_set_new(row, "against_first", comparison(t, m, i));
        json_array_append_new(tasks, row);
    }
    json_object_set_new(o, "tasks", tasks);
    for (int metric = 0; metric < ACC_COUNT; metric++) {
        double error, share = score_mean(t, m, (TaskMetric)metric, &error);
        json_t *mean = json_pack("{s:f}", "share", share);
        json_object_set_new(mean, "stderr", json_number_of(error));
        json_object_set_new(o, metric == ACC ? "mean_acc" : "mean_acc_norm", mean);
    }
    return o;
}

json_t *score_json(const ScoreTable *t) {
    json_t *models = json_array();
    for (int i = 0; i < t->models; i++) json_array_append_new(models, model(t, &t->model[i]));
    return json_pack("{s:s, s:i, s:o}", "rules", "lm_eval 0.4", "examples", 0, "models", models);
}

static void dump_item(const ScoredModel *m, const TaskScore *s, int i, Text *out) {
    const TaskItem *item = &s->task->item[s->at[i]];
    for (int c = 0; c < item->choices; c++) {
        const Scored *text = &s->text[i * TASK_CHOICES + c];
        Text continuation;
        text_init(&continuation);
        text_format(&continuation, " %s", item->text[c]);
        json_t *o = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:i, s:i, s:f}", "model", m->name, "task",
                              s->task->info->name, "line", item->line, "choice", c, "label", item->label, "context",
                              item->context[c], "continuation", continuation.at, "tokens", text->count - text->scored,
                              "windows", scored_windows(text, m->context), "loglikelihood", text->loglikelihood);
        char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
        text_format(out, "%s\n", line);
        free(line);
        json_decref(o);
        text_release(&continuation);
    }
}

void score_dump(const ScoreTable *t, Text *out) {
    for (const ScoredModel *m = t->model; m < t->model + t->models; m++)
        for (int k = 0; k < t->tasks; k++)
            for (int i = 0; i < m->score[k].items; i++) dump_item(m, &m->score[k], i, out);
}
