#include "kernels/cuda/plans.h"

#include <cublasLt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/library.h"

/* List the functions of cuBLASLt that are used, by the names and types of its header. */
#define CALLS(CALL) \
    CALL(cublasLtCreate) \
    CALL(cublasLtDestroy) \
    CALL(cublasLtGetProperty) \
    CALL(cublasLtMatmul) \
    CALL(cublasLtMatmulAlgoCheck) \
    CALL(cublasLtMatmulAlgoGetHeuristic) \
    CALL(cublasLtMatmulDescCreate) \
    CALL(cublasLtMatmulDescDestroy) \
    CALL(cublasLtMatmulDescSetAttribute) \
    CALL(cublasLtMatmulPreferenceCreate) \
    CALL(cublasLtMatmulPreferenceDestroy) \
    CALL(cublasLtMatmulPreferenceSetAttribute) \
    CALL(cublasLtMatrixLayoutCreate) \
    CALL(cublasLtMatrixLayoutDestroy) \
    CALL(cublasLtMatrixLayoutSetAttribute)

static struct {
#define CALL(name) __typeof__(&name) name;
    CALLS(CALL)
#undef CALL
} lt;

/* Everything that an algorithm may depend on, without padding: compared byte by byte. */
typedef struct {
    int word, m, n, k, lda, ldb, ldc, a_turned, b_turned, epilogue;
    int aligned_a, aligned_b, aligned_c, aligned_bias; /* alignments in bytes, up to ALIGNED */
    int replicas, word_c;
    int64_t next_a, next_b, next_c, next_bias;
} Key;

enum { ALIGNED = 16 }; /* bytes that the widest load of a thread takes */

typedef struct {
    Key key;
    int status;    /* the library's if it has no algorithm; else 0 */
    bool whole;    /* the epilogue is done; false: C alone */
    bool together; /* one call for all replicas; false: one for each */
    cublasLtMatmulDesc_t of;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algorithm;
} Plan;

struct Plans {
    cublasLtHandle_t handle;
    cublasComputeType_t compute;
    void *workspace;
    Plan *plan;
    size_t plans; /* about 20 in a training */
};

/* Find the library by this build's major version and symbols, where the loader looks and where the toolkit was. */
Rc plans_find(Error *e) {
    static const LibrarySymbol symbol[] = {
#define CALL(name) {#name, &lt.name},
        CALLS(CALL)
#undef CALL
    };
    char name[32];
    snprintf(name, sizeof name, "libcublasLt.so.%d", CUBLAS_VER_MAJOR);
    return library_find(name, CUDA_LIBRARIES, symbol, sizeof symbol / sizeof *symbol, "cuBLASLt", e);
}

void plans_version(int version[3]) {
    for (int i = 0; i < 3; i++)
        if (lt.cublasLtGetProperty((libraryPropertyType)i, &version[i])) version[i] = 0;
}

Plans *plans_open(int compute, void *workspace) {
    Plans *p = mem_alloc(1, sizeof *p);
    p->compute = (cublasComputeType_t)compute, p->workspace = workspace;
    if (lt.cublasLtCreate(&p->handle) == CUBLAS_STATUS_SUCCESS) return p;
    free(p);
    return NULL;
}

static void release(Plan *plan) {
    if (plan->of) (void)lt.cublasLtMatmulDescDestroy(plan->of);
    if (plan->a) (void)lt.cublasLtMatrixLayoutDestroy(plan->a);
    if (plan->b) (void)lt.cublasLtMatrixLayoutDestroy(plan->b);
    if (plan->c) (void)lt.cublasLtMatrixLayoutDestroy(plan->c);
}

void plans_close(Plans *p) {
    if (!p) return;
    for (size_t i = 0; i < p->plans; i++) release(&p->plan[i]);
    (void)lt.cublasLtDestroy(p->handle);
    free(p->plan);
    free(p);
}

static int aligned(const void *at) {
    uintptr_t bits = (uintptr_t)at | ALIGNED;
    return (int)(bits & -bits);
}

static const void *bias_of(const Product *x) {
    return x->bias ? x->bias : x->dbias;
}

