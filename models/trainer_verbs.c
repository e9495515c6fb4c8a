/* What callers may ask of a trainer without knowing what it is made of. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "models/allreduce.h"
#include "models/change.h"
#include "models/init.h"
#include "models/micro.h"
#include "models/resident.h"

size_t trainer_need(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                    const Backend *backend) {
    TrainerPlan p = trainer_plan(shape, variant, probes, backend, false);
    return (size_t)trainer_plan_bytes(&p);
}

TrainerPlan trainer_plan(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                         const Backend *backend, bool apart) {
    static const Device any = {0};
    Tape tape;
    Backend like = *backend;
    size_t arena[ROLE_COUNT];
    if (apart && !like.device) {
        like.device = &any;
        if (precision_word(like.precision) != WORD_float)
            like.word[ROLE_ACT] = like.word[ROLE_DACT] = sizeof(uint16_t);
    }
    transformer_build(&tape, shape, variant, probes);
    size_t rest = program_arenas(&tape, &like, 1, arena);
    TrainerPlan p = {.parameters = tape_parameters(&tape),
                     .weights = arena[ROLE_PARAM],
                     .gradients = arena[ROLE_GRAD],
                     .sums = tape.passes > 1 ? allreduce_slots(tape.passes) * arena[ROLE_GRAD] : 0,
                     .moments = arena[ROLE_MOMENT1] + arena[ROLE_MOMENT2],
                     .activations = arena[ROLE_ACT] + arena[ROLE_SAVE] + arena[ROLE_DACT],
                     .other = arena[ROLE_TOKEN] + rest,
                     .flops = tape_flops(&tape) * tape.passes};
    tape_release(&tape);
    return p;
}

double trainer_plan_bytes(const TrainerPlan *p) {
    return (double)p->weights + (double)p->gradients + (double)p->sums + (double)p->moments +
           (double)p->activations + (double)p->other;
}

int trainer_replicas(const Trainer *t) {
    return t->program.replicas;
}

int trainer_step_number(const Trainer *t) {
    return t->step;
}

const Backend *trainer_backend(const Trainer *t) {
    return t->program.backend;
}

bool trainer_resident(const Trainer *t) {
    return t->resident && !t->micro;
}

double trainer_flops(const Trainer *t) {
    return tape_flops(&t->tape);
}

size_t trainer_bytes(const Trainer *t) {
    return program_bytes(&t->tape, t->program.backend, 1);
}

bool trainer_steps_alone(const Trainer *t) {
    return change_comes(t);
}

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

void trainer_repeat(Trainer *t) {
    FeedRoom first[TRAINER_MOST_FEEDS], room[TRAINER_MOST_FEEDS];
    int feeds = trainer_feeds(t, 0, first);
    for (int r = 1; r < t->program.replicas; r++) {
        trainer_feeds(t, r, room);
        for (int f = 0; f < feeds; f++) memcpy(room[f].ids, first[f].ids, (size_t)first[f].rows * sizeof(int32_t));
    }
}

void trainer_cancel(Trainer *t, const volatile sig_atomic_t *cancel) {
    t->program.cancel = cancel;
}

Rc trainer_share(Trainer *t, int threads, Error *e) {
    return program_share(&t->program, threads, e);
}

Rc trainer_keep_corpus(Trainer *t, const Corpus *corpus, Error *e) {
    return resident_corpus(t->resident, t, corpus, e);
}

int trainer_steps(Trainer *t, int n, StepReport *report) {
    return resident_steps(t->resident, t, n, report);
}

bool trainer_failed(Trainer *t, Error *e) {
    Program *p = &t->program;
    if (p->queue && !t->failure.code) (void)p->backend->device->status(p->queue, &t->failure);
    if (e && t->failure.code) *e = t->failure;
    return t->failure.code;
}

bool trainer_scaled(const Trainer *t) {
    return t->scale != NULL;
}

LossScale trainer_scale(Trainer *t, int replica) {
    if (t->resident) resident_read_scales(t->resident, t);
    return t->scale[replica];
}

void trainer_set_scale(Trainer *t, int replica, LossScale scale) {
    t->scale[replica] = scale;
    if (t->resident) resident_write_scale(t->resident, t, replica);
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

static void forget_rounded(Trainer *t, int replica) {
    if (!trainer_sites(t)) return;
    Rounded *none = mem_alloc((size_t)trainer_sites(t), sizeof *none);
    roundings_write(&t->program, replica, none);
    free(none);
}

void trainer_restart(Trainer *t, int replica) {
    const Recipe *recipe = &t->recipe[replica];
    init_parameters(&t->program, replica, recipe_seed(recipe->init_seed, t->seed[replica]), &recipe->init);
    t->alive[replica] = true;
    t->profiled = false;
    if (t->scale) trainer_set_scale(t, replica, (LossScale){.now = LOSS_SCALE_FIRST});
    forget_rounded(t, replica);
    if (t->resident) resident_revive(t->resident, t, replica);
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
    TraceLine *line;
    void *context;
} Tracer;

static void trace_tensor(const Trainer *t, TraceLine *line, void *context, const char *phase, int op, const char *kind,
                         Role role, int tensor) {
    uint8_t digest[32];
    TensorHash h;
    tensor_hash_init(&h);
    add_hash(&h, &t->program, role, tensor, 0);
    tensor_hash_end(&h, digest);
    line(context, phase, op, kind, t->tape.tensor[tensor].name, digest);
}

/* An op's output; or the gradients it wrote, while they stand: later contributors add to them. */
static void trace_op(void *context, int i, bool backward) {
    const Tracer *x = context;
    const Tape *tape = &x->t->tape;
    if (i < 0) return;
    const Op *op = &tape->op[i];
    const char *kind = op_info[op->kind].name;
    if (!backward) trace_tensor(x->t, x->line, x->context, "forward", i, kind, ROLE_ACT, op->out);
    for (int j = 0; backward && j < op->in_count; j++) {
        int tensor = tape->input[op->in_at + j];
        Role role = role_gradient(tape->tensor[tensor].role);
        if (role != ROLE_COUNT) trace_tensor(x->t, x->line, x->context, "backward", i, kind, role, tensor);
    }
}

void trainer_trace_parameters(const Trainer *t, const char *phase, TraceLine *line, void *context) {
    for (int i = 0; i < t->parameters; i++)
        trace_tensor(t, line, context, phase, 0, "parameter", ROLE_PARAM, t->parameter[i]);
}

bool trainer_trace(Trainer *t, TraceLine *line, void *context, StepReport *report) {
    trainer_each_op(t, trace_op, &(Tracer){t, line, context});
    if (!trainer_step(t, report) || trainer_failed(t, NULL)) return false;
    trainer_trace_parameters(t, "update", line, context);
    return true;
}

const Graph *trainer_graph(Trainer *t) {
    return resident_graph(t->resident, t);
}

Rc trainer_passes(Graph **out, const ModelShape *shape, const Variant *variant, int replicas, const Backend *backend,
                  Error *e) {
    Tape tape;
    Program p;
    transformer_build(&tape, shape, variant, NULL);
    Rc rc = program_init(&p, &tape, backend, replicas, e);
    if (!rc) {
        backend->device->record(p.queue);
        program_forward_ops(&p);
        program_backward_ops(&p);
        *out = backend->device->recorded(p.queue);
        program_release(&p);
    }
    tape_release(&tape);
    return rc;
}

Timing *trainer_timed(Trainer *t, size_t *count) {
    return resident_timed(t->resident, t, count);
}
