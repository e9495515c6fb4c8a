#include "kernels/cuda/dry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "kernels/cuda/product.h"

KERNEL_BUILDS(simt);

/* Largest table in bytes whose content is kept because launches read it; a model's numbers are not kept. */
enum { KEPT = 64 << 10 };

struct Graph {
    Note *note;
    size_t notes;
};

struct Queue {
    const Build *build;
    AttentionKind attention; /* set for fast precisions */
    Graph *recording;
};

/* Return the build of a Call. A plan's Calls have no queue, and what they ask for is equal in all builds. */
static const Build *build_of(const Call *c) {
    const Queue *q = c->queue;
    return q ? q->build : &simt_build;
}

static void put_note(Queue *q, Note n) {
    Graph *g = q->recording;
    if (!g || !n.grid.x) return;
    g->note = mem_grow(g->note, g->notes + 1, sizeof *g->note);
    g->note[g->notes++] = n;
}

/* Note a launch that moves so many bytes and numbers. */
static void note(Queue *q, const char *name, Grid grid, double bytes, double numbers) {
    put_note(q, (Note){.name = name, .grid = grid, .bytes = bytes, .numbers = numbers});
}

static size_t larger(size_t n, View v) {
    size_t own = (size_t)v.rows * (size_t)v.cols;
    return own > n ? own : n;
}

/* Return the numbers of a Call's largest tensor; gradients have the shapes of their tensors. */
static size_t largest(const Call *c) {
    size_t n = larger(larger(0, c->out), c->save);
    for (int i = 0; i < c->in_count; i++) n = larger(n, c->in[i]);
    return n;
}

static void note_stages(const Stage *s, const Call *c, bool narrow) {
    for (; s->name; s++)
        put_note(c->queue, (Note){.name = s->name,
                                  .grid = s->grid(c),
                                  .flops = (s->flops ? s->flops(c) : 0) * c->replicas,
                                  .bytes = stage_bytes(s, c, build_of(c)->word) * c->replicas,
                                  .numbers = stage_bytes(s, c, WORD_float) / 4 * c->replicas,
                                  .narrow = narrow,
                                  .largest = largest(c)});
}

static const Stage *stages_of(const Build *of, OpKind kind, bool backward) {
    return backward ? of->stages[kind]->backward : of->stages[kind]->forward;
}

static void forward(const Call *c) {
    note_stages(stages_of(build_of(c), c->kind, false), c, false);
}

static void backward(const Call *c) {
    note_stages(stages_of(build_of(c), c->kind, true), c, false);
}

static size_t scratch(const Call *c) {
    return stages_scratch(simt_build.stages[c->kind], c);
}

/* Note a fused launch; the second op reads the first's output from caches. */
static void note_fused(const FusedStage *s, const Two *t, bool backward) {
    const Call *first = &t->first, *second = &t->second;
    const Build *of = build_of(first);
    const Word words[] = {of->word, WORD_float};
    double bytes[2];
    for (int i = 0; i < 2; i++)
        bytes[i] =
            bytes_touched(s->touches_first, first, words[i]) + bytes_touched(s->touches_second, second, words[i]);
    const size_t of_first = largest(first), other = largest(second);
    Note n = {.name = s->name, .grid = s->grid(t), .largest = of_first > other ? of_first : other};
    n.bytes = bytes[0] * first->replicas, n.numbers = bytes[1] / 4 * first->replicas;
    n.flops = s->flops ? s->flops(first) * first->replicas : 0;
    n.beside = s->beside;
    for (const Stage *alone = stages_of(of, second->kind, backward); n.beside && alone->name; alone++)
        if (!strcmp(alone->name, n.beside))
            n.beside_numbers = stage_bytes(alone, second, WORD_float) / 4 * first->replicas;
    put_note(first->queue, n);
}

static bool fused(const Call *first, const Call *second, bool backward) {
    const Two two = {*first, *second};
    const FusedStage *s = fused_stage(build_of(first), &two, backward);
    if (s) note_fused(s, &two, backward);
    return s;
}

