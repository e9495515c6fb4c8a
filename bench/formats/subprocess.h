/* Other people's programs (gnuplot, pdflatex), run in a temporary folder. */
#ifndef BENCH_FORMATS_SUBPROCESS_H
#define BENCH_FORMATS_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A new folder below $TMPDIR or /tmp; removed with everything in it by subprocess_folder_remove. */
Rc subprocess_folder(char *path, size_t size, Error *e);
void subprocess_folder_remove(const char *path);

/* Runs argv[0] from $PATH inside folder, its output in folder/output.txt, with dates that do not change and no locale.
 * RC_UNMEASURED: it is not there (*absent = true), or it did not exit with 0. */
Rc subprocess_run(const char *const *argv, const char *folder, bool *absent, Error *e);

/* Copies a file, whole or not at all. */
Rc subprocess_copy(const char *from, const char *to, Error *e);

#endif
