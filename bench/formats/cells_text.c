/* Render a table for a terminal, aligned by blanks, and in Markdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "bench/formats/cells.h"
#include "bench/formats/latex.h"

enum { INDENT = 2, WIDE_GAP = 2, LEAST_PARAGRAPH = 16, FAIR_PARAGRAPH = 24, LEAST_STUB = 16 };

static int length_of(const char *text) {
    int characters = 1 << 20;
    (void)show_bytes(text, &characters);
    return characters;
}

/* Append bytes that are safe on a terminal: blanks for line breaks, '?' for invalid UTF-8 and control characters. */
static void plain(const char *text, int bytes, Text *out) {
    for (const char *s = text; s < text + bytes;) {
        uint32_t code;
        size_t n = utf8_next((const uint8_t *)s, (size_t)(text + bytes - s), &code);
        bool blank = n && strchr("\n\r\t", (int)*s), control = !n || code < ' ' || (code >= 127 && code < 160);
        text_add(out, blank ? " " : control ? "?" : s, blank || control ? 1 : n);
        s += n ? n : 1;
    }
}

typedef struct {
    const Cells *c;
    int page, stub, gap; /* columns of the terminal; columns of the table that each block repeats; blanks between */
    int width[CELLS_COLUMNS_MAX], marks[CELLS_COLUMNS_MAX]; /* [columns] */
    bool broken[CELLS_COLUMNS_MAX];                         /* broken into lines */
} Page;

/* Text of a cell, followed by its marks. */
typedef struct {
    char text[400];
} Shown;

static int marks_of(const Cell *cell) {
    return cell ? (int)(cell->marks & 1) + (int)(cell->marks >> 1 & 1) + (int)(cell->marks >> 2 & 1) : 0;
}

/* Return the most marks of a right-aligned column's cells, for which all leave room; else 0. */
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

/* Return the length of the longest line of a cell. */
static int longest_line(const char *text) {
    int longest = 0;
    for (const char *line = text; *line;) {
        int bytes = (int)strcspn(line, CELLS_BELOW), n = 0;
        for (int i = 0; i < bytes; i++) n += (line[i] & 0xC0) != 0x80;
        longest = n > longest ? n : longest;
        line += bytes, line += *line != 0;
    }
    return longest;
}

