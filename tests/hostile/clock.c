/* A clock that is wrong, for places.py and tests/cli/e2e.sh: put in front of libc with LD_PRELOAD. CLOCK says how:
 * "1970", "2038" and "9999" stand at that year's beginning, "back" loses an hour at each call, "forth" gains one,
 * "wild" jumps by up to ten years both ways, "+18000" is that many seconds ahead. The monotonic clock is libc's. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static time_t wrong(time_t right) {
    static atomic_long calls;
    const char *how = getenv("CLOCK");
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (!how) return right;
    if (!strcmp(how, "1970")) return 0;
    if (!strcmp(how, "2038")) return 2145916800;
    if (!strcmp(how, "9999")) return 253370764800;
    if (!strcmp(how, "back")) return right - 3600 * n;
    if (!strcmp(how, "forth")) return right + 3600 * n;
    if (how[0] == '+' || how[0] == '-') return right + atoll(how);
    return right + (n * 2654435761L % 631152000) - 315576000;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*libc)(clockid_t, struct timespec *);
    *(void **)&libc = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = libc(clock, out);
    if (!failed && clock == CLOCK_REALTIME) out->tv_sec = wrong(out->tv_sec);
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
