/* --fail-on of `compare` and `table` (bench/verdict/paired.h). */
#include <string.h>

#include "base/text.h"
#include "bench/verdict/paired.h"

Rc fail_on_read(FailOn *f, const char *text, Error *e) {
    static const char by[] = "worse-by:";
    *f = (FailOn){.by = !strncmp(text, by, strlen(by))};
    if (!strcmp(text, "worse")) return RC_OK;
    bool number = f->by && parse_real(text + strlen(by), &f->more);
    if (number && f->more >= 0 && f->more <= COMPARE_LARGEST) return RC_OK;
    return error_set(e, RC_USAGE, "--fail-on: '%.60s' is neither worse nor worse-by:D with a number D such as 0.05",
                     text);
}

static bool is_worse(const Comparison *c) {
    return decision_apart(c->decision) && !decision_negligible(c->decision) && decision_lower(c->decision) == c->higher;
}

Rc comparisons_gate(const Comparison *c, int count, const bool *only, const FailOn *f) {
    int counted = 0, passed = 0, decided = 0;
    bool failed = false;
    for (int i = 0; i < count; i++) {
        if (only && !only[i]) continue;
        int beyond = f->by ? comparison_beyond(&c[i], f->more) : is_worse(&c[i]) ? 1 : 0;
        counted++, failed |= beyond > 0, passed += beyond < 0, decided += decision_made(c[i].decision);
    }
    if (failed) return RC_REGRESSION;
    return (f->by ? passed == counted : decided > 0) ? RC_OK : RC_INCONCLUSIVE;
}
