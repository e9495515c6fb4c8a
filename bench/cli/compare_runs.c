#include "bench/cli/compare_runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/compare/print.h"
#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"

bool compare_runs_asked(const Options *o) {
    static const OptionKind theirs[] = {OPTION_name, OPTION_arm, OPTION_at, OPTION_where, OPTION_as, OPTION_list};
    struct stat st;
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (o->times[theirs[i]]) return true;
    return o->operands > 1 || (!stat(o->operand[0], &st) && S_ISDIR(st.st_mode));
}

bool compare_runs_known(const char *path) {
    static const bool doubtful[READERS] = {
        [READER_json] = true,      [READER_runs_table] = true, [READER_json_lines] = true,
        [READER_curve_csv] = true, [READER_keras] = true,      [READER_mlflow] = true};
    LOCAL(log_file_release) LogFile file = {0};
    Error ignored;
    if (!strcmp(path, "-") || log_file_open(&file, path, &ignored)) return false;
    int reader = log_reader_of(&file);
    return reader >= 0 && !doubtful[reader];
}

static Rc query_of(const Options *o, PickQuery *q, Error *e) {
    *q = (PickQuery){.name = option(o, OPTION_name, NULL),
                     .arm = o->value[OPTION_arm],
                     .arms = o->times[OPTION_arm],
                     .arm_key = option(o, OPTION_arm_column, NULL),
                     .seed_key = option(o, OPTION_seed_column, NULL),
                     .metric = option(o, OPTION_metric, NULL),
                     .where = o->value[OPTION_where],
                     .where_count = o->times[OPTION_where],
                     .higher = !strcmp(option(o, OPTION_better, "lower"), "higher"),
                     .directed = o->times[OPTION_better] || o->times[OPTION_list],
                     .unpaired = o->times[OPTION_unpaired] > 0,
                     .apart = o->times[OPTION_against] > 0,
                     .curves = o->times[OPTION_target] > 0,
                     .list = o->times[OPTION_list] > 0};
    if (pick_at_parse(option(o, OPTION_at, "last"), &q->at, &q->step, e)) return e->code;
    q->curves |= q->at == PICK_EVERY;
    return RC_OK;
}

Rc compare_runs_read(CompareRuns *r, const Options *o, Error *e) {
    PickQuery q;
    int as = -1;
    *r = (CompareRuns){0};
    if (query_of(o, &q, e)) return e->code;
    if (o->times[OPTION_as] && log_reader_named(option(o, OPTION_as, ""), &as, e)) return e->code;
    LogTold told = {q.arm_key, q.seed_key, q.where, q.where_count};
    if (logs_read(&r->logs, o->operand, o->operands, as, told, e)) return e->code;
    return pick_make(&r->pick, &r->logs, &q, e);
}

void compare_runs_release(CompareRuns *r) {
    pick_release(&r->pick);
    logs_release(&r->logs);
}

static void row(const PickedRun *run, Cells *c) {
    char name[900], value[40];
    cells_row(c);
    cell_text(c, run->arm);
    cell_text(c, run->seed);
    cell_text(c, log_called(name, sizeof name, run->log));
    if (run->series)
        cell_integer(c, (long)run->series->count);
    else
        cell_none(c);
    cell_exact(c, run->last);
    cell_exact(c, run->step);
    cell_shown(c, run->value, isnan(run->value) ? "" : (snprintf(value, sizeof value, "%.6g", run->value), value));
    cell_text(c, run->why ? run->why : "");
    cell_text(c, log_readers[run->log->reader].name);
    cell_text(c, run->corpus);
    cell_text(c, run->log->path);
}

static void columns(const Pick *p, Cells *c) {
    cells_columns(c, {"arm", "l", "arm"}, {"seed", "l", "seed"}, {"run", "p", "run"}, {"points", "r", "points"},
                  {"last_step", "r", "last step"}, {"step", "r", "step"},
                  {"value", "r", p->metric[0] ? p->metric : "value"}, {"left_out", "p", "left out"},
                  {"reader", "X", ""}, {"corpus", "X", ""}, {"file", "X", ""});
}

void compare_runs_list(const CompareRuns *r, bool json) {
    const Pick *p = &r->pick;
    LOCAL(cells_release) Cells c = {0};
    LOCAL_TEXT(out);
    LOCAL_TEXT(said);
    cells_init(&c, "runs", "");
    columns(p, &c);
    for (int i = 0; i < p->runs; i++) row(&p->run[i], &c);
    if (json)
        json_print(cells_json(&c), JSON_EXACT, &out);
    else {
        cells_text(&c, terminal_width(), &out);
        text_format(&said, "Read as %s.\n%s", p->read_as.at, p->remarks.at);
        int others = r->logs.others;
        if (others)
            text_format(&said, "%d other file%s in these folders %s passed over.\n", others, others == 1 ? "" : "s",
                        others == 1 ? "was" : "were");
        text_format(&out, "\n");
        compare_paragraphs(said.at, terminal_width(), &out);
    }
    fwrite(out.at, 1, out.length, stdout);
}
