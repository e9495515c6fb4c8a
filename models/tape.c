#include "models/tape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

void tape_init(Tape *t) {
    *t = (Tape){.logits = -1, .nll = -1, .loss = -1, .passes = 1};
}

void tape_release(Tape *t) {
    free(t->tensor);
    free(t->op);
    free(t->input);
    free(t->feed);
    free(t->mark);
    free(t->probe);
    free(t->data_init);
    tape_init(t);
}

size_t tensor_words(const Tensor *t) {
    size_t line = ARENA_ALIGN / sizeof(float); /* 16 floats or 16 doubles are whole lines */
    return ((size_t)t->rows * (size_t)t->cols + line - 1) / line * line;
}

bool tape_cut(const Tape *t, int op) {
    return t->head_rows && op >= t->head && t->op[op].out <= t->nll;
}

/* Tensors are numbered as they are made. */
int tape_rows(const Tape *t, int tensor) {
    bool cut = t->head_rows && tensor >= t->op[t->head].out && tensor < t->nll && t->tensor[tensor].role == ROLE_ACT;
    return cut ? t->head_rows : t->tensor[tensor].rows;
}

size_t tape_words(const Tape *t, int tensor, size_t word) {
    Tensor held = t->tensor[tensor];
    held.rows = tape_rows(t, tensor);
    return tensor_words(&held) * (held.measure && word == sizeof(uint16_t) ? 2 : 1);
}

bool tape_can_cut(const Tape *t) {
    for (int i = t->head; t->op[i].out <= t->nll; i++)
        for (int j = 0; j < t->op[i].in_count; j++) {
            int x = t->input[t->op[i].in_at + j];
            if (t->tensor[x].role == ROLE_PARAM && (i > t->head || j != 1)) return false;
        }
    return true;
}

bool tensor_vector(const Tensor *t) {
    return t->rows == 1 && t->init >= INIT_VALUE;
}

static int add_tensor(Tape *t, Tensor new) {
    new.at = t->words[new.role];
    t->words[new.role] += tensor_words(&new);
    t->tensor = mem_grow(t->tensor, (size_t)t->tensors + 1, sizeof *t->tensor);
    t->tensor[t->tensors] = new;
    return t->tensors++;
}

static void copy_name(char to[TENSOR_NAME_SIZE], const char *name) {
    assert(strlen(name) < TENSOR_NAME_SIZE);
    memcpy(to, name, strlen(name) + 1);
}

int tape_feed(Tape *t, int rows, const char *name) {
    Tensor new = {.rows = rows, .cols = 1, .role = ROLE_TOKEN, .layer = -1};
    assert(tape_fed(t, name) < 0);
    copy_name(new.name, name);
    t->feed = mem_grow(t->feed, (size_t)t->feeds + 1, sizeof *t->feed);
    t->feed[t->feeds] = (Feed){name, add_tensor(t, new)};
    return t->feed[t->feeds++].tensor;
}

int tape_param(Tape *t, int rows, int cols, InitKind init, double value, int layer, const char *name) {
    Tensor new = {.rows = rows, .cols = cols, .role = ROLE_PARAM, .layer = layer, .init = init, .value = value};
    new.scale = new.scale_last = 1;
    copy_name(new.name, name);
    assert(tape_find(t, name) < 0);
    return add_tensor(t, new);
}

int tape_op(Tape *t, OpKind kind, const int *in, int count, Attr attr, int layer, const char *name) {
    Shape shape[OP_MAX_IN], out, save;
    assert(count >= op_least_inputs(kind) && count <= op_most_inputs(kind));
    for (int i = 0; i < count; i++) shape[i] = (Shape){t->tensor[in[i]].rows, t->tensor[in[i]].cols};
    const char *wrong = op_info[kind].shape(shape, count, &attr, &out, &save);
    assert(!wrong && "an op's inputs do not fit its shape rule");
    (void)wrong;
    Op op = {.kind = kind, .in_at = t->inputs, .in_count = count, .save = -1, .layer = layer, .attr = attr};
    Tensor y = {.rows = out.rows, .cols = out.cols, .role = ROLE_ACT, .measure = op_measures(kind), .layer = layer};
    copy_name(y.name, name);
    op.out = add_tensor(t, y);
    if (save.rows) {
        Tensor kept = {.rows = save.rows, .cols = save.cols, .role = ROLE_SAVE, .layer = layer};
        copy_name(kept.name, name);
        op.save = add_tensor(t, kept);
    }
    t->input = mem_grow(t->input, (size_t)(t->inputs + count), sizeof *t->input);
    memcpy(t->input + t->inputs, in, (size_t)count * sizeof *in);
    t->inputs += count;
    t->op = mem_grow(t->op, (size_t)t->ops + 1, sizeof *t->op);
    t->op[t->ops++] = op;
    return op.out;
}

