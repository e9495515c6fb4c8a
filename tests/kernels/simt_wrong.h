/* Kernels with one mistake each, for the proof that the shim finds it. Shared by C and C++. */
#ifndef TESTS_SIMT_WRONG_H
#define TESTS_SIMT_WRONG_H

#include <stdbool.h>

#include "kernels/cuda/launch.h"

/* How a mistake shows: the program stops, naming the kernel; before anything ran; other numbers come out in another
 * order of threads; only where blocks take turns; NaNs come out; only a sanitizer sees it; not at all, for there is
 * none. */
typedef enum { STOPS, REFUSED, DIFFERS, DIFFERS_TOGETHER, NANS, SANITIZED_ONLY, RIGHT } Symptom;

enum { WRONG_THREADS = 64, WRONG_BLOCKS = 5, WRONG_SCRATCH = WRONG_THREADS };

typedef struct {
    float *out;     /* of WRONG_BLOCKS * WRONG_THREADS numbers */
    float *scratch; /* of WRONG_SCRATCH numbers that an op before left here, filled anew for this one */
} WrongArgs;

typedef struct {
    const char *name;
    const void *body; /* takes WrongArgs */
    bool flat;
    Symptom symptom;
    const char *says; /* where it stops */
    Grid grid;        /* x = 0: one block of WRONG_THREADS */
} Wrong;

enum { WRONG_COUNT = 36 };

/* The grid a row is launched with. */
static inline Grid wrong_grid(const Wrong *w) {
    Grid one = {1, 1, 1, WRONG_THREADS, WRONG_THREADS * sizeof(float)};
    return w->grid.x || w->grid.threads ? w->grid : one;
}

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const Wrong simt_wrong[WRONG_COUNT];

#endif