/* Make the key of a product. By cuBLASLt's header, BIAS adds a vector of C's rows to every column, BGRADB writes the
 * sums of B over k, a vector of C's columns, both of C's type. Only its heuristic knows for which shapes and types it
 * has such an algorithm. */
static Key key_of(const Product *x) {
    const int epilogue = x->bias    ? CUBLASLT_EPILOGUE_BIAS
                         : x->dbias ? CUBLASLT_EPILOGUE_BGRADB
                                    : CUBLASLT_EPILOGUE_DEFAULT;
    return (Key){(int)x->word,
                 x->m,
                 x->n,
                 x->k,
                 x->lda,
                 x->ldb,
                 x->ldc,
                 x->a_turned,
                 x->b_turned,
                 epilogue,
                 aligned(x->a),
                 aligned(x->b),
                 aligned(x->c),
                 aligned(bias_of(x)),
                 x->replicas,
                 (int)x->word_c,
                 (int64_t)x->next_a,
                 (int64_t)x->next_b,
                 (int64_t)x->next_c,
                 (int64_t)x->next_bias};
}

static int set(const Plan *plan, cublasLtMatmulDescAttributes_t what, const void *value, size_t bytes) {
    return lt.cublasLtMatmulDescSetAttribute(plan->of, what, value, bytes);
}

/* Describe the bias; the heuristic takes its alignment from the address and does not read it. A product without one
 * must not name an address. */
static int describe_bias(const Plan *plan) {
    const uint32_t epilogue = (uint32_t)plan->key.epilogue;
    const uintptr_t bias = (uintptr_t)plan->key.aligned_bias;
    int rc = set(plan, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    return rc || epilogue == CUBLASLT_EPILOGUE_DEFAULT
               ? rc
               : set(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
}

/* Describe a factor of rows x columns, which may be transposed in memory. */
static int describe_matrix(cublasLtMatrixLayout_t *out, int word, int rows, int columns, bool turned, int apart) {
    static const cudaDataType_t type[] = {
        [WORD_float] = CUDA_R_32F, [WORD_fp16] = CUDA_R_16F, [WORD_bf16] = CUDA_R_16BF};
    return lt.cublasLtMatrixLayoutCreate(out, type[word], (uint64_t)(turned ? columns : rows),
                                         (uint64_t)(turned ? rows : columns), apart);
}

static int describe(Plan *plan, cublasComputeType_t compute) {
    const Key *k = &plan->key;
    const int32_t a = k->a_turned ? CUBLAS_OP_T : CUBLAS_OP_N, b = k->b_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    int rc = lt.cublasLtMatmulDescCreate(&plan->of, compute, CUDA_R_32F);
    if (!rc) rc = set(plan, CUBLASLT_MATMUL_DESC_TRANSA, &a, sizeof a);
    if (!rc) rc = set(plan, CUBLASLT_MATMUL_DESC_TRANSB, &b, sizeof b);
    if (!rc && plan->whole) rc = describe_bias(plan);
    if (!rc) rc = describe_matrix(&plan->a, k->word, k->m, k->k, k->a_turned, k->lda);
    if (!rc) rc = describe_matrix(&plan->b, k->word, k->k, k->n, k->b_turned, k->ldb);
    return rc ? rc : describe_matrix(&plan->c, k->word_c, k->m, k->n, false, k->ldc);
}

/* Allow parts of a sum over k to be added in the workspace only: for adding into C the header does not promise a fixed
 * order, which a class of bits needs. */
static int prefer(cublasLtMatmulPreference_t preference, const Key *k) {
    const uint64_t workspace = PLANS_WORKSPACE;
    const uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, a = (uint32_t)k->aligned_a,
                   b = (uint32_t)k->aligned_b, c = (uint32_t)k->aligned_c;
    const struct {
        cublasLtMatmulPreferenceAttributes_t what;
        const void *value;
        size_t bytes;
    } row[] = {{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace},
               {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &a, sizeof a},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &b, sizeof b},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &c, sizeof c},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &c, sizeof c}};
    int rc = CUBLAS_STATUS_SUCCESS;
    for (size_t i = 0; i < sizeof row / sizeof *row && !rc; i++)
        rc = lt.cublasLtMatmulPreferenceSetAttribute(preference, row[i].what, row[i].value, row[i].bytes);
    return rc;
}

