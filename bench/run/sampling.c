#include "bench/run/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "base/philox.h"
#include "base/sha256.h"
#include "models/trainer_look.h"

static int likeliest(const double *logit, int vocab) {
    int best = 0;
    for (int i = 1; i < vocab; i++)
        if (logit[i] > logit[best]) best = i;
    return best;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Keep the k largest and set the others to -infinity. */
static void keep_largest(double *logit, int vocab, int k) {
    OWNED double *sorted = mem_alloc((size_t)vocab, sizeof *sorted);
    memcpy(sorted, logit, (size_t)vocab * sizeof *sorted);
    qsort(sorted, (size_t)vocab, sizeof *sorted, by_size);
    double least = sorted[k - 1];
    int room = k;
    for (int i = 0; i < k; i++) room -= sorted[i] > least;
    for (int i = 0; i < vocab; i++)
        if (logit[i] < least || (logit[i] == least && room-- <= 0)) logit[i] = -(double)INFINITY;
}

int sampling_choose(double *logit, int vocab, const Sampling *how, uint32_t word) {
    int best = likeliest(logit, vocab), last = best;
    if (!(how->temperature > 0)) return best;
    double most = logit[best], total = 0, sum = 0;
    if (how->top_k > 0 && how->top_k < vocab) keep_largest(logit, vocab, how->top_k);
    for (int i = 0; i < vocab; i++) {
        logit[i] = isfinite(logit[i]) ? (double)canon_exp((float)((logit[i] - most) / how->temperature)) : 0;
        total += logit[i];
    }
    double at = ((double)word + 0.5) * 0x1p-32 * total;
    for (int i = 0; i < vocab; i++) {
        if (logit[i] > 0) last = i;
        if ((sum += logit[i]) > at) return i;
    }
    return last; /* reached by rounding of the sum */
}

/* Draw the next token of samples first .. first + count - 1, a row of the batch each. */
static Rc next_tokens(Trainer *t, int context, int vocab, const Sampling *how, int32_t *text, int first, int count,
                      int whole, int prompt, int token, Error *e) {
    int length = prompt + token, seen = length < context ? length : context;
    int32_t *tokens = trainer_feed(t, "tokens", 0);
    OWNED double *logit = mem_alloc((size_t)vocab, sizeof *logit);
    OWNED int *row = mem_alloc((size_t)count, sizeof *row);
    Rc rc = RC_OK;
    for (int b = 0; b < count; b++) {
        const int32_t *own = text + (size_t)(first + b) * (size_t)whole;
        memcpy(tokens + (size_t)b * (size_t)context, own + length - seen, (size_t)seen * sizeof *tokens);
        row[b] = b * context + seen - 1;
    }
    trainer_forward_rows(t, row, count);
    if (trainer_failed(t, e)) rc = e->code;
    for (int b = 0; b < count && !rc; b++) {
        uint32_t word =
            philox_word(how->seed, name_stream("sample"), philox_offset((uint64_t)token, (uint64_t)(first + b)));
        trainer_logits(t, 0, row[b], logit);
        for (int i = 0; i < vocab && !rc; i++)
            if (isnan(logit[i])) rc = error_set(e, RC_UNMEASURED, "the model's logits are no numbers");
        if (!rc) text[(size_t)(first + b) * (size_t)whole + (size_t)length] = sampling_choose(logit, vocab, how, word);
    }
    return rc;
}

Rc sampling_text(Trainer *t, int batch, int context, int vocab, const Sampling *how, int32_t *text, int samples,
                 int prompt, int tokens, const volatile sig_atomic_t *stop, void (*progress)(void *of, int tokens),
                 void *of, Error *e) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    int feeds = trainer_feeds(t, 0, room), whole = prompt + tokens;
    for (int f = 0; f < feeds; f++) memset(room[f].ids, 0, (size_t)room[f].rows * sizeof(int32_t));
    for (int first = 0; first < samples; first += batch) {
        int count = samples - first < batch ? samples - first : batch;
        for (int i = 0; i < tokens; i++) {
            Rc rc = next_tokens(t, context, vocab, how, text, first, count, whole, prompt, i, e);
            if (stop && *stop) return error_set(e, (Rc)(128 + *stop), "stopped after %d of %d tokens", i, tokens);
            if (rc) return rc;
            if (progress) progress(of, count);
        }
    }
    return RC_OK;
}
