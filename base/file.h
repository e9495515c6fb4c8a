/* Files: whole reads, and writes that leave either the old file or the whole new one. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

bool file_exists(const char *path);

/* Call open, read and fsync again while signals interrupt them, as on network file systems. */
int file_open(const char *path, int flags);
ssize_t file_take(int fd, void *bytes, size_t most);
int file_sync(int fd);

/* Read a whole file; *bytes has a terminator after length and is freed by the caller. RC_USAGE: absent. RC_UNMEASURED:
 * unreadable, larger than the free memory, or no plain file (a pipe, a device) that does not end within 1 GiB. */
Rc file_read(const char *path, char **bytes, size_t *length, Error *e);

/* Write path.tmp.PID.HOST, fsync it, read it back, rename it to path and fsync the folder. On failure (full disk,
 * read-only folder) nothing at path has changed, the temporary file is removed, and the code is RC_UNMEASURED. Before
 * that, remove temporary files of path that killed processes of this host left. */
Rc file_write(const char *path, const void *bytes, size_t length, Error *e);

/* Write a file of several parts, one after the other, without copying them together. */
typedef struct {
    const void *bytes;
    size_t length;
} FilePart;
Rc file_write_parts(const char *path, const FilePart *part, int parts, Error *e);

/* Write like file_write into a folder that folder_sweep has cleaned: for many files, since each file_write lists the
 * folder. */
Rc file_write_swept(const char *path, const void *bytes, size_t length, Error *e);

/* List the names in a folder that end in `ending` (".yaml"), without it, ascending; an absent folder has none. Return
 * how many; names_free frees them. If the folder cannot be listed, end the program with RC_UNMEASURED and one line. */
int folder_names(const char *folder, const char *ending, char ***names);
void names_free(char **names, int count);

/* Return true if the folder exists and is not empty. */
bool folder_filled(const char *path);

/* Make a folder and its parents, durably: they survive a power cut. */
Rc folder_make(const char *path, Error *e);

/* Make a folder below runs/ or out/ of the results. RC_USAGE: path itself is a link, which in somebody else's results
 * may lead anywhere. The results folder, its runs/ and its out/ may be links. */
Rc folder_make_own(const char *path, Error *e);

/* Remove all temporary files of file_write in a folder whose processes were killed. */
void folder_sweep(const char *path);

/* Rename a finished folder into place and fsync its parent; if the target exists, remove the source instead. */
Rc folder_publish(const char *from, const char *to, Error *e);

/* Flush stdout. Return false if that or an earlier write failed; *why (NULL: not wanted) is then the errno of the first
 * failure that a flush saw, or 0. */
bool output_flush(int *why);

/* Remove the plain files of a folder and the folder, if it exists. */
void folder_remove(const char *path);

#endif
