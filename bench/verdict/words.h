/* Words: a decision as a sentence for a reader, the same in every table, file and figure. The codes beside it
 * (decision_name, decision_code) stay as they are. */
#ifndef BENCH_VERDICT_WORDS_H
#define BENCH_VERDICT_WORDS_H

#include "base/text.h"
#include "bench/verdict/paired.h"

/* "worse than Pre-LN", "better than Pre-LN, but within 0.02: too small to matter", "the same within 0.02", "not
 * decided", "not decided: 5 seeds cannot reach p < 0.05".
 * c: one of f's; d: its decision, or the one on ranks; better: of the numbers compared, -1 lower, +1 higher, 0 neither
 * ("lower than Pre-LN"); against: what a reader calls the arm that is subtracted; NULL: the short form of a figure that
 * names it ("worse, but within 0.02"). */
void decision_words(const Family *f, const Comparison *c, Decision d, int better, const char *against, Text *out);

/* Why a comparison has no difference: "diverged" where the metric gives a diverged run no number, else what
 * st_status_text says. */
const char *words_status(const Comparison *c);

/* "Even where all 8 seeds agree, up to 31 % of the runs may stall or diverge." what: "seeds", "runs". */
void words_unseen(const Family *f, const char *what, Text *out);

/* What p and intervals are that hold at every stop, behind an opening bracket: "test martingales …). Nothing is
 * decided before 6 seeds. …" */
void words_anytime(const Family *f, Text *out);

#endif
