#include "base/names.h"

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
    for (size_t i = 0; i < names.count; i++) all[i] = name_at(names, i);
    error_add(e, "%s", did_you_mean(hint, sizeof hint, word, all, names.count));
    for (size_t i = 0; list && !hint[0] && i < names.count; i++)
        error_add(e, "%s%s%s%s", i ? ", " : "; ", i ? "" : list, i ? "" : ": ", all[i]);
    return e->code;
}
