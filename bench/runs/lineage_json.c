/* From a number to its runs, as JSON. */
#include <stdlib.h>

#include "bench/runs/lineage.h"
#include "bench/write/claims.h"
#include "bench/write/table_json.h"

static json_t *claims_of(const Lineage *l) {
    json_t *list = json_array();
    const ClaimVerdicts *all = &l->t->verdicts;
    for (const ClaimVerdict *v = all->at; v < all->at + all->count; v++)
        if (lineage_holds(l, v)) json_array_append_new(list, json_verdict(l->t, v));
    return list;
}

json_t *lineage_json(const Lineage *l) {
    static const char *const of[] = {[LINEAGE_TABLE] = "table", [LINEAGE_CLAIMS] = "claims", [LINEAGE_ALONE] = "alone"};
    const Table *t = l->t;
    const Contrast *w = &l->c->what;
    json_t *o = json_object(), *arms = json_array(), *written = json_array();
    char where[256];
    Text words;
    text_init(&words);
    json_object_set_new(o, "schema", json_integer(LINEAGE_SCHEMA));
    json_put_made_by(o);
    json_put_text(o, "experiment", t->x->name), json_put_text(o, "profile", t->x->profile);
    json_put_text(o, "plan", t->x->plan), json_put_text(o, "results", t->results_hash);
    json_object_set_new(o, "exploratory", json_boolean(t->exploratory || l->of == LINEAGE_ALONE));
    if (t->classes.length) json_put_text(o, "class", t->classes.at);
    json_put_text(o, "factors", experiment_cell_text(where, t->x, w->cell));
    json_object_set_new(o, "step", json_integer(t->sample.cell[w->cell].step[w->step]));
    json_put_text(o, "metric", metric_info[w->metric].key);
    json_put_text(o, "of", of[l->of]);
    for (int side = 0; side < 2; side++) {
        const Arm *arm = &t->x->arm[w->term[side].arm];
        json_array_append_new(arms, json_pack("{s:s, s:s}", "arm", arm->name, "label", arm->label));
    }
    json_object_set_new(o, "arms", arms);
    json_object_set_new(o, "runs", lineage_runs_json(l));
    json_object_set_new(o, "comparison", json_comparison(t, l->family, l->c));
    json_t *targets = targets_json(t, w);
    if (targets) json_object_set_new(o, "targets", targets);
    json_object_set_new(o, "comparisons", json_integer(l->family->count));
    if (!l->family->anytime) {
        json_object_set_new(o, "flips", json_integer((json_int_t)l->family->joint.total));
        json_put(o, "floor", l->family->floor);
    }
    if (l->c->status == ST_OK) table_decision(t, l->c, &words);
    json_put_text(o, "verdict", words.length ? words.at : "not testable");
    json_object_set_new(o, "claims", claims_of(l));
    json_object_set_new(o, "records", json_records_made_by(t));
    for (int i = 0; i < l->writtens; i++) json_array_append_new(written, history_json(&l->written[i]));
    json_object_set_new(o, "written", written);
    text_release(&words);
    return o;
}
