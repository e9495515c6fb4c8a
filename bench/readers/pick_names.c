/* Arm, seed and corpus of runs: by a pattern over their names, by hand, by settings, or by what names usually look
 * like. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/readers/guess.h"
#include "bench/readers/pattern.h"
#include "bench/readers/pick.h"
#include "bench/readers/readers.h"

static void set(char **label, const char *text) {
    if (!text[0]) return;
    free(*label);
    *label = mem_text(text);
}

/* Seeds are equal as numbers: "01" and "1.0" are 1. */
static void set_seed(PickedRun *run, const char *text) {
    size_t n = strlen(text), digits = strspn(text, "0123456789");
    if (digits + 2 == n && digits && !strcmp(text + digits, ".0")) n = digits;
    while (digits == n && n > 1 && *text == '0') text++, n--, digits--;
    char seed[PATTERN_TEXT];
    snprintf(seed, sizeof seed, "%.*s", (int)n, text);
    set(&run->seed, seed);
}

static void take(PickedRun *run, const Captured *c) {
    set(&run->arm, c->text[PATTERN_arm]);
    if (c->text[PATTERN_seed][0] && !strchr(c->text[PATTERN_seed], '.'))
        set_seed(run, c->text[PATTERN_seed]);
    else
        set(&run->seed, c->text[PATTERN_seed][0] ? c->text[PATTERN_seed] : c->text[PATTERN_pair]);
    set(&run->corpus, c->text[PATTERN_corpus]);
}

/* The run's own name, or its file's path; a pattern that was told takes the path before a name that was made up. */
static bool named(const char *pattern, bool told, const Log *log, Captured *c) {
    if (told && log->invented && pattern_fits_path(pattern, log->path, c)) return true;
    return (log->name[0] && pattern_fits(pattern, log->name, c)) || pattern_fits_path(pattern, log->path, c);
}

static Rc by_pattern(Pick *p, const PickQuery *q, Error *e) {
    Captured c;
    if (pattern_check("--name", q->name, e)) return e->code;
    const char *step = strstr(q->name, "checkpoint-{seed}");
    if (step || strstr(q->name, "step{seed}") || strstr(q->name, "epoch{seed}"))
        return error_set(e, RC_USAGE, "--name: '%.200s': steps are no seeds", q->name);
    int fits = 0;
    for (int i = 0; i < p->runs; i++)
        if (named(q->name, true, p->run[i].log, &c)) {
            fits++;
            take(&p->run[i], &c);
        } else
            pick_leave(&p->run[i], "its name does not fit --name %.200s", q->name);
    char first[900];
    if (fits || !p->runs) return RC_OK;
    return error_set(e, RC_USAGE, "--name: '%.200s' fits none of %d runs; the first is '%.500s'", q->name, p->runs,
                     log_called(first, sizeof first, p->run[0].log));
}

/* Runs in the order in which their arms were named, so that the first is the baseline; others behind them. */
static void order_by_hand(Pick *p, const PickQuery *q) {
    OWNED PickedRun *sorted = mem_alloc((size_t)p->runs + 1, sizeof *sorted);
    int count = 0;
    for (int a = 0; a <= q->arms; a++) {
        const char *name = a < q->arms ? q->arm[a] : "";
        size_t n = strcspn(name, "=");
        bool again = false;
        for (int b = 0; b < a; b++) again |= strcspn(q->arm[b], "=") == n && !strncmp(q->arm[b], name, n);
        for (int i = 0; i < p->runs && !again; i++)
            if (strlen(p->run[i].arm) == n && !strncmp(p->run[i].arm, name, n)) sorted[count++] = p->run[i];
    }
    memcpy(p->run, sorted, (size_t)p->runs * sizeof *sorted);
}

