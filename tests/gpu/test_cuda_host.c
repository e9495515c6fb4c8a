/* The host's side of the CUDA device, kernels/cuda/device.c itself, against a runtime of the tests' own that launches
 * the shim's kernels: the CPU's bits through its streams, graphs and copies, what it says when memory is short or a
 * kernel failed, and its times. */
#include <criterion/criterion.h>
#include <cublasLt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trainer_count.h"
#include "models/trainer_look.h"
#include "models/trainer_state.h"
#include "tests/gpu/fake_cudart.h"
#include "tests/models/toy.h"

static Error e;

static const Backend *cuda(void) {
    const Backend *b = backend_find("cuda", &e);
    cr_assert(b, "%s", e.text);
    return b;
}

Test(cuda_host, trains_to_the_bits_of_the_cpu, .init = fake_reset) {
    char expected[130], got[130];
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    const Variant *v = variant_find("pre", &e);
    toy_hashes(expected, v, &s, &r, 1, backend_find("cpu", &e), 3);
    toy_hashes(got, v, &s, &r, 1, cuda(), 3);
    cr_expect_str_eq(got, expected);
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
}

/* Once for each kernel, when they are loaded, and to all that a block can have beside the kernel's own. */
Test(cuda_host, shared_memory_is_asked_for_once, .init = fake_reset) {
    char hashes[130];
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    (void)cuda();
    int loaded = fake_seen.attributes;
    cr_expect_gt(loaded, OP_COUNT);
    cr_expect_eq(fake_seen.largest_attribute, (227 << 10) - (1 << 10));
    toy_hashes(hashes, variant_find("pre", &e), &s, &r, 1, cuda(), 2);
    cr_expect_eq(fake_seen.attributes, loaded);
}

static Trainer *with_corpus(const Backend *backend, const Recipe *recipe, const uint64_t *seed) {
    enum { TOKENS = 200 };
    static int32_t token[TOKENS];
    ModelShape s = toy_shape();
    Trainer *t;
    const Corpus corpus = {token, TOKENS, (uint32_t)(TOKENS - s.context), 3, s.context};
    cr_assert_eq(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, recipe, seed, 1, backend, &e), RC_OK, "%s",
                 e.text);
    cr_assert_eq(trainer_keep_corpus(t, &corpus, &e), RC_OK, "%s", e.text);
    return t;
}

/* Every launch of a step by itself; the step is the one a graph would have been. */
Test(cuda_host, times_are_between_launches, .init = fake_reset) {
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    Trainer *a = with_corpus(cuda(), &recipe, &seed), *b = with_corpus(cuda(), &recipe, &seed);
    uint8_t one[32], two[32];
    size_t count;
    StepReport report = {.finite = true};
    int before = fake_seen.launches;
    Timing *each = trainer_timed(a, &count);
    cr_expect_eq((int)count, fake_seen.launches - before);
    cr_expect_gt(count, 50);
    for (size_t i = 0; i < count; i++) cr_expect_float_eq(each[i].seconds, 1e-6, 1e-12, "%s", each[i].kernel);
    cr_expect_str_eq(each[0].kernel, "step.gather");
    cr_assert_eq(trainer_steps(b, 1, &report), 1);
    trainer_hash(a, 0, one), trainer_hash(b, 0, two);
    cr_expect_arr_eq(one, two, sizeof one);
    free(each);
    trainer_free(a), trainer_free(b);
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
}

Test(cuda_host, memory_that_is_short_leaves_the_queue, .init = fake_reset) {
    const Device *d = cuda()->device;
    Queue *q;
    void *at;
    cr_assert_eq(d->open(&q, &e), RC_OK, "%s", e.text);
    fake_cuda.memory = 3 << 20;
    cr_assert_eq(d->take(q, &at, 5 << 20, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "out of device memory: 5 MB are needed, 3 MB are free");
    cr_expect_null(at);
    cr_expect_eq(d->status(q, &e), RC_OK);
    cr_assert_eq(d->take(q, &at, 64, &e), RC_OK, "%s", e.text);
    d->give(q, at);
    d->close(q);
    cr_expect_eq(fake_seen.open, 0);
}

/* Before step 0, of the whole model. */
Test(cuda_host, a_model_that_does_not_fit, .init = fake_reset) {
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    ModelShape s = toy_shape();
    Trainer *t;
    fake_cuda.memory = 100 << 10;
    cr_assert_eq(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, cuda(), &e), RC_UNMEASURED);
    cr_expect(strstr(e.text, "out of device memory: 1 replica(s) of this model need"), "%s", e.text);
    cr_expect(strstr(e.text, " MB are free"), "%s", e.text);
    cr_expect_eq(fake_seen.launches, 0);
    cr_expect_eq(fake_seen.open, 0);
}