/* Note a library's product. Its grid is unknown; assume an algorithm that also does the bias, and all replicas in one
 * call. */
static void note_product(const Call *c, Product p) {
    const double factors = (double)p.m * p.k + (double)p.k * p.n;
    const double sums = (p.beta > 0 ? 2.0 : 1.0) * p.m * p.n + (p.bias ? p.m : 0);
    const double bytes = (double)word_bytes(p.word) * factors + (double)word_bytes(p.word_c) * sums;
    put_note(c->queue, (Note){.name = PRODUCT_NAME,
                              .grid = {1, 1, 1, 1, 0},
                              .flops = 2.0 * p.m * p.n * p.k * p.replicas,
                              .bytes = (bytes + (p.dbias ? 4.0 * p.n : 0)) * p.replicas,
                              .narrow = true,
                              .largest = largest(c)});
}

/* Note the launches of an op other than linear. */
static void note_fast(const Call *c, bool backward) {
    const Build *of = build_of(c);
    const Stages *all = fast_stages(of, ((const Queue *)c->queue)->attention, c);
    note_stages(backward ? all->backward : all->forward, c, all != of->stages[c->kind]);
}

static void fast_forward(const Call *c) {
    const Build *of = build_of(c);
    if (c->kind != OP_linear) {
        note_fast(c, false);
        return;
    }
    note_product(c, product_forward(c, of->word));
    note_stages(of->linear_after->forward, c, false);
}

static void note_weight(const Call *c) {
    const Build *of = build_of(c);
    if (c->din[1].at) note_product(c, product_weight(c, of->word));
    if (!product_has_dbias(c)) note_stages(of->linear_bias->backward, c, false);
}

static void fast_backward(const Call *c) {
    const Build *of = build_of(c);
    if (c->kind != OP_linear) {
        note_fast(c, true);
        return;
    }
    if (c->din[0].at) note_product(c, product_input(c, of->word));
    note_stages(of->linear_after->backward, c, false);
    note_weight(c);
}

static bool fast_fused(const Call *first, const Call *second, bool backward) {
    const Two two = {*first, *second};
    const Build *of = build_of(first);
    const FusedStage *with = gelu_after_product(of, &two, backward);
    if (first->kind != OP_linear) return fused(first, second, backward);
    if (!with) return false;
    note_product(first, backward ? product_input(first, of->word) : product_forward(first, of->word));
    note_fused(with, &two, backward);
    if (backward) note_weight(first);
    return true;
}

static size_t fast_scratch(const Call *c) {
    return product_scratch(&simt_build, c);
}

static size_t fp16_scratch(const Call *c) {
    return product_scratch(&simt_fp16_build, c);
}

static size_t bf16_scratch(const Call *c) {
    return product_scratch(&simt_bf16_build, c);
}

static bool present(Error *e) {
    (void)e;
    return true;
}

static Rc open_queue(const Build *build, AttentionKind attention, Queue **q) {
    *q = mem_alloc(1, sizeof **q);
    (*q)->build = build, (*q)->attention = attention;
    return RC_OK;
}

static void close_queue(Queue *q) {
    free(q);
}

/* Reserve addresses without pages, since a device may have more memory than this machine. Their size is stored in
 * front. */
static Rc take(Queue *q, void **at, size_t bytes, Error *e) {
    (void)q;
    size_t all = bytes + ARENA_ALIGN;
    size_t *front = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *at = NULL;
    if (front == MAP_FAILED) return error_set(e, RC_UNMEASURED, "out of memory: %zu MB of addresses", bytes >> 20);
    *front = all;
    *at = (char *)front + ARENA_ALIGN;
    return RC_OK;
}

static void give(Queue *q, void *at) {
    (void)q;
    if (at) munmap((char *)at - ARENA_ALIGN, *(size_t *)(void *)((char *)at - ARENA_ALIGN));
}

