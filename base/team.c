#include "base/team.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/canon.h"
#include "base/error.h"

enum { SPINS = 20000 }; /* polls for the next task before a helper sleeps: longer than the gap between two ops */

typedef struct {
    Team *team;
    int part;
} Helper;

static void pause_briefly(int spin) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (spin % 256 == 255) sched_yield(); /* with more threads than processors, let the awaited one run */
}

/* Wait for the round after `seen` and return it; return `seen` if the team ends. */
static int await(Team *t, int seen) {
    for (int spin = 0; spin < SPINS; spin++, pause_briefly(spin))
        if (atomic_load(&t->round) != seen || atomic_load(&t->over)) return atomic_load(&t->round);
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->round) == seen && !atomic_load(&t->over)) pthread_cond_wait(&t->wake, &t->lock);
    pthread_mutex_unlock(&t->lock);
    return atomic_load(&t->round);
}

static void *help(void *argument) {
    Helper h = *(Helper *)argument;
    free(argument);
    canon_environment();
    for (int seen = 0;; seen++) {
        if (await(h.team, seen) == seen) return NULL;
        h.team->task(h.team->context, h.part);
        atomic_fetch_sub(&h.team->working, 1);
    }
}

void team_init(Team *t, int size) {
    *t = (Team){.size = 1, .id = mem_alloc((size_t)size, sizeof *t->id)};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    while (t->size < size) {
        Helper *h = mem_alloc(1, sizeof *h);
        *h = (Helper){t, t->size};
        if (pthread_create(&t->id[t->size - 1], NULL, help, h)) {
            free(h);
            break;
        }
        t->size++;
    }
}

/* Start a round, or the end, under the lock, so that a helper about to sleep sees it. */
static void call(Team *t, bool over) {
    pthread_mutex_lock(&t->lock);
    if (over) atomic_store(&t->over, true);
    else atomic_fetch_add(&t->round, 1);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

void team_run(Team *t, void (*task)(void *context, int part), void *context) {
    t->task = task;
    t->context = context;
    atomic_store(&t->working, t->size - 1);
    if (t->size > 1) call(t, false);
    task(context, 0);
    for (int spin = 0; atomic_load(&t->working); spin++) pause_briefly(spin);
}

void team_release(Team *t) {
    if (!t->id) return;
    call(t, true);
    for (int i = 0; i < t->size - 1; i++) pthread_join(t->id[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->wake);
    free(t->id);
    *t = (Team){0};
}
