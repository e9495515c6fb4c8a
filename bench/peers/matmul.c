/* The float matmuls of a model's linear layers beside OpenBLAS and oneDNN, one thread each, in turns on the same operands.
 *
 *   matmul [--json] [ROWS [IN,OUT ...]]      default: 2048 rows and the layers of the 8x128 model
 *
 * The peers are opened at run time, by their sonames; one that is not installed prints `absent`. A peer whose product is
 * not ours to 1e-4 (relative L2) prints `void`. Operands rotate through SETS copies, so that they come from the outer
 * caches as in a training step. Shares are of this core's fma peak, measured before and after. */
#include <dlfcn.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/philox.h"
#include "kernels/backend.h"
#define BACKEND portable
#include "kernels/cpu/matmul.h"

enum { SETS = 6, ROUNDS = 24, PEERS = 3 };
typedef enum { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, PASSES } Pass;
static const char *const pass_name[PASSES] = {"forward", "input gradient", "weight gradient"};
static const char *const peer_name[PEERS] = {"normbench", "OpenBLAS", "oneDNN"};

typedef struct {
    Pass pass;
    int rows, in, out;
    const float *x, *w, *dy;
    float *c;
    void *scratch;
} Product;

typedef void OurMatmul(real *, size_t, Matrix, Matrix, int, int, int, const real *, bool, void *);
typedef size_t OurScratch(int, int, int);
#define OURS(isa) \
    OurMatmul isa##_matmul; \
    OurScratch isa##_matmul_scratch;
#if defined(__x86_64__)
OURS(v3)
OURS(v4)
#endif
static OurMatmul *ours;
static OurScratch *ours_scratch;

