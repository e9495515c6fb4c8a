/* The man page and the completions of shells, made from commands.def and options.def. `normbench --manual KIND` prints
 * one; the build installs them. */
#ifndef BENCH_CLI_MANUAL_H
#define BENCH_CLI_MANUAL_H

#include "base/error.h"

/* kind: man, bash, zsh or fish. RC_USAGE: another. */
Rc manual_print(const char *kind, Error *e);

#endif
