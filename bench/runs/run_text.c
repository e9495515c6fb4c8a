/* `normbench runs show`: one stored run, whole. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/formats/latex.h"
#include "bench/run/history.h"
#include "bench/runs/runs.h"
#include "bench/store/ended.h"

enum { WIDTH = 72, HEIGHT = 12, LABEL = 9 };

/* What is drawn: the least and the largest finite value, and the last step. */
typedef struct {
    double least, most, last;
    bool log;
} Frame;

static void widen(Frame *f, const Curves *c, const CurveInfo *curve) {
    for (int row = 0; curve && row < c->rows; row++) {
        double y = curve_number(c, row, curve, -1);
        if (!isfinite(y)) continue;
        f->least = fmin(f->least, y), f->most = fmax(f->most, y);
        f->last = fmax(f->last, curve_at(c, row, CURVE_step));
    }
}

static int place(const Frame *f, double y, int height) {
    double low = f->log ? log10(f->least) : f->least, high = f->log ? log10(f->most) : f->most;
    double at = high > low ? ((f->log ? log10(y) : y) - low) / (high - low) : 0;
    return (int)lround((1 - at) * (height - 1));
}

static void draw(char *cells, const Frame *f, const Curves *c, const CurveInfo *curve, char mark, int width,
                 int height) {
    OWNED double *sum = mem_alloc((size_t)width, sizeof *sum);
    OWNED int *n = mem_alloc((size_t)width, sizeof *n);
    for (int row = 0; curve && row < c->rows; row++) {
        double y = curve_number(c, row, curve, -1), step = curve_at(c, row, CURVE_step);
        int x = f->last > 0 ? (int)floor(step / f->last * (width - 1)) : 0;
        if (isfinite(y)) sum[x] += y, n[x]++;
    }
    for (int x = 0; x < width; x++)
        if (n[x]) cells[place(f, sum[x] / n[x], height) * width + x] = mark;
}

void curve_text(const Curves *c, const CurveInfo *often, const CurveInfo *seldom, int width, int height, Text *out) {
    Frame f = {.least = (double)INFINITY, .most = -(double)INFINITY};
    widen(&f, c, often), widen(&f, c, seldom);
    if (!(f.least <= f.most)) return;
    f.log = f.least > 0 && f.most > 10 * f.least;
    OWNED char *cells = mem_alloc((size_t)width * (size_t)height, 1);
    memset(cells, ' ', (size_t)width * (size_t)height);
    draw(cells, &f, c, often, '*', width, height);
    draw(cells, &f, c, seldom, 'o', width, height);
    for (int row = 0; row < height; row++) {
        bool first = !row, last = row == height - 1;
        const char *label = first ? SHOW_NUMBER(f.most, 3) : last ? SHOW_NUMBER(f.least, 3) : "";
        int used = width;
        while (used && cells[row * width + used - 1] == ' ') used--;
        text_format(out, "%*s |%.*s\n", LABEL, label, used, cells + row * width);
    }
    text_format(out, "%*s +", LABEL, "");
    for (int x = 0; x < width; x++) text_format(out, "-");
    text_format(out, "\n%*s 0%*.0f\n", LABEL + 1, f.log ? "(log)" : "", width - 1, f.last);
}

static void identity(const RunShown *shown, Text *out) {
    const RunRecord *r = shown->record;
    const Listing *l = shown->listing;
    text_format(out, "run %s\n", r->id);
    for (int i = 0; i < l->runs; i++) {
        const ListedRun *run = &l->run[i];
        const RunGroup *g = &l->group[run->group];
        if (strcmp(run->record->id, r->id)) continue;
        text_format(out, "  %s", g->experiment[0] ? g->experiment : "of no experiment here");
        if (g->options[0])
            text_format(out, "%s", g->options);
        else if (g->experiment[0])
            text_format(out, "%s%s%s", g->profile[0] ? " " : "", g->profile,
                        g->planned ? "" : ", changed on the command line");
        text_format(out, ": arm %s", run->arm);
        if (strcmp(run->arm, run->label)) text_format(out, " (%s)", run->label);
        if (g->plan[0]) text_format(out, ", plan %.8s", g->plan);
        text_format(out, "\n");
    }
    text_format(out, "  variant %s, seed %llu, corpus %s, %ld parameters\n", r->spec.variant.name,
                (unsigned long long)r->spec.seed, r->dataset, r->parameters);
    text_format(out, "  status  %s", record_status(r));
    if (r->diverged_step < 0)
        text_format(out, ", %lld steps\n", (long long)r->spec.steps);
    else
        text_format(out, " at step %d of %lld, first in %s\n", r->diverged_step, (long long)r->spec.steps, r->culprit);
}

