/* What `run --slurm` is told, checked before anything is submitted. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/names.h"
#include "bench/slurm/submit.h"

typedef enum { VALUE_FLAG, VALUE_MAYBE, VALUE_TEXT, VALUE_SIZE, VALUE_TIME } ValueKind;
static const struct {
    const char *name;
    char letter;
    ValueKind value;
    const char *instead;
} options_of_slurm[] = {
#define SBATCH(name, letter, value, instead) {name, letter, VALUE_##value, instead},
#include "bench/slurm/sbatch_options.def"
#undef SBATCH
};
enum { OPTIONS_OF_SLURM = sizeof options_of_slurm / sizeof *options_of_slurm };

Rc slurm_plain(const char *option, const char *value, const char *forbidden, Error *e) {
    const char *at = strpbrk(value, forbidden);
    if (!at) return RC_OK;
    return error_set(e, RC_USAGE, "%s: '%.*s' cannot stand in a batch script: it holds %s", option,
                     (int)strcspn(value, "\n"), value,
                     *at == '\n'  ? "a line break"
                     : *at == ' ' ? "a blank"
                     : *at == '"' ? "\""
                                  : "%");
}

/* Digits with the separators of `form` between them, where '0' stands for a number: "0-0:0". */
static bool has_form(const char *text, const char *form) {
    for (; *form; form++) {
        size_t digits = strspn(text, "0123456789");
        if (*form == '0' ? !digits || digits > 8 : *text != *form) return false;
        text += *form == '0' ? digits : 1;
    }
    return !*text;
}

/* "2h" is 2:00:00 to Slurm, "90m" 90, "3d" 3-0. */
static void add_meant(const char *text, Error *e) {
    static const struct {
        const char *unit, *before, *behind;
    } units[] = {{"d", "", "-0"},        {"day", "", "-0"},       {"days", "", "-0"}, {"h", "", ":00:00"},
                 {"hour", "", ":00:00"}, {"hours", "", ":00:00"}, {"m", "", ""},      {"min", "", ""},
                 {"minutes", "", ""},    {"s", "0:", ""},         {"sec", "0:", ""},  {"seconds", "0:", ""}};
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " ");
    for (size_t i = 0; digits && i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(unit, units[i].unit))
            error_add(e, "; did you mean %s%.*s%s?", units[i].before, (int)digits, text, units[i].behind);
}

/* The ways that sbatch(1) lists. */
static bool is_time(const char *text) {
    static const char *const forms[] = {"0", "0:0", "0:0:0", "0-0", "0-0:0", "0-0:0:0"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (has_form(text, forms[i])) return true;
    return !strcasecmp(text, "unlimited") || !strcasecmp(text, "infinite");
}

static Rc check_time(const char *option, const char *text, Error *e) {
    if (!text || is_time(text)) return RC_OK;
    error_set(e, RC_USAGE,
              "%s: '%.60s' is no limit as Slurm takes it: minutes, minutes:seconds, hours:minutes:seconds, "
              "days-hours, days-hours:minutes or days-hours:minutes:seconds",
              option, text);
    add_meant(text, e);
    return e->code;
}

/* "8", "8G", "8gb". */
static bool is_size(const char *text) {
    size_t n = strspn(text, "0123456789");
    if (!n) return false;
    if (text[n] && strchr("KMGTkmgt", text[n])) n += 1 + (text[n + 1] == 'B' || text[n + 1] == 'b');
    return !text[n];
}

/* "--mem" of "--mem=8G", or "-A" of "-Ame": which of sbatch's options; -1: none. A long one may be cut short where that
 * leaves one alone. */
static int option_of_slurm(const char *word, size_t n) {
    int found = -1, starts = 0;
    for (int i = 0; i < OPTIONS_OF_SLURM; i++) {
        const char *name = options_of_slurm[i].name;
        bool starting = word[1] == '-' && n > 2 && !strncmp(word + 2, name, n - 2);
        if (word[1] != '-' ? word[1] == options_of_slurm[i].letter : starting && strlen(name) == n - 2) return i;
        if (starting) starts++, found = i;
    }
    return starts == 1 ? found : -1;
}

static Rc unknown_option(const char *word, size_t n, Error *e) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    error_set(e, RC_USAGE, "--sbatch: sbatch has no option '%s'", name);
    return name_unknown(e, n > 2 ? name + 2 : name, NAMES(options_of_slurm, OPTIONS_OF_SLURM), NULL);
}

static Rc check_value(int option, const char *name, const char *value, size_t n, Error *e) {
    char text[64], said[96];
    const char *quotes = n > 1 && (*value == '"' || *value == '\'') ? value : NULL;
    snprintf(text, sizeof text, "%.*s", (int)(quotes ? n - 2 : n), value + (quotes != NULL));
    snprintf(said, sizeof said, "--sbatch: %s", name);
    switch (options_of_slurm[option].value) {
    case VALUE_FLAG: return error_set(e, RC_USAGE, "%s takes no value, not '%s'", said, text);
    case VALUE_TIME: return check_time(said, text, e);
    case VALUE_SIZE:
        if (is_size(text)) return RC_OK;
        return error_set(e, RC_USAGE, "%s: '%s' is no size as Slurm takes it: a whole number and K, M, G or T", said,
                         text);
    case VALUE_MAYBE:
    case VALUE_TEXT: return text[0] ? RC_OK : error_set(e, RC_USAGE, "%s has an empty value", said);
    }
    return RC_OK;
}

