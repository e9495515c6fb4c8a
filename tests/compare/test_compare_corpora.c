/* compare with a column of corpora: each by itself as in a file of its own, and the arms summed up over them. */
#include "bench/compare/print.h"
#include "bench/formats/terminal.h"
#include "tests/test.h"

static CompareCorpora data;
static CompareOver result;
static const CompareOptions plain = {.margin = NAN, .conf = .95, .cap = NAN, .stall = NAN};

static const char two[] = "seed,corpus,arm,value\n1,wt,pre,2\n2,wt,pre,4\n3,wt,pre,6\n"
                          "1,wt,post,5\n2,wt,post,7\n3,wt,post,9\n"
                          "1,ts,pre,10\n2,ts,pre,12\n3,ts,pre,14\n1,ts,post,11\n2,ts,post,13\n3,ts,post,15\n";

static void make(const char *text, CompareColumns columns, CompareOptions options) {
    compare_over_release(&result);
    compare_corpora_release(&data);
    OK(compare_corpora_parse(&data, "f", columns, text, strlen(text), &e));
    OK(compare_over_make(&result, &data, &options, 2, &e));
}

static void over_text(const CompareOver *r, Text *out) {
    compare_over_show(r, SENTENCE_TEXT, PAGE_WIDTH, out);
}

static void over_tex(const CompareOver *r, Text *out) {
    compare_over_show(r, SENTENCE_TEX, 0, out);
}

static char *written(void (*write)(const CompareOver *, Text *)) {
    Text out;
    text_init(&out);
    write(&result, &out);
    return out.at;
}

/* Scores: pre -2 0 2 twice; post 1 3 5 and -1 1 3. Of six the middle four count: pre -2 0 0 2, post 1 1 3 3. */
Test(compare_corpora, scores_are_minus_the_baseline_s_mean) {
    make(two, (CompareColumns){0}, plain);
    const CorporaSum *s = &result.sum;
    cr_assert(data.corpora == 2 && !strcmp(data.name[0], "wt") && !strcmp(data.name[1], "ts"));
    cr_expect_float_eq(s->iqm[0].iqm, 0, 1e-12);
    cr_expect_float_eq(s->iqm[1].iqm, 2, 1e-12);
    cr_expect_float_eq(s->iqm[1].difference, 2, 1e-12);
    cr_expect(s->mean_rank[0] == 1 && s->mean_rank[1] == 2);
    cr_expect_float_eq(s->ranks.p, .5, 1e-12, "two arms, two corpora: the other order of the second is as likely");
    cr_expect(result.of[0].family.at[0].t.mean == 3 && result.of[1].family.at[0].t.mean == 1);
    OWNED char *text = written(over_text), *json = written(compare_over_json), *tex = written(over_tex);
    cr_expect(strstr(text, "corpus wt\n") && strstr(text, "Over corpora\n") && strstr(text, "Friedman's test"));
    cr_expect(strstr(json, "\"over_corpora\"") && strstr(json, "\"corpus\": \"ts\""));
    cr_expect(strstr(tex, "% corpus ts\n") && strstr(tex, "share of runs at most"));
}

#define RECORD(seed, arm, value, corpus) \
    "{\"seed\":" #seed ",\"arm\":\"" #arm "\",\"value\":" #value ",\"corpus\":\"" #corpus "\"}\n"

/* The same from other forms, and where more is better. */
Test(compare_corpora, forms_say_the_same) {
    static const char *const same[] = {
        "dataset,seed,pre,post\nwt,1,2,5\nwt,2,4,7\nwt,3,6,9\nts,1,10,11\nts,2,12,13\nts,3,14,15\n",
        "seed,method,corpus,loss\n1,pre,wt,2\n2,pre,wt,4\n3,pre,wt,6\n1,post,wt,5\n2,post,wt,7\n3,post,wt,9\n"
        "1,pre,ts,10\n2,pre,ts,12\n3,pre,ts,14\n1,post,ts,11\n2,post,ts,13\n3,post,ts,15\n",
        RECORD(1, pre, 2, wt) RECORD(2, pre, 4, wt) RECORD(1, post, 5, wt) RECORD(2, post, 7, wt) RECORD(1, pre, 10, ts)
            RECORD(2, pre, 12, ts) RECORD(1, post, 11, ts) RECORD(2, post, 13, ts)};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CompareOptions higher = plain;
        higher.higher = true;
        make(same[i], (CompareColumns){0}, higher);
        cr_assert_eq(data.corpora, 2, "%zu", i);
        cr_expect_float_eq(result.sum.iqm[1].difference, 2, 1e-12, "%zu", i);
        cr_expect(result.sum.mean_rank[1] == 1 && result.sum.higher, "%zu", i);
    }
}

