/* What the report says in words of made-up runs: what was found, and what to see in its figures. */
#include "bench/report/report.h"
#include "tests/verdict/made_up.h"

/* Runs of two arms at two warm-ups by a metric that a diverged run has no number of. */
Test(sentences, diverged_runs_of_a_metric_without_a_uniform_value) {
    made_up_init(made_up_four, "full");
    m.x.metric = METRIC_grad_norm;
    made_up_diverge(made_up_at(0, 1, 2), 77);
    OK(made_up_table((TableOptions){0}, &e));
    WRITES(report_finding, "1 of 64 runs diverged; they have no final grad norm, so their arms are not compared.");
    OMITS(report_finding, "uniform guess");
}

/* What is seen in a part of a figure of one kind. */
static Figure shown;

static void see(const Table *t, Text *out) {
    report_see(t, &shown, out);
}

/* Each group of cells has its own first arm. */
Test(sentences, a_ranking_names_the_first_of_its_group) {
    made_up_init("name: made-up-groups\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 6\nwarmup: [0, 40]\n"
                 "lr: [1e-3, 3e-3]\nsummaries: [ranking]\n"
                 "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n",
                 NULL);
    for (int cell = 0; cell < 4; cell++)
        for (int seed = 0; seed < 6; seed++)
            for (int arm = 0; arm < 2; arm++)
                made_up_loss(made_up_at(cell, arm, seed), 150, 2 + .01 * seed + (arm == (cell < 2) ? .1 : .2));
    OK(made_up_table((TableOptions){0}, &e));
    shown = (Figure){.kind = FIGURE_ranking, .part = 0};
    WRITES(see, "Look at the top: Post-LN ranks first, and 1 arm cannot");
    shown.part = 1;
    WRITES(see, "Look at the top: Pre-LN ranks first, and 1 arm cannot");
}

/* Where cells have figures of their own, each counts its own intervals. */
Test(sentences, differences_of_a_cell_are_counted_alone) {
    made_up("name: made-up-many\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 2\nwarmup: [0, 1, 2, 3, 4, 5]\n"
            "weight_decay: [0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2]\n"
            "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n",
            NULL, (TableOptions){0});
    shown = (Figure){.kind = FIGURE_differences, .part = 3};
    WRITES(see, "of 1 interval ");
    made_up(made_up_four, "full", (TableOptions){0});
    shown.part = 0;
    WRITES(see, "of 6 intervals ");
}

/* The rates stand in no order in the file; a higher accuracy is better. */
Test(sentences, rates_have_their_best_side_and_ends) {
    static const double accuracy[2][3] = {{.5, .4, .3}, {.4, .5, .3}};
    made_up_init("name: made-up-ends\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 6\nlr: [1e-2, 3e-3, 3e-2]\n"
                 "metric: accuracy\n"
                 "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n",
                 NULL);
    for (int cell = 0; cell < 3; cell++)
        for (int arm = 0; arm < 2; arm++)
            for (int seed = 0; seed < 6; seed++)
                made_up_at(cell, arm, seed)->evaluation[1].metric[METRIC_accuracy] = accuracy[arm][cell];
    OK(made_up_table((TableOptions){0}, &e));
    shown = (Figure){.kind = FIGURE_rates};
    WRITES(see, "Look for the highest point of each line");
    WRITES(see, "beyond: Pre-LN at 1e-2, Post-LN at 3e-3 (an end).");
    m.table.metric = METRIC_grad_norm;
    WRITES(see, "Look how each line rises or falls with the rate.");
}

/* The metric that decides may have no curve. */
Test(sentences, curves_name_a_number_that_they_show) {
    made_up_init(made_up_four, "quick");
    m.x.metric = METRIC_accuracy;
    OK(made_up_table((TableOptions){0}, &e));
    shown = (Figure){.kind = FIGURE_curves};
    WRITES(see, "ends lowest in validation loss (");
    OMITS(see, "accuracy");
    m.x.rows = 0;
    WRITES(see, "Look how far each line goes");
}

