/* A number that moves over the steps, in plain characters. */
#include <string.h>

#include "bench/figures/block.h"

enum { ROWS = 5, COLUMNS = 41 };

void moves_text(const char *what, double from, double to, Text *out) {
    double least = from < to ? from : to, most = from < to ? to : from;
    if (most == least) most = least + 1;
    text_format(out, "  %s\n", what);
    for (int row = ROWS - 1; row >= 0; row--) {
        char line[COLUMNS + 1], number[40] = "";
        memset(line, ' ', COLUMNS);
        line[COLUMNS] = 0;
        for (int i = 0; i < COLUMNS; i++) {
            double value = from + (to - from) * i / (COLUMNS - 1);
            if ((int)((value - least) / (most - least) * (ROWS - 1) + 0.5) == row) line[i] = '*';
        }
        if (row == ROWS - 1) format_real(number, most);
        if (row == 0) format_real(number, least);
        for (size_t n = COLUMNS; n && line[n - 1] == ' '; n--) line[n - 1] = 0;
        text_format(out, "  %8s |%s\n", number, line);
    }
    text_format(out, "  %8s +-- the first step %*s the last --\n", "", COLUMNS - 26, "");
}
