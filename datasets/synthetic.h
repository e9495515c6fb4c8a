/* The built-in source: a text of known entropy, for tests and for machines without a corpus.
 *
 * An order-1 Markov chain over 65 symbols (newline, space, ".", digits, letters). With rank and order two
 * fixed random permutations of the symbols and step[0..15] distinct residues,
 *
 *     next = order[(rank[state] + step[j]) mod 65],   j drawn with probability WEIGHT[j] / 256.
 *
 * For each j this is a permutation of the states, so the transition matrix is doubly stochastic: its
 * stationary law is uniform, and a unigram model gains nothing over ln 65 = 4.1744 nats. The 16 targets of
 * one state are distinct, so the entropy rate is that of the weights alone,
 *
 *     H = ln 256 - (1/256) sum_j WEIGHT[j] ln WEIGHT[j] = 2.142422 nats per symbol,
 *
 * and no model, whatever its size, has a lower expected loss. Integers only (Philox words), so every machine
 * makes the same bytes; their SHA-256 is pinned in datasets/manifest.def. */
#ifndef DATASETS_SYNTHETIC_H
#define DATASETS_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

enum { SYNTHETIC_SYMBOLS = 65, SYNTHETIC_TARGETS = 16 };

/* Write the first `length` bytes of the source. */
void synthetic_fill(uint8_t *bytes, size_t length);

/* Return the entropy rate in nats per symbol. */
double synthetic_rate(void);

#endif
