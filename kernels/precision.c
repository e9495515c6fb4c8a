/* Find precisions by name: rows of precisions.def. */
#include <string.h>

#include "base/text.h"
#include "kernels/backend.h"

static const struct {
    const char *name, *what;
    Word word;
    bool scaled;
} precisions[PRECISION_COUNT] = {
#define PRECISION(name, key, word, scaled, what) {key, what, WORD_##word, scaled},
#include "kernels/precisions.def"
#undef PRECISION
};

const char *precision_name(PrecisionKind p) {
    return precisions[p].name;
}

const char *precision_what(PrecisionKind p) {
    return precisions[p].what;
}

Word precision_word(PrecisionKind p) {
    return precisions[p].word;
}

bool precision_scaled(PrecisionKind p) {
    return precisions[p].scaled;
}

Rc precision_find(PrecisionKind *out, const char *name, Error *e) {
    const char *names[PRECISION_COUNT];
    char hint[96];
    for (int i = 0; i < PRECISION_COUNT; i++) {
        names[i] = precisions[i].name;
        *out = (PrecisionKind)i;
        if (!strcmp(name, names[i])) return RC_OK;
    }
    return error_set(e, RC_USAGE, "unknown precision '%.40s'%s", name,
                     did_you_mean(hint, sizeof hint, name, names, PRECISION_COUNT));
}
