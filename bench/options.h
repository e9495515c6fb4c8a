/* The command line: options.def says which options there are and which command takes them. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

typedef enum {
    OPTION_results,
    OPTION_data,
    OPTION_offline,
    OPTION_profile,
    OPTION_set,
    OPTION_arm,
    OPTION_text,
    OPTION_tokenizer,
    OPTION_shard,
    OPTION_threads,
    OPTION_threads_per_run,
    OPTION_replicas,
    OPTION_backend,
    OPTION_precision,
    OPTION_dry_run,
    OPTION_checkpoint_every,
    OPTION_reason,
    OPTION_level,
    OPTION_bisect,
    OPTION_trace,
    OPTION_step,
    OPTION_batches,
    OPTION_output,
    OPTION_json,
    OPTION_tex,
    OPTION_bold,
    OPTION_siunitx,
    OPTION_pdf,
    OPTION_baseline,
    OPTION_better,
    OPTION_margin,
    OPTION_conf,
    OPTION_cap,
    OPTION_looks,
    OPTION_COUNT
} OptionKind;

enum { OPTION_MOST = 64 };

typedef struct {
    const char *value[OPTION_COUNT][OPTION_MOST]; /* as given, in order; "" for switches */
    int times[OPTION_COUNT];
    const char *operand[OPTION_MOST];
    int operands;
    const char *command;
} Options;

/* Options and operands of `command` from argv[0..argc). Both "--name value" and "--name=value"; "--" ends options.
 * RC_USAGE: unknown option (nearest named), one this command does not take, a missing argument. */
Rc options_parse(Options *o, const char *command, int argc, char **argv, Error *e);

/* The last value given, or fallback. */
const char *option(const Options *o, OptionKind kind, const char *fallback);

/* The options a command takes, one line each. */
void options_help(const char *command, Text *out);

#endif
