/* A table for a terminal, aligned by blanks, and for Markdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/formats/cells.h"
#include "bench/formats/latex.h"

enum { INDENT = 2, WIDE_GAP = 2, LEAST_PARAGRAPH = 20, LEAST_STUB = 16 };

static int length_of(const char *text) {
    int characters = 1 << 20;
    (void)show_bytes(text, &characters);
    return characters;
}

typedef struct {
    const Cells *c;
    int page, stub, gap; /* columns of the terminal; columns of the table that each block repeats; blanks between */
    int width[CELLS_MOST_COLUMNS], marks[CELLS_MOST_COLUMNS]; /* of all columns */
} Page;

/* What stands in a cell, its marks behind it. */
typedef struct {
    char text[400];
} Shown;

static int marks_of(const Cell *cell) {
    return cell ? (int)(cell->marks & 1) + (int)(cell->marks >> 1 & 1) + (int)(cell->marks >> 2 & 1) : 0;
}

/* The most marks of a right-aligned column's cells, for which all of them leave room; else 0. */
static int room_of_marks(const Cells *c, int column) {
    int most = 0;
    for (int i = 0; i < c->rows && c->column[column].align == 'r'; i++) {
        int n = marks_of(cells_at(c, i, column));
        if (n > most) most = n;
    }
    return most;
}

static const char *shown_at(const Cells *c, int row, int column, int room, Shown *out) {
    static const char *const sign[] = {"†", "‡", "§"};
    const Cell *cell = cells_at(c, row, column);
    if (!cell || !cell->shown) return "";
    const char *words = cells_words_at(c, cell->shown);
    int marks = marks_of(cell), n = (int)strlen(words);
    if ((!marks && !room) || n > (int)sizeof out->text - 20) return words;
    n = snprintf(out->text, sizeof out->text, "%s ", words);
    for (int i = 0; i < 3; i++)
        if (cell->marks >> i & 1) n += snprintf(out->text + n, sizeof out->text - (size_t)n, "%s", sign[i]);
    snprintf(out->text + n, sizeof out->text - (size_t)n, "%*s", room > marks ? room - marks : 0, "");
    return out->text;
}

/* The widest of a column's heading and cells. */
static void measure(Page *p) {
    const Cells *c = p->c;
    for (int k = 0; k < c->shown; k++) {
        p->marks[k] = room_of_marks(c, k);
        p->width[k] = length_of(cells_words_at(c, c->column[k].heading));
        for (int i = 0; i < c->rows; i++) {
            Shown shown;
            int n = length_of(shown_at(c, i, k, p->marks[k], &shown));
            if (n > p->width[k]) p->width[k] = n;
        }
    }
}

static int sum_of(const Page *p, int from, int to) {
    int sum = 0;
    for (int k = from; k < to; k++) sum += p->width[k] + p->gap;
    return sum;
}

/* Widen the columns of each group until the words over them fit. */
static void widen(Page *p) {
    const Cells *c = p->c;
    for (int k = 0, end; k < c->shown; k = end) {
        for (end = k + 1; end < c->shown && c->column[end].over && c->column[end].over == c->column[k].over;) end++;
        int lacking = length_of(cells_words_at(c, c->column[k].over)) - (sum_of(p, k, end) - p->gap);
        if (lacking > 0) p->width[end - 1] += lacking;
    }
}

/* Give the paragraph columns what the others leave, and cut the stub where even one other column would not fit. */
static void fit(Page *p) {
    const Cells *c = p->c;
    int widest = 0, stub = sum_of(p, 0, p->stub) + INDENT;
    for (int k = 0; k < c->shown; k++) {
        if (c->column[k].align != 'p') continue;
        int rest = p->page - INDENT - (sum_of(p, 0, c->shown) - p->gap - p->width[k]);
        if (rest < LEAST_PARAGRAPH) rest = LEAST_PARAGRAPH;
        if (p->width[k] > rest) p->width[k] = rest;
    }
    for (int k = p->stub; k < c->shown; k++) widest = p->width[k] > widest ? p->width[k] : widest;
    if (p->stub && stub + widest > p->page && c->column[p->stub - 1].align == 'l') {
        int *cut = &p->width[p->stub - 1], room = *cut - (stub + widest - p->page);
        *cut = room > LEAST_STUB ? room : *cut < LEAST_STUB ? *cut : LEAST_STUB;
    }
}

