/* Tables of made-up runs: the bytes they write, and what they must never write. */
#include <ctype.h>

#include "bench/figures/figure.h"
#include "bench/verdict/sensitivity.h"
#include "bench/write/prose.h"
#include "bench/write/summaries.h"
#include "tests/verdict/made_up.h"

static void every_cell_tex(const Table *t, Text *out) {
    made_up_summary(t, "cells", "tex", out);
}
MADE_UP_SUMMARY(cost, tex)
MADE_UP_SUMMARY(cost, text)
MADE_UP_SUMMARY(sensitivity, text)

static void (*const writers[])(const Table *, Text *) = {table_tex,  table_claims_tex, table_macros,    table_csv,
                                                         table_text, cost_tex,         cost_text,       figure_csv};

/* "nan" and "inf" as words of their own: not inside "median" or "inferior". */
static void no_words_for_numbers(void) {
    static const char *const words[] = {"nan", "inf", "NaN", "Inf", "-0.000 ", "-0.00 "};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (writers[i] == table_claims_tex && !m.has_claims) continue;
        OWNED char *text = made_up_write(writers[i]);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            for (const char *at = text; (at = strstr(at, words[k])); at++) {
                bool alone = at == text || (!isalpha((unsigned char)at[-1]) && at[-1] != '+');
                alone &= !isalpha((unsigned char)at[strlen(words[k])]);
                cr_expect(!alone, "writer %zu: '%.60s'", i, at > text + 20 ? at - 20 : at);
            }
    }
}

Test(table, goldens_of_a_quick_table) {
    made_up(made_up_four, "quick", (TableOptions){0});
    made_up_golden("table.tex", table_tex);
    made_up_golden("table-macros.tex", table_macros);
    made_up_golden("table.csv", table_csv);
    made_up_golden("table.txt", table_text);
    no_words_for_numbers();
}

Test(table, goldens_with_siunitx_cells_and_divergence) {
    made_up_init(made_up_four, "full");
    made_up_diverge(made_up_at(0, 1, 2), 77);
    OK(made_up_table((TableOptions){.siunitx = true}, &e));
    made_up_golden("table-full-siunitx.tex", table_tex);
    made_up_golden("table-full.txt", table_text);
    WRITES(every_cell_tex, "\\textit{1 of 8}");
    no_words_for_numbers();
}

/* Losses of our choosing over the rates 3e-4, 1e-3, 3e-3, 1e-2 (cells 2, 0, 1, 3 of the first group), the first loss
 * being 4.18: pre is flat and stable, post is best at 1e-3, stalls at 3e-3 and diverges at 1e-2. */
