/* The rows of datasets/manifest.def as tables. */
#ifndef DATASETS_MANIFEST_H
#define DATASETS_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

/* What a file is for. WHOLE is cut by bytes, 90% to train on and 10% to validate on. TEST is obtained and
 * checked by `data`, and no dataset holds it. LABELS: of a task, the answers to the questions of its other file. */
typedef enum { PART_WHOLE, PART_TRAIN, PART_VALID, PART_TEST, PART_LABELS } Part;

/* How the pinned bytes come from the file's. ORDER_FILE: they are the file's. ORDER_ARTICLES: the file's articles in
 * canonical order (datasets/articles.h); sources that differ in that order alone are one corpus. ORDER_LINES: as
 * ORDER_FILE, and its lines are sentences that belong to those of the part's other file: first the source language's.
 */
typedef enum { ORDER_FILE, ORDER_ARTICLES, ORDER_LINES } Order;

/* One pinned file. Strings are constants (or the caller's, for rows made by hand). */
typedef struct {
    const char *name;    /* the corpus this file belongs to */
    Part part;           /* what the file is for */
    const char *file;    /* path below a data folder, "/" between folders */
    const char *url;     /* pinned address; "": none has these bytes */
    size_t bytes;        /* length of the file */
    const char *sha256;  /* of the bytes in their order: 64 lower-case hex digits */
    const char *licence; /* in words */
    Order order;
} CorpusFile;

/* What a trained tokenizer makes of a corpus of the manifest. */
typedef struct {
    const char *corpus, *tokenizer;
    const char *vocabulary; /* Tokenizer.sha256 */
    const char *tokens;     /* Dataset.tokens_sha256 */
} CorpusTokens;

/* One built-in source: bytes made here, of known entropy. */
typedef struct {
    const char *name;
    void (*fill)(uint8_t *bytes, size_t length); /* the first `length` bytes of the source */
    double (*rate)(void);                        /* entropy rate, nats per byte */
    size_t bytes;                                /* length a dataset uses */
    const char *sha256;                          /* of those bytes */
    const char *about;
} Source;

/* The tables; *count receives the number of rows. Rows of one corpus stand next to each other. */
const CorpusFile *manifest_files(size_t *count);
const Source *manifest_sources(size_t *count);

/* The rows of one corpus, *count of them; NULL (and 0) when no corpus has that name. */
const CorpusFile *manifest_corpus(const char *name, size_t *count);

/* The pinned tokens of a corpus under a tokenizer, or NULL. */
const CorpusTokens *manifest_tokens(const char *corpus, const char *tokenizer);

/* The source of that name, or NULL. */
const Source *manifest_source(const char *name);

/* The files of all tasks, those of one task next to each other; and those of the task called name: NULL (and 0) when
 * none is pinned. */
const CorpusFile *manifest_task_files(size_t *count);
const CorpusFile *manifest_task(const char *name, size_t *count);

/* As many names as there can be. */
enum {
#define CORPUS(...) +1
#define SOURCE(...) +1
    MANIFEST_NAMES = 0
#include "datasets/manifest.def"
};

/* Every name dataset_open knows, corpora first, each once; returns how many stand in names. */
size_t manifest_names(const char *names[MANIFEST_NAMES]);

#endif
