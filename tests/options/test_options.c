/* Every row of options.def: who takes it, under which name, and with which values. */
#include "bench/options/options.h"
#include "tests/test.h"

static const char *const commands[] = {
#define NOUN(name, ...)
#define COMMAND(name, ...) #name,
#include "bench/cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct {
    const char *name, *argument, *takers;
} row[OPTION_COUNT] = {
#define OPTION(name, argument, value, takers, help) [OPTION_##name] = {#name, argument, takers},
#define PART(option, name, word, argument, value, takers, help) [OPTION_##name] = {#name, argument, takers},
#include "bench/options/options.def"
#undef OPTION
};

static Options last; /* own_count what the last one parsed stands in */

static Rc parse(Options *o, const char *command, const char *word, const char *value) {
    char *argv[] = {(char *)word, (char *)value};
    e = (Error){0};
    options_release(&last);
    Rc rc = options_parse(o, command, value ? 2 : 1, argv, &e);
    memcpy(last.copy, o->copy, sizeof last.copy);
    last.copies = o->copies;
    return rc;
}

static bool takes(int i, const char *command) {
    char list[200], one[40];
    snprintf(list, sizeof list, " %s ", row[i].takers), snprintf(one, sizeof one, " %s ", command);
    return !strcmp(row[i].takers, "*") || strstr(list, one);
}

Test(options, every_command_takes_its_own_and_no_other) {
    int cases = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        for (int c = 0; c < COMMANDS; c++, cases++) {
            char word[OPTION_NAME + 2] = "--", value[OPTION_NAME] = "\x01";
            Options o;
            LOCAL_TEXT(help);
            OptionShown shown = option_shown((OptionKind)i);
            (void)options_help(commands[c], true, &help);
            option_name(word + 2, (OptionKind)i);
            cr_expect(!strchr(word, '_'));
            bool flag = !row[i].argument[0], part = shown.part_of >= 0;
            if (part) *strchr(word, ' ') = 0, snprintf(value, sizeof value, "%s%s", shown.word, flag ? "" : "=\x01");
            Rc rc = parse(&o, commands[c], word, flag && !part ? NULL : value);
            if (takes(i, commands[c]))
                cr_expect(!strstr(e.text, "does not take it") && (!rc || strstr(e.text, word)), "%s", e.text);
            else
                cr_expect(rc == RC_USAGE && strstr(e.text, "does not take it"), "%s %s: %s", commands[c], word, e.text);
            const char *listed = part ? shown.word : word;
            cr_expect(!!strstr(help.at, listed) >= takes(i, commands[c]), "%s is not in the help of %s", listed,
                      commands[c]);
        }
    cr_assert_eq(cases, OPTION_COUNT * COMMANDS);
}

Test(options, who_takes_one_is_a_command) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        char *list = mem_text(row[i].takers), *rest = list, *one;
        while ((one = strsep(&rest, " ")) && strcmp(one, "*") != 0) {
            int known = 0;
            for (int c = 0; c < COMMANDS; c++) known += !strcmp(one, commands[c]);
            cr_expect_eq(known, 1, "--%s: no command '%s'", row[i].name, one);
        }
        free(list);
    }
}

