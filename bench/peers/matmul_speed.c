/* matmul_speed: every matrix product of a model's training step, ours beside OpenBLAS and oneDNN, one thread each, in
 * interleaved rounds. A peer whose result is not ours is void; one that is not on this machine is absent. */
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/canon.h"
#include "base/file.h"
#include "base/philox.h"
#include "base/text.h"
#include "bench/peers/gemm.h"
#include "bench/store/provenance.h"
#include "kernels/backend.h"
#include "kernels/cpu/simd/bf16.h"
#include "stats/status.h"

static const char usage[] =
    "usage: matmul_speed [--width D] [--layers L] [--rows N] [--vocab V] [--rounds N] [--backend NAME] [--bf16]\n"
    "                    [--json] [-o FILE]\n"
    "\n"
    "The products of one training step (default: the 8x128 model, 2048 rows, vocabulary 65) by our kernels, "
    "OpenBLAS's\n"
    "sgemm, oneDNN's sgemm and oneDNN's matmul, all on one processor in interleaved rounds. Medians; a ratio above 1: "
    "ours\n"
    "is faster; shares are of the float fma peak measured in between. --bf16: ours in bf16 (which rounds float "
    "operands)\n"
    "beside oneDNN's matmul, of the same floats, which its reorder rounds, and of operands that stand in bf16 "
    "already;\n"
    "without an instruction for it ours is skipped.\n"
    "JSON: {schema, width, layers, rows, vocab, rounds, backend, fma_peak_gflops, skipped (why ours is), peers: "
    "[{name, what, version or null}],\n"
    "  products: [{pass, in, out, m, n, k, calls, flops, ours and each peer: {seconds, gflops, peak_share, ratio} or a "
    "text\n"
    "  (absent, void, skipped)}], step: {ours and each peer: the same, of all calls of a step}, provenance}\n";

enum { OURS, PEERS = 3, SIDES, BF16_PEERS = 2, PASSES = 3, LINEARS = 5, ROUNDS_MAX = 101 };
/* Copies of the operands, used in turn: in a step they come from the outer caches too. */
enum { SETS = 6 };
static const double sample_seconds = 3e-3;
static const char *const pass_name[PASSES] = {"forward", "input grad", "weight grad"};
static const GemmPeer *const float_peers[PEERS] = {&gemm_openblas, &gemm_dnnl_sgemm, &gemm_dnnl_matmul};
static const GemmPeer *const bf16_peers[PEERS] = {&gemm_dnnl_rounding, &gemm_dnnl_bf16};

/* A linear layer's product in one pass. */
typedef struct {
    int pass, in, out, calls;
    Gemm g[SETS];
    Call call[SETS]; /* ours */
    double flops, seconds[SIDES];
    const char *why[SIDES]; /* no seconds: absent, void, skipped */
    void *prepared[SIDES];
} Product;

typedef struct {
    int width, layers, rows, vocab, rounds;
    const Backend *backend;
    const char *skipped; /* why ours is not timed: the backend is a slow one in its place */
    Error lacks;
    bool bf16;
    const GemmPeer *const *peers;
    int sides; /* ours and those peers */
    const char *version[PEERS];
    Arena memory;
    size_t words;      /* of one operand */
    uint16_t *rounded; /* all operands in bf16 */
    float *expected;
    double peak;
    Product product[LINEARS * PASSES];
} Speed;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t words_most(const Speed *s) {
    size_t wide = (size_t)(4 * s->width > s->vocab ? 4 * s->width : s->vocab), most = (size_t)s->rows * wide;
    size_t weight = wide * (size_t)s->width;
    return align_up((most > weight ? most : weight) * sizeof(float)) / sizeof(float);
}

/* y = x W^T, dx = dy W, dW = dy^T x, as libraries see them and as our op does. */
static void place(const Speed *s, Product *p, int set) {
    int n = s->rows, in = p->in, out = p->out, pass = p->pass;
    float *x = (float *)(void *)s->memory.at + 4 * (size_t)set * s->words, *w = x + s->words, *dy = w + s->words;
    float *to = dy + s->words;
    uint16_t *x16 = s->rounded + 4 * (size_t)set * s->words, *w16 = x16 + s->words, *dy16 = w16 + s->words;
    const Gemm shapes[PASSES] = {{n, out, in, false, true, x, w, to, x16, w16},
                                 {n, in, out, false, false, dy, w, to, dy16, w16},
                                 {out, in, n, true, false, dy, x, to, dy16, x16}};
    Call c = {.kind = OP_linear, .in_count = 2, .replicas = 1};
    c.in[0] = (View){x, 0, n, in}, c.in[1] = (View){w, 0, out, in};
    c.out = c.dout = (View){dy, 0, n, out};
    if (pass == 0) c.out.at = to;
    if (pass == 1) c.din[0] = (View){to, 0, n, in};
    if (pass == 2) c.din[1] = (View){to, 0, out, in};
    p->g[set] = shapes[pass], p->call[set] = c;
}