static int choose(const Plans *p, Plan *plan) {
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t best = {.state = CUBLAS_STATUS_NOT_SUPPORTED};
    int found = 0, rc = lt.cublasLtMatmulPreferenceCreate(&preference);
    if (!rc) rc = prefer(preference, &plan->key);
    if (!rc)
        rc = lt.cublasLtMatmulAlgoGetHeuristic(p->handle, plan->of, plan->a, plan->b, plan->c, plan->c, preference, 1,
                                               &best, &found);
    if (preference) (void)lt.cublasLtMatmulPreferenceDestroy(preference);
    plan->algorithm = best.algo;
    return rc ? rc : found ? (int)best.state : CUBLAS_STATUS_NOT_SUPPORTED;
}

static int repeat(cublasLtMatrixLayout_t matrix, int32_t count, int64_t next) {
    cublasStatus_t rc =
        lt.cublasLtMatrixLayoutSetAttribute(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
    if (!rc)
        rc = lt.cublasLtMatrixLayoutSetAttribute(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &next,
                                                 sizeof next);
    return (int)rc;
}

/* Describe `count` replicas of the matrices. */
static int repeat_all(const Plan *plan, int count) {
    const Key *k = &plan->key;
    int rc = repeat(plan->a, count, k->next_a);
    if (!rc) rc = repeat(plan->b, count, k->next_b);
    if (!rc) rc = repeat(plan->c, count, k->next_c);
    if (!rc && plan->whole && k->epilogue != CUBLASLT_EPILOGUE_DEFAULT)
        rc = set(plan, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, &k->next_bias, sizeof k->next_bias);
    return rc;
}

/* Try the algorithm of one replica for all of them in one call; no other algorithm is looked for. */
static int put_together(const Plans *p, Plan *plan) {
    cublasLtMatmulHeuristicResult_t all;
    const Key *k = &plan->key;
    if (k->replicas == 1) return CUBLAS_STATUS_SUCCESS;
    int rc = repeat_all(plan, k->replicas);
    if (rc) return rc;
    plan->together =
        !lt.cublasLtMatmulAlgoCheck(p->handle, plan->of, plan->a, plan->b, plan->c, plan->c, &plan->algorithm, &all) &&
        all.workspaceSize <= PLANS_WORKSPACE;
    return plan->together ? 0 : repeat_all(plan, 1);
}

static Plan make(const Plans *p, const Key *key, bool whole) {
    Plan plan = {.key = *key, .whole = whole};
    plan.status = describe(&plan, p->compute);
    if (!plan.status) plan.status = choose(p, &plan);
    if (!plan.status) plan.status = put_together(p, &plan);
    return plan;
}

static const Plan *plan_of(Plans *p, const Key *key) {
    for (size_t i = 0; i < p->plans; i++)
        if (!memcmp(&p->plan[i].key, key, sizeof *key)) return &p->plan[i];
    Plan plan = make(p, key, true);
    if (plan.status && key->epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
        release(&plan);
        plan = make(p, key, false);
    }
    p->plan = mem_grow(p->plan, p->plans + 1, sizeof plan);
    p->plan[p->plans] = plan;
    return &p->plan[p->plans++];
}

/* Multiply for all replicas, or for one if each has a call of its own. */
static int multiply(Plans *p, const Plan *plan, const Product *x, void *stream) {
    const float one = 1;
    const void *bias = bias_of(x);
    int rc = plan->whole && bias ? set(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias) : 0;
    if (rc) return rc;
    return lt.cublasLtMatmul(p->handle, plan->of, &one, x->a, plan->a, x->b, plan->b, &x->beta, x->c, plan->c, x->c,
                             plan->c, &plan->algorithm, p->workspace, PLANS_WORKSPACE, stream);
}

int plans_product(Plans *p, const Product *x, void *stream, bool *whole) {
    const Key key = key_of(x);
    const Plan *plan = plan_of(p, &key);
    int rc = plan->status;
    *whole = plan->whole;
    if (plan->together) return rc ? rc : multiply(p, plan, x, stream);
    for (int r = 0; r < x->replicas && !rc; r++) {
        const Product alone = product_alone(x, r);
        rc = multiply(p, plan, &alone, stream);
    }
    return rc;
}