/* A profile sums up the corpora: an arm may lead it and be worse on one of them. */
Test(sentences, profiles_say_nothing_of_every_corpus) {
    made_up(made_up_four, "quick", (TableOptions){0});
    shown = (Figure){.kind = FIGURE_corpora};
    WRITES(see, "at every tau more of its runs, of all corpora together, are that good.");
    OMITS(see, "every corpus");
}

static const char pairs[] =
    "name: made-up-pairs\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 8\n%s"
    "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}, "
    "none: {variant: none, label: No norm}}\ncompare: [post - pre, post - none]\n";

/* Post-LN is above Pre-LN in the first setting and not told apart from either arm elsewhere. */
static void made_up_of_pairs(const char *factor) {
    LOCAL_TEXT(yaml);
    text_format(&yaml, pairs, factor);
    made_up_init(yaml.at, NULL);
    for (int i = 0; i < m.runs; i++) {
        int cell = i / m.x.seeds / m.x.arms, arm = i / m.x.seeds % m.x.arms, seed = i % m.x.seeds;
        double odd = arm == 2 ? .2 * (seed % 2 ? 1 : -1.1) : 0;
        made_up_loss(&m.records[i], 150, 2 + .01 * seed + odd + .1 * (arm == 1 && !cell) * (1 + .1 * seed));
    }
    OK(made_up_table((TableOptions){0}, &e));
}

static Ledger ledger;
static LedgerTable *made;

/* The report of the one table. */
static void ledger_of(const Table *t) {
    if (!made) made = mem_alloc(1, sizeof *made);
    *made = (LedgerTable){.x = m.x, .table = *t};
    ledger = (Ledger){.made = &made, .made_count = 1};
}

static void open_of(const Table *t, Text *out) {
    ledger_of(t);
    report_open(&ledger, &report_in_html, out);
}

/* Both arms of a pair are named where the verdict names none. */
Test(sentences, pairs_that_are_not_decided_name_both_arms) {
    made_up_of_pairs("");
    WRITES(report_finding, "Post-LN is worse than Pre-LN: ");
    WRITES(report_finding, "Post-LN minus No norm is not decided: ");
    WRITES(open_of, "Post-LN minus No norm lies between ");
    made_up(made_up_four, "quick", (TableOptions){0});
    OMITS(report_finding, " minus ");
}

/* Each pair is summed up over the settings by itself. */
Test(sentences, settings_are_counted_by_pair) {
    made_up_of_pairs("warmup: [0, 40]\n");
    WRITES(report_finding, "Post-LN is worse than Pre-LN in 1 of 2 settings (");
    WRITES(report_finding, "Post-LN minus No norm is not decided in both settings (");
}

static void found(const Table *t, Text *out) {
    LOCAL(cells_release) Cells c = {0};
    ledger_of(t);
    report_found(&ledger, &c);
    cells_html(&c, out);
}

/* Level and kind of intervals and p's are those of each experiment. */
Test(sentences, headings_say_which_interval_and_p) {
    made_up_init(made_up_four, "quick");
    m.x.alpha = .2;
    OK(made_up_table((TableOptions){0}, &e));
    WRITES(found, "6 seeds, 80% t interval and p of sign flips");
    OMITS(found, "95%");
    made_up_init("name: made-up-until\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: {until: decided, most: 14}\n"
                 "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n",
                 NULL);
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(m.table.family.anytime);
    WRITES(found, "95% anytime interval and anytime p");
    OMITS(found, "sign flips");
}

/* The seeds that would do are those of one comparison, whatever decides. */
Test(sentences, seeds_that_would_do_are_of_one_comparison) {
    static const double by[8] = {.09, .05, -.06, .04, .07, -.03, .05, .04};
    made_up_eight(by);
    WRITES(open_of, "; for this comparison alone about ");
    made_up_init("name: made-up-one\nsteps: 150\nevaluate_at: 0,150\nlayers: 4\nseeds: 8\n"
                 "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n",
                 NULL);
    for (int seed = 0; seed < 8; seed++)
        for (int arm = 0; arm < 2; arm++) made_up_loss(made_up_at(0, arm, seed), 150, 2 + (arm ? by[seed] : 0));
    OK(made_up_table((TableOptions){0}, &e));
    WRITES(open_of, "; about ");
    OMITS(open_of, "alone");
}
