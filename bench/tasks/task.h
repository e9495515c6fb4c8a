/* Tasks: questions with choices, of which a language model takes the likeliest, by the rules of the LM Evaluation
 * Harness (Gao et al.; versions 0.4.x of lm_eval, tasks in the versions that bench/tasks/tasks.def names, zero-shot).
 *
 * The model reads a context and scores the continuation: a blank and the choice's text. In winogrande the choices are
 * in the contexts and the continuation is the same for both (partial evaluation). Prompts equal the harness's to the
 * byte, oddities included: a blank precedes "'s" and a full stop. In hellaswag, letters outside ASCII keep their case
 * where Python would change it (str.capitalize). */
#ifndef BENCH_TASKS_TASK_H
#define BENCH_TASKS_TASK_H

#include <jansson.h>

#include "datasets/corpus.h"

enum { TASK_CHOICES = 8 };

typedef struct {
    int choices, label;          /* label: index of the right choice, from 0 */
    int line;                    /* line in its file, from 1 */
    bool twins;                  /* two choices are equal, and the first of them counts for both */
    char *context[TASK_CHOICES]; /* text before a choice */
    char *text[TASK_CHOICES];    /* text of a choice; the continuation is a blank and this */
} TaskItem;

/* A row of tasks.def. */
typedef struct {
    const char *name;
    /* Read an item from one line, with its label if the line has one, else -1. Codes of task_read, without file and
     * line. item has no choices yet and the label -1; the caller releases it, also after an error. */
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

/* Declare the readers of one line. */
#define TASK(id, name, read, ...) Rc task_##read(TaskItem *item, const json_t *line, Error *e);
#include "bench/tasks/tasks.def"
#undef TASK

/* Paths of a user's own files; NULL: the pinned ones, or labels in the items' lines. */
typedef struct {
    const char *items, *labels;
} TaskFiles;

typedef struct {
    const TaskInfo *info;
    TaskItem *item; /* [items] */
    int items;
    char from[512];          /* path or address */
    char sha256[SHA256_HEX]; /* hash of the file of items */
    bool pinned;             /* the file is the manifest's */
} Task;

/* Return the row called name, or NULL. */
const TaskInfo *task_find(const char *name);

/* Open a task. RC_USAGE, with file and line: not JSON, not an item of this task, a missing or invalid label, no items,
 * a blank text, labels for more or fewer items than there are; no such file, or none given for a task that is not
 * pinned. Otherwise the codes of corpus_obtain. On error there is nothing to release. */
Rc task_open(Task *t, const TaskInfo *info, const TaskFiles *files, const DataPlaces *places, Error *e);

/* Read a task from bytes; file and labels_file are names for errors; labels NULL: there is no such file. */
Rc task_read(Task *t, const TaskInfo *info, const char *file, const char *bytes, size_t length, const char *labels_file,
             const char *labels, Error *e);
void task_release(Task *t);

/* Keep only the first `most` items. */
void task_cut(Task *t, int most);

#endif
