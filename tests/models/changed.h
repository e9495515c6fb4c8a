/* A row of the variants with other choices. */
#ifndef TESTS_CHANGED_H
#define TESTS_CHANGED_H

#include "models/variant.h"
#include "tests/test.h"

/* The row with "key=value" changes, ',' between them. */
static inline Variant changed(const char *name, const char *changes) {
    const Variant *row = variant_find(name, &e);
    cr_assert(row, "%s", name);
    Variant v = *row;
    char copy[400];
    snprintf(copy, sizeof copy, "%s", changes);
    for (char *at = strtok(copy, ","); at; at = strtok(NULL, ",")) {
        char *sign = strchr(at, '=');
        *sign = 0;
        OK(variant_set(&v, at, sign + 1, &e));
    }
    return v;
}

#endif
