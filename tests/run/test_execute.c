/* One run from spec to record: what it measures, what stopping and resuming leave, divergence. */
#include <math.h>
#include <sys/stat.h>

#include "bench/store/checkpoint.h"
#include "bench/store/metrics.h"
#include "tests/run/small_run.h"

static Rc execute(const RunSpec *s, RunRecord *r) {
    return execute_with(s, NULL, false, r);
}

Test(execute, a_record_says_what_happened, .init = enter, .fini = leave) {
    RunSpec s = small();
    LOCAL(record_release) RunRecord r;
    cr_assert_eq(execute(&s, &r), RC_OK);
    cr_assert_str_eq(r.status, "ok");
    cr_assert_eq(r.evaluations, 3);
    cr_assert_eq(r.curves.rows, 9);
    const int at[3] = {0, 4, 8};
    size_t bytes = 0, windows = dataset_windows(&data, 16);
    int32_t in[64], out[64];
    for (size_t w = 0; w < windows; w += 4) {
        dataset_windows_fill(&data, w, 4, 16, (FeedRoom[]){{"tokens", 64, in}, {"targets", 64, out}}, 2);
        bytes += dataset_target_bytes(&data, out, 64);
    }
    for (int i = 0; i < 3; i++) {
        const Evaluation *v = &r.evaluation[i];
        double nats = v->metric[METRIC_valid_loss], mean = 0;
        cr_assert_eq(v->step, at[i]);
        cr_assert_eq((size_t)v->targets, windows * 16);
        cr_assert_float_eq(v->metric[METRIC_perplexity], exp(nats), 1e-9);
        cr_assert_float_eq(v->metric[METRIC_bits_per_byte], nats * (double)v->targets / log(2) / (double)bytes, 1e-9);
        cr_assert(v->metric[METRIC_accuracy] >= 0 && v->metric[METRIC_accuracy] <= 1);
        for (int b = 0; b < v->blocks; b++) {
            long in_block = b + 1 < v->blocks ? 64 : v->targets - 64 * (v->blocks - 1);
            mean += v->block[b] * (double)in_block / (double)v->targets;
        }
        cr_assert_float_eq(mean, nats, 1e-9, "the blocks make the whole");
    }
    cr_assert(bytes > windows * 16, "two-byte code points count as two");
    cr_assert(isnan(r.evaluation[0].metric[METRIC_grad_norm]) && r.evaluation[2].metric[METRIC_grad_norm] > 0);
    uint8_t chain[32] = {0};
    char hex[SHA256_HEX];
    for (int i = 0; i < 8; i++) {
        const double *row = r.curves.value + i * r.curves.columns;
        chain_add(chain, (float)row[CURVE_train_loss]);
        cr_assert_eq(row[CURVE_step], i);
        cr_assert_eq(isnan(row[CURVE_valid_loss]), i % 3 != 0);
        double squares = 0;
        for (int l = 0; l < 2; l++) squares += row[CURVE_FIXED + l] * row[CURVE_FIXED + l];
        cr_assert(squares > 0 && sqrt(squares) <= row[CURVE_grad_norm] * (1 + 1e-6), "blocks are part of the whole");
    }
    cr_assert_str_eq(r.loss_chain, sha256_hex(hex, chain));
    cr_assert_eq(r.evaluation[2].metric[METRIC_embedding_norm],
                 r.curves.value[7 * r.curves.columns + CURVE_embedding_norm]);
}

/* A masked model is asked for some of the tokens; its hits are of those. */
Test(execute, masked_targets_are_counted, .init = enter, .fini = leave) {
    RunSpec s = small();
    LOCAL(record_release) RunRecord r;
    cr_assert_eq(spec_set(&s, "objective", "masked", &e), RC_OK);
    cr_assert_eq(execute_with(&s, NULL, true, &r), RC_OK);
    long all = (long)dataset_windows(&data, 16) * 16;
    cr_expect(r.evaluation[2].targets > all / 10 && r.evaluation[2].targets < all / 4);
    cr_expect_eq(r.hits.targets, r.evaluation[2].targets);
    cr_expect_eq(r.hits.right, lround(r.evaluation[2].metric[METRIC_accuracy] * (double)r.hits.targets));
    for (int i = 1; i < 3; i++)
        cr_expect_eq(r.evaluation[i].targets, r.evaluation[0].targets, "one mask for all steps");
}

