#include <math.h>

#include "bench/formats/latex.h"
#include "bench/write/score.h"

const char *const task_metric_name[ACC_COUNT] = {"acc", "acc_norm"};

enum { DECIMALS = 4 };

double score_mean(const ScoreTable *t, const ScoredModel *m, TaskMetric metric, double *error) {
    double sum = 0, square = 0;
    for (int i = 0; i < t->tasks; i++) {
        sum += m->score[i].of[metric].share;
        square += m->score[i].of[metric].error * m->score[i].of[metric].error;
    }
    *error = sqrt(square) / t->tasks;
    return sum / t->tasks;
}

static void accuracy(const TaskScore *s, TaskMetric m, Text *out) {
    const TaskAccuracy *a = &s->of[m];
    char share[SHOWN], error[SHOWN], chance[SHOWN];
    text_format(out, "%-9s  %s  ", task_metric_name[m], show_number(share, a->share, DECIMALS));
    show_interval(out, a->lo, a->hi, DECIMALS, "", false);
    text_format(out, "  %s  %s  %s\n", show_number(error, a->error, DECIMALS), show_number(chance, s->chance, DECIMALS),
                a->chance              ? "at chance"
                : a->share > s->chance ? "above chance"
                                       : "below chance");
}

static void one_task(const TaskScore *s, Text *out) {
    for (int m = 0; m < ACC_COUNT; m++) {
        if (m == ACC)
            text_format(out, "  %-10s  %5d  ", s->task->info->name, s->items);
        else
            text_format(out, "  %-10s  %5s  ", "", "");
        accuracy(s, (TaskMetric)m, out);
    }
}

static void mean(const ScoreTable *t, const ScoredModel *model, Text *out) {
    for (int m = 0; m < ACC_COUNT; m++) {
        double error, share = score_mean(t, model, (TaskMetric)m, &error);
        char a[SHOWN], b[SHOWN];
        text_format(out, "  %-17s  %-9s  %s  %-16s  %s\n", m == ACC ? "mean of the tasks" : "", task_metric_name[m],
                    show_number(a, share, DECIMALS), "", show_number(b, error, DECIMALS));
    }
}

/* What a number does not say by itself. */
static void notes(const ScoreTable *t, const ScoredModel *m, Text *out) {
    for (int i = 0; i < t->tasks; i++) {
        const TaskScore *s = &m->score[i];
        const char *name = s->task->info->name;
        char shortest[SHOWN];
        text_format(out, "  %s: always taking the shortest choice has %s\n", name,
                    show_number(shortest, s->shortest, DECIMALS));
        if (s->left_out)
            text_format(out, "  %s: %d of %d items were left out, with characters that the tokenizer does not have\n",
                        name, s->left_out, s->left_out + s->items);
        if (s->twins)
            text_format(out, "  %s: two choices of %d of %d items are equal: the first of them counts, as in lm_eval\n",
                        name, s->twins, s->items);
        if (s->truncated)
            text_format(out, "  %s: %d of %d items were truncated: longer than the model's context of %d tokens\n",
                        name, s->truncated, s->items, m->context);
    }
}

static void comparison(const ScoreTable *t, const ScoredModel *m, Text *out) {
    const ScoredModel *first = &t->model[0];
    for (int i = 0; i < t->tasks; i++)
        for (int metric = 0; metric < ACC_COUNT; metric++) {
            int shared;
            char p[SHOWN];
            StMcnemar test = task_compare(&m->score[i], &first->score[i], (TaskMetric)metric, &shared);
            text_format(out, "  %-10s  %-9s  %llu right here alone, %llu there alone, of %d items: p = %s\n",
                        t->task[i].info->name, task_metric_name[metric], (unsigned long long)test.b,
                        (unsigned long long)test.c, shared, show_p(p, test.p));
        }
}

void score_text(const ScoreTable *t, Text *out) {
    for (int i = 0; i < t->models; i++) {
        const ScoredModel *m = &t->model[i];
        text_format(out, "%s%s: %s, %d layers x %d, context %d, tokenizer %s\n", i ? "\n" : "", m->name, m->variant,
                    m->layers, m->width, m->context, m->tokenizer);
        text_format(out, "  %-10s  %5s  %-9s  %-6s  %-16s  %-6s  %s\n", "task", "items", "metric", "share",
                    "95% interval", "stderr", "chance");
        for (int k = 0; k < t->tasks; k++) one_task(&m->score[k], out);
        if (t->tasks > 1) mean(t, m, out);
        notes(t, m, out);
    }
    for (int i = 1; i < t->models; i++) {
        text_format(out, "\n%s against %s, item by item (exact McNemar)\n", t->model[i].name, t->model[0].name);
        comparison(t, &t->model[i], out);
    }
    text_format(out, "\nrules: lm_eval 0.4, no examples;");
    for (int i = 0; i < t->tasks; i++)
        text_format(out, "%s %s %s, %s%.12s", i ? "," : "", t->task[i].info->name, t->task[i].info->version,
                    t->task[i].pinned ? "sha256 " : "your file, sha256 ", t->task[i].sha256);
    text_format(out, "\n");
}
