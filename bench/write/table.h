/* Table: everything that `normbench table` says about one experiment, and its writers. Nothing here trains, reads a
 * clock or asks a locale: the same records give the same bytes. What runs cost is measured time, differs from machine
 * to machine, and therefore has files of its own.
 *
 * Out of one Table come, in the folder of its plan (bench/store/plan_folder.h):
 *
 *   NAME.tex           the write-up's rows and columns, its numbers beside ours, and the paired tests,
 *                      one part per cell and step
 *   NAME-paper.tex     with --paper: one table for a paper's column, at the last step; beside it NAME-paper-text.tex,
 *                      a paragraph of methods and a sentence for each comparison, and NAME-paper.bib, which they cite
 *   NAME-claims.tex    the write-up's claims with the verdict on each
 *   NAME-SUMMARY.*     tex and csv of each summary that the experiment asks for, or has what it takes for (cells,
 *                      sensitivity); -cost has measured times (bench/write/summaries.h)
 *   NAME-target.*      txt and json: with --target, the steps to it (bench/compare/compare.h)
 *   NAME-macros.tex    numbers for running text, and the methods sentence
 *   NAME.csv           one line per cell, step, arm and metric
 *   NAME.json          everything (bench/write/stat_json.h)
 *   NAME.txt           what the terminal shows
 *   NAME-cost.json     measured times, different on every machine
 *   NAME-KIND.*        figures as svg; with --pdf or --paper also as pdf, and for one column as -85mm.pdf
 *                      (bench/figures/figure.h)
 *   NAME-curves.csv    what is drawn of the curves; NAME-blocks.csv: of the blocks
 *   NAME.pdf           all of it typeset, with --pdf
 *
 * NAME is the experiment's, with the runs' precision behind it ("-bf16") where that is not exact, and "-partial" when
 * runs are missing. Every number of the
 * JSON stands beside the ids of its runs, or, where a write-up reported it, beside file and line in bench/claims/. */
#ifndef BENCH_WRITE_TABLE_H
#define BENCH_WRITE_TABLE_H

#include "bench/formats/cells.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"
#include "bench/verdict/best.h"
#include "bench/verdict/claim_verdict.h"
#include "bench/verdict/ranking.h"
#include "bench/verdict/sensitivity.h"

/* What stands in bold: the best arm and those not separated from it, the best alone when it is separated from all, or
 * nothing. */
typedef enum { BOLD_tied, BOLD_best, BOLD_none, BOLD_MODES } BoldMode;
extern const char *const bold_names[BOLD_MODES];

enum { PAPER_METRICS_MAX = 6, TABLE_NAME_SIZE = 96 };

typedef struct {
    BoldMode bold;
    bool siunitx;        /* number columns by siunitx */
    bool exploratory;    /* something was changed on the command line: no marks, no bold */
    int metrics;         /* of the paper's table */
    Metric metric[PAPER_METRICS_MAX];
    const char *partial; /* what is missing (bench/store/partial.h): no marks, bold, claims; NULL or "": nothing */
    const char *slug;    /* of the plan's folder, in the labels of a plan that was changed; NULL: its hash */
    const char *command; /* as typed, for the header comment */
    const char *notes;   /* which records were left out as of another arithmetic (Records.notes); NULL or "": none */
} TableOptions;

/* Summaries that several writers show, each made when the first asks for it. */
typedef struct {
    bool ranked, swept, bested; /* whether it was asked for */
    Best *best;
    Ranking *ranking;   /* NULL: the experiment does not ask for it */
    Sensitivity *sensitivity;
    bool *made;          /* [summaries] */
    CellsList *summary;  /* [summaries] */
    int summaries;       /* of bench/write/summaries.h, once one was asked for */
    struct BlockMean *block; /* of figure_curves.c; NULL: not asked for */
} TableFound;

