#include "models/resident.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 64, IN_FLIGHT = RING / 2, MOST_BLOCKS = 24 };

struct Resident {
    Step step;
    int table_steps;           /* rows of step.table */
    Graph *training, *forward; /* NULL: not recorded yet */
    void *memory[MOST_BLOCKS];
    int blocks;
};

static const Device *device_of(const Trainer *t) {
    return t->program.backend->device;
}

/* Device memory that lives as long as the trainer, filled from the host, or zero. */
static Rc take(Resident *x, Trainer *t, void **at, const void *from, size_t bytes, Error *e) {
    if (device_of(t)->take(t->program.queue, at, bytes ? bytes : 1, e)) return e->code;
    assert(x->blocks < MOST_BLOCKS);
    x->memory[x->blocks++] = *at;
    if (from) device_of(t)->put(t->program.queue, *at, from, bytes);
    return RC_OK;
}

static void give(Resident *x, Trainer *t, const void *at) {
    for (int i = 0; i < x->blocks; i++)
        if (x->memory[i] == at) {
            device_of(t)->give(t->program.queue, x->memory[i]);
            x->memory[i] = x->memory[--x->blocks];
            return;
        }
}

static View arena_of(const Program *p, Role role) {
    return (View){p->arena[role].at, p->stride[role], 0, 0};
}

/* Parameters in tape order, then what enters each layer's first norm. */
static Rc list_squared(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    const Tape *tape = &t->tape;
    int count = t->parameters + tape->layers, rows = 0;
    Squared *squared = mem_alloc((size_t)count, sizeof *squared);
    for (int i = 0; i < count; i++) {
        bool act = i >= t->parameters;
        int tensor = act ? t->norm_input[i - t->parameters] : t->parameter[i];
        if (i == t->parameters) s->parameter_rows = rows;
        squared[i] =
            (Squared){.first = rows, .layer = act ? i - t->parameters : tape->tensor[tensor].layer, .act = act};
        if (tensor < 0) continue;
        const Tensor *of = &tape->tensor[tensor];
        squared[i].at = of->at, squared[i].rows = of->rows, squared[i].cols = of->cols;
        rows += of->rows;
    }
    SquaredRow *row = mem_alloc((size_t)rows, sizeof *row);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < squared[i].rows; j++) row[squared[i].first + j] = (SquaredRow){i, j};
    s->parameters = t->parameters, s->rows = rows;
    size_t replicas = (size_t)t->program.replicas;
    Rc rc = take(x, t, (void **)&s->squared, squared, (size_t)count * sizeof *squared, e);
    if (!rc) rc = take(x, t, (void **)&s->row, row, (size_t)rows * sizeof *row, e);
    if (!rc) rc = take(x, t, (void **)&s->row_squares, NULL, replicas * (size_t)rows * sizeof(float), e);
    if (!rc) rc = take(x, t, (void **)&s->squares, NULL, replicas * (size_t)count * sizeof(float), e);
    free(squared);
    free(row);
    return rc;
}

/* Pieces of parameters to update, and every tensor in which something not finite is looked for. */
static Rc list_places(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    const Tape *tape = &t->tape;
    Extent *place = mem_alloc((size_t)tape->tensors, sizeof *place);
    Chunk *chunk = NULL;
    for (int i = 0; i < tape->tensors; i++) {
        const Tensor *of = &tape->tensor[i];
        size_t words = (size_t)of->rows * (size_t)of->cols;
        if (of->role != ROLE_ACT && of->role != ROLE_PARAM) continue;
        const size_t at = of->role == ROLE_ACT ? t->program.places.at[i] : of->at;
        place[s->places++] = (Extent){at, words, i, of->role == ROLE_ACT};
        for (size_t from = 0; of->role == ROLE_PARAM && from < words; from += STEP_CHUNK) {
            size_t left = words - from;
            chunk = mem_grow(chunk, (size_t)s->chunks + 1, sizeof *chunk);
            chunk[s->chunks++] = (Chunk){of->at + from, (int)(left < STEP_CHUNK ? left : STEP_CHUNK), of->rows > 1};
        }
    }
    Rc rc = take(x, t, (void **)&s->place, place, (size_t)s->places * sizeof *place, e);
    if (!rc) rc = take(x, t, (void **)&s->chunk, chunk, (size_t)s->chunks * sizeof *chunk, e);
    free(place);
    free(chunk);
    return rc;
}

