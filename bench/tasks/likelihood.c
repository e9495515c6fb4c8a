#include "bench/tasks/likelihood.h"

#include <math.h>
#include <stdlib.h>

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
