/* cuBLASLt of the tests' own (fake_blas.c), and what it takes of the runtime beside it (fake_cudart.c). */
#ifndef TESTS_GPU_FAKE_BLAS_H
#define TESTS_GPU_FAKE_BLAS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int m, n, k, lda, ldb, ldc;
    bool a_turned, b_turned;
    const void *a, *b;
    const void *bias;
    void *c;
    float *dbias, beta;
    int word, word_c;       /* cudaDataType_t of A and B; of C and the bias */
    float (*factor)(float); /* of floats */
    int count;              /* products: every address goes so many numbers on from one to the next */
    int64_t next_a, next_b, next_c, next_bias;
} FakeProduct;

void fake_multiply(const FakeProduct *p);

/* On a stream, as a kernel. */
void fake_put(cudaStream_t s, const FakeProduct *p);

/* Memory that is counted in fake_seen.open. */
void *fake_made(size_t bytes);
void fake_gone(void *at);

#endif
