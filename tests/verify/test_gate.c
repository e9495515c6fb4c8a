/* The gate: what passes at each level, and that a number that is too good does not. */
#include "bench/formats/json.h"
#include "bench/verify/snapshot.h"
#include "bench/verify/gate.h"
#include "tests/test.h"

static int compared;

static json_t *row(const char *run, const char *status, double start, double end) {
    json_t *r =
        json_pack("{s:s, s:s, s:s, s:s, s:{s:{s:s}, s:{s:s}}}", "run", run, "status", status, "arithmetic_class",
                  "canon", "loss_chain", "c0ffee", "valid_loss", "0", "hex", "-", "20", "hex", "-");
    json_t *losses = json_object_get(r, "valid_loss");
    json_object_set_new(json_object_get(losses, "0"), "nats", json_number_of(start));
    json_object_set_new(json_object_get(losses, "20"), "nats", json_number_of(end));
    return r;
}

enum { SEEDS = 4 };

/* Two arms of four seeds; `shift` more nats at the end for arm b, and a little more or less in turn. */
static json_t *rows_of(double shift, double spread) {
    json_t *rows = json_array();
    char run[32];
    for (int arm = 0; arm < 2; arm++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            snprintf(run, sizeof run, "%s seed %d", arm ? "b" : "a", seed);
            double own = 3 + 0.1 * seed + (arm ? shift + (seed % 2 ? spread : -spread) : 0);
            json_array_append_new(rows, row(run, "ok", 4, own));
        }
    return rows;
}

/* A snapshot of rows_of(0, 0): half a milli-nat allowed at the end, nothing at step 0. */
static json_t *stored(void) {
    return json_pack("{s:o, s:{s:s, s:{s:f, s:f}}}", "rows", rows_of(0, 0), "tolerances", "rule", "made up",
                     "valid_loss", "0", 0.0, "20", 0.0005);
}

static Rc check(GateLevel level, json_t *snapshot, json_t *rows, char *said, size_t size) {
    LOCAL_TEXT(report);
    compared = 0;
    e = (Error){0};
    Rc rc = gate_check(level, snapshot, rows, 0.02, 0.05, &report, &compared, &e);
    if (said) snprintf(said, size, "%s", report.at);
    json_decref(snapshot);
    json_decref(rows);
    return rc;
}

static Rc simple(GateLevel level, double shift, double spread) {
    return check(level, stored(), rows_of(shift, spread), NULL, 0);
}

Test(gate, the_stored_numbers_pass_at_every_level) {
    for (int level = 0; level < GATE_LEVELS; level++) {
        cr_expect_eq(simple((GateLevel)level, 0, 0), RC_OK, "%s: %s", gate_names[level], e.text);
        cr_expect_gt(compared, 0);
    }
}

Test(gate, both_directions_fail) {
    for (int sign = -1; sign <= 1; sign += 2) {
        cr_expect_eq(simple(GATE_bit, sign * 1e-12, 0), RC_REGRESSION);
        cr_expect_eq(simple(GATE_numeric, sign * 0.00049, 0), RC_OK, "%s", e.text);
        cr_expect_eq(simple(GATE_numeric, sign * 0.00051, 0), RC_REGRESSION);
        cr_expect_eq(simple(GATE_statistical, sign * 0.015, 0.002), RC_OK, "%s", e.text);
        cr_expect_eq(simple(GATE_statistical, sign * 0.03, 0.002), RC_REGRESSION, "too %s is no pass",
                     sign < 0 ? "good" : "bad");
        cr_expect_eq(simple(GATE_statistical, sign * 0.03, 0), RC_REGRESSION, "every seed by the same");
    }
    cr_expect_eq(simple(GATE_statistical, 0.015, 0.02), RC_INCONCLUSIVE, "%s", e.text);
}

Test(gate, rows_that_are_missing_or_extra_fail) {
    for (int level = 0; level < GATE_LEVELS; level++) {
        char said[2000];
        json_t *fewer = rows_of(0, 0), *more = rows_of(0, 0);
        json_array_remove(fewer, 7);
        json_array_append_new(more, row("c seed 1", "ok", 4, 3));
        cr_expect_eq(check((GateLevel)level, stored(), fewer, said, sizeof said), RC_REGRESSION);
        HOLDS(said, "missing: b seed 4");
        cr_expect_eq(check((GateLevel)level, stored(), more, said, sizeof said), RC_REGRESSION);
        HOLDS(said, "extra: c seed 1");
        cr_expect(level != GATE_statistical || !strcmp(e.text, "1 run is missing or extra beside the stored snapshot"));
    }
}

