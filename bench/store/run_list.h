/* Runs that are stored as a list alone: NAME-runs.csv of a folder in results/reference has a line for each run of a
 * stored table NAME.txt: its arm, keys, seed, status, loss after the last step, hashes and id. What else was measured
 * is not there. */
#ifndef BENCH_STORE_RUN_LIST_H
#define BENCH_STORE_RUN_LIST_H

#include "bench/store/store.h"

enum { RUN_LIST_PATH = 900 };

/* Return the stored table of x's plan, NAME.txt in the folder of its profile; the caller frees it. NULL: there is none,
 * or it is another plan's. */
char *stored_table(const char *root, const Experiment *x, char file[RUN_LIST_PATH]);

/* Name the archive of the records of an experiment's stored table, PROFILE/NAME.tar.gz of results/reference/records, or
 * the list of its runs, PROFILE/NAME-runs.csv of results/reference; file: below root. false: it is not stored, and file
 * is "". */
bool stored_archive(const char *root, const char *profile, const char *name, char file[RUN_LIST_PATH]);
bool stored_list(const char *root, const char *profile, const char *name, char file[RUN_LIST_PATH]);

/* Make records of x's runs from the list, with one evaluation each, valid_loss and perplexity. If no list of x's plan
 * is stored (the table beside it names the plan), r->missing counts all runs and file is "". root: the checkout; file:
 * below it. RC_INTEGRITY: a damaged list. */
Rc run_list_take(Records *r, const char *root, const Experiment *x, char file[RUN_LIST_PATH], Error *e);

/* Return the line of the run whose id begins so (12 digits or more) in any list, with the list's header; the caller
 * frees both. NULL: none has it. */
char *run_list_line(const char *root, const char *id, char **header, char file[RUN_LIST_PATH]);

#endif
