#include "bench/store/archive.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/json.h"
#include "bench/formats/subprocess.h"
#include "bench/formats/unpack.h"

void archive_begin(Archive *a) {
    *a = (Archive){0};
}

void archive_release(Archive *a) {
    for (int i = 0; i < a->files; i++) {
        free(a->file[i].path);
        free(a->file[i].bytes);
    }
    for (int i = 0; i < a->builds; i++) free((char *)(uintptr_t)a->build[i].commit);
    free(a->file);
    free(a->plan);
    *a = (Archive){0};
}

static void add_file(Archive *a, const char *path, char *bytes, size_t length) {
    a->file = mem_grow(a->file, (size_t)a->files + 1, sizeof *a->file);
    a->file[a->files++] = (ArchiveFile){.path = mem_text(path), .bytes = bytes, .length = length};
}

const ArchiveFile *archive_file(const Archive *a, const char *path) {
    int i = 0;
    while (i < a->files && strcmp(a->file[i].path, path)) i++;
    return i < a->files ? &a->file[i] : NULL;
}

static void count_maker(Archive *a, const RunRecord *r) {
    int k = 0;
    while (k < a->builds && strcmp(a->build[k].commit, r->provenance.commit)) k++;
    if (k == MADE_BY_MAX) return;
    if (k == a->builds) a->build[a->builds++] = (MadeBy){.commit = mem_text(r->provenance.commit)};
    a->build[k].runs++;
}

/* Keep only the names and the first step of curves.csv, and set record.json's hash accordingly. */
static Rc leave_curves(ArchiveFile *record, ArchiveFile *curves, Error *e) {
    json_error_t why;
    json_auto_t *root = json_loadb(record->bytes, record->length, JSON_REJECT_DUPLICATES, &why);
    if (!root) return error_set(e, RC_INTEGRITY, "%s: %s", record->path, why.text);
    const char *end = curves->bytes + strcspn(curves->bytes, "\n");
    if (*end) end += 1 + strcspn(end + 1, "\n");
    curves->length = (size_t)(end - curves->bytes) + (*end == '\n');
    record_seal(root, curves->bytes, curves->length);
    free(record->bytes);
    record->bytes = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    record->length = strlen(record->bytes);
    return RC_OK;
}

/* out/WORD/plan.json, once. */
static Rc add_note(Archive *a, const PlanFolder *folder, const char *root, const Experiment *x, const Overrides *o,
                   Error *e) {
    char path[128];
    LOCAL_TEXT(text);
    snprintf(path, sizeof path, "out/%s/plan.json", folder->slug);
    if (archive_file(a, path)) return RC_OK;
    json_t *note = plan_note_carried(folder, root, x, o);
    if (!note) return error_set(e, RC_USAGE, "plan.json: an option is not UTF-8");
    json_print(note, JSON_EXACT, &text);
    add_file(a, path, mem_text(text.at), text.length);
    return RC_OK;
}

Rc archive_add(Archive *a, const Experiment *x, const Records *r, const Session *s, Error *e) {
    const char *runs = s->runs;
    char slug[PLAN_SLUG_SIZE];
    LOCAL(plan_folder_release) PlanFolder folder = {0};
    if (plan_folder_find(&folder, s->results, s->slug, x, e)) return e->code;
    Rc rc = add_note(a, &folder, s->root, x, &s->overrides, e);
    strcpy(slug, folder.slug);
    if (rc) return rc;
    a->plan = mem_grow(a->plan, (size_t)a->plans + 1, sizeof *a->plan);
    ArchivePlan *plan = &a->plan[a->plans++];
    *plan = (ArchivePlan){.runs = r->runs};
    snprintf(plan->experiment, sizeof plan->experiment, "%s", x->name);
    snprintf(plan->profile, sizeof plan->profile, "%s", x->profile);
    snprintf(plan->plan, sizeof plan->plan, "%s", x->plan);
    snprintf(plan->slug, sizeof plan->slug, "%s", slug);
    for (const RunRecord *run = r->at; run < r->at + r->runs; run++) {
        bool new = false;
        int first = a->files; /* index of its record.json, which its curves.csv follows */
        for (int k = 0; k < RECORD_FILES; k++) {
            if (!record_has(run, k)) continue;
            char path[128], from[1200], *bytes;
            size_t length;
            snprintf(path, sizeof path, "runs/%s/%s", run->id, record_files[k]);
            snprintf(from, sizeof from, "%.1000s/%s/%s", runs, run->id, record_files[k]);
            if (archive_file(a, path)) continue;
            if (file_read(from, &bytes, &length, e)) return e->code;
            add_file(a, path, bytes, length);
            new = true;
        }
        if (!new) continue;
        count_maker(a, run), a->runs++;
        if (a->without_curves && leave_curves(&a->file[first], &a->file[first + 1], e)) return e->code;
    }
    return RC_OK;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const ArchiveFile *)a)->path, ((const ArchiveFile *)b)->path);
}

