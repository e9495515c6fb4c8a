/* Claims: reading them, judging them, and tracing every number of a table to runs or to bench/claims/. */
#include <ctype.h>
#include <glob.h>
#include <jansson.h>

#include "bench/plan/declare.h"
#include "bench/store/metrics.h"
#include "tests/verdict/made_up.h"

/* The n-th verdict of a claim. */
static const ClaimVerdict *verdict(const char *id, int n) {
    for (int i = 0; i < m.table.verdicts.count; i++)
        if (!strcmp(m.table.verdicts.at[i].claim->id, id) && !n--) return &m.table.verdicts.at[i];
    cr_assert_fail("claim %s has no such verdict", id);
    return NULL;
}

/* Gives every seed of an arm the baseline's loss at step 150 plus `shift`, and a little more or less in turn. */
static void set_difference(int arm, double shift, double spread) {
    for (int seed = 0; seed < m.x.seeds; seed++) {
        double base = record_at(made_up_at(0, 0, seed), 150)->metric[METRIC_valid_loss];
        made_up_loss(made_up_at(0, arm, seed), 150, base + shift + (seed % 2 ? spread : -spread) * (1 + 0.1 * seed));
    }
}

/* One line of a file, without its end. */
static void line_of(const char *path, int line, char *out, size_t size) {
    char *text, *at;
    size_t length;
    OK(file_read(path, &text, &length, &e));
    at = text;
    while (--line > 0 && at) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    cr_assert(at != NULL, "%s is shorter", path);
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    free(text);
}

/* What each test shows, from differences of our choosing; the write-up reports -0.0720 for LayerNorm, -0.0136 for
 * RMSNorm, of runs of its own size. */
static const struct {
    double layernorm, rmsnorm, spread;
    Seen first, second;
} cases[] = {
    {-0.0720, -0.0136, 0.001, SEEN_yes, SEEN_yes},
    {-0.0900, +0.0900, 0.001, SEEN_yes, SEEN_no}, /* their standard error is 0.033 */
    {-0.2000, +0.0900, 0.001, SEEN_yes, SEEN_no}, /* in direction */
    {+0.0300, -0.0300, 0.001, SEEN_no, SEEN_no},
    {+0.0005, +0.0005, 0.004, SEEN_unclear, SEEN_yes}, /* too small, yet its number is not ruled out */
    {+0.0050, -0.0050, 0.001, SEEN_unclear, SEEN_yes}, /* the same on the wrong side */
    {-0.0100, -0.0100, 0.200, SEEN_unclear, SEEN_unclear},
    {-0.0190, -0.0190, 0.004, SEEN_yes, SEEN_unclear}, /* separated from 0, not from the margin */
    {-0.0500, -0.0500, 0.000, SEEN_yes, SEEN_no},      /* every seed alike: no interval */
};

Test(claim, arms_of_two_own_sizes_are_at_their_own_size) {
    LOCAL(claims_release) ClaimFile f;
    LOCAL(experiment_release) Experiment x;
    OK(claims_read(&f, SOURCE_ROOT, "000", &e));
    static const char file[] = SOURCE_ROOT "/bench/experiments/pre-post-sizes.yaml";
    OK(experiment_read(&x, file, "own", NULL, &e));
    const Claim *both = NULL, *deep = NULL;
    for (int i = 0; i < f.claims; i++) {
        if (!strcmp(f.claim[i].id, "000-7")) both = &f.claim[i];
        if (!strcmp(f.claim[i].id, "000-2")) deep = &f.claim[i];
    }
    cr_assert(both && deep);
    RunSpec spec[] = {experiment_spec(&x, 0, 3, 0), experiment_spec(&x, 0, 0, 0)}; /* deep, shallow */
    cr_assert(claim_own_size(both, spec, 2) && claim_own_size(deep, spec, 1));
    cr_expect_str_eq(claim_own_size(both, spec, 2)->name, "deep");
    cr_expect_null(claim_own_size(deep, spec, 2), "that claim is about deep networks alone");
    spec[1].layers = 5;
    cr_expect_null(claim_own_size(both, spec, 2));
}

Test(claim, what_is_shown_is_earned) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_up_init(made_up_four, "eight");
        set_difference(1, cases[i].layernorm, cases[i].spread);
        set_difference(2, cases[i].rmsnorm, cases[i].spread);
        OK(made_up_table((TableOptions){0}, &e));
        const ClaimVerdict *first = verdict("002-1", 0), *second = verdict("002-2", 1);
        cr_expect_eq(first->seen, cases[i].first, "case %zu, 002-1: %d", i, (int)first->seen);
        cr_expect_eq(second->seen, cases[i].second, "case %zu, 002-2: %d (%s)", i, (int)second->seen, second->why);
        cr_expect(first->own && !strcmp(first->own->name, "four-layers"));
        cr_expect_eq(strstr(first->why, "the direction alone: the reported number") != NULL, i == 2, "case %zu: %s", i,
                     first->why);
    }
}

