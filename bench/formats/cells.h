/* Cells: a table as data. Its maker fills columns, rows and cells once; renderers that know no statistics make terminal
 * text, LaTeX, HTML, Markdown, CSV and JSON of them.
 *
 * A cell has the shown text, in the notation of bench/formats/latex.h ("-0.012", "[0.1, 0.2]", "<.001", "1e-08"), and
 * the exact number, for CSV and JSON. Filling appends: cells_row begins a row, each cell_* function appends a cell to
 * it, and missing cells are empty. */
#ifndef BENCH_FORMATS_CELLS_H
#define BENCH_FORMATS_CELLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { CELLS_COLUMNS_MAX = 64 };

/* Marks after a cell: dagger, double dagger, section sign; the notes explain them. */
typedef enum { MARK_separated = 1, MARK_equivalent = 2, MARK_diverged = 4 } CellMark;

typedef enum { CELL_empty, CELL_text, CELL_number, CELL_interval, CELL_picture } CellKind;

/* Axis of a picture of an interval, from `from` to `to`, with a line at 0 and a band of a margin around it (NaN or 0:
 * none). Rows that are compared share one axis. */
typedef struct {
    double from, to, margin;
} CellAxis;

typedef struct {
    CellKind kind;
    size_t shown;     /* offset in Cells.words of the shown text */
    double x, lo, hi; /* exact; NaN: none */
    unsigned marks;
    bool strong, emphatic;
    bool whole;       /* shown holds all digits of a whole number, which x may not */
    size_t style; /* offset of its class in HTML; 0: none */
    size_t link;  /* offset of where it leads in HTML; 0: nowhere */
    CellAxis axis; /* of a picture */
} Cell;

typedef struct {
    char align;           /* l, r, i: an interval, p: words that are broken into lines, g: pictures of intervals; X, I:
                             a number or text and an interval for CSV and JSON alone, after all others */
    size_t key;           /* offset of its name in CSV and JSON; 0: not in these */
    size_t heading, over; /* offsets; neighbours with equal `over` share it */
    bool stacks; /* on a terminal too narrow for all it is below the column before it, an interval first beside it */
} CellColumn;

typedef enum {
    ROW_cells,
    ROW_heading, /* begins a group of rows: words across all columns; a column `group` of CSV and JSON */
    ROW_words,   /* a paragraph across all columns, not in CSV and JSON */
    ROW_space    /* space before the next row; on terminals only before a heading */
} RowKind;

typedef struct {
    RowKind kind;
    size_t shown; /* ROW_heading and ROW_words: offset of the text */
    int indent;   /* ROW_words: characters */
    bool below;   /* ROW_cells: a second line of the row above, in small type */
    size_t first; /* index of its first cell */
} CellRow;

typedef struct {
    const char *name; /* name in files and JSON: "ranking"; it outlives the table */
    int stub;         /* columns repeated in each block if a table is broken to a width; initially 1 */
    bool data;        /* true: for CSV and JSON only */
    bool below;       /* it belongs to the one before it: its title is not printed on terminals, and in LaTeX it shares
                         that one's float where there is room */
    int most_columns; /* limit of a LaTeX float, without the stub; 0: all */
    int most_rows;    /* limit of a LaTeX float; 0: as many as fit on a page */
    Text title;       /* a line; begins a caption, is above the rows on a terminal */
    Text caption;     /* sentences after the title */
    Text notes;       /* sentences below the rows */
    Text words;       /* all shown texts, each terminated */
    CellColumn column[CELLS_COLUMNS_MAX];
    CellRow *row;
    Cell *cell;
    int columns, shown, rows, row_room; /* shown: columns before the first one for CSV and JSON only */
    size_t cells, cell_room;
} Cells;

void cells_init(Cells *c, const char *name, const char *title);
void cells_release(Cells *c);

/* Add a column, before any row. key NULL: not in CSV and JSON. over: "" or a heading that neighbours share. */
void cells_column(Cells *c, const char *key, char align, const char *heading);
void cells_column_over(Cells *c, const char *key, char align, const char *heading, const char *over);

/* Add columns in this order, {key, "r", heading} each or {key, "r", heading, over}; columns for CSV and JSON alone by
 * their keys. The lists end with a column without align, a key NULL. */
typedef const char *CellsHead[4];
void cells_heads(Cells *c, const CellsHead *head);
void cells_keys(Cells *c, const char *const *key);
#define cells_columns(c, ...) cells_heads(c, (const CellsHead[]){__VA_ARGS__, {NULL}})
#define cells_data(c, ...) cells_keys(c, (const char *const[]){__VA_ARGS__, NULL})

void cells_stack(Cells *c); /* the last column stacks; before any row */

void cells_row(Cells *c);
void cells_row_below(Cells *c);
void cells_heading(Cells *c, const char *words); /* "": nothing */
void cells_words(Cells *c, int indent, const char *words);
void cells_space(Cells *c); /* before a first row: nothing */

