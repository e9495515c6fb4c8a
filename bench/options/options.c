#include "bench/options/options.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "bench/compare/compare.h"
#include "bench/plan/experiment.h"
#include "bench/run/scale.h"
#include "bench/verify/gate.h"
#include "bench/write/table.h"

typedef struct {
    enum { FLAG, TEXT, PARTS, PAIR, INTEGER, NUMBER, CHOICE } kind;
    double least, most;
    const char *what;         /* a NUMBER in words */
    const char *const *names; /* of a CHOICE */
    size_t count;
} Value;

typedef struct {
    const char *name, *argument;
    Value value;
    const char *commands, *help;
    int part_of;      /* -1: an option of its own */
    const char *word; /* a part's name */
} OptionInfo;

static const char *const sides[SIDES] = {"lower", "higher"}, *const unknown_names[UNKNOWN_NAMES] = {"refuse", "drop"};

static const OptionInfo info[OPTION_COUNT] = {
#define FLAG \
    { .kind = FLAG }
#define TEXT \
    { .kind = TEXT }
#define PARTS \
    { .kind = PARTS }
#define PAIR \
    { .kind = PAIR }
#define INTEGER(from, to) \
    { .kind = INTEGER, .least = from, .most = to }
#define NUMBER(from, to, words) \
    { .kind = NUMBER, .least = from, .most = to, .what = words }
#define CHOICE(list, length) \
    { .kind = CHOICE, .names = list, .count = length }
#define OPTION(name, argument, value, commands, help) \
    [OPTION_##name] = {#name, argument, value, commands, help, -1, NULL},
#define PART(option, name, word, argument, value, commands, help) \
    [OPTION_##name] = {#name, argument, value, commands, help, OPTION_##option, word},
#include "bench/options/options.def"
#undef OPTION
#undef FLAG
#undef TEXT
#undef PARTS
#undef PAIR
#undef INTEGER
#undef NUMBER
#undef CHOICE
};

OptionShown option_shown(OptionKind kind) {
    const OptionInfo *o = &info[kind];
    return (OptionShown){o->argument, o->help, o->value.names, (int)o->value.count, o->part_of, o->word};
}

/* "micro_batch" as the command line has it, "micro-batch". */
static char *dashed(char out[OPTION_NAME], const char *name) {
    snprintf(out, OPTION_NAME, "%s", name);
    for (char *s = out; *s; s++)
        if (*s == '_') *s = '-';
    return out;
}

char *option_name(char out[OPTION_NAME], OptionKind kind) {
    const OptionInfo *x = &info[kind];
    char name[OPTION_NAME];
    if (x->part_of < 0) return dashed(out, x->name);
    snprintf(out, OPTION_NAME, "%s %s", dashed(name, info[x->part_of].name), x->word);
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

/* The option that is called `word`; -1: none. */
static int named(const char *word) {
    char name[OPTION_NAME];
    for (int i = 0; i < OPTION_COUNT; i++)
        if (info[i].part_of < 0 && !strcmp(word, dashed(name, info[i].name))) return i;
    return -1;
}

static Rc not_taken(int kind, const char *command, Error *e) {
    char name[OPTION_NAME];
    return error_set(e, RC_USAGE, "--%s: `%s` does not take it (%s do%s)", option_name(name, (OptionKind)kind), command,
                     info[kind].commands, strpbrk(info[kind].commands, " ,") ? "" : "es");
}

static Rc find(int *kind, const char *command, const char *word, Error *e) {
    char known[OPTION_COUNT][OPTION_NAME];
    const char *names[OPTION_COUNT];
    int count = 0;
    char hint[96];
    *kind = named(word);
    if (*kind >= 0) return takes(&info[*kind], command) ? RC_OK : not_taken(*kind, command, e);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (takes(&info[i], command)) names[count] = dashed(known[count], info[i].name), count++;
    const char *remark,
        *key = spec_index(word) >= 0 ? word : foreign_name(word, spec_keys, (size_t)spec_key_count, &remark);
    if (key && !foreign_name(word, names, (size_t)count, &remark) && option_taken(OPTION_set, command))
        return error_set(e, RC_USAGE, "unknown option --%s; %s is a key: --set %s=VALUE", word, key, key);
    const char *near = nearest_name(word, names, (size_t)count);
    char whole[OPTION_NAME];
    int meant = -1;
    for (int i = 0; near && i < OPTION_COUNT; i++)
        if (!strcmp(near, dashed(whole, info[i].name))) meant = i;
    snprintf(hint, sizeof hint, near ? "; did you mean --%s?" : "",
             meant >= 0 ? option_name(whole, (OptionKind)meant) : "");
    return error_set(e, RC_USAGE, "unknown option --%s%s", word, hint);
}

static int place_of(const Value *v, const char *text) {
    return name_find(NAMES(v->names, v->count), text);
}

static Rc not_among(const Value *v, const char *name, const char *text, Error *e) {
    error_set(e, RC_USAGE, "--%s: unknown '%.60s'", name, text);
    return name_unknown(e, text, NAMES(v->names, v->count), "there are");
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
    case TEXT:
    case PARTS: break;
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

/* Keeps a value that is what its row says. next: the word behind it on the command line, or NULL. */
static Rc keep(Options *o, OptionKind kind, const char *value, const char *next, Error *e) {
    char name[OPTION_NAME];
    if (o->times[kind] == OPTION_MAX) return error_set(e, RC_USAGE, "--%s is given too often", option_name(name, kind));
    if (check(kind, value, next, e)) return e->code;
    o->value[kind][o->times[kind]++] = value;
    return RC_OK;
}

/* A text of its own, which the options own; NULL: too many. */
static char *copy_of(Options *o, const char *value, Error *e) {
    if (o->copies == OPTION_MAX) {
        error_set(e, RC_USAGE, "--%s: too many options with parts", value);
        return NULL;
    }
    return o->copy[o->copies++] = mem_text(value);
}

/* The part of an option that `text` begins with, "recompute" or "micro-batch=..."; -1: none. */
static int part_at(int option, const char *text) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (info[i].part_of != option) continue;
        size_t n = strlen(info[i].word);
        if (!strncmp(text, info[i].word, n) && (!text[n] || text[n] == ',' || text[n] == '=')) return i;
    }
    return -1;
}

static bool has_parts(int option) {
    bool found = false;
    for (int i = 0; i < OPTION_COUNT; i++) found |= info[i].part_of == option;
    return found;
}

static Rc unknown_part(int option, const char *command, const char *text, Error *e) {
    char name[OPTION_NAME], word[60];
    const char *names[OPTION_COUNT];
    int count = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (info[i].part_of == option && takes(&info[i], command)) names[count++] = info[i].word;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "=,"), text);
    error_set(e, RC_USAGE, "--%s: unknown '%s'", option_name(name, (OptionKind)option), word);
    return name_unknown(e, word, NAMES(names, count), "there are");
}

