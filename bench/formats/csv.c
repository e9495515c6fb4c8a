#include "bench/formats/csv.h"

#include <ctype.h>
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

/* Make a blank of each no-break space, U+00A0 and U+202F. */
static void blank_spaces(char *line) {
    char *to = line;
    if (!strstr(line, "\xC2\xA0") && !strstr(line, "\xE2\x80\xAF")) return;
    for (const char *at = line; *at; at++) {
        size_t n = !strncmp(at, "\xC2\xA0", 2) ? 2 : !strncmp(at, "\xE2\x80\xAF", 3) ? 3 : 0;
        *to++ = n ? ' ' : *at;
        if (n) at += n - 1;
    }
    *to = 0;
}

static void say_where(Csv *c) {
    if (c->kind && !c->header[0])
        snprintf(c->where, sizeof c->where, "%.600s", c->file);
    else
        snprintf(c->where, sizeof c->where, c->kind == CSV_LIST_OF_JSON ? "%.600s: [%ld]" : "%.600s:%ld", c->file,
                 c->line);
}

/* A comment before the header or without a separator, or the rule under a header of Markdown. */
static bool is_aside(const Csv *c, const char *line) {
    if (*line == '#') return !c->header[0] || !strchr(line, c->separator);
    return c->separator == '|' && *line == '|' && strchr(line, '-') && !line[strspn(line, "|:- \t\r")];
}

bool csv_next(Csv *c, Rc *rc, Error *e) {
    *rc = RC_OK;
    while (c->at < c->end) {
        char *line = c->at, *stop = memchr(line, '\n', (size_t)(c->end - line));
        if (!stop) stop = c->end;
        c->at = stop + 1;
        c->line++;
        *stop = 0;
        if (stop > line && stop[-1] == '\r') stop[-1] = 0;
        blank_spaces(line);
        if (!line[strspn(line, " \t")] || is_aside(c, line)) continue;
        if (c->separator == ' ') line = trim(line);
        say_where(c);
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

/* A number as it is written: 1,234.5 %. */
typedef struct {
    char first, last;   /* its marks: the one that comes first, and a decimal one of another kind behind it; 0 */
    int firsts;         /* how often the first one comes */
    bool groups;        /* the first one can group thousands: 1 to 3 digits before it, no leading 0, 3 behind each */
    const char *behind; /* a sign of percent, or the end */
} Number;

/* Marks of decimals and thousands. No-break spaces are blanks here. */
static const char kinds[] = ",. '";
enum { KINDS = sizeof kinds - 1 };

static int kind_of(char mark) {
    const char *at = mark ? strchr(kinds, mark) : NULL;
    return at ? (int)(at - kinds) : -1;
}

static const char *behind_power(const char *at) {
    if (*at == 'e' || *at == 'E') {
        const char *power = at + 1 + (at[1] == '-' || at[1] == '+');
        size_t n = strspn(power, "0123456789");
        if (n) at = power + n;
    }
    while (*at == ' ') at++;
    return at;
}

static bool number_of(const char *text, Number *out) {
    const char *digits = text + (*text == '-' || *text == '+');
    size_t whole = strspn(digits, "0123456789"), more = 0;
    const char *at = digits + whole;
    *out = (Number){.groups = whole && whole <= 3 && digits[0] != '0'};
    while (kind_of(*at) >= 0) {
        more = strspn(at + 1, "0123456789");
        if (!more && *at == ' ') break; /* before a sign of percent */
        if (!more && *at != '.') return false;
        if (!out->first) out->first = *at;
        if (*at == out->first && !out->last)
            out->firsts++, out->groups &= more == 3;
        else if (!out->last && (*at == '.' || *at == ','))
            out->last = *at;
        else
            return false;
        at += 1 + more;
    }
    out->behind = behind_power(at);
    return (whole || more) && (!*out->behind || !strcmp(out->behind, "%"));
}

/* What the numbers of a file look like, by kinds of marks. */
typedef struct {
    bool seen[KINDS], odd[KINDS], twice[KINDS]; /* odd: where it groups no thousands */
    int group, last;                            /* of numbers with both; -1: there are none */
    bool mixed;                                 /* such numbers disagree, or group no thousands */
} Marks;

static void note(Marks *m, const Number *n) {
    int first = kind_of(n->first), last = kind_of(n->last);
    if (first < 0) return;
    m->seen[first] = true;
    if (last < 0) m->odd[first] |= !n->groups, m->twice[first] |= n->firsts > 1;
    if (last < 0) return;
    m->mixed |= !n->groups || (m->last >= 0 && (m->group != first || m->last != last));
    m->seen[last] = true, m->group = first, m->last = last;
}

/* Whether blanks and apostrophes make it a number only where the file groups thousands so. */
static bool is_plain(const Number *n, char group) {
    return !strchr(" '", n->first) || !n->first || n->first == group;
}

static void decide(Csv *c, const Marks *m) {
    int comma = kind_of(','), point = kind_of('.'), others = 0;
    if (m->last < 0) {
        c->comma = m->odd[comma] && !m->seen[point] && !m->twice[comma];
        return;
    }
    for (int k = 0; k < KINDS; k++) others += m->seen[k] && k != m->group && k != m->last;
    if (m->mixed || others || m->odd[m->group] || m->twice[m->last]) return;
    c->group = kinds[m->group], c->comma = m->last == comma;
}

/* Whether a blank or an apostrophe stands between two digits. */
static bool blank_between(const char *at, const char *end) {
    for (at++; at + 1 < end; at++)
        if ((*at == ' ' || *at == '\'') && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1])) return true;
    return false;
}

