#include "tests/verdict/made_up.h"

#include "base/philox.h"
#include "bench/plan/declare.h"
#include "bench/store/provenance.h"

MadeUp m;

const char made_up_four[] = "name: made-up-4\ntitle: Made-up numbers, 4 layers\nwriteup: \"002\"\nbaseline: baseline\n"
                            "layers: 4\ntoken_std: 0.5\nsteps: 300\nevaluate_at: 0,150,300\n"
                            "arms:\n"
                            "  baseline:  {variant: pre}\n"
                            "  layernorm: {variant: pre, embed: layernorm, label: LayerNorm}\n"
                            "  rmsnorm:   {variant: pre, embed: rmsnorm, label: RMSNorm}\n"
                            "  center:    {variant: pre, embed: center, label: Centering only}\n"
                            "profiles:\n"
                            "  full: {seeds: 8, token_std: [0.5, 1]}\n"
                            "  quick: {steps: 150, seeds: 6}\n"
                            "  eight: {steps: 150, seeds: 8}\n"
                            "  single: {steps: 150, seeds: 1}\n"
                            "  pair: {steps: 150, seeds: 3, arms: [baseline, layernorm]}\n"
                            "  toy: {steps: 150, seeds: 6, layers: 2}\n";

const char made_up_rates[] = "name: made-up-rates\ntitle: Made-up sweep of rates\nbaseline: pre\nsteps: 150\n"
                             "seeds: 6\nevaluate_at: 0,150\nlayers: 4\nwarmup: [0, 40]\n"
                             "lr: [1e-3, 3e-3, 3e-4, 1e-2]\n"
                             "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n";

const char made_up_odd[] =
    "name: made_up.odd\ntitle: \"Made-up 100% of $5 & #7_x ^ ~ {a} \\\\ <b> |c|\"\nbaseline: base_1.0\n"
    "layers: 4\nsteps: 150\nevaluate_at: 0,150\nseeds: 6\n"
    "arms:\n"
    "  base_1.0: {variant: pre, label: \"base_line\"}\n"
    "  odd-2: {variant: pre, embed: layernorm, label: \"50% & $x_1^2$ #\"}\n"
    "  odd-3: {variant: pre, embed: rmsnorm, label: \"{curly} \\\\back~slash --a label that is far too long for a "
    "head\"}\n"
    "  odd-4: {variant: pre, embed: center, label: \"\\u00e9t\\u00e9 \\u03bb\\u2264 <|>\"}\n";

/* A number in [-1, 1) that depends on its arguments alone. */
static double noise(int arm, int seed, int what) {
    uint32_t word = philox_word(2, (uint64_t)arm * 100 + (uint64_t)seed, (uint64_t)what);
    return ((double)(word >> 20) - 2048) / 2048;
}

/* A falling curve without exp: the start at step 0, half of the way after `half` steps. */
static double falling(double start, double end, double half, int step) {
    return end + (start - end) * half / (half + step);
}

static double made_up_curve(int cell, int step) {
    return cell ? falling(130, -5, 15, step) : falling(4.18, 1.9, 150, step);
}

/* Per mille of a nat that an arm is below the first one. */
static const int gain[] = {0, 70, 4, 50};

static void fill_evaluation(Evaluation *v, int cell, int arm, int seed, int step) {
    double loss = made_up_curve(cell, step);
    int salt = step + 7 * cell;
    if (step) loss += -gain[arm % 4] / 1000.0 + 0.02 * noise(0, seed, salt) + 0.01 * noise(arm + 1, seed, salt);
    *v = (Evaluation){.step = step, .targets = 111488, .dropped = 50, .blocks = 55};
    v->block = mem_alloc((size_t)v->blocks, sizeof *v->block);
    for (int b = 0; b < v->blocks; b++) v->block[b] = loss + 0.1 * noise(5, 0, b) + 0.01 * noise(arm, seed, 100 + b);
    for (int k = 0; k < METRIC_COUNT; k++) v->metric[k] = (double)NAN;
    v->metric[METRIC_valid_loss] = loss;
    v->metric[METRIC_perplexity] = exp(loss);
    v->metric[METRIC_bits_per_byte] = loss / log(2);
    v->metric[METRIC_accuracy] = 0.2 + 0.01 * (arm % 4) + 0.004 * noise(arm, seed, salt + 1);
    v->metric[METRIC_spikes] = 0;
    if (!step) return;
    v->metric[METRIC_train_loss] = loss - 0.02;
    v->metric[METRIC_grad_norm] = 0.6 + 0.02 * (arm % 4) + 0.01 * noise(arm, seed, salt + 2);
    v->metric[METRIC_grad_norm_last] = 0.6 + 0.02 * (arm % 4) + 0.01 * noise(arm, seed, salt + 2);
    v->metric[METRIC_embedding_norm] =
        (arm % 4 == 1 || arm % 4 == 2 ? 11.5 : 0.35) + 0.003 * noise(arm, seed, salt + 3);
    v->metric[METRIC_grad_ratio] = 0.3 * (arm % 4) - 0.4 + 0.02 * noise(arm, seed, salt + 5);
    v->metric[METRIC_update_norm] = 0.1 + 0.001 * noise(arm, seed, salt + 4);
}

