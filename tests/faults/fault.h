/* A machine that fails at one moment, for the loops of tests/faults: a library put in front of libc with LD_PRELOAD. It
 * counts what the program asks of the machine and lets the FAULT_AT-th call go wrong in the way that FAULT names.
 *
 *   count        nothing fails; FAULT_LOG gets a line for each call ("open path") and the number of allocations
 *   enospc eio eintr   the call fails with this errno, once
 *   short        a read or a write takes a part of what was asked, once
 *   full         from there on whatever needs space fails with ENOSPC
 *   rot          from there on every write changes one bit
 *   rough        from there on every write is interrupted once and then takes a part
 *   stall        every fsync of a file waits until there is a file FAULT_GO, 20 seconds at most
 *   kill         the process dies there; what it wrote is all there, as after kill -9
 *   cut          the power goes there: data that were not synced are cut to half
 *   lose         the power goes there: data that were not synced are gone, and so are names whose folder was not
 *                synced
 *   oom ooms     the FAULT_AT-th allocation fails; and all that follow
 *
 * Only the process that was started is counted, not the programs that it starts. FAULT_LOG says "struck CALL PATH" when
 * the fault happened, so that a loop knows where to end. Compiled with -DONLY_CHANGES, only calls that change the disk
 * are counted, and standard output is left alone. */
#ifndef TESTS_FAULTS_FAULT_H
#define TESTS_FAULTS_FAULT_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum {
    FAULT_NONE,
    FAULT_COUNT,
    FAULT_ENOSPC,
    FAULT_EIO,
    FAULT_EINTR,
    FAULT_SHORT,
    FAULT_FULL,
    FAULT_ROT,
    FAULT_ROUGH,
    FAULT_STALL,
    FAULT_KILL,
    FAULT_CUT,
    FAULT_LOSE,
    FAULT_OOM,
    FAULT_OOMS
} Fault;

/* What a call is: its name in the log, and whether it needs space. */
typedef enum {
    CALL_OPEN,
    CALL_CREATE,
    CALL_READ,
    CALL_WRITE,
    CALL_FSYNC,
    CALL_RENAME,
    CALL_LINK,
    CALL_UNLINK,
    CALL_MKDIR,
    CALL_MMAP,
    CALL_CLOSE,
    CALL_LIST
} Call;

extern Fault fault;
extern long fault_at;

/* Counts a call. 0: let it through; else the errno it fails with, or FAULT_PART: it takes only a part, or FAULT_FLIP:
 * it changes a bit. Does not come back when the process dies here. */
enum { FAULT_PART = -1, FAULT_FLIP = -2 };
int fault_strike(Call call, const char *path);

/* Appends "WORD REST\n" to FAULT_LOG, by system calls that are not counted. */
void fault_log(const char *word, const char *rest);

/* path as an absolute one, without looking at the disk; of_fd: what a file descriptor stands for. */
void path_whole(const char *path, char out[PATH_MAX]);
void path_of_fd(int fd, char out[PATH_MAX]);

/* What a power cut takes away: data that no fsync followed, names whose folder was not synced since. */
void power_created(const char *path);
void power_made(const char *path);
void power_writes(const char *path, off_t size_before);
void power_synced(const char *path);
void power_renames(const char *from, const char *to); /* before it is done */
void power_unlinks(const char *path);                 /* before it is done */
void power_linked(const char *to);
void power_cut(int names_too);

#endif
