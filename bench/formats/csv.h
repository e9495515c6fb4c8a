/* Read a CSV file line by line: any separator, quoted fields, blanks around them, comments before the header. */
#ifndef BENCH_FORMATS_CSV_H
#define BENCH_FORMATS_CSV_H

#include <stdbool.h>

#include "base/error.h"

typedef struct {
    const char *file; /* name of the text in errors */
    void *of;         /* the caller's */
    char *at, *end;   /* rest of the text, which is overwritten */
    long line;      /* line of the fields below */
    char separator;
    char **field; /* pointers into the text */
    int fields, room;
    char where[700], header[700]; /* FILE:LINE of the fields, and of the header once it is read */
} Csv;

/* Find the header and the separator; at, end and file are set. */
void csv_begin(Csv *c);

/* Split the next line that is not blank into its fields; false at the end of the text. *rc: RC_USAGE for a quoted field
 * that does not end, or with text after its closing quote. */
bool csv_next(Csv *c, Rc *rc, Error *e);
void csv_release(Csv *c);

#endif