int tape_op1(Tape *t, OpKind kind, int a, Attr attr, int layer, const char *name) {
    return tape_op(t, kind, &a, 1, attr, layer, name);
}

int tape_op2(Tape *t, OpKind kind, int a, int b, Attr attr, int layer, const char *name) {
    return tape_op(t, kind, (int[]){a, b}, 2, attr, layer, name);
}

int tape_find(const Tape *t, const char *name) {
    for (int i = 0; i < t->tensors; i++)
        if (t->tensor[i].role == ROLE_PARAM && !strcmp(t->tensor[i].name, name)) return i;
    return -1;
}

int tape_fed(const Tape *t, const char *name) {
    for (int i = 0; i < t->feeds; i++)
        if (!strcmp(t->feed[i].name, name)) return t->feed[i].tensor;
    return -1;
}

static Mark marked(const Tape *t, ProbeSite site, int layer) {
    for (int i = 0; i < t->marks; i++)
        if (t->mark[i].site == site && t->mark[i].layer == layer) return t->mark[i];
    return (Mark){site, layer, TENSOR_NONE, 0, 0};
}

void tape_mark_rows(Tape *t, ProbeSite site, int layer, int tensor, int first, int rows) {
    assert(first >= 0 && first + rows <= t->tensor[tensor].rows);
    if (marked(t, site, layer).tensor != TENSOR_NONE) return;
    t->mark = mem_grow(t->mark, (size_t)t->marks + 1, sizeof *t->mark);
    t->mark[t->marks++] = (Mark){site, layer, tensor, first, rows};
}

void tape_mark(Tape *t, ProbeSite site, int layer, int tensor) {
    tape_mark_rows(t, site, layer, tensor, 0, 0);
}

void tape_data_init(Tape *t, int parameter, int branch, bool anew) {
    t->data_init = mem_grow(t->data_init, (size_t)t->data_inits + 1, sizeof *t->data_init);
    t->data_init[t->data_inits++] = (DataInit){parameter, branch, anew};
}

static void add_probe(Tape *t, ProbeKind kind, int layer) {
    const ProbeInfo *info = &probe_info[kind];
    const SiteInfo *site = &site_info[info->site];
    Role role = site->role;
    Mark at = {info->site, layer, TENSOR_PARAMETERS, 0, 0};
    if (role == ROLE_ACT || role == ROLE_DACT || site->matrix) at = marked(t, info->site, layer);
    int tensor = at.tensor;
    bool row_norm = info->reduction == REDUCE_row_norm;
    assert(!row_norm || role == ROLE_ACT);
    if (row_norm && tensor != TENSOR_NONE) {
        char name[64], block[16] = "";
        if (layer >= 0) snprintf(block, sizeof block, "_%d", layer);
        snprintf(name, sizeof name, "%ss%s", info->name, block);
        int norms = tape_op1(t, OP_rownorm, tensor, (Attr){0}, -1, name);
        snprintf(name, sizeof name, "%s%s", info->name, block);
        tensor = tape_op1(t, OP_mean, norms, (Attr){0}, -1, name);
    }
    t->probe = mem_grow(t->probe, (size_t)t->probes + 1, sizeof *t->probe);
    Reduction how = row_norm                            ? REDUCE_word
                    : info->reduction == REDUCE_apart ? REDUCTION_COUNT
                                                      : (Reduction)info->reduction;
    t->probe[t->probes++] = (Probe){.kind = kind, .layer = layer, .tensor = tensor, .first = at.first, .rows = at.rows,
                                    .role = role, .reduction = how};
}

