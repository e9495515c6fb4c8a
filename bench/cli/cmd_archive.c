/* normbench records archive EXPERIMENT… -o PATH: an experiment's records, to be stored or sent. Reads records
 * alone. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "base/utf8.h"
#include "bench/cli/commands.h"
#include "bench/formats/subprocess.h"
#include "bench/formats/terminal.h"
#include "bench/store/archive.h"

static Rc add(Archive *a, const Session *s, const Store *stored, const char *name, Error *e) {
    LOCAL(experiment_release) Experiment x = {0};
    LOCAL(records_release) Records records = {0};
    if (session_plan(s, name, &x, e) || records_take(&records, stored, &x, s->precise, e)) return e->code;
    return records_complete(&records, s, &x, e) ? error_prefix(e, "%s: ", x.name) : archive_add(a, &x, &records, s, e);
}

/* The tar file through gzip -n, which writes neither name nor time. */
static Rc compress(const Text *tar, const char *path, Error *e) {
    static const char *const gzip[] = {"gzip", "-9", "-n", "archive.tar", NULL};
    Scratch folder;
    char file[640];
    bool absent;
    if (scratch_make(&folder, e)) return e->code;
    snprintf(file, sizeof file, "%s/archive.tar", folder.path);
    Rc rc = file_write(file, tar->at, tar->length, e);
    if (!rc && subprocess_run(gzip, folder.path, &absent, e))
        rc = absent ? error_set(e, RC_UNMEASURED, "%s: gzip is not installed; -o FILE.tar works without it", path)
                    : e->code;
    snprintf(file, sizeof file, "%s/archive.tar.gz", folder.path);
    if (!rc) rc = subprocess_copy(file, path, e);
    scratch_remove(&folder);
    return rc;
}

/* "records" of "some/where/records.tar.gz" */
static void top_folder(char out[100], const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(out, 100, "%.*s", (int)utf8_fitting(name, 99), name);
    out[strcspn(out, ".")] = 0;
    if (!out[0]) strcpy(out, "records");
}

static Rc write_to(const Archive *a, const char *path, Error *e) {
    bool gz = archive_is_packed(path);
    char top[100];
    LOCAL_TEXT(tar);
    if (!archive_is_tar(path)) return archive_folder(a, path, e);
    top_folder(top, path);
    archive_tar(a, top, &tar);
    return gz ? compress(&tar, path, e) : file_write(path, tar.at, tar.length, e);
}

/* What is in it, and the command that reads it. */
static void print_end(const Archive *a, const char *path) {
    size_t bytes = 0;
    char top[100];
    LOCAL_TEXT(line);
    const bool on = isatty(STDOUT_FILENO); /* there each command has a line of its own, to be read and copied */
    for (int i = 0; i < a->files; i++) bytes += a->file[i].length;
    terminal_say(stdout, "%s: %d runs, %d files, %.1f kB unpacked; to read them:%s", path, a->runs, a->files,
                 1e-3 * (double)bytes, on ? "\n" : " ");
    if (archive_is_tar(path)) {
        text_format(&line, on ? "  tar -xf " : "tar -xf ");
        text_shell(&line, path);
        text_format(&line, on ? "\n" : " && ");
    }
    top_folder(top, path);
    text_format(&line, on ? "  normbench table %s --results " : "normbench table %s --results ", a->plan[0].slug);
    text_shell(&line, archive_is_tar(path) ? top : path);
    printf("%s\n", line.at);
}

Rc command_archive(Session *s, Error *e) {
    const Options *o = s->options;
    const char *path = option(o, OPTION_output, NULL);
    if (!o->operands)
        return error_set(e, RC_USAGE, "archive: name one experiment or more (`normbench runs` lists what is stored)");
    if (!path || !path[0])
        return error_set(e, RC_USAGE, "archive: -o PATH says where to write: a new folder, FILE.tar or FILE.tar.gz");
    LOCAL(archive_release) Archive a;
    LOCAL(store_release) Store stored;
    archive_begin(&a);
    a.without_curves = o->times[OPTION_without_curves] > 0;
    store_read(&stored, s->runs);
    for (int i = 0; i < o->operands; i++)
        if (add(&a, s, &stored, o->operand[i], e)) return e->code;
    archive_close(&a);
    if (write_to(&a, path, e)) return e->code;
    print_end(&a, path);
    return RC_OK;
}
