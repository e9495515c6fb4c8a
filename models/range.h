/* Range of blocks of a stack, counted from 0 as in figures, curves and weights' names; `from` and `to` are its first
 * and last. A fraction of the depth L is a place between two blocks: from 2/3 begins with block floor(2L/3), to 2/3
 * ends with the block before it, so that the two share no block and omit none. */
#ifndef MODELS_RANGE_H
#define MODELS_RANGE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* {0, 0}: an open end; {n + 1, 0}: block n; otherwise a fraction in lowest terms, 0 to 1. */
typedef struct {
    int n, of;
} Depth;
#define AT_BLOCK(i) \
    { (i) + 1, 0 }
#define AT_PART(n, of) \
    { n, of }

typedef struct {
    Depth from, to;
} BlockRange;

enum { RANGE_MAX = 1024 /* blocks, and the largest denominator */, RANGE_TEXT_SIZE = 40 };

/* Return true if it is every block of every depth. */
bool range_whole(BlockRange r);

/* Return true if block `layer` of `depth` is in it. */
bool range_holds(BlockRange r, int layer, int depth);

/* Check a range. RC_USAGE: it names a block that does not exist, or has none of `depth` blocks. */
Rc range_check(BlockRange r, int depth, Error *e);

/* Parse "from 2/3 to 7", "to 0.5", "": each word at most once, in any order. RC_USAGE: another word, a place that is no
 * block and no fraction, `from` after `to`. */
Rc range_parse(BlockRange *r, const char *words, Error *e);

/* Write the canonical text, "from 2/3 to 7", "" if it is whole, to out[RANGE_TEXT_SIZE]; return out. */
char *range_text(char *out, BlockRange r);

#endif
