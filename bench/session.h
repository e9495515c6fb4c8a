/* Session: what every command needs to know about where it runs: the checkout, the results, the corpora, the backend. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include <signal.h>

#include "bench/experiment.h"
#include "bench/options.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"

enum { SESSION_MOST_DATASETS = 16 };

typedef struct {
    const Options *options;
    char root[512];    /* the checkout: $NORMBENCH_ROOT, else the nearest folder upward that has bench/experiments */
    char results[600]; /* --results or root/results */
    char runs[640];    /* results/runs */
    char cache[600];
    DataPlaces places;
    const Backend *backend;
    int threads, threads_per_run; /* runs at once; threads that share each of them */
    Dataset dataset[SESSION_MOST_DATASETS];
    char dataset_key[SESSION_MOST_DATASETS][208];
    int datasets;
    bool strict_corpus; /* a corpus that cannot be had is an error: nothing stands in for it */
} Session;

/* RC_USAGE: no checkout, bad --threads, unknown backend. */
Rc session_init(Session *s, const Options *o, Error *e);
void session_release(Session *s);

/* Set by SIGINT and SIGTERM once session_signals ran (a second signal ends the program at once): the signal's number. */
extern volatile sig_atomic_t session_signal;
void session_signals(void);

/* A dataset of this session, opened once. */
Rc session_dataset(Session *s, const char *name, const char *tokenizer, const Dataset **out, Error *e);

/* The experiment called name for this session's profile, --set, --arm and --text. When its corpus cannot be had at all,
 * prints the banner on stderr and continues with the synthetic source: x's specs then say `synthetic`. Checks that each
 * run's corpus fits its shape. */
Rc session_experiment(Session *s, const char *name, Experiment *x, Error *e);

/* results/out/<profile>/, made. */
Rc session_output(const Session *s, const Experiment *x, char *path, size_t size, Error *e);

#endif
