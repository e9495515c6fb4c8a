/* CSV: the header says whether a line is one run (seed, arm, value) or one seed with a column for every arm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict/compare_rows.h"

typedef struct {
    CompareRows *r;
    char *at, *end; /* what is left of the text */
    long line;      /* of the fields below */
    char separator;
    char **field; /* into the text */
    int fields, room;
    char where[700];
} Csv;

/* The first comma, semicolon or tab of the header that is not in quotes. */
static char separator_of(const char *header) {
    bool quoted = false;
    for (; *header && (quoted || *header != '\n'); header++) {
        if (*header == '"') quoted = !quoted;
        if (!quoted && strchr(",;\t", *header)) return *header;
    }
    return ',';
}

static void add_field(Csv *c, char *field) {
    if (c->fields == c->room)
        c->field = mem_grow(c->field, (size_t)(c->room = c->room ? 2 * c->room : 16), sizeof field);
    c->field[c->fields++] = field;
}

/* A field in quotes, doubled quotes halved in place. Returns the byte behind its closing quote, or NULL. */
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

/* Splits one line, already terminated. */
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

/* The next line that is not blank; false at the end of the text. */
static bool next_line(Csv *c, Rc *rc, Error *e) {
    *rc = RC_OK;
    while (c->at < c->end) {
        char *line = c->at, *stop = memchr(line, '\n', (size_t)(c->end - line));
        if (!stop) stop = c->end;
        c->at = stop + 1;
        c->line++;
        *stop = 0;
        if (stop > line && stop[-1] == '\r') stop[-1] = 0;
        if (!line[strspn(line, " \t")]) continue;
        snprintf(c->where, sizeof c->where, "%.600s:%ld", c->r->file, c->line);
        *rc = split(c, line, e);
        return true;
    }
    return false;
}

static int column(const Csv *c, const char *name) {
    for (int i = 0; i < c->fields; i++)
        if (!strcmp(c->field[i], name)) return i;
    return -1;
}

static Rc check_header(const Csv *c, Error *e) {
    char hint[96] = "";
    for (int i = 0; i < c->fields; i++) {
        if (!c->field[i][0]) return error_set(e, RC_USAGE, "%s: column %d has no name", c->where, i + 1);
        for (int k = 0; k < i; k++)
            if (!strcmp(c->field[i], c->field[k]))
                return error_set(e, RC_USAGE, "%s: two columns are called '%.80s'", c->where, c->field[i]);
    }
    if (column(c, "seed") >= 0) return RC_OK;
    const char *near = nearest_name("seed", (const char *const *)c->field, (size_t)c->fields);
    if (near) snprintf(hint, sizeof hint, "; is '%.60s' meant?", near);
    return error_set(e, RC_USAGE, "%s: the header has no column 'seed'%s", c->where, hint);
}

/* What a line is: the columns of a run, or one per arm. */
typedef struct {
    int fields, seed, arm, value, block; /* arm < 0: one column per arm */
    char **name;                         /* of the columns */
} Shape;

static Rc find_shape(const Csv *c, Shape *s, Error *e) {
    s->fields = c->fields;
    s->seed = column(c, "seed"), s->arm = column(c, "arm"), s->value = column(c, "value"),
    s->block = column(c, "block");
    if (s->arm >= 0 && s->value >= 0) {
        for (int i = 0; i < c->fields; i++)
            if (i != s->seed && i != s->arm && i != s->value && i != s->block)
                return error_set(e, RC_USAGE, "%s: unknown column '%.80s' (seed, arm, value and block are known)",
                                 c->where, c->field[i]);
    } else
        s->arm = s->value = s->block = -1;
    return RC_OK;
}

/* Names outlive the line they stand on, as the text does. */
static Rc read_header(Csv *c, Shape *s, Error *e) {
    if (check_header(c, e) || find_shape(c, s, e)) return e->code;
    s->name = mem_alloc((size_t)c->fields, sizeof *s->name);
    memcpy(s->name, c->field, (size_t)c->fields * sizeof *s->name);
    c->r->blocks = s->block >= 0;
    for (int i = 0; s->arm < 0 && i < s->fields; i++) {
        int arm;
        if (i != s->seed && compare_arm(c->r, c->where, s->name[i], &arm, e)) return e->code;
    }
    return RC_OK;
}

static Rc read_run(Csv *c, const Shape *s, Error *e) {
    CompareRow row = {.at = c->line};
    if (compare_seed(c->where, "seed", c->field[s->seed], &row.seed, e)) return e->code;
    if (s->block >= 0 && compare_seed(c->where, "block", c->field[s->block], &row.block, e)) return e->code;
    if (compare_arm(c->r, c->where, c->field[s->arm], &row.arm, e)) return e->code;
    if (compare_value(c->where, "value", c->field[s->value], &row.value, e)) return e->code;
    compare_row_add(c->r, row);
    return RC_OK;
}

static Rc read_seed(Csv *c, const Shape *s, Error *e) {
    CompareRow row = {.at = c->line};
    if (compare_seed(c->where, "seed", c->field[s->seed], &row.seed, e)) return e->code;
    for (int i = 0; i < s->fields; i++) {
        if (i == s->seed) continue;
        if (compare_value(c->where, s->name[i], c->field[i], &row.value, e)) return e->code;
        compare_row_add(c->r, row);
        row.arm++;
    }
    return RC_OK;
}

Rc compare_csv(CompareRows *r, char *bytes, size_t length, Error *e) {
    Csv c = {.r = r, .at = bytes, .end = bytes + length};
    Shape s = {.name = NULL};
    Rc rc = RC_OK;
    r->lines = true;
    c.separator = separator_of(bytes + strspn(bytes, "\r\n"));
    if (next_line(&c, &rc, e) && !rc) rc = read_header(&c, &s, e);
    while (!rc && next_line(&c, &rc, e) && !rc) {
        if (c.fields != s.fields)
            rc = error_set(e, RC_USAGE, "%s: %d fields where the header has %d", c.where, c.fields, s.fields);
        else
            rc = s.arm >= 0 ? read_run(&c, &s, e) : read_seed(&c, &s, e);
    }
    free(c.field);
    free(s.name);
    return rc;
}
