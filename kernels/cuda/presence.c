#include "kernels/cuda/presence.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>

KERNEL_BUILDS(cuda);

static Rc no_device(Error *e, const char *why) {
    return error_set(e, RC_UNMEASURED, "no CUDA device: %s", why);
}

/* Load a kernel and allow it all the dynamic shared memory that a block of this device can have. */
static cudaError_t load_kernel(const void *body, int shared) {
    struct cudaFuncAttributes about;
    cudaError_t rc = cudaFuncGetAttributes(&about, body);
    if (rc != cudaSuccess) return rc;
    return cudaFuncSetAttribute(body, cudaFuncAttributeMaxDynamicSharedMemorySize, shared - (int)about.sharedSizeBytes);
}

static cudaError_t load_kernels(const Build *of, int shared) {
    cudaError_t rc = cudaSuccess;
    for (int i = 0; i < ALL_STAGES && rc == cudaSuccess; i++) {
        const Stages *all = build_stages(of, i);
        if (!all) continue;
        for (const Stage *s = all->forward; s->name && rc == cudaSuccess; s++) rc = load_kernel(s->body, shared);
        for (const Stage *s = all->backward; s->name && rc == cudaSuccess; s++) rc = load_kernel(s->body, shared);
    }
    for (int i = 0; i < ALL_FUSIONS && rc == cudaSuccess; i++) {
        const Fusion *f = build_fusion(of, i);
        for (const FusedStage *s = f ? f->stage : NULL; s && s->name && rc == cudaSuccess; s++)
            rc = load_kernel(s->body, shared);
    }
    for (int i = 0; i < STEP_COUNT && rc == cudaSuccess; i++) rc = load_kernel(of->steps[i].body, shared);
    if (rc == cudaSuccess) rc = load_kernel(of->round->body, shared);
    if (rc == cudaSuccess) rc = load_kernel(of->add->body, shared);
    return rc;
}

/* Argument of choose(): this process's device among those that it sees. */
static int local_rank;

int cuda_number(void) {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? local_rank % count : 0;
}

void cuda_choose(int local) {
    local_rank = local;
}

static Rc look(Error *e) {
    int count = 0, driver = 0;
    struct cudaDeviceProp about;
    char line[256];
    cudaError_t rc = cudaGetDeviceCount(&count);
    (void)cudaDriverGetVersion(&driver);
    if (rc == cudaErrorInsufficientDriver && !driver) return no_device(e, "no driver is installed");
    if (rc == cudaErrorInsufficientDriver) {
        snprintf(line, sizeof line, "the driver knows CUDA %d.%d, this program needs %d.%d", driver / 1000,
                 driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
        return no_device(e, line);
    }
    if (rc != cudaSuccess || !count)
        return no_device(e, rc == cudaSuccess ? "the driver shows none" : cudaGetErrorString(rc));
    rc = cudaSetDevice(cuda_number());
    if (rc == cudaSuccess) rc = cudaGetDeviceProperties(&about, cuda_number());
    if (rc != cudaSuccess) return no_device(e, cudaGetErrorString(rc));
    rc = load_kernels(&cuda_build, (int)about.sharedMemPerBlockOptin);
    if (rc == cudaErrorNoKernelImageForDevice || rc == cudaErrorInvalidDeviceFunction ||
        rc == cudaErrorUnsupportedPtxVersion)
        return error_set(e, RC_UNMEASURED,
                         "no CUDA device: %.80s is sm_%d%d, this build carries %s (meson -Dgpu_arch=%d%d)", about.name,
                         about.major, about.minor, CUDA_ARCHITECTURES, about.major, about.minor);
    if (rc != cudaSuccess) return no_device(e, cudaGetErrorString(rc));
    return RC_OK;
}

/* The device, looked up once: devices do not change while the program runs, and a missing driver answers slowly. */
static struct {
    pthread_once_t once;
    Error why; /* code RC_OK: there is a device */
} presence = {.once = PTHREAD_ONCE_INIT};

static void look_once(void) {
    (void)look(&presence.why);
}

bool cuda_present(Error *e) {
    pthread_once(&presence.once, look_once);
    if (presence.why.code) *e = presence.why;
    return !presence.why.code;
}

Rc cuda_load(const Build *build, Error *e) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded[] = {[WORD_float] = true, [WORD_fp16] = false, [WORD_bf16] = false};
    struct cudaDeviceProp about;
    cudaError_t rc = cudaSuccess;
    pthread_mutex_lock(&lock);
    if (!loaded[build->word]) rc = cudaGetDeviceProperties(&about, cuda_number());
    if (!loaded[build->word] && rc == cudaSuccess) rc = load_kernels(build, (int)about.sharedMemPerBlockOptin);
    loaded[build->word] = loaded[build->word] || rc == cudaSuccess;
    pthread_mutex_unlock(&lock);
    return rc == cudaSuccess ? RC_OK
                             : error_set(e, RC_UNMEASURED, "CUDA: the kernels of 16 bits: %s", cudaGetErrorString(rc));
}

void cuda_describe(char *out, size_t size) {
    struct cudaDeviceProp about;
    int driver = 0;
    if (size) out[0] = 0;
    if (cudaGetDeviceProperties(&about, cuda_number()) != cudaSuccess || cudaDriverGetVersion(&driver) != cudaSuccess)
        return;
    snprintf(out, size, "%.60s, sm_%d%d, driver for CUDA %d.%d, toolkit %d.%d", about.name, about.major, about.minor,
             driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}
