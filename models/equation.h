/* Write the equation of a variant's columns as text, for every row and arm. */
#ifndef MODELS_EQUATION_H
#define MODELS_EQUATION_H

#include "models/variant.h"

enum { EQUATION_PART = 24 };

/* Parts of one sublayer, x <- post( carry x + gate out( f( in(x) depth_scale ) ) ); "": absent. Norms are called LN,
 * RMS, …, those of a moving strength LN[i]; a factor is its number, or c, g, s if a rule makes it. */
typedef struct {
    char in[EQUATION_PART], depth_scale[EQUATION_PART], qk[EQUATION_PART], v[EQUATION_PART], mid[EQUATION_PART],
        out[EQUATION_PART], gate[EQUATION_PART], carry[EQUATION_PART], post[EQUATION_PART];
    char scale[EQUATION_PART]; /* factor of each head's output, or of the hidden row */
} Parts;

/* Blocks first..last with the same norms and rules. */
typedef struct {
    int first, last;
    Parts attn, mlp;
} Stretch;

/* List the stretches of a stack of `depth` blocks, at most `most`; return how many there are. */
int equation_stretches(const Variant *v, int depth, Stretch *out, int most);

/* Write a norm's symbol, "LN" for layernorm, "" for none, to out[EQUATION_PART]; return out. */
char *equation_norm(char *out, Norm norm);

/* Append the equation, with `between` after each of its items: "x <- x + f(LN(x))", "LN before the head". A stack whose
 * blocks differ has an item per stretch: "blocks 2 to 3: …". */
void equation_text(const Variant *v, int depth, const char *between, Text *out);

/* Append the columns in which v differs from `base`: "attn.out none -> rmsnorm, gate 1 -> learned 0". */
void equation_changes(const Variant *v, const Variant *base, Text *out);

/* Return the row from which v was made, by its name; for a stored arm without a name, the row with the fewest other
 * columns. */
const Variant *equation_base(const Variant *v);

#endif
