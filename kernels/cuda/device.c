/* The CUDA device: its memory, a stream per queue, and the launches of the kernels beside this file through the
 * runtime. cuBLASLt is looked for when a fast precision asks for it, so that a program built with CUDA
 * starts where there is none. */
#include <assert.h>
#include <cublas_api.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/cuda/nccl.h"
#include "kernels/cuda/plans.h"
#include "kernels/cuda/presence.h"
#include "kernels/device.h"

KERNEL_BUILDS(cuda);

struct Graph {
    cudaGraphExec_t exec;
};

/* Event between two timed launches. */
typedef struct {
    cudaEvent_t event;
    const char *kernel; /* launched before it; NULL: the beginning */
} Mark;

struct Queue {
    cudaStream_t stream; /* takes new work: the queue's own, or the branch's */
    cudaStream_t side;   /* the other of those two, after `meet`; else NULL */
    cudaEvent_t turn;    /* event at which one of them waits for the other */
    cudaError_t failed;  /* the first error */
    const char *where;
    void *buffer[DEVICE_SLOTS]; /* pinned */
    size_t room[DEVICE_SLOTS];
    cudaEvent_t event[DEVICE_SLOTS];
    bool capturing, timing;
    Mark *mark;
    size_t marks;
    int library;     /* status of cuBLASLt if it failed first */
    Nccl *nccl;      /* set by `meet`; NULL: none */
    char unmet[256]; /* NCCL's words if it failed first; else "" */
    Plans *plans;    /* set for fast precisions */
    void *workspace; /* memory of their products */
    AttentionKind attention;
};

static void note(Queue *q, cudaError_t rc, const char *where) {
    if (rc != cudaSuccess && q->failed == cudaSuccess) q->failed = rc, q->where = where;
}

static bool lost(const Queue *q) {
    return q->failed != cudaSuccess;
}

static void mark(Queue *q, const char *kernel) {
    if (!q->timing || lost(q)) return;
    q->mark = mem_grow(q->mark, q->marks + 1, sizeof *q->mark);
    Mark *m = &q->mark[q->marks++];
    *m = (Mark){NULL, kernel};
    note(q, cudaEventCreate(&m->event), "cudaEventCreate");
    if (!lost(q)) note(q, cudaEventRecord(m->event, q->stream), "cudaEventRecord");
}

static void cuda_launch(void *queue, const char *name, const void *body, Grid grid, const void *args, size_t bytes,
                        bool flat) {
    Queue *q = queue;
    void *list[] = {(void *)(uintptr_t)args};
    (void)bytes, (void)flat;
    assert(q);
    if (lost(q)) return;
    note(q,
         cudaLaunchKernel(body, (dim3){grid.x, grid.y, grid.z}, (dim3){grid.threads, 1, 1}, list, grid.shared,
                          q->stream),
         name);
    mark(q, name);
}

static bool cuda_product(Queue *q, Product p) {
    bool whole = true;
    if (lost(q)) return whole;
    q->library = plans_product(q->plans, &p, q->stream, &whole);
    if (q->library) note(q, cudaErrorUnknown, PRODUCT_NAME);
    mark(q, PRODUCT_NAME);
    return whole;
}

static AttentionKind attention_of(const Queue *q) {
    return q->attention;
}

/* Define what backends.def's rows name of a build. */
#define ROWS(build) \
    STAGED_KERNELS(build, cuda_launch) \
    PRODUCT_KERNELS(build, cuda_launch, cuda_product, attention_of) \
    static void build##_step(Queue *q, StepKind kind, const Step *s) { \
        enqueue_step(&build##_build.steps[kind], s, q, cuda_launch); \
    } \
    static void build##_round(const Rounding *c) { \
        enqueue_round(build##_build.round, c, cuda_launch); \
    }
ROWS(cuda)
ROWS(cuda_fp16)
ROWS(cuda_bf16)

enum {
#define FAST(name, ...) FAST_##name,
#include "kernels/cuda/fast.def"
#undef FAST
    FASTS
};

/* cuBLASLt, looked for once, and the classes of bits that depend on it. */
static struct {
    pthread_once_t once;
    Error why; /* code RC_OK: it was found */
    char class[FASTS][BACKEND_CLASS_SIZE];
} library = {.once = PTHREAD_ONCE_INIT};