/* No number is reported of centering: less than the margin is no difference that matters. */
Test(claim, too_small_to_matter_is_not_seen) {
    made_up_init(made_up_four, "eight");
    for (int arm = 1; arm < 4; arm++) set_difference(arm, 0.0005, 0.001 * arm);
    OK(made_up_table((TableOptions){0}, &e));
    const ClaimVerdict *v = verdict("002-3", 0);
    cr_expect_eq(v->seen, SEEN_nothing, "%d: %s", (int)v->seen, v->why);
    cr_expect(!strncmp(v->why, "the difference lies within 0.02, which is too small to matter", 60), "%s", v->why);
}

/* A number that the write-up's own spread cannot explain is ruled out at its own size, whatever the sign. */
Test(claim, a_number_is_ruled_out) {
    made_up_init(made_up_four, "eight");
    set_difference(1, 0.25, 0.3);
    OK(made_up_table((TableOptions){0}, &e));
    const ClaimVerdict *v = verdict("002-1", 0);
    cr_expect(!(v->p < .05) || v->effect > 0);
    cr_expect_eq(v->seen, v->replication.inside ? SEEN_unclear : SEEN_no, "%s", v->why);
}

/* A test of two gains takes the third arm off both: LayerNorm's gains are 1 to 8 hundredths, RMSNorm's twice as far
 * apart, whatever the baseline does. The ratio is of perplexities near exp(2), so about 1/4. */
Test(claim, spreads_of_gains_are_over_a_third_arm) {
    made_up_init(made_up_four, "eight");
    for (int seed = 0; seed < 8; seed++) {
        double base = 2 + 0.3 * (seed % 3), gain = 0.0001 * (seed + 1);
        for (int arm = 0; arm < 4; arm++)
            made_up_loss(made_up_at(0, arm, seed), 150, base - (arm == 1 ? gain : arm == 2 ? 2 * gain : 0));
    }
    OK(made_up_table((TableOptions){0}, &e));
    const ClaimVerdict *v = verdict("002-10", 0);
    cr_assert(v->c != NULL);
    cr_expect_float_eq(v->effect, 0.25, 0.01, "%g: not of the arms themselves, whose spreads are alike", v->effect);
}

/* Six seeds that all lie within a fifth of the margin are no evidence of equality; nor do words say so. */
Test(claim, equality_takes_eight_seeds) {
    made_up_init(made_up_four, "quick");
    set_difference(1, 0.0005, 0.004);
    set_difference(2, 0.0005, 0.004);
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect_eq(verdict("002-1", 0)->seen, SEEN_unclear);
    cr_expect_eq(verdict("002-2", 1)->seen, SEEN_unclear);
    cr_expect(!strncmp(verdict("002-2", 1)->why, "below 8 seeds nothing is called equal", 37));
}

/* LayerNorm diverges in all eight seeds, the baseline ends above ln V in seven: by the means, at the cap, LayerNorm is
 * lower, as is claimed. It is worse than everything. */
Test(claim, divergence_proves_nothing_good) {
    made_up_init(made_up_four, "eight");
    for (int arm = 0; arm < 4; arm++)
        for (int seed = 0; seed < 8; seed++) {
            RunRecord *r = made_up_at(0, arm, seed);
            made_up_loss(r, 0, 6);
            made_up_loss(r, 150, seed < 7 ? 4.27 + .01 * seed : 4.16);
            if (arm == 1) made_up_diverge(r, 100);
        }
    OK(made_up_table((TableOptions){0}, &e));
    const ClaimVerdict *v = verdict("002-1", 0);
    cr_expect_lt(v->effect, 0, "%g", v->effect);
    cr_expect_lt(v->p, .05, "%g", v->p);
    cr_expect_eq(v->seen, SEEN_unclear, "%s", verdict_word(v->word));
    cr_expect(!strncmp(v->why, "the verdict would depend on what a diverged run counts as", 57), "%s", v->why);
    cr_expect_eq(table_comparison(&m.table, 0, 1, 1)->decision, DECISION_INCONCLUSIVE);
}