static Rc keep_part(Options *o, int part, char *text, Error *e) {
    const OptionInfo *x = &info[part];
    char name[OPTION_NAME], *value = strchr(text, '=');
    option_name(name, (OptionKind)part);
    if (!takes(x, o->command)) return not_taken(part, o->command, e);
    if (x->value.kind == FLAG && value) return error_set(e, RC_USAGE, "--%s takes no value", name);
    if (x->value.kind != FLAG && !value)
        return error_set(e, RC_USAGE, "--%s needs a value: %s=%s", name, x->word, x->argument);
    return keep(o, (OptionKind)part, value ? value + 1 : "", NULL, e);
}

/* "A100,memory=8e10": cut at each comma that a part stands behind; what is no part is the option's own value. */
static Rc keep_parts(Options *o, int option, char *text, const char *next, Error *e) {
    char *rest = text;
    while (rest) {
        char *comma = rest, *one = rest;
        while ((comma = strchr(comma, ',')) && part_at(option, comma + 1) < 0) comma++;
        if (comma) *comma++ = 0;
        rest = comma;
        int part = part_at(option, one);
        Rc rc = part >= 0                          ? keep_part(o, part, one, e)
                : info[option].value.kind == PARTS ? unknown_part(option, o->command, one, e)
                                                   : keep(o, (OptionKind)option, one, next, e);
        if (rc) return rc;
    }
    return RC_OK;
}

/* One option with its value from argv[*i] on; *i: the last word that it takes. */
static Rc take(Options *o, const char *word, int argc, char **argv, int *i, Error *e) {
    char name[OPTION_NAME];
    const char *value = strchr(word, '=');
    int kind = 0;
    snprintf(name, sizeof name, "%.*s", value ? (int)(value - word - 2) : OPTION_NAME - 1, word + 2);
    if (find(&kind, o->command, name, e)) return e->code;
    bool wants = info[kind].value.kind != FLAG;
    if (!wants && value) return error_set(e, RC_USAGE, "--%s takes no value", name);
    if (wants && !value && *i + 1 >= argc)
        return error_set(e, RC_USAGE, "--%s needs a value (%s)", name, info[kind].argument);
    const char *given = !wants ? "" : value ? value + 1 : argv[++*i], *next = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (!has_parts(kind)) return keep(o, (OptionKind)kind, given, next, e);
    char *copy = copy_of(o, given, e);
    return copy ? keep_parts(o, kind, copy, next, e) : e->code;
}

