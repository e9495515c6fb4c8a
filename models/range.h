/* Blocks of a stack, counted from 0 as in figures, curves and weights' names; `from` and `to` are the first and the
 * last of them. A fraction of the depth L is a place between two blocks: from 2/3 begins with block floor(2L/3), to 2/3
 * ends with the block before it, so that the two share no block and leave none out. */
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

enum { RANGE_MOST = 1024 /* blocks, and the largest denominator */, RANGE_TEXT_SIZE = 40 };

/* Whether it is every block of every depth. */
bool range_whole(BlockRange r);

/* Whether block `layer` of `depth` is in it. */
bool range_holds(BlockRange r, int layer, int depth);

/* RC_USAGE: it names a block that is not there, or holds none of `depth` blocks. */
Rc range_check(BlockRange r, int depth, Error *e);

/* "from 2/3 to 7", "to 0.5", "": either word once, in any order. RC_USAGE: another word, a place that is no block and
 * no fraction, from behind to. */
Rc range_parse(BlockRange *r, const char *words, Error *e);

/* Canonical text: "from 2/3 to 7"; "" when it is whole. out holds RANGE_TEXT_SIZE bytes; returns out. */
char *range_text(char *out, BlockRange r);

#endif