void tape_probe(Tape *t, const ProbeChoice *choice) {
    for (int blocks = 0; blocks < 2; blocks++)
        for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) {
            if (!choice->wanted[kind] || probe_info[kind].blocks != blocks) continue;
            for (int layer = blocks ? 0 : -1; layer < (blocks ? t->layers : 0); layer++) add_probe(t, kind, layer);
        }
}

int *tape_readers(const Tape *t) {
    int *readers = mem_alloc((size_t)t->tensors, sizeof *readers);
    for (int i = 0; i < t->inputs; i++) readers[t->input[i]]++;
    for (int i = 0; i < t->probes; i++)
        if (t->probe[i].tensor >= 0) readers[t->probe[i].tensor]++;
    return readers;
}

size_t tape_parameters(const Tape *t) {
    size_t n = 0;
    for (int i = 0; i < t->tensors; i++)
        if (t->tensor[i].role == ROLE_PARAM) n += (size_t)t->tensor[i].rows * (size_t)t->tensor[i].cols;
    return n;
}

void tape_print(const Tape *t, Text *out) {
    for (int i = 0; i < t->ops; i++) {
        const Op *op = &t->op[i];
        const Tensor *y = &t->tensor[op->out];
        char layer[16] = "-";
        if (op->layer >= 0) snprintf(layer, sizeof layer, "%d", op->layer);
        text_format(out, "%4d  %3s  %-10s %5d x %-5d %-24s <-", i, layer, op_info[op->kind].name, y->rows, y->cols,
                    y->name);
        for (int j = 0; j < op->in_count; j++) text_format(out, " %s", t->tensor[t->input[op->in_at + j]].name);
        text_add(out, "\n", 1);
    }
}

static void parameter_text(const Tensor *x, Text *out) {
    text_format(out, "%s %d %d %d %.17g %.17g %d %.17g %.17g\n", x->name, x->rows, x->cols, (int)x->init, x->value,
                x->std, (int)x->unit, x->scale, x->scale_last);
}

static void op_text(const Tape *t, const Op *op, Text *out) {
    const Attr *a = &op->attr;
    text_format(out, "%s %d %d %d %d %d %.17g %.17g %.17g %llu:", op_info[op->kind].name, op->out, a->heads, a->seq,
                (int)a->full, a->group, a->eps, a->alpha, a->beta, (unsigned long long)a->stream);
    for (int j = 0; j < op->in_count; j++) text_format(out, " %d", t->input[op->in_at + j]);
    text_add(out, "\n", 1);
}

void tape_sha256(const Tape *t, char out[SHA256_HEX]) {
    LOCAL_TEXT(text);
    for (int i = 0; i < t->tensors; i++)
        if (t->tensor[i].role == ROLE_PARAM) parameter_text(&t->tensor[i], &text);
    for (int i = 0; i < t->ops; i++) op_text(t, &t->op[i], &text);
    for (const DataInit *d = t->data_init; d < t->data_init + t->data_inits; d++)
        text_format(&text, "%d %d\n", d->parameter, d->branch);
    sha256_hex_of(out, text.at, text.length);
}

Role role_gradient(Role role) {
    return role == ROLE_PARAM ? ROLE_GRAD : role == ROLE_ACT ? ROLE_DACT : ROLE_COUNT;
}

double tape_flops(const Tape *t) {
    double flops = 0;
    for (int i = 0; i < t->ops; i++) {
        const Op *op = &t->op[i];
        Shape in[OP_MAX_IN], out = {t->tensor[op->out].rows, t->tensor[op->out].cols};
        for (int j = 0; j < op->in_count; j++) {
            const Tensor *x = &t->tensor[t->input[op->in_at + j]];
            in[j] = (Shape){x->rows, x->cols};
        }
        OpCost cost = op_info[op->kind].flops(in, out, &op->attr);
        flops += cost.forward + cost.backward;
    }
    return flops;
}

int tape_maker(const Tape *t, int tensor) {
    int op = t->ops - 1;
    while (t->op[op].out != tensor) op--;
    return op;
}

int tape_hits(const Tape *t) {
    return t->op[tape_maker(t, t->nll)].save;
}
