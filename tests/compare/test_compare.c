/* compare: known answers, one result for every form of a file, and the bytes it writes. */
#include <jansson.h>

#include "bench/figures/figure.h"
#include "tests/compare/compared.h"
#include "tests/compare/json_page.h"
#include "tests/verdict/made_up.h"

/* Darwin's maize, eighths of an inch (Fisher 1935, chapter 3). */
static const char maize[] = "seed,self,cross\n"
                            "1,139,188\n2,163,96\n3,160,168\n4,160,176\n5,147,153\n6,149,172\n7,149,177\n8,122,163\n"
                            "9,132,146\n10,144,173\n11,130,186\n12,144,168\n13,102,177\n14,124,184\n15,144,96\n";

/* Eight seeds: `worse` loses on all of them by .1 or a little more, `same` swings about nothing. */
static const char eight[] = "seed,base,worse,same\n"
                            "1,3.00,3.10,3.020\n2,3.05,3.17,3.045\n3,2.98,3.09,2.990\n4,3.02,3.13,3.005\n"
                            "5,3.01,3.12,3.012\n6,2.97,3.09,2.958\n7,3.03,3.13,3.033\n8,2.99,3.11,2.986\n";

static void make(const char *text, CompareOptions options) {
    compared(text, (CompareColumns){0}, options);
}

static char *written(void (*write)(const CompareResult *, Text *)) {
    Text out;
    text_init(&out);
    write(&result, &out);
    made_up_blot(out.at);
    return out.at;
}

static char *json_of(const char *text, CompareOptions options) {
    make(text, options);
    char *bytes = written(compare_json);
    return bytes;
}

static const char *verdict(int comparison) {
    return compare_word(&result, result.family.at[comparison].decision);
}

Test(compare, darwins_maize) {
    CompareOptions higher = plain;
    higher.higher = true;
    make(maize, higher);
    const Comparison *c = result.family.at;
    cr_expect_eq(c->flip.count, 1726);
    cr_expect_eq(c->flip.total, 32768);
    cr_expect_eq(c->joint.step_count, 1726);
    near(c->t.mean, 314.0 / 15, 1e-12, "mean");
    near(c->t.t, 2.148, 5e-4, "Fisher's t");
    near(c->t.p, .0497, 5e-5, "p of t");
    near(c->wilcoxon.w, 96, 0, "W");
    near(c->wilcoxon.p, .04126, 5e-6, "p of W");
    near(comparison_share_better(c), 13.0 / 15, 1e-12, "share better");
    near(c->chance.share, 13.0 / 15, 1e-12, "probability of improvement");
    near(c->chance.lo, .59540, 5e-6, "its lower limit (R: binom.test)");
    near(c->chance.hi, .98342, 5e-6, "its upper limit");
    cr_expect_str_eq(compare_word(&result, c->decision), "inconclusive");
    cr_expect_eq(compare_exit(&result), RC_INCONCLUSIVE);
    cr_expect_str_eq(data.arm[result.baseline], "self");
}

/* d = -.5, -.1, -.9: mean -.5, sd .4, so t = -.5 sqrt 3 / .4 and d_z = -1.25; all signs agree, so p = 2/8. */
Test(compare, three_seeds_by_hand) {
    make("seed,b,a\n1,1.5,1\n2,2.1,2\n3,3.9,3\n", plain);
    const Comparison *c = result.family.at;
    near(c->t.mean, -.5, 1e-12, "mean");
    near(c->t.sd, .4, 1e-12, "sd");
    near(c->t.t, -1.25 * sqrt(3), 1e-9, "t");
    near(c->effect.d_z, -1.25, 1e-9, "d_z");
    cr_expect_eq(c->flip.count, 2);
    cr_expect_eq(c->flip.total, 8);
    cr_expect_eq(c->boot.total, 27);
    cr_expect(c->boot.exact);
    near(result.family.floor, .25, 0, "floor");
    cr_expect_str_eq(compare_word(&result, c->decision), "not testable");
    cr_expect_eq(compare_exit(&result), RC_INCONCLUSIVE);
    OWNED char *notes = written(compare_notes);
    cr_expect(strstr(notes, "3 seeds can never show a difference at level 0.05: no p falls below .250. It takes 6"));
}

