/* What a model takes on a device that is not here: parameters and operations counted by hand, memory as programs take
 * it. */
#include "bench/perf/dry.h"
#include "bench/run/scale.h"
#include "kernels/cuda/dry.h"
#include "models/trainer_count.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* Pre-LN, no biases, a tied head, rope: 12 d^2 to a block, V d, and gain and bias of 2 L + 1 norms. Operations of an
 * update: 6 per matrix weight and token; attention sees (T + 1) / 2 keys, 2 products of 2 d each, thrice. */
Test(scale, parameters_and_operations_are_those_of_a_hand_count) {
    static const struct {
        int layers, width, heads, batch;
    } MODEL[] = {{2, 32, 4, 3}, {24, 1024, 8, 256}, {26, 2048, 16, 256}, {38, 2560, 20, 256}};
    for (size_t i = 0; i < sizeof MODEL / sizeof *MODEL; i++) {
        int64_t L = MODEL[i].layers, d = MODEL[i].width, V = 100277, T = 8192, B = MODEL[i].batch;
        ModelShape s = {.layers = MODEL[i].layers,
                        .width = MODEL[i].width,
                        .heads = MODEL[i].heads,
                        .context = 8192,
                        .vocab = 100277,
                        .batch = MODEL[i].batch,
                        .ffn_mult = 4,
                        .positions = POSITIONS_ROPE,
                        .tied = true,
                        .norm_eps = 1e-5};
        Variant pre = *variant_find("pre", &e);
        TrainerPlan p = trainer_plan(&s, &pre, NULL, backend_find("cpu", &e), true);
        int64_t matrices = 12 * L * d * d + V * d, all = matrices + 2 * d * (2 * L + 1);
        cr_assert_eq((int64_t)p.parameters, all, "%zu", p.parameters);
        double tokens = (double)B * (double)T;
        double flops = tokens * (6.0 * (double)matrices + 6.0 * (double)(L * d) * (double)(T + 1));
        cr_assert_float_eq(p.flops / flops, 1, 1e-12, "%.17g, by hand %.17g", p.flops, flops);
        /* Words of 4 bytes; an arena rounds each tensor up to a cache line, and all of these are whole lines. */
        cr_assert(p.weights == 4 * p.parameters && p.gradients == p.weights && p.moments == 2 * p.weights);
        /* Logits and their gradient are kept at the least, and what enters each block. */
        cr_assert_gt((double)p.activations, tokens * 4 * (2.0 * (double)V + (double)(L * d)));
    }
}

/* Of a backend, apart or not: the bytes that a trainer of it takes, and the parts are the whole. */
Test(scale, a_plan_is_what_programs_take) {
    ModelShape s = toy_shape();
    s.layers = 3;
    Variant peri = *variant_find("peri", &e);
    static const char *const precisions[] = {"exact", "bf16-stored", "fp16-scaled"};
    for (int i = 0; i < 3; i++) {
        char name[64];
        const Backend *cpu = backend_precise("cpu", precisions[i], &e);
        cr_assert(cpu, "%s", e.text);
        TrainerPlan own = trainer_plan(&s, &peri, NULL, cpu, false), p = trainer_plan(&s, &peri, NULL, cpu, true);
        cr_assert_eq((size_t)trainer_plan_bytes(&own), trainer_need(&s, &peri, NULL, cpu));
        const size_t words = i > 0 ? 2 : 1; /* of 16 bits in one of a float, which a host has */
        cr_assert_gt(words * p.activations, own.activations, "a device shares no memory of an output and an input");
        cr_assert(i == 0 || p.activations < own.activations + own.activations / 2);
        cr_assert_eq(p.other > 2 * p.weights, false);
        cr_assert_eq(own.other >= own.weights, i > 0, "copies of the weights as floats");
        cr_assert_eq(p.other >= p.weights / 2, i > 0, "and in words");
        snprintf(name, sizeof name, "cuda%s%s", i ? "-" : "", i ? precisions[i] : "");
        const Backend *dry = dry_backend(name);
        if (!dry) continue; /* a build without the CUDA kernels */
        TrainerPlan device = trainer_plan(&s, &peri, NULL, dry, true);
        cr_assert(device.weights == p.weights && device.gradients == p.gradients && device.moments == p.moments);
        cr_assert_eq(device.activations, p.activations, "%s: %zu, not %zu", name, device.activations, p.activations);
    }
}

/* One call of a library for all of them, by the algorithm of one (kernels/cuda/plans.h). */
Test(scale, a_product_of_fp32_is_of_all_replicas) {
    ModelShape s = {.layers = 1,
                    .width = 8,
                    .heads = 1,
                    .context = 16,
                    .batch = 2,
                    .vocab = 11,
                    .ffn_mult = 4,
                    .tied = true,
                    .norm_eps = 1e-5};
    const Backend *dry = dry_backend("cuda-fp32");
    int products[2] = {0};
    double flops[2] = {0};
    if (!dry) cr_skip_test("a build without the CUDA kernels");
    for (int i = 0; i < 2; i++) {
        Graph *g;
        size_t count;
        OK(trainer_passes(&g, &s, variant_find("pre", &e), i ? 5 : 1, dry, &e));
        const Note *note = dry_notes(g, &count);
        for (size_t k = 0; k < count; k++)
            if (!strcmp(note[k].name, "cublasLtMatmul")) products[i]++, flops[i] += note[k].flops;
        dry->device->forget(g);
    }
    cr_expect_eq(products[0], 15, "four of a block and the head, each forward and twice backward: %d", products[0]);
    cr_expect_eq(products[1], products[0]);
    cr_expect_float_eq(flops[1], 5 * flops[0], 1);
}

/* What CUDA's limits of a launch refuse, one by one: the line names the kernel, what it needs and the most there is. */
Test(scale, launches_that_no_device_takes) {
    static const struct {
        int width, heads, context, batch, replicas;
        const char *says; /* NULL: it fits */
    } CASE[] = {
        {8, 1, 16, 2, 1, NULL},
        {4096, 1, 16, 1, 1, NULL},
        {8, 1, 25000, 1, 1, "kernel attention.queries needs 203200 bytes of shared memory a block; the most is 166912"},
        {8, 1, 60000, 1, 1, "kernel attention.forward needs 241600 bytes of shared memory a block; the most is 166912"},
        {8, 1, 4096, 4096, 1, "kernel linear.forward 128 needs 131072 blocks in y; the most is 65535"},
        {8, 1, 16, 2, 65536, "kernel embed.forward needs 65536 blocks in z; the most is 65535"},
        {64, 1, 4096, 4096, 1, " has a tensor of 3221225472 numbers; kernels count fewer than 2^31"}};
    RunSpec spec;
    spec_init(&spec);
    if (!dry_backend("cuda")) cr_skip_test("a build without the CUDA kernels");
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        ModelShape s = {.layers = 1,
                        .width = CASE[i].width,
                        .heads = CASE[i].heads,
                        .context = CASE[i].context,
                        .batch = CASE[i].batch,
                        .vocab = 11,
                        .ffn_mult = 4,
                        .tied = true,
                        .norm_eps = 1e-5};
        Rc rc = dry_passes_fit(&spec, &s, CASE[i].replicas, dry_backend("cuda"), scale_devices[0].shared, &e);
        cr_expect_eq(rc, CASE[i].says ? RC_UNMEASURED : RC_OK, "case %zu: %d", i, (int)rc);
        if (CASE[i].says) cr_expect(strstr(e.text, CASE[i].says), "case %zu: %s", i, e.text);
    }
}
