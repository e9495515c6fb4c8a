/* Records of every schema: read, known by their ids, found by what was run, and tabulated without any training.
 *
 * tests/golden/records/schema1 and schema2 were written by this program when its records had that schema (commits
 * 10bf21a and ca7fb93): `run smoke --profile quick`, in schema 2 also in bf16. Both stand there for ever. */
#include <dirent.h>

#include "bench/plan/declare.h"
#include "bench/store/store.h"
#include "bench/write/table.h"
#include "tests/test.h"

#define GOLDEN SOURCE_ROOT "/tests/golden/records/"

static Experiment x;
static Store stored;
static Records records;

static int by_spec(const void *a, const void *b) {
    return strcmp(((const RecordHead *)a)->spec_sha256, ((const RecordHead *)b)->spec_sha256);
}

static Session session = {.root = SOURCE_ROOT, .results = SOURCE_ROOT "/results"};

static void read_smoke(const char *set) {
    Overrides o = {.set = &set, .sets = set != NULL};
    experiment_release(&x);
    OK(experiment_read(&x, SOURCE_ROOT "/bench/experiments/smoke.yaml", "quick", &o, &e));
}

static void read_store(const char *from) {
    store_release(&stored);
    store_read(&stored, from);
}

static void take(const char *from, bool precise) {
    records_release(&records);
    read_store(from);
    OK(records_take(&records, &stored, &x, precise, &e));
}

/* The golden run of an arm (0: pre, 1: qk-norm) as another build would have stored it. */
static void store_as(int arm, uint64_t seed, const char *arithmetic, const char *dataset, int64_t made, double loss) {
    static const char *const ids[] = {"8cd07a9f90f62f9f9a89664de367b5cfbf6b35f705651879e052a72006e2e287",
                                      "41e9922fce71e1abe3c8acbeb37f9558e37bbc8f97baa24c6d7ca24c1adcd3c6"};
    LOCAL(record_release) RunRecord r;
    OK(record_read(&r, GOLDEN "schema2", ids[arm], &e));
    r.spec.seed = seed;
    r.provenance.made = made;
    r.evaluation[r.evaluations - 1].metric[METRIC_valid_loss] = loss;
    sha256_hex_of(r.arithmetic, arithmetic, strlen(arithmetic));
    if (dataset) sha256_hex_of(r.dataset_sha256, dataset, strlen(dataset));
    record_identity(r.id, &r.spec, r.dataset_sha256, r.tokenizer_sha256, r.arithmetic_class, r.arithmetic);
    OK(record_write(&r, own_folder(), &e));
}

static double loss_of(int run) {
    const RunRecord *r = &records.at[run];
    return r->evaluation[r->evaluations - 1].metric[METRIC_valid_loss];
}

Test(store, golden_records_read_and_keep_their_ids) {
    static const char *const schemas[] = {GOLDEN "schema1", GOLDEN "schema2"};
    int read = 0, bf16 = 0;
    for (int i = 0; i < 2; i++) {
        read_store(schemas[i]);
        cr_assert_eq(stored.damaged, 0);
        for (int k = 0; k < stored.heads; k++, read++) {
            LOCAL(record_release) RunRecord r;
            char id[SHA256_HEX], hash[SHA256_HEX];
            OK(record_read(&r, schemas[i], stored.head[k].id, &e));
            bool exact = r.spec.precision == PRECISION_exact;
            record_identity(id, &r.spec, r.dataset_sha256, r.tokenizer_sha256, r.arithmetic_class, r.arithmetic);
            cr_expect_eq(!strcmp(id, r.id), exact, "%s", r.id);
            cr_expect(record_identity_holds(r.id, &r.spec, r.dataset_sha256, r.tokenizer_sha256, r.arithmetic_class,
                                            r.arithmetic));
            cr_expect_str_eq(r.spec_sha256, stored.head[k].spec_sha256);
            spec_hash(&r.spec, hash);
            cr_expect_str_eq(hash, r.spec_sha256);
            cr_expect_eq(r.provenance.made, 0);
            cr_expect_str_eq(r.provenance.commit, i ? "ca7fb93e01c1" : "10bf21a4a34c");
            cr_expect_str_eq(r.provenance.gsl, "2.7.1");
            cr_expect_str_eq(r.provenance.device, r.provenance.cpu);
            cr_expect_eq(r.probes.wanted[PROBE_norm_input], i, "as its columns say, schema 1 had no norm inputs");
            cr_expect(r.probes.wanted[PROBE_block_grad_norm] && !r.probes.wanted[PROBE_weight_norm]);
            bf16 += !exact;
        }
    }
    cr_expect_eq(read, 6);
    cr_expect_eq(bf16, 2);
}

