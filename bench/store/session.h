/* Session: the environment of a command: checkout, results, corpora, backend. bench/options/session_options.h fills it
 * from the command line; the rooms below only read it. */
#ifndef BENCH_STORE_SESSION_H
#define BENCH_STORE_SESSION_H

#include <signal.h>

#include "base/ranks.h"
#include "base/scratch.h"
#include "bench/store/plan_folder.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"

enum { SESSION_DATASETS_MAX = 16, SESSION_SETS_MAX = 68 };

typedef struct {
    const struct Options *options; /* the command line; read where bench/options is known */
    Overrides overrides;           /* for experiments */
    const char *profile;           /* for experiments; "": each file's first */
    const char *slug;              /* name of the plan's folder (--name); "": the plan's own */
    PlanNote recalled; /* `table WORD`: source of overrides and profile; recalled.all NULL: the command line */
    char root[512];    /* the checkout: $NORMBENCH_ROOT, else the nearest folder upward that has bench/experiments */
    bool installed;    /* root was made by `meson install` and is read only */
    char results[600]; /* --results, else root/results; if installed, results/ of the working folder */
    char runs[640];    /* results/runs */
    Scratch unpacked;  /* results of an archive; removed by session_release */
    char archive[600]; /* its path, FILE.tar.gz; "": results are a folder */
    char cache[600];
    DataPlaces places;
    const Backend *backend;  /* backend of the precision asked for, for commands that compute without a plan */
    char backend_name[64];   /* family asked for */
    bool backend_asked;      /* by name: no other takes its place */
    bool dry;                /* `run --dry-run`: there is no device, and backends note its launches */
    const Backend *oracle;   /* if not NULL: computes every run, whatever its precision */
    bool precise;            /* a precision was asked for, so no other's records are read instead */
    int micro_batch;         /* sequences of a part of a batch (bench/run/cluster/split.h); 0: not cut */
    int logit_rows;          /* rows of logits held at once (models/head.h); 0: all */
    bool recompute;          /* blocks' activations are computed again in backward (models/tape.h) */
    bool own_moments;        /* each of the ranks keeps a part of the moments */
    const Ranks *ranks;      /* processes that train each run together; NULL: this one alone */
    int threads, threads_per_run; /* runs at once; threads that share each of them */
    Dataset dataset[SESSION_DATASETS_MAX];
    char dataset_key[SESSION_DATASETS_MAX][208];
    int datasets;
    const char *set[SESSION_SETS_MAX]; /* storage of `overrides` */
    char by_text[160], by_tokenizer[64], by_precision[32], by_seeds[64];
    char by_slug[PLAN_SLUG_SIZE];
} Session;

void session_release(Session *s);

/* Take what an archive (bench/store/archive.h) holds as the results, in a temporary folder, where nothing may be
 * written. Codes: see archive_unpack. */
Rc session_unpack(Session *s, const char *path, Error *e);

/* Signal that arrived after session_signals: SIGINT, or SIGTERM, also for SIGHUP (unless ignored: nohup) and SIGUSR1. A
 * SIGINT or SIGTERM that comes SESSION_REPEAT_MS or more after the first of them ends the program at once. */
#define SESSION_REPEAT_MS 500
extern volatile sig_atomic_t session_signal;
void session_signals(void);
bool session_stopped(void);
/* Stop as SIGTERM does, unless a signal has arrived: another rank has received one. */
void session_stop(void);

/* Return a dataset of this session, opened once. */
Rc session_dataset(Session *s, const char *name, const char *tokenizer, const Dataset **out, Error *e);

/* Return the backend for runs of a precision here. RC_USAGE: the one asked for lacks the precision; RC_UNMEASURED. */
Rc session_backend(const Session *s, PrecisionKind p, const Backend **out, Error *e);

/* The backend that has the bits of a class: the session's own, or, unless one was asked for, the fastest here. NULL:
 * there is none. */
const Backend *session_of_class(const Session *s, const char *arithmetic_class);

/* Return the class of bits of x's runs here; with several precisions, the first arm's in the first cell. Codes: see
 * session_backend. */
Rc session_class(const Session *s, const Experiment *x, const char **out, Error *e);

/* Read the experiment called name with this session's profile and overrides, or the plan of the folder
 * results/out/NAME; no corpus is looked for. */
Rc session_plan(const Session *s, const char *name, Experiment *x, Error *e);

/* Read an experiment and open its corpora, for training. On failure there is nothing to release. */
Rc session_experiment(Session *s, const char *name, Experiment *x, Error *e);

/* Append "normbench VERB EXPERIMENT --profile P --set …", which makes x's plan, quoted for a shell; or for a file,
 * without paths of this machine. */
void session_command(const Session *s, const Experiment *x, const char *verb, Text *out);
void session_shown(const Session *s, const Experiment *x, const char *verb, Text *out);

/* Append session_command's text for x's plan with other seeds, "seeds=13-24"; NULL: x's own. */
void session_other_seeds(const Session *s, const Experiment *x, const char *verb, const char *seeds, Text *out);

/* Append " --results DIR", or the archive, quoted for a shell, unless the results are the checkout's. */
void session_results(const Session *s, Text *out);

#endif