static void fill_curves(Curves *c, int cell, int arm, int seed, int steps) {
    curves_init(c, 4, NULL);
    for (int step = 0; step <= steps; step++) {
        double *row = curves_add(c), loss = made_up_curve(cell, step) - gain[arm % 4] * step / 3e5;
        row[CURVE_step] = step;
        if (step % 15 == 0) row[CURVE_valid_loss] = loss + 0.02 * noise(arm, seed, 1000 + step);
        if (step == steps) break;
        row[CURVE_train_loss] = loss + 0.02 * noise(arm, seed, 2000 + step);
        row[CURVE_grad_norm] = falling(cell ? 60 : 2, 0.4, 10, step) + 0.1 * noise(arm, seed, 3000 + step);
        row[CURVE_embedding_norm] =
            (arm % 4 == 1 || arm % 4 == 2 ? 11.3 : 0.33) + 0.001 * step + 0.01 * noise(arm, seed, 5);
    }
}

void made_up_growth(void) {
    for (int i = 0; i < m.runs; i++) {
        Curves *old = &m.records[i].curves, new;
        int arm = i / m.x.seeds % m.x.arms;
        curves_init(&new, old->layers, &m.x.probes);
        for (int step = 0; step < old->rows; step++) {
            double *row = curves_add(&new);
            memcpy(row, old->value + step * old->columns, CURVE_FIXED * sizeof *row);
            for (int l = 0; l < new.layers &&step % 10 == 0; l++) {
                bool grown = arm == 0 && step > old->rows / 4;
                row[curve_column(&new, PROBE_block_output_var, l)] = grown ? exp(l) : 0.5 * (l + 1);
                row[curve_column(&new, PROBE_stream_grad, l)] = 3.0 / (arm + 1);
                row[curve_column(&new, PROBE_block_output_most, l)] = l == 2 ? 655.04 : 1;
            }
        }
        free(old->value);
        *old = new;
    }
}

static void fill_record(RunRecord *r, const Experiment *x, int cell, int arm, int seed) {
    int at[8];
    *r = (RunRecord){.spec = experiment_spec(x, cell, arm, seed),
                     .vocab = 65,
                     .diverged_step = -1,
                     .unigram = 3.347,
                     .entropy_rate = (double)NAN,
                     .parameters = 818048 + 128 * arm,
                     .memory_mb = 40,
                     .wall_seconds = 20,
                     .step_seconds = 0.1 + 0.001 * arm + 0.001 * noise(arm, seed, 6)};
    snprintf(r->id, sizeof r->id, "%016x%016x%016x%016x", 0xadeu, (unsigned)cell, (unsigned)arm, (unsigned)seed);
    strcpy(r->status, "ok");
    strcpy(r->dataset, "tinyshakespeare");
    strcpy(r->dataset_sha256, "made up");
    strcpy(r->loss_chain, r->id);
    strcpy(r->parameters_hash, r->id);
    r->evaluations = spec_evaluations(&r->spec, at, 8);
    r->evaluation = mem_alloc((size_t)r->evaluations, sizeof *r->evaluation);
    for (int i = 0; i < r->evaluations; i++) fill_evaluation(&r->evaluation[i], cell, arm, seed, at[i]);
    fill_curves(&r->curves, cell, arm, seed, (int)r->spec.steps);
}

static void leave(void) {
    if (m.table.x) table_release(&m.table);
    if (m.has_claims) claims_release(&m.claims);
    for (int i = 0; i < m.runs; i++) record_release(&m.records[i]);
    free(m.records);
    experiment_release(&m.x);
    m = (MadeUp){0};
}

