/* The one matrix product of the CPU backends.
 *
 *   C(i, j)  =  [C(i, j) +]  ( sum over k of A(i, k) B(k, j)  [+ bias(j)] )
 *
 * Each output is one fma chain over ascending k from +0, then one add of the bias, then one add of the old C when it
 * accumulates (rule 1 of base/canon.h). A chain that continues begins with the old C: pieces of k give the bits of all
 * of it. Strides are in words, so transposes are strides, not copies.
 * readable: kernels/cpu/matmul.c; fast, same bits: kernels/cpu/simd/matmul.c. Precision bf16 replaces it by a product
 * that rounds A and B and sums by other rules: kernels/cpu/simd/bf16.h, kernels/cpu/simd/matmul_bf16.c. */
#ifndef KERNELS_CPU_MATMUL_H
#define KERNELS_CPU_MATMUL_H

#include "kernels/cpu/real.h"

/* Element (i, j) is at[i * row + j * col]. */
typedef struct {
    const real *at;
    size_t row, col;
} Matrix;

/* Use of the old C. */
typedef enum { C_replaced, C_added, C_continued } OldC;

/* Multiply. c is [m][n] with rows ldc numbers apart; bias is [n] or NULL; scratch holds matmul_scratch(M, n, K) bytes
 * for some M >= m and K >= k. sums is [m] or NULL: the sum of each row of A, one add after the other over ascending k
 * from +0 (the bias gradient where A is dy^T: nearly free, since the product reads A anyway). */
void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, OldC old,
                    real *sums, void *scratch);
size_t SYMBOL(matmul_scratch)(int m, int n, int k);

/* Add k columns of A to sums[m], one after the other. */
static inline void add_columns(real *sums, Matrix a, int m, int k) {
    for (int l = 0; l < k; l++, a.at += a.col) {
        if (a.row == 1)
            for (int i = 0; i < m; i++) sums[i] += a.at[i];
        else
            for (int i = 0; i < m; i++) sums[i] += a.at[(size_t)i * a.row];
    }
}

#endif