/* Find the width of each column's heading and cells. */
static void measure(Page *p) {
    const Cells *c = p->c;
    for (int k = 0; k < c->shown; k++) {
        p->marks[k] = room_of_marks(c, k);
        p->width[k] = length_of(cells_words_at(c, c->column[k].heading));
        for (int i = 0; i < c->rows; i++) {
            Shown shown;
            const char *words = shown_at(c, i, k, p->marks[k], &shown);
            int n = c->column[k].stacks ? longest_line(words) : length_of(words);
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

/* Return true for columns whose words are broken into lines: paragraphs, and words wider than a page. */
static bool is_broken(const Page *p, int k) {
    const char align = p->c->column[k].align;
    int room = p->page - INDENT - (k >= p->stub ? sum_of(p, 0, p->stub) : 0);
    return align == 'p' || (align == 'l' && k >= p->stub && p->width[k] > room);
}

/* Return the width of paragraphs with which they fit in `room`; narrower ones keep their own. */
static int shared_width(const Page *p, const bool *broken, int room) {
    int most = LEAST_PARAGRAPH;
    for (int width = LEAST_PARAGRAPH; width <= room; width++) {
        int sum = 0;
        for (int k = 0; k < p->c->shown; k++)
            if (broken[k]) sum += p->width[k] < width ? p->width[k] : width;
        if (sum > room) break;
        most = width;
    }
    return most;
}

/* Break the stub's words if not even one column would fit beside it; give paragraphs the rest of the width or, if
 * columns need several blocks anyway, at most a block. */
static void fit(Page *p) {
    const Cells *c = p->c;
    bool broken[CELLS_COLUMNS_MAX];
    int widest = 0, others = 0, count = 0, stub = sum_of(p, 0, p->stub) + INDENT;
    for (int k = p->stub; k < c->shown; k++) {
        int least = c->column[k].align == 'r' || p->width[k] < LEAST_PARAGRAPH ? p->width[k] : LEAST_PARAGRAPH;
        widest = least > widest ? least : widest;
    }
    if (p->stub && stub + widest > p->page && c->column[p->stub - 1].align == 'l') {
        int *cut = &p->width[p->stub - 1], room = *cut - (stub + widest - p->page);
        *cut = room > LEAST_STUB ? room : *cut < LEAST_STUB ? *cut : LEAST_STUB;
        p->broken[p->stub - 1] = true;
    }
    for (int k = 0; k < c->shown; k++) {
        broken[k] = is_broken(p, k), count += broken[k];
        if (!broken[k]) others += p->width[k];
    }
    int room = p->page - INDENT - others - (c->shown - 1) * p->gap;
    bool together = room >= count * LEAST_PARAGRAPH;
    int most = together ? shared_width(p, broken, room) : p->page - INDENT - sum_of(p, 0, p->stub);
    for (int k = 0; k < c->shown; k++) {
        if (broken[k] && p->width[k] > most) p->width[k] = most > LEAST_PARAGRAPH ? most : LEAST_PARAGRAPH;
        p->broken[k] |= broken[k] || c->column[k].stacks;
    }
}

/* Return the end of the columns that fit into a block which begins with column `from`. */
static int block_end(const Page *p, int from) {
    const Cells *c = p->c;
    int used = INDENT + sum_of(p, 0, p->stub), end = from;
    while (end < c->shown) {
        int next = end + 1;
        while (next < c->shown && c->column[next].over && c->column[next].over == c->column[end].over) next++;
        int more = sum_of(p, end, next);
        bool first = end == from;
        if (!first && used + more - p->gap > p->page) break;
        while (first && next > end + 1 && used + more - p->gap > p->page) more -= p->width[--next] + p->gap;
        used += more, end = next;
    }
    return end;
}

static void trim_line(Text *out) {
    while (out->length && out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_add(out, "\n", 1);
}

/* Write the first bytes of a text in a column, with "..." if letters are cut. */
static void write_column(const Page *p, int k, const char *text, int bytes, bool left, Text *out) {
    int width = p->width[k], n = 0;
    for (int i = 0; i < bytes; i++) n += (text[i] & 0xC0) != 0x80;
    bool cut = n > width;
    if (cut) n = width > 3 ? width - 3 : width, bytes = show_bytes(text, &n), n = width;
    text_format(out, "%*s", left ? 0 : width - n, "");
    plain(text, bytes, out);
    text_format(out, "%s%*s", cut && width > 3 ? "..." : "", (left ? width - n : 0) + p->gap, "");
}

static void write_cell(const Page *p, int k, const char *text, Text *out) {
    write_column(p, k, text, (int)strlen(text), p->c->column[k].align != 'r', out);
}

/* Return the next column of a block: the stub's, then from..to-1; -1: no more. */
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
        int room = sum_of(p, k, end) - p->gap, n = room, bytes = show_bytes(over, &n), blanks = room - n;
        bool right = end == k + 1 && c->column[k].align == 'r';
        text_format(out, "%*s", right ? blanks : blanks / 2, "");
        plain(over, bytes, out);
        text_format(out, "%*s", p->gap + (right ? 0 : blanks - blanks / 2), "");
    }
    trim_line(out);
}

static void write_headings(const Page *p, int from, int to, Text *out) {
    const Cells *c = p->c;
    write_over(p, from, to, out);
    text_format(out, "%*s", INDENT, "");
    for (int k = next_column(p, -1, from, to); k >= 0; k = next_column(p, k, from, to))
        write_cell(p, k, cells_words_at(c, c->column[k].heading), out);
    trim_line(out);
}

/* Return the bytes of the words that fit into `width` characters: whole words, or a piece of a longer one; "lr = 0.1"
 * stays together if possible. */
static int line_bytes(const char *text, int width) {
    int most = width, bytes = show_bytes(text, &most), line = (int)strcspn(text, CELLS_BELOW);
    if (line < bytes) return line;
    if (!text[bytes] || line == bytes) return bytes;
    for (int k = bytes; k > 0; k--)
        if (text[k] == ' ' && text[k + 1] != '=' && text[k - 1] != '=') return k;
    for (int k = bytes; k > 0; k--)
        if (text[k] == ' ') return k;
    return bytes;
}

static const char *after_line(const char *text, int bytes) {
    return text + bytes + (text[bytes] == ' ' || text[bytes] == CELLS_BELOW[0]);
}

/* Write a row, which takes as many lines as its longest paragraph. */
static void write_row(const Page *p, int row, int from, int to, Text *out) {
    const Cells *c = p->c;
    const char *left[CELLS_COLUMNS_MAX];
    Shown marked[CELLS_COLUMNS_MAX];
    bool more = true;
    for (int k = 0; k < c->shown; k++) left[k] = shown_at(c, row, k, p->marks[k], &marked[k]);
    while (more) {
        more = false;
        text_format(out, "%*s", INDENT, "");
        for (int k = next_column(p, -1, from, to); k >= 0; k = next_column(p, k, from, to)) {
            if (!p->broken[k]) {
                write_cell(p, k, left[k], out);
                left[k] = "";
                continue;
            }
            int bytes = line_bytes(left[k], p->width[k]);
            write_column(p, k, left[k], bytes, true, out);
            left[k] = after_line(left[k], bytes);
            more |= left[k][0] != 0;
        }
        trim_line(out);
    }
}

/* Write words across the page. */
static void wrapped(const char *text, int indent, int page, Text *out) {
    int width = page - indent > LEAST_PARAGRAPH ? page - indent : LEAST_PARAGRAPH;
    do {
        int bytes = line_bytes(text, width);
        text_format(out, "%*s", indent, "");
        plain(text, bytes, out);
        trim_line(out);
        text = after_line(text, bytes);
    } while (*text);
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
        case ROW_space:
            if (i + 1 < c->rows && row[1].kind == ROW_heading) text_format(out, "\n");
            break;
        }
    }
}

