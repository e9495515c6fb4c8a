/* normbench: commands.def lists what it can do. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "base/file.h"
#include "base/sha256.h"
#include "bench/cli/commands.h"
#include "bench/verdict/compare.h"
#include "bench/perf/perf.h"
#include "stats/status.h"
#include "bench/run/provenance.h"

typedef struct {
    const char *name, *operands, *example, *what;
    Rc (*run)(Session *s, Error *e);
} Command;

static const Command commands[] = {
#define COMMAND(name, operands, example, what) {#name, operands, example, what, command_##name},
#include "bench/cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_commands(FILE *to) {
    fprintf(to, "normbench %s: where should normalization stand in a transformer?\n\n", NORMBENCH_VERSION);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %s\n            %s\n", commands[i].name, commands[i].what, commands[i].example);
    fprintf(to, "\n`normbench COMMAND --help` (-h, `help COMMAND`) lists a command's options. Exit codes:\n");
    for (int i = 0; i < exit_code_count; i++) fprintf(to, "  %3d  %s\n", exit_codes[i].number, exit_codes[i].what);
}

static void print_help(const Command *c) {
    Text t;
    text_init(&t);
    options_help(c->name, &t);
    printf("normbench %s %s\n  %s\n  example: %s\n\n%s", c->name, c->operands, c->what, c->example, t.at);
    if (!strcmp(c->name, "run")) {
        text_clear(&t);
        experiment_help(&t);
        fputs(t.at, stdout);
    }
    if (!strcmp(c->name, "compare")) fputs(compare_help, stdout);
    if (!strcmp(c->name, "perf")) fputs(perf_help, stdout);
    text_release(&t);
}

static const Command *find(const char *name, Error *e) {
    const char *names[COMMANDS];
    char hint[96];
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (!strcmp(name, names[i])) return &commands[i];
    }
    error_set(e, RC_USAGE, "unknown command '%s'%s", name, did_you_mean(hint, sizeof hint, name, names, COMMANDS));
    return NULL;
}

static Rc dispatch(const Command *c, int argc, char **argv, Error *e) {
    Options o;
    Session s;
    if (options_parse(&o, c->name, argc, argv, e)) return e->code;
    Rc rc = session_init(&s, &o, e);
    if (!rc) rc = c->run(&s, e);
    session_release(&s);
    return rc;
}

/* Output that did not reach its file or pipe is a failure, and no verdict. */
static Rc flush_output(Rc rc, Error *e) {
    int why;
    if (output_flush(&why)) return rc;
    if (rc && rc != RC_REGRESSION && rc != RC_INCONCLUSIVE) return rc;
    return error_set(e, RC_UNMEASURED, "stdout: cannot write%s%s", why ? ": " : "", why ? strerror(why) : "");
}

static bool asks_help(const char *word) {
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* What needs no session: help and version. False when it is a command's turn. */
static bool answered(int argc, char **argv) {
    if (argc < 2 || asks_help(argv[1]) || (!strcmp(argv[1], "help") && (argc < 3 || asks_help(argv[2]))))
        print_commands(stdout);
    else if (!strcmp(argv[1], "--version"))
        printf("normbench %s (%s)\n", NORMBENCH_VERSION, provenance_commit());
    else
        return false;
    return true;
}

/* Without memory jansson leaves something out of a text, and a verdict lacks a p: the program ends instead. */
static void *memory(size_t bytes) {
    return mem_alloc(bytes, 1);
}

int main(int argc, char **argv) {
    Error e = {.code = RC_OK};
    Rc rc = RC_OK;
    canon_environment();
    sha256_memory();
    json_set_alloc_funcs(memory, free);
    st_memory(memory);
    if (!answered(argc, argv)) {
        bool help = !strcmp(argv[1], "help"); /* of a command */
        const Command *c = find(argv[help ? 2 : 1], &e);
        for (int i = 2; i < argc; i++) help = help || asks_help(argv[i]);
        if (c && help)
            print_help(c);
        else
            rc = c ? dispatch(c, argc - 2, argv + 2, &e) : e.code;
    }
    rc = flush_output(rc, &e);
    if (rc && e.text[0]) fprintf(stderr, "normbench: %s\n", e.text);
    return rc;
}
