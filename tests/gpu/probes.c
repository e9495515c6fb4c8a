/* What probes cost a step: with them, and without the kernels and rows that serve nothing else, which are the norm of
 * the vectors that enter block 0 and the root mean square of what enters each layer's first norm. Gradient norms per
 * layer are sums of squares that clipping needs anyway; the update's norm stays on both sides. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/gpu/count.h"
#include "tests/gpu/table.h"

static const double COST_MAX = 0.05;
enum { STRETCHES_MAX = 7 };

/* Those that serve nothing else are left out. */
static ProbeChoice fewer(void) {
    ProbeChoice c = probes_usual();
    c.wanted[PROBE_embedding_norm] = c.wanted[PROBE_norm_input] = false;
    return c;
}

/* Turn by turn, so that both see the same clocks. */
static Rc time_both(Check *c, Group *with, Group *without, Error *e) {
    const ProbeChoice few = fewer();
    Group *group[2] = {with, without};
    OWNED Work *w = mem_alloc(2, sizeof *w);
    const int replicas = with->trainer->program.replicas;
    Rc rc = work_of(&w[0], c->exact, c->quick, 0, replicas, NULL, e);
    if (!rc) rc = work_of(&w[1], c->exact, c->quick, 0, replicas, &few, e);
    const int launches[2] = {w[0].launches, w[1].launches};
    if (rc) return rc;
    double seconds[2][STRETCHES_MAX];
    int stretches = c->quick ? 1 : STRETCHES_MAX, steps = c->quick ? 1 : 50;
    for (int i = -1; i < stretches; i++)
        for (int j = 0; j < 2; j++) {
            double s = group_steps(group[j], steps);
            if (s < 0) return *e = group[j]->trainer->failure, RC_UNMEASURED;
            if (i >= 0) seconds[j][i] = s / steps;
        }
    double on = median(seconds[0], stretches), off = median(seconds[1], stretches);
    json_number(&c->json, "replicas", replicas);
    json_number(&c->json, "ms_per_step_with", 1e3 * on);
    json_number(&c->json, "ms_per_step_without", 1e3 * off);
    json_number(&c->json, "kernels_with", launches[0]);
    json_number(&c->json, "kernels_without", launches[1]);
    check_target(c, "cost of the probes, share of a step", on / off - 1, COST_MAX, true);
    return RC_OK;
}

void part_probes(Check *c) {
    const ProbeChoice few = fewer();
    Error e;
    int replicas = c->quick ? 1 : TABLE_SEEDS, made = 0;
    Group *with = mem_alloc(1, sizeof *with), *without = mem_alloc(1, sizeof *without);
    json_object(&c->json, "probes");
    Rc rc = group_init(with, c->exact, c->quick, 0, replicas, NULL, &e);
    made += !rc;
    if (!rc) rc = group_init(without, c->exact, c->quick, 0, replicas, &few, &e);
    made += !rc;
    if (!rc) rc = time_both(c, with, without, &e);
    if (rc) check_unmeasured(c, "probes", &e);
    if (made > 0) group_release(with);
    if (made > 1) group_release(without);
    free(with);
    free(without);
    json_end(&c->json);
}
