/* A run of a small model on a text of its own, in a folder that is emptied again. */
#ifndef TESTS_RUN_SMALL_RUN_H
#define TESTS_RUN_SMALL_RUN_H

#include <unistd.h>

#include "bench/run/execute.h"
#include "tests/test.h"

static char folder[64];
static Dataset data;
static volatile sig_atomic_t stop_now;
static int stop_after; /* updates until the run is told to stop; -1 = never */

/* A text in which letters follow each other by a simple rule, with two-byte code points
 * so that bytes are not tokens. */
static void enter(void) {
    char text[64 + 16], *all = malloc(8000);
    size_t n = 0;
    for (int i = 0; n < 6000; i++) {
        if (i % 5 == 4)
            all[n++] = (char)0xc3, all[n++] = (char)(0xa0 + i % 7);
        else
            all[n++] = (char)('a' + i * i % 11);
    }
    strcpy(folder, "/tmp/normbench-execute-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(text, sizeof text, "%s/text", folder);
    OK(file_write(text, all, n, &e));
    free(all);
    char name[96];
    DataPlaces places = {.offline = true};
    snprintf(name, sizeof name, "text:%s", text);
    OK(dataset_open(&data, name, "char", &places, &e));
    unlink(text);
    stop_now = 0, stop_after = -1;
}

static void leave(void) {
    char path[96];
    dataset_release(&data);
    snprintf(path, sizeof path, "%s/.partial", folder);
    folder_remove(path);
    folder_remove(folder);
    cr_assert_not(file_exists(folder), "something was left behind");
}

static RunSpec small(void) {
    RunSpec s;
    spec_init(&s);
    static const char *const keys[][2] = {
        {"layers", "2"}, {"width", "32"},        {"heads", "4"},       {"context", "16"}, {"batch", "4"},
        {"steps", "8"},  {"evaluate_at", "0,4"}, {"curve_every", "3"}, {"lr", "1e-3"},    {"dropout", "0.1"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) OK(spec_set(&s, keys[i][0], keys[i][1], &e));
    return s;
}

static void count(void *context, int steps, bool resumed) {
    (void)context, (void)resumed;
    if (stop_after >= 0 && (stop_after -= steps) <= 0) stop_now = 1;
}

static Rc execute_with(const RunSpec *s, const ProbeChoice *probes, bool hits, RunRecord *r) {
    e = (Error){0};
    char id[SHA256_HEX], arithmetic[SHA256_HEX];
    const Backend *b = backend_find("cpu", &e);
    OK(arithmetic_hash(arithmetic, s, b, &e));
    run_id(id, s, &data, backend_class(b), arithmetic);
    ExecutedRun run = {s, id, arithmetic};
    Execution x = {.run = &run,
                   .runs = 1,
                   .data = &data,
                   .backend = b,
                   .probes = probes,
                   .hits = hits,
                   .folder = folder,
                   .checkpoint_seconds = 1e9,
                   .file_bytes = 1e9,
                   .stop = &stop_now,
                   .progress = count};
    return run_execute(&x, r, &e);
}

#endif
