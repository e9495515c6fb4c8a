#include "tests/gpu/fake_blas.h"

#include <cublasLt.h>
#include <string.h>

#include "base/error.h"
#include "kernels/cuda/library.h"
#include "kernels/rounding.h"
#include "tests/gpu/fake_cudart.h"

static float as_it_stands(float x) {
    return x;
}

static size_t bytes_of_word(int word) {
    return word == CUDA_R_32F ? sizeof(float) : sizeof(uint16_t);
}

static Word word_of(int word) {
    return word == CUDA_R_32F ? WORD_float : word == CUDA_R_16F ? WORD_fp16 : WORD_bf16;
}

static float number_at(int word, const void *x, size_t at) {
    if (word == CUDA_R_32F) return ((const float *)x)[at];
    return rounding_number(word_of(word), ((const uint16_t *)x)[at]);
}

/* Row i and column j of a matrix of words in columns that are `apart`, or of what stands there turned. */
static float element(int word, const void *x, int apart, bool turned, int i, int j) {
    const size_t at = turned ? (size_t)i * (size_t)apart + (size_t)j : (size_t)j * (size_t)apart + (size_t)i;
    return number_at(word, x, at);
}

static void put_number(int word, void *x, size_t at, float number) {
    if (word == CUDA_R_32F)
        ((float *)x)[at] = number;
    else
        ((uint16_t *)x)[at] = rounding_word(word_of(word), number);
}

/* Adds and rounds as the shim's library does. */
static void multiply(const FakeProduct *p) {
    for (int j = 0; j < p->n; j++) {
        double below = 0;
        for (int k = 0; k < p->k; k++) below += (double)element(p->word, p->b, p->ldb, p->b_turned, k, j);
        if (p->dbias) p->dbias[j] = (float)below;
        for (int i = 0; i < p->m; i++) {
            const size_t at = (size_t)j * (size_t)p->ldc + (size_t)i;
            float beside = p->bias ? number_at(p->word_c, p->bias, (size_t)i) : 0;
            double sum = 0;
            for (int k = 0; k < p->k; k++)
                sum += (double)p->factor(element(p->word, p->a, p->lda, p->a_turned, i, k)) *
                       (double)p->factor(element(p->word, p->b, p->ldb, p->b_turned, k, j));
            if (p->beta > 0) beside = number_at(p->word_c, p->c, at);
            put_number(p->word_c, p->c, at, (float)sum + beside);
        }
    }
}

void fake_multiply(const FakeProduct *all) {
    for (int64_t r = 0; r < all->count; r++) {
        FakeProduct p = *all;
        p.a = (const char *)p.a + r * p.next_a * (int64_t)bytes_of_word(p.word);
        p.b = (const char *)p.b + r * p.next_b * (int64_t)bytes_of_word(p.word);
        p.c = (char *)p.c + r * p.next_c * (int64_t)bytes_of_word(p.word_c);
        if (p.bias) p.bias = (const char *)p.bias + r * p.next_bias * (int64_t)bytes_of_word(p.word_c);
        if (p.dbias) p.dbias += r * p.next_bias;
        multiply(&p);
    }
}

/* What an algorithm is chosen for, one product; all of it but the last is compared again when it is used. */
typedef struct {
    uint64_t rows_a, columns_a, rows_b, columns_b, rows_c, columns_c;
    int64_t lda, ldb, ldc;
    int64_t op_a, op_b, epilogue, compute, word, word_c; /* of A and B; of C */
    uint64_t workspace;
    uint64_t aligned[5]; /* A, B, C, D and the bias */
} Problem;

enum { PROBLEMS_MAX = 1000, COMPARED = offsetof(Problem, workspace) };

/* The library's types are opaque: what stands behind their addresses is ours. */
typedef struct {
    int64_t compute, op_a, op_b, epilogue;
    const void *bias;
    int64_t next_bias;
} Description;

typedef struct {
    uint64_t rows, columns;
    int64_t apart, next;
    int32_t count, word;
} Layout;

typedef struct {
    uint64_t workspace;
    uint32_t schemes, aligned[4];
} Preference;

struct cublasLtContext {
    Problem asked[PROBLEMS_MAX];
    size_t count;
};

