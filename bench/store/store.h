/* Store: the records under results/runs, found by the hash of a run's spec and not by its id, which also hashes the
 * corpus and the arithmetic. So reading trains nothing and needs no corpus; only `run` does.
 *
 * One spec may be stored several times: in several arithmetic classes (canon, bf16-amx, …), or in several arithmetics
 * of one class (a later build changed the bits of some arm). For the runs of an experiment these are never mixed:
 *   - runs of one precision are all of one class: the one with most of them, among equals canon, else the newest;
 *   - the runs of an arm in a cell (its seeds) are all of one arithmetic and corpus: the newest. Newest is the largest
 *     `made` of their provenance (records of schema 1 and 2 have none and are older than all others), then the one with
 *     more seeds, then the larger hash;
 *   - arms that name the same corpus have the same bytes of it. */
#ifndef BENCH_STORE_STORE_H
#define BENCH_STORE_STORE_H

#include "bench/plan/experiment.h"
#include "bench/store/record.h"
#include "bench/store/session.h"

typedef struct {
    char folder[1024];
    RecordHead *head; /* sorted by spec hash, then id */
    int heads;
    char (*damaged_id)[SHA256_HEX]; /* folders that do not read, in ascending order */
    int damaged;
    Error damage; /* error of the first of them */
} Store;

/* Change the error of a damaged stored run to RC_INTEGRITY, and say what to do about its folder. */
Rc store_damage(const char *folder, const char *id, Error *e);

/* Return true if a folder's name is a run's id: 64 hexadecimal digits. */
bool store_is_id(const char *name);

/* Read all records of folder (results/runs) whose name is an id; an absent folder is empty. A note on stderr counts
 * damaged ones. */
void store_read(Store *s, const char *folder);
void store_release(Store *s);

/* Count a head as damaged whose record cannot be read further, for the reason in e. */
void store_drop(Store *s, int head, Error *e);

/* Write the note on stderr that counts the damaged ones. */
void store_say_damage(const Store *s);

/* Return the records of a spec, [*count]. */
const RecordHead *store_find(const Store *s, const char *spec_sha256, int *count);

/* Records of an experiment's runs. */
typedef struct {
    RunRecord *at; /* [cells][arms][seeds]; NULL: some are missing */
    int runs, missing;
    PrecisionKind precision; /* the records' precision if the experiment leaves it open */
    char *notes;         /* "", or sentences about records left out: of another class, arithmetic or text */
    char others[400];    /* if some are missing: "", or sentences about runs trained on other bytes of a text */
} Records;

/* Take the records of x's runs. x's unknown texts become those of most stored runs (bench/store/texts.h). If some runs
 * are missing, `precise` is false and neither x nor an arm sets a precision, the runs of another precision are taken if
 * all of those are stored; x's specs then say so, its plan stays. Missing runs are no error: r->missing counts them. If
 * seeds are added until x is decided, x keeps only the first seeds that are whole, and none are missing then.
 * RC_INTEGRITY: a damaged record among those taken, or one whose id is a missing run's, as far as stored seeds of the
 * same arm tell that id. RC_UNMEASURED: arms were trained on different bytes of one corpus. On an error there is
 * nothing to release. */
Rc records_take(Records *r, const Store *s, Experiment *x, bool precise, Error *e);
void records_release(Records *r);

/* Check that no run is missing; else RC_UNMEASURED "12 of 24 runs are missing: normbench run …", with s's options of
 * the plan. */
Rc records_complete(const Records *r, const Session *s, const Experiment *x, Error *e);

#endif
