/* What a paper takes from a table: one float for a column, and macros for its text. */
#include <ctype.h>

#include "bench/write/prose.h"
#include "bench/write/summaries.h"
#include "tests/verdict/made_up.h"

/* One table for a paper's column: two rows per arm, or a grid of factors; tests/write/typeset.sh typesets them. */
Test(paper, goldens_for_a_paper) {
    static const char wide[] =
        "name: made-up-wide\ntitle: Made-up grid\nlayers: 4\nsteps: 150\nevaluate_at: 0,150\nseeds: 6\n"
        "warmup: [0, 40]\nclip: [0, 1]\nlr: [3e-4, 1e-3, 3e-3, 1e-2, 3e-2]\narms: {a: {variant: pre, label: Pre-LN}, "
        "b: {variant: post, label: Post-LN}, c: {variant: peri, label: an arm with a name that no column holds}, "
        "d: {variant: none}}\n";
    TableOptions two = {.metrics = 2, .metric = {METRIC_valid_loss, METRIC_accuracy}}, four = two;
    four.metrics = 4, four.metric[2] = METRIC_perplexity, four.metric[3] = METRIC_grad_norm;
    made_up(made_up_four, "quick", (TableOptions){0});
    made_up_golden("table-paper.tex", table_paper);
    WRITES(table_paper, "\\begin{table}[tbp]");
    WRITES(table_paper, "n = 6 paired seeds");
    made_up_golden("paper-text.txt", prose_paper);
    made_up(made_up_four, "quick", four);
    WRITES(table_paper, "\\begin{table*}[tbp]"); /* four metrics are wider than a column */
    made_up_init(made_up_four, "full");
    made_up_diverge(made_up_at(0, 1, 2), 77);
    two.siunitx = true;
    OK(made_up_table(two, &e));
    made_up_golden("table-paper-siunitx.tex", table_paper);
    made_up(made_up_odd, NULL, (TableOptions){0});
    made_up_golden("table-paper-odd.tex", table_paper);
    made_up(made_up_four, "single", (TableOptions){0});
    OMITS(table_paper, "$p$");
    OMITS(table_paper, "pm$");
    made_up_init(wide, NULL);
    for (int cell = 10; cell < 20; cell++)
        for (int seed = 0; seed < 6; seed++) made_up_diverge(made_up_at(cell, 3, seed), 77);
    OK(made_up_table((TableOptions){0}, &e));
    made_up_golden("table-paper-wide.tex", table_paper);
    OWNED char *text = made_up_write(table_paper);
    int floats = 0;
    for (const char *at = text; (at = strstr(at, "\\begin{table")); at++) floats++;
    cr_expect_eq(floats, 1, "20 cells of 4 arms are one table, not %d", floats);
}

static const char made_up_pairs[] =
    "name: made-up-pairs\ntitle: Made-up pairs\nlayers: 4\nsteps: 150\nevaluate_at: 0,150\nseeds: 6\n"
    "lr: [1e-3, 3e-3]\narms: {pre: {variant: pre, label: Pre-LN}, peri: {variant: peri, label: Peri-LN}, "
    "mine: {variant: none, label: Gated late RMSNorm}}\ncompare: [mine - pre, mine - peri]\n";

/* Rows of pairs that are no difference to the baseline, and of arms at their best rates; a sentence for each pair. */
Test(paper, pairs_and_best_rates) {
    made_up(made_up_pairs, NULL, (TableOptions){0});
    const Best *b = table_best(&m.table);
    cr_assert(b && b->pairs == 2);
    OMITS(table_text, "the last 10 % are for validation");
    strcpy(made_up_at(0, 0, 0)->spec.dataset.text, "text:own.txt");
    WRITES(table_text, "the last 10 % are for validation");
    WRITES(table_paper, "\\multicolumn{5}{@{}l}{\\textit{each at its best lr}}");
    WRITES(table_paper, "Gated late RMSNorm &  &  & ");
    WRITES(table_paper, "{\\scriptsize - Peri-LN} &  &  & ");
    WRITES(table_paper, "is the difference to the arm behind the minus sign, else to Pre-LN, below it the 95");
    WRITES(prose_paper, "Differences in validation loss of two arms are means over the seeds");
    WRITES(table_paper, "chooses the rates anew, adjusted over 2 comparisons.");
    for (int cell = 0; cell < 2; cell++)
        for (int seed = 0; seed < 6; seed++)
            for (int arm = 0; arm < 3; arm++) made_up_at(cell, arm, seed)->parameters = 3910;
    WRITES(table_paper, "(0.0039 M parameters)");
    WRITES(table_text, "0.0039 M parameters");
    WRITES(table_macros, "% CellB: lr = 3e-3\n");
    WRITES(table_macros, "\\nbMadeUpPairsMineMinusPeriAtOneFiveZeroCellBSentence}{At lr = $3{\\times}10^{-3}$, ");
    WRITES(table_macros, "\\nbMadeUpPairsMineMinusPeriBestSentence}{With each arm at its best of 2 learning rates, ");
}

/* The dagger of an arm that differs stands beside differences at the best rates too, but for exploratory ones; the arm
 * that may be the first is bold. */
