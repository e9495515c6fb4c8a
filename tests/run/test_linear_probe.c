/* Linear probes of a run: against plain sums, beside other runs, in records and after a stop. */
#include <math.h>

#include "bench/run/linear_probe.h"
#include "bench/store/checkpoint.h"
#include "bench/store/metrics.h"
#include "models/trainer_look.h"
#include "tests/run/small_run.h"

static ProbeChoice with_linear_probes(void) {
    ProbeChoice c = probes_usual();
    c.wanted[PROBE_linear_probe] = c.wanted[PROBE_output_change] = true;
    return c;
}

/* Solves a z = b for a symmetric positive a[n][n] by elimination without pivots; both are written over. */
static void eliminate(double *a, double *b, int n) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

enum { WIDE = 32, ROWS = 64, BATCHES = LINEAR_PROBE_POSITIONS / ROWS };

/* Activations and next tokens of a pass, appended. */
static int observe(Trainer *t, int probe, double *x, int32_t *next, int n) {
    int rows, cols;
    double values[ROWS * WIDE];
    trainer_forward(t);
    cr_assert(trainer_looks_at(t, probe, 0, &rows, &cols, values) && rows == ROWS && cols == WIDE);
    for (int i = 0; i < ROWS; i++) {
        if (trainer_feed(t, "targets", 0)[i] < 0) continue;
        memcpy(x + (size_t)n * WIDE, values + i * WIDE, sizeof values / ROWS);
        next[n++] = trainer_feed(t, "targets", 0)[i];
    }
    return n;
}

/* The accuracy of one block's probe in plain sums: about the mean in a second pass, another elimination. */
static double accuracy_by_hand(Trainer *t, int probe, int vocab) {
    double *x = malloc(sizeof *x * LINEAR_PROBE_POSITIONS * WIDE), mean[WIDE] = {0}, s[WIDE * WIDE] = {0}, trace = 0;
    double *weight = calloc((size_t)vocab * WIDE, sizeof *weight), *share = calloc((size_t)vocab, sizeof *share);
    int32_t *next = malloc(sizeof *next * LINEAR_PROBE_POSITIONS);
    FeedRoom room[TRAINER_FEEDS_MAX];
    int n = 0, right = 0, feeds = trainer_feeds(t, 0, room);
    for (int i = 0; i < BATCHES; i++) {
        dataset_batch(&data, 0, (uint64_t)i, 4, 16, room, feeds);
        n = observe(t, probe, x, next, n);
    }
    for (int i = 0; i < n * WIDE; i++) mean[i % WIDE] += x[i] / n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < WIDE; j++) {
            double d = x[i * WIDE + j] - mean[j];
            weight[next[i] * WIDE + j] += d;
            for (int k = 0; k < WIDE; k++) s[j * WIDE + k] += d * (x[i * WIDE + k] - mean[k]);
        }
        share[next[i]] += 1. / n;
    }
    for (int j = 0; j < WIDE; j++) trace += s[j * WIDE + j];
    for (int j = 0; j < WIDE; j++) s[j * WIDE + j] += 1e-3 * trace / WIDE;
    for (int k = 0; k < vocab; k++) {
        double a[WIDE * WIDE];
        memcpy(a, s, sizeof a);
        eliminate(a, weight + k * WIDE, WIDE);
    }
    n = 0;
    for (size_t b = 0; b < dataset_windows(&data, 16) / 4; b++) {
        dataset_windows_fill(&data, b * 4, 4, 16, room, feeds);
        n = observe(t, probe, x, next, n);
    }
    for (int i = 0; i < n; i++) {
        int best = 0;
        double most = -INFINITY;
        for (int k = 0; k < vocab; k++) {
            double score = share[k];
            for (int j = 0; j < WIDE; j++) score += (x[i * WIDE + j] - mean[j]) * weight[k * WIDE + j];
            if (score > most) most = score, best = k;
        }
        right += best == next[i];
    }
    free(x), free(weight), free(share), free(next);
    return (double)right / n;
}

