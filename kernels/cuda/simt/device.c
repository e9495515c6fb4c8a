/* The shim as a device: its memory is closed to the host (memory.h), its queue runs each kernel at once, and recorded
 * work is a list of launches. So the host's side of the CUDA backend is run and tested where there is no device. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "kernels/backend.h"
#include "kernels/cuda/nccl.h"
#include "kernels/cuda/product.h"
#include "kernels/cuda/simt/memory.h"
#include "kernels/cuda/simt/run.h"
#include "kernels/device.h"

KERNEL_BUILDS(simt);

typedef struct {
    const char *name;
    const void *body;
    Grid grid;
    void *args;
    bool flat;
} Launched;

/* Limits set by simt_limits. */
static _Thread_local struct {
    size_t bytes;
    int replays;
    bool lost, memory;
} limit;

void simt_limits(size_t bytes, int replays) {
    limit.bytes = bytes, limit.replays = replays, limit.lost = false, limit.memory = bytes > 0;
}

struct Graph {
    Launched *launch;
    size_t launches;
};

/* Rounding of a factor by the library (kernels/cuda/fast.def). */
typedef float (*Factor)(float x);

struct Queue {
    Memory memory;
    Graph *recording; /* NULL: run at once */
    void *buffer[DEVICE_SLOTS];
    const Ranks *ranks; /* set by meet; NULL: none */
    Nccl *nccl;         /* tests only: a library in place of NCCL; NULL: ranks exchange by Ranks */
    const char *failed; /* error of that library */
    bool aside;         /* true in a branch */
    bool timing;
    Timing *timed;
    size_t launches; /* number of timed launches */
    Factor factor;
    AttentionKind attention; /* set for fast precisions */
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Name of the shim's own launch, which no device has. */
static const char fresh_scratch[] = "fresh scratch";

static void simt_launch(void *queue, const char *name, const void *body, Grid grid, const void *args, size_t bytes,
                        bool flat) {
    Queue *q = queue;
    Graph *g = q ? q->recording : NULL;
    if (!g) {
        double start = q && q->timing ? seconds() : 0;
        if (q) memory_open(&q->memory);
        simt_run(name, body, grid, args, flat);
        if (q) memory_close(&q->memory);
        if (!q || !q->timing || name == fresh_scratch) return;
        q->timed = mem_grow(q->timed, q->launches + 1, sizeof *q->timed);
        q->timed[q->launches++] = (Timing){name, seconds() - start};
        return;
    }
    void *copy = mem_alloc(1, bytes);
    memcpy(copy, args, bytes);
    g->launch = mem_grow(g->launch, g->launches + 1, sizeof *g->launch);
    g->launch[g->launches++] = (Launched){name, body, grid, copy, flat};
}

static float as_it_stands(float x) {
    return x;
}

typedef struct {
    Product product;
    Factor factor;
} Multiply;

static float number_at(Word word, const void *words, size_t i) {
    return word == WORD_float ? ((const float *)words)[i] : rounding_number(word, ((const uint16_t *)words)[i]);
}

static void put_number(Word word, void *words, size_t i, float x) {
    if (word == WORD_float)
        ((float *)words)[i] = x;
    else
        ((uint16_t *)words)[i] = rounding_word(word, x);
}

/* Return number i of `words` as the library reads it. */
static double factor_at(const Multiply *m, const void *words, size_t i) {
    const float x = number_at(m->product.word, words, i);
    return (double)(m->product.word == WORD_float ? m->factor(x) : x);
}

static double a_at(const Multiply *m, int i, int k) {
    const Product *p = &m->product;
    return factor_at(m, p->a,
                     p->a_turned ? (size_t)i * (size_t)p->lda + (size_t)k : (size_t)k * (size_t)p->lda + (size_t)i);
}

static double b_at(const Multiply *m, int k, int j) {
    const Product *p = &m->product;
    return factor_at(m, p->b,
                     p->b_turned ? (size_t)k * (size_t)p->ldb + (size_t)j : (size_t)j * (size_t)p->ldb + (size_t)k);
}

/* Sum B over k, unrounded. */
static void write_dbias(const Multiply *m) {
    const Multiply as_is = {m->product, as_it_stands};
    for (int j = 0; j < m->product.n; j++) {
        double sum = 0;
        for (int k = 0; k < m->product.k; k++) sum += b_at(&as_is, k, j);
        m->product.dbias[j] = (float)sum;
    }
}

/* Multiply as the shim's library: sum in double and round once, an order that is neither ours nor cuBLASLt's. */
static void multiply_one(const Multiply *m) {
    const Product *p = &m->product;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            const size_t at = (size_t)j * (size_t)p->ldc + (size_t)i;
            double sum = 0;
            for (int k = 0; k < p->k; k++) sum += a_at(m, i, k) * b_at(m, k, j);
            float beside = p->bias ? number_at(p->word_c, p->bias, (size_t)i) : 0;
            if (p->beta > 0) beside = number_at(p->word_c, p->c, at);
            put_number(p->word_c, p->c, at, (float)sum + beside);
        }
    if (p->dbias) write_dbias(m);
}

