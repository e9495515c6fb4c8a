/* compare --unpaired: published numbers, the verdicts of the paired mode, and what it refuses. */
#include <jansson.h>

#include "bench/cli/commands.h"
#include "bench/figures/figure.h"
#include "tests/compare/compared.h"
#include "tests/compare/json_page.h"
#include "tests/verdict/made_up.h"

static const CompareColumns apart = {.unpaired = true};

static Rc parse(const char *text) {
    return compare_parse(&data, "FILE", apart, text, strlen(text), &e);
}

static void make(const char *text, CompareOptions options) {
    compared(text, apart, options);
}

static void ends(int comparison, const char *want, Rc code) {
    is(comparison, want);
    cr_expect_eq(compare_exit(&result), code, "exit %d, not %d", compare_exit(&result), code);
}

/* Student's sleep data as two groups of ten patients (R: t.test(extra ~ group, data = sleep)); a column per arm, and no
 * patient in both. */
static const char drugs[] = "seed,one,two\n1,0.7,\n2,-1.6,\n3,-0.2,\n4,-1.2,\n5,-0.1,\n6,3.4,\n7,3.7,\n8,0.8,\n9,0,\n"
                            "10,2,\n11,,1.9\n12,,0.8\n13,,1.1\n14,,0.1\n15,,-0.1\n16,,4.4\n17,,5.5\n18,,1.6\n"
                            "19,,4.6\n20,,3.4\n";

Test(compare_unpaired, students_sleep) {
    CompareOptions higher = plain;
    higher.higher = true;
    make(drugs, higher);
    const Comparison *c = result.family.at;
    near(c->t.t, 1.8608, 5e-5, "Welch's t");
    near(c->t.df, 17.776, 5e-4, "its degrees of freedom");
    near(c->t.p, .07939, 5e-6, "its p");
    near(c->t.hi, 3.3654832, 5e-8, "its interval");
    cr_expect_eq(c->flip.count, 2 * 7524);
    cr_expect_eq(c->flip.total, 184756);
    near(c->together.hi, 3.375, 1e-12, "interval by relabelling");
    near(c->together.lo, -.22, 1e-12, "interval by relabelling");
    near(c->chance.share, .745, 1e-12, "74 pairs and a tie of 100: Wilcoxon's W = 25.5 in R");
    near(c->rank_test.p, .0693, .004, "R's normal approximation with correction");
    ends(0, "inconclusive", RC_INCONCLUSIVE);
    says(compare_text, "95% Welch t interval", true);
    says(compare_text, "All arms have the same seeds", false);
}

/* 1 2 3 against 11 12 13 14: nothing is more extreme, so p = 2/35; with two comparisons Holm doubles it. */
Test(compare_unpaired, few_runs_and_holm) {
    static const char two[] = "seed,arm,value\n1,base,11\n2,base,12\n3,base,13\n4,base,14\n5,a,1\n6,a,2\n7,a,3\n";
    make(two, plain);
    near(result.family.at->flip.p, 2. / 35, 1e-15, "p");
    near(result.family.floor, 2. / 35, 1e-15, "floor");
    ends(0, "not testable", RC_INCONCLUSIVE);
    says(compare_text, "not decided: so few runs cannot reach p < 0.05", true);
    says(compare_text, "3 to 4 runs of an arm", true);
    cr_expect_eq(result.family.at->chance.status, ST_DEGENERATE);
    near(result.family.at->chance.share, 1, 0, "always better");
    CompareOptions loose = plain;
    loose.conf = .9;
    make(two, loose);
    ends(0, "better", RC_OK);
    make("seed,arm,value\n1,base,11\n2,base,12\n3,base,13\n4,base,14\n5,a,1\n6,a,2\n7,a,3\n8,b,21\n9,b,22\n10,b,23\n"
         "11,b,24\n",
         loose);
    near(result.family.at[0].joint.step, 2. / 35, 1e-15, "the larger p after the smaller");
    near(result.family.at[1].flip.p, 2. / 70, 1e-15, "p");
    near(result.family.at[1].joint.step, 4. / 70, 1e-15, "Holm");
    ends(1, "worse", RC_REGRESSION);
}

/* Four runs against four reach .029 and not .025, the joint level of two: only the joint limits are out of reach. The
 * limits alone are the least and the largest difference, 2/70 being the only p below .05. */
