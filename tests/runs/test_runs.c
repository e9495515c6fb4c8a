/* Stored runs listed, called by name and shown, from the golden records of old schemas; text curves at their limits. */
#include <unistd.h>

#include "bench/runs/runs.h"
#include "bench/store/address.h"
#include "bench/store/ended.h"
#include "bench/store/listing.h"
#include "tests/test.h"

#define GOLDEN SOURCE_ROOT "/tests/golden/records/"

static Session session;
static Store stored;
static Listing l;

static void open_session(const char *runs) {
    session = (Session){.profile = ""};
    snprintf(session.root, sizeof session.root, "%s", SOURCE_ROOT);
    snprintf(session.runs, sizeof session.runs, "%s", runs);
    store_release(&stored);
    store_read(&stored, session.runs);
}

static void list(const char *experiment) {
    listing_release(&l);
    OK(listing_make(&l, &session, &stored, experiment, &e));
}

static void refused(Rc rc, const char *what) {
    cr_expect_eq(rc, RC_USAGE);
    cr_expect(strstr(e.text, what), "'%s' in '%s'", what, e.text);
}

/* Schema 2 has the two arms of smoke quick in exact and in bf16: one plan that leaves the precision open. */
Test(runs, records_of_schema_2_stand_under_their_plan) {
    const char *key[LISTING_KEYS_MAX];
    open_session(GOLDEN "schema2");
    list("smoke");
    int here = 0;
    for (int i = 0; i < l.groups; i++)
        if (l.group[i].stored) {
            here++;
            cr_expect_str_eq(l.group[i].profile, "quick");
            cr_expect_eq(l.group[i].stored, 2);
            cr_expect_eq(l.group[i].planned, 2);
        }
    cr_expect_eq(here, 1);
    cr_assert_eq(l.runs, 4);
    cr_assert_eq(listing_differ(&l, l.run[0].group, true, key), 1);
    cr_expect_str_eq(key[0], "precision");
    cr_expect_not(listing_twins(&l, -1));
    cr_expect_eq(listing_keep(&l, "precision=bf16", &e), RC_OK, "%s", e.text);
    cr_expect_eq(l.runs, 2);
    refused(listing_keep(&l, "class=canon", &e), "no stored run has class=canon (of 2); there is: bf16-amx");
    cr_expect_eq(l.runs, 2, "a filter that fits nothing takes nothing away");
    refused(listing_keep(&l, "precision=bf61", &e), "did you mean 'bf16'");
    refused(listing_keep(&l, "seed=x", &e), "seed: 'x' is not a number");
    list(NULL);
    cr_expect_eq(l.runs, 4, "without an experiment the same runs");
}

/* One status everywhere: a run that ends above ln of its vocabulary and no lower than it began is diverged in lists and
 * tables alike; one that fell on the way is not. */
Test(runs, a_run_that_ends_where_it_began_is_diverged) {
    RunRecord r = {.status = "ok", .diverged_step = -1, .vocab = 65};
    Evaluation start = {.step = 0}, end = {.step = 100};
    start.metric[METRIC_valid_loss] = 5, end.metric[METRIC_valid_loss] = 5.5; /* ln 65 = 4.17 */
    record_evaluated(&r, &start);
    cr_expect_str_eq(record_status(&r), "ok", "nothing was trained");
    record_evaluated(&r, &end);
    cr_expect(record_diverged(&r, 100) && !record_diverged(&r, 0));
    cr_expect_str_eq(record_status(&r), "diverged");
    r.evaluation[1].metric[METRIC_valid_loss] = 4.5;
    cr_expect_str_eq(record_status(&r), "ok", "it fell");
    cr_expect_not(record_status_needs_curves(&r), "it was validated before training");
    r.evaluation[0].step = 50;
    cr_expect(record_status_needs_curves(&r), "the first training loss decides");
    r.evaluation[1].metric[METRIC_valid_loss] = 4;
    cr_expect_not(record_status_needs_curves(&r), "it ended below ln of the vocabulary");
    r.evaluation[1].metric[METRIC_valid_loss] = (double)NAN;
    cr_expect_str_eq(record_status(&r), "diverged");
    free(r.evaluation);
}

