/* OpenBLAS through its C interface, one thread. Loaded at run time: nothing of it is needed to build. */
#include <dlfcn.h>
#include <stdlib.h>

#include "bench/peers/gemm.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 }; /* of CBLAS */
typedef void Sgemm(int order, int turn_a, int turn_b, int m, int n, int k, float alpha, const float *a, int lda,
                   const float *b, int ldb, float beta, float *c, int ldc);

/* A symbol of the library as a function pointer, or NULL. */
static void (*symbol(const char *name))(void) {
    void (*found)(void) = NULL;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library) *(void **)&found = dlsym(library, name);
    return found;
}

static const char *version(void) {
    char *(*config)(void) = (char *(*)(void))symbol("openblas_get_config");
    void (*set_threads)(int) = (void (*)(int))symbol("openblas_set_num_threads");
    if (!config || !set_threads || !symbol("cblas_sgemm")) return NULL;
    set_threads(1);
    return config();
}

/* The function, so that looking it up is not timed. */
typedef struct {
    Sgemm *sgemm;
} Found;

static void *prepare(const Gemm *g) {
    Found *found = malloc(sizeof *found);
    (void)g;
    if (found) found->sgemm = (Sgemm *)symbol("cblas_sgemm");
    return found;
}

static void run(void *prepared, const Gemm *g) {
    const Found *found = prepared;
    found->sgemm(ROW_MAJOR, g->turn_a ? TRANSPOSE : NO_TRANSPOSE, g->turn_b ? TRANSPOSE : NO_TRANSPOSE, g->m, g->n,
                 g->k, 1, g->a, g->turn_a ? g->m : g->k, g->b, g->turn_b ? g->k : g->n, 0, g->c, g->n);
}

const GemmPeer gemm_openblas = {"openblas", "OpenBLAS sgemm", version, prepare, run, free};