Test(options, a_value_is_what_its_row_says) {
    static const struct {
        const char *command, *option, *value, *says; /* says NULL: taken */
    } at[] = {
        {"run", "--threads", "1", NULL},
        {"run", "--threads", "1024", NULL},
        {"run", "--threads", "0", "--threads: '0' is not a number from 1 to 1024"},
        {"run", "--threads", "1025", "--threads: '1025' is not a number from 1 to 1024"},
        {"run", "--threads", "per-run=2.5", "--threads per-run: '2.5' is not a number from 1 to 1024"},
        {"run", "--threads", "2,per-run=0", "--threads per-run: '0' is not a number from 1 to 1024"},
        {"run", "--threads_per_run", "2", "unknown option --threads_per_run; did you mean --threads per-run?"},
        {"run", "--memory", "recompute,micro-batch=4", NULL},
        {"run", "--recompute", NULL, "unknown option --recompute; did you mean --memory recompute?"},
        {"run", "--memory", "recompute=1", "--memory recompute takes no value"},
        {"run", "--memory", "micro-batch", "--memory micro-batch needs a value: micro-batch=N"},
        {"run", "--memory", "recompte", "--memory: unknown 'recompte'; did you mean 'recompute'?"},
        {"run", "--memory", "", "--memory: unknown ''; there are: micro-batch, recompute, logit-rows, moments"},
        {"run", "--device", "A100,memory=80e9", NULL},
        {"run", "--device", "memory=80e9", NULL},
        {"run", "--device", "A10,memory=80e9", "--device: unknown 'A10'; did you mean 'A100'?"},
        {"list", "--format", "json", NULL},
        {"list", "--format", "html", "--format html: `list` does not take it (claims does)"},
        {"claims", "--format", "htm", "--format: unknown 'htm'; did you mean 'html'?"},
        {"compare", "--column", "arm=a,b,seed=s", NULL},
        {"score", "--tasks", "arc-easy,piqa,unknown=drop,items=5", NULL},
        {"run", "--steps", "50", "unknown option --steps; steps is a key: --set steps=VALUE"},
        {"table", "--precision", "bf16", "unknown option --precision; precision is a key: --set precision=VALUE"},
        {"run", "--checkpoint-every", "0", NULL},
        {"run", "--checkpoint-every", "soon", "--checkpoint-every: 'soon' is not a number of seconds"},
        {"run", "--checkpoint-every", "-1", "--checkpoint-every: '-1' is not a number of seconds"},
        {"compare", "--cap", "-2.5", NULL},
        {"compare", "--margin", "0", "--margin: '0' is not a number above 0, up to 1e+99"},
        {"compare", "--margin", ".02", NULL},
        {"compare", "--conf", ".5", NULL},
        {"compare", "--conf", ".4", "--conf: '.4' is not a level from 0.5 to 0.9999, such as 0.95"},
        {"table", "--style", "bold=best,siunitx", NULL},
        {"table", "--style", "bold=beast", "--style bold: unknown 'beast'; did you mean 'best'?"},
        {"table", "--style", "bold=qqqqqqqq", "--style bold: unknown 'qqqqqqqq'; there are: tied, best, none"},
        {"verify", "--level", "numerc", "--level: unknown 'numerc'; did you mean 'numeric'?"},
        {"run", "-k", NULL, "unknown option -k (but for -o options are --long)"},
        {"claims", "-k", "warm",
         "unknown option -k (but for -o options are --long; a word to find stands alone: normbench claims WORD)"},
        {"list", "-k", "peri",
         "unknown option -k (but for -o options are --long; a word to find stands alone: normbench list KIND WORD)"},
        {"run", "--offline=1", NULL, "--offline takes no value"},
        {"run", "--threads", NULL, "--threads needs a value (N,...)"},
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        Options o;
        Rc rc = parse(&o, at[i].command, at[i].option, at[i].value);
        cr_expect_eq(rc, at[i].says ? RC_USAGE : RC_OK, "%s", at[i].option);
        cr_expect_str_eq(e.text, at[i].says ? at[i].says : "");
    }
}

Test(options, values_come_back_as_their_row_says) {
    Options o;
    parse(&o, "run", "--threads=17", NULL);
    cr_expect_eq(option_integer(&o, OPTION_threads, 3), 17);
    cr_expect_eq(option_integer(&o, OPTION_replicas, 3), 3);
    parse(&o, "compare", "--cap", "-2.5");
    cr_expect_eq(option_number(&o, OPTION_cap, 1), -2.5);
    cr_expect_eq(option_number(&o, OPTION_margin, 1), 1);
    parse(&o, "table", "--style", "bold=none");
    cr_expect_eq(option_choice(&o, OPTION_bold, 1), 2);
    parse(&o, "table", "--style", "siunitx");
    cr_expect_eq(option_choice(&o, OPTION_bold, 1), 1);
    cr_expect_eq(o.times[OPTION_siunitx], 1);
    parse(&o, "run", "--threads", "3,per-run=2");
    cr_expect_eq(option_integer(&o, OPTION_threads, 1), 3);
    cr_expect_eq(option_integer(&o, OPTION_threads_per_run, 1), 2);
    parse(&o, "compare", "--column", "arm=a,b,seed=s");
    cr_expect_str_eq(option(&o, OPTION_arm_column, ""), "a,b");
    cr_expect_str_eq(option(&o, OPTION_seed_column, ""), "s");
}

Test(options, operands_as_a_shell_writes_them_out) {
    static Options o;
    static char *argv[OPERAND_MAX + 1];
    for (int i = 0; i <= OPERAND_MAX; i++) argv[i] = (char *)"runs/a_s1/metrics.csv";
    e = (Error){0};
    cr_expect_eq(options_parse(&o, "compare", OPERAND_MAX, argv, &e), RC_OK);
    cr_expect_eq(o.operands, OPERAND_MAX);
    cr_expect_eq(options_parse(&o, "compare", OPERAND_MAX + 1, argv, &e), RC_USAGE);
    HOLDS(e.text, "too many operands");
}
