/* A comparison as a sentence, in text, LaTeX and Markdown; and the Markdown of a gate. */
#include "bench/compare/print.h"
#include "tests/verdict/made_up.h"

static const CompareOptions usual = {.conf = .95, .margin = NAN, .cap = NAN, .stall = NAN};

static void make(CompareCorpora *data, CompareOver *r, const char *text, CompareColumns columns,
                 const CompareOptions *o) {
    OK(compare_corpora_parse(data, "f", columns, text, strlen(text), &e));
    OK(compare_over_make(r, data, o, 1, &e));
}

static void says(const char *text, CompareColumns columns, const CompareOptions *o, const char *metric,
                 SentenceForm form, const char *want) {
    CompareCorpora data;
    CompareOver r;
    LOCAL_TEXT(out);
    make(&data, &r, text, columns, o);
    compare_sentences(&r, metric, form, &out);
    cr_expect_str_eq(out.at, want, "got  %swant %s", out.at, want);
    compare_over_release(&r);
    compare_corpora_release(&data);
}

/* d = .1 to .6: mean .35, sd .187083, t(5) 2.570582: .35 -+ .196334. All above 0: 2 of 64 signs. */
#define SIX "seed,pre_ln,post\n1,3,3.1\n2,3,3.2\n3,3,3.3\n4,3,3.4\n5,3,3.5\n6,3,3.6\n"
#define FOUR "seed,a,b\n1,3,3.1\n2,3,3.2\n3,3,3.3\n4,3,3.4\n"

Test(sentence, of_pairs_in_three_forms) {
    says(SIX, (CompareColumns){0}, &usual, NULL, SENTENCE_TEXT,
         "post ends 0.350 higher than pre_ln (95% interval 0.154 to 0.546, 6 paired seeds, exact sign-flip p = "
         "2/64).\n");
    says(SIX, (CompareColumns){0}, &usual, "val_loss", SENTENCE_TEX,
         "post ends 0.350 higher than pre\\_ln (val\\_loss; 95\\% interval 0.154 to 0.546, 6 paired seeds, exact "
         "sign-flip "
         "p = 2/64).\n");
    says(SIX, (CompareColumns){0}, &usual, "a*b", SENTENCE_MARKDOWN,
         "post ends 0.350 higher than pre_ln (a\\*b; 95% interval 0.154 to 0.546, 6 paired seeds, exact sign-flip p = "
         "2/64).\n");
}

Test(sentence, of_what_is_not_decided_and_of_a_margin) {
    says(FOUR, (CompareColumns){0}, &usual, NULL, SENTENCE_TEXT,
         "b is not shown to differ from a; it ends 0.250 higher (95% interval 0.045 to 0.455, 4 paired seeds, exact "
         "sign-flip p = "
         "2/16).\n");
    CompareOptions o = usual;
    o.margin = 1;
    says("seed,a,b\n1,1,1.1\n2,2,1.9\n3,3,3.1\n4,4,3.9\n5,5,5.1\n6,6,5.9\n7,7,7.1\n8,8,7.9\n", (CompareColumns){0}, &o,
         NULL, SENTENCE_TEXT,
         "b and a are the same within 1; the first ends 0.000 higher (95% interval -0.089 to 0.089, 8 paired seeds, "
         "exact sign-flip "
         "p = 256/256).\n");
}

/* The first of two looks spends .0164 of .05; the other's .0336 leaves t(5) 2.9042: .35 -+ .221813. */
Test(sentence, of_a_look) {
    CompareOptions o = usual;
    o.looks = 2, o.look[0] = 4, o.look[1] = 6;
    says(SIX, (CompareColumns){0}, &o, "loss", SENTENCE_TEXT,
         "post ends 0.350 higher than pre_ln (loss; look 2 of 2, level .034; 96.6% interval 0.128 to 0.572, 6 paired "
         "seeds, exact sign-flip p = 2/64).\n");
}

/* Welch: 1/3 + 5/12 is the squared error .75, on 4.96 degrees; t 2.577. */
Test(sentence, of_runs_without_seeds_and_of_steps) {
    CompareColumns unpaired = {.unpaired = true}, steps = {.steps = true, .target = 2};
    says("arm,value\na,1\na,2\na,3\nb,4\nb,5\nb,6\nb,7\n", unpaired, &usual, "x", SENTENCE_TEXT,
         "b is not shown to differ from a; it ends 3.50 higher (x; 95% interval 1.27 to 5.73, 4 and 3 unpaired runs, "
         "exact "
         "relabelling p = 2/35).\n");
    says("seed,step,a,b\n1,1,3,3\n1,2,2,3\n1,3,2,2\n2,1,3,3\n2,2,2,3\n2,3,2,2\n", steps, &usual, NULL, SENTENCE_TEXT,
         "b is not shown to differ from a; it reaches the target 1.000 steps later (2 paired seeds, exact sign-flip p "
         "= 2/4).\n");
}

