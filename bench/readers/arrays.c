/* Scores as NumPy arrays: .npy, and .npz as np.savez writes it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/unpack.h"
#include "bench/readers/readers.h"

/* One value per row: of more columns their mean. */
typedef struct {
    double *value;
    size_t rows;
} Array;

static uint64_t little(const char *at, int bytes) {
    uint64_t x = 0;
    for (int i = bytes; i-- > 0;) x = x << 8 | (uint8_t)at[i];
    return x;
}

static double element(const char *at, char kind, int size) {
    uint64_t bits = little(at, size);
    if (kind == 'f' && size == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (kind == 'f') {
        uint32_t half = (uint32_t)bits;
        float x;
        memcpy(&x, &half, sizeof x);
        return (double)x;
    }
    if (kind == 'i' && size < 8 && bits >> (8 * size - 1)) return (double)((int64_t)bits - ((int64_t)1 << 8 * size));
    return kind == 'i' ? (double)(int64_t)bits : (double)bits;
}

/* "{'descr': '<f8', 'fortran_order': False, 'shape': (201, 5), }" */
static bool header(const char *text, char *kind, int *size, size_t *rows, size_t *columns) {
    const char *descr = strstr(text, "'descr': '"), *shape = strstr(text, "'shape': (");
    unsigned long long first = 0, second = 1;
    if (!descr || !shape || !strstr(text, "'fortran_order': False")) return false;
    if (sscanf(descr + 10, "%*[<|=]%c%d", kind, size) != 2 || !strchr("fiu", *kind)) return false;
    if (*size != 8 && *size != 4 && (*kind == 'f' || (*size != 2 && *size != 1))) return false;
    int got = sscanf(shape + 10, "%llu, %llu%*[,)]", &first, &second);
    if (got == 2 && strchr(strchr(shape, ',') + 1, ',') && strchr(strchr(shape, ',') + 1, ',') < strchr(shape, ')')) {
        const char *third = strchr(strchr(shape, ',') + 1, ',') + 1;
        if (third[strspn(third, " ")] != ')') return false; /* three axes */
    }
    *rows = first, *columns = got == 2 ? second : 1;
    return got >= 1;
}

/* NULL, or what is wrong with it. */
static const char *parse(const char *bytes, size_t length, Array *out) {
    char text[4096], kind;
    int size;
    size_t rows, columns;
    *out = (Array){0};
    if (length < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "no NumPy array";
    size_t at = bytes[6] == 1 ? 10 : 12, n = little(bytes + 8, bytes[6] == 1 ? 2 : 4);
    if (n > length - at || n >= sizeof text) return "the array's head breaks off";
    snprintf(text, sizeof text, "%.*s", (int)n, bytes + at);
    if (!header(text, &kind, &size, &rows, &columns)) return "an array of other than one or two axes of plain numbers";
    at += n;
    if (!rows || !columns) return "the array is empty";
    if (columns > (length - at) / (size_t)size || rows > (length - at) / (size_t)size / columns)
        return "the array breaks off";
    out->value = mem_alloc(rows, sizeof *out->value), out->rows = rows;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < columns; k++) sum += element(bytes + at + (i * columns + k) * (size_t)size, kind, size);
        out->value[i] = sum / (double)columns;
    }
    return NULL;
}

bool npy_is(const LogFile *file) {
    return file->length > 10 && !memcmp(file->bytes, "\x93NUMPY", 6);
}

Rc npy_read(const LogFile *file, int reader, Logs *out, Error *e) {
    Array a;
    (void)e;
    Log *log = logs_add(out, reader, file->path, "", NULL);
    const char *wrong = parse(file->bytes, file->length, &a);
    if (wrong) log_fault(log, "%s", wrong);
    for (size_t i = 0; i < a.rows; i++) log_point(log, "score", (double)i, a.value[i]);
    free(a.value);
    return RC_OK;
}