/* A kernel's failure comes to light at a call that has nothing to do with it: never as memory that is short. */
Test(cuda_host, a_kernel_that_failed_before_is_no_lack_of_memory, .init = fake_reset) {
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    const char *says =
        "the CUDA device failed: what was enqueued before memory was taken: an illegal memory access was "
        "encountered";
    Trainer *t = with_corpus(cuda(), &recipe, &seed);
    const Device *d = cuda()->device;
    void *at;
    program_ready(&t->program);
    fake_cuda.fails_at = 3, fake_cuda.memory = 0;
    program_forward_ops(&t->program);
    cr_expect_eq(d->status(t->program.queue, &e), RC_OK, "nobody has asked yet");
    cr_assert_eq(d->take(t->program.queue, &at, 1 << 20, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, says);
    cr_expect_null(at);
    cr_expect_eq(d->status(t->program.queue, &e), RC_UNMEASURED, "the queue is lost");
    cr_assert_eq(d->take(t->program.queue, &at, 64, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, says, "and says so again");
    trainer_free(t);
    cr_expect_eq(fake_seen.open, 0);
}

/* A kernel that fails inside of a graph ends the training with its line. */
Test(cuda_host, a_kernel_that_fails_in_a_graph, .init = fake_reset) {
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    Trainer *t = with_corpus(cuda(), &recipe, &seed);
    StepReport report = {.finite = true};
    fake_cuda.fails_at = 100;
    cr_expect_eq(trainer_steps(t, 1, &report) + trainer_steps(t, 1, &report), 1);
    cr_assert(trainer_failed(t, &e));
    cr_expect(strstr(e.text, "the CUDA device failed: ") && strstr(e.text, "illegal memory access"), "%s", e.text);
    trainer_free(t);
    cr_expect_eq(fake_seen.open, 0);
}

/* The library of the tests adds and rounds as the shim's does. */
Test(cuda_host, fast_precisions_ask_the_library_for_each_product, .init = fake_reset) {
    static const struct {
        const char *cuda, *simt, *class;
    } row[] = {{"cuda-fp32", "simt-fp32", "cuda-fp32 sm_90 x132 cublasLt 13.1.2"},
               {"cuda-tf32", "simt-tf32", "cuda-tf32 sm_90 x132 cublasLt 13.1.2"},
               {"cuda-bf16", "simt-bf16", "cuda-bf16 sm_90 x132 cublasLt 13.1.2"},
               {"cuda-bf16-stored-fast", "simt-bf16-stored-fast", "cuda-bf16-stored-fast sm_90 x132 cublasLt 13.1.2"},
               {"cuda-fp16-scaled-fast", "simt-fp16-scaled-fast", "cuda-fp16-scaled-fast sm_90 x132 cublasLt 13.1.2"}};
    enum { ROWS = sizeof row / sizeof *row };
    char expected[130], got[ROWS][130];
    ModelShape s = toy_shape();
    Recipe r = toy_recipe();
    for (int i = 0; i < ROWS; i++) {
        const Backend *fast = backend_find(row[i].cuda, &e);
        cr_assert(fast, "%s", e.text);
        cr_expect(backend_has_library(fast));
        cr_expect_str_eq(backend_class(fast), row[i].class);
        toy_hashes(expected, variant_find("peri", &e), &s, &r, 1, backend_find(row[i].simt, &e), 3);
        toy_hashes(got[i], variant_find("peri", &e), &s, &r, 1, fast, 3);
        cr_expect_str_eq(got[i], expected, "%s", row[i].cuda);
        for (int j = 0; j < i; j++) cr_expect_str_neq(got[i], got[j], "%s and %s", row[i].cuda, row[j].cuda);
        cr_expect_eq(fake_seen.open, 0);
    }
}

/* Eight steps to a graph with a library's products, one in exact mode; the same bits as step by step. */
Test(cuda_host, several_steps_are_one_graph, .init = fake_reset) {
    static const struct {
        const char *backend;
        int graphs;
    } row[] = {{"cuda-tf32", 2 + 3}, {"cuda", 19}}; /* of 19 steps */
    enum { STEPS = 19 };
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint8_t one[32], two[32];
        StepReport report[STEPS];
        Trainer *a = with_corpus(backend_find(row[i].backend, &e), &recipe, &seed);
        Trainer *b = with_corpus(backend_find(row[i].backend, &e), &recipe, &seed);
        int before = fake_seen.graphs;
        for (int s = 0; s < STEPS; s++) report[s] = (StepReport){.finite = true};
        cr_assert_eq(trainer_steps(a, STEPS, report), STEPS);
        cr_expect_eq(fake_seen.graphs - before, row[i].graphs, "%s: %d graphs", row[i].backend,
                     fake_seen.graphs - before);
        for (int s = 0; s < STEPS; s++) {
            StepReport alone = {.finite = true};
            cr_assert_eq(trainer_steps(b, 1, &alone), 1);
            cr_expect_eq(memcmp(&alone.loss, &report[s].loss, sizeof alone.loss), 0, "step %d", s);
        }
        trainer_hash(a, 0, one), trainer_hash(b, 0, two);
        cr_expect_arr_eq(one, two, sizeof one);
        trainer_free(a), trainer_free(b);
        cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
    }
}

/* The first step, which is recorded, asks for an algorithm for each kind of product; nothing asks again. */
Test(cuda_host, an_algorithm_is_chosen_once, .init = fake_reset) {
    enum { STEPS = 19 };
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    Trainer *t = with_corpus(backend_find("cuda-tf32", &e), &recipe, &seed);
    StepReport report[STEPS];
    size_t count;
    for (int s = 0; s < STEPS; s++) report[s] = (StepReport){.finite = true};
    cr_expect_eq(fake_seen.heuristics, 1, "the library's first product");
    cr_assert_eq(trainer_steps(t, 1, report), 1);
    int first = fake_seen.heuristics;
    cr_expect(first > 5 && first < 20, "%d", first);
    cr_expect_eq(fake_seen.again, 0);
    cr_assert_eq(trainer_steps(t, STEPS, report), STEPS);
    free(trainer_timed(t, &count));
    cr_expect_eq(fake_seen.heuristics, first);
    trainer_free(t);
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
}

/* A step's launches by name, then the bits and the loss of two more steps. */
typedef struct {
    int products, add_bias, bias, counts, heuristics;
    uint8_t hash[32];
    double loss;
} Refused;

static Refused train_refused(const char *backend, unsigned refused) {
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    StepReport report[2] = {{.finite = true}, {.finite = true}};
    size_t count;
    Refused r = {.heuristics = -fake_seen.heuristics};
    fake_cuda.refused = refused;
    Trainer *t = with_corpus(backend_find(backend, &e), &recipe, &seed);
    Timing *each = trainer_timed(t, &count);
    for (size_t i = 0; i < count; i++) {
        r.products += !strcmp(each[i].kernel, "cublasLtMatmul");
        r.add_bias += !strcmp(each[i].kernel, "linear.add_bias");
        r.bias += !strcmp(each[i].kernel, "linear.bias");
        r.counts += !strncmp(each[i].kernel, "linear.count", strlen("linear.count"));
    }
    free(each);
    cr_assert_eq(trainer_steps(t, 2, report), 2);
    trainer_hash(t, 0, r.hash);
    r.loss = report[1].loss, r.heuristics += fake_seen.heuristics;
    trainer_free(t);
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
    return r;
}

/* Where the library has no algorithm that does it along, which it is asked once. The bias is added in the same way;
 * its gradient is summed in another order. */
Test(cuda_host, our_kernels_do_what_the_library_does_not, .init = fake_reset) {
    const char *tf32 = "cuda-tf32";
    const Refused none = train_refused(tf32, 0), bias = train_refused(tf32, CUBLASLT_EPILOGUE_BIAS),
                  gradient = train_refused(tf32, CUBLASLT_EPILOGUE_BGRADB),
                  both = train_refused(tf32, CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_BGRADB);
    const int biased = 4 * toy_shape().layers;
    cr_expect(none.add_bias == 0 && none.bias == 0);
    cr_expect(bias.add_bias == biased && bias.bias == 0, "%d, %d", bias.add_bias, bias.bias);
    cr_expect(gradient.add_bias == 0 && gradient.bias == biased, "%d, %d", gradient.add_bias, gradient.bias);
    cr_expect(both.add_bias == biased && both.bias == biased, "%d, %d", both.add_bias, both.bias);
    cr_expect(bias.products == none.products && gradient.products == none.products && both.products == none.products);
    cr_expect_eq(none.products, 3 * (biased + 1), "%d", none.products);
    cr_expect_eq(both.heuristics - none.heuristics,
                 bias.heuristics - none.heuristics + gradient.heuristics - none.heuristics);
    cr_expect(bias.heuristics > none.heuristics && gradient.heuristics > none.heuristics);
    cr_expect_arr_eq(bias.hash, none.hash, sizeof none.hash);
    cr_expect_arr_eq(both.hash, gradient.hash, sizeof gradient.hash);
    cr_expect_float_eq(gradient.loss, none.loss, 1e-5);
}

/* Words of bf16 are counted where the bias is added, and else by a launch behind each product, a GELU's among them;
 * without a bias of the library's own they are rounded once more. */
Test(cuda_host, what_the_library_stores_is_counted_once, .init = fake_reset) {
    const char *bf16 = "cuda-bf16-stored-fast";
    const Refused none = train_refused(bf16, 0), bias = train_refused(bf16, CUBLASLT_EPILOGUE_BIAS);
    const int biased = 4 * toy_shape().layers, inputs = biased + 1;
    cr_expect_eq(none.add_bias, 0);
    cr_expect_eq(none.counts, biased + 1 + inputs, "%d", none.counts);
    cr_expect_eq(bias.add_bias, biased, "%d", bias.add_bias);
    cr_expect_eq(bias.counts, 1 + inputs, "%d", bias.counts);
    cr_expect_float_eq(bias.loss, none.loss, 1e-2);
}

enum { SIDE = 8 };

/* A linear with a bias, all of whose tensors stand one after another from `at` on, of SIDE rows each; as backward adds
 * into the gradient of the bias or writes it. */
static Call linear_at(Queue *q, float *at, bool adds) {
    enum { ALL = SIDE * SIDE };
    const View x = {at, 0, SIDE, SIDE}, w = {at + ALL, 0, SIDE, SIDE}, b = {at + 2 * ALL, 0, 1, SIDE};
    return (Call){.kind = OP_linear,
                  .in_count = 3,
                  .replicas = 1,
                  .in = {x, w, b},
                  .din = {{at + 3 * ALL, 0, SIDE, SIDE}, {at + 4 * ALL, 0, SIDE, SIDE}, {at + 5 * ALL, 0, 1, SIDE}},
                  .accumulate = {false, false, adds},
                  .out = {at + 6 * ALL, 0, SIDE, SIDE},
                  .dout = {at + 7 * ALL, 0, SIDE, SIDE},
                  .queue = q};
}

/* Forward and backward: y, and both times the same gradient of the bias. */
static void run_linear(const Backend *b, Queue *q, float *at, bool adds, float y[SIDE * SIDE], float dbias[SIDE]) {
    const Call c = linear_at(q, at, adds);
    const Kernel *linear = b->kernel[OP_linear];
    float all[8 * SIDE * SIDE];
    for (int i = 0; i < 8 * SIDE * SIDE; i++) all[i] = (float)(i % 7 - 3);
    b->device->put(q, at, all, sizeof all);
    linear->forward(&c);
    linear->backward(&c);
    b->device->get(q, y, c.out.at, SIDE * SIDE * sizeof *y);
    b->device->get(q, dbias, c.din[2].at, SIDE * sizeof *dbias);
    for (int i = 0; i < SIDE && adds; i++) dbias[i] -= all[5 * SIDE * SIDE + i];
}

/* Memory off the border of 16 bytes is a kind of its own, and a gradient that is added to is our own kernel's: with the
 * small whole numbers here every order of sums gives the same bits. */
Test(cuda_host, kinds_of_products, .init = fake_reset) {
    const Backend *fp32 = backend_find("cuda-fp32", &e);
    float y[3][SIDE * SIDE], dbias[3][SIDE];
    Queue *q;
    void *at;
    cr_assert_eq(fp32->device->open(&q, &e), RC_OK, "%s", e.text);
    cr_assert_eq(fp32->device->take(q, &at, (8 * SIDE * SIDE + 1) * sizeof(float), &e), RC_OK, "%s", e.text);
    int before = fake_seen.heuristics;
    run_linear(fp32, q, at, false, y[0], dbias[0]);
    cr_expect_eq(fake_seen.heuristics - before, 3);
    cr_expect_eq(fake_seen.epilogues, 2);
    run_linear(fp32, q, (float *)at + 1, false, y[1], dbias[1]);
    cr_expect_eq(fake_seen.heuristics - before, 6);
    run_linear(fp32, q, at, true, y[2], dbias[2]);
    cr_expect_eq(fake_seen.heuristics - before, 7, "dW without the sums");
    cr_expect_eq(fake_seen.epilogues, 5);
    cr_expect_eq(fake_seen.again, 0);
    for (int i = 1; i < 3; i++) {
        cr_expect_arr_eq(y[i], y[0], sizeof *y);
        cr_expect_arr_eq(dbias[i], dbias[0], sizeof *dbias);
    }
    cr_expect_eq(fp32->device->status(q, &e), RC_OK, "%s", e.text);
    fp32->device->give(q, at);
    fp32->device->close(q);
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
}

/* Parameters of `runs` runs together, seeds `first` and up, after two steps. */
static void train_runs(uint8_t hash[][32], uint64_t first, int runs) {
    enum { MOST = 8 };
    const ModelShape s = toy_shape();
    Recipe recipe[MOST];
    uint64_t seed[MOST];
    uint8_t chain[32] = {0};
    Trainer *t;
    for (int r = 0; r < runs; r++) seed[r] = first + (uint64_t)r, recipe[r] = toy_recipe();
    cr_assert_eq(
        trainer_for_gpt(&t, &s, variant_find("peri", &e), NULL, recipe, seed, runs, backend_find("cuda-tf32", &e), &e),
        RC_OK, "%s", e.text);
    toy_train(t, 2, chain);
    cr_expect_not(trainer_failed(t, &e), "%s", e.text);
    for (int r = 0; r < runs; r++) trainer_hash(t, r, hash[r]);
    trainer_free(t);
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
}

/* One call for all replicas, or one for each where the library has none for all: for every run the bits that it has
 * alone, by algorithms that were asked for as if it were alone. */
Test(cuda_host, replicas_are_multiplied_together, .init = fake_reset) {
    enum { RUNS = 3 };
    static const struct {
        Many many;
        int together;
    } row[] = {{MANY_are_done, RUNS}, {MANY_are_refused, 1}, {MANY_need_more_room, 1}};
    uint8_t alone[RUNS][32], among[RUNS][32];
    for (uint64_t r = 0; r < RUNS; r++) train_runs(&alone[r], 1 + r, 1);
    const int asked = fake_seen.heuristics / RUNS;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        fake_seen.heuristics = 0, fake_seen.most_products = 0, fake_cuda.many = row[i].many;
        train_runs(among, 1, RUNS);
        cr_expect_arr_eq(among, alone, sizeof alone, "row %zu", i);
        cr_expect_eq(fake_seen.most_products, row[i].together);
        cr_expect_eq(fake_seen.heuristics, asked);
    }
}

