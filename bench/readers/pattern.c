#include "bench/readers/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bench/readers/file.h"

static const char *const words[PATTERN_CAPTURES] = {"seed", "pair", "arm", "corpus", "metric"};

enum { WORK_MAX = 100000 };

typedef struct {
    Captured *out;
    int work;
} Match;

/* The capture that stands at a '{'; -1: {} or a choice. */
static int capture_at(const char *p) {
    size_t n = strcspn(p, "}");
    for (int i = 0; i < PATTERN_CAPTURES; i++)
        if (n == strlen(words[i]) + 1 && !strncmp(p + 1, words[i], n - 1)) return i;
    return -1;
}

Rc pattern_check(const char *what, const char *pattern, Error *e) {
    for (const char *p = pattern; *p; p++) {
        if (*p != '{') continue;
        size_t n = strcspn(p, "}");
        if (!p[n]) return error_set(e, RC_USAGE, "%s: '%.200s': a brace does not end", what, pattern);
        char word[80], hint[160];
        snprintf(word, sizeof word, "%.*s", (int)n - 1, p + 1);
        if (n > 1 && capture_at(p) < 0 && !strchr(word, ','))
            return error_set(e, RC_USAGE,
                             "%s: '%.200s': '{%.60s}' is none of {seed}, {pair}, {arm}, {corpus}, {metric}, {}%s", what,
                             pattern, word, did_you_mean(hint, sizeof hint, word, words, PATTERN_CAPTURES));
        p += n;
    }
    return RC_OK;
}

bool pattern_has(const char *pattern, PatternCapture capture) {
    for (const char *p = strchr(pattern, '{'); p; p = strchr(p + 1, '{'))
        if (capture_at(p) == (int)capture) return true;
    return false;
}

static bool match(Match *m, const char *p, const char *s);

/* Any text of at least `least` bytes, the shortest first. */
static bool any(Match *m, const char *rest, const char *s, size_t least, bool slashes) {
    for (size_t n = 0;; n++) {
        if (n >= least && match(m, rest, s + n)) return true;
        if (!s[n] || (s[n] == '/' && !slashes)) return false;
    }
}

static bool take(Match *m, int capture, const char *rest, const char *s, size_t n) {
    char *to = m->out->text[capture];
    size_t before = strlen(to);
    if (before + n + 2 > PATTERN_TEXT) return false;
    snprintf(to + before, PATTERN_TEXT - before, "%s%.*s", before ? "." : "", (int)n, s);
    if (match(m, rest, s + n)) return true;
    to[before] = 0;
    return false;
}

static bool captured(Match *m, int capture, const char *rest, const char *s) {
    size_t n = 0;
    if (capture == PATTERN_seed) {
        while (isdigit((unsigned char)s[n])) n++;
        return n && take(m, capture, rest, s, n);
    }
    for (n = 1; s[n - 1] && s[n - 1] != '/'; n++)
        if (take(m, capture, rest, s, n)) return true;
    return false;
}

/* {a,b} */
static bool choice(Match *m, const char *p, const char *s) {
    const char *end = strchr(p, '}');
    for (const char *word = p + 1; word <= end; word += strcspn(word, ",}") + 1) {
        size_t n = strcspn(word, ",}");
        if (!strncmp(word, s, n) && match(m, end + 1, s + n)) return true;
    }
    return false;
}

static bool match(Match *m, const char *p, const char *s) {
    if (++m->work > WORK_MAX) return false;
    for (; *p && *p != '*' && *p != '{' && *p != '?'; p++, s++)
        if (*p != *s) return false;
    if (!*p) return !*s;
    if (*p == '?') return *s && *s != '/' && match(m, p + 1, s + 1);
    if (*p == '*') return any(m, p + (p[1] == '*' ? 2 : 1), s, 0, p[1] == '*');
    if (p[1] == '}') return any(m, p + 2, s, 0, false);
    int capture = capture_at(p);
    return capture < 0 ? choice(m, p, s) : captured(m, capture, strchr(p, '}') + 1, s);
}

bool pattern_fits(const char *pattern, const char *text, Captured *out) {
    Captured found = {0};
    Match m = {.out = &found};
    if (!match(&m, pattern, text)) return false;
    *out = found;
    return true;
}

static bool from_any_slash(const char *pattern, const char *path, Captured *out) {
    if (pattern_fits(pattern, path, out)) return true;
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
        if (pattern_fits(pattern, at + 1, out)) return true;
    return false;
}

bool pattern_fits_path(const char *pattern, const char *path, Captured *out) {
    char part[4100];
    if (from_any_slash(pattern, path, out)) return true;
    snprintf(part, sizeof part, "%s", path);
    char *slash = strrchr(part, '/'), *file = slash ? slash + 1 : part;
    if (file[log_stem(file)]) {
        size_t n = strlen(file);
        if (n > 3 && !strcmp(file + n - 3, ".gz")) file[n - 3] = 0;
        if (from_any_slash(pattern, part, out)) return true;
        file[log_stem(file)] = 0;
        if (from_any_slash(pattern, part, out)) return true;
    }
    if (!slash) return false;
    *slash = 0;
    return from_any_slash(pattern, part, out);
}
