/* Figures of a sweep over `lr`: a panel for each combination of the other factors, all in one part where they fit. */
#ifndef BENCH_WRITE_FIGURE_GROUPS_H
#define BENCH_WRITE_FIGURE_GROUPS_H

#include "bench/verdict/sensitivity.h"
#include "bench/write/figure_sheet.h"

/* Functions of a FigureRow; no part without the factor. */
int groups_parts(const Table *t);
bool groups_any(const Table *t, int part);
int groups_named_cell(const Table *t, int part);

/* The groups of a part: from first up to, and without, end. */
int groups_first(const Table *t, int part);
int groups_end(const Table *t, int part);

/* A group's cells and rates, ascending; their number. */
typedef struct {
    int rates, cell[EXPERIMENT_MOST_VALUES];
    double rate[EXPERIMENT_MOST_VALUES];
} RateGroup;
RateGroup groups_at(const Table *t, int group);

/* Places for the part's panels; then the legend of the arms must have been said. groups_title: of a group's panel. */
void groups_panels(const Table *t, int part, Sheet *s);
char *groups_title(char out[256], const Table *t, int group);

/* An arm's curve with a band, its lines of data being x, mean, smallest, largest: "$dG_A using …, \" of gnuplot's plot
 * command. */
void groups_bands(const Table *t, int group, Text *out);
void groups_line(const Table *t, int group, int arm, const Sheet *s, Text *out);

/* The x axis: the group's rates on a logarithmic one, named where there is room. */
void groups_rate_axis(const RateGroup *g, const Sheet *s, Text *out);

#endif
