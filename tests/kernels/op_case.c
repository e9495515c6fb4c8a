#include "tests/kernels/op_case.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/canon.h"
#include "base/philox.h"

static View block(OpCase *c, Shape shape, size_t word, int replicas) {
    size_t stride = align_up((size_t)shape.rows * (size_t)shape.cols * word + 1);
    void *at = aligned_alloc(ARENA_ALIGN, stride * (size_t)replicas);
    memset(at, 0, stride * (size_t)replicas);
    c->word[c->blocks] = word, c->memory[c->blocks++] = at;
    return (View){at, stride, shape.rows, shape.cols};
}

/* A stored tensor's words, or the floats or doubles that all others are of. */
static size_t word_of(const Backend *b, bool stored) {
    return b->word[stored ? ROLE_ACT : ROLE_SAVE];
}

/* Find the block that holds a view, which may begin behind the block's first word. */
static size_t word_at(const OpCase *c, View v) {
    int i = 0, in = 0;
    while (i < c->blocks && c->memory[i] != v.at) i++;
    if (i < c->blocks) return c->word[i];
    for (i = 1; i < c->blocks; i++) {
        uintptr_t at = (uintptr_t)c->memory[i], before = (uintptr_t)c->memory[in];
        if (at <= (uintptr_t)v.at && (at > before || before > (uintptr_t)v.at)) in = i;
    }
    return c->word[in];
}

