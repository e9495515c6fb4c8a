#include "tests/gpu/fake_cudart.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernels/cuda/library.h"
#include "kernels/cuda/simt/run.h"
#include "kernels/cuda/step_launch.h"

KERNEL_TABLES(simt);

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

typedef struct {
    cublasOperation_t op_a, op_b;
    int m, n, k, lda, ldb, ldc;
    const float *a, *b;
    float *c, beta;
    float (*factor)(float);
} Product;

/* A kernel, or without one a product. */
typedef struct {
    const void *body;
    Grid grid;
    Args args;
    Product product;
} Launched;

static bool among(const Stage *s, const void *body) {
    while (s->name && s->body != body) s++;
    return s->name;
}

/* As nvcc's kernels know it: how many bytes a kernel takes; 0: it is none. */
static size_t bytes_of(const void *body) {
    for (int i = 0; i <= OP_COUNT; i++) {
        const Stages *all = i < OP_COUNT ? simt_stages[i] : &simt_linear_bias;
        if (among(all->forward, body) || among(all->backward, body)) return sizeof(Call);
    }
    for (int i = 0; i < FUSIONS; i++)
        for (const FusedStage *s = simt_fusions[i]->stage; s->name; s++)
            if (s->body == body) return sizeof(Two);
    for (int i = 0; i < STEP_COUNT; i++)
        if (simt_steps[i].body == body) return sizeof(Step);
    return body == simt_round.body ? sizeof(Rounding) : body == simt_add.body ? sizeof(Addition) : 0;
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

/* What stands in op(x), row i and column j, x in columns that are `apart`. */
static float element(const float *x, int apart, cublasOperation_t op, int i, int j) {
    size_t row = (size_t)(op == CUBLAS_OP_N ? i : j), column = (size_t)(op == CUBLAS_OP_N ? j : i);
    return x[column * (size_t)apart + row];
}

static void multiply(const Product *p) {
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            float *c = p->c + (size_t)j * (size_t)p->ldc + i;
            double sum = 0;
            for (int k = 0; k < p->k; k++)
                sum += (double)p->factor(element(p->a, p->lda, p->op_a, i, k)) *
                       (double)p->factor(element(p->b, p->ldb, p->op_b, k, j));
            *c = (float)sum + (p->beta > 0 ? *c : 0);
        }
}

static void run(const Launched *l) {
    if (sticky != cudaSuccess) return;
    fake_seen.launches++, launched++;
    if (fake_cuda.fails_at && !--fake_cuda.fails_at)
        sticky = cudaErrorIllegalAddress;
    else if (!l->body)
        multiply(&l->product);
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

static void *made(size_t bytes) {
    fake_seen.open++;
    return mem_alloc(1, bytes);
}

static cudaError_t gone(void *at) {
    if (at) fake_seen.open--;
    free(at);
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
    *s = made(sizeof **s);
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
    s->graph = made(sizeof *s->graph), s->capturing = true;
    return sticky;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph) {
    *graph = s->graph, s->capturing = false;
    return sticky;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    (void)flags;
    *exec = made(sizeof **exec);
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
    *e = made(sizeof **e), fake_seen.events++;
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
    *at = made(bytes);
    memset(*at, 0xff, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *at) {
    return gone(at);
}

cudaError_t cudaMallocHost(void **at, size_t bytes) {
    *at = made(bytes);
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

/* cuBLAS. */
struct cublasContext {
    cudaStream_t stream;
    void *workspace;
};

static cublasStatus_t create(cublasHandle_t *h) {
    *h = made(sizeof **h);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t destroy(cublasHandle_t h) {
    (void)gone(h);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t version(libraryPropertyType part, int *value) {
    *value = part == MAJOR_VERSION ? 13 : part == MINOR_VERSION ? 1 : 2;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t set_stream(cublasHandle_t h, cudaStream_t s) {
    h->stream = s;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t set_workspace(cublasHandle_t h, void *at, size_t bytes) {
    h->workspace = at;
    return at && bytes ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

static float as_it_stands(float x) {
    return x;
}

/* All matrices are floats. */
static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                           const void *alpha, const void *a, cudaDataType of_a, int lda, const void *b,
                           cudaDataType of_b, int ldb, const void *beta, void *c, cudaDataType of_c, int ldc,
                           cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
    const float one = 1;
    Launched l = {.product = {op_a, op_b, m, n, k, lda, ldb, ldc, a, b, c, *(const float *)beta, NULL}};
    if (!h->stream || !h->workspace || memcmp(alpha, &one, sizeof one) != 0 || algorithm != CUBLAS_GEMM_DEFAULT ||
        of_a != CUDA_R_32F || of_b != CUDA_R_32F || of_c != CUDA_R_32F)
        return CUBLAS_STATUS_INVALID_VALUE;
#define FAST(name, compute_, factor_, ...) \
    if (compute == CUBLAS_COMPUTE_##compute_) l.product.factor = factor_;
#include "kernels/cuda/fast.def"
#undef FAST
    if (!l.product.factor) return CUBLAS_STATUS_NOT_SUPPORTED;
    put(h->stream, &l);
    return CUBLAS_STATUS_SUCCESS;
}

Rc fake_library_find(const char *name, const char *folder, const LibrarySymbol *symbol, size_t symbols, const char *who,
                     Error *e) {
    static const struct {
        const char *name;
        void (*function)(void);
    } own[] = {{"cublasCreate_v2", (void (*)(void))create},
               {"cublasDestroy_v2", (void (*)(void))destroy},
               {"cublasGetProperty", (void (*)(void))version},
               {"cublasSetStream_v2", (void (*)(void))set_stream},
               {"cublasSetWorkspace_v2", (void (*)(void))set_workspace},
               {"cublasGemmEx", (void (*)(void))gemm}};
    (void)folder;
    if (fake_cuda.without_blas) return error_set(e, RC_UNMEASURED, "%s cannot be loaded: the test says so", who);
    for (size_t i = 0; i < symbols; i++) {
        size_t k = 0;
        while (k < sizeof own / sizeof *own && strcmp(own[k].name, symbol[i].name) != 0) k++;
        if (k == sizeof own / sizeof *own) return error_set(e, RC_UNMEASURED, "%s has no %s", name, symbol[i].name);
        memcpy(symbol[i].to, &own[k].function, sizeof own[k].function);
    }
    return RC_OK;
}
