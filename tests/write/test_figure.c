/* Figures of made-up runs, by the programs that gnuplot is given: what is drawn, from which numbers, and how. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/write/figure_sheet.h"
#include "bench/write/summaries.h"
#include "tests/verdict/made_up.h"

static MadeUp m; /* too large for a stack; each test has its own process */
static Error e;

TestSuite(figure, .timeout = 600);

static void table(TableOptions options) {
    cr_assert_eq(made_up_table(&m, options, &e), RC_OK, "%s", e.text);
}

static char *script_of(const Figure *f, int formats) {
    Text out;
    text_init(&out);
    figure_script(&m.table, f, formats, &out);
    return out.at;
}

static const Figure *figure_named(const Figure *figure, int figures, const char *name) {
    for (int i = 0; i < figures; i++)
        if (!strcmp(figure[i].name, name)) return &figure[i];
    return NULL;
}

/* A run of an arm that ends far above the others, with a curve that says so. */
static void leave(int cell, int arm, int seed, double loss) {
    RunRecord *r = made_up_at(&m, cell, arm, seed);
    made_up_loss(r, (int)r->spec.steps, loss);
    for (int row = 0; row < r->curves.rows; row++) {
        double *at = &r->curves.value[row * r->curves.columns + CURVE_valid_loss];
        if (row > 20 && isfinite(*at)) *at = loss;
    }
}

/* Gradient norms of blocks, which made-up curves lack: times[arm % 4] over the block's number counted from 1. */
static void fill_blocks(const double times[4]) {
    for (int i = 0; i < m.runs; i++) {
        Curves *c = &m.records[i].curves;
        for (int row = 0; row < c->rows; row++)
            for (int l = 0; l < c->layers; l++)
                c->value[row * c->columns + curve_column(c, PROBE_block_grad_norm, l)] =
                    times[i / m.x.seeds % m.x.arms % 4] / (1 + l);
    }
}

static const double apart[] = {1, 2, 3, 4};

/* Every drawn line and point of an arm: its data are called $<letter><number>_<number>, the arm being the second, of
 * the seeds' figure the first. Returns how many there were. */
static int styles_hold(const Figure *f, const char *script) {
    int found = 0;
    for (const char *at = script; (at = strstr(at, " using ")); at += 7) {
        const char *name = at, *end = at + strcspn(at, "\n");
        int a, b;
        char letter, colour[8], dash[40];
        while (name > script && name[-1] != '\n' && name[-1] != ' ') name--;
        cr_assert_eq(sscanf(name, "$%c%d_%d", &letter, &a, &b), 3, "%.60s", name);
        FigureStyle style = figure_style(&m.table, f->kind == FIGURE_seeds ? a : b);
        const char *lc = strstr(at, "lc rgb '#"), *dt = strstr(at, " dt ");
        cr_assert(lc && lc < end, "no colour: %.100s", at);
        size_t digits = strcspn(lc + 9, "'");
        snprintf(colour, sizeof colour, "#%s", lc + 9 + (digits - 6)); /* before them: how transparent it is */
        cr_expect_str_eq(colour, style.colour, "%s: %.100s", f->name, name);
        bool law = f->kind == FIGURE_growth && letter == 'f'; /* whose dash says which law it is */
        if (dt && dt < end && !law) {
            snprintf(dash, sizeof dash, "%.*s", (int)strcspn(dt + 4, " "), dt + 4);
            cr_expect_str_eq(dash, style.dash, "%s: %.100s", f->name, name);
        }
        found++;
    }
    return found;
}

/* The legend names every arm behind a line and a point of its own. */
static void legend_holds(const Figure *f, const char *script) {
    for (int arm = 0; arm < m.x.arms; arm++) {
        FigureStyle style = figure_style(&m.table, arm);
        char line[200];
        snprintf(line, sizeof line, " nohead lc rgb '%s' dt %s lw 1.2\nset label '' at screen ", style.colour,
                 style.dash);
        const char *at = strstr(script, line);
        cr_assert(at, "%s: no line of arm %d in the legend", f->name, arm);
        at += strlen(line);
        snprintf(line, sizeof line, " lc rgb '%s'\nset label '%s", style.colour, m.x.arm[arm].label);
        const char *label = strstr(at, line);
        cr_expect(label && label - at < 60, "%s: the line of arm %d is another's", f->name, arm);
    }
}