/* Seeds are flipped jointly, so two comparisons of eight seeds still reach 2/256; Holm doubles that. */
Test(compare, a_family_of_two) {
    CompareOptions margin = plain;
    margin.margin = .02;
    make(eight, margin);
    const Comparison *worse = &result.family.at[0], *same = &result.family.at[1];
    near(worse->flip.p, 2.0 / 256, 0, "p");
    near(worse->joint.step, 2.0 / 256, 0, "step-down max-T");
    near(worse->holm, 4.0 / 256, 0, "Holm");
    near(worse->hochberg, 4.0 / 256, 0, "Hochberg");
    near(worse->bh, 4.0 / 256, 0, "Benjamini-Hochberg");
    cr_expect_gt(same->flip.p, .9);
    near(same->posterior.inside, 1 - same->tost.p_lower - same->tost.p_upper, 1e-12, "as TOST's");
    near(worse->posterior.above, worse->tost.p_upper, 1e-12, "above the margin");
    cr_expect_str_eq(compare_word(&result, worse->decision), "worse");
    cr_expect_str_eq(compare_word(&result, same->decision), "equivalent");
    cr_expect_eq(compare_exit(&result), RC_REGRESSION);
    make(eight, plain);
    cr_expect_eq(result.family.at[1].posterior.status, ST_BAD_ARG, "no posterior without a margin");
    cr_expect_str_eq(verdict(1), "inconclusive", "equivalence without a margin");
    margin.higher = true;
    make(eight, margin);
    cr_expect_str_eq(verdict(0), "better");
    cr_expect_gt(result.family.at[0].t.mean, 0, "the difference keeps its sign");
    cr_expect_eq(compare_exit(&result), RC_OK);
}

Test(compare, swapped_arms_turn_every_sign) {
    CompareOptions from = plain, to = plain;
    from.baseline = "self", to.baseline = "cross";
    make(maize, from);
    Comparison a = result.family.at[0];
    make(maize, to);
    Comparison b = result.family.at[0];
    near(b.t.mean, -a.t.mean, 1e-12, "mean");
    near(b.t.lo, -a.t.hi, 1e-12, "interval");
    near(b.boot.bca.lo, -a.boot.bca.hi, .5, "BCa, from other random numbers"); /* 15 seeds: not all resamples */
    near(b.effect.d_z, -a.effect.d_z, 1e-12, "d_z");
    near(b.effect.better, 1 - a.effect.better, 1e-12, "share better");
    cr_expect_eq(b.flip.count, a.flip.count);
    cr_expect_eq(b.joint.step_count, a.joint.step_count);
}

/* JSON without what it says of the form that was read; json is freed. */
static char *without_reading(char *json) {
    json_auto_t *root = json_loads(json, 0, NULL);
    cr_assert(root);
    json_object_del(root, "read_as");
    free(json);
    json = json_dumps(root, JSON_INDENT(1));
    return json;
}

/* The same runs in eight forms, the fifth with rows out of order, Windows line ends, blank lines and a byte order
 * mark. */
