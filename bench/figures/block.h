/* A transformer block as a drawing: the stream on the left, each sublayer a branch on the right. It knows boxes and
 * their texts; who fills them knows what a variant is (bench/cli/cmd_explain.c). */
#ifndef BENCH_FIGURES_BLOCK_H
#define BENCH_FIGURES_BLOCK_H

#include "base/text.h"

enum { BOX_TEXT = 48, BLOCK_STRETCHES_MAX = 8, BLOCK_TITLE = 128 };
enum { BLOCK_BOXES_MAX = 10 }; /* attention with every norm and factor */

typedef enum { BOX_NONE, BOX_NORM, BOX_FUNCTION, BOX_FACTOR } BoxKind;

typedef struct {
    BoxKind kind;        /* BOX_NONE: nothing stands there */
    char text[BOX_TEXT]; /* of a factor: what it multiplies by */
} Box;

/* x <- post( carry x + the branch's boxes in order ) */
typedef struct {
    const char *name;
    Box branch[BLOCK_BOXES_MAX], carry, post;
    int boxes;
} BlockPart;

typedef struct {
    char title[BOX_TEXT]; /* "blocks 2 to 3", "every block" */
    BlockPart part[2];
} BlockStretch;

typedef struct {
    char title[BLOCK_TITLE];
    const char *equation; /* lines that stand below the SVG */
    BlockStretch stretch[BLOCK_STRETCHES_MAX];
    int stretches, left_out; /* stretches there are beyond those drawn */
    Box embed, final;        /* after the embeddings; before the head */
} BlockPicture;

/* An SVG file of its own, readable on light and dark ground. */
void block_svg(const BlockPicture *p, Text *out);

/* The same in plain characters, at most 80 to a line: two stretches side by side where the width has room for them. */
void block_text(const BlockPicture *p, int width, Text *out);

/* A number that moves in a straight line over the steps of a run, as a drawing in plain characters: `what` above it. */
void moves_text(const char *what, double from, double to, Text *out);

#endif
