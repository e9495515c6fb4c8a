/* Ledger: every write-up's claims. Each claim of bench/claims/ is held against every experiment of its write-up
 * whose runs are stored, each at the largest profile that is complete, and against stored measurements. One of its
 * places decides its word (bench/plan/claim.h); the others are estimates. A claim that nothing measures is
 * `not tested`, with the command that would measure it, or with what must exist first. Nothing is trained here. */
#ifndef BENCH_LEDGER_LEDGER_H
#define BENCH_LEDGER_LEDGER_H

#include <jansson.h>

#include "base/error.h"
#include "base/sha256.h"
#include "bench/formats/cells.h"
#include "bench/store/session.h"
#include "bench/store/store.h"
#include "bench/verdict/claim_verdict.h"
#include "bench/verdict/theory.h"
#include "bench/write/claims.h"
#include "bench/write/table.h"
#include "bench/write/theory.h"

/* ---- Stored measurements: what `normbench claims --format json` printed when results/reference/claims.json was
 * made: for each contrast its differences by seed, and for each statement its number. They stand in for tests of claims
 * on experiments that the results at hand lack. No word is stored: claims are judged from the numbers, by the rules for
 * runs. ---- */

enum { STORED_MADE_SIZE = 200, STORED_PATH_SIZE = 600, STORED_SCHEMA = 2 };

/* Texts belong to the file's JSON. */
typedef struct {
    const char *id, *hash;                    /* of the claim it was measured for, as that read then */
    const char *contrast;                     /* claim_contrast_text; NULL: of a statement */
    const char *statement, *predicted;        /* of a statement; NULL: of a contrast */
    const char *numbers;                      /* of a statement: "WHAT: MEASURED [INTERVAL], predicted …" */
    const char *experiment, *profile, *where; /* NULL: of a statement */
    char made[STORED_MADE_SIZE];              /* "trained 2026-11-22, commit 6ed6811bbf4a" */
    int n, step;                              /* n: seeds */
    long parameters;
    bool exploratory;
    RunSpec *spec; /* of the first seed's runs, one for each arm */
    int specs;
    StatedWord stated; /* of a statement */
    json_t *json;      /* as it stands in the file */
} StoredVerdict;

typedef struct {
    json_t *root;       /* NULL: there is no such file */
    const char *commit; /* of the build that wrote it */
    StoredVerdict *at;
    int count;
} Stored;

/* "ROOT/results/reference/claims.json" */
const char *stored_file(const char *root, char out[STORED_PATH_SIZE]);

/* RC_INTEGRITY: path, and what is wrong in it. On failure there is nothing to release. What is `not tested` in it is
 * passed over. */
Rc stored_read(Stored *s, const char *path, Error *e);
void stored_release(Stored *s);

/* Whether it measures this test of a claim, in one of the claim's set-ups and at one of its steps. */
bool stored_measures(const StoredVerdict *v, const Claim *claim, const ClaimTest *t);

/* One arm of its contrast: {arm, weight, runs, rates?, grid?}; NULL: it is of no contrast. */
const json_t *stored_term(const StoredVerdict *v, int term);

/* Judges a claim's test by it, as claim_verdicts_make does by runs: *f is a family of its one contrast, which the
 * caller releases. Where the claim read otherwise then, the verdict is undeclared. */
void stored_judge(const StoredVerdict *v, const Claim *claim, const ClaimTest *t, Family *f, ClaimVerdict *out);

enum { LEDGER_SCHEMA = STORED_SCHEMA };

/* An experiment whose runs are all there. */
typedef struct {
    Experiment x;
    Records records;
    Table table;
    ClaimVerdicts also[EXPERIMENT_ALSO_MAX]; /* claims of other write-ups that its runs decide */
    int also_count;
    char *slug;    /* of its plan's folder in results/out; NULL: none is known */
    char *changed; /* "--set steps=4": what the command line changed; NULL: nothing */
} LedgerTable;
void ledger_table_free(LedgerTable *t);

/* A profile of which some runs are there, and no table. */
typedef struct {
    char name[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE], command[160]; /* that trains them */
    int missing, runs;
} LedgerPart;

/* What a stored contrast says of one test. */
typedef struct {
    Family family;
    ClaimVerdict v;
} LedgerKept;

