/* What `normbench perf` measured or counted, as tables (bench/formats/cells.h). Each function initializes c. */
#ifndef BENCH_PERF_TABLES_H
#define BENCH_PERF_TABLES_H

#include "bench/formats/cells.h"
#include "bench/perf/dry.h"
#include "bench/perf/pairs.h"
#include "bench/perf/perf.h"

double perf_parts(const Perf *p); /* seconds of all ops, the optimizer and the norms together */

/* A row for each op, the optimizer and the norms: time, its share, and the rate of both passes, of this core's peak
 * where the op has FLOPs, else of its copy speed. */
void perf_ops_cells(const Perf *p, Cells *c);

/* The core's own two rates. */
void perf_core_cells(const Perf *p, Cells *c);

/* A row for each kernel of a step, and one for the step without gaps; microseconds. */
void dry_cells(const DryStep *d, Cells *c);

/* A row for each thing of which one arm's step takes more or less than the baseline's. */
void pair_cells(const PerfPair *p, const char *arm, const char *baseline, Cells *c);

#endif