/* Stopped after any number of updates and started again: the same curves, evaluations and hashes. */
Test(execute, resumes_at_every_step, .init = enter, .fini = leave) {
    RunSpec s = small();
    RunRecord whole, part;
    LOCAL_TEXT(expected);
    cr_assert_eq(execute(&s, &whole), RC_OK);
    curves_text(&whole.curves, &expected);
    OWNED char *evaluations = evaluations_text(&whole, NULL);
    for (int at = 1; at < 8; at++) {
        stop_after = at;
        cr_assert_eq(execute(&s, &part), RC_INTERRUPTED, "at %d", at);
        stop_now = 0, stop_after = -1;
        cr_assert_eq(execute(&s, &part), RC_OK);
        LOCAL_TEXT(got);
        curves_text(&part.curves, &got);
        OWNED char *mine = evaluations_text(&part, NULL);
        cr_assert_str_eq(got.at, expected.at, "stopped after %d updates", at);
        cr_assert_str_eq(mine, evaluations);
        cr_assert_str_eq(part.loss_chain, whole.loss_chain);
        cr_assert_str_eq(part.parameters_hash, whole.parameters_hash);
        checkpoint_remove(folder, part.id);
        record_release(&part);
    }
    record_release(&whole);
}

static void forget(const RunRecord *r) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, r->id);
    folder_remove(path);
}

/* The bits of the last whole validation are of the same run and count to its accuracy; they come back as they were
 * written, and not when one of them was changed. */
Test(execute, hits_are_kept_where_they_are_asked_for, .init = enter, .fini = leave) {
    RunSpec s = small();
    RunRecord without, r, again;
    long right = 0, seen[256] = {0}, most = 0;
    size_t length;
    char path[200], *bytes;
    cr_assert_eq(execute(&s, &without), RC_OK);
    cr_assert_eq(execute_with(&s, NULL, true, &r), RC_OK);
    cr_expect(!without.hits.targets && !strcmp(r.id, without.id) && !strcmp(r.loss_chain, without.loss_chain));
    const Evaluation *last = record_at(&r, 8);
    cr_assert(r.hits.step == 8 && r.hits.targets == last->targets);
    for (long i = 0; i < r.hits.targets; i++) {
        right += hits_at(&r.hits, i);
        long *of = &seen[data.tokens[data.train + 1 + (size_t)i]]; /* windows follow each other, targets one on */
        if (++*of > most) most = *of;
    }
    cr_expect(right > 0 && right == r.hits.right && most == r.hits.frequent, "%ld right, %ld most", right, most);
    cr_expect_eq((double)right / (double)last->targets, last->metric[METRIC_accuracy]);
    cr_assert_eq(record_write(&r, folder, &e), RC_OK, "%s", e.text);
    cr_assert_eq(record_read(&again, folder, r.id, &e), RC_OK, "%s", e.text);
    cr_expect(again.hits.right == right && again.hits.frequent == most && again.hits.step == 8);
    cr_expect(!memcmp(again.hits.bit, r.hits.bit, hits_bytes(&r.hits)));
    record_release(&again);
    snprintf(path, sizeof path, "%s/%s/hits.bin", folder, r.id);
    cr_assert_eq(file_read(path, &bytes, &length, &e), RC_OK);
    cr_expect_eq(length, ((size_t)r.hits.targets + 7) / 8);
    bytes[length / 2] ^= 4;
    for (int edit = 0; edit < 3; edit++) { /* a bit, a byte less, nothing there */
        cr_assert_eq(edit < 2 ? file_write(path, bytes, length - (size_t)edit, &e) : (Rc)unlink(path), RC_OK);
        bytes[length / 2] ^= edit ? 0 : 4;
        cr_expect_eq(record_read(&again, folder, r.id, &e), RC_INTEGRITY);
        HOLDS(e.text, "/hits.bin: ");
    }
    free(bytes);
    forget(&r);
    record_release(&without), record_release(&r);
}

