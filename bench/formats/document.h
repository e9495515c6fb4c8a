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

/* Get the text of a mapping's entry (*out NULL: absent and not required); RC_USAGE: it is no text or empty. */
Rc document_text(const Document *d, const Node *mapping, const char *key, bool required, const char **out, Error *e);
/* Get an entry of a kind; RC_USAGE: it is of another kind, or absent and required. */
Rc document_entry(const Document *d, const Node *mapping, const char *key, NodeKind kind, bool required,
                  const Node **out, Error *e);
/* Refuse with RC_USAGE an entry whose key is not among names[count]. */
Rc document_keys(const Document *d, const Node *mapping, const char *const *names, int count, Error *e);
/* Find the index of a word in names[count]; RC_USAGE names the nearest. */
Rc document_choice(const Document *d, const Node *at, const char *what, const char *const *names, int count, int *out,
                   Error *e);

#endif
