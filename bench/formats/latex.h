/* Format numbers and names: as plain text for terminals, CSV and macros, and in LaTeX. The locale is ignored; inf and
 * nan are "n/a", and -0.000 never appears. */
#ifndef BENCH_FORMATS_LATEX_H
#define BENCH_FORMATS_LATEX_H

#include <stdbool.h>

#include "base/text.h"

enum { SHOWN = 48 }; /* bytes for one number */

/* Return the decimals that give an uncertainty two significant digits (0.0123 -> 3, 4.56 -> 1, 123 -> 0), at most 6;
 * `fallback` if it is zero or not finite. */
int decimals_for(double uncertainty, int fallback);

/* Write x with that many decimals, round-half-even on the exact value; "1.23e+13" from 10^7 on; "n/a" if not finite. */
char *show_number(char out[SHOWN], double x, int decimals);

/* Write x like show_number, with "+" before positive numbers. */
char *show_signed(char out[SHOWN], double x, int decimals);

/* Write a number with the digits that its uncertainty justifies, even if both are tiny; with_sign: with "+". */
char *show_with_error(char out[SHOWN], double x, double uncertainty, bool with_sign);

/* Write a p-value: ".020", "<.001", "1", "n/a". */
char *show_p(char out[SHOWN], double p);

/* Write "[lo, hi]", both like show_with_error. */
enum { SHOWN_BOUNDS = 2 * SHOWN + 8 };
char *show_bounds(char out[SHOWN_BOUNDS], double lo, double hi, double uncertainty);

/* Write a p as a sentence names it: "p = .020", "p <.001". */
char *show_p_named(char out[SHOWN], double p);

/* The same in a buffer of this block. */
#define SHOW_P_NAMED(p) show_p_named((char[SHOWN]){0}, p)
#define SHOW_BOUNDS(lo, hi, uncertainty) show_bounds((char[SHOWN_BOUNDS]){0}, lo, hi, uncertainty)
#define SHOW_NUMBER(x, decimals) show_number((char[SHOWN]){0}, x, decimals)
#define SHOW_SIGNED(x, decimals) show_signed((char[SHOWN]){0}, x, decimals)
#define SHOW_WITH_ERROR(x, uncertainty, with_sign) show_with_error((char[SHOWN]){0}, x, uncertainty, with_sign)
#define SHOW_P(p) show_p((char[SHOWN]){0}, p)

/* Write a short text, cut after SHOWN_TEXT - 1 bytes, into a buffer of this block. */
enum { SHOWN_TEXT = 1300 };
char *show_text(char out[SHOWN_TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));
#define SHOW_TEXT(...) show_text((char[SHOWN_TEXT]){0}, __VA_ARGS__)

/* Return the bytes of a UTF-8 text's first characters, at most *characters of them; *characters: how many. */
int show_bytes(const char *text, int *characters);

/* Append "[lo, hi]", or n/a and the reason in brackets if not finite. */
void show_interval(Text *out, double lo, double hi, int decimals, const char *why_not);

/* Append a shown number in LaTeX: minus signs, powers of ten and '<' in math. */
void latex_number(Text *out, const char *shown);

/* Append a cell's text, words and numbers mixed ("-0.01 [-0.02, 1e-08]", "div. 1/6", "+-0.3"): numbers by latex_number,
 * the rest by latex_text; "p_adj" and the like with an index. */
void latex_shown(Text *out, const char *shown);

/* Append any text: specials escaped, Greek letters and relations in math, control bytes and invalid UTF-8 as '?'. Other
 * characters stay: pdflatex sets European ones, and names the first that it cannot set. */
void latex_text(Text *out, const char *text);

/* Append text in which lines may also break after joints of long words, _ - . / = : and commas; numbers as
 * latex_number. */
void latex_breakable(Text *out, const char *text);

/* Append a name of letters only, for macros: "embedding-norm-4" -> "EmbeddingNormFour". */
void latex_macro_name(Text *out, const char *text);

/* Append a CSV field, quoted if necessary. */
void csv_text(Text *out, const char *text);

/* Append a number for CSV: the shortest decimal that reads back, empty if not finite. */
void csv_number(Text *out, double x);

#endif