/* NAME=PATTERN; the first that fits a run names its arm. */
static Rc by_hand(Pick *p, const PickQuery *q, Error *e) {
    for (int a = 0; a < q->arms; a++) {
        char arm[200];
        const char *sign = strchr(q->arm[a], '=');
        int fits = 0;
        if (!sign || sign == q->arm[a] || !sign[1])
            return error_set(e, RC_USAGE, "--arm: '%.100s' is not NAME=PATTERN, such as post='logs/version_{3,7}/*'",
                             q->arm[a]);
        snprintf(arm, sizeof arm, "%.*s", (int)(sign - q->arm[a]), q->arm[a]);
        if (pattern_check("--arm", sign + 1, e)) return e->code;
        for (int i = 0; i < p->runs; i++) {
            Captured c;
            if (p->run[i].arm[0] || !named(sign + 1, true, p->run[i].log, &c)) continue;
            take(&p->run[i], &c);
            set(&p->run[i].arm, arm);
            fits++;
        }
        if (!fits)
            return error_set(e, RC_USAGE, "--arm: '%.200s' fits none of the runs that no --arm before it fits",
                             sign + 1);
    }
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].arm[0]) pick_leave(&p->run[i], "no --arm fits it");
    order_by_hand(p, q);
    return RC_OK;
}

static Rc no_key(const Pick *p, const char *option, const char *key, Error *e) {
    const char *names[200] = {NULL};
    char hint[160];
    size_t count = 0;
    for (int i = 0; i < p->runs && !count; i++)
        for (int k = 0; k < p->run[i].log->settings && count < 200; k++) names[count++] = p->run[i].log->setting[k].key;
    error_set(e, RC_USAGE, "%s: no run has a setting or column '%.80s'%s", option, key,
              did_you_mean(hint, sizeof hint, key, names, count));
    LOCAL_TEXT(all);
    for (size_t i = 0; i < count && all.length < 500; i++) text_format(&all, "%s%.60s", i ? ", " : "", names[i]);
    if (count) error_valid(e, all.at);
    return e->code;
}

static Rc by_keys(Pick *p, const PickQuery *q, Error *e) {
    int arms = 0, seeds = 0;
    if (q->seed_key && log_is_step(q->seed_key))
        return error_set(e, RC_USAGE, "--column seed: '%.60s' counts steps, which are no seeds", q->seed_key);
    for (int i = 0; i < p->runs; i++) {
        PickedRun *run = &p->run[i];
        const char *arm = q->arm_key ? log_setting_of(run->log, q->arm_key) : NULL;
        const char *seed = q->seed_key ? log_setting_of(run->log, q->seed_key) : NULL;
        arms += arm != NULL, seeds += seed != NULL;
        if (q->arm_key) set(&run->arm, arm && arm[0] ? arm : "(none)");
        if (seed) set_seed(run, seed);
        if (q->seed_key && !seed) pick_leave(run, "it has no %.80s", q->seed_key);
    }
    if (q->arm_key && !arms) return no_key(p, "--column arm", q->arm_key, e);
    if (q->seed_key && !seeds) return no_key(p, "--column seed", q->seed_key, e);
    return RC_OK;
}

/* How people mostly name runs; a pattern is used where it fits all of them and finds two arms. */
static const char *const usual[] = {"{arm}_seed{seed}", "{arm}-seed{seed}", "{arm}/seed{seed}/*", "{arm}/seed_{seed}/*",
                                    "{arm}_s{seed}",    "{arm}-s{seed}",    "s{seed}_{arm}",      "seed{seed}_{arm}",
                                    "{arm}_sd{seed}",   "{arm}/s{seed}/*",  "{arm}/{seed}/*"};

static bool all_fit(const Pick *p, const char *pattern) {
    Captured first, c;
    int runs = 0;
    bool several = false;
    for (int i = 0; i < p->runs; i++) {
        if (p->run[i].log->fault) continue;
        if (!named(pattern, false, p->run[i].log, &c) || guess_dated(c.text[PATTERN_arm])) return false;
        if (strstr(pattern, "/{seed}") && guess_dated(c.text[PATTERN_seed])) return false; /* a folder 20240501 */
        if (!runs++) first = c;
        several |= strcmp(first.text[PATTERN_arm], c.text[PATTERN_arm]) != 0;
    }
    return several;
}

