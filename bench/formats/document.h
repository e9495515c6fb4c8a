/* A yaml file as a tree in which every value knows its line. The subset: mappings, sequences and scalars, block or
 * flow; no anchors, aliases, tags or second documents. Scalars are text; the reader of a key decides its type. */
#ifndef BENCH_FORMATS_DOCUMENT_H
#define BENCH_FORMATS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING } NodeKind;

typedef struct Node {
    NodeKind kind;
    int line, key_line;        /* 1-based lines of the value and of its key (without one: line) */
    bool quoted;               /* a scalar in quotes */
    char *key;                 /* key of a mapping's entry, else NULL */
    char *text;                /* text of a scalar, else NULL */
    struct Node *child, *next; /* first child of a sequence or mapping; next sibling */
} Node;

typedef struct {
    char *file; /* name of the text in errors; one that begins with "--" is an option: its errors have no line */
    Node *root;
} Document;

/* Parse bytes[length]. RC_USAGE "file:line: …": not yaml, outside the subset, a key twice in one mapping, empty, larger
 * than 1 MiB, nested deeper than 8. On failure there is nothing to release. */
Rc document_parse(Document *d, const char *file, const char *bytes, size_t length, Error *e);
void document_release(Document *d);

/* Return the mapping's entry called key, or NULL. */
const Node *node_find(const Node *mapping, const char *key);

/* Return true if there is no value after "key:". */
bool node_empty(const Node *n);

/* Return "a mapping", "a list" or "a value", for errors. */
const char *node_kind(const Node *n);

/* Set RC_USAGE "file:line: …"; line 0: omit it. document_prefix adds the prefix to e's text. */
Rc document_error(Error *e, const Document *d, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
Rc document_prefix(Error *e, const Document *d, int line);

int node_children(const Node *n);

/* A key that a mapping may have, and where its value goes; NULL there if it is absent. */
typedef struct {
    const char *key;
    bool required, any; /* any: of any kind */
    NodeKind kind;
    const Node **node; /* the entry, or NULL */
    const char **text; /* a scalar's text, which is not empty, or NULL */
} Field;
#define FIELD_TEXT(key, required, out) \
    { key, required, false, NODE_SCALAR, NULL, out }
#define FIELD_NODE(key, required, kind, out) \
    { key, required, false, NODE_##kind, out, NULL }

/* Read a mapping with the keys of field[count] and no others; RC_USAGE: it is no mapping, a key is unknown, or required
 * and absent, or of another kind. DOCUMENT_FIELDS takes rows of Field. */
Rc document_fields(const Document *d, const Node *n, const Field *field, int count, Error *e);
#define DOCUMENT_FIELDS(d, n, e, ...) \
    document_fields(d, n, (const Field[]){__VA_ARGS__}, sizeof((Field[]){__VA_ARGS__}) / sizeof(Field), e)

/* Find the index of a word in names[count], or among `count` structs of `size` bytes that begin with their name;
 * RC_USAGE names the nearest. */
Rc document_choice(const Document *d, const Node *at, const char *what, const char *const *names, int count, int *out,
                   Error *e);
Rc document_named(const Document *d, const Node *at, const char *what, const void *structs, size_t size, int count,
                  int *out, Error *e);

#endif
