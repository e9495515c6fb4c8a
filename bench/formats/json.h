/* Read and write JSON; inf and nan, which JSON lacks, are the strings "inf", "-inf" and "nan". */
#ifndef BENCH_FORMATS_JSON_H
#define BENCH_FORMATS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Return a number as a new reference. */
json_t *json_number_of(double x);

/* Return a string, with '?' for each byte that is not UTF-8, as a new reference. */
json_t *json_text_of(const char *text);

/* Read a number or one of the three strings; else return false and leave *out alone. */
bool json_number_read(const json_t *value, double *out);

/* Load Python's JSON with JSON_REJECT_DUPLICATES; its bare NaN, Infinity and -Infinity become the three strings. */
json_t *json_python(const char *bytes, size_t length, json_error_t *why);

/* Digits with which every double reads back exactly. */
enum { JSON_EXACT = 17 };

/* Write root indented, reals with `digits` digits, and a newline: append to out, or write the file at path. Releases
 * root. json_write_file has the errors of file_write. */
void json_print(json_t *root, int digits, Text *out);
Rc json_write_file(json_t *root, int digits, const char *path, Error *e);

#endif
