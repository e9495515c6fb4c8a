/* A session as the command line asks for it. */
#ifndef BENCH_CLI_SESSION_OPTIONS_H
#define BENCH_CLI_SESSION_OPTIONS_H

#include "bench/cli/options.h"
#include "bench/run/session.h"

/* o outlives the session. RC_USAGE: no checkout, bad --threads, unknown backend. */
Rc session_init(Session *s, const Options *o, Error *e);

/* The backend that has the bits of a class: the session's own, or, unless --backend was given, the fastest here. NULL:
 * there is none. */
const Backend *session_of_class(const Session *s, const char *arithmetic_class);

#endif
