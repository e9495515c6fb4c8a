/* A device runs kernels outside the host: it has memory of its own, and queues that do work in order. A backend without
 * a device (Backend.device is NULL) computes on the host, at once.
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

/* Time of one launch. */
typedef struct {
    const char *kernel;
    double seconds;
} Timing;

typedef struct Device {
    bool shares_memory;        /* kernels can read the host's memory (the shim). `take` still gives the device's */
    bool (*present)(Error *e); /* returns true if a device can run the kernels; e says why not */
    Rc (*open)(Queue **q, Error *e);
    void (*close)(Queue *q);
    /* Allocate zeroed memory. RC_UNMEASURED: too little is free (both sizes are named; the queue goes on), or the queue
     * failed earlier (status), and the line says where. */
    Rc (*take)(Queue *q, void **at, size_t bytes, Error *e);
    void (*give)(Queue *q, void *at);
    /* Copy after everything enqueued before, and wait. */
    void (*put)(Queue *q, void *to, const void *from, size_t bytes);
    void (*get)(Queue *q, void *to, const void *from, size_t bytes);
    /* Start to copy into the queue's host buffer for this slot; `landed` waits for the copy and returns the buffer. */
    void (*fetch)(Queue *q, int slot, const void *from, size_t bytes);
    const void *(*landed)(Queue *q, int slot);
    /* Enqueue one kernel of a training step. */
    void (*step)(Queue *q, StepKind kind, const Step *s);
    /* Enqueue the kernel that rounds to 16 bits. */
    void (*round)(const Rounding *r);
    /* Enqueue the kernel that adds or copies partial sums. */
    void (*add)(Queue *q, const Addition *a);
    /* Take device `local` modulo the number of visible devices, before any other call: for processes with one device
     * each. */
    void (*choose)(int local);
    /* Connect the devices of all ranks; every rank calls it. r outlives the queue. RC_UNMEASURED on every rank if one
     * of them fails. */
    Rc (*meet)(Queue *q, const Ranks *r, Error *e);
    /* Exchange with other ranks, after meet; all ranks make the same calls in the same order. swap: see Ranks.swap.
     * total: replace words[count] by the sum over all ranks, in the library's order (fast precisions only). */
    void (*swap)(Queue *q, int partner, const void *mine, void *theirs, size_t bytes);
    void (*total)(Queue *q, float *words, size_t count);
    /* Run work that is enqueued between branch(true) and branch(false) after all earlier work, beside later work, up to
     * merge: what follows merge waits for it. */
    void (*branch)(Queue *q, bool on);
    void (*merge)(Queue *q);
    /* Note the kernels enqueued between record and recorded without running them; replay runs them all, in order. */
    void (*record)(Queue *q);
    Graph *(*recorded)(Queue *q);
    void (*replay)(Queue *q, Graph *g);
    void (*forget)(Graph *g);
    /* Time every unrecorded launch between time_each and timed, by the device's clock (the shim: by the host's). timed
     * waits and returns *count timings in launch order; the caller frees them. */
    void (*time_each)(Queue *q);
    Timing *(*timed)(Queue *q, size_t *count);
    /* Return RC_OK or the first error (a lost device, an error inside a kernel), without waiting. */
    Rc (*status)(Queue *q, Error *e);
    size_t (*memory)(void);                   /* returns the bytes free now; 0: use the host's */
    void (*describe)(char *out, size_t size); /* writes name, driver, toolkit for records; shim: "" */
} Device;

#endif