Test(compare, every_form_gives_the_same_bytes) {
    static const char *const forms[] = {
        "seed,pre,post one\n1,3.25,3.5\n2,3,3.125\n3,2.75,3.25\n",
        "seed,arm,value\n1,pre,3.25\n1,post one,3.5\n2,pre,3\n2,post one,3.125\n3,pre,2.75\n3,post one,3.25\n",
        "{\"arms\": {\"pre\": {\"1\": 3.25, \"2\": 3, \"3\": 2.75}, \"post one\": {\"3\": 3.25, \"1\": 3.5, \"2\": "
        "3.125}}}",
        "[{\"seed\":1,\"arm\":\"pre\",\"value\":3.25},{\"seed\":\"1\",\"arm\":\"post one\",\"value\":3.5},"
        "{\"arm\":\"pre\",\"seed\":2,\"value\":3},{\"seed\":3,\"arm\":\"pre\",\"value\":2.75},"
        "{\"seed\":2,\"arm\":\"post one\",\"value\":3.125},{\"seed\":3,\"arm\":\"post one\",\"value\":\"3.25\"}]",
        "\xEF\xBB\xBF\r\narm;value;seed\r\n\"pre\"; 2.75;3\r\n\r\npre;3.0e0;2\r\n\"post one\";3.25;3\r\npre;3.25;1\r\n"
        "post one;3.125;2\r\n\"post one\";\"3.5\";1",
        "seed\tpre\tpost one\n3\t2.75\t3.25\n1\t3.25\t3.5\n2\t3\t3.125\n",
        "seed;pre;post one\n1;3,25;3,5\n2;3;3,125\n3;2,75;3,25\n",
        "seed,pre,post one\n1,3.25%,3.5%\n2,3 %,3.125%\n3,2.75%,3.25%\n",
    };
    OWNED char *first = without_reading(json_of(forms[0], plain));
    for (size_t i = 1; i < sizeof forms / sizeof *forms; i++) {
        OWNED char *other = without_reading(json_of(forms[i], plain));
        cr_expect_str_eq(other, first, "form %zu", i);
    }
    make(forms[6], plain);
    says(compare_text, "Read as numbers with decimal commas.", true);
    make(forms[7], plain);
    says(compare_text, "Read as numbers in percent.", true);
    says(compare_json, "\"read_as\": \"numbers in percent\"", true);
    says(compare_tex, "% Read as numbers in percent.", true);
    make("seed,arm,accuracy\n1,a,.6\n1,b,.7\n2,a,.5\n2,b,.75\n", plain);
    says(compare_text, "Careful: accuracy counts as better where it is lower; --better higher turns that round.", true);
    make("seed,arm,loss\n1,a,.6\n1,b,.7\n2,a,.5\n2,b,.75\n", plain);
    says(compare_text, "Careful", false);
}

Test(compare, order_of_columns_changes_no_number) {
    CompareOptions options = plain;
    options.baseline = "base";
    make(eight, options);
    Comparison before = result.family.at[0];
    char hash[SHA256_HEX];
    strcpy(hash, data.hash);
    make("seed,same,worse,base\n8,2.986,3.11,2.99\n7,3.033,3.13,3.03\n6,2.958,3.09,2.97\n5,3.012,3.12,3.01\n"
         "4,3.005,3.13,3.02\n3,2.990,3.09,2.98\n2,3.045,3.17,3.05\n1,3.020,3.10,3.00\n",
         options);
    cr_expect_str_eq(compare_arm_name(&result, &result.family.at[1]), "worse");
    cr_expect_str_eq(data.hash, hash);
    cr_expect_eq(result.family.at[1].t.lo, before.t.lo);
    cr_expect_eq(result.family.at[1].joint.step_count, before.joint.step_count);
    cr_expect_eq(result.family.at[1].holm, before.holm);
    cr_expect_eq(result.family.at[1].boot.se, before.boot.se);
}

/* a wins on seven of eight seeds and diverges on the other. */
static const char one_lost[] = "seed,base,a\n1,3.00,2.90\n2,3.05,2.94\n3,2.98,2.88\n4,3.02,diverged\n5,3.01,2.92\n"
                               "6,2.97,2.85\n7,3.03,2.93\n8,2.99,2.87\n";

