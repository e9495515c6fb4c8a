/* Metrics of made-up curves: what bench/store/metrics.c makes of numbers whose answer is known. */
#include "bench/store/metrics.h"
#include "tests/test.h"

Test(metrics, read_curves_that_there_are) {
    for (int m = 0; m < METRIC_COUNT; m++) {
        const CurveInfo *curve = curve_named(metric_info[m].reads);
        cr_expect(curve || !metric_info[m].reads[0], "%s reads '%s'", metric_info[m].key, metric_info[m].reads);
        ProbeKind kind = curve ? curve_probe(curve) : PROBE_COUNT;
        if (kind == PROBE_COUNT || probe_info[kind].usual) continue;
        RunRecord r = {.probes = probes_usual()};
        cr_expect(metric_lacking((Metric)m, &r), "%s: a run without its probe says so", metric_info[m].key);
        cr_expect(isnan(metric_uniform((Metric)m, &r)), "%s of a run that diverged is not known", metric_info[m].key);
    }
}

/* Five blocks, the growth probes at every second step of 40: variance c (l + 1) at the start, e^l at the end. */
static void growth_row(Curves *c, int step, int layers) {
    static const double late[] = {1, 2, 4, 2, 1};
    double *row = curves_add(c);
    for (int l = 0; l < layers && step % 2 == 0; l++) {
        row[curve_column(c, PROBE_block_output_var, l)] = step < 20 ? 0.5 * (l + 1) : exp(l);
        row[curve_column(c, PROBE_block_output_most, l)] = step == 20 ? 655.04 * (l + 1) / layers : 1;
        row[curve_column(c, PROBE_stream_grad, l)] = step < 4 ? 3 * (l == 2 ? 10 : 1) : late[l];
        row[curve_column(c, PROBE_block_massive, l)] = step >= 36 && l == 1 ? 0.01 : 0;
        row[curve_column(c, PROBE_attn_added_var, l)] = step < 38 ? 1 : 1 + 0.1 * l;
        row[curve_column(c, PROBE_mlp_added_var, l)] = 0.25;
    }
}

Test(metrics, of_growth) {
    ProbeChoice probes = probes_usual();
    double m[METRIC_COUNT], none[METRIC_COUNT];
    Curves c;
    for (int i = 0; i < PROBE_COUNT; i++) probes.wanted[i] = true;
    probes.every = 2;
    curves_init(&c, 5, &probes);
    for (int step = 0; step < 40; step++) growth_row(&c, step, 5);
    metrics_measure(m, &(Validation){.curves = &c, .step = 40});
    cr_expect(m[METRIC_growth_law_start] > 20, "linear, exactly: %g", m[METRIC_growth_law_start]);
    cr_expect(m[METRIC_growth_law] < -20, "exponential, exactly: %g", m[METRIC_growth_law]);
    cr_expect_float_eq(m[METRIC_var_growth], log10(exp(4) / 2.5), 1e-12);
    cr_expect_float_eq(m[METRIC_var_ratio], log10(exp(4)), 1e-12);
    cr_expect_float_eq(m[METRIC_headroom], 2, 1e-12);
    cr_expect_float_eq(m[METRIC_massive_share], 0.002, 1e-12, "rows 36 and 38, a block of five");
    cr_expect_float_eq(m[METRIC_grad_flat_early], 1, 1e-12, "rows 0 and 2");
    cr_expect_float_eq(m[METRIC_grad_flat_late], log10(4), 1e-12);
    cr_expect_float_eq(m[METRIC_attn_added], 1.2, 1e-12);
    cr_expect_float_eq(m[METRIC_mlp_added], 0.25, 1e-12);
    metrics_measure(m, &(Validation){.curves = &c, .step = 20});
    cr_expect(m[METRIC_growth_law] > 20 && m[METRIC_headroom] > 4, "what comes later is not seen");
    metrics_measure(none, &(Validation){.curves = &c, .step = 0});
    for (int i = METRIC_growth_law_start; i <= METRIC_mlp_added; i++)
        cr_expect(isnan(none[i]), "%s", metric_info[i].key);
    c.value[20 * c.columns + curve_column(&c, PROBE_block_output_most, 3)] = (double)INFINITY;
    c.value[38 * c.columns + curve_column(&c, PROBE_block_output_var, 3)] = (double)NAN;
    metrics_measure(m, &(Validation){.curves = &c, .step = 40});
    cr_expect(isnan(m[METRIC_headroom]) && isnan(m[METRIC_growth_law]));
    free(c.value);
    curves_init(&c, 5, NULL);
    for (int step = 0; step < 4; step++) curves_add(&c);
    metrics_measure(none, &(Validation){.curves = &c, .step = 4});
    for (int i = METRIC_growth_law_start; i <= METRIC_mlp_added; i++)
        cr_expect(isnan(none[i]), "%s without its probes", metric_info[i].key);
    free(c.value);
}

/* Three blocks whose gradient norms are 1, 2, 8 at step 0, then twice, three times … as much;
 * their norm inputs 1, 3, 10. */
