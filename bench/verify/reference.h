/* Reference: the stored files of a table, results/reference/<profile>/, and whether those that `table` made here are
 * the same, byte for byte. Reads files alone. Whatever the experiment:
 *
 *   - left out are files that hold measured times (NAME-cost.*), the day they were made (*.pdf) or the command line
 *     (plan.json), and the lines of JSON that name builds: "commit", and what stands in the list "records";
 *   - a figure is compared where the same gnuplot drew both: its line "Produced by GNUPLOT ..." says which;
 *   - where the plan's records (below results/reference/records) and NAME.json are stored, so are all of its files: one
 *     that is missing or besides is a difference, but for figures of curves where the records are stored without these.
 *     Else the files that are stored are compared, and the runs with the stored records or with NAME-runs.csv. */
#ifndef BENCH_VERIFY_REFERENCE_H
#define BENCH_VERIFY_REFERENCE_H

#include "bench/store/store.h"

typedef struct {
    char name[120];   /* of the table */
    bool whole;       /* all files of the table are stored */
    bool curves;      /* those drawn of curves too: the stored records have them */
    bool lists_runs;  /* its runs are stored, or a list of their hashes */
    int runs, known, alike; /* made here; those whose id is stored; those with the stored loss chain and weights */
    int files, same;  /* compared; the same */
    int others;       /* made here, with nothing stored to compare with */
    int figures;      /* of another gnuplot, or not drawn here */
    bool words;       /* the files that differ have the same numbers in the same order */
    Text run;         /* what the first run that differs is; "": none does */
    Text younger;     /* metrics that the runs here have and the stored ones lack, or the other way round; "": none */
    char commit[2][64]; /* of the builds that wrote NAME.json: the stored one's, this one's; "": not known */
    Text difference;  /* the first file and line that differ, as stored and as here; "": none does */
} Reference;

void reference_init(Reference *r, const char *name);
void reference_release(Reference *r);

/* The archive root/results/reference/records/PROFILE/NAME.tar.gz of x; "": there is none, or its MANIFEST.json does not
 * name x's plan. curves: whether its records have them. RC_INTEGRITY: a damaged archive. */
enum { REFERENCE_PATH_SIZE = 900 };
Rc reference_records(const char *root, const Experiment *x, char out[REFERENCE_PATH_SIZE], bool *curves, Error *e);

/* Counts the runs and names the first that is not stored with these bits: beside those of the archive `kept` of
 * reference_records, or root's list of hashes where that is "". RC_INTEGRITY: a stored record is damaged. */
Rc reference_runs(Reference *r, const char *root, const char *kept, const Experiment *x, const RunRecord *records,
                  Error *e);

/* Compares the files that were made in the folder `here` with those of the folder `stored`. Of r, whole and name are
 * read. experiments: a folder of *.yaml, whose names tell whose files are stored. */
Rc reference_files(Reference *r, const char *stored, const char *here, char *const *file, int files,
                   const char *experiments, Error *e);

/* Whether something that is stored is another here. */
bool reference_differs(const Reference *r);

/* What was compared and, where something differs, its first line and its cause where it can be known. title:
 * "embedding-norm-4 quick". */
void reference_text(const Reference *r, const char *title, Text *out);

#endif