Test(claim, one_seed_that_decides_is_said) {
    made_up_eight((double[]){-.09, -.05, -.06, -.04, -.07, -.03, .05, -.04});
    cr_expect(strstr(verdict("002-1", 0)->why, "one seed decides (without seed "), "%s: %s",
              verdict_word(verdict("002-1", 0)->word), verdict("002-1", 0)->why);
}

/* Seven of eight seeds are lower, one by far: sign flips give 6/256, and Student's interval holds 0. The interval shown
 * is that of the test, the 6th of the 255 means of subsets from above (stats/invert.h), and the reader is told. */
Test(claim, interval_and_test_agree) {
    made_up_eight((double[]){-.051, -.002, -.209, -.016, -.007, -.008, -.008, .002});
    const ClaimVerdict *v = verdict("002-1", 0);
    cr_expect_float_eq(v->p, 6 / 256., 1e-12, "%g", v->p);
    cr_expect(v->c->t.lo < 0 && v->c->t.hi > 0, "[%g, %g]", v->c->t.lo, v->c->t.hi);
    cr_expect(v->lo < v->effect && v->effect < v->hi && v->hi < 0, "[%g, %g]", v->lo, v->hi);
    cr_expect_eq(v->interval, INTERVAL_flips);
    cr_expect(v->apart &&
                  strstr(v->why, "the interval is that of the sign flips, which decide; Student's is [-0.097, 0.0222]"),
              "%s", v->why);
}

/* No row's interval contradicts its word without a sentence that says why. */
Test(claim, no_interval_contradicts_its_word_in_silence) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_up_init(made_up_four, "eight");
        for (int arm = 1; arm < 4; arm++) set_difference(arm, cases[i].layernorm / arm, cases[i].spread);
        OK(made_up_table((TableOptions){0}, &e));
        for (int k = 0; k < m.table.verdicts.count; k++) {
            const ClaimVerdict *v = &m.table.verdicts.at[k];
            if (!v->c || isnan(v->lo) || v->test->test->about != ST_ABOUT_difference) continue;
            bool beyond = v->lo > 0 || v->hi < 0, shown = v->seen == SEEN_yes || v->seen == SEEN_no;
            cr_expect(beyond == shown || (v->apart && v->why[0]) || (v->seen == SEEN_unclear && v->why[0]),
                      "case %zu, %s: [%g, %g] %s (%s)", i, v->claim->id, v->lo, v->hi, verdict_word(v->word), v->why);
        }
    }
}

Test(claim, few_seeds_are_not_testable) {
    made_up(made_up_four, "single", (TableOptions){0});
    cr_expect_eq(verdict("002-1", 0)->word, WORD_OPEN);
    cr_expect(!strncmp(verdict("002-1", 0)->why, "with 1 seed no p is below 1", 27));
    cr_expect_eq(verdict("002-2", 1)->seen, SEEN_unclear);
    cr_expect_eq(verdict("002-6", 0)->word, WORD_NOT_TESTED);
}

Test(claim, another_setup_is_not_run_and_shows_no_reported_number) {
    made_up(made_up_four, "toy", (TableOptions){0});
    cr_expect_eq(verdict("002-1", 0)->word, WORD_NOT_TESTED);
    cr_expect_str_eq(verdict("002-1", 0)->why, "layers is 2 here, 4 or 8 in the write-up's set-up");
    cr_expect_null(table_reported(&m.table, 0, 1));
    OWNED char *tex = made_up_write(table_tex);
    cr_expect(strstr(tex, "The numbers of write-up 002 are not shown: layers is 2 here") != NULL);
    cr_expect(strstr(tex, "rep.") == NULL);
}

Test(claim, an_arm_that_is_not_there_is_said) {
    made_up(made_up_four, "pair", (TableOptions){0});
    cr_expect_eq(verdict("002-2", 0)->word, WORD_NOT_TESTED);
    cr_expect_str_eq(verdict("002-2", 0)->why, "there is no arm 'rmsnorm' here");
    cr_expect_eq(verdict("002-1", 0)->word, WORD_OPEN);
}

Test(claim, reported_effects_follow_from_reported_numbers) {
    made_up(made_up_four, "quick", (TableOptions){0});
    cr_expect_float_eq(verdict("002-1", 0)->reported, log(20.64 / 22.18), 1e-15);
    cr_expect_float_eq(verdict("002-2", 0)->reported, log(21.88 / 22.18), 1e-15);
    cr_expect_float_eq(verdict("002-4", 0)->reported, 0.1706 - 0.1762, 1e-15);
    cr_expect_float_eq(verdict("002-4", 2)->reported, 0.77 * 0.77 / (0.90 * 0.90), 1e-12);
    cr_expect(isnan(verdict("002-3", 0)->reported), "a contrast that the write-up does not report");
}