/* Append a cell to the last row. A number that is not finite is shown as "n/a", or as the reason if one is given. */
void cell_none(Cells *c);
void cell_text(Cells *c, const char *text);
void cell_format(Cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append what write(..., &text) writes. */
#define cell_by(c, write, ...) \
    do { \
        LOCAL_TEXT(said_); \
        write(__VA_ARGS__, &said_); \
        cell_text(c, said_.at); \
    } while (0)
void cell_number(Cells *c, double x, int decimals);
void cell_signed(Cells *c, double x, int decimals);
void cell_exact(Cells *c, double x); /* the shortest decimal that reads back; empty if not finite */
void cell_integer(Cells *c, long x);
void cell_p(Cells *c, double p);
void cell_shown(Cells *c, double x, const char *shown); /* a number shown as given; "": empty */
void cell_interval(Cells *c, double lo, double hi, int decimals, const char *why_not);
void cell_interval_shown(Cells *c, double lo, double hi, const char *shown);
/* Append a picture: a dot at x and a line from lo to hi (NaN: none), cut at the axis' ends; x NaN: empty. On terminals
 * it is drawn in characters. */
void cell_picture(Cells *c, double x, double lo, double hi, CellAxis axis);
void cell_axis_add(CellAxis *axis, double x); /* widens it; NaN changes nothing */
/* Append "3 of 8"; CSV and JSON have the count. */
void cell_count(Cells *c, int count, int of);

/* Set properties of the last cell. */
void cell_mark(Cells *c, unsigned marks);
void cell_strong(Cells *c, bool strong);
void cell_emphasize(Cells *c);
void cell_style(Cells *c, const char *name); /* a class of HTML */
void cell_link(Cells *c, const char *to);    /* of HTML: "#claims" */

const Cell *cells_at(const Cells *c, int row, int column); /* NULL: the row has none there */
const char *cells_words_at(const Cells *c, size_t shown);

/* A list of tables, in order. */
typedef struct {
    Cells *at;
    int count, room;
} CellsList;

Cells *cells_add(CellsList *l, const char *name, const char *title); /* valid until the next is added */
void cells_list_release(CellsList *l);

/* The table without its pictures, for renderers that draw none: false where it has none. Texts are those of c; row and
 * cell are freed by the caller. */
bool cells_without_pictures(const Cells *c, Cells *out);

/* A separator of lines in a cell of stacked columns. */
#define CELLS_BELOW "\x1e"

/* The table with its stacked columns in the ones before them, intervals beside or below these: false where none stacks.
 * out is released by the caller. */
bool cells_stacked(const Cells *c, bool intervals_below, Cells *out);

/* ---- renderers ---- */

/* Render for a terminal of `width` columns, aligned by blanks; columns that do not fit follow in further blocks, each
 * with the stub. Title and caption are above, notes below, both broken to the width. */
void cells_text(const Cells *c, int width, Text *out);
void cells_list_text(const CellsList *l, int width, Text *out); /* an empty line before each */

typedef struct {
    bool siunitx;      /* numbers in S columns */
    const char *mark;  /* prefix of each title: "EXPLORATORY: ", or "" */
    int column;        /* width in points of a two-column class's column: a wider table spans both; 0: one column */
    const char *label; /* the floats have \label{tab:LABEL-1} and so on; NULL: none */
    bool flows;        /* no floats: tables break across pages in place (package longtable); `column` is ignored, and
                          the text block is 6.5 inches wide */
} TexLayout;

/* Render booktabs tables in floats. A table longer or wider than a float goes on in a further one, "continued"; tables
 * with `below` share the float of the previous one if both fit on a page. */
void cells_tex(const Cells *c, const TexLayout *layout, Text *out);
void cells_list_tex(const CellsList *l, const TexLayout *layout, Text *out);
/* Render the tabular without a float. */
void cells_tabular(const Cells *c, const TexLayout *layout, Text *out);

void cells_html(const Cells *c, Text *out);
void cells_list_html(const CellsList *l, Text *out);

/* Render GitHub's Markdown, without title and notes. */
void cells_markdown(const Cells *c, Text *out);
void cells_list_markdown(const CellsList *l, Text *out); /* with titles above and notes below */

/* Append text with Markdown's signs, tags and entities escaped. */
void markdown_text(const char *text, Text *out);

/* Render the columns that have a key, intervals as two, KEY_lo and KEY_hi. Numbers are the shortest decimals that read
 * back, empty if not finite. If rows have headings, the first column is `group`. */
void cells_csv(const Cells *c, Text *out);

/* Make a list of rows, each an object from key to number, text or null, with cells_csv's columns. */
json_t *cells_json(const Cells *c);
json_t *cells_list_json(const CellsList *l); /* [{table, title, rows}] */

#endif