Test(compare_unpaired, limits_alone_where_joint_ones_are_out_of_reach) {
    make("seed,arm,value\n1,a,3\n2,a,3.25\n3,a,3.5\n4,a,4\n5,b,5\n6,b,5.5\n7,b,6\n8,b,8\n9,c,3\n10,c,3.5\n"
         "11,c,3.25\n12,c,3.75\n",
         plain);
    cr_expect_eq(result.family.at->together.status, ST_NOT_REACHABLE);
    near(result.family.at->alone.lo, 1, 1e-12, "lowest");
    near(result.family.at->alone.hi, 5, 1e-12, "highest");
    says(compare_json, "\"confidence\": 0.94999999999999996,\n     \"alone_lo\": 1.0,\n     \"alone_hi\": 5.0", true);
}

/* A line that names a run and gives it no value is named, unless another line gives it one. */
Test(compare_unpaired, runs_without_a_value_are_named) {
    make("seed,arm,value\n1,a,3\n2,a,NA\n3,a,3.1\n4,b,3\n5,b,3.2\n6,b,\n", plain);
    cr_expect(data.absent == 2 && data.runs[0] == 2 && data.runs[1] == 2);
    says(compare_text, "2 runs have no value and are not counted: FILE:3: seed 2 of arm 'a', the first.", true);
    make("{\"a\": [3, null, 3.1], \"b\": [3, 3.2]}", plain);
    cr_expect(data.absent == 1 && data.runs[0] == 2 && !strcmp(data.first_absent, "FILE: arms.a.2: run 2 of arm 'a'"),
              "%s", data.first_absent);
    make("[{\"seed\": 1, \"arm\": \"a\", \"value\": 3}, {\"seed\": 2, \"arm\": \"a\", \"value\": null}, "
         "{\"seed\": 3, \"arm\": \"b\", \"value\": 3}]",
         plain);
    cr_expect(data.absent == 1 && data.runs[0] == 1);
    make("seed,a,b\n1,3,3\n2,,3.1\n3,3.1,\n4,3.2,3\n", plain);
    cr_expect(data.absent == 2 && data.runs[0] == 3 && data.runs[1] == 3, "of columns too");
    static const char states[] = "seed,arm,loss,State\n1,a,3,finished\n2,a,9,Crashed\n3,b,3,finished\n";
    compare_data_release(&data);
    OK(compare_parse(&data, "FILE", (CompareColumns){.unpaired = true, .value = "loss"}, states, strlen(states), &e));
    cr_expect(!data.absent && data.unfinished == 1 && !strcmp(data.first_unfinished, "FILE:3: seed 2 of arm 'a'"));
    static const char unnumbered[] = "arm,loss,State\na,3,finished\na,9,crashed\na,,finished\na,4,ok\nb,3,finished\n";
    compare_data_release(&data);
    OK(compare_parse(&data, "FILE", (CompareColumns){.unpaired = true, .value = "loss"}, unnumbered, strlen(unnumbered),
                     &e));
    LOCAL_TEXT(said);
    compare_absent(&data, &said);
    cr_expect_str_eq(said.at,
                     "1 run has no value and is not counted: FILE:4: a run of arm 'a'.\n"
                     "1 run did not finish, as its state says, and is not counted: FILE:3: a run of arm 'a'.\n");
    cr_expect(data.runs[0] == 2 && data.runs[1] == 1);
    const CompareColumns curves = {.unpaired = true, .steps = true, .target = 3};
    static const char text[] = "seed,arm,step,value\n1,a,5,3\n1,a,6,\n2,a,5,3.5\n3,b,5,2.9\n4,b,5,\n4,b,6,\n,,,\n";
    OK(compare_parse(&data, "FILE", curves, text, strlen(text), &e));
    cr_expect(data.absent == 1 && !strcmp(data.first_absent, "FILE:6: seed 4 of arm 'b'"), "%s", data.first_absent);
    compare_data_release(&data);
}

/* Runs of an arm: 3 + shift + i / 1000, scattered otherwise than the baseline's. */
static void many(Text *out, const char *arm, int runs, double shift, int first) {
    for (int i = 0; i < runs; i++) text_format(out, "%d,%s,%.4f\n", first + i, arm, 3 + shift + .001 * (i * 5 % runs));
}

static void three(CompareOptions options, double shift) {
    LOCAL_TEXT(file);
    text_format(&file, "seed,arm,value\n");
    many(&file, "base", 8, 0, 1);
    many(&file, "a", 10, shift, 101);
    make(file.at, options);
}

