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

void csv_begin(Csv *c) {
    skip_comments(c);
    c->separator = separator_of(c->at);
}

void csv_release(Csv *c) {
    free(c->field);
    *c = (Csv){0};
}
