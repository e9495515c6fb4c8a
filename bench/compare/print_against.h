/* What `normbench compare FILE --against X` prints: arms against a number. */
#ifndef BENCH_COMPARE_PRINT_AGAINST_H
#define BENCH_COMPARE_PRINT_AGAINST_H

#include "bench/compare/against.h"

void against_text(const Against *r, Text *out);
void against_markdown(const Against *r, Text *out);
void against_json(const Against *r, Text *out);

#endif