Test(compare_unpaired, the_margin_and_the_gate) {
    CompareOptions options = plain;
    three(options, .01);
    ends(0, "worse", RC_REGRESSION);
    options.margin = .02;
    three(options, .01);
    ends(0, "worse but negligible", RC_OK);
    says(compare_notes, "Welch t tests and relabelling", true);
    three(options, 0);
    ends(0, "equivalent", RC_OK);
    const Comparison *c = result.family.at;
    cr_expect(c->inside_p >= c->tost.p && c->inside_p < .05);
    cr_expect(c->room_a > c->far_a && c->room_b > c->far_b, "%g %g", c->room_a, c->room_b);
    says(compare_notes, "One more run would undo this: a, by a run more than", true);
    says(compare_notes, "or of the baseline, by a run more than", true);
    options = plain, options.fail.by = true, options.fail.more = .005;
    three(options, .01);
    ends(0, "worse", RC_REGRESSION);
    says(compare_notes, "FAILS, worse by more: a.", true);
    options.fail.more = .02;
    three(options, .01);
    ends(0, "worse", RC_OK);
}

Test(compare_unpaired, equality_takes_eight_runs_of_either_arm) {
    CompareOptions options = plain;
    options.margin = 100;
    LOCAL_TEXT(file);
    text_format(&file, "seed,arm,value\n");
    many(&file, "base", 7, 0, 1);
    many(&file, "a", 20, 0, 101);
    make(file.at, options);
    ends(0, "inconclusive", RC_INCONCLUSIVE);
    cr_expect(isnan(result.family.at->inside_p));
}

/* Six of eight diverge against none of six: C(8, 6) of the C(14, 6) = 3003 tables, and the rarer one the other way. */
Test(compare_unpaired, diverged_runs) {
    static const char lost[] =
        "seed,arm,value\n1,base,3.0\n2,base,3.1\n3,base,3.2\n4,base,3.3\n5,base,3.4\n6,base,3.5\n"
        "11,a,nan\n12,a,nan\n13,a,nan\n14,a,nan\n15,a,nan\n16,a,nan\n17,a,2.9\n18,a,2.8\n";
    CompareOptions options = plain;
    options.cap = 10.8, options.margin = 1;
    make(lost, options);
    const Comparison *c = result.family.at;
    cr_expect_not(c->t_decides);
    near(c->fisher.p, 29. / 3003, 1e-12, "Fisher");
    cr_expect_eq(c->rank_test.total, 3003);
    ends(0, "inconclusive", RC_INCONCLUSIVE);
    says(compare_text, "withheld (diverged)", true);
    says(compare_text, "Fisher p", true);
    cr_assert_eq(parse(lost), RC_OK);
    cr_expect_eq(compare_make(&result, &data, &plain, 1, &e), RC_USAGE, "a cap is asked for");
    compare_data_release(&data);
}

Test(compare_unpaired, stalls_are_counted) {
    CompareOptions options = plain;
    options.stall = 3.25;
    make("seed,arm,value\n1,base,3.0\n2,base,3.1\n3,base,3.1\n4,a,3.3\n5,a,3.4\n6,a,3.5\n7,a,3.6\n", options);
    cr_expect_eq(result.family.at->stalled_a, 4);
    cr_expect_eq(result.family.at->stalled_b, 0);
    near(result.family.at->stall.p, 1. / 35, 1e-12, "all of 4 against none of 3");
    says(compare_notes, "(Fisher): a 4 of 4 against 0 of 3", true);
}

/* Blocks are averaged within a run; the same seeds are told. */
Test(compare_unpaired, blocks_and_shared_seeds) {
    make("seed,arm,block,value\n1,a,0,1\n1,a,1,3\n2,a,0,2\n2,a,1,2\n1,b,0,4\n1,b,1,6\n2,b,0,5\n2,b,1,5\n", plain);
    cr_expect_eq(data.value[0], 2);
    cr_expect_eq(data.value[2], 5);
    cr_expect(data.shared);
    says(compare_notes, "All arms have the same seeds: without --unpaired", true);
}

Test(compare_unpaired, order_of_rows_and_arms_changes_no_number) {
    CompareOptions from = plain;
    from.baseline = "base";
    make("seed,arm,value\n1,base,3\n2,base,3.5\n3,base,3.25\n9,a,2\n8,a,3.125\n", from);
    Comparison before = result.family.at[0];
    char hash[SHA256_HEX];
    strcpy(hash, data.hash);
    make("arm,seed,value\na,8,3.125\na,9,2\nbase,3,3.25\nbase,2,3.5\nbase,1,3\n", from);
    cr_expect_str_eq(data.hash, hash);
    cr_expect_eq(result.family.at[0].t.lo, before.t.lo);
    cr_expect_eq(result.family.at[0].chance.lo, before.chance.lo);
    cr_expect_eq(result.family.at[0].together.lo, before.together.lo);
}