cublasStatus_t cublasLtCreate(cublasLtHandle_t *h) {
    *h = fake_made(sizeof **h);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) {
    fake_gone(h);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) {
    fake_gone(d);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) {
    fake_gone(l);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
    fake_gone(p);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType part, int *value) {
    *value = part == MAJOR_VERSION ? 13 : part == MINOR_VERSION ? 1 : 2;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute, cudaDataType_t scale) {
    Description *d = fake_made(sizeof *d);
    *d = (Description){compute, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, NULL, 0};
    *out = (cublasLtMatmulDesc_t)(void *)d;
    return scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType of, uint64_t rows, uint64_t columns,
                                          int64_t apart) {
    Layout *l = fake_made(sizeof *l);
    *l = (Layout){rows, columns, apart, 0, 1, (int32_t)of};
    *out = (cublasLtMatrixLayout_t)(void *)l;
    return of == CUDA_R_32F || of == CUDA_R_16F || of == CUDA_R_16BF ? CUBLAS_STATUS_SUCCESS
                                                                     : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out) {
    Preference *p = fake_made(sizeof *p);
    *p = (Preference){0, CUBLASLT_REDUCTION_SCHEME_MASK, {256, 256, 256, 256}};
    *out = (cublasLtMatmulPreference_t)(void *)p;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t at, cublasLtMatmulDescAttributes_t what,
                                              const void *value, size_t bytes) {
    Description *d = (void *)at;
    int32_t word = 0;
    if (bytes == sizeof word) memcpy(&word, value, sizeof word);
    if (what == CUBLASLT_MATMUL_DESC_BIAS_POINTER && bytes == sizeof d->bias)
        memcpy(&d->bias, value, bytes);
    else if (what == CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE && bytes == sizeof d->next_bias)
        memcpy(&d->next_bias, value, bytes);
    else if (what == CUBLASLT_MATMUL_DESC_EPILOGUE && word)
        d->epilogue = word;
    else if (what == CUBLASLT_MATMUL_DESC_TRANSA && bytes == sizeof word)
        d->op_a = word;
    else if (what == CUBLASLT_MATMUL_DESC_TRANSB && bytes == sizeof word)
        d->op_b = word;
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t at, cublasLtMatrixLayoutAttribute_t what,
                                                const void *value, size_t bytes) {
    Layout *l = (void *)at;
    if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof l->count)
        memcpy(&l->count, value, bytes);
    else if (what == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof l->next)
        memcpy(&l->next, value, bytes);
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t at,
                                                    cublasLtMatmulPreferenceAttributes_t what, const void *value,
                                                    size_t bytes) {
    Preference *p = (void *)at;
    const int matrix = (int)what - (int)CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
    if (what == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof p->workspace)
        memcpy(&p->workspace, value, bytes);
    else if (what == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK && bytes == sizeof p->schemes)
        memcpy(&p->schemes, value, bytes);
    else if (matrix >= 0 && matrix < 4 && bytes == sizeof *p->aligned)
        memcpy(&p->aligned[matrix], value, bytes);
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static uint64_t alignment(const void *at) {
    return (uintptr_t)at & -(uintptr_t)at;
}

static Problem problem_of(const Description *d, const Layout *a, const Layout *b, const Layout *c) {
    return (Problem){a->rows,  a->columns, b->rows, b->columns,  c->rows,    c->columns, a->apart, b->apart,
                     c->apart, d->op_a,    d->op_b, d->epilogue, d->compute, a->word,    c->word,  .aligned = {0}};
}

/* Whether the three matrices fit together and have their columns apart. */
static bool sound(const Problem *p) {
    const bool ta = p->op_a == CUBLAS_OP_T, tb = p->op_b == CUBLAS_OP_T;
    return (ta ? p->columns_a : p->rows_a) == p->rows_c && (tb ? p->rows_b : p->columns_b) == p->columns_c &&
           (ta ? p->rows_a : p->columns_a) == (tb ? p->columns_b : p->rows_b) && p->lda >= (int64_t)p->rows_a &&
           p->ldb >= (int64_t)p->rows_b && p->ldc >= (int64_t)p->rows_c && p->rows_c && p->columns_c;
}

/* Of cuBLASLt's table of types: A and B alike, C and D floats or as they are; the FAST kinds of computing take floats
 * alone. */
static bool types_fit(const Layout *a, const Layout *b, const Layout *c, const Description *d) {
    const bool narrow = a->word != CUDA_R_32F;
    return a->word == b->word && (c->word == CUDA_R_32F || c->word == a->word) &&
           (!narrow || d->compute == CUBLAS_COMPUTE_32F);
}

/* Of products; 0: the matrices do not say the same. */
static int counts(const Layout *a, const Layout *b, const Layout *c) {
    return a->count == b->count && b->count == c->count ? c->count : 0;
}

/* Whether one matrix ends before the next begins, which is as aligned as the first. */
static bool follows(const Layout *l) {
    return l->next >= l->apart * (int64_t)(l->columns - 1) + (int64_t)l->rows && l->next % 4 == 0;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t of, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t at, int wanted,
                                              cublasLtMatmulHeuristicResult_t out[], int *found) {
    const Description *about = (void *)of;
    const Preference *p = (void *)at;
    Problem asked = problem_of(about, (void *)a, (void *)b, (void *)c);
    *found = 0, fake_seen.heuristics++;
    if (!types_fit((void *)a, (void *)b, (void *)c, about)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (wanted < 1 || c != d || !sound(&asked) || counts((void *)a, (void *)b, (void *)c) != 1)
        return CUBLAS_STATUS_INVALID_VALUE; /* of one product, whatever it is used for */
    if (p->schemes & CUBLASLT_REDUCTION_SCHEME_INPLACE || h->count == PROBLEMS_MAX) return CUBLAS_STATUS_NOT_SUPPORTED;
    for (int i = 0; i < 4; i++) asked.aligned[i] = p->aligned[i];
    asked.workspace = p->workspace, asked.aligned[4] = alignment(about->bias);
    for (size_t i = 0; i < h->count; i++) fake_seen.again += !memcmp(&h->asked[i], &asked, sizeof asked);
    h->asked[h->count] = asked;
    out->algo.data[0] = h->count++, out->workspaceSize = p->workspace;
    if (asked.epilogue == CUBLASLT_EPILOGUE_BGRADB && fake_cuda.refused & CUBLASLT_EPILOGUE_BGRADB)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    *found = !(fake_cuda.refused & (unsigned)asked.epilogue); /* the other way to say so */
    return out->state = CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t h, cublasLtMatmulDesc_t of, cublasLtMatrixLayout_t of_a,
                                       cublasLtMatrixLayout_t of_b, cublasLtMatrixLayout_t of_c,
                                       cublasLtMatrixLayout_t of_d, const cublasLtMatmulAlgo_t *algorithm,
                                       cublasLtMatmulHeuristicResult_t *out) {
    const Layout *a = (void *)of_a, *b = (void *)of_b, *c = (void *)of_c;
    const Problem now = problem_of((void *)of, a, b, c);
    if (of_c != of_d || algorithm->data[0] >= h->count || memcmp(&h->asked[algorithm->data[0]], &now, COMPARED) != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (counts(a, b, c) < 2 || !follows(a) || !follows(b) || !follows(c)) return CUBLAS_STATUS_INVALID_VALUE;
    out->workspaceSize = h->asked[algorithm->data[0]].workspace + (fake_cuda.many == MANY_need_more_room);
    return fake_cuda.many == MANY_are_refused ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

/* Whether addresses are as aligned as they were said to be. */
static bool as_told(const Problem *p, const FakeProduct *x, const void *bias) {
    const void *at[] = {x->a, x->b, x->c, x->c, bias};
    for (int i = 0; i < (bias ? 5 : 4); i++)
        if (!at[i] || alignment(at[i]) < p->aligned[i]) return false;
    return true;
}

static FakeProduct product_of(const Problem *p, const void *a, const void *b, void *c, float beta) {
    FakeProduct x = {.m = (int)p->rows_c,
                     .n = (int)p->columns_c,
                     .k = (int)(p->op_a == CUBLAS_OP_T ? p->rows_a : p->columns_a),
                     .lda = (int)p->lda,
                     .ldb = (int)p->ldb,
                     .ldc = (int)p->ldc,
                     .a_turned = p->op_a == CUBLAS_OP_T,
                     .b_turned = p->op_b == CUBLAS_OP_T,
                     .a = a,
                     .b = b,
                     .c = c,
                     .beta = beta,
                     .word = (int)p->word,
                     .word_c = (int)p->word_c};
#define FAST(name, build, compute_, factor_, ...) \
    if (p->compute == CUBLAS_COMPUTE_##compute_) x.factor = factor_;
#include "kernels/cuda/fast.def"
#undef FAST
    return x;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t of, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t of_a, const void *b, cublasLtMatrixLayout_t of_b, const void *beta,
                              const void *c, cublasLtMatrixLayout_t of_c, void *d, cublasLtMatrixLayout_t of_d,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes, cudaStream_t s) {
    const Description *about = (void *)of;
    const Problem now = problem_of(about, (void *)of_a, (void *)of_b, (void *)of_c);
    const bool more = about->epilogue != CUBLASLT_EPILOGUE_DEFAULT;
    const float one = 1;
    FakeProduct x = product_of(&now, a, b, d, *(const float *)beta);
    if (!s || !algorithm || algorithm->data[0] >= h->count || c != d || of_c != of_d ||
        memcmp(alpha, &one, sizeof one) != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!more && about->bias) return CUBLAS_STATUS_INVALID_VALUE; /* as version 13.1 does */
    const Problem *chosen = &h->asked[algorithm->data[0]];
    if (memcmp(chosen, &now, COMPARED) != 0 || bytes < chosen->workspace || !workspace || alignment(workspace) < 16 ||
        !as_told(chosen, &x, more ? about->bias : NULL) || (more && alignment(about->bias) == (uintptr_t)about->bias))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!x.factor) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (about->epilogue == CUBLASLT_EPILOGUE_BIAS) x.bias = about->bias;
    if (about->epilogue == CUBLASLT_EPILOGUE_BGRADB) memcpy(&x.dbias, &about->bias, sizeof x.dbias);
    const Layout *const matrix[] = {(void *)of_a, (void *)of_b, (void *)of_c};
    x.count = counts(matrix[0], matrix[1], matrix[2]), x.next_bias = about->next_bias;
    x.next_a = matrix[0]->next, x.next_b = matrix[1]->next, x.next_c = matrix[2]->next;
    if (!x.count || (x.count > 1 && fake_cuda.many != MANY_are_done)) return CUBLAS_STATUS_NOT_SUPPORTED;
    fake_seen.epilogues += more;
    if (x.count > fake_seen.most_products) fake_seen.most_products = x.count;
    fake_put(s, &x);
    return CUBLAS_STATUS_SUCCESS;
}

Rc fake_library_find(const char *name, const char *folder, const LibrarySymbol *symbol, size_t symbols, const char *who,
                     Error *e) {
    static const struct {
        const char *name;
        void (*function)(void);
    } own[] = {
#define OWN(name) {#name, (void (*)(void))name}
        OWN(cublasLtCreate),
        OWN(cublasLtDestroy),
        OWN(cublasLtGetProperty),
        OWN(cublasLtMatmul),
        OWN(cublasLtMatmulAlgoCheck),
        OWN(cublasLtMatmulAlgoGetHeuristic),
        OWN(cublasLtMatmulDescCreate),
        OWN(cublasLtMatmulDescDestroy),
        OWN(cublasLtMatmulDescSetAttribute),
        OWN(cublasLtMatmulPreferenceCreate),
        OWN(cublasLtMatmulPreferenceDestroy),
        OWN(cublasLtMatmulPreferenceSetAttribute),
        OWN(cublasLtMatrixLayoutCreate),
        OWN(cublasLtMatrixLayoutDestroy),
        OWN(cublasLtMatrixLayoutSetAttribute)
#undef OWN
    };
    (void)folder;
    if (fake_cuda.without_blas) return error_set(e, RC_UNMEASURED, "%s cannot be loaded: the test says so", who);
    for (size_t i = 0; i < symbols; i++) {
        size_t k = 0;
        while (k < sizeof own / sizeof *own && strcmp(own[k].name, symbol[i].name) != 0) k++;
        if (k == sizeof own / sizeof *own) return error_set(e, RC_UNMEASURED, "%s has no %s", name, symbol[i].name);
        memcpy(symbol[i].to, &own[k].function, sizeof own[k].function);
    }
    return RC_OK;
}
