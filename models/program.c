#include "models/program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/head.h"

/* The tensor role that decides an arena's layout. */
static Role layout_of(Role role) {
    if (role == ROLE_GRAD || role == ROLE_MOMENT1 || role == ROLE_MOMENT2) return ROLE_PARAM;
    return role == ROLE_DACT ? ROLE_ACT : role;
}

/* Where activations and their gradients are. On a device nothing shares memory with an input: its kernels read inputs
 * while they write. */
static void plan(Program *p) {
    recompute_init(&p->recompute, p->tape);
    const size_t *word = p->backend->word;
    places_init(&p->places, p->tape, !p->backend->device, &p->recompute, word[ROLE_ACT]);
    gradients_init(&p->gradients, p->tape, !p->backend->device, word[ROLE_DACT]);
}

static void forget(Program *p) {
    recompute_release(&p->recompute);
    places_release(&p->places);
    gradients_release(&p->gradients);
}

/* Words of a role's arena per replica. */
static size_t words_in(const Program *p, Role role) {
    if (p->tape->untrained && (role == ROLE_MOMENT1 || role == ROLE_MOMENT2)) return 0;
    if (role == ROLE_DACT) return p->gradients.words;
    size_t beside = role == ROLE_GRAD ? p->gradients.beside_words : 0;
    return role == ROLE_ACT ? p->places.words : p->tape->words[layout_of(role)] + beside;
}

static size_t stride_of(const Program *p, Role role) {
    return align_up(words_in(p, role) * p->backend->word[role]);
}

/* Op i with its shapes and no memory. */
static Call plan_call(const Tape *tape, int i, int replicas) {
    const Op *op = &tape->op[i];
    const Tensor *out = &tape->tensor[op->out];
    Call c = {.kind = op->kind, .in_count = op->in_count, .replicas = replicas, .attr = op->attr};
    c.out = (View){.rows = out->rows, .cols = out->cols};
    for (int j = 0; j < op->in_count; j++) {
        const Tensor *in = &tape->tensor[tape->input[op->in_at + j]];
        c.in[j] = (View){.rows = in->rows, .cols = in->cols};
    }
    return c;
}

/* Scratch memory is shared by all ops: as much as the op that needs the most. */
static size_t scratch_bytes(const Tape *tape, const Backend *backend, int replicas) {
    size_t most = 0;
    for (int i = 0; i < tape->ops; i++) {
        Call c = plan_call(tape, i, replicas);
        if (tape_cut(tape, i)) c.in[0].rows = c.out.rows = tape->head_rows;
        const Kernel *k = backend->kernel[c.kind];
        size_t need = k->scratch ? k->scratch(&c) : 0;
        if (need > most) most = need;
    }
    return align_up(most);
}

size_t program_arenas(const Tape *tape, const Backend *backend, int replicas, size_t arena[ROLE_COUNT]) {
    Program p = {.tape = tape, .backend = backend, .rounding.word = precision_word(backend->precision)};
    plan(&p);
    for (Role role = 0; role < ROLE_COUNT; role++) {
        p.stride[role] = stride_of(&p, role);
        arena[role] = p.stride[role] * (size_t)replicas;
    }
    size_t rest = scratch_bytes(tape, backend, replicas) + roundings_bytes(&p) * (size_t)replicas;
    p.replicas = replicas;
    rest += head_bytes(&p);
    forget(&p);
    return rest;
}

size_t program_bytes(const Tape *tape, const Backend *backend, int replicas) {
    size_t arena[ROLE_COUNT], bytes = program_arenas(tape, backend, replicas, arena);
    for (Role role = 0; role < ROLE_COUNT; role++) bytes += arena[role];
    return bytes;
}

static void bind_gradients(Program *p, int i) {
    const Tape *t = p->tape;
    Call *c = &p->call[i];
    if (!p->gradients.reached[i]) return;
    c->dout = program_view(p, ROLE_DACT, t->op[i].out);
    for (int j = 0; j < c->in_count; j++) {
        int tensor = t->input[t->op[i].in_at + j];
        Role gradient = role_gradient(t->tensor[tensor].role);
        if (gradient != ROLE_COUNT) c->din[j] = program_view(p, gradient, tensor);
        if (p->gradients.beside[i][j])
            c->din[j].at = p->arena[ROLE_GRAD].at + p->gradients.beside[i][j] * p->backend->word[ROLE_GRAD];
        c->accumulate[j] = p->gradients.accumulate[i][j];
    }
}

/* An arena of the program: the device's memory, or the host's. */
static Rc take(Program *p, Arena *a, size_t bytes, Error *e) {
    if (!p->queue) return arena_init(a, bytes, e);
    void *at = NULL;
    Rc rc = p->backend->device->take(p->queue, &at, bytes, e);
    *a = (Arena){at, bytes};
    return rc;
}

static void give(Program *p, Arena *a) {
    if (p->queue)
        p->backend->device->give(p->queue, a->at), *a = (Arena){0};
    else
        arena_release(a);
}