void made_up_init(const char *yaml, const char *profile) {
    leave();
    OK(experiment_parse(&m.x, "made-up.yaml", yaml, profile, NULL, &e));
    for (int i = 0; i < 64; i++) m.x.plan[i] = "0123456789abcdef"[i % 16]; /* the real one names every key there is */
    m.runs = experiment_cells(&m.x) * m.x.arms * m.x.seeds;
    m.records = mem_alloc((size_t)m.runs, sizeof *m.records);
    for (int i = 0; i < m.runs; i++)
        fill_record(&m.records[i], &m.x, i / m.x.seeds / m.x.arms, i / m.x.seeds % m.x.arms, i % m.x.seeds);
    m.has_claims = m.x.writeup[0] != 0;
    if (m.has_claims) OK(claims_read(&m.claims, SOURCE_ROOT, m.x.writeup, &e));
    for (int i = 0; m.has_claims && i < m.claims.claims; i++) /* a made-up experiment is at every place */
        for (int t = 0; t < m.claims.claim[i].tests; t++) m.claims.claim[i].test[t].places = 0;
    for (int i = 0; i < m.runs; i++) {
        Text lines;
        text_init(&lines);
        declare_plans(&m.x, &lines);
        if (m.has_claims) declare_claims(&m.claims, &lines);
        m.records[i].declared = lines.at;
    }
}

void made_up(const char *yaml, const char *profile, TableOptions options) {
    made_up_init(yaml, profile);
    OK(made_up_table(options, &e));
}

RunRecord *made_up_at(int cell, int arm, int seed) {
    return &m.records[(cell * m.x.arms + arm) * m.x.seeds + seed];
}

void made_up_loss(RunRecord *r, int step, double loss) {
    for (int i = 0; i < r->evaluations; i++)
        if (r->evaluation[i].step == step) {
            r->evaluation[i].metric[METRIC_valid_loss] = loss;
            r->evaluation[i].metric[METRIC_perplexity] = exp(loss);
        }
}

void made_up_diverge(RunRecord *r, int step) {
    strcpy(r->status, "diverged");
    r->diverged_step = step;
    while (r->evaluations && r->evaluation[r->evaluations - 1].step >= step)
        free(r->evaluation[--r->evaluations].block);
    r->curves.rows = step + 1;
    r->curves.value[step * r->curves.columns + CURVE_train_loss] = (double)NAN;
    r->curves.value[step * r->curves.columns + CURVE_grad_norm] = (double)INFINITY;
}

Rc made_up_table(TableOptions options, Error *error) {
    if (!options.command) options.command = "made up";
    return table_make(&m.table, &m.x, m.records, m.has_claims ? &m.claims : NULL, options, error);
}

void made_up_eight(const double by[8]) {
    made_up_init(made_up_four, "eight");
    for (int arm = 0; arm < 4; arm++)
        for (int seed = 0; seed < 8; seed++)
            made_up_loss(made_up_at(0, arm, seed), 150, 2 + .01 * seed + (arm == 1 ? by[seed] : 0));
    OK(made_up_table((TableOptions){0}, &e));
}

void made_up_claims(const char *yaml) {
    OK(claims_parse(&m.claims, "f", yaml, &e));
    m.has_claims = true;
    OK(made_up_table((TableOptions){0}, &e));
}

void made_up_blot(char *text) {
    const char *commit = provenance_commit();
    char *at = strstr(text, "\"commit\": \""), *from = at ? at + strlen("\"commit\": \"") : NULL;
    if (!from || strncmp(from, commit, strlen(commit)) != 0) return;
    memmove(from, from + strlen(commit), strlen(from + strlen(commit)) + 1);
}

char *made_up_write(void (*write)(const Table *, Text *)) {
    Text text;
    text_init(&text);
    write(&m.table, &text);
    made_up_blot(text.at);
    return text.at;
}

bool made_up_writes(void (*write)(const Table *, Text *), const char *what) {
    OWNED char *text = made_up_write(write);
    return strstr(text, what) != NULL;
}

void made_up_golden(const char *name, void (*write)(const Table *, Text *)) {
    OWNED char *got = made_up_write(write);
    golden_is(name, got);
}

void made_up_unbroken(char *text) {
    char *to = text;
    for (const char *s = text; *s; s++)
        if (!strchr(" \n", *s))
            *to++ = *s;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
}

void made_up_summary(const Table *t, const char *name, const char *format, Text *out) {
    int kind = 0;
    while (kind < summary_count && strcmp(summary_rows[kind].name, name) != 0) kind++;
    cr_assert_lt(kind, summary_count, "%s", name);
    if (!strcmp(format, "text"))
        cells_list_text(table_summary(t, kind), PAGE_WIDTH, out);
    else if (!strcmp(format, "tex"))
        summary_tex(t, kind, out);
    else
        summary_csv(t, kind, out);
}

void made_up_refused(const BadClaims *bad, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ClaimFile f;
        e = (Error){0};
        cr_expect_eq(claims_parse(&f, "f", bad[i].text, &e), RC_USAGE, "not refused: %s", bad[i].error);
        cr_expect_str_eq(e.text, bad[i].error);
    }
}
