/* The probe output_change: how far the first update moves what enters the head (models/change.h). */
#include "tests/models/toy.h"
#include "tests/test.h"

/* What enters the head after a forward pass, in double; the caller frees it. */
static double *head_of(Trainer *t, size_t *n) {
    int op = 0;
    while (t->tape.op[op].out != t->tape.logits) op++;
    int head = t->tape.input[t->tape.op[op].in_at];
    *n = (size_t)t->tape.tensor[head].rows * (size_t)t->tape.tensor[head].cols;
    double *x = mem_alloc(*n, sizeof *x);
    trainer_forward(t);
    program_values(&t->program, ROLE_ACT, head, 0, x);
    return x;
}

static ProbeChoice change_alone(void) {
    ProbeChoice c = probes_usual();
    c.wanted[PROBE_output_change] = true;
    return c;
}

/* In double, from a second trainer that is stepped by hand; a float backend comes close to it. */
Test(change, change_of_the_output_by_hand) {
    static const char *const variant[] = {"post", "pre", "none"};
    const ProbeChoice c = change_alone();
    Recipe recipe = toy_recipe();
    recipe.dropout = 0.1; /* the passes around the step are without */
    for (int v = 0; v < 3; v++) {
        size_t n;
        double change = 0, size = 0;
        LOCAL(trainer_release) Trainer *plain = toy_trainer(variant[v], NULL, &recipe, "cpu64");
        StepReport *report = trainer_reports(plain, 1);
        toy_batch(plain, 0, 3, 0);
        OWNED double *before = head_of(plain, &n);
        cr_assert(trainer_step(plain, report));
        OWNED double *after = head_of(plain, &n);
        for (size_t i = 0; i < n; i++)
            size += before[i] * before[i], change += (after[i] - before[i]) * (after[i] - before[i]);
        double expected = sqrt(change / size);
        cr_assert(expected > 1e-4, "%s: %g", variant[v], expected);
        free(report);
        for (int b = 0; b < 2; b++) {
            LOCAL(trainer_release) Trainer *t = toy_trainer(variant[v], &c, &recipe, b ? "cpu" : "cpu64");
            report = trainer_reports(t, 1);
            toy_batch(t, 0, 3, 0);
            cr_assert(trainer_step(t, report));
            cr_expect_float_eq(toy_probe(t, report, PROBE_output_change, -1) / expected, 1, b ? 1e-3 : 1e-12, "%s: %g",
                               variant[v], expected);
            toy_batch(t, 0, 3, 1);
            cr_assert(trainer_step(t, report));
            cr_expect(isnan(toy_probe(t, report, PROBE_output_change, -1)), "%s: only the first update", variant[v]);
            free(report);
        }
    }
}

/* The same bits for one and two threads, alone and beside another run, on the host and by a device's kernels. */
Test(change, change_of_the_output_has_the_same_bits) {
    static const struct {
        const char *backend;
        int threads, replicas;
    } cases[] = {{"cpu", 1, 1}, {"cpu", 2, 1}, {"cpu", 1, 3}, {"cpu", 2, 3}, {"simt", 1, 2}};
    const ProbeChoice c = change_alone();
    const Recipe recipe[] = {toy_recipe(), toy_recipe(), toy_recipe()};
    const uint64_t seed[] = {3, 4, 5};
    const ModelShape s = toy_shape();
    double expected = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Trainer *t;
        const Backend *backend = backend_find(cases[i].backend, &e);
        if (!backend) continue; /* built without */
        OK(trainer_for_gpt(&t, &s, variant_find("post", &e), &c, recipe, seed, cases[i].replicas, backend, &e));
        if (cases[i].threads > 1) OK(trainer_share(t, cases[i].threads, &e));
        OWNED StepReport *report = trainer_reports(t, cases[i].replicas);
        for (int r = 0; r < cases[i].replicas; r++) toy_batch(t, r, seed[r], 0);
        cr_assert(trainer_step(t, report));
        double found = toy_probe(t, &report[0], PROBE_output_change, -1);
        if (!i) expected = found;
        cr_expect(found > 0 && found == expected, "%s, %d threads, %d runs: %.17g, not %.17g", cases[i].backend,
                  cases[i].threads, cases[i].replicas, found, expected);
        if (cases[i].replicas > 1) cr_expect_neq(toy_probe(t, &report[1], PROBE_output_change, -1), found);
        trainer_free(t);
    }
}
