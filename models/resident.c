#include "models/resident.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trainer_count.h"

/* TOGETHER: steps of one graph where steps are short, so that the gaps between graphs weigh less: with a library's
 * products. A step of exact mode takes milliseconds. */
enum { RING = 64, IN_FLIGHT = RING / 2, BLOCKS_MAX = 24, TOGETHER = 8 };

struct Resident {
    Step step;
    int table_steps;                     /* rows of step.table */
    Graph *training, *several, *forward; /* NULL: not recorded yet; several: TOGETHER steps */
    void *memory[BLOCKS_MAX];
    int blocks;
};

static const Device *device_of(const Trainer *t) {
    return t->program.backend->device;
}

/* Device memory that lives as long as the trainer, filled from the host, or zero. */
static Rc take(Resident *x, Trainer *t, void **at, const void *from, size_t bytes, Error *e) {
    if (device_of(t)->take(t->program.queue, at, bytes ? bytes : 1, e)) return e->code;
    assert(x->blocks < BLOCKS_MAX);
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

static size_t word_of(const Trainer *t, int tensor, Role role) {
    const Tensor *x = &t->tape.tensor[tensor];
    if (role == ROLE_DACT) return t->program.gradients.at[tensor];
    return x->role == ROLE_ACT ? t->program.places.at[tensor] : x->at;
}

/* The measure's parts, with a row of memory for each of their rows. */
static Rc list_parts(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    const Measure *m = &t->measure;
    size_t replicas = (size_t)t->program.replicas, parts = (size_t)m->parts;
    StepPart *part = mem_alloc(parts, sizeof *part);
    for (int i = 0; i < m->parts; i++) {
        const MeasurePart *of = &m->part[i];
        int cols = t->tape.tensor[of->tensor].cols;
        const bool narrow = roundings_narrow(&t->program, of->role, of->tensor);
        size_t at = word_of(t, of->tensor, of->role) + (size_t)of->first * (size_t)cols;
        if (i == m->gradient) s->gradient_row = s->rows;
        part[i] = (StepPart){.at = at, .rows = of->rows, .cols = cols, .first = s->rows};
        part[i].role = of->role, part[i].kind = of->kind, part[i].thin = of->thin, part[i].narrow = narrow;
        assert(narrow || !of->first || !t->tape.tensor[of->tensor].measure); /* rows of words of another size */
        if (of->kind != PART_MASSIVE) s->rows += of->rows;
        if (i < m->gradient + m->parameters) s->gradient_end = s->rows;
    }
    StepRow *row = mem_alloc((size_t)s->rows, sizeof *row);
    for (int i = 0; i < m->parts; i++)
        for (int j = 0; part[i].kind != PART_MASSIVE && j < part[i].rows; j++) row[part[i].first + j] = (StepRow){i, j};
    s->parts = m->parts, s->gradient = m->gradient, s->parameters = m->parameters, s->after = m->after;
    s->every = t->every;
    Rc rc = take(x, t, (void **)&s->part, part, parts * sizeof *part, e);
    if (!rc) rc = take(x, t, (void **)&s->row, row, (size_t)s->rows * sizeof *row, e);
    if (!rc) rc = take(x, t, (void **)&s->row_value, NULL, replicas * (size_t)s->rows * sizeof(float), e);
    if (!rc) rc = take(x, t, (void **)&s->value, NULL, replicas * parts * sizeof(float), e);
    free(part);
    free(row);
    return rc;
}

static Rc list_probes(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    const Tape *tape = &t->tape;
    StepProbe *probe = mem_alloc((size_t)tape->probes + 1, sizeof *probe);
    s->probes = tape->probes;
    for (int i = 0; i < tape->probes; i++) {
        const Probe *p = &tape->probe[i];
        const Fold *fold = &t->measure.fold[i];
        bool word = p->reduction == REDUCE_word && p->tensor >= 0;
        probe[i] = (StepProbe){.first = fold->first, .count = fold->count, .elements = fold->elements};
        probe[i].reduction = p->reduction, probe[i].role = p->role;
        probe[i].absent = p->tensor == TENSOR_NONE || p->reduction == REDUCTION_COUNT;
        probe[i].after = site_info[probe_info[p->kind].site].after;
        probe[i].word = word ? word_of(t, p->tensor, p->role) : 0;
        if (p->layer < 0) s->whole = i + 1;
    }
    Rc rc = take(x, t, (void **)&s->probe, probe, (size_t)tape->probes * sizeof *probe, e);
    free(probe);
    return rc;
}

/* A tensor in which something not finite is looked for. */
static Extent place_of(const Trainer *t, int i) {
    const Tensor *of = &t->tape.tensor[i];
    return (Extent){word_of(t, i, of->role), (size_t)of->rows * (size_t)of->cols, i, of->role == ROLE_ACT,
                    roundings_narrow(&t->program, of->role, i)};
}

/* Parameters in the order in which a backward pass ends their gradients. */
static int list_gradients(const Trainer *t, Extent *place) {
    const Tape *tape = &t->tape;
    int *whole = gradients_whole(&t->program.gradients, &t->tape), n = 0;
    for (int i = tape->ops - 1; i >= 0; i--)
        for (int j = 0; j < tape->op[i].in_count; j++) {
            int tensor = tape->input[tape->op[i].in_at + j];
            if (tape->tensor[tensor].role != ROLE_PARAM || whole[tensor] != i) continue;
            place[n++] = place_of(t, tensor);
            whole[tensor] = -1;
        }
    free(whole);
    return n;
}

/* Pieces of parameters to update, and every tensor in which something not finite is looked for. */
static Rc list_places(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    const Tape *tape = &t->tape;
    Extent *place = mem_alloc((size_t)tape->tensors, sizeof *place);
    Chunk *chunk = NULL;
    s->places = list_gradients(t, place);
    for (int i = 0; i < tape->tensors; i++) {
        const Tensor *of = &tape->tensor[i];
        size_t words = (size_t)of->rows * (size_t)of->cols;
        /* Elsewhere another block's stands there, or a piece of the head's. */
        bool stands = !t->program.recompute.lost[i] && tape_rows(tape, i) == of->rows;
        if (of->role == ROLE_ACT && stands) place[s->places++] = place_of(t, i);
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

/* Rows or columns to bring to length 1. */
static Rc list_lines(Resident *x, Trainer *t, Error *e) {
    Step *s = &x->step;
    StepLines *lines = NULL;
    for (int i = 0; i < t->parameters; i++) {
        const Tensor *of = &t->tape.tensor[t->parameter[i]];
        int count = of->unit == UNIT_rows ? of->rows : of->unit == UNIT_columns ? of->cols : 0;
        for (int first = 0; first < count; first += STEP_LINES) {
            lines = mem_grow(lines, (size_t)s->units + 1, sizeof *lines);
            lines[s->units++] = (StepLines){of->at, of->rows, of->cols, first, of->unit};
        }
    }
    Rc rc = s->units ? take(x, t, (void **)&s->lines, lines, (size_t)s->units * sizeof *lines, e) : RC_OK;
    free(lines);
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
    device_of(t)->forget(x->training), device_of(t)->forget(x->several);
    x->training = x->several = NULL;
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
    if (!rc && t->scale) rc = take(x, t, (void **)&s->scale, t->scale, replicas * sizeof *s->scale, e);
    if (!rc && t->scale) rc = take(x, t, (void **)&s->skipped, NULL, replicas * sizeof *s->skipped, e);
    free(clip);
    free(alive);
    return rc;
}

Rc resident_init(Trainer *t, Error *e) {
    Program *p = &t->program;
    const Tape *tape = &t->tape;
    Resident *x = t->resident = mem_alloc(1, sizeof *x);
    Step *s = &x->step;
    *s = (Step){.replicas = p->replicas,
                .optimizer = t->recipe[0].optimizer,
                .param = arena_of(p, ROLE_PARAM),
                .grad = arena_of(p, ROLE_GRAD),
                .moment1 = arena_of(p, ROLE_MOMENT1),
                .moment2 = arena_of(p, ROLE_MOMENT2),
                .act = arena_of(p, ROLE_ACT),
                .dact = arena_of(p, ROLE_DACT),
                .loss = word_of(t, tape->loss, ROLE_ACT),
                .dloss = p->gradients.at[tape->loss],
                .scalars = p->device_scalars,
                .ring_rows = RING};
    for (int i = 0; i < tape->feeds; i++) {
        int tensor = tape->feed[i].tensor;
        View ids = {program_at(p, ROLE_TOKEN, tensor, 0), p->stride[ROLE_TOKEN], tape->tensor[tensor].rows, 1};
        s->feed[s->feeds++] = (StepFeed){.ids = ids};
        if (tensor == t->targets) s->targets = i;
    }
    if (list_parts(x, t, e) || list_probes(x, t, e) || list_places(x, t, e) || list_lines(x, t, e) ||
        take_state(x, t, e))
        return e->code;
    return make_table(x, t, t->recipe[0].steps > 0 ? t->recipe[0].steps : 1, e);
}

void resident_release(Trainer *t) {
    Resident *x = t->resident;
    if (!x) return;
    device_of(t)->forget(x->training);
    device_of(t)->forget(x->several);
    device_of(t)->forget(x->forward);
    while (x->blocks) give(x, t, x->memory[x->blocks - 1]);
    free(x);
}

Rc trainer_keep_corpus(Trainer *t, const Corpus *corpus, Error *e) {
    Resident *x = t->resident;
    Step *s = &x->step;
    assert(!x->training && !x->several);
    for (int i = 0; i < s->feeds; i++) {
        const FeedInfo *info = feed_find(t->tape.feed[i].name);
        if (!info)
            return error_set(e, RC_USAGE, "the model reads '%s', which is not cut from a text", t->tape.feed[i].name);
        assert(info->shift <= 1); /* a crop ends one token before the text does */
        s->feed[i].shift = info->shift;
    }
    s->choices = corpus->choices, s->stream = corpus->stream, s->context = corpus->context;
    return take(x, t, (void **)&s->corpus, corpus->tokens, corpus->count * sizeof *corpus->tokens, e);
}

void resident_revive(Trainer *t, int replica) {
    int32_t alive = 1;
    device_of(t)->put(t->program.queue, t->resident->step.alive + replica, &alive, sizeof alive);
}

void resident_seek(Trainer *t) {
    uint64_t step = (uint64_t)t->step;
    device_of(t)->put(t->program.queue, t->resident->step.step, &step, sizeof step);
}

void resident_read_scales(Trainer *t) {
    size_t bytes = (size_t)t->program.replicas * sizeof *t->scale;
    device_of(t)->get(t->program.queue, t->scale, t->resident->step.scale, bytes);
}

void resident_write_scale(Trainer *t, int replica) {
    device_of(t)->put(t->program.queue, t->resident->step.scale + replica, &t->scale[replica], sizeof *t->scale);
}

/* One training step: what a graph is made of. */
static void enqueue_step(Resident *x, Trainer *t) {
    const Device *d = device_of(t);
    Program *p = &t->program;
    p->rounding.counting = true;
    for (StepKind kind = 0; kind < STEP_COUNT; kind++) {
        d->step(p->queue, kind, &x->step);
        if (kind == STEP_begin) program_forward_ops(p);
        if (kind == STEP_seed) program_backward_ops(p);
    }
    p->rounding.counting = false;
}

static void enqueue_several(Resident *x, Trainer *t) {
    for (int i = 0; i < TOGETHER; i++) enqueue_step(x, t);
}

static void record(Resident *x, Trainer *t, Graph **graph, void (*enqueue)(Resident *, Trainer *)) {
    const volatile sig_atomic_t *cancel = t->program.cancel;
    if (*graph) return;
    t->program.cancel = NULL; /* a graph is recorded whole */
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
    int together = backend_has_library(t->program.backend) ? count / TOGETHER : 0;
    if (together) record(x, t, &x->several, enqueue_several);
    for (int i = 0; i < together; i++) d->replay(q, x->several);
    for (int i = together * TOGETHER; i < count; i++) d->replay(q, x->training);
    d->fetch(q, slot, x->step.ring + (size_t)(step % RING) * row, (size_t)count * row * sizeof(double));
}

static void name_tensor(const Trainer *t, bool act, int tensor, StepReport *report) {
    snprintf(report->culprit, sizeof report->culprit, "%s %s", act ? "act" : "grad",
             tensor < 0 ? "norm" : t->tape.tensor[tensor].name);
}

/* What one row of the ring says of the probes; those of the update where there was none are NaN. */
static void read_probes(const Trainer *t, const double *row, int step, StepReport *to) {
    for (int i = 0; to->probe && i < t->tape.probes; i++) {
        ProbeKind kind = t->tape.probe[i].kind;
        bool after = site_info[probe_info[kind].site].after;
        bool measured = step % probe_stride(kind, t->every) == 0 && (to->finite || !after);
        if (to->skipped && probe_of_gradients(&t->tape.probe[i])) measured = false;
        to->probe[i] = measured ? row[RING_HEAD + i] : (double)NAN;
    }
}

static void receive(Resident *x, Trainer *t, const double *row, int first, int count, StepReport *report) {
    int replicas = t->program.replicas;
    for (int i = 0; i < count; i++)
        for (int r = 0; r < replicas; r++, row += ring_words(&x->step)) {
            StepReport *to = &report[i * replicas + r];
            if (!t->alive[r]) continue;
            *to = (StepReport){.loss = (float)row[RING_loss],
                               .grad_norm = row[RING_skipped] > 0 ? (double)NAN : row[RING_grad_norm],
                               .skipped = row[RING_skipped] > 0,
                               .finite = row[RING_finite] > 0,
                               .probe = to->probe};
            read_probes(t, row, first + i, to);
            if (!to->finite) t->alive[r] = false, name_tensor(t, row[RING_culprit_act] > 0, (int)row[RING_culprit], to);
        }
}

/* Rows for n updates more. */
static Rc reach(Resident *x, Trainer *t, int n, Error *e) {
    int end = t->step + n, longer = 2 * x->table_steps > end ? 2 * x->table_steps : end;
    return end > x->table_steps ? make_table(x, t, longer, e) : RC_OK;
}

int resident_steps(Trainer *t, int n, StepReport *report) {
    Resident *x = t->resident;
    const Device *d = device_of(t);
    Program *p = &t->program;
    int first = t->step, sent = 0, done = 0, count[DEVICE_SLOTS], oldest = 0, flying = 0;
    assert(x->step.corpus || n == 1);
    if (reach(x, t, n, &t->failure)) return 0;
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
        if (trainer_failed(t, NULL)) break;
        receive(x, t, rows, first + done, count[oldest], report + (size_t)done * (size_t)p->replicas);
        done += count[oldest];
        oldest = (oldest + 1) % DEVICE_SLOTS, flying--;
    }
    t->step += done;
    return done;
}

void resident_values(Trainer *t, int replica, bool thin, double *value) {
    const Device *d = device_of(t);
    const Step *s = &t->resident->step;
    int count = t->measure.gradient;
    (void)thin; /* the step's number says it to the device */
    float *part = mem_alloc((size_t)count + 1, sizeof *part);
    if (!replica) d->step(t->program.queue, STEP_squares, s), d->step(t->program.queue, STEP_join, s);
    d->get(t->program.queue, part, s->value + (size_t)replica * (size_t)s->parts, (size_t)count * sizeof *part);
    for (int i = 0; i < count; i++) value[i] = (double)part[i];
    free(part);
}

/* What the device has of activations is the last pass's; the sums of all take its place. */
static void put_parts(Resident *x, Trainer *t) {
    const Step *s = &x->step;
    int count = t->measure.gradient;
    float *part = mem_alloc((size_t)count + 1, sizeof *part);
    for (int r = 0; r < t->program.replicas; r++) {
        float *at = s->value + (size_t)r * (size_t)s->parts;
        device_of(t)->get(t->program.queue, part, at, (size_t)count * sizeof *part);
        for (int i = 0; i < count; i++) t->value[i] = (double)part[i];
        t->way->batch(t, r, t->value);
        for (int i = 0; i < count; i++) part[i] = (float)t->value[i];
        device_of(t)->put(t->program.queue, at, part, (size_t)count * sizeof *part);
    }
    free(part);
}

bool resident_finish(Trainer *t, StepReport *report) {
    Resident *x = t->resident;
    const Device *d = device_of(t);
    Program *p = &t->program;
    size_t row = (size_t)p->replicas * (size_t)ring_words(&x->step);
    bool *alive = mem_alloc((size_t)p->replicas, sizeof *alive);
    memcpy(alive, t->alive, (size_t)p->replicas * sizeof *alive);
    program_ready(p);
    for (StepKind kind = STEP_unscale; kind < STEP_COUNT; kind++) {
        d->step(p->queue, kind, &x->step);
        if (kind == STEP_join) put_parts(x, t);
    }
    d->fetch(p->queue, 0, x->step.ring + (size_t)(t->step % RING) * row, row * sizeof(double));
    const double *rows = d->landed(p->queue, 0);
    bool done = !trainer_failed(t, NULL);
    if (done) receive(x, t, rows, t->step, 1, report);
    for (int r = 0; done && r < p->replicas; r++) /* the device has the last pass's activations */
        if (alive[r] && !report[r].finite && !isfinite(report[r].loss))
            name_tensor(t, true, t->way->culprit(t, r), &report[r]);
    t->step += done;
    free(alive);
    return done;
}

static void enqueue_forward(Resident *x, Trainer *t) {
    (void)x;
    program_forward_ops(&t->program);
}

void resident_forward(Trainer *t) {
    Resident *x = t->resident;
    program_ready(&t->program);
    record(x, t, &x->forward, enqueue_forward);
    device_of(t)->replay(t->program.queue, x->forward);
}

const Graph *trainer_graph(Trainer *t) {
    record(t->resident, t, &t->resident->training, enqueue_step);
    return t->resident->training;
}

Timing *trainer_timed(Trainer *t, size_t *count) {
    Resident *x = t->resident;
    const Device *d = device_of(t);
    *count = 0;
    if (reach(x, t, 1, &t->failure)) return NULL;
    d->time_each(t->program.queue);
    enqueue_step(x, t);
    t->step++;
    return d->timed(t->program.queue, count);
}