Test(table, sensitivity_to_the_learning_rate) {
    static const int cell[4] = {2, 0, 1, 3};
    static const double loss[2][4] = {{3.01, 2.95, 2.90, 2.99}, {3.20, 2.95, 4.10, 9}};
    Sensitivity y;
    made_up_init(made_up_rates, NULL);
    for (int k = 0; k < 4; k++)
        for (int arm = 0; arm < 2; arm++)
            for (int seed = 0; seed < 6; seed++) {
                made_up_loss(made_up_at(cell[k], arm, seed), 0, 4.0);
                made_up_loss(made_up_at(cell[k], arm, seed), 150, loss[arm][k] + 0.001 * seed);
            }
    for (int seed = 0; seed < 6; seed++) made_up_diverge(made_up_at(3, 1, seed), 40);
    for (int k = 0; k < 4; k++) /* the other group: a rate between stable ones diverges */
        for (int seed = 0; seed < 6; seed++) {
            made_up_loss(made_up_at(4 + k, 1, seed), 0, 4.0);
            made_up_loss(made_up_at(4 + k, 1, seed), 150, 3.0);
            if (k == 0) made_up_diverge(made_up_at(4, 1, seed), 40);
        }
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(sensitivity_make(&y, &m.table.sample));
    cr_assert_eq(y.groups, 2);
    cr_assert_eq(y.rates, 4);
    cr_expect_str_eq(y.group[0], "warmup = 0");
    cr_expect_float_eq(y.rate[0], 3e-4, 0);
    const SensitivityRow *pre = &y.row[0], *post = &y.row[1];
    for (int seed = 0; seed < 6; seed++) {
        double more = 0.001 * seed;
        cr_expect_float_eq(pre->value[SENSITIVITY_best][seed], 2.90 + more, 1e-12);
        cr_expect_float_eq(pre->value[SENSITIVITY_stable][seed], log2(1e-2), 1e-12);
        cr_expect_float_eq(pre->value[SENSITIVITY_basin][seed], log2(1e-2 / 1e-3), 1e-12, "3.01 is outside");
        cr_expect_float_eq(pre->value[SENSITIVITY_sensitivity][seed], (3.01 + 2.95 + 2.90 + 2.99) / 4 - 2.90, 1e-12);
        cr_expect_float_eq(post->value[SENSITIVITY_stable][seed], log2(3e-3), 1e-12);
        cr_expect_float_eq(post->value[SENSITIVITY_basin][seed], 0, 1e-12);
        cr_expect_float_eq(post->value[SENSITIVITY_sensitivity][seed], (3.20 + 2 * 4.0 - 3 * 2.95 - 2 * more) / 4,
                           1e-12);
    }
    cr_expect_float_eq(y.row[3].value[SENSITIVITY_stable][0], log2(3e-4), 1e-12, "1e-3 diverged");
    cr_expect_float_eq(y.floor, 2 / 64.0, 1e-12);
    cr_expect_float_eq(post->p[SENSITIVITY_stable].step, 2 / 64.0, 1e-12, "every seed by the same");
    cr_expect(pre->baseline && !post->baseline);
    sensitivity_release(&y);
    WRITES(sensitivity_text, "warmup = 0");
    cr_expect(table_sensitivity(&m.table) && table_sensitivity(&m.table) == table_sensitivity(&m.table), "made once");
    cr_expect_null(table_ranking(&m.table));
    made_up(made_up_four, "quick", (TableOptions){0});
    cr_expect_not(sensitivity_make(&y, &m.table.sample), "no sweep");
    cr_expect_null(table_sensitivity(&m.table));
}

