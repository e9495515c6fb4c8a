/* Runs that are stored as a list alone: NAME-runs.csv of a folder in results/reference has a line for each run of a
 * stored table NAME.txt: its arm, keys, seed, status, loss after the last step, hashes and id. What else was measured
 * is not there. */
#ifndef BENCH_STORE_RUN_LIST_H
#define BENCH_STORE_RUN_LIST_H

#include "bench/store/store.h"

enum { RUN_LIST_PATH = 900 };

/* The stored table of x's plan, NAME.txt in the folder of its profile: freed by the caller; NULL: there is none, or it
 * is of another plan. */
char *stored_table(const char *root, const Experiment *x, char file[RUN_LIST_PATH]);

/* Records of x's runs as far as the list has them, with one evaluation each, valid_loss and perplexity; r->missing
 * counts all runs, and file is "", where no list is stored of x's plan (the table beside it names the plan). root: of
 * the checkout; file: below it. RC_INTEGRITY: a list that does not read. */
Rc run_list_take(Records *r, const char *root, const Experiment *x, char file[RUN_LIST_PATH], Error *e);

/* The line of the run whose id begins so (12 digits or more) in any list, with the list's header: freed by the caller;
 * NULL: none has it. */
char *run_list_line(const char *root, const char *id, char **header, char file[RUN_LIST_PATH]);

#endif
