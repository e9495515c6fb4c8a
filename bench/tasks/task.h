/* Tasks: questions with choices, of which a language model takes the one it finds likeliest, by the rules of the LM
 * Evaluation Harness (Gao et al.; versions 0.4.x of lm_eval, tasks in the versions that bench/tasks/tasks.def names, no
 * examples in front).
 *
 * The model reads a context and is asked how likely the continuation is: a blank and the choice's text. Of winogrande
 * the choices stand in the contexts and the continuation is the same for both (partial evaluation). Prompts are the
 * harness's to the byte, also where it is odd: a blank stands in front of "'s" and of a full stop. Of hellaswag,
 * letters outside ASCII keep their case where Python would change it (str.capitalize). */
#ifndef BENCH_TASKS_TASK_H
#define BENCH_TASKS_TASK_H

#include <jansson.h>

#include "datasets/corpus.h"

enum { TASK_CHOICES = 8 };

typedef struct {
    int choices, label;          /* label: the place of the right one, from 0 */
    int line;                    /* of its file, from 1 */
    bool twins;                  /* two choices are equal, and the first of them stands for both */
    char *context[TASK_CHOICES]; /* what the model reads before a choice */
    char *text[TASK_CHOICES];    /* of a choice; its continuation is a blank and this */
} TaskItem;

/* What tasks.def says. */
typedef struct {
    const char *name;
    /* An item of one line; its label where the line holds it, else -1. The codes of task_read, without file and line.
     * item has no choices yet and the label -1; what it holds after an error is released by the caller. */
    Rc (*read)(TaskItem *item, const json_t *line, Error *e);
    Part part;
    int first;
    const char *version, *form, *about;
} TaskInfo;

enum {
#define TASK(id, ...) TASK_##id,
#include "bench/tasks/tasks.def"
#undef TASK
    TASK_COUNT
};
extern const TaskInfo task_info[TASK_COUNT];

/* The readers of one line. */
#define TASK(id, name, read, ...) Rc task_##read(TaskItem *item, const json_t *line, Error *e);
#include "bench/tasks/tasks.def"
#undef TASK

/* Where a user's own files are; NULL: the pinned ones, or labels in the items' lines. */
typedef struct {
    const char *items, *labels;
} TaskFiles;

typedef struct {
    const TaskInfo *info;
    TaskItem *item; /* [items] */
    int items;
    char from[512];          /* path or address */
    char sha256[SHA256_HEX]; /* of the file of items */
    bool pinned;             /* its bytes are those of the manifest */
} Task;

/* The row called name, or NULL. */
const TaskInfo *task_find(const char *name);

/* RC_USAGE, with file and line: not JSON, not an item of this task, a label that is missing or no choice's, no items, a
 * blank text, labels for more or fewer items than there are; no such file, or none given for
 * a task that is not pinned. Otherwise the codes of corpus_obtain. On error there is nothing to release. */
Rc task_open(Task *t, const TaskInfo *info, const TaskFiles *files, const DataPlaces *places, Error *e);

/* The same of bytes: file and labels_file are names for errors; labels NULL: there is no such file. */
Rc task_read(Task *t, const TaskInfo *info, const char *file, const char *bytes, size_t length, const char *labels_file,
             const char *labels, Error *e);
void task_release(Task *t);

/* The first `most` items alone. */
void task_cut(Task *t, int most);

#endif