Test(compare, a_diverged_run_is_counted_not_dropped) {
    CompareOptions options = plain;
    options.cap = 10.8, options.margin = 100;
    make(one_lost, options);
    const Comparison *c = result.family.at;
    cr_expect_not(c->t_decides);
    cr_expect_eq(c->pairs.n, 8);
    near(c->t.mean, (7.78 - .74) / 8, 1e-12, "mean with the cap");
    cr_expect_eq(c->pairs.only_a, 1);
    near(c->mcnemar.p, 1, 0, "McNemar");
    near(result.arm[1].all.rate.hi, .5265, 5e-5, "Clopper-Pearson 1 of 8");
    near(result.arm[1].all.survivors, 20.29 / 7, 1e-12, "survivors");
    cr_expect_str_neq(verdict(0), "equivalent", "a margin decides nothing when a run diverged");
    near(c->chance.share, 7.0 / 8, 0, "better in seven seeds");
    near(c->chance.hi, .99684, 5e-6, "of which the diverged one is none");
    static const double rank[] = {3, 5, 3, 8, 1, 6.5, 3, 6.5}; /* |d| in hundredths: 10 11 10 most 9 12 10 12 */
    int extreme = 0;
    for (int flips = 0; flips < 256; flips++) {
        double sum = 0;
        for (int i = 0; i < 8; i++) sum += flips >> i & 1 ? rank[i] : -rank[i];
        extreme += fabs(sum) >= 28 - 8;
    }
    near(c->joint_ranks, extreme / 256.0, 1e-12, "p on ranks");
    OWNED char *json = written(compare_json);
    cr_expect(strstr(json, "withheld: a run diverged"));
    options.higher = true;
    options.cap = 0;
    make(one_lost, options);
    near(result.family.at->joint_ranks, 2.0 / 256, 1e-12, "all ranks on one side");
    near(result.family.at->chance.share, 0, 0, "never better");
    cr_expect_str_eq(compare_word(&result, result.family.at->decision_ranks), "worse");
}

Test(compare, blocks_are_crossed_with_seeds) {
    LOCAL_TEXT(file);
    text_format(&file, "block,seed,arm,value\n");
    for (int seed = 1; seed <= 6; seed++)
        for (int block = 0; block < 10; block++) {
            double base = 3 + .01 * seed + (block % 2 ? .2 : -.2);
            text_format(&file, "%d,%d,a,%.4f\n", block, seed, base);
            text_format(&file, "%d,%d,b,%.4f\n", block, seed, base + .05 + (block % 2 ? .02 : -.02) + .001 * seed);
        }
    make(file.at, plain);
    const Comparison *c = result.family.at;
    cr_assert_eq(data.blocks, 10);
    cr_expect_eq(c->crossed.status, ST_OK);
    near(c->crossed.mean, c->t.mean, 1e-12, "mean over blocks");
    cr_expect_gt(c->crossed.hi - c->crossed.lo, c->t.hi - c->t.lo, "new text adds to the error");
    cr_expect_eq(c->pigeonhole.status, ST_OK);
}

Test(compare, looks_spend_alpha) {
    CompareOptions options = plain;
    options.looks = 3, options.look[0] = 3, options.look[1] = 5, options.look[2] = 8;
    make(eight, options);
    near(result.family.alpha, .05 - .0132, 5e-5, "the last look's share");
    near(1 - result.family.at->t.conf, result.family.alpha, 1e-12, "the level of its intervals");
    says(compare_text, "[96.3% t interval]", true);
    says(compare_text, "[96.3% by sign flips]", true);
    says(compare_text, "95%", false);
    cr_expect_eq(result.this_look, 2);
    cr_expect_str_eq(verdict(0), "worse");
    options.looks = 2, options.look[0] = 8, options.look[1] = 20;
    make(eight, options); /* .002 may be spent, 2/256 is the floor */
    cr_expect_str_eq(verdict(0), "not testable");
}

