/* JSON as it is written down: objects and lists nest, a key per line. */
#ifndef TESTS_GPU_JSON_H
#define TESTS_GPU_JSON_H

#include "base/text.h"

enum { JSON_DEEPEST = 8 };

typedef struct {
    Text text;
    int depth;
    char bracket[JSON_DEEPEST]; /* what closes each level */
    bool filled[JSON_DEEPEST];  /* it has an item */
} Json;

void json_init(Json *j);
void json_release(Json *j);

/* key is NULL inside a list. */
void json_object(Json *j, const char *key);
void json_list(Json *j, const char *key);
void json_end(Json *j);
void json_text(Json *j, const char *key, const char *value);
void json_number(Json *j, const char *key, double value); /* not finite: null */
void json_bool(Json *j, const char *key, bool value);

#endif