static void run_ours(const Speed *s, const Product *p, int set) {
    const Kernel *kernel = s->backend->kernel[OP_linear];
    (p->pass == 0 ? kernel->forward : kernel->backward)(&p->call[set]);
}

static void run(const Speed *s, const Product *p, int side, int set) {
    if (side == OURS)
        run_ours(s, p, set);
    else
        s->peers[side - 1]->run(p->prepared[side], &p->g[set]);
}

static bool close_to_ours(const Speed *s, const Product *p) {
    size_t words = (size_t)p->g[0].m * (size_t)p->g[0].n;
    for (size_t i = 0; i < words; i++)
        if (!(fabsf(p->g[0].c[i] - s->expected[i]) < 1e-3f)) return false; /* sums of up to k products below 1 */
    return true;
}

/* Who takes part, after one product that is compared with ours. */
static void admit(const Speed *s, Product *p) {
    size_t bytes = (size_t)p->g[0].m * (size_t)p->g[0].n * sizeof(float);
    run_ours(s, p, 0);
    memcpy(s->expected, p->g[0].c, bytes);
    if (s->skipped) p->why[OURS] = "skipped";
    for (int side = 1; side < s->sides; side++) {
        const GemmPeer *peer = s->peers[side - 1];
        if (!s->version[side - 1]) {
            p->why[side] = "absent";
            continue;
        }
        memset(p->g[0].c, 0, bytes);
        p->prepared[side] = peer->prepare(&p->g[0]);
        if (p->prepared[side]) run(s, p, side, 0);
        if (!p->prepared[side] || !close_to_ours(s, p)) p->why[side] = "void";
    }
}

/* Every side in turn, round by round, beginning with another one each time. */
static void measure(Speed *s, Product *p) {
    double sample[SIDES][ROUNDS_MAX] = {{0}};
    admit(s, p);
    double start = now();
    int first = OURS;
    while (first < s->sides && p->why[first]) first++;
    if (first == s->sides) return;
    run(s, p, first, 1);
    int times = (int)(sample_seconds / (now() - start)) + 1;
    double peak = backend_fma_peak(NULL);
    if (peak > s->peak) s->peak = peak;
    for (int round = 0; round < s->rounds; round++)
        for (int turn = 0; turn < s->sides; turn++) {
            int side = (turn + round) % s->sides;
            if (p->why[side]) continue;
            run(s, p, side, SETS - 1); /* untimed: fetches its code into the caches */
            start = now();
            for (int i = 0; i < times; i++) run(s, p, side, i % SETS);
            sample[side][round] = (now() - start) / times;
        }
    for (int side = 0; side < s->sides; side++) {
        qsort(sample[side], (size_t)s->rounds, sizeof **sample, st_compare_double);
        p->seconds[side] = sample[side][s->rounds / 2];
        if (p->prepared[side]) s->peers[side - 1]->release(p->prepared[side]);
    }
}

static Rc take_memory(Speed *s, Error *e) {
    s->words = words_most(s);
    size_t all = (4 * SETS + 1) * s->words;
    if (arena_init(&s->memory, all * (sizeof(float) + sizeof(uint16_t)), e)) return e->code;
    float *at = (float *)(void *)s->memory.at;
    s->expected = at + 4 * SETS * s->words;
    s->rounded = (uint16_t *)(void *)(at + all);
    for (size_t i = 0; i < all; i++) {
        at[i] = (float)(philox_word(1, 1, i) >> 8) * 0x1p-23f - 1;
        s->rounded[i] = (uint16_t)bf16_round(at[i]);
    }
    return RC_OK;
}

static Rc take_scratch(Speed *s, Arena *scratch, Error *e) {
    const Kernel *kernel = s->backend->kernel[OP_linear];
    size_t most = 0;
    for (int i = 0; i < LINEARS * PASSES; i++) {
        size_t need = kernel->scratch ? kernel->scratch(&s->product[i].call[0]) : 0;
        if (need > most) most = need;
    }
    if (arena_init(scratch, most, e)) return e->code;
    for (int i = 0; i < LINEARS * PASSES; i++)
        for (int set = 0; set < SETS; set++) s->product[i].call[set].scratch = scratch->at;
    return RC_OK;
}

