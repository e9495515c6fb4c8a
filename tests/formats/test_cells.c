/* Tables as data, and each renderer of them: one small golden each, then what is bad, empty or too wide. */
#include "bench/formats/cells.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"
#include "tests/test.h"

static Cells c; /* too large for a stack; each test has its own process */
static Text out;

static const double nan_ = (double)NAN;

static void has(const char *what) {
    cr_expect(strstr(out.at, what) != NULL, "no '%s' in\n%s", what, out.at);
}

static void has_not(const char *what) {
    cr_expect(strstr(out.at, what) == NULL, "'%s' in\n%s", what, out.at);
}

static int times(const char *what) {
    int n = 0;
    for (const char *s = out.at; (s = strstr(s, what)); s += strlen(what)) n++;
    return n;
}

/* The longest line in characters. */
static int widest_line(void) {
    int most = 0;
    for (const char *s = out.at; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        int n = 0;
        for (size_t i = 0; i < strcspn(s, "\n"); i++) n += (s[i] & 0xC0) != 0x80;
        most = n > most ? n : most;
    }
    return most;
}

/* Every letter of a text, in order, whatever blanks and breaks stand between. */
static bool holds_letters(const char *letters) {
    const char *s = letters;
    for (const char *at = out.at; *at && *s; at++) s += *at == *s;
    return !*s;
}

/* An empty table and no words, in the place of those before. */
static void begin(const char *name, const char *title) {
    cells_release(&c);
    cells_init(&c, name, title);
    text_release(&out);
    text_init(&out);
}

static void row(const char *arm, double loss, unsigned marks, double p, const char *verdict) {
    cells_row(&c);
    cell_text(&c, arm);
    cell_number(&c, loss, 4), cell_mark(&c, marks);
    cell_interval(&c, loss - 0.012345, loss + 0.012345, 4, "one seed");
    cell_p(&c, p);
    cell_count(&c, 3, 8);
    cell_text(&c, verdict);
    cell_integer(&c, 150);
    cell_interval_shown(&c, 0, 1, "");
}

/* One of everything. */
static void fill(void) {
    begin("example", "Loss of arms");
    text_format(&c.caption, "At step 150; p by sign flips.");
    text_format(&c.notes, "†: separated from the baseline. §: a seed diverged.");
    cells_column(&c, "arm", 'l', "arm");
    cells_column_over(&c, "loss", 'r', "mean", "validation loss");
    cells_column_over(&c, "loss", 'i', "[95% CI]", "validation loss");
    cells_column(&c, "p_adjusted", 'r', "p_adj");
    cells_column(&c, "stalled", 'r', "stalled");
    cells_column(&c, NULL, 'p', "verdict");
    cells_column(&c, "steps", 'X', "");
    cells_column(&c, "range", 'I', "");
    cells_space(&c); /* before a first row: nothing */
    cells_heading(&c, "width = 32");
    row("Pre-LN", 1.25, 0, nan_, "the baseline");
    row("Peri-LN", 1.1875, MARK_separated | MARK_diverged, 0.0001,
        "better: every seed is below every seed of the baseline");
    cell_emphasize(&c);
    cells_words(&c, 2, "Peri-LN stands before and behind each sublayer.");
    cells_heading(&c, ""); /* nothing */
    cells_space(&c);
    cells_heading(&c, "width = 64");
    row("Post-LN, κ = 2", -0.5, MARK_equivalent, 0.25, "");
    cells_row(&c);
    cell_text(&c, "no run"), cell_none(&c);
    cell_interval(&c, nan_, nan_, 2, "one seed");
}

static void fill_simple(const char *heading, const char *text) {
    begin("simple", "");
    cells_column(&c, "a", 'l', heading);
    cells_column(&c, "b", 'r', "n");
    cells_row(&c);
    cell_text(&c, text), cell_integer(&c, 7);
}

Test(cells, text_at_three_widths) {
    static const int widths[] = {60, 80, 120};
    fill();
    LOCAL_TEXT(all);
    for (int i = 0; i < 3; i++) {
        text_clear(&out);
        cells_text(&c, widths[i], &out);
        cr_expect_leq(widest_line(), widths[i]);
        cr_expect(holds_letters("everyseedisbeloweveryseedofthebaseline"), "%s", out.at);
        text_format(&all, "---- %d\n%s", widths[i], out.at);
    }
    text_clear(&out), text_add(&out, all.at, all.length);
    golden_is("cells.txt", out.at);
}

