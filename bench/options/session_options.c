#include "bench/options/session_options.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/run/cluster/mpi.h"
#include "bench/store/archive.h"
#include "kernels/cuda/dry.h"

/* A standard stream that was closed would lend its number to the next file that is opened, and messages would end up in
 * a record. Its number goes to /dev/null instead, stdout's for reading only: what cannot
 * be printed is still an error. */
static void hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* Finds what `meson install` put beside the program: PREFIX/bin/normbench has PREFIX/INSTALLED. */
static bool find_installed(char *root, size_t size) {
    char program[512], probe[1100];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');
        if (!slash) return false;
        *slash = 0;
    }
    snprintf(probe, sizeof probe, "%s/%s/bench/experiments", program, INSTALLED);
    if (!file_exists(probe)) return false;
    int fits = snprintf(root, size, "%s/%s", program, INSTALLED);
    return fits > 0 && (size_t)fits < size;
}

/* Upward from the working folder, then beside an installed program, then where it was built. installed: results
 * and the cache are not below the root. */
static Rc find_root(char *root, size_t size, bool *installed, Error *e) {
    const char *given = getenv("NORMBENCH_ROOT");
    char at[512], probe[600];
    if (given) {
        snprintf(root, size, "%s", given);
        snprintf(probe, sizeof probe, "%.500s/bench/experiments", root);
        if (file_exists(probe)) return RC_OK;
        return error_set(e, RC_USAGE, "$NORMBENCH_ROOT: '%s' holds no bench/experiments", given);
    }
    if (!getcwd(at, sizeof at)) at[0] = 0;
    while (at[0]) {
        snprintf(probe, sizeof probe, "%s/bench/experiments", at);
        if (file_exists(probe)) {
            snprintf(root, size, "%s", at);
            return RC_OK;
        }
        char *slash = strrchr(at, '/');
        *slash = 0;
    }
    *installed = find_installed(root, size);
    if (*installed) return RC_OK;
    snprintf(root, size, "%s", BUILD_ROOT);
    snprintf(probe, sizeof probe, "%s/bench/experiments", BUILD_ROOT);
    if (file_exists(probe)) return RC_OK;
    return error_set(e, RC_USAGE, "not inside a checkout of normbench (no bench/experiments upward from here)");
}

/* Where an installed program keeps corpora: $XDG_CACHE_HOME/normbench, else ~/.cache/normbench. */
static void own_cache(char *cache, size_t size) {
    const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool xdg = given && *given;
    snprintf(cache, size, "%s%s/normbench", xdg ? given : home ? home : ".", xdg ? "" : "/.cache");
}

/* The precision of `--set precision=NAME`; NULL: none, or several. */
static const char *asked_precision(const Options *o) {
    const char *found = NULL;
    for (int i = 0; i < o->times[OPTION_set]; i++)
        if (!strncmp(o->value[OPTION_set][i], "precision=", 10)) found = o->value[OPTION_set][i] + 10;
    return found && *found != '[' ? found : NULL;
}

static bool is_family(const char *name) {
    for (int i = 0; i < backend_count; i++)
        if (!strcmp(name, backends[i]->family)) return true;
    return false;
}

/* The precision that a backend's own name means when it is not exact ("soft-amx-bf16", "cpu-bf16", "cpu64"), and the
 * family that other precisions of the same plan are asked of; NULL: the name leaves it open. */
static const char *own_precision(const char *name, const char **family) {
    char fastest[64];
    *family = name;
    for (int i = 0; i < backend_count; i++)
        if (!strcmp(name, backends[i]->name)) {
            *family = backends[i]->family;
            return backends[i]->precision == PRECISION_exact ? NULL : precision_name(backends[i]->precision);
        }
    for (int p = 0; p < PRECISION_COUNT; p++) {
        snprintf(fastest, sizeof fastest, "cpu-%s", precision_name((PrecisionKind)p));
        if (strcmp(name, fastest)) continue;
        *family = "cpu";
        return precision_name((PrecisionKind)p);
    }
    return NULL;
}

/* A backend that is there and does not compute in the precision asked for: nothing can be measured with it. */
static Rc lacks(const char *name, Error *e) {
    bool known = !strncmp(name, "cpu", 3) || is_family(name);
    for (int i = 0; i < backend_count; i++) known = known || !strcmp(name, backends[i]->name);
    if (known && e->code == RC_USAGE) e->code = RC_UNMEASURED;
    return e->code;
}

