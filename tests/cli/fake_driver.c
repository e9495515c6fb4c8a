/* A CUDA driver that answers what $FAKE_VERSION and $FAKE_INIT say and can do nothing else: for
 * tests/cli/cuda_errors.sh, which gives it to the program as libcuda.so.1. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int fallback) {
    const char *text = getenv(name);
    return text ? atoi(text) : fallback;
}

int cuDriverGetVersion(int *version);
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status);

int cuDriverGetVersion(int *version) {
    *version = number("FAKE_VERSION", 99000);
    return 0;
}

int cuInit(unsigned flags) {
    (void)flags;
    return number("FAKE_INIT", 0);
}

int cuDeviceGetCount(int *count) {
    *count = 0;
    return 0;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    (void)version, (void)flags;
    *function = NULL;
    if (!strcmp(name, "cuInit")) *function = (void *)(uintptr_t)cuInit;
    if (!strcmp(name, "cuDriverGetVersion")) *function = (void *)(uintptr_t)cuDriverGetVersion;
    if (!strcmp(name, "cuDeviceGetCount")) *function = (void *)(uintptr_t)cuDeviceGetCount;
    if (!strncmp(name, "cuGetProcAddress", 16)) *function = (void *)(uintptr_t)cuGetProcAddress_v2;
    if (status) *status = 0;
    return *function ? 0 : 500;
}
