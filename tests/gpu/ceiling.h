/* What the device could do at best, measured, and what it is. */
#ifndef TESTS_GPU_CEILING_H
#define TESTS_GPU_CEILING_H

typedef struct {
    char name[128], arch[16];
    int driver, toolkit; /* CUDA versions: 1000 major + 10 minor */
    int processors, clock_khz;
    double memory, l2; /* bytes */
} DeviceFacts;

/* By the runtime, of device 0; zeros when it fails. */
#ifdef __cplusplus
extern "C" {
#endif
void gpu_facts(DeviceFacts *f);
double gpu_fma_peak(void);  /* fp32, FLOP/s */
double gpu_copy_rate(void); /* bytes read and written per second */
#ifdef __cplusplus
}
#else
#include "tests/gpu/check.h"

/* Adds the object "device". */
void ceiling_device(Check *c);
#endif

#endif
