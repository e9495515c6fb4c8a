/* RunRecord: the result of a finished run, in runs/<id>/{record.json, curves.csv}, with hits.bin (hits.h) if asked for,
 * and translations.tsv (sentences.h) if it translates. It is written aside, fsynced and renamed: folders of several
 * processes can be merged by copying, and kill -9 leaves a whole run or none. */
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

/* Schemas. 1: without `declared`. 2: without `spec_sha256` and `provenance.made`; precision was part of the arithmetic
 * class, not a key of the spec. 3: without the key `positions`. 4: without `init_seed`, `order_seed` and
 * `dropout_seed`. 5: without `objective`. 6: without `text_sha256`; some of 7 without `mended`. All can be read: keys
 * that are younger than a record have their default. */
enum { RECORD_SCHEMA = 7 };

enum { RECORD_DATASET_SIZE = 64 }; /* bytes for a corpus's name */

/* One whole validation. */
typedef struct {
    int step;
    double metric[METRIC_COUNT]; /* NaN if it does not apply (no step done yet) */
    bool absent[METRIC_COUNT];   /* true: younger than the record, whose text and hash omit it */
    /* evaluated targets; those dropped with the last partial window, where older masked runs stored next-token's */
    long targets, dropped;
    double *block;               /* [blocks] mean nats of each batch of windows */
    int blocks;
} Evaluation;

typedef struct {
    char id[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char dataset[RECORD_DATASET_SIZE], dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    int vocab;
    double entropy_rate, unigram; /* nats; NaN: unknown */
    RunSpec spec;
    char spec_sha256[SHA256_HEX]; /* spec_hash of spec_by_bytes, as it would be written today: what a run is found by;
                                     the spec of every record of a user's text knows its bytes */
    char *declared;    /* lines of bench/plan/declare.h; NULL: none */
    char status[16];   /* ok | diverged */
    int diverged_step; /* -1 if ok */
    char culprit[CULPRIT_SIZE];  /* place of the first number that is not finite: "act h.0.attn" */
    char loss_chain[SHA256_HEX], parameters_hash[SHA256_HEX];
    Evaluation *evaluation;
    int evaluations;
    ProbeChoice probes; /* probes in the curves; stored if not the usual ones; every = 0: the usual ones */
    Curves curves;
    Hits hits;       /* the last whole validation's, if asked for; younger than schema 4, and omitted from the text
                        of a record without them */
    Translations translations; /* the last whole validation's, if the run translates; likewise */
    RoundedRun rounded; /* absent if the precision rounds nothing */
    long parameters; /* cost */
    Provenance provenance;
    double step_seconds, memory_mb, wall_seconds;
} RunRecord;

void record_release(RunRecord *r);

/* Names of the files of a run's folder; return true if a run has the k-th. */
enum { RECORD_FILES = 4 };
extern const char *const record_files[RECORD_FILES];
bool record_has(const RunRecord *r, int k);

/* Return the evaluation at a step; NULL: there is none. */
const Evaluation *record_at(const RunRecord *r, int step);

/* Add an evaluation; the record then own_count its blocks. */
void record_evaluated(RunRecord *r, const Evaluation *x);

/* Write runs/<id>/ under folder. RC_UNMEASURED: the disk refused; nothing is left half-written. */
Rc record_write(const RunRecord *r, const char *folder, Error *e);

/* Set the hash member of a record.json, over its members and curves.csv. */
void record_seal(json_t *root, const char *curves, size_t length);

/* Read runs/<id>/record.json, curves.csv and, if the record names them, hits.bin and translations.tsv. RC_INTEGRITY
 * names what cannot be read or has another hash than the record says; RC_USAGE: absent. */
Rc record_read(RunRecord *r, const char *folder, const char *id, Error *e);

/* Read record.json and check its hash, without the curves, which it covers, and bits of hits. Codes: see
 * record_read. */
Rc record_checked(RunRecord *r, const char *folder, const char *id, Error *e);

/* Read record.json only: without curves and bits of hits, so its hash, which covers them, is not checked. */
Rc record_members(RunRecord *r, const char *folder, const char *id, Error *e);

/* Head of a record, by which runs are found: without evaluations and curves; nothing to release. */
typedef struct {
    char id[SHA256_HEX], spec_sha256[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    char plain_sha256[SHA256_HEX]; /* spec_sha256 without the bytes of a user's own text; else equal */
    char status[16];
    PrecisionKind precision; /* the spec's */
    int vocab;
    double wall_seconds;
    double last_loss; /* of the last validation; NaN: not known */
    int64_t made; /* 0: the record is older than this member */
} RecordHead;

/* Read the head of runs/<id>/record.json and check that it gives the id; its hash is not checked. Codes: see
 * record_read. */
Rc record_head(RecordHead *h, const char *folder, const char *id, Error *e);

/* Compute a run's id: SHA-256 of its canonical text, the corpus' and tokenizer's hashes, the arithmetic's class and
 * hash. record_identity_text appends what is hashed after the canonical text (spec_seeds_hash). */
void record_identity_text(Text *out, const char *dataset_sha256, const char *tokenizer_sha256,
                          const char *arithmetic_class, const char *arithmetic);
void record_identity(char out[SHA256_HEX], const RunSpec *s, const char *dataset_sha256, const char *tokenizer_sha256,
                     const char *arithmetic_class, const char *arithmetic);

/* Return true if an id is the hash of these, also in the form of schemas 1 and 2 (without precision), up to 6 (without
 * a text's bytes in the spec), or of older records (with a text's name beside its bytes). New ids are of spec_by_bytes.
 * */
bool record_identity_holds(const char *id, const RunSpec *s, const char *dataset_sha256, const char *tokenizer_sha256,
                           const char *arithmetic_class, const char *arithmetic);

/* Return the one of the ascending ids that is the hash of these; NULL: none. */
const char *record_identity_among(const char (*id)[SHA256_HEX], int ids, const RunSpec *s, const char *dataset_sha256,
                                  const char *tokenizer_sha256, const char *arithmetic_class, const char *arithmetic);

/* Return the precision of an arithmetic class: a precision's name, alone or after "cuda-" or "simt-" and before a
 * space, is itself; bf16-amx and bf16-dot -> bf16; else exact. */
PrecisionKind precision_of_class(const char *arithmetic_class);

/* Builds that made some runs. */
enum { MADE_BY_MAX = 16 };
typedef struct {
    const char *commit; /* text of its first run */
    int runs;
    int64_t first, last; /* ends of its first and last run, in seconds since 1970; 0: not recorded */
} MadeBy;
/* List the builds in the order of the runs, without those beyond MADE_BY_MAX commits; return how many. */
int records_made_by(MadeBy out[MADE_BY_MAX], const RunRecord *const *r, int runs);

/* Convert evaluations to JSON text and back (checkpoints). asked: omit metrics of added probes that are not in it;
 * NULL: all. */
char *evaluations_text(const RunRecord *r, const ProbeChoice *asked);
Rc evaluations_parse(RunRecord *r, const char *text, Error *e);

#endif
