#include "bench/plan/doubt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/settle.h"
#include "kernels/backend.h"

static bool says(uint64_t said, const char *key) {
    return said >> spec_index(key) & 1;
}

/* Doubt rates; every part of a schedule is monotone, so its ends show where it is largest. */
static void rate_doubts(const RunSpec *s, Text *out) {
    Recipe r = spec_recipe(s);
    int steps = (int)s->steps, warmup = (int)s->warmup;
    double first = recipe_lr(&r, 0), last = recipe_lr(&r, steps - 1), peak = recipe_lr(&r, warmup);
    char key[SPEC_TEXT_SIZE];
    if (first <= 0 && last <= 0 && (warmup == steps || peak <= 0)) {
        text_format(out, "lr: the learning rate is 0 in every step, so nothing is trained\n");
        return;
    }
    if (warmup && s->warmup_lr > s->lr)
        text_format(out, "warmup_lr: the warm-up falls, from %s to lr %s\n", FORMAT_RATE(s->warmup_lr),
                    FORMAT_RATE(s->lr));
    if (warmup == steps)
        text_format(out,
                    "warmup: the warm-up ends with the run, after %d of %d steps: the schedule (%s) never begins\n",
                    warmup, steps, spec_get(key, s, "schedule"));
    else if (s->lr > 0 && s->final_lr == s->lr && last == s->lr && s->schedule != SCHEDULE_constant &&
             steps > warmup + 1)
        text_format(out, "final_lr: it equals lr, so the schedule (%s) changes nothing\n",
                    spec_get(key, s, "schedule"));
    else if (last > peak * (1 + 1e-6))
        text_format(out, "final_lr: the rate rises from lr %s to %s at the end (schedule %s)\n", FORMAT_RATE(s->lr),
                    FORMAT_RATE(s->final_lr), spec_get(key, s, "schedule"));
}

static void weight_doubts(const RunSpec *s, Text *out) {
    ChoiceKind init = s->variant.init.kind;
    double shrink = s->lr * s->weight_decay;
    if (s->optimizer == OPTIMIZER_adamw && shrink >= 1)
        text_format(out, "weight_decay: an update multiplies weights by 1 - lr weight_decay = %s, not above 0\n",
                    FORMAT_REAL(1 - shrink));
    if (s->init_std == 0 && (init == CHOICE_init_recipe || init == CHOICE_init_plain))
        text_format(out, "init_std: it is 0, and no gradient reaches matrices of a block that are all 0\n");
}

/* Doubt keys that are set and not read, unless the key that decides so is set too, as in a profile that shortens a
 * file's plan. */
static void idle_doubts(const RunSpec *s, uint64_t said, Text *out) {
    IdleKey keys[IDLE_KEYS];
    spec_idle(s, keys);
    for (int i = 0; i < IDLE_KEYS; i++)
        if (keys[i].idle && says(said, keys[i].key) && !says(said, keys[i].by))
            text_format(out, "%s: it changes nothing: %s\n", keys[i].key, keys[i].why);
}

/* Doubt columns of norms that are nowhere. */
static void column_doubts(const RunSpec *s, Text *out) {
    RunSpec settled = *s;
    char asked[VARIANT_TEXT_SIZE], kept[VARIANT_TEXT_SIZE];
    spec_settle(&settled);
    for (int i = 0; i < variant_key_count; i++)
        if (strcmp(variant_get(asked, &s->variant, variant_keys[i]),
                   variant_get(kept, &settled.variant, variant_keys[i])))
            text_format(out, "%s: it changes nothing: no block has a norm that it applies to\n", variant_keys[i]);
}

/* Return true if a rule of this text moves from a number to the same one: "moves 0.5 0.5". */
static bool stands_still(const char *text) {
    static const char moves[] = "moves ";
    for (const char *at = text; (at = strstr(at, moves));) {
        size_t n = strcspn(at += strlen(moves), " ");
        if (at[n] && !strncmp(at, at + n + 1, n) && strchr(" ;", at[2 * n + 1])) return true;
    }
    return false;
}

static void rule_doubts(const RunSpec *s, Text *out) {
    char text[VARIANT_TEXT_SIZE];
    for (int i = 0; i < variant_key_count; i++)
        if (stands_still(variant_get(text, &s->variant, variant_keys[i])))
            text_format(out, "%s: it moves from a number to the same one; a number alone says so (%.60s)\n",
                        variant_keys[i], text);
}

