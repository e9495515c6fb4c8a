/* normbench run EXPERIMENT: train what is missing. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/cli/run_scale.h"
#include "bench/cli/theory.h"
#include "bench/formats/progress.h"
#include "bench/formats/safe_shards.h"
#include "bench/formats/terminal.h"
#include "bench/plan/declare.h"
#include "bench/plan/doubt.h"
#include "bench/plan/twins.h"
#include "bench/run/cluster/mpi.h"
#include "bench/run/cluster/split.h"
#include "bench/run/execute.h"
#include "bench/run/runner.h"
#include "bench/runs/runs.h"
#include "bench/slurm/submit.h"
#include "bench/write/prose.h"

static Rc parse_part(const char *text, int *part, int *parts, Error *e) {
    const char *slash = strchr(text, '/');
    char first[24];
    int64_t i, n;
    if (slash && (size_t)(slash - text) < sizeof first) {
        snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
        if (parse_integer(first, &i) && parse_integer(slash + 1, &n) && n >= 1 && n <= 100000 && i >= 1 && i <= n) {
            *part = (int)i - 1, *parts = (int)n;
            return RC_OK;
        }
    }
    return error_set(e, RC_USAGE, "--part: '%s' is not I/N with 1 <= I <= N", text);
}

/* `--part FOLDER/tasks.json:I`, a task that --slurm made; NULL: none. */
static const char *task_of(const Options *o) {
    const char *part = option(o, OPTION_part, NULL);
    return part && strchr(part, ':') ? part : NULL;
}

/* To be trained by this process. */
static bool wanted(const Todo *p, int i) {
    return todo_open(p, i) && todo_mine(p, &p->run[i]);
}

/* "smoke, profile quick: 30 runs, 0 stored, 24 to train (6 more are the same runs)" */
static void count_text(const Experiment *x, const Todo *p, Text *out) {
    int open = 0;
    for (int i = 0; i < p->runs; i++) open += todo_open(p, i);
    text_format(out, "%s%s%s: %s%d runs, %d stored, %s%d to train", x->name, x->profile[0] ? ", profile " : "",
                x->profile, x->most ? "at most " : "", p->runs, p->runs - p->missing, x->most ? "at most " : "", open);
    if (open < p->missing) text_format(out, " (%d more are the same runs)", p->missing - open);
}

static void say_twins(const Experiment *x) {
    LOCAL_TEXT(words);
    LOCAL_TEXT(lines);
    twins_text(x, &words);
    if (words.length) text_wrapped(&lines, "  ", words.at, 2, 110);
    terminal_say(stderr, "%s", lines.at);
}

/* A reason and how many runs have it; why first: text_order compares it. */
typedef struct {
    char why[sizeof((TodoRun *)0)->why];
    int runs;
} Reason;

/* Why each missing run is trained, runs of one reason counted together. */
static void print_reasons(const Todo *p, FILE *to) {
    Reason **found, **reason = NULL;
    void *known = NULL; /* a tree of search.h */
    int reasons = 0;
    for (int i = 0; i < p->runs; i++) {
        if (!wanted(p, i)) continue;
        if (!(found = tfind(p->run[i].why, &known, text_order))) {
            reason = mem_grow(reason, (size_t)reasons + 1, sizeof *reason);
            reason[reasons] = mem_alloc(1, sizeof **reason);
            strcpy(reason[reasons]->why, p->run[i].why);
            if (!(found = tsearch(reason[reasons++], &known, text_order))) mem_end(sizeof known);
        }
        (*found)->runs++;
    }
    for (int i = 0; i < reasons; i++)
        terminal_say(to, "  %d run%s: %s\n", reason[i]->runs, reason[i]->runs == 1 ? "" : "s", reason[i]->why);
    tdestroy(known, free);
    free(reason);
}

