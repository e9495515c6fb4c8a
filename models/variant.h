/* A norm placement is one row. One sublayer of a block is
 *
 *     x <- post( carry x + gate out( f( in(x) depth_scale ) ) ),   f = attention (with qk, v, mid norm) or MLP (mid)
 *
 * and the only thing that differs between two arms of an experiment is the row. models/variants.c has the rows; every
 * column can also be set by name in an experiment's arm or with `run --arm '{base: pre, attn.out: rmsnorm}'`. */
#ifndef MODELS_VARIANT_H
#define MODELS_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "models/choice.h"
#include "models/range.h"
#include "models/rule.h"

typedef enum {
#define NORM(name, ...) NORM_##name,
#include "models/norms.def"
#undef NORM
    NORM_COUNT
} Norm;

/* in: before f. qk: on q and k; v: on v, per head (attention only). mid: before f's last matrix. out: on f's output,
 * before the residual add. post: after the add. */
typedef struct {
    Norm in, qk, v, mid, out, post;
} Site;

/* Some blocks, or one of their sublayers, have another norm or rule in one place than the row says. In a row of
 * variants.c: .span = {FROM(attn.out, RMS, 2, 3), RULE_FROM(gate, RULE(learned, 0), 2, 3), RULE_OF(ATTN, gate, …)} */
typedef enum { SPAN_BLOCK, SPAN_ATTN, SPAN_MLP } SpanSub;
typedef struct {
    size_t column; /* of the Variant: a Norm of attn or mlp, or a Rule inside the blocks */
    Norm norm;
    BlockRange range; /* whole only of one sublayer's rule */
    SpanSub sub;      /* of a rule: the sublayer that it is of alone */
    Rule rule;
} Span;

enum { VARIANT_MOST_SPANS = 16, VARIANT_MOST_RANGES = 4 /* of one column */ };
#define COLUMN(field) offsetof(Variant, field)

/* What a row computes is what models/equation.h derives from it: no row has an equation of its own. */
typedef struct {
    const char *name, *label, *cite;
    const char *differs; /* where published code or the paper's recipe is not this row; NULL: nothing known */
    const char *needs;   /* the write-ups, claims or papers that need it */
    Site attn, mlp;
    Norm embed, final; /* after token + position; before the head */
    Rule carry, gate, depth_scale;
    Rule in_strength, out_strength, post_strength; /* s of s N(x) + (1 - s) x */
    Rule head_scale, hidden_scale; /* times each head's output; times the MLP's hidden row, before the activation */
    Rule block_carry, x0, shrink; /* x <- block_carry x + x0 x_0 before a block; x <- x - silu(shrink) sg(x) after it */
    Rule embed_scale, logit_scale, logit_cap;
    Choice qk_over, streams, init, after_step;
    Span span[VARIANT_MOST_SPANS]; /* later ones win; column 0 ends the list */
} Variant;

extern const Variant variants[];
extern const int variant_count;

/* Where a block's sublayer norms stand. Rows that differ by layer (spans) are no special case: everybody asks here. A
 * decoder's attention to what an encoder read (SUB_CROSS) has the norms of attn. */
typedef enum { SUB_ATTN, SUB_MLP, SUB_CROSS } Sub;
Site variant_site(const Variant *v, Sub sub, int layer, int depth);

/* The row as it is at a sublayer: its columns are what its spans make of them there, and it has no spans. Rules of a
 * whole block are the same at both of its sublayers. */
Variant variant_at(const Variant *v, Sub sub, int layer, int depth);

/* Whether the row's sublayers end in a sum of x and f, which carry, a norm behind it and the like change. */
bool variant_sums(const Variant *v);

/* RC_USAGE names the column: a span holds none of `depth` blocks, or names one that is not there; or two columns do not
 * go together. */
Rc variant_check(const Variant *v, int depth, Error *e);

/* The smallest depth, `least` or more, at which every span holds a block. */
int variant_depth(const Variant *v, int least);

/* The row called name; NULL with RC_USAGE and the nearest name. */
const Variant *variant_find(const char *name, Error *e);

/* Sets one column by its key ("attn.out", "embed", "gate", …) from text ("rmsnorm" or "rms", "layernorm" or "ln",
 * "center", "none"; rules: "0.5", "learned", "learned 0.1", "learned_row 1e-5", "moves 0 1"; choices: "hyper 4").
 * A norm inside the blocks may have a range behind it (models/range.h) and then changes those blocks only:
 * "rmsnorm from 2/3"; several stand with ';' between them, later ones win: "none; layernorm to 1/4; rmsnorm from 3/4".
 * So may a rule inside the blocks ("1; learned 0 from 2/3"); one of a sublayer alone is a column of its own
 * ("attn.gate"), whose value is the other column's name where it says nothing: "gate", "gate; learned 0 from 2/3".
 * RC_USAGE names the key or value and the nearest valid one, and leaves *v as it is. */
Rc variant_set(Variant *v, const char *key, const char *value, Error *e);

/* Whether the column is a norm or a rule inside the blocks, which may differ by block; whether it is a norm at all. */
bool variant_ranged(const char *key);
bool variant_normed(const char *key);

/* The rules of a column, of all of its blocks and of its ranges; how many. 0: it says nothing, or is no rule. */
enum { VARIANT_MOST_RULES = VARIANT_MOST_RANGES + 1 };
int variant_rules(const Variant *v, const char *key, Rule out[VARIANT_MOST_RULES]);

/* The column as `from` has it, ranges included. */
void variant_copy(Variant *v, const char *key, const Variant *from);

/* Whether the sublayers alone are the network: one stream, nothing before, between or behind the blocks but the norms
 * of the embedding and before the head, no scales inside the sublayers. */
bool variant_drawn(const Variant *v);

/* The keys variant_set knows, in canonical order, and how many. */
extern const char *const variant_keys[];
extern const int variant_key_count;

/* A column's canonical text; out holds VARIANT_TEXT_SIZE bytes; returns out. */
enum { VARIANT_TEXT_SIZE = 640 };
char *variant_get(char *out, const Variant *v, const char *key);

/* The same, less what `row` has there too: what variant_set must be given to make row's column v's. "" when the two are
 * alike. */
char *variant_change(char *out, const Variant *v, const Variant *row, const char *key);

/* The schema of records that first had a column (1: the first), and its default; key is one of variant_keys. */
int variant_since(const char *key);
const char *variant_default(const char *key);

/* What a column may be, for help and errors: "none, layernorm, …". */
void variant_valid(const char *key, Text *out);

/* Whether canonical text leaves out a column of this value: it is younger than the first
 * records and this its default. */
bool variant_left_out(const char *key, const char *value);

/* Whether two rows are one network: they have one canonical text. */
bool variant_same(const Variant *a, const Variant *b);

/* Canonical text of all columns, "key = value" lines: two arms with one text are one network. The name is not in it.
 * A column without ranges has the text that it had before there were any. */
void variant_text(const Variant *v, Text *out);

#endif
