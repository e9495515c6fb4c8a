#include "bench/plan/profile.h"

#include <string.h>

const ProfileInfo profile_info[PROFILE_COUNT] = {
#define PROFILE(name, what) {#name, what},
#include "bench/plan/profiles.def"
#undef PROFILE
};

Rc profile_check(const char *name, Error *e) {
    const char *names[PROFILE_COUNT];
    char hint[96];
    for (int i = 0; i < PROFILE_COUNT; i++) {
        names[i] = profile_info[i].name;
        if (!strcmp(name, names[i])) return RC_OK;
    }
    return error_set(e, RC_USAGE, "unknown profile '%.60s'%s", name,
                     did_you_mean(hint, sizeof hint, name, names, PROFILE_COUNT));
}