Test(cells, latex) {
    fill();
    cells_tex(&c, &(TexLayout){.mark = "EXPLORATORY: ", .label = "example"}, &out);
    golden_is("cells.tex", out.at);
    text_clear(&out);
    cells_tex(&c, &(TexLayout){.siunitx = true}, &out);
    golden_is("cells-siunitx.tex", out.at);
}

Test(cells, html) {
    fill();
    cells_html(&c, &out);
    golden_is("cells.html", out.at);
}

Test(cells, markdown) {
    fill();
    cells_markdown(&c, &out);
    golden_is("cells.md", out.at);
}

Test(cells, csv) {
    fill();
    cells_csv(&c, &out);
    golden_is("cells.csv", out.at);
}

Test(cells, json) {
    fill();
    json_auto_t *rows = cells_json(&c);
    OWNED char *text = json_dumps(rows, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    text_format(&out, "%s\n", text);
    golden_is("cells.json", out.at);
}

/* Cells hold what is shown and what it stands for. */
Test(cells, filling) {
    begin("t", "title");
    cells_column(&c, "x", 'r', "x");
    cells_row(&c), cell_number(&c, -0.00004, 3);
    cells_row(&c), cell_signed(&c, 0.5, 2);
    cells_row(&c), cell_exact(&c, 0.1);
    cells_row(&c), cell_exact(&c, nan_);
    cells_row(&c), cell_exact(&c, -0.0);
    cells_row(&c), cell_integer(&c, -12);
    cells_row(&c), cell_p(&c, 0.0101);
    cells_row(&c), cell_number(&c, INFINITY, 3);
    cells_row(&c), cell_count(&c, 2, 5);
    cells_row(&c), cell_shown(&c, 3e-3, "3e-3");
    cells_row(&c), cell_interval(&c, 0.25, 0.75, 2, "");
    cells_row(&c), cell_interval(&c, nan_, 1, 2, "one seed");
    cells_row(&c), cell_format(&c, "%d of %s", 3, "these");
    cells_row(&c), cell_none(&c);
    static const char *const want[] = {"0.000",        "+0.50",          "0.1",        "",       "0",
                                       "-12",          ".010",           "n/a",        "2 of 5", "3e-3",
                                       "[0.25, 0.75]", "n/a (one seed)", "3 of these", ""};
    cr_assert_eq(c.rows, (int)(sizeof want / sizeof *want));
    for (int i = 0; i < c.rows; i++) {
        const Cell *cell = cells_at(&c, i, 0);
        cr_assert(cell);
        cr_expect_str_eq(cells_words_at(&c, cell->shown), want[i], "row %d", i);
    }
    cr_expect_eq(cells_at(&c, 8, 0)->x, 2);
    cr_expect_eq(cells_at(&c, 9, 0)->x, 3e-3);
    cr_expect_eq(cells_at(&c, 10, 0)->hi, 0.75);
    cr_expect_eq(cells_at(&c, 13, 0)->kind, CELL_empty);
    cr_expect_null(cells_at(&c, 0, 1), "a cell that was not given");
    cells_heading(&c, "group");
    cr_expect_null(cells_at(&c, c.rows - 1, 0), "a heading has no cells");
}

Test(cells, a_text_of_any_length_is_taken) {
    OWNED char *text = mem_alloc(100001, 1);
    memset(text, 'x', 100000);
    fill_simple("a", text);
    cells_row(&c);
    cell_format(&c, "%s", text);
    for (int k = 0; k < 2; k++) cr_expect_eq(strlen(cells_words_at(&c, cells_at(&c, k, 0)->shown)), 100000u);
    cells_csv(&c, &out);
    cr_expect_gt(out.length, 200000u);
}

/* Words that no page holds are broken or, beside numbers, take several lines; nothing is lost, no line is too long. */
Test(cells, long_words_fit_every_page) {
    static const char path[] =
        "/a/very/long/path/of/a/results/folder/that/no/terminal/of/sixty/columns/can/hold/in/one/line"
        "/and-some-more-of-it-so-that-even-one-of-a-hundred-and-twenty-has-not-the-room";
    for (int width = LEAST_PAGE_WIDTH; width <= 130; width += 10) {
        fill_simple("a", path);
        text_format(&c.title, "%s", path), text_format(&c.notes, "See %s.", path);
        cells_text(&c, width, &out);
        cr_expect_leq(widest_line(), width, "%d: %s", width, out.at);
        cr_expect_eq(times("..."), 0, "%s", out.at);
        cr_expect(holds_letters(path), "%s", out.at);
    }
    begin("p", "");
    cells_column(&c, "name", 'l', "name"), cells_column(&c, "one", 'p', "one"), cells_column(&c, "two", 'p', "two");
    cells_row(&c);
    cell_text(&c, "x"), cell_text(&c, path), cell_text(&c, "short words that do not need half a page");
    for (int width = LEAST_PAGE_WIDTH; width <= 130; width += 10) {
        text_clear(&out);
        cells_text(&c, width, &out);
        cr_expect_leq(widest_line(), width, "%d: %s", width, out.at);
        cr_expect(holds_letters(path), "%s", out.at);
    }
}

Test(cells, columns_that_do_not_fit_follow_in_blocks) {
    char name[24];
    begin("wide", "");
    cells_column(&c, "arm", 'l', "arm");
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof name, "column-%02d", k);
        cells_column_over(&c, name, 'r', name, k < 9 ? "one group of nine columns" : "");
    }
    cells_row(&c), cell_text(&c, "Pre-LN");
    for (int k = 0; k < 12; k++) cell_number(&c, k, 3);
    cells_text(&c, 60, &out);
    cr_expect_leq(widest_line(), 60, "%s", out.at);
    cr_expect_eq(times("Pre-LN"), 3, "the stub stands in every block:\n%s", out.at);
    cr_expect_eq(times("column-"), 12, "%s", out.at);
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof name, " %d.000", k);
        cr_expect_eq(times(name), 1, "%s: %s", name, out.at);
    }
}

