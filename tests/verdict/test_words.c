/* What a decision is called: one sentence, in every table and file. */
#include "bench/verdict/words.h"
#include "tests/compare/one_corpus.h"
#include "tests/verdict/made_up.h"

/* Columns base and a of a file, a's numbers by seed as given; the sentence of its one comparison. */
static void sentence(int seeds, const char *const *line, CompareOptions options, const char *want,
                     const char *code) {
    CompareData data;
    CompareResult r;
    LOCAL_TEXT(file);
    LOCAL_TEXT(got);
    text_format(&file, "seed,base,a\n");
    for (int i = 0; i < seeds; i++) text_format(&file, "%d,%s\n", i + 1, line[i]);
    OK(compare_parse(&data, "FILE", (CompareColumns){0}, file.at, file.length, &e));
    OK(compare_make(&r, &data, &options, 1, &e));
    compare_words(&r, r.family.at, r.family.at->decision, &got);
    cr_expect_str_eq(got.at, want);
    cr_expect_str_eq(compare_word(&r, r.family.at->decision), code, "%s", want);
    void (*const writers[])(const CompareResult *, Text *) = {compare_text, compare_tex, compare_json};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        text_clear(&file);
        writers[i](&r, &file);
        Text shown; /* LaTeX's < */
        text_init(&shown);
        if (writers[i] == compare_tex)
            latex_text(&shown, want);
        else
            text_format(&shown, "%s", want);
        cr_expect(strstr(file.at, shown.at), "writer %zu does not say: %s\n%s", i, shown.at, file.at);
        text_release(&shown);
    }
    compare_release(&r);
    compare_data_release(&data);
}

Test(words, of_two_arms) {
    static const char *const apart[] = {"3,3.5", "3.1,3.6", "3.2,3.8", "3,3.4", "3.1,3.7", "3,3.6"};
    static const char *const near[] = {"3,3.01",    "3.1,3.112", "3.2,3.211", "3,3.009",
                                       "3.1,3.108", "3,3.012",   "3,3.011",   "3.1,3.109"};
    static const char *const same[] = {"3,3.001",   "3.1,3.098", "3.2,3.2", "3,3.002",
                                       "3.1,3.099", "3,3",       "3,2.999", "3.1,3.1"};
    static const char *const trifle[] = {"3,3.0001",   "3.1,3.1001", "3.2,3.2001", "3,3.0002",
                                         "3.1,3.1001", "3,3.0001",   "3,3.0001",   "3.1,3.1001"};
    static const char *const wild[] = {"3,3.5", "3.1,2.6", "3.2,3.8", "3,2.4", "3.1,3.7", "3,2.7"};
    CompareOptions lower = {.margin = .02, .conf = .95, .cap = NAN, .stall = NAN}, higher = lower, none = lower;
    higher.higher = true;
    none.margin = NAN;
    sentence(6, apart, lower, "worse than base", "worse");
    sentence(6, apart, higher, "better than base", "better");
    sentence(8, near, lower, "worse than base, but within 0.02: too small to matter", "worse but negligible");
    sentence(8, near, higher, "better than base, but within 0.02: too small to matter", "better but negligible");
    sentence(8, trifle, lower, "worse than base, but within 0.02: too small to matter", "worse but negligible");
    sentence(8, near, none, "worse than base", "worse");
    sentence(8, same, lower, "the same within 0.02", "equivalent");
    sentence(7, near, lower, "worse than base", "worse");
    sentence(7, same, lower, "not decided", "inconclusive");
    sentence(6, wild, lower, "not decided", "inconclusive");
    sentence(5, apart, lower, "not decided: 5 seeds cannot reach p < 0.05", "not testable");
    sentence(1, apart, lower, "not decided: 1 seed cannot reach p < 0.05", "not testable");
}

static void writes(void (*write)(const Table *, Text *), const char *what, bool wanted) {
    OWNED char *text = made_up_write(write);
    if (write == table_text) made_up_unbroken(text);
    cr_expect_eq(strstr(text, what) != NULL, wanted, "%s", what);
}

