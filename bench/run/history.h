/* History: the first git commit whose file has the plan of an experiment or the test of a claim. This program reads the
 * file of every commit that changed it, the oldest first.
 *
 * A commit's date is no proof that the plan came before the runs: dates can be set, a history can be rewritten, and
 * runs can have been made elsewhere before. */
#ifndef BENCH_RUN_HISTORY_H
#define BENCH_RUN_HISTORY_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "bench/plan/claim.h"

extern const char *const history_caution; /* a sentence on what the dates cannot prove */

typedef struct {
    char what[64];   /* "plan 656b86f8", "claim 002-1" */
    char commit[65]; /* the first that has it; "": unknown */
    int64_t date;    /* committer's date, in seconds since 1970 */
    bool git;        /* false: there is no git, or no history of the file */
    bool tree;       /* if not git: the file is in a git checkout nevertheless */
    char file[128];  /* its name, without folders */
} Written;

/* Find the first commit whose file makes this plan (its SHA-256) for this profile. */
Written history_plan(const char *file, const char *profile, const char *plan);

/* Find the first commit whose claim file has this claim with the same test (declare_claim). */
Written history_claim(const char *file, const Claim *c);

/* Append "plan 656b86f8: first in commit 9761aa0a91d3 of 2026-11-20 23:36 UTC, before the first run ended"; first: that
 * end, in seconds since 1970; 0: unknown. */
void history_text(const Written *w, int64_t first, Text *out);

/* Return {what, commit, date} without unknown members, a new reference. */
json_t *history_json(const Written *w);

#endif