/* A checkpoint holds no hits: stopped behind its last validation, a run makes that one again. */
Test(execute, hits_outlive_a_stop_behind_the_last_validation, .init = enter, .fini = leave) {
    RunSpec s = small();
    LOCAL(record_release) RunRecord whole, part;
    LOCAL(trainer_release) Trainer *t;
    uint8_t chain[32];
    ModelShape shape = spec_shape(&s, data.vocab);
    Recipe recipe = spec_recipe(&s);
    cr_assert_eq(execute_with(&s, NULL, true, &whole), RC_OK);
    stop_after = 8;
    cr_assert_eq(execute_with(&s, NULL, true, &part), RC_INTERRUPTED);
    stop_now = 0, stop_after = -1;
    cr_assert_eq(trainer_for_gpt(&t, &shape, &s.variant, NULL, &recipe, &s.seed, 1, backend_find("cpu", &e), &e),
                 RC_OK);
    RunRecord between = {.spec = s, .probes = probes_usual()};
    curves_init(&between.curves, (int)s.layers, NULL);
    cr_assert_eq(checkpoint_read(folder, whole.id, t, 0, &between, chain, &e), RC_OK, "%s", e.text);
    cr_assert(between.evaluations == 2 && trainer_step_number(t) == 8);
    free(between.evaluation[0].block), free(between.evaluation[1].block), free(between.evaluation);
    between.evaluation = whole.evaluation, between.evaluations = whole.evaluations;
    cr_assert_eq(checkpoint_write(folder, whole.id, t, 0, &between, chain, 1e9, &e), RC_OK, "%s", e.text);
    between.evaluations = 0, between.evaluation = NULL;
    record_release(&between);
    cr_assert_eq(execute_with(&s, NULL, true, &part), RC_OK);
    cr_expect(part.evaluations == 3 && part.hits.right == whole.hits.right);
    cr_expect_str_eq(part.hits.sha256, whole.hits.sha256);
    checkpoint_remove(folder, part.id);
}

Test(execute, divergence_is_a_result, .init = enter, .fini = leave) {
    RunSpec s = small();
    LOCAL(record_release) RunRecord r;
    cr_assert_eq(spec_set(&s, "lr", "1e6", &e), RC_OK);
    cr_assert_eq(spec_set(&s, "clip", "0", &e), RC_OK);
    cr_assert_eq(spec_set(&s, "weight_decay", "50", &e), RC_OK);
    cr_assert_eq(spec_set(&s, "steps", "60", &e), RC_OK);
    s.variant = *variant_find("none", &e);
    cr_assert_eq(execute(&s, &r), RC_OK);
    cr_assert_str_eq(r.status, "diverged");
    cr_assert(r.diverged_step >= 0 && r.diverged_step < 60 && r.culprit[0]);
    cr_assert_eq(r.curves.rows, r.diverged_step + 1);
    cr_assert_null(record_at(&r, 60));
}

/* Start, batches and dropout each follow the seed that is fixed for them, and only the others the run's own: a run is
 * the one whose own seed and fixed seeds are exchanged, and every choice of what is fixed is another run. */
