/* Status of an ended run, the same in all lists and tables. */
#ifndef BENCH_STORE_ENDED_H
#define BENCH_STORE_ENDED_H

#include "bench/store/record.h"

/* Return true if the run counts as diverged at a step: it met a number that is not finite by then, or its loss is above
 * ln(vocabulary) and no lower than at its start. */
bool record_diverged(const RunRecord *r, int step);

/* Return true if the status hangs on the first training loss, which a record read without its curves lacks: the run
 * ended above ln(vocabulary), and was not validated before training. */
bool record_status_needs_curves(const RunRecord *r);
/* Read a record and check its hash, without its curves unless its status hangs on them. */
Rc record_read_ended(RunRecord *r, const char *folder, const char *id, Error *e);

/* Return "ok", "failed", or "diverged", also if the run counts as diverged at its last evaluation. */
const char *record_status(const RunRecord *r);

#endif
