#include "datasets/articles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"

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
