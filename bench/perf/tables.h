/* Tables of `normbench perf` (bench/formats/cells.h). Each function initializes c. */
#ifndef BENCH_PERF_TABLES_H
#define BENCH_PERF_TABLES_H

#include "bench/formats/cells.h"
#include "bench/perf/dry.h"
#include "bench/perf/pairs.h"
#include "bench/perf/perf.h"

double perf_parts(const Perf *p); /* returns the seconds of all ops, the optimizer and the norms */

/* Fill a row for each op, the optimizer and the norms: time, its share, and the rate of both passes, relative to the
 * core's peak if the op has FLOPs, else to its copy speed. */
void perf_ops_cells(const Perf *p, Cells *c);

/* Fill the core's two rates. */
void perf_core_cells(const Perf *p, Cells *c);

/* Fill a row for each kernel of a step, and one for the step without gaps; microseconds. */
void dry_cells(const DryStep *d, Cells *c);

/* Fill a row for each cost in which one arm's step may differ from the baseline's. */
void pair_cells(const PerfPair *p, const char *arm, const char *baseline, Cells *c);

#endif
