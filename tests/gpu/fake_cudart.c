#include "tests/gpu/fake_cudart.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernels/cuda/simt/run.h"
#include "kernels/cuda/step_launch.h"
#include "tests/gpu/fake_blas.h"

KERNEL_BUILDS(simt);

FakeCuda fake_cuda;
FakeSeen fake_seen;

/* An error that no call takes back. */
static cudaError_t sticky;
static int launched; /* the device's clock: a launch takes a microsecond */

void fake_reset(void) {
    fake_cuda = (FakeCuda){.memory = (size_t)1 << 30};
    fake_seen = (FakeSeen){0};
    sticky = cudaSuccess;
}

/* What a kernel takes by value. */
typedef union {
    Call call;
    Two two;
    Step step;
    Rounding rounding;
    Addition addition;
} Args;

/* A kernel, or without one a product. */
typedef struct {
    const void *body;
    Grid grid;
    Args args;
    FakeProduct product;
} Launched;

static bool among(const Stage *s, const void *body) {
    while (s->name && s->body != body) s++;
    return s->name;
}

/* As nvcc's kernels know it: how many bytes a kernel of a build takes; 0: it is none. */
static size_t bytes_in(const Build *of, const void *body) {
    for (int i = 0; i < ALL_STAGES; i++) {
        const Stages *all = build_stages(of, i);
        if (!all) continue;
        if (among(all->forward, body) || among(all->backward, body)) return sizeof(Call);
    }
    for (int i = 0; i < ALL_FUSIONS; i++) {
        const Fusion *f = build_fusion(of, i);
        for (const FusedStage *s = f ? f->stage : NULL; s && s->name; s++)
            if (s->body == body) return sizeof(Two);
    }
    for (int i = 0; i < STEP_COUNT; i++)
        if (of->steps[i].body == body) return sizeof(Step);
    return body == of->round->body ? sizeof(Rounding) : body == of->add->body ? sizeof(Addition) : 0;
}

static size_t bytes_of(const void *body) {
    static const Build *const build[] = {&simt_build, &simt_fp16_build, &simt_bf16_build};
    size_t bytes = 0;
    for (int i = 0; i < 3 && !bytes; i++) bytes = bytes_in(build[i], body);
    return bytes;
}

struct CUstream_st {
    bool capturing;
    struct CUgraph_st *graph;
};

struct CUgraph_st {
    Launched *launch;
    size_t launches;
};

struct CUgraphExec_st {
    Launched *launch;
    size_t launches;
};

struct CUevent_st {
    int at;
    bool recorded;
};

static void run(const Launched *l) {
    if (sticky != cudaSuccess) return;
    fake_seen.launches++, launched++;
    if (fake_cuda.fails_at && !--fake_cuda.fails_at)
        sticky = cudaErrorIllegalAddress;
    else if (!l->body)
        fake_multiply(&l->product);
    else
        simt_run("fake", l->body, l->grid, &l->args, false);
}

static void put(cudaStream_t s, const Launched *l) {
    struct CUgraph_st *g = s->graph;
    if (!s->capturing) {
        run(l);
        return;
    }
    g->launch = mem_grow(g->launch, g->launches + 1, sizeof *l);
    g->launch[g->launches++] = *l;
}

void fake_put(cudaStream_t s, const FakeProduct *p) {
    const Launched l = {.product = *p};
    put(s, &l);
}

void *fake_made(size_t bytes) {
    fake_seen.open++;
    return mem_alloc(1, bytes);
}

void fake_gone(void *at) {
    if (at) fake_seen.open--;
    free(at);
}