static void print(Cells *c, int width, Text *out) {
    text_format(out, "\n");
    cells_text(c, width, out);
    cells_release(c);
}

/* The keys that are not at their default, a row each; then the others. */
static void keys(const RunSpec *s, int width, Text *out) {
    char value[SPEC_TEXT_SIZE], initial[SPEC_TEXT_SIZE], shown[SPEC_TEXT_SIZE];
    RunSpec defaults;
    Cells c;
    spec_init(&defaults);
    cells_init(&c, "keys", "keys (those that differ from their default stand first)");
    cells_columns(&c, {"key", "l", ""}, {"value", "l", ""}, {"default", "l", ""});
    for (int i = 0; i < spec_key_count + variant_key_count; i++) {
        const char *key = i < spec_key_count ? spec_keys[i] : variant_keys[i - spec_key_count];
        spec_get(value, s, key), spec_get(initial, &defaults, key);
        if (strcmp(value, initial)) {
            cells_row(&c);
            cell_text(&c, key), cell_text(&c, spec_shown(shown, key, value));
            cell_format(&c, "(default %s)", spec_shown(shown, key, initial));
        } else
            text_format(&c.notes, "%s%s %s", c.notes.length ? ", " : "", key, spec_shown(shown, key, value));
    }
    print(&c, width, out);
}

/* What was measured at the last evaluations. */
static void metrics(const RunRecord *r, int width, Text *out) {
    enum { MOST = 6 };
    char step[24];
    Cells c;
    int from = r->evaluations > MOST ? r->evaluations - MOST : 0;
    if (!r->evaluations) return;
    cells_init(&c, "metrics", "");
    cells_column(&c, "metric", 'l', "after step");
    for (int i = from; i < r->evaluations; i++) {
        snprintf(step, sizeof step, "%d", r->evaluation[i].step);
        cells_column(&c, NULL, 'r', step);
    }
    for (int m = 0; m < METRIC_COUNT; m++) {
        bool any = false;
        for (int i = from; i < r->evaluations; i++) any |= isfinite(r->evaluation[i].metric[m]);
        if (!any) continue;
        cells_row(&c), cell_text(&c, metric_info[m].heading);
        for (int i = from; i < r->evaluations; i++)
            if (isnan(r->evaluation[i].metric[m]))
                cell_none(&c);
            else
                cell_number(&c, r->evaluation[i].metric[m], metric_info[m].digits);
    }
    print(&c, width, out);
}

static void hits(const RunRecord *r, Text *out) {
    const Hits *h = &r->hits;
    if (!h->targets) return;
    text_format(out,
                "\nhits: %ld of %ld targets are predicted right after step %d; always naming the most frequent one "
                "would be right for %ld (%.2f %%)\n",
                h->right, h->targets, h->step, h->frequent, 100. * (double)h->frequent / (double)h->targets);
}

/* "h.1.mlp.residual, forward" */
static void site_name(const RoundedSite *s, char out[80]) {
    snprintf(out, 80, "%s, %s", s->tensor, rounded_pass(s->pass));
}

static double uncommon(const Rounded *n) {
    return (double)n->over + (double)n->infinite + (double)n->nan;
}

static void rounded_row(const char *name, const Rounded *n, Cells *c) {
    cells_row(c);
    cell_text(c, name);
    cell_integer(c, (long)n->over), cell_integer(c, (long)n->infinite), cell_integer(c, (long)n->nan);
    cell_integer(c, (long)n->subnormal), cell_integer(c, (long)n->flushed);
}

/* What was stored in 16 bits: the sums of every pass, then the sites that passed 65,504 or are not finite. */
static void rounded_cells(const RoundedRun *r, Cells *c) {
    enum { MOST = 12 };
    static const char *const keys[] = {"|x|>65504", "inf", "nan", "subnormal", "flushed"};
    char name[80];
    int shown = 0, left = 0;
    cells_init(c, "rounded", "");
    cells_column(c, "what", 'l', "stored in 16 bits, all steps");
    for (int k = 0; k < 5; k++) cells_column(c, keys[k], 'r', keys[k]);
    for (RoundPass pass = PASS_weights; pass <= PASS_backward; pass++) {
        Rounded n = {0};
        for (int i = 0; i < r->sites; i++) {
            const Rounded *one = &r->site[i].count;
            if (r->site[i].pass != pass) continue;
            n.over += one->over, n.infinite += one->infinite, n.nan += one->nan;
            n.subnormal += one->subnormal, n.flushed += one->flushed;
        }
        rounded_row(rounded_pass(pass), &n, c);
    }
    for (int i = 0; i < r->sites; i++) {
        if (uncommon(&r->site[i].count) <= 0) continue;
        if (shown++ >= MOST) {
            left++;
            continue;
        }
        site_name(&r->site[i], name);
        rounded_row(name, &r->site[i].count, c);
    }
    if (left) text_format(&c->notes, "And %d other places; record.json has all.", left);
}

