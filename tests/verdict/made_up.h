/* Runs that never happened, for the tests of tables: every number is a fraction made from small integers, none was
 * measured. Experiments are texts; each has a name that says that it is made up. */
#ifndef TESTS_MADE_UP_H
#define TESTS_MADE_UP_H

#include "bench/write/summaries.h"
#include "tests/test.h"

/* Four arms of write-up 002 at the set-up of its claims. Profiles: quick (6 seeds, 150 steps), eight (8), full (8, 300
 * steps, two embedding scales: the second starts above 100 nats), single (one seed), pair (3 seeds, two arms). */
extern const char made_up_four[];

/* Warm-up x learning rate, the rates out of order; two arms, six seeds. */
extern const char made_up_rates[];

/* Arms whose names and labels hold what LaTeX minds. */
extern const char made_up_odd[];

/* The test's experiment with its records, claims and table. All fields but the results of a failed step are set. */
typedef struct {
    Experiment x;
    RunRecord *records;
    int runs;
    ClaimFile claims;
    bool has_claims;
    Table table;
} MadeUp;
extern MadeUp m;

/* Releases what the test made before, reads the text and makes its records; claims of the experiment's write-up, if it
 * names one, come from SOURCE_ROOT. */
void made_up_init(const char *yaml, const char *profile);

/* made_up_init, and the table. */
void made_up(const char *yaml, const char *profile, TableOptions options);

/* The record of (cell, arm, seed index), to be changed before the table is made. */
RunRecord *made_up_at(int cell, int arm, int seed);

/* Curves of the growth probes as well, of an experiment that asks for them every 10 steps: of arm 0 the stream's
 * variance is (l + 1) / 2 over blocks at the start and e^l from the middle on, of the others linear at all steps; its
 * gradient 3 / (arm + 1); its largest number 655.04. */
void made_up_growth(void);

/* The validation loss at a step, and the perplexity that goes with it. */
void made_up_loss(RunRecord *r, int step, double loss);

/* The run met a non-finite number at this step: later validations and curves are gone. */
void made_up_diverge(RunRecord *r, int step);

Rc made_up_table(TableOptions options, Error *error);

/* The table of made_up_four in eight seeds: every arm as the baseline, but the first, which is off by `by`. */
void made_up_eight(const double by[8]);

/* The table with the claims of a text in the place of the write-up's. */
void made_up_claims(const char *yaml);

/* Cut the commit of the build out of a text: it stands for itself in no golden. */
void made_up_blot(char *text);

/* What a writer writes, the commit of the build cut out of it ("commit": ""). Freed by the caller. */
char *made_up_write(void (*write)(const Table *, Text *));

/* Whether what a writer writes has these words, and the check of it. */
bool made_up_writes(void (*write)(const Table *, Text *), const char *what);
#define WRITES(writer, what) cr_expect(made_up_writes(writer, what), #writer " does not write: %s", what)
#define OMITS(writer, what) cr_expect(!made_up_writes(writer, what), #writer " writes: %s", what)

/* What a writer writes has the bytes of tests/golden/NAME (golden_is). */
void made_up_golden(const char *name, void (*write)(const Table *, Text *));

/* Every run of blanks and line breaks becomes one blank, so that a broken line does not matter. */
void made_up_unbroken(char *text);

/* A row of summary_rows, by its name, as text (for 110 columns), tex or csv: writers for the functions above. */
void made_up_summary(const Table *t, const char *name, const char *format, Text *out);
#define MADE_UP_SUMMARY(name, format) \
    static void name##_##format(const Table *t, Text *out) { \
        made_up_summary(t, #name, #format, out); \
    }

/* Files of claims that must be refused, each with the line that says why. */
typedef struct {
    const char *text, *error;
} BadClaims;
void made_up_refused(const BadClaims *bad, size_t count);

#endif
