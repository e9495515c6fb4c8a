/* Who trains a run when several want to, and what is shown of those that train. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/formats/progress.h"
#include "bench/run/cluster/share.h"
#include "bench/run/watch.h"
#include "tests/test.h"

enum { RUNS = 40, PROCESSES = 8 };
static char folder[64], partial[96];

static void enter(void) {
    strcpy(folder, "/tmp/normbench-share-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(partial, sizeof partial, "%s/.partial", folder);
    OK(folder_make(partial, &e));
}

static void leave(void) {
    folder_remove(partial);
    folder_remove(folder);
    cr_assert_not(file_exists(folder), "something was left behind");
}

static Lease hold_of(int run) {
    Lease h = {.steps = 100, .experiment = "toy", .what = "plain seed 1"};
    snprintf(h.id, sizeof h.id, "%064x", run + 1);
    snprintf(h.spec_sha256, sizeof h.spec_sha256, "%064x", run + 1000);
    return h;
}

static int files_ending(const char *ending) {
    char **names;
    int count = folder_names(partial, ending, &names);
    names_free(names, count);
    return count;
}

/* A process that takes a run and dies. */
static void die_with(int run) {
    pid_t child = fork();
    if (!child) {
        Leases s;
        Lease h = hold_of(run), theirs;
        share_open(&s, folder);
        _exit(share_take(&s, &h, &theirs) ? 7 : 8);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(WEXITSTATUS(status), 7);
}

/* Every other run was held by a process that is dead by now; all want all of them at once. */
Test(share, of_several_processes_one_has_a_run, .init = enter, .fini = leave) {
    int start[2], asked[2], end[2], result[2], owners[RUNS] = {0};
    char byte = 0;
    cr_assert(!pipe(start) && !pipe(asked) && !pipe(end) && !pipe(result));
    for (int run = 0; run < RUNS; run += 2) die_with(run);
    cr_assert_eq(files_ending(".hold"), RUNS / 2);
    for (int p = 0; p < PROCESSES; p++) {
        if (fork()) continue;
        Leases s;
        close(start[1]), close(end[1]);
        share_open(&s, folder);
        if (read(start[0], &byte, 1)) _exit(1); /* until the other end is closed */
        for (int run = 0; run < RUNS; run++) {
            Lease h = hold_of(run), theirs;
            char mine = (char)run;
            if (share_take(&s, &h, &theirs) && write(result[1], &mine, 1) != 1) _exit(1);
        }
        /* Nobody gives a run back before all have asked for it. */
        if (write(asked[1], &byte, 1) != 1) _exit(1);
        close(asked[1]);
        if (read(end[0], &byte, 1)) _exit(1);
        share_close(&s);
        _exit(0);
    }
    close(start[1]), close(start[0]), close(asked[1]), close(end[0]), close(result[1]);
    for (int p = 0; p < PROCESSES; p++)
        cr_assert_eq(read(asked[0], &byte, 1), 1, "a process ended before it had asked");
    close(end[1]);
    for (char run; read(result[0], &run, 1) == 1;) owners[(int)run]++;
    for (int p = 0, status; p < PROCESSES; p++) cr_assert(wait(&status) > 0 && !status);
    for (int run = 0; run < RUNS; run++) cr_expect_eq(owners[run], 1, "run %d has %d owners", run, owners[run]);
    cr_expect_eq(files_ending(".hold"), 0, "holds outlive their owners");
    cr_expect_eq(files_ending(".dead"), 0);
    close(asked[0]), close(result[0]);
}

Test(share, a_hold_says_who_and_why_nobody, .init = enter, .fini = leave) {
    Leases s;
    Lease h = hold_of(1), *all, theirs;
    share_open(&s, folder);
    cr_assert(share_take(&s, &h, &theirs));
    cr_assert(share_take(&s, &h, &theirs), "one's own hold is no obstacle");
    share_began(&s, &h, 40);
    cr_assert_not(share_held(&s, h.id, &theirs), "only others are waited for");
    cr_assert_eq(share_list(folder, &all), 1);
    cr_expect(all->alive && all->from == 40 && all->owner.pid == getpid() && all->steps == 100);
    cr_expect_str_eq(all->what, "plain seed 1");
    free(all);
    share_drop(&s, &h, "out of memory", true);
    cr_assert_eq(share_list(folder, &all), 1);
    cr_expect(!all->alive && all->failed);
    cr_expect_str_eq(all->left, "out of memory");
    free(all);
    cr_assert(share_take(&s, &h, &theirs));
    cr_assert_eq(files_ending(".left"), 0, "what is taken again has not failed");
    share_close(&s);
    cr_assert_eq(share_list(folder, &all), 0);
    free(all);
}

/* Of a damaged hold, and of another machine's, the file's time alone tells: none may stand for ever. */
Test(share, a_hold_stands_while_its_time_is_near, .init = enter, .fini = leave) {
    static const struct {
        int later; /* seconds */
        bool stands;
    } cases[] = {{0, true}, {-SHARE_SILENCE - 60, false}, {SHARE_SILENCE + 60, false}, {86400 * 365, false}};
    static const char *const texts[] = {"{", "",
                                        "{\"pid\": 7, \"host\": \"elsewhere\", \"boot\": \"b\", \"what\": \"x\"}"};
    char path[200], owner[96];
    Lease h = hold_of(1), theirs;
    Leases s;
    share_open(&s, folder);
    snprintf(path, sizeof path, "%s/%s.hold", partial, h.id);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct timespec then = {.tv_sec = time(NULL) + cases[i].later}, times[2] = {then, then};
            OK(file_write(path, texts[k], strlen(texts[k]), &e));
            cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
            cr_expect_eq(share_held(&s, h.id, &theirs), cases[i].stands, "%d s, '%s'", cases[i].later, texts[k]);
            cr_expect_eq(share_take(&s, &h, &theirs), !cases[i].stands, "%d s, '%s'", cases[i].later, texts[k]);
            if (cases[i].stands)
                cr_expect_str_eq(share_owner(owner, &theirs), k < 2 ? "somebody" : "pid 7 on elsewhere");
            share_drop(&s, &h, NULL, false);
            unlink(path);
        }
    share_close(&s);
}