Test(cuda_host, a_product_without_an_algorithm, .init = fake_reset) {
    const Recipe recipe = toy_recipe();
    const uint64_t seed = 1;
    const Backend *tf32 = backend_find("cuda-tf32", &e);
    Trainer *t = with_corpus(tf32, &recipe, &seed);
    StepReport report = {.finite = true};
    Queue *q;
    fake_cuda.refused = ~0u;
    cr_expect_eq(trainer_steps(t, 1, &report), 0);
    cr_assert(trainer_failed(t, &e));
    cr_expect_str_eq(e.text, "the CUDA device failed: cublasLtMatmul: status 15 of cuBLASLt");
    trainer_free(t);
    cr_assert_eq(tf32->device->open(&q, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "cuBLASLt does not start on this device: the CUDA device failed: cublasLtMatmul: "
                             "status 15 of cuBLASLt");
    cr_expect_eq(fake_seen.open, 0, "%d things were not given back", fake_seen.open);
}

Test(cuda_host, exact_needs_no_library, .init = fake_reset) {
    fake_cuda.without_blas = true;
    cr_expect_null(backend_find("cuda-fp32", &e));
    cr_expect_eq(e.code, RC_UNMEASURED);
    cr_expect_str_eq(e.text, "backend 'cuda-fp32': cuBLASLt cannot be loaded: the test says so");
    cr_expect_not_null(backend_find("cuda", &e));
}

Test(cuda_host, no_memory_for_the_library, .init = fake_reset) {
    Queue *q;
    const Backend *fp32 = backend_find("cuda-fp32", &e);
    cr_assert(fp32, "%s", e.text);
    fake_cuda.memory = 1 << 20;
    cr_assert_eq(fp32->device->open(&q, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "cuBLASLt's workspace: out of device memory: 32 MB are needed, 1 MB are free");
    cr_expect_eq(fake_seen.open, 0);
}
