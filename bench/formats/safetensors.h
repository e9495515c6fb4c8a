/* Read and write safetensors files: 8 bytes little-endian header length, a JSON header {name: {dtype, shape,
 * data_offsets}}, then data. Files are written whole or not at all (base/file.h); `__metadata__` also has the SHA-256
 * of the data, which reading checks. */
#ifndef BENCH_FORMATS_SAFETENSORS_H
#define BENCH_FORMATS_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
    char name[80];
    char dtype[12]; /* the format's name: "F32", "BF16", "I64" */
    int rank;       /* 0 (a scalar), 1 or 2 */
    int64_t shape[2];
    void *data; /* little endian, row-major */
} SafeTensor;

typedef struct {
    char *key, *value;
} SafeText;

typedef struct SafeFile {
    SafeTensor *tensor;
    int tensors;
    SafeText *text; /* __metadata__ */
    int texts;
    char *bytes; /* the file as read, [length]; tensors point into it */
    size_t length;
    struct SafeFile *shard; /* owners of the tensors' bytes, if read from several files */
    int shards;
} SafeFile;

void safe_init(SafeFile *f);
void safe_release(SafeFile *f);

/* Add a tensor; data is not copied and must live until safe_write. */
void safe_add(SafeFile *f, const char *name, const char *dtype, int rank, int64_t rows, int64_t cols, const void *data);
void safe_add_text(SafeFile *f, const char *key, const char *value);

/* Write the file. RC_UNMEASURED: the disk refused. */
Rc safe_write(const SafeFile *f, const char *path, Error *e);

/* Read a file. RC_INTEGRITY: it is invalid, truncated, or its data have another hash; or a tensor has more than two
 * dimensions or an unknown dtype. */
Rc safe_read(SafeFile *f, const char *path, Error *e);

/* Check that the tensors of a file that was read tile its data, without overlaps and gaps; else RC_INTEGRITY. */
Rc safe_tiled(const SafeFile *f, Error *e);

/* Compute the SHA-256 of the tensors' bytes, which safe_write states. */
void safe_hash(const SafeFile *f, char out[static 65]);

/* Convert a tensor of F32, BF16 or F16 to floats, exactly. False: another dtype, and out is unchanged. */
bool safe_floats(const SafeTensor *t);
void safe_take_floats(const SafeTensor *t, float *out);

const SafeTensor *safe_find(const SafeFile *f, const char *name); /* NULL: absent */
const char *safe_text(const SafeFile *f, const char *key);        /* NULL: absent */
size_t safe_bytes(const SafeTensor *t);

#endif
