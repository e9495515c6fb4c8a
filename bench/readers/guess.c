#include "bench/readers/guess.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/readers/file.h"

static const char separators[] = "-_/. ,:;=#";

/* Words before a number, in the order in which they are looked for; from RUNS on they count runs, which need not pair.
 */
static const char *const words[] = {"random_seed", "rng_seed", "rngseed", "seed", "sd", "s", "run", "rep", "trial"};
enum { COUNTED = 4 /* digits at most of a run that is counted; a date has more */ };
enum { WORDS = sizeof words / sizeof *words, SEEDS = 4, RUNS = 6 };

/* A part of a name: from the word to the end of the number. */
typedef struct {
    size_t from, digits, to;
} Part;

static bool separates(char c) {
    return !c || strchr(separators, c);
}

/* The part of a word at a place of a name. */
static bool part_at(const char *name, size_t at, const char *word, Part *out) {
    size_t n = strlen(word), digits = at + n, end;
    if (strncasecmp(name + at, word, n) != 0) return false;
    while (name[digits] && strchr("-_/. :=#", name[digits])) digits++;
    end = digits + strspn(name + digits, "0123456789");
    if (end == digits || !separates(name[end])) return false;
    *out = (Part){at, digits, end};
    return true;
}

/* The bytes at a place that are of a shape, 'd' a digit; 0: they are not. */
static size_t shaped(const char *at, const char *shape) {
    size_t n = 0;
    for (; shape[n]; n++)
        if (shape[n] == 'd' ? !isdigit((unsigned char)at[n]) : at[n] != shape[n]) return 0;
    return n;
}

/* The parts of words [first, last) in a name: how many; the last one in *out. */
static int parts(const char *name, int first, int last, Part *out) {
    int count = 0;
    for (size_t at = 0; name[at]; at++) {
        if (at && !separates(name[at - 1])) continue;
        for (int w = first; w < last; w++)
            if (part_at(name, at, words[w], out) && (w < RUNS || out->to - out->digits <= COUNTED)) {
                count++;
                at = out->to - 1;
                break;
            }
    }
    return count;
}

/* The bytes of a date at a place, with a time and the separator behind it: 2024-05-01_10-00-00_, 20240501-100000/. */
static size_t date_at(const char *at) {
    static const char *const dates[] = {"dddd-dd-dd", "dddddddd"}, *const times[] = {"dd-dd-dd", "dd.dd.dd", "dd:dd:dd",
                                                                                     "dddddd"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof dates / sizeof *dates && !n; i++) n = shaped(at, dates[i]);
    if (!n || (strncmp(at, "20", 2) != 0 && strncmp(at, "19", 2) != 0)) return 0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        size_t more = at[n] && strchr("-_/ T", at[n]) ? shaped(at + n + 1, times[i]) : 0;
        if (more) return n + 1 + more;
    }
    return n;
}

/* A name without dates, which tell runs apart and no arms. */
static void without_dates(const char *name, char *out, size_t size) {
    size_t length = 0;
    for (size_t at = 0; name[at] && length + 1 < size;) {
        size_t n = !at || separates(name[at - 1]) ? date_at(name + at) : 0;
        if (n && separates(name[at + n])) {
            at += n + (name[at + n] != 0);
            continue;
        }
        out[length++] = name[at++];
    }
    out[length] = 0;
}

bool guess_dated(const char *name) {
    char out[1200];
    without_dates(name, out, sizeof out);
    return strlen(out) < strlen(name) && strlen(name) < sizeof out;
}

bool guess_about_run(const char *key) {
    static const char *const parts[] = {"summary", "best",    "last",  "final", "seed",    "path", "dir",
                                        "time",    "name",    "date",  "host",  "version", "run",  "id",
                                        "device",  "created", "notes", "tags",  "sweep",   "user"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(key, parts[i])) return true;
    return false;
}

