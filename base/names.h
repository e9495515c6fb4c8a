/* Names: tables whose rows begin with `const char *name`, lists of names among them, and what an error says of a name
 * that is none of them. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/error.h"

typedef struct {
    const void *row;
    size_t size, count;
} Names;
#define NAMES(rows, count) ((Names){rows, sizeof *(rows), (size_t)(count)})

/* Return the index of the row called `name`, or -1. */
int name_find(Names names, const char *name);

/* Append the nearest name, as did_you_mean has it, to e's text; where none is near, append "; LIST: a, b, c" if `list`
 * ("there are", "valid") is not NULL. Return e's code. */
Rc name_unknown(Error *e, const char *word, Names names, const char *list);

#endif