/* A member of a zip file. */
typedef struct {
    char name[200];
    const char *bytes;
    char *unpacked; /* what bytes point to where the file holds them packed; else NULL */
    size_t length, next; /* next: where the one behind it begins */
} Member;

enum { ZIP_HEAD = 30, DEFLATED = 8 /* zip's method */ };

/* A size of 32 bits, or, where it does not fit them, that of the extra field 1, of which it is the `which`th. */
static bool size_of(const char *size, const char *extra, size_t n, size_t which, size_t *out) {
    *out = little(size, 4);
    if (*out != UINT32_MAX) return true;
    for (size_t at = 0; at + 4 <= n; at += 4 + little(extra + at + 2, 2))
        if (little(extra + at, 2) == 1 && at + 20 <= n) {
            *out = little(extra + at + 4 + 8 * which, 8);
            return true;
        }
    return false;
}

/* NULL, or what is wrong with the member at `at`. */
static const char *member_at(const LogFile *file, size_t at, Member *m) {
    const char *head = file->bytes + at;
    *m = (Member){0};
    if (file->length - at < ZIP_HEAD) return "the archive breaks off";
    size_t name = little(head + 26, 2), extra = little(head + 28, 2), begin = at + ZIP_HEAD + name + extra, packed;
    if (begin > file->length) return "the archive breaks off";
    const char *more = head + ZIP_HEAD + name;
    if (!size_of(head + 22, more, extra, 0, &m->length) || !size_of(head + 18, more, extra, 1, &packed))
        return "no size is given";
    if (packed > file->length - begin) return "the archive breaks off";
    snprintf(m->name, sizeof m->name, "%.*s", (int)(name < 199 ? name : 199), head + ZIP_HEAD);
    if (strlen(m->name) > 4 && !strcmp(m->name + strlen(m->name) - 4, ".npy")) m->name[strlen(m->name) - 4] = 0;
    m->bytes = file->bytes + begin, m->next = begin + packed;
    size_t method = little(head + 8, 2);
    if (!method && m->length != packed) return "the archive is damaged";
    if (!method) return NULL;
    if (method != DEFLATED || !unpack_known) return "the archive is compressed; np.savez writes one that is not";
    m->bytes = m->unpacked = unpack_member(m->bytes, packed, m->length);
    return m->bytes ? NULL : "the archive is damaged";
}

bool npz_is(const LogFile *file) {
    return file->length > ZIP_HEAD && !memcmp(file->bytes, "PK\3\4", 4) && memmem(file->bytes, file->length, ".npy", 4);
}

/* `timesteps` (of stable-baselines3) or `steps` count the rows of the others that are as long. */
Rc npz_read(const LogFile *file, int reader, Logs *out, Error *e) {
    Array steps = {0};
    const char *wrong = NULL;
    (void)e;
    Log *log = logs_add(out, reader, file->path, "", NULL);
    for (int round = 0; round < 2; round++)
        for (size_t at = 0; !wrong && at + 4 < file->length && !memcmp(file->bytes + at, "PK\3\4", 4);) {
            Member m;
            Array a = {0};
            wrong = member_at(file, at, &m);
            if (wrong) break;
            bool counts = !strcmp(m.name, "timesteps") || !strcmp(m.name, "steps");
            at = m.next;
            bool asked = counts == !round && !parse(m.bytes, m.length, &a);
            free(m.unpacked);
            if (asked && counts && !steps.value) {
                steps = a;
                continue;
            }
            bool counted = a.rows == steps.rows;
            for (size_t i = 0; i < a.rows; i++)
                log_point(log, m.name, counted ? steps.value[i] : (double)i, a.value[i]);
            if (!counted && steps.rows && a.rows > 1)
                log_doubt_series(log, m.name, "its array of steps is not as long as %.100s; places are counted",
                                 m.name);
            free(a.value);
        }
    free(steps.value);
    if (wrong || !log->count) log_fault(log, "%s", wrong ? wrong : "it holds no array of numbers");
    return RC_OK;
}
