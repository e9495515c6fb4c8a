/* normbench status [EXPERIMENT]: what is done, runs, failed, stopped or waits, from the folder of runs, and what Slurm
 * says of it. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/run/cluster/share.h"
#include "bench/run/watch.h"
#include "bench/slurm/status.h"
#include "bench/store/ended.h"
#include "bench/store/store.h"
#include "bench/store/texts.h"
#include "bench/verdict/until.h"

enum { SLURM_EVERY = 30 }; /* seconds between two questions to squeue, of --watch */

typedef enum { RUNNING, FAILED, STOPPED, STATES } State;
static const char *const state_names[STATES] = {"running", "failed", "stopped"};

/* A run that is not stored and that somebody has begun. */
typedef struct {
    Lease hold;
    State state;
    int step;
    double loss, valid, left; /* NaN: not known; left: seconds */
} Begun;

typedef struct {
    const Experiment *x; /* NULL: whatever is in the folder */
    const char *folder, *called; /* called: as --results names it */
    int runs, done, diverged, count[STATES], waiting; /* runs, waiting: -1 without an experiment */
    int decided; /* after so many seeds, and no more are needed; 0: not, or their number is fixed */
    bool never;  /* decided, but in that no comparison can ever be */
    Begun *begun;
    int all;
    double left; /* seconds until all is done; NaN: not known */
    const SlurmView *slurm;
} Status;

/* The hashes of x's specs, ascending, one of arms that are one network; NULL without x. */
typedef char SpecHash[SHA256_HEX];

static SpecHash *hashes_of(const Experiment *x, int *count) {
    SpecHash *all = mem_alloc((size_t)experiment_cells(x) * (size_t)x->arms * (size_t)x->seeds, sizeof *all);
    *count = 0;
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++, *count += x->seeds) experiment_hashes(x, cell, arm, all + *count);
    qsort(all, (size_t)*count, sizeof *all, text_order);
    int different = *count > 0;
    for (int i = 1; i < *count; i++)
        if (strcmp(all[i], all[different - 1]) != 0) memmove(all[different++], all[i], sizeof *all);
    *count = different;
    return all;
}

static bool planned(const SpecHash *hash, int count, const char *spec) {
    return !hash || bsearch(spec, hash, (size_t)count, sizeof *hash, text_order);
}

/* As record_status says it. The whole record is read only of a run whose last loss is above that of a uniform guess. */
static bool is_diverged(const char *folder, const RecordHead *h) {
    RunRecord r;
    Error none;
    if (strcmp(h->status, "ok") != 0 || h->last_loss <= log(h->vocab)) return !strcmp(h->status, "diverged");
    if (record_read_ended(&r, folder, h->id, &none)) return false;
    bool diverged = !strcmp(record_status(&r), "diverged");
    record_release(&r);
    return diverged;
}

/* Counts what is stored; returns how long a run took, NaN when none is stored. */
static double count_stored(Status *st, const Store *stored, const SpecHash *hash, int hashes) {
    double seconds = 0;
    for (int i = 0; i < stored->heads; i++) {
        const RecordHead *h = &stored->head[i];
        bool again = hash && i && !strcmp(h->spec_sha256, stored->head[i - 1].spec_sha256); /* of another arithmetic */
        if (again || !planned(hash, hashes, h->spec_sha256)) continue;
        st->done++;
        st->diverged += is_diverged(stored->folder, h);
        seconds += h->wall_seconds;
    }
    return st->done ? seconds / st->done : (double)NAN;
}

static bool is_stored(const Store *stored, const Lease *h) {
    int count;
    const RecordHead *found = store_find(stored, h->spec_sha256, &count);
    for (int i = 0; i < count; i++)
        if (!strcmp(found[i].id, h->id)) return true;
    return false;
}

static void describe(Begun *b, const char *folder) {
    double age, took = b->hold.age;
    b->loss = b->valid = b->left = (double)NAN;
    b->step = (int)b->hold.from;
    b->state = b->hold.alive ? RUNNING : b->hold.failed ? FAILED : STOPPED;
    (void)watch_read(folder, b->hold.id, &b->step, &b->loss, &b->valid, &age);
    if (b->state == RUNNING && b->step > b->hold.from && took >= 3) /* both times are of whole seconds */
        b->left = took * (double)(b->hold.steps - b->step) / (double)(b->step - b->hold.from);
}

/* Whether nothing is left to be done. */
static bool is_over(const Status *st) {
    return st->x && (st->done == st->runs || (st->decided && !st->count[RUNNING]));
}

/* The time of what runs and waits, shared by as many at once as run now. usual: seconds of a run. */
static double time_left(const Status *st, double usual) {
    double sum = 0, whole = 0;
    int known = 0;
    for (int i = 0; i < st->all; i++) {
        const Begun *b = &st->begun[i];
        if (b->state != RUNNING || isnan(b->left)) continue;
        known++, sum += b->left;
        whole += b->left * (double)b->hold.steps / fmax(1, (double)(b->hold.steps - b->step));
    }
    if (is_over(st)) return 0;
    if (!known) return (double)NAN;
    if (isnan(usual)) usual = whole / known;
    sum += usual * (st->count[RUNNING] - known + (st->waiting > 0 ? st->waiting : 0) + st->count[STOPPED]);
    return sum / st->count[RUNNING];
}

