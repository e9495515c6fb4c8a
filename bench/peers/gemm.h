/* One matrix product, and who can do it: our kernels, and the libraries that people use for it. */
#ifndef BENCH_PEERS_GEMM_H
#define BENCH_PEERS_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C = op(A) op(B), all row-major and dense: op(A) is [m][k], stored as [k][m] when transposed (turn_a); op(B) is
 * [k][n], stored as [n][k] when transposed. The three products of a linear layer are three of the four cases. */
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
/* The primitive on operands in bf16, with a float result. gemm_dnnl_bf16: they are in bf16 already. gemm_dnnl_rounding:
 * they are floats, and the time includes oneDNN's reorder to bf16, as ours includes rounding. */
extern const GemmPeer gemm_dnnl_bf16, gemm_dnnl_rounding;

#endif
