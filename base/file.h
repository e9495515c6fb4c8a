/* Files: whole reads, and writes that leave either the old file or the whole new one. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

bool file_exists(const char *path);

/* open, read and fsync until no signal interrupts them: a file may be far away. */
int file_open(const char *path, int flags);
ssize_t file_take(int fd, void *bytes, size_t most);
int file_sync(int fd);

/* Reads all of a file; *bytes has a terminator after length and is freed by the caller. RC_USAGE when absent,
 * RC_UNMEASURED when it cannot be read, is larger than the free memory, or is no plain file (a pipe, a device) and does
 * not end within 1 GiB. */
Rc file_read(const char *path, char **bytes, size_t *length, Error *e);

/* Writes path.tmp.PID.HOST, fsyncs it, reads it back, renames it to path and fsyncs the folder. On failure (full disk,
 * read-only folder) nothing at path has changed, the temporary file is removed, and the code is RC_UNMEASURED. First
 * removes what killed processes of this host were writing to path. */
Rc file_write(const char *path, const void *bytes, size_t length, Error *e);

/* The same of bytes that lie in several places, one behind the other in the file: no copy of them is made. */
typedef struct {
    const void *bytes;
    size_t length;
} FilePart;
Rc file_write_parts(const char *path, const FilePart *part, int parts, Error *e);

/* As file_write, into a folder of which folder_sweep already removed what killed processes were writing: of many files,
 * each would list it again. */
Rc file_write_swept(const char *path, const void *bytes, size_t length, Error *e);

/* The names in a folder that end in `ending` (".yaml"), without it, ascending; an absent folder has none. Returns how
 * many; names_free frees them. A folder that cannot be listed is not an empty one: the program ends with RC_UNMEASURED
 * and one line. */
int folder_names(const char *folder, const char *ending, char ***names);
void names_free(char **names, int count);

/* Whether the folder is there and holds something. */
bool folder_filled(const char *path);

/* mkdir -p; a folder that was made is there after a power cut. */
Rc folder_make(const char *path, Error *e);

/* The same of a folder below runs/ or out/ of the results: RC_USAGE where path itself is a link, which in results of
 * somebody else may lead anywhere. The results folder, its runs/ and its out/ may be links. */
Rc folder_make_own(const char *path, Error *e);

/* Removes what file_write was writing there, to any path, when its process was killed. */
void folder_sweep(const char *path);

/* Renames a finished folder into place and fsyncs its parent; an existing target wins and the source is removed. */
Rc folder_publish(const char *from, const char *to, Error *e);

/* Flushes stdout. False when it, or a write to it before, failed; *why (NULL: not wanted) is then the errno of the
 * first failure that a flush saw, or 0. */
bool output_flush(int *why);

/* Removes the plain files of a folder and the folder itself; absent is fine. */
void folder_remove(const char *path);

#endif
