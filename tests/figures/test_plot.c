/* Plots of a few numbers, as gnuplot is told to draw them: pages, type, quotes, axes, rows; the SVG that is kept. */
#include "bench/formats/plot.h"
#include "tests/test.h"

static const PlotStyle blue = {"#0072B2", "(9,5)", 5};
static Plot p;
static Text script;

/* An empty plot, in the place of the one before. */
static void begin(int across, double height) {
    plot_release(&p);
    plot_init(&p, across, height);
}

/* One panel with a line of three points, its band, and words of all kinds. */
static void make(void) {
    begin(2, 100);
    plot_text(&p.title, "A title");
    plot_text(&p.caption, "A caption.");
    PlotPanel *panel = plot_panel(&p, "a panel", "x", "unit");
    PlotSeries *s = plot_series(panel, blue, 0, PLOT_BAND | PLOT_LINE | PLOT_POINTS);
    plot_point(s, 0, 1, 0.5, 2);
    plot_point(s, 1, (double)NAN, (double)NAN, (double)NAN);
    plot_point(s, 2, 3, 2.5, 4);
    plot_level(panel, 2, "a level", false);
    plot_mark(panel, 2, 3, "a mark");
    plot_steps(&panel->x, 2);
    plot_entry(&p, blue, "an arm");
    plot_note(&p, "A note.");
    plot_fit(&p, 0, 1, PLOT_auto);
}

static void draw(int formats) {
    text_release(&script);
    text_init(&script);
    plot_gnuplot(&p, formats, &script);
}

static bool says(const char *words) {
    return strstr(script.at, words) != NULL;
}

Test(plot, a_series_is_a_band_below_a_line) {
    make();
    draw(PLOT_SVG);
    cr_expect(says("$p0_0 << END\n0 1 0.5 2\n1 NaN NaN NaN\n2 3 2.5 4\nEND\n"), "%.200s", script.at);
    const char *band = strstr(script.at, "$p0_0 using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc "
                                         "rgb '#0072B2' notitle"),
               *line = strstr(script.at, "$p0_0 using 1:2 with linespoints lc rgb '#0072B2' lw 1.2 dt (9,5) pt 5 ps ");
    cr_assert(band && line && band < line, "%s", script.at);
    cr_expect(says("set yrange [0.325:4.175]"), "a twentieth around 0.5 to 4");
    cr_expect(says("set xtics 0,1,2") && says("set label 'a mark' at first 2, first 3 right"));
    cr_expect(says("set arrow from graph 0, first 2 to graph 1, first 2 nohead back"));
    cr_expect(says("nohead lc rgb '#0072B2' dt (9,5) lw 1.2\nset label '' at screen "), "the legend's line");
    cr_expect(says("set label 'an arm' at") && says("set label 'A note.' at") && says("set label 'unit' at"));
}

/* Of panels 0 and 2 one axis, of panel 1 its own; 0.1 to 2 spans more than a factor of 10, and 0 has no logarithm. */
Test(plot, axes_are_shared_and_logarithmic) {
    static const double low[] = {0.5, 0, 0.1}, high[] = {1, 7, 2};
    begin(3, 100);
    for (int i = 0; i < 3; i++) {
        PlotSeries *s = plot_series(plot_panel(&p, "", "", "loss"), blue, 0, PLOT_LINE);
        plot_point(s, 0, low[i], low[i], low[i]);
        plot_point(s, 1, high[i], high[i], high[i]);
    }
    plot_fit(&p, 0, 2, PLOT_auto);
    plot_fit(&p, 1, 2, PLOT_log);
    double by = pow(20, 0.05);
    for (int i = 0; i < 3; i += 2) {
        cr_expect(p.panel[i].y.log);
        cr_expect_float_eq(p.panel[i].y.least, 0.1 / by, 1e-12);
        cr_expect_float_eq(p.panel[i].y.most, 2 * by, 1e-12);
    }
    cr_expect(!p.panel[1].y.log);
    cr_expect_float_eq(p.panel[1].y.most, 7.35, 1e-12);
    draw(PLOT_SVG);
    cr_expect(says("'loss, log axis'") && says("set label 'loss' at"));
    cr_expect(says("set ytics ('' 0.09 1, '0.1' 0.1, '0.2' 0.2, '' 0.3 1, '' 0.4 1, '0.5' 0.5, "),
              "marks at 1, 2 and 5");
    begin(1, 100); /* 2.1 to 4.5: one of 1, 2 and 5 is in the axis, so it has words at even distances */
    PlotSeries *narrow = plot_series(plot_panel(&p, "", "", "loss"), blue, 0, PLOT_LINE);
    plot_point(narrow, 0, 2.1, 2.1, 2.1), plot_point(narrow, 1, 4.5, 4.5, 4.5);
    plot_fit(&p, 0, 1, PLOT_log);
    draw(PLOT_SVG);
    cr_expect(says("set ytics ('2.5' 2.5, '3' 3, '3.5' 3.5, '4' 4, '4.5' 4.5)"), "%s", strstr(script.at, "set ytics"));
    static const double range[] = {1, 0.9, 12, 300}, tick[] = {0.2, 0.2, 2, 50};
    for (int i = 0; i < 4; i++) cr_expect_float_eq(plot_tick(range[i], 6), tick[i], 1e-12, "%g", range[i]);
}

