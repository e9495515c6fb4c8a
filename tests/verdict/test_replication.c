/* Our estimate beside the reported one, both with their standard errors. */
#include <jansson.h>

#include "bench/runs/runs.h"
#include "tests/verdict/made_up.h"

/* The second arm's loss after 150 steps, as far from the baseline's. */
static void shift(int seed, double by) {
    double base = record_at(made_up_at(0, 0, seed), 150)->metric[METRIC_valid_loss];
    made_up_loss(made_up_at(0, 1, seed), 150, base + by);
}

static const ClaimVerdict *first(void) {
    return &m.table.verdicts.at[0];
}

/* What `trace` says of LayerNorm against the baseline after 150 steps. */
static void expect_traced(const char *what) {
    LOCAL(lineage_release) Lineage l;
    LOCAL_TEXT(text);
    lineage_make(&l, &m.table, SOURCE_ROOT, 0, 1, METRIC_valid_loss, 1, 0);
    lineage_text(&l, 110, &text);
    cr_expect(strstr(text.at, what), "trace lacks '%s':\n%s", what, text.at);
    json_t *root = lineage_json(&l), *claims = json_object_get(root, "claims");
    cr_expect_eq(json_array_size(claims), 1);
    cr_expect_not_null(json_object_get(json_array_get(claims, 0), "replication"));
    json_decref(root);
}

/* Write-up 002 at norms like its own: -0.070 against the reported -0.072, and a wide spread of eight seeds. By hand:
 * the differences have the variance 0.216 / 7, ours is 0.216 / 56 = 0.003857 with 7 degrees of freedom; theirs, for
 * ln(20.64 / 22.18) from 0.81, 0.90 and three seeds, (0.03924^2 + 0.04058^2) / 3 = 0.001062 with 2 and 2; together
 * 0.004919 with 0.004919^2 / (0.003857^2 / 7 + 0.0005134^2 / 2 + 0.0005488^2 / 2) = 10.05; t = 2.227. */
Test(replication, a_reported_number_has_an_error_too) {
    static const double around[] = {-.06, .06, -.12, .12, -.18, .18, -.24, .24};
    made_up_init(made_up_four, "eight");
    for (int seed = 0; seed < 8; seed++) shift(seed, -0.070 + around[seed]);
    OK(made_up_table((TableOptions){0}, &e));
    const ClaimVerdict *v = first();
    const Replication *r = &v->replication;
    cr_expect_eq(v->word, WORD_OPEN, "%s: agreement alone shows nothing", verdict_word(v->word));
    cr_expect_float_eq(r->se, 0.06211, 1e-5);
    cr_expect_float_eq(r->reported_se, 0.03259, 1e-5);
    cr_expect_float_eq(r->df, 10.05, 5e-3);
    cr_expect_float_eq(r->lo, -0.070 - 2.227 * 0.07014, 1e-4);
    cr_expect_float_eq(r->hi, -0.070 + 2.227 * 0.07014, 1e-4);
    cr_expect(r->inside && r->agrees);
    OWNED char *text = made_up_write(table_text), *tex = made_up_write(table_claims_tex);
    made_up_unbroken(text);
    static const char says[] = "prediction interval [-0.226, 0.086], by the standard errors 0.062 (ours) and 0.033";
    HOLDS(text, "agrees with the reported number; prediction interval [-0.226, 0.086]");
    HOLDS(text, "by the standard errors 0.062 (ours) and 0.033 (the write-up's)");
    HOLDS(tex, "agrees with the reported number; prediction interval [$-$0.226, 0.086]");
    expect_traced(says);
    expect_traced("open (agrees with the reported number)");
}

/* One run, a table without standard deviations, or one arm without: only our own standard error is known. */
Test(replication, a_spread_that_is_not_reported_is_said) {
    static const char *const values[] = {"seeds: 3, values: {baseline: {valid_loss: 3}, other: {valid_loss: 2.9}}",
                                         "seeds: 1, values: {baseline: {valid_loss: 3, valid_loss_sd: 1},"
                                         " other: {valid_loss: 2.9, valid_loss_sd: 1}}",
                                         "seeds: 3, values: {baseline: {valid_loss: 3, valid_loss_sd: 1},"
                                         " other: {valid_loss: 2.9}}",
                                         "seeds: 4, values: {baseline: {valid_loss: 3, valid_loss_sd: 0.06},"
                                         " other: {valid_loss: 2.9, valid_loss_sd: 0.08}}"};
    for (int i = 0; i < 4; i++) {
        bool known = i == 3;
        char claims[1024];
        snprintf(claims, sizeof claims,
                 "writeup: x\ntitle: t\nsource: s\nsetups: {any: {keys: {layers: 4}, choices: [one]}}\n"
                 "reported: {r: {where: w, setup: any, step: 150, %s}}\nclaims:\n"
                 "- {id: x-1, source: s, says: t, setup: any, family: f, at: [150], tests: [{metric: valid_loss,\n"
                 "   expects: lower, test: maxt, contrast: {other: 1, baseline: -1},\n"
                 "   reported: {table: r, of: valid_loss, as: difference}}]}\n",
                 values[i]);
        made_up_init("name: made-up-two\ntitle: t\nbaseline: baseline\nlayers: 4\nsteps: 150\nevaluate_at: 0,150\n"
                     "seeds: 8\narms: {baseline: {variant: pre}, other: {variant: pre, embed: layernorm}}\n",
                     NULL);
        for (int seed = 0; seed < 8; seed++) shift(seed, -0.13 + (seed % 2 ? 0.004 : -0.004) * (1 + 0.1 * seed));
        OK(claims_parse(&m.claims, "f", claims, &e));
        m.has_claims = true;
        OK(made_up_table((TableOptions){0}, &e));
        const ClaimVerdict *v = first();
        OWNED char *text = made_up_write(table_text);
        cr_expect_eq(v->word, WORD_SEEN, "case %d: %s", i, verdict_word(v->word));
        cr_expect_eq(strstr(text, "the write-up's is not known") == NULL, known, "case %d: %s", i, text);
        if (known) cr_expect_float_eq(v->replication.reported_se, 0.05, 1e-12, "sqrt((0.06^2 + 0.08^2) / 4)");
        if (!known) {
            cr_expect(isnan(v->replication.reported_se));
            cr_expect_float_eq(v->replication.lo, v->lo, 1e-12);
            cr_expect_float_eq(v->replication.hi, v->hi, 1e-12);
        }
    }
}
