/* Unpaired: arms whose runs share no seeds, into the Family and the Comparisons of bench/verdict/paired.h, so that
 * verdicts, words and gates are the same.
 *
 * The exact relabelling test of the mean difference, adjusted by Holm over the family, takes the place of sign flips
 * and max-T; relabelled midranks (Mann and Whitney) that of max-T on ranks; Welch's t that of the paired t; Fisher's
 * test that of McNemar's. Within a margin a difference is negligible when one-sided Welch tests and one-sided
 * relabellings of shifted values both say so, adjusted by Holm, with ST_EQUAL_SEEDS runs in either arm. With a
 * diverged run it is decided only where the ranks, a diverged run the worst of all, show the same side. What needs
 * pairs keeps a status of its own. */
#ifndef BENCH_VERDICT_UNPAIRED_H
#define BENCH_VERDICT_UNPAIRED_H

#include "bench/verdict/paired.h"

/* Everything that one comparison says alone: of arm[0] minus arm[1], each with its own n; flip is the key of the
 * relabelling. c is one of f->at, c->what is set. f->count counts for the joint interval. */
void unpaired_make(const Family *f, Comparison *c, const PairedRuns *runs);

/* Adjusted p's and decisions, once every comparison is made. */
void unpaired_together(Family *f);

#endif