Test(sentence, against_a_number) {
    LOCAL(compare_corpora_release) CompareCorpora data;
    LOCAL(against_release) Against r;
    LOCAL_TEXT(out);
    AgainstOptions o = {.number = 3.28, .sigma = NAN, .conf = .95, .cap = NAN, .rule = .004};
    static const char text[] = "arm,value\na,3.27\na,3.28\na,3.26\n";
    OK(compare_corpora_parse(&data, "f", (CompareColumns){.unpaired = true}, text, sizeof text - 1, &e));
    OK(against_make(&r, &data.of[0], &o, &e));
    against_sentences(&r, "val_loss", SENTENCE_TEXT, &out);
    cr_expect_str_eq(
        out.at,
        "The mean of a is not shown to be below 3.28 (val_loss; mean 3.2700 of 3 runs, one-sided exact sign-flip "
        "p = 2/8).\n",
        "%s", out.at);
}

static void markdown_of(const char *text, double more, const char *head, const char *part) {
    LOCAL(compare_corpora_release) CompareCorpora data;
    LOCAL(compare_over_release) CompareOver r;
    CompareOptions o = usual;
    LOCAL_TEXT(out);
    o.fail.by = true, o.fail.more = more, o.cap = 9;
    make(&data, &r, text, (CompareColumns){0}, &o);
    compare_markdown(&r, NULL, &out);
    cr_expect_eq(strncmp(out.at, head, strlen(head)), 0, "%.200s", out.at);
    cr_expect(strstr(out.at, part), "no '%s' in %s", part, out.at);
    HOLDS(out.at, "| minus pre_ln | Δ |");
}

static void markdown_has(double more, const char *head, const char *part) {
    markdown_of(SIX, more, head, part);
}

/* Six seeds of post .1 to .6 above, on two corpora; on the second one run diverged. */
Test(sentence, markdown_has_every_corpus_and_their_sum) {
    static const char *const parts[] = {"### one", "### two", "A diverged run counts as 9", "**Over corpora**",
                                        "an arm that is decided to be worse fails"};
    LOCAL_TEXT(text);
    text_format(&text, "corpus,seed,arm,value\n");
    for (int i = 0; i < 24; i++)
        text_format(&text, "%s,%d,%s,%s\n", i < 12 ? "one" : "two", i % 6 + 1, i / 6 % 2 ? "post" : "pre_ln",
                    i == 23 ? "nan" : FORMAT_REAL(i / 6 % 2 ? 3 + (i % 6 + 1) / 10. : 3));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        markdown_of(text.at, 5, "**FAIL**: an arm is worse than pre_ln by more than 5, or worse with a diverged run.",
                    parts[i]);
}

Test(sentence, a_gate_in_markdown) {
    markdown_has(.01, "**FAIL**: an arm is worse than pre_ln by more than 0.01.", "FAILS, worse by more: post");
    markdown_has(.3, "**NOT DECIDED**: whether an arm is worse than pre_ln by more than 0.3; about",
                 "more seeds would decide it");
    markdown_has(5, "**PASS**: no arm is worse than pre_ln by more than 5.", "passes, not worse by more: post");
}

static void plain_of(const Table *t, Text *out) {
    table_sentences(t, SENTENCE_TEXT, out);
}

static void tex_of(const Table *t, Text *out) {
    table_sentences(t, SENTENCE_TEX, out);
}

/* Four arms: a line for each but the baseline, at the last step. */
Test(sentence, of_a_table) {
    made_up(made_up_four, "quick", (TableOptions){0});
    char *text = made_up_write(plain_of), *tex = made_up_write(tex_of);
    int lines = 0;
    for (const char *s = text; *s; s += strcspn(s, "\n") + 1) lines++;
    cr_expect_eq(lines, 3, "%s", text);
    cr_expect(strstr(text, "(95% CI [") && strstr(text, "6 seeds"), "%s", text);
    HOLDS(tex, "(95\\% CI [");
    free(text), free(tex);
    text = made_up_write(table_markdown);
    cr_expect(!strncmp(text, "## made", 7) && strstr(text, "\n| ") && strstr(text, "|---|"), "%.300s", text);
    free(text);
}
