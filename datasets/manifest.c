#include "datasets/manifest.h"

#include <string.h>

#include "datasets/synthetic.h"

static const CorpusFile FILES[] = {
#define CORPUS(name, part, file, url, bytes, sha256, licence, order) \
    {name, PART_##part, file, url, bytes, sha256, licence, ORDER_##order},
#include "datasets/manifest.def"
};

static const CorpusTokens TOKENS_OF[] = {
#define TOKENS(corpus, tokenizer, vocabulary, tokens) {corpus, tokenizer, vocabulary, tokens},
#include "datasets/manifest.def"
};

static const Source SOURCES[] = {
#define SOURCE(name, fill, rate, bytes, sha256, about) {name, fill, rate, bytes, sha256, about},
#include "datasets/manifest.def"
};

static const CorpusFile TASK_FILES[] = {
#define TASKFILE(name, part, file, url, bytes, sha256, licence) \
    {name, PART_##part, file, url, bytes, sha256, licence, ORDER_FILE},
#include "datasets/manifest.def"
};

enum { FILE_COUNT = sizeof FILES / sizeof FILES[0], SOURCE_COUNT = sizeof SOURCES / sizeof SOURCES[0] };

/* Return the rows among rows[n] that are called name. */
static const CorpusFile *rows_of(const CorpusFile *rows, size_t n, const char *name, size_t *count) {
    size_t first = 0;
    while (first < n && strcmp(rows[first].name, name)) first++;
    size_t end = first;
    while (end < n && !strcmp(rows[end].name, name)) end++;
    *count = end - first;
    return *count ? &rows[first] : NULL;
}

const CorpusFile *manifest_corpus(const char *name, size_t *count) {
    return rows_of(FILES, FILE_COUNT, name, count);
}

const CorpusFile *manifest_task_files(size_t *count) {
    *count = sizeof TASK_FILES / sizeof TASK_FILES[0];
    return TASK_FILES;
}

const CorpusFile *manifest_task(const char *name, size_t *count) {
    return rows_of(TASK_FILES, sizeof TASK_FILES / sizeof TASK_FILES[0], name, count);
}

const CorpusTokens *manifest_tokens(const char *corpus, const char *tokenizer) {
    for (size_t i = 0; i < sizeof TOKENS_OF / sizeof TOKENS_OF[0]; i++)
        if (!strcmp(TOKENS_OF[i].corpus, corpus) && !strcmp(TOKENS_OF[i].tokenizer, tokenizer)) return &TOKENS_OF[i];
    return NULL;
}

const Source *manifest_source(const char *name) {
    for (size_t i = 0; i < SOURCE_COUNT; i++)
        if (!strcmp(SOURCES[i].name, name)) return &SOURCES[i];
    return NULL;
}

size_t manifest_names(const char *names[MANIFEST_NAMES]) {
    size_t count = 0;
    for (size_t i = 0; i < FILE_COUNT; i++)
        if (!i || strcmp(FILES[i].name, FILES[i - 1].name)) names[count++] = FILES[i].name;
    for (size_t i = 0; i < SOURCE_COUNT; i++) names[count++] = SOURCES[i].name;
    return count;
}
