#include "bench/plan/statement.h"

#include <math.h>
#include <string.h>

#include "base/names.h"

const PanelInfo panel_info[PANEL_COUNT] = {
#define PANEL(name, title, xlabel, ylabel, log_x, log_y) [PANEL_##name] = {#name, title, xlabel, ylabel, log_x, log_y},
#include "bench/plan/theory_panels.def"
#undef PANEL
};

#define EXACT(tolerance) DECIDE_exact, 0, tolerance, false
#define EXPECTED(relative) DECIDE_expected, 0, relative, false
#define INSIDE(lo, hi) DECIDE_inside, lo, hi, false
#define POWER(lo, hi) DECIDE_power, lo, hi, false
#define RATE(lo, hi) DECIDE_rate, lo, hi, false
#define LOGARITHM DECIDE_logarithm, 0, 0, false
#define AT_MOST(relative) DECIDE_at_most, 0, relative, false
#define PRINTED(how) AS_PRINTED(how)
#define AS_PRINTED(how, lo, hi, printed) how, lo, hi, true
#define ROW(name, source, what, predicted, how, lo, hi, printed, setting, panel, label) \
    [STATEMENT_##name] = {#name, source, what, predicted, setting, label, how, lo, hi, printed, PANEL_##panel},
#define STATEMENT(...) ROW(__VA_ARGS__)
const Statement statements[STATEMENT_COUNT] = {
#include "bench/plan/statements.def"
};
#undef STATEMENT

bool statement_late(const Statement *s) {
    size_t n = strlen(s->predicted);
    return n && s->predicted[n - 1] == '*';
}

const char *statement_how(const Statement *s) {
    static const char *const words[] = {[DECIDE_exact] = "exact",         [DECIDE_expected] = "expected",
                                        [DECIDE_inside] = "inside",       [DECIDE_power] = "power",
                                        [DECIDE_rate] = "rate",           [DECIDE_logarithm] = "logarithm",
                                        [DECIDE_at_most] = "at most"};
    return words[s->how];
}

Rc statement_find(StatementId *out, const char *name, Error *e) {
    int i = name_find(NAMES(statements, STATEMENT_COUNT), name);
    if (i >= 0) return *out = (StatementId)i, RC_OK;
    error_set(e, RC_USAGE, "unknown statement '%.60s'", name);
    return name_unknown(e, name, NAMES(statements, STATEMENT_COUNT), NULL);
}
