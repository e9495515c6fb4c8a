/* Figures of a table, from records alone, drawn by gnuplot; the same records give the same bytes.
 *
 *   NAME-ranking      the arms by rank, each at its best learning rate, where the experiment asks for it; and
 *   NAME-ranking-rates   a small panel per arm of its loss against the rate
 *   NAME-corpora      the share of runs whose score is at least as good as tau, where the experiment sums up corpora
 *   NAME-differences  every arm minus the baseline at the last step: one row per cell and arm, a point per seed, the
 *                     mean with its paired t interval, the margin, the verdict
 *   NAME-rates        the last loss against the learning rate, where `lr` is a factor
 *   NAME-budget       there too: the expected best loss against the number of learning rates tried
 *   NAME-spikes       there too: spikes of the gradient norm and of the loss against the rate
 *   NAME-seeds        a curve per seed, where one leaves the others
 *   NAME-curves       the curves that the experiment's `panels` name over the steps (mean of the seeds, a band from the
 *                     smallest to the largest), beside them the table's numbers
 *   NAME-blocks       the blocks' curves that `panels` name, averaged over the steps; blocks count from 0, as in
 *                     curves.csv, in weights (h.0) and in every title
 *   NAME-growth       the stream's variance over depth with its laws, its gradient, the headroom of fp16, where
 *                     `probes` ask for them
 *
 * What has several parts says which behind the name: NAME-curves-lr=3e-4.svg, NAME-blocks-layers=4,warmup=500.svg.
 *
 * A figure is a Plot (bench/formats/plot.h), which says how it is drawn. An arm looks the same in all of them
 * (figure_style): its place in the experiment decides colour, dash and point. The baseline is the text's colour. */
#ifndef BENCH_FIGURES_FIGURE_H
#define BENCH_FIGURES_FIGURE_H

#include "bench/formats/plot.h"
#include "bench/verdict/paired.h"
#include "bench/verdict/theory.h"
#include "bench/write/table.h"

typedef enum {
    FIGURE_ranking,
    FIGURE_ranking_rates,
    FIGURE_corpora,
    FIGURE_differences,
    FIGURE_rates,
    FIGURE_budget,
    FIGURE_spikes,
    FIGURE_seeds,
    FIGURE_curves,
    FIGURE_blocks,
    FIGURE_growth,
    FIGURE_KINDS
} FigureKind;

enum { FIGURE_NAME_SIZE = 200 };

typedef struct {
    FigureKind kind;
    int part;                    /* a cell, or of the rates a group of cells; -1: all of them are in one figure */
    char name[FIGURE_NAME_SIZE]; /* of its files, without an ending */
} Figure;

/* Every figure of a table in reading order; returns how many. *out is freed by the caller. */
int figure_list(const Table *t, Figure **out);

/* What a figure shows, as a sentence for its caption. */
void figure_caption(const Table *t, const Figure *f, Text *out);

/* The figure as data: the caption too. plot_release releases it. */
void figure_plot(const Table *t, const Figure *f, Plot *p);

enum { FIGURE_ALL = PLOT_SVG | PLOT_PDF | PLOT_COLUMN_PDF }; /* what `table --paper` writes */

/* Draws every figure into folder; without the PDFs where gnuplot cannot write any. The codes of plot_draw. */
Rc figure_draw(const Table *t, const char *folder, int formats, Error *e);

/* What is plotted of curves and blocks, as CSV; the numbers of the other figures are in NAME.csv and NAME.json. */
void figure_csv(const Table *t, Text *out);
void figure_blocks_csv(const Table *t, Text *out);

/* How an arm looks: in every figure, whatever else it shows. baseline: -1: none. */
PlotStyle figure_style(int arm, int baseline);

/* Whether a run of an arm leaves those of the other seeds: it ended at a number that is not finite while most did not,
 * or its last value is farther from the arm's median than the margin and than ten times the median distance. Never with
 * three seeds. */
bool figure_leaves(const Table *t, int cell, int arm, int seed);

/* The statements of theory: theory.svg and so on into folder, with the codes of plot_draw; its caption. */
Rc theory_draw(const StatementVerdict v[STATEMENT_COUNT], const char *folder, int formats, Error *e);
void theory_caption(Text *out);

