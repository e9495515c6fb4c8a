/* What a run that translates wrote of its validation sentences, kept in runs/<id>/translations.tsv. Its first line is a
 * heading; then a line a sentence, in the order of the corpus: the counts that BLEU is made of (datasets/bleu.h), the
 * source, the reference, and what the run wrote. Tabs in a text are blanks there. */
#ifndef BENCH_STORE_SENTENCES_H
#define BENCH_STORE_SENTENCES_H

#include <jansson.h>

#include "base/error.h"
#include "base/sha256.h"
#include "datasets/bleu.h"

#define TRANSLATIONS_FILE "translations.tsv"

typedef struct {
    int sentences, step;     /* 0 sentences: nothing is kept */
    char sha256[SHA256_HEX]; /* of the file */
    char *text;              /* its bytes; NULL: nothing is kept, or the record was read without this file */
} Translations;

void translations_release(Translations *t);

/* {"step": 300, "sentences": 1014, "sha256": "…"}, and back: NULL keeps nothing. */
json_t *translations_json(const Translations *t);
Rc translations_parse(Translations *t, const json_t *json, Error *e);

/* A line of the file. Its texts point into t->text and end with a tab or the line. */
typedef struct {
    BleuCounts counts;
    const char *source, *reference, *hypothesis;
    int source_length, reference_length, hypothesis_length; /* bytes */
} TranslatedLine;

/* The lines, [t->sentences]; the caller frees them. NULL: t has no text, or one that does not read. */
TranslatedLine *translations_lines(const Translations *t);

/* The heading, as a text begins. */
extern const char translations_heading[];

#endif
