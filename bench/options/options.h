/* The command line: options.def says which options there are and which command takes them. */
#ifndef BENCH_OPTIONS_OPTIONS_H
#define BENCH_OPTIONS_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

typedef enum {
#define OPTION(name, argument, value, commands, help) OPTION_##name,
#define PART(option, name, word, argument, value, commands, help) OPTION_##name,
#include "bench/options/options.def"
#undef OPTION
    OPTION_COUNT
} OptionKind;

enum { SIDES = 2, UNKNOWN_NAMES = 2 };

enum { OPTION_MAX = 64 /* values of one option */, OPERAND_MAX = 4096, OPTION_NAME = 40 };

typedef struct Options {
    const char *value[OPTION_COUNT][OPTION_MAX]; /* as given, in order; "" for switches */
    int times[OPTION_COUNT];
    const char *operand[OPERAND_MAX];
    int operands;
    const char *command;
    char *copy[OPTION_MAX]; /* values of parts stand in these */
    int copies;
} Options;

/* Options and operands of `command` from argv[0..argc). Both "--name value" and "--name=value"; "--" ends options. Of a
 * part, "--memory recompute,micro-batch=4", value and times are those of OPTION_recompute and OPTION_micro_batch.
 * RC_USAGE: unknown option (nearest named), one this command does not take, a missing value, a value that is not what
 * the option's row says. options_release frees what a part's value stands in, after a failure too. */
void options_release(Options *o);
Rc options_parse(Options *o, const char *command, int argc, char **argv, Error *e);

/* RC_USAGE unless there is one operand, an experiment. */
Rc options_one_experiment(const Options *o, Error *e);

/* The last value given, or fallback: as text; of an INTEGER; of a NUMBER; of a CHOICE its place among the names. */
const char *option(const Options *o, OptionKind kind, const char *fallback);
int option_integer(const Options *o, OptionKind kind, int fallback);
double option_number(const Options *o, OptionKind kind, double fallback);
int option_choice(const Options *o, OptionKind kind, int fallback);

/* The name on the command line, without "--": "threads"; of a part "memory micro-batch". out holds at least OPTION_NAME
 * bytes; returns out. */
char *option_name(char out[OPTION_NAME], OptionKind kind);

/* What its row says to a reader. */
typedef struct {
    const char *argument, *help;
    const char *const *names; /* what its value may be; NULL: anything */
    int count;
    int part_of;      /* the option whose part it is; -1: none */
    const char *word; /* a part's name in that option's value */
} OptionShown;
OptionShown option_shown(OptionKind kind);

bool option_taken(OptionKind kind, const char *command);

/* Append what an option does for one command: parts of its text that begin with the names of other commands are left
 * out. */
void option_help(OptionKind kind, const char *command, Text *out);

/* The options a command takes, one line each: all, or, where there are many, the first ones. Returns how many it left
 * out. */
int options_help(const char *command, bool all, Text *out);

#endif
