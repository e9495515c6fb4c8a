/* The fma peak and the copy bandwidth of device 0, each the best of several runs between two events. */
#include "tests/gpu/ceiling.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 256, BLOCKS_PER_PROCESSOR = 8, CHAINS = 16, TURNS = 16384, TRIALS = 12 };
static const size_t COPIED = (size_t)1 << 30;

/* Independent chains that stay finite; the write, which never happens, keeps them. */
static __global__ void __launch_bounds__(THREADS) chains(float *out, float a, float b) {
    float sum[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) sum[i] = (float)(threadIdx.x + i);
#pragma unroll 16
    for (int turn = 0; turn < TURNS; turn++) { /* the loop's own instructions take turns with the fmas: few of them */
#pragma unroll
        for (int i = 0; i < CHAINS; i++) sum[i] = __fmaf_rn(sum[i], a, b);
    }
    float total = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++) total += sum[i];
    if (total == -1) out[0] = total;
}

/* The shortest of TRIALS runs, in seconds; 0 when one fails. */
template <class Run>
static double shortest(Run run) {
    cudaEvent_t from, to;
    double best = 0;
    if (cudaEventCreate(&from) != cudaSuccess || cudaEventCreate(&to) != cudaSuccess) return 0;
    for (int i = 0; i < TRIALS; i++) {
        float ms = 0;
        (void)cudaEventRecord(from, 0);
        bool ok = run();
        (void)cudaEventRecord(to, 0);
        if (!ok || cudaEventSynchronize(to) != cudaSuccess || cudaEventElapsedTime(&ms, from, to) != cudaSuccess) {
            best = 0;
            break;
        }
        if (i && (best == 0 || ms / 1e3 < best)) best = ms / 1e3; /* the first one warms up */
    }
    (void)cudaEventDestroy(from);
    (void)cudaEventDestroy(to);
    return best;
}

void gpu_facts(DeviceFacts *f) {
    struct cudaDeviceProp p;
    memset(f, 0, sizeof *f);
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return;
    snprintf(f->name, sizeof f->name, "%s", p.name);
    snprintf(f->arch, sizeof f->arch, "sm_%d%d", p.major, p.minor);
    (void)cudaDriverGetVersion(&f->driver);
    (void)cudaDeviceGetAttribute(&f->clock_khz, cudaDevAttrClockRate, 0);
    f->toolkit = CUDART_VERSION;
    f->processors = p.multiProcessorCount;
    f->memory = (double)p.totalGlobalMem;
    f->l2 = (double)p.l2CacheSize;
}

double gpu_fma_peak(void) {
    DeviceFacts f;
    gpu_facts(&f);
    unsigned blocks = (unsigned)(f.processors * BLOCKS_PER_PROCESSOR);
    if (!blocks) return 0;
    double s = shortest([=] {
        chains<<<blocks, THREADS>>>(NULL, 0.5f, 1.0f);
        return cudaGetLastError() == cudaSuccess;
    });
    return s > 0 ? 2.0 * CHAINS * TURNS * THREADS * blocks / s : 0;
}

double gpu_copy_rate(void) {
    void *from = NULL, *to = NULL;
    double s = 0;
    if (cudaMalloc(&from, COPIED) == cudaSuccess && cudaMalloc(&to, COPIED) == cudaSuccess) {
        (void)cudaMemset(from, 1, COPIED);
        s = shortest([=] { return cudaMemcpyAsync(to, from, COPIED, cudaMemcpyDeviceToDevice, 0) == cudaSuccess; });
    }
    (void)cudaFree(from);
    (void)cudaFree(to);
    return s > 0 ? 2.0 * COPIED / s : 0;
}
