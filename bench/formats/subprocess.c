#include "bench/formats/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

/* Return the caller's variables, except those that would make the output depend on date, place or language. */
static char **environment(void) {
    static const char *const fixed[] = {"SOURCE_DATE_EPOCH=0", "FORCE_SOURCE_DATE=1", "LC_ALL=C.UTF-8", "TZ=UTC"};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **out = mem_alloc(n + FIXED + 1, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        bool ours = false;
        for (size_t k = 0; k < FIXED; k++)
            ours |= !strncmp(environ[i], fixed[k], (size_t)(strchr(fixed[k], '=') - fixed[k]) + 1);
        if (!ours) out[kept++] = mem_text(environ[i]);
    }
    for (size_t k = 0; k < FIXED; k++) out[kept++] = mem_text(fixed[k]);
    return out;
}

static void environment_free(char **at) {
    for (char **one = at; *one; one++) free(*one);
    free(at);
}

/* Start in the folder, without input, with output to a file. */
static int plan_start(posix_spawn_file_actions_t *actions, const char *folder) {
    int failed = posix_spawn_file_actions_addchdir_np(actions, folder);
    if (!failed) failed = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, 1, "output.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return failed ? failed : posix_spawn_file_actions_adddup2(actions, 1, 2);
}

static int spawn(pid_t *pid, const char *const *argv, const char *folder) {
    posix_spawn_file_actions_t actions;
    char **arguments, **env = environment();
    size_t n = 0;
    while (argv[n]) n++;
    arguments = mem_alloc(n + 1, sizeof *arguments);
    for (size_t i = 0; i < n; i++) arguments[i] = mem_text(argv[i]);
    posix_spawn_file_actions_init(&actions);
    int failed = plan_start(&actions, folder);
    if (!failed) failed = posix_spawnp(pid, argv[0], &actions, NULL, arguments, env);
    posix_spawn_file_actions_destroy(&actions);
    environment_free(arguments);
    environment_free(env);
    return failed;
}

Rc subprocess_run(const char *const *argv, const char *folder, bool *absent, Error *e) {
    pid_t pid;
    int status = 0, failed = spawn(&pid, argv, folder);
    *absent = failed == ENOENT;
    if (failed == ENOMEM) mem_end(0);
    if (failed) return error_set(e, RC_UNMEASURED, "%s: %s", argv[0], *absent ? "not installed" : strerror(failed));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return error_set(e, RC_UNMEASURED, "%s: %s", argv[0], strerror(errno));
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return RC_OK;
    return error_set(e, RC_UNMEASURED, "%s: ended with %s %d", argv[0], WIFEXITED(status) ? "exit code" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

Rc subprocess_copy(const char *from, const char *to, Error *e) {
    char *bytes;
    size_t length;
    if (file_read(from, &bytes, &length, e)) return e->code;
    Rc rc = file_write(to, bytes, length, e);
    free(bytes);
    return rc;
}
