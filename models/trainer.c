#include "models/trainer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "base/sha256.h"
#include "models/resident.h"

static bool is_norm(OpKind kind) {
    return kind == OP_layernorm || kind == OP_rmsnorm || kind == OP_center;
}

/* The tensors that every step asks for. */
static void list_tensors(Trainer *t) {
    const Tape *tape = &t->tape;
    int most = tape->tensors > tape->layers ? tape->tensors : tape->layers;
    t->parameter = mem_alloc((size_t)tape->tensors, sizeof *t->parameter);
    t->norm_input = mem_alloc((size_t)tape->layers, sizeof *t->norm_input);
    t->squares = mem_alloc((size_t)most, sizeof *t->squares);
    for (int i = 0; i < tape->tensors; i++)
        if (tape->tensor[i].role == ROLE_PARAM) t->parameter[t->parameters++] = i;
    for (int l = 0; l < tape->layers; l++) t->norm_input[l] = -1;
    for (int i = tape->ops - 1; i >= 0; i--) {
        const Op *op = &tape->op[i];
        if (op->layer >= 0 && is_norm(op->kind)) t->norm_input[op->layer] = tape->input[op->in_at];
    }
}

Rc trainer_init(Trainer *t, const ModelShape *shape, const Variant *variant, const Recipe *recipe, const uint64_t *seed,
                int replicas, const Backend *backend, Error *e) {
    canon_environment();
    *t = (Trainer){.recipe = recipe, .seed = seed};
    assert(shape->layers <= TRAINER_MOST_LAYERS);
    transformer_build(&t->tape, shape, variant);
    if (program_init(&t->program, &t->tape, backend, replicas, e)) {
        tape_release(&t->tape);
        return e->code;
    }
    list_tensors(t);
    t->power = mem_alloc(2 * (size_t)replicas, sizeof *t->power);
    t->alive = mem_alloc((size_t)replicas, sizeof *t->alive);
    for (int r = 0; r < replicas; r++) {
        assert(recipe[r].optimizer == recipe[0].optimizer);
        init_parameters(&t->program, r, seed[r], &recipe[r].init);
        t->alive[r] = true;
    }
    if (backend->device && resident_init(&t->resident, t, e)) {
        trainer_release(t);
        return e->code;
    }
    trainer_seek(t, 0);
    return RC_OK;
}

void trainer_release(Trainer *t) {
    resident_release(t->resident, t);
    program_release(&t->program);
    tape_release(&t->tape);
    free(t->parameter);
    free(t->norm_input);
    free(t->squares);
    free(t->power);
    free(t->alive);
}

int32_t *trainer_inputs(Trainer *t, int replica) {
    return program_ids(&t->program, t->tape.tokens, replica);
}

int32_t *trainer_targets(Trainer *t, int replica) {
    return program_ids(&t->program, t->tape.targets, replica);
}

void trainer_seek(Trainer *t, int step) {
    t->step = step;
    for (int r = 0; r < t->program.replicas; r++) {
        t->power[2 * r] = t->power[2 * r + 1] = 1;
        for (int i = 0; i < step; i++) {
            t->power[2 * r] *= t->recipe[r].beta1;
            t->power[2 * r + 1] *= t->recipe[r].beta2;
        }
    }
    if (t->resident) resident_seek(t->resident, t);
}

static double targets_of(Trainer *t, int replica) {
    const int32_t *target = trainer_targets(t, replica);
    double count = 0;
    for (int i = 0; i < t->tape.tensor[t->tape.targets].rows; i++) count += target[i] >= 0;
    return count > 0 ? count : 1;
}

/* Host arithmetic on a float backend rounds every result to float, so that a device can do the same. Sums, quotients and
 * roots of floats computed in double and rounded once are the float results. */
static double rounded(const Program *p, double x) {
    return p->backend->word[ROLE_PARAM] == sizeof(float) ? (double)(float)x : x;
}

/* Sums of squares of some tensors of one replica, each by one of the program's threads. */
typedef struct {
    const Program *p;
    Role role;
    int replica, count;
    const int *tensor; /* [count]; below 0: none */
    double *squares;   /* [count] */
} Squares;