Test(paper, best_rates_are_marked) {
    made_up("name: made-up-best\ntitle: Made-up best rates\nlayers: 4\nsteps: 150\nevaluate_at: 0,150\nseeds: 6\n"
            "lr: [1e-3, 3e-3]\narms: {pre: {variant: pre, label: Pre-LN}, peri: {variant: peri, label: Peri-LN}}\n",
            NULL, (TableOptions){0});
    for (int exploratory = 0; exploratory < 2; exploratory++) {
        m.table.exploratory = exploratory;
        OWNED char *text = made_up_write(table_paper);
        const char *best = strstr(text, "each at its best lr"), *end = strstr(text, "\\end{tabular}");
        cr_assert(best && end && table_best(&m.table)->pair[0].p.step < .05);
        const char *mark = strstr(best, "\\dagger");
        cr_expect_eq(mark && mark < end, !exploratory, "%s", best);
        const char *bold = strstr(best, "textbf{"), *series = strstr(best, "bfseries");
        cr_expect_eq((bold && bold < end) || (series && series < end), !exploratory, "%s", best);
    }
}

/* A run whose record says ok and whose last loss is above the uniform predictor's counts as diverged here too. */
Test(paper, methods_count_the_runs_that_the_table_counts) {
    made_up_init(made_up_four, "quick");
    RunRecord *r = made_up_at(0, 1, 2);
    r->evaluation[r->evaluations - 1].metric[METRIC_valid_loss] = 9;
    cr_assert_str_eq(r->status, "ok");
    OK(made_up_table((TableOptions){0}, &e));
    cr_expect_eq(table_diverged(&m.table), 1);
    WRITES(prose_paper, "1 of the 24 runs diverged; they are kept");
}

/* \newcommand fails on a name that is there already. */
static void names_are_new(const char *text) {
    int lines = 0, twice = 0;
    for (const char *at = text; (at = strstr(at, "\\newcommand{")); at++, lines++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "}") + 1, at);
        twice += strstr(at + 1, name) != NULL;
        for (const char *c = name + 13; *c != '}'; c++) cr_assert(isalpha((unsigned char)*c), "%s", name);
    }
    cr_expect_gt(lines, 100);
    cr_expect_eq(twice, 0);
}

Test(paper, macros_have_names_of_their_own) {
    made_up(made_up_four, "full", (TableOptions){0});
    OWNED char *text = made_up_write(table_macros);
    names_are_new(text);
    for (char *at = text; *at; at = strchr(at, '\n') + 1)
        cr_expect(*at == '%' || strchr(at, '\n')[-1] == '%', "a line sets a blank: %.60s", at);
    made_up("name: same\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 3\n"
            "arms: {a-b: {variant: pre}, a_b: {variant: post}, 'a.b': {variant: peri}}\n",
            NULL, (TableOptions){0});
    WRITES(table_macros, "\\nbSameABAtOneFiveZeroLoss}");
    WRITES(table_macros, "\\nbSameABArmABAtOneFiveZeroLoss}");
    WRITES(table_macros, "\\nbSameABArmACAtOneFiveZeroVerdict}{");
}

Test(paper, macros_of_many_groups_have_names_of_their_own) {
    made_up("name: groups\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 2\nlr: [1e-3, 3e-3]\n"
            "warmup: [0, 1, 2, 3, 4, 5]\nweight_decay: [0, 0.01, 0.02, 0.03, 0.05]\n"
            "arms: {pre: {variant: pre}, post: {variant: post}}\n",
            NULL, (TableOptions){0});
    cr_assert(table_best(&m.table) && table_best(&m.table)->ranking.groups == 30);
    OWNED char *text = made_up_write(table_macros);
    names_are_new(text);
    WRITES(table_macros, "PostBestGroupZDelta}");
    WRITES(table_macros, "PostBestGroupABDelta}");
    WRITES(table_macros, "% GroupBB: ");
}

/* A warm-up that varies is named with its values, and no number of them is that of all runs. */
Test(paper, a_varied_warm_up_is_not_one) {
    made_up("name: warm\nlayers: 4\nsteps: 150\nevaluate_at: 0,150\nseeds: 6\nlr: 1e-3\nwarmup: [40, 0]\n"
            "arms: {pre: {variant: pre}, post: {variant: post}}\n",
            NULL, (TableOptions){0});
    WRITES(prose_paper, "; we vary warmup (40 and 0)");
    OMITS(prose_paper, "40 warm-up steps");
}

/* Each verdict has its sentence, which turns the interval of what is lower. */
Test(paper, sentences_to_paste) {
    made_up(made_up_four, "quick", (TableOptions){0});
    WRITES(prose_paper, "LayerNorm has a");
    WRITES(prose_paper, "6 seeds, p = ");
    WRITES(prose_paper, "smallest possible p is 2/64");
    WRITES(prose_table_bibtex, "@inproceedings{xiong2020layer,\n  author = {Ruibin Xiong and ");
    OWNED char *text = made_up_write(prose_table_bibtex);
    int braces = 0;
    for (const char *s = text; *s; s++) braces += (*s == '{') - (*s == '}');
    cr_expect_eq(braces, 0, "braces of the BibTeX file do not match");
    made_up(made_up_four, "single", (TableOptions){0});
    WRITES(prose_paper, "One seed is trained, so nothing is tested.");
    OMITS(prose_paper, "Results");
}
