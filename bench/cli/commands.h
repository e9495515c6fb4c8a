/* The commands, one per row of commands.def. A command reads s->options, prints data on stdout and notes on stderr, and
 * returns the program's exit code; on anything but RC_OK it has filled e with one line (or left it empty when its
 * output has said everything, as a table of differences does). */
#ifndef BENCH_CLI_COMMANDS_H
#define BENCH_CLI_COMMANDS_H

#include "bench/cli/session_options.h"

#define NOUN(name, group, what)
#define COMMAND(name, group, under, operands, example, what) Rc command_##name(Session *s, Error *e);
#include "bench/cli/commands.def"
#undef COMMAND
#undef NOUN

#endif
