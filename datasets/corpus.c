#include "datasets/corpus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "datasets/fetch.h"
#include "datasets/keep.h"

enum { DOWNLOAD_SLACK = 1 << 16 }; /* bytes above the pinned length, so that a wrong answer can be described */

const char *place_name(Place place) {
    static const char *const NAMES[PLACE_COUNT] = {"--data", "$NORMBENCH_DATA", "cache", "mirror"};
    return NAMES[place];
}

static const char *place_folder(const DataPlaces *places, Place place) {
    switch (place) {
    case PLACE_DATA: return places->data;
    case PLACE_ENVIRONMENT: return places->environment;
    case PLACE_CACHE: return places->cache;
    case PLACE_MIRROR: return places->root;
    case PLACE_COUNT: break;
    }
    return NULL;
}

bool place_path(const DataPlaces *places, Place place, const char *file, Text *path) {
    const char *folder = place_folder(places, place);
    text_clear(path);
    if (!folder || !*folder) return false;
    text_format(path, "%s%s/%s", folder, place == PLACE_MIRROR ? "/../shared/datasets" : "", file);
    return true;
}

static void corpus_init(CorpusBytes *c) {
    *c = (CorpusBytes){0};
    text_init(&c->from);
    text_init(&c->note);
}

void corpus_release(CorpusBytes *c) {
    free(c->bytes);
    text_release(&c->from);
    text_release(&c->note);
    *c = (CorpusBytes){0};
}

static bool is_html(const char *bytes, size_t length) {
    static const char *const OPENINGS[] = {"<!doctype html", "<html", "<head", "<body"};
    size_t at = length >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < length && strchr(" \t\r\n", bytes[at]) && bytes[at]) at++;
    for (size_t i = 0; i < sizeof OPENINGS / sizeof OPENINGS[0]; i++) {
        size_t n = strlen(OPENINGS[i]);
        if (length - at >= n && !strncasecmp(bytes + at, OPENINGS[i], n)) return true;
    }
    return false;
}

/* Describe wrong bytes; return out. */
static const char *looks_like(char *out, size_t size, const CorpusFile *row, const char *bytes, size_t length) {
    size_t returns = 0;
    for (size_t i = 0; i + 1 < length; i++) returns += bytes[i] == '\r' && bytes[i + 1] == '\n';
    if (!length)
        snprintf(out, size, "it is empty");
    else if (is_html(bytes, length))
        snprintf(out, size, "it looks like an HTML page");
    else if (length < row->bytes)
        snprintf(out, size, "it looks truncated, %zu of %zu bytes", length, row->bytes);
    else if (returns && length - returns == row->bytes)
        snprintf(out, size, "its line ends were changed to CR LF");
    else if (length > row->bytes)
        snprintf(out, size, "it is %zu bytes too long", length - row->bytes);
    else
        snprintf(out, size, "it has the right length and other contents");
    return out;
}

/* Check that bytes[length], articles in order, are row's; else RC_INTEGRITY, with a line that begins with `where`.
 * found always receives the hash. */
static Rc corpus_check(const CorpusFile *row, const char *where, const void *bytes, size_t length,
                       char found[SHA256_HEX], Error *e) {
    sha256_hex_of(found, bytes, length);
    if (length == row->bytes && !strcmp(found, row->sha256)) return RC_OK;
    char looks[128];
    return error_set(
        e, RC_INTEGRITY, "%s: not %s as pinned: expected SHA-256 %s (%zu bytes%s), found %s (%zu bytes): %s", where,
        row->file, row->sha256, row->bytes, row->order == ORDER_ARTICLES ? ", articles in canonical order" : "", found,
        length, looks_like(looks, sizeof looks, row, bytes, length));
}

/* Read a plain file into c. RC_USAGE: absent or not a plain file; RC_UNMEASURED: cannot be read. */
static Rc read_plain(CorpusBytes *c, const char *path, Error *e) {
    struct stat info;
    if (stat(path, &info)) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        return error_set(e, absent ? RC_USAGE : RC_UNMEASURED, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode))
        return error_set(e, RC_USAGE, "%s: %s, not a file", path,
                         S_ISDIR(info.st_mode)    ? "a folder"
                         : S_ISFIFO(info.st_mode) ? "a pipe"
                                                  : "a device");
    char *bytes;
    size_t length;
    Rc rc = file_read(path, &bytes, &length, e);
    if (rc) return rc;
    corpus_init(c);
    c->bytes = (uint8_t *)bytes;
    c->length = length;
    text_format(&c->from, "%s", path);
    return RC_OK;
}

/* Check that c holds row, and sort its articles if the row says so. On error c is as it was read. */
static Rc accept(CorpusBytes *c, const CorpusFile *row, const char *where, Error *e) {
    bool sort = row->order == ORDER_ARTICLES && c->length == row->bytes;
    uint8_t *sorted = sort ? articles_sort(c->bytes, c->length) : NULL;
    Rc rc = corpus_check(row, where, sort ? sorted : c->bytes, c->length, c->sha256, e);
    if (!rc && sort) {
        uint8_t *read = c->bytes;
        c->bytes = sorted;
        sorted = read;
    }
    free(sorted);
    return rc;
}

/* Read the copy of row at path, if it is the pinned one. */
static Rc take(CorpusBytes *c, const CorpusFile *row, Place place, const char *path, Error *e) {
    Rc rc = read_plain(c, path, e);
    if (rc) return rc;
    rc = accept(c, row, path, e);
    if (!rc) return RC_OK;
    if (place == PLACE_CACHE)
        keep_reject(path, c->sha256, "looks elsewhere", e);
    else
        error_add(e, "; it is left where it is: replace or remove it");
    corpus_release(c);
    return rc;
}