/* The column behind the last that fits into a block which begins with column `from`. */
static int block_end(const Page *p, int from) {
    const Cells *c = p->c;
    int used = INDENT + sum_of(p, 0, p->stub), end = from;
    while (end < c->shown) {
        int next = end + 1;
        while (next < c->shown && c->column[next].over && c->column[next].over == c->column[end].over) next++;
        int more = sum_of(p, end, next);
        if (end > from && used + more - p->gap > p->page) break;
        used += more, end = next;
    }
    return end;
}

static void trim_line(Text *out) {
    while (out->length && out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_add(out, "\n", 1);
}

/* A text cut to a column, with "..." where letters are lost. */
static void write_column(const Page *p, int k, const char *text, bool lastly, Text *out) {
    int width = p->width[k], n = length_of(text);
    if (n > width) {
        int most = width > 3 ? width - 3 : width, bytes = show_bytes(text, &most);
        text_format(out, "%.*s%s", bytes, text, width > 3 ? "..." : "");
    } else
        text_format(out, "%*s%s%*s", p->c->column[k].align == 'r' ? width - n : 0, "", text,
                    p->c->column[k].align == 'r' || lastly ? 0 : width - n, "");
    if (!lastly) text_format(out, "%*s", p->gap, "");
}

/* Columns of a block in order: the stub, then from..to-1. -1: no more. */
static int next_column(const Page *p, int k, int from, int to) {
    k = k + 1 == p->stub ? from : k + 1;
    return k < to ? k : -1;
}

static void write_over(const Page *p, int from, int to, Text *out) {
    const Cells *c = p->c;
    bool any = false;
    for (int k = from; k < to; k++) any |= c->column[k].over != 0;
    if (!any) return;
    text_format(out, "%*s", INDENT + sum_of(p, 0, p->stub), "");
    for (int k = from, end; k < to; k = end) {
        for (end = k + 1; end < to && c->column[end].over && c->column[end].over == c->column[k].over;) end++;
        const char *over = cells_words_at(c, c->column[k].over);
        int room = sum_of(p, k, end) - p->gap, blanks = room - length_of(over);
        bool right = end == k + 1 && c->column[k].align == 'r';
        text_format(out, "%*s%s%*s", right ? blanks : blanks / 2, "", over,
                    p->gap + (right ? 0 : blanks - blanks / 2), "");
    }
    trim_line(out);
}

static void write_headings(const Page *p, int from, int to, Text *out) {
    const Cells *c = p->c;
    write_over(p, from, to, out);
    text_format(out, "%*s", INDENT, "");
    for (int k = next_column(p, -1, from, to); k >= 0; k = next_column(p, k, from, to))
        write_column(p, k, cells_words_at(c, c->column[k].heading), false, out);
    trim_line(out);
}

/* Bytes of the words that fit into `width` characters: whole words, or a piece of one that is longer. */
static int line_bytes(const char *text, int width) {
    int most = width, bytes = show_bytes(text, &most);
    if (!text[bytes]) return bytes;
    for (int k = bytes; k > 0; k--)
        if (text[k] == ' ') return k;
    return bytes;
}

/* A row takes as many lines as its longest paragraph. */
static void write_row(const Page *p, int row, int from, int to, Text *out) {
    const Cells *c = p->c;
    const char *left[CELLS_MOST_COLUMNS];
    Shown marked[CELLS_MOST_COLUMNS];
    bool more = true;
    for (int k = 0; k < c->shown; k++) left[k] = shown_at(c, row, k, p->marks[k], &marked[k]);
    while (more) {
        more = false;
        text_format(out, "%*s", INDENT, "");
        for (int k = next_column(p, -1, from, to); k >= 0; k = next_column(p, k, from, to)) {
            if (c->column[k].align != 'p') {
                write_column(p, k, left[k], false, out);
                left[k] = "";
                continue;
            }
            int bytes = line_bytes(left[k], p->width[k]);
            char line[512];
            snprintf(line, sizeof line, "%.*s", bytes, left[k]);
            write_column(p, k, line, false, out);
            left[k] += bytes + (left[k][bytes] == ' ');
            more |= left[k][0] != 0;
        }
        trim_line(out);
    }
}

static void wrapped(const char *text, int indent, int page, Text *out) {
    char head[40];
    snprintf(head, sizeof head, "%*s", indent, "");
    text_wrapped(out, head, text, indent, page);
}

static void write_block(const Page *p, int from, int to, bool first, Text *out) {
    const Cells *c = p->c;
    bool heads = false;
    for (int k = 0; k < c->shown; k++) heads |= c->column[k].heading != 0 || c->column[k].over != 0;
    if (heads) write_headings(p, from, to, out);
    for (int i = 0; i < c->rows; i++) {
        const CellRow *row = &c->row[i];
        const char *words = cells_words_at(c, row->shown);
        switch (row->kind) {
        case ROW_cells: write_row(p, i, from, to, out); break;
        case ROW_heading: wrapped(words, INDENT, p->page, out); break;
        case ROW_words:
            if (first) wrapped(words, INDENT + row->indent, p->page, out);
            break;
        case ROW_space: break;
        }
    }
}

void cells_text(const Cells *c, int width, Text *out) {
    Page page = {.c = c, .page = width, .gap = WIDE_GAP, .stub = c->stub < c->shown ? c->stub : 0};
    bool titled = c->title.length && !c->below;
    if (titled) wrapped(c->title.at, 0, width, out);
    if (c->caption.length) wrapped(c->caption.at, 0, width, out);
    if (c->rows && (titled || c->caption.length)) text_format(out, "\n");
    measure(&page);
    if (INDENT + sum_of(&page, 0, c->shown) - page.gap > width) page.gap = 1; /* fewer blocks, if it suffices */
    if (INDENT + sum_of(&page, 0, c->shown) - page.gap > width) page.gap = WIDE_GAP;
    widen(&page);
    fit(&page);
    if (c->shown && c->rows)
        for (int from = page.stub, to; from < c->shown; from = to) {
            if (from > page.stub) text_format(out, "\n");
            to = block_end(&page, from);
            write_block(&page, from, to, from == page.stub, out);
        }
    if (c->notes.length) {
        if (c->rows) text_format(out, "\n");
        wrapped(c->notes.at, 0, width, out);
    }
}

void cells_list_text(const CellsList *l, int width, Text *out) {
    for (int i = 0; i < l->count; i++) {
        if (l->at[i].data) continue;
        text_format(out, "\n");
        cells_text(&l->at[i], width, out);
    }
}

static void markdown_text(const char *text, Text *out) {
    for (const char *s = text; *s; s++) {
        if (strchr("|\\", *s)) text_add(out, "\\", 1);
        text_add(out, *s == '\n' ? " " : s, 1);
    }
}

static void markdown_row(const Cells *c, int row, Text *out) {
    text_format(out, "|");
    for (int k = 0; k < c->shown; k++) {
        const Cell *cell = cells_at(c, row, k);
        Shown shown;
        const char *around = cell && cell->strong ? "**" : "";
        text_format(out, " %s", around);
        markdown_text(shown_at(c, row, k, 0, &shown), out);
        text_format(out, "%s |", around);
    }
    text_format(out, "\n");
}

void cells_markdown(const Cells *c, Text *out) {
    text_format(out, "|");
    for (int k = 0; k < c->shown; k++) {
        const char *over = cells_words_at(c, c->column[k].over), *heading = cells_words_at(c, c->column[k].heading);
        text_format(out, " ");
        markdown_text(over, out);
        text_format(out, "%s", over[0] && heading[0] ? ", " : "");
        markdown_text(heading, out);
        text_format(out, " |");
    }
    text_format(out, "\n|");
    for (int k = 0; k < c->shown; k++) text_format(out, c->column[k].align == 'r' ? "---:|" : "---|");
    text_format(out, "\n");
    for (int i = 0; i < c->rows; i++) {
        const CellRow *row = &c->row[i];
        if (row->kind == ROW_cells) markdown_row(c, i, out);
        if (row->kind != ROW_heading && row->kind != ROW_words) continue;
        text_format(out, "| *");
        markdown_text(cells_words_at(c, row->shown), out);
        text_format(out, "* |");
        for (int k = 1; k < c->shown; k++) text_format(out, " |");
        text_format(out, "\n");
    }
}
