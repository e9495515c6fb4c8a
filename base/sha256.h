/* SHA-256 by libcrypto, and the hashes built on it: canonical tensors, the loss chain, name streams. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 /* 64 digits and the terminator */ };

/* Make OpenSSL end the program as mem_alloc does when memory is short; without it OpenSSL may crash or hash nothing.
 * Call it first. */
void sha256_memory(void);

/* Compute out[32] = SHA-256 of bytes[length]. */
void sha256(uint8_t out[SHA256_BYTES], const void *bytes, size_t length);

/* Write a digest in lower-case hex; return out. */
char *sha256_hex(char out[SHA256_HEX], const uint8_t digest[SHA256_BYTES]);
char *sha256_hex_of(char out[SHA256_HEX], const void *bytes, size_t length);

/* Hash bytes block by block: sha256_end fills out and ends the hash. */
typedef struct {
    void *context; /* EVP_MD_CTX */
} Sha256;
void sha256_init(Sha256 *h);
void sha256_copy(Sha256 *h, const Sha256 *of); /* copies the state of `of`; end both */
void sha256_add(Sha256 *h, const void *bytes, size_t length);
char *sha256_end(Sha256 *h, char out[SHA256_HEX]);

/* Return a name's random stream: its first 8 digest bytes, little endian. Tensors of equal names share random numbers.
 * */
uint64_t name_stream(const char *name);

/* Return the bits of a float to hash (little endian): a NaN's are 0x7fc00000, others' their own. */
uint32_t canon_bits(float x);

/* Streaming hash of float tensors, with canonical NaNs. */
typedef struct {
    void *context; /* EVP_MD_CTX */
} TensorHash;
void tensor_hash_init(TensorHash *h);
void tensor_hash_add(TensorHash *h, const float *x, size_t count);
void tensor_hash_end(TensorHash *h, uint8_t out[SHA256_BYTES]);

/* Extend a chain h <- SHA256(h | bits(x)), which starts at 32 zero bytes. Runs with equal chains saw the same bits in
 * the same order. */
void chain_add(uint8_t chain[SHA256_BYTES], float x);

#endif
