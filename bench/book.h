/* Book: the ledger of every write-up. Each claim of bench/claims/ is held against every experiment of its write-up
 * whose runs are stored, each at the largest profile that is complete; a claim that nothing stored measures is `not
 * run`, with the command that would, or with what must exist first. Nothing is trained here. */
#ifndef BENCH_BOOK_H
#define BENCH_BOOK_H

#include <jansson.h>

#include "bench/plan.h"
#include "bench/table.h"

enum { BOOK_SCHEMA = 1 };

/* An experiment whose runs are all there. */
typedef struct {
    Experiment x;
    Plan plan;
    RunRecord *records;
    Table table;
} BookTable;

/* A profile of which some runs are there, and no table. */
typedef struct {
    char name[64], profile[16];
    int missing, runs;
} BookPart;

/* One test of a claim, at one step of one cell of one experiment. */
typedef struct {
    const ClaimFile *file;
    const Claim *claim;
    const ClaimTest *test; /* NULL: the claim has none yet */
    const BookTable *in;   /* NULL: not run */
    const ClaimVerdict *v; /* in in->table.ledger; NULL: not run */
    char why[400];         /* of not run: what is missing */
} BookLine;

typedef struct {
    ClaimFile *file;
    int files;
    BookTable **made;
    int mades;
    BookPart *part; /* larger than the profile that is made, if one is */
    int parts;
    BookLine *line; /* by file, claim, test */
    int lines;
    char profile[16]; /* asked for; "": the largest that is complete */
} Book;

/* writeup NULL: all of them. all: also experiments that belong to no write-up. RC_USAGE: no such write-up (the nearest is named), or a file of bench/ that does not read;
 * RC_INTEGRITY: a damaged record. A corpus that cannot be had only leaves its experiments out. */
Rc book_make(Book *b, Session *s, const char *writeup, bool all, Error *e);
void book_release(Book *b);

/* "NAME PROFILE: 34 of 64 runs are missing (normbench run …)" */
void book_part(const BookPart *p, Text *out);

/* A note for each part, to standard error. */
void book_note_parts(const Book *b);

VerdictWord book_word(const BookLine *l);

/* Verdicts of a write-up by word; NULL: of all. A claim without runs counts once. */
void book_count(const Book *b, const ClaimFile *f, int count[WORD_NOT_RUN + 1]);

void book_text(const Book *b, Text *out); /* for the terminal */
void book_tex(const Book *b, Text *out);  /* one booktabs table per write-up */

/* {schema, counts: {WORD: n}, writeups: [{writeup, title, source, file, counts, claims: [{id, says, source, family,
 *  note?, setup: {name, keys, choices}, verdicts: [VERDICT]}]}]}
 * VERDICT is that of bench/table_json.h with experiment, profile, plan, hypothesis, and in `comparison` the whole
 * COMPARISON; of a claim that is not run it is {verdict, why, metric?, test?}. New reference. */
json_t *book_json(const Book *b);

#endif
