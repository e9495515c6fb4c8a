/* normbench run EXPERIMENT: train what is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/declare.h"
#include "bench/execute.h"
#include "bench/progress.h"
#include "bench/runner.h"

static Rc parse_shard(const char *text, RunnerOptions *o, Error *e) {
    const char *slash = strchr(text, '/');
    char first[24];
    int64_t i, n;
    if (slash && (size_t)(slash - text) < sizeof first) {
        snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
        if (parse_integer(first, &i) && parse_integer(slash + 1, &n) && n >= 1 && n <= 100000 && i >= 1 && i <= n) {
            o->shard = (int)i - 1, o->shards = (int)n;
            return RC_OK;
        }
    }
    return error_set(e, RC_USAGE, "--shard: '%s' is not I/N with 1 <= I <= N", text);
}

/* Why each missing run is trained, runs of one reason counted together. */
static void print_reasons(const Plan *p, FILE *to) {
    for (int i = 0; i < p->runs; i++) {
        int same = 0, earlier = 0;
        if (p->run[i].done) continue;
        for (int j = 0; j < p->runs; j++) {
            if (p->run[j].done || strcmp(p->run[j].why, p->run[i].why)) continue;
            same++;
            earlier += j < i;
        }
        if (!earlier) fprintf(to, "  %d run%s: %s\n", same, same == 1 ? "" : "s", p->run[i].why);
    }
}

/* Tokens and memory of what is missing; hours from this machine's own speed on a short stretch of the first run. What does
 * not fit ends as the run itself would. */
static Rc dry_run(Session *s, const Plan *p, Error *e) {
    double flops = 0, most, have;
    Rc rc = runner_fits(p, s->backend, &most, &have, e);
    for (int i = 0; i < p->runs; i++) {
        if (p->run[i].done) continue;
        ModelShape shape = spec_shape(&p->run[i].spec, p->run[i].data->vocab);
        Tape t;
        transformer_build(&t, &shape, &p->run[i].spec.variant);
        double one = tape_flops(&t);
        int at[64], n = spec_evaluations(&p->run[i].spec, at, 64);
        double passes = (double)(dataset_windows(p->run[i].data, shape.context) / (size_t)shape.batch + 1) * n / 3;
        flops += one * ((double)p->run[i].spec.steps + passes);
        tape_release(&t);
    }
    if (s->backend->device) {
        printf("%d of %d runs to train, %.3g FLOPs, %.0f MB per run on the device of backend %s\n", p->missing, p->runs, flops,
               most / 1048576, s->backend->name);
        return rc;
    }
    int threads = s->threads * s->threads_per_run;
    double rate = 0.55e9 * backend_fma_peak(s->backend) * threads;
    char took[32];
    printf("%d of %d runs to train, %.3g FLOPs, about %s on %d thread%s at 55%% of this machine's fma peak,\n"
           "%.0f MB per run, %.0f MB at once\n",
           p->missing, p->runs, flops, format_duration(took, flops / rate), threads, threads == 1 ? "" : "s",
           most / 1048576, most / 1048576 * s->threads);
    return rc;
}

/* What stands in the records: the plans of the experiment's file and the claims it is to be held against. */
static Rc declare(const Session *s, const Experiment *x, Text *lines, Error *e) {
    ClaimFile claims;
    bool has;
    if (claims_find(&claims, s->root, x->writeup, &has, e)) return e->code;
    declare_all(x, has ? &claims : NULL, lines);
    if (has) claims_release(&claims);
    return RC_OK;
}

Rc command_run(Session *s, Error *e) {
    const Options *o = s->options;
    RunnerOptions runner = {.checkpoint_seconds = 60, .shards = 1};
    const char *shard = option(o, OPTION_shard, NULL), *every = option(o, OPTION_checkpoint_every, NULL);
    Experiment x;
    Plan p;
    Text lines;
    if (o->operands != 1) return error_set(e, RC_USAGE, "run: name one experiment (`normbench list` shows them)");
    if (shard && parse_shard(shard, &runner, e)) return e->code;
    if (every && (!parse_real(every, &runner.checkpoint_seconds) || runner.checkpoint_seconds < 0))
        return error_set(e, RC_USAGE, "--checkpoint-every: '%s' is not a number of seconds", every);
    const char *replicas = option(o, OPTION_replicas, NULL);
    int64_t together = 0;
    if (replicas && (!parse_integer(replicas, &together) || together < 1 || together > 1024))
        return error_set(e, RC_USAGE, "--replicas: '%s' is not a number from 1 to 1024", replicas);
    runner.replicas = (int)together;
    session_signals();
    if (session_experiment(s, o->operand[0], &x, e)) return e->code;
    text_init(&lines);
    Rc rc = declare(s, &x, &lines, e);
    runner.declared = lines.at;
    if (!rc) rc = plan_make(&p, s, &x, e);
    if (!rc) {
        const char *comma = x.profile[0] ? ", profile " : "";
        fprintf(stderr, "%s%s%s: %d runs, %d stored, %d to train\n", x.name, comma, x.profile, p.runs,
                p.runs - p.missing, p.missing);
        plan_explain(&p, s);
        print_reasons(&p, stderr);
        rc = o->times[OPTION_dry_run] ? dry_run(s, &p, e) : runner_train(&p, s, &x, &runner, e);
        if (!rc && !o->times[OPTION_dry_run])
            printf("%s%s%s: %d of %d runs stored in %s\n", x.name, comma, x.profile, p.runs - p.missing, p.runs,
                   s->runs);
        plan_release(&p);
    }
    text_release(&lines);
    experiment_release(&x);
    return rc;
}
