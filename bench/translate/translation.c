#include "bench/translate/translation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "datasets/pairs.h"
#include "models/decode.h"
#include "models/trainer_look.h"

typedef struct {
    int32_t *token; /* [context] */
    int length;
    int row; /* row of the pass that scored its last token; -1: none */
    double score;
} Hypothesis;

/* A sentence in translation. */
typedef struct {
    Translation *x;
    Hypothesis live[BEAM_MAX];
    int lives, finished;
    int from, to; /* rows of its source */
    double best;  /* penalized score of the best finished one */
} Sentence;

/* Continuation of a hypothesis. */
typedef struct {
    double score;
    int from;
    int32_t token;
} Candidate;

typedef struct {
    Trainer *t;
    Decode *decode; /* NULL: every pass is over whole sentences */
    int replica, vocab;
    const Decoding *how;
    FeedRoom room[TRAINER_FEEDS_MAX];
    int feeds;
    PackedRows rows;
    double *logit;
    float *power;         /* [vocab] */
    int *parent;          /* [rows] of a pass: the row that it continues */
    Candidate *candidate; /* [2 beam], best first */
    int candidates;
} Decoder;

static void open_sentence(Sentence *s, Translation *x, const Decoding *how) {
    *s = (Sentence){.x = x, .lives = 1, .best = -(double)INFINITY};
    for (int i = 0; i < how->beam; i++) s->live[i].token = mem_alloc((size_t)how->context, sizeof *s->live[i].token);
    s->live[0].row = -1;
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

/* Keep the 2 beam best candidates; of equal ones the earlier. */
static void propose(Decoder *d, Candidate c) {
    int most = 2 * d->how->beam, at = d->candidates < most ? d->candidates : most;
    if (d->candidates >= most && !(c.score > d->candidate[most - 1].score)) return;
    while (at && c.score > d->candidate[at - 1].score) at--;
    int last = d->candidates < most ? d->candidates++ : most - 1;
    memmove(d->candidate + at + 1, d->candidate + at, (size_t)(last - at) * sizeof c);
    d->candidate[at] = c;
}

/* Compute e^(logit - most), as floats. */
CANON_CLONES static void exponentials(const double *logit, double most, int n, float *out) {
    for (int i = 0; i < n; i++) out[i] = canon_exp((float)(logit[i] - most));
}

/* Propose the continuations of one hypothesis, by the log softmax of its last row's logits. */
static bool continuations(Decoder *d, const Sentence *s, int from) {
    double most = -(double)INFINITY, sum = 0;
    trainer_logits(d->t, d->replica, s->live[from].row, d->logit);
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

/* Choose the next round's hypotheses among the candidates. */
static void go_on(Decoder *d, Sentence *s) {
    Hypothesis next[BEAM_MAX];
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
        next[lives].length = h->length + 1, next[lives].row = h->row, next[lives].score = c->score;
        lives++;
    }
    if (s->finished >= beam) lives = 0;
    close_sentence(s, d->how);
    memcpy(s->live, next, sizeof next);
    s->lives = lives;
}

/* Continue sentences first .. to - 1 by a pass' logits. False: a logit is NaN. */
static bool continued(Decoder *d, Sentence *const *live, int first, int to) {
    for (int k = first; k < to; k++) {
        Sentence *s = live[k];
        d->candidates = 0;
        for (int i = 0; i < s->lives; i++)
            if (!continuations(d, s, i)) return false;
        go_on(d, s);
    }
    return true;
}

static bool source_fits(const PackedRows *rows, const Sentence *s) {
    return rows->sources + s->x->source_length + 1 <= rows->rows;
}

static void read_source(Decoder *d, Sentence *s) {
    s->from = packed_source(&d->rows, s->x->source, s->x->source_length, d->how->end);
    s->to = d->rows.sources;
}

/* Run one pass over whole sentences, from sentence `first` of `live` on, as many as fit. Return the first that did not
 * fit, or -1: a logit is NaN. */
static int whole_pass(Decoder *d, Sentence *const *live, int first, int lives) {
    PackedRows *rows = &d->rows;
    int to = first;
    packed_begin(rows, d->room, d->feeds);
    for (; to < lives; to++) {
        Sentence *s = live[to];
        if (!source_fits(rows, s) || rows->written + rows_wanted(s) > rows->rows) break;
        read_source(d, s);
        for (int i = 0; i < s->lives; i++) {
            packed_target(rows, s->live[i].token, s->live[i].length, d->how->end, false, s->from, s->to);
            s->live[i].row = rows->written - 1;
        }
    }
    assert(to > first);
    trainer_forward(d->t);
    return continued(d, live, first, to) ? to : -1;
}

/* Run one pass over the last tokens of all sentences, whose sources read_sources has read. */
static int next_pass(Decoder *d, Sentence *const *live, int lives) {
    PackedRows *rows = &d->rows;
    rows->written = 0;
    for (int k = 0; k < lives; k++) {
        Sentence *s = live[k];
        for (int i = 0; i < s->lives; i++) {
            Hypothesis *h = &s->live[i];
            d->parent[rows->written] = h->row;
            h->row = rows->written;
            packed_token(rows, h->length ? h->token[h->length - 1] : d->how->end, h->length, s->from, s->to);
        }
    }
    decode_next(d->decode, d->parent, rows->written);
    return continued(d, live, 0, lives) ? lives : -1;
}

/* Cached rows of earlier tokens, in batches. */
enum { BATCHES_KEPT = 16 };

/* Read the sources of as many sentences, from the first on, as can be translated together. Return how many. */
static int read_sources(Decoder *d, Sentence *all, int count) {
    PackedRows *rows = &d->rows;
    const Decoding *how = d->how;
    int n = 0;
    packed_begin(rows, d->room, d->feeds);
    for (; n < count && source_fits(rows, &all[n]); n++) {
        bool kept = (double)(n + 1) * how->beam * how->context <= (double)BATCHES_KEPT * rows->rows;
        if (n && (!kept || (n + 1) * how->beam > rows->rows)) break;
        read_source(d, &all[n]);
    }
    decode_read(d->decode, rows->sources);
    return n;
}

/* Drop finished sentences from the list; return how many are left. */
static int still_live(Sentence **live, int lives) {
    int n = 0;
    for (int i = 0; i < lives; i++)
        if (live[i]->lives) live[n++] = live[i];
    return n;
}

/* Translate sentences begin .. begin + count - 1 of `all`. */
static Rc translate_together(Decoder *d, Sentence *all, int begin, int count, const volatile sig_atomic_t *stop,
                             Error *e) {
    OWNED Sentence **live = mem_alloc((size_t)count, sizeof(Sentence *));
    Rc rc = RC_OK;
    for (int i = 0; i < count; i++) live[i] = &all[begin + i];
    for (int lives = count; lives && !rc; lives = still_live(live, lives))
        for (int first = 0; first < lives && !rc;) {
            int to = d->decode ? next_pass(d, live, lives) : whole_pass(d, live, first, lives);
            if (stop && *stop)
                rc = error_set(e, (Rc)(128 + *stop), "stopped after %d sentences", begin + count - lives);
            else if (trainer_failed(d->t, e))
                rc = e->code;
            else if (to < 0)
                rc = error_set(e, RC_UNMEASURED, "the model's logits are no numbers");
            first = to;
        }
    return rc;
}

Rc translate(Trainer *t, int replica, const Decoding *how, Translation *x, int count, const volatile sig_atomic_t *stop,
             Error *e) {
    Decoder d = {.t = t, .replica = replica, .how = how};
    Rc rc = RC_OK;
    assert(how->beam >= 1 && how->beam <= BEAM_MAX);
    d.decode = trainer_decode(t, replica);
    d.feeds = trainer_feeds(t, replica, d.room);
    d.vocab = trainer_vocabulary(t);
    d.logit = mem_alloc((size_t)d.vocab, sizeof *d.logit);
    d.power = mem_alloc((size_t)d.vocab, sizeof *d.power);
    packed_begin(&d.rows, d.room, d.feeds);
    int most = d.rows.rows / (d.decode ? 1 : how->context);
    if (how->beam > most)
        rc = error_set(e, RC_USAGE, "beam: %d are more than the %d that the rows of this model's batch hold", how->beam,
                       most);
    d.parent = mem_alloc((size_t)d.rows.rows, sizeof *d.parent);
    d.candidate = mem_alloc(2 * (size_t)how->beam + 1, sizeof *d.candidate);
    Sentence *all = mem_alloc((size_t)count, sizeof *all);
    for (int i = 0; i < count; i++) open_sentence(&all[i], &x[i], how);
    for (int done = 0; done < count && !rc;) {
        int together = d.decode ? read_sources(&d, all + done, count - done) : count;
        rc = translate_together(&d, all, done, together, stop, e);
        done += together;
    }
    for (int i = 0; i < count; i++) close_sentence(&all[i], how);
    decode_free(d.decode);
    free(all);
    free(d.logit);
    free(d.power);
    free(d.parent);
    free(d.candidate);
    return rc;
}
