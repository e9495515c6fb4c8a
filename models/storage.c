/* What memory holds, as the host reads and writes it (models/program.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "models/program.h"

static size_t words_of(const Program *p, int tensor) {
    return (size_t)tape_rows(p->tape, tensor) * (size_t)p->tape->tensor[tensor].cols;
}

/* Of a tensor's words as the host has them: those of 16 bits as floats. */
static size_t host_word(const Program *p, Role role) {
    return p->backend->word[role] == sizeof(uint16_t) ? sizeof(float) : p->backend->word[role];
}

static size_t stored_word(const Program *p, Role role, int tensor) {
    return roundings_narrow(p, role, tensor) ? sizeof(uint16_t) : host_word(p, role);
}

/* From a device, n words that stand at `at`; the caller frees them. */
static void *get_words(const Program *p, Role role, int tensor, const void *at, size_t n) {
    void *words = mem_alloc(n, host_word(p, role));
    if (!roundings_narrow(p, role, tensor)) {
        p->backend->device->get(p->queue, words, at, n * host_word(p, role));
        return words;
    }
    uint16_t *narrow = mem_alloc(n, sizeof *narrow);
    p->backend->device->get(p->queue, narrow, at, n * sizeof *narrow);
    for (size_t i = 0; i < n; i++) ((float *)words)[i] = rounding_number(p->rounding.word, narrow[i]);
    free(narrow);
    return words;
}

const void *program_words(const Program *p, Role role, int tensor, int replica, void **copy) {
    const void *at = program_at(p, role, tensor, replica);
    *copy = p->queue ? get_words(p, role, tensor, at, words_of(p, tensor)) : NULL;
    return p->queue ? *copy : at;
}

void program_put(Program *p, Role role, int tensor, int replica, const void *words) {
    assert(!roundings_narrow(p, role, tensor));
    size_t bytes = words_of(p, tensor) * host_word(p, role);
    void *to = program_at(p, role, tensor, replica), *zeros = words ? NULL : mem_alloc(1, bytes);
    const void *from = words ? words : zeros;
    if (p->queue)
        p->backend->device->put(p->queue, to, from, bytes);
    else
        memcpy(to, from, bytes);
    free(zeros);
    if (role == ROLE_PARAM) program_round_weight(p, tensor);
}

static double word_at(const Program *p, Role role, const void *words, size_t index) {
    return p->backend->word[role] == sizeof(double) ? ((const double *)words)[index]
                                                    : (double)((const float *)words)[index];
}

double program_value(const Program *p, Role role, int tensor, int replica, size_t index) {
    void *copy;
    double value = word_at(p, role, program_words(p, role, tensor, replica, &copy), index);
    free(copy);
    return value;
}

void program_row(const Program *p, Role role, int tensor, int replica, int row, double *out) {
    size_t cols = (size_t)p->tape->tensor[tensor].cols, bytes = cols * stored_word(p, role, tensor);
    const char *at = (const char *)program_at(p, role, tensor, replica) + (size_t)row * bytes;
    void *copy = p->queue ? get_words(p, role, tensor, at, cols) : NULL;
    for (size_t i = 0; i < cols; i++) out[i] = word_at(p, role, p->queue ? copy : at, i);
    free(copy);
}

void program_values(const Program *p, Role role, int tensor, int replica, double *out) {
    void *copy;
    const void *words = program_words(p, role, tensor, replica, &copy);
    size_t n = words_of(p, tensor);
    for (size_t i = 0; i < n; i++) out[i] = word_at(p, role, words, i);
    free(copy);
}

void program_read(const Program *p, Role role, int tensor, int replica, float *out) {
    void *copy;
    const void *words = program_words(p, role, tensor, replica, &copy);
    size_t n = words_of(p, tensor);
    for (size_t i = 0; i < n; i++) out[i] = (float)word_at(p, role, words, i);
    free(copy);
}

void program_write(Program *p, Role role, int tensor, int replica, const float *in) {
    size_t n = words_of(p, tensor);
    double *wide = p->backend->word[role] == sizeof(double) ? mem_alloc(n, sizeof *wide) : NULL;
    for (size_t i = 0; wide && i < n; i++) wide[i] = (double)in[i];
    program_put(p, role, tensor, replica, wide ? (const void *)wide : in);
    free(wide);
}