static json_t *manifest(const Archive *a) {
    json_t *root = json_pack("{s:i, s:s, s:s}", "schema", (int)ARCHIVE_SCHEMA, "made_by",
                             "normbench " NORMBENCH_VERSION, "commit", provenance_commit());
    json_t *plans = json_array(), *made = json_array(), *files = json_array();
    char hash[SHA256_HEX];
    for (const ArchivePlan *p = a->plan; p < a->plan + a->plans; p++)
        json_array_append_new(plans, json_pack("{s:s, s:s, s:s, s:i}", "experiment", p->experiment, "profile",
                                               p->profile, "plan", p->plan, "runs", p->runs));
    for (int i = 0; i < a->builds; i++)
        json_array_append_new(made, json_pack("{s:s, s:i}", "commit", a->build[i].commit, "runs", a->build[i].runs));
    for (const ArchiveFile *f = a->file; f < a->file + a->files; f++)
        json_array_append_new(files, json_pack("{s:s, s:I, s:s}", "path", f->path, "bytes", (json_int_t)f->length,
                                               "sha256", sha256_hex_of(hash, f->bytes, f->length)));
    if (a->without_curves) json_object_set_new(root, "curves", json_false());
    json_object_set_new(root, "plans", plans);
    json_object_set_new(root, "records", made);
    json_object_set_new(root, "files", files);
    return root;
}

void archive_close(Archive *a) {
    char hash[SHA256_HEX];
    LOCAL_TEXT(sums);
    if (a->files) qsort(a->file, (size_t)a->files, sizeof *a->file, by_path);
    json_print(manifest(a), JSON_EXACT, &sums);
    add_file(a, "MANIFEST.json", mem_text(sums.at), sums.length);
    text_clear(&sums);
    for (const ArchiveFile *f = a->file; f < a->file + a->files; f++)
        text_format(&sums, "%s  %s\n", sha256_hex_of(hash, f->bytes, f->length), f->path);
    add_file(a, "SHA256SUMS", mem_text(sums.at), sums.length);
}

/* Remove the first files that were written, and the folders that were made for them; kept: not the outermost. */
static void take_back(const Archive *a, int files, const char *folder, bool kept) {
    for (int i = files; i-- > 0;) {
        char path[1400], *slash;
        snprintf(path, sizeof path, "%s/%s", folder, a->file[i].path);
        unlink(path);
        while ((slash = strrchr(path, '/')) && (size_t)(slash - path) > strlen(folder)) {
            *slash = 0;
            if (rmdir(path)) break;
        }
    }
    if (!kept) rmdir(folder);
}

Rc archive_folder(const Archive *a, const char *folder, Error *e) {
    const bool there = file_exists(folder);
    if (folder_filled(folder)) return error_set(e, RC_USAGE, "%s: something is in it; name a new folder", folder);
    for (const ArchiveFile *f = a->file; f < a->file + a->files; f++) {
        char path[1400];
        if (snprintf(path, sizeof path, "%s/%s", folder, f->path) >= (int)sizeof path)
            return error_set(e, RC_USAGE, "%.200s: the path is too long", folder);
        char *slash = strrchr(path, '/');
        *slash = 0;
        Rc rc = folder_make(path, e);
        *slash = '/';
        if (rc || file_write(path, f->bytes, f->length, e)) {
            take_back(a, (int)(f - a->file) + 1, folder, there);
            return e->code;
        }
    }
    return RC_OK;
}

/* Append a ustar header; owner, group and time are zero, so the bytes depend only on the contents. */
static void tar_header(const ArchiveFile *f, const char *top, Text *out) {
    char header[512] = {0};
    unsigned sum = 0;
    snprintf(header, 100, "%s", f->path);
    snprintf(header + 100, 8, "%07o", 0644u);
    snprintf(header + 108, 8, "%07o", 0u);
    snprintf(header + 116, 8, "%07o", 0u);
    snprintf(header + 124, 12, "%011lo", (unsigned long)f->length);
    snprintf(header + 136, 12, "%011o", 0u);
    memset(header + 148, ' ', 8);
    header[156] = '0';
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    snprintf(header + 345, 155, "%s", top);
    for (int i = 0; i < 512; i++) sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    text_add(out, header, sizeof header);
}

void archive_tar(const Archive *a, const char *top, Text *out) {
    static const char zeros[1024];
    for (const ArchiveFile *f = a->file; f < a->file + a->files; f++) {
        tar_header(f, top, out);
        text_add(out, f->bytes, f->length);
        text_add(out, zeros, (512 - f->length % 512) % 512);
    }
    text_add(out, zeros, sizeof zeros);
}

bool archive_is_packed(const char *path) {
    return text_ends(path, ".tar.gz") || text_ends(path, ".tgz");
}

bool archive_is_tar(const char *path) {
    return archive_is_packed(path) || text_ends(path, ".tar");
}

/* Whether a path is one that archive_close may have listed: below the archive's own folder, and nowhere else. */
static bool own_path(const char *path) {
    bool below = !strncmp(path, "runs/", 5) || !strncmp(path, "out/", 4);
    bool up = strstr(path, "/../") || text_ends(path, "/..");
    return !strcmp(path, "MANIFEST.json") || !strcmp(path, "SHA256SUMS") || (below && !up);
}

