/* Records of an event file: length (8 bytes), its checksum (4), the event, its checksum (4); little endian. */
#include "bench/readers/events.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/readers/readers.h"

enum { HEAD = 12, TAIL = 4 };

static uint32_t little(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* CRC-32C (RFC 3720, Castagnoli's polynomial), rotated and shifted as TFRecord masks it. */
static uint32_t checksum(const uint8_t *bytes, size_t length) {
    static uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t x = i;
            for (int k = 0; k < 8; k++) x = x & 1 ? x >> 1 ^ 0x82F63B78u : x >> 1;
            table[i] = x;
        }
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < length; i++) crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

static bool head_is(const uint8_t *at) {
    return little(at + 8) == checksum(at, 8);
}

bool events_is(const LogFile *file) {
    return file->length >= HEAD && head_is((const uint8_t *)file->bytes);
}

/* "1717312614.25", as SummaryWriter.add_hparams calls a folder: seconds since 1970, not the "0.001" of a rate. */
static bool is_time(const char *name) {
    size_t n = strspn(name, "0123456789");
    return n >= 9 && name[n] == '.' && name[n + 1] && !name[n + 1 + strspn(name + n + 1, "0123456789")];
}

static void rename_series(LogSeries *s, const char *before, const char *name) {
    char text[800];
    snprintf(text, sizeof text, "%.300s%.400s", before, name);
    free(s->name);
    s->name = mem_text(text);
}

static bool holds_events(const char *folder) {
    DIR *at = opendir(folder);
    bool found = false;
    for (struct dirent *entry; at && !found && (entry = readdir(at));)
        found = strstr(entry->d_name, "tfevents") != NULL;
    if (at) closedir(at);
    return found;
}

/* Whether a folder holds a part of the run above it: Keras' train/ and validation/, whose tags are the same, what
 * add_scalars writes (loss_train/ with the tag loss, beside its run's own file), or add_hparams. Its series get the
 * folder's name. */
static bool is_part(Log *log, const char *name, const char *above) {
    static const char *const parts[] = {"train", "validation", "valid", "val", "test", "eval"};
    char before[40];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(name, parts[i]) != 0) continue;
        snprintf(before, sizeof before, "%s/", name);
        for (int k = 0; k < log->count; k++)
            if (strncmp(log->series[k].name, before, strlen(before)) != 0)
                rename_series(&log->series[k], before, log->series[k].name);
        return true;
    }
    if (is_time(name)) return true;
    size_t n = log->count == 1 ? strlen(log->series[0].name) : 0;
    for (size_t i = 0; i < n; i++)
        if (name[i] != (log->series[0].name[i] == '/' ? '_' : log->series[0].name[i])) return false;
    if (!n || name[n] != '_' || !holds_events(above)) return false;
    rename_series(&log->series[0], "", name);
    return true;
}

/* A part belongs to the folder above. */
static void place(Log *log) {
    char folder[4100], above[4100];
    log_folder(folder, sizeof folder, log->path, 0);
    const char *slash = strrchr(folder, '/'), *file = strrchr(log->path, '/');
    log_folder(above, sizeof above, log->path, 1);
    if (!slash || !is_part(log, slash + 1, above)) return;
    Text path;
    text_init(&path);
    text_format(&path, "%s%s", above, file);
    free(log->path), free(log->unit);
    log->path = path.at, log->unit = mem_text(above);
}

/* A file that breaks off is a run that did: what stands before is kept. */
Rc events_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char folder[4100];
    const uint8_t *bytes = (const uint8_t *)file->bytes;
    size_t at = 0;
    long events = 0;
    if (!event_known)
        return error_set(e, RC_UNMEASURED,
                         "%.600s: event files need a normbench that was built with protobuf-c "
                         "(libprotobuf-c, protoc-c)",
                         file->path);
    log_folder(folder, sizeof folder, file->path, 0);
    Log *log = logs_add(out, reader, file->path, "", folder);
    for (; at < file->length; events++) {
        size_t left = file->length - at;
        uint64_t n = left < HEAD ? 0 : (uint64_t)little(bytes + at + 4) << 32 | little(bytes + at);
        bool whole = left >= HEAD && n <= left - HEAD && left - HEAD - n >= TAIL;
        if (left >= HEAD && !head_is(bytes + at)) {
            log_doubt(log, "the checksum at byte %zu is wrong; what stands behind is not read", at);
            break;
        }
        if (!whole) {
            log_doubt(log, "the file breaks off at byte %zu, behind %ld events", at, events);
            break;
        }
        const uint8_t *event = bytes + at + HEAD;
        if (little(event + n) != checksum(event, n) || !event_read(event, n, log)) {
            log_doubt(log, "the event at byte %zu is damaged; what stands behind is not read", at);
            break;
        }
        at += HEAD + n + TAIL;
    }
    if (!log->count) log_fault(log, "the event file holds no numbers");
    place(log);
    return RC_OK;
}
