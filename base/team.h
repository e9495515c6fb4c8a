/* Team of threads that do one task together, many times a second: the ops of one run's step. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    int size;       /* threads, including the caller */
    pthread_t *id;  /* [size - 1] */
    void (*task)(void *context, int part);
    void *context;
    atomic_int round, working; /* tasks so far; helpers still working on the last */
    atomic_bool over;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} Team;

/* Start size - 1 helpers in the canonical floating-point environment, or as many as the machine gives. The Team must
 * not move. */
void team_init(Team *t, int size);
void team_release(Team *t);

/* Call task(context, part) for every part 0..size-1, part 0 on the caller; return when all are done. */
void team_run(Team *t, void (*task)(void *context, int part), void *context);

#endif