/* Seconds that the missing runs take one after another, as stored runs of the same arms did; NaN: some have none. */
static double count_seconds(const Todo *p, const Outlook *o) {
    double seconds = 0;
    for (int i = 0; i < p->runs; i++)
        if (wanted(p, i)) seconds += o->seconds[p->run[i].cell * (o->arms + 1) + p->run[i].arm];
    return seconds;
}

/* Hours and memory of the missing runs: by the time of stored runs of these arms, else by this machine's speed on a few
 * products; *expected: in seconds. A run that does not fit into memory gives the error that training it would give. */
static Rc estimate(Session *s, const Todo *p, const Outlook *o, FILE *to, double *expected, Error *e) {
    double most, have, flops = 0, all = 0, mine = 0, seconds = count_seconds(p, o) / s->threads;
    int count = 0, share = 0, plan = 0;
    const Backend *backend = s->backend;
    int threads = s->threads * s->threads_per_run;
    char took[32];
    Rc rc = runner_fits(p, &most, &have, e);
    for (int i = 0; i < p->runs; i++) {
        if (p->run[i].first != i) continue;
        plan++, all += p->run[i].cost;
        if (todo_mine(p, &p->run[i])) share++, mine += p->run[i].cost;
        if (wanted(p, i)) count++, flops += p->run[i].cost, backend = p->run[i].backend;
    }
    if (p->parts > 1)
        terminal_say(to, "part %d/%d: %d of the plan's %d runs, %.1f%% of its cost\n", p->part + 1, p->parts, share,
                     plan,
                all > 0 ? 100 * mine / all : 0);
    LOCAL_TEXT(said);
    text_format(&said, "%d of %d runs to train, %.3g FLOPs, ", count, share, flops);
    if (backend->device) {
        terminal_say(to, "%s%.0f MB per run on the device of backend %s\n", said.at, most / 1048576, backend->name);
        return rc;
    }
    if (seconds > 0)
        text_format(&said, "about %s, %d at once, by the time of %d stored runs of these arms,\n",
                format_duration(took, seconds), s->threads, o->timed);
    else {
        seconds = flops / todo_speed(backend, threads);
        text_format(&said, "about %s on %d thread%s at 55%% of this machine's fma peak,\n",
                    format_duration(took, seconds), threads, threads == 1 ? "" : "s");
    }
    *expected = seconds;
    terminal_say(to, "%s%.0f MB per run, %.0f MB at once\n", said.at, most / 1048576, most / 1048576 * s->threads);
    return rc;
}

/* What the plan can decide, and what it costs; with --slurm (word: of the plan's folder) it is submitted. */
static Rc foretell(Session *s, const Experiment *x, const Todo *p, const Store *stored, const SlurmRequest *slurm,
                   const char *word, double *expected, Error *e) {
    const bool dry = s->options->times[OPTION_dry_run] > 0, submits = s->options->times[OPTION_slurm] > 0;
    FILE *to = dry && !submits ? stdout : stderr;
    Outlook o;
    LOCAL_TEXT(words);
    outlook_make(&o, x, stored, s->precise);
    outlook_text(&o, x, &words);
    terminal_say(to, "%s", words.at);
    Rc rc = submits ? slurm_run(s, x, p, &o, slurm, word, e) : estimate(s, p, &o, to, expected, e);
    outlook_release(&o);
    return rc;
}

static Rc declare_writeup(const Session *s, const char *writeup, Text *lines, Error *e) {
    ClaimFile claims;
    bool has;
    if (claims_find(&claims, s->root, writeup, &has, e)) return e->code;
    if (has) declare_claims(&claims, lines);
    if (has) claims_release(&claims);
    return RC_OK;
}

/* The plans of the other experiments of a write-up: they share runs with this one. A file that does not read declares
 * nothing. */