void spec_doubts(const RunSpec *s, uint64_t said, Text *out) {
    rate_doubts(s, out);
    rule_doubts(s, out);
    weight_doubts(s, out);
    idle_doubts(s, said, out);
    column_doubts(s, out);
}

/* Return why no run of this spec has the metric, or NULL. */
static const char *metric_absent(const Experiment *x, const RunSpec *s, char probe[96]) {
    const CurveInfo *curve = curve_named(metric_info[x->metric].reads);
    ProbeKind kind = curve ? curve_probe(curve) : PROBE_COUNT;
    Metric m = x->metric;
    if ((m == METRIC_bleu || m == METRIC_chrf) && s->objective != OBJECTIVE_TRANSLATE) return "nothing is translated";
    if ((m == METRIC_int8_cost || m == METRIC_int8_channel_cost || m == METRIC_e4m3_cost || m == METRIC_e5m2_cost) &&
        !x->quantize)
        return "it is measured with quantize: true";
    if ((m == METRIC_overflows || m == METRIC_first_overflow) &&
        precision_word((PrecisionKind)s->precision) == WORD_float)
        return "this precision stores nothing in 16 bits";
    if (kind == PROBE_COUNT || x->probes.wanted[kind]) return NULL;
    snprintf(probe, 96, "it is measured with probes: [%.60s]", curve->name);
    return probe;
}

/* Return why the metric is equal in all runs of this spec, or NULL. */
static const char *metric_constant(const Experiment *x, const RunSpec *s) {
    static const Metric over_blocks[] = {METRIC_grad_ratio,      METRIC_grad_ratio_start, METRIC_norm_input_ratio,
                                         METRIC_var_ratio,       METRIC_grad_spread,      METRIC_grad_first,
                                         METRIC_grad_slope_start};
    Metric m = x->metric;
    for (size_t i = 0; i < sizeof over_blocks / sizeof *over_blocks; i++)
        if (m == over_blocks[i] && spec_blocks(s) < (m == METRIC_grad_spread ? 3 : 2))
            return "it compares blocks, and there are too few";
    if ((m == METRIC_spikes || m == METRIC_grad_spikes) && s->steps <= METRIC_SPIKE_WINDOW)
        return "a spike is counted against the 128 steps before it, and the run has no more steps than these";
    return NULL;
}

static void metric_doubts(const Experiment *x, const RunSpec *s, Text *out) {
    char probe[96];
    const char *key = metric_info[x->metric].key, *absent = metric_absent(x, s, probe);
    const char *constant = absent ? NULL : metric_constant(x, s);
    if (absent) text_format(out, "metric: no run has %s: %s\n", key, absent);
    if (constant) text_format(out, "metric: %s cannot vary: %s\n", key, constant);
    if (x->seeds > 1 && spec_fixed(s) && !x->summary[SUMMARY_components])
        text_format(out,
                    "seeds: nothing random depends on them (init_seed, order_seed%s are fixed), so %d seeds "
                    "give one run\n",
                    s->dropout > 0 ? ", dropout_seed" : "", x->seeds);
}

/* A doubt, and how many arms of cells have it. */
typedef struct {
    char *line;
    int cell, arm, count; /* cell, arm: the first */
} Doubt;

static Doubt *add(Doubt *all, int *count, const char *line, size_t length, int cell, int arm) {
    for (int i = 0; i < *count; i++)
        if (strlen(all[i].line) == length && !strncmp(all[i].line, line, length)) {
            all[i].count++;
            return all;
        }
    all = mem_grow(all, (size_t)*count + 1, sizeof *all);
    char *copy = mem_alloc(length + 1, 1);
    memcpy(copy, line, length);
    all[(*count)++] = (Doubt){copy, cell, arm, 1};
    return all;
}

/* Append "arm 'pre', lr = 0 and 3 more: ", or nothing if all arms of all cells have the doubt. */
static void whose(const Experiment *x, const Doubt *d, int all, Text *out) {
    char cell[256];
    if (d->count == all) return;
    experiment_cell_text(cell, x, d->cell);
    text_format(out, "arm '%s'%s%s", x->arm[d->arm].name, cell[0] ? ", " : "", cell);
    if (d->count > 1) text_format(out, " and %d more", d->count - 1);
    text_format(out, ": ");
}

/* Return true if a factor of several values has this key. */
static bool varies(const Experiment *x, const char *key) {
    for (int i = 0; i < x->factors; i++)
        if (!strcmp(x->factor[i].key, key)) return x->factor[i].values > 1;
    return false;
}

/* Return the keys set for this arm: the common ones only if no factor and no arm sets a key that makes others idle.
 * */
