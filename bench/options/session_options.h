/* A session as the command line asks for it. */
#ifndef BENCH_OPTIONS_SESSION_OPTIONS_H
#define BENCH_OPTIONS_SESSION_OPTIONS_H

#include "bench/options/options.h"
#include "bench/store/session.h"

/* o outlives the session; where its operand is the word of a plan's folder, it becomes the command line that plan.json
 * holds. RC_USAGE: no checkout, bad --threads, unknown backend. What there is is released by session_release, also
 * after an error. */
Rc session_init(Session *s, Options *o, Error *e);

#endif