static void declare_relatives(const Session *s, const Experiment *x, Text *lines) {
    char folder[1100], path[1400], **names;
    snprintf(folder, sizeof folder, "%.1000s/bench/experiments", s->root);
    int count = x->writeup[0] ? folder_names(folder, ".yaml", &names) : 0;
    OWNED Experiment *other = mem_alloc(1, sizeof *other); /* too large for a small stack */
    for (int i = 0; i < count; i++) {
        Error none;
        snprintf(path, sizeof path, "%s/%.200s.yaml", folder, names[i]);
        if (experiment_read(other, path, NULL, NULL, &none)) continue;
        if (!strcmp(other->writeup, x->writeup) && strcmp(other->name, x->name) != 0) declare_plans(other, lines);
        experiment_release(other);
    }
    if (x->writeup[0]) names_free(names, count);
}

/* The lines that the records will hold: the plans of the experiment's file and of its relatives, and the claims of its
 * write-ups. */
static Rc declare(const Session *s, const Experiment *x, Text *lines, Error *e) {
    declare_plans(x, lines);
    declare_relatives(s, x, lines);
    Rc rc = declare_writeup(s, x->writeup, lines, e);
    for (int i = 0; i < EXPERIMENT_ALSO_MAX && x->also[i][0] && !rc; i++) rc = declare_writeup(s, x->also[i], lines, e);
    return rc;
}

/* What is left to do when a share is done. */
static void print_parts(const Session *s, const Todo *p, const Experiment *x) {
    LOCAL_TEXT(run);
    LOCAL_TEXT(table);
    LOCAL_TEXT(results);
    session_command(s, x, "run", &run);
    session_command(s, x, "table", &table);
    session_results(s, &results);
    for (int k = 0, named = 0; k < p->parts && p->missing; k++) {
        int missing = 0;
        for (int i = 0; i < p->runs; i++) missing += p->run[i].part == k && todo_open(p, i);
        if (!missing) continue;
        if (named++ == 8) {
            printf("…\n");
            break;
        }
        printf("missing: %d run%s of part %d/%d: %s --part %d/%d\n", missing, missing == 1 ? "" : "s", k + 1, p->parts,
               run.at, k + 1, p->parts);
    }
    if (p->missing)
        printf("When all parts are done: normbench records merge DIR...%s (their results folders); then: %s\n",
               results.at, table.at);
    else
        printf("All parts are here: %s\n", table.at);
}

/* What the plan most likely does not mean, before it costs anything. */
static void print_doubts(const Experiment *x) {
    LOCAL_TEXT(doubts);
    experiment_doubts(x, &doubts);
    for (char *rest = doubts.at, *line; (line = strsep(&rest, "\n"));)
        if (*line) terminal_say(stderr, "normbench: warning: %s\n", line);
}

/* The line to type next: the plan's folder knows the rest. */
static void print_next(const Session *s, const PlanFolder *folder) {
    LOCAL_TEXT(line);
    text_shell(&line, program_invocation_name);
    text_format(&line, " table %s", folder->slug);
    session_results(s, &line);
    printf("Next: %s\n", line.at);
}

/* A dry run about a device needs no corpus; --backend cuda is about one, here or not. *done: that is all of it. */
static Rc dry_device(Session *s, bool *done, Error *e) {
    Experiment *x = mem_alloc(1, sizeof *x); /* too large for a small stack */
    Error launch;
    if (session_plan(s, s->options->operand[0], x, e)) {
        free(x);
        return e->code;
    }
    *done = scale_asked(s, x) || s->dry;
    Rc rc = *done ? scale_print(s, x, e) : RC_OK;
    bool cuda = !strcmp(s->backend_name, "cuda") && (!rc || rc == RC_UNMEASURED);
    if (cuda && scale_launches(s, x, &launch)) *e = launch, rc = launch.code;
    experiment_release(x);
    free(x);
    return rc;
}

