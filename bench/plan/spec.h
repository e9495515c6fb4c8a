/* RunSpec: one run, fully. Its canonical text (the keys in table order, defaults included, then the variant's columns
 * and the seed) is what its id hashes: runs with one text are one run, whatever experiment asked for them. A key that
 * is younger than the first records is left out of the text where it stands at its default (spec.def, since). */
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

/* Room for a key's name, for any value's canonical text (spec_get), and for a word. */
enum { SPEC_KEY_SIZE = 48, SPEC_TEXT_SIZE = VARIANT_TEXT_SIZE, SPEC_WORD_SIZE = 128 };

typedef struct {
    char text[SPEC_WORD_SIZE];
} SpecWord;

typedef enum { RESIDUAL_SCALED, RESIDUAL_PLAIN } ResidualInit; /* of residual_init: 1/sqrt(2L), or like every matrix */
typedef enum { OBJECTIVE_NEXT, OBJECTIVE_MASKED, OBJECTIVE_TRANSLATE } Objective; /* of objective */
typedef enum { LONG_LINES_DROP, LONG_LINES_TRUNCATE } LongLines; /* of long_lines */

typedef struct {
#define FIELD(name, since, type, least, most, initial, help) SPEC_TYPE_##type name;
#include "bench/plan/spec.def"
#undef FIELD
    Variant variant;
    uint64_t seed;
} RunSpec;

/* Everything at its default, variant `pre`, seed 1. */
void spec_init(RunSpec *s);

/* Sets one key of spec.def from text. RC_USAGE names key, value, and what would be valid: the range, the nearest
 * choice, or for an unknown key the nearest key (variant columns and `variant`/`base` count as keys too). */
Rc spec_set(RunSpec *s, const char *key, const char *value, Error *e);

/* Whether a key belongs to spec.def (not a variant column); its place in spec_keys, or -1. */
bool spec_has(const char *key);
int spec_index(const char *key);

/* RC_USAGE "unknown key 'x'; did you mean 'y'?", y out of all keys that spec_set knows and of more[count]. */
Rc spec_unknown(const char *key, const char *const *more, int count, Error *e);

/* One key's canonical text (variant columns count as keys too); out holds SPEC_TEXT_SIZE bytes; returns out. */
char *spec_get(char *out, const RunSpec *s, const char *key);

/* The keys of spec.def, in order, and their help, default and type as text. */
extern const char *const spec_keys[];
extern const int spec_key_count;
const char *spec_help(const char *key);
bool spec_said_by_program(const char *key); /* no file and no option may set it */

/* The frozen default of a key or column as spec.def or models/variant.c writes it, and the schema that first had it;
 * the key is one that spec_set knows. */
const char *spec_default(const char *key);
int spec_since(const char *key);
void spec_print_keys(Text *out); /* a table for --help */

/* Canonical text: "key = value" lines of the keys, of the variant's columns, then "seed = N". spec_text_keys: without
 * the seed, what arms of a plan are hashed by. */
void spec_text(const RunSpec *s, Text *out);
void spec_text_keys(const RunSpec *s, Text *out);

/* SHA-256 of the canonical text: what the records of a run are found by. */
void spec_hash(const RunSpec *s, char out[SHA256_HEX]);

/* The same of runs that differ in their seed alone, whose common text is made and hashed once. more: what stands behind
 * the text; "" gives spec_hash. */
typedef struct {
    Sha256 keys;
} SpecSeeds;
void spec_seeds_init(SpecSeeds *h, const RunSpec *s);
void spec_seeds_release(SpecSeeds *h);
void spec_seeds_hash(const SpecSeeds *h, uint64_t seed, const char *more, char out[SHA256_HEX]);

/* Whether canonical texts leave out a key with this value: it is young, and this is its default. */
bool spec_left_out(const char *key, const char *value);

/* A corpus of the user's own (text:, shards:) is known by its bytes: whether the spec names one; fills text_sha256
 * where it does and the key says nothing yet. The default, for a spec as older records have it. */
bool spec_own_text(const RunSpec *s);
void spec_know_text(RunSpec *s, const char *sha256);
void spec_forget_text(RunSpec *s);

/* A text of the user's own whose bytes are known goes by them: its name is taken out, so that the same bytes under two
 * names are one text. Ids, and the hashes that runs are found by, are those of such a spec. */
RunSpec spec_by_bytes(const RunSpec *s);

/* Reads canonical text back (safetensors metadata, records): every key once; a young one that is absent stands at its
 * default. RC_USAGE names line and key, and *s is as it was. The variant's name is that of the row with these columns,
 * or "custom". */
Rc spec_parse(RunSpec *s, const char *text, Error *e);

/* What the models need. vocab comes from the dataset; a masked objective adds the mask behind it. */
ModelShape spec_shape(const RunSpec *s, int vocab);
int spec_blocks(const RunSpec *s); /* of all stacks: an encoder's, then its decoder's */
Recipe spec_recipe(const RunSpec *s);
bool spec_fixed(const RunSpec *s);          /* no draw follows the seed: runs of all seeds are one */
uint64_t spec_order_seed(const RunSpec *s); /* whose batches the run sees */

/* Steps of whole validation inside a run: evaluate_at below `steps`, then `steps` itself; ascending, unique.
 * Returns how many were written to out[most]. */
int spec_evaluations(const RunSpec *s, int *out, int most);

/* Values that contradict each other (evaluate_at not ascending integers, warmup > steps, heads do not divide width, …):
 * RC_USAGE with the key. Vocabulary and corpus are checked elsewhere. */
Rc spec_check(const RunSpec *s, Error *e);

#endif
