/* PlanFolder: results/out/<word>/, where the tables and figures of one plan stand. The word is NAME-24252339 (the
 * experiment's name and the first 8 digits of the plan's hash), or what --name says. plan.json in it says how the plan
 * is made again and which files `table` wrote:
 *
 *   schema       2
 *   experiment   as `normbench run` takes it: a name of bench/experiments, or a path
 *   profile      "": the file has none
 *   set, arm     the values of --set and --arm; --text, --tokenizer, --precision and --seeds are keys of --set
 *   plan         SHA-256 of the plan (bench/plan/experiment.h)
 *   yaml         the text of the file that made the plan; a note of schema 1 has none
 *   files        what `table` wrote here: the next one removes those that it would write and does not
 *
 * A plan that was noted stays what it was: neither a file that has grown nor another command line that makes the same
 * plan changes how it is made again. */
#ifndef BENCH_STORE_PLAN_FOLDER_H
#define BENCH_STORE_PLAN_FOLDER_H

#include <jansson.h>
#include <limits.h>

#include "base/sha256.h"
#include "bench/plan/experiment.h"

enum { PLAN_WORD_SIZE = 80, PLAN_PATH_SIZE = 900, PLAN_MOST_TEXTS = 68 };

/* What a plan.json says. */
typedef struct {
    json_t *all; /* NULL: there is none; owns what the others point to */
    const char *experiment, *profile, *plan;
    const char *yaml; /* NULL: not noted */
    json_t *set, *arm, *files; /* arrays of texts */
} PlanNote;

/* The note of results/out/<word>/. note->all is NULL when there is none; RC_INTEGRITY: it is none. */
Rc plan_note_read(PlanNote *note, const char *results, const char *word, Error *e);
void plan_note_release(PlanNote *note);

/* The words of all folders of results/out that hold a plan.json, ascending; names_free (base/file.h) frees them. */
int plan_words(const char *results, char ***words);

/* The plan of a note: as its file makes it today, else as the noted text does. RC_USAGE: neither makes that plan;
 * word: what errors call it. */
Rc plan_note_experiment(const PlanNote *note, const char *root, const char *word, Experiment *x, Error *e);

/* What a plan that is declared was called first: whether some note has x's plan by a file alone, without --set and
 * --arm. Then x becomes that plan, with the title and the tables of its file. */
bool plan_declared(const char *results, const char *root, Experiment *x);

/* What experiment_read takes to make the plan again; lists that it points to, their texts are the note's. */
Overrides plan_note_overrides(const PlanNote *note, const char *set[PLAN_MOST_TEXTS], const char *arm[PLAN_MOST_TEXTS]);

/* " --profile smoke --set steps=4 --arm '…'", as a shell reads it back. */
void plan_note_options(const PlanNote *note, Text *out);

typedef struct {
    char word[PLAN_WORD_SIZE], path[PLAN_PATH_SIZE];
    PlanNote before;
} PlanFolder;

/* The folder of x's plan; nothing is made. word "": NAME-24252339. RC_USAGE: word cannot be one, or is another
 * plan's. */
Rc plan_folder_find(PlanFolder *f, const char *results, const char *word, const Experiment *x, Error *e);
void plan_folder_release(PlanFolder *f);

/* How a plan.json calls x's file: by its name when it is one of bench/experiments, else by its whole path. */
void plan_experiment(const char *root, const Experiment *x, char out[PATH_MAX]);

/* Makes the folder and writes its plan.json, unless it is there and says the same. root: of the checkout. */
Rc plan_folder_note(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o, Error *e);

/* Puts the files of the folder `aside` into it, removes those of an earlier `table` that are not among them and not
 * stays(name, of), and writes plan.json. */
Rc plan_folder_fill(const PlanFolder *f, const char *aside, bool (*stays)(const char *name, const void *of),
                    const void *of, const char *root, const Experiment *x, const Overrides *o, Error *e);

/* The plan.json of x's plan for another machine, a new reference: without files, and without the path of x's file.
 * NULL: an option is not UTF-8. */
json_t *plan_note_carried(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o);

#endif
