#include "bench/formats/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* Return the first of some bytes in the header outside quotes; 0: there is none. */
static char first_of(const char *header, const char *bytes) {
    bool quoted = false;
    for (; *header && (quoted || *header != '\n'); header++) {
        if (*header == '"') quoted = !quoted;
        if (!quoted && strchr(bytes, *header)) return *header;
    }
    return 0;
}

/* Return the separator: a comma, semicolon or tab, else a bar, else blanks. */
static char separator_of(const char *header) {
    char found = first_of(header, ",;\t");
    if (!found) found = first_of(header, "|");
    return found ? found : first_of(header, " ") ? ' ' : ',';
}

static void add_field(Csv *c, char *field) {
    if (c->fields == c->room)
        c->field = mem_grow(c->field, (size_t)(c->room = c->room ? 2 * c->room : 16), sizeof field);
    c->field[c->fields++] = field;
}

/* Read a quoted field, halving doubled quotes in place. Return the byte after its closing quote, or NULL. */
static char *unquote(char *s, char **field) {
    char *to = *field = s;
    for (; *s; *to++ = *s++) {
        if (*s != '"') continue;
        if (s[1] != '"') {
            *to = 0;
            return s + 1;
        }
        s++;
    }
    return NULL;
}

/* Split one line, which is terminated. */
static Rc split(Csv *c, char *s, Error *e) {
    c->fields = 0;
    for (;;) {
        char *field = NULL, *stop;
        while (*s == ' ' || (*s == '\t' && c->separator != '\t')) s++;
        if (*s == '"') {
            stop = unquote(s + 1, &field);
            if (!stop) return error_set(e, RC_USAGE, "%s: a quoted field does not end on its line", c->where);
            while (*stop == ' ') stop++;
            if (*stop && *stop != c->separator)
                return error_set(e, RC_USAGE, "%s: '%.20s' after a closing quote", c->where, stop);
        } else
            stop = s + strcspn(s, (char[]){c->separator, 0});
        bool more = *stop != 0;
        *stop = 0;
        add_field(c, field ? field : trim(s));
        if (!more) return RC_OK;
        s = stop + 1;
    }
}

static void write_plain(Csv *c);

bool csv_next(Csv *c, Rc *rc, Error *e) {
    *rc = RC_OK;
    while (c->at < c->end) {
        char *line = c->at, *stop = memchr(line, '\n', (size_t)(c->end - line));
        if (!stop) stop = c->end;
        c->at = stop + 1;
        c->line++;
        *stop = 0;
        if (stop > line && stop[-1] == '\r') stop[-1] = 0;
        for (char *at = line; (at = strstr(at, "\xC2\xA0"));) at[0] = at[1] = ' '; /* no-break spaces */
        if (!line[strspn(line, " \t")] || (*line == '#' && !c->header[0])) continue;
        if (c->separator == ' ') line = trim(line);
        snprintf(c->where, sizeof c->where, "%.600s:%ld", c->file, c->line);
        *rc = split(c, line, e);
        if (!*rc) write_plain(c);
        return true;
    }
    return false;
}

/* Skip blank lines and comments before the header; numpy writes the header as a comment: "# seed,pre". */
static void skip_comments(Csv *c) {
    while (c->at < c->end && strchr("\r\n#", *c->at)) {
        char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
        size_t mark = strspn(c->at, "# ");
        if (*c->at == '#' && !strncasecmp(c->at + mark, "seed", 4) && strchr(",;\t| ", c->at[mark + 4])) {
            c->at += mark;
            return;
        }
        if (!stop) return;
        c->at = stop + 1, c->line++;
    }
}

/* What the numbers of a file look like. */
typedef struct {
    bool point, comma, grouped; /* "3.4"; "3,4"; "3,412,000" */
    bool decimal;               /* a comma that groups no thousands: "0,412", "3,41" */
} Marks;

/* Take note of a number's marks; what stands behind it, or NULL where it is none. */
static const char *number_marks(const char *text, Marks *m) {
    const char *digits = text + (*text == '-' || *text == '+');
    size_t whole = strspn(digits, "0123456789"), more = 0;
    const char *at = digits + whole;
    char mark = *at;
    if (mark == '.' || mark == ',') more = strspn(++at, "0123456789"), at += more;
    if (!whole && !more) return NULL;
    if (mark == ',' && !more) return NULL;
    bool grouped = mark == ',' && *at == ',';
    while (grouped && *at == ',') at += 1 + strspn(at + 1, "0123456789");
    if (mark == ',' && *at == '.') m->point = true, at += 1 + strspn(at + 1, "0123456789"); /* 1,234.5 */
    if (*at == 'e' || *at == 'E') {
        const char *power = at + 1 + (at[1] == '-' || at[1] == '+');
        size_t n = strspn(power, "0123456789");
        if (n) at = power + n;
    }
    while (*at == ' ') at++;
    if (*at && strcmp(at, "%") != 0) return NULL;
    m->point |= mark == '.', m->comma |= mark == ',', m->grouped |= grouped;
    m->decimal |= mark == ',' && !grouped && (more != 3 || !whole || whole > 3 || digits[0] == '0');
    return at;
}

/* Look at all lines once, in a copy; what cannot be split is left to who reads them. */
static void find_marks(Csv *c) {
    size_t length = (size_t)(c->end - c->at);
    Marks m = {0};
    Rc rc;
    Error ignored;
    bool commas = c->separator != ',' && memchr(c->at, ',', length), signs = memchr(c->at, '%', length) != NULL;
    if (!commas && !signs) return;
    char *copy = memcpy(mem_alloc(length + 1, 1), c->at, length);
    Csv all = {.file = c->file, .at = copy, .end = copy + length, .separator = c->separator};
    snprintf(all.header, sizeof all.header, "%s", c->file);
    while (csv_next(&all, &rc, &ignored))
        for (int i = 0; !rc && i < all.fields; i++) {
            const char *behind = number_marks(all.field[i], &m);
            if (i >= c->units) {
                c->unit = mem_grow(c->unit, (size_t)i + 1, 1);
                c->unit[c->units++] = 0;
            }
            if (behind) c->unit[i] |= *behind ? CSV_PERCENT : CSV_PLAIN;
        }
    c->comma = commas && m.decimal && !m.point && !m.grouped;
    csv_release(&all);
    free(copy);
}

bool csv_percent(const Csv *c, int column) {
    return column < c->units && c->unit[column] == CSV_PERCENT;
}

/* Write a decimal point and no sign of percent, as the file's other numbers say, and a spreadsheet's minus (U+2212) as
 * '-'. */
static void write_plain(Csv *c) {
    Marks ignored = {0};
    for (int i = 0; i < c->fields; i++) {
        if (!strncmp(c->field[i], "\xE2\x88\x92", 3) && number_marks(c->field[i] + 3, &ignored))
            *(c->field[i] += 2) = '-';
        bool percent = csv_percent(c, i);
        char *field = c->field[i], *comma = c->comma ? strchr(field, ',') : NULL;
        if ((!percent && !comma) || !number_marks(field, &ignored)) continue;
        if (comma) *comma = '.';
        if (percent) field[strcspn(field, " %")] = 0;
    }
}

void csv_begin(Csv *c) {
    skip_comments(c);
    c->separator = separator_of(c->at);
    find_marks(c);
}

void csv_release(Csv *c) {
    free(c->field);
    free(c->unit);
    *c = (Csv){0};
}