/* One test of a claim, at one step of one cell of one experiment. */
typedef struct {
    const ClaimFile *file;
    const Claim *claim;
    const ClaimTest *test;          /* NULL: the claim has none yet */
    const LedgerTable *in;          /* NULL: not measured here */
    const ClaimVerdict *v;          /* NULL: not measured; of a stored one its claim, test and place alone, until
                                       ledger_verdict has judged it */
    const Family *family;           /* that v is of */
    const Statement *statement;     /* of a test that statements decide, one line for each */
    const StatementVerdict *stated; /* its verdict; NULL: not measured here */
    const StoredVerdict *stored;    /* what was measured elsewhere, of an experiment not here; NULL: nothing */
    LedgerKept *kept;               /* that v and family are of; NULL: they are of runs, or there are none */
    char why[400];                  /* of what is not measured: what is missing */
} LedgerLine;

/* A claim's verdict. */
typedef struct {
    const ClaimFile *file;
    const Claim *claim;
    const LedgerLine *line; /* that decides: its numbers stand beside the word */
    VerdictWord word;
    Seen seen;
    double p, holm; /* of its own contrasts together, and by Holm over the write-up's claims; NaN: none */
    bool survives;  /* shown, and still so by Holm */
    bool late;      /* a test behind the word, or a statement's window, was set after its runs were seen */
} LedgerClaim;

typedef struct {
    ClaimFile *file;
    int files;
    LedgerTable **made;
    int made_count;
    LedgerPart *part; /* larger than the profile that is made, if one is */
    int parts;
    int others;               /* stored runs that are in none of these; only report_take counts them */
    Theory theory;            /* what `run theory` stored */
    StatementVerdict *stated; /* [STATEMENT_COUNT]; NULL: nothing is stored */
    LedgerLine *line;         /* by file, claim, test */
    int lines;
    LedgerClaim *claim; /* by file */
    int claims;
    LedgerKept **judged; /* of stored lines */
    int judged_count;
    struct {
        char name[EXPERIMENT_NAME_SIZE], writeup[1 + EXPERIMENT_ALSO_MAX][16];
        int rates; /* learning rates of its first profile */
        bool quantize;
    } * link; /* whose claims it decides */
    int links;
    char profile[PROFILE_NAME_SIZE]; /* asked for; "": the largest that is complete */
    const char *root;                /* the session's */
    Stored kept;                     /* the measurements that ledger_add_stored read */
} Ledger;

/* writeup NULL: all of them. all: also experiments that belong to no write-up. RC_USAGE: no such write-up (the nearest
 * is named), or a file of bench/ that does not read; RC_INTEGRITY: a damaged record. No corpus is needed. */
Rc ledger_make(Ledger *b, Session *s, const char *writeup, bool all, Error *e);
void ledger_release(Ledger *b);

/* Return the claims of a write-up; NULL: the ledger has none. */
const ClaimFile *ledger_file(const Ledger *b, const char *writeup);
/* Add a profile of which some runs are missing, and the command that trains them; nothing where all are. */
void ledger_add_part(Ledger *b, const Experiment *x, const Records *p, const char *command);

/* Lines for the stored measurements of tests on experiments that are not run here, of the profile that was asked for.
 * RC_INTEGRITY: their file is damaged; the ledger stays as it was. */
Rc ledger_add_stored(Ledger *b, const Session *s, Error *e);

/* Makes the claims of the lines; ledger_make and ledger_add_stored end with it. */
void ledger_judge(Ledger *b);

/* Return a line's verdict; a stored contrast is judged when it is first asked for. NULL: it is of no contrast. */
const ClaimVerdict *ledger_verdict(const LedgerLine *l);

/* Of the claim as declare_claim writes it. */
void ledger_hash(const Claim *c, char out[SHA256_HEX]);

/* "NAME PROFILE: 34 of 64 runs are missing (normbench run …)" */
void ledger_part(const LedgerPart *p, Text *out);

/* A note for each part, and for each table whose runs are not all of class canon, to standard error. */
void ledger_note_parts(const Ledger *b);

/* ", class bf16-amx": the arithmetic of a line's runs; nothing where all of them are of class canon, or where the cells
 * name their precision. */
void ledger_class(const LedgerLine *l, Text *out);

/* Where a contrast was measured: "embedding-norm-4 quick, step 150, token_std = 1, class bf16-amx". */
void ledger_place(const LedgerLine *l, Text *out);

/* How many claims of a write-up Holm's p counts: those that a contrast decides, one that another shares once. */
int ledger_family(const Ledger *b, const ClaimFile *f);

bool ledger_measured(const LedgerLine *l);                     /* here or elsewhere */
VerdictWord ledger_word(const Ledger *b, const LedgerLine *l); /* its claim's where it decides, else `estimate` */
const LedgerClaim *ledger_claim(const Ledger *b, const Claim *c);

/* Claims of a write-up by word, NULL: of all. measured: without those that are not tested. */
void ledger_count(const Ledger *b, const ClaimFile *f, int count[WORD_COUNT]);
/* "2 reproduced, 1 not tested"; nothing where there is none. */
void ledger_counts_text(const int count[WORD_COUNT], Text *out);

