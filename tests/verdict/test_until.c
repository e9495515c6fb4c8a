/* An experiment whose seeds are added until it is decided: what is read of a plan, and which seeds count. */
#include "bench/plan/declare.h"
#include "bench/verdict/until.h"
#include "bench/verdict/verdict.h"
#include "tests/verdict/made_up.h"

static const char head[] =
    "title: made up\ndataset: synthetic\nlayers: 2\nwidth: 16\nheads: 2\nsteps: 10\nevaluate_at: '0,5,10'\n"
    "arms:\n  a: {variant: pre}\n  b: {variant: post}\n  c: {variant: peri}\n";

static void read_plan(Experiment *x, const char *seeds, const char *set) {
    char text[600];
    Overrides o = {.set = &set, .sets = set != NULL};
    snprintf(text, sizeof text, "%sseeds: %s\n", head, seeds);
    OK(experiment_parse(x, "FILE", text, NULL, &o, &e));
}

static void expect_seeds(const char *seeds, const char *set, int most, const char *want) {
    LOCAL(experiment_release) Experiment x;
    LOCAL_TEXT(got);
    read_plan(&x, seeds, set);
    for (int i = 0; i < x.seeds; i++) text_format(&got, "%s%llu", i ? " " : "", (unsigned long long)x.seed[i]);
    cr_expect_str_eq(got.at, want, "%s, %s: %s", seeds, set ? set : "", got.at);
    cr_expect_eq(x.most, most, "%s, %s: %d", seeds, set ? set : "", x.most);
}

Test(until, seeds_ascend_and_go_on_above_the_largest) {
    expect_seeds("{until: decided, most: 5}", NULL, 5, "1 2 3 4 5");
    expect_seeds("4-7", NULL, 0, "4 5 6 7");
    expect_seeds("[8, 1, 10, 3]", NULL, 0, "1 3 8 10");
    expect_seeds("[3, 5]", "seeds={until: decided, most: 6}", 6, "3 5 6 7 8 9");
    expect_seeds("[5, 3]", "seeds={until: decided, most: 3}", 3, "3 5 6");
    expect_seeds("8", "seeds={until: decided, most: 3}", 3, "1 2 3");
    expect_seeds("{until: decided, most: 5}", "seeds={most: 7}", 7, "1 2 3 4 5 6 7");
    expect_seeds("{until: decided, most: 5}", "seeds=3", 3, "1 2 3"); /* at most: it still stops by itself */
    expect_seeds("{until: decided, most: 5}", "seeds=[9, 2]", 2, "2 9");
    LOCAL(experiment_release) Experiment x;
    read_plan(&x, "{until: decided}", NULL);
    cr_expect(x.most == 64 && x.seeds == 64 && x.seed[63] == 64);
}

/* The rule is declared; a plan of a fixed number has the hash that it had before there was one. */
Test(until, the_rule_is_part_of_the_plan) {
    LOCAL(experiment_release) Experiment fixed, rule, other;
    LOCAL_TEXT(lines);
    read_plan(&fixed, "5", NULL), read_plan(&rule, "{until: decided, most: 5}", NULL);
    read_plan(&other, "{until: decided, most: 6}", NULL);
    cr_expect(strcmp(fixed.plan, rule.plan) && strcmp(rule.plan, other.plan));
    cr_expect(!strcmp(fixed.body, rule.body) && !strcmp(rule.body, other.body));
    experiment_text(&fixed, true, &lines);
    cr_expect(!strstr(lines.at, "until") && strstr(lines.at, "\nseeds = 1 2 3 4 5\n"));
    text_clear(&lines);
    experiment_text(&rule, true, &lines);
    HOLDS(lines.at, "\nseeds = 1 2 3 4 5\nuntil = decided, most 5\n");
    text_clear(&lines);
    declare_plans(&rule, &lines);
    cr_expect(declared_stops(lines.at, &fixed) && !declared_stops(lines.at, &rule) && declared_stops(lines.at, &other));
    text_clear(&lines);
    declare_plans(&fixed, &lines);
    cr_expect(!declared_stops(lines.at, &other) && !declared_stops(NULL, &fixed));
}

Test(until, the_fewest_seeds_of_a_family) {
    static const struct {
        const char *alpha;
        int least;
    } rows[] = {{"alpha: 0.05\n", 8},
                {"alpha: 0.2\n", 5},        /* two arms: e of 40 and of 10, by hand 73.8 and 10.6 */
                {"compare: [c - b]\n", 6}}; /* one comparison: 20 */
    for (size_t i = 0; i < 3; i++) {
        LOCAL(experiment_release) Experiment x;
        char text[600];
        snprintf(text, sizeof text, "%s%sseeds: {until: decided, most: 20}\n", head, rows[i].alpha);
        OK(experiment_parse(&x, "FILE", text, NULL, NULL, &e));
        cr_expect_eq(until_least(&x), rows[i].least, "%d", until_least(&x));
    }
}

