#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/utf8.h"

const ExitCode exit_codes[] = {
#define RC(name, number, what) {#name, what, number},
#include "base/exit_codes.def"
#undef RC
};
const int exit_code_count = sizeof exit_codes / sizeof *exit_codes;

/* Make the text one line that is safe on a terminal: bytes from files and users may be control sequences. */
static void one_line(char *text) {
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        uint32_t code;
        n = utf8_next((const uint8_t *)text, left, &code);
        bool shown = n && code >= ' ' && (code < 0x7f || code >= 0xa0);
        if (!n) n = 1;
        if (!shown) memset(text, '?', n);
    }
}

Rc error_set(Error *e, Rc code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    one_line(e->text);
    e->code = code;
    return code;
}

Rc error_prefix(Error *e, const char *format, ...) {
    char before[sizeof e->text], after[sizeof e->text];
    va_list args;
    va_start(args, format);
    vsnprintf(before, sizeof before, format, args);
    va_end(args);
    memcpy(after, e->text, sizeof after);
    size_t at = strlen(before), room = sizeof e->text - 1 - at, length = strlen(after);
    memcpy(e->text, before, at);
    if (length > room) length = room;
    memcpy(e->text + at, after, length);
    e->text[at + length] = 0;
    one_line(e->text);
    return e->code;
}

Rc error_add(Error *e, const char *format, ...) {
    size_t n = strlen(e->text);
    va_list args;
    va_start(args, format);
    vsnprintf(e->text + n, sizeof e->text - n, format, args);
    va_end(args);
    one_line(e->text + n);
    return e->code;
}

Rc error_valid(Error *e, const char *valid) {
    size_t n = strlen(e->text);
    return error_add(e, "%s valid: %s", n && e->text[n - 1] == '?' ? "" : ";", valid);
}

/* Return true if the words are alike but for two neighbouring letters that changed places. */
static bool swapped(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return a[0] && a[1] && a[0] == b[1] && a[1] == b[0] && !strcmp(a + 2, b + 2);
}

/* Compute the Levenshtein distance with one row of the dynamic program; words too long for that row count as far. */
static size_t edit_distance(const char *a, const char *b) {
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1], n = strlen(b);
    if (n > LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = corner + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

static const struct {
    const char *ours, *note, *theirs;
} foreign_names[] = {
#define FOREIGN(ours, kind, note, theirs) {ours, note, theirs},
#include "base/foreign_names.def"
#undef FOREIGN
};
enum { FOREIGN_NAMES = sizeof foreign_names / sizeof *foreign_names };

/* Return true if two names are equal but for capitals and separators. */
static bool same_name(const char *a, const char *b) {
    static const char between[] = "_-./ ";
    bool any = false;
    for (;; a++, b++, any = true) {
        a += strspn(a, between), b += strspn(b, between);
        if (!*a || !*b || strncasecmp(a, b, 1)) return any && !*a && !*b;
    }
}

/* Return true if a row's words, "n_layer (nanoGPT); n_layers", have this one. */
static bool is_theirs(const char *word, const char *theirs) {
    char one[64];
    for (; *theirs; theirs += strcspn(theirs, ";"), theirs += strspn(theirs, "; ")) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(theirs, "; "), theirs);
        if (same_name(word, one)) return true;
    }
    return false;
}

const char *foreign_name(const char *word, const char *const *names, size_t count, const char **note) {
    for (int i = 0; i < FOREIGN_NAMES; i++) {
        if (!is_theirs(word, foreign_names[i].theirs)) continue;
        for (size_t k = 0; k < count; k++)
            if (!strcmp(names[k], foreign_names[i].ours)) return *note = foreign_names[i].note, names[k];
    }
    return NULL;
}

/* Return the name that equals the word but for capitals and separators, or that others call so. */
static const char *known_name(const char *word, const char *const *names, size_t count, const char **note) {
    for (size_t i = 0; i < count; i++)
        if (same_name(word, names[i])) return names[i];
    return foreign_name(word, names, count, note);
}

/* Return what stands behind a word's first part that says where it belongs: "steps" of "training.steps", "max_steps"
 * and "train_steps"; NULL: no part does. */
static const char *less_specific(const char *word) {
    static const char *const parts[] = {"use", "train", "training", "model", "num", "n", "max"};
    const char *dot = strchr(word, '.');
    if (dot) return dot + 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = strlen(parts[i]);
        if (!strncasecmp(word, parts[i], n) && (word[n] == '_' || word[n] == '-')) return word + n + 1;
    }
    return NULL;
}

/* Return the name that is known, also without first parts of the word, or of the smallest edit distance; *note: a
 * remark on it, or "". */
static const char *suggestion(const char *word, const char *const *names, size_t count, const char **note) {
    const char *best = NULL;
    *note = "";
    for (const char *at = word; at && !best; at = less_specific(at)) best = known_name(at, names, count, note);
    if (best) return best;
    size_t n = strlen(word), far = (n + 2) / 3 + 1, least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        /* A prefix of the word, a name that begins with it and two letters that changed places are as near as one typo;
         * of two equally near names take the one of the nearer length. */
        size_t m = strlen(names[i]), common = n < m ? n : m, d = edit_distance(word, names[i]);
        if (d > 1 && ((common >= 2 && !strncmp(word, names[i], common)) || swapped(word, names[i]))) d = 1;
        size_t rank = d >= far ? SIZE_MAX : d * 256 + (n < m ? m - n : n - m);
        if (rank < least) {
            least = rank;
            best = names[i];
        }
    }
    return best;
}

const char *nearest_name(const char *word, const char *const *names, size_t count) {
    const char *note;
    return suggestion(word, names, count, &note);
}

const char *did_you_mean(char *out, size_t size, const char *word, const char *const *names, size_t count) {
    const char *note, *near = suggestion(word, names, count, &note);
    out[0] = 0;
    int n = near ? snprintf(out, size, "; did you mean '%s'?", near) : 0;
    if (near && *note && (size_t)n + strlen(note) + 4 <= size) snprintf(out + n, size - (size_t)n, " (%s)", note);
    return out;
}

void mem_end(size_t bytes) {
    if (bytes)
        fprintf(stderr, "normbench: out of memory (%zu bytes asked for)\n", bytes);
    else
        fputs("normbench: out of memory\n", stderr);
    _exit(RC_UNMEASURED); /* exit handlers of libraries need memory too */
}

static void *or_die(void *p, size_t bytes) {
    if (!p) mem_end(bytes);
    return p;
}

void *mem_alloc(size_t count, size_t size) {
    if (!count) count = 1;
    return or_die(calloc(count, size), count * size);
}

void *mem_grow(void *old, size_t count, size_t size) {
    if (!count) count = 1;
    if (count > SIZE_MAX / size) return or_die(NULL, SIZE_MAX);
    return or_die(realloc(old, count * size), count * size);
}

void mem_release(void *pointer) {
    free(*(void **)pointer);
}

char *mem_text(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(n, 1), text, n);
}
