/* oneDNN, one thread: dnnl_sgemm, and the matmul primitive on plain (not pre-packed) operands, as a training step has
 * them. Its C interface changed between 2 and 3; both are served. */
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/gemm.h"

static const char *version(void) {
    static char text[64];
    const dnnl_version_t *v = dnnl_version();
    void (*set_threads)(int) = NULL;
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    if (set_threads) set_threads(1); /* on another threading library: as many as the process may use, one */
    snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
    return text;
}

/* dnnl_sgemm needs nothing but the version's thread count; any address says so. */
static void *prepare_sgemm(const Gemm *g) {
    return (void *)(size_t)g;
}

static void release_sgemm(void *prepared) {
    (void)prepared;
}

static void run_sgemm(void *prepared, const Gemm *g) {
    (void)prepared;
    dnnl_sgemm(g->turn_a ? 'T' : 'N', g->turn_b ? 'T' : 'N', g->m, g->n, g->k, 1, g->a, g->turn_a ? g->m : g->k, g->b,
               g->turn_b ? g->k : g->n, 0, g->c, g->n);
}

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t operand[3];
    bool bf16, rounds; /* the factors are bf16, the product is float; they are rounded each time */
    dnnl_primitive_t rounding[2];
    dnnl_memory_t raw[2];
    uint16_t *rounded[2];
} Plan;

static void operands(const void *at[3], const Plan *p, const Gemm *g) {
    at[0] = p->rounds ? (const void *)p->rounded[0] : p->bf16 ? (const void *)g->a16 : g->a;
    at[1] = p->rounds ? (const void *)p->rounded[1] : p->bf16 ? (const void *)g->b16 : g->b;
    at[2] = g->c;
}

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t Layout;
static bool describe(Layout *l, const dnnl_dims_t dims, const dnnl_dims_t strides, dnnl_data_type_t word) {
    return !dnnl_memory_desc_create_with_strides(l, 2, dims, word, strides);
}
static bool hold(const Plan *p, dnnl_memory_t *memory, const Layout *l, const void *at) {
    return !dnnl_memory_create(memory, *l, p->engine, (void *)(size_t)at);
}
static bool make_primitive(Plan *p, const Layout l[3]) {
    dnnl_primitive_desc_t d;
    if (dnnl_matmul_primitive_desc_create(&d, p->engine, l[0], l[1], NULL, l[2], NULL)) return false;
    bool made = !dnnl_primitive_create(&p->primitive, d);
    dnnl_primitive_desc_destroy(d);
    return made;
}
static bool describe_rounding(dnnl_primitive_desc_t *d, const Plan *p, Layout from, Layout to) {
    return !dnnl_reorder_primitive_desc_create(d, from, p->engine, to, p->engine, NULL);
}
#else
typedef dnnl_memory_desc_t Layout;
static bool describe(Layout *l, const dnnl_dims_t dims, const dnnl_dims_t strides, dnnl_data_type_t word) {
    return !dnnl_memory_desc_init_by_strides(l, 2, dims, word, strides);
}
static bool hold(const Plan *p, dnnl_memory_t *memory, const Layout *l, const void *at) {
    return !dnnl_memory_create(memory, l, p->engine, (void *)(size_t)at);
}
static bool make_primitive(Plan *p, const Layout l[3]) {
    dnnl_matmul_desc_t product;
    dnnl_primitive_desc_t d;
    if (dnnl_matmul_desc_init(&product, &l[0], &l[1], NULL, &l[2])) return false;
    if (dnnl_primitive_desc_create(&d, &product, NULL, p->engine, NULL)) return false;
    bool made = !dnnl_primitive_create(&p->primitive, d);
    dnnl_primitive_desc_destroy(d);
    return made;
}
static bool describe_rounding(dnnl_primitive_desc_t *d, const Plan *p, Layout from, Layout to) {
    return !dnnl_reorder_primitive_desc_create(d, &from, p->engine, &to, p->engine, NULL);
}
#endif

static void release_matmul(void *prepared) {
    Plan *p = prepared;
    for (int i = 0; i < 3; i++)
        if (p->operand[i].memory) dnnl_memory_destroy(p->operand[i].memory);
    for (int i = 0; i < 2; i++) {
        if (p->raw[i]) dnnl_memory_destroy(p->raw[i]);
        if (p->rounding[i]) dnnl_primitive_destroy(p->rounding[i]);
        free(p->rounded[i]);
    }
    if (p->primitive) dnnl_primitive_destroy(p->primitive);
    if (p->stream) dnnl_stream_destroy(p->stream);
    if (p->engine) dnnl_engine_destroy(p->engine);
    free(p);
}