static void sum_squares(void *context, int part, int parts) {
    const Squares *s = context;
    for (int i = part; i < s->count; i += parts) {
        if (s->tensor[i] < 0) continue;
        const Tensor *x = &s->p->tape->tensor[s->tensor[i]];
        s->squares[i] = s->p->backend->sumsq(program_at(s->p, s->role, s->tensor[i], s->replica), x->rows, x->cols);
    }
}

/* Norms over a role's tensors in tape order: global, and per block. */
static double norms(const Trainer *t, Role role, int r, double *layer_norm) {
    const Program *p = &t->program;
    double total = 0;
    Squares s = {p, role, r, t->parameters, t->parameter, t->squares};
    program_together(p, sum_squares, &s);
    for (int l = 0; layer_norm && l < t->tape.layers; l++) layer_norm[l] = 0;
    for (int i = 0; i < t->parameters; i++) {
        int layer = t->tape.tensor[t->parameter[i]].layer;
        total = rounded(p, total + t->squares[i]);
        if (layer_norm && layer >= 0) layer_norm[layer] = rounded(p, layer_norm[layer] + t->squares[i]);
    }
    for (int l = 0; layer_norm && l < t->tape.layers; l++) layer_norm[l] = rounded(p, sqrt(layer_norm[l]));
    return rounded(p, sqrt(total));
}

static void stop(Trainer *t, int r, StepReport *report, const char *what, int tensor) {
    t->alive[r] = false;
    report->finite = false;
    snprintf(report->culprit, sizeof report->culprit, "%s %s", what, tensor < 0 ? "norm" : t->tape.tensor[tensor].name);
}

static void *at_word(const Program *p, Role role, int tensor, int replica, int word) {
    return (unsigned char *)program_at(p, role, tensor, replica) + (size_t)word * p->backend->word[role];
}

typedef struct {
    const Trainer *t;
    int replica;
} Updated;

/* A part of every parameter. */
static void update(void *context, int part, int parts) {
    const Updated *u = context;
    const Trainer *t = u->t;
    const Program *p = &t->program;
    for (int i = 0; i < t->parameters; i++) {
        const Tensor *x = &t->tape.tensor[t->parameter[i]];
        Share share = share_of(part, parts, x->rows * x->cols);
        Update of = {.p = at_word(p, ROLE_PARAM, t->parameter[i], u->replica, share.from),
                     .g = at_word(p, ROLE_GRAD, t->parameter[i], u->replica, share.from),
                     .m = at_word(p, ROLE_MOMENT1, t->parameter[i], u->replica, share.from),
                     .v = at_word(p, ROLE_MOMENT2, t->parameter[i], u->replica, share.from),
                     .count = (size_t)(share.to - share.from),
                     .decay = x->rows > 1,
                     .scalars = &p->scalars[u->replica]};
        p->backend->update[t->recipe[u->replica].optimizer](&of);
    }
}

/* What the tape's norms were given: the first of each block. */
static void norm_inputs(const Trainer *t, int r, double *rms) {
    Squares s = {&t->program, ROLE_ACT, r, t->tape.layers, t->norm_input, t->squares};
    program_together(&t->program, sum_squares, &s);
    for (int l = 0; l < t->tape.layers; l++) {
        rms[l] = (double)NAN;
        if (t->norm_input[l] < 0) continue;
        const Tensor *x = &t->tape.tensor[t->norm_input[l]];
        rms[l] = sqrt(t->squares[l] / ((double)x->rows * x->cols));
        if (isnan(rms[l])) rms[l] = (double)INFINITY; /* broken is not absent */
    }
}

