/* compare on numbers as other programs write them: what is clear is read, as the same runs written our way. */
#include "tests/compare/one_corpus.h"
#include "tests/test.h"

/* Arms pre and post, seeds 1 to 3, NaN: diverged; unpaired, post lacks seed 2. */
static const double runs[2][3] = {{3.25, 3.5, 3}, {3.75, NAN, 3.125}};

static void parse(CompareData *d, const char *bytes, size_t length, CompareColumns columns) {
    e = (Error){0};
    cr_assert_eq(compare_parse(d, "f", columns, bytes, length, &e), RC_OK, "%.60s: %s", bytes, e.text);
    cr_assert_eq(d->arms, 2, "%.60s: %d arms", bytes, d->arms);
    cr_expect_str_eq(d->arm[0], "pre", "%.60s", bytes);
    cr_expect_str_eq(d->arm[1], "post", "%.60s", bytes);
}

/* All six runs, one of them diverged. */
static void paired_of(const char *bytes, size_t length) {
    LOCAL(compare_data_release) CompareData d;
    parse(&d, bytes, length, (CompareColumns){0});
    cr_assert_eq(d.seeds, 3, "%.60s: %d seeds", bytes, d.seeds);
    for (int arm = 0; arm < 2; arm++)
        for (int s = 0; s < 3; s++) {
            cr_expect_eq(d.seed[arm * 3 + s], (uint64_t)s + 1, "%.60s", bytes);
            cr_expect_eq(d.diverged[arm * 3 + s], isnan(runs[arm][s]) != 0, "%.60s", bytes);
            if (!isnan(runs[arm][s])) cr_expect_eq(d.value[arm * 3 + s], runs[arm][s], "%.60s", bytes);
        }
    cr_expect_eq(d.lost, 1, "%.60s", bytes);
}

static void paired(const char *text) {
    paired_of(text, strlen(text));
}

/* The same but for the run that is not there. */
static void unpaired(const char *text, CompareColumns columns, bool numbered) {
    LOCAL(compare_data_release) CompareData d;
    columns.unpaired = true;
    parse(&d, text, strlen(text), columns);
    cr_assert(d.runs[0] == 3 && d.runs[1] == 2, "%.60s: %d and %d runs", text, d.runs[0], d.runs[1]);
    cr_expect_eq(d.lost, 0, "%.60s", text);
    for (int s = 0; s < 3; s++) cr_expect_eq(d.value[s], runs[0][s], "%.60s", text);
    cr_expect(d.value[3] == 3.75 && d.value[4] == 3.125, "%.60s: %g, %g", text, d.value[3], d.value[4]);
    if (numbered) cr_expect(!d.shared && d.seed[0] == 1, "%.60s: runs have no seeds to share", text);
}

#define LONG "1,pre,3.25\n1,post,3.75\n2,pre,3.5\n2,post,nan\n3,pre,3\n3,post,3.125\n"

Test(compare_foreign, diverged_runs_and_whole_numbers) {
    paired("seed,arm,value\n" LONG);
    paired("Seed,Arm,Value\n" LONG);
    paired("arm,seed,status,valid_loss,loss_chain\npre,1,ok,3.25,a\npost,1,ok,3.75,b\npre,2,ok,3.5,c\n"
           "post,2,diverged,5.5,d\npre,3,ok,3,e\npost,3,ok,3.125,f\n"); /* its loss is finite */
    paired("arm,seed,status,valid_loss,loss_chain\npre,1,OK,3.25,a\npost,1,OK,3.75,b\npre,2,OK,3.5,c\n"
           "post,2,Diverged,5.5,d\npre,3,OK,3,e\npost,3,OK,3.125,f\n");
    paired("seed,pre,post\n1.0,3.25,3.75\n2.0,3.5,-Infinity\n3.0,3.,3.125\n");
    paired("seed,pre,post\n+1,+3.25,375e-2\n2e0,3.5E+00,.nan\n3,03.0,0x1.9p1\n");
    paired("seed,pre,post\n1,3.25,3.75\n2,3.5,1.#INF\n3,3,3.125\n");
    paired("{\"arms\": {\"pre\": {\"1\": 3.25, \"2\": 3.5, \"3\": 3}, "
           "\"post\": {\"1\": 3.75, \"2\": NaN, \"3\": 3.125}}}");
    paired("{\"pre\": {\"1.0\": 3.25, \"2\": 3.5, \"3\": 3},\n "
           "\"post\": {\"1\": 3.75, \"2\": -Infinity, \"3\": 3.125}}");
    paired("[{\"seed\": 1.0, \"arm\": \"pre\", \"value\": 3.25}, {\"seed\": 1, \"arm\": \"post\", \"value\": 3.75},\n"
           "{\"seed\": 2, \"arm\": \"pre\", \"value\": 3.5}, {\"seed\": 2, \"arm\": \"post\", \"value\": Infinity},\n"
           "{\"seed\": 3, \"arm\": \"pre\", \"value\": 3}, {\"seed\": 3, \"arm\": \"post\", \"value\": 3.125}]");
    paired("{\"seed\": 1, \"arm\": \"pre\", \"value\": 3.25}\n{\"seed\": 1, \"arm\": \"post\", \"value\": 3.75}\n"
           "{\"seed\": 2, \"arm\": \"pre\", \"value\": 3.5}\n{\"seed\": 2, \"arm\": \"post\", \"value\": NaN}\n"
           "{\"seed\": 3, \"arm\": \"pre\", \"value\": 3}\n{\"seed\": 3, \"arm\": \"post\", \"value\": 3.125}\n");
}

