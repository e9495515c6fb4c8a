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

static int width_at(int fd) {
    struct winsize size = {0};
    bool terminal = isatty(fd);
    if (terminal && ioctl(fd, TIOCGWINSZ, &size)) size.ws_col = 0;
    return terminal_width_of(terminal, getenv("COLUMNS"), size.ws_col);
}

int terminal_width(void) {
    return width_at(STDOUT_FILENO);
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

/* Where a word that is too wide for the room is broken: before a bar, else behind a slash, else where the room ends. */
static size_t break_of(const char *word, size_t n, size_t room) {
    size_t bar = 0, slash = 0, end = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        if (!continues(word[i]) && columns++ == room) break;
        if (i && word[i] == '|') bar = i;
        if (word[i] == '/' && i + 1 < n) slash = i + 1;
        end = i + 1;
    }
    return bar ? bar : slash ? slash : end;
}

/* A word; one that is wider than the page is broken. Return the columns that its last line takes. */
static size_t add_word(const char *word, size_t n, size_t indent, size_t width, Text *out) {
    while (indent + columns_of(word, n) > width) {
        size_t at = break_of(word, n, width - indent);
        text_format(out, "%.*s\n%*s", (int)at, word, (int)indent, "");
        word += at, n -= at;
    }
    text_format(out, "%.*s", (int)n, word);
    return columns_of(word, n);
}

/* Where a broken line goes on: below its last column, or further left where a word of that would not fit there. */
static size_t indent_of(const char *line, size_t n, size_t width) {
    size_t indent = last_column(line, n), widest = 0;
    if (indent > 2 * width / 3) return 4;
    for (size_t i = indent; i < n;) {
        size_t word = 0;
        while (i + word < n && line[i + word] != ' ') word++;
        size_t wide = memchr(line + i, '|', word) ? 0 : columns_of(line + i, word);
        if (wide > widest) widest = wide;
        i += word + 1;
    }
    if (indent + widest <= width) return indent;
    return widest + 4 <= width ? width - widest : indent < 4 ? indent : 4;
}

/* One line. */
static void fit_line(const char *line, size_t n, size_t width, Text *out) {
    size_t indent = indent_of(line, n, width), used = 0;
    if (columns_of(line, n) <= width || is_drawn(line, n)) {
        text_format(out, "%.*s\n", (int)n, line);
        return;
    }
    text_format(out, "%.*s", (int)indent, line); /* its words begin behind it */
    used = indent;
    bool first = true, empty = strspn(line, " ") >= indent;
    for (size_t i = indent; i < n;) {
        size_t blanks = 0, word = 0;
        while (i + blanks < n && line[i + blanks] == ' ') blanks++;
        while (i + blanks + word < n && line[i + blanks + word] != ' ') word++;
        if (!word) break;
        size_t wide = columns_of(line + i + blanks, word);
        if ((!first || blanks) && used + blanks + wide > width) {
            if (!empty) text_format(out, "\n%*s", (int)indent, "");
            i += blanks, used = indent, blanks = 0;
        }
        text_format(out, "%*s", (int)blanks, "");
        used += blanks + add_word(line + i + blanks, word, indent, width, out);
        i += blanks + word, first = false, empty = false;
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
    if (terminal) terminal_fit(text, width_at(fileno(to)), &fits);
    fputs(terminal ? fits.at : text, to);
}
