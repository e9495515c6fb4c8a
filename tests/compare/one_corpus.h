/* A text of one corpus read and shown, as the command does with files of one or more. */
#ifndef TESTS_ONE_CORPUS_H
#define TESTS_ONE_CORPUS_H

#include "bench/compare/compare.h"
#include "bench/compare/print.h"

static inline Rc compare_parse(CompareData *d, const char *name, CompareColumns columns, const char *bytes,
                               size_t length, Error *e) {
    LOCAL(compare_corpora_release) CompareCorpora all = {0};
    *d = (CompareData){0};
    if (compare_corpora_parse(&all, name, columns, bytes, length, e)) return e->code;
    if (all.corpora > 1)
        return error_set(e, RC_USAGE, "%.600s: runs of %d corpora where one is compared", name, all.corpora);
    *d = all.of[0], all.of[0] = (CompareData){0};
    return RC_OK;
}

static inline void compare_tex(const CompareResult *r, Text *out) {
    ComparePage p;
    compare_page(r, &p);
    compare_show(&p, SENTENCE_TEX, 0, out);
}

#endif