/* Depth x warm-up, two arms: what the contrasts of write-up 000 need. */
static const char grid[] = "name: made-up-grid\ntitle: Made-up grid\nbaseline: pre\nsteps: 150\nseeds: 6\n"
                           "evaluate_at: 0,150\nlayers: [4, 12]\nwarmup: [0, 100]\n"
                           "arms: {pre: {variant: pre}, post: {variant: post}}\n";
static const char between[] =
    "writeup: x\ntitle: t\nsource: s\nsetups: {any: {keys: {layers: [4, 12]}, choices: [one]}}\n"
    "reported: {r: {where: w, setup: any, step: 150, seeds: 1, values: {\"post@layers=4,warmup=0\": {valid_loss: "
    "3.5},\n"
    "  \"post@warmup=100,layers=4\": {valid_loss: 3.25}, \"post@layers=12\": {valid_loss: 4}}}}\n"
    "claims:\n"
    "- {id: x-1, source: s, says: warm-up helps, setup: any, family: x, at: [150], tests: [{metric: valid_loss,\n"
    "   expects: lower, test: maxt, contrast: {post@warmup=100: 1, post@warmup=0: -1},\n"
    "   reported: {table: r, of: valid_loss, as: difference}}]}\n"
    "- {id: x-2, source: s, says: it compounds with depth, setup: any, family: x, at: [150], tests: [{metric: "
    "valid_loss,\n"
    "   expects: higher, test: maxt, contrast: {post@layers=12: 1, pre@layers=12: -1, post@layers=4: -1, pre@layers=4: "
    "1}}]}\n"
    "- {id: x-3, source: s, says: deeper still, setup: any, family: x, at: [150], tests: [{metric: valid_loss,\n"
    "   expects: higher, test: maxt, contrast: {post@layers=48: 1, post@layers=4: -1}}]}\n";

static double loss_of(int cell, int arm, int seed) {
    return record_at(made_up_at(cell, arm, seed), 150)->metric[METRIC_valid_loss];
}

Test(claim, contrasts_reach_across_cells) {
    made_up_init(grid, NULL);
    made_up_claims(between);
    cr_assert_eq(m.table.verdicts.count, 2 + 2 + 1, "each of the free factor's values, once");
    const ClaimVerdict *shallow = verdict("x-1", 0), *deep = verdict("x-1", 1), *late = verdict("x-2", 1);
    cr_expect_float_eq(shallow->reported, -0.25, 1e-15);
    cr_expect_float_eq(deep->reported, 0, 1e-15, "one number for both depths");
    cr_expect(isnan(verdict("x-2", 0)->reported));
    cr_expect_eq(shallow->cell, 1, "the first arm's: layers 4, warm-up 100");
    cr_expect_eq(deep->cell, 3);
    for (int seed = 0; seed < 6; seed++) {
        cr_expect_float_eq(shallow->c->pairs.d[seed], loss_of(1, 1, seed) - loss_of(0, 1, seed), 1e-12);
        cr_expect_float_eq(late->c->pairs.d[seed],
                           loss_of(3, 1, seed) - loss_of(3, 0, seed) - loss_of(1, 1, seed) + loss_of(1, 0, seed),
                           1e-12);
    }
    cr_expect_eq(verdict("x-3", 0)->word, WORD_NOT_TESTED);
}

Test(claim, what_was_not_declared_is_exploratory) {
    LOCAL_TEXT(line);
    made_up(made_up_four, "quick", (TableOptions){0});
    cr_expect_eq(m.table.exploratory, false);
    cr_expect_eq(verdict("002-1", 0)->undeclared, false);
    char *text = made_up_write(table_text);
    cr_expect(!strstr(text, "xploratory") && !strstr(text, "EXPLORATORY"));
    free(text);
    /* One claim's line is missing in one record: its verdicts, and no others. */
    made_up_init(made_up_four, "quick");
    declare_claim(&m.claims.claim[0], &line);
    char *at = strstr(made_up_at(0, 1, 3)->declared, line.at);
    cr_assert_not_null(at);
    at[line.length - 1] ^= 1;
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect_eq(verdict("002-1", 0)->undeclared, true);
    cr_expect_eq(verdict("002-2", 0)->undeclared, false);
    cr_expect_eq(m.table.exploratory, false);
    /* The plan changed after the runs: the whole table. */
    made_up_init(made_up_four, "quick");
    m.x.margin = 0.2, m.x.plan[0] = 'f';
    OK(made_up_table((TableOptions){0}, &e));
    text = made_up_write(table_text);
    cr_expect(strstr(text, "EXPLORATORY: 24 of 24 runs were trained before this plan was written down") != NULL);
    cr_expect_str_eq(m.table.name, "made-up-4");
    cr_expect_eq(table_marks(&m.table, 0, 1, 1), 0u);
    free(text);
}

