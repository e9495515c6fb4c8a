/* docs/json.md, which names every key that the program writes. */
#ifndef TESTS_COMPARE_JSON_PAGE_H
#define TESTS_COMPARE_JSON_PAGE_H

#include <ctype.h>
#include <jansson.h>

#include "tests/test.h"

/* Whether text has a word, as one. */
static inline bool word_in(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

static inline bool in_json_page(const char *word) {
    static char *page;
    size_t length;
    if (!page) OK(file_read(SOURCE_ROOT "/docs/json.md", &page, &length, &e));
    return word_in(page, word);
}

/* Fail for a key that the page does not name; return how many keys there are. */
static inline int documented(json_t *o) {
    const char *key;
    json_t *v;
    size_t i;
    int keys = 0;
    json_array_foreach(o, i, v) keys += documented(v);
    json_object_foreach(o, key, v) {
        cr_expect(in_json_page(key), "'%s' is not in docs/json.md", key);
        cr_expect(!json_is_string(v) || strcmp(json_string_value(v), "nan"), "%s is nan", key);
        keys += 1 + documented(v);
    }
    return keys;
}

#endif
