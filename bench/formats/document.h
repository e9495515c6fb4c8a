/* A yaml file as a tree in which every value knows its line. The subset: mappings, sequences and scalars, block or
 * flow; no anchors, aliases, tags or second documents. Scalars are text; who reads a key decides what type it has. */
#ifndef BENCH_FORMATS_DOCUMENT_H
#define BENCH_FORMATS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING } NodeKind;

typedef struct Node {
    NodeKind kind;
    int line, key_line;        /* 1-based: where the value starts; where its key stands (line, when it has none) */
    bool quoted;               /* a scalar in quotes */
    char *key;                 /* of a mapping's entry, else NULL */
    char *text;                /* of a scalar, else NULL */
    struct Node *child, *next; /* of a sequence or mapping: the first; of a child: the one after it */
} Node;

typedef struct {
    char *file; /* how errors call the text; a name in "--" is an option of the command line: no line in its errors */
    Node *root;
} Document;

/* bytes[length] as a tree. RC_USAGE "file:line: …": not yaml, outside the subset, a key twice in one mapping, nothing
 * in it, larger than 1 MiB, nested deeper than 8. On failure there is nothing to release. */
Rc document_parse(Document *d, const char *file, const char *bytes, size_t length, Error *e);
void document_release(Document *d);

/* The mapping's entry called key, or NULL. */
const Node *node_find(const Node *mapping, const char *key);

/* Whether there is no value: "key:" and nothing behind it. */
bool node_empty(const Node *n);

/* "a mapping", "a list" or "a value", for errors. */
const char *node_kind(const Node *n);

/* RC_USAGE "file:line: …"; line 0 leaves the line out. document_prefix does it to the line that e already holds. */
Rc document_error(Error *e, const Document *d, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
Rc document_prefix(Error *e, const Document *d, int line);

int node_children(const Node *n);

/* The text of a mapping's entry (*out = NULL when absent and not required); RC_USAGE when it is no text or empty. */
Rc document_text(const Document *d, const Node *mapping, const char *key, bool required, const char **out, Error *e);
/* An entry of a kind; RC_USAGE when it is of another, or absent and required. */
Rc document_entry(const Document *d, const Node *mapping, const char *key, NodeKind kind, bool required,
                  const Node **out, Error *e);
/* RC_USAGE for an entry whose key is not among names[count]. */
Rc document_keys(const Document *d, const Node *mapping, const char *const *names, int count, Error *e);
/* The place of a word among names[count]; RC_USAGE with the nearest. */
Rc document_choice(const Document *d, const Node *at, const char *what, const char *const *names, int count, int *out,
                   Error *e);

#endif