static Rc find_dry(Session *s, const char *precision, Error *e) {
    char both[128];
    bool exact = !strcmp(precision, precision_name(PRECISION_exact));
    if (!exact && !backend_precise(s->backend_name, precision, e) && e->code == RC_USAGE)
        return lacks(s->backend_name, e);
    snprintf(both, sizeof both, "%s%s%s", s->backend_name, exact ? "" : "-", exact ? "" : precision);
    s->backend = dry_backend(both);
    if (s->backend) return RC_OK;
    if (!strncmp(s->backend_name, "cuda", 4) && !dry_backend("cuda"))
        return error_set(e, RC_UNMEASURED,
                         "perf --dry-run: this program was built without the CUDA kernels (a C++ compiler, "
                         "meson setup -Dsimt=enabled)");
    return error_set(e, RC_USAGE, "perf --dry-run counts what a device would launch: --backend cuda, not '%s'",
                     s->backend_name);
}

static bool only_reads(const char *command) {
    static const char *const names[] = {"table", "status", "runs", "trace", "archive"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(command, names[i])) i++;
    return i < sizeof names / sizeof *names;
}

/* The backend of the precision asked for. `run` may name a family without exact runs (amx): which of its runs are exact
 * is only known when the experiment is read (todo_make). A command that only reads records computes nothing, so no
 * backend of the precision is needed. */
static Rc find_backend(Session *s, const Options *o, Error *e) {
    bool dry = !strcmp(o->command, "perf") && o->times[OPTION_dry_run], run = !strcmp(o->command, "run");
    const char *name = option(o, OPTION_backend, dry ? "cuda" : "cpu"), *asked = asked_precision(o), *family;
    const char *own = own_precision(name, &family), *precision = asked ? asked : own ? own : "exact";
    PrecisionKind known;
    LOCAL_TEXT(valid);
    for (int i = 0; i < PRECISION_COUNT; i++)
        text_format(&valid, "%s%s", i ? ", " : "", precision_name((PrecisionKind)i));
    if (precision_find(&known, precision, e)) return error_valid(e, valid.at);
    if (o->times[OPTION_ranks]) backend_choose_device(mpi_local_rank());
    if (asked || own) snprintf(s->by_precision, sizeof s->by_precision, "precision=%s", precision);
    snprintf(s->backend_name, sizeof s->backend_name, "%s", family);
    s->backend_asked = o->times[OPTION_backend] > 0;
    if (dry) return find_dry(s, precision, e);
    if (only_reads(o->command)) precision = "exact";
    s->backend = backend_precise(name, precision, e);
    if (!s->backend && run && o->times[OPTION_dry_run] && !o->times[OPTION_slurm] && !strcmp(family, "cuda") &&
        e->code == RC_UNMEASURED)
        s->backend = dry_precise(known), s->dry = s->backend != NULL;
    if (!s->backend && run && !asked && e->code == RC_USAGE && is_family(family)) s->backend = backend_find("cpu", e);
    return s->backend ? RC_OK : lacks(name, e);
}

static Rc push(Options *o, OptionKind kind, const json_t *list, Error *e) {
    if (json_array_size(list) > OPTION_MAX)
        return error_set(e, RC_INTEGRITY, "plan.json: more than %d texts", OPTION_MAX);
    for (size_t i = 0; i < json_array_size(list); i++)
        o->value[kind][o->times[kind]++] = json_string_value(json_array_get(list, i));
    return RC_OK;
}

/* A folder with a plan.json, DIR/out/WORD: the session's results are DIR, its word is WORD. */
static bool plan_of_path(Session *s, const char *path) {
    char probe[PATH_MAX + 16], folder[PATH_MAX], real[PATH_MAX];
    snprintf(folder, sizeof folder, "%.4000s", path);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';) folder[--n] = 0;
    snprintf(probe, sizeof probe, "%s/plan.json", folder);
    if (!file_exists(probe) || !realpath(folder, real)) return false;
    for (char *way = strchr(folder, '/') ? folder : real;; way = real) {
        char *word = strrchr(way, '/'), *out = NULL;
        if (word) *word++ = 0, out = strrchr(way, '/');
        if (out && out > way && !strcmp(out, "/out") && (size_t)(out - way) < sizeof s->results) {
            *out = 0;
            snprintf(s->results, sizeof s->results, "%.599s", way);
            snprintf(s->runs, sizeof s->runs, "%.599s/runs", s->results);
            snprintf(s->by_slug, sizeof s->by_slug, "%.79s", word);
            return true;
        }
        if (way == real) return false;
    }
}

