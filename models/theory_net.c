#include "models/theory_net.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/normals.h"
#include "base/philox.h"
#include "base/sha256.h"
#include "models/init.h"
#include "models/program.h"

enum { XIONG_CLASSES = 64 };

struct TheoryNet {
    TheoryPlan plan;
    ModelShape shape;
    Tape tape;
    Program program;
    int tokens, targets, output, direction; /* tensors; direction -1: none */
};

static bool xiong(const TheoryNet *n) {
    return n->plan.start == START_xiong;
}

static ModelShape shape_of(const TheoryPlan *p) {
    ModelShape s = {.layers = p->layers, .width = p->width, .context = p->tokens, .batch = 1, .tied = false};
    if (p->start == START_xiong) {
        s.heads = 1, s.ffn_mult = 1, s.activation = ACTIVATION_RELU, s.full = true;
        s.vocab = p->tokens > XIONG_CLASSES ? p->tokens : XIONG_CLASSES;
    } else {
        s.heads = p->heads, s.ffn_mult = p->ffn_mult, s.activation = p->relu ? ACTIVATION_RELU : ACTIVATION_GELU;
        s.vocab = XIONG_CLASSES, s.bias = true, s.norm_eps = 1e-5;
    }
    return s;
}

/* The sum over tokens of x . c. */
static void direction_head(TheoryNet *n) {
    Tape *t = &n->tape;
    n->direction = tape_param(t, 1, n->shape.width, INIT_MATRIX, 0, -1, "direction");
    int along = tape_op2(t, OP_linear, n->output, n->direction, (Attr){0}, -1, "along");
    t->loss = tape_op1(t, OP_mean, along, (Attr){0}, -1, "loss");
}

static void build(TheoryNet *n) {
    Stack b;
    Tape *t = &n->tape;
    tape_init(t);
    t->untrained = true;
    stack_init(&b, t, &n->shape, &n->plan.variant, "");
    n->tokens = tape_feed(t, n->plan.tokens, "tokens");
    n->output = stack_blocks(&b, stack_embedding(&b, n->tokens));
    n->targets = n->direction = -1;
    if (n->plan.head == HEAD_direction) {
        direction_head(n);
        return;
    }
    n->targets = tape_feed(t, n->plan.tokens, "targets");
    stack_head(&b, n->output, n->targets);
}

static size_t words_of(const TheoryNet *n, int tensor) {
    return (size_t)n->tape.tensor[tensor].rows * (size_t)n->tape.tensor[tensor].cols;
}

static double *at(const TheoryNet *n, Role role, int tensor) {
    return program_at(&n->program, role, tensor, 0);
}

/* "h.3.attn.c_proj.weight" of START_xiong is the identity, which nothing changes. */
static bool held(const TheoryNet *n, const Tensor *t) {
    return xiong(n) && text_ends(t->name, "attn.c_proj.weight");
}

/* A matrix of a block that theory speaks of. */
static bool is_weight(const TheoryNet *n, int tensor) {
    const Tensor *t = &n->tape.tensor[tensor];
    return t->role == ROLE_PARAM && t->layer >= 0 && t->init != INIT_VALUE && !held(n, t);
}

/* Before the row's scale. */
static double std_of(const TheoryNet *n, const Tensor *t) {
    if (xiong(n)) return t->init == INIT_TOKEN ? 1 : t->init == INIT_POSITION ? 0 : 1 / sqrt(n->plan.width);
    if (t->std > 0) return t->std;
    return t->init == INIT_RESIDUAL ? 0.02 / sqrt(2.0 * n->plan.layers) : 0.02;
}

/* x[i] += scale * the i-th normal of a stream, i from `from` to end - 1. */
static void add_normals(double *x, size_t end, uint64_t seed, uint64_t stream, size_t from, double scale) {
    float *normal = mem_alloc(end - from, sizeof *normal);
    normals_draw(normal, end - from, seed, stream, from);
    for (size_t i = from; i < end; i++) x[i] += scale * (double)normal[i - from];
    free(normal);
}

/* Adds scale times what the tensor starts as: from another stream, if one is named. START_xiong has no W_Q and W_K. */
static void add_start(TheoryNet *n, int tensor, const char *stream, double scale) {
    const Tensor *t = &n->tape.tensor[tensor];
    double *x = at(n, ROLE_PARAM, tensor), std = scale * std_of(n, t) * t->scale;
    size_t count = words_of(n, tensor), last = count / 3 * 2;
    bool values_only = xiong(n) && text_ends(t->name, "attn.c_attn.weight");
    uint64_t id = name_stream(stream);
    if (!values_only) add_normals(x, last, n->plan.seed, id, 0, std);
    add_normals(x, count, n->plan.seed, id, last, std * t->scale_last);
}

