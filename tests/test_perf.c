/* What perf divides by: the FLOPs and bytes it counts op by op. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "bench/perf.h"
#include "models/trainer.h"

/* Every op is counted once, and the FLOPs are the tape's. */
Test(perf, counts_what_the_tape_counts) {
    Error e;
    RunSpec s;
    spec_init(&s);
    s.layers = 3, s.width = 32, s.context = 16, s.batch = 2, s.dropout = 0.1;
    Recipe recipe = spec_recipe(&s);
    ModelShape shape = spec_shape(&s, 23);
    Trainer t;
    Perf p = {0};
    double flops = 0;
    int calls = 0;
    cr_assert_eq(trainer_init(&t, &shape, &s.variant, &recipe, &s.seed, 1, backend_find("cpu", &e), &e), RC_OK);
    int *group = mem_alloc((size_t)t.tape.ops, sizeof *group);
    perf_count(&p, group, &t.program, recipe.optimizer);
    for (int i = 0; i < p.ops; i++) {
        for (int pass = 0; pass < PASSES; pass++) flops += p.op[i].flops[pass];
        calls += p.op[i].calls;
        cr_expect(p.op[i].bytes[PASS_FORWARD] > 0);
    }
    cr_assert_float_eq(flops / tape_flops(&t.tape), 1, 1e-12);
    cr_assert_eq(calls, t.tape.ops);
    free(group);
    perf_release(&p);
    trainer_release(&t);
}
