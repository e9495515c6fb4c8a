/* Fill a table: append rows and cells. */
#include "bench/formats/cells.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/formats/latex.h"

void cells_init(Cells *c, const char *name, const char *title) {
    *c = (Cells){.name = name, .stub = 1};
    text_init(&c->title), text_init(&c->caption), text_init(&c->notes), text_init(&c->words);
    text_add(&c->words, "", 1); /* offset 0: no text */
    text_format(&c->title, "%s", title);
}

void cells_release(Cells *c) {
    text_release(&c->title), text_release(&c->caption), text_release(&c->notes), text_release(&c->words);
    free(c->row), free(c->cell);
    *c = (Cells){0};
}

/* Keep a text; return its offset. */
static size_t keep(Cells *c, const char *text) {
    size_t at = c->words.length;
    if (!text[0]) return 0;
    text_add(&c->words, text, strlen(text) + 1);
    return at;
}

/* Return true if no other column has the key, which CSV and JSON need once. */
static bool is_new_key(const Cells *c, const char *key, char align) {
    bool interval = align == 'i' || align == 'I', fresh = true;
    for (int k = 0; k < c->columns; k++) {
        bool other = c->column[k].align == 'i' || c->column[k].align == 'I';
        fresh &= interval != other || strcmp(cells_words_at(c, c->column[k].key), key) != 0;
    }
    return fresh;
}

void cells_column_over(Cells *c, const char *key, char align, const char *heading, const char *over) {
    assert(c->columns < CELLS_COLUMNS_MAX && !c->rows && strchr("lripgXI", align));
    assert(strchr("XI", align) || c->shown == c->columns);
    assert(!key || is_new_key(c, key, align));
    size_t name = keep(c, key ? key : ""), at = keep(c, heading);
    bool same = c->columns && over[0] && !strcmp(cells_words_at(c, c->column[c->columns - 1].over), over);
    size_t above = same ? c->column[c->columns - 1].over : keep(c, over);
    c->shown += !strchr("XI", align);
    c->column[c->columns++] = (CellColumn){.key = name, .align = align, .heading = at, .over = above};
}

void cells_column(Cells *c, const char *key, char align, const char *heading) {
    cells_column_over(c, key, align, heading, "");
}

void cells_heads(Cells *c, const CellsHead *head) {
    for (; (*head)[1]; head++) {
        const char *const *h = *head;
        cells_column_over(c, h[0], h[1][0], h[2], h[3] ? h[3] : "");
    }
}

void cells_keys(Cells *c, const char *const *key) {
    for (; *key; key++) cells_column(c, *key, 'X', "");
}

void cells_stack(Cells *c) {
    assert(c->columns > 1 && !c->rows);
    c->column[c->columns - 1].stacks = true;
}

/* Grow a list of items that is full. */
static void *grown(void *at, size_t *room, size_t size) {
    *room = *room ? 2 * *room : 16;
    return mem_grow(at, *room, size);
}

static CellRow *add_row(Cells *c, RowKind kind) {
    if (c->rows == c->row_room) {
        size_t room = (size_t)c->row_room;
        c->row = grown(c->row, &room, sizeof *c->row);
        c->row_room = (int)room;
    }
    c->row[c->rows] = (CellRow){.kind = kind, .first = c->cells};
    return &c->row[c->rows++];
}

void cells_row(Cells *c) {
    (void)add_row(c, ROW_cells);
}

void cells_row_below(Cells *c) {
    add_row(c, ROW_cells)->below = true;
}

void cells_heading(Cells *c, const char *words) {
    if (words[0]) add_row(c, ROW_heading)->shown = keep(c, words);
}

void cells_words(Cells *c, int indent, const char *words) {
    CellRow *row = add_row(c, ROW_words);
    row->shown = keep(c, words), row->indent = indent;
}

void cells_space(Cells *c) {
    if (c->rows) (void)add_row(c, ROW_space);
}

/* Append a cell to the last row. */
static Cell *add(Cells *c, CellKind kind, double x, const char *shown) {
    assert(c->rows && c->row[c->rows - 1].kind == ROW_cells);
    assert(c->cells - c->row[c->rows - 1].first < (size_t)c->columns);
    if (c->cells == c->cell_room) c->cell = grown(c->cell, &c->cell_room, sizeof *c->cell);
    c->cell[c->cells] = (Cell){.kind = kind, .shown = keep(c, shown), .x = x, .lo = (double)NAN, .hi = (double)NAN};
    return &c->cell[c->cells++];
}

