/* How wide a page is taken to be. */
#include <criterion/criterion.h>

#include "bench/formats/terminal.h"

TestSuite(terminal, .timeout = 60);

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
