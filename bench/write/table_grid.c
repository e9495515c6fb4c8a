#include "bench/write/table_grid.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_WHOLE = 3 };

GridRow *grid_row(Grid *g, const char *label) {
    GridRow *row = &g->row[g->rows < GRID_MOST_ROWS ? g->rows++ : GRID_MOST_ROWS - 1];
    *row = (GridRow){0};
    snprintf(row->label, sizeof row->label, "%s", label);
    return row;
}

/* -?digits(.digits)?: what an S column aligns. A long number would make the whole column as wide as its digits, those
 * of its smaller neighbours behind the point added. */
static bool alignable(const char *text, int *whole, int *decimals, bool *sign) {
    const char *s = text + (*text == '-');
    size_t before = strspn(s, "0123456789"), after = 0;
    if (!before || before > LONGEST_WHOLE) return false;
    if (s[before] == '.') after = strspn(s + before + 1, "0123456789");
    if (s[before + (after ? after + 1 : 0)]) return false;
    *whole = (int)before, *decimals = (int)after, *sign = *text == '-';
    return true;
}

static bool any_mark(Marks m) {
    return m.separated || m.equivalent || m.diverged;
}

void grid_marks(Marks m, Text *out) {
    if (any_mark(m))
        text_format(out, "$^{%s%s%s}$", m.separated ? "\\dagger" : "", m.equivalent ? "\\ddagger" : "",
                    m.diverged ? "\\S" : "");
}

/* table-format wide enough for every number of the column, and room for the widest mark behind it. */
static void number_column(const Grid *g, int column, Text *out) {
    int most_whole = 1, most_decimals = 0, whole, decimals;
    bool any_sign = false, sign;
    Marks marks = {0};
    for (int i = 0; i < g->rows; i++) {
        const GridCell *c = &g->row[i].cell[column];
        if (!alignable(c->text, &whole, &decimals, &sign)) continue;
        most_whole = whole > most_whole ? whole : most_whole;
        most_decimals = decimals > most_decimals ? decimals : most_decimals;
        any_sign |= sign;
        marks.separated |= c->marks.separated, marks.equivalent |= c->marks.equivalent;
        marks.diverged |= c->marks.diverged;
    }
    text_format(out, "S[table-align-text-post=false,table-format=%s%d.%d", any_sign ? "-" : "", most_whole,
                most_decimals);
    if (any_mark(marks)) {
        text_format(out, ",table-space-text-post={");
        grid_marks(marks, out);
        text_format(out, "}");
    }
    text_format(out, "]");
}

void grid_columns(const Grid *g, Text *out) {
    text_format(out, "{@{}l");
    for (int i = 0; i < g->columns; i++) {
        text_format(out, " ");
        if (g->siunitx)
            number_column(g, i, out);
        else
            text_format(out, "r");
    }
    text_format(out, "@{}}");
}

/* An S column reads the number itself; everything else stands in braces. */
static void write_cell(const Grid *g, const GridCell *c, Text *out) {
    int whole, decimals;
    bool sign, number = alignable(c->text, &whole, &decimals, &sign), braces = g->siunitx && !number;
    text_format(out, " & ");
    if (!c->text[0]) return;
    if (c->latex) {
        text_format(out, "{\\scriptsize %s}", c->text);
        return;
    }
    if (braces) text_format(out, "{");
    if (g->siunitx && number) {
        text_format(out, "%s%s", c->bold ? "\\bfseries " : "", c->text);
    } else {
        if (c->bold) text_format(out, "\\textbf{");
        if (c->italic) text_format(out, "\\textit{");
        latex_number(out, c->text);
        if (c->bold || c->italic) text_format(out, "}");
    }
    if (any_mark(c->marks)) {
        if (strchr(c->text, 'e')) text_format(out, "\\,"); /* not another exponent */
        if (g->siunitx && number) text_format(out, "{");
        grid_marks(c->marks, out);
        if (g->siunitx && number) text_format(out, "}");
    }
    if (braces) text_format(out, "}");
}

void grid_row_tex(const Grid *g, int row, Text *out) {
    text_format(out, "%s", g->row[row].label);
    for (int c = 0; c < g->columns; c++) write_cell(g, &g->row[row].cell[c], out);
    text_format(out, " \\\\\n");
}

void grid_rows(const Grid *g, Text *out) {
    for (int i = 0; i < g->rows; i++) grid_row_tex(g, i, out);
}