static uint64_t said_alone(const Experiment *x, int arm) {
    static const char *const deciding[] = {"schedule", "warmup", "optimizer", "dropout", "objective"};
    uint64_t said = x->said | x->arm[arm].own;
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++) {
        bool several = varies(x, deciding[i]);
        for (int k = 0; k < x->arms; k++) several |= says(x->arm[k].own, deciding[i]);
        if (several) return x->arm[arm].own;
    }
    return said;
}

/* Doubt arms whose numbers are not comparable. */
static void mixed_doubts(const Experiment *x, Text *out) {
    static const char *const keys[][2] = {{"dataset", "texts"}, {"tokenizer", "tokens"}, {"objective", "targets"}};
    char one[SPEC_TEXT_SIZE], other[SPEC_TEXT_SIZE];
    RunSpec first = experiment_spec(x, 0, 0, 0);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (int arm = 1; arm < x->arms; arm++) {
            RunSpec s = experiment_spec(x, 0, arm, 0);
            if (!strcmp(spec_get(one, &first, keys[k][0]), spec_get(other, &s, keys[k][0]))) continue;
            text_format(out, "%s: arms %s and %s differ in it, so their losses are of different %s\n", keys[k][0],
                        x->arm[0].name, x->arm[arm].name, keys[k][1]);
            break;
        }
}

/* Doubt arms that set a key which is a list: their rows stand under values that they do not have. */
static void own_doubts(const Experiment *x, Text *out) {
    char own[SPEC_TEXT_SIZE], shown[SPEC_TEXT_SIZE], level[FACTOR_VALUE_SIZE];
    for (const Factor *f = x->factor; f < x->factor + x->factors; f++)
        for (const Arm *a = x->arm; a < x->arm + x->arms; a++) {
            if (!says(a->own, f->key)) continue;
            spec_shown(shown, f->key, spec_get(own, &a->spec, f->key));
            text_format(out, "%s: arm %s sets its own, so that its rows at ", f->key, a->name);
            for (int i = 0; i < f->values; i++) text_format(out, i ? ", %s" : "%s", factor_text(level, f, i));
            text_format(out, " are all of runs at %s\n", shown);
        }
}

/* Doubt arms that tables and figures call alike. */
static void label_doubts(const Experiment *x, Text *out) {
    for (int arm = 1; arm < x->arms; arm++)
        for (int other = 0; other < arm; other++)
            if (!strcmp(x->arm[other].label, x->arm[arm].label)) {
                text_format(out, "label: arms %s and %s are both called '%s' in tables and figures\n",
                            x->arm[other].name, x->arm[arm].name, x->arm[arm].label);
                return;
            }
}

static void summary_doubts(const Experiment *x, Text *out) {
    static const struct {
        SummaryKind kind;
        const char *name;
    } of_rates[] = {{SUMMARY_ranking, "a ranking"}, {SUMMARY_best, "best"}};
    for (size_t i = 0; i < sizeof of_rates / sizeof *of_rates; i++)
        if (x->summary[of_rates[i].kind] && !varies(x, "lr"))
            text_format(out, "summaries: %s needs several learning rates: lr: [3e-4, 1e-3, 3e-3]\n", of_rates[i].name);
    if (x->summary[SUMMARY_across] && (x->factors != 1 || x->factor[0].values < 2))
        text_format(out, "summaries: across needs one factor of several values: layers: [4, 8]\n");
}

void experiment_doubts(const Experiment *x, Text *out) {
    int cells = experiment_cells(x), count = 0;
    OWNED Doubt *all = NULL;
    LOCAL_TEXT(lines);
    LOCAL_TEXT(line);
    for (int cell = 0; cell < cells; cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            RunSpec s = experiment_spec(x, cell, arm, 0);
            text_clear(&lines);
            s.variant = x->arm[arm].spec.variant;
            spec_doubts(&s, said_alone(x, arm), &lines);
            metric_doubts(x, &s, &lines);
            for (const char *at = lines.at; text_line(&at, &line);)
                all = add(all, &count, line.at, line.length, cell, arm);
        }
    for (int i = 0; i < count; i++) {
        whose(x, &all[i], cells * x->arms, out);
        text_format(out, "%s\n", all[i].line);
        free(all[i].line);
    }
    mixed_doubts(x, out);
    own_doubts(x, out);
    if (x->alpha > 0.5)
        text_format(out, "alpha: %g is above 0.5; it is the level of the tests, 1 minus the confidence\n", x->alpha);
    summary_doubts(x, out);
    label_doubts(x, out);
}