/* Against plain sums, alone and as one of three replicas, of which each has its own. */
Test(linear_probe, accuracy_by_hand, .init = enter, .fini = leave, .timeout = 600) {
    RunSpec s = small();
    const ProbeChoice c = with_linear_probes();
    const Recipe recipe[3] = {spec_recipe(&s), spec_recipe(&s), spec_recipe(&s)};
    const uint64_t seed[3] = {1, 2, 3};
    ModelShape shape = spec_shape(&s, data.vocab);
    double accuracy[2][3][2];
    for (int together = 0; together < 2; together++) {
        Trainer *t;
        const Backend *cpu = backend_find("cpu", &e);
        cr_assert_eq(trainer_for_gpt(&t, &shape, &s.variant, &c, recipe, seed, together ? 3 : 1, cpu, &e), RC_OK);
        cr_assert_eq(trainer_share(t, 1 + together, &e), RC_OK);
        cr_assert(linear_probes(t, &data, &s, accuracy[together][0], NULL));
        for (int i = 0; i < trainer_probes(t) && !together; i++) {
            int layer;
            if (trainer_probe(t, i, &layer) != PROBE_linear_probe) continue;
            cr_expect_eq(accuracy[0][0][layer], accuracy_by_hand(t, i, data.vocab), "block %d", layer);
            cr_expect(accuracy[0][0][layer] > 0.05 && accuracy[0][0][layer] < 1, "%g", accuracy[0][0][layer]);
        }
        volatile sig_atomic_t stop = 1;
        double nothing[6];
        cr_expect_not(linear_probes(t, &data, &s, nothing, &stop));
        trainer_free(t);
    }
    cr_expect(!memcmp(accuracy[1][0], accuracy[0][0], sizeof accuracy[0][0]));
    cr_expect(memcmp(accuracy[1][1], accuracy[1][0], sizeof accuracy[0][0]), "another start, another accuracy");
}

/* In a run: the last row and the last evaluation alone have them, nothing else changes, a resumed run has the same. */
Test(linear_probe, stands_in_the_last_row, .init = enter, .fini = leave, .timeout = 600) {
    RunSpec s = small();
    RunRecord plain, r, resumed;
    const ProbeChoice c = with_linear_probes();
    cr_assert_eq(execute_with(&s, NULL, false, &plain), RC_OK);
    cr_assert_eq(execute_with(&s, &c, false, &r), RC_OK);
    cr_expect_str_eq(r.loss_chain, plain.loss_chain);
    cr_expect_str_eq(r.parameters_hash, plain.parameters_hash);
    cr_assert_eq(r.curves.rows, 9);
    double block[2];
    for (int row = 0; row < 9; row++)
        for (int l = 0; l < 2; l++) {
            block[l] = curve_number(&r.curves, row, curve_named("linear_probe"), l);
            cr_expect_eq(isnan(block[l]), row < 8);
        }
    const Evaluation *last = &r.evaluation[2], *before = &r.evaluation[1];
    cr_expect_eq(last->metric[METRIC_probe_early], block[0] - block[1]);
    cr_expect(isnan(before->metric[METRIC_probe_early]));
    cr_expect(isfinite(last->metric[METRIC_output_change]));
    cr_expect_eq(last->metric[METRIC_output_change], before->metric[METRIC_output_change]);
    cr_expect(!last->absent[METRIC_probe_early] && !last->absent[METRIC_output_change]);
    cr_expect(plain.evaluation[2].absent[METRIC_probe_early] && plain.evaluation[2].absent[METRIC_output_change]);
    for (int at = 1; at < 9; at += 7) {
        LOCAL_TEXT(expected);
        LOCAL_TEXT(got);
        stop_after = at;
        cr_assert_eq(execute_with(&s, &c, false, &resumed), RC_INTERRUPTED);
        stop_now = 0, stop_after = -1;
        cr_assert_eq(execute_with(&s, &c, false, &resumed), RC_OK);
        curves_text(&r.curves, &expected), curves_text(&resumed.curves, &got);
        cr_expect_str_eq(got.at, expected.at, "stopped after %d updates", at);
        cr_expect_eq(resumed.evaluation[2].metric[METRIC_probe_early], last->metric[METRIC_probe_early]);
        checkpoint_remove(folder, resumed.id);
        record_release(&resumed);
    }
    record_release(&plain), record_release(&r);
}
