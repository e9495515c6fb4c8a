/* Session: what every command needs to know about where it runs: the checkout, the results, the corpora, the backend.
 * bench/cli/session_options.h fills it from the command line; the rooms below cli/ only read it. */
#ifndef BENCH_STORE_SESSION_H
#define BENCH_STORE_SESSION_H

#include <signal.h>

#include "base/ranks.h"
#include "bench/store/plan_folder.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"

enum { SESSION_MOST_DATASETS = 16, SESSION_MOST_SETS = 68 };

typedef struct {
    const struct Options *options; /* the command line, which only cli/ looks into */
    Overrides overrides;           /* of experiments */
    const char *profile;           /* of experiments; "": each file's first */
    const char *word;              /* of the plan's folder (--name); "": the plan's own */
    PlanNote recalled; /* `table WORD`: what overrides and profile come from; recalled.all NULL: the command line */
    char root[512];    /* the checkout: $NORMBENCH_ROOT, else the nearest folder upward that has bench/experiments */
    bool installed;    /* root is what `meson install` made, to read only */
    char results[600]; /* --results, else root/results, of an installed program results/ of the working folder */
    char runs[640];    /* results/runs */
    char cache[600];
    DataPlaces places;
    const Backend *backend;  /* of the precision that was asked for: of commands that compute without a plan */
    char backend_name[64];   /* the family of the one that was asked for */
    bool dry;                /* of `run --dry-run`: no device is here, and backends note what one would launch */
    const Backend *oracle;   /* not NULL: computes every run, whatever its precision */
    bool precise;            /* a precision was asked for, so no other one's records are read instead */
    int micro_batch;         /* sequences of a part of a batch (bench/run/cluster/split.h); 0: not cut */
    int logit_rows;          /* held at once (models/head.h); 0: all */
    bool recompute;          /* blocks' activations are computed again (models/recompute.h) */
    bool shard_moments;      /* each of the ranks keeps a part of the moments */
    const Ranks *ranks;      /* processes that train each run together; NULL: this one alone */
    int threads, threads_per_run; /* runs at once; threads that share each of them */
    Dataset dataset[SESSION_MOST_DATASETS];
    char dataset_key[SESSION_MOST_DATASETS][208];
    int datasets;
    const char *set[SESSION_MOST_SETS]; /* what overrides points to */
    char by_text[160], by_tokenizer[64], by_precision[32], by_seeds[64];
    char by_word[PLAN_WORD_SIZE];
} Session;

void session_release(Session *s);

/* Set once session_signals ran: SIGINT, or SIGTERM for that and for SIGHUP (unless it was ignored: nohup) and SIGUSR1,
 * which end as it does. A second SIGINT or SIGTERM ends the program at once. */
extern volatile sig_atomic_t session_signal;
void session_signals(void);
bool session_stopped(void);

/* A dataset of this session, opened once. */
Rc session_dataset(Session *s, const char *name, const char *tokenizer, const Dataset **out, Error *e);

/* The backend that computes runs of a precision here. RC_USAGE: the one that was asked for does not; RC_UNMEASURED. */
Rc session_backend(const Session *s, PrecisionKind p, const Backend **out, Error *e);

/* The class of bits of x's runs here; of several precisions, that of the first arm in the first cell. The codes of
 * session_backend. */
Rc session_class(const Session *s, const Experiment *x, const char **out, Error *e);

/* The experiment called name for this session's profile and overrides, or the plan of the folder results/out/NAME, as
 * it is written: no corpus is looked for. */
Rc session_plan(const Session *s, const char *name, Experiment *x, Error *e);

/* Both: an experiment that can be trained here. On failure there is nothing to release. */
Rc session_experiment(Session *s, const char *name, Experiment *x, Error *e);

/* "normbench VERB EXPERIMENT --profile P --set …": what makes x's plan, as a shell takes it; and as a file may hold it,
 * without a path of this machine. */
void session_command(const Session *s, const Experiment *x, const char *verb, Text *out);
void session_shown(const Session *s, const Experiment *x, const char *verb, Text *out);

/* The same of a plan that is x's but for its seeds, "seeds=13-24"; NULL: x's own. */
void session_other_seeds(const Session *s, const Experiment *x, const char *verb, const char *seeds, Text *out);

/* " --results DIR" as a shell takes it, or "" where results are those of the checkout. */
void session_results(const Session *s, Text *out);

#endif
