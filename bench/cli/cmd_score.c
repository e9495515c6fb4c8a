/* normbench model score RUN|FILE...: what weights know of tasks, by the rules of the LM Evaluation Harness. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/run/retrain.h"
#include "bench/run/weighted.h"
#include "bench/tasks/score_tables.h"

#define LABELS "labels:" /* before the task in --file: its answers */

static void windows_done(void *of, int windows) {
    progress_add(of, windows, false);
}

/* All tasks by one model. */
static Rc score_model(Weighted *m, const Session *s, const Task *task, int tasks, TaskScore *score, Error *e) {
    bool drop = option_choice(s->options, OPTION_unknown, 0) == 1;
    int context = (int)m->spec->context, encoded = 0;
    double windows = 0;
    Recipe recipe;
    Progress progress;
    Rc rc = RC_OK;
    for (; encoded < tasks && !rc; encoded += !rc) {
        rc = task_encode(&score[encoded], &task[encoded], m->codec, drop, e);
        if (!rc) windows += task_windows(&score[encoded], context);
    }
    if (!rc) rc = weighted_trainer(m, s, &recipe, e);
    progress_init(&progress, windows, tasks);
    for (int k = 0; k < tasks && !rc; k++) {
        progress_state(&progress, task[k].info->name);
        rc = task_weigh(&score[k], m->t, (int)m->spec->batch, context, &session_signal, windows_done, &progress, e);
        if (!rc) task_count(&score[k], context);
    }
    progress_end(&progress);
    for (int k = 0; rc && k < encoded; k++) task_score_release(&score[k]);
    return rc;
}

/* Of `--file TASK=FILE`, or of `--file labels:TASK=FILE`; NULL: not given. */
static const char *file_of(const Options *o, const char *before, const char *task) {
    const char *found = NULL;
    char name[64];
    int n = snprintf(name, sizeof name, "%s%s=", before, task);
    for (int i = 0; i < o->times[OPTION_file]; i++)
        if (!strncmp(o->value[OPTION_file][i], name, (size_t)n)) found = o->value[OPTION_file][i] + n;
    return found;
}

static Rc unknown_task(const char *from, const char *name, Error *e) {
    error_set(e, RC_USAGE, "%s: unknown task '%.60s'", from, name);
    return name_unknown(e, name, NAMES(task_info, TASK_COUNT), "there are");
}

/* Files are given for tasks that are scored. */
static Rc check_files(const Options *o, const TaskInfo *const *info, int tasks, Error *e) {
    char name[64];
    for (int i = 0; i < o->times[OPTION_file]; i++) {
        const char *given = o->value[OPTION_file][i];
        bool scored = false, labels = !strncmp(given, LABELS, strlen(LABELS));
        given += labels ? strlen(LABELS) : 0;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
        if (!task_find(name)) return unknown_task("--file", name, e);
        for (int k = 0; k < tasks; k++) scored |= !strcmp(info[k]->name, name);
        if (!scored) return error_set(e, RC_USAGE, "--file: '%s' is not among the --tasks", name);
    }
    return RC_OK;
}

/* The tasks of --tasks, each once, in its order. */
static Rc named_tasks(const Options *o, const TaskInfo *info[TASK_COUNT], int *tasks, Error *e) {
    OWNED char *list = mem_text(option(o, OPTION_tasks, "arc-easy,piqa"));
    *tasks = 0;
    for (char *rest = list, *word; (word = strsep(&rest, ","));) {
        const TaskInfo *one = task_find(trim(word));
        if (!one) return unknown_task("--tasks", trim(word), e);
        for (int i = 0; i < *tasks; i++)
            if (info[i] == one) return error_set(e, RC_USAGE, "--tasks: '%s' stands twice", one->name);
        info[(*tasks)++] = one;
    }
    return check_files(o, info, *tasks, e);
}

static Rc open_tasks(Session *s, Task task[TASK_COUNT], int *tasks, Error *e) {
    const Options *o = s->options;
    const TaskInfo *info[TASK_COUNT];
    int named;
    *tasks = 0;
    if (named_tasks(o, info, &named, e)) return e->code;
    for (int i = 0; i < named; i++) {
        TaskFiles files = {file_of(o, "", info[i]->name), file_of(o, LABELS, info[i]->name)};
        if (task_open(&task[i], info[i], &files, &s->places, e)) return e->code;
        ++*tasks;
        task_cut(&task[i], option_integer(o, OPTION_items, task[i].items));
    }
    return RC_OK;
}

static Rc print(const ScoreTable *t, const Options *o, Error *e) {
    LOCAL_TEXT(out);
    Rc rc = RC_OK;
    if (o->times[OPTION_json])
        json_print(score_json(t), JSON_EXACT, &out);
    else {
        LOCAL(cells_list_release) CellsList tables = {0};
        score_tables(t, &tables);
        if (o->times[OPTION_tex])
            cells_list_tex(&tables, &(TexLayout){0}, &out);
        else
            cells_list_text(&tables, terminal_width(), &out);
    }
    o->times[OPTION_json] || o->times[OPTION_tex] ? (void)fputs(out.at, stdout) : terminal_print(out.at);
    text_clear(&out);
    if (o->times[OPTION_output]) {
        score_dump(t, &out);
        rc = file_write(option(o, OPTION_output, ""), out.at, out.length, e);
    }
    return rc;
}

static Rc score_all(Session *s, const Task *task, int tasks, Error *e) {
    const Options *o = s->options;
    int scored = 0;
    Rc rc = RC_OK;
    OWNED Weighted *model = mem_alloc((size_t)o->operands, sizeof *model);
    OWNED ScoredModel *shown = mem_alloc((size_t)o->operands, sizeof *shown);
    for (int i = 0; i < o->operands && !rc; i++) {
        Weighted *m = &model[i];
        ScoredModel *as = &shown[i];
        rc = weighted_open(m, s, o->operand[i], OBJECTIVE_NEXT, e);
        scored++;
        if (rc) break;
        *as = (ScoredModel){.name = m->name,
                            .variant = m->spec->variant.name,
                            .tokenizer = m->codec->name,
                            .layers = (int)m->spec->layers,
                            .width = (int)m->spec->width,
                            .context = (int)m->spec->context,
                            .score = mem_alloc((size_t)tasks, sizeof *as->score)};
        rc = score_model(m, s, task, tasks, as->score, e);
        if (m->t) trainer_free(m->t), m->t = NULL; /* one at a time */
    }
    if (!rc) rc = print(&(ScoreTable){task, shown, tasks, o->operands}, o, e);
    for (int i = 0; i < scored; i++) {
        for (int k = 0; shown[i].score && k < tasks; k++) task_score_release(&shown[i].score[k]);
        free(shown[i].score);
        weighted_release(&model[i]);
    }
    return rc;
}

Rc command_score(Session *s, Error *e) {
    const Options *o = s->options;
    Task task[TASK_COUNT];
    int tasks;
    if (!o->operands)
        return error_set(e, RC_USAGE,
                         "score: name weights: a file of `normbench model export`, or a stored run, by its id or "
                         "as ARM/lr=1e-3/seed=3");
    session_signals();
    if (o->times[OPTION_output] && retrain_output(option(o, OPTION_output, ""), e)) return e->code;
    Rc rc = open_tasks(s, task, &tasks, e);
    if (!rc) rc = score_all(s, task, tasks, e);
    for (int i = 0; i < tasks; i++) task_release(&task[i]);
    return rc;
}
