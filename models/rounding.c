#include "models/rounding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "models/program.h"

/* Of a device, which stores words of 16 bits as such. */
static bool stores(const Program *p) {
    return p->backend->word[ROLE_ACT] == sizeof(uint16_t);
}

bool roundings_narrow(const Program *p, Role role, int tensor) {
    return stores(p) && (role == ROLE_ACT || role == ROLE_DACT) && !p->tape->tensor[tensor].measure;
}

static size_t weight_word(const Program *p) {
    return stores(p) ? sizeof(uint16_t) : p->backend->word[ROLE_PARAM];
}

static size_t weight_bytes(const Program *p) {
    return p->rounding.word == WORD_float ? 0 : align_up(p->tape->words[ROLE_PARAM] * weight_word(p));
}

int roundings_sites(const Program *p) {
    return 2 * p->tape->tensors;
}

static size_t count_bytes(const Program *p) {
    return p->rounding.word == WORD_float ? 0 : (size_t)roundings_sites(p) * sizeof(Rounded);
}

size_t roundings_bytes(const Program *p) {
    return weight_bytes(p) + count_bytes(p);
}

/* The host's memory or the device's, zeroed. */
static Rc take(const Program *p, void **at, size_t bytes, Error *e) {
    Arena a;
    if (p->queue) return p->backend->device->take(p->queue, at, bytes, e);
    Rc rc = arena_init(&a, bytes, e);
    *at = a.at;
    return rc;
}

static void give(const Program *p, void *at) {
    if (p->queue)
        p->backend->device->give(p->queue, at);
    else
        arena_release(&(Arena){at, 0});
}

/* What kernels that store words of 16 bits take for granted: that an input is of words or of floats by its op; and
 * since they round each gradient that they add, that no op but `append`, which knows of it, adds twice to one. */
static bool kernels_take(const Tape *t, const Op *op) {
    const int *in = t->input + op->in_at;
    bool taken = true;
    for (int i = 0; i < op->in_count; i++) {
        taken = taken && (input_is_ids(op->kind, i) || t->tensor[in[i]].measure != op_stored(op->kind, i));
        for (int j = 0; j < i && op->kind != OP_append; j++)
            taken = taken && (in[i] != in[j] || t->tensor[in[i]].role != ROLE_ACT);
    }
    return taken;
}

static Rc take_pieces(Program *p, Error *e) {
    Roundings *x = &p->rounding;
    RoundPiece *piece = NULL;
    void *at;
    for (int i = 0; i < p->tape->tensors; i++) {
        const Tensor *t = &p->tape->tensor[i];
        size_t n = (size_t)t->rows * (size_t)t->cols;
        for (size_t from = 0; t->role == ROLE_PARAM && from < n; from += ROUND_PIECE) {
            size_t left = n - from;
            piece = mem_grow(piece, (size_t)x->pieces + 1, sizeof *piece);
            piece[x->pieces++] = (RoundPiece){t->at + from, (int)(left < ROUND_PIECE ? left : ROUND_PIECE), 2 * i};
        }
        x->numbers += t->role == ROLE_PARAM ? n : 0;
    }
    size_t bytes = (size_t)x->pieces * sizeof *piece;
    Rc rc = take(p, &at, bytes, e);
    if (!rc) p->backend->device->put(p->queue, x->piece = at, piece, bytes);
    free(piece);
    return rc;
}

Rc roundings_init(Program *p, Error *e) {
    Roundings *x = &p->rounding;
    size_t replicas = (size_t)p->replicas;
    if (x->word == WORD_float) return RC_OK;
    for (int i = 0; i < p->tape->ops; i++) assert(!stores(p) || kernels_take(p->tape, &p->tape->op[i]));
    if (take(p, &x->weights, weight_bytes(p) * replicas, e)) return e->code;
    Rc rc = take(p, &x->count, count_bytes(p) * replicas, e);
    if (rc || !p->queue) return rc;
    x->last = gradients_whole(&p->gradients, p->tape);
    return take_pieces(p, e);
}

void roundings_release(Program *p) {
    if (p->rounding.weights) give(p, p->rounding.weights);
    if (p->rounding.count) give(p, p->rounding.count);
    if (p->rounding.piece) give(p, p->rounding.piece);
    free(p->rounding.last);
}

View roundings_weight(const Program *p, int tensor) {
    const Tensor *t = &p->tape->tensor[tensor];
    return (View){(unsigned char *)p->rounding.weights + t->at * weight_word(p), weight_bytes(p), t->rows, t->cols};
}

typedef struct {
    void (*round)(const Rounding *c);
    Rounding call;
} Shared;

static void share(void *context, int part, int parts) {
    const Shared *s = context;
    Rounding c = s->call;
    c.part = part, c.parts = parts;
    s->round(&c);
}