/* LayerNorm ahead by a trifle in every seed; every file names the baseline by its label. */
static void a_trifle(Metric metric) {
    made_up_init(
                 "name: trifle\ntitle: Trifle\ndataset: tinyshakespeare\nlayers: 4\nwidth: 128\nsteps: 150\n"
                 "seeds: 8\nevaluate_at: 0,150\narms: {a: {variant: pre, label: Pre-LN & co}, b: {variant: post, "
                 "label: Post}}\n",
                 NULL);
    m.x.metric = metric;
    for (int seed = 0; seed < 8; seed++)
        for (int arm = 0; arm < 2; arm++) {
            RunRecord *r = made_up_at(0, arm, seed);
            made_up_loss(r, 150, 3 + 0.1 * seed - arm * (0.01 + 0.0005 * (seed % 3)));
            r->evaluation[1].metric[METRIC_grad_norm] = 1 + 0.1 * seed - arm * (0.01 + 0.0005 * (seed % 3));
        }
    OK(made_up_table((TableOptions){0}, &e));
}

Test(words, of_a_table) {
    static const char words[] = "better than Pre-LN & co, but within 0.02: too small to matter";
    LOCAL_TEXT(brief);
    a_trifle(METRIC_valid_loss);
    decision_words(&m.table.family, m.table.family.at, m.table.family.at->decision, -1, NULL, &brief);
    cr_expect_str_eq(brief.at, "better, but within 0.02");
    writes(table_text, "trifle: Trifle", true);
    writes(table_text, words, true);
    writes(table_json, words, true);
    writes(table_json, "\"decision\": \"lower but negligible\"", true);
    writes(table_csv, ",lower but negligible,false,\"better than Pre-LN & co, but within 0.02: too small to matter\"\n",
           true);
    writes(table_tex, "better than Pre-LN \\& co, but within 0.02: too small to matter", true);
    writes(table_text, "equivalent", false);
    writes(table_json, "of the one declared comparison of this table, at level 0.05", true);
    writes(table_tex, "max-T", false);
}

/* Three comparisons of six seeds: Holm's p cannot fall below 3 x 2/64; one comparison's can. */
Test(words, holm_is_shown_where_it_can_decide) {
    a_trifle(METRIC_valid_loss);
    writes(table_text, " p_Holm", true);
    writes(table_tex, "p_{\\mathrm{Holm}}", true);
    made_up(made_up_four, "quick", (TableOptions){0});
    cr_expect_float_eq(table_holm_floor(&m.table), 3 * 2. / 64, 1e-15);
    writes(table_text, "p_Holm", false);
    writes(table_tex, "Holm", false);
    writes(table_json, "\"holm\"", true);
}

/* A gradient norm is neither better nor worse. */
Test(words, of_a_metric_without_a_side) {
    a_trifle(METRIC_grad_norm);
    writes(table_text, "lower than Pre-LN & co, but within 0.02: too small to matter", true);
}

Test(words, of_one_arm) {
    made_up(
                 "name: lone\ndataset: tinyshakespeare\nlayers: 4\nwidth: 128\nsteps: 150\nseeds: 6\n"
                 "evaluate_at: 0,150\narms: {a: {variant: pre}}\n",
                 NULL, (TableOptions){0});
    writes(table_json, "There is one arm, so nothing is compared.", true);
    writes(table_text, "lone: lone", false);
    writes(table_markdown, "## lone\n", true);
    writes(table_tex, "mean and SD over 6 seeds", true);
    const char *const untrue[] = {"paired", "sign-flip", "comparison", "dagger"};
    for (size_t i = 0; i < sizeof untrue / sizeof *untrue; i++) writes(table_tex, untrue[i], false);
}

/* "higher (worse)" for a loss, "higher (better)" for an accuracy, and nothing where neither side is. */
static void side(Metric metric, const char *test, Expect expects, Seen seen, const char *claimed, const char *found) {
    ClaimTest t = {.metric = (int)metric, .expects = expects, .test = st_test_find(test), .terms = 2};
    t.term[0].weight = 1, t.term[1].weight = -1;
    ClaimVerdict v = {.test = &t, .seen = seen, .effect = .1};
    cr_expect_str_eq(table_side_claimed(&t), claimed, "%s, %d", metric_info[metric].key, (int)seen);
    cr_expect_str_eq(table_side_found(&v), found, "%s, %d", metric_info[metric].key, (int)seen);
    for (int i = 0; i < 4; i++) t.term[i].weight = i % 2 ? -1 : 1; /* the difference of two differences */
    t.terms = 4;
    cr_expect(!table_side_claimed(&t)[0] && !table_side_found(&v)[0]);
}

