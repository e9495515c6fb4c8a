/* A few threads that do one thing together, many times a second: the ops of one run's step. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    int size;       /* threads, the caller among them */
    pthread_t *id;  /* [size - 1] */
    void (*task)(void *context, int part);
    void *context;
    atomic_int round, working; /* tasks given so far; helpers that have not finished the last */
    atomic_bool over;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} Team;

/* Starts size - 1 helpers, each in the canonical floating-point environment; fewer when the machine gives no more. The
 * Team must not move. */
void team_init(Team *t, int size);
void team_release(Team *t);

/* task(context, part) once for every part 0..size-1, part 0 on the caller; returns when all are done. */
void team_run(Team *t, void (*task)(void *context, int part), void *context);

#endif