/* Look at all lines once, in a copy; what cannot be split is left to who reads them. */
static void find_marks(Csv *c) {
    size_t length = (size_t)(c->end - c->at);
    Marks m = {.group = -1, .last = -1};
    Number n;
    Rc rc;
    Error ignored;
    bool commas = memchr(c->at, ',', length) && (c->separator != ',' || memchr(c->at, '"', length));
    if (!commas && !memchr(c->at, '%', length) && !blank_between(c->at, c->end)) return;
    char *copy = memcpy(mem_alloc(length + 1, 1), c->at, length);
    Csv all = {.file = c->file, .at = copy, .end = copy + length, .separator = c->separator};
    snprintf(all.header, sizeof all.header, "%s", c->file);
    while (csv_next(&all, &rc, &ignored))
        for (int i = 0; !rc && i < all.fields; i++) {
            bool number = number_of(all.field[i], &n);
            if (i >= c->units) {
                c->unit = mem_grow(c->unit, (size_t)i + 1, 1);
                c->unit[c->units++] = 0;
            }
            if (number) note(&m, &n);
            if (number && (is_plain(&n, 0) || n.last)) c->unit[i] |= *n.behind ? CSV_PERCENT : CSV_PLAIN;
        }
    /* A comma that separates fields is decimal in quotes only where thousands show it. */
    if (c->separator != ',' || m.last >= 0) decide(c, &m);
    csv_release(&all);
    free(copy);
}

const char *csv_written(const Csv *c) {
    switch (c->group) {
    case ',': return "numbers with thousands grouped by commas";
    case '.': return "numbers with thousands grouped by points, and decimal commas";
    case ' ': return c->comma ? "numbers with thousands grouped by blanks, and decimal commas"
                              : "numbers with thousands grouped by blanks";
    case '\'': return c->comma ? "numbers with thousands grouped by apostrophes, and decimal commas"
                               : "numbers with thousands grouped by apostrophes";
    }
    return c->comma ? "numbers with decimal commas" : NULL;
}

bool csv_percent(const Csv *c, int column) {
    return column < c->units && c->unit[column] == CSV_PERCENT;
}

/* Return the number of "tensor(3.4, device='cuda:0')" or "np.float64(3.4)", which Python prints; else the field. */
static char *printed_number(char *field) {
    static const char *const types[] = {"tensor", "array", "float16", "float32", "float64", "bfloat16", "decimal"};
    char *open = strchr(field, '('), *name = field, *number;
    if (!open || open == field || field[strlen(field) - 1] != ')') return field;
    for (char *at = field; at < open; at++)
        if (*at == '.') name = at + 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == (size_t)(open - name) && !strncasecmp(name, types[i], strlen(types[i]))) {
            number = open + 1 + strspn(open + 1, " '");
            number[strcspn(number, " ',)")] = 0;
            return number;
        }
    return field;
}

/* Write numbers without Python's type, with a decimal point, no thousands' marks and no sign of percent, as the file's
 * other numbers say, and a spreadsheet's minus (U+2212) as '-'. */
static void write_plain(Csv *c) {
    Number n;
    for (int i = 0; i < c->fields; i++) {
        c->field[i] = printed_number(c->field[i]);
        if (!strncmp(c->field[i], "\xE2\x88\x92", 3) && number_of(c->field[i] + 3, &n) && is_plain(&n, c->group))
            *(c->field[i] += 2) = '-';
        bool percent = csv_percent(c, i);
        char *field = c->field[i], *to = field;
        if ((!percent && !c->comma && !c->group) || !number_of(field, &n) || !is_plain(&n, c->group)) continue;
        if (percent) field[strcspn(field, "%")] = 0;
        for (char *at = field; *at; at++)
            if (*at != c->group || !c->group) *to++ = *at == ',' && c->comma ? '.' : *at;
        *to = 0;
        field[strcspn(field, " ")] = 0;
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