/* One replica's part of a step after backward. */
static void finish(Trainer *t, int r, StepReport *report) {
    Program *p = &t->program;
    *report = (StepReport){.loss = (float)program_value(p, ROLE_ACT, t->tape.loss, r, 0), .finite = true};
    report->embedding_norm = program_value(p, ROLE_ACT, t->tape.embedding_norm, r, 0);
    report->grad_norm = norms(t, ROLE_GRAD, r, report->layer_norm);
    norm_inputs(t, r, report->norm_input);
    if (!isfinite(report->loss)) {
        stop(t, r, report, "act", program_nonfinite_act(p, r));
        return;
    }
    if (!isfinite(report->grad_norm)) {
        stop(t, r, report, "grad", program_nonfinite(p, ROLE_GRAD, r));
        return;
    }
    double clip = t->recipe[r].clip;
    if (clip > 0) {
        double scale = rounded(p, clip / rounded(p, report->grad_norm + 1e-6));
        p->scalars[r].grad_scale = scale < 1 ? scale : 1;
    }
    program_together(p, update, &(Updated){t, r});
    report->update_norm = norms(t, ROLE_GRAD, r, NULL);
}

Rc trainer_keep_corpus(Trainer *t, const int32_t *tokens, size_t count, uint32_t choices, uint64_t stream, Error *e) {
    return resident_corpus(t->resident, t, tokens, count, choices, stream, e);
}

int trainer_steps(Trainer *t, int n, StepReport *report) {
    return resident_steps(t->resident, t, n, report);
}

bool trainer_failed(Trainer *t) {
    Program *p = &t->program;
    if (p->queue && !t->failure.code) (void)p->backend->device->status(p->queue, &t->failure);
    return t->failure.code;
}

bool trainer_step(Trainer *t, StepReport *report) {
    Program *p = &t->program;
    if (t->resident) return resident_steps(t->resident, t, 1, report) == 1;
    for (int r = 0; r < p->replicas; r++) {
        t->power[2 * r] *= t->recipe[r].beta1;
        t->power[2 * r + 1] *= t->recipe[r].beta2;
        recipe_scalars(&t->recipe[r], &p->scalars[r], t->seed[r], t->step, targets_of(t, r), t->power[2 * r],
                       t->power[2 * r + 1]);
    }
    program_forward(p);
    program_backward(p);
    if (program_cancelled(p)) {
        trainer_seek(t, t->step);
        return false;
    }
    for (int r = 0; r < p->replicas; r++)
        if (t->alive[r]) finish(t, r, &report[r]);
    t->step++;
    return true;
}

void trainer_forward(Trainer *t) {
    Program *p = &t->program;
    for (int r = 0; r < p->replicas; r++)
        p->scalars[r] = (Scalars){.seed = t->seed[r], .count = targets_of(t, r), .drop_scale = 1};
    if (t->resident)
        resident_forward(t->resident, t);
    else
        program_forward(p);
}

void trainer_score(const Trainer *t, int replica, int first, int rows, double *nll, long *hits, long *count) {
    const Program *p = &t->program;
    const int32_t *target = program_ids(p, t->tape.targets, replica);
    int kept = -1;
    for (int i = 0; i < t->tape.ops; i++)
        if (t->tape.op[i].out == t->tape.nll) kept = t->tape.op[i].save;
    double *nlls = mem_alloc((size_t)t->tape.tensor[t->tape.nll].rows, sizeof *nlls);
    double *saved = mem_alloc(2 * (size_t)t->tape.tensor[t->tape.nll].rows, sizeof *saved);
    program_values(p, ROLE_ACT, t->tape.nll, replica, nlls);
    program_values(p, ROLE_SAVE, kept, replica, saved);
    *nll = 0, *hits = 0, *count = 0;
    for (int row = first; row < first + rows; row++) {
        if (target[row] < 0) continue;
        *nll += nlls[row];
        *hits += saved[2 * row + 1] > 0;
        ++*count;
    }
    free(nlls);
    free(saved);
}

void trainer_hash(const Trainer *t, int replica, uint8_t out[32]) {
    TensorHash h;
    tensor_hash_init(&h);
    for (int i = 0; i < t->tape.tensors; i++) {
        const Tensor *x = &t->tape.tensor[i];
        if (x->role != ROLE_PARAM) continue;
        size_t n = (size_t)x->rows * (size_t)x->cols;
        float *values = mem_alloc(n, sizeof *values);
        program_read(&t->program, ROLE_PARAM, i, replica, values);
        tensor_hash_add(&h, values, n);
        free(values);
    }
    tensor_hash_end(&h, out);
}
