#include "base/names.h"

#include <stdio.h>
#include <string.h>

static const char *name_at(Names names, size_t i) {
    return *(const char *const *)((const char *)names.row + i * names.size);
}

int name_find(Names names, const char *name) {
    for (size_t i = 0; i < names.count; i++)
        if (!strcmp(name, name_at(names, i))) return (int)i;
    return -1;
}

Rc name_unknown(Error *e, const char *word, Names names, const char *list) {
    OWNED const char **all = mem_alloc(names.count, sizeof *all);
    char hint[96];
    size_t n = strlen(e->text);
    for (size_t i = 0; i < names.count; i++) all[i] = name_at(names, i);
    snprintf(e->text + n, sizeof e->text - n, "%s", did_you_mean(hint, sizeof hint, word, all, names.count));
    for (size_t i = 0; list && !hint[0] && i < names.count; i++) {
        n = strlen(e->text);
        snprintf(e->text + n, sizeof e->text - n, "%s%s%s%s", i ? ", " : "; ", i ? "" : list, i ? "" : ": ", all[i]);
    }
    return e->code;
}
