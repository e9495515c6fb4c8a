/* Render a table as CSV, JSON and HTML. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/formats/html.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"

static bool has_headings(const Cells *c) {
    bool any = false;
    for (int i = 0; i < c->rows; i++) any |= c->row[i].kind == ROW_heading;
    return any;
}

static void csv_comma(Text *out, bool *first) {
    if (!*first) text_add(out, ",", 1);
    *first = false;
}

static bool of_intervals(const Cells *c, int column) {
    return strchr("iI", c->column[column].align) != NULL;
}

static void csv_head(const Cells *c, Text *out) {
    bool first = true;
    if (has_headings(c)) csv_comma(out, &first), text_format(out, "group");
    for (int k = 0; k < c->columns; k++) {
        const char *key = cells_words_at(c, c->column[k].key);
        if (!c->column[k].key) continue;
        csv_comma(out, &first);
        csv_text(out, key);
        if (of_intervals(c, k)) text_format(out, "_lo,"), csv_text(out, key), text_format(out, "_hi");
    }
    text_format(out, "\n");
}

static void csv_cell(const Cells *c, int row, int column, Text *out) {
    const Cell *cell = cells_at(c, row, column);
    if (of_intervals(c, column)) {
        if (cell) csv_number(out, cell->lo);
        text_format(out, ",");
        if (cell) csv_number(out, cell->hi);
    } else if (cell && cell->kind == CELL_number && cell->whole)
        text_format(out, "%s", cells_words_at(c, cell->shown));
    else if (cell && cell->kind == CELL_number)
        csv_number(out, cell->x);
    else if (cell)
        csv_text(out, cells_words_at(c, cell->shown));
}

void cells_csv(const Cells *c, Text *out) {
    const char *group = "";
    bool grouped = has_headings(c);
    csv_head(c, out);
    for (int i = 0; i < c->rows; i++) {
        bool first = true;
        if (c->row[i].kind == ROW_heading) group = cells_words_at(c, c->row[i].shown);
        if (c->row[i].kind != ROW_cells || c->row[i].below) continue;
        if (grouped) csv_comma(out, &first), csv_text(out, group);
        for (int k = 0; k < c->columns; k++) {
            if (!c->column[k].key) continue;
            csv_comma(out, &first);
            csv_cell(c, i, k, out);
        }
        text_format(out, "\n");
    }
}

/* Add a number; whole numbers become integers. */
static void put(json_t *o, const char *key, double x) {
    bool whole = fabs(x) < 0x1p53 && floor(x) == x;
    json_object_set_new(o, key, isnan(x) ? json_null() : whole ? json_integer((json_int_t)x) : json_number_of(x));
}

static void json_cell(json_t *o, const Cells *c, int row, int column) {
    const char *key = cells_words_at(c, c->column[column].key);
    const Cell *cell = cells_at(c, row, column);
    char name[96];
    if (of_intervals(c, column)) {
        snprintf(name, sizeof name, "%s_lo", key);
        put(o, name, cell ? cell->lo : (double)NAN);
        snprintf(name, sizeof name, "%s_hi", key);
        put(o, name, cell ? cell->hi : (double)NAN);
    } else if (cell && cell->kind == CELL_number && cell->whole)
        json_object_set_new(o, key, json_integer(strtoll(cells_words_at(c, cell->shown), NULL, 10)));
    else if (cell && cell->kind == CELL_number)
        put(o, key, cell->x);
    else if (cell && cell->kind != CELL_empty)
        json_object_set_new(o, key, json_text_of(cells_words_at(c, cell->shown)));
    else
        json_object_set_new(o, key, json_null());
}

json_t *cells_json(const Cells *c) {
    json_t *list = json_array();
    const char *group = "";
    bool grouped = has_headings(c);
    for (int i = 0; i < c->rows; i++) {
        if (c->row[i].kind == ROW_heading) group = cells_words_at(c, c->row[i].shown);
        if (c->row[i].kind != ROW_cells || c->row[i].below) continue;
        json_t *o = json_object();
        if (grouped) json_object_set_new(o, "group", json_text_of(group));
        for (int k = 0; k < c->columns; k++)
            if (c->column[k].key) json_cell(o, c, i, k);
        json_array_append_new(list, o);
    }
    return list;
}

json_t *cells_list_json(const CellsList *l) {
    json_t *list = json_array();
    for (int i = 0; i < l->count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "table", l->at[i].name, "title",
                                              json_text_of(l->at[i].title.at), "rows", cells_json(&l->at[i])));
    return list;
}

/* ---- HTML ---- */

static const char *const mark_signs[] = {"&dagger;", "&Dagger;", "&sect;"};

/* Write a picture, hidden from screen readers: the page also has it in words. */
static void html_picture(const Cell *cell, Text *out) {
    enum { WIDTH = 180, HEIGHT = 18 };
    CellAxis a = cell->axis;
    double scale = WIDTH / (a.to - a.from), zero = (0 - a.from) * scale;
    if (!isfinite(cell->x) || !(a.from < a.to)) return;
    text_format(out, "<svg class=\"interval\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", WIDTH, HEIGHT);
    if (a.margin > 0)
        text_format(out, "<rect x=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", fmax(zero - a.margin * scale, 0),
                    fmin(zero + a.margin * scale, WIDTH) - fmax(zero - a.margin * scale, 0), HEIGHT);
    text_format(out, "<path class=\"zero\" d=\"M%.1f 0V%d\"/>", zero, HEIGHT);
    if (isfinite(cell->lo) && isfinite(cell->hi))
        text_format(out, "<path d=\"M%.1f %dH%.1f\"/>", fmax((cell->lo - a.from) * scale, 0), HEIGHT / 2,
                    fmin((cell->hi - a.from) * scale, WIDTH));
    text_format(out, "<circle cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/></svg>",
                fmin(fmax((cell->x - a.from) * scale, 0), WIDTH), HEIGHT / 2);
}

