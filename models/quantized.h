/* A forward pass whose blocks multiply numbers of eight bits (kernels/quantization.h): both factors of every matrix
 * product of the blocks, the weights and the activations that meet them, are quantized where they are read. What is
 * summed, added, normed, attended and kept stays as it was, and so do embeddings and head. On the host. */
#ifndef MODELS_QUANTIZED_H
#define MODELS_QUANTIZED_H

#include "kernels/quantization.h"
#include "models/program.h"

void program_forward_quantized(Program *p, Quantization how);
/* One op of it; after program_round_weights. */
void program_forward_op_quantized(Program *p, int op, Quantization how);

#endif