/* Twelve ticks on a small panel: those that fit have words. Names of levels too near to another's are left out. */
Test(plot, words_stand_where_there_is_room) {
    char text[8];
    begin(4, 100);
    for (int i = 0; i < 4; i++) {
        PlotPanel *panel = plot_panel(&p, "", "", "");
        for (int k = 0; k < 12; k++) {
            snprintf(text, sizeof text, "t%d", k);
            plot_tick_at(&panel->x, k, text);
        }
        panel->y.least = 0, panel->y.most = 10;
        plot_level(panel, 8, "high", false);
        plot_level(panel, 7.5, "near", false);
        plot_level(panel, 3, "low", true);
        plot_level(panel, 11, "outside", false);
    }
    draw(PLOT_SVG);
    cr_expect(says("set xtics ('t0' 0, '' 1, '' 2, '' 3, 't4' 4, "), "%s", script.at);
    cr_expect(says("'high' at graph 0.98, first 8 right offset 0,0.5") &&
              says("'low' at graph 0.98, first 3 right offset 0,-0.5"));
    cr_expect(says("first 7.5 to graph 1") && !says("'near'") && !says("outside") && !says("first 11 "));
}

/* A row with two things on its right is high; a value beyond all bounds is drawn at the end of the axis. */
Test(plot, rows_have_seeds_mean_and_words) {
    begin(1, 0);
    PlotPanel *panel = plot_panel(&p, "", "minus base's", "");
    PlotRow *row = plot_row(panel, blue, 1, "an arm");
    plot_text(&row->words, "worse");
    plot_text(&row->numbers, "+1 [0.5, 1.5]");
    row->mean = 1, row->lo = 0.5, row->hi = 1.5;
    plot_value(row, 0.75, false);
    plot_value(row, (double)INFINITY, true);
    row = plot_row(panel, blue, 2, "another");
    plot_text(&row->heading, "width=8");
    plot_text(&row->words, "n/a");
    panel->x.least = -2, panel->x.most = 2, panel->margin = 0.1, panel->zero = true;
    draw(PLOT_SVG);
    cr_expect(says("$s0 << END\n0.75 -0.48\nEND\n$x0 << END\n2 -0.48\nEND\n$m0 << END\n1 -0.78 0.5 1.5\nEND"), "%.300s",
              script.at);
    cr_expect(says("$s1 << END\nNaN NaN\nEND\n$x1 << END\nNaN NaN\nEND\n$m1 << END\nNaN NaN NaN NaN\nEND"));
    cr_expect(says("set yrange [-2.75:0]"), "two rows and a heading");
    cr_expect(says("set object rectangle from first -0.1, first 0 to first 0.1, first -1 "));
    cr_expect(says("'worse'") && says("'+1 [0.5, 1.5]'") && says("'width=8'") && says("'n/a'"));
    draw(PLOT_COLUMN_SVG);
    cr_expect(says("'worse'") && !says("'+1 [0.5, 1.5]'"), "at 85 mm the verdict alone");
}

/* Two comparisons whose names begin alike are told apart: a name that is too long for its line has two. */
Test(plot, long_names_of_rows_have_two_lines) {
    begin(1, 0);
    PlotPanel *panel = plot_panel(&p, "", "", "");
    static const char *const of[] = {"A gated late norm of the last third minus Pre-LN",
                                     "A gated late norm of the last third minus Peri-LN, embedding normed"};
    for (int i = 0; i < 2; i++) {
        PlotRow *row = plot_row(panel, blue, i + 1, of[i]);
        plot_text(&row->words, "better");
        plot_text(&row->numbers, "-1 [-1.5, -0.5]");
    }
    panel->x.least = -2, panel->x.most = 2;
    draw(PLOT_SVG);
    cr_expect(says("'A gated late norm of the last third'") && says("'minus Pre-LN'"), "%s", script.at);
    cr_expect(says("'minus Peri-LN, embedding normed'"));
    draw(PLOT_COLUMN_SVG);
    cr_expect(says(" minus Pre-LN'") && says("'embedding normed'") && !says("…'"));
}

