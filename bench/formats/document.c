#include "bench/formats/document.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEEPEST = 8, FIELDS_MAX = 16, LARGEST = 1 << 20, NODES_MAX = 10000 };

/* State of the reader: the open collections, outermost first. */
typedef struct {
    Document *d;
    Error *e;
    struct {
        Node *node, *last; /* the collection and its last child */
        char *key;         /* read; its value follows */
        int key_line;
    } open[DEEPEST];
    int depth, nodes, documents;
} Builder;

static void node_free(Node *n) {
    while (n) {
        Node *next = n->next;
        node_free(n->child);
        free(n->key);
        free(n->text);
        free(n);
        n = next;
    }
}

void document_release(Document *d) {
    node_free(d->root);
    free(d->file);
    *d = (Document){0};
}

const Node *node_find(const Node *mapping, const char *key) {
    for (const Node *n = mapping->child; n; n = n->next)
        if (n->key && !strcmp(n->key, key)) return n;
    return NULL;
}

bool node_empty(const Node *n) {
    return n->kind == NODE_SCALAR && !n->quoted && !n->text[0];
}

const char *node_kind(const Node *n) {
    return n->kind == NODE_SCALAR ? "a value" : n->kind == NODE_SEQUENCE ? "a list" : "a mapping";
}

Rc document_prefix(Error *e, const Document *d, int line) {
    if (line && strncmp(d->file, "--", 2)) return error_prefix(e, "%.300s:%d: ", d->file, line);
    return error_prefix(e, "%.300s: ", d->file);
}

Rc document_error(Error *e, const Document *d, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    e->code = RC_USAGE;
    return document_prefix(e, d, line);
}

static int line_at(const char *bytes, size_t at) {
    int line = 1;
    for (size_t i = 0; i < at; i++) line += bytes[i] == '\n';
    return line;
}

/* Return true if a line (1-based) is indented with a tab, the usual reason why it is no yaml. */
static bool tab_indents(const char *bytes, size_t length, int line) {
    const char *at = bytes, *end = bytes + length;
    while (--line && at) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    while (at && at < end && *at == ' ') at++;
    return at && at < end && *at == '\t';
}

/* Write libyaml's error in one line. Its marks count lines from 0, and one past the end means the end. */
static Rc parser_error(const yaml_parser_t *p, const Document *d, const char *bytes, size_t length, Error *e) {
    const char *problem = p->problem ? p->problem : "not yaml";
    if (p->error == YAML_MEMORY_ERROR) return error_set(e, RC_UNMEASURED, "%s: out of memory", d->file);
    if (p->error == YAML_READER_ERROR) {
        size_t at = p->problem_offset < length ? p->problem_offset : length;
        return document_error(e, d, line_at(bytes, at), "not a text file in UTF-8: %s", problem);
    }
    int last = line_at(bytes, length ? length - 1 : 0);
    int line = (int)p->problem_mark.line + 1, from = (int)p->context_mark.line + 1;
    if (line > last) line = last;
    if (from > last) from = last;
    if (tab_indents(bytes, length, line)) return document_error(e, d, line, "a tab; yaml is indented with spaces");
    if (!p->context) return document_error(e, d, line, "not yaml: %s", problem);
    return document_error(e, d, line, "not yaml: %s (%s from line %d)", problem, p->context, from);
}

/* Add a value to the innermost open collection (or as the root); a scalar in a mapping may be a key instead. */
static Rc add(Builder *b, NodeKind kind, const char *text, bool quoted, int line) {
    Node *parent = b->depth ? b->open[b->depth - 1].node : NULL;
    char **key = parent ? &b->open[b->depth - 1].key : NULL;
    if (parent && parent->kind == NODE_MAPPING && !*key) {
        if (kind != NODE_SCALAR) return document_error(b->e, b->d, line, "a key must be a word");
        const Node *twin = node_find(parent, text);
        if (twin)
            return document_error(b->e, b->d, line, "duplicate key '%.80s' (first on line %d)", text, twin->key_line);
        *key = mem_text(text);
        b->open[b->depth - 1].key_line = line;
        return RC_OK;
    }
    if (++b->nodes > NODES_MAX) return document_error(b->e, b->d, line, "more than %d values", (int)NODES_MAX);
    if (kind != NODE_SCALAR && b->depth == DEEPEST)
        return document_error(b->e, b->d, line, "nested deeper than %d", (int)DEEPEST);
    Node *n = mem_alloc(1, sizeof *n);
    *n = (Node){.kind = kind, .line = line, .key_line = line, .quoted = quoted};
    if (kind == NODE_SCALAR) n->text = mem_text(text);
    if (parent) {
        n->key = *key;
        if (*key) n->key_line = b->open[b->depth - 1].key_line;
        *key = NULL;
        *(b->open[b->depth - 1].last ? &b->open[b->depth - 1].last->next : &parent->child) = n;
        b->open[b->depth - 1].last = n;
    } else {
        b->d->root = n;
    }
    if (n->text && node_empty(n)) n->line = n->key_line;
    if (kind != NODE_SCALAR) {
        memset(&b->open[b->depth], 0, sizeof b->open[0]);
        b->open[b->depth++].node = n;
    }
    return RC_OK;
}

static Rc add_scalar(Builder *b, const yaml_event_t *event, int line) {
    const char *text = (const char *)event->data.scalar.value;
    if (event->data.scalar.anchor || event->data.scalar.tag)
        return document_error(b->e, b->d, line, "anchors (&) and tags (!) are not used here; quote the value");
    if (strlen(text) != event->data.scalar.length) return document_error(b->e, b->d, line, "a value holds a zero byte");
    return add(b, NODE_SCALAR, text, event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE, line);
}

