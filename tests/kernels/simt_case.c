#include "tests/kernels/simt_case.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "kernels/cuda/simt/run.h"
#include "kernels/cuda/step_launch.h"

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif
#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
#endif

KERNEL_BUILDS(simt);

const unsigned simt_orders[SIMT_ORDERS] = {0, 1, 2, 7, SIMT_TOGETHER + 3};

enum { VIEWS_MAX = 2 * OP_MAX_IN + 3 };

static int views_of(const Call *c, View v[VIEWS_MAX]) {
    int n = 0;
    v[n++] = c->out, v[n++] = c->dout;
    if (c->save.at) v[n++] = c->save;
    for (int i = 0; i < c->in_count; i++) {
        v[n++] = c->in[i];
        if (c->din[i].at) v[n++] = c->din[i];
    }
    return n;
}

/* The gaps between one replica's tensor and the next, which no kernel may write: watched by AddressSanitizer, or kept
 * zero. */
static bool between(const Call *c, bool (*each)(unsigned char *, size_t)) {
    View v[VIEWS_MAX];
    bool fine = true;
    for (int i = views_of(c, v) - 1; i >= 0; i--)
        for (int r = 0; r < c->replicas; r++) {
            size_t used = view_count(v[i]) * sizeof(float);
            fine = each((unsigned char *)v[i].at + (size_t)r * v[i].stride + used, v[i].stride - used) && fine;
        }
    return fine;
}

#ifdef SANITIZED
static bool forbid(unsigned char *at, size_t bytes) {
    __asan_poison_memory_region(at, bytes);
    return true;
}

static void guard(const OpCase *c) {
    const Kernel *k = c->backend->kernel[c->call.kind];
    size_t need = k->scratch ? k->scratch(&c->call) : 0;
    between(&c->call, forbid);
    forbid((unsigned char *)c->call.scratch + need, align_up(need + 1) - need);
}

static bool untouched(const OpCase *c) {
    (void)c; /* it would have stopped the program */
    return true;
}
#else
static bool zero(unsigned char *at, size_t bytes) {
    while (bytes && !at[bytes - 1]) bytes--;
    return !bytes;
}

static void guard(const OpCase *c) {
    (void)c;
}

static bool untouched(const OpCase *c) {
    return between(&c->call, zero);
}
#endif

static bool same_bits(const OpCase *a, const OpCase *b, View va, View vb) {
    for (int r = 0; r < a->call.replicas; r++)
        for (size_t i = 0; i < view_count(va); i++)
            if (canon_bits((float)view_get(a, va, r, i)) != canon_bits((float)view_get(b, vb, r, i))) return false;
    return true;
}

static const char *compare_forward(const OpCase *ours, const OpCase *readable) {
    if (!same_bits(ours, readable, ours->call.out, readable->call.out)) return "y";
    if (ours->call.save.at && !same_bits(ours, readable, ours->call.save, readable->call.save)) return "save";
    return untouched(ours) ? NULL : "memory beyond a tensor after forward";
}

static const char *compare_backward(const OpCase *ours, const OpCase *readable) {
    static const char *const name[OP_MAX_IN] = {"the gradient of input 0", "the gradient of input 1",
                                                "the gradient of input 2", "the gradient of input 3"};
    for (int i = 0; i < ours->call.in_count; i++)
        if (ours->call.din[i].at && !same_bits(ours, readable, ours->call.din[i], readable->call.din[i]))
            return name[i];
    return untouched(ours) ? NULL : "memory beyond a tensor after backward";
}

/* Backward with the gradient of input 0 in another place, whose words it overwrites. */
static bool same_at(OpCase *ours, const OpCase *readable, View place) {
    View elsewhere = ours->call.din[0];
    ours->call.din[0] = place;
    ours->backend->kernel[ours->call.kind]->backward(&ours->call);
    ours->call.din[0] = elsewhere;
    return same_bits(ours, readable, place, readable->call.din[0]);
}

