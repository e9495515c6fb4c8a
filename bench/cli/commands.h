/* The commands, one per row of commands.def. A command reads s->options, prints data on stdout and notes on stderr, and
 * returns the program's exit code; on anything but RC_OK it has filled e with one line (or left it empty when its
 * output has said everything, as a table of differences does). */
#ifndef BENCH_CLI_COMMANDS_H
#define BENCH_CLI_COMMANDS_H

#include "bench/options/session_options.h"

#define NOUN(name, group, what)
#define COMMAND(name, group, under, operands, example, what, pages) Rc command_##name(Session *s, Error *e);
#include "bench/cli/commands.def"
#undef COMMAND
#undef NOUN

typedef enum { GROUP_TRY, GROUP_READ, GROUP_DOUBT, GROUP_CARRY, GROUPS } Group;
extern const char *const command_groups[GROUPS]; /* what one wants */

typedef struct {
    const char *name;
    Group group;
    const char *under, *operands, *example, *what, *pages; /* the columns of commands.def */
    Rc (*run)(Session *s, Error *e);                       /* NULL: a noun, with neither example nor pages */
} Command;

extern const Command commands[];
extern const int command_count;

/* "model export" */
void command_words(const Command *c, Text *out);

#endif
