/* Decoding with an encoder-decoder, one token of every sentence at a time: the keys and values that the source and the
 * earlier tokens gave are kept, so a token costs one row. The bits are those of a pass over whole sentences: every op
 * but attention makes a row from that row alone, and attention reads the keys and values that a range names, in their
 * order, wherever they stand. */
#ifndef MODELS_DECODE_H
#define MODELS_DECODE_H

typedef struct Program Program;
typedef struct Decode Decode;

/* The program is on a host and its tape an encoder-decoder's (ModelShape.pairs); of the replicas only this one is
 * computed. */
Decode *decode_new(Program *p, int replica);
void decode_free(Decode *d);

/* Forgets all sentences and reads the sources that stand in the first rows of the feeds "source", "source_positions",
 * "source_keys". */
void decode_read(Decode *d, int rows);

/* One pass over rows 0 .. rows - 1, as many as a batch has at most. Row i continues row parent[i] of the pass before,
 * or begins a sentence (-1); several may continue one. Its token, its position and the source rows that it sees stand
 * in the feeds "tokens", "positions", "memory_keys"; "keys" are filled here. The logits of row i are row i of the
 * tape's. */
void decode_next(Decode *d, const int *parent, int rows);

#endif