/* The word or the path that may name a plan: the operand, of `trace` what stands before the colon. False: none does. */
static bool plan_operand(const Options *o, char word[PATH_MAX]) {
    bool trace = !strcmp(o->command, "trace");
    for (int i = 1; i < o->operands && !trace; i++)
        if (!strchr(o->operand[i], '=')) return false; /* several experiments, or backends */
    if (!o->operands || !option_taken(OPTION_set, o->command)) return false;
    size_t n = trace ? strcspn(o->operand[0], ":") : strlen(o->operand[0]);
    while (n && o->operand[0][n - 1] == ' ') n--;
    snprintf(word, PATH_MAX, "%.*s", (int)(n < PATH_MAX ? n : 0), o->operand[0]);
    return word[0];
}

/* `table first`: a word that is no experiment's, but that of a plan's folder, or the folder's path, stands for the
 * command line that its plan.json holds. */
static Rc recall(Session *s, Options *o, Error *e) {
    static const OptionKind fixed[] = {OPTION_profile,   OPTION_set,   OPTION_arm,           OPTION_text,
                                       OPTION_tokenizer, OPTION_seeds, OPTION_until_decided, OPTION_most_seeds};
    char path[1024], name[OPTION_NAME], operand[PATH_MAX];
    Error unknown;
    s->slug = "";
    if (!plan_operand(o, operand)) return RC_OK;
    if (!plan_of_path(s, operand)) {
        if (strchr(operand, '/') || !experiment_find(path, sizeof path, s->root, operand, &unknown)) return RC_OK;
        snprintf(s->by_slug, sizeof s->by_slug, "%.79s", operand);
    }
    if (plan_note_read(&s->recalled, s->results, s->by_slug, e)) return e->code;
    if (!s->recalled.all) return RC_OK;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (o->times[fixed[i]])
            return error_set(e, RC_USAGE, "--%s: %s is a plan already; for another one name the experiment, %s",
                             option_name(name, fixed[i]), s->by_slug, s->recalled.experiment);
    s->slug = s->by_slug;
    if (strcmp(o->command, "trace") != 0) o->operand[0] = s->recalled.experiment;
    o->value[OPTION_profile][o->times[OPTION_profile]++] = s->recalled.profile;
    return push(o, OPTION_set, s->recalled.set, e) ? e->code : push(o, OPTION_arm, s->recalled.arm, e);
}

/* The key of --seeds, or of --until-decided and --most-seeds; NULL: none of them is there. */
static const char *take_seeds(Session *s, const Options *o, Error *e) {
    const char *seeds = option(o, OPTION_seeds, NULL), *most = option(o, OPTION_most_seeds, NULL);
    bool until = o->times[OPTION_until_decided] > 0;
    if (!option_taken(OPTION_until_decided, o->command)) most = NULL; /* the command's own */
    if (seeds && (until || most))
        error_set(e, RC_USAGE,
                  "--seeds is a fixed number of seeds; with --until-decided, --most-seeds %.20s gives "
                  "the largest one",
                  seeds);
    if (!seeds && !until && !most) return NULL;
    if (seeds)
        snprintf(s->by_seeds, sizeof s->by_seeds, "seeds=%.20s", seeds);
    else
        snprintf(s->by_seeds, sizeof s->by_seeds, "seeds={%s%s%s%.20s}", until ? "until: decided" : "",
                 until && most ? ", " : "", most ? "most: " : "", most ? most : "");
    return s->by_seeds;
}