Test(compare_foreign, losses_are_no_percents) {
    static const char *const names[] = {"embedding_mse", "memory_gb", "semantic_nll", "accumulated_loss"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LOCAL(compare_data_release) CompareData d;
        LOCAL_TEXT(text);
        text_format(&text, "seed,arm,%s\n1,pre,2.5\n1,post,.7\n2,pre,2.4\n2,post,.6\n", names[i]);
        parse(&d, text.at, text.length, (CompareColumns){0});
    }
    static const char *const rates[] = {"val/acc", "testAcc", "test_accs", "macroF1", "rocAUC", "acc1"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        LOCAL(compare_data_release) CompareData d;
        LOCAL_TEXT(text);
        text_format(&text, "seed,arm,%s\n1,pre,70.5\n1,post,.7\n2,pre,72.4\n2,post,.6\n", rates[i]);
        cr_expect_eq(compare_parse(&d, "FILE", (CompareColumns){0}, text.at, text.length, &e), RC_USAGE, "%s",
                     rates[i]);
    }
}

/* A data frame's to_json and to_dict, in each of their forms. */
Test(compare_foreign, data_frames) {
    paired("{\"seed\": [1, 2, 3], \"pre\": [3.25, 3.5, 3], \"post\": [3.75, \"inf\", 3.125]}");
    paired("{\"Seed\":{\"0\":1,\"1\":2,\"2\":3},\"pre\":{\"0\":3.25,\"1\":3.5,\"2\":3.0},\"post\":{\"2\":3.125,\"1\":"
           "NaN,\"0\":3.75}}");
    paired("{\"seed\":{\"0\":1,\"1\":1,\"2\":2,\"3\":2,\"4\":3,\"5\":3},"
           "\"method\":{\"0\":\"pre\",\"1\":\"post\",\"2\":\"pre\",\"3\":\"post\",\"4\":\"pre\",\"5\":\"post\"},"
           "\"loss\":{\"0\":3.25,\"1\":3.75,\"2\":3.5,\"3\":NaN,\"4\":3.0,\"5\":3.125}}");
    paired("{\"columns\":[\"seed\",\"pre\",\"post\"],\"index\":[0,1,2],\"data\":[[1,3.25,3.75],[2,3.5,NaN],[3,3.0,3."
           "125]]}");
    paired("{\"schema\":{\"fields\":[]},\"data\":[{\"index\":0,\"seed\":1,\"pre\":3.25,\"post\":3.75},"
           "{\"index\":1,\"seed\":2,\"pre\":3.5,\"post\":NaN},{\"index\":2,\"seed\":3,\"pre\":3.0,\"post\":3.125}]}");
    paired("[{\"seed\":1,\"pre\":3.25,\"post\":3.75},{\"seed\":2,\"pre\":3.5,\"post\":NaN},{\"seed\":3,\"post\":3.125,"
           "\"pre\":3.0}]");
    paired("{\"seed\":1,\"pre\":3.25,\"post\":3.75}\n{\"seed\":2,\"pre\":3.5,\"post\":NaN}\n{\"seed\":3,\"pre\":3.0,"
           "\"post\":3.125}");
}

