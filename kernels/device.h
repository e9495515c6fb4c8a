/* A place other than the host where kernels run: memory of its own, and queues that do work in order. A backend without
 * one (Backend.device is NULL) computes on the host, at once.
 *
 * Work that was enqueued runs later. The first error stays in the queue's status, and everything enqueued after it has
 * no effect. Errors are RC_UNMEASURED. */
#ifndef KERNELS_DEVICE_H
#define KERNELS_DEVICE_H

#include "base/error.h"
#include "base/ranks.h"
#include "kernels/addition.h"
#include "kernels/rounding.h"
#include "kernels/step.h"

typedef struct Queue Queue; /* each device defines its own */
typedef struct Graph Graph; /* recorded work */

enum { DEVICE_SLOTS = 2 };

/* One launch, by itself. */
typedef struct {
    const char *kernel;
    double seconds;
} Timing;

typedef struct Device {
    bool shares_memory;        /* kernels may be given the host's memory: the shim. What `take` gives is the device's */
    bool (*present)(Error *e); /* is there a device that can run the kernels; says why not */
    Rc (*open)(Queue **q, Error *e);
    void (*close)(Queue *q);
    /* Zeroed memory; RC_UNMEASURED: with need and free, and the queue goes on; or the queue had failed before (status),
     * and the line says at what. */
    Rc (*take)(Queue *q, void **at, size_t bytes, Error *e);
    void (*give)(Queue *q, void *at);
    /* Copies after everything enqueued before, and waits for it. */
    void (*put)(Queue *q, void *to, const void *from, size_t bytes);
    void (*get)(Queue *q, void *to, const void *from, size_t bytes);
    /* get without waiting: into a host buffer of the queue, one per slot, that `landed` waits for and returns. */
    void (*fetch)(Queue *q, int slot, const void *from, size_t bytes);
    const void *(*landed)(Queue *q, int slot);
    /* Enqueues one kernel of a training step. */
    void (*step)(Queue *q, StepKind kind, const Step *s);
    /* Enqueues the kernel that rounds to words of 16 bits. */
    void (*round)(const Rounding *r);
    /* Enqueues the kernel that adds or copies partial sums. */
    void (*add)(Queue *q, const Addition *a);
    /* Processes with a device each: before anything else this one takes device number `local` of those it sees, from
     * the first again where they are fewer. */
    void (*choose)(int local);
    /* The devices of ranks, which outlive the queue, from here on reach each other; every rank calls it. RC_UNMEASURED
     * on every rank when one of them cannot. */
    Rc (*meet)(Queue *q, const Ranks *r, Error *e);
    /* After meet, each rank the same of them in the same order. swap as Ranks.swap. total: words[count] becomes the sum
     * over all ranks, the same on each, in the library's order: fast precisions. */
    void (*swap)(Queue *q, int partner, const void *mine, void *theirs, size_t bytes);
    void (*total)(Queue *q, float *words, size_t count);
    /* Work enqueued between branch(true) and branch(false) waits for all before it, and goes on beside what is enqueued
     * later, until merge: what comes after that waits for it. */
    void (*branch)(Queue *q, bool on);
    void (*merge)(Queue *q);
    /* Between record and recorded nothing runs: kernels are noted. replay runs them all, in order. */
    void (*record)(Queue *q);
    Graph *(*recorded)(Queue *q);
    void (*replay)(Queue *q, Graph *g);
    void (*forget)(Graph *g);
    /* Between time_each and timed, every launch that is not recorded is timed by the device's clock, the shim's by the
     * host's. timed waits; *count timings in the order of launch, the caller's to free. */
    void (*time_each)(Queue *q);
    Timing *(*timed)(Queue *q, size_t *count);
    /* RC_OK, or what went wrong first: a lost device, an error inside a kernel. Does not wait. */
    Rc (*status)(Queue *q, Error *e);
    size_t (*memory)(void);                   /* bytes free now; 0: the host's memory is what counts */
    void (*describe)(char *out, size_t size); /* name, driver, toolkit: for records; "" for the shim */
} Device;

#endif