static Rc take_scratch(Program *p, int threads, Error *e) {
    Rc rc = take(p, &p->scratch, p->scratch_stride * (size_t)threads, e);
    for (int i = 0; i < p->tape->ops; i++) p->call[i].scratch = p->scratch.at;
    return rc;
}

/* What a program on a device has beside its arenas. */
static Rc open_device(Program *p, Error *e) {
    void *at;
    const Device *d = p->backend->device;
    if (d->open(&p->queue, e)) return e->code;
    if (d->take(p->queue, &at, (size_t)p->replicas * sizeof *p->device_scalars, e)) return e->code;
    p->device_scalars = at;
    return arena_init(&p->ids, p->stride[ROLE_TOKEN] * (size_t)p->replicas, e);
}

/* Says what was too much: on a device before anything is computed. A device that had failed before says that. */
static Rc out_of_memory(const Program *p, Error *e) {
    double mb = 1 << 20, need = (double)program_bytes(p->tape, p->backend, p->replicas) / mb;
    const Device *d = p->backend->device;
    if (d && d->status(p->queue, e)) return e->code;
    if (d && d->memory())
        return error_set(e, RC_UNMEASURED,
                         "out of device memory: %d replica(s) of this model need %.0f MB; %.0f MB are free",
                         p->replicas, need, (double)d->memory() / mb);
    return error_set(e, RC_UNMEASURED, "out of memory: %d replica(s) of this model need %.0f MB", p->replicas, need);
}

Rc program_init(Program *p, const Tape *tape, const Backend *backend, int replicas, Error *e) {
    *p = (Program){.tape = tape, .backend = backend, .replicas = replicas};
    p->rounding.word = precision_word(backend->precision);
    plan(p);
    for (Role role = 0; role < ROLE_COUNT; role++) p->stride[role] = stride_of(p, role);
    if (backend->device && open_device(p, e)) {
        program_release(p);
        return e->code;
    }
    for (Role role = 0; role < ROLE_COUNT; role++)
        if (take(p, &p->arena[role], p->stride[role] * (size_t)replicas, e)) {
            out_of_memory(p, e);
            program_release(p);
            return e->code;
        }
    if (roundings_init(p, e)) {
        out_of_memory(p, e);
        program_release(p);
        return e->code;
    }
    p->call = mem_alloc((size_t)tape->ops, sizeof *p->call);
    p->scalars = mem_alloc((size_t)replicas, sizeof *p->scalars);
    for (int i = 0; i < tape->ops; i++) {
        const Op *op = &tape->op[i];
        Call *c = &p->call[i];
        *c = plan_call(tape, i, replicas);
        c->scalars = p->queue ? p->device_scalars : p->scalars;
        c->queue = p->queue;
        c->out = program_view(p, ROLE_ACT, op->out);
        if (op->save >= 0) c->save = program_view(p, ROLE_SAVE, op->save);
        for (int j = 0; j < op->in_count; j++) {
            int tensor = tape->input[op->in_at + j];
            bool copied = p->rounding.word != WORD_float && tape->tensor[tensor].role == ROLE_PARAM;
            c->in[j] = copied ? roundings_weight(p, tensor) : program_view(p, tape->tensor[tensor].role, tensor);
        }
        bind_gradients(p, i);
    }
    p->scratch_stride = scratch_bytes(tape, backend, replicas);
    Rc rc = take_scratch(p, 1, e);
    if (!rc) rc = take(p, &p->head_sums, head_bytes(p), e);
    if (rc) program_release(p);
    return rc;
}

Rc program_share(Program *p, int threads, Error *e) {
    if (p->queue && threads > 1)
        return error_set(e, RC_USAGE, "backend '%s' does not compute on threads of the CPU", p->backend->name);
    if (p->queue) return RC_OK;
    arena_release(&p->scratch);
    Rc rc = take_scratch(p, threads, e);
    if (rc || threads < 2) return rc;
    p->team = mem_alloc(1, sizeof *p->team);
    team_init(p->team, threads);
    return RC_OK;
}

void program_release(Program *p) {
    if (p->team) team_release(p->team);
    free(p->team);
    for (Role role = 0; role < ROLE_COUNT; role++) give(p, &p->arena[role]);
    give(p, &p->scratch);
    give(p, &p->head_sums);
    roundings_release(p);
    if (p->queue) {
        p->backend->device->give(p->queue, p->device_scalars);
        p->backend->device->close(p->queue);
        arena_release(&p->ids);
    }
    free(p->call);
    forget(p);
    free(p->scalars);
    *p = (Program){0};
}

/* Op i as it is run now. */
static Call call_of(const Program *p, int i) {
    Call c = p->call[i];
    roundings_bind(p, i, &c);
    return c;
}

static void run_op(Program *p, int i, bool backward) {
    const Call c = call_of(p, i);
    program_run(p, &c, backward, p->scratch_stride);
    program_round_op(p, i, backward);
}