static void start_parameter(TheoryNet *n, int tensor) {
    const Tensor *t = &n->tape.tensor[tensor];
    double *x = at(n, ROLE_PARAM, tensor);
    size_t count = words_of(n, tensor), d = (size_t)t->cols;
    memset(x, 0, count * sizeof *x);
    if (t->init == INIT_VALUE)
        for (size_t i = 0; i < count; i++) x[i] = t->value;
    else if (held(n, t))
        for (size_t i = 0; i < d; i++) x[i * d + i] = 1;
    else
        add_start(n, tensor, t->name, 1);
}

/* Tokens are all different in START_xiong, so that each has an input of its own. */
static void start(TheoryNet *n) {
    uint64_t ids = name_stream("theory.tokens"), targets = name_stream("theory.targets");
    n->program.scalars[0] = (Scalars){.seed = n->plan.seed, .grad_scale = 1, .drop_scale = 1};
    n->program.scalars[0].count = n->plan.head == HEAD_loss ? n->plan.tokens : 1;
    for (int i = 0; i < n->tape.tensors; i++)
        if (n->tape.tensor[i].role == ROLE_PARAM) start_parameter(n, i);
    for (int i = 0; i < n->plan.tokens; i++) {
        uint32_t id = philox_word(n->plan.seed, ids, (uint64_t)i), to = philox_word(n->plan.seed, targets, (uint64_t)i);
        program_ids(&n->program, n->tokens, 0)[i] = xiong(n) ? i : (int32_t)philox_below(id, (uint32_t)n->shape.vocab);
        if (n->targets >= 0)
            program_ids(&n->program, n->targets, 0)[i] = (int32_t)philox_below(to, (uint32_t)n->shape.vocab);
    }
    init_from_data(&n->program);
}

Rc theory_net_make(TheoryNet **out, const TheoryPlan *plan, Error *e) {
    const Backend *oracle = backend_find("cpu64", e);
    TheoryNet *n = mem_alloc(1, sizeof *n);
    n->plan = *plan;
    n->shape = shape_of(plan);
    *out = NULL;
    Rc rc = oracle ? shape_keys(&n->shape, e) : e->code;
    if (!rc) rc = variant_check(&n->plan.variant, plan->layers, e);
    if (rc) {
        free(n);
        return rc;
    }
    build(n);
    rc = program_init(&n->program, &n->tape, oracle, 1, e);
    if (rc) {
        tape_release(&n->tape);
        free(n);
        return rc;
    }
    start(n);
    *out = n;
    return RC_OK;
}

void theory_net_free(TheoryNet *n) {
    program_release(&n->program);
    tape_release(&n->tape);
    free(n);
}

void theory_net_forward(TheoryNet *n) {
    program_forward(&n->program);
}

void theory_net_gradients(TheoryNet *n) {
    program_forward(&n->program);
    program_backward(&n->program);
}

/* Return a block's parameter "h.<layer>.<name>", or -1. */
static int parameter(const TheoryNet *n, int layer, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "h.%d.%.40s", layer, name);
    return tape_find(&n->tape, full);
}

static bool reads(const Tape *t, int op, int tensor) {
    for (int i = 0; i < t->op[op].in_count; i++)
        if (t->input[t->op[op].in_at + i] == tensor) return true;
    return false;
}

typedef struct {
    int last;
    volatile sig_atomic_t reached;
} Until;

static void stop_behind(void *context, int op) {
    Until *until = context;
    if (op == until->last) until->reached = 1;
}

void theory_net_gradients_until(TheoryNet *n, int layer, const char *name) {
    Until until = {.last = 0};
    const int tensor = parameter(n, layer, name);
    while (!reads(&n->tape, until.last, tensor)) until.last++;
    program_forward(&n->program);
    n->program.cancel = &until.reached;
    program_backward_seen(&n->program, stop_behind, &until);
    n->program.cancel = NULL;
}

/* The activation called "h.<layer>.<name>", or -1. */
static int activation(const TheoryNet *n, int layer, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "h.%d.%.40s", layer, name);
    for (int i = 0; i < n->tape.tensors; i++)
        if (n->tape.tensor[i].role == ROLE_ACT && !strcmp(n->tape.tensor[i].name, full)) return i;
    return -1;
}

static int marked(const TheoryNet *n, ProbeSite site, int layer) {
    for (int i = 0; i < n->tape.marks; i++)
        if (n->tape.mark[i].site == site && n->tape.mark[i].layer == layer) return n->tape.mark[i].tensor;
    return -1;
}

static int leaving(const TheoryNet *n, int layer) {
    return layer < 0 ? marked(n, SITE_entering, -1) : marked(n, SITE_output, layer);
}

static int place(const TheoryNet *n, TheoryPlace where, int layer) {
    int normed;
    switch (where) {
    case PLACE_attn_sum: return activation(n, layer, "attn.residual");
    case PLACE_mlp_sum: return activation(n, layer, "mlp.residual");
    case PLACE_leaving: return leaving(n, layer);
    case PLACE_read: normed = activation(n, layer, "ln_1"); return normed < 0 ? leaving(n, layer - 1) : normed;
    }
    return -1;
}