Test(figure, an_arm_looks_the_same_in_all_of_them) {
    char ranked[1000], grown[2000], corpora[1000];
    snprintf(ranked, sizeof ranked, "summaries: [ranking]\n%s", made_up_rates);
    snprintf(grown, sizeof grown, "probes: [growth]\n%s", made_up_four);
    snprintf(corpora, sizeof corpora,
             "name: made-up-corpora\nsummaries: [corpora]\ndataset: [synthetic, tinyshakespeare]\nseeds: 6\n"
             "arms:\n  pre: {variant: pre}\n  post: {variant: post}\n");
    const char *const yaml[] = {made_up_four, made_up_rates, ranked, grown, corpora};
    static const char *const profile[] = {"full", NULL, NULL, "quick", NULL};
    int kinds[FIGURE_KINDS] = {0};
    for (int i = 0; i < 5; i++) {
        Figure *figure;
        made_up_init(&m, yaml[i], profile[i]);
        leave(0, 1, 4, 3.46);
        fill_blocks(apart);
        if (i == 3) made_up_growth(&m);
        table((TableOptions){0});
        int figures = figure_list(&m.table, &figure);
        for (int k = 0; k < figures; k++) {
            char *script = script_of(&figure[k], FIGURE_ALL);
            int found = styles_hold(&figure[k], script);
            cr_expect_gt(found, 1, "%s", figure[k].name);
            kinds[figure[k].kind] += found;
            FigureKind kind = figure[k].kind; /* those in which the arms stand apart have no legend */
            if (kind == FIGURE_rates || kind == FIGURE_budget || kind == FIGURE_curves || kind == FIGURE_blocks ||
                kind == FIGURE_corpora)
                legend_holds(&figure[k], script);
            free(script);
        }
        free(figure);
        made_up_release(&m);
    }
    for (int kind = 0; kind < FIGURE_KINDS; kind++) cr_expect_gt(kinds[kind], 0, "no figure of kind %d", kind);
}