Test(execute, streams_are_fixed_one_by_one, .init = enter, .fini = leave) {
    enum { OWN = 2, FIXED = 7 };
    char chain[8][SHA256_HEX], hash[8][SHA256_HEX];
    for (int fixed = 0; fixed < 8; fixed++)
        for (int turned = 0; turned < 2; turned++) {
            RunSpec s = small();
            LOCAL(record_release) RunRecord r;
            int which = turned ? 7 - fixed : fixed, to = turned ? OWN : FIXED;
            s.seed = turned ? FIXED : OWN;
            if (which & 1) s.init_seed = to;
            if (which & 2) s.order_seed = to;
            if (which & 4) s.dropout_seed = to;
            cr_assert_eq(execute(&s, &r), RC_OK);
            cr_expect(!turned || !strcmp(hash[fixed], r.parameters_hash), "%d", fixed);
            cr_expect(!turned || !strcmp(chain[fixed], r.loss_chain), "%d", fixed);
            strcpy(chain[fixed], r.loss_chain), strcpy(hash[fixed], r.parameters_hash);
        }
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < a; b++) cr_expect_str_neq(hash[a], hash[b], "%d %d", a, b);
}

/* With all three fixed, the seed is in the id alone. */
Test(execute, runs_of_fixed_streams_are_one, .init = enter, .fini = leave) {
    RunSpec s = small();
    RunRecord first, r;
    s.init_seed = s.order_seed = s.dropout_seed = 5;
    cr_assert_eq(execute(&s, &first), RC_OK);
    for (uint64_t seed = 2; seed < 4; seed++) {
        s.seed = seed;
        cr_assert_eq(execute(&s, &r), RC_OK);
        cr_expect_str_eq(r.loss_chain, first.loss_chain);
        cr_expect_str_eq(r.parameters_hash, first.parameters_hash);
        cr_expect_str_neq(r.id, first.id);
        record_release(&r);
    }
    record_release(&first);
}

/* Different seeds, rates or corpora are different runs; the arm's and the experiment's names are not in the id. */
Test(execute, ids_name_runs, .init = enter, .fini = leave) {
    const Backend *b = backend_find("cpu", &e);
    RunSpec s = small(), t = s;
    char a[SHA256_HEX], c[SHA256_HEX], toy[SHA256_HEX];
    cr_assert_eq(arithmetic_hash(toy, &s, b, &e), RC_OK);
    run_id(a, &s, &data, backend_class(b), toy);
    t.variant.name = "another name";
    run_id(c, &t, &data, backend_class(b), toy);
    cr_assert_str_eq(a, c);
    t.seed = 2;
    run_id(c, &t, &data, backend_class(b), toy);
    cr_assert_str_neq(a, c);
    t = s;
    cr_assert_eq(spec_set(&t, "adam_eps", "1e-7", &e), RC_OK);
    run_id(c, &t, &data, backend_class(b), toy);
    cr_assert_str_neq(a, c);
    Dataset other = data;
    other.sha256[0] = other.sha256[0] == '0' ? '1' : '0';
    run_id(c, &s, &other, backend_class(b), toy);
    cr_assert_str_neq(a, c);
    cr_assert_eq(variant_set(&t.variant, "embed", "rms", &e), RC_OK);
    char toy2[SHA256_HEX];
    cr_assert_eq(arithmetic_hash(toy2, &t, b, &e), RC_OK);
    cr_assert_str_neq(toy, toy2);
}

/* Other probes are other columns of the same run: the same id, losses and parameters; the record says which they are,
 * and a checkpoint of a run that measured others is not used. */