static cudaError_t gone(void *at) {
    fake_gone(at);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = 99000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    memset(p, 0, sizeof *p);
    strcpy(p->name, "a device that is not there");
    p->major = 9, p->multiProcessorCount = 132, p->sharedMemPerBlockOptin = 227 << 10;
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *body) {
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = 1 << 10;
    return bytes_of(body) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaFuncSetAttribute(const void *body, enum cudaFuncAttribute what, int value) {
    if (!bytes_of(body) || what != cudaFuncAttributeMaxDynamicSharedMemorySize || value + (1 << 10) > 227 << 10)
        return cudaErrorInvalidValue;
    fake_seen.attributes++;
    if ((size_t)value > fake_seen.largest_attribute) fake_seen.largest_attribute = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *body, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s) {
    Launched l = {.body = body, .grid = {grid.x, grid.y, grid.z, block.x, shared}};
    if (!bytes_of(body)) return cudaErrorInvalidDeviceFunction;
    if (!grid.x || grid.y > 65535 || grid.z > 65535 || block.x > 1024) return cudaErrorInvalidConfiguration;
    if (shared > fake_seen.largest_attribute) return cudaErrorInvalidValue;
    memcpy(&l.args, args[0], bytes_of(body));
    put(s, &l);
    return cudaSuccess; /* also when it failed: that comes to light later */
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
    (void)flags;
    *s = fake_made(sizeof **s);
    return sticky;
}

cudaError_t cudaStreamDestroy(cudaStream_t s) {
    return gone(s);
}

cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    return s->capturing ? cudaErrorStreamCaptureUnsupported : sticky;
}

cudaError_t cudaStreamQuery(cudaStream_t s) {
    return cudaStreamSynchronize(s);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    (void)s, (void)e, (void)flags;
    return sticky;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode) {
    (void)mode;
    s->graph = fake_made(sizeof *s->graph), s->capturing = true;
    return sticky;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph) {
    *graph = s->graph, s->capturing = false;
    return sticky;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    (void)flags;
    *exec = fake_made(sizeof **exec);
    (*exec)->launch = graph->launch, (*exec)->launches = graph->launches;
    graph->launch = NULL;
    return sticky;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    free(graph->launch);
    return gone(graph);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s) {
    if (s->capturing) return cudaErrorStreamCaptureUnsupported;
    fake_seen.graphs++;
    for (size_t i = 0; i < exec->launches; i++) run(&exec->launch[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    free(exec->launch);
    return gone(exec);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) {
    (void)flags;
    *e = fake_made(sizeof **e), fake_seen.events++;
    return sticky;
}

cudaError_t cudaEventCreate(cudaEvent_t *e) {
    return cudaEventCreateWithFlags(e, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t e) {
    return gone(e);
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    if (s->capturing) return cudaErrorStreamCaptureUnsupported;
    e->at = launched, e->recorded = true;
    return sticky;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e) {
    return e->recorded ? sticky : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    if (!from->recorded || !to->recorded) return cudaErrorInvalidResourceHandle;
    *ms = 1e-3f * (float)(to->at - from->at);
    return sticky;
}

cudaError_t cudaMalloc(void **at, size_t bytes) {
    if (sticky != cudaSuccess) return sticky; /* of what was launched before */
    if (bytes > fake_cuda.memory) return cudaErrorMemoryAllocation;
    fake_cuda.memory -= bytes;
    *at = fake_made(bytes);
    memset(*at, 0xff, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *at) {
    return gone(at);
}

cudaError_t cudaMallocHost(void **at, size_t bytes) {
    *at = fake_made(bytes);
    return sticky;
}

cudaError_t cudaFreeHost(void *at) {
    return gone(at);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all) {
    *left = fake_cuda.memory, *all = (size_t)1 << 30;
    return sticky;
}

cudaError_t cudaMemsetAsync(void *at, int byte, size_t bytes, cudaStream_t s) {
    if (s->capturing) return cudaErrorStreamCaptureUnsupported;
    memset(at, byte, bytes);
    return sticky;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s) {
    (void)kind;
    if (s->capturing) return cudaErrorStreamCaptureUnsupported;
    if (sticky == cudaSuccess) memcpy(to, from, bytes);
    return sticky;
}

cudaError_t cudaGetLastError(void) {
    return sticky;
}

const char *cudaGetErrorString(cudaError_t e) {
    return e == cudaErrorIllegalAddress         ? "an illegal memory access was encountered"
           : e == cudaErrorInvalidConfiguration ? "invalid configuration argument"
                                                : "another error";
}
