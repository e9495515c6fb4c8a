/* One matrix product, and who can do it: our kernels, and the libraries that people use for it. */
#ifndef BENCH_PEERS_GEMM_H
#define BENCH_PEERS_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C = op(A) op(B), all row-major and dense: op(A) is [m][k] and stands as [k][m] when turned; op(B) is [k][n] and stands
 * as [n][k] when turned. The three products of a linear layer are three of the four cases. */
typedef struct {
    int m, n, k;
    bool turn_a, turn_b;
    const float *a, *b;
    float *c;
    const uint16_t *a16, *b16; /* a and b rounded to bf16, for who takes them so */
} Gemm;

/* A library. */
typedef struct {
    const char *name, *what;
    const char *(*version)(void);    /* NULL: not on this machine */
    void *(*prepare)(const Gemm *g); /* what products of this shape need before they are timed; NULL: impossible */
    void (*run)(void *prepared, const Gemm *g);
    void (*release)(void *prepared);
} GemmPeer;

/* Debian's libopenblas0, found at run time. */
extern const GemmPeer gemm_openblas;
/* Debian's libdnnl-dev, found when the build was configured: the BLAS-like function, and the primitive that frameworks
 * use (a plan made once per shape, as they keep it). */
extern const GemmPeer gemm_dnnl_sgemm, gemm_dnnl_matmul;
/* The primitive on operands in bf16, with a float result: they stand so already; or they are floats, which oneDNN's reorder
 * rounds first, as frameworks do and as ours rounds them in its time. */
extern const GemmPeer gemm_dnnl_bf16, gemm_dnnl_rounding;

#endif
