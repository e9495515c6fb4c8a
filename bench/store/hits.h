/* Hits: which targets of its last whole validation a run predicts right, kept in runs/<id>/hits.bin where an experiment
 * says `hits: true`. The file is bits alone: evaluated target i, in the order of the text, is bit i % 8 (the lowest
 * first) of byte i / 8; the bits behind the last target are 0. The record beside it says the rest, and its SHA-256. */
#ifndef BENCH_STORE_HITS_H
#define BENCH_STORE_HITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"

#define HITS_FILE "hits.bin"

typedef struct {
    long targets;  /* evaluated; 0: nothing is kept */
    long right;    /* of them; bits that are 1 */
    long frequent; /* targets that are the most frequent one: what always predicting that one gets right */
    int step;
    char sha256[SHA256_HEX]; /* of the file */
    uint8_t *bit;            /* [hits_bytes]; NULL: nothing is kept, or the record was read without this file */
    long *seen, added;       /* until hits_end: [vocab] how often each target was there, and how many were added */
    int vocab;
} Hits;

size_t hits_bytes(const Hits *h);

/* Whether target i, 0 <= i < targets, is predicted right. */
bool hits_at(const Hits *h, long i);

/* Room for that many targets at most, ids below vocab; then hits_add for every batch of rows in its turn, where target
 * -1 counts nothing and hit[rows] says which are predicted right; and hits_end once. hits_release is fine at any
 * time. */
void hits_begin(Hits *h, int step, long targets, int vocab);
void hits_add(Hits *h, const int32_t *target, const bool *hit, size_t rows);
void hits_end(Hits *h);
void hits_release(Hits *h);

/* {"step": 300, "targets": 111488, "right": 30123, "most_frequent": 16611, "sha256": "…"}, and back: NULL keeps
 * nothing. */
json_t *hits_json(const Hits *h);
Rc hits_parse(Hits *h, const json_t *hits, Error *e);

#endif