static void stacking_row(const char *says, const char *reported, double ours) {
    cells_row(&c);
    cell_text(&c, says);
    cell_text(&c, reported);
    cell_signed(&c, ours, 3);
    cell_interval(&c, ours - 0.1, ours + 0.1, 3, "");
    cell_text(&c, "seen");
}

/* Stacked columns stand below the one before them where the page is too narrow, an interval first beside its number. */
Test(cells, columns_stack_where_the_page_is_narrow) {
    begin("stacks", "");
    cells_column(&c, "says", 'p', "what it says");
    cells_column(&c, "reported", 'p', "write-up");
    cells_column(&c, "ours", 'r', "ours"), cells_stack(&c);
    cells_column(&c, "ours", 'i', "[CI]"), cells_stack(&c);
    cells_column(&c, "verdict", 'p', "verdict");
    stacking_row("A sentence of many words that takes two lines", "22.18 to 20.64", -0.25);
    stacking_row("A line", "", 0.5);
    cells_text(&c, 110, &out);
    has("write-up          ours  [CI]              verdict\n");
    has("22.18 to 20.64  -0.250  [-0.350, -0.150]  seen\n");
    text_clear(&out);
    cells_text(&c, 78, &out);
    cr_expect_leq(widest_line(), 78, "%s", out.at);
    has("write-up, ours [CI]      verdict\n");
    has("22.18 to 20.64           seen\n"), has("-0.250 [-0.350, -0.150]\n"), has("  A line");
    has_not(CELLS_BELOW);
    text_clear(&out);
    cells_text(&c, 48, &out);
    cr_expect_leq(widest_line(), 48, "%s", out.at);
    has("22.18 to 20.64"), has(" -0.250\n"), has(" [-0.350, -0.150]\n");
    text_clear(&out);
    cells_csv(&c, &out);
    has("says,reported,ours,ours_lo,ours_hi,verdict"), has_not(CELLS_BELOW);
}