/* LayerNorm is far below the others, RMSNorm close to it. */
Test(table, bold_modes) {
    static const struct {
        BoldMode mode;
        bool layernorm, rmsnorm;
    } cases[] = {{BOLD_tied, true, true}, {BOLD_best, false, false}, {BOLD_none, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int close = 0; close < 2; close++) {
            made_up_init(made_up_four, "quick");
            for (int seed = 0; seed < 6; seed++)
                for (int arm = 1; arm < 3; arm++)
                    made_up_loss(made_up_at(0, arm, seed), 150,
                                 2 + (arm == 2 && !close ? 0.05 : 0) + (arm == 2 ? 0.01 * (seed % 2 ? 1 : -1.1) : 0));
            OK(made_up_table((TableOptions){.bold = cases[i].mode}, &e));
            bool lone = !close && cases[i].mode == BOLD_best;
            cr_expect_eq(table_tied(&m.table, 0, 1, 1), cases[i].layernorm || lone, "%zu %d", i, close);
            cr_expect_eq(table_tied(&m.table, 0, 1, 2), cases[i].rmsnorm && close, "%zu %d", i, close);
        }
}

/* What LaTeX minds is escaped; tests/write/typeset.sh typesets the golden. */
Test(table, golden_of_odd_names) {
    made_up(made_up_odd, NULL, (TableOptions){0});
    made_up_golden("table-odd.tex", table_tex);
    WRITES(table_tex, "50\\% \\& \\$x\\_1\\textasciicircum{}2\\$ \\#");
    WRITES(table_tex, "\\{curly\\} \\textbackslash{}back\\textasciitilde{}slash -{}-a label");
    WRITES(table_tex, "été \\ensuremath{\\lambda}\\ensuremath{\\leq} \\textless{}\\textbar{}\\textgreater{}");
    WRITES(table_macros, "{\\nbMadeUpOddBaseOneZeroAtOneFiveZeroPpl}{");
    no_words_for_numbers();
}

Test(table, columns_count_characters) {
    made_up(made_up_odd, NULL, (TableOptions){0});
    WRITES(cost_text, "été λ≤ <|>");
    WRITES(table_text, " -0.0458 [");
    WRITES(table_text, "été λ≤ <|>");
}

Test(table, records_that_do_not_fit_are_refused) {
    made_up_init(made_up_four, "quick");
    RunRecord *r = made_up_at(0, 2, 3);
    r->evaluation[1].step = 149;
    cr_expect_eq(made_up_table((TableOptions){0}, &e), RC_UNMEASURED);
    HOLDS(e.text, "has no whole validation at step 150");
    r->evaluation[1].step = 150;
    r->spec.seed = 99;
    cr_expect_eq(made_up_table((TableOptions){0}, &e), RC_INTEGRITY);
    HOLDS(e.text, "is of seed 99, not of the planned seed 4");
}

Test(table, golden_json) {
    made_up(made_up_four, "pair", (TableOptions){0});
    made_up_golden("table-pair.json", table_json);
}

Test(table, same_records_same_bytes) {
    char *first[8];
    made_up(made_up_four, "full", (TableOptions){0});
    for (int i = 0; i < 8; i++) first[i] = made_up_write(writers[i]);
    made_up(made_up_four, "full", (TableOptions){0});
    for (int i = 0; i < 8; i++) {
        OWNED char *again = made_up_write(writers[i]);
        cr_expect_str_eq(first[i], again);
        free(first[i]);
    }
}

/* What a machine measures of itself is in the cost files and nowhere else. */
Test(table, times_change_only_the_cost) {
    char *before[6], *cost;
    made_up(made_up_four, "quick", (TableOptions){0});
    for (int i = 0; i < 5; i++) before[i] = made_up_write(writers[i]);
    before[5] = made_up_write(table_json);
    cost = made_up_write(cost_tex);
    for (int i = 0; i < m.runs; i++) m.records[i].step_seconds *= 1 + i % 3, m.records[i].wall_seconds = i;
    table_release(&m.table);
    OK(made_up_table((TableOptions){0}, &e));
    for (int i = 0; i < 6; i++) {
        OWNED char *after = made_up_write(i < 5 ? writers[i] : table_json);
        cr_expect_str_eq(before[i], after);
        free(before[i]);
    }
    OWNED char *other = made_up_write(cost_tex);
    cr_expect_str_neq(cost, other);
    free(cost);
}

/* A run that went on after its last step has measured no step: the others tell the time. */
Test(table, cost_leaves_out_runs_without_a_measured_step) {
    made_up(made_up_four, "quick", (TableOptions){0});
    double one = made_up_at(0, 2, 3)->step_seconds;
    for (int seed = 0; seed < m.x.seeds; seed++) made_up_at(0, 2, seed)->step_seconds = one;
    made_up_at(0, 2, 3)->step_seconds = (double)NAN;
    Cost cost = table_cost(&m.table, 2);
    cr_expect_eq(cost.step_seconds, one);
    cr_expect(isfinite(cost.ratio) && isfinite(cost.least) && isfinite(cost.most));
}

/* Step times of unlike programs are no pair: the ratio is marked, and the mark explained. */
Test(table, cost_marks_pairs_that_ran_differently) {
    for (int what = 0; what < 4; what++) {
        made_up(made_up_four, "quick", (TableOptions){0});
        RunRecord *r = made_up_at(0, 2, 3);
        if (what == 1) strcpy(r->provenance.device, "another");
        if (what == 2) r->provenance.replicas = 3;
        if (what == 3) r->provenance.threads = 2;
        for (int arm = 0; arm < 4; arm++) cr_expect_eq(table_cost(&m.table, arm).unlike, what && arm == 2, "%d", what);
        cr_expect_eq(made_up_writes(cost_tex, " * & "), what > 0, "%d", what);
        cr_expect_eq(made_up_writes(cost_tex, "*: the pairs of some seeds ran on"), what > 0, "%d", what);
        cr_expect_eq(made_up_writes(cost_text, " *  "), what > 0, "%d", what);
        cr_expect_eq(made_up_writes(cost_text, "\n*: the pairs of some seeds ran on"), what > 0, "%d", what);
        cr_expect_eq(made_up_writes(table_cost_json, " *\""), what > 0, "%d", what);
    }
}

Test(table, swapped_arms_flip_the_sign) {
    made_up(made_up_four, "pair", (TableOptions){0});
    const Comparison *c = table_comparison(&m.table, 0, 1, 1);
    double mean = c->t.mean, lo = c->t.lo, hi = c->t.hi, p = c->joint.step;
    cr_expect_lt(mean, 0);
    table_release(&m.table);
    strcpy(m.x.baseline, "layernorm");
    OK(made_up_table((TableOptions){0}, &e));
    c = table_comparison(&m.table, 0, 1, 0);
    cr_expect_eq(c->t.mean, -mean);
    cr_expect_eq(c->t.lo, -hi);
    cr_expect_eq(c->t.hi, -lo);
    cr_expect_eq(c->joint.step, p);
}

Test(table, one_seed_is_descriptive) {
    made_up(made_up_four, "single", (TableOptions){0});
    WRITES(table_tex, "There is one seed, so the table is descriptive");
    OMITS(table_tex, "mean and SD");
    OMITS(table_tex, "\\textbf");
    OMITS(table_tex, "\\dagger");
    WRITES(table_text, "seed");
    OMITS(table_text, "mean and SD");
    no_words_for_numbers();
}

Test(table, three_seeds_cannot_reach_alpha) {
    made_up(made_up_four, "pair", (TableOptions){0});
    const Comparison *c = table_comparison(&m.table, 0, 1, 1);
    cr_expect_eq(c->decision, DECISION_NOT_TESTABLE);
    cr_expect_eq(m.table.family.floor, 0.25);
    WRITES(table_text, "the smallest possible p is .250");
    cr_expect(!table_tied(&m.table, 0, 1, 0) && !table_tied(&m.table, 0, 1, 1));
}

Test(table, marks_and_bold_follow_the_joint_test) {
    made_up(made_up_four, "eight", (TableOptions){0});
    cr_expect_eq(table_marks(&m.table, 0, 1, 1), (unsigned)MARK_separated);
    cr_expect_eq(table_marks(&m.table, 0, 1, 2), (unsigned)MARK_equivalent);
    cr_expect(table_tied(&m.table, 0, 1, 1), "the best arm");
    cr_expect(!table_tied(&m.table, 0, 1, 0) && !table_tied(&m.table, 0, 1, 2));
}

Test(table, exploratory_tables_carry_no_marks) {
    made_up(made_up_four, "quick", (TableOptions){.exploratory = true});
    WRITES(table_tex, "EXPLORATORY");
    OMITS(table_tex, "$^{");
    OMITS(table_tex, "\\textbf");
    WRITES(table_text, "(exploratory)");
    WRITES(table_csv, ",lower,true,better than baseline\n");
    cr_expect_str_eq(m.table.name, "made-up-4");
}

/* A diverged run has no number of a metric that is no loss: the reason is that it diverged, not its value. */
Test(table, a_metric_that_a_diverged_run_lacks_says_so) {
    made_up_init(made_up_four, "quick");
    m.x.metric = METRIC_grad_norm;
    made_up_diverge(made_up_at(0, 1, 2), 77);
    OK(made_up_table((TableOptions){0}, &e));
    WRITES(table_text, "n/a (diverged)");
    OMITS(table_text, "not finite");
    WRITES(table_tex, "§: a run diverged and has no final grad norm, so the arm is not compared.");
    WRITES(prose_paper, "1 of the 24 runs diverged; they are kept and have no final grad norm, so their arms");
    OMITS(table_tex, "uniform guess (loss");
}

/* What is missing stands in every sentence that one may paste. */
Test(table, sentences_of_a_partial_table_say_so) {
    made_up(made_up_four, "quick", (TableOptions){.partial = "7 of 8 seeds; missing: 2 of 4 runs of seed 8"});
    const Comparison *last = &m.table.family.at[m.table.family.count - 1];
    LOCAL_TEXT(out);
    prose_comparison(&m.table, last, &out);
    cr_expect_eq(strstr(out.at, "In a partial table of 7 of 8 seeds, "), out.at, "%s", out.at);
}

/* Two variations of one experiment in one paper: their labels and macros differ, and keep what they are called. */
Test(table, changed_tables_have_labels_of_their_own) {
    made_up(made_up_four, "quick", (TableOptions){.exploratory = true, .slug = "first"});
    WRITES(table_tex, "\\label{tab:made-up-4-first");
    WRITES(table_macros, "\\newcommand{\\nbMadeUpFourFirst");
    WRITES(table_macros, "FirstStatus}{exploratory}%");
    made_up(made_up_four, "quick", (TableOptions){.exploratory = true});
    char hash[9], own[96];
    snprintf(hash, sizeof hash, "%.8s", m.x.body);
    cr_expect(!strcmp(m.table.label + 10, hash), "%s", m.table.label);
    snprintf(own, sizeof own, "made-up-4-%.8s", m.x.plan);
    made_up(made_up_four, "quick", (TableOptions){.exploratory = true, .slug = own});
    cr_expect(!strcmp(m.table.label + 10, hash), "%s: of the plan, whose seeds may change", m.table.label);
}

/* The words of all \newcommand of a file, a line each. */
static void names_of(const Text *macros, Text *out) {
    for (const char *at = macros->at; (at = strstr(at, "\\newcommand{")); at += 12)
        text_format(out, "%.*s\n", (int)strcspn(at + 12, "}"), at + 12);
}

/* More seeds, a diverged run, another status: a paper that uses a macro still finds it. */
Test(table, macros_are_called_the_same_whatever_the_runs_did) {
    LOCAL_TEXT(first);
    LOCAL_TEXT(names);
    LOCAL_TEXT(other);
    for (int way = 0; way < 5; way++) {
        made_up_init(made_up_four, way == 1 ? "single" : way == 2 ? "eight" : "quick");
        if (way == 3) made_up_diverge(made_up_at(0, 1, 2), 77);
        OK(made_up_table((TableOptions){.partial = way == 4 ? "5 of 6 seeds" : NULL}, &e));
        text_clear(&first), text_clear(&other);
        table_macros(&m.table, &first);
        names_of(&first, way ? &other : &names);
        cr_expect_str_eq(way ? other.at : names.at, names.at);
        cr_expect(strstr(first.at, way == 4 ? "Status}{partial}" : "Status}{confirmatory}"));
    }
    cr_expect(strstr(names.at, "\\nbMadeUpFourLayernormAtOneFiveZeroVerdict"), "%.300s", names.at);
}

/* Eight differences about 0 inside the margin: one run twice as far off as the farthest would undo it, or would not. */
Test(table, one_more_run_would_undo_it) {
    static const char two[] = "name: made-up-two\ntitle: Made-up numbers\ndataset: synthetic\nlayers: 2\nwidth: 16\n"
                              "heads: 2\nsteps: 150\nevaluate_at: '0,150'\nmargin: 0.02\n"
                              "arms: {a: {variant: pre}, b: {variant: post}}\nprofiles: {eight: {seeds: 8}}\n";
    static const double wide[] = {.017, -.017, .017, -.017, .024, -.024, .017, -.017};
    for (int way = 0; way < 2; way++) {
        made_up_init(two, "eight");
        for (int seed = 0; seed < 8; seed++) {
            const Evaluation *base = record_at(made_up_at(0, 0, seed), 150);
            made_up_loss(made_up_at(0, 1, seed), 150,
                         base->metric[METRIC_valid_loss] + (way ? .1 : 1) * wide[seed]);
        }
        OK(made_up_table((TableOptions){0}, &e));
        cr_expect(table_comparison(&m.table, 0, 1, 1)->inside, "%g", table_comparison(&m.table, 0, 1, 1)->inside_p);
        OWNED char *text = made_up_write(table_text);
        made_up_unbroken(text);
        const char *said = strstr(text, "if it lay 0.0");
        cr_expect_eq(said != NULL, way == 0, "%s", text);
    }
}

Test(table, a_diverged_run_counts_and_is_seen) {
    made_up_init(made_up_four, "quick");
    made_up_diverge(made_up_at(0, 1, 2), 77);
    OK(made_up_table((TableOptions){0}, &e));
    const Comparison *c = table_comparison(&m.table, 0, 1, 1);
    cr_expect_eq(c->pairs.n, 6);
    cr_expect_eq(c->pairs.a[2], log(65));
    cr_expect(!c->t_decides && c->diverged_a == 1 && c->only_a == 1);
    cr_expect_eq(sample_arm(&m.table.sample, 0, 1, 1, METRIC_perplexity).most, 65);
    WRITES(table_tex, "\\textit{div. 1/6}$^{\\S}$");
    WRITES(table_tex, "n/a (diverged)");
    WRITES(table_tex, "1 of 6 runs diverged (Clopper-Pearson 95 \\% [0.00, 0.64])");
    WRITES(table_text, "div. 1/6");
    WRITES(table_json, "\"survivors_mean\"");
    WRITES(table_json, "\"decision_on_ranks\"");
    OMITS(table_tex, "\\textbf{div");
    no_words_for_numbers();
}

/* Whatever number its record has: it is of other rows than the other runs'. */
Test(table, a_metric_whose_probe_a_run_lacks_is_not_measured) {
    made_up_init(made_up_four, "quick");
    RunRecord *r = made_up_at(0, 1, 2);
    r->probes = probes_usual();
    r->probes.wanted[PROBE_grad_norm] = false;
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect(sample_arm(&m.table.sample, 0, 1, 1, METRIC_grad_norm).lacking);
    cr_expect_not(sample_arm(&m.table.sample, 0, 1, 1, METRIC_valid_loss).lacking);
    WRITES(table_text, "not stored");
    OMITS(table_text, "beyond range");
}

/* The means over all steps; what reads step 0 alone is there. */
Test(table, a_metric_of_curves_that_a_record_leaves_out_is_lacking) {
    made_up_init(made_up_four, "quick");
    RunRecord *r = made_up_at(0, 1, 2);
    int rows = r->curves.rows;
    r->curves.rows = (int)r->spec.steps;
    cr_expect_not(metric_lacking(METRIC_grad_rise, r));
    r->curves.rows = 1;
    cr_expect(metric_lacking(METRIC_grad_rise, r));
    cr_expect(metric_lacking(METRIC_update_ratio, r));
    cr_expect_not(metric_lacking(METRIC_grad_rise_start, r));
    cr_expect_not(metric_lacking(METRIC_valid_loss, r));
    r->diverged_step = 2;
    cr_expect(metric_lacking(METRIC_grad_rise, r));
    r->curves.rows = rows, r->diverged_step = -1;
}

Test(table, divergence_is_judged_at_each_step) {
    made_up_init(made_up_four, "full");
    made_up_diverge(made_up_at(0, 2, 0), 200);
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect_eq(sample_arm(&m.table.sample, 0, 1, 2, METRIC_valid_loss).diverged, 0, "at step 150 it was well");
    cr_expect_eq(sample_arm(&m.table.sample, 0, 2, 2, METRIC_valid_loss).diverged, 1);
}

Test(table, a_nan_that_was_recorded_as_ok_is_divergence) {
    made_up_init(made_up_four, "quick");
    made_up_loss(made_up_at(0, 3, 1), 150, (double)NAN);
    made_up_loss(made_up_at(0, 2, 1), 150, (double)INFINITY);
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect_eq(sample_arm(&m.table.sample, 0, 1, 3, METRIC_valid_loss).diverged, 1);
    cr_expect_eq(sample_arm(&m.table.sample, 0, 1, 2, METRIC_valid_loss).diverged, 1);
    no_words_for_numbers();
}

/* Above ln V: falling runs keep their numbers and are marked, others count as guessing. */
Test(table, above_guessing_but_falling_is_not_divergence) {
    made_up_init(made_up_four, "quick");
    made_up_loss(made_up_at(0, 1, 0), 0, 130);
    made_up_loss(made_up_at(0, 1, 0), 150, 7.5);
    made_up_loss(made_up_at(0, 2, 0), 150, 4.3);
    OK(made_up_table((TableOptions){0}, &e));
    const SampleRun *falls = sample_run(&m.table.sample, 0, 1, 1, 0), *rises = sample_run(&m.table.sample, 0, 1, 2, 0);
    cr_expect(falls->above && !falls->diverged && falls->stalled);
    cr_expect_eq(falls->value[METRIC_valid_loss], 7.5);
    cr_expect(rises->diverged && !rises->above && rises->stalled);
    cr_expect_eq(rises->value[METRIC_valid_loss], log(65));
    cr_expect_eq(rises->raw[METRIC_valid_loss], 4.3);
    WRITES(table_tex, "runs above ln V");
    WRITES(table_tex, "runs stalled");
}

Test(table, huge_perplexities_are_no_trouble) {
    made_up_init(made_up_four, "quick");
    for (int arm = 0; arm < 4; arm++)
        for (int seed = 0; seed < 6; seed++) {
            made_up_loss(made_up_at(0, arm, seed), 0, 1000);
            made_up_loss(made_up_at(0, arm, seed), 150, arm == 3 ? 900 + seed : 30 + 0.01 * seed * (arm + 1));
        }
    OK(made_up_table((TableOptions){0}, &e));
    WRITES(table_tex, "{\\times}10^{13}");
    WRITES(table_tex, "n/a (beyond range)");
    no_words_for_numbers();
}

/* p is 12/256; without any seed but the seventh it is above .05. */
Test(table, one_seed_that_decides_is_said) {
    made_up_eight((double[]){.09, .05, .06, .04, .07, .03, -.05, .04});
    const Comparison *c = table_comparison(&m.table, 0, 1, 1);
    cr_expect_eq(c->decision, DECISION_HIGHER);
    cr_expect_eq(c->joint.step_count, 12);
    cr_expect_eq(c->turning, 7);
    WRITES(table_text, "LayerNorm after 150 steps: ONE SEED DECIDES: without seed 1");
    WRITES(table_tex, "ONE SEED DECIDES");
    WRITES(table_json, "\"seeds\": 7,");
    made_up_eight((double[]){.09, .05, .06, .04, .07, .03, .05, .04});
    OMITS(table_text, "ONE SEED");
}

/* A loss that is not 0.05 nats below the unigram model's 3.347. */
Test(table, stalls_are_tested) {
    made_up_eight((double[]){1.4, 1.4, 1.4, 1.4, 1.4, 1.4, 0, 0});
    WRITES(table_tex, "6 of 8 runs stalled or diverged, 0 of baseline (McNemar p .031, smallest possible .031).");
    WRITES(table_json, "\"only_arm\": 6");
}

/* A diverged run is none of those that stalled. */
Test(table, diverged_runs_are_not_counted_as_stalled) {
    made_up_init(made_up_four, "eight");
    made_up_diverge(made_up_at(0, 1, 2), 77);
    OK(made_up_table((TableOptions){0}, &e));
    SampleArm lost = sample_arm(&m.table.sample, 0, 1, 1, METRIC_valid_loss);
    cr_expect(lost.diverged == 1 && lost.stalled == 0, "%d diverged, %d stalled", lost.diverged, lost.stalled);
    OMITS(table_text, "stalled");
    made_up_init(made_up_four, "eight");
    made_up_diverge(made_up_at(0, 1, 2), 77);
    made_up_loss(made_up_at(0, 1, 3), 150, 3.4);
    OK(made_up_table((TableOptions){0}, &e));
    lost = sample_arm(&m.table.sample, 0, 1, 1, METRIC_valid_loss);
    cr_expect(lost.diverged == 1 && lost.stalled == 1, "%d diverged, %d stalled", lost.diverged, lost.stalled);
    WRITES(table_text, "runs stalled");
}

/* Pairs of `compare` have their notes, whichever arm is the baseline. */
Test(table, pairs_of_compare_have_their_notes) {
    static const double by[8] = {.09, .05, .06, .04, .07, .03, -.05, .04};
    made_up_init("name: made-up-pairs\nlayers: 4\nsteps: 150\nevaluate_at: 0,150\nseeds: 8\n"
                 "arms: {pre: {variant: pre, label: Pre-LN}, none: {variant: none, label: No norm}, "
                 "post: {variant: post, label: Post-LN}, peri: {variant: peri, label: Peri-LN}}\n"
                 "baseline: none\ncompare: [post - pre, peri - pre]\n",
                 NULL);
    for (int arm = 0; arm < 4; arm++)
        for (int seed = 0; seed < 8; seed++) {
            double stall = arm == 3 && seed < 6 ? 1.4 : 0;
            made_up_loss(made_up_at(0, arm, seed), 150, 2 + .01 * seed + (arm == 2 ? by[seed] : 0) + stall);
        }
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect_eq(m.table.family.at[0].turning, 7);
    WRITES(table_tex, "Post-LN - Pre-LN after 150 steps: ONE SEED DECIDES: without seed 1 ");
    WRITES(table_tex, "Peri-LN - Pre-LN after 150 steps: 6 of 8 runs stalled or diverged, 0 of Pre-LN (McNemar");
}

/* Eight tiny differences and one wild one in the other direction. */
Test(table, ranks_and_the_joint_interval_stand_beside_means) {
    made_up_eight((double[]){.010, .011, .012, .013, .014, .015, .016, -.3});
    const Comparison *c = table_comparison(&m.table, 0, 1, 1);
    cr_expect_gt(c->joint.step, .5);
    cr_expect_lt(c->joint_ranks, c->joint.step / 4);
    WRITES(table_text, "[by sign flips]");
    WRITES(table_text, "p on ranks");
    WRITES(table_tex, "p on ranks");
}

Test(table, all_equal_is_said_and_not_computed) {
    static const char *const profile[] = {"quick", "eight"};
    for (int eight = 0; eight < 2; eight++) {
        made_up_init(made_up_four, profile[eight]);
        for (int i = 0; i < m.runs; i++) made_up_loss(&m.records[i], 150, 3.125);
        OK(made_up_table((TableOptions){0}, &e));
        const Comparison *c = table_comparison(&m.table, 0, 1, 1);
        cr_expect_eq(c->t.status, ST_DEGENERATE);
        cr_expect_eq(c->decision, eight ? DECISION_EQUIVALENT : DECISION_INCONCLUSIVE, "six alike are too few");
        cr_expect_eq(c->joint.step, 1);
        WRITES(table_tex, "n/a (all values equal)");
        no_words_for_numbers();
    }
}
