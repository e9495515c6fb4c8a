/* A head whose logits are never held all at once: the ops from the product to the loss of every row run on some rows
 * after the others (Tape.head_rows), in the backward pass again before each piece's gradients. A vocabulary of 50,000
 * and 4,096 rows make 0.8 GB of logits, in pieces of 256 rows 51 MB.
 *
 * The bits are those of the whole. Rows do not depend on each other; the gradient of the head's matrix sums over rows:
 * a piece's chains go on from the piece before (Call.continues), and blocks of rows join by the tree of rule 2
 * (base/canon.h), for which a batch of several blocks takes partial sums. */
#ifndef MODELS_HEAD_H
#define MODELS_HEAD_H

#include "models/program.h"

/* Bytes of partial sums; 0: the head is not cut, or the batch is one block. */
size_t head_bytes(const Program *p);

/* seen(context, op), if there is one, after each op of each piece. */
void head_forward(Program *p, void (*seen)(void *context, int op), void *context);
void head_backward(Program *p);

#endif
