/* What runs that translate write, for people: a few validation sentences beside each arm's translations. */
#ifndef BENCH_WRITE_TRANSLATIONS_H
#define BENCH_WRITE_TRANSLATIONS_H

#include "bench/write/table.h"

/* Three sentences, the first, the middle and the last, with what the first seed of each arm made of them in the cell
 * where the arm's loss is the lowest; nothing where no run has translations. */
void translations_shown(const Table *t, Text *out);

#endif
