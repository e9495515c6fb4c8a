/* The table of readers, and the search of folders. */
#include "bench/readers/readers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"

enum { DEEPEST = 32, FILES_MAX = 20000 };
#define LARGEST (256L << 20) /* a larger file of a folder is no log */

const LogReader log_readers[READERS + 1] = {
#define READER(name, shown, needs, is, read) [READER_##name] = {#name, shown, NEEDS_##needs, is, read},
#include "bench/readers/readers.def"
#undef READER
    [READERS] = {"none", "no log", NEEDS_BYTES, NULL, NULL},
};

/* "wandb-chart" and "wandb_chart" are one name. */
Rc log_reader_named(const char *name, int *out, Error *e) {
    const char *names[READERS];
    char word[64], hint[160];
    snprintf(word, sizeof word, "%s", name);
    for (char *s = word; *s; s++)
        if (*s == '-') *s = '_';
    for (*out = 0; *out < READERS; ++*out)
        if (!strcmp((names[*out] = log_readers[*out].name), word)) return RC_OK;
    error_set(e, RC_USAGE, "--as: no reader is called '%.60s'%s", name,
              did_you_mean(hint, sizeof hint, word, names, READERS));
    LOCAL_TEXT(all);
    for (int i = 0; i < READERS; i++) text_format(&all, "%s%s", i ? ", " : "", names[i]);
    error_valid(e, all.at);
    return e->code;
}

int log_reader_of(const LogFile *file) {
    for (int i = 0; i < READERS; i++)
        if (log_readers[i].is(file)) return i;
    return -1;
}

/* Whether a file may go to a reader that --as names. */
static bool may_read(const LogFile *file, int reader) {
    switch (log_readers[reader].needs) {
    case NEEDS_ITSELF: return log_readers[reader].is(file);
    case NEEDS_CSV: return file->fields > 1;
    case NEEDS_TEXT: return file->text != NULL;
    case NEEDS_BYTES: break;
    }
    return true;
}

/* A file of a folder and the reader that its content chooses. */
typedef struct {
    char *path;
    int reader;
} Found;

static Rc read_file(Logs *out, const char *path, int reader, Error *e) {
    LOCAL(log_file_release) LogFile file = {0};
    int first = out->count;
    if (log_file_open(&file, path, e)) return e->code;
    Rc rc = RC_OK;
    const int own = log_reader_of(&file);
    const char *other = own < 0 ? plain_other(file.bytes, file.length) : NULL;
    if (reader < 0) reader = own;
    if (!file.length)
        log_fault(logs_add(out, READERS, path, "", NULL), "the file is empty");
    else if (other && (reader < 0 || log_readers[reader].needs != NEEDS_BYTES))
        log_fault(logs_add(out, READERS, path, "", NULL), "it is %s", other);
    else if (reader < 0)
        rc = error_set(e, RC_USAGE, "%.600s: no reader knows this file; `normbench compare --help` lists them", path);
    else if (!may_read(&file, reader))
        rc = error_set(e, RC_USAGE, "%.600s: this is no %s", path, log_readers[reader].shown);
    else
        rc = log_readers[reader].read(&file, reader, out, e);
    for (int i = first; !rc && i < out->count; i++)
        if (out->log[i].curve) log_settings_beside(&out->log[i]);
    return rc;
}

enum { NO_READER = -1, EMPTY_FILE = -2, STRANGE = -3 /* what its name says it is, it is not */, CLOSED = -4 };

/* Whether a file that cannot be read would have been a log: by its name, since nothing else is left. */
static bool like_log(const char *name) {
    static const char *const ends[] = {".csv", ".tsv", ".jsonl", ".json", ".npy",     ".log",
                                       ".gz",  ".bz2", ".xz",    ".zst",  ".parquet", ".xlsx"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(name) > strlen(ends[i]) && !strcmp(name + strlen(name) - strlen(ends[i]), ends[i])) return true;
    return strstr(name, "tfevents") != NULL;
}

/* Whether --as means a file of a folder: one of that reader's own, or of another's of the same needs. */
static bool is_meant(const LogFile *file, int as) {
    int guess = log_reader_of(file);
    return log_readers[as].is(file) ||
           (guess >= 0 && log_readers[guess].needs == log_readers[as].needs && may_read(file, as));
}

/* What reader a file of a folder is for: -1: none, or it is a setting's or too large. */
static int reader_of(const char *path, const char *name, off_t size, int as) {
    LOCAL(log_file_release) LogFile file = {0};
    Error ignored;
    if (!size && like_log(name)) return EMPTY_FILE;
    if (log_settings_file(name)) return NO_READER;
    if (size > LARGEST || log_file_open(&file, path, &ignored)) return like_log(name) ? CLOSED : NO_READER;
    int reader = as < 0 ? log_reader_of(&file) : is_meant(&file, as) ? as : NO_READER;
    if (reader == NO_READER && as < 0 && like_log(name) && !file.json)
        reader = plain_other(file.bytes, file.length) ? EMPTY_FILE : STRANGE;
    return reader;
}

