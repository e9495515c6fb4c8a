#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/canon.h"
#include "base/error.h"

typedef struct {
    atomic_int next;
    int jobs;
    void (*job)(void *, int);
    void *context;
} Queue;

static void *work(void *argument) {
    Queue *q = argument;
    canon_environment();
    for (int i; (i = atomic_fetch_add(&q->next, 1)) < q->jobs;) q->job(q->context, i);
    return NULL;
}

void pool_run(int threads, int jobs, void (*job)(void *, int), void *context) {
    Queue q = {.jobs = jobs, .job = job, .context = context};
    int helpers = (threads < jobs ? threads : jobs) - 1;
    pthread_t *ids = mem_alloc((size_t)(helpers > 0 ? helpers : 0), sizeof *ids);
    int started = 0;
    /* if a thread cannot be started, the others take its jobs */
    while (started < helpers && !pthread_create(&ids[started], NULL, work, &q)) started++;
    work(&q);
    for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
    free(ids);
}

int pool_processors(void) {
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

double pool_memory(void) {
    FILE *f = fopen("/proc/meminfo", "re");
    char line[128];
    double kb = 1e30;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf kB", &kb) == 1) break;
    if (f) fclose(f);
    return 1024 * kb;
}
