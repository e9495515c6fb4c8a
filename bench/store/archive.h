/* Archive: the records of some plans' runs as a folder or a tar file, to be stored or sent: only what `table`,
 * `claims`, `runs`, `show` and `trace` need. Equal records and plans give equal bytes.
 *
 *   runs/ID/record.json, runs/ID/curves.csv   as they are stored, and runs/ID/hits.bin if a run has one
 *                                             without_curves: curves.csv has only the names and the first step, whose
 *                                             loss says where a run began; record.json has the hash of that
 *   out/WORD/plan.json                        how each plan is made, with the text of its file (plan_folder.h)
 *   MANIFEST.json                             {schema, made_by, commit, curves: false where they are left out,
 *                                             plans: [{experiment, profile, plan, runs}], records: [{commit, runs}],
 *                                             files: [{path, bytes, sha256}]}
 *   SHA256SUMS                                of all of these, for `sha256sum -c`
 *
 * The unpacked folder is a folder of results: `normbench table WORD --results FOLDER`, whoever has it. Commands that
 * write nothing beside the records read FILE.tar.gz as it is (session_unpack). */
#ifndef BENCH_STORE_ARCHIVE_H
#define BENCH_STORE_ARCHIVE_H

#include "base/scratch.h"
#include "bench/store/session.h"
#include "bench/store/store.h"

enum { ARCHIVE_SCHEMA = 1 };

typedef struct {
    char *path; /* path in the archive */
    char *bytes;
    size_t length;
} ArchiveFile;

typedef struct {
    char experiment[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE], plan[SHA256_HEX], slug[PLAN_SLUG_SIZE];
    int runs;
} ArchivePlan;

typedef struct {
    bool without_curves; /* less than a tenth of the bytes; figures of curves and blocks, and means over steps, need
                            them */
    ArchiveFile *file; /* files of runs, by path; archive_close appends the two others */
    int files, runs;   /* runs: each counted once */
    ArchivePlan *plan;
    int plans;
    MadeBy build[MADE_BY_MAX]; /* its commits are owned texts */
    int builds;
} Archive;

void archive_begin(Archive *a);

/* Add the runs of a plan, each run once. RC_UNMEASURED, RC_INTEGRITY: a file cannot be read. */
Rc archive_add(Archive *a, const Experiment *x, const Records *r, const Session *s, Error *e);

/* Add MANIFEST.json and SHA256SUMS. */
void archive_close(Archive *a);

/* Write to a folder, which must be absent or empty; or to a tar file whose one folder is called `top`. RC_USAGE: the
 * target exists; RC_UNMEASURED: the disk refused, and nothing is left in the folder. */
Rc archive_folder(const Archive *a, const char *folder, Error *e);
void archive_tar(const Archive *a, const char *top, Text *out);

/* Read into a, which is released also after an error, the files of a FILE.tar or FILE.tar.gz that archive_tar wrote, or
 * that tar packed anew, and nothing else of it: plans, runs and builds stand in MANIFEST.json. Codes: file_read;
 * RC_UNMEASURED: neither zlib nor the program gzip can unpack it; RC_INTEGRITY: it breaks off, is no such file, or one
 * of its files does not have the hash that SHA256SUMS names. */
Rc archive_read(Archive *a, const char *path, Error *e);

/* Unpack what archive_read takes into a new temporary folder, which scratch_remove removes. Codes: see archive_read,
 * scratch_make and archive_folder; there is no folder then. */
Rc archive_unpack(Scratch *folder, const char *path, Error *e);

/* Whether a path ends as a tar file's, which gzip may have packed. */
bool archive_is_tar(const char *path);
bool archive_is_packed(const char *path);

/* Return a file of the archive; NULL: it has none of this path. */
const ArchiveFile *archive_file(const Archive *a, const char *path);

void archive_release(Archive *a);

#endif