/* Scalars of updates 0..steps-1 of every replica. A longer table takes the place of a shorter one. */
static Rc make_table(Resident *x, Trainer *t, int steps, Error *e) {
    int replicas = t->program.replicas;
    size_t count = (size_t)steps * (size_t)replicas;
    Scalars *table = mem_alloc(count, sizeof *table);
    for (int r = 0; r < replicas; r++) {
        double power[2] = {1, 1};
        for (int i = 0; i < steps; i++) {
            power[0] *= t->recipe[r].beta1, power[1] *= t->recipe[r].beta2;
            recipe_scalars(&t->recipe[r], &table[(size_t)i * (size_t)replicas + (size_t)r], t->seed[r], i, 0, power[0],
                           power[1]);
        }
    }
    if (x->step.table) give(x, t, x->step.table);
    if (x->training) device_of(t)->forget(x->training), x->training = NULL;
    Rc rc = take(x, t, (void **)&x->step.table, table, count * sizeof *table, e);
    x->table_steps = rc ? 0 : steps;
    free(table);
    return rc;
}

static Rc take_state(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    int n = t->program.replicas;
    size_t replicas = (size_t)n;
    double *clip = mem_alloc(replicas, sizeof *clip);
    int32_t *alive = mem_alloc(replicas, sizeof *alive);
    for (int r = 0; r < n; r++) clip[r] = t->recipe[r].clip, alive[r] = 1;
    Rc rc = take(x, t, (void **)&s->clip, clip, replicas * sizeof *clip, e);
    if (!rc) rc = take(x, t, (void **)&s->alive, alive, replicas * sizeof *alive, e);
    if (!rc) rc = take(x, t, (void **)&s->died, NULL, replicas * sizeof *s->died, e);
    if (!rc) rc = take(x, t, (void **)&s->culprit, NULL, replicas * sizeof *s->culprit, e);
    if (!rc) rc = take(x, t, (void **)&s->step, NULL, sizeof *s->step, e);
    if (!rc) rc = take(x, t, (void **)&s->ring, NULL, RING * replicas * (size_t)ring_words(s) * sizeof *s->ring, e);
    free(clip);
    free(alive);
    return rc;
}

Rc resident_init(Resident **out, Trainer *t, Error *e) {
    Program *p = &t->program;
    const Tape *tape = &t->tape;
    Resident *x = *out = mem_alloc(1, sizeof *x);
    Step *s = &x->step;
    *s = (Step){.replicas = p->replicas,
                .layers = tape->layers,
                .optimizer = t->recipe[0].optimizer,
                .param = arena_of(p, ROLE_PARAM),
                .grad = arena_of(p, ROLE_GRAD),
                .moment1 = arena_of(p, ROLE_MOMENT1),
                .moment2 = arena_of(p, ROLE_MOMENT2),
                .act = arena_of(p, ROLE_ACT),
                .dact = arena_of(p, ROLE_DACT),
                .loss = tape->tensor[tape->loss].at,
                .embedding_norm = tape->tensor[tape->embedding_norm].at,
                .dloss = p->gradients.at[tape->loss],
                .scalars = p->device_scalars,
                .ring_rows = RING};
    const int tensor[2] = {tape->tokens, tape->targets};
    View *ids[2] = {&s->tokens, &s->targets};
    for (int i = 0; i < 2; i++)
        *ids[i] =
            (View){program_at(p, ROLE_TOKEN, tensor[i], 0), p->stride[ROLE_TOKEN], tape->tensor[tensor[i]].rows, 1};
    for (int i = 0; i < tape->ops; i++)
        if (tape->op[i].kind == OP_embed) s->context = tape->op[i].attr.seq;
    if (list_squared(x, t, e) || list_places(x, t, e) || take_state(x, t, e)) return e->code;
    return make_table(x, t, t->recipe[0].steps > 0 ? t->recipe[0].steps : 1, e);
}

void resident_release(Resident *x, Trainer *t) {
    if (!x) return;
    device_of(t)->forget(x->training);
    device_of(t)->forget(x->forward);
    while (x->blocks) give(x, t, x->memory[x->blocks - 1]);
    free(x);
}

Rc resident_corpus(Resident *x, Trainer *t, const int32_t *tokens, size_t count, uint32_t choices, uint64_t stream,
                   Error *e) {
    assert(!x->training);
    x->step.choices = choices, x->step.stream = stream;
    return take(x, t, (void **)&x->step.corpus, tokens, count * sizeof *tokens, e);
}

void resident_seek(Resident *x, Trainer *t) {
    uint64_t step = (uint64_t)t->step;
    device_of(t)->put(t->program.queue, x->step.step, &step, sizeof step);
}