/* An option that waits for the word behind it. */
typedef struct {
    int option; /* -1: none */
    char name[64];
} Waiting;

static Rc check_option(const char *word, size_t whole, Waiting *w, Error *e) {
    size_t n = word[1] == '-' ? strcspn(word, "= \t") : whole > 1 ? 2 : 1;
    int i = n > 1 ? option_of_slurm(word, n) : -1;
    if (i < 0) return unknown_option(word, n, e);
    snprintf(w->name, sizeof w->name, "%.*s", (int)n, word);
    if (options_of_slurm[i].instead && options_of_slurm[i].instead[0])
        return error_set(e, RC_USAGE, "--sbatch: %s is what %s of `run` decides", w->name, options_of_slurm[i].instead);
    if (options_of_slurm[i].instead)
        return error_set(e, RC_USAGE, "--sbatch: %s is what `run --slurm` decides itself", w->name);
    bool has = n < whole && (word[1] != '-' || word[n] == '=');
    n += has && word[n] == '=';
    if (has) return check_value(i, w->name, word + n, whole - n, e);
    if (options_of_slurm[i].value > VALUE_MAYBE) w->option = i;
    return RC_OK;
}

static Rc check_word(const char *word, size_t n, Waiting *w, Error *e) {
    int option = w->option;
    w->option = -1;
    if (option >= 0 && word[0] == '-') return error_set(e, RC_USAGE, "--sbatch: %s needs a value", w->name);
    if (option >= 0) return check_value(option, w->name, word, n, e);
    if (word[0] == '-') return check_option(word, n, w, e);
    if (n >= strlen("#SBATCH") && !strncmp(word, "#SBATCH", strlen("#SBATCH")))
        return error_set(e, RC_USAGE, "--sbatch: leave #SBATCH out: --sbatch '--mem=8G'");
    if (!isalpha((unsigned char)word[0]))
        return error_set(e, RC_USAGE, "--sbatch: '%.*s' is no option of sbatch", (int)n, word);
    return error_set(e, RC_USAGE, "--sbatch: '%.*s' is no option of sbatch; write %s%.*s", (int)n, word,
                     n > 1 ? "--" : "-", (int)n, word);
}

/* Options as one may write them behind #SBATCH: words, with quotes around those that hold blanks. */
static Rc check_options(const char *text, Error *e) {
    Waiting waiting = {.option = -1};
    const char *at = text + strspn(text, " \t");
    if (!*at) return error_set(e, RC_USAGE, "--sbatch: an option is needed, such as --mem=8G");
    while (*at) {
        size_t n = 0;
        char quote = 0;
        for (; at[n] && (quote || !strchr(" \t", at[n])); n++)
            if (quote ? at[n] == quote : at[n] == '"' || at[n] == '\'') quote = quote ? 0 : at[n];
        if (quote) return error_set(e, RC_USAGE, "--sbatch: a quote does not end: %.80s", at);
        if (check_word(at, n, &waiting, e)) return e->code;
        at += n;
        at += strspn(at, " \t");
    }
    return waiting.option < 0 ? RC_OK : error_set(e, RC_USAGE, "--sbatch: %s needs a value", waiting.name);
}

Rc slurm_options(const Session *s, SlurmRequest *request, Error *e) {
    static const OptionKind own[] = {OPTION_nodes, OPTION_array,  OPTION_partition, OPTION_time,
                                     OPTION_gpus,  OPTION_sbatch, OPTION_output};
    static const OptionKind against[] = {OPTION_part, OPTION_ranks};
    const Options *o = s->options;
    char name[OPTION_NAME];
    for (size_t i = 0; i < sizeof own / sizeof *own && !o->times[OPTION_slurm]; i++)
        if (o->times[own[i]]) return error_set(e, RC_USAGE, "run: --%s goes with --slurm", option_name(name, own[i]));
    for (size_t i = 0; i < sizeof against / sizeof *against && o->times[OPTION_slurm]; i++)
        if (o->times[against[i]])
            return error_set(e, RC_USAGE, "run: --%s does not go with --slurm, which deals the runs itself",
                             option_name(name, against[i]));
    *request = (SlurmRequest){.nodes = option_integer(o, OPTION_nodes, 1),
                              .gpus = option_integer(o, OPTION_gpus, 0),
                              .cpus = option_integer(o, OPTION_threads, 1) * s->threads_per_run,
                              .partition = option(o, OPTION_partition, ""),
                              .time = option(o, OPTION_time, ""),
                              .more = o->value[OPTION_sbatch],
                              .more_count = o->times[OPTION_sbatch]};
    if (!o->times[OPTION_slurm]) return RC_OK;
    if (o->times[OPTION_partition] && !request->partition[0])
        return error_set(e, RC_USAGE, "--job partition: it is empty");
    if (slurm_plain("--job partition", request->partition, " \n", e) ||
        check_time("--job time", option(o, OPTION_time, NULL), e))
        return e->code;
    for (int i = 0; i < request->more_count; i++)
        if (slurm_plain("--sbatch", request->more[i], "\n", e) || check_options(request->more[i], e)) return e->code;
    return slurm_plain("--results", s->results, "\n\"%", e);
}