Test(cells, latex_breaks_rows_and_columns_into_floats) {
    char name[24];
    begin("long", "Long");
    text_format(&c.caption, "Said once."), text_format(&c.notes, "Below the last.");
    cells_column(&c, "arm", 'l', "arm");
    for (int k = 0; k < 5; k++) snprintf(name, sizeof name, "c%d", k), cells_column(&c, name, 'r', name);
    for (int i = 0; i < 30; i++) {
        if (i % 10 == 0) snprintf(name, sizeof name, "group %d", i / 10), cells_heading(&c, name);
        cells_row(&c), cell_format(&c, "arm %d", i);
        for (int k = 0; k < 5; k++) cell_number(&c, i + 0.1 * k, 1);
    }
    c.most_columns = 3, c.most_rows = 15;
    cells_tex(&c, &(TexLayout){.label = "long"}, &out);
    cr_expect_eq(times("\\begin{table}"), 6, "two parts of columns, three of rows:\n%s", out.at);
    cr_expect_eq(times("\\end{table}"), 6);
    cr_expect_eq(times("Long, continued."), 5);
    cr_expect_eq(times("Said once."), 1);
    cr_expect_eq(times("Below the last."), 1);
    cr_expect_eq(times("{group 1}"), 2, "a group begins in one float of each part");
    cr_expect_eq(times("\\label{tab:long-6}"), 1);
    cr_expect_eq(times("arm 17 & "), 2, "the stub stands beside each part of the columns");
    has("\\caption{Long, continued.}\n\\label{tab:long-2}\n");
    text_clear(&out);
    cells_tabular(&c, &(TexLayout){0}, &out);
    cr_expect_eq(times("\\begin{tabular}"), 1);
    has_not("table}");
}

/* A row's paragraphs are not torn from it, and take the lines that they need. */
Test(cells, latex_counts_the_lines_of_words) {
    static const char says[] =
        "This paragraph is said of the row above it; it is long enough for two lines of a page, since "
        "each has room for less than a hundred characters, and they stand together in one float.";
    begin("words", "Words");
    cells_column(&c, "n", 'r', "n"), cells_column(&c, "what", 'p', "what");
    for (int i = 0; i < 20; i++) {
        cells_space(&c);
        cells_row(&c), cell_integer(&c, i), cell_text(&c, says), cells_words(&c, 2, says);
    }
    cells_tex(&c, &(TexLayout){0}, &out);
    int floats = times("\\begin{table}"), before = 0;
    cr_expect(floats >= 2 && floats <= 4, "%s", out.at);
    for (const char *s = out.at; (s = strstr(s, "\\midrule\n")); s++, before++)
        cr_expect(s[9] >= '0' && s[9] <= '9', "a float begins with its row: %.60s", s);
    cr_expect_eq(before, floats);
}

Test(cells, tables_below_each_other_share_a_float) {
    CellsList l = {0};
    text_init(&out);
    for (int i = 0; i < 4; i++) {
        Cells *t = cells_add(&l, "t", i == 2 ? "Hidden" : "Table");
        cells_column(t, "a", 'r', "a");
        for (int k = 0; k < (i == 3 ? 44 : 5); k++) cells_row(t), cell_integer(t, k);
        text_format(&t->notes, "Note %d.", i);
        t->below = i > 0, t->data = i == 2;
    }
    cells_list_tex(&l, &(TexLayout){0}, &out);
    cr_expect_eq(times("\\begin{table}"), 2, "the last has no room below:\n%s", out.at);
    cr_expect_eq(times("\\begin{tabular}"), 3, "%s", out.at);
    cr_expect_eq(times("Note 2."), 0, "a table for programs alone has no LaTeX");
    text_clear(&out), cells_list_text(&l, 80, &out);
    cr_expect_eq(times("Note "), 3);
    text_clear(&out), cells_list_html(&l, &out);
    cr_expect_eq(times("<table"), 3);
    json_auto_t *all = cells_list_json(&l);
    cr_expect_eq(json_array_size(all), 4u);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(all, 2), "title")), "Hidden");
    cells_list_release(&l);
    cr_expect_eq(l.count, 0);
}

