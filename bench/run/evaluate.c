#include "bench/run/evaluate.h"

#include <stdlib.h>

#include "bench/run/quantized.h"
#include "bench/store/feeding.h"
#include "bench/store/metrics.h"
#include "bench/translate/translated.h"

Score evaluate_score(const Trainer *t, int replica, const RunSpec *s, bool *hit) {
    Score x;
    trainer_score(t, replica, 0, (int)(s->batch * s->context), &x.nll, &x.hits, &x.count, hit);
    return x;
}

bool evaluate_whole(Trainer *t, const Dataset *d, const RunSpec *s, const Curves *const *curves, Evaluation *out,
                    Hits *hits, const volatile sig_atomic_t *stop) {
    size_t context = (size_t)s->context, windows = feed_window_count(s, d), batch = (size_t)s->batch, bytes = 0;
    int replicas = trainer_replicas(t);
    OWNED Score *all = mem_alloc((size_t)replicas, sizeof *all);
    OWNED bool *hit = mem_alloc(batch * context, sizeof *hit);
    for (int r = 0; hits && r < replicas; r++)
        hits_begin(&hits[r], trainer_step_number(t), (long)(windows * context), d->vocab);
    for (int r = 0; r < replicas; r++) {
        out[r].blocks = (int)((windows + batch - 1) / batch);
        out[r].block = mem_alloc((size_t)out[r].blocks, sizeof *out[r].block);
        out[r].dropped = (long)feed_dropped(s, d);
    }
    bool whole = true;
    for (int b = 0; whole && b < out[0].blocks; b++) {
        bytes += feed_forward(t, d, s, (size_t)b * batch);
        whole = !stop || !*stop; /* after a stop the forward pass may be incomplete */
        for (int r = 0; whole && r < replicas; r++) {
            Score part = evaluate_score(t, r, s, hit);
            if (hits) hits_add(&hits[r], trainer_feed(t, "targets", r), hit, batch * context);
            out[r].block[b] = part.nll / (double)part.count;
            all[r].nll += part.nll, all[r].hits += part.hits, all[r].count += part.count;
        }
    }
    for (int r = 0; r < replicas; r++) {
        if (!whole) free(out[r].block), out[r].block = NULL;
        if (hits) (whole ? hits_end : hits_release)(&hits[r]);
        out[r].step = trainer_step_number(t);
        out[r].targets = all[r].count;
        Validation v = {.nll = all[r].nll, .count = all[r].count, .hits = all[r].hits, .bytes = bytes};
        v.curves = curves ? curves[r] : &(Curves){.every = 1}, v.step = trainer_step_number(t);
        rounded_take(&v.rounded, t, r);
        metrics_measure(out[r].metric, &v);
        metrics_absent(out[r].absent, v.curves);
        out[r].absent[METRIC_overflows] = out[r].absent[METRIC_first_overflow] = !v.rounded.known;
        rounded_release(&v.rounded);
        quantized_none(&out[r]);
        translated_none(out[r].metric, out[r].absent);
    }
    return whole;
}