static void put(Queue *q, void *to, const void *from, size_t bytes) {
    (void)q;
    if (bytes <= KEPT) memcpy(to, from, bytes);
}

static void get(Queue *q, void *to, const void *from, size_t bytes) {
    (void)q, (void)from;
    memset(to, 0, bytes);
}

static void fetch(Queue *q, int slot, const void *from, size_t bytes) {
    (void)q, (void)slot, (void)from, (void)bytes;
    assert(!"a dry run reads nothing back");
}

static const void *landed(Queue *q, int slot) {
    (void)q, (void)slot;
    return NULL;
}

static void step(Queue *q, StepKind kind, const Step *s) {
    const StepLaunch *l = &q->build->steps[kind];
    const double bytes = l->bytes ? l->bytes(s) * s->replicas : 0;
    note(q, l->name, l->grid(s), bytes, bytes / 4);
}

/* Note a rounding: every number is read and written. */
static void round_numbers(const Rounding *c) {
    const RoundLaunch *l = simt_build.round;
    const double bytes = 4.0 + (c->narrow ? 2.0 : 4.0), numbers = (double)(c->piece ? c->numbers : larger(0, c->from));
    note(c->queue, l->name, l->grid(c), bytes * numbers * c->replicas, 2 * numbers * c->replicas);
}

/* Note an addition: x and y are read, y is written. */
static void add(Queue *q, const Addition *a) {
    const double numbers = (a->copies ? 2 : 3) * (double)a->words;
    note(q, simt_build.add->name, simt_build.add->grid(a), 4 * numbers, numbers);
}

static void choose(int local) {
    (void)local;
}

/* Do nothing: a dry run is one process. */
static Rc meet(Queue *q, const Ranks *r, Error *e) {
    (void)q, (void)r;
    return error_set(e, RC_UNMEASURED, "a dry run meets nobody");
}

static void swap(Queue *q, int partner, const void *mine, void *theirs, size_t bytes) {
    (void)q, (void)partner, (void)mine, (void)theirs, (void)bytes;
    assert(!"a dry run has met nobody");
}

static void total(Queue *q, float *words, size_t count) {
    (void)q, (void)words, (void)count;
    assert(!"a dry run has met nobody");
}

static void branch(Queue *q, bool on) {
    (void)q, (void)on;
}

static void merge(Queue *q) {
    (void)q;
}

static void record(Queue *q) {
    q->recording = mem_alloc(1, sizeof *q->recording);
}

static Graph *recorded(Queue *q) {
    Graph *g = q->recording;
    q->recording = NULL;
    return g;
}

static void replay(Queue *q, Graph *g) {
    (void)q, (void)g;
}

static void forget(Graph *g) {
    if (g) free(g->note);
    free(g);
}

/* Time nothing, since nothing runs. */
static void time_each(Queue *q) {
    (void)q;
}

static Timing *timed(Queue *q, size_t *count) {
    (void)q;
    *count = 0;
    return NULL;
}

static Rc status(Queue *q, Error *e) {
    (void)q, (void)e;
    return RC_OK;
}

static size_t memory(void) {
    return 0;
}

static void describe(char *out, size_t size) {
    if (size) out[0] = 0;
}

static bool supported(void) {
    return true;
}

#define DEVICE(name, build_, attention) \
    static Rc name##_open(Queue **q, Error *e) { \
        (void)e; \
        return open_queue(&simt##build_##_build, ATTENTION_##attention, q); \
    } \
    static const Device name##_device = {false,  present, name##_open, close_queue, take,          give,   put, \
                                         get,    fetch,   landed,      step,        round_numbers, add,    choose, \
                                         meet,   swap,    total,       branch,      merge,         record, recorded, \
                                         replay, forget,  time_each,   timed,       status,        memory, describe};
DEVICE(exact, , exact)
DEVICE(fp16, _fp16, exact)
DEVICE(bf16_stored, _bf16, exact)
#define FAST(name, build_, compute, factor, digits, attention) DEVICE(name, build_, attention)
#include "kernels/cuda/fast.def"
#undef FAST