/* ---- what is shown ---- */

Test(share, a_bar_is_never_wider_than_asked) {
    Progress p;
    char line[320];
    progress_init(&p, 100, 30);
    p.terminal = true;
    p.started -= 3600;
    progress_before(&p, 30, 9);
    progress_state(&p, "12 running, loss 2.3127 .. 10.4011");
    progress_add(&p, 10, false);
    for (int columns = 1; columns < 200; columns++) {
        progress_line(&p, columns, line, sizeof line);
        cr_expect_leq((int)strlen(line), columns);
        if (columns >= 78) cr_expect(strstr(line, "12 running, loss 2.3127 .. 10.4011"), "%d: %s", columns, line);
        if (columns >= 40) cr_expect(strstr(line, "9/30 runs") && strstr(line, "6 h 00 min left"), "%s", line);
    }
    HOLDS(line, "[###########.................]  40%");
    progress_end(&p);
}

Test(share, the_time_left_begins_as_foretold) {
    Progress p;
    char line[320];
    progress_init(&p, 1000, 10);
    p.expected = 480;
    progress_line(&p, 100, line, sizeof line);
    HOLDS(line, "8 min 00 s left");
    p.started -= 100; /* reading the corpus, and the evaluation at step 0, say nothing about the speed */
    progress_line(&p, 100, line, sizeof line);
    HOLDS(line, "8 min 00 s left");
    progress_add(&p, 1, false);
    progress_line(&p, 100, line, sizeof line);
    HOLDS(line, "1 min 40 s, 8 min 00 s left"); /* 999 24 / 50 s */
    p.began -= 10; /* a hundredth of the work takes twice as long as foretold */
    progress_add(&p, 10, false);
    progress_line(&p, 100, line, sizeof line);
    HOLDS(line, "9 min 20 s left"); /* 989 (10 + 24) / (10 + 50) s */
    progress_end(&p);
}

