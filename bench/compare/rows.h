/* What the readers of CSV and JSON share: runs as they stand in a file, and the grid they must fill. */
#ifndef BENCH_COMPARE_ROWS_H
#define BENCH_COMPARE_ROWS_H

#include "bench/compare/compare.h"
#include "bench/formats/csv.h"
#include "bench/readers/pick.h"

typedef struct {
    int arm, corpus; /* corpus: 0 without a column of them */
    int64_t seed, block;
    double value; /* NaN: diverged */
    bool absent;  /* a line that names the run and gives it no value */
    bool unfinished; /* absent by its state */
    long at;      /* line of a CSV or JSONL file, place in a JSON list or a pick, -1: under its arm and seed */
} CompareRow;

typedef struct {
    const char *file;
    CompareColumns columns; /* as named on the command line */
    char *read_as;          /* CompareData.columns */
    char *metric;           /* what the values are called; NULL: value, or a column for every arm */
    const Pick *pick;       /* of runs that were picked from logs; NULL */
    bool lines, blocks;     /* lines: CSV or JSONL */
    long before;            /* blank lines at the start of JSON */
    bool wide;              /* CSV with a column for every arm */
    bool numbered;          /* the file names no seeds: an arm's runs count from 1 */
    int64_t *runs;          /* [arms], when numbered: counted so far */
    int counted;            /* arms that have a place there */
    char **arm;
    int arms, last_arm;
    char **corpus;
    int corpora, last_corpus; /* corpora: 0 without a column of them */
    CompareRow *row;
    size_t rows, room;
} CompareRows;

/* What to say of a file that was read as one with a column for every arm, and makes no sense. */
extern const char compare_name_columns[];

/* "FILE:3", "FILE: [3]", "FILE: arms.pre.7". */
char *compare_where(char *out, size_t size, const CompareRows *r, const CompareRow *row);

Rc compare_twice(const CompareRows *r, const CompareRow *a, const CompareRow *b, Error *e);

/* The arm of that name, made when new. RC_USAGE: a name that is empty, too long, not UTF-8, or has control bytes. */
Rc compare_arm(CompareRows *r, const char *where, const char *name, int *arm, Error *e);

/* The same of a corpus. */
Rc compare_corpus(CompareRows *r, const char *where, const char *name, int *corpus, Error *e);
extern const char *const compare_corpus_columns[2]; /* "corpus", "dataset": the names of its column or key */

void compare_row_add(CompareRows *r, CompareRow row);

/* The next number of an arm's runs in a file that names no seeds. */
int64_t compare_next_run(CompareRows *r, int arm);

bool compare_may_lack(const CompareRows *r); /* a file may have runs that are not there: unpaired, or curves */

/* Strict. `what` names the column or key. A value is a finite number, or a word for a diverged run (nan, inf,
 * diverged): NaN. A number beyond COMPARE_LARGEST is refused. */
Rc compare_seed(const char *where, const char *what, const char *text, int64_t *out, Error *e);
Rc compare_value(const char *where, const char *what, const char *text, double *out, Error *e);
Rc compare_value_fits(const char *where, const char *what, double value, Error *e);

/* Checks that every arm has every seed and block once, and makes the grid. */
Rc compare_gather(CompareData *d, CompareRows *r, Error *e);
/* The same for every corpus. */
Rc compare_corpora_gather(CompareCorpora *c, CompareRows *r, Error *e);
void compare_rows_release(CompareRows *r);

/* The rows of a file, to be released also when it failed. */
Rc compare_rows_read(CompareRows *r, const char *bytes, size_t length, Error *e);

/* line: of the first row behind the header; bytes are overwritten. */
Rc compare_csv(CompareRows *r, char *bytes, size_t length, CsvKind kind, long line, Error *e);
Rc compare_records(CompareRows *r, const char *bytes, size_t length, Error *e);

#endif
