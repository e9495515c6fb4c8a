#include "bench/formats/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

int terminal_width_of(bool terminal, const char *columns, int own) {
    int64_t width = own;
    if (!terminal) return PAGE_WIDTH;
    if (columns) (void)parse_integer(columns, &width);
    if (width <= 0) return PAGE_WIDTH;
    return width < LEAST_PAGE_WIDTH ? LEAST_PAGE_WIDTH : width > PAGE_WIDTH_MAX ? PAGE_WIDTH_MAX : (int)width;
}

int terminal_width(void) {
    struct winsize size = {0};
    bool terminal = isatty(STDOUT_FILENO);
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) size.ws_col = 0;
    return terminal_width_of(terminal, getenv("COLUMNS"), size.ws_col);
}

/* Where the last column of a line begins; 0: it has one alone. */
static size_t last_column(const char *line, size_t n) {
    size_t at = 0;
    for (size_t i = 2; i < n; i++)
        if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ') at = i;
    return at;
}

static bool continues(char byte) {
    return (byte & 0xC0) == 0x80; /* of a letter of several bytes */
}

static size_t columns_of(const char *text, size_t n) {
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) columns += !continues(text[i]);
    return columns;
}

/* Strokes that go on in the lines above and below. */
static bool is_drawn(const char *line, size_t n) {
    return memmem(line, n, "  |", 3) || memmem(line, n, "---", 3);
}

/* A word; one that is wider than the page is broken before a bar. Return the columns that its last line takes. */
static size_t add_word(const char *word, size_t n, size_t indent, size_t width, Text *out) {
    while (indent + columns_of(word, n) > width) {
        size_t bar = 0;
        for (size_t i = 1; i < n && indent + i <= width; i++)
            if (word[i] == '|') bar = i;
        if (!bar) break;
        text_format(out, "%.*s\n%*s", (int)bar, word, (int)indent, "");
        word += bar, n -= bar;
    }
    text_format(out, "%.*s", (int)n, word);
    return columns_of(word, n);
}

/* One line; a word that is wider than the page and has no bar stays whole. */
static void fit_line(const char *line, size_t n, size_t width, Text *out) {
    size_t indent = last_column(line, n), used = 0;
    if (columns_of(line, n) <= width || is_drawn(line, n)) {
        text_format(out, "%.*s\n", (int)n, line);
        return;
    }
    if (indent > 2 * width / 3) indent = 4;
    text_format(out, "%.*s", (int)indent, line); /* its words begin behind it */
    used = indent;
    bool first = true;
    for (size_t i = indent; i < n;) {
        size_t blanks = 0, word = 0;
        while (i + blanks < n && line[i + blanks] == ' ') blanks++;
        while (i + blanks + word < n && line[i + blanks + word] != ' ') word++;
        if (!word) break;
        size_t wide = columns_of(line + i + blanks, word);
        if (!first && used + blanks + wide > width) {
            text_format(out, "\n%*s", (int)indent, "");
            i += blanks, used = indent, blanks = 0;
        }
        text_format(out, "%*s", (int)blanks, "");
        used += blanks + add_word(line + i + blanks, word, indent, width, out);
        i += blanks + word, first = false;
    }
    text_format(out, "\n");
}

void terminal_fit(const char *text, int width, Text *out) {
    LOCAL_TEXT(line);
    while (text_line(&text, &line)) fit_line(line.at, line.length, (size_t)width, out);
}

/* A short line of words between two others that are not: "Arms at their best learning rates". */
static bool is_title(const char *line, size_t n, bool after_empty) {
    return after_empty && n && n < 90 && line[0] != ' ' && line[n - 1] != '.' && line[n - 1] != ',' &&
           line[n] == '\n' && line[n + 1] != '\n' && !memchr(line, '|', n);
}

static void paint_line(const char *line, size_t n, Text *out) {
    static const struct {
        const char *words, *code;
    } verdicts[] = {{"  better than ", "32"}, {"  worse than ", "31"}, {"  the same within ", "36"}};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        const char *at = strstr(line, verdicts[i].words);
        if (!at || at >= line + n) continue;
        at += 2;
        text_format(out, "%.*s\033[%sm%.*s\033[0m", (int)(at - line), line, verdicts[i].code, (int)(line + n - at), at);
        return;
    }
    text_format(out, "%.*s", (int)n, line);
}

void terminal_paint(const char *text, Text *out) {
    bool empty = true;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (is_title(line, n, empty))
            text_format(out, "\033[1m%.*s\033[0m", (int)n, line);
        else
            paint_line(line, n, out);
        empty = !n;
        if (line[n]) text_format(out, "\n");
        line += n + (line[n] == '\n');
    }
}

static bool is_painted(void) {
    const char *kind = getenv("TERM"), *none = getenv("NO_COLOR");
    return kind && *kind && strcmp(kind, "dumb") != 0 && !(none && *none);
}

void terminal_print(const char *text) {
    LOCAL_TEXT(fits);
    LOCAL_TEXT(painted);
    if (!isatty(STDOUT_FILENO)) {
        fputs(text, stdout);
        return;
    }
    terminal_fit(text, terminal_width(), &fits);
    if (is_painted()) terminal_paint(fits.at, &painted);
    fputs(is_painted() ? painted.at : fits.at, stdout);
}

void terminal_say(FILE *to, const char *format, ...) {
    LOCAL_TEXT(fits);
    OWNED char *text = NULL;
    va_list list;
    va_start(list, format);
    int n = vasprintf(&text, format, list);
    va_end(list);
    if (n < 0) mem_end(0);
    bool terminal = isatty(fileno(to));
    if (terminal) terminal_fit(text, terminal_width(), &fits);
    fputs(terminal ? fits.at : text, to);
}