Test(compare_foreign, numbers_and_tables_as_printed) {
    paired("seed,pre,post\n1,tensor(3.25),np.float64(3.75)\n2,\"tensor(3.5, device='cuda:0')\",\"torch.tensor(nan, "
           "dtype=torch.bfloat16)\"\n3,Decimal('3'),\"Array(3.125, dtype=float32)\"\n");
    paired("| seed | pre | post |\n|-----:|:---:|---|\n| 1 | 3.25 | 3.75 |\n| 2 | 3.5 | nan |\n| 3 | 3 | 3.125 |\n");
    paired("seed,pre,post\n1,3.25,3.75\n# the second machine\n2,3.5,nan\n3,3,3.125\n\x1A");
    paired("index,seed,pre,post\n0,1,3.25,3.75\n1,2,3.5,nan\n2,3,3,3.125\n");
    paired("seed,pre,post\r1,3.25,3.75\r2,3.5,nan\r3,3,3.125\r\n");
}

/* A word in a string is no bare number. */
Test(compare_foreign, names_that_hold_the_words) {
    LOCAL(compare_data_release) CompareData d;
    const char *text = "{\"arms\": {\"NaN \\\" Infinity\": {\"1\": 2}, \"post\": {\"1\": 3}}}";
    OK(compare_parse(&d, "f", (CompareColumns){0}, text, strlen(text), &e));
    cr_expect_str_eq(d.arm[0], "NaN \" Infinity");
}

/* from in code units of 2 or 4 bytes behind their mark. */
static size_t widened(char *to, const char *from, size_t unit, bool big) {
    size_t n = 0;
    char all[256];
    snprintf(all, sizeof all, "?%s", from);
    for (size_t i = 0; i <= strlen(from); i++)
        for (size_t k = 0; k < unit; k++) {
            unsigned code = i ? (unsigned char)all[i] : 0xFEFF;
            to[n++] = (char)(code >> 8 * (big ? unit - 1 - k : k));
        }
    return n;
}

Test(compare_foreign, marks_and_line_ends) {
    char bytes[1024];
    const char *text = "seed,arm,value\n" LONG;
    for (int i = 0; i < 4; i++) paired_of(bytes, widened(bytes, text, i < 2 ? 2 : 4, i % 2));
    paired("\xEF\xBB\xBFseed,arm,value\n" LONG);
    paired("\xEF\xBB\xBF[{\"seed\": 1, \"arm\": \"pre\", \"value\": 3.25}, "
           "{\"seed\": 1, \"arm\": \"post\", \"value\": 3.75},"
           "{\"seed\": 2, \"arm\": \"pre\", \"value\": 3.5}, {\"seed\": 2, \"arm\": \"post\", \"value\": NaN},"
           "{\"seed\": 3, \"arm\": \"pre\", \"value\": 3}, {\"seed\": 3, \"arm\": \"post\", \"value\": 3.125}]");
    for (int i = 0; i < 2; i++) { /* old Macs, Windows */
        size_t n = 0;
        for (const char *at = text; *at; at++) {
            if (*at == '\n') bytes[n++] = '\r';
            if (*at != '\n' || i) bytes[n++] = *at;
        }
        paired_of(bytes, n);
    }
}

Test(compare_foreign, runs_that_are_missing) {
    static const char *const words[] = {"",     "NA",  "na",   "N/A", "n/a", "None", "null", "NULL",   "#N/A",
                                        "<NA>", "nil", "\"\"", "-",   ".",   "--",   "\\N",  "missing"};
    char text[256];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(text, sizeof text,
                 "seed,arm,value\n1,pre,3.25\n1,post,3.75\n2,pre,3.5\n2,post,%s\n3,pre,3\n3,post,3.125\n", words[i]);
        unpaired(text, (CompareColumns){0}, false);
        snprintf(text, sizeof text, "seed,pre,post\n1,3.25,3.75\n2,3.5,%s\n3,3,3.125\n", words[i]);
        unpaired(text, (CompareColumns){0}, false);
        snprintf(text, sizeof text,
                 "seed,method,loss\n4,pre,%s\n1,pre,3.25\n1,post,3.75\n2,pre,3.5\n3,pre,3\n3,post,3.125\n", words[i]);
        unpaired(text, (CompareColumns){0}, false); /* its first line says which column holds names */
    }
    unpaired("{\"arms\": {\"pre\": {\"1\": 3.25, \"2\": 3.5, \"3\": 3}, "
             "\"post\": {\"1\": 3.75, \"2\": null, \"3\": 3.125}}}",
             (CompareColumns){0}, false);
}

