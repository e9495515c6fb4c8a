#include "models/trainer_look.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sha256.h"
#include "models/trainer_state.h"

int trainer_probes(const Trainer *t) {
    return t->tape.probes;
}

ProbeKind trainer_probe(const Trainer *t, int i, int *layer) {
    *layer = t->tape.probe[i].layer;
    return t->tape.probe[i].kind;
}

bool trainer_looks_at(const Trainer *t, int i, int replica, int *rows, int *cols, double *x) {
    const Probe *p = &t->tape.probe[i];
    if (p->role != ROLE_ACT || p->tensor < 0) return false;
    *rows = t->tape.tensor[p->tensor].rows, *cols = t->tape.tensor[p->tensor].cols;
    if (x) program_values(&t->program, ROLE_ACT, p->tensor, replica, x);
    return true;
}

int trainer_vocabulary(const Trainer *t) {
    return t->tape.tensor[t->tape.logits].cols;
}

void trainer_logits(const Trainer *t, int replica, int row, double *out) {
    assert(!t->tape.head_rows);
    program_row(&t->program, ROLE_ACT, t->tape.logits, replica, row, out);
}

int trainer_sites(const Trainer *t) {
    return t->program.rounding.word == WORD_float ? 0 : roundings_sites(&t->program);
}

RoundSite trainer_site(const Trainer *t, int i) {
    const Tape *tape = &t->tape;
    const Tensor *x = &tape->tensor[i / 2];
    RoundSite site = {x->name, x->layer, x->role == ROLE_PARAM ? PASS_weights : PASS_forward, i / 2};
    if (i % 2) {
        int *whole = gradients_whole(&t->program.gradients, &t->tape);
        site.pass = PASS_backward;
        site.order = 2 * tape->tensors + tape->ops - whole[i / 2];
        free(whole);
    } else if (x->role != ROLE_PARAM)
        site.order += tape->tensors; /* an op's output is made after those of the ops before it */
    return site;
}

void trainer_rounded(const Trainer *t, int replica, Rounded *out) {
    roundings_read(&t->program, replica, out);
}

void trainer_set_rounded(Trainer *t, int replica, const Rounded *from) {
    roundings_write(&t->program, replica, from);
}

int trainer_parameters(const Trainer *t) {
    return t->parameters;
}

Parameter trainer_parameter(const Trainer *t, int i) {
    const Tensor *x = &t->tape.tensor[t->parameter[i]];
    return (Parameter){x->name, x->rows, x->cols, tensor_vector(x)};
}

size_t trainer_weights(const Trainer *t) {
    return tape_parameters(&t->tape);
}

const void *trainer_words(const Trainer *t, Role role, int i, int replica, void **copy) {
    return program_words(&t->program, role, t->parameter[i], replica, copy);
}

void trainer_put(Trainer *t, Role role, int i, int replica, const void *words) {
    program_put(&t->program, role, t->parameter[i], replica, words);
}

void trainer_read(const Trainer *t, int i, int replica, float *out) {
    program_read(&t->program, ROLE_PARAM, t->parameter[i], replica, out);
}

void trainer_write(Trainer *t, int i, int replica, const float *in) {
    program_write(&t->program, ROLE_PARAM, t->parameter[i], replica, in);
}

static void add_hash(TensorHash *h, const Program *p, Role role, int tensor, int replica) {
    const Tensor *x = &p->tape->tensor[tensor];
    size_t n = (size_t)x->rows * (size_t)x->cols;
    float *values = mem_alloc(n, sizeof *values);
    program_read(p, role, tensor, replica, values);
    tensor_hash_add(h, values, n);
    free(values);
}

void trainer_hash(const Trainer *t, int replica, uint8_t out[32]) {
    TensorHash h;
    tensor_hash_init(&h);
    for (int i = 0; i < t->parameters; i++) add_hash(&h, &t->program, ROLE_PARAM, t->parameter[i], replica);
    tensor_hash_end(&h, out);
}

int trainer_ops(const Trainer *t) {
    return t->tape.ops;
}

TrainerOp trainer_op(const Trainer *t, int i) {
    return (TrainerOp){&t->program.call[i], t->program.gradients.reached[i]};
}

static const Kernel *kernel_of(const Program *p, int op) {
    return p->backend->kernel[p->call[op].kind];
}

/* Scalars as trainer_step will make them again. */
static void begin_by_hand(Trainer *t) {
    int step = t->step;
    trainer_scalars(t);
    trainer_seek(t, step);
    program_ready(&t->program);
    program_round_weights(&t->program);
}

void trainer_each_op(Trainer *t, void (*seen)(void *context, int op, bool backward), void *context) {
    Program *p = &t->program;
    assert(!t->tape.head_rows && "its ops are run in pieces");
    begin_by_hand(t);
    seen(context, -1, false);
    for (int i = 0; i < t->tape.ops && !program_cancelled(p); i++) {
        kernel_of(p, i)->forward(&p->call[i]);
        program_round_op(p, i, false);
        seen(context, i, false);
    }
    program_seed(p);
    seen(context, -1, true);
    for (int i = t->tape.ops - 1; i >= 0 && !program_cancelled(p); i--) {
        program_again(p, i);
        if (!p->gradients.reached[i]) continue;
        kernel_of(p, i)->backward(&p->call[i]);
        program_round_op(p, i, true);
        seen(context, i, true);
    }
}

typedef struct {
    Trainer *t;
    HashLine *line;
    void *context;
} HashLog;

static void hash_tensor(const Trainer *t, HashLine *line, void *context, const char *phase, int op, const char *kind,
                         Role role, int tensor) {
    uint8_t digest[32];
    TensorHash h;
    tensor_hash_init(&h);
    add_hash(&h, &t->program, role, tensor, 0);
    tensor_hash_end(&h, digest);
    line(context, phase, op, kind, t->tape.tensor[tensor].name, digest);
}

/* An op's output; or the gradients it wrote, while they stand: later contributors add to them. */
static void hash_op(void *context, int i, bool backward) {
    const HashLog *x = context;
    const Tape *tape = &x->t->tape;
    if (i < 0) return;
    const Op *op = &tape->op[i];
    const char *kind = op_info[op->kind].name;
    if (!backward) hash_tensor(x->t, x->line, x->context, "forward", i, kind, ROLE_ACT, op->out);
    for (int j = 0; backward && j < op->in_count; j++) {
        int tensor = tape->input[op->in_at + j];
        Role role = role_gradient(tape->tensor[tensor].role);
        if (role != ROLE_COUNT) hash_tensor(x->t, x->line, x->context, "backward", i, kind, role, tensor);
    }
}

void trainer_hash_parameters(const Trainer *t, const char *phase, HashLine *line, void *context) {
    for (int i = 0; i < t->parameters; i++)
        hash_tensor(t, line, context, phase, 0, "parameter", ROLE_PARAM, t->parameter[i]);
}

bool trainer_hash_step(Trainer *t, HashLine *line, void *context, StepReport *report) {
    trainer_each_op(t, hash_op, &(HashLog){t, line, context});
    if (!trainer_step(t, report) || trainer_failed(t, NULL)) return false;
    trainer_hash_parameters(t, "update", line, context);
    return true;
}