Test(share, without_a_terminal_there_are_plain_lines_now_and_then) {
    char path[] = "/tmp/normbench-share-XXXXXX", *said;
    int to = mkstemp(path), held = dup(STDERR_FILENO);
    size_t length;
    Progress p;
    cr_assert(to >= 0 && held >= 0 && dup2(to, STDERR_FILENO) >= 0);
    progress_init(&p, 100, 4);
    progress_add(&p, 25, false); /* not a minute yet */
    p.shown -= 61;
    progress_add(&p, 25, false);
    progress_add(&p, 25, false);
    progress_end(&p);
    dup2(held, STDERR_FILENO);
    OK(file_read(path, &said, &length, &e));
    cr_expect_str_eq(said, "50%  0/4 runs  0 s, 0 s left\n");
    unlink(path);
    free(said);
    close(to), close(held);
}

static RunRecord grown(int rows) {
    RunRecord r = {0};
    strcpy(r.id, hold_of(5).id);
    curves_init(&r.curves, 2, NULL);
    for (int i = 0; i < rows; i++) {
        double *row = curves_add(&r.curves);
        row[CURVE_step] = i, row[CURVE_train_loss] = 3 - .5 * i, row[CURVE_valid_loss] = i ? (double)NAN : 3.25;
    }
    return r;
}

Test(share, a_curve_grows_by_whole_lines, .init = enter, .fini = leave) {
    Watch w[2] = {{0}};
    char state[96];
    int step;
    double loss, valid, age;
    LOCAL(record_release) RunRecord r = grown(0);
    watch_row(w, folder, &r, 0, false);
    cr_expect_not(watch_read(folder, r.id, &step, &loss, &valid, &age), "a header is no row");
    cr_expect_str_eq(watch_summary(state, w, 2), "1 running");
    record_release(&r);
    r = grown(2);
    watch_row(w, folder, &r, 2, true);
    cr_assert(watch_read(folder, r.id, &step, &loss, &valid, &age));
    cr_expect(step == 2 && loss == 2.5 && valid == 3.25 && age < 5);
    cr_expect_str_eq(watch_summary(state, w, 2), "loss 2.5000");
    record_release(&r);
    r = grown(4);
    watch_row(w, folder, &r, 4, true);
    /* A killed process may leave half a line: it is not read, and the next process writes the file anew. */
    char path[200];
    snprintf(path, sizeof path, "%s/%s.curves.csv", partial, r.id);
    FILE *f = fopen(path, "a");
    cr_assert(f && fputs("4,1e", f) > 0 && !fclose(f));
    cr_assert(watch_read(folder, r.id, &step, &loss, &valid, &age));
    cr_expect(step == 4 && loss == 1.5);
    w[0] = (Watch){0};
    watch_row(w, folder, &r, 4, false);
    LOCAL_TEXT(text);
    OWNED char *bytes;
    size_t length;
    curves_text(&r.curves, &text);
    OK(file_read(path, &bytes, &length, &e));
    cr_expect_str_eq(bytes, text.at);
    w[1] = (Watch){.running = true, .loss = 2};
    cr_expect_str_eq(watch_summary(state, w, 2), "2 running, loss 1.5000 .. 2.0000");
    watch_end(w, folder, r.id, true);
    cr_expect_not(file_exists(path));
}

/* A thousand processes that each looked for a million runs every five seconds would ask for nothing else. */
Test(share, looks_for_others_runs_are_ten_a_second_at_most) {
    cr_expect_eq(watch_pause(0), 5);
    cr_expect_eq(watch_pause(50), 5);
    for (int runs = 1; runs <= 1000000; runs *= 10) cr_expect_leq(runs / watch_pause(runs), 10, "%d runs", runs);
    cr_expect_eq(watch_pause(1000000), 100000);
}
