#include "models/program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tensor role that decides an arena's layout. */
static Role layout_of(Role role) {
    switch (role) {
    case ROLE_GRAD:
    case ROLE_MOMENT1:
    case ROLE_MOMENT2: return ROLE_PARAM;
    case ROLE_DACT: return ROLE_ACT;
    default: return role;
    }
}

static size_t word_of(const Backend *backend, Role role) {
    return role == ROLE_TOKEN ? sizeof(int32_t) : backend->word;
}

/* Words of a role's arena per replica. */
static size_t words_in(const Tape *tape, const Gradients *g, Role role) {
    return role == ROLE_DACT ? g->words : tape->words[layout_of(role)];
}

static size_t stride_of(const Tape *tape, const Gradients *g, const Backend *backend, Role role) {
    return align_up(words_in(tape, g, role) * word_of(backend, role));
}

size_t program_bytes(const Tape *tape, const Backend *backend, int replicas) {
    Gradients g;
    size_t bytes = 0;
    gradients_init(&g, tape);
    for (Role role = 0; role < ROLE_COUNT; role++) bytes += stride_of(tape, &g, backend, role) * (size_t)replicas;
    gradients_release(&g);
    return bytes;
}

static View view(const Program *p, Role role, int tensor) {
    const Tensor *t = &p->tape->tensor[tensor];
    size_t at = role == ROLE_DACT ? p->gradients.at[tensor] : t->at;
    return (View){p->arena[role].at + at * word_of(p->backend, role), p->stride[role], t->rows, t->cols};
}

static void bind_gradients(Program *p, int i) {
    const Tape *t = p->tape;
    Call *c = &p->call[i];
    if (!p->gradients.reached[i]) return;
    c->dout = view(p, ROLE_DACT, t->op[i].out);
    for (int j = 0; j < c->in_count; j++) {
        int tensor = t->input[t->op[i].in_at + j];
        Role gradient = role_gradient(t->tensor[tensor].role);
        if (gradient != ROLE_COUNT) c->din[j] = view(p, gradient, tensor);
        c->accumulate[j] = p->gradients.accumulate[i][j];
    }
}

static Rc take_scratch(Program *p, int threads, Error *e) {
    Rc rc = arena_init(&p->scratch, p->scratch_stride * (size_t)threads, e);
    for (int i = 0; i < p->tape->ops; i++) p->call[i].scratch = p->scratch.at;
    return rc;
}

Rc program_init(Program *p, const Tape *tape, const Backend *backend, int replicas, Error *e) {
    *p = (Program){.tape = tape, .backend = backend, .replicas = replicas};
    gradients_init(&p->gradients, tape);
    for (Role role = 0; role < ROLE_COUNT; role++) {
        p->stride[role] = stride_of(tape, &p->gradients, backend, role);
        if (arena_init(&p->arena[role], p->stride[role] * (size_t)replicas, e)) {
            program_release(p);
            return error_set(e, RC_UNMEASURED, "out of memory: %d replica(s) of this model need %zu MB", replicas,
                             program_bytes(tape, backend, replicas) >> 20);
        }
    }
    p->call = mem_alloc((size_t)tape->ops, sizeof *p->call);
    p->scalars = mem_alloc((size_t)replicas, sizeof *p->scalars);
    size_t scratch = 0;
    for (int i = 0; i < tape->ops; i++) {
        const Op *op = &tape->op[i];
        Call *c = &p->call[i];
        *c = (Call){.kind = op->kind, .in_count = op->in_count, .replicas = replicas, .attr = op->attr};
        c->scalars = p->scalars;
        c->out = view(p, ROLE_ACT, op->out);
        if (op->save >= 0) c->save = view(p, ROLE_SAVE, op->save);
        for (int j = 0; j < op->in_count; j++) {
            int tensor = tape->input[op->in_at + j];
            c->in[j] = view(p, tape->tensor[tensor].role, tensor);
        }
        bind_gradients(p, i);
    }
    for (int i = 0; i < tape->ops; i++) {
        const Kernel *k = backend->kernel[p->call[i].kind];
        size_t need = k->scratch ? k->scratch(&p->call[i]) : 0;
        if (need > scratch) scratch = need;
    }
    p->scratch_stride = align_up(scratch);
    Rc rc = take_scratch(p, 1, e);
    if (rc) program_release(p);
    return rc;
}

