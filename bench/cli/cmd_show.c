/* normbench runs show RUN: one stored run, whole. Reads records alone. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/store/address.h"
#include "bench/store/listing.h"
#include "bench/write/runs.h"

static void print(const RunShown *shown, bool json) {
    Text text;
    text_init(&text);
    if (json)
        json_print(run_json(shown), JSON_EXACT, &text);
    else
        run_text(shown, terminal_width(), &text);
    fputs(text.at, stdout);
    text_release(&text);
}

Rc command_show(Session *s, Error *e) {
    const Options *o = s->options;
    char id[SHA256_HEX];
    Store stored;
    Listing all;
    RunRecord r;
    if (o->operands != 1 || !o->operand[0][0])
        return error_set(e, RC_USAGE,
                         "show: name one run, by its id or as ARM/lr=1e-3/seed=3 (`normbench runs` lists them)");
    if (address_find(s, o->operand[0], id, e)) return error_prefix(e, "show: ");
    if (record_read(&r, s->runs, id, e)) return store_damage(s->runs, id, e);
    store_read(&stored, s->runs);
    char *experiment = address_experiment(o->operand[0]);
    Rc rc = listing_make(&all, s, &stored, experiment, e);
    store_release(&stored);
    free(experiment);
    if (!rc) {
        print(&(RunShown){.record = &r, .listing = &all}, o->times[OPTION_json] > 0);
        listing_release(&all);
    }
    record_release(&r);
    return rc;
}