static void multiply(const void *args) {
    const Multiply *m = args;
    for (int r = 0; r < m->product.replicas; r++) {
        const Multiply alone = {product_alone(&m->product, r), m->factor};
        multiply_one(&alone);
    }
}

static bool simt_product(Queue *q, Product p) {
    static const SimtKernel kernel = {multiply, 1, 0};
    const Multiply m = {p, q ? q->factor : as_it_stands};
    simt_launch(q, PRODUCT_NAME, &kernel, (Grid){1, 1, 1, 1, 0}, &m, sizeof m, true);
    return true;
}

typedef struct {
    void *at;
    size_t bytes;
} Scratch;

static void fill(const void *args) {
    const Scratch *s = args;
    memset(s->at, 0xff, s->bytes);
}

void simt_fresh_scratch(const Call *c, size_t bytes) {
    static const SimtKernel kernel = {fill, 1, 0};
    const Scratch s = {c->scratch, bytes};
    if (bytes) simt_launch(c->queue, fresh_scratch, &kernel, (Grid){1, 1, 1, 1, 0}, &s, sizeof s, true);
}

/* Run all stages of an op with the memory opened once. */
static void all_stages(const Call *c, size_t scratch, void (*stages)(const Call *c)) {
    Queue *q = c->queue;
    bool now = q && !q->recording;
    if (now) memory_open(&q->memory);
    simt_fresh_scratch(c, scratch);
    stages(c);
    if (now) memory_close(&q->memory);
}

static AttentionKind attention_of(const Queue *q) {
    return q ? q->attention : ATTENTION_exact;
}

/* Define what backends.def's rows name of a build. */
#define FRESH(of) \
    static void of##_fresh_forward(const Call *c) { \
        all_stages(c, of##_scratch(c), of##_forward); \
    } \
    static void of##_fresh_backward(const Call *c) { \
        all_stages(c, of##_scratch(c), of##_backward); \
    } \
    static const Kernel of##_row = {of##_fresh_forward, of##_fresh_backward, of##_scratch, of##_fused}; \
    extern const Kernel *const of##_fresh_kernels[OP_COUNT]; \
    const Kernel *const of##_fresh_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &of##_row};
