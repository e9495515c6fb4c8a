/* What `normbench compare --at every` prints and draws. */
#ifndef BENCH_COMPARE_PRINT_CURVES_H
#define BENCH_COMPARE_PRINT_CURVES_H

#include "bench/compare/curves.h"
#include "bench/formats/plot.h"

void compare_curves_text(const CompareCurves *c, int width, Text *out);
void compare_curves_json(const CompareCurves *c, Text *out);
void compare_curves_markdown(const CompareCurves *c, Text *out);
void compare_curves_tex(const CompareCurves *c, Text *out); /* tabulars */

/* The differences over steps with their joint bands. */
void compare_curves_plot(const CompareCurves *c, Plot *p);

#endif
