/* What `normbench compare` prints of a CompareResult: text, JSON and LaTeX say the same. */
#ifndef BENCH_COMPARE_PRINT_H
#define BENCH_COMPARE_PRINT_H

#include <jansson.h>

#include "bench/compare/against.h"
#include "bench/compare/compare.h"
#include "bench/formats/cells.h"
#include "bench/formats/plot.h"
#include "bench/write/table.h"

/* What the methods are called, of paired arms and of those that share no seeds. */
typedef struct {
    const char *t, *flips;    /* headings of the two intervals */
    const char *p, *jointly;  /* what p_adj asks and of what it is; behind it, where there are several comparisons */
    const char *tests;        /* that put a difference inside the margin */
    const char *by;           /* what the gate judges by */
    const char *chance, *chance_interval; /* what the probability of improvement is, and its interval */
    const char *counts;       /* the test of diverged or stalled runs */
    const char *constant;     /* why there is no t interval */
} CompareWords;
const CompareWords *compare_vocabulary(const CompareResult *r);

/* What a run without a number is called, of values and of steps to a target. */
typedef struct {
    const char *run;      /* "A diverged run" */
    const char *all;      /* "Diverged" */
    const char *did;      /* of so many runs, and of an interval: "diverged" */
    const char *last;     /* "a diverged run worse than all others" */
} CompareLost;
const CompareLost *compare_lost(const CompareResult *r);

/* "8 seeds", "5 to 8 runs of each arm". */
void compare_counts(const CompareResult *r, Text *out);

void compare_signature(const CompareResult *r, Text *out);
typedef enum { SENTENCE_TEXT, SENTENCE_TEX, SENTENCE_MARKDOWN } SentenceForm;

/* What is shown of a file, of curves, against a number, whatever the form. Texts are lines; "": nothing. */
typedef struct {
    Text line;    /* above all else: the signature */
    Text head;    /* what was compared; not in Markdown */
    Text needs;   /* in LaTeX in the place of head */
    Text reading; /* how the numbers were read */
    CellsList tables;
    Text notes;         /* what must be said beside them */
    bool small, floats; /* in LaTeX: small tabulars apart from each other; floats */
} ComparePage;

ComparePage compare_page_new(void); /* empty */

/* Prints a page and releases it. width: of a terminal. In LaTeX words are comments. */
void compare_show(ComparePage *p, SentenceForm form, int width, Text *out);

/* Of options.anytime, its p's and intervals in the place of all others. */
void compare_page(const CompareResult *r, ComparePage *p);
void compare_text(const CompareResult *r, Text *out); /* of a file */
bool compare_no_margin(const CompareResult *r, Text *out); /* whether there is none: say so, in a line */
void compare_notes(const CompareResult *r, Text *out); /* the sentences below the text's table, one per line */
void compare_json(const CompareResult *r, Text *out);
json_t *compare_object(const CompareResult *r); /* what compare_json writes; new reference */
void compare_cells(const CompareResult *r, CellsList *out); /* the tables of the text */

/* Of a file of several corpora: each by itself, then the arms over all of them. Of one corpus it is what the
 * functions above write. */
void compare_over_show(const CompareOver *r, SentenceForm form, int width, Text *out); /* text or LaTeX */
void compare_over_json(const CompareOver *r, Text *out); /* {schema, made_by, commit, corpora: [], over_corpora} */

/* The gate, sentences, tables and notes, of all corpora. metric: what was measured; NULL: not known. */
void compare_markdown(const CompareOver *r, const char *metric, Text *out);

/* JUnit's XML: a suite for each corpus, a test for each arm, as --fail-on judges it. */
void compare_junit(const CompareOver *r, const char *metric, Text *out);

/* What `compare -o FILE.svg` draws: a row for each arm minus the baseline. plot_release releases it. */
void compare_plot(const CompareResult *r, Plot *p);

/* How the numbers were read, and of runs picked from logs what was left out and what is doubtful: a line each, or
 * read_as and remarks. */
void compare_reading(const CompareData *d, Text *out);
void compare_reading_json(const CompareData *d, json_t *o);
void compare_absent(const CompareData *d, Text *out); /* runs that lines name and that are not counted */

/* Each line of a text, words broken at blanks. */
void compare_paragraphs(const char *text, int width, Text *out);

/* ---- A comparison as one sentence to paste into a text: "Peri-LN ends 0.45 nats higher than Pre-LN (95% interval
 * 0.39 to 0.51, 16 paired seeds, exact sign-flip p = 2/65536)". ---- */

/* Comparison i of a corpus. metric: NULL: not known. */
void compare_sentence(const CompareOver *r, int corpus, int i, const char *metric, SentenceForm form, Text *out);
/* A line for each comparison of every corpus. */
void compare_sentences(const CompareOver *r, const char *metric, SentenceForm form, Text *out);

/* Of every arm against the number: tables alone. */
void against_page(const Against *r, ComparePage *p);
/* A line for each arm. */
void against_sentences(const Against *r, const char *metric, SentenceForm form, Text *out);
/* Those of a table's paper text (bench/write/prose.h), at each cell's last step. */
void table_sentences(const Table *t, SentenceForm form, Text *out);

#endif
