#include "bench/run/quantized.h"

#include <math.h>
#include <stdlib.h>

#include "bench/store/feeding.h"

static const Metric metric_of[QUANTIZATION_COUNT] = {
#define QUANTIZATION(id, key, format, per_row, metric, what) METRIC_##metric,
#include "kernels/quantizations.def"
#undef QUANTIZATION
};

void quantized_none(Evaluation *v) {
    for (int q = 0; q < QUANTIZATION_COUNT; q++) v->metric[metric_of[q]] = (double)NAN, v->absent[metric_of[q]] = true;
}

bool quantized_known(const Evaluation *v) {
    return !v->absent[metric_of[0]];
}

/* Add each replica's nats to nll[replica * (QUANTIZATION_COUNT + 1) + at] after a pass. */
static long add_scores(const Trainer *t, const RunSpec *s, int at, double *nll) {
    long hits, count = 0;
    for (int r = 0; r < trainer_replicas(t); r++) {
        double part;
        trainer_score(t, r, 0, (int)(s->batch * s->context), &part, &hits, &count, NULL);
        nll[r * (QUANTIZATION_COUNT + 1) + at] += part;
    }
    return count;
}

void quantized_measure(Trainer *t, const Dataset *d, const RunSpec *s, Evaluation *v,
                       const volatile sig_atomic_t *stop) {
    size_t windows = feed_window_count(s, d), batch = (size_t)s->batch;
    int replicas = trainer_replicas(t);
    OWNED double *nll = mem_alloc((size_t)replicas * (QUANTIZATION_COUNT + 1), sizeof *nll);
    long count = 0;
    bool whole = true;
    if (windows > QUANTIZED_WINDOWS) windows = QUANTIZED_WINDOWS;
    for (size_t first = 0; whole && first < windows; first += batch) {
        (void)feed_forward(t, d, s, first);
        count += add_scores(t, s, QUANTIZATION_COUNT, nll);
        for (int q = 0; whole && q < QUANTIZATION_COUNT; q++) {
            whole = trainer_forward_quantized(t, (Quantization)q) && !(stop && *stop);
            (void)add_scores(t, s, q, nll);
        }
    }
    for (int r = 0; whole && r < replicas; r++)
        for (int q = 0; q < QUANTIZATION_COUNT; q++) {
            const double *sum = nll + r * (QUANTIZATION_COUNT + 1);
            v[r].metric[metric_of[q]] = (sum[q] - sum[QUANTIZATION_COUNT]) / (double)count;
            v[r].absent[metric_of[q]] = false;
        }
}
