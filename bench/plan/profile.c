#include "bench/plan/profile.h"

#include "base/names.h"

const ProfileInfo profile_info[PROFILE_COUNT] = {
#define PROFILE(name, what) {#name, what},
#include "bench/plan/profiles.def"
#undef PROFILE
};

Rc profile_check(const char *name, Error *e) {
    if (name_find(NAMES(profile_info, PROFILE_COUNT), name) >= 0) return RC_OK;
    error_set(e, RC_USAGE, "unknown profile '%.60s'", name);
    return name_unknown(e, name, NAMES(profile_info, PROFILE_COUNT), NULL);
}