void roundings_bind(const Program *p, int op, Call *c) {
    const Op *o = &p->tape->op[op];
    const Roundings *x = &p->rounding;
    if (!stores(p) || !x->counting) return;
    c->count_stride = (size_t)roundings_sites(p);
    c->count_out = (Rounded *)x->count + 2 * o->out;
    for (int j = 0; j < o->in_count; j++) c->count_din[j] = (Rounded *)x->count + 2 * p->tape->input[o->in_at + j] + 1;
}

static Rounding rounding_of(const Program *p, View from, View to, int site, bool counted) {
    Rounded *count = p->rounding.count;
    return (Rounding){.from = from,
                      .to = to,
                      .word = p->rounding.word,
                      .narrow = stores(p) && from.at != to.at,
                      .replicas = p->replicas,
                      .scalars = p->queue ? p->device_scalars : p->scalars,
                      .count = counted ? count + site : NULL,
                      .count_stride = (size_t)roundings_sites(p),
                      .queue = p->queue};
}

static void round_site(const Program *p, View from, View to, int site, bool counted) {
    const Device *d = p->backend->device;
    Shared s = {d ? d->round : p->backend->round, rounding_of(p, from, to, site, counted)};
    program_together(p, share, &s);
}

static View arena_of(const Program *p, Role role) {
    return (View){p->arena[role].at, p->stride[role], 0, 0};
}

/* All parameters, or their gradients (site 1), in one launch of a device. */
static void round_pieces(const Program *p, View from, View to, int site) {
    Rounding c = rounding_of(p, from, to, site, p->rounding.counting);
    c.piece = p->rounding.piece, c.pieces = p->rounding.pieces, c.numbers = p->rounding.numbers;
    p->backend->device->round(&c);
}

static void round_weight(const Program *p, int tensor, bool counted) {
    const Tensor *t = &p->tape->tensor[tensor];
    View master = {(unsigned char *)p->arena[ROLE_PARAM].at + t->at * p->backend->word[ROLE_PARAM],
                   p->stride[ROLE_PARAM], t->rows, t->cols};
    round_site(p, master, roundings_weight(p, tensor), 2 * tensor, counted);
}

void program_round_weight(Program *p, int tensor) {
    if (p->rounding.word != WORD_float) round_weight(p, tensor, false);
}

void program_round_weights(Program *p) {
    if (p->rounding.word == WORD_float) return;
    if (p->queue) {
        round_pieces(p, arena_of(p, ROLE_PARAM), (View){p->rounding.weights, weight_bytes(p), 0, 0}, 0);
        return;
    }
    for (int i = 0; i < p->tape->tensors; i++)
        if (p->tape->tensor[i].role == ROLE_PARAM) round_weight(p, i, p->rounding.counting);
}

void program_round_op(Program *p, int op, bool backward) {
    const Call *c = &p->call[op];
    const Op *o = &p->tape->op[op];
    const Roundings *x = &p->rounding;
    if (x->word == WORD_float) return;
    if (!backward) {
        if (op_stored(o->kind, -1) && !stores(p)) round_site(p, c->out, c->out, 2 * o->out, x->counting);
        return;
    }
    for (int j = 0; j < c->in_count; j++) {
        int tensor = p->tape->input[o->in_at + j];
        bool rounded = stores(p) && p->tape->tensor[tensor].role == ROLE_ACT;
        bool later = x->later && x->last[tensor] == op && !p->gradients.beside[op][j];
        if (c->din[j].at && op_stored(o->kind, j) && !rounded && !later)
            round_site(p, c->din[j], c->din[j], 2 * tensor + 1, x->counting);
    }
}

void roundings_later(Program *p) {
    p->rounding.later = p->rounding.word != WORD_float && p->queue;
}

void roundings_now(Program *p) {
    const View gradients = arena_of(p, ROLE_GRAD);
    if (p->rounding.later) round_pieces(p, gradients, gradients, 1);
    p->rounding.later = false;
}

void roundings_read(const Program *p, int replica, Rounded *out) {
    const void *from = (const unsigned char *)p->rounding.count + (size_t)replica * count_bytes(p);
    size_t bytes = (size_t)roundings_sites(p) * sizeof *out;
    if (p->queue)
        p->backend->device->get(p->queue, out, from, bytes);
    else
        memcpy(out, from, bytes);
}

void roundings_write(Program *p, int replica, const Rounded *from) {
    void *to = (unsigned char *)p->rounding.count + (size_t)replica * count_bytes(p);
    size_t bytes = (size_t)roundings_sites(p) * sizeof *from;
    if (p->queue)
        p->backend->device->put(p->queue, to, from, bytes);
    else
        memcpy(to, from, bytes);
}
