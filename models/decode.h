/* Decode with an encoder-decoder, one token of every sentence at a time: keys and values of the source and of earlier
 * tokens are cached, so a token costs one row. The bits are those of a pass over whole sentences: every op but
 * attention computes a row from that row alone, and attention reads the keys and values that a range names, in their
 * order, wherever they are. */
#ifndef MODELS_DECODE_H
#define MODELS_DECODE_H

typedef struct Program Program;
typedef struct Decode Decode;

/* Make a decoder for one replica. The program is on a host and its tape an encoder-decoder's (ModelShape.pairs). */
Decode *decode_new(Program *p, int replica);
void decode_free(Decode *d);

/* Forget all sentences and read the sources in the first rows of the feeds "source", "source_positions",
 * "source_keys". */
void decode_read(Decode *d, int rows);

/* Run one pass over rows 0 .. rows - 1, at most those of a batch. Row i continues row parent[i] of the previous pass,
 * or begins a sentence (-1); several may continue one. The feeds "tokens", "positions", "memory_keys" have its token,
 * its position and the source rows that it sees; "keys" are filled here. The logits of row i are row i of the
 * tape's. */
void decode_next(Decode *d, const int *parent, int rows);

#endif