double view_get(const OpCase *c, View v, int replica, size_t i) {
    const void *at = (const char *)v.at + (size_t)replica * v.stride;
    const size_t word = word_at(c, v);
    if (word == 2) return (double)rounding_number(precision_word(c->backend->precision), ((const uint16_t *)at)[i]);
    return word == 8 ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

void view_set(const OpCase *c, View v, int replica, size_t i, double x) {
    void *at = (char *)v.at + (size_t)replica * v.stride;
    const size_t word = word_at(c, v);
    if (word == 2)
        ((uint16_t *)at)[i] = rounding_word(precision_word(c->backend->precision), (float)x);
    else if (word == 8)
        ((double *)at)[i] = x;
    else
        ((float *)at)[i] = (float)x;
}

static void fill_reals(OpCase *c, View v, int replica, uint64_t seed, uint64_t stream) {
    for (size_t i = 0; i < view_count(v); i++)
        view_set(c, v, replica, i, (double)canon_normal(philox_word(seed, stream, i)));
}

/* Ids below the table they index (embed, where every second one is among the last three) or the logits' width (xent,
 * which may also ignore a row). */
static void fill_ids(OpCase *c, int input, int replica, uint64_t seed) {
    bool first = input == 0;
    uint32_t limit = (uint32_t)(first ? c->in[1].rows : c->in[0].cols);
    int32_t *id = (int32_t *)(void *)((char *)c->call.in[input].at + (size_t)replica * c->call.in[input].stride);
    for (int i = 0; i < c->in[input].rows; i++) {
        uint32_t word = philox_word(seed, 99, (uint64_t)i);
        id[i] = op_measures(c->call.kind) && i % 7 == 3 ? -1 : (int32_t)philox_below(word, limit);
        if (first && i % 2) id[i] = (int32_t)(limit - 1 - (uint32_t)id[i] % 3);
    }
}

/* Any part of input 1's rows, also none of them; two of three begin where the one before does, as a sentence's do. */
static void fill_ranges(OpCase *c, int input, int replica, uint64_t seed) {
    uint32_t rows = (uint32_t)c->in[1].rows;
    int32_t *id = (int32_t *)(void *)((char *)c->call.in[input].at + (size_t)replica * c->call.in[input].stride);
    for (int i = 0; i < c->in[input].rows; i += 2) {
        bool same = i && philox_below(philox_word(seed, 97, (uint64_t)i), 3);
        id[i] = same ? id[i - 2] : (int32_t)philox_below(philox_word(seed, 98, (uint64_t)i), rows);
        id[i + 1] = id[i] + (int32_t)philox_below(philox_word(seed, 98, (uint64_t)i + 1), rows - (uint32_t)id[i] + 1);
    }
}

static void set_full(Attr *attr) {
    attr->full = true;
}

static const struct {
    OpKind op;
    const char *name;
    void (*set)(Attr *);
} other[] = {{OP_attention, "attention (full)", set_full}};
_Static_assert(sizeof other / sizeof *other == CASE_COUNT - OP_COUNT, "CASE_COUNT counts ops and these");

OpKind case_op(int kind) {
    return kind < OP_COUNT ? (OpKind)kind : other[kind - OP_COUNT].op;
}

const char *case_name(int kind) {
    return kind < OP_COUNT ? op_info[kind].name : other[kind - OP_COUNT].name;
}

void case_init(OpCase *c, int kind, int rows, int cols, const Backend *backend, int replicas, uint64_t seed,
               bool optional) {
    OpKind op = case_op(kind);
    *c = (OpCase){.backend = backend};
    Call *call = &c->call;
    *call = (Call){.kind = op, .replicas = replicas};
    call->in_count = optional ? op_most_inputs(op) : op_least_inputs(op);
    op_info[op].example(rows, cols, c->in, &call->attr);
    if (kind >= OP_COUNT) other[kind - OP_COUNT].set(&call->attr);
    const char *wrong = op_info[op].shape(c->in, call->in_count, &call->attr, &c->out, &c->save);
    assert(!wrong);
    (void)wrong;
    call->out = block(c, c->out, word_of(backend, op_stored(op, -1)), replicas);
    call->dout = block(c, c->out, word_of(backend, op_stored(op, -1)), replicas);
    if (c->save.rows) call->save = block(c, c->save, word_of(backend, false), replicas);
    Scalars *scalars = calloc((size_t)replicas, sizeof *scalars);
    c->memory[c->blocks++] = scalars;
    call->scalars = scalars;
    for (int i = 0; i < call->in_count; i++) {
        bool token = input_is_ids(op, i);
        bool act = op_info[op].input[i] == INPUT_act;
        call->in[i] = block(c, c->in[i], token ? sizeof(int32_t) : word_of(backend, op_stored(op, i)), replicas);
        if (!token) call->din[i] = block(c, c->in[i], word_of(backend, act && op_stored(op, i)), replicas);
    }
    for (int r = 0; r < replicas; r++) {
        uint64_t key = seed + (uint64_t)r;
        scalars[r] = (Scalars){.seed = key, .step = 3, .count = rows, .drop_below = 1u << 30, .drop_scale = 4.0 / 3};
        scalars[r].smoothing = key % 4 == 3 ? 0.1 : 0;
        scalars[r].progress = (double)(1 + key % 7) / 10;
        fill_reals(c, call->dout, r, key, 50);
        for (int i = 0; i < call->in_count; i++)
            if (op_info[op].input[i] == INPUT_range)
                fill_ranges(c, i, r, key);
            else if (input_is_ids(op, i))
                fill_ids(c, i, r, key);
            else
                fill_reals(c, call->in[i], r, key, (uint64_t)i);
    }
    const Kernel *k = backend->kernel[op];
    size_t need = k->scratch ? k->scratch(call) : 0;
    call->scratch = aligned_alloc(ARENA_ALIGN, align_up(need + 1));
    c->memory[c->blocks++] = call->scratch;
    memset(call->scratch, 0x7f, need);
}

void case_release(OpCase *c) {
    for (int i = 0; i < c->blocks; i++) free(c->memory[i]);
}

void case_forward(OpCase *c) {
    c->backend->kernel[c->call.kind]->forward(&c->call);
}

void case_start(OpCase *c, bool accumulate, double start) {
    for (int i = 0; i < c->call.in_count; i++) {
        c->call.accumulate[i] = accumulate;
        for (int r = 0; c->call.din[i].at && r < c->call.replicas; r++)
            for (size_t j = 0; j < view_count(c->call.din[i]); j++)
                view_set(c, c->call.din[i], r, j, accumulate ? start : (double)NAN);
    }
}

void case_backward(OpCase *c, bool accumulate, double start) {
    case_start(c, accumulate, start);
    c->backend->kernel[c->call.kind]->backward(&c->call);
}

double case_objective(const OpCase *c, int replica) {
    double sum = 0;
    for (size_t i = 0; i < view_count(c->call.out); i++)
        sum += view_get(c, c->call.out, replica, i) * view_get(c, c->call.dout, replica, i);
    return sum;
}

bool case_narrow(const Backend *b) {
    return b->word[ROLE_ACT] == sizeof(uint16_t);
}

/* All rows of floats with a library's products have the same kernels. */
bool case_can_run(const Backend *b) {
    if (backend_has_library(b) && b->precision != PRECISION_fp32 && !case_narrow(b)) return false;
    return b->supported() && (!b->device || b->device->shares_memory);
}
