/* The ranking in NAME.json. */
#include <math.h>

#include "bench/formats/json.h"
#include "bench/write/ranking.h"
#include "bench/write/table_json.h"

static json_t *seed_json(const Table *t, const Ranking *y, const RankingRow *row, int seed) {
    json_t *o = json_object();
    json_object_set_new(o, "seed", json_integer((json_int_t)t->x->seed[seed]));
    json_put_text(o, "run", row->run[seed]->record->id);
    json_put(o, "rate", y->rate[row->chosen[seed]]);
    json_put(o, "value", row->value[seed]);
    if (row->lost[seed]) json_object_set_new(o, "diverged", json_true());
    return o;
}

static json_t *basin_json(const Ranking *y, const RankingRow *row) {
    json_t *o = json_object();
    if (row->best < 0) return o;
    json_put(o, "best", y->rate[row->best]);
    json_put(o, "low", y->rate[row->low]), json_put(o, "high", y->rate[row->high]);
    json_put(o, "decades", log10(y->rate[row->high] / y->rate[row->low]));
    return o;
}

static json_t *minus_json(const Ranking *y, const RankingRow *row) {
    json_t *o = json_object();
    json_put(o, "mean", row->difference);
    if (row->minus.status != ST_BAD_ARG) json_object_set_new(o, "t_interval", json_t_interval(&row->minus));
    json_object_set_new(o, "swaps", json_share(row->p.raw, row->p.raw_count, y->joint.total));
    json_object_set_new(o, "max_t_step_down", json_share(row->p.step, row->p.step_count, y->joint.total));
    return o;
}

static json_t *row_json(const Table *t, const Ranking *y, const RankingRow *row) {
    json_t *o = json_object(), *seeds = json_array();
    for (int seed = 0; seed < y->seeds; seed++) json_array_append_new(seeds, seed_json(t, y, row, seed));
    json_put_text(o, "group", y->group[row->group]);
    json_object_set_new(o, "rank", json_integer(row->rank));
    json_put_text(o, "arm", t->x->arm[row->arm].name);
    json_put_text(o, "label", t->x->arm[row->arm].label);
    json_object_set_new(o, "first_place", json_integer(row->first));
    json_object_set_new(o, "last_place", json_integer(row->last));
    json_put(o, "mean_rank", row->mean_rank);
    json_object_set_new(o, "loss", json_t_interval(&row->t));
    json_put(o, "loss_chosen_on_itself", row->flattered);
    json_object_set_new(o, "judged", seeds);
    json_object_set_new(o, "judged_diverged", json_integer(row->judged_lost));
    json_object_set_new(
        o, "grid", json_pack("{s:i, s:i, s:i}", "runs", row->runs, "diverged", row->diverged, "stalled", row->stalled));
    json_object_set_new(o, "basin", basin_json(y, row));
    json_object_set_new(o, "parameters", json_integer(row->parameters));
    json_put(o, "flops_per_step", row->flops);
    if (!row->baseline) json_object_set_new(o, "minus_baseline", minus_json(y, row));
    return o;
}

json_t *ranking_json(const Table *t) {
    const Ranking *y = table_ranking(t);
    if (!y) return json_null();
    json_t *o = json_status(y->status), *rates = json_array(), *rows = json_array();
    for (int k = 0; k < y->rates; k++) json_array_append_new(rates, json_real(y->rate[k]));
    for (int i = 0; i < y->rows; i++) json_array_append_new(rows, row_json(t, y, &y->row[i]));
    json_object_set_new(o, "rates", rates);
    json_put(o, "basin_nats", SENSITIVITY_BASIN);
    json_object_set_new(o, "apart", json_boolean(y->apart));
    if (y->pairs.status == ST_OK) json_put(o, "pairs_floor", y->pairs.p_min);
    if (y->joint.status == ST_OK) json_put(o, "floor", y->joint.p_min);
    json_object_set_new(o, "rows", rows);
    return o;
}