typedef struct {
    const Experiment *x;
    const RunRecord *records;
    const ClaimFile *claims; /* NULL: the experiment names no write-up */
    TableOptions options;
    char name[TABLE_NAME_SIZE]; /* of the files */
    char label[192]; /* of macros and of LaTeX's labels: the name, with "-<word>" where the command line changed more
                        than seeds: two variations fit into one paper. Neither seeds nor the status change it */
    char results_hash[SHA256_HEX];
    Sample sample;
    Metric metric;  /* decides; from the experiment */
    Family
        family; /* every arm against the baseline: cells x steps above 0, or last steps alone (bench/verdict/until.h) */
    ClaimVerdicts verdicts;  /* of the claims, with a family of its own */
    bool *tied;              /* [cells][SAMPLE_STEPS_MAX][arms] */
    Text classes;   /* of arithmetic among the runs, joined by '+'; "" where all is of class canon */
    bool same_batches; /* every arm of a cell reads the same text in the same batches */
    bool synthetic;    /* some run was made on a built-in source */
    int undeclared; /* runs that were trained before this plan was written down */
    bool exploratory; /* options.exploratory, or some run is undeclared, or it is partial */
    bool partial;     /* options.partial says something */
    TableFound *found; /* owned; what was asked for so far */
} Table;

/* x, records ([cells][arms][seeds]) and claims outlive the table. The codes of sample_make. On failure *t is
 * zeroed and needs no release. */
Rc table_make(Table *t, const Experiment *x, const RunRecord *records, const ClaimFile *claims, TableOptions options,
              Error *e);
void table_release(Table *t);

/* The name of the files of a table of whole records, "NAME-bf16"; experiment x's own where all is exact. */
void table_name(char out[TABLE_NAME_SIZE], const Experiment *x, const RunRecord *records);

/* Arm against baseline at a cell's step; NULL for the baseline and for step 0. */
const Comparison *table_comparison(const Table *t, int cell, int step, int arm);

/* What the runs of a cell's arm were trained by: the first seed's record says it. */
const RunSpec *table_spec(const Table *t, int cell, int arm);

/* The write-up's numbers for a cell's step, or NULL: none for this step, or another set-up. */
const ReportedTable *table_reported(const Table *t, int cell, int step);

/* What it says of an arm's quantity (a metric, or a metric and "_sd"), or NULL. */
const ReportedNumber *table_reported_number(const Table *t, int cell, int step, int arm, const char *quantity);

/* The ranking of its arms and their sensitivity to the learning rate; NULL: the experiment does not ask for it, or has
 * no sweep. */
const Ranking *table_ranking(const Table *t);
const Sensitivity *table_sensitivity(const Table *t);
const Best *table_best(const Table *t); /* NULL: it does not ask for it */

bool table_tied(const Table *t, int cell, int step, int arm);

/* The arm's marks at a step, of CellMark: how its comparison was decided, never in an exploratory table. */
unsigned table_marks(const Table *t, int cell, int step, int arm);

/* "worse than Pre-LN", "the same within 0.02", "not decided": bench/verdict/words.h says them all. table_decision: of
 * one of the table's comparisons; table_words: of decision d of a comparison of two arms in family f. */
void table_decision(const Table *t, const Comparison *c, Text *out);
void table_words(const Table *t, const Family *f, const Comparison *c, Decision d, Text *out);

/* What is missing, "changed on the command line", or how many runs are older than the plan; "" when the table is none
 * of these. */
void table_exploratory(const Table *t, Text *out);
/* "in a partial table of 7 of 8 seeds, ", "in an exploratory comparison, " or "": how a sentence about it begins. */
void table_aside(const Table *t, Text *out);
/* "PARTIAL", "EXPLORATORY" or "". */
const char *table_mark(const Table *t);

/* Runs that count as the uniform predictor at the last steps, by the metric that decides. */
int table_diverged(const Table *t);

/* Sentences for captions, plain text: corpus and model; how the numbers were made; the one-line signature. */
void table_corpus(const Table *t, int cell, Text *out);
void table_methods(const Table *t, Text *out);
void table_look(const Table *t, Text *out); /* " This is look 1 of 2, …", or nothing */
void table_hypothesis(const ClaimTest *t, Text *out); /* "valid_loss: layernorm - baseline < 0" */
void table_expectation(const ClaimTest *t, Text *out); /* the same, ": lower (better)" behind it where a side is */
/* "lower (better)", "higher (worse)": which side a test claims and which was shown; "" where none was, or neither is
 * better. */
