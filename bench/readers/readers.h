/* Readers of trainers' files: a table (readers.def), what a reader is given, and the search of a folder. */
#ifndef BENCH_READERS_READERS_H
#define BENCH_READERS_READERS_H

#include "bench/readers/file.h"

typedef enum { NEEDS_ITSELF, NEEDS_CSV, NEEDS_TEXT, NEEDS_BYTES } LogNeeds;

typedef struct {
    const char *name, *shown;
    LogNeeds needs;
    bool (*is)(const LogFile *file);
    Rc (*read)(const LogFile *file, int reader, Logs *out, Error *e);
} LogReader;

enum {
#define READER(name, shown, needs, is, read) READER_##name,
#include "bench/readers/readers.def"
#undef READER
    READERS
};
extern const LogReader log_readers[READERS + 1]; /* the last: of a file that none reads, an empty one */

/* The row of a name; RC_USAGE with the nearest. */
Rc log_reader_named(const char *name, int *out, Error *e);

/* Reads files and folders; a folder is searched for what readers know, in natural order of names, and of the files of
 * one folder those of the first reader in the table are taken. as: a row of the table, or -1. Settings that stand in a
 * file beside a run (hparams.yaml, config.json) are read with it. RC_USAGE: a path that is not there, a file that no
 * reader knows, a folder without any. out is to be released also then. */
Rc logs_read(Logs *out, const char *const *path, int paths, int as, LogTold told, Error *e);

/* The row that a file's content chooses; -1: none. */
int log_reader_of(const LogFile *file);

#define READER(name, shown, needs, is, read) \
    bool is(const LogFile *file);            \
    Rc read(const LogFile *file, int reader, Logs *out, Error *e);
#include "bench/readers/readers.def"
#undef READER

#endif