/* Where an experiment stands whose seeds are added until it is decided. */
static Rc ask_seeds(UntilAsks *asks, RunnerOptions *o, Error *e) {
    LOCAL_TEXT(words);
    if (!asks->x->most) return RC_OK;
    int wanted = until_wanted(asks, 0, &words, e);
    o->seeds = until_wanted, o->context = asks;
    o->whole = asks->whole, o->wanted = wanted;
    if (wanted >= 0) terminal_say(stderr, "%s", words.at);
    return wanted < 0 ? e->code : RC_OK;
}

/* Where seeds are added until it is decided, a task trains as many runs as are its own, but the first that are open: so
 * that the seeds are whole in their order, whether tasks run beside or after each other. */
static void first_come(Todo *p, RunnerOptions *o) {
    OWNED bool *all = mem_alloc((size_t)p->runs, sizeof *all);
    o->most_runs = 0;
    for (int i = 0; i < p->runs; i++) o->most_runs += todo_open(p, i) && todo_mine(p, &p->run[i]), all[i] = true;
    if (o->most_runs) todo_only(p, all);
}

/* What is stored in the end, and what is left to do. */
static Rc finish(const Session *s, const Experiment *x, const Todo *p, const PlanFolder *folder, UntilAsks *asks,
                 Error *e) {
    LOCAL_TEXT(words);
    Rc rc = RC_OK;
    bool over = false;
    terminal_say(stdout, "%s%s%s: %d of %s%d runs stored in %s\n", x->name, x->profile[0] ? ", profile " : "",
                 x->profile, p->runs - p->missing, x->most ? "at most " : "", p->runs, s->runs);
    if (x->most) {
        int wanted = until_wanted(asks, 0, &words, e);
        rc = wanted < 0 ? e->code : RC_OK;
        over = wanted == 0;
        terminal_say(stdout, "%s", words.at);
    }
    if (p->parts > 1 && !over)
        print_parts(s, p, x);
    else if (!task_of(s->options)) {
        if (!p->missing) run_found(s, x);
        print_next(s, folder);
    }
    return rc ? rc : todo_lacking(p, s, e);
}

/* What is stored and what is to be trained, with the reasons. */
static void say_plan(const Session *s, const Experiment *x, const Todo *p) {
    const char *task = task_of(s->options);
    int here = 0;
    LOCAL_TEXT(line);
    for (int i = 0; i < p->runs; i++) here += wanted(p, i);
    count_text(x, p, &line);
    if (p->parts > 1) text_format(&line, ", %d of them in part %d/%d", here, p->part + 1, p->parts);
    if (task) text_format(&line, ", %d of them in task %s", here, strrchr(task, ':') + 1);
    terminal_say(stderr, "%s\n", line.at);
    say_twins(x);
    if (x->compared)
        terminal_say(stderr, "  --arm alone is compared with its base: arm %s (%s) is trained too\n", x->arm[0].name,
                     x->arm[0].label);
    print_doubts(x);
}

static bool first_of(const Session *s) {
    return !s->ranks || !s->ranks->rank;
}

