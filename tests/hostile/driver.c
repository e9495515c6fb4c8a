/* Hands files, and seeded mutations of them, to one target: hostile TARGET SEED TRIES FILE... A crash is repeated by
 * the seed and the number that it prints: hostile TARGET SEED -NUMBER FILE... makes that mutation alone. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/philox.h"
#include "tests/hostile/target.h"

static long now = -1; /* which mutation; -1: a file as it is */
static unsigned long long seed;

static void crashed(int signal) {
    char line[160];
    int n = snprintf(line, sizeof line, "signal %d at mutation %ld of seed %llu\n", signal, now, seed);
    if (write(STDERR_FILENO, line, (size_t)n) != n) _exit(3);
    _exit(1);
}

static void left(void) {
    if (now >= -1) crashed(0);
}

/* The next of the words that a mutation draws. */
typedef struct {
    uint64_t stream, place;
} Draw;

static uint32_t draw(Draw *d, size_t below) {
    return below ? philox_word(seed, d->stream, d->place++) % (uint32_t)below : 0;
}

enum { ROOM = 1 << 16 };

/* One to four changes: a bit, a byte that means something, a piece dropped, doubled or taken from another file. */
static size_t mutate(Draw *d, uint8_t *at, size_t n, const uint8_t *other, size_t other_length) {
    static const char meaning[] = "\0\xff\n\t\"'{}[]:,-&*!%0eE.<\\#|>";
    for (uint32_t changes = 1 + draw(d, 4); changes; changes--) {
        size_t place = draw(d, n + 1), length = 1 + draw(d, draw(d, 4) ? 16 : 4096);
        if (length > n - place) length = n - place;
        switch (draw(d, 6)) {
        case 0:
            if (place < n) at[place] ^= (uint8_t)(1u << draw(d, 8));
            break;
        case 1:
            if (place < n) at[place] = (uint8_t)meaning[draw(d, sizeof meaning - 1)];
            break;
        case 2: n = draw(d, 3) ? n : place; break;
        case 3:
            memmove(at + place, at + place + length, n - place - length);
            n -= length;
            break;
        case 4:
            if (n + length > ROOM) break;
            memmove(at + place + length, at + place, n - place);
            n += length;
            break;
        case 5: {
            size_t from = draw(d, other_length + 1), rest = other_length - from;
            if (length > rest) length = rest;
            if (length) memcpy(at + place, other + from, length);
            break;
        }
        }
    }
    return n;
}

int main(int count, char **argument) {
    const Target *t = count > 4 ? target_find(argument[1]) : NULL;
    static uint8_t room[2 * ROOM];
    if (!t) {
        fprintf(stderr, "hostile TARGET SEED TRIES FILE...\n");
        return 2;
    }
    int files = count - 4;
    char **bytes = mem_alloc((size_t)files, sizeof *bytes);
    OWNED size_t *length = mem_alloc((size_t)files, sizeof *length);
    Error e;
    seed = strtoull(argument[2], NULL, 10);
    long tries = strtol(argument[3], NULL, 10), first = 0;
    if (tries < 0) first = -tries, tries = first + 1;
    for (int i = 0; i < files; i++)
        if (file_read(argument[4 + i], &bytes[i], &length[i], &e)) {
            fprintf(stderr, "%s\n", e.text);
            return 2;
        }
    const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], crashed);
    atexit(left);
    for (int i = 0; i < files; i++) alarm(20), t->take((uint8_t *)bytes[i], length[i]);
    for (now = first; now < tries; now++) {
        Draw d = {.stream = (uint64_t)now};
        uint32_t one = draw(&d, (size_t)files), two = draw(&d, (size_t)files);
        size_t n = length[one] < ROOM ? length[one] : ROOM;
        memcpy(room, bytes[one], n);
        n = mutate(&d, room, n, (uint8_t *)bytes[two], length[two] < ROOM ? length[two] : ROOM);
        alarm(20);
        t->take(room, n);
    }
    now = -2;
    printf("%d files and %ld mutations\n", files, tries - first);
    for (int i = 0; i < files; i++) free(bytes[i]);
    free(bytes);
    return 0;
}