Test(claim, a_declaration_is_a_whole_line) {
    RunRecord r = {.declared = (char[]){"plan abcd\nclaim 1 ef\n"}}, none = {0};
    cr_expect(declared(r.declared, "plan abcd") && declared(r.declared, "claim 1 ef"));
    cr_expect_not(declared(r.declared, "plan abc"), "the beginning of a line");
    cr_expect_not(declared(r.declared, "lan abcd"), "the end of a line");
    cr_expect_not(declared(r.declared, "claim 1 e") || declared(r.declared, "claim 1") ||
                  declared(none.declared, "plan abcd"));
}

/* Each of our numbers is the mean of the runs named beside it. */
static int trace_ours(json_t *metric, const char *key, int step) {
    size_t i;
    json_t *one;
    double sum = 0;
    json_array_foreach(json_object_get(metric, "runs"), i, one) {
        const char *id = json_string_value(json_object_get(one, "run"));
        const RunRecord *r = NULL;
        for (int k = 0; k < m.runs; k++)
            if (!strcmp(m.records[k].id, id)) r = &m.records[k];
        cr_assert_not_null(r, "no run %s", id);
        cr_expect_eq((json_int_t)r->spec.seed, json_integer_value(json_object_get(one, "seed")));
        for (int k = 0; k < METRIC_COUNT; k++)
            if (!strcmp(key, metric_info[k].key)) sum += record_at(r, step)->metric[k];
    }
    json_t *mean = json_object_get(metric, "mean");
    if (mean) cr_expect_float_eq(json_number_value(mean), sum / (double)i, 1e-12 * fabs(sum) + 1e-15, "%s", key);
    return 1;
}

/* Each reported number stands on the line of the file beside it. */
static int trace_reported(json_t *number) {
    char path[512], line[256];
    const char *source = json_string_value(json_object_get(number, "source")), *colon = strrchr(source, ':');
    cr_expect_eq(strncmp(source, "bench/claims/", 13), 0);
    snprintf(path, sizeof path, "%s/%.*s", SOURCE_ROOT, (int)(colon - source), source);
    line_of(path, (int)strtol(colon + 1, NULL, 10), line, sizeof line);
    cr_expect(strstr(line, json_string_value(json_object_get(number, "text"))) != NULL, "%s: %s", source, line);
    return 1;
}

static void trace_arm(json_t *arm, int step, int *ours, int *reported) {
    const char *key;
    json_t *metric;
    json_object_foreach(json_object_get(arm, "metrics"), key, metric) {
        *ours += trace_ours(metric, key, step);
        json_t *number = json_object_get(metric, "reported");
        if (number) *reported += trace_reported(number);
    }
}

Test(claim, every_number_is_traced) {
    made_up(made_up_four, "full", (TableOptions){0});
    OWNED char *text = made_up_write(table_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *cell, *step, *arm, *verdict_json, *number;
    size_t c, s, a;
    int ours = 0, reported = 0, effects = 0, metrics = 0;
    for (Metric k = 0; k < METRIC_COUNT; k++) metrics += metric_measured(k, &m.x);
    cr_assert_not_null(root);
    json_array_foreach(json_object_get(root, "cells"), c, cell)
        json_array_foreach(json_object_get(cell, "steps"), s, step)
            json_array_foreach(json_object_get(step, "arms"), a, arm)
                trace_arm(arm, (int)json_integer_value(json_object_get(step, "step")), &ours, &reported);
    json_array_foreach(json_object_get(json_object_get(root, "claims"), "verdicts"), c, verdict_json)
        json_array_foreach(json_object_get(json_object_get(verdict_json, "reported"), "numbers"), s, number) effects +=
        trace_reported(number);
    cr_expect_eq(ours, 2 * 3 * 4 * metrics);
    cr_expect_eq(reported, 2 * 3 * 4, "four metrics of three arms at one step of each cell");
    cr_expect_gt(effects, 20);
    json_decref(root);
}

/* The write-up's numbers stand in its claims file and in no source of the program. */
Test(claim, reported_numbers_stand_in_one_place) {
    char pattern[512];
    glob_t found;
    made_up_init(made_up_four, "single");
    snprintf(pattern, sizeof pattern, "%s/bench/*/*.[ch]", SOURCE_ROOT);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        OWNED char *text = file_text(found.gl_pathv[i]);
        for (int n = 0; n < m.claims.table[0].numbers; n++) {
            const char *number = m.claims.table[0].number[n].text;
            if (strlen(number) > 4) cr_expect(!strstr(text, number), "%s holds %s", found.gl_pathv[i], number);
        }
    }
    globfree(&found);
}

