#include "bench/write/replication.h"

#include <math.h>

#include "bench/formats/latex.h"
#include "bench/write/stat_json.h"

void replication_text(const ClaimVerdict *v, Text *out) {
    const Replication *r = &v->replication;
    char ours[SHOWN], theirs[SHOWN];
    if (isnan(v->reported)) return;
    if (isnan(r->lo)) {
        text_format(out, "no prediction interval: ours has no standard error");
        return;
    }
    int decimals = decimals_for((r->hi - r->lo) / 4, 2);
    text_format(out, "prediction interval ");
    show_interval(out, r->lo, r->hi, decimals, "");
    if (isnan(r->se))
        text_format(out, " of ours alone; their spread is not known");
    else if (isnan(r->reported_se))
        text_format(out, "; SE %s (their spread is not known)",
                    show_number(ours, r->se, decimals_for(r->se, 4)));
    else
        text_format(out, "; SE %s (ours), %s (theirs)",
                    show_number(ours, r->se, decimals_for(r->se, 4)),
                    show_number(theirs, r->reported_se, decimals_for(r->reported_se, 4)));
}

const char *replication_word(const ClaimVerdict *v) {
    return v->replication.agrees ? " (" REPLICATION_AGREES ")" : "";
}

void replication_json(const ClaimVerdict *v, json_t *out) {
    const Replication *r = &v->replication;
    if (isnan(v->reported)) return;
    json_t *o = json_object();
    json_put(o, "se", r->se), json_put(o, "reported_se", r->reported_se), json_put(o, "df", r->df);
    json_put(o, "lo", r->lo), json_put(o, "hi", r->hi);
    json_object_set_new(o, "inside", json_boolean(r->inside));
    json_object_set_new(o, "agrees", json_boolean(r->agrees));
    json_object_set_new(out, "replication", o);
}
