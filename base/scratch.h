/* Temporary folders below $TMPDIR or /tmp. A folder is locked as long as its process lives, so that scratch_make can
 * tell and remove those of killed processes. exit() removes the process's own. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/error.h"

typedef struct {
    char path[600];
    int lock;
} Scratch;

/* Make a folder. RC_UNMEASURED: it cannot be made. */
Rc scratch_make(Scratch *s, Error *e);

/* Remove the folder with everything in it. */
void scratch_remove(Scratch *s);

#endif