/* A record of one spec is written in today's schema as it was read. */
Test(store, a_record_comes_back_as_it_was_written) {
    LOCAL_TEXT(line);
    LOCAL(record_release) RunRecord r;
    read_smoke(NULL);
    declare_plan(&x, &line);
    store_as(1, 7, "some bits", NULL, 1234567890123, 4.25);
    read_store(own_folder());
    cr_assert_eq(stored.heads, 1);
    cr_assert_eq(stored.head[0].made, 1234567890123);
    OK(record_read(&r, own_folder(), stored.head[0].id, &e));
    cr_expect_eq(r.provenance.made, 1234567890123);
    cr_expect_str_eq(r.provenance.compiler, "gcc 12.2.0");
    cr_expect_eq(r.provenance.processors, 2);
    cr_expect_eq(r.spec.seed, 7);
    cr_expect(declared(r.declared, line.at),
              "the plan that the golden record declares is not today's of the same file");
}

Test(store, golden_records_are_tabulated) {
    for (int schema = 1; schema <= 2; schema++) {
        LOCAL(table_release) Table t;
        read_smoke(NULL);
        take(schema == 1 ? GOLDEN "schema1" : GOLDEN "schema2", false);
        cr_assert_eq(records.missing, 0);
        if (schema == 1)
            cr_expect_str_eq(records.notes, "");
        OK(table_make(&t, &x, records.at, NULL, (TableOptions){.command = ""}, &e));
        cr_expect_eq(t.undeclared, schema == 1 ? 2 : 0,
                     "a record of schema 1 declares nothing, one of schema 2 this plan");
        if (schema == 2) {
            LOCAL_TEXT(text);
            table_text(&t, &text);
            golden_is("records/smoke-quick.txt", text.at);
        }
    }
}