/* --set and --arm as they are; --text, --tokenizer and --seeds are more keys. */
static Rc take_overrides(Session *s, const Options *o, Error *e) {
    bool keys = option_taken(OPTION_set, o->command); /* else --text is the command's own */
    const char *text = keys ? option(o, OPTION_text, NULL) : NULL, *tokenizer = option(o, OPTION_tokenizer, NULL);
    char path[1024];
    int sets = 0;
    if (text && strlen(text) > 120) return error_set(e, RC_USAGE, "--text: a path of more than 120 bytes");
    for (; sets < o->times[OPTION_set]; sets++) s->set[sets] = o->value[OPTION_set][sets];
    if (text) {
        snprintf(s->by_text, sizeof s->by_text, "dataset=text:%s", text);
        s->set[sets++] = s->by_text;
    }
    if (tokenizer) {
        snprintf(s->by_tokenizer, sizeof s->by_tokenizer, "tokenizer=%.40s", tokenizer);
        s->set[sets++] = s->by_tokenizer;
    }
    e->code = RC_OK;
    const char *seeds = take_seeds(s, o, e);
    if (e->code) return e->code;
    if (seeds) s->set[sets++] = seeds;
    bool said = !s->by_precision[0];
    for (int i = 0; i < sets; i++)
        if (!strncmp(s->set[i], "precision=", 10)) said = !s->by_precision[0] || !strcmp(s->set[i], s->by_precision);
    if (!said) s->set[sets++] = s->by_precision;
    for (int i = 0; i < sets; i++) s->precise = s->precise || !strncmp(s->set[i], "precision=", 10);
    s->overrides = (Overrides){.set = s->set, .sets = sets, .arm = o->value[OPTION_arm], .arms = o->times[OPTION_arm]};
    s->profile = option(o, OPTION_profile, "");
    s->slug = option(o, OPTION_name, s->slug);
    if (!o->times[OPTION_name]) return RC_OK;
    if (!s->slug[0]) return error_set(e, RC_USAGE, "--name: a word is needed");
    Error none;
    if (experiment_find(path, sizeof path, s->root, s->slug, &none)) return RC_OK;
    return error_set(e, RC_USAGE, "--name: '%.80s' is an experiment; take another name", s->slug);
}

/* --results FILE.tar.gz: its files are read from a temporary folder, where a command would lose what it writes. */
static Rc take_archive(Session *s, const char *command, Error *e) {
    static const char *const names[] = {"runs", "show", "trace", "claims", "status"};
    char path[sizeof s->results];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(command, names[i])) return session_unpack(s, strcpy(path, s->results), e);
    return error_set(e, RC_USAGE,
                     "--results: %.400s is an archive, beside whose records %s cannot write; unpack it first: tar -xf",
                     s->results, command);
}

Rc session_init(Session *s, Options *o, Error *e) {
    *s = (Session){.options = o};
    hold_streams();
    signal(SIGXFSZ, SIG_IGN); /* past `ulimit -f` a write fails, as on a full disk, and does not kill */
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves, such as `head`, does not keep files from being written */
    if (find_root(s->root, sizeof s->root, &s->installed, e)) return e->code;
    const char *results = option(o, OPTION_results, NULL);
    if (results && (!*results || strlen(results) >= sizeof s->results))
        return error_set(e, RC_USAGE, "--results: a path of 1 to %zu bytes is needed", sizeof s->results - 1);
    if (results)
        snprintf(s->results, sizeof s->results, "%s", results);
    else
        snprintf(s->results, sizeof s->results, "%s%sresults", s->installed ? "" : s->root, s->installed ? "" : "/");
    snprintf(s->runs, sizeof s->runs, "%s/runs", s->results);
    if (archive_is_tar(s->results) && !folder_filled(s->results) && take_archive(s, o->command, e)) return e->code;
    snprintf(s->cache, sizeof s->cache, "%s/datasets/cache", s->root);
    if (s->installed) own_cache(s->cache, sizeof s->cache);
    s->places = (DataPlaces){.data = option(o, OPTION_data, NULL),
                             .environment = getenv("NORMBENCH_DATA"),
                             .cache = s->cache,
                             .root = s->root,
                             .offline = o->times[OPTION_offline] > 0,
                             .stopped = session_stopped};
    s->threads_per_run = option_integer(o, OPTION_threads_per_run, 1);
    s->micro_batch = option_integer(o, OPTION_micro_batch, 0);
    s->logit_rows = option_integer(o, OPTION_logit_rows, 0);
    s->recompute = o->times[OPTION_recompute] > 0;
    s->own_moments = o->times[OPTION_shard_moments] > 0;
    int at_once = pool_processors() / s->threads_per_run;
    s->threads = option_integer(o, OPTION_threads, at_once > 1 ? at_once : 1);
    if (recall(s, o, e) || find_backend(s, o, e) || take_overrides(s, o, e)) return e->code;
    if (s->threads_per_run > 1 && s->backend->device)
        return error_set(e, RC_USAGE, "--threads per-run: backend '%s' does not compute on threads of the CPU",
                         s->backend->name);
    return RC_OK;
}
