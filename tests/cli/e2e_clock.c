/* A clock that is CLOCK_AHEAD seconds ahead of the file system's, for tests/cli/e2e.sh: built there as a library and
 * put in front of libc with LD_PRELOAD. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static time_t ahead(void) {
    const char *seconds = getenv("CLOCK_AHEAD");
    return seconds ? (time_t)atoll(seconds) : 0;
}

time_t time(time_t *out) {
    time_t now = NEXT(time)(NULL) + ahead();
    if (out) *out = now;
    return now;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    int failed = NEXT(clock_gettime)(clock, out);
    if (!failed && clock == CLOCK_REALTIME) out->tv_sec += ahead();
    return failed;
}
