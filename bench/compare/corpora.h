/* compare over corpora: a file with a column `corpus` (or `dataset`) holds every arm's runs on each of them. Every
 * corpus is compared by itself (bench/compare/compare.h), and the arms are summed up over them
 * (bench/verdict/corpora.h). */
#ifndef BENCH_COMPARE_CORPORA_H
#define BENCH_COMPARE_CORPORA_H

#include "bench/compare/compare.h"
#include "bench/verdict/corpora.h"

/* What a file says, by corpus, in the file's order; all have the same arms in the same order, and as many seeds. */
typedef struct CompareCorpora {
    int corpora;     /* 1: one, or no column of them */
    char **name;     /* [corpora]; of a file without such a column "" */
    CompareData *of; /* [corpora] */
    double *step;    /* [arms]: of such runs, the step of an arm's values, NaN where they differ; NULL: not known */
    char *metric;    /* what was measured, of runs that were picked from logs; NULL: not known */
    char *when;      /* "at its best step"; NULL: a run ends with its value */
} CompareCorpora;

/* Reads a file, "-" standard input; the codes of compare_parse, and RC_USAGE too where a corpus lacks an arm or has
 * fewer seeds than another. On failure *c is zeroed. */
Rc compare_corpora_read(CompareCorpora *c, const char *path, CompareColumns columns, Error *e);
Rc compare_corpora_parse(CompareCorpora *c, const char *name, CompareColumns columns, const char *bytes, size_t length,
                         Error *e);
void compare_corpora_release(CompareCorpora *c);

typedef struct {
    const CompareCorpora *data;
    CompareResult *of; /* [corpora] */
    CorporaSum sum;    /* a diverged run counts as the cap; of one corpus: not made */
    int *diverged;     /* [arms] */
} CompareOver;

/* data outlives the result; the codes of compare_make. On failure *r is zeroed. */
Rc compare_over_make(CompareOver *r, const CompareCorpora *data, const CompareOptions *options, int threads, Error *e);
void compare_over_release(CompareOver *r);

/* RC_REGRESSION when some corpus has it; RC_OK when some corpus has that and none the other; of --fail-on worse-by:D
 * RC_OK when all have it. */
Rc compare_over_exit(const CompareOver *r);

#endif