static bool by_usual_names(Pick *p) {
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!all_fit(p, usual[i])) continue;
        for (int k = 0; k < p->runs; k++) {
            Captured c;
            if (named(usual[i], false, p->run[k].log, &c)) take(&p->run[k], &c);
        }
        pick_remark(p, "Arm and seed as --name '%s' reads the names.", usual[i]);
        return true;
    }
    return false;
}

/* The setting seed, which others begin with a capital; NULL: it has none. */
static const char *seed_of(const Log *log) {
    static const char *const names[] = {"seed", "Seed", "SEED"};
    const char *seed = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !seed; i++) seed = log_setting_of(log, names[i]);
    return seed;
}

/* A table whose rows have a name that repeats, and a seed. */
static bool by_table(Pick *p) {
    int repeats = 0, runs = 0;
    for (int i = 0; i < p->runs; i++) {
        const Log *log = p->run[i].log;
        if (log->fault) continue;
        if (!log->name[0] || log->invented || !seed_of(log)) return false;
        for (int k = 0; k < i; k++)
            if (!strcmp(p->run[k].log->name, log->name)) {
                repeats++;
                break;
            }
        runs++;
    }
    if (!repeats || 2 * repeats < runs) return false;
    for (int i = 0; i < p->runs; i++) {
        const char *seed = seed_of(p->run[i].log);
        set(&p->run[i].arm, p->run[i].log->name);
        if (seed) set_seed(&p->run[i], seed);
    }
    pick_remark(p, "Arm is the run's name, seed its column seed.");
    return true;
}

/* How many pairs of runs of unlike arms have one value of the setting seed; twice out: a run whose arm has its value
 * once more, or -1. -1: a run has a seed already, or no such setting. */
static int pairs_by_setting(const Pick *p, int *twice) {
    int pairs = 0;
    *twice = -1;
    for (int i = 0; i < p->runs; i++) {
        const PickedRun *a = &p->run[i];
        const char *seed = seed_of(a->log);
        if (a->why) continue;
        if (a->seed[0] || !seed) return -1;
        for (int k = 0; k < i; k++) {
            const PickedRun *b = &p->run[k];
            if (b->why || strcmp(seed_of(b->log), seed) != 0 || strcmp(a->corpus, b->corpus) != 0) continue;
            pairs += strcmp(a->arm, b->arm) != 0;
            if (!strcmp(a->arm, b->arm)) *twice = i;
        }
    }
    return pairs;
}

/* The column of words that differs between two rows; NULL: there is none. */
static const char *words_between(const Log *a, const Log *b) {
    double x;
    for (int i = 0; i < a->settings; i++) {
        const LogSetting *s = &a->setting[i];
        const char *other = log_setting_of(b, s->key);
        bool word = !log_number(s->value, &x) && !log_absent(s->value) && !log_is_clock(s->key);
        if (word && other && strcmp(s->value, other) != 0) return s->key;
    }
    return NULL;
}

/* Whether two rows of an arm are of one run: by seed, or without seeds by names that are of runs, not the arm's. */
static bool one_run(const char *arm, const Log *a, const char *x, const Log *b, const char *y) {
    if (x && y && strcmp(x, y) != 0) return false;
    bool named = a->name[0] && b->name[0] && !a->invented && !b->invented && strcmp(a->name, arm) != 0;
    if (named && strcmp(a->name, b->name) != 0) return false;
    return (x && y) || (named && !x && !y && !words_between(a, b));
}

/* RC_USAGE: a run's row and another of it count unlike steps: evaluations of one run. apart: files are of unlike runs,
 * and so they are where their names give the seed. */