Test(words, of_the_better_side) {
    const Metric loss = METRIC_valid_loss, hits = METRIC_accuracy, norm = METRIC_grad_norm;
    side(loss, "maxt", EXPECT_higher, SEEN_yes, "higher (worse)", "higher (worse)");
    side(loss, "maxt", EXPECT_lower, SEEN_no, "lower (better)", "higher (worse)");
    side(loss, "maxt", EXPECT_lower, SEEN_yes, "lower (better)", "lower (better)");
    side(loss, "maxt", EXPECT_lower, SEEN_unclear, "lower (better)", "");
    side(loss, "maxt", EXPECT_lower, SEEN_nothing, "lower (better)", "");
    side(loss, "tost", EXPECT_equal, SEEN_yes, "", "");
    side(loss, "tost", EXPECT_equal, SEEN_no, "", "higher (worse)");
    side(hits, "maxt", EXPECT_higher, SEEN_yes, "higher (better)", "higher (better)");
    side(hits, "maxt", EXPECT_higher, SEEN_no, "higher (better)", "lower (worse)");
    side(norm, "maxt", EXPECT_lower, SEEN_yes, "", "");
    side(loss, "pitman-morgan", EXPECT_lower, SEEN_yes, "", "");
    side(loss, "mcnemar", EXPECT_higher, SEEN_yes, "higher (worse)", "higher (worse)");
}

/* Codes are read by programs: they stay when words change. */
Test(words, codes_stay) {
    static const char *const decisions[] = {
        "lower",      "higher",       "lower but negligible", "higher but negligible",
        "equivalent", "inconclusive", "not testable"};
    for (int d = 0; d <= DECISION_NOT_TESTABLE; d++) cr_expect_str_eq(decision_name((Decision)d), decisions[d]);
}

/* Six words of claims, the answer to a question, and what decides nothing. */
Test(words, of_claims) {
    static const char *const words[] = {"reproduced", "contradicted", "seen here",  "not seen here",
                                        "answered",   "open",         "not tested", "estimate"};
    static const struct {
        ClaimKind kind;
        bool own;
        Seen seen;
        VerdictWord word;
    } rows[] = {
        {KIND_measured, true, SEEN_yes, WORD_REPRODUCED},       {KIND_measured, true, SEEN_no, WORD_CONTRADICTED},
        {KIND_measured, true, SEEN_nothing, WORD_CONTRADICTED}, {KIND_measured, false, SEEN_yes, WORD_SEEN},
        {KIND_measured, false, SEEN_no, WORD_NOT_SEEN},         {KIND_measured, false, SEEN_nothing, WORD_NOT_SEEN},
        {KIND_theory, false, SEEN_no, WORD_NOT_SEEN},           {KIND_arithmetic, true, SEEN_no, WORD_CONTRADICTED},
        {KIND_question, false, SEEN_yes, WORD_ANSWERED},        {KIND_question, true, SEEN_nothing, WORD_ANSWERED},
        {KIND_question, true, SEEN_unclear, WORD_OPEN},         {KIND_measured, true, SEEN_unclear, WORD_OPEN},
        {KIND_question, true, SEEN_untested, WORD_NOT_TESTED},  {KIND_measured, true, SEEN_untested, WORD_NOT_TESTED}};
    cr_assert_eq(WORD_COUNT, sizeof words / sizeof *words);
    for (int w = 0; w < WORD_COUNT; w++) cr_expect_str_eq(verdict_word((VerdictWord)w), words[w]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(claim_word(rows[i].kind, rows[i].own, rows[i].seen), rows[i].word, "row %zu", i);
    cr_expect_eq(seen_together(SEEN_yes, SEEN_yes), SEEN_yes);
    cr_expect_eq(seen_together(SEEN_yes, SEEN_unclear), SEEN_unclear);
    cr_expect_eq(seen_together(SEEN_unclear, SEEN_no), SEEN_no);
    cr_expect_eq(seen_together(SEEN_nothing, SEEN_untested), SEEN_nothing);
    cr_expect_eq(seen_together(SEEN_yes, SEEN_untested), SEEN_untested);
}
