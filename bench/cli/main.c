/* normbench: commands.def lists what it can do. */
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/canon.h"
#include "base/file.h"
#include "base/names.h"
#include "base/sha256.h"
#include "bench/cli/commands.h"
#include "bench/cli/manual.h"
#include "bench/compare/compare.h"
#include "bench/formats/terminal.h"
#include "bench/perf/perf.h"
#include "bench/store/provenance.h"

/* A screen: the words that stand first. */
static void print_screen(void) {
    LOCAL_TEXT(t);
    text_format(&t, "normbench %s: where should normalization stand in a transformer?", NORMBENCH_VERSION);
    for (int g = 0; g < GROUPS; g++) {
        text_format(&t, "\n%s%s", g ? "\n" : "", command_groups[g]);
        for (const Command *c = commands; c < commands + command_count; c++)
            if ((int)c->group == g && !c->under[0]) text_format(&t, "\n  %-8s %s", c->name, c->what);
    }
    terminal_say(stdout, "%s\n`normbench help COMMAND` explains one command; `normbench --help` lists all.\n",
                 t.at);
}

/* "normbench model export RUN" */
static void usage_text(const Command *c, Text *out) {
    text_format(out, "normbench %s%s%s%s%s\n", c->under, c->under[0] ? " " : "", c->name, c->operands[0] ? " " : "",
                c->operands);
}

static void print_commands(void) {
    for (const Command *c = commands; c < commands + command_count; c++) {
        if (!c->run) continue;
        LOCAL_TEXT(usage);
        usage_text(c, &usage);
        terminal_say(stdout, "%s    %s\n    %s\n", usage.at, c->what, c->example);
    }
    terminal_say(stdout, "\n`normbench help COMMAND` lists a command's options. Exit codes:\n");
    for (int i = 0; i < exit_code_count; i++)
        terminal_say(stdout, "  %3d  %s\n", exit_codes[i].number, exit_codes[i].what);
}

/* all: also what few need. */
static void help_text(const Command *c, bool all, Text *t) {
    int left_out = 0;
    if (c->run) {
        usage_text(c, t);
        text_format(t, "  %s\n  example: %s\n\n", c->what, c->example);
        left_out = options_help(c->name, all, t);
    }
    for (const Command *other = commands; other < commands + command_count; other++)
        if (!strcmp(other->under, c->name)) {
            usage_text(other, t);
            text_format(t, "    %s\n", other->what);
        }
    if (c->pages[0]) text_format(t, "\n  more: %s\n", c->pages);
    if (left_out)
        text_format(t,
                    "\n`normbench %s --help all` shows %d options more, the keys of an experiment and the columns of "
                    "an arm.\n",
                    c->name, left_out);
    else if (!strcmp(c->name, "run"))
        experiment_help(t);
    if (!strcmp(c->name, "compare")) text_format(t, "%s", compare_help);
    if (!strcmp(c->name, "perf")) text_format(t, "%s", perf_help);
}

static void print_help(const Command *c, bool all) {
    LOCAL_TEXT(whole);
    help_text(c, all, &whole);
    terminal_say(stdout, "%s", whole.at);
}

static const Command *find(const char *name, Error *e) {
    int i = name_find(NAMES(commands, command_count), name);
    if (i >= 0) return &commands[i];
    error_set(e, RC_USAGE, "unknown command '%s'", name);
    name_unknown(e, name, NAMES(commands, command_count), NULL);
    return NULL;
}

/* A command's name, also where the word is that of the version before. */
static const char *name_now(const char *word) {
    return strcmp(word, "baseline") ? word : "snapshot";
}

/* The command of argv[1], or of argv[1] and argv[2]; *words: how many of them name it. A command that stands under
 * another word is understood without it, and one by the name it had, for this version, with a note for who types it. */
static const Command *named(int argc, char **argv, int *words, Error *e) {
    const Command *c = find(name_now(argv[1]), e);
    *words = 1;
    for (const Command *under = commands; c && argc > 2 && under < commands + command_count && *words == 1; under++)
        if (!strcmp(under->under, c->name) && !strcmp(under->name, name_now(argv[2]))) *words = 2, c = under;
    if (c && c->under[0] && (*words == 1 || strcmp(argv[2], c->name)) && isatty(STDERR_FILENO))
        terminal_say(stderr, "normbench: note: %s is `normbench %s %s` now; the old form goes with the next version\n",
                     argv[*words], c->under, c->name);
    return c;
}

static Rc dispatch(const Command *c, int argc, char **argv, Error *e) {
    Options o;
    Session s;
    Rc rc = options_parse(&o, c->name, argc, argv, e);
    if (!rc) {
        rc = session_init(&s, &o, e);
        if (!rc) rc = c->run(&s, e);
        session_release(&s);
    }
    options_release(&o);
    return rc;
}

/* Output that did not reach its file or pipe is a failure, and no verdict; a reader that left, such as `head`, knows
 * why. */
static Rc flush_output(Rc rc, Error *e) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int why;
    if (output_flush(&why)) return rc;
    if (rc && rc != RC_REGRESSION && rc != RC_INCONCLUSIVE) return rc;
    if (poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP)) return error_set(e, RC_UNREAD, "%s", "");
    return error_set(e, RC_UNMEASURED, "stdout: cannot write%s%s", why ? ": " : "", why ? strerror(why) : "");
}

static bool asks_help(const char *word) {
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static bool asks_version(const char *word) {
    return !strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "version");
}

/* What needs no session: help and version. False when it is a command's turn. */
static bool answered(int argc, char **argv) {
    if (argc < 2)
        print_screen();
    else if (asks_help(argv[1]) || (!strcmp(argv[1], "help") && (argc < 3 || asks_help(argv[2]))))
        print_commands();
    else if (asks_version(argv[1]))
        printf("normbench %s (%s)\n", NORMBENCH_VERSION, provenance_commit());
    else
        return false;
    return true;
}

/* Without memory jansson leaves something out of a text: the program ends instead. */
static void *memory(size_t bytes) {
    return mem_alloc(bytes, 1);
}

int main(int argc, char **argv) {
    Error e = {.code = RC_OK};
    Rc rc = RC_OK;
    canon_environment();
    sha256_memory();
    json_set_alloc_funcs(memory, free);
    if (argc == 3 && !strcmp(argv[1], "--manual")) {
        rc = manual_print(argv[2], &e);
    } else if (!answered(argc, argv)) {
        bool help = !strcmp(argv[1], "help"); /* of a command */
        int words = 0;
        const Command *c = named(argc - help, argv + help, &words, &e);
        bool all = argc > 2 && !strcmp(argv[argc - 1], "all");
        for (int i = 2; i < argc; i++) help = help || asks_help(argv[i]);
        if (!c)
            rc = e.code;
        else if (help)
            print_help(c, all);
        else if (!c->run)
            rc = argc > 2 ? error_set(&e, RC_USAGE, "%s: no command '%.60s' under it; `normbench help %s` lists them",
                                      c->name, argv[2], c->name)
                          : error_set(&e, RC_USAGE, "%s: name one of its commands; `normbench help %s` lists them",
                                      c->name, c->name);
        else
            rc = dispatch(c, argc - 1 - words, argv + 1 + words, &e);
    }
    rc = flush_output(rc, &e);
    if (rc && e.text[0]) terminal_say(stderr, "normbench: %s\n", e.text);
    return rc;
}
