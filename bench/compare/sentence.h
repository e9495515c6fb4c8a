/* A comparison as one sentence to paste into a text: "Peri-LN ends 0.45 nats higher than Pre-LN (95% interval 0.39 to
 * 0.51, 16 paired seeds, exact sign-flip p = 2/65536)". */
#ifndef BENCH_COMPARE_SENTENCE_H
#define BENCH_COMPARE_SENTENCE_H

#include "bench/compare/against.h"
#include "bench/compare/corpora.h"
#include "bench/write/table.h"

typedef enum { SENTENCE_TEXT, SENTENCE_TEX, SENTENCE_MARKDOWN } SentenceForm;

/* Comparison i of a corpus. metric: NULL: not known. */
void compare_sentence(const CompareOver *r, int corpus, int i, const char *metric, SentenceForm form, Text *out);
/* A line for each comparison of every corpus. */
void compare_sentences(const CompareOver *r, const char *metric, SentenceForm form, Text *out);

/* A line for each arm. */
void against_sentences(const Against *r, const char *metric, SentenceForm form, Text *out);
/* Those of a table's paper text (bench/write/prose.h), at each cell's last step. */
void table_sentences(const Table *t, SentenceForm form, Text *out);

#endif
