/* SHA-256 through libcrypto, and the hashes built on it: canonical tensors, the loss chain, name streams. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 /* 64 digits and the terminator */ };

/* Before all else: from then on OpenSSL, which may crash or hash nothing where it has no memory, ends the program as
 * mem_alloc does. */
void sha256_memory(void);

/* out[32] = SHA-256 of bytes[length]. */
void sha256(uint8_t out[SHA256_BYTES], const void *bytes, size_t length);

/* Lower-case hex; returns out. */
char *sha256_hex(char out[SHA256_HEX], const uint8_t digest[SHA256_BYTES]);
char *sha256_hex_of(char out[SHA256_HEX], const void *bytes, size_t length);

/* The same of bytes that come one block after another: sha256_end fills out and ends the hash. */
typedef struct {
    void *context; /* EVP_MD_CTX */
} Sha256;
void sha256_init(Sha256 *h);
void sha256_copy(Sha256 *h, const Sha256 *of); /* what was added to `of` so far; both are ended on their own */
void sha256_add(Sha256 *h, const void *bytes, size_t length);
char *sha256_end(Sha256 *h, char out[SHA256_HEX]);

/* The stream of a name: its first 8 digest bytes, little endian. Two tensors of one name share their random numbers. */
uint64_t name_stream(const char *name);

/* Floats as hashed bits, little endian: every NaN is 0x7fc00000, everything else is itself. */
uint32_t canon_bits(float x);

/* A streaming hash of float tensors, NaNs canonical. */
typedef struct {
    void *context; /* EVP_MD_CTX */
} TensorHash;
void tensor_hash_init(TensorHash *h);
void tensor_hash_add(TensorHash *h, const float *x, size_t count);
void tensor_hash_end(TensorHash *h, uint8_t out[SHA256_BYTES]);

/* The chain h <- SHA256(h | bits(x)), started at 32 zero bytes. Two runs with one chain saw the same bits in the same
 * order. */
void chain_add(uint8_t chain[SHA256_BYTES], float x);

#endif
