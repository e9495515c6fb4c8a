/* Ledger: every write-up's claims. Each claim of bench/claims/ is held against every experiment of its write-up
 * whose runs are stored, each at the largest profile that is complete; a claim that nothing stored measures is `not
 * run`, with the command that would, or with what must exist first. Nothing is trained here. */
#ifndef BENCH_WRITE_LEDGER_H
#define BENCH_WRITE_LEDGER_H

#include <jansson.h>

#include "base/sha256.h"
#include "bench/formats/cells.h"
#include "bench/store/session.h"
#include "bench/store/store.h"
#include "bench/verdict/stored.h"
#include "bench/verdict/theory.h"
#include "bench/write/table.h"

enum { LEDGER_SCHEMA = 1 };

/* An experiment whose runs are all there. */
typedef struct {
    Experiment x;
    Records records;
    Table table;
    ClaimVerdicts also[EXPERIMENT_MOST_ALSO]; /* claims of other write-ups that its runs decide */
    int alsos;
    char *word;    /* of its plan's folder in results/out; NULL: none is known */
    char *changed; /* "--set steps=4": what the command line changed; NULL: nothing */
} LedgerTable;
void ledger_table_free(LedgerTable *t);

/* A profile of which some runs are there, and no table. */
typedef struct {
    char name[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE], command[160]; /* that trains them */
    int missing, runs;
} LedgerPart;

/* One test of a claim, at one step of one cell of one experiment. */
typedef struct {
    const ClaimFile *file;
    const Claim *claim;
    const ClaimTest *test; /* NULL: the claim has none yet */
    const LedgerTable *in;   /* NULL: not run */
    ClaimVerdict *v;       /* NULL: not run */
    const Family *family;  /* that v was adjusted in */
    const Statement *statement;     /* of a test that statements decide, one line for each */
    const StatementVerdict *stated; /* its verdict; NULL: not measured */
    const StoredVerdict *stored;    /* what was measured elsewhere, of an experiment not here; NULL: nothing */
    char why[400];         /* of not run: what is missing */
} LedgerLine;

typedef struct {
    ClaimFile *file;
    int files;
    LedgerTable **made;
    int mades;
    LedgerPart *part; /* larger than the profile that is made, if one is */
    int parts;
    int others; /* stored runs that are in none of these; only report_take counts them */
    Theory theory; /* what `run theory` stored */
    StatementVerdict *stated; /* [STATEMENT_COUNT]; NULL: nothing is stored */
    LedgerLine *line; /* by file, claim, test */
    int lines;
    char profile[PROFILE_NAME_SIZE]; /* asked for; "": the largest that is complete */
    Stored kept; /* the verdicts that ledger_add_stored read */
} Ledger;

/* writeup NULL: all of them. all: also experiments that belong to no write-up. RC_USAGE: no such write-up (the nearest
 * is named), or a file of bench/ that does not read; RC_INTEGRITY: a damaged record. No corpus is needed. */
Rc ledger_make(Ledger *b, Session *s, const char *writeup, bool all, Error *e);
void ledger_release(Ledger *b);

/* Lines for the stored verdicts of tests on experiments that are not run here, of the profile that was asked for.
 * RC_INTEGRITY: their file is damaged; the ledger stays as it was. */
Rc ledger_add_stored(Ledger *b, const Session *s, Error *e);

/* Of the claim as declare_claim writes it. */
void ledger_hash(const Claim *c, char out[SHA256_HEX]);

/* "NAME PROFILE: 34 of 64 runs are missing (normbench run …)" */
void ledger_part(const LedgerPart *p, Text *out);

/* A note for each part, and for each table whose runs are not all of class canon, to standard error. */
void ledger_note_parts(const Ledger *b);

/* ", class bf16-amx": the arithmetic of a line's runs; nothing where all of them are of class canon. */
void ledger_class(const LedgerLine *l, Text *out);

/* Where a contrast was measured: "embedding-norm-4 quick, step 150, token_std = 1, class bf16-amx". */
void ledger_place(const LedgerLine *l, Text *out);

VerdictWord ledger_word(const LedgerLine *l); /* `not run` only where nothing is stored either */

/* Verdicts of a write-up by word, NULL: of all; either the own ones and what is not run, or the stored ones. A claim
 * without runs counts once. */
void ledger_count(const Ledger *b, const ClaimFile *f, bool stored, int count[WORD_COUNT]);
/* "2 reproduced, 1 not run"; nothing where there is none. */
void ledger_counts_text(const int count[WORD_COUNT], Text *out);

typedef enum {
    LEDGER_short,    /* a row for each claim */
    LEDGER_whole,    /* a row for each verdict, and what is not run */
    LEDGER_measured, /* without what is not run */
    LEDGER_missing   /* that alone */
} LedgerForm;

/* A table for each write-up that has such lines, then the words' meanings (not of what is missing). only: that claim
 * alone; NULL: all. */
void ledger_tables(const Ledger *b, LedgerForm form, const Claim *only, CellsList *out);
void ledger_tex(const Ledger *b, const Claim *only, Text *out); /* all of it */

/* {schema, made_by, commit, counts: {WORD: n}, stored_counts, writeups: [{writeup, title, author?, date?, url?, source,
 * file, counts, stored_counts, claims: [{id, hash, says, source, family,
 *  note?, setup: {name, keys, choices}, verdicts: [VERDICT]}]}]}
 * VERDICT is that of bench/write/table_json.h with test_at (its place among the claim's tests), where, numbers,
 * experiment, profile, plan, records (who made them), trained (the day of the last of them), hypothesis, and
 * in `comparison` the whole COMPARISON, and `class` where its runs are not all of class canon; of a claim that is not
 * run it is {verdict, why, metric?, test?}; of a statement {verdict, metric, test_at, numbers, statement} with a
 * STATEMENT of bench/write/theory.h. A stored verdict is as it was written then, with stored: {commit}. New
 * reference. only: that claim alone, the counts those of its write-up; NULL: all. */
json_t *ledger_json(const Ledger *b, const Claim *only);

#endif
