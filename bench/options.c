#include "bench/options.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *argument, *commands, *help;
} OptionInfo;

/* In the order of OptionKind; options_parse asserts nothing else, so a static assertion holds the two lists together. */
static const OptionInfo info[] = {
#define OPTION(name, argument, commands, help) {#name, argument, commands, help},
#include "bench/options.def"
#undef OPTION
};
_Static_assert(sizeof info / sizeof *info == OPTION_COUNT, "options.def and OptionKind name the same options");

static bool takes(const OptionInfo *x, const char *command) {
    if (!strcmp(x->commands, "*")) return true;
    size_t n = strlen(command);
    for (const char *at = x->commands; (at = strstr(at, command)); at += n)
        if ((at == x->commands || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static Rc find(int *kind, const char *command, const char *name, Error *e) {
    const char *names[OPTION_COUNT];
    size_t n = 0;
    char hint[96];
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!strcmp(name, info[i].name)) {
            *kind = i;
            if (takes(&info[i], command)) return RC_OK;
            return error_set(e, RC_USAGE, "--%s: `%s` does not take it (%s do)", name, command, info[i].commands);
        }
        if (takes(&info[i], command)) names[n++] = info[i].name;
    }
    return error_set(e, RC_USAGE, "unknown option --%s%s", name, did_you_mean(hint, sizeof hint, name, names, n));
}

Rc options_parse(Options *o, const char *command, int argc, char **argv, Error *e) {
    *o = (Options){.command = command};
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "-o")) word = "--output";
        if (only_operands || word[0] != '-' || !word[1]) {
            if (o->operands == OPTION_MOST) return error_set(e, RC_USAGE, "too many operands");
            o->operand[o->operands++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_operands = true;
            continue;
        }
        if (word[1] != '-') return error_set(e, RC_USAGE, "unknown option %s (options are --long)", word);
        char name[32];
        const char *value = strchr(word, '=');
        snprintf(name, sizeof name, "%.*s", value ? (int)(value - word - 2) : 31, word + 2);
        int kind = 0;
        if (find(&kind, command, name, e)) return e->code;
        bool wants = info[kind].argument[0];
        if (!wants && value) return error_set(e, RC_USAGE, "--%s takes no value", name);
        if (wants && !value && i + 1 >= argc)
            return error_set(e, RC_USAGE, "--%s needs a value (%s)", name, info[kind].argument);
        if (o->times[kind] == OPTION_MOST) return error_set(e, RC_USAGE, "--%s is given too often", name);
        o->value[kind][o->times[kind]++] = !wants ? "" : value ? value + 1 : argv[++i];
    }
    return RC_OK;
}

const char *option(const Options *o, OptionKind kind, const char *fallback) {
    return o->times[kind] ? o->value[kind][o->times[kind] - 1] : fallback;
}

void options_help(const char *command, Text *out) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        char left[48];
        if (!takes(&info[i], command)) continue;
        snprintf(left, sizeof left, "--%s %s", info[i].name, info[i].argument);
        text_format(out, "  %-28s %s\n", left, info[i].help);
    }
}
