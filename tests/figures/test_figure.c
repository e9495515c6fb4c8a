/* Figures of made-up runs, as the Plots that are drawn: what they show, from which numbers, and how it looks. */
#include <jansson.h>

#include "bench/write/summaries.h"
#include "tests/figures/drawn.h"

static void table(TableOptions options) {
    OK(made_up_table(options, &e));
}

static const Figure *figure_named(const Figure *figure, int figures, const char *name) {
    for (int i = 0; i < figures; i++)
        if (!strcmp(figure[i].name, name)) return &figure[i];
    return NULL;
}

/* A run of an arm that ends far above the others, with a curve that says so. */
static void leave(int cell, int arm, int seed, double loss) {
    RunRecord *r = made_up_at(cell, arm, seed);
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

static void style_holds(const char *figure, PlotStyle got, int arm, bool line, bool points) {
    PlotStyle want = figure_style(arm, m.table.sample.baseline);
    cr_expect_str_eq(got.colour, want.colour, "%s: arm %d", figure, arm);
    if (line) cr_expect_str_eq(got.dash, want.dash, "%s: arm %d", figure, arm);
    if (points && got.point != PLOT_cross && got.point != PLOT_ring)
        cr_expect_eq(got.point, want.point, "%s: arm %d", figure, arm);
}

/* Every line and point is its arm's. Returns how many there were. */
static int styles_hold(const Figure *f) {
    int found = 0;
    for (const PlotPanel *p = plot.panel; p < plot.panel + plot.panels; p++) {
        for (const PlotSeries *s = p->series; s < p->series + p->series_count; s++) {
            bool law = f->kind == FIGURE_growth && !s->style.point; /* whose dash says which law it is */
            bool small = f->kind == FIGURE_ranking_rates && s->draw & PLOT_POINTS; /* the baseline alone is dashed */
            bool line = s->draw & (PLOT_LINE | PLOT_STEPS) && !law && !small;
            style_holds(f->name, s->style, s->of, line, s->draw & PLOT_POINTS);
            found += s->points > 0;
        }
        for (const PlotRow *r = p->row; r < p->row + p->rows; r++, found++)
            style_holds(f->name, r->style, r->of, false, true);
    }
    return found;
}

/* The legend names every arm behind a line and a point of its own. */
static void legend_holds(const Figure *f) {
    cr_assert_geq(plot.entries, m.x.arms, "%s", f->name);
    for (int arm = 0; arm < m.x.arms; arm++) {
        style_holds(f->name, plot.entry[arm].style, arm, true, true);
        cr_expect_eq(strncmp(plot.entry[arm].label, m.x.arm[arm].label, strlen(m.x.arm[arm].label)), 0, "%s", f->name);
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
        OWNED Figure *figure;
        made_up_init(yaml[i], profile[i]);
        leave(0, 1, 4, 3.46);
        fill_blocks(apart);
        if (i == 3) made_up_growth();
        table((TableOptions){0});
        int figures = figure_list(&m.table, &figure);
        for (int k = 0; k < figures; k++) {
            figure_plot(&m.table, &figure[k], &plot);
            int found = styles_hold(&figure[k]);
            cr_expect_gt(found, 1, "%s", figure[k].name);
            kinds[figure[k].kind] += found;
            FigureKind kind = figure[k].kind; /* those in which the arms stand apart have no legend */
            if (kind == FIGURE_rates || kind == FIGURE_budget || kind == FIGURE_curves || kind == FIGURE_blocks ||
                kind == FIGURE_corpora)
                legend_holds(&figure[k]);
            cr_expect(strlen(plot.caption) > 20 && plot.title[0], "%s", figure[k].name);
            plot_release(&plot);
        }
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
    for (int base = -1; base < 3; base++) {
        if (base >= 0) cr_expect_str_eq(figure_style(base, base).colour, "#000000", "the text's colour");
        for (int i = 0; i < EXPERIMENT_ARMS_MAX; i++) {
            PlotStyle a = figure_style(i, base);
            if (i == base) continue;
            cr_expect_geq(contrast(a.colour, "#ffffff"), 3, "%s", a.colour);
            cr_expect_geq(contrast(a.colour, "#111111"), 3, "%s", a.colour);
            for (int j = 0; j < i; j++) {
                PlotStyle b = figure_style(j, base);
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
        OWNED Figure *figure;
        made_up_init(cases[i].yaml, cases[i].profile);
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
        figure_plot(&m.table, &figure[figures - 1], &plot);
        if (!i) cr_expect_str_eq(plot.title, "Made-up sweep of rates, warmup=40, lr=1e-2");
        plot_release(&plot);
    }
}

/* Beside a curve's end stands what the table says, and the figure says so. */
Test(figure, the_table_s_number_stands_beside_the_curve) {
    made_up_init(made_up_four, "quick");
    table((TableOptions){0});
    draw(FIGURE_curves);
    for (int arm = 0; arm < 4; arm++) {
        SampleArm a = sample_arm(&m.table.sample, 0, m.table.sample.cell[0].steps - 1, arm, METRIC_valid_loss);
        const PlotSeries *s = series(0, arm, PLOT_BARS, 0);
        cr_assert_eq(s->points, 1);
        cr_expect(s->at[0].x > 150 && s->at[0].x < plot.panel[0].x.most, "right of the last step");
        cr_expect(s->at[0].y == a.mean && s->at[0].lo == a.least && s->at[0].hi == a.most);
    }
    cr_expect(noted("right of the lines are the table's numbers after 150 steps"));
    cr_expect(noted("whole validation set"));
}

/* The forest's numbers are the JSON's, bit for bit. */
Test(figure, differences_are_those_of_the_json) {
    int rows = 0;
    made_up_init(made_up_four, "full");
    table((TableOptions){0});
    draw(FIGURE_differences);
    const PlotPanel *panel = plot.panel;
    OWNED char *text = made_up_write(table_json);
    json_t *all = json_loads(text, 0, NULL), *family = json_object_get(json_object_get(all, "family"), "at");
    cr_assert(json_array_size(family) > 0);
    for (size_t i = 0; i < json_array_size(family); i++) {
        json_t *c = json_array_get(family, i), *d = json_object_get(c, "d"), *t = json_object_get(c, "t_interval");
        int cell = (int)json_integer_value(json_object_get(c, "cell"));
        const char *arm = json_string_value(json_object_get(json_array_get(json_object_get(c, "terms"), 0), "arm"));
        const PlotRow *row = panel->row + cell * 3;
        if (json_integer_value(json_object_get(c, "step")) != 300) continue;
        while (strcmp(arm, m.x.arm[row->of].name) != 0) cr_assert_lt(++row - panel->row, panel->rows);
        cr_expect_eq(row - panel->row < 3 * (cell + 1), true, "of its cell");
        cr_assert_eq((size_t)row->values, json_array_size(d));
        for (int k = 0; k < row->values; k++)
            cr_expect_eq(row->value[k], json_number_value(json_array_get(d, (size_t)k)), "%s %d", arm, k);
        cr_expect_eq(row->mean, json_number_value(json_object_get(t, "mean")), "%s", arm);
        cr_expect_eq(row->lo, json_number_value(json_object_get(t, "lo")), "%s", arm);
        cr_expect_eq(row->hi, json_number_value(json_object_get(t, "hi")), "%s", arm);
        rows++;
    }
    cr_expect_eq(rows, 2 * 3);
    cr_expect(panel->rows == 6 && !strcmp(panel->row[0].heading, "token_std=0.5") && !panel->row[1].heading);
    cr_expect(panel->margin == 0.02 && panel->zero && panel->x.least < -0.02 && panel->x.most > 0.02);
    cr_expect(!strcmp(panel->x.low, "← better") && !strcmp(panel->x.high, "worse →"));
    cr_expect_str_eq(panel->x.label, "validation loss minus baseline's", "what is subtracted");
    json_decref(all);
}

/* The verdict at the right of a row, and no interval where a run diverged. */
Test(figure, differences_say_the_verdict) {
    static const char *const words[] = {"better, p ", "worse, p ", "the same within 0.02, p ",
                                        "worse, but within 0.02, p ", "not decided, p ", "too few seeds, p "};
    for (int what = 0; what < 6; what++) {
        made_up_init(made_up_four, what == 5 ? "pair" : "eight");
        for (int seed = 0; seed < (what == 5 ? 3 : 8); seed++) {
            static const double by[] = {-0.2, 0.2, 0, 0.01, 0, 0};
            double odd = (what >= 4 ? 0.3 : 0.001) * (seed % 2 ? 1 : -1.1);
            made_up_loss(made_up_at(0, 0, seed), 150, 2.5);
            made_up_loss(made_up_at(0, 1, seed), 150, 2.5 + by[what] + odd);
        }
        table((TableOptions){0});
        draw(FIGURE_differences);
        const PlotRow *row = plot.panel->row;
        cr_expect_eq(strncmp(row->words, words[what], strlen(words[what])), 0, "%s", row->words);
        cr_expect(row->lo < row->mean && row->mean < row->hi && strchr(row->numbers, '['), "%s", row->numbers);
        if (!what) HOLDS(row->words, "/256");
    }
    made_up_init(made_up_four, "quick");
    made_up_diverge(made_up_at(0, 1, 2), 77);
    table((TableOptions){0});
    draw(FIGURE_differences);
    const PlotRow *row = plot.panel->row;
    for (int seed = 0; seed < row->values; seed++) cr_expect_eq(row->lost[seed], seed == 2);
    cr_expect(row->lo == row->hi && !strchr(row->numbers, '['), "no interval");
    cr_expect(noted("× marks a run that diverged"));
    made_up_init(made_up_four, "quick");
    m.x.metric = METRIC_grad_norm;
    made_up_diverge(made_up_at(0, 1, 2), 77);
    table((TableOptions){0});
    draw(FIGURE_differences);
    cr_expect(noted("A run that diverged has no final grad norm, so its arm is not compared (n/a)."));
    cr_expect(!noted("uniform guess"));
}

/* Rates 3e-4, 1e-3, 3e-3, 1e-2 are cells 2, 0, 1, 3. */
Test(figure, rates_mark_the_best_and_the_diverged) {
    static const int cell[4] = {2, 0, 1, 3};
    static const char *const tick[4] = {"3e-4", "1e-3", "3e-3", "1e-2"};
    static const double rate[4] = {3e-4, 1e-3, 3e-3, 1e-2},
                        loss[2][4] = {{3.01, 2.95, 2.90, 2.99}, {3.2, 2.95, 3.1, 9}};
    made_up_init(made_up_rates, NULL);
    for (int k = 0; k < 4; k++)
        for (int arm = 0; arm < 2; arm++)
            for (int seed = 0; seed < 6; seed++)
                made_up_loss(made_up_at(cell[k], arm, seed), 150, loss[arm][k] + 0.01 * seed);
    for (int seed = 0; seed < 2; seed++) made_up_diverge(made_up_at(3, 1, seed), 40);
    table((TableOptions){0});
    draw(FIGURE_rates);
    for (int arm = 0; arm < 2; arm++) {
        const PlotSeries *line = series(0, arm, PLOT_BAND, 0), *ring = series(0, arm, PLOT_POINTS, PLOT_ring);
        cr_assert_eq(line->points, 4);
        for (int k = 0; k < 3; k++) {
            cr_expect_float_eq(line->at[k].x, rate[k], 1e-9);
            cr_expect_float_eq(line->at[k].y, loss[arm][k] + 0.025, 1e-8);
            cr_expect_float_eq(line->at[k].lo, loss[arm][k], 1e-8);
            cr_expect_float_eq(line->at[k].hi, loss[arm][k] + 0.05, 1e-8);
        }
        cr_assert_eq(ring->points, 1);
        cr_expect_float_eq(ring->at[0].x, arm ? 1e-3 : 3e-3, 1e-9, "the best rate of arm %d", arm);
    }
    const PlotSeries *lost = series(0, 1, PLOT_POINTS, PLOT_cross);
    cr_assert_eq(lost->points, 2);
    cr_expect_float_eq(lost->at[0].x, 1e-2, 1e-9);
    cr_expect_float_eq(lost->at[0].y, log(65), 1e-8);
    cr_expect(noted("A ring marks the rate that an arm's seeds choose."));
    cr_expect(plot.panel[0].x.log && plot.panel[0].x.ticks == 4);
    for (int k = 0; k < 4; k++) cr_expect_str_eq(plot.panel[0].x.at[k].text, tick[k]);
    cr_expect(!strcmp(plot.panel[0].title, "warmup=0") && !strcmp(plot.panel[1].title, "warmup=40"));
    cr_expect(plot.panel[0].y.least == plot.panel[1].y.least && plot.panel[0].y.most == plot.panel[1].y.most);
    made_up_init(made_up_rates, NULL);
    m.x.metric = METRIC_grad_norm;
    for (int seed = 0; seed < 2; seed++) made_up_diverge(made_up_at(3, 1, seed), 40);
    table((TableOptions){0});
    draw(FIGURE_rates);
    cr_expect(noted("Where a run diverged, the arm has no mean.") && !noted("uniform guess"));
    made_up_init(made_up_rates, NULL);
    m.x.metric = METRIC_accuracy;
    table((TableOptions){0});
    draw(FIGURE_rates);
    cr_expect(noted("A ring marks the rate that an arm's seeds choose by their losses."));
}

/* One of eight seeds is far from the others: it has a figure, a wide line and its name there, and in no other cell. */
Test(figure, a_seed_that_leaves_is_drawn_and_named) {
    OWNED Figure *figure;
    made_up_init(made_up_four, "full");
    for (int seed = 0; seed < 8; seed++) made_up_loss(made_up_at(0, 0, seed), 300, 2.5 + 0.001 * seed);
    leave(0, 0, 4, 3.46);
    table((TableOptions){0});
    for (int seed = 0; seed < 8; seed++) cr_expect_eq(figure_leaves(&m.table, 0, 0, seed), seed == 4, "%d", seed);
    int figures = figure_list(&m.table, &figure), drawn = 0;
    for (int i = 0; i < figures; i++) {
        if (figure[i].kind != FIGURE_seeds) continue;
        figure_plot(&m.table, &figure[i], &plot);
        cr_expect_str_eq(figure[i].name, "made-up-4-seeds-token_std=5e-1");
        char name[40];
        snprintf(name, sizeof name, "seed %d", (int)m.x.seed[4]);
        const PlotPanel *own = &plot.panel[0], *other = &plot.panel[1];
        cr_assert(own->marks == 1 && !other->marks, "its seeds stay together");
        cr_expect(own->mark[0].x == 300 && own->mark[0].y == 3.46 && !strcmp(own->mark[0].text, name));
        for (int seed = 0; seed < 8; seed++) {
            cr_expect_eq(own->series[seed].width, seed == 4 ? 1.4 : 0.5);
            cr_expect_eq(other->series[seed].width, 0.5);
        }
        plot_release(&plot);
        drawn++;
    }
    cr_expect_eq(drawn, 1);
}

/* A line under others is wide and pale, and the note says so: the blocks' figure hides no arm. Blocks count from 0. */
Test(figure, blocks_count_from_zero_and_hide_no_arm) {
    static const double times[] = {1, 3, 1.00001, 1.1};
    made_up_init(made_up_four, "quick");
    fill_blocks(times);
    table((TableOptions){0});
    draw(FIGURE_blocks);
    OWNED char *csv = made_up_write(figure_blocks_csv);
    cr_expect(noted("seeds and of the steps. A wide, pale line lies within 1% of the lines on it."));
    for (int arm = 0; arm < 4; arm++) {
        const PlotSeries *s = series(0, arm, PLOT_LINE, 0);
        cr_expect(s->pale == !arm && (s->width > 3) == !arm && (s->size > 0.5) == !arm, "arm %d", arm);
        cr_assert_eq(s->points, 4);
        for (int l = 0; l < 4; l++) cr_expect(s->at[l].x == l && fabs(s->at[l].y - times[arm] / (1 + l)) < 1e-8);
    }
    cr_expect_str_eq(plot.panel[0].x.label, "block (0 is next to the embeddings)");
    cr_expect(strstr(csv, ",layernorm,grad_norm,0,3,6,6\n"));
    plot_release(&plot);
    draw(FIGURE_curves);
    cr_expect_str_eq(plot.panel[2].title, "norm entering block 0", "what leaves the embeddings enters block 0");
}

/* One seed is drawn as it is: a difference without an interval. */
Test(figure, one_seed_has_a_difference) {
    char yaml[2000], *at;
    snprintf(yaml, sizeof yaml, "%s", made_up_four);
    cr_assert((at = strstr(yaml, "seeds: 3, arms: [baseline, layernorm]")));
    at[7] = '1';
    made_up_init(yaml, "pair");
    table((TableOptions){0});
    draw(FIGURE_differences);
    const PlotRow *row = plot.panel->row;
    cr_expect(row->values == 1 && row->mean == row->value[0] && row->lo == row->hi, "%s", row->words);
    cr_expect(strstr(row->words, "p n/a") && !noted("interval"), "%s", row->words);
}

Test(figure, the_same_records_give_the_same_programs) {
    Figure *figure;
    char *first[64];
    int figures = 0;
    for (int again = 0; again < 2; again++) {
        made_up_init(made_up_rates, NULL);
        fill_blocks(apart);
        table((TableOptions){0});
        figures = figure_list(&m.table, &figure);
        for (int i = 0; i < figures; i++) {
            Text script;
            text_init(&script);
            figure_plot(&m.table, &figure[i], &plot);
            plot_gnuplot(&plot, FIGURE_ALL, &script);
            plot_release(&plot);
            if (again) {
                cr_expect_str_eq(first[i], script.at, "%s", figure[i].name);
                free(first[i]), text_release(&script);
            } else
                first[i] = script.at;
        }
        free(figure);
    }
    cr_expect_gt(figures, 10);
}
