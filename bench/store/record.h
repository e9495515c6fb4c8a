/* RunRecord: what a finished run leaves behind, in runs/<id>/{record.json, curves.csv}, where it was asked for
 * hits.bin (hits.h), and translations.tsv (sentences.h) of a run that translates. Written aside,
 * fsynced, renamed: merging shards is copying folders, and kill -9 leaves a whole run or none. */
#ifndef BENCH_STORE_RECORD_H
#define BENCH_STORE_RECORD_H

#include <stdbool.h>

#include "base/sha256.h"
#include "bench/plan/metric.h"
#include "bench/plan/spec.h"
#include "bench/store/curves.h"
#include "bench/store/hits.h"
#include "bench/store/provenance.h"
#include "bench/store/rounded.h"
#include "bench/store/sentences.h"
#include "kernels/backend.h"

/* 1: without `declared`. 2: without `spec_sha256` and `provenance.made`; precision was no key of the spec yet but stood
 * in the arithmetic class. 3: without the key `positions`. 4: without `init_seed`, `order_seed` and `dropout_seed`. 5:
 * without `objective`. 6: without `text_sha256`; some of 7 without `mended`. All are read for ever: keys that are
 * younger than a record stand at their default. */
enum { RECORD_SCHEMA = 7 };

enum { RECORD_DATASET_SIZE = 64 }; /* room for a corpus's name */

/* One whole validation. */
typedef struct {
    int step;
    double metric[METRIC_COUNT]; /* NaN where it does not apply (no step done yet) */
    bool absent[METRIC_COUNT];   /* younger than the record, whose text and hash stay what they were */
    long targets, dropped;       /* evaluated; left out with the last partial window */
    double *block;               /* [blocks] mean nats of each batch of windows */
    int blocks;
} Evaluation;

typedef struct {
    char id[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char dataset[RECORD_DATASET_SIZE], dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    int vocab;
    double entropy_rate, unigram; /* nats; NaN when unknown */
    RunSpec spec;
    char spec_sha256[SHA256_HEX]; /* spec_hash of spec_by_bytes, as it would be written today: what a run is found by;
                                     the spec of every record of a user's text knows its bytes */
    char *declared;    /* lines of bench/plan/declare.h; NULL: nothing was */
    char status[16];   /* ok | diverged */
    int diverged_step; /* -1 when ok */
    char culprit[CULPRIT_SIZE];  /* "act h.0.attn", where the first non-finite number stood */
    char loss_chain[SHA256_HEX], parameters_hash[SHA256_HEX];
    Evaluation *evaluation;
    int evaluations;
    ProbeChoice probes; /* that the curves hold; stored where they are not the usual ones; every = 0: the usual ones */
    Curves curves;
    Hits hits;       /* of the last whole validation, where they were asked for; younger than schema 4, and left out
                        of the text of a record without them */
    Translations translations; /* of the last whole validation of a run that translates, likewise */
    RoundedRun rounded; /* absent where the precision rounds nothing */
    long parameters; /* cost */
    Provenance provenance;
    double step_seconds, memory_mb, wall_seconds;
} RunRecord;

void record_release(RunRecord *r);

/* The files of a run's folder, and whether a run has the k-th of them. */
enum { RECORD_FILES = 4 };
extern const char *const record_files[RECORD_FILES];
bool record_has(const RunRecord *r, int k);

/* The evaluation at a step; NULL when the run has none. */
const Evaluation *record_at(const RunRecord *r, int step);

/* Adds one, whose blocks the record owns from here on. */
void record_evaluated(RunRecord *r, const Evaluation *x);

/* runs/<id>/ under folder. RC_UNMEASURED when the disk refuses; nothing is left half-written. */
Rc record_write(const RunRecord *r, const char *folder, Error *e);

/* Gives the members of a record.json the hash of them and of the curves.csv beside it. */
void record_seal(json_t *root, const char *curves, size_t length);

/* Reads runs/<id>/record.json, curves.csv and, where the record names them, hits.bin and translations.tsv.
 * RC_INTEGRITY names what does not read or does not have the hash that the record names; RC_USAGE when absent. */
Rc record_read(RunRecord *r, const char *folder, const char *id, Error *e);

/* The same of record.json alone: no curves, no bits of hits, and its hash, which counts them in, is not checked. */
Rc record_members(RunRecord *r, const char *folder, const char *id, Error *e);

/* What finding a run needs of its record, without evaluations and curves; nothing to release. */
typedef struct {
    char id[SHA256_HEX], spec_sha256[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    char plain_sha256[SHA256_HEX]; /* spec_sha256 but for the bytes of a text of the user's own; else the same */
    char status[16];
    PrecisionKind precision; /* its spec's */
    double wall_seconds;
    int64_t made; /* 0: the record is older than this member */
} RecordHead;

/* Reads runs/<id>/record.json as far as that, and whether these make the id; its hash is not checked. The codes of
 * record_read. */
Rc record_head(RecordHead *h, const char *folder, const char *id, Error *e);

/* A run's id: SHA-256 of its canonical text, the corpus' and tokenizer's hashes, the arithmetic's class and hash.
 * record_identity_text: what is hashed behind the canonical text (spec_seeds_hash). */
void record_identity_text(Text *out, const char *dataset_sha256, const char *tokenizer_sha256,
                          const char *arithmetic_class, const char *arithmetic);
void record_identity(char out[SHA256_HEX], const RunSpec *s, const char *dataset_sha256, const char *tokenizer_sha256,
                     const char *arithmetic_class, const char *arithmetic);

/* Whether an id is that of these, also as a record of schema 1 or 2 was named, without its precision, or one of schema
 * 6 and before, without the bytes of a text in its spec, or as older ones were, with a text's name beside its bytes.
 * Ids of today are of spec_by_bytes. */
bool record_identity_holds(const char *id, const RunSpec *s, const char *dataset_sha256, const char *tokenizer_sha256,
                           const char *arithmetic_class, const char *arithmetic);

/* Which of the ids, which ascend, is that of these; NULL: none. */
const char *record_identity_among(const char (*id)[SHA256_HEX], int ids, const RunSpec *s, const char *dataset_sha256,
                                  const char *tokenizer_sha256, const char *arithmetic_class, const char *arithmetic);

/* The precision of an arithmetic class: a precision's name, alone or behind "cuda-" or "simt-" and before a space, is
 * its own; bf16-amx and bf16-dot -> bf16; else exact. */
PrecisionKind precision_of_class(const char *arithmetic_class);

/* The builds that made some runs. */
enum { MADE_BY_MOST = 16 };
typedef struct {
    const char *commit; /* of the first of its runs */
    int runs;
    int64_t first, last; /* when they were finished, in seconds since 1970; 0: not recorded */
} MadeBy;
/* In the order of the runs; those beyond MADE_BY_MOST commits are left out. Returns how many. */
int records_made_by(MadeBy out[MADE_BY_MOST], const RunRecord *const *r, int runs);

/* Evaluations as JSON text and back (checkpoints). asked: without the metrics of added probes that it does not ask for;
 * NULL: all. */
char *evaluations_text(const RunRecord *r, const ProbeChoice *asked);
Rc evaluations_parse(RunRecord *r, const char *text, Error *e);

#endif