static int hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static Rc read_folder(Logs *out, const char *path, int as, int depth, Error *e);

static const char strange[] = "no reader knows its first line";

/* Add a file that is too large or cannot be opened, with what is wrong with it. */
static void add_closed(Logs *out, const char *path) {
    LogFile file;
    Error e;
    struct stat st;
    Log *log = logs_add(out, READERS, path, "", NULL);
    bool large = !stat(path, &st) && st.st_size > LARGEST;
    if (large)
        log_fault(log, "it is larger than 256 MiB; alone, without its folder, it is read");
    else if (log_file_open(&file, path, &e))
        log_fault(log, "%s", strncmp(e.text, path, strlen(path)) != 0 ? e.text : e.text + strlen(path) + 2);
    else
        log_file_release(&file);
}

static bool is_strange(const Log *log) {
    return log->reader == READERS && log->fault && !strcmp(log->fault, strange);
}

/* The files of one folder: those of the first reader in the table, or of the one that is asked for. */
static Rc read_found(Logs *out, const Found *found, int count, int as, Error *e) {
    int best = READERS;
    Rc rc = RC_OK;
    for (int i = 0; i < count; i++)
        if (found[i].reader >= 0 && found[i].reader < best) best = found[i].reader;
    if (as >= 0) best = as;
    for (int i = 0; i < count && !rc; i++) {
        bool mine = found[i].reader == best, empty = found[i].reader == EMPTY_FILE;
        out->others += !mine && !empty;
        if (found[i].reader == STRANGE) {
            Log *log = logs_add(out, READERS, found[i].path, "", NULL);
            log_fault(log, "%s", strange);
        }
        if (found[i].reader == CLOSED) add_closed(out, found[i].path);
        if (mine || empty) rc = read_file(out, found[i].path, best < READERS ? best : -1, e);
    }
    return rc;
}

static Rc read_folder(Logs *out, const char *path, int as, int depth, Error *e) {
    struct dirent **entry;
    int count = scandir(path, &entry, hidden, versionsort), files = 0;
    Rc rc = RC_OK;
    if (count < 0) return error_set(e, RC_USAGE, "%.600s: the folder cannot be listed", path);
    OWNED Found *found = mem_alloc((size_t)count + 1, sizeof *found);
    for (int i = 0; i < count; i++) {
        struct stat st;
        LOCAL_TEXT(at);
        text_format(&at, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entry[i]->d_name);
        if (!rc && !stat(at.at, &st) && S_ISDIR(st.st_mode) && depth < DEEPEST)
            rc = read_folder(out, at.at, as, depth + 1, e);
        else if (!rc && !stat(at.at, &st) && S_ISREG(st.st_mode) && files < FILES_MAX) {
            found[files].reader = reader_of(at.at, entry[i]->d_name, st.st_size, as);
            found[files++].path = mem_text(at.at);
        }
        free(entry[i]);
    }
    free(entry);
    if (!rc) rc = read_found(out, found, files, as, e);
    for (int i = 0; i < files; i++) free(found[i].path);
    return rc;
}

static const char *file_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Of files that no reader knows those stay that are called as one that was read (metrics.jsonl), or stand beside one
 * with the same ending. */
static void forget_strange(Logs *l) {
    OWNED bool *like = mem_alloc((size_t)l->count + 1, sizeof *like);
    int kept = 0;
    for (int i = 0; i < l->count; i++) {
        const char *own = l->log[i].path, *name = file_of(own), *point = strrchr(name, '.');
        like[i] = !is_strange(&l->log[i]);
        for (int k = 0; k < l->count && !like[i]; k++) {
            const char *path = l->log[k].path, *other = file_of(path), *ending = strrchr(other, '.');
            bool beside = other - path == name - own && !strncmp(path, own, (size_t)(name - own));
            like[i] = l->log[k].reader != READERS &&
                      (!strcmp(name, other) || (beside && point && ending && !strcmp(point, ending)));
        }
    }
    for (int i = 0; i < l->count; i++)
        if (like[i])
            l->log[kept++] = l->log[i];
        else
            log_release(&l->log[i]);
    l->count = kept;
}

Rc logs_read(Logs *out, const char *const *path, int paths, int as, LogTold told, Error *e) {
    *out = (Logs){.told = told};
    for (int i = 0; i < paths; i++) {
        struct stat st;
        int before = out->count;
        bool known = false;
        bool folder = !stat(path[i], &st) && S_ISDIR(st.st_mode);
        if (folder ? read_folder(out, path[i], as, 0, e) : read_file(out, path[i], as, e)) return e->code;
        for (int k = before; k < out->count; k++) known |= !is_strange(&out->log[k]);
        if (folder && !known)
            return error_set(e, RC_USAGE, "%.600s: no file below this folder is %s%s%s", path[i],
                             as < 0 ? "one that a reader knows" : "a ", as < 0 ? "" : log_readers[as].shown,
                             as < 0 ? "; `normbench compare --help` lists them" : "");
    }
    forget_strange(out);
    logs_settle(out);
    return RC_OK;
}
