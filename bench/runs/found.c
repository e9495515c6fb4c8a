#include "bench/runs/found.h"

#include <stdio.h>

#include "bench/formats/terminal.h"
#include "bench/store/store.h"
#include "bench/write/prose.h"

/* Beyond, the tests would keep a reader waiting who asked for training; `table` makes them. */
enum { RUNS_MAX = 2000 };

static void print(const Table *t) {
    LOCAL_TEXT(words);
    LOCAL_TEXT(lines);
    prose_found(t, &words);
    if (words.length) text_wrapped(&lines, "", words.at, 2, terminal_width());
    terminal_print(lines.at);
}

void run_found(const Session *s, const Experiment *x) {
    Experiment own = *x; /* whose precision records_take may set */
    Store stored;
    Records records;
    Error none;
    Table t;
    if (x->most || x->arms < 2 || experiment_cells(x) * x->arms * x->seeds > RUNS_MAX) return;
    store_read(&stored, s->runs);
    Rc rc = records_take(&records, &stored, &own, s->precise, &none);
    store_release(&stored);
    if (rc) return;
    TableOptions options = {.command = "", .exploratory = experiment_changed(x)};
    if (!records.missing && !table_make(&t, &own, records.at, NULL, options, &none)) {
        print(&t);
        table_release(&t);
    }
    records_release(&records);
}
