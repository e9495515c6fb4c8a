/* What a comparison may end in (bench/verdict/paired.h). */
#include "bench/verdict/paired.h"

const char *decision_name(Decision d) {
    static const char *const names[] = {[DECISION_LOWER] = "lower",
                                        [DECISION_HIGHER] = "higher",
                                        [DECISION_LOWER_NEGLIGIBLE] = "lower but negligible",
                                        [DECISION_HIGHER_NEGLIGIBLE] = "higher but negligible",
                                        [DECISION_EQUIVALENT] = "equivalent",
                                        [DECISION_INCONCLUSIVE] = "inconclusive",
                                        [DECISION_NOT_TESTABLE] = "not testable"};
    return names[d];
}

bool decision_lower(Decision d) {
    return d == DECISION_LOWER || d == DECISION_LOWER_NEGLIGIBLE;
}

bool decision_negligible(Decision d) {
    return d == DECISION_LOWER_NEGLIGIBLE || d == DECISION_HIGHER_NEGLIGIBLE;
}

bool decision_apart(Decision d) {
    return d == DECISION_LOWER || d == DECISION_HIGHER || decision_negligible(d);
}

bool decision_made(Decision d) {
    return d != DECISION_INCONCLUSIVE && d != DECISION_NOT_TESTABLE;
}

bool family_power_by_flips(const Family *f) {
    return f->count <= 20;
}
