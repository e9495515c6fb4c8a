/* Read a CSV file line by line: any separator, quoted fields, blanks around them, comments, tables of Markdown,
 * decimal commas, signs of percent, and numbers as Python prints them with their type. */
#ifndef BENCH_FORMATS_CSV_H
#define BENCH_FORMATS_CSV_H

#include <stdbool.h>

#include "base/error.h"

/* What the text is: a file, or made of JSON, whose rows are lines of a file or of a list and whose header is
 * nowhere. */
typedef enum { CSV_FILE, CSV_LINES_OF_JSON, CSV_LIST_OF_JSON } CsvKind;

typedef struct {
    const char *file; /* name of the text in errors */
    CsvKind kind;
    void *of;       /* the caller's */
    char *at, *end; /* rest of the text, which is overwritten */
    long line;      /* line of the fields below */
    char separator;
    char **field; /* pointers into the text */
    int fields, room;
    bool comma; /* numbers have a decimal comma; fields have a point in its place */
    char group; /* what groups thousands, where some number says so; fields lack it; 0 */
    char *unit; /* [units] kinds of numbers in a column; where all have a sign of percent, fields */
    int units;  /* lack it */
    char where[700], header[700]; /* FILE:LINE, or FILE: [PLACE], of the fields and of the header */
} Csv;

enum { CSV_PLAIN = 1, CSV_PERCENT = 2 };

/* Find the header and the separator, and what numbers look like; at, end and file are set. A comma in numbers is a
 * decimal one where it separates no fields, some number shows that it does not group thousands (0,5; 3,41), and none
 * has a point or two commas. Where some number has thousands and decimals (1,234.5; 1.234,5; 1 234,5; 1'234.5) and none
 * contradicts it, all numbers are read so. */
void csv_begin(Csv *c);
const char *csv_written(const Csv *c); /* how numbers are, where it is another way than with a decimal point; NULL */

/* Split the next line that is not blank into its fields; false at the end of the text. *rc: RC_USAGE for a quoted
 * field that does not end, or with text after its closing quote. */
bool csv_next(Csv *c, Rc *rc, Error *e);
bool csv_percent(const Csv *c, int column);
void csv_release(Csv *c);

#endif