Rc program_share(Program *p, int threads, Error *e) {
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
    for (Role role = 0; role < ROLE_COUNT; role++) arena_release(&p->arena[role]);
    arena_release(&p->scratch);
    free(p->call);
    gradients_release(&p->gradients);
    free(p->scalars);
    *p = (Program){0};
}

bool program_cancelled(const Program *p) {
    return p->cancel && *p->cancel;
}

typedef struct {
    const Program *p;
    void (*task)(void *context, int part, int parts);
    void *context;
} Together;

static void one_part(void *context, int part) {
    const Together *t = context;
    t->task(t->context, part, t->p->team->size);
}

void program_together(const Program *p, void (*task)(void *context, int part, int parts), void *context) {
    Together t = {p, task, context};
    if (p->team)
        team_run(p->team, one_part, &t);
    else
        task(context, 0, 1);
}

typedef struct {
    void (*kernel)(const Call *c);
    const Call *call;
    size_t scratch_stride;
} Work;

static void work(void *context, int part, int parts) {
    const Work *w = context;
    Call c = *w->call;
    c.part = part, c.parts = parts;
    c.scratch = (unsigned char *)c.scratch + (size_t)part * w->scratch_stride;
    w->kernel(&c);
}

static void run(const Program *p, void (*kernel)(const Call *c), int op) {
    Work w = {kernel, &p->call[op], p->scratch_stride};
    program_together(p, work, &w);
}

void program_forward(Program *p) {
    for (int i = 0; i < p->tape->ops && !program_cancelled(p); i++)
        run(p, p->backend->kernel[p->call[i].kind]->forward, i);
}

void program_seed(Program *p) {
    for (int r = 0; r < p->replicas; r++) {
        void *seed = program_at(p, ROLE_DACT, p->tape->loss, r);
        if (p->backend->word == sizeof(double))
            *(double *)seed = 1;
        else
            *(float *)seed = 1;
    }
}

void program_backward(Program *p) {
    program_seed(p);
    for (int i = p->tape->ops - 1; i >= 0 && !program_cancelled(p); i--)
        if (p->gradients.reached[i]) run(p, p->backend->kernel[p->call[i].kind]->backward, i);
}

void *program_at(const Program *p, Role role, int tensor, int replica) {
    return (unsigned char *)view(p, role, tensor).at + (size_t)replica * p->stride[role];
}

int32_t *program_ids(const Program *p, int tensor, int replica) {
    assert(p->tape->tensor[tensor].role == ROLE_TOKEN);
    return program_at(p, ROLE_TOKEN, tensor, replica);
}

double program_value(const Program *p, Role role, int tensor, int replica, size_t index) {
    const void *at = program_at(p, role, tensor, replica);
    return p->backend->word == sizeof(double) ? ((const double *)at)[index] : (double)((const float *)at)[index];
}

static size_t words_of(const Program *p, int tensor) {
    return (size_t)p->tape->tensor[tensor].rows * (size_t)p->tape->tensor[tensor].cols;
}

void program_read(const Program *p, Role role, int tensor, int replica, float *out) {
    size_t n = words_of(p, tensor);
    for (size_t i = 0; i < n; i++) out[i] = (float)program_value(p, role, tensor, replica, i);
}

void program_write(Program *p, Role role, int tensor, int replica, const float *in) {
    size_t n = words_of(p, tensor);
    void *at = program_at(p, role, tensor, replica);
    for (size_t i = 0; i < n; i++)
        if (p->backend->word == sizeof(double))
            ((double *)at)[i] = (double)in[i];
        else
            ((float *)at)[i] = in[i];
}

int program_nonfinite(const Program *p, Role role, int replica) {
    Role layout = layout_of(role);
    for (int i = 0; i < p->tape->tensors; i++) {
        if (p->tape->tensor[i].role != layout) continue;
        size_t n = words_of(p, i);
        for (size_t j = 0; j < n; j++)
            if (!isfinite(program_value(p, role, i, replica, j))) return i;
    }
    return -1;
}
