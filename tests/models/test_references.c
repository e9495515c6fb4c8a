/* Every paper that a placement names has its row, and every row is named. */
#include <ctype.h>

#include "models/references.h"
#include "models/variant.h"
#include "tests/test.h"

/* Blank out the papers that the table knows, and return the first year or arXiv number that is left. */
static const char *unknown(const char *cite, char rest[400]) {
    snprintf(rest, 400, "%s", cite);
    for (const Reference *r = references; r < references + reference_count; r++)
        for (char *at; (at = strstr(rest, r->said));) memset(at, '.', strlen(r->said));
    const char *arxiv = strstr(rest, "arXiv");
    for (const char *s = rest; *s && !arxiv; s++)
        if ((!strncmp(s, "19", 2) || !strncmp(s, "20", 2)) && strspn(s, "0123456789") >= 4) return s;
    return arxiv;
}

Test(references, placements_name_papers_that_are_known) {
    char rest[400];
    for (int i = 0; i < variant_count; i++) {
        cr_assert_lt(strlen(variants[i].cite), sizeof rest);
        const char *left = unknown(variants[i].cite, rest);
        cr_expect(!left, "%s names a paper without a row in references.def: %s", variants[i].name, left);
    }
    cr_expect(unknown("Nobody et al. 1999, and others", rest), "a paper without a row is not found");
    cr_expect(unknown("arXiv 9901.00001", rest), "an arXiv number without a row is not found");
    cr_expect(!unknown("Xiong et al. 2020; Vaswani et al. 2017", rest), "papers with rows are not found: %s", rest);
}

Test(references, rows_are_named_and_whole) {
    for (const Reference *r = references; r < references + reference_count; r++) {
        int named = 0;
        for (int i = 0; i < variant_count; i++) named += reference_named(r, variants[i].cite);
        cr_expect(named, "no placement names %s", r->key);
        cr_expect(r->authors[0] && r->title[0] && r->year > 1900 && r->year < 2100, "%s lacks something", r->key);
        cr_expect(r->venue[0] || strlen(r->arxiv) == 10, "%s has neither a venue nor an arXiv number", r->key);
        if (r > references) cr_expect(strcmp(r[-1].key, r->key) < 0, "%s is not in order", r->key);
        for (const char *s = r->key; *s; s++) cr_expect(isalnum((unsigned char)*s), "%s is no key", r->key);
    }
}