/* After how many seeds it was decided; 0: it is not, or cannot be told. */
static int decided_after(const Store *stored, const Experiment *x, bool precise, bool *never) {
    OWNED Until *u = mem_alloc(1, sizeof *u); /* too large for a small stack */
    Error none;
    *never = false;
    if (until_make(u, stored, x, precise, &none)) return 0;
    *never = !u->decided;
    int at = u->over && !u->open ? u->at : 0;
    until_release(u);
    return at;
}

/* st: of the look before; it is not asked again whether the same runs decide. */
static void look(Status *st, const Session *s, Experiment *x) {
    LOCAL(store_release) Store stored;
    OWNED Lease *hold = NULL;
    const char *folder = s->runs;
    int hashes = -1, holds = share_list(folder, &hold), done = st->done;
    *st = (Status){.x = x, .folder = folder, .runs = -1, .waiting = -1, .decided = st->decided,
                   .never = st->never};
    st->called = s->archive[0] ? s->archive : folder;
    store_read(&stored, folder);
    if (x) texts_recall(&stored, x, NULL);
    OWNED SpecHash *hash = x ? hashes_of(x, &hashes) : NULL;
    double usual = count_stored(st, &stored, hash, hashes);
    st->begun = mem_alloc((size_t)holds + 1, sizeof *st->begun);
    for (int i = 0; i < holds; i++) {
        /* A hold that stands makes what was left before, and a reason makes a dead hold, old news. */
        bool older = hold[i].left[0] ? i && !strcmp(hold[i - 1].id, hold[i].id) && hold[i - 1].alive
                                     : i + 1 < holds && !strcmp(hold[i + 1].id, hold[i].id) && !hold[i].alive;
        if (older || is_stored(&stored, &hold[i]) || !planned(hash, hashes, hold[i].spec_sha256)) continue;
        Begun *b = &st->begun[st->all++];
        b->hold = hold[i];
        describe(b, folder);
        st->count[b->state]++;
    }
    if (x) {
        st->runs = hashes;
        st->waiting = hashes - st->done - st->all;
        if (st->done != done) st->decided = x->most ? decided_after(&stored, x, s->precise, &st->never) : 0;
        if (st->waiting < 0 || st->decided) st->waiting = 0; /* two arithmetics of one run may be in the making */
    }
    st->left = time_left(st, usual);
}

static void begun_line(const Status *st, const Begun *b, Text *out) {
    char owner[96], took[32];
    text_format(out, "%-8s ", state_names[b->state]);
    if (!st->x) text_format(out, "%s%s%s  ", b->hold.experiment, b->hold.profile[0] ? " " : "", b->hold.profile);
    text_format(out, "%s  step %d/%lld", b->hold.what, b->step, (long long)b->hold.steps);
    if (!isnan(b->loss)) text_format(out, "  loss %.4f", b->loss);
    if (!isnan(b->valid)) text_format(out, ", valid %.4f", b->valid);
    if (b->state == RUNNING) {
        if (!isnan(b->left)) text_format(out, "  %s left", format_duration(took, b->left));
        text_format(out, "  (%s)", share_owner(owner, &b->hold));
    } else if (b->hold.left[0])
        text_format(out, "  %s", b->hold.left);
    else
        text_format(out, "  %s ended without finishing it; `normbench run` resumes it", share_owner(owner, &b->hold));
    text_format(out, "\n");
}

static void status_text(const Status *st, Text *out) {
    char left[32];
    if (st->x)
        text_format(out, "%s%s%s: %d runs: ", st->x->name, st->x->profile[0] ? ", profile " : "", st->x->profile,
                    st->runs);
    else
        text_format(out, "%s: ", st->called);
    text_format(out, "%d done", st->done);
    if (st->diverged) text_format(out, " (%d diverged)", st->diverged);
    for (State k = 0; k < STATES; k++)
        if (st->count[k] || k == RUNNING) text_format(out, ", %d %s", st->count[k], state_names[k]);
    if (st->x) text_format(out, ", %d waiting", st->waiting);
    if (st->decided && st->never)
        text_format(out, "; no comparison can ever be decided");
    else if (st->decided)
        text_format(out, "; decided after %d seeds", st->decided);
    else if (st->waiting > 0 && st->x->most)
        text_format(out, " unless it is decided before");
    if (st->left > 0) text_format(out, "; about %s left", format_duration(left, st->left));
    text_format(out, "\n");
    for (State k = 0; k < STATES; k++)
        for (int i = 0; i < st->all; i++)
            if (st->begun[i].state == k) begun_line(st, &st->begun[i], out);
    slurm_text(st->slurm, st->folder, out);
}

