#include "bench/options/options.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/compare/compare.h"
#include "bench/plan/experiment.h"
#include "bench/run/scale.h"
#include "bench/verify/gate.h"
#include "bench/write/table.h"

typedef struct {
    enum { FLAG, TEXT, PAIR, INTEGER, NUMBER, CHOICE } kind;
    double least, most;
    const char *what;         /* a NUMBER in words */
    const char *const *names; /* of a CHOICE */
    size_t count;
} Value;

typedef struct {
    const char *name, *argument;
    Value value;
    const char *commands, *help;
} OptionInfo;

const char *const sides[SIDES] = {"lower", "higher"}, *const unknown_names[UNKNOWN_NAMES] = {"refuse", "drop"};

static const OptionInfo info[OPTION_COUNT] = {
#define FLAG \
    { .kind = FLAG }
#define TEXT \
    { .kind = TEXT }
#define PAIR \
    { .kind = PAIR }
#define INTEGER(from, to) \
    { .kind = INTEGER, .least = from, .most = to }
#define NUMBER(from, to, words) \
    { .kind = NUMBER, .least = from, .most = to, .what = words }
#define CHOICE(list, length) \
    { .kind = CHOICE, .names = list, .count = length }
#define OPTION(name, argument, value, commands, help) [OPTION_##name] = {#name, argument, value, commands, help},
#include "bench/options/options.def"
#undef OPTION
#undef FLAG
#undef TEXT
#undef PAIR
#undef INTEGER
#undef NUMBER
#undef CHOICE
};

OptionShown option_shown(OptionKind kind) {
    const OptionInfo *o = &info[kind];
    return (OptionShown){o->argument, o->help, o->value.names, (int)o->value.count};
}

char *option_name(char out[OPTION_NAME], OptionKind kind) {
    snprintf(out, OPTION_NAME, "%s", info[kind].name);
    for (char *s = out; *s; s++)
        if (*s == '_') *s = '-';
    return out;
}

static bool takes(const OptionInfo *x, const char *command) {
    if (!strcmp(x->commands, "*")) return true;
    size_t n = strlen(command);
    for (const char *at = x->commands; (at = strstr(at, command)); at += n)
        if ((at == x->commands || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

bool option_taken(OptionKind kind, const char *command) {
    return takes(&info[kind], command);
}

/* What an option is called today; a name of the version before is accepted with a note. */
static const char *today(const char *name) {
    static const char *const renamed[][2] = {{"value-column", "metric"}};
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (!strcmp(name, renamed[i][0])) {
            fprintf(stderr, "normbench: note: --%s is called --%s now\n", name, renamed[i][1]);
            return renamed[i][1];
        }
    return name;
}

static Rc find(int *kind, const char *command, const char *word, Error *e) {
    char known[OPTION_COUNT][OPTION_NAME];
    const char *names[OPTION_COUNT];
    size_t n = 0;
    char hint[96];
    const char *near, *name = today(word);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!strcmp(name, option_name(known[i], (OptionKind)i))) {
            *kind = i;
            if (takes(&info[i], command)) return RC_OK;
            return error_set(e, RC_USAGE, "--%s: `%s` does not take it (%s do)", name, command, info[i].commands);
        }
        if (takes(&info[i], command)) names[n++] = known[i];
    }
    const char *note,
        *key = spec_index(name) >= 0 ? name : foreign_name(name, spec_keys, (size_t)spec_key_count, &note);
    if (key && !foreign_name(name, names, n, &note) && option_taken(OPTION_set, command))
        return error_set(e, RC_USAGE, "unknown option --%s; %s is a key: --set %s=VALUE", name, key, key);
    near = nearest_name(name, names, n);
    snprintf(hint, sizeof hint, near ? "; did you mean --%s?" : "", near);
    return error_set(e, RC_USAGE, "unknown option --%s%s", name, hint);
}

static int place_of(const Value *v, const char *text) {
    for (size_t i = 0; i < v->count; i++)
        if (!strcmp(text, v->names[i])) return (int)i;
    return -1;
}

static Rc not_among(const Value *v, const char *name, const char *text, Error *e) {
    char hint[96];
    error_set(e, RC_USAGE, "--%s: unknown '%.60s'%s", name, text,
              did_you_mean(hint, sizeof hint, text, v->names, v->count));
    size_t n = strlen(e->text);
    for (size_t i = 0; i < v->count && !hint[0] && n < sizeof e->text; i++)
        n += (size_t)snprintf(e->text + n, sizeof e->text - n, "%s%s", i ? ", " : "; there are: ", v->names[i]);
    return RC_USAGE;
}

/* `--set steps 50`: what stands behind is shown as the value, unless it is an option. */
static Rc not_a_pair(const char *name, const char *text, const char *next, Error *e) {
    bool value = next && *next && next[0] != '-';
    return error_set(e, RC_USAGE, "--%s: '%.80s' is not key=value; write --%s %.80s=%.80s", name, text, name, text,
                     value ? next : "VALUE");
}

/* next: the word behind it on the command line, or NULL. */
static Rc check(OptionKind kind, const char *text, const char *next, Error *e) {
    const Value *v = &info[kind].value;
    char name[OPTION_NAME];
    int64_t n;
    double x;
    option_name(name, kind);
    switch (v->kind) {
    case FLAG:
    case TEXT: break;
    case PAIR:
        if (!strchr(text, '=')) return not_a_pair(name, text, next, e);
        break;
    case INTEGER:
        if (!parse_whole(text, &n) || (double)n < v->least || (double)n > v->most)
            return error_set(e, RC_USAGE, "--%s: '%.60s' is not a number from %.0f to %.0f", name, text, v->least,
                             v->most);
        break;
    case NUMBER:
        if (!parse_real(text, &x) || x < v->least || x > v->most)
            return error_set(e, RC_USAGE, "--%s: '%.60s' is not %s", name, text, v->what);
        break;
    case CHOICE:
        if (place_of(v, text) < 0) return not_among(v, name, text, e);
        break;
    }
    return RC_OK;
}

Rc options_parse(Options *o, const char *command, int argc, char **argv, Error *e) {
    *o = (Options){.command = command};
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "-o")) word = "--output";
        if (only_operands || word[0] != '-' || !word[1]) {
            if (o->operands == OPERAND_MOST) return error_set(e, RC_USAGE, "too many operands");
            o->operand[o->operands++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_operands = true;
            continue;
        }
        if (word[1] != '-') return error_set(e, RC_USAGE, "unknown option %s (options are --long)", word);
        char name[OPTION_NAME];
        const char *value = strchr(word, '=');
        snprintf(name, sizeof name, "%.*s", value ? (int)(value - word - 2) : OPTION_NAME - 1, word + 2);
        int kind = 0;
        if (find(&kind, command, name, e)) return e->code;
        bool wants = info[kind].value.kind != FLAG;
        if (!wants && value) return error_set(e, RC_USAGE, "--%s takes no value", name);
        if (wants && !value && i + 1 >= argc)
            return error_set(e, RC_USAGE, "--%s needs a value (%s)", name, info[kind].argument);
        if (o->times[kind] == OPTION_MOST) return error_set(e, RC_USAGE, "--%s is given too often", name);
        const char *given = !wants ? "" : value ? value + 1 : argv[++i];
        if (check((OptionKind)kind, given, i + 1 < argc ? argv[i + 1] : NULL, e)) return e->code;
        o->value[kind][o->times[kind]++] = given;
    }
    return RC_OK;
}