#define HEAD "writeup: x\ntitle: t\nsource: s\n"
#define SETUPS "setups: {a: {keys: {layers: [4, 8]}, choices: [one]}}\n"
#define REPORTED \
    "reported: {r: {where: w, setup: a, step: 5, seeds: 3, values: {p: {perplexity: 2.50}, q: {perplexity: 2}}}}\n"
#define CLAIM "claims:\n- id: x-1\n  source: s\n  says: t\n  setup: a\n  family: f\n  at: [5]\n  tests:\n  - "
#define TEST "metric: valid_loss\n    expects: lower\n    test: maxt\n    contrast: "

static const BadClaims bad[] = {
    {"- a", "f:1: a list, not a mapping"},
    {HEAD "date: 25/03/2026\n" SETUPS "claims: []", "f:4: date: '25/03/2026' is no YYYY-MM-DD, YYYY-MM or YYYY"},
    {HEAD "date: 2026-02-29\n" SETUPS "claims: []", "f:4: date: '2026-02-29' is no YYYY-MM-DD, YYYY-MM or YYYY"},
    {HEAD "author: A\nurl: on the web\n" SETUPS "claims: []",
     "f:5: url: 'on the web' is no address such as https://example.org/page"},
    {HEAD "url: ftp://a.org\n" SETUPS "claims: []",
     "f:4: url: 'ftp://a.org' is no address such as https://example.org/page"},
    {HEAD "author:\n" SETUPS "claims: []", "f:4: author: empty"},
    {HEAD "autor: A\n" SETUPS "claims: []", "f:4: unknown key 'autor'; did you mean 'author'?"},
    {HEAD SETUPS "claim: []", "f:5: unknown key 'claim'; did you mean 'claims'?"},
    {HEAD SETUPS, "f:1: claims: missing"},
    {HEAD "setups: {a: {keys: {layer: 4}, choices: []}}\nclaims: []",
     "f:4: unknown key 'layer'; did you mean 'layers'?"},
    {HEAD "setups: {a: {keys: {layers: 4.5}, choices: []}}\nclaims: []", "f:4: layers: '4.5' is not a whole number"},
    {HEAD "setups: {a: {keys: {layers: []}, choices: []}}\nclaims: []", "f:4: layers: an empty list"},
    {HEAD SETUPS "reported: {r: {where: w, setup: b, step: 5, seeds: 3, values: {}}}\nclaims: []",
     "f:5: setup: unknown 'b'; did you mean 'a'?"},
    {HEAD SETUPS "reported: {r: {where: w, setup: a, step: 5, seeds: 3, values: {p: {perplexit: 2}}}}\nclaims: []",
     "f:5: unknown metric 'perplexit'; did you mean 'perplexity'?"},
    {HEAD SETUPS "reported: {r: {where: w, setup: a, step: 5, seeds: 3, values: {p: {accuracy_sd: 2x}}}}\nclaims: []",
     "f:5: accuracy_sd: not a number"},
    {HEAD SETUPS "reported: {r: {where: w, setup: a, step: 0, seeds: 3, values: {}}}\nclaims: []",
     "f:5: step: a whole number from 1 to 10^9 is wanted"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -2}",
     "claim x-1: f:16: contrast: the weights must add up to zero (or say with `against` what a sum is compared with)"},
    {HEAD SETUPS CLAIM TEST "{p@layer=4: 1, q: -1}", "claim x-1: f:16: unknown key 'layer'; did you mean 'layers'?"},
    {HEAD SETUPS CLAIM TEST "{p@layers: 1, q: -1}",
     "claim x-1: f:16: 'p@layers': NAME@KEY=VALUE with up to 4 keys is wanted"},
    {HEAD SETUPS CLAIM TEST "{'@layers=4': 1, q: -1}", "claim x-1: f:16: '@layers=4': no arm's name"},
    {HEAD SETUPS CLAIM "metric: accuracy\n    expects: change\n    test: tost\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:15: test: tost shows equality, not what is expected here"},
    {HEAD SETUPS CLAIM "metric: accuracy\n    expects: change\n    test: boot-koehn\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:15: test: boot-koehn has one side, expects: change two"},
    {HEAD SETUPS CLAIM TEST "{p: one}", "claim x-1: f:16: p: a weight that is not zero is wanted"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1, r: 0}", "claim x-1: f:16: r: a weight that is not zero is wanted"},
    {HEAD SETUPS CLAIM "{metric: valid_loss, expects: lower, test: pitman-morgan, contrast: {r: 0, p: 1, q: -1}}",
     "claim x-1: f:13: r: a weight that is not zero is wanted of the first arm"},
    {HEAD SETUPS CLAIM "metric: valid_los\n    expects: lower\n    test: maxt\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:13: unknown metric 'valid_los'; did you mean 'valid_loss'?"},
    {HEAD SETUPS CLAIM "metric: valid_loss\n    expects: lowr\n    test: maxt\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:14: expects: unknown 'lowr'; did you mean 'lower'?"},
    {HEAD SETUPS CLAIM "metric: valid_loss\n    expects: lower\n    test: maxtt\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:15: test: unknown 'maxtt'; did you mean 'maxt'?"},
    {HEAD SETUPS CLAIM "metric: valid_loss\n    expects: equal\n    test: tost\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:13: expects: equal needs a margin"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1}\n    margin: 0", "claim x-1: f:17: margin: a number above 0 is wanted"},
    {HEAD SETUPS REPORTED CLAIM TEST "{p: 1, z: -1}\n    reported: {table: r, of: perplexity, as: log_ratio}",
     "claim x-1: f:18: table 'r' has no perplexity of arm 'z'"},
    {HEAD SETUPS REPORTED CLAIM TEST "{p: 1, q: -1}\n    reported: {table: r, of: perplexity, as: log}",
     "claim x-1: f:18: as: unknown 'log'; did you mean 'log_ratio'?"},
    {HEAD SETUPS CLAIM "metric: m\n    theory: [lemma2_pots]",
     "claim x-1: f:14: unknown statement 'lemma2_pots'; did you mean 'lemma2_post'?"},
    {HEAD SETUPS CLAIM "metric: m\n    theory: []", "claim x-1: f:14: theory: an empty list"},
    {HEAD SETUPS CLAIM "metric: m\n    theory: lemma1", "claim x-1: f:14: theory: a value, not a list"},
    {HEAD SETUPS CLAIM "metric: m\n    theory: [lemma1]\n    needs: more", "claim x-1: f:15: unknown key 'needs'"},
    {HEAD SETUPS CLAIM "theory: [lemma1]", "claim x-1: f:13: metric: missing"},
    {HEAD SETUPS "claims: [{id: x-1, source: s, says: t, setup: a, family: f, tests: []}]",
     "f:5: claim x-1: no tests, and not said what it needs"},
    {HEAD SETUPS "claims: [{id: y, source: s, says: t, setup: a, family: f, needs: n}, "
                 "{id: y, source: s, says: t, setup: a, family: f, needs: n}]",
     "f:5: id: 'y' also stands on line 5"},
    {HEAD SETUPS "claims: [{id: y, source: s, says: t, setup: a, family: f, needs: n, at: [5, 5]}]",
     "f:5: at: steps must ascend"},
    {HEAD SETUPS "claims: [{id: y, source: s, says: t, setup: a, family: f, needs: }]", "f:5: needs: empty"},
    {HEAD SETUPS "claims: [{id: y, source: s, says: t, kind: theori, setup: a, family: f, needs: n}]",
     "f:5: kind: unknown 'theori'; did you mean 'theory'?"},
    {HEAD SETUPS "claims: [{id: y, source: s, says: t, own: big, setup: a, family: f, needs: n}]",
     "f:5: own: unknown 'big'"},
    {HEAD SETUPS "claims: [{id: y, source: s, says: t, answers: [a, b, c], setup: a, family: f, needs: n}]",
     "f:5: answers: only a question (kind: question) has some"},
    {HEAD SETUPS
     "claims: [{id: y, source: s, says: t, kind: question, answers: [a, b], setup: a, family: f, needs: n}]",
     "f:5: answers: three texts are wanted: shown, the opposite, no difference that matters"},
    {HEAD SETUPS "sizes: {s: {parameter: 3M}}\nclaims: []", "f:5: unknown key 'parameter'; did you mean 'parameters'?"},
    {HEAD SETUPS "sizes: {s: {setup: b}}\nclaims: []", "f:5: setup: unknown 'b'; did you mean 'a'?"},
    {HEAD SETUPS "sizes: {s: {keys: {layer: 3}}}\nclaims: []", "f:5: unknown key 'layer'; did you mean 'layers'?"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1}\n    primary: maybe",
     "claim x-1: f:17: primary: true, or a list of places, is wanted"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1}\n    primary: [x@layer=4]",
     "claim x-1: f:17: unknown key 'layer'; did you mean 'layers'?"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1}\n    primary: [x@lr=best]",
     "claim x-1: f:17: primary: a place has no lr=best"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1}\n    primary: true\n    otherwise: true",
     "claim x-1: f:18: otherwise: a test is primary or stands in for one"},
    {HEAD SETUPS CLAIM TEST "{p: 1, q: -1}\n    otherwise: true",
     "f:13: claim x-1: otherwise: no primary test before it"},
    {HEAD SETUPS CLAIM "metric: m\n    theory: [lemma1]\n    primary: [x]",
     "claim x-1: f:15: primary: statements have no place: true"},
};