Test(compare_foreign, runs_without_seeds) {
    unpaired("arm,value\npre,3.25\npost,3.75\npre,3.5\npost,3.125\npre,3\n", (CompareColumns){0}, true);
    unpaired("pre,post\n3.25,3.75\n3.5,NA\n3,3.125\n", (CompareColumns){0}, true);
    unpaired("method,loss\npre,3.25\npost,3.75\npre,3.5\npost,3.125\npre,3\n", (CompareColumns){0}, true);
    unpaired("loss,note,method\n3.25,x,pre\n3.75,,post\n3.5,,pre\n3.125,,post\n3,,pre\n",
             (CompareColumns){.arm = "method", .value = "loss"}, true);
    unpaired("{\"arms\": {\"pre\": [3.25, 3.5, 3], \"post\": [3.75, null, 3.125]}}", (CompareColumns){0}, true);
    unpaired("{\"pre\": [3.25, 3.5, 3], \"post\": [3.75, 3.125]}", (CompareColumns){0}, true);
    unpaired("{\"arm\": \"pre\", \"value\": 3.25}\n{\"arm\": \"post\", \"value\": 3.75}\n"
             "{\"arm\": \"pre\", \"value\": 3.5}\n"
             "{\"arm\": \"post\", \"value\": 3.125}\n{\"arm\": \"pre\", \"value\": 3}\n",
             (CompareColumns){0}, true);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"sed,pre,post\n1,2,3\n", "no column 'seed'; is 'sed' meant?"},
        {"rng_seed,pre,post\n1,2,3\n", "no column 'seed'"},
        {"run,pre,post\n1,2,3\n", "column 'run' is no arm"},
        {"arm,block,value\npre,1,2\n", "no column 'seed'"},
        {"{\"arms\": {\"a\": [1, 2], \"b\": {\"1\": 3}}}", "some arms have seeds and some do not"},
        {"{\"arms\": {\"a\": {\"1\": 3}, \"b\": [1, 2]}}", "some arms have seeds and some do not"},
        {"[{\"arm\": \"a\", \"value\": 1}, {\"seed\": 1, \"arm\": \"b\", \"value\": 1}]", "f: [0]:seed: empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CompareData d;
        Rc rc = compare_parse(&d, "f", (CompareColumns){.unpaired = true}, bad[i].text, strlen(bad[i].text), &e);
        cr_expect_eq(rc, RC_USAGE, "%s", bad[i].text);
        cr_expect(strstr(e.text, bad[i].says), "'%s' does not say '%s'", e.text, bad[i].says);
    }
}

/* A chart as W&B exports it: a column a run, its bands beside it. */
Test(compare_foreign, runs_that_are_columns) {
    static const char chart[] =
        "\"Step\",\"pre-s1 - val/loss\",\"pre-s1 - val/loss__MIN\",\"pre-s1 - val/loss__MAX\",\"pre-s1 - _step\","
        "\"post_seed=1 - val/loss\",\"pre-s2 - val/loss\",\"post run 2 - val/loss\"\n"
        "\"0\",\"4\",\"1\",\"1\",\"0\",\"4\",\"4\",\"4\"\n\"10\",\"3\",\"1\",\"1\",\"10\",\"3.5\",\"\",\"3.5\"\n"
        "\"20\",\"2\",\"1\",\"1\",\"20\",\"3\",\"2.5\",\"3.25\"\n";
    CompareColumns columns = {.steps = true, .target = 3};
    for (int i = 0; i < 3; i++) {
        LOCAL(compare_data_release) CompareData d;
        columns.step = i ? "Step" : NULL, columns.unpaired = i == 2;
        parse(&d, chart, strlen(chart), columns);
        cr_assert(d.runs[0] == 2 && d.runs[1] == 2);
        cr_expect(d.value[0] == 10 && d.value[1] == 20 && d.value[2] == 20 && d.diverged[3]);
        cr_expect_str_eq(d.columns, "one run a column: 'pre-s1 - val/loss' is arm 'pre', seed 1");
    }
    CompareData d;
    parse(&d, "pre/s1,pre/s2,pre/s3,post/s1,post/s2,post/s3\n3.25,3.5,3,3.75,nan,3.125\n", 71, (CompareColumns){0});
    cr_expect(d.seeds == 3 && d.value[0] == 3.25 && d.lost == 1 && d.value[5] == 3.125);
    compare_data_release(&d);
    const char *plain = "step,pre,post\n0,4,4\n10,2,3\n";
    parse(&d, plain, strlen(plain), (CompareColumns){.steps = true, .target = 3, .unpaired = true});
    cr_expect(d.runs[0] == 1 && d.value[0] == 10 && !d.shared);
    compare_data_release(&d);
    columns = (CompareColumns){.steps = true, .target = 3};
    cr_expect_eq(compare_parse(&d, "f", columns, plain, strlen(plain), &e), RC_USAGE);
    HOLDS(e.text, "no column 'seed'");
}