static bool can_continue(const Call *c) {
    return c->kind == OP_linear && c->in_count == 2 && c->in[0].rows <= CANON_BLOCK;
}

/* A second backward whose chains go on from what the first one left. */
static bool same_continued(OpCase *ours, OpCase *readable) {
    OpCase *both[] = {ours, readable};
    for (int i = 0; i < 2; i++) {
        both[i]->call.continues = true;
        both[i]->backend->kernel[OP_linear]->backward(&both[i]->call);
        both[i]->call.continues = false;
    }
    return same_bits(ours, readable, ours->call.din[1], readable->call.din[1]);
}

static const char *compare(OpCase *ours, OpCase *readable, bool accumulate) {
    bool probe = op_is_probe(ours->call.kind);
    const char *what;
    guard(ours);
    case_forward(ours);
    case_forward(readable);
    if ((what = compare_forward(ours, readable)) || probe) return what;
    case_backward(ours, accumulate, 0.25);
    case_backward(readable, accumulate, 0.25);
    if ((what = compare_backward(ours, readable)) || accumulate) return what;
    if (op_in_place(ours->call.kind) && !same_at(ours, readable, ours->call.dout))
        return "the gradient of input 0 in the place of the output's";
    if (op_over_self(ours->call.kind) && !ours->backend->device && !same_at(ours, readable, ours->call.in[0]))
        return "the gradient of input 0 in its own place";
    if (can_continue(&ours->call) && !same_continued(ours, readable)) return "the gradient of input 1, continued";
    return untouched(ours) ? NULL : "memory beyond a tensor after more backwards";
}

static unsigned launched(const Stage *stage, const Call *c) {
    unsigned bits = 0;
    for (int i = 0; stage[i].name; i++) bits |= (unsigned)(!c || stage[i].grid(c).x) << i;
    return bits;
}

unsigned simt_all_stages(int kind) {
    OpKind op = case_op(kind);
    const Stages *s = simt_build.stages[op];
    return launched(s->forward, NULL) | launched(s->backward, NULL) << STAGES_MAX;
}

bool case_agrees(char why[160], const char *backend, int kind, const SimtCase *s) {
    Error e;
    LOCAL(case_release) OpCase ours, readable;
    case_init(&ours, kind, s->rows, s->cols, backend_find(backend, &e), s->replicas, 7, s->optional);
    case_init(&readable, kind, s->rows, s->cols, backend_find("readable", &e), s->replicas, 7, s->optional);
    const char *what = compare(&ours, &readable, s->accumulate);
    if (what)
        snprintf(why, 160, "%s on %s: %s, %d x %d, %d replicas, accumulate %d, optional inputs %d", case_name(kind),
                 backend, what, s->rows, s->cols, s->replicas, s->accumulate, s->optional);
    return !what;
}

bool simt_agrees(char why[160], int kind, const SimtCase *s, unsigned order, unsigned *stages) {
    Error e;
    OpKind op = case_op(kind);
    LOCAL(case_release) OpCase seen;
    case_init(&seen, kind, s->rows, s->cols, backend_find("simt", &e), s->replicas, 7, s->optional);
    *stages |= launched(simt_build.stages[op]->forward, &seen.call);
    *stages |= launched(simt_build.stages[op]->backward, &seen.call) << STAGES_MAX;
    seen.call.continues = can_continue(&seen.call);
    *stages |= launched(simt_build.stages[op]->backward, &seen.call) << STAGES_MAX;
    simt_order(order);
    bool same = case_agrees(why, "simt", kind, s);
    simt_order(0);
    return same;
}

typedef struct {
    OpKind op;                /* OP_COUNT: every op */
    int rows, cols, replicas; /* 0: several */
} Row;