/* A family of made-up differences: d[count][n]. */
static void family_of(Family *f, int count, int n, const double *d, double margin) {
    uint64_t seed[64];
    double value[2][64] = {{0}, {0}};
    *f = (Family){.tests = PAIRED_T | PAIRED_DIVERGED, .alpha = .05, .conf = .95, .n = n};
    family_begin(f, count);
    for (int i = 0; i < count; i++) {
        for (int s = 0; s < n; s++) seed[s] = (uint64_t)s + 1, value[0][s] = d[i * 64 + s];
        PairedRuns in = {.n = n, .seed = seed, .arm = {{1, value[0]}, {-1, value[1]}}, .arms = 2, .cap = NAN};
        f->at[i].what = contrast_pair(0, 0, METRIC_valid_loss, i + 1, 0, margin);
        comparison_make(f, &f->at[i], &in);
    }
}

/* One is the sign of a difference, one is none, one is flat: after every number of seeds the decisions are those of the
 * first seeds alone, whatever came later. */
Test(until, later_seeds_change_no_decision) {
    double d[3 * 64];
    int at[3] = {0, 0, 0}, last = 0;
    for (int s = 0; s < 64; s++) {
        d[s] = .3 + .1 * sin(7 * s), d[64 + s] = .05 * (s % 2 ? 1 : -1), d[128 + s] = .02 * sin(3 * s);
    }
    for (int n = 1; n <= 30; n++) {
        LOCAL(family_release) Family f;
        family_of(&f, 3, n, d, .05);
        anytime_decide(&f, 64);
        for (int i = 0; i < 3; i++) {
            cr_expect(!at[i] || f.anytime[i].at == at[i], "%d after %d: %d, was %d", i, n, f.anytime[i].at, at[i]);
            at[i] = f.anytime[i].at;
        }
        int decided = until_decided(&f);
        cr_expect(!last || decided == last, "%d after %d, was %d", decided, n, last);
        last = decided;
        cr_expect(f.floor < .05 && f.at[0].flip.p > 0 && isnan(f.at[0].t.p) && f.at[0].mcnemar.status != ST_OK);
    }
    cr_expect(at[0] >= 6 && at[0] <= 10 && at[2] >= ST_EQUAL_SEEDS, "%d, %d, %d", at[0], at[1], at[2]);
}

/* What has no test is not waited for, and if nothing has one there is nothing to wait for. */
Test(until, comparisons_without_a_test_are_not_waited_for) {
    double d[2 * 64];
    LOCAL(family_release) Family f;
    for (int s = 0; s < 128; s++) d[s] = 1 + .01 * s;
    family_of(&f, 2, 12, d, .05);
    f.at[1].status = ST_ONE_SAMPLE;
    anytime_decide(&f, 64);
    cr_expect(until_decided(&f) == 8, "%d", until_decided(&f));
    cr_expect(f.at[1].decision == DECISION_NOT_TESTABLE && isnan(f.anytime[1].p) && f.anytime[1].ci.status != ST_OK);
    f.at[0].status = ST_ONE_SAMPLE;
    cr_expect_eq(until_decided(&f), 12);
}

/* No look may be one at which nothing can be decided, and what cannot be tested is not decided. */
Test(until, every_look_can_decide) {
    static const struct {
        const char *looks, *said; /* NULL: none */
    } rows[] = {{"[2, 2000]", "after 2 seeds no p of the sign flips can be below 0, the level of that look"},
                {"[6, 7]", "after 7 seeds no p of the sign flips can be below 0.015, the level of that look; after 8"},
                {"[6, 7, 8]", "after 6 seeds"},
                {"[7, 8]", NULL}};
    for (size_t i = 0; i < 4; i++) {
        LOCAL(experiment_release) Experiment x = {0};
        char text[600];
        snprintf(text, sizeof text, "%slooks: %s\n", head, rows[i].looks);
        e = (Error){0};
        Rc rc = experiment_parse(&x, "FILE", text, NULL, NULL, &e);
        cr_expect_eq(rc, rows[i].said ? RC_USAGE : RC_OK, "%s: %s", rows[i].looks, e.text);
        if (rows[i].said) HOLDS(e.text, rows[i].said);
    }
    double d[64];
    for (int s = 0; s < 64; s++) d[s] = 1 + .01 * s;
    for (int n = 5; n <= 6; n++) {
        LOCAL(family_release) Family f;
        family_of(&f, 1, n, d, .05);
        family_together(&f);
        cr_expect_eq(until_is(&f, 0), n > 5, "%d: %s", n, decision_name(f.at[0].decision));
    }
}