static double sum_squares(const double *x, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
    return sum;
}

double theory_net_square(const TheoryNet *n, TheoryPlace where, int layer) {
    int tensor = place(n, where, layer);
    assert(tensor >= 0);
    return sum_squares(at(n, ROLE_ACT, tensor), words_of(n, tensor)) / (double)words_of(n, tensor);
}

double theory_net_shared(const TheoryNet *n, int layer) {
    int tensor = place(n, PLACE_read, layer), d = n->plan.width, tokens = n->plan.tokens;
    const double *x = at(n, ROLE_ACT, tensor);
    double *mean = mem_alloc((size_t)d, sizeof *mean), sum = 0;
    for (int i = 0; i < tokens; i++) { /* a causal token sees those up to itself */
        for (int j = 0; j < d; j++) mean[j] += x[(size_t)i * (size_t)d + (size_t)j];
        double seen = sum_squares(mean, (size_t)d) / ((i + 1.0) * (i + 1.0) * d);
        sum = n->shape.full ? seen : sum + seen / tokens;
    }
    free(mean);
    return sum;
}

double theory_net_gradient(const TheoryNet *n, int layer, const char *name) {
    const int tensor = parameter(n, layer, name);
    return tensor < 0 ? (double)NAN : sqrt(sum_squares(at(n, ROLE_GRAD, tensor), words_of(n, tensor)));
}

double theory_net_scale(const TheoryNet *n, const char *name) {
    const int tensor = parameter(n, 0, name);
    if (tensor < 0) return (double)NAN;
    const Tensor *t = &n->tape.tensor[tensor];
    return t->scale * (text_ends(name, "attn.c_attn.weight") ? t->scale_last : 1);
}

double theory_net_largest_gradient(const TheoryNet *n) {
    double most = 0;
    for (int i = 0; i < n->tape.tensors; i++) {
        if (!is_weight(n, i)) continue;
        const double *g = at(n, ROLE_GRAD, i);
        for (size_t k = 0; k < words_of(n, i); k++) most = fmax(most, fabs(g[k]));
    }
    return most;
}

int theory_net_words(const TheoryNet *n) {
    return n->plan.tokens * n->plan.width;
}

int theory_net_tokens(const TheoryNet *n) {
    return n->plan.tokens;
}

void theory_net_output(const TheoryNet *n, double *out) {
    program_values(&n->program, ROLE_ACT, n->output, 0, out);
}

void theory_net_input(const TheoryNet *n, double *out) {
    program_values(&n->program, ROLE_ACT, leaving(n, -1), 0, out);
}

/* Every token of START_xiong has a row of the table to itself. */
void theory_net_input_gradient(const TheoryNet *n, double *out) {
    assert(xiong(n));
    memcpy(out, at(n, ROLE_GRAD, tape_find(&n->tape, "wte.weight")), (size_t)theory_net_words(n) * sizeof *out);
}

void theory_net_step(TheoryNet *n, double eta) {
    for (int i = 0; i < n->tape.tensors; i++) {
        if (!is_weight(n, i)) continue;
        double *w = at(n, ROLE_PARAM, i);
        const double *g = at(n, ROLE_GRAD, i);
        for (size_t k = 0; k < words_of(n, i); k++) w[k] -= eta * g[k];
    }
}

void theory_net_noise(TheoryNet *n, double scale) {
    for (int i = 0; i < n->tape.tensors; i++) {
        char stream[80];
        if (!is_weight(n, i)) continue;
        snprintf(stream, sizeof stream, "theory.noise.%.48s", n->tape.tensor[i].name);
        add_start(n, i, stream, scale);
    }
}

static void center_columns(double *x, size_t rows, size_t cols) {
    for (size_t j = 0; j < cols; j++) {
        double mean = 0;
        for (size_t i = 0; i < rows; i++) mean += x[i * cols + j] / (double)rows;
        for (size_t i = 0; i < rows; i++) x[i * cols + j] -= mean;
    }
}

/* W_O is the identity in START_xiong, so that W_V writes into the stream. */
void theory_net_center(TheoryNet *n) {
    size_t d = (size_t)n->plan.width;
    assert(xiong(n));
    for (int i = 0; i < n->tape.tensors; i++) {
        const Tensor *t = &n->tape.tensor[i];
        double *x = at(n, ROLE_PARAM, i);
        if (t->role != ROLE_PARAM) continue;
        if (t->init == INIT_TOKEN)
            for (size_t row = 0; row < (size_t)t->rows; row++) center_columns(x + row * d, d, 1);
        if (text_ends(t->name, "mlp.c_proj.weight")) center_columns(x, d, d);
        if (text_ends(t->name, "attn.c_attn.weight")) center_columns(x + 2 * d * d, d, d);
    }
}

void theory_net_direction(TheoryNet *n, const double *c) {
    memcpy(at(n, ROLE_PARAM, n->direction), c, (size_t)n->plan.width * sizeof *c);
}