void program_ready(Program *p) {
    if (!p->queue) return;
    const Device *d = p->backend->device;
    d->put(p->queue, p->device_scalars, p->scalars, (size_t)p->replicas * sizeof *p->scalars);
    d->put(p->queue, p->arena[ROLE_TOKEN].at, p->ids.at, p->stride[ROLE_TOKEN] * (size_t)p->replicas);
}

void program_forward_op(Program *p, int op) {
    if (tape_cut(p->tape, op)) {
        if (p->tape->op[op].out == p->tape->nll) head_forward(p, NULL, NULL);
        return;
    }
    run_op(p, op, false);
}

/* Ops a and b, which follow each other in a pass, in one launch of a device; false: not these, nothing was done. A cut
 * op is not run whole. */
static bool fused(Program *p, int a, int b, bool backward) {
    const Kernel *k = p->backend->kernel[p->call[a].kind];
    if (!k->fused || tape_cut(p->tape, a) || tape_cut(p->tape, b)) return false;
    const Call first = call_of(p, a), second = call_of(p, b);
    if (!k->fused(&first, &second, backward)) return false;
    program_round_op(p, a, backward), program_round_op(p, b, backward);
    return true;
}

/* Op i, and with it the next one if it `may` and they are fused. Returns the last op that was run. */
static int forward_from(Program *p, int i, bool may) {
    if (may && i + 1 < p->tape->ops && fused(p, i, i + 1, false)) return i + 1;
    program_forward_op(p, i);
    return i;
}

void program_forward_ops(Program *p) {
    program_round_weights(p);
    for (int i = 0; i < p->tape->ops && !program_cancelled(p); i++) i = forward_from(p, i, true);
}

static void gather(const Program *p, View v, const int *row, int rows) {
    size_t bytes = (size_t)v.cols * p->backend->word[ROLE_ACT];
    for (int r = 0; r < p->replicas; r++) {
        unsigned char *x = (unsigned char *)v.at + (size_t)r * v.stride;
        for (int i = 0; i < rows; i++) memmove(x + (size_t)i * bytes, x + (size_t)row[i] * bytes, bytes);
    }
}

void program_forward_rows(Program *p, int from, int to, const int *row, int rows) {
    assert(!p->queue);
    program_round_weights(p);
    for (int i = 0; i < from && !program_cancelled(p); i++) program_forward_op(p, i);
    gather(p, p->call[from].in[0], row, rows);
    for (int i = from; i <= to && !program_cancelled(p); i++) {
        Call c = p->call[i];
        c.in[0].rows = c.out.rows = rows;
        program_run(p, &c, false, p->scratch_stride);
        program_round_op(p, i, false);
    }
}

void program_again(Program *p, int op) {
    const Recompute *r = &p->recompute;
    int block = r->block[op], from = op;
    bool counting = p->rounding.counting;
    if (block < 0 || (op + 1 < p->tape->ops && r->block[op + 1] == block)) return;
    while (from > 0 && r->block[from - 1] == block) from--;
    p->rounding.counting = false; /* was counted in the forward pass */
    for (int i = from; i <= op && !program_cancelled(p); i++)
        if (r->again[i]) i = forward_from(p, i, i < op && r->again[i + 1]);
    p->rounding.counting = counting;
}

/* The same for backward, where the next op is the one before; not that of another block, which may have to be computed
 * again first. */
static int backward_from(Program *p, int i) {
    bool may = i > 0 && p->gradients.reached[i - 1] && p->recompute.block[i - 1] == p->recompute.block[i];
    if (may && fused(p, i, i - 1, true)) return i - 1;
    if (!tape_cut(p->tape, i))
        run_op(p, i, true);
    else if (p->tape->op[i].out == p->tape->nll)
        head_backward(p);
    return i;
}

static void backward_ops(Program *p, void (*seen)(void *context, int op), void *context) {
    if (!seen) roundings_later(p);
    for (int i = p->tape->ops - 1; i >= 0 && !program_cancelled(p); i--) {
        program_again(p, i);
        if (!p->gradients.reached[i]) continue;
        int last = backward_from(p, i);
        for (; seen && i > last; i--) seen(context, i);
        if (seen) seen(context, i);
        i = last;
    }
    roundings_now(p);
}

void program_backward_ops(Program *p) {
    backward_ops(p, NULL, NULL);
}

void program_forward(Program *p) {
    program_ready(p);
    program_forward_ops(p);
}

void program_seed(Program *p) {
    for (int r = 0; r < p->replicas; r++) {
        double scale = p->scalars[r].loss_scale;
        program_write(p, ROLE_DACT, p->tape->loss, r, &(float){scale > 0 ? (float)scale : 1});
    }
}

void program_backward_seen(Program *p, void (*seen)(void *context, int op), void *context) {
    program_seed(p);
    backward_ops(p, seen, context);
}

void program_backward(Program *p) {
    program_backward_seen(p, NULL, NULL);
}