/* What people write into names. */
Test(cells, bad_text) {
    static const char bad[] = "a_b% & #1 {x} ~^\\ <b>\"q\" $5 |p| *s* `t`, κ\nnext\xff\x1b[31m";
    fill_simple("h|\"\n", bad);
    cells_tex(&c, &(TexLayout){0}, &out);
    has("a\\_b\\% \\& \\#1 \\{x\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{} "
        "\\textless{}b\\textgreater{}''q'' \\$5 ");
    has("\\textbar{}p\\textbar{} *s* {`}t', \\ensuremath{\\kappa}?next??[31m & 7 \\\\\n");
    text_clear(&out), cells_html(&c, &out);
    has("&lt;b&gt;&quot;q&quot;"), has("next??[31m"), has_not("<b>"), has_not("\x1b");
    text_clear(&out), cells_markdown(&c, &out);
    has("| a_b% & #1 {x} \\~^\\\\ \\<b>\"q\" \\$5 \\|p\\| \\*s\\* \\`t\\`, κ next??[31m | 7 |\n");
    has("| h\\|\"  | n |\n");
    cr_expect_eq(times("\n"), 3);
    text_clear(&out), cells_text(&c, 120, &out);
    has(" κ next??[31m"), has_not("\x1b");
    cr_expect_eq(times("\n"), 2, "%s", out.at);
    text_clear(&out), cells_csv(&c, &out);
    has("a,b\n\"a_b% & #1 {x} ~^\\ <b>\"\"q\"\" $5 |p| *s* `t`, κ\nnext\xff\x1b[31m\",7\n");
    fill_simple("_x_", "<.001 & 3 < 4 &lt; _it_ [a](b) !");
    cells_markdown(&c, &out);
    has("| <.001 & 3 < 4 &amp;lt; \\_it\\_ \\[a](b) ! | 7 |\n"), has("| \\_x\\_ | n |\n");
    fill_simple("[x]", "[1, 2]"); /* \\ would take a bracket that begins a row */
    cells_tabular(&c, &(TexLayout){0}, &out);
    has("{}[x] & n \\\\\n"), has("{}[1, 2] & 7 \\\\\n");
}

/* JSON has the bytes themselves, so those that are no text must not end a list of rows. */
Test(cells, json_of_bytes_that_are_no_text) {
    fill_simple("a", "\xff\xfe");
    json_auto_t *rows = cells_json(&c);
    cr_assert_eq(json_array_size(rows), 1u);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 0), "a")), "??");
    OWNED char *text = json_dumps(rows, 0);
    cr_expect(text);
}

Test(cells, empty_tables) {
    static const char says[] = "Nothing here. No arm has two seeds.";
    begin("empty", "Nothing here");
    text_format(&c.caption, "No arm has two seeds.");
    for (int columns = 0; columns < 2; columns++) {
        text_clear(&out), cells_text(&c, 80, &out);
        cr_expect_str_eq(out.at, "Nothing here\nNo arm has two seeds.\n");
        text_clear(&out), cells_tex(&c, &(TexLayout){0}, &out);
        cr_expect_str_eq(out.at, "Nothing here. No arm has two seeds.\n");
        text_clear(&out), cells_html(&c, &out);
        has(says), has_not("<thead>"), has_not("<tbody>"), has_not("<table");
        json_auto_t *rows = cells_json(&c);
        cr_expect_eq(json_array_size(rows), 0u);
        text_clear(&out), cells_csv(&c, &out);
        cr_expect_str_eq(out.at, columns ? "a\n" : "\n");
        text_clear(&out), cells_markdown(&c, &out);
        cr_expect_str_eq(out.at, columns ? "| A |\n|---|\n" : "");
        if (!columns) cells_column(&c, "a", 'l', "A");
    }
}

Test(cells, one_column) {
    begin("one", "");
    cells_column(&c, "x", 'r', "x");
    for (int i = 8; i < 12; i++) cells_row(&c), cell_integer(&c, i);
    cells_text(&c, 60, &out);
    cr_expect_str_eq(out.at, "   x\n   8\n   9\n  10\n  11\n");
    text_clear(&out), cells_tabular(&c, &(TexLayout){.siunitx = true}, &out);
    has("{@{}S[table-align-text-post=false,table-format=2.0]@{}}\n\\toprule\n{x} \\\\\n\\midrule\n8 \\\\\n");
    text_clear(&out), cells_markdown(&c, &out);
    cr_expect_str_eq(out.at, "| x |\n|---:|\n| 8 |\n| 9 |\n| 10 |\n| 11 |\n");
    text_clear(&out), cells_csv(&c, &out);
    cr_expect_str_eq(out.at, "x\n8\n9\n10\n11\n");
}

