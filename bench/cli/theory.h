/* `run theory` and `table theory`: statements about networks before their first step stand among the experiments,
 * though nothing is trained for them. */
#ifndef BENCH_CLI_THEORY_H
#define BENCH_CLI_THEORY_H

#include "bench/options/session_options.h"

/* Whether the one operand is their word. */
bool theory_asked(const Options *o);

/* Measures, stores, and prints the table, which is all that `table theory` does. RC_USAGE names an option that means
 * nothing here. */
Rc theory_run(Session *s, Error *e);
Rc theory_table(Session *s, Error *e);

#endif
