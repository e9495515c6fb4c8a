/* PlanFolder: results/out/<slug>/, the tables and figures of one plan. The slug is NAME-24252339 (the experiment's name
 * and the first 8 digits of the plan's hash), or --name's. Its plan.json says how to make the plan again and which
 * files `table` wrote:
 *
 *   schema       2
 *   experiment   as `normbench run` takes it: a name of bench/experiments, or a path
 *   profile      "": the file has none
 *   set, arm     the values of --set and --arm; --text, --tokenizer and --seeds are keys of --set
 *   plan         SHA-256 of the plan (bench/plan/experiment.h)
 *   yaml         the text of the file that made the plan; a note of schema 1 has none
 *   files        files that `table` wrote here: the next one removes those that it could write and does not
 *
 * A noted plan stays: neither a file that has grown nor another command line of the same plan changes how it is made
 * again. */
#ifndef BENCH_STORE_PLAN_FOLDER_H
#define BENCH_STORE_PLAN_FOLDER_H

#include <jansson.h>
#include <limits.h>

#include "base/sha256.h"
#include "bench/plan/experiment.h"

enum { PLAN_SLUG_SIZE = 80, PLAN_PATH_SIZE = 900, PLAN_TEXTS_MAX = 68 };

/* Contents of a plan.json. */
typedef struct {
    json_t *all; /* NULL: there is none; own_count what the others point to */
    const char *experiment, *profile, *plan;
    const char *yaml; /* NULL: not noted */
    json_t *set, *arm, *files; /* arrays of texts */
} PlanNote;

/* Read the note of results/out/<slug>/. note->all is NULL if there is none; RC_INTEGRITY: it is invalid. */
Rc plan_note_read(PlanNote *note, const char *results, const char *slug, Error *e);
void plan_note_release(PlanNote *note);

/* Write the note of from/out/<slug>/ into to/out/<slug>/, with no files, unless to has one; *other: that is another
 * plan's, or either does not read. A path of the file becomes its name where the note holds the text. */
Rc plan_note_carry(const char *from, const char *to, const char *slug, bool *other, Error *e);

/* List the slugs of all folders of results/out with a plan.json, ascending; names_free (base/file.h) frees them. */
int plan_slugs(const char *results, char ***slugs);

/* Make the plan of a note from its file, else from the noted text. RC_USAGE: neither makes that plan; errors call it
 * `slug`. */
Rc plan_note_experiment(const PlanNote *note, const char *root, const char *slug, Experiment *x, Error *e);

/* Return true if some note has x's plan from a file only, without --set and --arm; x then becomes that plan, with the
 * title and the tables of its file. */
bool plan_declared(const char *results, const char *root, Experiment *x);

/* Return the overrides with which experiment_read makes the plan again; set and arm receive texts of the note. */
Overrides plan_note_overrides(const PlanNote *note, const char *set[PLAN_TEXTS_MAX], const char *arm[PLAN_TEXTS_MAX]);

/* Append " --profile smoke --set steps=4 --arm '…'", quoted for a shell. */
void plan_note_options(const PlanNote *note, Text *out);

typedef struct {
    char slug[PLAN_SLUG_SIZE], path[PLAN_PATH_SIZE];
    PlanNote before;
} PlanFolder;

/* Find the folder of x's plan; make nothing. slug "": NAME-24252339. RC_USAGE: slug is invalid, or another plan's. */
Rc plan_folder_find(PlanFolder *f, const char *results, const char *slug, const Experiment *x, Error *e);
void plan_folder_release(PlanFolder *f);

/* Write x's file as plan.json names it: by its name if it is in bench/experiments, else by its whole path. */
void plan_experiment(const char *root, const Experiment *x, char out[PATH_MAX]);

/* Make the folder and write its plan.json, unless an equal one exists. root: the checkout. */
Rc plan_folder_note(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o, Error *e);

/* Move the files of the folder `aside` into it, remove other files of an earlier `table` but those for which
 * stays(name, of) is true, and write plan.json. */
Rc plan_folder_fill(const PlanFolder *f, const char *aside, bool (*stays)(const char *name, const void *of),
                    const void *of, const char *root, const Experiment *x, const Overrides *o, Error *e);

/* Make the plan.json of x's plan for another machine, a new reference, without files and without the path of x's file.
 * NULL: an option is not UTF-8. */
json_t *plan_note_carried(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o);

#endif
