/* A CSV file line by line: which byte separates, quoted fields, blanks around them, comments before the header. */
#ifndef BENCH_VERDICT_COMPARE_LINES_H
#define BENCH_VERDICT_COMPARE_LINES_H

#include "bench/verdict/compare_rows.h"

typedef struct {
    CompareRows *r;
    char *at, *end; /* what is left of the text */
    long line;      /* of the fields below */
    char separator;
    char **field; /* into the text */
    int fields, room;
    char where[700], header[700]; /* FILE:LINE of the fields, and of the header once it is read */
} Csv;

/* at, end and r are there: finds the header and what separates fields. */
void csv_begin(Csv *c);

/* The next line that is not blank, split into its fields; false at the end of the text. */
bool csv_next(Csv *c, Rc *rc, Error *e);

#endif