bool guess_rising(const char *metric) {
    static const char *const ends[] = {"acc",       "accuracy", "f1",       "bleu",        "auroc", "auc",     "recall",
                                       "precision", "reward",   "rew_mean", "r2",          "top1",  "top5",    "top-1",
                                       "map",       "iou",      "score",    "exact_match", "em",    "acc_norm"};
    size_t n = strcspn(metric, ",");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t m = strlen(ends[i]);
        if (m <= n && !strncasecmp(metric + n - m, ends[i], m) && (n == m || strchr("/. _-", metric[n - m - 1])))
            return true;
    }
    return false;
}

/* The bytes at a place that are of the first shape that fits. */
static size_t shaped_as(const char *at, const char *const *shapes, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count && !n; i++) n = shaped(at, shapes[i]);
    return n;
}

bool guess_is_time(const char *text) {
    static const char *const dates[] = {"20dd-dd-dd", "20dd/dd/dd", "20dd.dd.dd", "20dddddd",
                                        "dd/dd/20dd", "dd.dd.20dd", "dd-dd-20dd"};
    static const char *const times[] = {"dd:dd:dd", "d:dd:dd", "dd-dd-dd", "dd.dd.dd", "dddddd", "dd:dd"};
    enum { DATES = sizeof dates / sizeof *dates, TIMES = sizeof times / sizeof *times, ALONE = 2 };
    const char *at = text + shaped_as(text, dates, DATES);
    bool date = at > text;
    if (date && *at && !strchr(" T_-", *at)) return false;
    if (date && *at) at++;
    size_t n = shaped_as(at, times, date ? TIMES : ALONE);
    at += n;
    if (n && (*at == '.' || *at == ',')) at += 1 + strspn(at + 1, "0123456789");
    if (n) at += strspn(at, "Z UTC+-:0123456789"); /* a zone */
    return (n || date) && !*at;
}

bool guess_name(const char *whole, Guess *out) {
    char name[GUESS_TEXT];
    static const int upto[] = {0, SEEDS, RUNS, WORDS};
    Part part = {0, 0, 0};
    if (strlen(whole) >= GUESS_TEXT) return false;
    without_dates(whole, name, sizeof name);
    size_t length = strlen(name);
    for (int k = 1; k < 4; k++) {
        int count = parts(name, upto[k - 1], upto[k], &part);
        if (count > 1) return false;
        if (!count) continue;
        size_t left = part.from, right = part.to;
        while (left && separates(name[left - 1])) left--;
        while (right < length && separates(name[right])) right++;
        while (right < length && separates(name[length - 1])) length--;
        size_t begin = strspn(name, separators);
        if (begin > left) begin = left;
        const char *between = left > begin && right < length ? (char[]){name[part.from - 1], 0} : "";
        snprintf(out->arm, sizeof out->arm, "%.*s%s%.*s", (int)(left - begin), name + begin, between,
                 (int)(length - right), name + right);
        while (part.digits + 1 < part.to && name[part.digits] == '0') part.digits++;
        snprintf(out->seed, sizeof out->seed, "%.*s", (int)(part.to - part.digits), name + part.digits);
        out->pairs = k < 3;
        return out->arm[0] != 0;
    }
    return false;
}

/* Whether a path has a component, behind the folders that all share. */
static bool has_component(const Log *log, const char *text, size_t n) {
    for (const char *at = log->path + log->shared; *at; at += strcspn(at, "/"), at += *at == '/')
        if (strcspn(at, "/") == n && !strncmp(at, text, n)) return true;
    return false;
}

/* Whether the paths of all runs that were read alike have a component. */
static bool in_all(const Pick *p, const Log *log, const char *text, size_t n) {
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].log->fault && p->run[i].log->reader == log->reader && !has_component(p->run[i].log, text, n))
            return false;
    return true;
}

/* A file's name that says nothing of its run: an event file's, a checkpoint's folder, results with a date. */
static bool says_nothing(const char *text, size_t n) {
    char part[GUESS_TEXT];
    snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part - 1 ? n : sizeof part - 1), text);
    return strstr(part, "tfevents") || !strncmp(part, "checkpoint-", 11) || !strncmp(part, "results_20", 10);
}

