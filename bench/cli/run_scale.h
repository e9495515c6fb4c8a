/* normbench run EXPERIMENT --dry-run, for a device that need not be here. */
#ifndef BENCH_CLI_RUN_SCALE_H
#define BENCH_CLI_RUN_SCALE_H

#include "bench/options/options.h"
#include "bench/store/session.h"

/* Whether an option about a device is given. */
bool scale_options(const Options *o);

/* Whether this dry run is about a device: one is named, or a corpus of the plan stands in shards. */
bool scale_asked(const Session *s, const Experiment *x);

/* Whether the device that is asked about can launch the kernels of every arm. RC_USAGE, RC_UNMEASURED: the line names
 * the arm, the kernel and what is too much. */
Rc scale_launches(Session *s, const Experiment *x, Error *e);

/* Prints parameters, memory, operations and GPU hours of every arm. RC_UNMEASURED: an arm does not fit; the line says
 * which, what it needs, what there is, and what would fit. */
Rc scale_print(Session *s, const Experiment *x, Error *e);

#endif