const char *table_side_claimed(const ClaimTest *t);
const char *table_side_found(const ClaimVerdict *v);
/* The smallest that Holm's p can be in this table. */
double table_holm_floor(const Table *t);
const char *table_ratio(const ClaimTest *t); /* what the effect is a ratio of: "variances", "rates"; NULL: it is none */
/* What must be known of an arm and of its comparisons: diverged runs, stalls, ranks, one seed that decides. */
void table_flags(const Table *t, int cell, int step, int arm, Text *out);
/* "[0.10, 0.12]" of the sign flips of all comparisons jointly, or why there is none. */
void table_flip_interval(const Table *t, const Comparison *c, Text *out);
/* "confirmatory", "anytime" of seeds that were added until it was decided, "group-sequential" of planned looks,
 * "exploratory", "partial". */
const char *table_status(const Table *t);
/* "t", or "anytime": what intervals of differences are. */
const char *table_interval(const Table *t);
/* Where the seeds stand that are added until it is decided: "decided after 9 seeds, of at most 64". */
void table_stop(const Table *t, Text *out);
void table_signature(const Table *t, Text *out);

void table_flips(const Table *t, Text *out); /* "exact two-sided sign-flip test" */
void table_sources(const Table *t, Text *out);                   /* every corpus among the cells, a sentence each */
void table_label(const Table *t, Text *out);                     /* of LaTeX's \\label */
const char *table_packages(const Table *t);                      /* what LaTeX needs for its tables */

/* In buffers of this block: the confidence, "95"; where a cell stands, "width = 48, lr = 0.01". */
#define TABLE_CONFIDENCE(t) FORMAT_PERCENT(1 - (t)->x->alpha)
#define CELL_WHERE(x, cell) experiment_cell_text((char[256]){0}, x, cell)

void table_header_comment(const Table *t, const char *what, Text *out); /* "% …" lines */

/* Words broken at blanks so that no line is longer than a terminal's page. */
void table_wrapped(const char *text, int indent, Text *out);

/* Why the reported numbers are not shown in a cell, or "". */
void table_reported_why(const Table *t, int cell, char *out, size_t size);

/* The last step of a cell, an index into its steps; the step at which all cells end; -1: at several. */
int table_last(const Table *t, int cell);
int table_end(const Table *t);

/* The heading of one of the experiment's rows, as plain text. */
const char *table_heading(const TableRow *row);
const char *table_arrow(Metric m); /* " ↓" where lower is better, " ↑", or "" */

void table_tex(const Table *t, Text *out);
void table_claims_tex(const Table *t, Text *out);
/* options.metrics of them; none: the metric that decides and the first other row of the experiment's table. */
void table_paper(const Table *t, Text *out);
void table_macros(const Table *t, Text *out);
void table_csv(const Table *t, Text *out);
void table_json(const Table *t, Text *out);
void table_text(const Table *t, Text *out); /* of a file */
void table_text_wide(const Table *t, int width, Text *out);
void table_markdown(const Table *t, Text *out); /* results, tests and claims of the text */
void table_cost_json(const Table *t, Text *out);

/* What an arm costs: medians over seeds and cells, where precision is a factor over those of the first cell's; ratio:
 * of paired step times to the baseline's; unlike: some of these ran on another device than the baseline's run of the
 * seed, or shared it among other numbers of runs or threads. */
typedef struct {
    long parameters;
    double step_seconds, ratio, least, most, memory_mb;
    bool unlike;
} Cost;
Cost table_cost(const Table *t, int arm);

/* Writes folder/NAME-typeset.tex around the tables (and the figures that are there), runs pdflatex in a temporary
 * folder and puts NAME.pdf beside the tables. RC_UNMEASURED: no pdflatex, or it failed (its first complaint). */
Rc table_pdf(const Table *t, const char *folder, const char *const *figure, int figures, Error *e);

/* Parts of it that other documents share: everything before \begin{document}; two passes of pdflatex over
 * aside/typeset.tex, its warnings as notes on stderr. */
void table_pdf_preamble(bool siunitx, Text *out);
Rc table_pdf_run(const char *aside, bool siunitx, Error *e);

#endif
