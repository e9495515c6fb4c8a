/* Compute a head without holding all logits at once: the ops from the product to each row's loss run on pieces of rows
 * (Tape.head_rows), in the backward pass again before each piece's gradients. A vocabulary of 50,000 and 4,096 rows
 * make 0.8 GB of logits, pieces of 256 rows 51 MB.
 *
 * The bits are those of the whole. Rows do not depend on each other; the gradient of the head's matrix sums over rows:
 * a piece's chains go on from the piece before (Call.continues), and blocks of rows join by the tree of rule 2
 * (base/canon.h), for which a batch of several blocks takes partial sums. */
#ifndef MODELS_HEAD_H
#define MODELS_HEAD_H

#include "models/program.h"

/* Return the bytes of partial sums; 0: the head is not cut, or the batch is one block. */
size_t head_bytes(const Program *p);

/* Run the head forward; call seen(context, op), if not NULL, after each op of each piece. */
void head_forward(Program *p, void (*seen)(void *context, int op), void *context);
void head_backward(Program *p);

#endif
