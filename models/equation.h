/* What a variant's columns compute, as text: the one place where a row or an arm gets its equation. */
#ifndef MODELS_EQUATION_H
#define MODELS_EQUATION_H

#include "models/variant.h"

enum { EQUATION_PART = 24 };

/* One sublayer, x <- post( carry x + gate out( f( in(x) depth_scale ) ) ), part by part; "" where nothing stands.
 * Norms are called LN, RMS, …, those of a moving strength LN[i]; a factor is its number, or c, g, s when a rule
 * makes it. */
typedef struct {
    char in[EQUATION_PART], depth_scale[EQUATION_PART], qk[EQUATION_PART], v[EQUATION_PART], mid[EQUATION_PART],
        out[EQUATION_PART], gate[EQUATION_PART], carry[EQUATION_PART], post[EQUATION_PART];
    char scale[EQUATION_PART]; /* of each head's output, or of the hidden row */
} Parts;

/* Blocks first..last with the same norms and rules. */
typedef struct {
    int first, last;
    Parts attn, mlp;
} Stretch;

/* The stretches of a stack of `depth` blocks, at most `most` of them; how many there are. */
int equation_stretches(const Variant *v, int depth, Stretch *out, int most);

/* "LN" of layernorm; "" of none. out holds EQUATION_PART bytes; returns out. */
char *equation_norm(char *out, Norm norm);

/* The equation, with `between` after each of its items: "x <- x + f(LN(x))", "LN before the head". A stack whose blocks
 * differ has an item per stretch: "blocks 2 to 3: …". */
void equation_text(const Variant *v, int depth, const char *between, Text *out);

/* "attn.out none -> rmsnorm, gate 1 -> learned 0": the columns in which v is not `base`, or nothing. */
void equation_changes(const Variant *v, const Variant *base, Text *out);

/* The row that v was made from, by its name; of a stored arm, which has lost it, the row with the fewest other
 * columns. */
const Variant *equation_base(const Variant *v);

#endif
