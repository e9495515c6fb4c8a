/* The table of papers. */
#include "models/references.h"

#include <string.h>

const Reference references[] = {
#define REFERENCE(key, kind, said, authors, title, venue, year, where) \
    {#key, #kind, said, authors, title, venue, year, where},
#include "models/references.def"
#undef REFERENCE
};
const int reference_count = sizeof references / sizeof references[0];

bool reference_named(const Reference *r, const char *text) {
    return strstr(text, r->said) != NULL;
}