Test(runs, a_name_is_that_of_one_run) {
    static const struct {
        const char *name, *id, *why;
    } rows[] = {{"pre/precision=exact", "8cd07a9f90f6", NULL},
                {"smoke:pre/class=canon", "8cd07a9f90f6", NULL},
                {"precision=exact/arm=qk-norm/seed=1", "41e9922fce71", NULL},
                {"8cd0", "8cd07a9f90f6", NULL},
                {"smoke:pre", NULL, "'smoke:pre' is 2 stored runs, which differ in precision (exact, bf16), class "},
                {"precision=exact", NULL, "which differ in arm (pre, qk-norm); one of them: precision=exact/arm=pre"},
                {"pre/seed=2", NULL, "no stored run has seed=2 (of 2); there is: 1"},
                {"pre/bogus", NULL, "'bogus' is no key=value"},
                {"smok:pre", NULL, "did you mean 'smoke'"},
                {"ffffffff", NULL, "no stored run begins with 'ffffffff'; nearest: "}};
    open_session(GOLDEN "schema2");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char id[SHA256_HEX] = "";
        e = (Error){0};
        Rc rc = address_find(&session, rows[i].name, id, &e);
        if (rows[i].id) {
            cr_expect_eq(rc, RC_OK, "%s: %s", rows[i].name, e.text);
            cr_expect(!strncmp(id, rows[i].id, 12), "%s: %s", rows[i].name, id);
        } else
            refused(rc, rows[i].why);
    }
}

/* Records of schema 1 say neither when they were made nor what was declared. */
Test(runs, a_record_of_schema_1_is_shown) {
    LOCAL(record_release) RunRecord r;
    LOCAL_TEXT(text);
    open_session(GOLDEN "schema1");
    list(NULL);
    cr_assert_gt(l.runs, 0);
    OK(record_read(&r, session.runs, l.run[0].record->id, &e));
    run_text(&(RunShown){.record = &r, .listing = &l}, 80, &text);
    HOLDS(text.at, "normbench 0.1.0, commit 10bf21a4a34c\n");
    HOLDS(text.at, "smoke quick: arm ");
    json_auto_t *root = run_json(&(RunShown){.record = &r, .listing = &l});
    cr_expect_str_eq(json_string_value(json_object_get(root, "id")), r.id);
    cr_expect_eq(json_array_size(json_object_get(root, "plans")), 1);
}

/* Rows 0, 1, … with these train losses. */
static void curve_of(Curves *c, const double *loss, int rows) {
    curves_init(c, 1, NULL);
    for (int i = 0; i < rows; i++) {
        double *row = curves_add(c);
        row[CURVE_step] = i, row[CURVE_train_loss] = loss[i];
    }
}

Test(runs, a_text_curve_leaves_out_what_is_not_finite) {
    const double wild[] = {4, (double)INFINITY, 2, (double)NAN, 3}, flat[] = {1, 1}, steep[] = {100, 10, 1};
    const double none[] = {(double)NAN, (double)INFINITY};
    static const struct {
        int rows;
        const char *want;
    } rows[] = {{5, "    4.000 |*\n          |    *\n    2.000 |  *\n          +-----\n           0   4\n"},
                {2, "    1.000 |\n          |\n    1.000 |*   *\n          +-----\n           0   1\n"},
                {3, "  100.000 |*\n          |  *\n    1.000 |    *\n          +-----\n     (log) 0   2\n"},
                {2, ""},
                {0, ""}};
    const double *const values[] = {wild, flat, steep, none, none};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Curves c;
        LOCAL_TEXT(text);
        curve_of(&c, values[i], rows[i].rows);
        curve_text(&c, curve_named("train_loss"), curve_named("valid_loss"), 5, 3, &text);
        cr_expect_str_eq(text.at, rows[i].want, "case %zu:\n%s", i, text.at);
        free(c.value);
    }
}

/* Of 40,000 runs each was held against all before it, for every key: hours for a large sweep. */
Test(runs, what_differs_in_a_large_sweep_is_found_in_seconds, .timeout = 600) {
    enum { SEEDS = 20000 };
    const char *key[LISTING_KEYS_MAX];
    OWNED RunRecord *record = mem_alloc(SEEDS, sizeof *record);
    LOCAL_TEXT(values);
    l = (Listing){.runs = 2 * SEEDS, .run = mem_alloc(2 * SEEDS, sizeof *l.run)};
    for (int i = 0; i < 2 * SEEDS; i++) {
        RunRecord *r = &record[i % SEEDS];
        spec_init(&r->spec);
        r->spec.seed = (uint64_t)(i % SEEDS);
        l.run[i] = (ListedRun){.record = r, .place = i};
        strcpy(l.run[i].arm, i < SEEDS ? "a" : "b");
    }
    cr_expect_eq(listing_differ(&l, 0, true, key), 0, "seeds are no key of an arm");
    record[SEEDS - 1].spec.steps++;
    cr_assert_eq(listing_differ(&l, 0, true, key), 1);
    cr_expect_str_eq(key[0], "steps");
    listing_values(&l, "seed", 2, &values);
    cr_expect_str_eq(values.at, "0, 1, and 19998 more");
}
