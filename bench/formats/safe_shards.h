/* Tensors in several safetensors files with an index, in the layout of Hugging Face's tools:
 *
 *   weights.safetensors.index.json                      {"metadata": {"total_size": bytes of all tensors, texts…},
 *                                                        "weight_map": {tensor: file}, "sha256": {file: hash}}
 *   weights-0123456789ab-00001-of-00003.safetensors     some of the tensors, in their order
 *
 * A file's name has the first digits of its hash, so that shards never overwrite older ones: the old index and its
 * shards stay until the new index, written last, replaces it; only then are the old shards removed. `sha256` hashes a
 * shard's data section (bench/formats/safetensors.h); other programs ignore it, and an index without it can be read. */
#ifndef BENCH_FORMATS_SAFE_SHARDS_H
#define BENCH_FORMATS_SAFE_SHARDS_H

#include "bench/formats/safetensors.h"

#define SAFE_INDEX ".index.json"
#define SAFE_SHARD 2e9 /* default bytes of tensors in a file */

/* Write one file at path, or shards of at most `most` bytes of tensors (a larger tensor has its own) and
 * path.index.json; remove older files at path. RC_UNMEASURED: the disk refused; older files at path can still be read.
 * */
Rc safe_write_split(const SafeFile *f, const char *path, double most, Error *e);

/* Read the file at path, else path.index.json; a path that ends in .index.json is an index. RC_INTEGRITY: as in
 * safe_read, or a shard is missing, has another hash, is in another folder, lacks a tensor that the index puts there or
 * has one that it puts elsewhere, or has bytes of no tensor. The text `sha256` then hashes all hashes, if the index
 * states them. */
Rc safe_read_split(SafeFile *f, const char *path, Error *e);

/* Return true if the file or the index exists. */
bool safe_stands(const char *path);

/* Remove the file, the index and its shards, if they exist. */
void safe_remove(const char *path);

#endif