Test(claim, mistakes_are_refused_with_their_line) {
    made_up_refused(bad, sizeof bad / sizeof *bad);
}

Test(claim, what_cannot_be_run_yet_needs_little) {
    LOCAL(claims_release) ClaimFile f;
    OK(claims_parse(&f, "f", HEAD SETUPS CLAIM "metric: BLEU on a test set\n    needs: a translation task", &e));
    cr_expect_eq(f.claim[0].test[0].metric, -1);
    cr_expect_str_eq(f.claim[0].test[0].needs, "a translation task");
}

/* How a write-up is named beside its number, and that none of it is part of what a claim declares. */
Test(claim, a_writeup_is_cited_as_far_as_it_is_known) {
    static const struct {
        const char *origin, *cite;
    } rows[] = {{"", "t"},
                {"date: 2024-02-29\n", "t (2024-02-29)"},
                {"url: example.org\nauthor: A. Writer\n", "t (A. Writer, example.org)"},
                {"author: A. Writer\ndate: 2026\nurl: https://example.org/a?b#c\n",
                 "t (A. Writer, 2026, https://example.org/a?b#c)"}};
    char first[128] = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LOCAL(claims_release) ClaimFile f;
        LOCAL_TEXT(text);
        LOCAL_TEXT(line);
        text_format(&text, "%s%s%s%s%s{p: 1, q: -1}", HEAD, rows[i].origin, SETUPS, CLAIM, TEST);
        OK(claims_parse(&f, "f", text.at, &e));
        text_clear(&text);
        claims_cite(&f, &text);
        cr_expect_str_eq(text.at, rows[i].cite);
        declare_claim(&f.claim[0], &line);
        if (!i) snprintf(first, sizeof first, "%s", line.at);
        cr_expect_str_eq(line.at, first);
    }
}