/* Rows around warps and blocks of threads; odd columns, columns beyond a warp's lanes, groups of columns. */
static const Row usual[] = {{OP_COUNT, 1, 5, 0},   {OP_COUNT, 3, 7, 0},   {OP_COUNT, 33, 16, 0}, {OP_COUNT, 64, 33, 0},
                            {OP_COUNT, 129, 9, 0}, {OP_COUNT, 9, 130, 0}, {OP_COUNT, 6, 48, 0}};
/* Rows, or groups of columns, beyond one and two of rule 2's blocks, where an op sums over them. */
static const Row tall[] = {
    {OP_linear, 4099, 3, 0},  {OP_linear, 8195, 2, 0}, {OP_layernorm, 2050, 8, 0}, {OP_rmsnorm, 2050, 8, 0},
    {OP_embed, 4200, 3, 0},   {OP_gate, 4099, 3, 0},   {OP_gate, 4099, 2, 0},      {OP_mean, 4099, 1, 0},
    {OP_mean, 12289, 1, 0},   {OP_qkrms, 4099, 3, 0},  {OP_crms, 2050, 8, 0},      {OP_tanh, 4099, 3, 0},
    {OP_erf, 4099, 3, 0},     {OP_shift, 4099, 3, 0},  {OP_shift, 4099, 2, 0},     {OP_streams, 4099, 2, 0},
    {OP_attnres, 4099, 3, 0}, {OP_gate, 4099, 8, 0},   {OP_damp, 4099, 3, 0},      {OP_damp, 4099, 1, 0},
    {OP_vrms, 4099, 3, 0},    {OP_vrms, 4099, 4, 0},   {OP_embed, 4200, 8, 0},     {OP_embed, 8211, 2, 0}};
/* Products and replicas enough for each size of tiles (kernels/cuda/linear.cu), with more than one tile to a side and
 * edges on both: first such as cannot be read four numbers at a time, then such as can. Those of 128 go through three
 * strips of k and more, the last one not whole, so that both halves of their shared memory are filled again. */
static const Row wide[] = {{OP_linear, 130, 35, 108},
                           {OP_linear, 66, 9, 50},
                           {OP_linear, 17, 130, 54},
                           {OP_linear, 2, 66, 50},
                           {OP_linear, 130, 44, 108},
                           {OP_linear, 20, 132, 54},
                           {OP_linear, 68, 52, 50},
                           {OP_linear, 52, 68, 50},
                           {OP_linear, 52, 100, 3},
                           /* Heads of 16, 32, 64 and 72, and wider than a block's memory takes at once; rows beyond a
                            * lane's registers; few queries to a block. */
                           {OP_attention, 200, 32, 1},
                           {OP_attention, 97, 64, 1},
                           {OP_attention, 40, 128, 1},
                           {OP_attention, 35, 144, 1},
                           {OP_attention, 1100, 8, 1},
                           {OP_attention, 35, 536, 1},
                           {OP_attention, 70, 131, 1}};

enum { USUAL = sizeof usual / sizeof *usual, TALL = sizeof tall / sizeof *tall, WIDE = sizeof wide / sizeof *wide };

/* Replicas, accumulate, optional inputs. */
static const SimtCase ways[] = {
    {0, 0, 3, true, true}, {0, 0, 1, false, true}, {0, 0, 3, false, false}, {0, 0, 1, true, true}};

bool simt_case(int kind, int i, SimtCase *shape, bool *costly) {
    OpKind op = case_op(kind);
    for (int j = 0; j < USUAL + TALL + WIDE; j++) {
        const Row *row = j < USUAL ? &usual[j] : j < USUAL + TALL ? &tall[j - USUAL] : &wide[j - USUAL - TALL];
        int count = j < USUAL ? 4 : j < USUAL + TALL ? 2 : 1;
        if (row->op != op && row->op != OP_COUNT) continue;
        if (i >= count) {
            i -= count;
            continue;
        }
        *costly = j >= USUAL;
        *shape = ways[i];
        shape->rows = row->rows, shape->cols = row->cols;
        if (row->replicas) shape->replicas = row->replicas;
        return true;
    }
    return false;
}