/* Download row, check it in memory, store it in the cache. `tried` lists the places without it. */
static Rc download(CorpusBytes *c, const CorpusFile *row, const DataPlaces *places, const char *tried, Error *e) {
    if (!*row->url)
        return error_set(e, RC_UNMEASURED, "%s: not found (tried%s), and no address has just its bytes", row->file,
                         tried);
    if (places->offline)
        return error_set(e, RC_UNMEASURED, "%s: not found (tried%s); downloads are off", row->file, tried);
    FetchRules rules = {row->bytes + DOWNLOAD_SLACK, places->allow_file_urls, places->stopped};
    Error why;
    char *bytes;
    size_t length;
    Rc rc = fetch(row->url, &rules, &bytes, &length, &why);
    if (rc == RC_UNMEASURED)
        return error_set(e, rc, "%s: not found (tried%s) and not downloaded: %s", row->file, tried, why.text);
    if (rc) return error_set(e, rc, "%s", why.text);
    corpus_init(c);
    c->bytes = (uint8_t *)bytes;
    c->length = length;
    text_format(&c->from, "%s", row->url);
    LOCAL_TEXT(path);
    bool cached = place_path(places, PLACE_CACHE, row->file, &path);
    rc = accept(c, row, row->url, e);
    if (rc) {
        if (cached) keep_rejected(path.at, c->sha256, c->bytes, c->length, e);
        corpus_release(c);
    } else if (cached && keep_store(path.at, c->bytes, c->length, &why)) {
        text_format(&c->note, "downloaded and checked, but the cache cannot keep it: %s", why.text);
    }
    return rc;
}

/* Check that a folder that the user named exists: if it does not, the name is probably mistyped. */
static Rc named_folder(const DataPlaces *places, Place place, Error *e) {
    const char *folder = place_folder(places, place);
    struct stat info;
    if (place > PLACE_ENVIRONMENT || !folder || !*folder) return RC_OK;
    if (!stat(folder, &info) && S_ISDIR(info.st_mode)) return RC_OK;
    return error_set(e, RC_USAGE, "%s %s: no such folder", place_name(place), folder);
}

Rc corpus_obtain(CorpusBytes *c, const CorpusFile *row, const DataPlaces *places, Error *e) {
    LOCAL_TEXT(path);
    LOCAL_TEXT(tried);
    Rc rc = RC_OK;
    bool found = false, named = false;
    for (int i = 0; i < PLACE_COUNT && !rc && !found; i++) {
        Place place = (Place)i;
        rc = named_folder(places, place, e);
        if (rc || !place_path(places, place, row->file, &path)) continue;
        struct stat info;
        found = !stat(path.at, &info) || (errno != ENOENT && errno != ENOTDIR);
        if (found)
            rc = take(c, row, place, path.at, e);
        else
            text_format(&tried, "%s %s %s", tried.length ? "," : "", place_name(place), path.at);
        named |= !found && place <= PLACE_ENVIRONMENT;
    }
    if (!rc && !found) rc = download(c, row, places, tried.length ? tried.at : " no folder", e);
    if (!rc && named)
        text_format(&c->note, "%sread from %s, not in%s", c->note.length ? "; " : "", c->from.at, tried.at);
    return rc;
}

Rc corpus_open_text(CorpusBytes *c, const char *path, Error *e) {
    Rc rc = read_plain(c, path, e);
    if (rc) return rc;
    if (!c->length) {
        corpus_release(c);
        return error_set(e, RC_USAGE, "%s: the file is empty", path);
    }
    sha256_hex_of(c->sha256, c->bytes, c->length);
    return RC_OK;
}

typedef struct {
    const uint8_t *at;
    size_t length;
    uint8_t digest[SHA256_BYTES];
} Article;

static bool is_heading(const uint8_t *line, size_t length) {
    return length >= 7 && !memcmp(line, " = ", 3) && line[3] != '=' && !memcmp(line + length - 3, " = ", 3);
}

static int by_digest(const void *a, const void *b) {
    return memcmp(((const Article *)a)->digest, ((const Article *)b)->digest, SHA256_BYTES);
}

/* Cut text into *count articles, in the order of the text. */
static Article *cut(const uint8_t *text, size_t length, size_t *count) {
    size_t room = 64, n = 0;
    Article *article = mem_alloc(room, sizeof *article);
    const uint8_t *end = text + length, *before = text; /* start of the line before the current one */
    for (const uint8_t *line = text, *next; line < end; before = line, line = next) {
        const uint8_t *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (line != text && !is_heading(line, (size_t)((stop ? stop : end) - line))) continue;
        if (n && article[n - 1].at == before) continue; /* a heading on the second line is the first article's own */
        if (n == room) article = mem_grow(article, room *= 2, sizeof *article);
        article[n++].at = before;
    }
    for (size_t i = 0; i < n; i++) {
        article[i].length = (size_t)((i + 1 < n ? article[i + 1].at : end) - article[i].at);
        sha256(article[i].digest, article[i].at, article[i].length);
    }
    *count = n;
    return article;
}

uint8_t *articles_sort(const uint8_t *text, size_t length) {
    size_t count, at = 0;
    OWNED Article *article = cut(text, length, &count);
    uint8_t *sorted = mem_alloc(length + 1, 1);
    qsort(article, count, sizeof *article, by_digest);
    for (size_t i = 0; i < count; at += article[i++].length) memcpy(sorted + at, article[i].at, article[i].length);
    return sorted;
}