static Rc unknown_short(const char *command, const char *word, Error *e) {
    bool finds = !strcmp(command, "claims") || !strcmp(command, "list");
    return error_set(e, RC_USAGE, "unknown option %s (but for -o options are --long%s%s%s)", word,
                     finds ? "; a word to find stands alone: normbench " : "", finds ? command : "",
                     !finds ? "" : strcmp(command, "list") ? " WORD" : " KIND WORD");
}

Rc options_parse(Options *o, const char *command, int argc, char **argv, Error *e) {
    *o = (Options){.command = command};
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "-o")) word = "--output";
        if (only_operands || word[0] != '-' || !word[1]) {
            if (o->operands == OPERAND_MAX) return error_set(e, RC_USAGE, "too many operands");
            o->operand[o->operands++] = word;
        } else if (!strcmp(word, "--"))
            only_operands = true;
        else if (word[1] != '-')
            return unknown_short(command, word, e);
        else if (take(o, word, argc, argv, &i, e))
            return e->code;
    }
    return RC_OK;
}

void options_release(Options *o) {
    for (int i = 0; i < o->copies; i++) free(o->copy[i]);
    o->copies = 0;
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
    static const OptionKind first[] = {OPTION_profile,   OPTION_set,     OPTION_seeds, OPTION_arm,     OPTION_text,
                                       OPTION_tokenizer, OPTION_threads, OPTION_name,  OPTION_results, OPTION_dry_run};
    bool found = false;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) found |= first[i] == option;
    return found;
}

/* Return 1 if a part of a help text is of this command ("explain, compare: …"), -1 if of others alone, 0 if of all.
 * Move *at behind the label; a label of more than names ("run --slurm: …") stays. */
static int labelled(const OptionInfo *x, const char *command, const char **at) {
    const char *s = *at;
    bool mine = false, words = false;
    for (;;) {
        char name[OPTION_NAME];
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz");
        snprintf(name, sizeof name, "%.*s", (int)n, s);
        if (!n || !takes(x, name)) return 0;
        mine |= !strcmp(name, command), words |= s[n] == ' ';
        s += s[n] == ' ' ? strcspn(s, ":;(") : n;
        if (strncmp(s, ", ", 2) != 0) break;
        s += 2;
    }
    if (strncmp(s, ": ", 2) != 0) return 0;
    if (!words) *at = s + 2;
    return mine ? 1 : -1;
}

void option_help(OptionKind kind, const char *command, Text *out) {
    const OptionInfo *x = &info[kind];
    bool own = false;
    for (int pass = 0; pass < 2; pass++) { /* a text of this command's own replaces that of all */
        int of = 0;
        for (const char *part = x->help, *next; part; part = next) {
            const char *end = strstr(part, "; "), *said = part;
            int label = labelled(x, command, &said);
            next = end ? end + 2 : NULL;
            of = label ? label : of;
            own |= label > 0 && said != part;
            if (!pass || of < 0 || (own && !of)) continue;
            text_format(out, "%s%.*s", out->length ? "; " : "", (int)(end ? end - said : (long)strlen(said)), said);
        }
    }
}

static void help_line(Text *out, const char *command, const char *name, OptionKind kind) {
    const OptionInfo *x = &info[kind];
    bool part = x->part_of >= 0;
    char left[80];
    LOCAL_TEXT(help);
    option_help(kind, command, &help);
    snprintf(left, sizeof left, "%s%s%s%s", part ? "    " : "--", name,
             !*x->argument ? ""
             : part        ? "="
                           : " ",
             x->argument);
    text_format(out, "  %-28s %s\n", left, help.at);
}

int options_help(const char *command, bool all, Text *out) {
    int left_out = 0;
    bool many = !strcmp(command, "run") && !all;
    for (int i = 0; i < OPTION_COUNT; i++) {
        char name[OPTION_NAME];
        const OptionInfo *x = &info[i];
        if (!takes(x, command)) continue;
        if (many && !is_first((OptionKind)(x->part_of < 0 ? i : x->part_of))) {
            left_out += x->part_of < 0;
            continue;
        }
        help_line(out, command, x->part_of < 0 ? dashed(name, x->name) : x->word, (OptionKind)i);
    }
    return left_out;
}
