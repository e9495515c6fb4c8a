/* A CSV file line by line: which byte separates, quoted fields, blanks around them, comments before the header. */
#ifndef BENCH_FORMATS_CSV_H
#define BENCH_FORMATS_CSV_H

#include <stdbool.h>

#include "base/error.h"

typedef struct {
    const char *file; /* how errors call the text */
    void *of;         /* the caller's */
    char *at, *end;   /* what is left of the text, which is written over */
    long line;      /* of the fields below */
    char separator;
    char **field; /* into the text */
    int fields, room;
    char where[700], header[700]; /* FILE:LINE of the fields, and of the header once it is read */
} Csv;

/* at, end and file are there: finds the header and what separates fields. */
void csv_begin(Csv *c);

/* The next line that is not blank, split into its fields; false at the end of the text. *rc: RC_USAGE for a quoted
 * field that does not end, or with something behind its closing quote. */
bool csv_next(Csv *c, Rc *rc, Error *e);
void csv_release(Csv *c);

#endif