static void html_words(const Cells *c, const Cell *cell, Text *out) {
    if (cell->link) {
        text_format(out, "<a href=\"");
        html_text(out, cells_words_at(c, cell->link));
        text_format(out, "\">");
    }
    html_text(out, cells_words_at(c, cell->shown));
    if (cell->link) text_format(out, "</a>");
}

static void html_cell(const Cells *c, int row, int column, Text *out) {
    const Cell *cell = cells_at(c, row, column);
    bool head = column < c->stub && c->column[column].align == 'l', strong = cell && cell->strong;
    char align = c->column[column].align;
    const char *words = align == 'p' ? "text words" : align == 'r' ? "" : "text";
    const char *style = cell ? cells_words_at(c, cell->style) : "", *gap = words[0] && style[0] ? " " : "";
    text_format(out, head ? "<th scope=\"row\"" : "<td");
    if (words[0] || style[0]) text_format(out, " class=\"%s%s%s\"", words, gap, style);
    text_format(out, ">");
    text_format(out, "%s%s", strong ? "<strong>" : "", cell && cell->emphatic ? "<em>" : "");
    if (cell && cell->kind == CELL_picture)
        html_picture(cell, out);
    else if (cell)
        html_words(c, cell, out);
    text_format(out, "%s%s", cell && cell->emphatic ? "</em>" : "", strong ? "</strong>" : "");
    if (cell && cell->marks) {
        text_format(out, "<sup>");
        for (int i = 0; i < 3; i++)
            if (cell->marks >> i & 1) text_format(out, "%s", mark_signs[i]);
        text_format(out, "</sup>");
    }
    text_format(out, head ? "</th>" : "</td>");
}

static void html_over(const Cells *c, Text *out) {
    bool any = false;
    for (int k = 0; k < c->shown; k++) any |= c->column[k].over != 0;
    if (!any) return;
    text_format(out, "<tr>");
    for (int k = 0, end; k < c->shown; k = end) {
        for (end = k + 1; end < c->shown && c->column[end].over && c->column[end].over == c->column[k].over;) end++;
        if (!c->column[k].over) {
            text_format(out, "<td></td>");
            continue;
        }
        text_format(out, "<th scope=\"colgroup\" colspan=\"%d\">", end - k);
        html_text(out, cells_words_at(c, c->column[k].over));
        text_format(out, "</th>");
    }
    text_format(out, "</tr>\n");
}

static void html_head(const Cells *c, Text *out) {
    text_format(out, "<thead>");
    html_over(c, out);
    text_format(out, "<tr>");
    for (int k = 0; k < c->shown; k++) {
        const char *heading = cells_words_at(c, c->column[k].heading);
        bool words = c->column[k].align != 'r';
        if (!heading[0]) {
            text_format(out, "<td></td>");
            continue;
        }
        text_format(out, "<th scope=\"col\"%s>", words ? " class=\"text\"" : "");
        html_text(out, heading);
        text_format(out, "</th>");
    }
    text_format(out, "</tr></thead>\n<tbody>\n");
}

static void html_caption(const Cells *c, Text *out) {
    html_text(out, c->title.at);
    if (!c->caption.length) return;
    text_format(out, "%s", c->title.length ? ". " : "");
    html_text(out, c->caption.at);
}

static void html_rows(const Cells *c, Text *out) {
    for (int i = 0; i < c->rows; i++) {
        const CellRow *row = &c->row[i];
        if (row->kind == ROW_space) continue;
        text_format(out, "<tr>");
        for (int k = 0; row->kind == ROW_cells && k < c->shown; k++) html_cell(c, i, k, out);
        if (row->kind == ROW_heading || row->kind == ROW_words) {
            text_format(out, row->kind == ROW_heading ? "<th scope=\"rowgroup\" class=\"text words\" colspan=\"%d\">"
                                                      : "<td class=\"text words\" colspan=\"%d\">",
                        c->shown);
            html_text(out, cells_words_at(c, row->shown));
            text_format(out, row->kind == ROW_heading ? "</th>" : "</td>");
        }
        text_format(out, "</tr>\n");
    }
}

/* Render HTML; a table without rows has only words, which say why it is empty. */
void cells_html(const Cells *c, Text *out) {
    text_format(out, c->rows ? "<div class=\"wide\"><table class=\"numbers\"><caption>" : "<p>");
    html_caption(c, out);
    text_format(out, c->rows ? "</caption>\n" : "</p>\n");
    if (c->rows) {
        html_head(c, out);
        html_rows(c, out);
        text_format(out, "</tbody></table></div>\n");
    }
    if (!c->notes.length) return;
    text_format(out, "<p class=\"notes\">");
    html_text(out, c->notes.at);
    text_format(out, "</p>\n");
}

void cells_list_html(const CellsList *l, Text *out) {
    for (int i = 0; i < l->count; i++)
        if (!l->at[i].data) cells_html(&l->at[i], out);
}