/* Contrast of two colours as WCAG counts it. */
static double luminance(const char *colour) {
    static const double weight[] = {0.2126, 0.7152, 0.0722};
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    double out = 0;
    for (int i = 0; i < 3; i++) {
        double c = (double)(rgb >> (16 - 8 * i) & 255) / 255;
        out += weight[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return out;
}

static double contrast(const char *a, const char *b) {
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

Test(figure, styles_are_told_apart_on_white_and_on_dark) {
    Table t = {.sample = {.arms = EXPERIMENT_MOST_ARMS}};
    for (int base = 0; base < 3; base++) {
        t.sample.baseline = base;
        cr_expect_str_eq(figure_style(&t, base).colour, "#000000", "the baseline is the text's colour");
        for (int i = 0; i < t.sample.arms; i++) {
            FigureStyle a = figure_style(&t, i);
            if (i == base) continue;
            cr_expect_geq(contrast(a.colour, "#ffffff"), 3, "%s", a.colour);
            cr_expect_geq(contrast(a.colour, "#111111"), 3, "%s", a.colour);
            for (int j = 0; j < i; j++) {
                FigureStyle b = figure_style(&t, j);
                bool line = strcmp(a.colour, b.colour) || strcmp(a.dash, b.dash);
                cr_expect(line || a.point != b.point, "%d and %d", i, j);
                cr_expect(line || i - j >= 36, "lines of %d and %d", i, j);
            }
        }
    }
}

/* The name is the factors', in a shell and in LaTeX, where a dot would begin the kind of file. */
Test(figure, names_say_the_factors) {
    static const struct {
        const char *yaml, *profile, *name[5];
    } cases[] = {
        {made_up_rates,
         NULL,
         {"made-up-rates-budget", "made-up-rates-rates", "made-up-rates-curves-warmup=0,lr=3e-4",
          "made-up-rates-blocks-warmup=40,lr=1e-2", "made-up-rates-curves-warmup=40,lr=3e-3"}},
        {made_up_four,
         "full",
         {"made-up-4-differences", "made-up-4-curves-token_std=5e-1", "made-up-4-curves-token_std=1",
          "made-up-4-blocks-token_std=5e-1", "made-up-4-blocks-token_std=1"}},
        {made_up_four, "quick", {"made-up-4-differences", "made-up-4-curves", "made-up-4-blocks", NULL, NULL}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Figure *figure;
        made_up_init(&m, cases[i].yaml, cases[i].profile);
        fill_blocks(apart);
        table((TableOptions){0});
        int figures = figure_list(&m.table, &figure);
        for (int k = 0; k < 5 && cases[i].name[k]; k++)
            cr_expect(figure_named(figure, figures, cases[i].name[k]), "no %s", cases[i].name[k]);
        for (int k = 0; k < figures; k++) {
            cr_expect_eq(strspn(figure[k].name, "abcdefghijklmnopqrstuvwxyz0123456789=,+-_"), strlen(figure[k].name),
                         "%s", figure[k].name);
            cr_expect(!strstr(figure[k].name, "cell"), "%s", figure[k].name);
            cr_expect_eq(figure_named(figure, k, figure[k].name), NULL, "%s twice", figure[k].name);
        }
        char *script = script_of(&figure[figures - 1], FIGURE_SVG);
        if (!i) cr_expect(strstr(script, "set label 'Made-up sweep of rates, warmup=40, lr=1e-2'"), "%.400s", script);
        free(script);
        free(figure);
        made_up_release(&m);
    }
}

/* Rows of a block of numbers, `$name << END`; returns how many. */
static int block(const char *script, const char *name, double out[][4]) {
    char head[40];
    int rows = 0;
    snprintf(head, sizeof head, "$%s << END\n", name);
    const char *at = strstr(script, head);
    cr_assert(at, "no block %s", name);
    for (at += strlen(head); strncmp(at, "END", 3) != 0; at += strcspn(at, "\n") + 1, rows++) {
        char *end = (char *)(uintptr_t)at;
        for (int i = 0; i < 4 && *end != '\n'; i++) out[rows][i] = strtod(end, &end);
    }
    return rows;
}

/* Beside a curve's end stands what the table says, and the figure says so. */
Test(figure, the_table_s_number_stands_beside_the_curve) {
    double number[64][4];
    made_up_init(&m, made_up_four, "quick");
    table((TableOptions){0});
    char *script = script_of(&(Figure){.kind = FIGURE_curves}, FIGURE_SVG);
    for (int arm = 0; arm < 4; arm++) {
        char name[16];
        SampleArm a = sample_arm(&m.table.sample, 0, m.table.sample.cell[0].steps - 1, arm, METRIC_valid_loss);
        snprintf(name, sizeof name, "t0_%d", arm);
        cr_expect_eq(block(script, name, number), 1);
        cr_expect_gt(number[0][0], 150, "right of the last step");
        cr_expect_float_eq(number[0][1], a.mean, 1e-8);
        cr_expect_float_eq(number[0][2], a.least, 1e-8);
        cr_expect_float_eq(number[0][3], a.most, 1e-8);
    }
    cr_expect(strstr(script, "Right of the lines: the table''s numbers after 150 steps"), "the note");
    cr_expect(strstr(script, "whole validation set"));
    free(script);
    made_up_release(&m);
}

/* The forest's numbers are the JSON's, bit for bit. */
Test(figure, differences_are_those_of_the_json) {
    double seed[64][4], mean[64][4];
    int rows = 0;
    made_up_init(&m, made_up_four, "full");
    table((TableOptions){0});
    char *script = script_of(&(Figure){.kind = FIGURE_differences}, FIGURE_SVG), *text = made_up_write(&m, table_json);
    json_t *all = json_loads(text, 0, NULL), *family = json_object_get(json_object_get(all, "family"), "at");
    cr_assert(json_array_size(family) > 0);
    for (size_t i = 0; i < json_array_size(family); i++) {
        json_t *c = json_array_get(family, i), *d = json_object_get(c, "d"), *t = json_object_get(c, "t_interval");
        int cell = (int)json_integer_value(json_object_get(c, "cell"));
        const char *arm = json_string_value(json_object_get(json_array_get(json_object_get(c, "terms"), 0), "arm"));
        char name[16];
        if (json_integer_value(json_object_get(c, "step")) != 300) continue;
        for (int a = 0; a < m.x.arms; a++)
            if (!strcmp(arm, m.x.arm[a].name)) snprintf(name, sizeof name, "s%d_%d", cell, a);
        cr_assert_eq((size_t)block(script, name, seed), json_array_size(d));
        for (size_t k = 0; k < json_array_size(d); k++) {
            cr_expect_eq(seed[k][0], json_number_value(json_array_get(d, k)), "%s %zu", name, k);
            cr_expect_eq(seed[k][2], (double)m.x.seed[k]);
        }
        name[0] = 'm';
        cr_assert_eq(block(script, name, mean), 1);
        cr_expect_eq(mean[0][0], json_number_value(json_object_get(t, "mean")), "%s", name);
        cr_expect_eq(mean[0][2], json_number_value(json_object_get(t, "lo")), "%s", name);
        cr_expect_eq(mean[0][3], json_number_value(json_object_get(t, "hi")), "%s", name);
        rows++;
    }
    cr_expect_eq(rows, 2 * 3);
    cr_expect(strstr(script, "set object rectangle from first -0.02, first ") &&
              strstr(script, "to first 0.02, first "));
    cr_expect(strstr(script, "'← better'") && strstr(script, "'worse →'"));
    cr_expect(strstr(script, "'validation loss minus baseline''s'"), "what is subtracted");
    json_decref(all);
    free(text), free(script);
    made_up_release(&m);
}

/* The verdict at the right of a row, and no interval where a run diverged. */
Test(figure, differences_say_the_verdict) {
    static const char *const words[] = {
        "'better'",      "'worse'",        "'the same within 0.02'", "'worse, but within 0.02'",
        "'not decided'", "'too few seeds'"};
    for (int what = 0; what < 6; what++) {
        double mean[64][4];
        made_up_init(&m, made_up_four, what == 5 ? "pair" : "eight");
        for (int seed = 0; seed < (what == 5 ? 3 : 8); seed++) {
            static const double by[] = {-0.2, 0.2, 0, 0.01, 0, 0};
            double odd = (what >= 4 ? 0.3 : 0.001) * (seed % 2 ? 1 : -1.1);
            made_up_loss(made_up_at(&m, 0, 0, seed), 150, 2.5);
            made_up_loss(made_up_at(&m, 0, 1, seed), 150, 2.5 + by[what] + odd);
        }
        table((TableOptions){0});
        char *script = script_of(&(Figure){.kind = FIGURE_differences}, FIGURE_SVG);
        cr_expect(strstr(script, words[what]), "%s", words[what]);
        cr_expect_eq(block(script, "m0_1", mean), 1);
        cr_expect_neq(mean[0][2], mean[0][3]);
        free(script);
        made_up_release(&m);
    }
    double lost[64][4];
    made_up_init(&m, made_up_four, "quick");
    made_up_diverge(made_up_at(&m, 0, 1, 2), 77);
    table((TableOptions){0});
    char *script = script_of(&(Figure){.kind = FIGURE_differences}, FIGURE_SVG);
    cr_expect_eq(block(script, "x0_1", lost), 1);
    cr_expect_eq(lost[0][2], (double)m.x.seed[2]);
    cr_expect_eq(block(script, "m0_1", lost), 1);
    cr_expect_eq(lost[0][2], lost[0][3], "no interval");
    cr_expect(strstr(script, "× A run diverged"));
    free(script);
    made_up_release(&m);
}

/* Rates 3e-4, 1e-3, 3e-3, 1e-2 are cells 2, 0, 1, 3. */
Test(figure, rates_mark_the_best_and_the_diverged) {
    static const int cell[4] = {2, 0, 1, 3};
    static const double rate[4] = {3e-4, 1e-3, 3e-3, 1e-2},
                        loss[2][4] = {{3.01, 2.95, 2.90, 2.99}, {3.2, 2.95, 3.1, 9}};
    double row[64][4];
    made_up_init(&m, made_up_rates, NULL);
    for (int k = 0; k < 4; k++)
        for (int arm = 0; arm < 2; arm++)
            for (int seed = 0; seed < 6; seed++)
                made_up_loss(made_up_at(&m, cell[k], arm, seed), 150, loss[arm][k] + 0.01 * seed);
    for (int seed = 0; seed < 2; seed++) made_up_diverge(made_up_at(&m, 3, 1, seed), 40);
    table((TableOptions){0});
    char *script = script_of(&(Figure){.kind = FIGURE_rates}, FIGURE_SVG);
    for (int arm = 0; arm < 2; arm++) {
        char name[8];
        snprintf(name, sizeof name, "d0_%d", arm);
        cr_assert_eq(block(script, name, row), 4);
        for (int k = 0; k < 3; k++) {
            cr_expect_float_eq(row[k][0], rate[k], 1e-9);
            cr_expect_float_eq(row[k][1], loss[arm][k] + 0.025, 1e-8);
            cr_expect_float_eq(row[k][2], loss[arm][k], 1e-8);
            cr_expect_float_eq(row[k][3], loss[arm][k] + 0.05, 1e-8);
        }
        name[0] = 'b';
        cr_assert_eq(block(script, name, row), 1);
        cr_expect_float_eq(row[0][0], arm ? 1e-3 : 3e-3, 1e-9, "the best rate of arm %d", arm);
    }
    cr_assert_eq(block(script, "x0_1", row), 2);
    cr_expect_float_eq(row[0][0], 1e-2, 1e-9);
    cr_expect_float_eq(row[0][1], log(65), 1e-8);
    cr_expect(strstr(script, "set logscale x") &&
              strstr(script, "set xtics ('3e-4' 0.0003, '1e-3' 0.001, '3e-3' 0.003, "));
    cr_expect(strstr(script, "set label 'warmup=0'") && strstr(script, "set label 'warmup=40'"));
    free(script);
    made_up_release(&m);
}

Test(figure, a_rate_is_written_as_it_is_typed) {
    static const struct {
        double rate;
        const char *text;
    } cases[] = {{3e-3, "3e-3"}, {1e-4, "1e-4"}, {1.5e-3, "1.5e-3"}, {0.02, "2e-2"},
                 {0.1, "1e-1"},  {1, "1"},       {30, "30"}};
    char out[SHOWN];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(show_rate(out, cases[i].rate), cases[i].text);
}

/* One of eight seeds is far from the others: it has a figure, a wide line and its name there, and in no other cell. */
Test(figure, a_seed_that_leaves_is_drawn_and_named) {
    Figure *figure;
    made_up_init(&m, made_up_four, "full");
    for (int seed = 0; seed < 8; seed++) made_up_loss(made_up_at(&m, 0, 0, seed), 300, 2.5 + 0.001 * seed);
    leave(0, 0, 4, 3.46);
    table((TableOptions){0});
    for (int seed = 0; seed < 8; seed++) cr_expect_eq(figure_leaves(&m.table, 0, 0, seed), seed == 4, "%d", seed);
    int figures = figure_list(&m.table, &figure), drawn = 0;
    for (int i = 0; i < figures; i++) {
        if (figure[i].kind != FIGURE_seeds) continue;
        char *script = script_of(&figure[i], FIGURE_SVG), wide[80];
        cr_expect_str_eq(figure[i].name, "made-up-4-seeds-token_std=5e-1");
        snprintf(wide, sizeof wide, "set label 'seed %d' at first 300, first 3.46 ", (int)m.x.seed[4]);
        cr_expect(strstr(script, wide), "%s", wide);
        cr_expect(strstr(script, "$d0_4 using 1:2 with lines lc rgb '#000000' dt (6,4) lw 1.4"));
        cr_expect(strstr(script, "$d0_5 using 1:2 with lines lc rgb '#000000' dt (6,4) lw 0.5"));
        cr_expect(strstr(script, "$d1_4 using 1:2 with lines lc rgb '#0072B2' dt 1 lw 0.5"), "its seeds stay together");
        free(script);
        drawn++;
    }
    cr_expect_eq(drawn, 1);
    free(figure);
    made_up_release(&m);
}

/* A line under others is wide and pale, and the note says so: the blocks' figure hides no arm. Blocks count from 0. */
Test(figure, blocks_count_from_zero_and_hide_no_arm) {
    static const double times[] = {1, 3, 1.00001, 1.1};
    static const char *const drawn[] = {
        "pt 7 ps 1.05 lc rgb '#a0000000' dt (6,4) lw 3.6 ", "pt 7 ps 0.675 lc rgb '#0072B2' dt 1 lw 1.2 ",
        "pt 5 ps 0.675 lc rgb '#D55E00' dt (9,5) lw 1.2 ", "pt 9 ps 0.675 lc rgb '#009E73' dt 1 lw 1.2 "};
    double row[64][4];
    made_up_init(&m, made_up_four, "quick");
    fill_blocks(times);
    table((TableOptions){0});
    char *script = script_of(&(Figure){.kind = FIGURE_blocks}, FIGURE_SVG), *csv = made_up_write(&m, figure_blocks_csv);
    cr_expect(strstr(script, "seeds and of the steps. Wide and pale: within 1% of the lines on it."));
    for (int arm = 0; arm < 4; arm++) cr_expect(strstr(script, drawn[arm]), "%s", drawn[arm]);
    cr_assert_eq(block(script, "d0_1", row), 4);
    for (int l = 0; l < 4; l++) cr_expect(row[l][0] == l && fabs(row[l][1] - 3.0 / (1 + l)) < 1e-8);
    cr_expect(strstr(script, "set label 'block (0 is next to the embeddings)'"));
    cr_expect(strstr(csv, ",layernorm,grad_norm,0,3,6,6\n"));
    free(script);
    script = script_of(&(Figure){.kind = FIGURE_curves}, FIGURE_SVG);
    cr_expect(strstr(script, "'norm entering block 0'"), "what leaves the embeddings enters block 0");
    free(script), free(csv);
    made_up_release(&m);
}

/* Pages are as wide as a column or two, and no type is below 7 points there. */
Test(figure, type_is_seven_points_or_more_at_the_printed_width) {
    static const struct {
        int format;
        const char *size;
        double unit; /* per point */
    } cases[] = {{FIGURE_SVG, "size 1020,", 6 * 25.4 / 72},
                 {FIGURE_PDF, "size 6.6929in,", 1},
                 {FIGURE_COLUMN_SVG, "size 510,", 6 * 25.4 / 72},
                 {FIGURE_COLUMN_PDF, "size 3.3465in,", 1}};
    Figure *figure;
    made_up_init(&m, made_up_rates, NULL);
    leave(0, 1, 4, 3.46);
    fill_blocks(apart);
    table((TableOptions){0});
    int figures = figure_list(&m.table, &figure);
    for (int i = 0; i < figures; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char *script = script_of(&figure[i], cases[k].format);
            int fonts = 0;
            cr_expect(strstr(script, cases[k].size), "%s: no %s", figure[i].name, cases[k].size);
            for (const char *at = script; (at = strstr(at, "font '")); fonts++) {
                at += 6 + strcspn(at + 6, ",") + 1;
                cr_expect_geq(strtod(at, NULL) / cases[k].unit, 6.99, "%s: %.40s", figure[i].name, at);
            }
            cr_expect_gt(fonts, 5);
            free(script);
        }
    free(figure);
    made_up_release(&m);
}

/* What a page may count on. */
Test(figure, an_svg_takes_its_colours_from_the_page) {
    static const char drawn[] =
        "<?xml version=\"1.0\"?>\n<svg \n width=\"1020\" height=\"300\"\n viewBox=\"0 0 1020 300\"\n xmlns=\"x\">\n"
        "<title>Gnuplot</title>\n<g fill=\"none\" color=\"black\" "
        "stroke=\"currentColor\"><title>gnuplot_plot_1</title>\n"
        "<path stroke='rgb(  0,   0,   0)' d=''/><g fill=\"rgb(0,0,0)\"><text fill=\"black\">a</text></g>\n"
        "<path stroke='rgb(230, 230, 230)' d=''/><g fill=\"rgb(102,102,102)\"/><path stroke='rgb(  0, 114, "
        "178)'/></g></svg>";
    Text out;
    text_init(&out);
    figure_svg(drawn, "A & <b>", &out);
    cr_expect(!strstr(out.at, "black") && !strstr(out.at, "rgb(0,0,0)") && !strstr(out.at, "rgb(  0,   0,   0)"));
    cr_expect(!strstr(out.at, "230") && !strstr(out.at, "gnuplot_plot"));
    cr_expect(strstr(out.at, "width=\"170.00mm\" height=\"50.00mm\""), "%s", out.at);
    cr_expect(strstr(out.at, "<title>A &amp; &lt;b&gt;</title>"));
    cr_expect(strstr(out.at, "stroke='rgb(  0, 114, 178)'"), "an arm keeps its colour");
    const char *style = strstr(out.at, "<style>"), *end = strstr(out.at, "</style>");
    cr_assert(style && end && strstr(style, "prefers-color-scheme:dark"));
    for (const char *at = style; (at = strstr(at, "color:")) && at < end; at++) {
        const char *rule = at;
        while (rule > style && *rule != '{') rule--;
        if (at[-1] == '{' || at[-1] == ';') cr_expect(!strncmp(rule - 8, "svg:root", 8), "%.30s", rule - 8);
    }
    text_release(&out);
}

Test(figure, the_same_records_give_the_same_programs) {
    Figure *figure;
    char *first[64];
    int figures = 0;
    for (int again = 0; again < 2; again++) {
        made_up_init(&m, made_up_rates, NULL);
        fill_blocks(apart);
        table((TableOptions){0});
        figures = figure_list(&m.table, &figure);
        for (int i = 0; i < figures; i++) {
            char *script = script_of(&figure[i], FIGURE_ALL);
            if (again) {
                cr_expect_str_eq(first[i], script, "%s", figure[i].name);
                free(first[i]), free(script);
            } else
                first[i] = script;
        }
        free(figure);
        made_up_release(&m);
    }
    cr_expect_gt(figures, 10);
}