/* trains out: true from where ranks end together. */
static Rc run(Session *s, bool *trains, Error *e) {
    const Options *o = s->options;
    RunnerOptions runner = {.checkpoint_seconds = option_number(o, OPTION_checkpoint_every, 60),
                            .file_bytes = 1e6 * option_number(o, OPTION_file_size, SAFE_SHARD / 1e6),
                            .replicas = option_integer(o, OPTION_replicas, 0)};
    const char *part = option(o, OPTION_part, NULL), *task = task_of(o);
    bool submits = o->times[OPTION_slurm] > 0;
    SlurmRequest slurm;
    int part_at = 0, parts = 1;
    LOCAL(experiment_release) Experiment x = {0};
    Todo p;
    Store stored;
    LOCAL_TEXT(lines);
    LOCAL(plan_folder_release) PlanFolder folder = {0};
    Error note;
    bool dry = o->times[OPTION_dry_run] > 0;
    if (options_one_experiment(o, e) || slurm_options(s, &slurm, e)) return e->code;
    if (theory_asked(o)) return theory_run(s, e);
    if (part && !task && parse_part(part, &part_at, &parts, e)) return e->code;
    session_signals();
    if (!dry && scale_options(o)) return error_set(e, RC_USAGE, "run: --device goes with --dry-run");
    bool device = false;
    if (dry && dry_device(s, &device, e)) return e->code;
    if (device) return RC_OK;
    if (session_experiment(s, o->operand[0], &x, e)) return e->code;
    Rc rc = plan_folder_find(&folder, s->results, s->slug, &x, e);
    if (!rc) rc = declare(s, &x, &lines, e);
    runner.declared = lines.at;
    if (!rc) rc = todo_make(&p, s, &x, e);
    if (!rc) todo_parts(&p, part_at, parts);
    if (!rc && task && submission_task(task, &x, &p, e)) {
        todo_release(&p);
        rc = e->code;
    }
    if (!rc) {
        UntilAsks asks = {.s = s, .x = &x};
        rc = split_check(s, &p, e);
        say_plan(s, &x, &p);
        if (!rc) rc = ask_seeds(&asks, &runner, e);
        if (x.most && task) first_come(&p, &runner);
        bool enough = runner.seeds && runner.wanted <= runner.whole;
        store_read(&stored, s->runs);
        if (p.missing) todo_explain(&p, &stored);
        if (!enough) print_reasons(&p, stderr);
        if (!rc && ((p.missing && !enough) || dry || submits))
            rc = foretell(s, &x, &p, &stored, &slurm, folder.slug, &runner.expected_seconds, e);
        store_release(&stored);
        if (!dry && !rc && first_of(s) && plan_folder_note(&folder, s->root, &x, &s->overrides, &note))
            terminal_say(stderr, "normbench: note: %s\n", note.text);
        *trains = !dry && !submits && !rc;
        if (*trains) rc = runner_train(&p, s, &x, &runner, e);
        if (!rc && !dry && !submits) rc = finish(s, &x, &p, &folder, &asks, e);
        todo_release(&p);
    }
    return rc;
}

/* The ranks but the first say nothing, except why they fail. */
static Rc run_ranks(Session *s, Error *e) {
    Rc rc = mpi_open(&s->ranks, option_integer(s->options, OPTION_ranks, 1), e);
    int said = dup(STDERR_FILENO);
    mpi_says(said);
    if (!rc && s->ranks && s->backend->device && s->ranks->local != mpi_local_rank())
        rc = error_set(e, RC_UNMEASURED,
                       "--ranks: this process is number %d of its host, and the launcher's environment does not say so "
                       "(OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID, SLURM_LOCALID): it would share a device",
                       s->ranks->local);
    if (!first_of(s) && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return error_set(e, RC_UNMEASURED, "/dev/null: %s", strerror(errno));
    bool trains = false;
    if (!rc) rc = run(s, &trains, e);
    /* a signal stops all ranks that train, and before that the one that it reached */
    if (rc && (rc < 128 || !trains) && !mpi_agree(e)) ranks_end(s->ranks, e);
    close(said);
    /* mpirun ends all ranks when one has ended with a code: the line must be out before */
    if (rc && e->text[0] && first_of(s)) {
        terminal_say(stderr, "normbench: %s\n", e->text);
        e->text[0] = 0;
    }
    mpi_close();
    return rc;
}

Rc command_run(Session *s, Error *e) {
    const Options *o = s->options;
    const Ranks planned = {.ranks = option_integer(o, OPTION_ranks, 1)};
    if (o->times[OPTION_ranks] && !o->times[OPTION_dry_run] && !o->times[OPTION_slurm]) return run_ranks(s, e);
    if (o->times[OPTION_ranks]) s->ranks = &planned;
    bool trains = false;
    Rc rc = run(s, &trains, e);
    s->ranks = NULL;
    return rc;
}
