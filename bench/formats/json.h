/* Numbers in JSON, which has neither inf nor nan: these become the strings "inf", "-inf" and "nan". */
#ifndef BENCH_FORMATS_JSON_H
#define BENCH_FORMATS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* New reference. */
json_t *json_number_of(double x);

/* A string, '?' for each byte that is not UTF-8. New reference. */
json_t *json_text_of(const char *text);

/* False, and *out is left alone, when value is neither a number nor one of the three strings. */
bool json_number_read(const json_t *value, double *out);

/* json_loadb with JSON_REJECT_DUPLICATES of what Python writes: its bare NaN, Infinity and -Infinity are the three
 * strings. */
json_t *json_python(const char *bytes, size_t length, json_error_t *why);

/* Digits that read back as the same double. */
enum { JSON_EXACT = 17 };

/* Writes root indented, reals with `digits` digits, and a newline: behind what out holds, or as the file at path.
 * Releases root. Errors of json_write_file: those of file_write. */
void json_print(json_t *root, int digits, Text *out);
Rc json_write_file(json_t *root, int digits, const char *path, Error *e);

#endif