Test(compare, the_page_names_every_key_of_the_json) {
    static const char blocks[] = "seed,arm,block,value\n1,a,1,1\n1,a,2,2\n1,b,1,1.5\n1,b,2,3\n2,a,1,2\n2,a,2,2.5\n"
                                 "2,b,1,2\n2,b,2,4\n3,a,1,1\n3,a,2,2\n3,b,1,2\n3,b,2,2.25\n";
    const char *const files[] = {eight, one_lost, blocks};
    CompareOptions options = plain;
    options.margin = .02, options.cap = 10.8;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        OWNED char *bytes = json_of(files[i], options);
        json_auto_t *root = json_loads(bytes, JSON_REJECT_DUPLICATES, NULL);
        cr_expect_gt(documented(root), 100);
    }
}

/* The same runs under other names of columns, with columns beside them, in any form, are the same data. */
Test(compare, columns_by_any_name) {
    static const char usual[] = "seed,arm,value\n1,adam,3\n1,lion,4\n2,adam,5\n2,lion,nan\n";
    static const struct {
        const char *text;
        CompareColumns columns;
    } same[] = {
        {"seed,method,loss\n1,adam,3\n1,lion,4\n2,adam,5\n2,lion,diverged\n", {NULL}},
        {"loss;seed;method\n3;1;adam\n4;1;lion\n5;2;adam\nnan;2;lion\n", {NULL}},
        {"run,method,loss\n1,adam,3\n1,lion,4\n2,adam,5\n2,lion,nan\n", {.seed = "run"}},
        {"seed,lr,method,loss\n1,.1,adam,3\n1,.1,lion,4\n2,x,adam,5\n2,,lion,nan\n",
         {.arm = "method", .value = "loss"}},
        {"seed,method,loss\n1,adam,3\n1,lion,4\n2,adam,5\n2,lion,nan\n", {.arm = "method"}},
        {"seed,method,status,loss\n1,adam,ok,3\n1,lion,ok,4\n2,adam,ok,5\n2,lion,diverged,6\n",
         {.arm = "method", .value = "loss"}},
        {"seed,method,loss\n1,adam,3\n1,lion,4\n2,adam,5\n2,lion,nan\n", {.value = "loss"}},
        {"id,adam,lion\n1,3,4\n2,5,nan\n", {.seed = "id"}},
        {",seed,adam,lion\n0,1,3,4\n1,2,5,nan\n", {NULL}},
        {"Unnamed: 0,seed,method,loss\n0,1,adam,3\n1,1,lion,4\n2,2,adam,5\n3,2,lion,nan\n", {NULL}},
        {"{\"seed\": 1, \"arm\": \"adam\", \"value\": 3}\n{\"seed\": 1, \"arm\": \"lion\", \"value\": 4}\r\n\n"
         "{\"seed\": 2, \"arm\": \"adam\", \"value\": 5}\n{\"seed\": 2, \"arm\": \"lion\", \"value\": \"nan\"}",
         {NULL}},
        {"[{\"s\": 1, \"m\": \"adam\", \"l\": 3, \"lr\": 1}, {\"s\": 1, \"m\": \"lion\", \"l\": 4},"
         " {\"s\": 2, \"m\": \"adam\", \"l\": 5}, {\"s\": 2, \"m\": \"lion\", \"l\": \"nan\"}]",
         {.seed = "s", .arm = "m", .value = "l"}},
    };
    CompareData want, got;
    OK(compare_parse(&want, "f", (CompareColumns){0}, usual, strlen(usual), &e));
    cr_expect_null(want.columns);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        e = (Error){0};
        Rc rc = compare_parse(&got, "f", same[i].columns, same[i].text, strlen(same[i].text), &e);
        cr_assert_eq(rc, RC_OK, "%zu: %s", i, e.text);
        cr_expect_str_eq(got.hash, want.hash, "%zu", i);
        if (strstr(same[i].text, "method"))
            cr_expect_str_eq(got.columns, "one run a line: arm is column 'method', value is column 'loss'", "%zu", i);
        compare_data_release(&got);
    }
    compare_data_release(&want);
}

