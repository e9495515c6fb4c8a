/* The readable matmul; the fast one must equal it bit for bit. */
#include "kernels/cpu/matmul.h"

void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, OldC old,
                    real *sums, void *scratch) {
    (void)scratch;
    for (int i = 0; sums && i < m; i++) sums[i] = 0;
    if (sums) add_columns(sums, a, m, k);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            real *to = &c[(size_t)i * ldc + (size_t)j], chain = old == C_continued ? *to : 0;
            for (int l = 0; l < k; l++)
                chain = r_fma(a.at[(size_t)i * a.row + (size_t)l * a.col], b.at[(size_t)l * b.row + (size_t)j * b.col],
                              chain);
            if (bias) chain += bias[j];
            put(to, chain, old == C_added);
        }
}

size_t SYMBOL(matmul_scratch)(int m, int n, int k) {
    (void)m, (void)n, (void)k;
    return 0;
}