static Rc measure_all(Speed *s, Error *e) {
    const int d = s->width, L = s->layers;
    const int linear[LINEARS][3] = {{d, 3 * d, L}, {d, d, L}, {d, 4 * d, L}, {4 * d, d, L}, {d, s->vocab, 1}};
    Arena scratch;
    for (int i = 0; i < s->sides - 1; i++) s->version[i] = s->peers[i]->version();
    if (take_memory(s, e)) return e->code;
    for (int i = 0; i < LINEARS * PASSES; i++) {
        const int *l = linear[i / PASSES];
        s->product[i] =
            (Product){.pass = i % PASSES, .in = l[0], .out = l[1], .calls = l[2], .flops = 2.0 * s->rows * l[0] * l[1]};
        for (int set = 0; set < SETS; set++) place(s, &s->product[i], set);
    }
    Rc rc = take_scratch(s, &scratch, e);
    if (!rc) {
        for (int i = 0; i < LINEARS * PASSES; i++) measure(s, &s->product[i]);
        arena_release(&scratch);
    }
    arena_release(&s->memory);
    return rc;
}

/* All calls of a step; why[side] is of the first product that a side has no time for. */
static Product whole_step(const Speed *s) {
    Product sum = {.calls = 1};
    for (int i = 0; i < LINEARS * PASSES; i++) {
        const Product *p = &s->product[i];
        sum.flops += p->calls * p->flops;
        for (int side = 0; side < s->sides; side++) {
            sum.seconds[side] += p->calls * p->seconds[side];
            if (!sum.why[side]) sum.why[side] = p->why[side];
        }
    }
    return sum;
}

static void add_sides(json_t *to, const Speed *s, const Product *p) {
    for (int side = 0; side < s->sides; side++) {
        const char *name = side == OURS ? "ours" : s->peers[side - 1]->name;
        double rate = 1e-9 * p->flops / p->seconds[side];
        json_t *entry = p->why[side] ? json_string(p->why[side])
                                     : json_pack("{s:f, s:f, s:f}", "seconds", p->seconds[side], "gflops", rate,
                                                 "peak_share", rate / s->peak);
        if (!p->why[side] && !p->why[OURS])
            json_object_set_new(entry, "ratio", json_real(p->seconds[side] / p->seconds[OURS]));
        json_object_set_new(to, name, entry);
    }
}

static char *to_json(const Speed *s) {
    json_t *products = json_array(), *list = json_array(), *step = json_object();
    for (int i = 0; i < LINEARS * PASSES; i++) {
        const Product *p = &s->product[i];
        json_t *entry =
            json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f}", "pass", pass_name[p->pass], "in", p->in, "out",
                      p->out, "m", p->g[0].m, "n", p->g[0].n, "k", p->g[0].k, "calls", p->calls, "flops", p->flops);
        add_sides(entry, s, p);
        json_array_append_new(products, entry);
    }
    for (int i = 0; i < s->sides - 1; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s?}", "name", s->peers[i]->name, "what", s->peers[i]->what,
                                              "version", s->version[i]));
    Product sum = whole_step(s);
    add_sides(step, s, &sum);
    json_t *root = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:f, s:o, s:o, s:o, s:o}", "schema", 1, "width",
                             s->width, "layers", s->layers, "rows", s->rows, "vocab", s->vocab, "rounds", s->rounds,
                             "backend", s->backend->name, "fma_peak_gflops", s->peak, "peers", list, "products",
                             products, "step", step, "provenance", provenance_json());
    if (s->skipped) json_object_set_new(root, "skipped", json_string(s->skipped));
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(root);
    return text;
}

static void print_sides(const Speed *s, const Product *p) {
    double rate = 1e-9 * p->flops / p->seconds[OURS];
    if (p->why[OURS])
        printf("  %8s  %7s %5s", p->why[OURS], "", "");
    else
        printf("  %8.3f  %7.1f %4.0f%%", 1e3 * p->seconds[OURS], rate, 100 * rate / s->peak);
    for (int side = 1; side < s->sides; side++)
        if (p->why[side])
            printf("  %16s", p->why[side]);
        else if (p->why[OURS])
            printf("  %8.3f        ", 1e3 * p->seconds[side]);
        else
            printf("  %8.3f  %5.2fx", 1e3 * p->seconds[side], p->seconds[side] / p->seconds[OURS]);
    printf("\n");
}

