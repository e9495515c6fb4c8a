/* Profiles of profiles.def, from the smallest to the largest. */
#ifndef BENCH_PLAN_PROFILE_H
#define BENCH_PLAN_PROFILE_H

#include "base/error.h"

enum {
#define PROFILE(name, what) PROFILE_##name,
#include "bench/plan/profiles.def"
#undef PROFILE
    PROFILE_COUNT
};

typedef struct {
    const char *name, *what;
} ProfileInfo;
extern const ProfileInfo profile_info[PROFILE_COUNT];

/* Check that a profile is called name; RC_USAGE names the nearest. */
Rc profile_check(const char *name, Error *e);

#endif
