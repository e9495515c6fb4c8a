/* A grid of numbers for LaTeX: filled once, written with plain columns or with siunitx. */
#ifndef BENCH_WRITE_TABLE_GRID_H
#define BENCH_WRITE_TABLE_GRID_H

#include "bench/write/table.h"

enum { GRID_MOST_COLUMNS = 12, GRID_MOST_ROWS = 48 };

typedef struct {
    char text[64]; /* a shown number (bench/formats/latex.h), or other plain text; "" = empty */
    bool bold, italic;
    bool latex; /* the text is LaTeX, of a smaller line under a number */
    Marks marks;
} GridCell;

typedef struct {
    char label[128]; /* LaTeX */
    GridCell cell[GRID_MOST_COLUMNS];
} GridRow;

typedef struct {
    int columns, rows;
    bool siunitx;
    GridRow row[GRID_MOST_ROWS];
} Grid;

GridRow *grid_row(Grid *g, const char *label);

/* "{@{}l rr@{}}" with the columns' formats; then the rows, without the rules around them. */
void grid_columns(const Grid *g, Text *out);
void grid_rows(const Grid *g, Text *out);
void grid_row_tex(const Grid *g, int row, Text *out);

/* "$^{\dagger\S}$", or nothing. */
void grid_marks(Marks m, Text *out);

/* A part of the table that fits on a page: a cell at one step, the baseline and at most four arms. */
enum { PART_MOST_ARMS = 5 };
typedef struct {
    int cell, step, number, parts; /* step: index into the cell's; number: 1-based among the parts */
    int arms, arm[PART_MOST_ARMS];
    bool reported[PART_MOST_ARMS]; /* the write-up has numbers of this arm: a second column */
} Part;

/* An arm's name in a heading: its label, or "{[3]}" when that is too long (the notes say which). */
void part_arm(const Table *t, int arm, Text *out);

/* The tests of a part, and what stands under the tables. */
void table_tests_tex(const Table *t, const Part *p, Text *out);
void table_notes_tex(const Table *t, const Part *p, Text *out);

#endif