static void rounded(const RoundedRun *r, int width, Text *out) {
    const RoundedSite *first = rounded_first(r);
    char name[80];
    Cells c;
    if (!r->known) return;
    rounded_cells(r, &c);
    print(&c, width, out);
    if (first) site_name(first, name);
    if (first && first->layer >= 0)
        text_format(out, "  first overflow: step %.0f, layer %d, %s\n", rounded_first_step(r), first->layer, name);
    else if (first)
        text_format(out, "  first overflow: step %.0f, %s\n", rounded_first_step(r), name);
    else
        text_format(out, "  no number passed 65,504\n");
    if (r->scaled)
        text_format(out, "  the loss was scaled by %.0f at the end; %d step%s skipped\n", r->scale.now,
                    (int)r->scale.skipped, r->scale.skipped == 1 ? " was" : "s were");
}

static void provenance(const RunRecord *r, Text *out) {
    const Provenance *p = &r->provenance;
    char made[TIME_SIZE];
    text_format(out, "\nmade by\n  normbench %s, commit %s", p->version, p->commit);
    if (format_time(made, p->made)[0]) text_format(out, ", finished %s", made);
    text_format(out, "\n  %s, %s, %s\n  on %s", p->compiler, p->flags, p->isa, p->device);
    if (strcmp(p->device, p->cpu)) text_format(out, " in a machine with %s", p->cpu);
    text_format(out, ", %d processors; %d thread%s, %d run%s trained together\n", p->processors, p->threads,
                p->threads == 1 ? "" : "s", p->replicas, p->replicas == 1 ? "" : "s");
    text_format(out, "  gsl %s, jansson %s, %s\n", p->gsl, p->jansson, p->openssl);
    text_format(out, "  %s s, ", SHOW_NUMBER(r->wall_seconds, 1));
    if (isfinite(r->step_seconds)) text_format(out, "%s ms a step, ", SHOW_NUMBER(1e3 * r->step_seconds, 1));
    text_format(out, "%s MB\n", SHOW_NUMBER(r->memory_mb, 0));
    text_format(out, "\nhashes\n  class %s, arithmetic %.12s\n  corpus %.12s, tokenizer %.12s\n", r->arithmetic_class,
                r->arithmetic, r->dataset_sha256, r->tokenizer_sha256);
    text_format(out, "  loss chain %.12s, parameters %.12s\n", r->loss_chain, r->parameters_hash);
}

/* Since when the plans that this run is of are written down. */
static void written(const RunShown *shown, Text *out) {
    int plans = 0;
    for (int i = 0; i < shown->listing->runs; i++) {
        const ListedRun *run = &shown->listing->run[i];
        const RunGroup *g = &shown->listing->group[run->group];
        if (strcmp(run->record->id, shown->record->id) || !g->planned) continue;
        text_format(out, plans++ ? "  " : "\nwritten down\n  ");
        Written w = history_plan(g->file, g->profile, g->plan);
        history_text(&w, shown->record->provenance.made, out);
        text_format(out, "\n");
    }
    if (plans) text_format(out, "  %s\n", history_caution);
}

void run_text(const RunShown *shown, int width, Text *out) {
    const RunRecord *r = shown->record;
    LOCAL_TEXT(curve);
    identity(shown, out);
    keys(&r->spec, width, out);
    metrics(r, width, out);
    hits(r, out);
    curve_text(&r->curves, curve_named("train_loss"), curve_named("valid_loss"),
               width - LABEL - 3 < WIDTH ? width - LABEL - 3 : WIDTH, HEIGHT, &curve);
    rounded(&r->rounded, width, out);
    if (curve.length) text_format(out, "\nloss over the steps, nats (* train, o validation slice)\n%s", curve.at);
    provenance(r, out);
    written(shown, out);
    text_format(out, "\nfiles\n  runs/%s/record.json\n  runs/%s/curves.csv\n", r->id, r->id);
    if (r->hits.targets) text_format(out, "  runs/%s/" HITS_FILE "\n", r->id);
}