Test(store, a_precision_is_found_by_what_was_run) {
    static const struct {
        const char *set, *classes;
        int runs;
    } rows[] = {{NULL, "", 2}, {"precision=bf16", "bf16-amx", 2}, {"precision=[exact, bf16]", "canon+bf16-amx", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LOCAL(table_release) Table t;
        LOCAL_TEXT(signature);
        read_smoke(rows[i].set);
        take(GOLDEN "schema2", false);
        cr_assert_eq(records.missing, 0);
        cr_assert_eq(records.runs, rows[i].runs);
        for (int r = 0; r < records.runs; r++)
            cr_expect_eq(records.at[r].spec.precision, precision_of_class(records.at[r].arithmetic_class));
        OK(table_make(&t, &x, records.at, NULL, (TableOptions){.command = ""}, &e));
        table_signature(&t, &signature);
        cr_expect_str_eq(t.classes.at, rows[i].classes);
        cr_expect_eq(strstr(signature.at, "|class:") != NULL, i > 0, "%s", signature.at);
    }
    read_smoke("precision=fp32");
    take(GOLDEN "schema2", false);
    cr_expect_eq(records.missing, 2);
    static const char *const asked[] = {"precision=fp32"};
    session.overrides = (Overrides){.set = asked, .sets = 1};
    cr_expect_eq(records_complete(&records, &session, &x, &e), RC_UNMEASURED);
    session.overrides = (Overrides){0};
    cr_expect_str_eq(e.text, "2 of 2 runs are missing: normbench run smoke --profile quick --set precision=fp32");
}

/* An experiment that says no precision takes another one's runs only when it is complete there and not here. */
Test(store, an_open_precision_takes_what_is_complete) {
    read_smoke(NULL);
    take(GOLDEN "schema1", false);
    cr_expect_eq(records.missing, 0);
    cr_expect_eq(records.precision, PRECISION_exact);
    char command[2000];
    snprintf(command, sizeof command, "cp -r %sschema2/19bb* %sschema2/f857* %s", GOLDEN, GOLDEN, own_folder());
    cr_assert_eq(system(command), 0);
    read_smoke(NULL);
    take(own_folder(), false);
    cr_expect_eq(records.missing, 0);
    cr_expect_eq(records.precision, PRECISION_bf16);
    cr_expect_eq(x.arm[0].spec.precision, PRECISION_bf16);
    read_smoke(NULL);
    take(own_folder(), true);
    cr_expect_eq(records.missing, 2, "exact was asked for");
    static const char *const says[] = {
        "precision: exact\narms: {pre: {variant: pre}}\nprofiles: {quick: {evaluate_at: 20}}\n",
        "arms: {pre: {variant: pre}}\nprofiles: {quick: {evaluate_at: 20, precision: exact}}\n",
        "arms: {pre: {variant: pre, precision: exact}}\nprofiles: {quick: {evaluate_at: 20}}\n",
        "arms: {pre: {variant: pre}}\nprofiles: {quick: {evaluate_at: 20}, full: {precision: exact}}\n",
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        char file[2000];
        OWNED char *smoke = file_text(SOURCE_ROOT "/bench/experiments/smoke.yaml");
        const char *arms = strstr(smoke, "\narms:");
        cr_assert_not_null(arms);
        snprintf(file, sizeof file, "%.*s\n%s", (int)(arms - smoke), smoke, says[i]);
        experiment_release(&x);
        OK(experiment_parse(&x, "smoke.yaml", file, "quick", NULL, &e));
        take(own_folder(), false);
        cr_expect_eq(records.missing, i < 3, "%s", says[i]);
    }
}

/* Several arithmetics of one class: the newest, for all seeds or for none. */
Test(store, one_arithmetic_is_taken_the_newest) {
    store_as(0, 1, "old", NULL, 100, 4.5), store_as(0, 2, "old", NULL, 101, 4.5);
    store_as(1, 1, "old q", NULL, 102, 4.5), store_as(1, 2, "old q", NULL, 103, 4.5);
    read_smoke("seeds=2");
    take(own_folder(), false);
    cr_expect_eq(records.missing, 0);
    cr_expect_str_eq(records.notes, "");

    store_as(0, 1, "new", NULL, 200, 4);
    read_smoke("seeds=2");
    take(own_folder(), false);
    cr_expect_eq(records.missing, 1, "the second seed of pre is of an older arithmetic: it is not mixed in");
    cr_expect_null(records.at);
    cr_expect_eq(records_complete(&records, &session, &x, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "1 of 4 runs are missing: normbench run smoke --profile quick");

    store_as(0, 2, "new", NULL, 201, 4);
    read_smoke("seeds=2");
    take(own_folder(), false);
    cr_assert_eq(records.missing, 0);
    cr_expect(loss_of(0) == 4 && loss_of(1) == 4 && loss_of(2) == 4.5 && loss_of(3) == 4.5);
    cr_expect_str_eq(
        records.notes,
        "Stored in several arithmetics (an older build's bits), of which only the newest is taken: pre. Older "
        "than that change, and not known to be affected by it: qk-norm (`normbench run` checks). ");
    LOCAL(table_release) Table t;
    LOCAL_TEXT(text);
    TableOptions options = {.command = "", .notes = records.notes};
    OK(table_make(&t, &x, records.at, NULL, options, &e));
    table_text(&t, &text);
    HOLDS(text.at, "Stored in several arithmetics");
}

Test(store, arms_on_different_corpora_are_refused) {
    store_as(0, 1, "a", NULL, 1, 4), store_as(1, 1, "b", "other bytes", 2, 4);
    read_smoke(NULL);
    read_store(own_folder());
    cr_expect_eq(records_take(&records, &stored, &x, false, &e), RC_UNMEASURED);
    HOLDS(e.text, "were trained on different bytes of 'synthetic'");
}

static void break_folder(const char *name) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", own_folder(), name);
    OK(folder_make(path, &e));
    snprintf(path, sizeof path, "%s/%s/record.json", own_folder(), name);
    OK(file_write(path, "garbage", 7, &e));
}

static void remove_run(const char *name) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", own_folder(), name);
    folder_remove(path);
}

