/* What a task's log-likelihoods come to, as the LM Evaluation Harness counts them (bench/tasks/task.h):
 *
 *   acc       an item is right when its label's log-likelihood is the largest
 *   acc_norm  the same of the log-likelihood divided by the choice's length in characters (code points), without the
 *             blank in front. Of winogrande, whose continuation is one, acc again. The harness reports none for siqa
 *             and winogrande
 *   ties      the first of equals wins
 *   stderr    sqrt(p (1 - p) / (n - 1)): the standard error of the mean over items; no bootstrap
 *
 * The harness states no interval: ours is Clopper and Pearson's at 95%. Chance is the mean over items of 1 / choices;
 * an interval that holds it means that the model was not shown to know anything of the task. An accuracy above chance
 * need not mean that it does: fewer tokens are likelier, so acc leans to short choices, and taking the shortest always
 * (`shortest`) is right of 53% of PIQA's items. */
#ifndef BENCH_TASKS_TASK_SCORE_H
#define BENCH_TASKS_TASK_SCORE_H

#include <signal.h>

#include "bench/tasks/scored.h"
#include "bench/tasks/task.h"
#include "stats/counts.h"

struct Trainer;

typedef enum { ACC, ACC_NORM, ACC_COUNT } TaskMetric;

typedef struct {
    double share, error, lo, hi; /* of items that are right; its standard error, NaN of one item; its interval */
    bool chance;                 /* the interval holds it */
} TaskAccuracy;

typedef struct {
    const Task *task;
    int items;     /* scored */
    int left_out;  /* whose characters the tokenizer has not */
    int twins;     /* two of whose choices are equal */
    int truncated; /* of which the model did not see a whole text at once */
    double chance;
    double shortest; /* share of items whose first choice of the fewest characters is the right one */
    TaskAccuracy of[ACC_COUNT];
    int *at;                /* [items] the item's place in the task */
    Scored *text;           /* [items][TASK_CHOICES] */
    bool *right[ACC_COUNT]; /* [items] */
} TaskScore;

/* The place of the largest of x[n], the first of equals. */
int task_pick(const double *x, int n);

/* Code points of a text in UTF-8. */
int task_length(const char *text);

/* The items of a task as tokens; what `codec` cannot represent is left out when `drop`, else an error (RC_USAGE: how
 * many items, and the first). task must outlive out. On error there is nothing to release. */
Rc task_encode(TaskScore *out, const Task *task, const Tokenizer *codec, bool drop, Error *e);

/* Their log-likelihoods (likelihoods). */
Rc task_weigh(TaskScore *s, struct Trainer *t, int batch, int context, const volatile sig_atomic_t *stop,
              void (*progress)(void *of, int windows), void *of, Error *e);

/* Windows that task_weigh will run. */
int task_windows(const TaskScore *s, int context);

/* From the log-likelihoods of the texts, for a model that sees `context` tokens, all that is counted. */
void task_count(TaskScore *s, int context);
void task_score_release(TaskScore *s);

/* Exact McNemar of two models on the items that both scored. *shared: how many. */
StMcnemar task_compare(const TaskScore *a, const TaskScore *b, TaskMetric m, int *shared);

#endif