static const Kernel exact_kernel = {forward, backward, scratch, fused},
                    fast_kernel = {fast_forward, fast_backward, fast_scratch, fast_fused},
                    fp16_kernel = {fast_forward, fast_backward, fp16_scratch, fast_fused},
                    bf16_kernel = {fast_forward, fast_backward, bf16_scratch, fast_fused};

static const Kernel *const exact_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &exact_kernel};
static const Kernel *const fast_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &fast_kernel};
static const Kernel *const fp16_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &fp16_kernel};
static const Kernel *const bf16_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &bf16_kernel};

/* List the bytes of a number in each arena, in the order of Role. */
#define WORDS(act) \
    { 4, act, 4, 4, 4, act, 4, 4 }
#define ROW(name_, precision_, kernels, act, device_) \
    { \
        .name = name_, .family = "cuda", .precision = PRECISION_##precision_, .class_of_bits = "none", \
        .what = "notes what " name_ " would launch", .word = WORDS(act), .kernel = kernels, .supported = supported, \
        .device = &device_##_device \
    }
static const Backend rows[] = {ROW("cuda", exact, exact_kernels, 4, exact),
                               ROW("cuda-fp32", fp32, fast_kernels, 4, fp32),
                               ROW("cuda-tf32", tf32, fast_kernels, 4, tf32),
                               ROW("cuda-bf16", bf16, fast_kernels, 4, bf16),
                               ROW("cuda-fp16", fp16, exact_kernels, 2, fp16),
                               ROW("cuda-bf16-stored", bf16_stored, exact_kernels, 2, bf16_stored),
                               ROW("cuda-fp16-scaled", fp16_scaled, exact_kernels, 2, fp16),
                               ROW("cuda-bf16-stored-fast", bf16_stored_fast, bf16_kernels, 2, bf16_stored_fast),
                               ROW("cuda-fp16-scaled-fast", fp16_scaled_fast, fp16_kernels, 2, fp16_scaled_fast)};

const Backend *dry_backend(const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i].name)) return &rows[i];
    return NULL;
}

const Note *dry_notes(const Graph *g, size_t *count) {
    *count = g->notes;
    return g->note;
}

const Backend *dry_precise(PrecisionKind p) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].precision == p) return &rows[i];
    return NULL;
}

static Rc too_much(const char *kernel, size_t has, const char *of, size_t most, Error *e) {
    return error_set(e, RC_UNMEASURED, "kernel %s needs %zu %s; the most is %zu", kernel, has, of, most);
}

static Rc fits(const Note *n, size_t shared, Error *e) {
    const Grid *g = &n->grid;
    if (n->largest > INT32_MAX)
        return error_set(e, RC_UNMEASURED, "kernel %s has a tensor of %zu numbers; kernels count fewer than 2^31",
                         n->name, n->largest);
    if (g->x > GRID_X_MAX) return too_much(n->name, g->x, "blocks in x", GRID_X_MAX, e);
    if (g->y > GRID_YZ_MAX) return too_much(n->name, g->y, "blocks in y", GRID_YZ_MAX, e);
    if (g->z > GRID_YZ_MAX) return too_much(n->name, g->z, "blocks in z", GRID_YZ_MAX, e);
    if (g->threads > BLOCK_THREADS_MAX) return too_much(n->name, g->threads, "threads a block", BLOCK_THREADS_MAX, e);
    if (g->shared > shared) return too_much(n->name, g->shared, "bytes of shared memory a block", shared, e);
    return RC_OK;
}

/* Check launches. A kernel with dynamic shared memory declares none, and nvcc limits declared memory to 48 KB. */
Rc dry_fits(const Graph *g, size_t shared, Error *e) {
    for (size_t i = 0; i < g->notes; i++)
        if (fits(&g->note[i], shared, e)) return e->code;
    return RC_OK;
}
