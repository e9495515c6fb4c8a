#include "bench/run/translation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "datasets/pairs.h"

typedef struct {
    int32_t *token; /* [context] */
    int length;
    double score;
} Hypothesis;

/* A sentence that is being translated. */
typedef struct {
    Translation *x;
    Hypothesis live[BEAM_MOST];
    int lives, finished, row; /* row: of the pass' wanted ones, its first hypothesis' */
    double best;              /* of the finished ones, penalized */
} Sentence;

/* A continuation of a hypothesis. */
typedef struct {
    double score;
    int from;
    int32_t token;
} Candidate;

typedef struct {
    Trainer *t;
    int replica, vocab;
    const Decoding *how;
    FeedRoom room[TRAINER_MOST_FEEDS];
    int feeds;
    double *logit;
    float *power; /* [vocab] */
    int *wanted;          /* rows of a pass: every hypothesis' last token */
    Candidate *candidate; /* [2 beam], best first */
    int candidates;
} Decoder;

static void open_sentence(Sentence *s, Translation *x, const Decoding *how) {
    *s = (Sentence){.x = x, .lives = 1, .best = -(double)INFINITY};
    for (int i = 0; i < how->beam; i++) s->live[i].token = mem_alloc((size_t)how->context, sizeof *s->live[i].token);
    x->token = mem_alloc((size_t)how->context, sizeof *x->token);
    x->length = 0, x->score = -(double)INFINITY;
}

static void close_sentence(Sentence *s, const Decoding *how) {
    for (int i = 0; i < how->beam; i++) free(s->live[i].token);
}

static int rows_wanted(const Sentence *s) {
    int rows = 0;
    for (int i = 0; i < s->lives; i++) rows += s->live[i].length + 1;
    return rows;
}

/* Keeps the 2 beam best, of equal ones those that were there first. */
static void propose(Decoder *d, Candidate c) {
    int most = 2 * d->how->beam, at = d->candidates < most ? d->candidates : most;
    if (d->candidates >= most && !(c.score > d->candidate[most - 1].score)) return;
    while (at && c.score > d->candidate[at - 1].score) at--;
    int last = d->candidates < most ? d->candidates++ : most - 1;
    memmove(d->candidate + at + 1, d->candidate + at, (size_t)(last - at) * sizeof c);
    d->candidate[at] = c;
}

/* e^(logit - most), as floats. The bits of canon_exp are the same by any instructions: by those that the machine has,
 * many go at once and its fma is no call. */
#if defined(__x86_64__) && defined(__gnu_linux__)
__attribute__((target_clones("arch=haswell", "default")))
#endif
static void exponentials(const double *logit, double most, int n, float *out) {
    for (int i = 0; i < n; i++) out[i] = canon_exp((float)(logit[i] - most));
}

/* The continuations of one hypothesis: log softmax of the logits of its last row. */
static bool continuations(Decoder *d, const Sentence *s, int from, int row) {
    double most = -(double)INFINITY, sum = 0;
    trainer_logits(d->t, d->replica, row, d->logit);
    for (int i = 0; i < d->vocab; i++) {
        if (isnan(d->logit[i])) return false;
        if (d->logit[i] > most) most = d->logit[i];
    }
    exponentials(d->logit, most, d->vocab, d->power);
    for (int i = 0; i < d->vocab; i++) sum += (double)d->power[i];
    double base = s->live[from].score - most - (double)canon_log((float)sum);
    bool last = s->live[from].length + 1 == d->how->context;
    int32_t first = last ? d->how->end : 0, behind = last ? d->how->end + 1 : d->vocab;
    for (int32_t i = first; i < behind; i++) propose(d, (Candidate){base + d->logit[i], from, i});
    return true;
}

static void finish(Sentence *s, const Candidate *c, const Decoding *how) {
    const Hypothesis *h = &s->live[c->from];
    double penalized = c->score / pow(h->length + 1, how->penalty);
    s->finished++;
    if (s->finished > 1 && !(penalized > s->best)) return;
    s->best = penalized;
    memcpy(s->x->token, h->token, (size_t)h->length * sizeof *h->token);
    s->x->length = h->length, s->x->score = c->score;
}