Test(claim, all_files_read) {
    char pattern[512];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/bench/claims/*.yaml", SOURCE_ROOT);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        LOCAL(claims_release) ClaimFile f;
        char name[64];
        snprintf(name, sizeof name, "%s", strrchr(found.gl_pathv[i], '/') + 1);
        *strrchr(name, '.') = 0;
        cr_expect_eq(claims_read(&f, SOURCE_ROOT, name, &e), RC_OK, "%s", e.text);
    }
    globfree(&found);
}

/* Every claim of the five write-ups is listed, also those that nothing here can run yet. */
Test(claim, all_claims_are_listed) {
    static const struct {
        const char *writeup;
        int claims;
    } listed[] = {{"000", 16}, {"001", 14}, {"002", 10}, {"003", 21}, {"004", 30}};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        LOCAL(claims_release) ClaimFile f;
        OK(claims_read(&f, SOURCE_ROOT, listed[i].writeup, &e));
        cr_expect_eq(f.claims, listed[i].claims, "%s", listed[i].writeup);
        for (int c = 0, last = 0; c < f.claims; c++) {
            const Claim *claim = &f.claim[c];
            int at = (int)strtol(claim->id + 4, NULL, 10), words = 1, decide = 0;
            cr_expect(!strncmp(claim->id, listed[i].writeup, 3) && at > last, "%s", claim->id);
            last = at;
            for (const char *s = claim->brief; *s; s++) words += *s == ' ';
            cr_expect(words <= 12, "%s: '%s' has %d words", claim->id, claim->brief, words);
            for (int t = 0; t < claim->tests; t++) decide += claim->test[t].decides;
            cr_expect(decide > 0 || claim->needs, "%s", claim->id);
            cr_expect(claim->own_count > 0 || claim->kind == KIND_arithmetic, "%s names no size", claim->id);
            for (int t = 0; t < claim->tests; t++)
                cr_expect(!claim->test[t].decides || claim->test[t].places || claim->test[t].theories ||
                              claim->test[t].expects != EXPECT_COUNT,
                          "%s: a primary test without a place", claim->id);
        }
    }
}