Test(execute, probes_are_columns_of_the_same_run, .init = enter, .fini = leave) {
    RunSpec s = small();
    LOCAL(record_release) RunRecord usual, more, again;
    ProbeChoice choice = probes_usual();
    choice.wanted[PROBE_weight_norm] = choice.wanted[PROBE_block_output_most] = true;
    choice.every = 2;
    cr_assert_eq(execute(&s, &usual), RC_OK);
    stop_after = 4;
    cr_assert_eq(execute(&s, &more), RC_INTERRUPTED);
    stop_after = -1, stop_now = 0;
    cr_assert_eq(execute_with(&s, &choice, false, &more), RC_OK);
    cr_assert_str_eq(more.id, usual.id);
    cr_assert_str_eq(more.loss_chain, usual.loss_chain);
    cr_assert_str_eq(more.parameters_hash, usual.parameters_hash);
    LOCAL_TEXT(header);
    curves_text(&more.curves, &header);
    static const char columns[] =
        "step,lr,train_loss,valid_loss,grad_norm,update_norm,embedding_norm,spike,weight_norm,"
        "grad_norm_0,grad_norm_1,norm_input_0,norm_input_1,output_most_0,output_most_1\n";
    cr_expect(!strncmp(header.at, columns, sizeof columns - 1), "%.200s", header.at);
    cr_assert_eq(record_write(&more, folder, &e), RC_OK, "%s", e.text);
    cr_assert_eq(record_read(&again, folder, more.id, &e), RC_OK, "%s", e.text);
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, more.id);
    folder_remove(path);
    cr_expect(probes_same(&again.probes, &choice) && again.curves.every == 2 && again.curves.layers == 2);
    for (int row = 0; row < 8; row++) {
        double most = curve_number(&again.curves, row, curve_named("block_output_most"), 1);
        cr_expect(row % 2 ? isnan(most) : most > 0, "row %d: %g", row, most);
    }
    for (int v = 0; v < 3; v++)
        for (int m = 0; m < METRIC_COUNT; m++) {
            double x = again.evaluation[v].metric[m], y = usual.evaluation[v].metric[m];
            bool added = metric_added((Metric)m) < PROBE_COUNT, eight = m >= METRIC_int8_cost && m <= METRIC_e5m2_cost;
            bool narrow = m == METRIC_overflows || m == METRIC_first_overflow;
            narrow |= m == METRIC_bleu || m == METRIC_chrf || metric_of_curves((Metric)m);
            cr_expect_eq(usual.evaluation[v].absent[m], added || eight || narrow);
            cr_expect(again.evaluation[v].absent[m] == usual.evaluation[v].absent[m] || m == METRIC_headroom);
            if (added) continue;
            cr_expect(isnan(x) ? isnan(y) : x == y, "%s: %g, %g with the usual ones alone", metric_info[m].key, x, y);
        }
    cr_expect(again.evaluation[2].metric[METRIC_headroom] > 3, "%g", again.evaluation[2].metric[METRIC_headroom]);
    ProbeChoice none = probes_usual();
    OWNED char *less = evaluations_text(&again, &none), *plain = evaluations_text(&usual, NULL);
    cr_expect_str_eq(less, plain, "results that did not ask for a probe have the hash of runs without it");
}

/* A file that is older than a column of curves.def is read: the columns stand where their names say. */
Test(execute, curves_are_read_by_their_names) {
    Curves c;
    char older[] = "step,valid_loss,train_loss,grad_norm,grad_norm_0,grad_norm_1\n0,5,4,2,0.5,1.5\n1,,3,1,,\n";
    cr_assert_eq(curves_read(&c, older, &e), RC_OK, "%s", e.text);
    cr_expect(c.rows == 2 && c.layers == 2 && curve_at(&c, 1, CURVE_step) == 1);
    cr_expect(curve_at(&c, 0, CURVE_valid_loss) == 5 && curve_at(&c, 1, CURVE_train_loss) == 3);
    cr_expect(isnan(curve_at(&c, 0, CURVE_lr)) && isnan(curve_at(&c, 1, CURVE_valid_loss)));
    cr_expect(c.at[PROBE_grad_norm] == CURVE_grad_norm && c.at[PROBE_embedding_norm] == -1);
    cr_expect_eq(curve_number(&c, 0, curve_named("block_grad_norm"), 1), 1.5);
    free(c.value);
    static const char *const bad[] = {"lr,step\n1,2\n",
                                      "step,lr,step\n",
                                      "step,lrs\n",
                                      "\n",
                                      "step,lr\n0\n",
                                      "step,lr\n0,1,2\n",
                                      "step,lr\n0,1..2\n",
                                      "step,lr\n0,-\n",
                                      "step,grad_norm_0,grad_norm\n0,1,2\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[64];
        strcpy(text, bad[i]);
        cr_expect_eq(curves_read(&c, text, &e), RC_INTEGRITY, "%s", bad[i]);
        free(c.value);
    }
}