/* One training step: what a graph is made of. */
static void enqueue_step(Resident *x, Trainer *t) {
    const Device *d = device_of(t);
    Program *p = &t->program;
    for (StepKind kind = 0; kind < STEP_COUNT; kind++) {
        d->step(p->queue, kind, &x->step);
        if (kind == STEP_begin) program_forward_ops(p);
        if (kind == STEP_seed) program_backward_ops(p);
    }
}

static void record(Resident *x, Trainer *t, Graph **graph, void (*enqueue)(Resident *, Trainer *)) {
    const volatile sig_atomic_t *cancel = t->program.cancel;
    if (*graph) return;
    t->program.cancel = NULL; /* half a graph is none */
    device_of(t)->record(t->program.queue);
    enqueue(x, t);
    *graph = device_of(t)->recorded(t->program.queue);
    t->program.cancel = cancel;
}

/* Rows that stand side by side in the ring, at most half of it. */
static int stretch(int step, int left) {
    int most = RING - step % RING < IN_FLIGHT ? RING - step % RING : IN_FLIGHT;
    return left < most ? left : most;
}

static void send(Resident *x, Trainer *t, int step, int count, int slot) {
    const Device *d = device_of(t);
    Queue *q = t->program.queue;
    size_t row = (size_t)t->program.replicas * (size_t)ring_words(&x->step);
    for (int i = 0; i < count; i++) d->replay(q, x->training);
    d->fetch(q, slot, x->step.ring + (size_t)(step % RING) * row, (size_t)count * row * sizeof(double));
}

static void name_culprit(const Trainer *t, const double *row, StepReport *report) {
    int tensor = (int)row[RING_culprit];
    snprintf(report->culprit, sizeof report->culprit, "%s %s", row[RING_culprit_act] > 0 ? "act" : "grad",
             tensor < 0 ? "norm" : t->tape.tensor[tensor].name);
}

static void receive(Resident *x, Trainer *t, const double *row, int count, StepReport *report) {
    int replicas = t->program.replicas, layers = t->tape.layers;
    for (int i = 0; i < count; i++)
        for (int r = 0; r < replicas; r++, row += ring_words(&x->step)) {
            StepReport *to = &report[i * replicas + r];
            if (!t->alive[r]) continue;
            *to = (StepReport){.loss = (float)row[RING_loss],
                               .grad_norm = row[RING_grad_norm],
                               .embedding_norm = row[RING_embedding_norm],
                               .finite = row[RING_finite] > 0};
            memcpy(to->layer_norm, row + RING_HEAD, (size_t)layers * sizeof *row);
            memcpy(to->norm_input, row + RING_HEAD + layers, (size_t)layers * sizeof *row);
            if (to->finite)
                to->update_norm = row[RING_update_norm];
            else
                t->alive[r] = false, name_culprit(t, row, to);
        }
}

int resident_steps(Resident *x, Trainer *t, int n, StepReport *report) {
    const Device *d = device_of(t);
    Program *p = &t->program;
    int first = t->step, sent = 0, done = 0, count[DEVICE_SLOTS], oldest = 0, flying = 0;
    assert(x->step.corpus || n == 1);
    int longer = 2 * x->table_steps > first + n ? 2 * x->table_steps : first + n;
    if (first + n > x->table_steps && make_table(x, t, longer, &t->failure)) return 0;
    if (!x->step.corpus) program_ready(p);
    record(x, t, &x->training, enqueue_step);
    while (done < n) {
        while (sent < n && flying < DEVICE_SLOTS && !program_cancelled(p)) {
            int slot = (oldest + flying++) % DEVICE_SLOTS;
            count[slot] = stretch(first + sent, n - sent);
            send(x, t, first + sent, count[slot], slot);
            sent += count[slot];
        }
        if (!flying) break;
        const double *rows = d->landed(p->queue, oldest);
        if (trainer_failed(t)) break;
        receive(x, t, rows, count[oldest], report + (size_t)done * (size_t)p->replicas);
        done += count[oldest];
        oldest = (oldest + 1) % DEVICE_SLOTS, flying--;
    }
    t->step += done;
    return done;
}

static void enqueue_forward(Resident *x, Trainer *t) {
    (void)x;
    program_forward_ops(&t->program);
}

void resident_forward(Resident *x, Trainer *t) {
    program_ready(&t->program);
    record(x, t, &x->forward, enqueue_forward);
    device_of(t)->replay(t->program.queue, x->forward);
}

const Graph *resident_graph(Resident *x, Trainer *t) {
    record(x, t, &x->training, enqueue_step);
    return x->training;
}
