/* Tensors in several safetensors files with an index beside them, in the layout that Hugging Face's tools read:
 *
 *   weights.safetensors.index.json                      {"metadata": {"total_size": bytes of all tensors, texts…},
 *                                                        "weight_map": {tensor: file}, "sha256": {file: hash}}
 *   weights-0123456789ab-00001-of-00003.safetensors     some of the tensors, in their order
 *
 * A file's name has the first digits of its hash, so that shards never take the place of older ones: the old index and
 * its shards stand until the new index, written last, replaces it. Only then are the old shards removed. `sha256` is of
 * a shard's data section (bench/formats/safetensors.h); other programs ignore it, and an index without it is read. */
#ifndef BENCH_FORMATS_SAFE_SHARDS_H
#define BENCH_FORMATS_SAFE_SHARDS_H

#include "bench/formats/safetensors.h"

#define SAFE_INDEX ".index.json"
#define SAFE_SHARD 2e9 /* bytes of tensors in a file, where nobody says otherwise */

/* One file at path, or shards of at most `most` bytes of tensors (a larger tensor stands alone) and path.index.json;
 * removes what the other way, or an older index, left at path. RC_UNMEASURED when the disk refuses: what stood at path
 * before still reads. */
Rc safe_write_split(const SafeFile *f, const char *path, double most, Error *e);

/* The file at path; where there is none, path.index.json; a path that ends in .index.json is an index. RC_INTEGRITY: as
 * safe_read says, or a shard is missing, has another hash, lies in another folder, lacks a tensor that the index puts
 * there or has one that it puts elsewhere; bytes of a shard belong to no tensor. The text `sha256` is then that of all
 * hashes, where the index states them. */
Rc safe_read_split(SafeFile *f, const char *path, Error *e);

/* Whether one of both stands there. */
bool safe_stands(const char *path);

/* Removes the file, the index and its shards; absent is fine. */
void safe_remove(const char *path);

#endif
