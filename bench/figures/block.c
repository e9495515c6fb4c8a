/* A block as a drawing: as SVG, whose lengths are pixels and y grows downward, as the numbers flow; then in plain
 * characters. */
#include "bench/figures/block.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/html.h"
#include "bench/formats/latex.h"

enum {
    COLUMN = 300, /* width of a stretch */
    MARGIN = 24,
    STREAM = 56, /* the stream, from a stretch's left edge */
    BRANCH = 178,
    BOX = 30, /* height of a box */
    STEP = 46 /* from one box to the next */
};

static void words(Text *out, int x, int y, const char *kind, const char *text) {
    text_format(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", kind, x, y);
    html_text(out, text);
    text_format(out, "</text>\n");
}

static void line(Text *out, int x, int y, int to_x, int to_y, const char *more) {
    text_format(out, "<path class=\"nb-line\" d=\"M%d %dL%d %d\"%s/>\n", x, y, to_x, to_y, more);
}

static const char arrow[] = " marker-end=\"url(#nb-arrow)\"";

static void box(Text *out, const Box *b, int x, int y) {
    static const char *const kinds[] = {
        [BOX_NONE] = "", [BOX_NORM] = "nb-norm", [BOX_FUNCTION] = "nb-function", [BOX_FACTOR] = "nb-factor"};
    char text[BOX_TEXT + 4];
    int width = (int)strlen(b->text) * 9 + 24;
    if (width < 64) width = 64;
    text_format(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n", kinds[b->kind],
                x - width / 2, y, width, BOX, b->kind == BOX_FACTOR ? BOX / 2 : 4);
    snprintf(text, sizeof text, "%s%s", b->kind == BOX_FACTOR ? "\303\227 " : "",
             b->text); /* the sign of multiplication */
    words(out, x, y + BOX / 2 + 5, "nb-in", text);
}

/* A box on the stream, with the line to it; returns where the stream goes on. */
static int on_stream(Text *out, const Box *b, int x, int y) {
    if (b->kind == BOX_NONE) return y;
    line(out, x, y, x, y + STEP - BOX, "");
    box(out, b, x, y + STEP - BOX);
    return y + STEP;
}

/* One sublayer from y on; returns where the stream goes on. */
static int part(Text *out, const BlockPart *p, int left, int y) {
    int stream = left + STREAM, branch = left + BRANCH, tap = y + 30, at = tap;
    words(out, stream + 14, tap - 8, "nb-name", p->name);
    text_format(out, "<path class=\"nb-line\" d=\"M%d %dH%dV%d\"/>\n", stream, tap, branch, tap + STEP - BOX);
    for (int i = 0; i < p->boxes; i++, at += STEP) {
        if (i) line(out, branch, at, branch, at + STEP - BOX, "");
        box(out, &p->branch[i], branch, at + STEP - BOX);
    }
    int add = at + 28;
    text_format(out, "<path class=\"nb-line\" d=\"M%d %dV%dH%d\"%s/>\n", branch, at, add, stream + 11, arrow);
    line(out, stream, y, stream, add - 10, "");
    if (p->carry.kind != BOX_NONE) box(out, &p->carry, stream, (tap + add - BOX) / 2);
    text_format(out, "<circle class=\"nb-add\" cx=\"%d\" cy=\"%d\" r=\"10\"/>\n", stream, add);
    text_format(out, "<path class=\"nb-line\" d=\"M%d %dh12m-6 -6v12\"/>\n", stream - 6, add);
    return on_stream(out, &p->post, stream, add + 10);
}

/* A stretch whose frame begins at y; returns where it ends, what follows the last block included. */
static int stretch(Text *out, const BlockPicture *p, int i, int left, int y) {
    const BlockStretch *s = &p->stretch[i];
    int stream = left + STREAM, frame = y, from = y - 12;
    if (!i && p->embed.kind != BOX_NONE) from = on_stream(out, &p->embed, stream, y - STEP - 12);
    words(out, left + 8, (!i && p->embed.kind != BOX_NONE ? y - STEP : y) - 18, "nb-name",
          i ? "from the block before" : "token + position");
    line(out, stream, from, stream, y + 20, "");
    words(out, left + COLUMN - 26, y + 21, "nb-title", s->title);
    y = part(out, &s->part[0], left, y + 20);
    y = part(out, &s->part[1], left, y);
    text_format(out, "<rect class=\"nb-block\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", left, frame,
                COLUMN - 16, y + 16 - frame);
    bool last = i + 1 == p->stretches && !p->left_out;
    line(out, stream, y, stream, y + 10, "");
    if (last) y = on_stream(out, &p->final, stream, y + 10);
    line(out, stream, y, stream, y + 32, arrow);
    words(out, left + 8, y + 50, "nb-name", last ? "head" : "to the next block");
    return y + 50;
}

/* The equation's lines below the drawing; the longest decides the width. */
static int equation(Text *out, const char *lines, int y, int *width) {
    for (const char *at = lines ? lines : ""; *at; at += strspn(at, "\n")) {
        int n = (int)strcspn(at, "\n");
        words(out, MARGIN, y += 21, "nb-name", SHOW_TEXT("%.*s", n, at));
        if (n * 8 + 2 * MARGIN > *width) *width = n * 8 + 2 * MARGIN;
        at += n;
    }
    return y;
}

void block_svg(const BlockPicture *p, Text *out) {
    LOCAL_TEXT(body);
    int below = 0, width = 2 * MARGIN + p->stretches * COLUMN - 16, longest = (int)strlen(p->title) * 11 + 2 * MARGIN;
    if (width < longest) width = longest;
    words(&body, MARGIN, 32, "nb-head", p->title);
    for (int i = 0; i < p->stretches; i++) {
        int end = stretch(&body, p, i, MARGIN + i * COLUMN, p->embed.kind != BOX_NONE ? 84 + STEP : 84);
        if (end > below) below = end;
    }
    int height = equation(&body, p->equation, below + 8, &width) + MARGIN;
    text_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
        "<title>",
        width, height, width, height);
    html_text(out, p->title);
    text_format(
        out,
        "</title>\n<style>\n"
        ".nb-paper{fill:#fff} .nb-all{color:#1b1f24;font:15px system-ui,sans-serif}\n"
        ".nb-all text{fill:currentColor} .nb-line{fill:none;stroke:currentColor;stroke-width:1.6}\n"
        ".nb-norm{fill:#cfe3ff;stroke:currentColor} .nb-function{fill:#eceff2;stroke:currentColor}\n"
        ".nb-factor{fill:#ffe9c2;stroke:currentColor} .nb-add{fill:#fff;stroke:currentColor;stroke-width:1.6}\n"
        ".nb-block{fill:none;stroke:currentColor;stroke-opacity:.35;stroke-dasharray:5 4}\n"
        ".nb-tip{fill:#1b1f24} .nb-in{text-anchor:middle} .nb-title{text-anchor:end;font-weight:600} "
        ".nb-name{font-size:13px}\n"
        ".nb-head{font-size:17px;font-weight:600}\n"
        "@media(prefers-color-scheme:dark){.nb-paper,.nb-add{fill:#15181c} .nb-all{color:#e6e8eb}\n"
        ".nb-tip{fill:#e6e8eb} "
        ".nb-norm{fill:#1f4270} .nb-function{fill:#30363d} .nb-factor{fill:#5c4310}}\n"
        "</style>\n"
        "<defs><marker id=\"nb-arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path class=\"nb-tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
        "<rect class=\"nb-paper\" width=\"%d\" height=\"%d\"/>\n<g class=\"nb-all\">\n",
        width, height);
    text_format(out, "%s</g>\n</svg>\n", body.at);
}