Test(gate, nan_equals_nan_only_between_diverged_runs) {
    for (int level = 0; level < GATE_LEVELS; level++)
        for (int which = 0; which < 4; which++) { /* bit 0: stored diverged, bit 1: measured diverged */
            json_t *base = stored(), *rows = rows_of(0, 0);
            if (which & 1) json_array_set_new(json_object_get(base, "rows"), 7, row("b seed 4", "diverged", 4, NAN));
            if (which & 2) json_array_set_new(rows, 7, row("b seed 4", "diverged", 4, NAN));
            cr_expect_eq(check((GateLevel)level, base, rows, NULL, 0), which == 0 || which == 3 ? RC_OK : RC_REGRESSION,
                         "%s %d: %s", gate_names[level], which, e.text);
        }
    json_t *rows = rows_of(0, 0);
    json_array_set_new(rows, 7, row("b seed 4", "ok", 4, NAN));
    cr_expect_eq(check(GATE_numeric, stored(), rows, NULL, 0), RC_REGRESSION, "a finished run has no NaN");
}

Test(gate, nothing_measured_is_no_pass) {
    for (int level = 0; level < GATE_LEVELS; level++) {
        cr_expect_eq(check((GateLevel)level, stored(), json_array(), NULL, 0), RC_UNMEASURED);
        cr_expect_eq(check((GateLevel)level, json_pack("{s:[]}", "rows"), rows_of(0, 0), NULL, 0), RC_UNMEASURED);
    }
    json_t *bare = stored(), *other = rows_of(0, 0);
    json_object_del(bare, "tolerances");
    cr_expect_eq(check(GATE_numeric, bare, rows_of(0, 0), NULL, 0), RC_UNMEASURED);
    json_object_set_new(json_array_get(other, 0), "arithmetic_class", json_string("fp64"));
    cr_expect_eq(check(GATE_bit, stored(), other, NULL, 0), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "stored in arithmetic class 'canon', measured in 'fp64': no bits to compare");
}

Test(gate, one_seed_decides_nothing) {
    json_t *base = json_pack("{s:[o]}", "rows", row("a seed 1", "ok", 4, 3));
    cr_expect_eq(check(GATE_statistical, base, json_pack("[o]", row("a seed 1", "ok", 4, 3.001)), NULL, 0),
                 RC_INCONCLUSIVE);
}

Test(gate, an_arm_without_a_pair_has_no_number) {
    for (int both = 0; both < 2; both++) {
        char said[400];
        json_t *base = json_pack("{s:[o]}", "rows", row("a seed 1", "diverged", 4, NAN));
        json_t *rows = json_pack("[o]", both ? row("a seed 1", "diverged", 4, NAN) : row("a seed 1", "ok", 4, 3));
        cr_expect_eq(check(GATE_statistical, base, rows, said, sizeof said), both ? RC_OK : RC_REGRESSION);
        cr_expect(strstr(said, "n = 0  no pair of finished runs") && !strstr(said, "nan"), "%s", said);
        cr_expect(both || strstr(said, "1 seed diverged on one side only"), "%s", said);
    }
}

Test(gate, the_level_is_the_strictest_there_is) {
    json_auto_t *base = stored();
    cr_expect_eq(gate_default(base, "canon"), GATE_bit);
    cr_expect_eq(gate_default(base, "fp64"), GATE_numeric);
    cr_expect_eq(gate_default(base, "cuda-fp32 sm_90 x132 cublasLt 13.1.2"), GATE_numeric);
    cr_expect_eq(gate_default(base, "cuda-bf16 sm_90 x132 cublasLt 13.1.2"), GATE_statistical);
    cr_expect_eq(gate_default(base, "bf16-amx"), GATE_statistical);
    json_object_del(base, "tolerances");
    cr_expect_eq(gate_default(base, "fp64"), GATE_statistical);
}

Test(gate, tolerances_are_ten_times_the_largest_difference) {
    json_auto_t *rows = rows_of(0, 0), *doubles = rows_of(3e-6, 1e-6);
    json_array_set_new(doubles, 0, row("a seed 1", "diverged", 4, NAN)); /* counts nothing */
    json_t *t = gate_tolerances(rows, doubles), *steps = json_object_get(t, "valid_loss");
    cr_expect_float_eq(json_real_value(json_object_get(steps, "20")), 4e-5, 1e-12);
    cr_expect_eq(json_real_value(json_object_get(steps, "0")), 0);
    json_decref(t);
}