Test(cells, marks) {
    begin("m", "");
    cells_column(&c, "x", 'r', "x");
    cells_row(&c), cell_number(&c, 1, 1), cell_mark(&c, MARK_separated | MARK_equivalent | MARK_diverged);
    cells_row(&c), cell_number(&c, 2, 1), cell_mark(&c, MARK_diverged), cell_strong(&c, true);
    cells_row(&c), cell_number(&c, 3, 1);
    cells_row(&c), cell_number(&c, 1e9, 1), cell_mark(&c, MARK_equivalent);
    cells_text(&c, 60, &out);
    cr_expect_str_eq(out.at, "             x\n       1.0 †‡§\n       2.0 §\n       3.0\n  1.00e+09 ‡\n");
    text_clear(&out), cells_tabular(&c, &(TexLayout){0}, &out);
    has("1.0$^{\\dagger\\ddagger\\S}$ \\\\\n\\textbf{2.0}$^{\\S}$ \\\\\n3.0 \\\\\n"),
        has("$1.00{\\times}10^{9}$\\,$^{\\ddagger}$");
    text_clear(&out), cells_tabular(&c, &(TexLayout){.siunitx = true}, &out);
    has("1.0{$^{\\dagger\\ddagger\\S}$} \\\\\n\\bfseries 2.0{$^{\\S}$} \\\\\n3.0 "
        "\\\\\n{$1.00{\\times}10^{9}$\\,$^{\\ddagger}$}");
    text_clear(&out), cells_html(&c, &out);
    has("<td>1.0<sup>&dagger;&Dagger;&sect;</sup></td>"), has("<td><strong>2.0</strong><sup>&sect;</sup></td>");
    text_clear(&out), cells_markdown(&c, &out);
    has("| 1.0 †‡§ |\n| **2.0 §** |\n| 3.0 |\n");
    text_clear(&out), cells_csv(&c, &out);
    cr_expect_str_eq(out.at, "x\n1\n2\n3\n1000000000\n", "marks are for people");
}

/* Lines in small type below a row are for people: programs get each row once. */
Test(cells, a_row_below_is_no_row_of_data) {
    fill_simple("a", "x");
    cells_row_below(&c);
    cell_text(&c, ""), cell_text(&c, "[1, 2]");
    cells_csv(&c, &out);
    cr_expect_str_eq(out.at, "a,b\nx,7\n");
    json_auto_t *rows = cells_json(&c);
    cr_expect_eq(json_array_size(rows), 1u);
    text_clear(&out), cells_tabular(&c, &(TexLayout){0}, &out);
    has(" & {\\scriptsize {}[1, 2]} \\\\\n");
}

Test(cells, numbers_that_are_not_finite) {
    begin("n", "");
    cells_column(&c, "x", 'r', "x"), cells_column(&c, "x", 'i', "range");
    cells_row(&c), cell_number(&c, nan_, 2), cell_interval(&c, nan_, nan_, 2, "one seed");
    cells_row(&c), cell_number(&c, -INFINITY, 2), cell_interval(&c, -INFINITY, 3, 2, "open");
    cells_csv(&c, &out);
    cr_expect_str_eq(out.at, "x,x_lo,x_hi\n,,\n,,3\n");
    json_auto_t *rows = cells_json(&c);
    cr_expect(json_is_null(json_object_get(json_array_get(rows, 0), "x_lo")));
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 1), "x")), "-inf");
    text_clear(&out), cells_text(&c, 60, &out);
    has("  n/a  n/a (one seed)\n  n/a  n/a (open)\n");
}