/* ---- A block in plain characters: lines of one stretch, two stretches side by side ---- */

enum { WIDE = 38, LINES_MAX = 64, STREAM_AT = 3, BRANCH_AT = 20 };

typedef struct {
    char line[LINES_MAX][WIDE + 1];
    int lines;
} Canvas;

/* A line with the stream on it, and the branch when there is one; NULL at the end of the room. */
static char *next_line(Canvas *c, bool branch) {
    if (c->lines == LINES_MAX) return NULL;
    char *line = c->line[c->lines++];
    memset(line, ' ', WIDE);
    line[STREAM_AT] = '|';
    if (branch) line[BRANCH_AT] = '|';
    return line;
}

static void put(char *line, int at, const char *text) {
    for (; line && *text && at < WIDE; text++, at++) line[at] = *text;
}

static void put_box(char *line, int middle, const Box *b) {
    char text[BOX_TEXT + 8];
    snprintf(text, sizeof text, b->kind == BOX_FACTOR ? "(* %s)" : "[%s]", b->text);
    int at = middle - (int)strlen(text) / 2;
    put(line, at < 0 ? 0 : at, text);
}

static void box_line(Canvas *c, bool branch, const Box *b) {
    if (b->kind != BOX_NONE) put_box(next_line(c, branch), STREAM_AT, b);
}

static void part_lines(Canvas *c, const BlockPart *p) {
    put(next_line(c, false), STREAM_AT, "+----------------.");
    for (int i = 0; i < p->boxes; i++) put_box(next_line(c, true), BRANCH_AT, &p->branch[i]);
    box_line(c, true, &p->carry);
    put(next_line(c, false), STREAM_AT - 1, "(+)<--------------'");
    box_line(c, false, &p->post);
    next_line(c, false);
}

static void stretch_lines(Canvas *c, const BlockPicture *p, int i) {
    c->lines = 0;
    put(next_line(c, false), 0, p->stretch[i].title);
    if (!i) put(next_line(c, false), 0, "token + position");
    if (!i) box_line(c, false, &p->embed);
    next_line(c, false);
    part_lines(c, &p->stretch[i].part[0]);
    part_lines(c, &p->stretch[i].part[1]);
    if (i + 1 < p->stretches || p->left_out) {
        put(next_line(c, false), 0, "to the next block");
        return;
    }
    box_line(c, false, &p->final);
    put(next_line(c, false), 0, "head");
}

void block_text(const BlockPicture *p, int width, Text *out) {
    Canvas left, right;
    char both[2 * WIDE + 8];
    const int beside = width >= 2 * WIDE + 4 ? 2 : 1;
    for (int i = 0; i < p->stretches; i += beside) {
        stretch_lines(&left, p, i);
        right.lines = 0;
        if (beside == 2 && i + 1 < p->stretches) stretch_lines(&right, p, i + 1);
        for (int l = 0; l < left.lines || l < right.lines; l++) {
            snprintf(both, sizeof both, "  %-*.*s  %.*s", WIDE, WIDE, l < left.lines ? left.line[l] : "", WIDE,
                     l < right.lines ? right.line[l] : "");
            for (size_t n = strlen(both); n && both[n - 1] == ' '; n--) both[n - 1] = 0;
            text_format(out, "%s\n", both);
        }
        if (i + beside < p->stretches) text_format(out, "\n");
    }
    if (p->left_out) text_format(out, "  … and %d stretches of blocks more\n", p->left_out);
}

/* ---- A number that moves over the steps, in plain characters ---- */

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