Test(metrics, compare_the_blocks) {
    static const double grad[] = {1, 2, 8}, input[] = {1, 3, 10};
    double early[METRIC_COUNT], late[METRIC_COUNT];
    Curves c;
    curves_init(&c, 3, NULL);
    for (int step = 0; step < 6; step++) {
        double *row = curves_add(&c);
        for (int l = 0; l < 3; l++) {
            row[curve_column(&c, PROBE_block_grad_norm, l)] = grad[l] * (step + 1) * (l == 2 && step > 2 ? 10 : 1);
            row[curve_column(&c, PROBE_norm_input, l)] = input[l];
        }
    }
    metrics_measure(early, &(Validation){.curves = &c, .step = 3});
    metrics_measure(late, &(Validation){.curves = &c, .step = 6});
    cr_expect_float_eq(early[METRIC_grad_ratio_start], log10(8), 1e-12);
    cr_expect_float_eq(early[METRIC_grad_slope_start], log(8) / 2, 1e-12);
    cr_expect_float_eq(early[METRIC_grad_ratio], log10(8), 1e-12, "steps 0 to 2 alone");
    cr_expect_float_eq(early[METRIC_grad_spread], 4, 1e-12);
    cr_expect_float_eq(early[METRIC_grad_first], 0.5, 1e-12);
    cr_expect_float_eq(early[METRIC_norm_input_ratio], 1, 1e-12);
    cr_expect_float_eq(late[METRIC_grad_ratio], log10(8 * (6 + 150) / 21.0), 1e-12,
                       "steps 3 to 5 count tenfold in the last");
    cr_expect_float_eq(late[METRIC_grad_ratio_start], early[METRIC_grad_ratio_start], 0);
    cr_expect_float_eq(early[METRIC_grad_rise], log10(4), 1e-12, "the first block does not count");
    cr_expect_float_eq(late[METRIC_grad_rise], log10(8 * (6 + 150) / (2 * 21.0)), 1e-12);
    cr_expect_float_eq(late[METRIC_grad_rise_start], log10(4), 1e-12);
    cr_expect_float_eq(late[METRIC_grad_rise_late], log10(40), 1e-12, "a tenth of six steps is the last");
    const CurveInfo *grad_norm = curve_named("block_grad_norm");
    c.value[curve_column(&c, PROBE_block_grad_norm, 1)] = (double)NAN;
    metrics_measure(early, &(Validation){.curves = &c, .step = 3});
    cr_expect_float_eq(curve_mean(&c, grad_norm, 1, 3), 5, 1e-12, "a step without a number is left out: (4 + 6) / 2");
    cr_expect(isnan(early[METRIC_grad_slope_start]));
    c.value[2 * c.columns + curve_column(&c, PROBE_block_grad_norm, 1)] = (double)NAN;
    metrics_measure(early, &(Validation){.curves = &c, .step = 3});
    cr_expect(isnan(curve_mean(&c, grad_norm, 1, 3)), "the last has none");
    cr_expect(isnan(early[METRIC_grad_ratio]));
    cr_expect_float_eq(early[METRIC_norm_input_ratio], 1, 1e-12);
    cr_expect(isnan(curve_number(&c, 0, grad_norm, 3)) && isnan(curve_number(&c, 6, grad_norm, 0)));
    free(c.value);
}

/* A stream of variance 4 behind the second block and 40 behind the third, to which attention adds 1 and the MLP 1 in
 * each; a step later the third block has 20, and the row after it measured nothing. */
Test(metrics, share_of_the_stream) {
    ProbeChoice asked = probes_usual();
    static const ProbeKind added[] = {PROBE_attn_added_var, PROBE_mlp_added_var, PROBE_block_output_var,
                                      PROBE_block_update_norm};
    for (int i = 0; i < 4; i++) asked.wanted[added[i]] = true;
    asked.every = 1;
    RunRecord r = {0};
    curves_init(&r.curves, 3, &asked);
    for (int step = 0; step < 3; step++) {
        double *row = curves_add(&r.curves);
        for (int l = 0; l < 3 && step < 2; l++) {
            double value[] = {1, 1, l < 2 ? 4 : 40 / (step + 1.0), l + 1};
            for (int i = 0; i < 4; i++) row[curve_column(&r.curves, added[i], l)] = value[i];
        }
    }
    cr_expect_float_eq(metric_made(METRIC_added_share, &r, 1), -1, 1e-12);
    cr_expect_float_eq(metric_made(METRIC_added_share, &r, 3), log10(4 / 20.0), 1e-12, "the newest measured row");
    cr_expect_float_eq(metric_made(METRIC_update_ratio, &r, 2), log10(3), 1e-12);
    cr_expect(isnan(metric_made(METRIC_added_share, &r, 0)), "before any step");
    free(r.curves.value);
    curves_init(&r.curves, 3, NULL);
    curves_add(&r.curves);
    cr_expect(isnan(metric_made(METRIC_added_share, &r, 1)) && isnan(metric_made(METRIC_update_ratio, &r, 1)));
    free(r.curves.value);
}

/* No record holds a metric of a curve that is younger than grad_rise, so texts of records stay. */
Test(metrics, of_curves_stand_in_no_record) {
    Curves c;
    bool absent[METRIC_COUNT];
    curves_init(&c, 3, NULL);
    metrics_absent(absent, &c);
    for (Metric m = 0; m < METRIC_COUNT; m++) {
        if (metric_of_curves(m)) cr_expect(absent[m] && m >= METRIC_grad_rise, "%s", metric_info[m].key);
    }
    cr_expect(absent[METRIC_grad_rise] && !absent[METRIC_grad_ratio] && !absent[METRIC_chrf]);
    free(c.value);
}