/* Leave the other ranks before memory is freed: freeing waits for the device, where a lost partner's data never
 * arrives. */
static void part(Queue *q) {
    nccl_leave(q->nccl, lost(q));
    q->nccl = NULL;
}

static void free_marks(Queue *q) {
    for (size_t i = 0; i < q->marks; i++)
        if (q->mark[i].event) (void)cudaEventDestroy(q->mark[i].event);
    free(q->mark);
    q->mark = NULL, q->marks = 0;
}

static void close_queue(Queue *q) {
    for (int i = 0; i < DEVICE_SLOTS; i++) {
        if (q->buffer[i]) (void)cudaFreeHost(q->buffer[i]);
        if (q->event[i]) (void)cudaEventDestroy(q->event[i]);
    }
    part(q);
    free_marks(q);
    if (q->side) (void)cudaStreamDestroy(q->side);
    if (q->turn) (void)cudaEventDestroy(q->turn);
    plans_close(q->plans);
    if (q->workspace) (void)cudaFree(q->workspace);
    if (q->stream) (void)cudaStreamDestroy(q->stream);
    free(q);
}

static Rc open_on(const Build *build, Queue **out, Error *e) {
    if (!cuda_present(e)) return e->code;
    Queue *q = mem_alloc(1, sizeof *q);
    note(q, cudaSetDevice(cuda_number()), "cudaSetDevice"); /* for this thread */
    if (!lost(q) && cuda_load(build, e)) {
        close_queue(q);
        return e->code;
    }
    if (!lost(q)) note(q, cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (int i = 0; i < DEVICE_SLOTS; i++)
        note(q, cudaEventCreateWithFlags(&q->event[i], cudaEventDisableTiming), "cudaEventCreate");
    if (!lost(q)) {
        *out = q;
        return RC_OK;
    }
    error_set(e, RC_UNMEASURED, "CUDA: %s: %s", q->where, cudaGetErrorString(q->failed));
    close_queue(q);
    return e->code;
}

/* Write the class of bits. It has the version, architecture and number of processors: cuBLASLt promises equal bits only
 * if all three are equal. */
static void write_class(char out[BACKEND_CLASS_SIZE], PrecisionKind p) {
    struct cudaDeviceProp about;
    int version[3];
    if (cudaGetDeviceProperties(&about, cuda_number()) != cudaSuccess) memset(&about, 0, sizeof about);
    plans_version(version);
    snprintf(out, BACKEND_CLASS_SIZE, "cuda-%s sm_%d%d x%d cublasLt %d.%d.%d", precision_name(p), about.major,
             about.minor, about.multiProcessorCount, version[0], version[1], version[2]);
}

static void find_library(void) {
    if (plans_find(&library.why)) return;
#define FAST(name, ...) write_class(library.class[FAST_##name], PRECISION_##name);
#include "kernels/cuda/fast.def"
#undef FAST
}

static bool present_fast(Error *e) {
    if (!cuda_present(e)) return false;
    pthread_once(&library.once, find_library);
    if (library.why.code) *e = library.why;
    return !library.why.code;
}

/* Make the library's first call, outside of any capture. */
static bool first_product(Queue *q) {
    enum { N = 16 };
    float *at = q->workspace;
    cuda_product(q, (Product){.a = at,
                              .b = at,
                              .c = at + N * N,
                              .m = N,
                              .n = N,
                              .k = N,
                              .lda = N,
                              .ldb = N,
                              .ldc = N,
                              .replicas = 1});
    note(q, cudaStreamSynchronize(q->stream), "cuBLASLt's first product");
    return !lost(q);
}

static Rc status(Queue *q, Error *e) {
    if (!lost(q)) return RC_OK;
    if (q->library)
        return error_set(e, RC_UNMEASURED, "the CUDA device failed: %s: status %d of cuBLASLt", q->where, q->library);
    if (q->unmet[0])
        return error_set(e, RC_UNMEASURED, "the CUDA device failed: %s: NCCL says: %s", q->where, q->unmet);
    return error_set(e, RC_UNMEASURED, "the CUDA device failed: %s: %s", q->where, cudaGetErrorString(q->failed));
}

static size_t memory(void) {
    size_t available = 0, all = 0;
    return cudaMemGetInfo(&available, &all) == cudaSuccess ? available : 0;
}

/* Allocate. cudaMalloc also returns errors of earlier kernels, and then fails for ever: that is no lack of memory, and
 * the queue is lost. */
static Rc take(Queue *q, void **at, size_t bytes, Error *e) {
    *at = NULL;
    if (lost(q)) return status(q, e);
    cudaError_t rc = cudaMalloc(at, bytes ? bytes : 1);
    if (rc == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        rc = cudaStreamQuery(q->stream);
        if (rc == cudaSuccess || rc == cudaErrorNotReady)
            return error_set(e, RC_UNMEASURED, "out of device memory: %.0f MB are needed, %.0f MB are free",
                             (double)bytes / 1048576, (double)memory() / 1048576);
    }
    note(q, rc, "what was enqueued before memory was taken");
    if (!lost(q)) note(q, cudaMemsetAsync(*at, 0, bytes ? bytes : 1, q->stream), "cudaMemset");
    return status(q, e);
}

static Rc open_fast(const Build *build, Queue **out, int compute, AttentionKind attention, Error *e) {
    if (!present_fast(e) || open_on(build, out, e)) return e->code;
    Queue *q = *out;
    if (take(q, &q->workspace, PLANS_WORKSPACE, e)) {
        close_queue(q);
        *out = NULL;
        return error_prefix(e, "cuBLASLt's workspace: ");
    }
    q->plans = plans_open(compute, q->workspace), q->attention = attention;
    if (q->plans && first_product(q)) return RC_OK;
    if (!q->plans || !status(q, e)) error_set(e, RC_UNMEASURED, "cublasLtCreate failed");
    close_queue(q);
    *out = NULL;
    return error_prefix(e, "cuBLASLt does not start on this device: ");
}

static void give(Queue *q, void *at) {
    if (lost(q)) part(q);
    if (at && !lost(q)) (void)cudaStreamSynchronize(q->stream);
    if (at) (void)cudaFree(at);
}

/* Copy and wait: an asynchronous copy may read pageable memory later. */
static void put(Queue *q, void *to, const void *from, size_t bytes) {
    if (!lost(q)) note(q, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, q->stream), "copy to the device");
    if (!lost(q)) note(q, cudaStreamSynchronize(q->stream), "copy to the device");
}

