/* Scores of a task from log-likelihoods, as in the LM Evaluation Harness (bench/tasks/task.h):
 *
 *   acc       an item is right when its label's log-likelihood is the largest
 *   acc_norm  acc of the log-likelihood divided by the choice's length in characters (code points), without the blank
 *             in front. For winogrande, whose continuation is common, it equals acc. The harness reports none for siqa
 *             and winogrande
 *   ties      the first of equals wins
 *   stderr    sqrt(p (1 - p) / (n - 1)): the standard error of the mean over items; no bootstrap
 *
 * The harness states no interval: ours is Clopper and Pearson's at 95%. Chance is the mean over items of 1 / choices;
 * if the interval contains it, the model is not shown to know anything of the task. An accuracy above chance does not
 * show that it does: fewer tokens are likelier, so acc favours short choices, and always taking the shortest
 * (`shortest`) is right for 53% of PIQA's items. */
#ifndef BENCH_TASKS_TASK_SCORE_H
#define BENCH_TASKS_TASK_SCORE_H

#include <signal.h>

#include "bench/tasks/task.h"
#include "datasets/tokenizer.h"
#include "models/trainer.h"
#include "stats/counts.h"

struct Trainer;

/* Tokenize a context and its continuation, and cut them into windows whose scores add up to the continuation's
 * log-likelihood: the sum over its tokens of the log of each token's probability given all before it, nats.
 *
 * Tokens are cut as in the LM Evaluation Harness: blanks at the context's end go to the continuation; both are encoded
 * as one text, and the continuation's tokens are those after as many as the context alone has. The model sees the last
 * `context` tokens before each: a longer context is cut from the left. A continuation longer than the model's context,
 * which the harness refuses, is scored in windows that move by half the context, so that each of its tokens sees at
 * least half a context before it. No token precedes a text. */

/* Tokens of a text, of which [scored, count) are the continuation's. */
typedef struct {
    int32_t *token;
    int count, scored;
    double loglikelihood; /* sum, to which likelihoods adds */
} Scored;

/* Fill s, with loglikelihood 0. RC_USAGE: the tokenizer cannot represent the text, or the continuation has no token of
 * its own. On error there is nothing to release. */
Rc scored_encode(Scored *s, const Tokenizer *codec, const char *context, const char *continuation, Error *e);
void scored_release(Scored *s);

/* Part of a text that one pass sees: inputs [first, first + inputs), targets one further on, counted from `target`
 * on. */
typedef struct {
    int first, inputs, target;
} Window;

/* Return the window that scores s from target `from` on, for a model that sees `context` tokens; its last target is
 * token first + inputs. The next window begins after it, up to the end of the text. */
Window scored_window(const Scored *s, int from, int context);
int scored_windows(const Scored *s, int context);

/* Return true if the model does not see the whole text at once. */
bool scored_truncated(const Scored *s, int context);

typedef enum { ACC, ACC_NORM, ACC_COUNT } TaskMetric;

typedef struct {
    double share, error, lo, hi; /* share of right items; its standard error, NaN for one item; its interval */
    bool chance;                 /* the interval contains chance */
} TaskAccuracy;

typedef struct {
    const Task *task;
    int items;     /* scored items */
    int left_out;  /* items with characters that the tokenizer lacks */
    int twins;     /* items with two equal choices */
    int truncated; /* items of which the model did not see a whole text at once */
    double chance;
    double shortest; /* share of items whose first choice of the fewest characters is the right one */
    TaskAccuracy of[ACC_COUNT];
    int *at;                /* [items] index of the item in the task */
    Scored *text;           /* [items][TASK_CHOICES] */
    bool *right[ACC_COUNT]; /* [items] */
} TaskScore;

/* Return the index of the largest of x[n], the first of equals. */
int task_pick(const double *x, int n);

/* Return the code points of a text in UTF-8. */
int task_length(const char *text);

/* Tokenize the items of a task; items that `codec` cannot represent are dropped if `drop`, else an error (RC_USAGE: how
 * many, and the first). task must outlive out. On error there is nothing to release. */
Rc task_encode(TaskScore *out, const Task *task, const Tokenizer *codec, bool drop, Error *e);

/* Compute their log-likelihoods (likelihoods). */
Rc task_weigh(TaskScore *s, struct Trainer *t, int batch, int context, const volatile sig_atomic_t *stop,
              void (*progress)(void *of, int windows), void *of, Error *e);

/* Return the number of windows that task_weigh will run. */
int task_windows(const TaskScore *s, int context);

/* Compute all counts and scores from the log-likelihoods, for a model that sees `context` tokens. */
void task_count(TaskScore *s, int context);
void task_score_release(TaskScore *s);

/* Test two models by exact McNemar on the items that both scored; *shared: how many. */
StMcnemar task_compare(const TaskScore *a, const TaskScore *b, TaskMetric m, int *shared);

/* Compute the log-likelihoods of continuations after their contexts, s[n], under replica 0 of
 * t, whose feeds hold batch sequences of `context`. progress: called with the windows done, or NULL. The bits do not
 * depend on a batch's other texts. RC_INTERRUPTED and the like: *stop became nonzero. RC_UNMEASURED: one is not
 * finite. */
Rc likelihoods(Trainer *t, int batch, int context, Scored *s, int n, const volatile sig_atomic_t *stop,
               void (*progress)(void *of, int windows), void *of, Error *e);

#endif