/* The next round's hypotheses, of the candidates. */
static void go_on(Decoder *d, Sentence *s) {
    Hypothesis next[BEAM_MOST];
    int lives = 0, beam = d->how->beam, context = d->how->context;
    for (int i = 0; i < beam; i++) next[i].token = mem_alloc((size_t)context, sizeof *next[i].token);
    for (int i = 0; i < d->candidates && lives < beam && s->finished < beam; i++) {
        const Candidate *c = &d->candidate[i];
        const Hypothesis *h = &s->live[c->from];
        if (c->token == d->how->end) {
            if (i < beam) finish(s, c, d->how);
            continue;
        }
        memcpy(next[lives].token, h->token, (size_t)h->length * sizeof *h->token);
        next[lives].token[h->length] = c->token;
        next[lives].length = h->length + 1, next[lives].score = c->score;
        lives++;
    }
    if (s->finished >= beam) lives = 0;
    close_sentence(s, d->how);
    memcpy(s->live, next, sizeof next);
    s->lives = lives;
}

/* One pass over sentences first .. of `live`, as many as there is room for. Returns the one behind the last, or -1: a
 * logit is NaN. */
static int pass(Decoder *d, Sentence *const *live, int first, int lives) {
    PackedRows rows;
    int to = first, wanted = 0;
    packed_begin(&rows, d->room, d->feeds);
    for (; to < lives; to++) {
        Sentence *s = live[to];
        bool fits = rows.sources + s->x->source_length + 1 <= rows.rows && rows.written + rows_wanted(s) <= rows.rows;
        if (!fits) break;
        int from = packed_source(&rows, s->x->source, s->x->source_length, d->how->end);
        s->row = wanted;
        for (int i = 0; i < s->lives; i++) {
            packed_target(&rows, s->live[i].token, s->live[i].length, d->how->end, false, from, rows.sources);
            d->wanted[wanted++] = rows.written - 1;
        }
    }
    assert(to > first);
    trainer_forward_rows(d->t, d->wanted, wanted);
    for (int k = first; k < to; k++) {
        Sentence *s = live[k];
        d->candidates = 0;
        for (int i = 0; i < s->lives; i++)
            if (!continuations(d, s, i, d->wanted[s->row + i])) return -1;
        go_on(d, s);
    }
    return to;
}

/* Sentences leave the list when they are done. */
static int still_live(Sentence **live, int lives) {
    int n = 0;
    for (int i = 0; i < lives; i++)
        if (live[i]->lives) live[n++] = live[i];
    return n;
}

Rc translate(Trainer *t, int replica, const Decoding *how, Translation *x, int count, const volatile sig_atomic_t *stop,
             void (*progress)(void *of, int sentences), void *of, Error *e) {
    Decoder d = {.t = t, .replica = replica, .how = how};
    Rc rc = RC_OK;
    assert(how->beam >= 1 && how->beam <= BEAM_MOST);
    d.feeds = trainer_feeds(t, replica, d.room);
    d.vocab = trainer_vocabulary(t);
    d.logit = mem_alloc((size_t)d.vocab, sizeof *d.logit);
    d.power = mem_alloc((size_t)d.vocab, sizeof *d.power);
    int rows = 0;
    for (int f = 0; f < d.feeds; f++) rows = d.room[f].rows > rows ? d.room[f].rows : rows;
    d.wanted = mem_alloc((size_t)rows, sizeof *d.wanted);
    d.candidate = mem_alloc(2 * (size_t)how->beam + 1, sizeof *d.candidate);
    Sentence *all = mem_alloc((size_t)count, sizeof *all), **live = mem_alloc((size_t)count, sizeof(Sentence *));
    for (int i = 0; i < count; i++) open_sentence(live[i] = &all[i], &x[i], how);
    for (int lives = count; lives && !rc;) {
        int before = lives;
        for (int first = 0; first < lives && !rc;) {
            int to = pass(&d, live, first, lives);
            if (stop && *stop)
                rc = error_set(e, (Rc)(128 + *stop), "stopped after %d of %d sentences", count - lives, count);
            else if (trainer_failed(t, e))
                rc = e->code;
            else if (to < 0)
                rc = error_set(e, RC_UNMEASURED, "the model's logits are no numbers");
            first = to;
        }
        lives = still_live(live, lives);
        if (progress && !rc) progress(of, before - lives);
    }
    for (int i = 0; i < count; i++) close_sentence(&all[i], how);
    free(all);
    free(live);
    free(d.logit);
    free(d.power);
    free(d.wanted);
    free(d.candidate);
    return rc;
}
