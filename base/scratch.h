/* A folder for what is not kept, below $TMPDIR or /tmp. It is locked as long as its process lives, so that what a
 * killed process left can be told from what is in use: scratch_make removes the former on its way. exit() removes those
 * that the process still has. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/error.h"

typedef struct {
    char path[600];
    int lock;
} Scratch;

/* RC_UNMEASURED when there can be none. */
Rc scratch_make(Scratch *s, Error *e);

/* With everything in it. */
void scratch_remove(Scratch *s);

#endif
