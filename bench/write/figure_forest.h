/* The forest plot: differences to a baseline, a row for each, of stored runs and of anybody's numbers. */
#ifndef BENCH_WRITE_FIGURE_FOREST_H
#define BENCH_WRITE_FIGURE_FOREST_H

#include "bench/formats/plot.h"
#include "bench/verdict/compare.h"

/* "2/64", or ".031" where flips were drawn, "n/a": p of a comparison adjusted over its family. */
void forest_p(const Family *f, const Comparison *c, Text *out);

/* What `compare --plot` draws: a row for each arm minus the baseline. plot_release releases it. */
void compare_plot(const CompareResult *r, Plot *p);

#endif
