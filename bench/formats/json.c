#include "bench/formats/json.h"

#include <math.h>
#include <string.h>

json_t *json_number_of(double x) {
    return isnan(x) ? json_string("nan") : isinf(x) ? json_string(x > 0 ? "inf" : "-inf") : json_real(x);
}

bool json_number_read(const json_t *value, double *out) {
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (!text || (strcmp(text, "nan") && strcmp(text, "inf") && strcmp(text, "-inf"))) return false;
    *out = text[0] == 'n' ? (double)NAN : text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return true;
}