static Rc check_row(const Pick *p, int at, const char *const *seeds, bool apart, Error *e) {
    double step, other;
    const PickedRun *run = &p->run[at], *unlike = NULL;
    const char *words = NULL, *seed = seeds[at];
    bool again = false; /* another row has the run's step */
    if (run->why || run->log->curve || !log_step_of(run->log, &step)) return RC_OK;
    apart |= run->seed[0] != 0;
    for (int i = 0; i < p->runs; i++) {
        const PickedRun *to = &p->run[i];
        if (to == run || to->why || to->log->curve || strcmp(to->arm, run->arm) || strcmp(to->corpus, run->corpus))
            continue;
        if (apart && strcmp(run->log->path, to->log->path) != 0) continue;
        if (!one_run(run->arm, run->log, seed, to->log, seeds[i]) || !log_step_of(to->log, &other)) continue;
        again |= other == step;
        if (other == step) continue;
        if (!unlike) unlike = to;
        if (!words) words = words_between(run->log, to->log);
    }
    if (!unlike) return RC_OK;
    log_step_of(unlike->log, &other);
    error_set(e, RC_USAGE, "%s %.60s of arm '%.80s' is there at steps %s and %s, and ", seed ? "seed" : "run",
              seed ? seed : run->log->name, run->arm, FORMAT_REAL(other), FORMAT_REAL(step));
    if (words)
        return error_add(
            e, "column '%.80s', of words, differs between these rows: drop it, or choose a step by --where", words);
    if (again)
        return error_add(e, "twice at step %s: --where KEY=VALUE says which rows are of one run", FORMAT_REAL(step));
    return error_add(e, "these rows make no curve: choose a step by --where");
}

static Rc check_rows(const Pick *p, bool apart, Error *e) {
    OWNED const char **seed = mem_alloc((size_t)p->runs + 1, sizeof *seed);
    for (int i = 0; i < p->runs; i++) seed[i] = p->run[i].seed[0] ? p->run[i].seed : seed_of(p->run[i].log);
    for (int i = p->runs; i-- > 0;)
        if (check_row(p, i, seed, apart, e)) return e->code;
    return RC_OK;
}

/* Takes the setting seed of runs whose arms alone were told, where two pairs or more share its values. */
static void by_setting_seed(Pick *p) {
    int twice, pairs = pairs_by_setting(p, &twice);
    if (twice >= 0)
        pick_remark(p,
                    "Careful: seed %.60s of arm %.80s is there twice, so column seed makes no pairs; --where KEY=VALUE "
                    "chooses among such runs.",
                    seed_of(p->run[twice].log), p->run[twice].arm);
    if (twice >= 0 || pairs < 2) return;
    for (int i = 0; i < p->runs; i++) {
        const char *seed = seed_of(p->run[i].log);
        if (seed) set_seed(&p->run[i], seed);
    }
    pick_remark(p, "Pairs are made by the setting seed; --unpaired makes none.");
}

/* A table whose rows have a column arm, as `runs --format csv` prints. */
static bool by_setting_arm(Pick *p) {
    bool any = false;
    for (int i = 0; i < p->runs; i++) {
        const Log *log = p->run[i].log;
        if (!log->fault && !log_setting_of(log, "arm")) return false;
        any |= !log->fault;
    }
    if (!any) return false;
    for (int i = 0; i < p->runs; i++) {
        const char *arm = log_setting_of(p->run[i].log, "arm");
        if (arm) set(&p->run[i].arm, arm[0] ? arm : "(none)");
    }
    pick_remark(p, "Arm is column arm.");
    return true;
}

static Rc unknown(const Pick *p, Error *e) {
    LOCAL_TEXT(hint);
    guess_hint(p, &hint);
    error_set(e, RC_USAGE, "nothing says which arm a run is of: %s", hint.at);
    return e->code;
}

Rc pick_names(Pick *p, const PickQuery *q, Error *e) {
    bool told = q->name || q->arms || q->arm_key;
    if (q->name && by_pattern(p, q, e)) return e->code;
    if (q->arms && by_hand(p, q, e)) return e->code;
    if ((q->arm_key || q->seed_key) && by_keys(p, q, e)) return e->code;
    bool known = told && (q->arms || q->arm_key || pattern_has(q->name, PATTERN_arm));
    if (!told && p->runs) known = by_usual_names(p) || by_table(p) || by_setting_arm(p) || guess_names(p);
    if (known && !q->seed_key && !q->list && check_rows(p, q->unpaired, e)) return e->code;
    if (known && !q->seed_key && !q->unpaired) by_setting_seed(p);
    return known || q->list || !p->runs ? RC_OK : unknown(p, e);
}