/* Factor i, as it stands in floats, into its place in bf16. */
static bool plan_rounding(Plan *p, int i, const float *at, const dnnl_dims_t dims, const dnnl_dims_t strides) {
    Layout from, to;
    dnnl_primitive_desc_t d;
    if (!describe(&from, dims, strides, dnnl_f32) || !describe(&to, dims, strides, dnnl_bf16) ||
        !hold(p, &p->raw[i], &from, at) || !describe_rounding(&d, p, from, to))
        return false;
    bool made = !dnnl_primitive_create(&p->rounding[i], d);
    dnnl_primitive_desc_destroy(d);
    return made;
}

static bool plan_matmul(Plan *p, const Gemm *g) {
    const dnnl_dims_t dims[3] = {{g->m, g->k}, {g->k, g->n}, {g->m, g->n}};
    const dnnl_dims_t strides[3] = {
        {g->turn_a ? 1 : g->k, g->turn_a ? g->m : 1}, {g->turn_b ? 1 : g->n, g->turn_b ? g->k : 1}, {g->n, 1}};
    const int argument[3] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    const dnnl_data_type_t factor = p->bf16 ? dnnl_bf16 : dnnl_f32, word[3] = {factor, factor, dnnl_f32};
    const float *const raw[2] = {g->a, g->b};
    const void *at[3];
    Layout layout[3];
    for (int i = 0; i < 2 && p->rounds; i++) {
        p->rounded[i] = calloc((size_t)dims[i][0] * (size_t)dims[i][1], sizeof(uint16_t));
        if (!p->rounded[i]) return false;
    }
    operands(at, p, g);
    if (dnnl_engine_create(&p->engine, dnnl_cpu, 0) ||
        dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags))
        return false;
    for (int i = 0; i < 3; i++) {
        p->operand[i].arg = argument[i];
        if (!describe(&layout[i], dims[i], strides[i], word[i]) || !hold(p, &p->operand[i].memory, &layout[i], at[i]))
            return false;
        if (i < 2 && p->rounds && !plan_rounding(p, i, raw[i], dims[i], strides[i])) return false;
    }
    return make_primitive(p, layout);
}

static void *prepare(const Gemm *g, bool bf16, bool rounds) {
    Plan *p = calloc(1, sizeof *p);
    if (p) p->bf16 = bf16, p->rounds = rounds;
    if (!p || plan_matmul(p, g)) return p;
    release_matmul(p);
    return NULL;
}

static void *prepare_matmul(const Gemm *g) {
    return prepare(g, false, false);
}

static void *prepare_bf16(const Gemm *g) {
    return prepare(g, true, false);
}

static void *prepare_rounding(const Gemm *g) {
    return prepare(g, true, true);
}

static void run_matmul(void *prepared, const Gemm *g) {
    const Plan *p = prepared;
    const void *at[3];
    operands(at, p, g);
    for (int i = 0; i < 3; i++) dnnl_memory_set_data_handle(p->operand[i].memory, (void *)(size_t)at[i]);
    dnnl_primitive_execute(p->primitive, p->stream, 3, p->operand);
    dnnl_stream_wait(p->stream);
}

static void run_rounding(void *prepared, const Gemm *g) {
    const Plan *p = prepared;
    const float *const raw[2] = {g->a, g->b};
    for (int i = 0; i < 2; i++) {
        const dnnl_exec_arg_t both[2] = {{DNNL_ARG_FROM, p->raw[i]}, {DNNL_ARG_TO, p->operand[i].memory}};
        dnnl_memory_set_data_handle(p->raw[i], (void *)(size_t)raw[i]);
        dnnl_primitive_execute(p->rounding[i], p->stream, 2, both);
    }
    run_matmul(prepared, g);
}

const GemmPeer gemm_dnnl_sgemm = {"dnnl_sgemm", "oneDNN sgemm", version, prepare_sgemm, run_sgemm, release_sgemm};
const GemmPeer gemm_dnnl_matmul = {"dnnl_matmul", "oneDNN matmul", version, prepare_matmul, run_matmul, release_matmul};
const GemmPeer gemm_dnnl_bf16 = {"dnnl_bf16", "oneDNN bf16", version, prepare_bf16, run_matmul, release_matmul};
const GemmPeer gemm_dnnl_rounding = {"dnnl_rounding", "oneDNN floats", version, prepare_rounding, run_rounding,
                                     release_matmul};
