/* Variant: a norm placement is one row. One sublayer of a block is
 *
 *     x <- post( carry x + gate out( f( in(x) depth_scale ) ) ),   f = attention (with qk, v, mid norm) or MLP (mid)
 *
 * and two arms of an experiment differ only in the row. models/variants.c has the rows; every column can also be set by
 * name in an experiment's arm or with `run --arm '{base: pre, attn.out: rmsnorm}'`. */
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

/* Span: a norm or rule that replaces the row's in one column for some blocks, or for one of their sublayers. In a row
 * of variants.c: .span = {FROM(attn.out, RMS, 2, 3), RULE_FROM(gate, RULE(learned, 0), 2, 3), RULE_OF(ATTN, gate,
 * …)} */
typedef enum { SPAN_BLOCK, SPAN_ATTN, SPAN_MLP } SpanSub;
typedef struct {
    size_t column; /* offset in Variant of a Norm of attn or mlp, or of a Rule inside the blocks */
    Norm norm;
    BlockRange range; /* whole only for one sublayer's rule */
    SpanSub sub;      /* for a rule: its sublayer, if only one */
    Rule rule;
} Span;

enum { VARIANT_SPANS_MAX = 16, VARIANT_RANGES_MAX = 4 /* of one column */ };
#define COLUMN(field) offsetof(Variant, field)

/* A row; models/equation.h derives its equation. */
typedef struct {
    const char *name, *label, *cite;
    const char *differs; /* differences of published code or the paper's recipe from this row; NULL: none known */
    const char *needs;   /* write-ups, claims or papers that need it */
    Site attn, mlp;
    Norm embed, final; /* after token + position; before the head */
    Rule carry, gate, depth_scale;
    Rule in_strength, out_strength, post_strength; /* s in s N(x) + (1 - s) x */
    Rule head_scale, hidden_scale; /* factors of each head's output; of the MLP's hidden row before the activation */
    Rule block_carry, x0, shrink; /* x <- block_carry x + x0 x_0 before a block; x <- x - silu(shrink) sg(x) after it */
    Rule embed_scale, logit_scale, logit_cap;
    Choice qk_over, streams, init, after_step;
    Span span[VARIANT_SPANS_MAX]; /* later ones win; column 0 ends the list */
} Variant;

extern const Variant variants[];
extern const int variant_count;

/* Return the norms of a block's sublayer, spans included; nothing else reads them. A decoder's attention to the
 * encoder's output (SUB_CROSS) has the norms of attn. */
typedef enum { SUB_ATTN, SUB_MLP, SUB_CROSS } Sub;
Site variant_site(const Variant *v, Sub sub, int layer, int depth);

/* Return the row at a sublayer, with its spans applied and removed. Rules of a whole block are equal at both of its
 * sublayers. */
Variant variant_at(const Variant *v, Sub sub, int layer, int depth);

/* Return true if the row's sublayers end in a sum of x and f, which carry, a norm after it and the like change. */
bool variant_sums(const Variant *v);

/* Check a row. RC_USAGE names the column: a span has none of `depth` blocks, or names one that does not exist; or two
 * columns contradict each other. */
Rc variant_check(const Variant *v, int depth, Error *e);

/* Return the smallest depth, `least` or more, at which every span has a block. */
int variant_depth(const Variant *v, int least);

/* Return the row called name; NULL: RC_USAGE, and the nearest name. */
const Variant *variant_find(const char *name, Error *e);

/* Set one column by its key ("attn.out", "embed", "gate", …) from text ("rmsnorm" or "rms", "layernorm" or "ln",
 * "center", "none"; rules: "0.5", "learned", "learned 0.1", "learned_row 1e-5", "moves 0 1"; choices: "hyper 4").
 * A norm inside the blocks may be followed by a range (models/range.h) and then changes those blocks only:
 * "rmsnorm from 2/3"; several are separated by ';', later ones win: "none; layernorm to 1/4; rmsnorm from 3/4".
 * So may a rule inside the blocks ("1; learned 0 from 2/3"); a rule of only one sublayer is a column of its own
 * ("attn.gate"), whose value is the other column's name where it is not set: "gate", "gate; learned 0 from 2/3".
 * RC_USAGE names the key or value and the nearest valid one, and leaves *v as it is. */
Rc variant_set(Variant *v, const char *key, const char *value, Error *e);

/* Return true if the column is a norm or a rule inside the blocks, which may differ by block; or if it is a norm. */
bool variant_ranged(const char *key);
bool variant_normed(const char *key);

/* List the rules of a column, for all blocks and for its ranges; return how many. 0: it is not set, or no rule. */
enum { VARIANT_RULES_MAX = VARIANT_RANGES_MAX + 1 };
int variant_rules(const Variant *v, const char *key, Rule out[VARIANT_RULES_MAX]);

/* Copy a column of `from`, ranges included. */
void variant_copy(Variant *v, const char *key, const Variant *from);

/* Return true if the network is only its sublayers: one stream, nothing before, between or after the blocks but the
 * norms of the embedding and before the head, no scales inside the sublayers. */
bool variant_drawn(const Variant *v);

/* Keys of variant_set, in canonical order, and how many. */
extern const char *const variant_keys[];
extern const int variant_key_count;

/* Write a column's canonical text to out[VARIANT_TEXT_SIZE]; return out. */
enum { VARIANT_TEXT_SIZE = 640 };
char *variant_get(char *out, const Variant *v, const char *key);

/* Write the text with which variant_set changes row's column into v's; "" if they are equal. */
char *variant_change(char *out, const Variant *v, const Variant *row, const char *key);

/* Return the schema of records that first had a column (1: the first), or its default; key is one of variant_keys. */
int variant_since(const char *key);
const char *variant_default(const char *key);

/* Append a column's valid values, for help and errors: "none, layernorm, …". */
void variant_valid(const char *key, Text *out);

/* Return true if canonical text omits a column of this value: it is younger than the first records, and this is its
 * default. */
bool variant_left_out(const char *key, const char *value);

/* Return true if two rows are one network: their canonical texts are equal. */
bool variant_same(const Variant *a, const Variant *b);

/* Append the canonical text of all columns, "key = value" lines, without the name: arms with equal texts are one
 * network. A column without ranges has its text from before ranges existed. */
void variant_text(const Variant *v, Text *out);

#endif