/* Return the average width of paragraph columns, in characters; 0: there are none. */
static int room_of_paragraphs(const Page *p) {
    int columns = 0, rest = p->page - INDENT + p->gap - sum_of(p, 0, p->c->shown);
    for (int k = 0; k < p->c->shown; k++)
        if (p->c->column[k].align == 'p') columns++, rest += p->width[k];
    return columns ? rest / columns : 0;
}

static void cells_text_flat(const Cells *c, int width, Text *out) {
    Page page = {.c = c, .page = width, .gap = WIDE_GAP, .stub = c->stub < c->shown ? c->stub : 0};
    bool titled = c->title.length && !c->below;
    if (titled) wrapped(c->title.at, 0, width, out);
    if (c->caption.length) wrapped(c->caption.at, 0, width, out);
    if (c->rows && (titled || c->caption.length)) text_format(out, "\n");
    measure(&page);
    bool wide = INDENT + sum_of(&page, 0, c->shown) - page.gap > width;
    if (wide && room_of_paragraphs(&page) < FAIR_PARAGRAPH) page.gap = 1; /* may need fewer blocks */
    wide = INDENT + sum_of(&page, 0, c->shown) - page.gap > width;
    if (wide && !room_of_paragraphs(&page)) page.gap = WIDE_GAP;
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

/* Return true if the columns fit, each paragraph in a fair width. */
static bool fits_fairly(const Cells *c, int width) {
    Page page = {.c = c, .page = width, .gap = WIDE_GAP};
    measure(&page);
    int room = room_of_paragraphs(&page);
    return INDENT + sum_of(&page, 0, c->shown) - page.gap <= width || room >= FAIR_PARAGRAPH;
}

/* Write the table with stacked columns if it is too wide; false: nothing was written. */
static bool text_stacked(const Cells *c, int width, Text *out) {
    Cells beside, below;
    if (fits_fairly(c, width) || !cells_stacked(c, false, &beside)) return false;
    bool narrow = !fits_fairly(&beside, width);
    (void)cells_stacked(c, true, &below);
    cells_text_flat(narrow ? &below : &beside, width, out);
    cells_release(&beside), cells_release(&below);
    return true;
}

void cells_text(const Cells *c, int width, Text *out) {
    Cells plain;
    bool pictures = cells_without_pictures(c, &plain);
    const Cells *of = pictures ? &plain : c;
    if (!text_stacked(of, width, out)) cells_text_flat(of, width, out);
    if (pictures) free(plain.row), free(plain.cell);
}
void cells_list_text(const CellsList *l, int width, Text *out) {
    for (int i = 0; i < l->count; i++) {
        if (l->at[i].data) continue;
        text_format(out, "\n");
        cells_text(&l->at[i], width, out);
    }
}

/* ---- Markdown ---- */

static bool is_letter(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c & 0x80;
}

void markdown_text(const char *text, Text *out) {
    for (const char *s = text; *s;) {
        uint32_t code;
        size_t n = utf8_next((const uint8_t *)s, strlen(s), &code);
        bool inside = s > text && is_letter(s[-1]) && is_letter(s[1]), tag = is_letter(s[1]) || strchr("/!?#", s[1]);
        if (strchr("|\\*`~$", *s) || (*s == '[' && strstr(s, "](")) || (*s == '_' && !inside) ||
            (*s == '<' && s[1] && tag))
            text_add(out, "\\", 1);
        if (*s == '&' && s[1] && tag)
            text_format(out, "&amp;");
        else
            plain(s, n ? (int)n : 1, out);
        s += n ? n : 1;
    }
}

static void markdown_row(const Cells *c, int row, Text *out) {
    text_format(out, "|");
    for (int k = 0; k < c->shown; k++) {
        const Cell *cell = cells_at(c, row, k);
        Shown shown;
        const char *words = shown_at(c, row, k, 0, &shown);
        const char *around = !words[0] ? "" : cell->strong ? "**" : cell->emphatic ? "*" : "";
        text_format(out, " %s", around);
        markdown_text(words, out);
        text_format(out, "%s |", around);
    }
    text_format(out, "\n");
}

void cells_markdown(const Cells *c, Text *out) {
    Cells plain;
    if (cells_without_pictures(c, &plain)) {
        cells_markdown(&plain, out);
        free(plain.row), free(plain.cell);
        return;
    }
    if (!c->shown) return;
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

static void markdown_paragraph(const char *before, const char *text, const char *after, Text *out) {
    if (!text[0]) return;
    text_format(out, "%s", before);
    markdown_text(text, out);
    text_format(out, "%s\n", after);
}

void cells_list_markdown(const CellsList *l, Text *out) {
    for (int i = 0; i < l->count; i++) {
        const Cells *c = &l->at[i];
        if (c->data) continue;
        markdown_paragraph("\n**", c->title.at, "**", out);
        markdown_paragraph("\n", c->caption.at, "", out);
        text_format(out, "\n");
        cells_markdown(c, out);
        markdown_paragraph("\n", c->notes.at, "", out);
    }
}