static json_t *begun_json(const Status *st, const Begun *b) {
    char curve[1400];
    const Lease *h = &b->hold;
    snprintf(curve, sizeof curve, "%.1000s/.partial/%s.curves.csv", st->folder, h->id);
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:o, s:i, s:I, s:o, s:o, s:o, s:s, s:I, s:I}", "id", h->id, "experiment",
                  h->experiment, "profile", h->profile, "what", json_text_of(h->what), "step", b->step, "steps",
                  (json_int_t)h->steps, "train_loss", json_or_null(b->loss), "valid_loss", json_or_null(b->valid),
                  "curve", json_text_of(curve), "host", h->owner.host, "pid", (json_int_t)h->owner.pid, "since",
                  (json_int_t)h->since);
    if (b->state == RUNNING)
        return json_add(o, "seconds_left", json_or_null(b->left), "seconds_since_sign", json_or_null(h->heard));
    return json_add(o, "why", h->left[0] ? json_text_of(h->left) : json_null());
}

static void status_json(const Status *st, Text *out) {
    const Experiment *x = st->x;
    json_t *root = json_pack("{s:s?, s:s?, s:s?, s:o, s:i, s:i, s:o}", "experiment", x ? x->name : NULL, "profile",
                             x ? x->profile : NULL, "plan", x ? x->plan : NULL, "runs",
                             x ? json_integer(st->runs) : json_null(), "done", st->done, "diverged", st->diverged,
                             "waiting", x ? json_integer(st->waiting) : json_null());
    for (State k = 0; k < STATES; k++) {
        json_t *list = json_array();
        for (int i = 0; i < st->all; i++)
            if (st->begun[i].state == k) json_array_append_new(list, begun_json(st, &st->begun[i]));
        json_add(root, state_names[k], list);
    }
    json_add(root, "slurm", slurm_json(st->slurm, st->folder), "seconds_left", json_or_null(st->left));
    json_print(root, 9, out);
}

/* How many bytes of a line fit into `columns`: up to the last blank where the whole does not. */
static int fitting(const char *line, int columns) {
    int at = 0, column = 0, blank = 0;
    for (; line[at] && line[at] != '\n'; at++) {
        column += ((unsigned char)line[at] & 0xc0) != 0x80; /* bytes that go on with a character count nothing */
        if (column > columns) return blank ? blank : at;
        if (line[at] == ' ') blank = at;
    }
    return at;
}

/* The first `rows` rows, over what the screen showed before. What is wider than `columns` goes on below, indented. */
static void show(const Text *text, int columns, int rows) {
    enum { INDENT = 9 };
    const char *line = text->at;
    bool on = false;
    fputs("\033[H", stdout);
    for (int row = 0; *line && row < rows; row++) {
        int room = columns - (on ? INDENT : 0), n = fitting(line, room > 1 ? room : 1);
        printf("%*s%.*s\033[K\n", on ? INDENT : 0, "", n, line);
        line += n;
        while (*line == ' ') line++;
        on = *line && *line != '\n';
        line += *line == '\n';
    }
    fputs("\033[J", stdout);
}

Rc command_status(Session *s, Error *e) {
    const Options *o = s->options;
    bool watch = o->times[OPTION_watch], terminal = terminal_draws(STDOUT_FILENO), more = true;
    LOCAL(experiment_release) Experiment x = {0};
    LOCAL_TEXT(text);
    LOCAL(slurm_view_release) SlurmView slurm = {0};
    time_t asked = 0;
    Status st = {0};
    if (o->operands > 1) return error_set(e, RC_USAGE, "status: name one experiment, or none for all in the folder");
    if (o->operands && session_plan(s, o->operand[0], &x, e)) return e->code;
    if (!file_exists(s->runs)) terminal_say(stderr, "normbench: note: %s: no such folder yet\n", s->runs);
    if (watch) session_signals();
    if (watch && terminal) fputs("\033[2J", stdout);
    while (more && !session_signal) {
        int rows, columns = terminal_columns(STDOUT_FILENO, &rows);
        look(&st, s, o->operands ? &x : NULL);
        if (difftime(time(NULL), asked) >= SLURM_EVERY) {
            slurm_view_release(&slurm);
            slurm_look(&slurm, s->results, o->operands ? x.plan : NULL);
            asked = time(NULL);
        }
        st.slurm = &slurm;
        text_clear(&text);
        if (o->times[OPTION_json])
            status_json(&st, &text);
        else
            status_text(&st, &text);
        if (watch && terminal)
            show(&text, columns - 1, rows - 1);
        else
            o->times[OPTION_json] ? (void)fputs(text.at, stdout) : terminal_print(text.at);
        if (!output_flush(NULL)) break; /* nobody reads it any more: main ends so */
        more = watch && !is_over(&st);
        free(st.begun);
        for (int i = 0; i < 20 && more && !session_signal; i++) nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    /* Ctrl-C is how a watch is ended */
    return session_signal == SIGTERM ? error_set(e, (Rc)(128 + SIGTERM), "stopped") : RC_OK;
}
