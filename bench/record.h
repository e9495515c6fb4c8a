/* RunRecord: what a finished run leaves behind, in runs/<id>/{record.json, curves.csv}. Written aside, fsynced, renamed:
 * merging shards is copying folders, and kill -9 leaves a whole run or none. */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include <stdbool.h>

#include "base/sha256.h"
#include "bench/curves.h"
#include "bench/spec.h"

enum { RECORD_SCHEMA = 2 }; /* 1: the same without `declared` */

/* One whole validation. */
typedef struct {
    int step;
    double metric[METRIC_COUNT]; /* NaN where it does not apply (no step done yet) */
    long targets, dropped;       /* evaluated; left out with the last partial window */
    double *block;               /* [blocks] mean nats of each batch of windows */
    int blocks;
} Evaluation;

typedef struct {
    char id[SHA256_HEX], arithmetic_class[64], arithmetic[SHA256_HEX];
    char dataset[64], dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    int vocab;
    double entropy_rate, unigram; /* nats; NaN when unknown */
    RunSpec spec;
    char *declared;    /* lines of bench/declare.h; NULL: nothing was */
    char status[16];   /* ok | diverged */
    int diverged_step; /* -1 when ok */
    char culprit[64];  /* "act h.0.attn", where the first non-finite number stood */
    char loss_chain[SHA256_HEX], parameters_hash[SHA256_HEX];
    Evaluation *evaluation;
    int evaluations;
    Curves curves;
    long parameters; /* cost */
    int threads, replicas; /* that shared it; that were trained with it: written among the provenance */
    char device[128];      /* where its kernels ran; empty, and never so when read: this CPU */
    double step_seconds, memory_mb, wall_seconds;
} RunRecord;

void record_release(RunRecord *r);

/* The evaluation at a step; NULL when the run has none. */
const Evaluation *record_at(const RunRecord *r, int step);

/* runs/<id>/ under folder. RC_UNMEASURED when the disk refuses; nothing is left half-written. */
Rc record_write(const RunRecord *r, const char *folder, Error *e);

/* Reads runs/<id>/record.json and curves.csv. RC_INTEGRITY names what does not read or does not have the hash that the
 * record names; RC_USAGE when absent. */
Rc record_read(RunRecord *r, const char *folder, const char *id, Error *e);

/* Evaluations as JSON text and back (checkpoints). */
char *evaluations_text(const RunRecord *r);
Rc evaluations_parse(RunRecord *r, const char *text, Error *e);

/* A number for JSON: inf and nan become strings. (json_t *, kept opaque here.) */
struct json_t;
struct json_t *json_number_of(double x);
bool json_number_read(const struct json_t *value, double *out);

#endif