static void print_text(const Speed *s) {
    Product sum = whole_step(s);
    printf(
        "matrix products of one training step, %d layers x %d, %d rows, vocabulary %d; one thread each; medians of %d\n"
        "interleaved rounds; a ratio above 1: ours is faster; backend %s, fma peak %.1f GFLOP/s\n",
        s->layers, s->width, s->rows, s->vocab, s->rounds, s->backend->name, s->peak);
    for (int i = 0; i < s->sides - 1; i++)
        printf("  %-15s %s\n", s->peers[i]->what, s->version[i] ? s->version[i] : "absent");
    if (s->bf16)
        printf("  operands are floats, rounded in the time measured; those of oneDNN bf16 stand in bf16 already\n");
    if (s->skipped) printf("  ours is skipped: %s\n", s->skipped);
    printf("\n  %-11s %5s %5s %5s  %5s  %8s  %7s %5s", "product", "m", "n", "k", "calls", "ours ms", "GFLOP/s", "peak");
    for (int i = 0; i < s->sides - 1; i++) printf("  %13s ms", s->peers[i]->what);
    printf("\n");
    for (int i = 0; i < LINEARS * PASSES; i++) {
        const Product *p = &s->product[i];
        printf("  %-11s %5d %5d %5d  %5d", pass_name[p->pass], p->g[0].m, p->g[0].n, p->g[0].k, p->calls);
        print_sides(s, p);
    }
    printf("  %-36s", "all calls of a step");
    print_sides(s, &sum);
}

/* Libraries that start a thread per processor find one. */
static void keep_to_one_processor(void) {
    cpu_set_t set, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof set, &set)) return;
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &set)) CPU_SET(i, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

typedef struct {
    bool json;
    const char *path, *backend;
} Choices;

/* Without bf16 instructions the products of the peers are compared with those of our software backend. */
static Rc choose_backend(Speed *s, const char *asked, Error *e) {
    s->peers = s->bf16 ? bf16_peers : float_peers;
    s->sides = s->bf16 ? 1 + BF16_PEERS : SIDES;
    s->backend = backend_find(asked ? asked : s->bf16 ? "cpu-bf16" : "cpu", e);
    if (!s->backend && s->bf16 && !asked && e->code == RC_UNMEASURED) {
        s->lacks = *e;
        s->skipped = s->lacks.text;
        s->backend = backend_find("soft-dot-bf16", e);
    }
    if (!s->backend) return e->code;
    if (s->bf16 != (s->backend->precision == PRECISION_bf16))
        return error_set(e, RC_USAGE, "--backend: '%s' computes %s bf16", asked, s->bf16 ? "without" : "in");
    if (s->backend->word[ROLE_PARAM] == sizeof(float)) return RC_OK;
    return error_set(e, RC_USAGE, "--backend: '%s' does not compute in float", asked);
}

static Rc read_arguments(Speed *s, Choices *o, int argc, char **argv, Error *e) {
    const struct {
        const char *name;
        int *to, most;
    } numbers[] = {{"--width", &s->width, 8192},
                   {"--layers", &s->layers, 256},
                   {"--rows", &s->rows, 1 << 16},
                   {"--vocab", &s->vocab, 1 << 16},
                   {"--rounds", &s->rounds, ROUNDS_MAX}};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        int64_t value;
        size_t n = 0;
        if (!strcmp(word, "--json") || !strcmp(word, "--bf16")) {
            *(word[2] == 'j' ? &o->json : &s->bf16) = true;
            continue;
        }
        while (n < sizeof numbers / sizeof *numbers && strcmp(word, numbers[n].name)) n++;
        bool number = n < sizeof numbers / sizeof *numbers, path = !strcmp(word, "-o") || !strcmp(word, "--output");
        if ((!number && !path && strcmp(word, "--backend")) || ++i == argc)
            return error_set(e, RC_USAGE, "%s: unknown, or without its value; see --help", word);
        if (path)
            o->path = argv[i];
        else if (!number)
            o->backend = argv[i];
        else if (!parse_integer(argv[i], &value) || value < 1 || value > numbers[n].most)
            return error_set(e, RC_USAGE, "%s: '%s' is not a number from 1 to %d", word, argv[i], numbers[n].most);
        else
            *numbers[n].to = (int)value;
    }
    return choose_backend(s, o->backend, e);
}

int main(int argc, char **argv) {
    Speed s = {.width = 128, .layers = 8, .rows = 2048, .vocab = 65, .rounds = 15};
    Choices o = {0};
    Error e = {.code = RC_OK};
    if (argc > 1 && !strcmp(argv[1], "--help")) return fputs(usage, stdout) < 0;
    canon_environment();
    keep_to_one_processor();
    Rc rc = read_arguments(&s, &o, argc, argv, &e);
    if (!rc) rc = measure_all(&s, &e);
    if (!rc) {
        char *json = to_json(&s);
        if (o.json)
            printf("%s\n", json);
        else
            print_text(&s);
        if (o.path) rc = file_write(o.path, json, strlen(json), &e);
        free(json);
    }
    if (rc) fprintf(stderr, "matmul_speed: %s\n", e.text);
    return rc;
}