/* The run's own name, or the components of its path that tell it from others, without the file's ending. */
static void name_of(const Pick *p, const Log *log, char *out, size_t size) {
    size_t length = 0;
    Guess known;
    snprintf(out, size, "%s", log->name);
    if (log->name[0] && (!log->invented || guess_name(log->name, &known))) return;
    for (const char *at = log->path + log->shared; *at; at += *at == '/') {
        size_t n = strcspn(at, "/");
        bool file = !at[n];
        if (!in_all(p, log, at, n) && !says_nothing(at, n) && length + n + 2 < size) {
            length += (size_t)snprintf(out + length, size - length, "%s%.*s", length ? "/" : "",
                                       file ? (int)log_stem(at) : (int)n, at);
        }
        at += n;
    }
}

bool guess_names(Pick *p) {
    OWNED Guess *guess = mem_alloc((size_t)p->runs + 1, sizeof *guess);
    char name[1200], first[1200] = "";
    int one = -1;
    bool all = true, several = false, pairs = true;
    for (int i = 0; i < p->runs && all; i++) {
        bool used = !p->run[i].log->fault;
        name_of(p, p->run[i].log, name, sizeof name);
        all = guess_name(name, &guess[i]) || !used;
        if (!used || !all) continue;
        if (one < 0) one = i, snprintf(first, sizeof first, "%s", name);
        several |= strcmp(guess[one].arm, guess[i].arm) != 0;
        pairs &= guess[i].pairs;
    }
    for (int i = 0; i < p->runs && all && several; i++) {
        if (!guess[i].arm[0]) continue;
        free(p->run[i].arm);
        p->run[i].arm = mem_text(guess[i].arm);
        if (!pairs) continue;
        free(p->run[i].seed);
        p->run[i].seed = mem_text(guess[i].seed);
    }
    if (all && several)
        pick_remark(p, "From the names: '%.200s' is arm '%.100s', %s %s%s.", first, guess[one].arm,
                    pairs ? "seed" : "run", guess[one].seed,
                    pairs ? "" : "; runs that are only counted are no pairs, and --name with {seed} would make them");
    return all && several;
}

/* Whether a name ends in a number behind a separator. */
static bool ends_in_number(const char *name) {
    size_t n = strlen(name);
    while (n && isdigit((unsigned char)name[n - 1])) n--;
    return name[n] && n && separates(name[n - 1]);
}

/* Whether a setting of the first run is a choice that another run made otherwise. */
static bool differs(const Pick *p, const LogSetting *setting) {
    if (!strstr(setting->key, "seed") && guess_about_run(setting->key)) return false;
    for (int i = 1; i < p->runs; i++) {
        const char *other = log_setting_of(p->run[i].log, setting->key);
        if (other && strcmp(other, setting->value) != 0) return true;
    }
    return false;
}

void guess_hint(const Pick *p, Text *out) {
    bool numbers = p->runs > 0, versions = numbers;
    char name[1200], own[1200] = "", between = '_';
    for (int i = 0; i < p->runs; i++) {
        name_of(p, p->run[i].log, name, sizeof name);
        if (!i) snprintf(own, sizeof own, "%s", name);
        numbers &= ends_in_number(name);
        const char *version = strstr(name, "version_");
        numbers &= !version;
        versions &= version > name && version[-1] == '/';
    }
    size_t n = strlen(own);
    while (numbers && n && isdigit((unsigned char)own[n - 1])) n--;
    if (numbers) between = own[n - 1];
    char pattern[40] = "{arm}/version_*"; /* which Lightning counts, whatever the run */
    if (!versions) snprintf(pattern, sizeof pattern, "{arm}%c%s{seed}", between, numbers ? "" : "s");
    text_format(out, "--name '%s' as a pattern of '%.300s', --column arm=KEY of its settings", pattern,
                log_called(name, sizeof name, p->run[0].log));
    int said = 0;
    const Log *log = p->run[0].log;
    for (int k = 0; k < log->settings && said < 4; k++)
        if (differs(p, &log->setting[k]))
            text_format(out, "%s%.60s", said++ ? ", " : " (these differ: ", log->setting[k].key);
    text_format(out, "%s, or --arm NAME='PATTERN'; --list shows the runs", said ? ")" : "");
}
