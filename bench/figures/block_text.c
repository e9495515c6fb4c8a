/* A block in plain characters: lines of one stretch, two stretches side by side. */
#include <stdio.h>
#include <string.h>

#include "bench/figures/block.h"

enum { WIDE = 38, LINES_MAX = 64, STREAM = 3, BRANCH = 20 };

typedef struct {
    char line[LINES_MAX][WIDE + 1];
    int lines;
} Canvas;

/* A line with the stream on it, and the branch when there is one; NULL at the end of the room. */
static char *next_line(Canvas *c, bool branch) {
    if (c->lines == LINES_MAX) return NULL;
    char *line = c->line[c->lines++];
    memset(line, ' ', WIDE);
    line[STREAM] = '|';
    if (branch) line[BRANCH] = '|';
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

static void box_line(Canvas *c, int middle, bool branch, const Box *b) {
    if (b->kind != BOX_NONE) put_box(next_line(c, branch), middle, b);
}

static void part(Canvas *c, const BlockPart *p) {
    put(next_line(c, false), STREAM, "+----------------.");
    for (int i = 0; i < p->boxes; i++) put_box(next_line(c, true), BRANCH, &p->branch[i]);
    box_line(c, STREAM, true, &p->carry);
    put(next_line(c, false), STREAM - 1, "(+)<--------------'");
    box_line(c, STREAM, false, &p->post);
    next_line(c, false);
}

static void stretch(Canvas *c, const BlockPicture *p, int i) {
    c->lines = 0;
    put(next_line(c, false), 0, p->stretch[i].title);
    if (!i) put(next_line(c, false), 0, "token + position");
    if (!i) box_line(c, STREAM, false, &p->embed);
    next_line(c, false);
    part(c, &p->stretch[i].part[0]);
    part(c, &p->stretch[i].part[1]);
    if (i + 1 < p->stretches || p->left_out) {
        put(next_line(c, false), 0, "to the next block");
        return;
    }
    box_line(c, STREAM, false, &p->final);
    put(next_line(c, false), 0, "head");
}

void block_text(const BlockPicture *p, Text *out) {
    Canvas left, right;
    char both[2 * WIDE + 8];
    for (int i = 0; i < p->stretches; i += 2) {
        stretch(&left, p, i);
        right.lines = 0;
        if (i + 1 < p->stretches) stretch(&right, p, i + 1);
        for (int l = 0; l < left.lines || l < right.lines; l++) {
            snprintf(both, sizeof both, "  %-*.*s  %.*s", WIDE, WIDE, l < left.lines ? left.line[l] : "", WIDE,
                     l < right.lines ? right.line[l] : "");
            for (size_t n = strlen(both); n && both[n - 1] == ' '; n--) both[n - 1] = 0;
            text_format(out, "%s\n", both);
        }
        if (i + 2 < p->stretches) text_format(out, "\n");
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