static int (*dnnl_sgemm)(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                         float *, int64_t);
static void (*cblas_sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

static void by_ours(const Product *p) {
    size_t in = (size_t)p->in, out = (size_t)p->out;
    Matrix x = {p->x, in, 1}, wt = {p->w, 1, in}, w = {p->w, in, 1}, dy = {p->dy, out, 1}, dyt = {p->dy, 1, out};
    if (p->pass == FORWARD) ours(p->c, out, x, wt, p->rows, p->out, p->in, NULL, false, p->scratch);
    if (p->pass == INPUT_GRADIENT) ours(p->c, in, dy, w, p->rows, p->in, p->out, NULL, false, p->scratch);
    if (p->pass == WEIGHT_GRADIENT) ours(p->c, in, dyt, x, p->out, p->in, p->rows, NULL, false, p->scratch);
}

/* C [m][n] = op(A) op(B), row-major; the peers differ in how they call a transpose. */
typedef struct {
    bool turn_a, turn_b;
    int m, n, k, lda, ldb;
    const float *a, *b;
} Gemm;

static Gemm gemm_of(const Product *p) {
    if (p->pass == FORWARD) return (Gemm){false, true, p->rows, p->out, p->in, p->in, p->in, p->x, p->w};
    if (p->pass == INPUT_GRADIENT) return (Gemm){false, false, p->rows, p->in, p->out, p->out, p->in, p->dy, p->w};
    return (Gemm){true, false, p->out, p->in, p->rows, p->out, p->in, p->dy, p->x};
}

static void by_openblas(const Product *p) {
    enum { ROW_MAJOR = 101, STRAIGHT = 111, TURNED = 112 };
    Gemm g = gemm_of(p);
    cblas_sgemm(ROW_MAJOR, g.turn_a ? TURNED : STRAIGHT, g.turn_b ? TURNED : STRAIGHT, g.m, g.n, g.k, 1, g.a, g.lda, g.b,
                g.ldb, 0, p->c, g.n);
}

static void by_onednn(const Product *p) {
    Gemm g = gemm_of(p);
    dnnl_sgemm(g.turn_a ? 'T' : 'N', g.turn_b ? 'T' : 'N', g.m, g.n, g.k, 1, g.a, g.lda, g.b, g.ldb, 0, p->c, g.n);
}

static void (*const multiply[PEERS])(const Product *) = {by_ours, by_openblas, by_onednn};
static bool present[PEERS] = {true};

/* dlsym gives an object pointer; POSIX says how to make it a function's. */
static bool find(void *library, const char *name, void *function) {
    void *at = library ? dlsym(library, name) : NULL;
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

static void open_peers(void) {
    static const char *const onednn[] = {"libdnnl.so.3", "libdnnl.so.2"};
    void (*set_threads)(int);
    setenv("OMP_NUM_THREADS", "1", 1);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    present[1] = find(library, "cblas_sgemm", &cblas_sgemm) && find(library, "openblas_set_num_threads", &set_threads);
    if (present[1]) set_threads(1);
    for (int i = 0; i < 2 && !present[2]; i++) present[2] = find(dlopen(onednn[i], RTLD_NOW), "dnnl_sgemm", &dnnl_sgemm);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t words_of(const Product *p) {
    return p->pass == FORWARD          ? (size_t)p->rows * (size_t)p->out
           : p->pass == INPUT_GRADIENT ? (size_t)p->rows * (size_t)p->in
                                       : (size_t)p->out * (size_t)p->in;
}

static double distance(const float *a, const float *b, size_t n) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        size += (double)b[i] * (double)b[i];
    }
    return sqrt(difference / size);
}

/* Median seconds per product; 0: absent, below 0: void. */
static void race(double seconds[PEERS], Product set[SETS], float *kept) {
    double sample[PEERS][ROUNDS];
    for (int i = 0; i < PEERS; i++) {
        seconds[i] = present[i] ? 1 : 0;
        if (!present[i]) continue;
        multiply[i](&set[0]);
        if (i == 0) memcpy(kept, set[0].c, words_of(&set[0]) * sizeof *kept);
        if (!(distance(set[0].c, kept, words_of(&set[0])) < 1e-4)) seconds[i] = -1;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PEERS; i++) {
            int peer = (i + round) % PEERS;
            if (seconds[peer] <= 0) continue;
            double start = now();
            multiply[peer](&set[(round * PEERS + i) % SETS]);
            sample[peer][round] = now() - start;
        }
    for (int i = 0; i < PEERS; i++) {
        if (seconds[i] <= 0) continue;
        qsort(sample[i], ROUNDS, sizeof sample[i][0], by_value);
        seconds[i] = sample[i][ROUNDS / 2];
    }
}

static float *numbers(size_t n, uint64_t stream) {
    Arena a;
    Error e;
    if (arena_init(&a, n * sizeof(float), &e)) exit(fprintf(stderr, "%s\n", e.text) ? RC_UNMEASURED : 0);
    for (size_t i = 0; i < n; i++) ((float *)a.at)[i] = canon_normal(philox_word(1, stream, i));
    return (float *)a.at;
}

static json_t *row(int rows, int in, int out, Pass pass, double peak, bool text) {
    Product set[SETS];
    size_t x = (size_t)rows * (size_t)in, dy = (size_t)rows * (size_t)out, w = (size_t)in * (size_t)out;
    size_t c = x > dy ? x : dy;
    if (w > c) c = w;
    size_t scratch = ours_scratch(rows, out, in) + ours_scratch(rows, in, out) + ours_scratch(out, in, rows);
    void *room = numbers(scratch / sizeof(float) + 64, 9);
    float *kept = numbers(c, 8);
    for (int i = 0; i < SETS; i++)
        set[i] = (Product){pass, rows, in, out, numbers(x, 1), numbers(w, 2), numbers(dy, 3), numbers(c, 4), room};
    double seconds[PEERS], flops = 2e-9 * rows * in * out;
    race(seconds, set, kept);
    if (text) printf("  %5d x %4d -> %4d  %-15s", rows, in, out, pass_name[pass]);
    json_t *entry = json_pack("{s:i, s:i, s:i, s:s}", "rows", rows, "in", in, "out", out, "pass", pass_name[pass]);
    for (int i = 0; i < PEERS; i++) {
        const char *why = seconds[i] < 0 ? "void" : "absent";
        double rate = flops / seconds[i];
        if (seconds[i] <= 0) {
            if (text) printf("  %22s", why);
            json_object_set_new(entry, peer_name[i], json_string(why));
            continue;
        }
        if (text) printf("  %7.3f ms %3.0f%% %6.2fx", 1e3 * seconds[i], 100 * rate / peak, seconds[i] / seconds[0]);
        json_object_set_new(entry, peer_name[i],
                            json_pack("{s:f, s:f, s:f, s:f}", "seconds", seconds[i], "gflops", rate, "peak_share",
                                      rate / peak, "time_over_ours", seconds[i] / seconds[0]));
    }
    if (text) printf("\n");
    for (int i = 0; i < SETS; i++) free((void *)set[i].x), free((void *)set[i].w), free((void *)set[i].dy), free(set[i].c);
    free(room), free(kept);
    return entry;
}

static bool choose(void) {
    Error e;
    const Backend *cpu = backend_find("cpu", &e);
    ours = portable_matmul, ours_scratch = portable_matmul_scratch;
#if defined(__x86_64__)
    if (!strcmp(cpu->name, "v3")) ours = v3_matmul, ours_scratch = v3_matmul_scratch;
    if (!strcmp(cpu->name, "v4")) ours = v4_matmul, ours_scratch = v4_matmul_scratch;
#endif
    return cpu != NULL;
}

int main(int argc, char **argv) {
    static const char *const layers[] = {"128,384", "128,128", "128,512", "512,128", "128,65"};
    bool text = !(argc > 1 && !strcmp(argv[1], "--json"));
    argc -= !text, argv += !text;
    int rows = argc > 1 ? atoi(argv[1]) : 2048, count = argc > 2 ? argc - 2 : 5;
    const char *const *list = argc > 2 ? (const char *const *)(argv + 2) : layers;
    if (rows < 1 || !choose()) return fprintf(stderr, "matmul [--json] [ROWS [IN,OUT ...]]\n"), RC_USAGE;
    open_peers();
    double peak = backend_fma_peak();
    json_t *root = json_object(), *entries = json_array();
    if (text)
        printf("fma peak %.1f GFLOP/s; per product: median of %d, share of the peak, time over ours\n  %-38s  %22s  %22s  %22s\n",
               peak, ROUNDS, "", peer_name[0], peer_name[1], peer_name[2]);
    for (int i = 0; i < count; i++) {
        int in, out;
        if (sscanf(list[i], "%d,%d", &in, &out) != 2 || in < 1 || out < 1)
            return fprintf(stderr, "matmul: '%s' is not IN,OUT\n", list[i]), RC_USAGE;
        for (Pass pass = 0; pass < PASSES; pass++) json_array_append_new(entries, row(rows, in, out, pass, peak, text));
    }
    json_object_set_new(root, "fma_peak_gflops", json_real(peak));
    json_object_set_new(root, "fma_peak_gflops_after", json_real(backend_fma_peak()));
    json_object_set_new(root, "products", entries);
    if (!text) json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)), printf("\n");
    json_decref(root);
    return RC_OK;
}
