/* How tables write numbers and names: as plain text for terminals, CSV and macros, and the same in LaTeX.
 * No locale is asked; inf and nan never appear ("n/a"), nor does -0.000. */
#ifndef BENCH_FORMATS_LATEX_H
#define BENCH_FORMATS_LATEX_H

#include <stdbool.h>

#include "base/text.h"

enum { SHOWN = 48 }; /* room for one number */

/* Decimals that give an uncertainty two significant digits (0.0123 -> 3, 4.56 -> 1, 123 -> 0), at most 6; `fallback`
 * when it is zero or not finite. */
int decimals_for(double uncertainty, int fallback);

/* x with that many decimals, round-half-even on the exact value; "1.23e+13" from 10^7 on; "n/a" when not finite. */
char *show_number(char out[SHOWN], double x, int decimals);

/* The same with a sign in front of positive numbers too. */
char *show_signed(char out[SHOWN], double x, int decimals);

/* A number with the digits that its uncertainty deserves, also when both are tiny; with_sign: with "+" too. */
char *show_with_error(char out[SHOWN], double x, double uncertainty, bool with_sign);

/* A p-value: ".020", "<.001", "1", "n/a". */
char *show_p(char out[SHOWN], double p);

/* Bytes of the first characters of a text in UTF-8, at most *characters of them; *characters: how many. */
int show_bytes(const char *text, int *characters);

/* A text in a column of `width` characters: cut, or filled up with blanks behind it; before it when width < 0. */
void show_column(Text *out, const char *text, int width);

/* "[lo, hi]"; the reason in brackets after n/a when it is not finite. */
void show_interval(Text *out, double lo, double hi, int decimals, const char *why_not);

/* A shown number in LaTeX: minus signs and powers of ten in math, '<' too. */
void latex_number(Text *out, const char *shown);

/* What a cell shows, words and numbers mixed ("-0.01 [-0.02, 1e-08]", "div. 1/6", "+-0.3"): each number as
 * latex_number has it, all else as latex_text; "p_adj" and the like with an index. */
void latex_shown(Text *out, const char *shown);

/* Any text: specials escaped, Greek letters and relations in math, control bytes and what is not UTF-8 as '?'. Other
 * characters stand as they are: pdflatex sets those of Europe, and names the first that it cannot set. */
void latex_text(Text *out, const char *text);

/* The same, and a line may break behind each joint of a word that is long: _ - . / = : and commas. */
void latex_breakable(Text *out, const char *text);

/* A name of letters only, for macros: "embedding-norm-4" -> "EmbeddingNormFour". */
void latex_macro_name(Text *out, const char *text);

/* One field of a CSV line: quoted when it must be. */
void csv_text(Text *out, const char *text);

/* A number for CSV: shortest decimal that reads back, empty when not finite. */
void csv_number(Text *out, double x);

#endif
