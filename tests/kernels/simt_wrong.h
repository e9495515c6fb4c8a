/* Kernels with one mistake each, for the proof that the shim finds it. Shared by C and C++. */
#ifndef TESTS_SIMT_WRONG_H
#define TESTS_SIMT_WRONG_H

#include <stdbool.h>

/* How a mistake shows: the program stops, naming the kernel; other numbers come out in another order of threads; NaNs
 * come out; only a sanitizer sees it; not at all, for there is none. */
typedef enum { STOPS, DIFFERS, NANS, SANITIZED_ONLY, RIGHT } Symptom;

typedef struct {
    const char *name;
    const void *body; /* takes the address of a float *, of WRONG_THREADS numbers */
    bool flat;
    Symptom symptom;
    const char *says; /* where it stops */
} Wrong;

enum { WRONG_THREADS = 64, WRONG_COUNT = 16 };

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const Wrong simt_wrong[WRONG_COUNT];

#endif
