/* RunSpec: the full description of one run. Its id hashes its canonical text (the keys in table order, defaults
 * included, then the variant's columns and the seed): runs with equal texts are one run, whichever experiment asked for
 * them. A key younger than the first records is omitted from the text if it has its default (spec.def, since). */
#ifndef BENCH_PLAN_SPEC_H
#define BENCH_PLAN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "models/recipe.h"
#include "models/transformer.h"

#define SPEC_TYPE_integer int64_t
#define SPEC_TYPE_real double
#define SPEC_TYPE_flag bool
#define SPEC_TYPE_word SpecWord
#define SPEC_TYPE_tokenizer SpecWord
#define SPEC_TYPE_choice(list) int /* index into the list of that name in spec.c */

/* Bytes for a key's name, for any value's canonical text (spec_get), and for a word. */
enum { SPEC_KEY_SIZE = 48, SPEC_TEXT_SIZE = VARIANT_TEXT_SIZE, SPEC_WORD_SIZE = 128 };

typedef struct {
    char text[SPEC_WORD_SIZE];
} SpecWord;

typedef enum { RESIDUAL_SCALED, RESIDUAL_PLAIN } ResidualInit; /* residual_init: 1/sqrt(2L), or like every matrix */
typedef enum { OBJECTIVE_NEXT, OBJECTIVE_MASKED, OBJECTIVE_TRANSLATE } Objective; /* key `objective` */
typedef enum { LONG_LINES_DROP, LONG_LINES_TRUNCATE } LongLines; /* key `long_lines` */

typedef struct {
#define FIELD(name, since, type, least, most, initial, help) SPEC_TYPE_##type name;
#include "bench/plan/spec.def"
#undef FIELD
    Variant variant;
    uint64_t seed;
} RunSpec;

/* Set every key to its default, variant `pre`, seed 1. */
void spec_init(RunSpec *s);

/* Set one key of spec.def from text. RC_USAGE names key, value, and what would be valid: the range, the nearest choice,
 * or for an unknown key the nearest key (variant columns and `variant`/`base` count as keys too). */
Rc spec_set(RunSpec *s, const char *key, const char *value, Error *e);

/* Return true if a key belongs to spec.def (not a variant column); return its index in spec_keys, or -1. */
bool spec_has(const char *key);
int spec_index(const char *key);

/* Refuse with RC_USAGE "unknown key 'x'; did you mean 'y'?", y among all keys of spec_set and more[count]. */
Rc spec_unknown(const char *key, const char *const *more, int count, Error *e);

/* Write one key's canonical text (variant columns count as keys too) to out, which has SPEC_TEXT_SIZE bytes; return
 * out. */
char *spec_get(char *out, const RunSpec *s, const char *key);

/* Write a key's canonical text as tables, figures and messages show it: a learning rate as "1e-3", all else unchanged.
 * out has SPEC_TEXT_SIZE bytes, or those of the value and at least 40; return out. */
char *spec_shown(char *out, const char *key, const char *value);

/* Keys of spec.def, in order, and their help, default and type as text. */
extern const char *const spec_keys[];
extern const int spec_key_count;
const char *spec_help(const char *key);
bool spec_said_by_program(const char *key); /* returns true if files and options may not set it */

/* Return the frozen default of a key or column, as in spec.def or models/variant.c, and the first schema that had it;
 * spec_set knows the key. */
const char *spec_default(const char *key);
int spec_since(const char *key);
void spec_print_keys(Text *out); /* appends a table for --help */

/* Append the canonical text: "key = value" lines of the keys, of the variant's columns, then "seed = N". spec_text_keys
 * omits the seed; plans hash their arms by it. */
void spec_text(const RunSpec *s, Text *out);
void spec_text_keys(const RunSpec *s, Text *out);

/* Return the name of a spec's precision in which only a device computes; NULL: a CPU does too. */
const char *spec_needs_device(const RunSpec *s);

/* Compute the SHA-256 of the canonical text, by which the records of a run are found. */
void spec_hash(const RunSpec *s, char out[SHA256_HEX]);

/* Compute spec_hash of runs that differ only in their seed, hashing the common text once. more: further text that is
 * hashed; "" gives spec_hash. */
typedef struct {
    Sha256 keys;
} SpecSeeds;
void spec_seeds_init(SpecSeeds *h, const RunSpec *s);
void spec_seeds_release(SpecSeeds *h);
void spec_seeds_hash(const SpecSeeds *h, uint64_t seed, const char *more, char out[SHA256_HEX]);

/* Return true if canonical texts omit a key with this value: it is young, and this is its default. */
bool spec_left_out(const char *key, const char *value);

/* Identify a user's own corpus (text:, shards:) by its bytes: return true if the spec names one; set text_sha256 if it
 * does and the key is unset; reset it to its default, as in older records. */
bool spec_own_text(const RunSpec *s);
void spec_know_text(RunSpec *s, const char *sha256);
void spec_forget_text(RunSpec *s);

/* Remove the name of a user's own text whose bytes are known, so that equal bytes under two names are one text. Ids,
 * and the hashes by which runs are found, are made of such a spec. */
RunSpec spec_by_bytes(const RunSpec *s);

/* Parse canonical text (safetensors metadata, records): every key once; an absent young key has its default. RC_USAGE
 * names line and key, and *s is unchanged. The variant's name is that of the row with these columns, or "custom". */
Rc spec_parse(RunSpec *s, const char *text, Error *e);

/* Return the models' shape. vocab comes from the dataset; a masked objective appends the mask. */
ModelShape spec_shape(const RunSpec *s, int vocab);
int spec_blocks(const RunSpec *s); /* returns the blocks of all stacks: an encoder's, then its decoder's */
Recipe spec_recipe(const RunSpec *s);
bool spec_fixed(const RunSpec *s);          /* returns true if no draw depends on the seed: runs of all seeds are one */
uint64_t spec_order_seed(const RunSpec *s); /* returns the seed of its batches */

/* List the steps of whole validations: evaluate_at below `steps`, then `steps`, ascending, unique; return how many are
 * in out[most]. */
int spec_evaluations(const RunSpec *s, int *out, int most);

/* Check for contradictory values (evaluate_at not ascending integers, warmup > steps, heads do not divide width, …);
 * RC_USAGE names the key. Vocabulary and corpus are checked elsewhere. */
Rc spec_check(const RunSpec *s, Error *e);

#endif
