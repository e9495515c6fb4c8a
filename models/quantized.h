/* Forward pass on the host whose blocks multiply numbers of eight bits (kernels/quantization.h): both factors of every
 * matrix product of the blocks, weights and activations, are quantized where they are read. Sums, additions, norms,
 * attention, stored activations, embeddings and head are unchanged. */
#ifndef MODELS_QUANTIZED_H
#define MODELS_QUANTIZED_H

#include "kernels/quantization.h"
#include "models/program.h"

void program_forward_quantized(Program *p, Quantization how);
/* Run one op of it, after program_round_weights. */
void program_forward_op_quantized(Program *p, int op, Quantization how);

#endif
