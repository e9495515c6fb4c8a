/* Run other programs (gnuplot, pdflatex) in a folder of base/scratch.h. */
#ifndef BENCH_FORMATS_SUBPROCESS_H
#define BENCH_FORMATS_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Run argv[0] from $PATH inside folder, its output in folder/output.txt, with fixed dates and no locale. RC_UNMEASURED:
 * it is not installed (*absent = true), or it did not exit with 0. */
Rc subprocess_run(const char *const *argv, const char *folder, bool *absent, Error *e);

/* Copy a file, whole or not at all. */
Rc subprocess_copy(const char *from, const char *to, Error *e);

#endif