/* The write-up's size that a claim's row names: the one that was measured, or its first; "": it names none. */
void ledger_own_size(const LedgerClaim *c, Text *out);
/* That of the runs that decide; "": none do. */
void ledger_our_size(const LedgerClaim *c, Text *out);
/* Both shorter: "38.6M on 3.7M of WikiText-2, 1 seed", parameters on training tokens. */
void ledger_own_brief(const LedgerClaim *c, Text *out);
void ledger_our_brief(const LedgerClaim *c, Text *out);

/* Return how many seeds would decide an open claim: the most that one of its open tests wants; 0: that is not known of
 * one of them. hours out: of two cores, the seeds of all these tests, 6 x parameters x tokens of every run at
 * LEDGER_SPEED, which is within a factor of 1.5 of what dry runs say; NaN with 0. */
#define LEDGER_SPEED 80e9 /* FLOPs a second of two cores, small models */
#define LEDGER_DEVICE_SPEED 50e12 /* of an H100 that trained 12 x 512 in bf16-stored-fast; it had 19e12 at 4 x 128 */
int ledger_seeds(const Ledger *b, const LedgerClaim *c, double *hours);
double ledger_plan_hours(const Experiment *x); /* of all runs of a plan, whose parameters are known about */
/* Return the precision of the line's runs that no CPU computes in; NULL: a CPU does. */
const char *ledger_device(const LedgerLine *l);
void ledger_hours_text(double hours, Text *out); /* "0.3 h", "4 min" */
/* Why a claim is open, what it takes where it is not tested, what else to know of its verdict. */
void ledger_why(const LedgerClaim *c, Text *out);

/* Return true if a test decided the claim that was written down after its runs were seen. */
bool ledger_exploratory(const LedgerClaim *c);
/* The answer to a question; NULL: it has none. */
const char *ledger_answer(const LedgerClaim *c);

/* A table for each write-up, a row for each claim, and the legend below the last. all: then every claim whole. open:
 * rows of open claims alone, and how many of them a day of two cores would decide. word: of claims alone that hold it
 * (ledger_holds); NULL: of all. */
void ledger_tables(const Ledger *b, bool all, bool open, const char *word, CellsList *out);
/* Whether a claim's sentence, its short form, its note or its source has the word, in capitals or not. */
bool ledger_holds(const Claim *c, const char *word);
/* One claim whole: its sentence, verdict and sizes, every place it was measured in, its seeds, the way to its runs. */
void ledger_whole(const Ledger *b, const Claim *c, CellsList *out);
void ledger_tex(const CellsList *tables, Text *out); /* behind a comment */

/* {schema, made_by, commit, counts: {WORD: n}, writeups: [{writeup, title, author?, date?, url?, source, file, counts,
 *  holm_over, claims: [{id, hash, says, brief, kind, source, number?, note?, own: [text],
 *  setups: [{name, keys, choices}],
 *  verdict, answer?, why?, p?, p_holm?, survives_holm?, own_size?, our_size?, hours_wanted?, verdicts: [VERDICT]}]}]}
 * VERDICT is that of bench/write/stat_json.h with test_at (its place among the claim's tests), contrast, where,
 * numbers, experiment, profile, plan, records (who made them), trained (the day of the last of them), hypothesis, specs
 * (of each arm's first run: what differs from the defaults), parameters, seeds, `class` where its runs are not all of
 * class canon, and in `comparison` the whole COMPARISON; of what is not measured it is {verdict, why, metric?, test?};
 * of a statement {verdict, metric, test_at, numbers, statement} with a STATEMENT of bench/write/theory.h. A stored one
 * is as it was written then, with its verdict of now and stored: {commit}. New reference. only: that claim alone, the
 * counts those of its write-up; NULL: all. */
json_t *ledger_json(const Ledger *b, const Claim *only);

/* ---- what the tables of a ledger share ---- */

/* A contrast's line as a row. */
typedef struct {
    ClaimRow r;
    char where[CLAIMS_WHERE_SIZE], interval[CLAIMS_INTERVAL_SIZE];
} LedgerRow;
void ledger_row(const Ledger *b, const LedgerLine *l, LedgerRow *out);

/* A statement's line, cut into its parts; the caller releases words. */
typedef struct {
    Text words; /* all of it */
    char ours[64], interval[96];
    const char *rest; /* "predicted …", inside words; all of them where they cannot be cut */
    int n;
} LedgerStated;
void ledger_stated(const LedgerLine *l, LedgerStated *out);

#endif