/* A folder that does not read is an error for whoever plans its run; to others that run, or none, is missing. */
Test(store, damage_is_told_where_its_run_is_missing) {
    static const char other[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    char damaged[SHA256_HEX];
    store_as(0, 1, "a", NULL, 1, 4), store_as(0, 2, "a", NULL, 1, 4);
    break_folder("broken"), break_folder(other);
    read_smoke("seeds=2");
    take(own_folder(), false);
    cr_expect_eq(stored.damaged, 1, "a folder that is named otherwise is no run");
    cr_expect_eq(records.missing, 2, "no run of the plan is damaged");
    strcpy(damaged, stored.head[0].id);

    break_folder(damaged);
    read_smoke("seeds=2");
    read_store(own_folder());
    cr_expect_eq(stored.damaged, 2);
    cr_expect_eq(records_take(&records, &stored, &x, false, &e), RC_INTEGRITY);
    HOLDS(e.text, damaged);
    HOLDS(e.text, "; move the folder ");

    remove_run(damaged);
    store_as(0, 1, "a", NULL, 1, 4), store_as(0, 2, "a", NULL, 1, 4), store_as(1, 1, "b", NULL, 2, 4);
    read_smoke(NULL);
    take(own_folder(), false);
    cr_expect_eq(records.missing, 0, "all runs are there: what else is broken is not asked for");
    remove_run("broken"), remove_run(other);
}

/* Half of 4,000 seeds are stored and other folders are damaged: trying what each stored seed has on each missing one
 * and each damaged folder took longer than the runs. The damaged folder of the plan is found among them. */
Test(store, damage_is_looked_for_once_for_each_missing_run, .timeout = 600) {
    enum { STORED = 2000, DAMAGED = 1000 };
    read_smoke("seeds=4000");
    strcpy(stored.folder, "/tmp/normbench-store-none");
    stored.head = mem_alloc(STORED, sizeof *stored.head);
    stored.damaged_id = mem_alloc(DAMAGED, sizeof *stored.damaged_id);
    for (int i = 0; i < STORED; i++) {
        RunSpec spec = experiment_spec(&x, 0, 0, i);
        RecordHead *h = &stored.head[stored.heads++];
        *h = (RecordHead){.arithmetic_class = "canon", .arithmetic = "a", .made = 1};
        spec_hash(&spec, h->spec_sha256);
    }
    qsort(stored.head, STORED, sizeof *stored.head, by_spec);
    for (; stored.damaged < DAMAGED; stored.damaged++)
        snprintf(stored.damaged_id[stored.damaged], SHA256_HEX, "%064d", stored.damaged);
    OK(records_take(&records, &stored, &x, false, &e));
    cr_expect_eq(records.missing, 4000 * 2 - STORED);
    records_release(&records);
    RunSpec last = experiment_spec(&x, 0, 0, 3999);
    record_identity(stored.damaged_id[DAMAGED - 1], &last, "", "", "canon", "a");
    cr_expect_eq(records_take(&records, &stored, &x, false, &e), RC_INTEGRITY);
    cr_expect_not_null(strstr(e.text, stored.damaged_id[DAMAGED - 1]), "%s", e.text);
}
