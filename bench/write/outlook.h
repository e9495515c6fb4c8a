/* What a plan can decide, in sentences: `run` says it before it trains. */
#ifndef BENCH_WRITE_OUTLOOK_H
#define BENCH_WRITE_OUTLOOK_H

#include "bench/verdict/outlook.h"

/* Lines of two blanks and a sentence or two; nothing when there is but one arm. */
void outlook_text(const Outlook *o, const Experiment *x, Text *out);

#endif
