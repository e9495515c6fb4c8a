/* How wide a page is taken to be. */
#include "bench/formats/terminal.h"
#include "tests/test.h"

/* COLUMNS is the reader's word where a terminal is; files and pipes have one width. */
Test(terminal, the_width_of_a_page) {
    static const struct {
        bool terminal;
        const char *columns;
        int own, want;
    } rows[] = {{false, NULL, 0, PAGE_WIDTH}, {false, "60", 80, PAGE_WIDTH}, {true, NULL, 80, 80},
                {true, "60", 80, 60},         {true, NULL, 0, PAGE_WIDTH},   {true, "", 80, 80},
                {true, "sixty", 80, 80},      {true, "0", 80, PAGE_WIDTH},   {true, "-5", 80, PAGE_WIDTH},
                {true, "10", 80, 40},         {true, "9999999", 80, 400},    {true, "99999999999999999999", 80, 80},
                {true, "60 ", 80, 80},        {true, NULL, 20, 40}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(terminal_width_of(rows[i].terminal, rows[i].columns, rows[i].own), rows[i].want, "case %zu", i);
}

/* What is broken goes on below the column that two blanks set off; words and letters of several bytes stay whole. */
Test(terminal, lines_are_broken_to_fit) {
    static const struct {
        int width;
        const char *text, *want;
    } rows[] = {{60, "  --set KEY=VALUE              override a key; may be repeated; [a, b] sweeps it\nshort\n",
                 "  --set KEY=VALUE              override a key; may be\n"
                 "                               repeated; [a, b] sweeps it\nshort\n"},
                {11, "one two \xc3\xa4\xc3\xa4\xc3\xa4 four\n", "one two \xc3\xa4\xc3\xa4\xc3\xa4\nfour\n"},
                {10, "averyveryverylongword and more", "averyveryv\nerylongwor\nd and more\n"},
                {24, "  runs/0123456789abcdef/record.json", "  runs/0123456789abcdef/\n  record.json\n"},
                {20, "n8|pair:seed|v0.1.0|EXPLORATORY\n|unbroken-after-its-first-bar\n",
                 "n8|pair:seed|v0.1.0\n|EXPLORATORY\n|unbroken-after-its-\nfirst-bar\n"},
                {40, "  6  0  gate  2048 x 4    a.name.of.a.tensor\n                        the.scale.of.it.all\n",
                 "  6  0  gate  2048 x 4\n                      a.name.of.a.tensor\n"
                 "                     the.scale.of.it.all\n"},
                {10, "  (+)<-------- strokes stay\n   |      |\n", "  (+)<-------- strokes stay\n   |      |\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LOCAL_TEXT(out);
        terminal_fit(rows[i].text, rows[i].width, &out);
        cr_expect_str_eq(out.at, rows[i].want, "case %zu", i);
    }
}

Test(terminal, verdicts_and_titles_are_painted) {
    LOCAL_TEXT(out);
    terminal_paint("\nA title\nA sentence.\n\n  Mine  +0.1  worse than Pre-LN\n  Peri  -0.1  better than Pre-LN\n"
                   "  a  b\n",
                   &out);
    HOLDS(out.at, "\033[1mA title\033[0m\nA sentence.\n");
    HOLDS(out.at, "  +0.1  \033[31mworse than Pre-LN\033[0m\n");
    HOLDS(out.at, "\033[32mbetter than Pre-LN\033[0m\n  a  b\n");
}
