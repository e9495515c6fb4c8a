#include "bench/verdict/grouping.h"

#include <stdio.h>
#include <string.h>

Grouping grouping_of(const Experiment *x, const char *const *keys, int count) {
    Grouping g = {.x = x, .groups = 1};
    for (int i = 0; i < x->factors; i++) {
        for (int k = 0; k < count; k++) g.within[i] |= !strcmp(x->factor[i].key, keys[k]);
        if (!g.within[i]) g.groups *= x->factor[i].values;
    }
    return g;
}

int grouping_group(const Grouping *g, int cell) {
    int group = 0;
    for (int i = 0; i < g->x->factors; i++)
        if (!g->within[i]) group = group * g->x->factor[i].values + experiment_level(g->x, cell, i);
    return group;
}

void grouping_text(const Grouping *g, int cell, char out[256]) {
    char value[FACTOR_VALUE_SIZE];
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < g->x->factors; i++) {
        const Factor *f = &g->x->factor[i];
        if (!g->within[i] && n < 255)
            n += (size_t)snprintf(out + n, 256 - n, "%s%s = %s", n ? ", " : "", f->key,
                                  factor_text(value, f, experiment_level(g->x, cell, i)));
    }
}
