#include "bench/tasks/task_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double confidence = .95;

static size_t without_blanks(const char *text) {
    size_t n = strlen(text);
    while (n && strchr(" \t\n\r\v\f", text[n - 1])) n--;
    return n;
}

Rc scored_encode(Scored *s, const Tokenizer *codec, const char *context, const char *continuation, Error *e) {
    LOCAL_TEXT(all);
    size_t whole, before = without_blanks(context), behind;
    *s = (Scored){0};
    text_format(&all, "%s%s", context, continuation);
    s->token = mem_alloc(all.length + 1, sizeof *s->token);
    const uint8_t *bytes = (const uint8_t *)all.at;
    /* encode the context first, so that the whole text's tokens remain */
    Rc rc = tokenizer_encode(codec, bytes, before, s->token, &behind, e);
    if (!rc) rc = tokenizer_encode(codec, bytes, all.length, s->token, &whole, e);
    if (!rc && (!behind || whole <= behind))
        rc = error_set(e, RC_USAGE, "'%.40s': no token of its own behind the context", continuation);
    if (rc) {
        scored_release(s);
        return rc;
    }
    s->count = (int)whole, s->scored = (int)behind;
    return RC_OK;
}

void scored_release(Scored *s) {
    free(s->token);
    *s = (Scored){0};
}

Window scored_window(const Scored *s, int from, int context) {
    int stride = context > 1 ? context / 2 : 1;
    bool once = s->count - s->scored <= context;
    int end = once || s->count - from < stride ? s->count : from + stride; /* end of the targets */
    int first = end - 1 > context ? end - 1 - context : 0;
    return (Window){first, end - 1 - first, from};
}

int scored_windows(const Scored *s, int context) {
    int n = 0;
    for (int from = s->scored; from < s->count; n++) {
        Window w = scored_window(s, from, context);
        from = w.first + w.inputs + 1;
    }
    return n;
}

bool scored_truncated(const Scored *s, int context) {
    return s->count - 1 > context;
}

