/* Other people's programs (gnuplot, pdflatex), run in a folder of base/scratch.h. */
#ifndef BENCH_FORMATS_SUBPROCESS_H
#define BENCH_FORMATS_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Runs argv[0] from $PATH inside folder, its output in folder/output.txt, with dates that do not change and no locale.
 * RC_UNMEASURED: it is not there (*absent = true), or it did not exit with 0. */
Rc subprocess_run(const char *const *argv, const char *folder, bool *absent, Error *e);

/* Copies a file, whole or not at all. */
Rc subprocess_copy(const char *from, const char *to, Error *e);

#endif