static Rc add_collection(Builder *b, NodeKind kind, const yaml_char_t *anchor, const yaml_char_t *tag, int line) {
    if (anchor || tag) return document_error(b->e, b->d, line, "anchors (&) and tags (!) are not used here");
    return add(b, kind, NULL, false, line);
}

static Rc take(Builder *b, const yaml_event_t *v) {
    int line = (int)v->start_mark.line + 1;
    switch (v->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++b->documents == 1) return RC_OK;
        return document_error(b->e, b->d, line, "a second document ('---') starts here; a file holds one");
    case YAML_ALIAS_EVENT: return document_error(b->e, b->d, line, "aliases (*) are not used here; quote the value");
    case YAML_SCALAR_EVENT: return add_scalar(b, v, line);
    case YAML_SEQUENCE_START_EVENT:
        return add_collection(b, NODE_SEQUENCE, v->data.sequence_start.anchor, v->data.sequence_start.tag, line);
    case YAML_MAPPING_START_EVENT:
        return add_collection(b, NODE_MAPPING, v->data.mapping_start.anchor, v->data.mapping_start.tag, line);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: b->depth--; return RC_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT: return RC_OK;
    }
    return RC_OK;
}

static Rc build(Builder *b, yaml_parser_t *parser, const char *bytes, size_t length) {
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return parser_error(parser, b->d, bytes, length, b->e);
        done = event.type == YAML_STREAM_END_EVENT;
        Rc rc = take(b, &event);
        yaml_event_delete(&event);
        if (rc) return rc;
    }
    if (b->d->root && !node_empty(b->d->root)) return RC_OK;
    return document_error(b->e, b->d, 1, "there is nothing in it");
}

Rc document_parse(Document *d, const char *file, const char *bytes, size_t length, Error *e) {
    *d = (Document){.file = mem_text(file)};
    Builder b = {.d = d, .e = e};
    yaml_parser_t parser;
    Rc rc;
    if (length > LARGEST) {
        rc = document_error(e, d, 0, "%zu bytes; larger than the 1 MiB that such a file may have", length);
    } else if (!yaml_parser_initialize(&parser)) {
        rc = error_set(e, RC_UNMEASURED, "%s: out of memory", file);
    } else {
        yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
        rc = build(&b, &parser, bytes, length);
        yaml_parser_delete(&parser);
    }
    for (int i = 0; i < DEEPEST; i++) free(b.open[i].key);
    if (rc) document_release(d);
    return rc;
}

int node_children(const Node *n) {
    int count = 0;
    for (const Node *c = n->child; c; c = c->next) count++;
    return count;
}

static Rc check_key(const Document *d, const Node *entry, const Field *field, int count, Error *e) {
    const char *names[FIELDS_MAX];
    char hint[96];
    assert(count <= FIELDS_MAX);
    for (int i = 0; i < count; i++)
        if (!strcmp(entry->key, names[i] = field[i].key)) return RC_OK;
    return document_error(e, d, entry->key_line, "unknown key '%s'%s", entry->key,
                          did_you_mean(hint, sizeof hint, entry->key, names, (size_t)count));
}

static Rc read_field(const Document *d, const Node *mapping, const Field *f, Error *e) {
    static const char *const kinds[] = {"a value", "a list", "a mapping"};
    const Node *n = node_find(mapping, f->key);
    if (f->node) *f->node = n;
    if (f->text) *f->text = n ? n->text : NULL;
    if (!n) return f->required ? document_error(e, d, mapping->line, "%s: missing", f->key) : RC_OK;
    if (n->kind != f->kind && !f->any)
        return document_error(e, d, n->line, "%s: %s, not %s", f->key, node_kind(n), kinds[f->kind]);
    return f->text && node_empty(n) ? document_error(e, d, n->line, "%s: empty", f->key) : RC_OK;
}

Rc document_fields(const Document *d, const Node *n, const Field *field, int count, Error *e) {
    if (n->kind != NODE_MAPPING)
        return document_error(e, d, n->line, "%s%s%s, not a mapping", n->key ? n->key : "", n->key ? ": " : "",
                              node_kind(n));
    for (const Node *c = n->child; c; c = c->next)
        if (check_key(d, c, field, count, e)) return e->code;
    for (int i = 0; i < count; i++)
        if (read_field(d, n, &field[i], e)) return e->code;
    return RC_OK;
}

Rc document_choice(const Document *d, const Node *at, const char *what, const char *const *names, int count, int *out,
                   Error *e) {
    char hint[96];
    for (int i = 0; i < count; i++)
        if (at->kind == NODE_SCALAR && !strcmp(at->text, names[i])) {
            *out = i;
            return RC_OK;
        }
    if (at->kind != NODE_SCALAR) return document_error(e, d, at->line, "%s: %s, not a value", what, node_kind(at));
    return document_error(e, d, at->line, "%s: unknown '%s'%s", what, at->text,
                          did_you_mean(hint, sizeof hint, at->text, names, (size_t)count));
}

Rc document_named(const Document *d, const Node *at, const char *what, const void *structs, size_t size, int count,
                  int *out, Error *e) {
    OWNED const char **names = mem_alloc((size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) names[i] = *(const char *const *)((const char *)structs + (size_t)i * size);
    return document_choice(d, at, what, names, count, out, e);
}