/* As without the column. */
Test(compare_corpora, one_corpus_is_none) {
    static const char one[] = "seed,corpus,pre,post\n1,wt,2,5\n2,wt,4,7\n", bare[] = "seed,pre,post\n1,2,5\n2,4,7\n";
    make(one, (CompareColumns){0}, plain);
    cr_assert_eq(data.corpora, 1);
    OWNED char *text = written(over_text);
    make(bare, (CompareColumns){0}, plain);
    OWNED char *other = written(over_text);
    cr_expect_str_eq(text, other);
}

/* pre 1 and 3 to nan: the cap 20 less the mean of the baseline. */
Test(compare_corpora, a_diverged_run_counts_as_the_cap) {
    static const char lost[] = "seed,corpus,pre,post\n1,wt,2,nan\n2,wt,4,7\n1,ts,10,11\n2,ts,12,13\n";
    CompareOptions capped = plain;
    capped.cap = 20;
    make(lost, (CompareColumns){0}, capped);
    cr_expect_float_eq(result.sum.score[4], 17, 1e-12);
    cr_expect(result.diverged[0] == 0 && result.diverged[1] == 1);
    OWNED char *text = written(over_text);
    cr_expect(strstr(text, "diverged\n"));
}

/* Curves: the first step at which a run is at most 2, on each corpus. */
Test(compare_corpora, steps_to_a_target) {
    static const char curves[] = "seed,corpus,step,pre,post\n1,a,100,3,2\n1,a,200,2,1\n2,a,100,2,2\n2,a,200,1,1\n"
                                 "1,b,100,3,3\n1,b,200,2,2\n2,b,100,3,2\n2,b,200,2,1\n";
    make(curves, (CompareColumns){.steps = true, .target = 2}, plain);
    cr_expect(result.sum.score[0] == 50 && result.sum.score[1] == -50); /* pre on a: 200, 100 */
    cr_expect(result.sum.score[4] == -50 && result.sum.score[7] == -100);
}

Test(compare_corpora, files_that_are_refused) {
    static const struct {
        const char *text, *says;
        CompareColumns columns;
    } bad[] = {
        {"seed,corpus,arm,value\n1,a,pre,1\n1,a,post,2\n1,b,pre,3\n",
         "f:3: arm 'post' is there for corpus 'a' and missing for corpus 'b'",
         {0}},
        {"seed,corpus,pre,post\n1,a,1,2\n2,a,1,2\n1,b,1,2\n", "f: corpus 'a' has 2 seeds and corpus 'b' 1; sums", {0}},
        {"seed,corpus,arm,value\n1,a,pre,1\n1,a,post,2\n2,a,post,2\n1,b,pre,3\n1,b,post,3\n",
         "corpus 'a': f:4: seed 2 is there for arm 'post' and missing for arm 'pre'",
         {0}},
        {"seed,corpus,pre,post\n1,a,1,2\n1,,1,2\n", "f:3: a corpus without a name", {0}},
        {"seed,corpus,dataset,arm,value\n1,a,b,pre,1\n", "unknown column 'dataset'", {0}},
        {"seed,corpus,pre,post\n1,a,1,2\n1,a,1,2\n1,b,1,2\n", "f:3: seed 1 of arm 'pre' is there twice", {0}},
        {"seed,corpus,pre,post\n1,a,1,2\n1,b,1,2\n", "every arm; --unpaired and --against take one (",
         {.unpaired = true}},
        {"[{\"seed\":1,\"arm\":\"p\",\"value\":1,\"corpus\":\"a\"},{\"seed\":1,\"arm\":\"p\",\"value\":1}]",
         "f: [1]: a corpus without a name",
         {0}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Rc rc = compare_corpora_parse(&data, "f", bad[i].columns, bad[i].text, strlen(bad[i].text), &e);
        cr_expect_eq(rc, RC_USAGE, "%s", bad[i].text);
        cr_expect(strstr(e.text, bad[i].says), "'%s' does not say '%s'", e.text, bad[i].says);
        cr_expect(!data.of && !data.corpora);
    }
}

/* 1 where some corpus is worse; 0 where one is decided and none is worse. */
Test(compare_corpora, the_exit_code_is_the_worst) {
    LOCAL_TEXT(text);
    text_format(&text, "seed,corpus,pre,post\n");
    for (int seed = 1; seed <= 8; seed++)
        text_format(&text, "%d,a,%d,%d.%d\n%d,b,%d,%d.%d\n", seed, seed, seed - 1, seed, seed, seed, seed,
                    seed * 3 % 7);
    make(text.at, (CompareColumns){0}, plain);
    cr_expect_eq(compare_exit(&result.of[0]), RC_OK);
    cr_expect_eq(compare_over_exit(&result), compare_exit(&result.of[1]) == RC_REGRESSION ? RC_REGRESSION : RC_OK);
    cr_expect_eq(compare_exit(&result.of[1]), RC_REGRESSION, "b: post is above pre in seven of eight seeds");
}
