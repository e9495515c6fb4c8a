#include "bench/tasks/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/text.h"

const TaskInfo task_info[TASK_COUNT] = {
#define TASK(id, name, read, part, first, version, form, about) \
    [TASK_##id] = {name, task_##read, PART_##part, first, version, form, about},
#include "bench/tasks/tasks.def"
#undef TASK
};

const TaskInfo *task_find(const char *name) {
    for (int i = 0; i < TASK_COUNT; i++)
        if (!strcmp(name, task_info[i].name)) return &task_info[i];
    return NULL;
}

static void item_release(TaskItem *item) {
    for (int i = 0; i < item->choices; i++) free(item->context[i]), free(item->text[i]);
}

void task_release(Task *t) {
    for (int i = 0; i < t->items; i++) item_release(&t->item[i]);
    free(t->item);
    *t = (Task){0};
}

void task_cut(Task *t, int most) {
    while (t->items > most) item_release(&t->item[--t->items]);
}

/* Return true if two choices have equal texts and contexts: the first of them wins ties, as in lm_eval. */
static bool has_twins(const TaskItem *item) {
    for (int i = 0; i < item->choices; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(item->text[i], item->text[j]) && !strcmp(item->context[i], item->context[j])) return true;
    return false;
}

static Rc read_line(TaskItem *item, const TaskInfo *info, const char *line, size_t length, Error *e) {
    json_error_t why;
    json_auto_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    *item = (TaskItem){.label = -1};
    if (!root)
        return error_set(e, RC_USAGE, "not a line of JSON (%.200s); an item of %s has %s", why.text, info->name,
                         info->form);
    Rc rc = json_is_object(root) ? info->read(item, root, e) : error_set(e, RC_USAGE, "not an object of JSON");
    if (!rc) item->twins = has_twins(item);
    if (!rc) return RC_OK;
    return error_add(e, "; an item of %s has %s", info->name, info->form);
}

static Rc read_items(Task *t, const char *file, const char *bytes, size_t length, Error *e) {
    int room = 0, line = 0;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t n = end ? (size_t)(end - bytes) - at : length - at;
        line++;
        if (strspn(bytes + at, " \t\r") < n) {
            if (t->items == room) {
                room = room ? 2 * room : 64;
                t->item = mem_grow(t->item, (size_t)room, sizeof *t->item);
            }
            TaskItem *item = &t->item[t->items++];
            if (read_line(item, t->info, bytes + at, n, e)) return error_prefix(e, "%s:%d: ", file, line);
            item->line = line;
        }
        at += n + 1;
    }
    return t->items ? RC_OK
                    : error_set(e, RC_USAGE, "%s: no items; one of %s has %s", file, t->info->name, t->info->form);
}

/* Read labels, one a line. */
static Rc read_labels(Task *t, const char *file, const char *labels, Error *e) {
    int first = t->info->first, n = 0;
    for (const char *at = labels; *at;) {
        char word[16] = "";
        int64_t label;
        size_t length = strcspn(at, "\n");
        if (length < sizeof word) memcpy(word, at, length);
        if (n < t->items) {
            TaskItem *item = &t->item[n];
            if (!parse_integer(trim(word), &label) || label < first || label >= first + item->choices)
                return error_set(e, RC_USAGE, "%s:%d: '%.15s' is not a label from %d to %d", file, n + 1, word, first,
                                 first + item->choices - 1);
            item->label = (int)label - first;
        }
        n++;
        at += length + (at[length] == '\n');
    }
    if (n == t->items) return RC_OK;
    return error_set(e, RC_USAGE, "%s: %d label%s for %d item%s of %s", file, n, n == 1 ? "" : "s", t->items,
                     t->items == 1 ? "" : "s", t->info->name);
}

/* Copy bytes[length] without byte order marks and with line feeds. */
static Rc take_plain(char **out, size_t *length, const char *file, const char *bytes, Error *e) {
    *out = mem_alloc(*length + 1, 1);
    if (*length) memcpy(*out, bytes, *length);
    return plain_text(out, length, e) ? error_prefix(e, "%s: ", file) : RC_OK;
}

Rc task_read(Task *t, const TaskInfo *info, const char *file, const char *bytes, size_t length, const char *labels_file,
             const char *labels, Error *e) {
    char *items, *list = NULL;
    size_t n = labels ? strlen(labels) : 0;
    *t = (Task){.info = info};
    Rc rc = take_plain(&items, &length, file, bytes, e);
    if (!rc && labels) rc = take_plain(&list, &n, labels_file, labels, e);
    if (!rc) rc = read_items(t, file, items, length, e);
    if (!rc && labels) rc = read_labels(t, labels_file, list, e);
    free(items);
    free(list);
    for (int i = 0; i < t->items && !rc; i++)
        if (t->item[i].label < 0)
            rc = error_set(e, RC_USAGE,
                           "%s:%d: it has no label: a test set whose answers are not published, or --file "
                           "labels:%s=FILE is missing",
                           file, t->item[i].line, info->name);
    if (rc) task_release(t);
    return rc;
}

static Rc obtain(CorpusBytes *c, const TaskInfo *info, Part part, const DataPlaces *places, bool *found, Error *e) {
    size_t count;
    const CorpusFile *rows = manifest_task(info->name, &count);
    *found = false;
    for (size_t i = 0; i < count; i++)
        if (rows[i].part == part) {
            *found = true;
            return corpus_obtain(c, &rows[i], places, e);
        }
    return RC_OK;
}

Rc task_open(Task *t, const TaskInfo *info, const TaskFiles *files, const DataPlaces *places, Error *e) {
    CorpusBytes items, labels;
    bool found = true, with_labels = files->labels != NULL;
    Rc rc =
        files->items ? corpus_open_text(&items, files->items, e) : obtain(&items, info, info->part, places, &found, e);
    if (rc) return files->items ? rc : error_prefix(e, "%s (or --file %s=FILE): ", info->name, info->name);
    if (!found)
        return error_set(e, RC_USAGE, "%s: not pinned here; --file %s=FILE, lines of JSON with %s", info->name,
                         info->name, info->form);
    if (files->labels)
        rc = corpus_open_text(&labels, files->labels, e);
    else if (!files->items)
        rc = obtain(&labels, info, PART_LABELS, places, &with_labels, e);
    if (!rc) {
        rc = task_read(t, info, items.from.at, (const char *)items.bytes, items.length,
                       with_labels ? labels.from.at : NULL, with_labels ? (const char *)labels.bytes : NULL, e);
        if (with_labels) corpus_release(&labels);
    }
    if (!rc) {
        snprintf(t->from, sizeof t->from, "%s", items.from.at);
        memcpy(t->sha256, items.sha256, sizeof t->sha256);
        t->pinned = !files->items && !files->labels;
    }
    corpus_release(&items);
    return rc;
}
