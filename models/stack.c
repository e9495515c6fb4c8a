/* The names that all parts of a stack are built with (models/transformer.h). */
#include <stdarg.h>
#include <stdio.h>

#include "models/transformer.h"

const char *stack_name(Stack *b, const char *format, ...) {
    char rest[26];
    va_list args;
    va_start(args, format);
    vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    if (b->layer < 0)
        snprintf(b->name, sizeof b->name, "%.8s%s", b->prefix, rest);
    else
        snprintf(b->name, sizeof b->name, "%.8sh.%d.%s", b->prefix, b->layer - b->first_layer, rest);
    return b->name;
}
