/* Translations of a run's validation sentences, kept in runs/<id>/translations.tsv. After a heading, each line is a
 * sentence, in the order of the corpus: counts for BLEU (datasets/bleu.h), source, reference, and the run's
 * translation. Tabs in texts become blanks. */
#ifndef BENCH_STORE_SENTENCES_H
#define BENCH_STORE_SENTENCES_H

#include <jansson.h>

#include "base/error.h"
#include "base/sha256.h"
#include "datasets/bleu.h"

#define TRANSLATIONS_FILE "translations.tsv"

typedef struct {
    int sentences, step;     /* 0 sentences: nothing is kept */
    char sha256[SHA256_HEX]; /* hash of the file */
    char *text;              /* the file's bytes; NULL: nothing is kept, or the record was read without it */
} Translations;

void translations_release(Translations *t);

/* Convert to {"step": 300, "sentences": 1014, "sha256": "…"} and back; NULL: nothing is kept. */
json_t *translations_json(const Translations *t);
Rc translations_parse(Translations *t, const json_t *json, Error *e);

/* A line of the file. Its texts point into t->text and end with a tab or the line. */
typedef struct {
    BleuCounts counts;
    const char *source, *reference, *hypothesis;
    int source_length, reference_length, hypothesis_length; /* bytes */
} TranslatedLine;

/* Return the lines, [t->sentences]; the caller frees them. NULL: t has no text, or an invalid one. */
TranslatedLine *translations_lines(const Translations *t);

/* Heading with which a text begins. */
extern const char translations_heading[];

#endif