/* gnuplot's program of what compare -o draws. */
static void program(const CompareResult *r, Text *out) {
    LOCAL(plot_release) Plot p;
    compare_plot(r, &p);
    for (int i = 0; i < p.panel->rows; i++) cr_expect_eq(p.panel->row[i].values, 0, "no pairs, no seeds");
    plot_gnuplot(&p, PLOT_SVG, out);
}

Test(compare_unpaired, json_and_tex_and_plot) {
    CompareOptions options = plain;
    options.margin = .02, options.stall = 9;
    void (*const write[])(const CompareResult *, Text *) = {compare_json, compare_tex, program, compare_text};
    for (int file = 0; file < 2; file++) {
        if (file)
            make(drugs, options);
        else
            three(options, 0);
        for (size_t i = 0; i < sizeof write / sizeof *write; i++) {
            LOCAL_TEXT(out);
            write[i](&result, &out);
            cr_expect(!word_in(out.at, "nan"), "%zu: %s", i, out.at);
            json_auto_t *root = i ? NULL : json_loads(out.at, JSON_REJECT_DUPLICATES, NULL);
            cr_expect(i || root);
            documented(root);
        }
    }
}

/* A hundred thousand runs against three: drawn, not counted, in seconds. */
Test(compare_unpaired, many_runs) {
    LOCAL_TEXT(file);
    text_format(&file, "seed,arm,value\n");
    for (int i = 0; i < 100000; i++) text_format(&file, "%d,base,%d\n", i, i % 1000);
    text_format(&file, "1,a,2000\n2,a,2001\n3,a,2002\n");
    make(file.at, plain);
    const Comparison *c = result.family.at;
    cr_expect_not(c->flip.exact);
    cr_expect_str_eq(compare_word(&result, c->decision), "worse");
    near(c->chance.share, 0, 1e-12, "share");
    says(compare_notes, "p is that of random ones", true);
}

static void refused(const char *text, Rc code, const char *what) {
    e = (Error){0};
    Rc rc = parse(text);
    if (!rc) rc = compare_make(&result, &data, &plain, 1, &e);
    cr_expect_eq(rc, code, "'%s': exit code %d", text, rc);
    cr_expect(strstr(e.text, what), "'%s' does not say '%s'", e.text, what);
    compare_data_release(&data);
}

Test(compare_unpaired, files_that_are_refused) {
    refused("seed,a,b\n1,2,\n2,3,\n", RC_USAGE, "FILE: arm 'b' has no run");
    refused("seed,a\n1,2\n", RC_UNMEASURED, "'a' is the only arm");
    refused("seed,a,b\n1,,\n", RC_UNMEASURED, "it holds no runs");
    refused("seed,arm,value\n1,a,2\n1,a,3\n", RC_USAGE, "seed 1 of arm 'a' is there twice");
    refused("seed,arm,value\n1,a,\n", RC_UNMEASURED, "it holds no runs");
    refused("seed,arm,value\n1,a,2\n1,b,\n", RC_USAGE, "FILE: arm 'b' has no run");
    refused("seed,arm,block,value\n1,a,0,2\n1,a,1,2\n2,b,0,3\n", RC_USAGE,
            "FILE:4: seed 2 of arm 'b' has no block 1, which others have");
    refused("seed,arm,block,value\n1,a,1,2\n2,b,0,3\n2,b,1,3\n", RC_USAGE, "FILE:2: seed 1 of arm 'a' has no block 0");
    CompareOptions looks = plain;
    looks.looks = 1, looks.look[0] = 2;
    cr_assert_eq(parse("seed,a,b\n1,2,\n2,,3\n"), RC_OK);
    cr_expect_eq(compare_make(&result, &data, &looks, 1, &e), RC_USAGE);
    HOLDS(e.text, "--looks gives seed counts of pairs, so it does not go with --unpaired");
    compare_data_release(&data);
    static const char forgot[] = "seed,arm,value\n1,a,2\n2,b,3\n";
    cr_expect_eq(compare_parse(&data, "FILE", (CompareColumns){0}, forgot, strlen(forgot), &e), RC_USAGE);
    HOLDS(e.text, "--unpaired compares arms that share no seeds");
}
