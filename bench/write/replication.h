/* What is printed of a verdict's replication (bench/verdict/replication.h). */
#ifndef BENCH_WRITE_REPLICATION_H
#define BENCH_WRITE_REPLICATION_H

#include <jansson.h>

#include "bench/verdict/claim_verdict.h"

/* "prediction interval [-0.23, 0.09]; SE 0.060 (ours), 0.033 (theirs)", or that their spread is not known; nothing
 * where the write-up reports no effect at this step. SE: standard errors. */
void replication_text(const ClaimVerdict *v, Text *out);

/* " (agrees with the reported number)" beside the word of a test that shows nothing, or "". */
const char *replication_word(const ClaimVerdict *v);
#define REPLICATION_AGREES "agrees with the reported number"

/* "replication": {se, reported_se, df, lo, hi, inside, agrees}; nothing where the write-up reports no effect. */
void replication_json(const ClaimVerdict *v, json_t *out);

#endif