/* A block column stays one where a column is an arm. */
Test(compare, blocks_in_a_column_per_arm) {
    static const char narrow[] = "seed,arm,block,value\n1,a,1,1\n1,a,2,2\n1,b,1,1.5\n1,b,2,3\n2,a,1,2\n2,a,2,2.5\n"
                                 "2,b,1,2\n2,b,2,4\n";
    static const char wide[] = "seed,block,a,b\n1,1,1,1.5\n1,2,2,3\n2,1,2,2\n2,2,2.5,4\n";
    make(narrow, plain);
    char hash[SHA256_HEX];
    snprintf(hash, sizeof hash, "%s", data.hash);
    make(wide, plain);
    cr_expect(data.arms == 2 && data.blocks == 2, "%d arms, %d blocks", data.arms, data.blocks);
    cr_expect_str_eq(data.hash, hash);
}

/* A plot has every seed's difference of every comparison, the interval where there is one, a diverged seed beyond. */
Test(compare, plot) {
    CompareOptions options = plain;
    LOCAL(plot_release) Plot p;
    options.margin = .02, options.cap = 11;
    make(eight, options);
    compare_plot(&result, &p);
    cr_assert(p.panel->rows == 2 && p.panel->margin == .02 && p.panel->zero);
    int worse = 0;
    for (int i = 0; i < 2; i++) {
        const PlotRow *row = &p.panel->row[i];
        const Comparison *c = &result.family.at[i];
        cr_expect_str_eq(row->label, compare_arm_name(&result, c));
        cr_assert_eq(row->values, 8);
        for (int s = 0; s < 8; s++) cr_expect(row->value[s] == c->pairs.d[s] && !row->lost[s]);
        cr_expect(row->mean == c->t.mean && row->lo == c->t.lo && row->hi == c->t.hi && row->lo < row->hi);
        worse += !strncmp(row->words, "worse, p ", 9);
    }
    cr_expect_eq(worse, 1);
    plot_release(&p);
    make(one_lost, options);
    compare_plot(&result, &p);
    int lost = 0;
    for (const PlotRow *row = p.panel->row; row < p.panel->row + p.panel->rows; row++)
        for (int s = 0; s < row->values; s++) lost += row->lost[s] && isinf(row->value[s]) && row->lo == row->hi;
    cr_expect_gt(lost, 0);
    plot_release(&p);
    make("seed,base,<b>&\n1,0,0\n", options); /* one seed, no difference, a name that XML minds */
    compare_plot(&result, &p);
    cr_expect_str_eq(p.panel->row->label, "<b>&");
    cr_expect(!strstr(p.panel->row->words, "nan") && !strstr(p.panel->row->numbers, "nan"));
    cr_expect(p.panel->x.least < 0 && p.panel->x.most > 0);
}

/* The text has every arm's mean and standard deviation, the baseline's first. */
Test(compare, means_with_sd) {
    CompareOptions options = plain;
    options.baseline = "b";
    make("seed,a,b\n1,1,10\n2,2,10\n3,3,13\n", options);
    OWNED char *text = written(compare_text);
    const char *b = strstr(text, "\n  b "), *a = strstr(text, "\n  a ");
    cr_assert(a && b && b < a, "%s", text);
    cr_expect(strstr(b, "11.0  1.7"), "%s", text);
    cr_expect(strstr(a, "2.0  1.0"), "%s", text);
}

static void golden(const char *name, void (*write)(const CompareResult *, Text *)) {
    OWNED char *got = written(write);
    golden_is(name, got);
}

Test(compare, goldens) {
    CompareOptions options = plain;
    options.margin = .02, options.cap = log(50257);
    make(eight, options);
    golden("compare.txt", compare_text);
    golden("compare.tex", compare_tex);
    make(one_lost, options);
    golden("compare-diverged.txt", compare_text);
    golden("compare-diverged.tex", compare_tex);
    golden("compare-diverged.json", compare_json);
}
