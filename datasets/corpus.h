/* Corpora: find a pinned file's bytes and check that they are the pinned ones.
 *
 * Places, in this order: --data DIR, $NORMBENCH_DATA, the cache, the mirror beside the checkout, the pinned
 * address. The first place that has the file decides: right bytes are used, wrong bytes stop the program
 * (RC_INTEGRITY), so that a wrong copy is never skipped silently. A wrong copy in the cache is moved aside, elsewhere
 * it is left alone. A file of ORDER_ARTICLES is right in any order of its articles; they are returned (and cached) in
 * canonical order. */
#ifndef DATASETS_CORPUS_H
#define DATASETS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "datasets/manifest.h"

/* Places to look in. NULL or "" omits a place; a zeroed struct uses the network only. */
typedef struct {
    const char *data;        /* the folder of --data */
    const char *environment; /* the value of $NORMBENCH_DATA */
    const char *cache;       /* folder for downloads; made when a download is stored */
    const char *root;        /* the checkout; its mirror is root/../shared/datasets */
    bool offline;            /* never download */
    bool allow_file_urls;    /* also download from file:// (tests) */
    bool (*stopped)(void);   /* called while downloading: true gives up with RC_INTERRUPTED; NULL: never */
} DataPlaces;

typedef enum { PLACE_DATA, PLACE_ENVIRONMENT, PLACE_CACHE, PLACE_MIRROR, PLACE_COUNT } Place;

/* Return "--data", "$NORMBENCH_DATA", "cache" or "mirror". */
const char *place_name(Place place);

/* Set *path, after text_init, to the file's path in that place; false: the place is omitted. */
bool place_path(const DataPlaces *places, Place place, const char *file, Text *path);

/* Checked bytes; corpus_release frees the contents. */
typedef struct {
    uint8_t *bytes; /* [length], and a terminating zero */
    size_t length;
    char sha256[SHA256_HEX];
    Text from; /* path or url they were read from */
    Text note; /* remark to the user (the cache cannot be written, …), or "" */
} CorpusBytes;

void corpus_release(CorpusBytes *c);

/* Get the bytes of row from the first place that has them; a download is checked, then stored in the cache.
 * RC_INTEGRITY: not the pinned bytes; the line names the place, both hashes, what the bytes look like, and the new name
 * of a wrong cached or downloaded copy (FILE.rejected-HHHHHHHH, the first 8 digits of its hash).
 * RC_UNMEASURED: not found (the line names every place tried), or unreadable.
 * RC_USAGE: --data or $NORMBENCH_DATA is no folder.  RC_INTERRUPTED: stopped while downloading.
 * On error *c needs no release. */
Rc corpus_obtain(CorpusBytes *c, const CorpusFile *row, const DataPlaces *places, Error *e);

/* Read a user's own text: a plain, non-empty file, of any encoding. RC_USAGE: it is not that; RC_UNMEASURED: it cannot
 * be read. On error *c needs no release. */
Rc corpus_open_text(CorpusBytes *c, const char *path, Error *e);

/* Return the articles of a WikiText file in canonical order, with a terminating zero; the caller frees them.
 * Redistributions permute articles, so text[length] is cut into them and these are sorted by their SHA-256, which
 * gives the same bytes from every source. An article begins one line before each line " = Title = " (three bytes on
 * either side, the title not beginning with "="), the first one with the file. */
uint8_t *articles_sort(const uint8_t *text, size_t length);

#endif
