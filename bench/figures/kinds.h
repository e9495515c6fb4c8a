/* Kinds of figures: each is a row whose function fills a Plot. For the rows in bench/figures/. */
#ifndef BENCH_FIGURES_KINDS_H
#define BENCH_FIGURES_KINDS_H

#include "bench/figures/figure.h"

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
int figure_own_cell(const Table *t, int part); /* cell: the part itself, where there are several */

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

/* The steps after which all cells ended. */
int figure_last_step(const Table *t);

#endif