static void get(Queue *q, void *to, const void *from, size_t bytes) {
    if (!lost(q)) note(q, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, q->stream), "copy from the device");
    if (!lost(q)) note(q, cudaStreamSynchronize(q->stream), "the kernels before a copy");
}

static void fetch(Queue *q, int slot, const void *from, size_t bytes) {
    if (!lost(q) && q->room[slot] < bytes) {
        if (q->buffer[slot]) (void)cudaFreeHost(q->buffer[slot]);
        q->buffer[slot] = NULL;
        note(q, cudaMallocHost(&q->buffer[slot], bytes), "cudaMallocHost");
        q->room[slot] = lost(q) ? 0 : bytes;
    }
    if (lost(q)) return;
    note(q, cudaMemcpyAsync(q->buffer[slot], from, bytes, cudaMemcpyDeviceToHost, q->stream), "copy from the device");
    note(q, cudaEventRecord(q->event[slot], q->stream), "cudaEventRecord");
}

static const void *landed(Queue *q, int slot) {
    if (!lost(q)) note(q, cudaEventSynchronize(q->event[slot]), "the kernels of a step");
    return q->buffer[slot];
}

static void add(Queue *q, const Addition *a) {
    enqueue_add(cuda_build.add, a, q, cuda_launch);
}

static Rc meet(Queue *q, const Ranks *r, Error *e) {
    note(q, cudaStreamCreateWithFlags(&q->side, cudaStreamNonBlocking), "cudaStreamCreate");
    note(q, cudaEventCreateWithFlags(&q->turn, cudaEventDisableTiming), "cudaEventCreate");
    bool alone = lost(q);
    if (alone) error_set(e, RC_UNMEASURED, "CUDA: %s: %s", q->where, cudaGetErrorString(q->failed));
    if (ranks_any(r, alone)) return alone ? e->code : error_set(e, RC_UNMEASURED, "another rank's CUDA device failed");
    return nccl_meet(&q->nccl, NULL, r, e);
}

static void unmet(Queue *q, const char *what, const char *where) {
    if (!what || lost(q)) return;
    snprintf(q->unmet, sizeof q->unmet, "%s", what);
    note(q, cudaErrorUnknown, where);
}

