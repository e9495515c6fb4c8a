/* What perf divides by: the FLOPs and bytes it counts op by op. */
#include "bench/perf/perf.h"
#include "models/trainer_state.h"
#include "models/transformer.h"
#include "tests/test.h"

/* Every op is counted once, and the FLOPs are the tape's. */
Test(perf, counts_what_the_tape_counts) {
    RunSpec s;
    spec_init(&s);
    s.layers = 3, s.width = 32, s.context = 16, s.batch = 2, s.dropout = 0.1;
    Recipe recipe = spec_recipe(&s);
    ModelShape shape = spec_shape(&s, 23);
    LOCAL(trainer_release) Trainer *t;
    LOCAL(perf_release) Perf p = {0};
    double flops = 0;
    int calls = 0;
    OK(trainer_for_gpt(&t, &shape, &s.variant, NULL, &recipe, &s.seed, 1, backend_find("cpu", &e), &e));
    OWNED int *group = mem_alloc((size_t)t->tape.ops, sizeof *group);
    perf_count(&p, group, t, recipe.optimizer);
    for (int i = 0; i < p.ops; i++) {
        for (int pass = 0; pass < PASSES; pass++) flops += p.op[i].flops[pass];
        calls += p.op[i].calls;
        cr_expect(p.op[i].bytes[PASS_FORWARD] > 0);
    }
    cr_assert_float_eq(flops / tape_flops(&t->tape), 1, 1e-12);
    cr_assert_eq(calls, t->tape.ops);
}

/* By hand, FLOP/token = 3 (2 (12 L d^2 + V d) + L 4 d (T + 1) / 2): causal attention counted once, norms and the like
 * not at all. 8 x 128, V = 65, 16 x 128 tokens: 3 * 2 * (12*8*16384 + 8320) = 9,487,104 and 3*8*4*128*64.5 = 792,576 a
 * token, times 2048. 12 x 512, V = 2048, 32 x 128: 232,783,872 and 4,755,456, times 4096.
 * Untied and without biases alike. */
Test(perf, flops_by_hand) {
    const struct {
        ModelShape shape;
        double flops;
    } row[] = {
        {{.layers = 8, .width = 128, .heads = 8, .context = 128, .vocab = 65, .batch = 16, .ffn_mult = 4, .tied = true},
         2048.0 * (9487104 + 792576)},
        {{.layers = 12,
          .width = 512,
          .heads = 8,
          .context = 128,
          .vocab = 2048,
          .batch = 32,
          .ffn_mult = 4,
          .bias = true},
         4096.0 * (232783872 + 4755456)},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        RunSpec s;
        LOCAL(tape_release) Tape t;
        spec_init(&s);
        transformer_build(&t, &row[i].shape, &s.variant, NULL);
        cr_expect_float_eq(tape_flops(&t), row[i].flops, 1, "%.0f FLOPs, not %.0f", tape_flops(&t), row[i].flops);
    }
}

/* The share of a peak is FLOPs over (seconds x peak): 21.05 GFLOP in 0.2 s are 105.3 GFLOP/s, 65% of 162. */
Test(perf, utilization_by_hand) {
    Perf p = {.flops = 21052784640.0, .fma = {.best = 162}};
    cr_expect_float_eq(perf_utilization(&p, 0.2), 0.64978, 1e-5);
    cr_expect_float_eq(perf_rate(p.flops, 0.2), 105.2639, 1e-4);
    cr_expect_eq(perf_rate(0, 0.2), 0);
}
