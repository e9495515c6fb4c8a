/* compare over runs that were picked from trainers' logs (bench/readers/pick.h): they become what a file of compare's
 * own becomes, and the tests, words and exit codes are the same. */
#ifndef BENCH_COMPARE_LOGS_H
#define BENCH_COMPARE_LOGS_H

#include "bench/compare/corpora.h"
#include "bench/readers/pick.h"

/* alone: arms are compared with a number, and one of one run is enough. With columns.steps every point of a run is
 * read, else its one value. The codes of compare_corpora_read; RC_UNMEASURED: one arm, or one run of each. On failure
 * *c is zeroed. */
Rc compare_logs(CompareCorpora *c, const Pick *p, CompareColumns columns, bool alone, Error *e);

#endif