int task_pick(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

int task_length(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

static Rc encode_item(Scored text[TASK_CHOICES], const TaskItem *item, const Tokenizer *codec, Error *e) {
    for (int c = 0; c < item->choices; c++) {
        OWNED char *continuation = mem_alloc(strlen(item->text[c]) + 2, 1);
        continuation[0] = ' ';
        strcpy(continuation + 1, item->text[c]);
        Rc rc = scored_encode(&text[c], codec, item->context[c], continuation, e);
        if (!rc) continue;
        while (c--) scored_release(&text[c]);
        return rc;
    }
    return RC_OK;
}

static Rc all_left_out(const TaskScore *s, const Tokenizer *codec, const Error *first, Error *e) {
    return error_set(e, RC_USAGE, "%s: every item has characters that the tokenizer '%s' does not have (line %d: %s)",
                     s->task->info->name, codec->name, s->task->item[0].line, first->text);
}

Rc task_encode(TaskScore *out, const Task *task, const Tokenizer *codec, bool drop, Error *e) {
    Error first = {0};
    int line = 0;
    size_t most = (size_t)task->items;
    *out = (TaskScore){.task = task};
    out->at = mem_alloc(most, sizeof *out->at);
    out->text = mem_alloc(most * TASK_CHOICES, sizeof *out->text);
    for (int m = 0; m < ACC_COUNT; m++) out->right[m] = mem_alloc(most, sizeof *out->right[m]);
    for (int i = 0; i < task->items; i++) {
        Error why;
        out->at[out->items] = i;
        if (!encode_item(out->text + (size_t)out->items * TASK_CHOICES, &task->item[i], codec, &why))
            out->items++;
        else if (!out->left_out++)
            first = why, line = task->item[i].line;
    }
    if (out->items && (drop || !out->left_out)) return RC_OK;
    if (!out->items)
        (void)all_left_out(out, codec, &first, e);
    else
        (void)error_set(e, RC_USAGE,
                        "%s: %d of %d items have characters that the tokenizer '%s' does not have (first, line %d: "
                        "%s); --tasks unknown=drop leaves them out",
                        task->info->name, out->left_out, task->items, codec->name, line, first.text);
    task_score_release(out);
    return e->code;
}

/* List the texts of all items, without unused entries. */
static Scored *gather(const TaskScore *s, int *n) {
    Scored *all = mem_alloc((size_t)s->items * TASK_CHOICES, sizeof *all);
    *n = 0;
    for (int i = 0; i < s->items; i++)
        for (int c = 0; c < s->task->item[s->at[i]].choices; c++) all[(*n)++] = s->text[i * TASK_CHOICES + c];
    return all;
}

Rc task_weigh(TaskScore *s, Trainer *t, int batch, int context, const volatile sig_atomic_t *stop,
              void (*progress)(void *of, int windows), void *of, Error *e) {
    int n;
    OWNED Scored *all = gather(s, &n);
    Rc rc = likelihoods(t, batch, context, all, n, stop, progress, of, e);
    for (int i = 0, at = 0; i < s->items; i++)
        for (int c = 0; c < s->task->item[s->at[i]].choices; c++)
            s->text[i * TASK_CHOICES + c].loglikelihood = all[at++].loglikelihood;
    return rc;
}

int task_windows(const TaskScore *s, int context) {
    int n = 0;
    for (int i = 0; i < s->items; i++)
        for (int c = 0; c < s->task->item[s->at[i]].choices; c++)
            n += scored_windows(&s->text[i * TASK_CHOICES + c], context);
    return n;
}

static TaskAccuracy accuracy(uint64_t right, int items, double chance) {
    double n = items, p = (double)right / n;
    StCp cp = st_cp(right, (uint64_t)items, confidence);
    return (TaskAccuracy){.share = p,
                          .error = items > 1 ? sqrt(p * (1 - p) / (n - 1)) : (double)NAN,
                          .lo = cp.lo,
                          .hi = cp.hi,
                          .chance = cp.lo <= chance && chance <= cp.hi};
}

void task_count(TaskScore *s, int context) {
    uint64_t right[ACC_COUNT] = {0};
    double chance = 0, shortest = 0;
    s->truncated = s->twins = 0;
    for (int i = 0; i < s->items; i++) {
        const TaskItem *item = &s->task->item[s->at[i]];
        double x[ACC_COUNT][TASK_CHOICES], length[TASK_CHOICES];
        bool truncated = false;
        for (int c = 0; c < item->choices; c++) {
            const Scored *text = &s->text[i * TASK_CHOICES + c];
            length[c] = -task_length(item->text[c]);
            x[ACC][c] = text->loglikelihood;
            x[ACC_NORM][c] = text->loglikelihood / -length[c];
            truncated |= scored_truncated(text, context);
        }
        s->truncated += truncated;
        s->twins += item->twins;
        chance += 1. / item->choices;
        shortest += task_pick(length, item->choices) == item->label;
        for (int m = 0; m < ACC_COUNT; m++) right[m] += s->right[m][i] = task_pick(x[m], item->choices) == item->label;
    }
    s->chance = chance / s->items;
    s->shortest = shortest / s->items;
    for (int m = 0; m < ACC_COUNT; m++) s->of[m] = accuracy(right[m], s->items, s->chance);
}

void task_score_release(TaskScore *s) {
    for (int i = 0; i < s->items * TASK_CHOICES; i++) scored_release(&s->text[i]);
    for (int m = 0; m < ACC_COUNT; m++) free(s->right[m]);
    free(s->at);
    free(s->text);
    *s = (TaskScore){0};
}

StMcnemar task_compare(const TaskScore *a, const TaskScore *b, TaskMetric m, int *shared) {
    uint64_t only_a = 0, only_b = 0;
    *shared = 0;
    for (int i = 0, j = 0; i < a->items && j < b->items;) {
        if (a->at[i] < b->at[j])
            i++;
        else if (a->at[i] > b->at[j])
            j++;
        else {
            only_a += a->right[m][i] && !b->right[m][j];
            only_b += !a->right[m][i] && b->right[m][j];
            i++, j++, ++*shared;
        }
    }
    return st_mcnemar(only_a, only_b);
}

/* Fill sequence b of the feeds with the window's tokens, then zeros, which earlier tokens do not see. */
static void fill(Trainer *t, int b, int context, const Scored *s, const Window *w) {
    int32_t *token = trainer_feed(t, "tokens", 0) + b * context, *target = trainer_feed(t, "targets", 0) + b * context;
    for (int i = 0; i < context; i++) {
        int next = w->first + i + 1;
        token[i] = i < w->inputs ? s->token[w->first + i] : 0;
        target[i] = i < w->inputs && next >= w->target ? s->token[next] : -1;
    }
}

static void empty(Trainer *t, int b, int context) {
    int32_t *token = trainer_feed(t, "tokens", 0) + b * context, *target = trainer_feed(t, "targets", 0) + b * context;
    for (int i = 0; i < context; i++) token[i] = 0, target[i] = -1;
}

static void add_row(Trainer *t, int b, int context, Scored *s) {
    double nll;
    long hits, count;
    trainer_score(t, 0, b * context, context, &nll, &hits, &count, NULL);
    s->loglikelihood -= nll;
}

Rc likelihoods(Trainer *t, int batch, int context, Scored *s, int n, const volatile sig_atomic_t *stop,
               void (*progress)(void *of, int windows), void *of, Error *e) {
    Scored **row = mem_alloc((size_t)batch, sizeof *row); /* text of each sequence's window */
    Rc rc = RC_OK;
    for (int at = 0, from = n ? s[0].scored : 0; at < n && !rc;) {
        int filled = 0;
        while (filled < batch && at < n) {
            Window w = scored_window(&s[at], from, context);
            fill(t, filled, context, &s[at], &w);
            row[filled++] = &s[at];
            from = w.first + w.inputs + 1;
            if (from >= s[at].count && ++at < n) from = s[at].scored;
        }
        for (int b = filled; b < batch; b++) empty(t, b, context);
        trainer_forward(t);
        if (stop && *stop) rc = error_set(e, (Rc)(128 + *stop), "stopped");
        if (!rc && trainer_failed(t, e)) rc = e->code;
        for (int b = 0; b < filled && !rc; b++) add_row(t, b, context, row[b]);
        if (progress) progress(of, filled);
    }
    for (int i = 0; i < n && !rc; i++)
        if (!isfinite(s[i].loglikelihood))
            rc = error_set(e, RC_UNMEASURED, "a log-likelihood is not finite: these weights have diverged");
    free(row);
    return rc;
}
