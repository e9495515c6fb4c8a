/* normbench runs show RUN: one stored run, whole. Reads records alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/runs/runs.h"
#include "bench/store/address.h"
#include "bench/store/listing.h"
#include "bench/store/run_list.h"

static void print(const RunShown *shown, bool json) {
    LOCAL_TEXT(text);
    if (json)
        json_print(run_json(shown), JSON_EXACT, &text);
    else
        run_text(shown, terminal_width(), &text);
    terminal_say(stdout, "%s", text.at);
}

/* A run that is stored as a line of a list alone. False: it is in none. */
static bool print_listed(const Session *s, const char *id) {
    enum { SHORTEST = 12 };
    char file[RUN_LIST_PATH];
    OWNED char *header = NULL;
    if (strlen(id) < SHORTEST || strspn(id, "0123456789abcdef") != strlen(id)) return false;
    OWNED char *line = run_list_line(s->root, id, &header, file);
    if (!line) return false;
    char *names = header, *values = line, *name;
    printf("A run of %s; its record is not stored, and this is its line there:\n", file);
    while ((name = strsep(&names, ","))) {
        const char *value = strsep(&values, ",");
        printf("  %-15s  %s\n", name, value ? value : "");
    }
    return true;
}

Rc command_show(Session *s, Error *e) {
    const Options *o = s->options;
    char id[SHA256_HEX];
    LOCAL(store_release) Store stored = {0};
    LOCAL(listing_release) Listing all = {0};
    LOCAL(record_release) RunRecord r = {0};
    if (o->operands != 1 || !o->operand[0][0])
        return error_set(e, RC_USAGE,
                         "show: name one run, by its id or as ARM/lr=1e-3/seed=3 (`normbench runs` lists them)");
    if (address_find(s, o->operand[0], id, e))
        return !o->times[OPTION_json] && print_listed(s, o->operand[0]) ? RC_OK : error_prefix(e, "show: ");
    if (record_read(&r, s->runs, id, e)) return store_damage(s->runs, id, e);
    store_read(&stored, s->runs);
    OWNED char *experiment = address_experiment(o->operand[0]);
    /* an experiment may be one that only stored plans name */
    if (listing_make(&all, s, &stored, experiment, e) && listing_make(&all, s, &stored, NULL, e)) return e->code;
    print(&(RunShown){.record = &r, .listing = &all}, o->times[OPTION_json] > 0);
    return RC_OK;
}
