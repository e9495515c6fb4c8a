/* Read and write JSON; inf and nan, which JSON lacks, are the strings "inf", "-inf" and "nan". */
#ifndef BENCH_FORMATS_JSON_H
#define BENCH_FORMATS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* Return a number as a new reference. */
json_t *json_number_of(double x);

/* Return a string, with '?' for each byte that is not UTF-8, as a new reference. */
json_t *json_text_of(const char *text);

/* Read a number or one of the three strings; else return false and leave *out alone. */
bool json_number_read(const json_t *value, double *out);

/* Return a member of an object (NULL: there is none) as a text, a whole number or a number; NULL, 0 or NaN if it is
 * absent or of another type. */
const char *json_get_text(const json_t *o, const char *key);
json_int_t json_get_whole(const json_t *o, const char *key);
double json_get_number(const json_t *o, const char *key);

/* Read a file whose objects have each key once. NULL: see file_read; RC_INTEGRITY: it is no JSON, with its line. */
json_t *json_read_file(const char *path, Error *e);

/* Load Python's JSON with JSON_REJECT_DUPLICATES; its bare NaN, Infinity and -Infinity become the three strings, as
 * numbers do that no double holds, and whole numbers that no 64 bits hold become strings of their digits. */
json_t *json_python(const char *bytes, size_t length, json_error_t *why);

/* Set keys of an object, in this order, to values: json_add(o, "mean", t->mean, "n", n), ten of them at most. What C
 * says that a value is decides how it is written: a number, a whole number, a bool, a text ("(not UTF-8)" where it is
 * not), or a json_t, which the object takes. A key whose text or json_t is NULL is left out. Return o; json_new: a new
 * object. */
typedef struct {
    const char *key;
    json_t *value;
} JsonMember;
json_t *json_members(json_t *o, const JsonMember *member);
#define json_add(o, ...) json_members(o, (const JsonMember[]){JSON_PAIRS(__VA_ARGS__), {NULL, NULL}})
#define json_new(...) json_add(json_object(), __VA_ARGS__)

/* A member of a struct, char[], bool, double, or an integer of 4 or 8 bytes, with its key. Tables of such rows end with
 * {0}: json_put sets the keys of an object in their order, and returns it; json_take reads them back, and returns the
 * first key that is absent, of another type or too large (a text is cut then, and a number left alone), or NULL. */
typedef struct {
    const char *key;
    char kind;
    size_t at, size;
} JsonField;
#define JSON_FIELD_AS(name, type, member) \
    {name, _Generic(((type *)0)->member, char *: 's', bool: 'b', double: 'f', default: 'i'), offsetof(type, member), \
     sizeof ((type *)0)->member}
#define JSON_FIELD(type, member) JSON_FIELD_AS(#member, type, member)
json_t *json_put(json_t *o, const JsonField *fields, const void *from);
const char *json_take(void *to, const JsonField *fields, const json_t *o);

/* What json_add may be given of a number that may be NaN: NULL then, or JSON's null. */
json_t *json_known(double x);
json_t *json_or_null(double x);

/* Return a list as a new reference. */
json_t *json_numbers(const double *x, size_t count);
json_t *json_wholes(const uint64_t *n, size_t count);

json_t *json_of_real(double x);
json_t *json_of_whole(json_int_t n);
json_t *json_of_flag(bool b);
json_t *json_of_text(const char *text);
json_t *json_of_json(json_t *value);
#define JSON_OF(x) \
    _Generic((x), double: json_of_real, bool: json_of_flag, int: json_of_whole, long: json_of_whole, \
        unsigned: json_of_whole, unsigned long: json_of_whole, long long: json_of_whole, char *: json_of_text, \
        const char *: json_of_text, json_t *: json_of_json)(x)
#define JSON_1(k, x) {k, JSON_OF(x)}
#define JSON_2(k, x, ...) JSON_1(k, x), JSON_1(__VA_ARGS__)
#define JSON_3(k, x, ...) JSON_1(k, x), JSON_2(__VA_ARGS__)
#define JSON_4(k, x, ...) JSON_1(k, x), JSON_3(__VA_ARGS__)
#define JSON_5(k, x, ...) JSON_1(k, x), JSON_4(__VA_ARGS__)
#define JSON_6(k, x, ...) JSON_1(k, x), JSON_5(__VA_ARGS__)
#define JSON_7(k, x, ...) JSON_1(k, x), JSON_6(__VA_ARGS__)
#define JSON_8(k, x, ...) JSON_1(k, x), JSON_7(__VA_ARGS__)
#define JSON_9(k, x, ...) JSON_1(k, x), JSON_8(__VA_ARGS__)
#define JSON_10(k, x, ...) JSON_1(k, x), JSON_9(__VA_ARGS__)
#define JSON_NAME(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, name, ...) name
#define JSON_PAIRS(...) \
    JSON_NAME(__VA_ARGS__, JSON_10, , JSON_9, , JSON_8, , JSON_7, , JSON_6, , JSON_5, , JSON_4, , JSON_3, , JSON_2, , \
              JSON_1, , )(__VA_ARGS__)

/* Digits with which every double reads back exactly. */
enum { JSON_EXACT = 17 };

/* Write root indented, reals with `digits` digits, and a newline: append to out, or write the file at path. Releases
 * root. json_write_file has the errors of file_write. */
void json_print(json_t *root, int digits, Text *out);
Rc json_write_file(json_t *root, int digits, const char *path, Error *e);

/* Append a text that jansson has loaded as an object, without its member `without`, as JSON_COMPACT | JSON_SORT_KEYS
 * would dump it, but with numbers and strings as they are spelled in it. Return false if some key has an escape. */
bool json_compact(const char *text, const char *without, Text *out);

#endif