/* Every number is the double that strtod reads: beside halfway points too, where a quotient may round otherwise. */
Test(execute, numbers_of_curves_are_those_of_strtod) {
    static const char *const odd[] = {"-0", "1.", ".5", "1e-5", "0x1p-3", "inf", "123456789012345678",
                                      "0.00000000000000000000012",
                                      "9007199254740993", "9007199254740993.00001", "1.00000000000000011", "000012.5"};
    enum { ODD = sizeof odd / sizeof *odd, TRIES = 20000 };
    uint64_t random = 1;
    for (int i = 0; i < TRIES; i++) {
        char text[128], field[64];
        Curves c;
        random = random * 6364136223846793005u + 1442695040888963407u;
        long double x = 1 + (long double)(random >> 12) * 0x1p-52L + (i % 2 ? 0x1p-53L : 0);
        if (i < ODD)
            strcpy(field, odd[i]);
        else
            snprintf(field, sizeof field, "%.*Lf", 14 + i % 7, x * (i % 5 ? 1 : 1e-4L));
        snprintf(text, sizeof text, "step,lr\n0,%s\n", field);
        cr_assert_eq(curves_read(&c, text, &e), RC_OK, "%s", e.text);
        double lr = curve_at(&c, 0, CURVE_lr), wanted = strtod(field, NULL);
        cr_assert(!memcmp(&lr, &wanted, sizeof lr), "%s: %.17g, not %.17g", field, lr, wanted);
        free(c.value);
    }
}

/* A jump of the loss is a spike only against a full window, and only above six deviations. */
Test(execute, spikes) {
    Curves c;
    curves_init(&c, 0, NULL);
    for (int i = 0; i < 140; i++) curves_add(&c)[CURVE_train_loss] = 3 + 0.1 * (i % 2);
    cr_assert_not(curves_spike(&c, 139, CURVE_train_loss));
    c.value[139 * c.columns + CURVE_train_loss] = 3.05 + 0.05 * 5.9;
    cr_assert_not(curves_spike(&c, 139, CURVE_train_loss));
    c.value[139 * c.columns + CURVE_train_loss] = 3.05 + 0.05 * 6.1;
    cr_assert(curves_spike(&c, 139, CURVE_train_loss));
    c.value[100 * c.columns + CURVE_train_loss] = 50;
    cr_assert_not(curves_spike(&c, 100, CURVE_train_loss), "128 rows are needed");
    cr_assert_not(curves_spike(&c, 139, CURVE_grad_norm), "not measured: no number, no spike");
    for (int i = 0; i < 140; i++) c.value[i * c.columns + CURVE_grad_norm] = 1 + 0.1 * (i % 2);
    c.value[139 * c.columns + CURVE_grad_norm] = 1.05 + 0.05 * 6.1;
    cr_assert(curves_spike(&c, 139, CURVE_grad_norm));
    free(c.value);
}

/* Text, and with it the hash of results, stays what it was when a metric is added to metrics.def. */
Test(execute, a_metric_younger_than_a_record_stays_out_of_it) {
    static const char *const text = "[{\"step\": 3, \"valid_loss\": 2.5, \"accuracy\": \"nan\", \"targets\": 7, "
                                    "\"dropped_targets\": 0, \"block_losses\": []}]";
    LOCAL(record_release) RunRecord r = {0};
    cr_assert_eq(evaluations_parse(&r, text, &e), RC_OK, "%s", e.text);
    cr_expect(r.evaluation[0].metric[METRIC_valid_loss] == 2.5 && isnan(r.evaluation[0].metric[METRIC_perplexity]));
    OWNED char *again = evaluations_text(&r, NULL);
    cr_expect(strstr(again, "valid_loss") && strstr(again, "accuracy") && !strstr(again, "perplexity"), "%s", again);
}