/* An axis from -1 to 3 has zero a quarter in; lines are cut off at its ends; without a number nothing is drawn. */
Test(cells, pictures_of_intervals) {
    CellAxis axis = {.margin = 0.5};
    cell_axis_add(&axis, -1), cell_axis_add(&axis, 3), cell_axis_add(&axis, nan_);
    cr_expect(axis.from == -1 && axis.to == 3);
    begin("g", "");
    cells_column(&c, "arm", 'l', "arm"), cells_column(&c, NULL, 'g', "picture");
    cells_row(&c), cell_text(&c, "a"), cell_picture(&c, 1, 0, 9, axis);
    cells_row(&c), cell_text(&c, "b"), cell_picture(&c, 2, nan_, nan_, axis);
    cells_row(&c), cell_text(&c, "c"), cell_picture(&c, nan_, 0, 1, axis);
    cells_html(&c, &out);
    has("<rect x=\"22.5\" width=\"45.0\" height=\"18\"/><path class=\"zero\" d=\"M45.0 0V18\"/>");
    has("<path d=\"M45.0 9H180.0\"/><circle cx=\"90.0\" cy=\"9\" r=\"3.5\"/></svg>");
    cr_expect_eq(times("<circle"), 2);
    cr_expect_eq(times("<path d="), 1);
    text_clear(&out), cells_text(&c, 60, &out);
    cr_expect_str_eq(out.at, "  arm\n  a\n  b\n  c\n");
    text_clear(&out), cells_markdown(&c, &out);
    has_not("picture");
    text_clear(&out), cells_tex(&c, &(TexLayout){0}, &out);
    has_not("picture");
    text_clear(&out), cells_tex(&c, &(TexLayout){.flows = true}, &out);
    has("\\begin{picture}(56,7)\\put(7.0,0){\\color[gray]{.85}\\rule{14.0pt}{7pt}}\\put(14.0,0){\\line(0,1){7}}");
    has("\\put(14.0,3.5){\\line(1,0){42.0}}\\put(28.0,3.5){\\circle*{3}}\\end{picture}");
    text_clear(&out), cells_csv(&c, &out);
    cr_expect_str_eq(out.at, "arm\na\nb\nc\n");
}

/* A long table breaks where a page ends, a short one does not; what stands below another one has no number. */
Test(cells, tables_that_flow) {
    LOCAL(cells_list_release) CellsList list = {0};
    TexLayout flow = {.flows = true, .mark = "EXPLORATORY: "};
    text_init(&out);
    for (int i = 0; i < 3; i++) {
        Cells *t = cells_add(&list, "t", i == 0 ? "Long" : i == 1 ? "Short" : "Below");
        t->below = i == 2;
        cells_column(t, "a", 'l', "a"), cells_column(t, "b", 'r', "b");
        for (int row = 0; row < (i ? 3 : 200); row++) cells_row(t), cell_text(t, "x"), cell_integer(t, row);
    }
    cells_list_tex(&list, &flow, &out);
    cr_expect_eq(times("\\begin{table}"), 0);
    cr_expect_eq(times("\\begin{longtable}[l]"), 1);
    cr_expect_eq(times("\\begin{minipage}"), 2);
    cr_expect_eq(times("\\refstepcounter{table}"), 1);
    has("\\thetable: EXPLORATORY: Long."), has("\\endfirsthead"), has("\\thetable, continued");
    has("\\thetable: EXPLORATORY: Short."), has_not("Below");
}

/* Paragraphs become narrow before a table loses columns; words below a row stand on its page. */
Test(cells, a_wide_table_that_flows) {
    LOCAL(cells_list_release) CellsList list = {0};
    TexLayout flow = {.flows = true};
    const char *words = "words and words that are broken at a line's end, several times";
    Cells *t = cells_add(&list, "t", "Wide");
    text_init(&out);
    for (int k = 0; k < 6; k++) cells_column(t, (char[]){'a' + (char)k, 0}, k < 3 ? 'p' : 'l', "head");
    for (int row = 0; row < 2; row++) {
        cells_row(t);
        for (int k = 0; k < 6; k++) cell_text(t, k < 3 ? words : "twenty characters no");
        if (!row) cells_words(t, 0, "what is said of the row");
    }
    cells_list_tex(&list, &flow, &out);
    cr_expect_eq(times("\\begin{tabular}"), 1);
    has_not("continued");
    const char *paragraph = strstr(out.at, " p{");
    int points = paragraph ? atoi(paragraph + 3) : 0;
    cr_expect(points > 55 && points < 80, "p{%dpt}", points);
    cr_expect_eq(times(" \\\\*\n"), 1, "%s", out.at);
}

Test(cells, links_are_of_html) {
    fill_simple("a", "x");
    cell_link(&c, "#a\"b");
    cells_html(&c, &out);
    has("<a href=\"#a&quot;b\">7</a>");
    text_clear(&out), cells_text(&c, 60, &out);
    has_not("#a");
}