Rc options_one_experiment(const Options *o, Error *e) {
    if (o->operands == 1) return RC_OK;
    if (!o->operands)
        return error_set(e, RC_USAGE, "%s: name one experiment (`normbench list` shows them)", o->command);
    return error_set(e, RC_USAGE, "%s: name one experiment, not '%.60s' and '%.60s'; a value with a space needs quotes",
                     o->command, o->operand[0], o->operand[1]);
}

const char *option(const Options *o, OptionKind kind, const char *fallback) {
    return o->times[kind] ? o->value[kind][o->times[kind] - 1] : fallback;
}

int option_integer(const Options *o, OptionKind kind, int fallback) {
    int64_t n = fallback;
    if (o->times[kind]) (void)parse_whole(option(o, kind, NULL), &n);
    return (int)n;
}

double option_number(const Options *o, OptionKind kind, double fallback) {
    double x = fallback;
    if (o->times[kind]) (void)parse_real(option(o, kind, NULL), &x);
    return x;
}

int option_choice(const Options *o, OptionKind kind, int fallback) {
    return o->times[kind] ? place_of(&info[kind].value, option(o, kind, NULL)) : fallback;
}

/* Of `run`, which takes most. */
static bool is_first(OptionKind option) {
    static const OptionKind first[] = {OPTION_profile, OPTION_set,     OPTION_seeds,  OPTION_arm,     OPTION_text,
                                       OPTION_tokenizer, OPTION_threads, OPTION_name, OPTION_results, OPTION_dry_run};
    bool found = false;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) found |= first[i] == option;
    return found;
}

int options_help(const char *command, bool all, Text *out) {
    int left_out = 0;
    bool many = !strcmp(command, "run") && !all;
    for (int i = 0; i < OPTION_COUNT; i++) {
        char left[64], name[OPTION_NAME];
        if (!takes(&info[i], command)) continue;
        if (many && !is_first((OptionKind)i)) {
            left_out++;
            continue;
        }
        snprintf(left, sizeof left, "--%s %s", option_name(name, (OptionKind)i), info[i].argument);
        text_format(out, "  %-28s %s\n", left, info[i].help);
    }
    return left_out;
}