static void swap(Queue *q, int partner, const void *mine, void *theirs, size_t bytes) {
    assert(q->nccl || lost(q));
    if (!lost(q)) unmet(q, nccl_swap(q->nccl, partner, mine, theirs, bytes, q->stream), "ncclSend and ncclRecv");
}

static void total(Queue *q, float *words, size_t count) {
    if (!lost(q)) unmet(q, nccl_total(q->nccl, words, count, q->stream), "ncclAllReduce");
}

/* Make the stream that takes new work wait for the other one. */
static void merge(Queue *q) {
    if (lost(q)) return;
    note(q, cudaEventRecord(q->turn, q->side), "cudaEventRecord");
    note(q, cudaStreamWaitEvent(q->stream, q->turn, 0), "cudaStreamWaitEvent");
}

static void branch(Queue *q, bool on) {
    cudaStream_t before = q->stream;
    q->stream = q->side, q->side = before;
    if (on) merge(q);
}

/* Begin to capture, relaxed: other threads, and a library's work on the first call of a shape, are no part of it. */
static void record(Queue *q) {
    if (lost(q)) return;
    note(q, cudaStreamBeginCapture(q->stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    q->capturing = !lost(q);
}

static Graph *recorded(Queue *q) {
    cudaGraph_t graph = NULL;
    Graph *g = mem_alloc(1, sizeof *g);
    /* also after an error */
    if (q->capturing) note(q, cudaStreamEndCapture(q->stream, &graph), "cudaStreamEndCapture");
    q->capturing = false;
    if (!lost(q)) note(q, cudaGraphInstantiate(&g->exec, graph, 0), "cudaGraphInstantiate");
    if (graph) (void)cudaGraphDestroy(graph);
    return g;
}

static void replay(Queue *q, Graph *g) {
    if (!lost(q)) note(q, cudaGraphLaunch(g->exec, q->stream), "cudaGraphLaunch");
}

static void forget(Graph *g) {
    if (g && g->exec) (void)cudaGraphExecDestroy(g->exec);
    free(g);
}

static void time_each(Queue *q) {
    q->timing = true;
    mark(q, NULL);
}

/* Time launches by the events between them: each ends one launch and begins the next. */
static Timing *timed(Queue *q, size_t *count) {
    Timing *all = mem_alloc(q->marks, sizeof *all);
    q->timing = false, *count = 0;
    if (!lost(q)) note(q, cudaStreamSynchronize(q->stream), "the kernels that were timed");
    for (size_t i = 1; i < q->marks && !lost(q); i++) {
        float ms = 0;
        note(q, cudaEventElapsedTime(&ms, q->mark[i - 1].event, q->mark[i].event), "cudaEventElapsedTime");
        all[(*count)++] = (Timing){q->mark[i].kernel, 1e-3 * (double)ms};
    }
    free_marks(q);
    return all;
}

#define DEVICE(build, present, open) \
    { \
        false, present, open, close_queue, take, give, put, get, fetch, landed, build##_step, build##_round, add, \
            cuda_choose, meet, swap, total, branch, merge, record, recorded, replay, forget, time_each, timed, status, \
            memory, cuda_describe \
    }
/* Define the device of an exact precision, and (below) of fast ones. */
#define EXACT(build) \
    static Rc build##_open(Queue **out, Error *e) { \
        return open_on(&build##_build, out, e); \
    } \
    extern const Device build##_exact_device; \
    const Device build##_exact_device = DEVICE(build, cuda_present, build##_open);
EXACT(cuda)
EXACT(cuda_fp16)
EXACT(cuda_bf16)

/* Return the class of bits; called only where the device is present. */
#define FAST(name, build, compute, factor, digits, attention) \
    static Rc open_##name(Queue **out, Error *e) { \
        return open_fast(&cuda##build##_build, out, CUBLAS_COMPUTE_##compute, ATTENTION_##attention, e); \
    } \
    extern const Device cuda_##name##_device; \
    const Device cuda_##name##_device = DEVICE(cuda##build, present_fast, open_##name); \
    const char *cuda_##name##_class(void); \
    const char *cuda_##name##_class(void) { \
        return library.class[FAST_##name]; \
    }
#include "kernels/cuda/fast.def"
#undef FAST

