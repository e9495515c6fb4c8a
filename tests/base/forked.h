/* Ranks as processes of a test, which exchange through sockets. */
#ifndef TESTS_BASE_FORKED_H
#define TESTS_BASE_FORKED_H

#include "base/ranks.h"

enum { FORKED_MAX = 8, FORKED_SAID = 1024 };

/* Runs body(r, context, said) in `ranks` processes, rank 0 first; said[i] is what rank i wrote there, "ok" if nothing.
 * A process that ends early, or not within forty seconds, fails the test. */
void forked_ranks(int ranks, void (*body)(const Ranks *r, void *context, char *said), void *context,
                  char said[FORKED_MAX][FORKED_SAID]);

#endif