/* Read a header of a ustar or GNU tar file: its sum, its length, its kind, and the name below the file's one folder. */
static bool header_read(const char header[512], char path[260], char *kind, size_t *length) {
    char whole[260];
    unsigned sum = 0;
    bool ustar = !memcmp(header + 257, "ustar", 6), prefixed = ustar && header[345];
    for (int i = 0; i < 512; i++) sum += i >= 148 && i < 156 ? ' ' : (unsigned char)header[i];
    *length = strtoul(header + 124, NULL, 8);
    *kind = header[156];
    snprintf(whole, sizeof whole, "%.155s%s%.100s", prefixed ? header + 345 : "", prefixed ? "/" : "", header);
    const char *below = strchr(whole, '/');
    snprintf(path, sizeof whole, "%s", below ? below + 1 : "");
    return !memcmp(header + 257, "ustar", 5) && strtoul(header + 148, NULL, 8) == sum;
}

/* Add the files of a tar file's bytes. False: it breaks off, or these are not an archive's. */
static bool take_files(Archive *a, const char *bytes, size_t size) {
    char path[260], kind;
    size_t at = 0, length;
    while (size - at >= 512 && bytes[at]) {
        if (!header_read(bytes + at, path, &kind, &length) || length > size - at - 512) return false;
        at += 512;
        if (kind != '5') { /* '5': a folder */
            if (kind != '0' || !own_path(path) || archive_file(a, path)) return false;
            char *copy = mem_alloc(length + 1, 1);
            memcpy(copy, bytes + at, length);
            add_file(a, path, copy, length);
        }
        length += (512 - length % 512) % 512;
        if (length > size - at) return false;
        at += length;
    }
    return size - at >= 1024 && archive_file(a, "MANIFEST.json") != NULL;
}

/* Check that SHA256SUMS lists the other files, each with its hash. */
static Rc check_sums(const Archive *a, const char *path, Error *e) {
    const ArchiveFile *sums = archive_file(a, "SHA256SUMS");
    const char *all = sums ? sums->bytes : "", *next = all; /* most files stand in the list's order */
    int listed = 0;
    for (const char *at = all; (at = strchr(at, '\n')); at++) listed++;
    for (const ArchiveFile *f = a->file; f < a->file + a->files; f++) {
        char line[SHA256_HEX + 300], hash[SHA256_HEX];
        if (f == sums) continue;
        snprintf(line, sizeof line, "%s  %s\n", sha256_hex_of(hash, f->bytes, f->length), f->path);
        const char *at = strstr(next, line);
        if (!at) at = strstr(all, line);
        if (!at)
            return error_set(e, RC_INTEGRITY, "%s: it is damaged: its %s does not have the hash that SHA256SUMS names",
                             path, f->path);
        next = at + strlen(line);
    }
    if (listed == a->files - 1) return RC_OK;
    return error_set(e, RC_INTEGRITY, "%s: it is damaged: SHA256SUMS lists %d files, and there are %d", path, listed,
                     a->files - 1);
}

/* Unpack by the program gzip, for a build without zlib. */
static Rc read_packed(const char *path, char **bytes, size_t *size, Error *e) {
    static const char *const gzip[] = {"gzip", "-d", "archive.tar.gz", NULL};
    Scratch folder;
    char file[640];
    bool absent;
    if (scratch_make(&folder, e)) return e->code;
    snprintf(file, sizeof file, "%s/archive.tar.gz", folder.path);
    Rc rc = subprocess_copy(path, file, e);
    if (!rc && subprocess_run(gzip, folder.path, &absent, e))
        rc = absent ? error_set(e, RC_UNMEASURED, "%s: this build has no zlib, and gzip is not installed", path)
                    : error_set(e, RC_INTEGRITY, "%s: the gzip file breaks off or is damaged", path);
    snprintf(file, sizeof file, "%s/archive.tar", folder.path);
    if (!rc) rc = file_read(file, bytes, size, e);
    scratch_remove(&folder);
    return rc;
}

Rc archive_read(Archive *a, const char *path, Error *e) {
    OWNED char *bytes = NULL;
    size_t size;
    archive_begin(a);
    if (archive_is_packed(path) && !unpack_known && file_exists(path)) {
        if (read_packed(path, &bytes, &size, e)) return e->code;
    } else if (file_read(path, &bytes, &size, e))
        return e->code;
    if (unpack_gzip(&bytes, &size, e)) {
        e->code = RC_INTEGRITY;
        return error_prefix(e, "%s: ", path);
    }
    if (take_files(a, bytes, size)) return check_sums(a, path, e);
    return error_set(e, RC_INTEGRITY, "%s: it breaks off, or `normbench records archive` did not write it", path);
}

Rc archive_unpack(Scratch *folder, const char *path, Error *e) {
    LOCAL(archive_release) Archive a;
    if (archive_read(&a, path, e) || scratch_make(folder, e)) return e->code;
    Rc rc = archive_folder(&a, folder->path, e);
    if (rc) scratch_remove(folder);
    return rc;
}