/* ---- Kinds of figures: each is a row whose function fills a Plot; for bench/figures/ ---- */

/* A kind of figure. Its parts are cells, groups of cells, or one that shows them all. */
typedef struct {
    const char *name; /* behind the table's */
    int (*parts)(const Table *t);
    bool (*any)(const Table *t, int part); /* whether there is something to draw */
    int (*cell)(const Table *t, int part); /* whose factors the file's name says; -1: none */
    const char *without;                   /* but for this one, or NULL */
    void (*fill)(const Table *t, int part, Plot *p);
    void (*caption)(const Table *t, int part, Text *out);
    int (*number)(const Table *t, int part); /* behind the name where it is not 0; NULL: no part has one */
} FigureRow;
extern const FigureRow figure_ranking, figure_ranking_rates, figure_corpora;
extern const FigureRow figure_differences, figure_rates, figure_budget, figure_spikes;
extern const FigureRow figure_seeds, figure_curves, figure_blocks;
extern const FigureRow figure_growth;

int figure_curve_cells(const Table *t);        /* parts: one per cell; none where no run has the curves of two steps */
Metric figure_curves_metric(const Table *t);   /* of the first panel that has the table's numbers; METRIC_COUNT: none */
int figure_own_cell(const Table *t, int part); /* cell: the part itself, where there are several */
bool figure_always(const Table *t, int part);  /* any: every part has something to draw, */
bool figure_of_several(const Table *t, int part); /* or every one of several arms */
const RunRecord *figure_record(const Table *t, int cell, int arm, int seed);

/* EXPLORATORY, the experiment's title, where, the synthetic source; up to `across` panels beside each other whose axes
 * are `height` points high. */
void figure_begin(Plot *p, const Table *t, const char *where, int across, double height);

/* The legend: every arm by its label. */
void figure_legend(Plot *p, const Table *t);

/* How an arm looks, and with a point of another kind. */
PlotStyle figure_arm_style(const Table *t, int arm);
PlotStyle figure_mark_style(const Table *t, int arm, int point);

/* A caption's beginning: the experiment's title and which part. */
void figure_caption_begin(const Table *t, const char *where, Text *out);

/* The arm that is drawn as the i-th: the baseline is the last, on top. */
int figure_arm(const Table *t, int i);

/* "lr=3e-4, warmup=500" of a cell, or "" without factors; without: one that is left out, or NULL. */
char *figure_where(char out[256], const Experiment *x, int cell, const char *without);
#define FIGURE_WHERE(x, cell, without) figure_where((char[256]){0}, x, cell, without) /* in a buffer of this block */

/* The steps after which a cell ended, "5000 steps"; of all cells (-1), where they ended apart, "all steps". */
char *figure_steps(char out[32], const Table *t, int cell);
#define FIGURE_STEPS(t, cell) figure_steps((char[32]){0}, t, cell) /* in a buffer of this block */

/* ---- The forest plot: differences to a baseline, a row for each, of stored runs and of anybody's numbers ---- */

typedef struct {
    const Family *family;
    const Comparison *c; /* NULL: there is none, the row says "n/a" */
    int better;          /* -1 lower, +1 higher, 0 neither */
    const char *heading; /* above the row, or NULL */
    const char *label;   /* of the arm */
    const char *numbers; /* mean and interval: "+0.1173 [0.1120, 0.1227]" */
    PlotStyle style;
    int of;           /* the arm */
    const bool *lost; /* of each pair, whether a run diverged; NULL: none did */
    bool lost_at_end; /* such a pair has no difference of its own and is drawn at the end of the axis */
} ForestRow;

/* Seeds, mean, interval; on the right the verdict with p, below it the numbers. */
void forest_row(PlotPanel *panel, const ForestRow *r);

/* When all rows are there: the axis, its words, zero and the margin (NaN or 0: none). minus: "loss minus pre's". */
void forest_axis(PlotPanel *panel, const char *minus, int better, double margin);

/* "2/64", or ".031" where flips were drawn, "n/a": p of a comparison adjusted over its family. */
void forest_p(const Family *f, const Comparison *c, Text *out);

#endif