void cell_none(Cells *c) {
    (void)add(c, CELL_empty, (double)NAN, "");
}

void cell_text(Cells *c, const char *text) {
    (void)add(c, CELL_text, (double)NAN, text);
}

void cell_format(Cells *c, const char *format, ...) {
    va_list list, again;
    va_start(list, format), va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    assert(n >= 0);
    OWNED char *text = mem_alloc((size_t)n + 1, 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(list), va_end(again);
    cell_text(c, text);
}

void cell_shown(Cells *c, double x, const char *shown) {
    (void)add(c, CELL_number, x, shown);
}

void cell_number(Cells *c, double x, int decimals) {
    cell_shown(c, x, SHOW_NUMBER(x, decimals));
}

void cell_signed(Cells *c, double x, int decimals) {
    cell_shown(c, x, SHOW_SIGNED(x, decimals));
}

/* Return true if the next cell's column stands in CSV and JSON alone, which write the number itself. */
static bool data_only(const Cells *c) {
    return c->column[c->cells - c->row[c->rows - 1].first].align == 'X';
}

void cell_exact(Cells *c, double x) {
    cell_shown(c, x, isfinite(x) && !data_only(c) ? FORMAT_REAL(x == 0 ? 0 : x) : "");
}

void cell_integer(Cells *c, long x) {
    add(c, CELL_number, (double)x, SHOW_TEXT("%ld", x))->whole = true;
}

void cell_p(Cells *c, double p) {
    cell_shown(c, p, SHOW_P(p));
}

void cell_interval_shown(Cells *c, double lo, double hi, const char *shown) {
    Cell *cell = add(c, CELL_interval, (double)NAN, shown);
    cell->lo = lo, cell->hi = hi;
}

void cell_interval(Cells *c, double lo, double hi, int decimals, const char *why_not) {
    LOCAL_TEXT(shown);
    show_interval(&shown, lo, hi, decimals, why_not);
    cell_interval_shown(c, lo, hi, shown.at);
}

void cell_axis_add(CellAxis *axis, double x) {
    if (!isfinite(x)) return;
    axis->from = fmin(axis->from, x), axis->to = fmax(axis->to, x);
}

void cell_picture(Cells *c, double x, double lo, double hi, CellAxis axis) {
    Cell *cell = add(c, CELL_picture, x, "");
    cell->lo = lo, cell->hi = hi, cell->axis = axis;
}

/* Columns of a row are dropped from the end of what is kept. */
static size_t keep_cells(const Cells *c, int row, Cells *out, size_t kept) {
    size_t end = row + 1 < c->rows ? c->row[row + 1].first : c->cells;
    for (size_t i = c->row[row].first; i < end; i++)
        if (c->column[i - c->row[row].first].align != 'g') out->cell[kept++] = c->cell[i];
    return kept;
}

bool cells_without_pictures(const Cells *c, Cells *out) {
    bool any = false;
    size_t kept = 0;
    for (int k = 0; k < c->columns; k++) any |= c->column[k].align == 'g';
    if (!any) return false;
    *out = *c;
    out->columns = out->shown = 0;
    out->row = mem_alloc((size_t)c->rows + 1, sizeof *out->row);
    out->cell = mem_alloc(c->cells + 1, sizeof *out->cell);
    for (int k = 0; k < c->columns; k++) {
        if (c->column[k].align == 'g') continue;
        out->shown += k < c->shown;
        out->column[out->columns++] = c->column[k];
    }
    for (int i = 0; i < c->rows; i++) {
        out->row[i] = c->row[i];
        out->row[i].first = kept;
        kept = keep_cells(c, i, out, kept);
    }
    out->cells = kept;
    return true;
}

/* Append a text to `words`, behind a separator. */
static void join(Text *words, const char *text, const char *separator) {
    text_format(words, "%s%s", separator, text);
}

static void stack_columns(const Cells *c, bool below, Cells *out) {
    LOCAL_TEXT(words);
    for (int k = 0; k < c->shown; k++) {
        CellColumn column = c->column[k];
        bool beside = column.align == 'i' && !below;
        text_clear(&words);
        if (!column.stacks) {
            cells_column_over(out, NULL, column.align, cells_words_at(c, column.heading),
                              cells_words_at(c, column.over));
            continue;
        }
        CellColumn *into = &out->column[out->columns - 1];
        text_format(&words, "%s", cells_words_at(out, into->heading));
        join(&words, cells_words_at(c, column.heading), column.align == 'i' ? " " : ", ");
        into->heading = keep(out, words.at), into->align = 'l', into->stacks |= !beside;
    }
}

static void stack_row(const Cells *c, int row, bool below, Cells *out) {
    LOCAL_TEXT(words);
    cells_row(out);
    out->row[out->rows - 1].below = c->row[row].below;
    for (int k = 0; k < c->shown; k++) {
        const Cell *cell = cells_at(c, row, k);
        const char *text = cell ? cells_words_at(c, cell->shown) : "";
        if (!c->column[k].stacks) {
            Cell *copy = add(out, cell ? cell->kind : CELL_empty, (double)NAN, text);
            if (cell) copy->marks = cell->marks, copy->strong = cell->strong, copy->emphatic = cell->emphatic;
            continue;
        }
        Cell *into = &out->cell[out->cells - 1];
        bool beside = c->column[k].align == 'i' && !below;
        text_clear(&words);
        text_format(&words, "%s", cells_words_at(out, into->shown));
        join(&words, text, !beside ? CELLS_BELOW : text[0] ? " " : "");
        into->shown = keep(out, words.at);
    }
}

bool cells_stacked(const Cells *c, bool intervals_below, Cells *out) {
    bool any = false;
    for (int k = 0; k < c->shown; k++) any |= c->column[k].stacks;
    if (!any) return false;
    cells_init(out, c->name, c->title.at);
    out->stub = c->stub, out->below = c->below;
    text_format(&out->caption, "%s", c->caption.at);
    text_format(&out->notes, "%s", c->notes.at);
    stack_columns(c, intervals_below, out);
    for (int i = 0; i < c->rows; i++) {
        const CellRow *row = &c->row[i];
        switch (row->kind) {
        case ROW_cells: stack_row(c, i, intervals_below, out); break;
        case ROW_heading: cells_heading(out, cells_words_at(c, row->shown)); break;
        case ROW_words: cells_words(out, row->indent, cells_words_at(c, row->shown)); break;
        case ROW_space: cells_space(out); break;
        }
    }
    return true;
}

void cell_count(Cells *c, int count, int of) {
    cell_shown(c, count, SHOW_TEXT("%d of %d", count, of));
}

static Cell *last(Cells *c) {
    assert(c->rows && c->cells > c->row[c->rows - 1].first);
    return &c->cell[c->cells - 1];
}

void cell_mark(Cells *c, unsigned marks) {
    last(c)->marks = marks;
}

void cell_strong(Cells *c, bool strong) {
    last(c)->strong = strong;
}

void cell_emphasize(Cells *c) {
    last(c)->emphatic = true;
}

void cell_style(Cells *c, const char *name) {
    last(c)->style = keep(c, name);
}

void cell_link(Cells *c, const char *to) {
    last(c)->link = keep(c, to);
}

const Cell *cells_at(const Cells *c, int row, int column) {
    const CellRow *r = &c->row[row];
    size_t end = row + 1 < c->rows ? c->row[row + 1].first : c->cells, at = r->first + (size_t)column;
    return r->kind == ROW_cells && at < end ? &c->cell[at] : NULL;
}

const char *cells_words_at(const Cells *c, size_t shown) {
    return c->words.at + shown;
}

Cells *cells_add(CellsList *l, const char *name, const char *title) {
    if (l->count == l->room) {
        size_t room = (size_t)l->room;
        l->at = grown(l->at, &room, sizeof *l->at);
        l->room = (int)room;
    }
    cells_init(&l->at[l->count], name, title);
    return &l->at[l->count++];
}

void cells_list_release(CellsList *l) {
    for (int i = 0; i < l->count; i++) cells_release(&l->at[i]);
    free(l->at);
    *l = (CellsList){0};
}
