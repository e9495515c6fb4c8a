#include "tests/gpu/table.h"

#include <stdlib.h>
#include <time.h>

#include "base/philox.h"
#include "tests/models/toy.h"

enum { CORPUS = 1 << 20, STEPS_MAX = TABLE_STEPS };

static const struct {
    const char *name, *variant, *embed;
} arms[TABLE_ARMS] = {{"pre", "pre", "none"}, {"post", "post", "none"}, {"embed-norm", "pre", "layernorm"}};

ModelShape table_shape(bool small) {
    ModelShape s = toy_shape();
    if (!small) s.layers = 8, s.width = 128, s.heads = 8, s.context = 128, s.batch = 16;
    return s;
}

/* Steps for every stretch that is timed. */
Recipe table_recipe(bool small) {
    Recipe r = toy_recipe();
    if (!small) r.steps = 10 * TABLE_STEPS;
    r.lr = 3e-4;
    return r;
}

Variant table_arm(int arm) {
    Error e;
    Variant v = *variant_find(arms[arm].variant, &e);
    variant_set(&v, "embed", arms[arm].embed, &e);
    return v;
}

const char *table_arm_name(int arm) {
    return arms[arm].name;
}

static Rc keep_corpus(Group *g, bool small, Error *e) {
    const ModelShape s = table_shape(false); /* no smaller than the other */
    OWNED int32_t *tokens = mem_alloc(CORPUS, sizeof *tokens);
    for (int i = 0; i < CORPUS; i++)
        tokens[i] = (int32_t)philox_below(philox_word(1, 2, (uint64_t)i), (uint32_t)s.vocab);
    const Corpus corpus = {tokens, CORPUS, (uint32_t)(CORPUS - s.context), 3, table_shape(small).context};
    Rc rc = trainer_keep_corpus(g->trainer, &corpus, e);
    return rc;
}

Rc group_init(Group *g, const Backend *backend, bool small, int arm, int replicas, const ProbeChoice *probes,
              Error *e) {
    ModelShape shape = table_shape(small);
    Variant variant = table_arm(arm);
    for (int r = 0; r < replicas; r++) g->recipe[r] = table_recipe(small), g->seed[r] = 1 + (uint64_t)r;
    if (trainer_for_gpt(&g->trainer, &shape, &variant, probes, g->recipe, g->seed, replicas, backend, e))
        return e->code;
    g->report = trainer_reports(g->trainer, STEPS_MAX * replicas);
    Rc rc = keep_corpus(g, small, e);
    if (rc) group_release(g);
    return rc;
}

void group_release(Group *g) {
    trainer_free(g->trainer);
    free(g->report);
}

double group_steps(Group *g, int n) {
    double start = clock_now();
    return trainer_steps(g->trainer, n, g->report) == n ? clock_now() - start : -1;
}

double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}
