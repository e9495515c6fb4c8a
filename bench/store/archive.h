/* Archive: the records of some plans' runs as a folder or a tar file, to be stored or sent: what `table`, `claims`,
 * `runs`, `show` and `trace` need of them, and nothing besides. The same records and plans give the same bytes.
 *
 *   runs/ID/record.json, runs/ID/curves.csv   as they are stored, and runs/ID/hits.bin of a run that has one
 *                                             with without_curves: of curves.csv the names and the first step, whose
 *                                             loss says where a run began; record.json names the hash it has so
 *   out/WORD/plan.json                        how each plan is made, with the text of its file (plan_folder.h)
 *   MANIFEST.json                             {schema, made_by, commit, curves: false where they are left out,
 *                                             plans: [{experiment, profile, plan, runs}], records: [{commit, runs}],
 *                                             files: [{path, bytes, sha256}]}
 *   SHA256SUMS                                of all of these, for `sha256sum -c`
 *
 * The unpacked folder is a folder of results: `normbench table WORD --results FOLDER`, whoever has it. */
#ifndef BENCH_STORE_ARCHIVE_H
#define BENCH_STORE_ARCHIVE_H

#include "bench/store/session.h"
#include "bench/store/store.h"

enum { ARCHIVE_SCHEMA = 1 };

typedef struct {
    char *path; /* in the archive */
    char *bytes;
    size_t length;
} ArchiveFile;

typedef struct {
    char experiment[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE], plan[SHA256_HEX], word[PLAN_WORD_SIZE];
    int runs;
} ArchivePlan;

typedef struct {
    bool without_curves; /* less than a tenth of the bytes; figures of curves and blocks cannot be drawn of it */
    ArchiveFile *file; /* of runs, by path; with archive_close also the two others, at the end */
    int files, runs;   /* runs: each counted once */
    ArchivePlan *plan;
    int plans;
    MadeBy made[MADE_BY_MOST]; /* commits: texts of their own */
    int mades;
} Archive;

void archive_begin(Archive *a);

/* Adds the runs of a plan; one that is there already stands once. RC_UNMEASURED, RC_INTEGRITY: a file that does not
 * read. */
Rc archive_add(Archive *a, const Experiment *x, const Records *r, const Session *s, Error *e);

/* Adds MANIFEST.json and SHA256SUMS. */
void archive_close(Archive *a);

/* Into a folder, which must be absent or empty; into a tar file whose one folder is called `top`. RC_USAGE: something
 * is there; RC_UNMEASURED: the disk refused. */
Rc archive_folder(const Archive *a, const char *folder, Error *e);
void archive_tar(const Archive *a, const char *top, Text *out);

void archive_release(Archive *a);

#endif
