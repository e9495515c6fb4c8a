#include "base/sha256.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void *take(size_t bytes, const char *file, int line) {
    (void)file, (void)line;
    return mem_alloc(bytes, 1);
}

static void *grow(void *old, size_t bytes, const char *file, int line) {
    (void)file, (void)line;
    return mem_grow(old, bytes, 1);
}

static void give(void *old, const char *file, int line) {
    (void)file, (void)line;
    free(old);
}

void sha256_memory(void) {
    (void)CRYPTO_set_mem_functions(take, grow, give);
}

void sha256(uint8_t out[SHA256_BYTES], const void *bytes, size_t length) {
    int ok = EVP_Digest(bytes, length, out, NULL, EVP_sha256(), NULL);
    assert(ok == 1);
    (void)ok;
}

char *sha256_hex(char out[SHA256_HEX], const uint8_t digest[SHA256_BYTES]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = 0;
    return out;
}

char *sha256_hex_of(char out[SHA256_HEX], const void *bytes, size_t length) {
    uint8_t digest[SHA256_BYTES];
    sha256(digest, bytes, length);
    return sha256_hex(out, digest);
}

void sha256_init(Sha256 *h) {
    h->context = EVP_MD_CTX_new();
    assert(h->context);
    EVP_DigestInit_ex(h->context, EVP_sha256(), NULL);
}

void sha256_copy(Sha256 *h, const Sha256 *of) {
    h->context = EVP_MD_CTX_new();
    assert(h->context);
    EVP_MD_CTX_copy_ex(h->context, of->context);
}

void sha256_add(Sha256 *h, const void *bytes, size_t length) {
    EVP_DigestUpdate(h->context, bytes, length);
}

char *sha256_end(Sha256 *h, char out[SHA256_HEX]) {
    uint8_t digest[SHA256_BYTES];
    EVP_DigestFinal_ex(h->context, digest, NULL);
    EVP_MD_CTX_free(h->context);
    h->context = NULL;
    return sha256_hex(out, digest);
}

uint64_t name_stream(const char *name) {
    uint8_t digest[SHA256_BYTES];
    sha256(digest, name, strlen(name));
    uint64_t stream = 0;
    for (int i = 7; i >= 0; i--) stream = stream << 8 | digest[i];
    return stream;
}

uint32_t canon_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

static void little_endian(uint8_t out[4], uint32_t bits) {
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(bits >> (8 * i));
}

void tensor_hash_init(TensorHash *h) {
    h->context = EVP_MD_CTX_new();
    assert(h->context);
    EVP_DigestInit_ex(h->context, EVP_sha256(), NULL);
}

void tensor_hash_add(TensorHash *h, const float *x, size_t count) {
    uint8_t buffer[4096];
    for (size_t done = 0; done < count;) {
        size_t n = 0;
        for (; n < sizeof buffer / 4 && done < count; n++, done++) little_endian(buffer + 4 * n, canon_bits(x[done]));
        EVP_DigestUpdate(h->context, buffer, 4 * n);
    }
}

void tensor_hash_end(TensorHash *h, uint8_t out[SHA256_BYTES]) {
    EVP_DigestFinal_ex(h->context, out, NULL);
    EVP_MD_CTX_free(h->context);
    h->context = NULL;
}

void chain_add(uint8_t chain[SHA256_BYTES], float x) {
    uint8_t message[SHA256_BYTES + 4];
    memcpy(message, chain, SHA256_BYTES);
    little_endian(message + SHA256_BYTES, canon_bits(x));
    sha256(chain, message, sizeof message);
}