/* Pages are as wide as a column or two, and no type is below 7 points there. The PDFs come last. */
Test(plot, type_is_seven_points_or_more_at_the_printed_width) {
    static const struct {
        int format;
        const char *size;
        double unit; /* per point */
    } cases[] = {{PLOT_SVG, "size 1020,", 6 * 25.4 / 72},
                 {PLOT_PDF, "size 6.6929in,", 1},
                 {PLOT_COLUMN_SVG, "size 510,", 6 * 25.4 / 72},
                 {PLOT_COLUMN_PDF, "size 3.3465in,", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make();
        draw(cases[i].format);
        int fonts = 0;
        cr_expect(says(cases[i].size), "no %s", cases[i].size);
        for (const char *at = script.at; (at = strstr(at, "font '")); fonts++) {
            at += 6 + strcspn(at + 6, ",") + 1;
            cr_expect_geq(strtod(at, NULL) / cases[i].unit, 6.99, "%.40s", at);
        }
        cr_expect_gt(fonts, 5);
    }
    make();
    draw(PLOT_SVG | PLOT_PDF);
    cr_expect(strstr(script.at, "terminal svg") <
              strstr(script.at, "if (strstrt(GPVAL_TERMINALS, 'pdfcairo') == 0) exit"));
    cr_expect(strstr(script.at, "exit\n") < strstr(script.at, "terminal pdfcairo"));
}

/* Words that end a string, begin a command or must not stand in XML. */
Test(plot, no_text_leaves_its_quotes) {
    static const struct {
        const char *text, *quoted;
    } cases[] = {{"'; system(\"touch WITNESS\"); '", "\"\\047\".'; system(\"touch WITNESS\"); '''"},
                 {"it's", "'it''s'"},
                 {"''", "\"\\047\".\"\\047\".''"},
                 {"a]]>b&#0;", "'a]] >b& #0;'"},
                 {"\xEF\xBF\xBE", "'?'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[200];
        make();
        plot_text(&p.panel->title, "%s", cases[i].text);
        draw(PLOT_SVG);
        snprintf(want, sizeof want, "set label %s at screen ", cases[i].quoted);
        cr_expect(says(want), "%s", want);
    }
}

/* What a page may count on. */
Test(plot, an_svg_takes_its_colours_from_the_page) {
    static const char drawn[] =
        "<?xml version=\"1.0\"?>\n<svg \n width=\"1020\" height=\"300\"\n viewBox=\"0 0 1020 300\"\n xmlns=\"x\">\n"
        "<title>Gnuplot</title>\n<g fill=\"none\" color=\"black\" "
        "stroke=\"currentColor\"><title>gnuplot_plot_1</title>\n"
        "<path stroke='rgb(  0,   0,   0)' d=''/><g fill=\"rgb(0,0,0)\"><text fill=\"black\">a</text></g>\n"
        "<path stroke='rgb(230, 230, 230)' d=''/><g fill=\"rgb(102,102,102)\"/><path stroke='rgb(  0, 114, "
        "178)'/></g></svg>";
    LOCAL_TEXT(out);
    plot_svg(drawn, "A & <b>", &out);
    cr_expect(!strstr(out.at, "black") && !strstr(out.at, "rgb(0,0,0)") && !strstr(out.at, "rgb(  0,   0,   0)"));
    cr_expect(!strstr(out.at, "230") && !strstr(out.at, "gnuplot_plot"));
    HOLDS(out.at, "width=\"170.00mm\" height=\"50.00mm\"");
    cr_expect(strstr(out.at, "<title>A &amp; &lt;b&gt;</title>"));
    cr_expect(strstr(out.at, "stroke='rgb(  0, 114, 178)'"), "an arm keeps its colour");
    const char *style = strstr(out.at, "<style>"), *end = strstr(out.at, "</style>");
    cr_assert(style && end && strstr(style, "prefers-color-scheme:dark"));
    for (const char *at = style; (at = strstr(at, "color:")) && at < end; at++) {
        const char *rule = at;
        while (rule > style && *rule != '{') rule--;
        if (at[-1] == '{' || at[-1] == ';') cr_expect(!strncmp(rule - 8, "svg:root", 8), "%.30s", rule - 8);
    }
}

/* With gnuplot a file, without it one line. */
Test(plot, a_file_or_one_line) {
    char path[700];
    snprintf(path, sizeof path, "%s/a.svg", own_folder());
    make();
    Rc rc = plot_write(&p, path, &e);
    cr_expect(!rc || strstr(e.text, "gnuplot: not installed"), "%s", e.text);
    if (!rc) {
        OWNED char *bytes = file_text(path);
        cr_expect(strstr(bytes, "<title>A caption.</title>") && strstr(bytes, ">a panel<"));
    }
    setenv("PATH", own_folder(), 1);
    cr_expect_eq(plot_write(&p, path, &e), RC_UNMEASURED);
    cr_expect(strstr(e.text, "gnuplot: not installed") && !strchr(e.text, '\n'), "%s", e.text);
}
