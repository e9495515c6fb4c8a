/* compare over trainers' logs: from the command line to picked runs. */
#ifndef BENCH_CLI_COMPARE_RUNS_H
#define BENCH_CLI_COMPARE_RUNS_H

#include "bench/options/options.h"
#include "bench/readers/pick.h"
#include "bench/readers/readers.h"

/* The logs and what was picked from them; logs stand in memory as long as the runs. */
typedef struct {
    Logs logs;
    Pick pick;
} CompareRuns;

/* Whether the command line speaks of logs: several paths, a folder, or an option of theirs. */
bool compare_runs_asked(const Options *o);

/* Whether a file that is none of compare's own is a log whose kind is beyond doubt. */
bool compare_runs_known(const char *path);

/* RC_USAGE and RC_UNMEASURED as logs_read and pick_make; *r is to be released also then. */
Rc compare_runs_read(CompareRuns *r, const Options *o, Error *e);
void compare_runs_release(CompareRuns *r);

/* --list: the table of runs on standard output. */
void compare_runs_list(const CompareRuns *r, bool json);

#endif