#define ROWS(build) \
    STAGED_KERNELS(build, simt_launch) \
    PRODUCT_KERNELS(build, simt_launch, simt_product, attention_of) \
    FRESH(build) \
    FRESH(build##_fast) \
    static void build##_step(Queue *q, StepKind kind, const Step *s) { \
        enqueue_step(&build##_build.steps[kind], s, q, simt_launch); \
    } \
    static void build##_round(const Rounding *c) { \
        enqueue_round(build##_build.round, c, simt_launch); \
    }
ROWS(simt)
ROWS(simt_fp16)
ROWS(simt_bf16)

static bool present(Error *e) {
    (void)e;
    return true;
}

static Rc open_queue(Queue **q, Factor factor, AttentionKind attention, Error *e) {
    (void)e;
    *q = mem_alloc(1, sizeof **q);
    (*q)->factor = factor, (*q)->attention = attention;
    return RC_OK;
}

static void close_queue(Queue *q) {
    for (int i = 0; i < DEVICE_SLOTS; i++) free(q->buffer[i]);
    free(q->timed);
    nccl_leave(q->nccl, q->failed);
    memory_release(&q->memory);
    free(q);
}

static Rc status(Queue *q, Error *e) {
    if (q->failed) return error_set(e, RC_UNMEASURED, "the shim's NCCL failed: %s", q->failed);
    return limit.lost ? error_set(e, RC_UNMEASURED, "the device was lost") : RC_OK;
}

static Rc take(Queue *q, void **at, size_t bytes, Error *e) {
    *at = NULL;
    if (status(q, e)) return e->code;
    if (limit.memory && bytes > limit.bytes)
        return error_set(e, RC_UNMEASURED, "out of device memory: %zu bytes are needed, %zu bytes are free", bytes,
                         limit.bytes);
    if (limit.memory) limit.bytes -= bytes;
    return memory_take(&q->memory, at, bytes, e);
}

static void give(Queue *q, void *at) {
    memory_give(&q->memory, at);
}

static void put(Queue *q, void *to, const void *from, size_t bytes) {
    assert(!q->recording);
    memory_put(&q->memory, to, from, bytes);
}

static void get(Queue *q, void *to, const void *from, size_t bytes) {
    assert(!q->recording);
    memory_get(&q->memory, to, from, bytes);
    if (limit.lost) memset(to, 0xff, bytes);
}

static void fetch(Queue *q, int slot, const void *from, size_t bytes) {
    assert(!q->recording);
    q->buffer[slot] = mem_grow(q->buffer[slot], bytes, 1);
    memory_get(&q->memory, q->buffer[slot], from, bytes);
}

static const void *landed(Queue *q, int slot) {
    return q->buffer[slot];
}

static void add(Queue *q, const Addition *a) {
    enqueue_add(simt_build.add, a, q, simt_launch);
}

static void choose(int local) {
    (void)local;
}

static Rc meet(Queue *q, const Ranks *r, Error *e) {
    const char *library = getenv("NORMBENCH_SIMT_NCCL");
    q->ranks = r;
    return library && *library ? nccl_meet(&q->nccl, library, r, e) : RC_OK;
}

static void failed(Queue *q, const char *what) {
    if (what && !q->failed) q->failed = what;
}

static void swap(Queue *q, int partner, const void *mine, void *theirs, size_t bytes) {
    assert(q->ranks && !q->recording);
    if (q->failed) return;
    memory_open(&q->memory);
    if (q->nccl)
        failed(q, nccl_swap(q->nccl, partner, mine, theirs, bytes, NULL));
    else
        q->ranks->swap(q->ranks->context, partner, mine, theirs, bytes);
    memory_close(&q->memory);
}

/* Add in order of rank, without a library. */
static void total_of_ranks(const Ranks *r, float *words, size_t count) {
    float *all = mem_alloc((size_t)r->ranks * count + 1, sizeof *all);
    memcpy(all + (size_t)r->rank * count, words, count * sizeof *all);
    ranks_gather(r, all, count * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        words[i] = all[i];
        for (int k = 1; k < r->ranks; k++) words[i] += all[(size_t)k * count + i];
    }
    free(all);
}

static void total(Queue *q, float *words, size_t count) {
    assert(q->ranks && !q->recording);
    if (q->failed) return;
    memory_open(&q->memory);
    if (q->nccl)
        failed(q, nccl_total(q->nccl, words, count, NULL));
    else
        total_of_ranks(q->ranks, words, count);
    memory_close(&q->memory);
}

/* Note the branch; enqueued work runs at once, so it is done when the branch ends. */
static void branch(Queue *q, bool on) {
    assert(q->aside != on && !q->recording);
    q->aside = on;
}

static void merge(Queue *q) {
    assert(!q->aside);
    (void)q;
}

static void record(Queue *q) {
    assert(!q->recording);
    q->recording = mem_alloc(1, sizeof *q->recording);
}

static Graph *recorded(Queue *q) {
    Graph *g = q->recording;
    q->recording = NULL;
    return g;
}

static void replay(Queue *q, Graph *g) {
    if (limit.replays && !--limit.replays) limit.lost = true;
    memory_open(&q->memory);
    for (size_t i = 0; !limit.lost && i < g->launches; i++) {
        const Launched *l = &g->launch[i];
        simt_run(l->name, l->body, l->grid, l->args, l->flat);
    }
    memory_close(&q->memory);
}

static void forget(Graph *g) {
    for (size_t i = 0; g && i < g->launches; i++) free(g->launch[i].args);
    if (g) free(g->launch);
    free(g);
}

static void time_each(Queue *q) {
    assert(!q->timing && !q->recording);
    q->timing = true;
}

static Timing *timed(Queue *q, size_t *count) {
    Timing *all = q->timed;
    *count = q->launches;
    q->timed = NULL, q->launches = 0, q->timing = false;
    return all;
}

static size_t memory(void) {
    return limit.bytes;
}

static void describe(char *out, size_t size) {
    if (size) out[0] = 0;
}

#define DEVICE(name, build, factor, attention) \
    static Rc name##_open(Queue **q, Error *e) { \
        return open_queue(q, factor, ATTENTION_##attention, e); \
    } \
    extern const Device name; \
    const Device name = {true,   present, name##_open, close_queue,  take,          give,   put, \
                         get,    fetch,   landed,      build##_step, build##_round, add,    choose, \
                         meet,   swap,    total,       branch,       merge,         record, recorded, \
                         replay, forget,  time_each,   timed,        status,        memory, describe};
DEVICE(simt_exact_device, simt, as_it_stands, exact)
DEVICE(simt_fp16_exact_device, simt_fp16, as_it_stands, exact)
DEVICE(simt_bf16_exact_device, simt_bf16, as_it_stands, exact)
#define FAST(name, build, compute, factor, digits, attention) \
    DEVICE(simt_##name##_device, simt##build, factor, attention)
#include "kernels/cuda/fast.def"
#undef FAST
