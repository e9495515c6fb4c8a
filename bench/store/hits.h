/* Hits: which targets of its last whole validation a run predicts right, stored in runs/<id>/hits.bin if an experiment
 * says `hits: true`. The file is an array of bits: evaluated target i, in the order of the text, is bit i % 8 (the
 * lowest first) of byte i / 8; bits after the last target are 0. record.json has the counts and the file's SHA-256. */
#ifndef BENCH_STORE_HITS_H
#define BENCH_STORE_HITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"

#define HITS_FILE "hits.bin"

typedef struct {
    long targets;  /* evaluated targets; 0: nothing is kept */
    long right;    /* targets predicted right: bits that are 1 */
    long frequent; /* occurrences of the most frequent target: hits of always predicting it */
    int step;
    char sha256[SHA256_HEX]; /* hash of the file */
    uint8_t *bit;            /* [hits_bytes]; NULL: nothing is kept, or the record was read without this file */
    long *seen, added;       /* until hits_end: [vocab] occurrences of each target; targets added */
    int vocab;
} Hits;

size_t hits_bytes(const Hits *h);

/* Return true if target i, 0 <= i < targets, is predicted right. */
bool hits_at(const Hits *h, long i);

/* Collect hits: hits_begin for at most that many targets, ids below vocab; hits_add for every batch of rows in order
 * (target -1 is skipped, hit[rows] says which are predicted right); hits_end once. hits_release is allowed at any time.
 * */
void hits_begin(Hits *h, int step, long targets, int vocab);
void hits_add(Hits *h, const int32_t *target, const bool *hit, size_t rows);
void hits_end(Hits *h);
void hits_release(Hits *h);

/* Convert to {"step": 300, "targets": 111488, "right": 30123, "most_frequent": 16611, "sha256": "…"} and back; NULL:
 * nothing is kept. */
json_t *hits_json(const Hits *h);
Rc hits_parse(Hits *h, const json_t *hits, Error *e);

#endif
