/* What `run --slurm` is told, checked before anything is submitted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/cli/run_slurm.h"

static const struct {
    const char *name;
    char letter;
    const char *instead;
} options_of_slurm[] = {
#define SBATCH(name, letter, instead) {name, letter, instead},
#include "bench/cli/sbatch_options.def"
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
    } units[] = {{"d", "", "-0"},    {"day", "", "-0"},      {"days", "", "-0"},      {"h", "", ":00:00"},
                 {"hour", "", ":00:00"}, {"hours", "", ":00:00"}, {"m", "", ""},          {"min", "", ""},
                 {"minutes", "", ""}, {"s", "0:", ""},        {"sec", "0:", ""},       {"seconds", "0:", ""}};
    size_t digits = strspn(text, "0123456789"), n = strlen(e->text);
    const char *unit = text + digits + strspn(text + digits, " ");
    for (size_t i = 0; digits && i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(unit, units[i].unit))
            snprintf(e->text + n, sizeof e->text - n, "; did you mean %s%.*s%s?", units[i].before, (int)digits, text,
                     units[i].behind);
}

/* The ways that sbatch(1) lists. */
static Rc check_time(const char *text, Error *e) {
    static const char *const forms[] = {"0", "0:0", "0:0:0", "0-0", "0-0:0", "0-0:0:0"};
    if (!text) return RC_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (has_form(text, forms[i])) return RC_OK;
    if (!strcasecmp(text, "unlimited") || !strcasecmp(text, "infinite")) return RC_OK;
    error_set(e, RC_USAGE,
              "--time: '%.60s' is no limit as Slurm takes it: minutes, minutes:seconds, hours:minutes:seconds, "
              "days-hours, days-hours:minutes or days-hours:minutes:seconds",
              text);
    add_meant(text, e);
    return e->code;
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
    const char *names[OPTIONS_OF_SLURM];
    char name[64], hint[96];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    for (int i = 0; i < OPTIONS_OF_SLURM; i++) names[i] = options_of_slurm[i].name;
    did_you_mean(hint, sizeof hint, n > 2 ? name + 2 : name, names, OPTIONS_OF_SLURM);
    return error_set(e, RC_USAGE, "--sbatch: sbatch has no option '%s'%s", name, hint);
}

static Rc check_word(const char *word, size_t n, bool first, Error *e) {
    char name[64];
    if (word[0] != '-') { /* the value of the option before it */
        if (!first) return RC_OK;
        return error_set(e, RC_USAGE, "--sbatch: '%.*s' is no option of sbatch; write %s%.*s", (int)n, word,
                         n > 1 ? "--" : "-", (int)n, word);
    }
    n = word[1] == '-' ? strcspn(word, "= \t") : n > 1 ? 2 : 1;
    int i = n > 1 ? option_of_slurm(word, n) : -1;
    if (i < 0) return unknown_option(word, n, e);
    if (!options_of_slurm[i].instead) return RC_OK;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    if (options_of_slurm[i].instead[0])
        return error_set(e, RC_USAGE, "--sbatch: %s is what %s of `run` decides", name, options_of_slurm[i].instead);
    return error_set(e, RC_USAGE, "--sbatch: %s is what `run --slurm` decides itself", name);
}

/* Options as one may write them behind #SBATCH: words, with quotes around those that hold blanks. */
static Rc check_options(const char *text, Error *e) {
    bool first = true;
    for (const char *at = text + strspn(text, " \t"); *at; first = false) {
        size_t n = 0;
        for (char quote = 0; at[n] && (quote || !strchr(" \t", at[n])); n++)
            if (quote ? at[n] == quote : at[n] == '"' || at[n] == '\'') quote = quote ? 0 : at[n];
        if (check_word(at, n, first, e)) return e->code;
        at += n;
        at += strspn(at, " \t");
    }
    return first ? error_set(e, RC_USAGE, "--sbatch: an option is needed, such as --mem=8G") : RC_OK;
}

Rc slurm_options(const Session *s, SlurmRequest *request, Error *e) {
    static const OptionKind own[] = {OPTION_nodes, OPTION_array, OPTION_partition,
                                     OPTION_time,  OPTION_gpus,  OPTION_sbatch};
    static const OptionKind against[] = {OPTION_shard, OPTION_task, OPTION_ranks};
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
                              .mores = o->times[OPTION_sbatch]};
    if (!o->times[OPTION_slurm]) return RC_OK;
    if (slurm_plain("--partition", request->partition, " \n", e) || check_time(option(o, OPTION_time, NULL), e))
        return e->code;
    for (int i = 0; i < request->mores; i++)
        if (slurm_plain("--sbatch", request->more[i], "\n", e) || check_options(request->more[i], e)) return e->code;
    return slurm_plain("--results", s->results, "\n\"%", e);
}
