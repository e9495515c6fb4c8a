/* Readers by files: every reader is chosen by content, gives the numbers that stand there, and says what is wrong with
 * a file that breaks off or is damaged. */
#include "bench/compare/compare.h"
#include "bench/readers/events.h"
#include "bench/readers/pick.h"
#include "tests/readers/made_logs.h"
#include "tests/test.h"

/* A file, the reader it goes to, and one number: of which run, of which metric, its points, its last step and value. */
typedef struct {
    const char *file, *text;
    int reader, runs;
    const char *run, *metric;
    size_t points;
    double step, value;
} Case;

static const Case cases[] = {
    {"chart.csv",
     "\"Step\",\"pre-s1 - val/loss\",\"pre-s1 - val/loss__MIN\",\"pre-s1 - val/loss__MAX\",\"post-s1 - val/loss\"\n"
     "\"0\",\"4.5\",\"4.5\",\"4.5\",\"4.75\"\n\"10\",\"3.25\",\"3.25\",\"3.25\",\"\"\n\"20\",\"\",\"\",\"\",\"3.5\"\n",
     READER_wandb_chart, 2, "pre-s1", "val/loss", 2, 10, 3.25},
    {"table.csv",
     "\"Name\",\"State\",\"lr\",\"val/"
     "loss\"\n\"a\",\"finished\",\"0.1\",\"3.5\"\n\"b\",\"finished\",\"0.2\",\"3.75\"\n",
     READER_runs_table, 2, "b", "val/loss", 1, 0, 3.75},
    {"mlflow.csv", "run_id,status,metrics.loss,params.lr\nab12,FINISHED,0.5,0.1\ncd34,FINISHED,0.25,0.1\n",
     READER_runs_table, 2, "cd34", "metrics.loss", 1, 0, .25},
    {"trainer_state.json",
     "{\"global_step\": 20, \"log_history\": [{\"epoch\": 1.0, \"eval_loss\": 2.5, \"step\": 10},\n"
     " {\"epoch\": 2.0, \"eval_loss\": 2.25, \"step\": 20}, {\"epoch\": 2.0, \"step\": 20, \"train_loss\": 3.0}]}",
     READER_trainer_state, 1, "", "eval_loss", 2, 20, 2.25},
    {"metrics.csv",
     "epoch,lr-Adam,step,train_loss,val_loss\n0,,49,1.5,\n0,,49,,1.25\n,0.1,50,,\n1,,99,1.0,\n1,,99,,0.75\n",
     READER_lightning, 1, "", "val_loss", 2, 99, .75},
    {"keras.csv", "epoch,accuracy,loss,val_accuracy,val_loss\n0,0.5,1.0,0.5,1.1\n1,0.75,0.5,0.625,0.875\n",
     READER_keras, 1, "", "val_loss", 2, 1, .875},
    {"evaluations.csv", "global_step,score,validation/loss\n1,9,13.5\n676,8,0.125\n", READER_curve_csv, 1, "",
     "validation/loss", 2, 676, .125},
    {"results.json",
     "{\"results\": {\"arc\": {\"acc,none\": 0.25, \"acc_stderr,none\": 0.01, \"alias\": \"arc\"}, \"piqa\": {\"acc\": "
     "0.5}},\n"
     " \"versions\": {\"arc\": 1}, \"config\": {\"model\": \"hf\"}}",
     READER_lm_eval, 2, "", "acc", 1, 0, .25},
    {"spaced.log", "step   0:  train loss  4.5,  val loss  4.25\nstep  10:  train loss  3.5,  val loss  3.25\n",
     READER_nanogpt, 1, "", "val loss", 2, 10, 3.25},
    {"megatron.log",
     " [2024-05-01 10:00:20] iteration       20/      40 | consumed samples:          160 | learning rate: "
     "1.000000E-04 | "
     "lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 0.511 | number of nan iterations:   0 |\n------\n"
     " validation loss at iteration 20 | lm loss value: 2.250000E+00 | lm loss PPL: 9.487736E+00 | \n------\n",
     READER_megatron, 1, "", "validation lm loss value", 1, 20, 2.25},
    {"megatron2.log",
     " iteration 5/ 40 | lm loss: 2.5E+00 | grad norm: 0.5 |\n iteration 6/ 40 | lm loss: 2.25E+00 |\n",
     READER_megatron, 1, "", "lm loss", 2, 6, 2.25},
    {"megatron3.log",
     " validation loss at iteration 20 on validation set | lm loss value: 2.25E+00 | \n"
     " validation loss at iteration 20 on test set | lm loss value: 2.5E+00 | \n",
     READER_megatron, 1, "", "validation lm loss value", 1, 20, 2.25},
    {"megatron4.log",
     " validation loss at iteration 20 on validation set | lm loss value: 2.25E+00 | \n"
     " validation loss at iteration 20 on test set | lm loss value: 2.5E+00 | \n",
     READER_megatron, 1, "", "test lm loss value", 1, 20, 2.5},
    {"titan.log",
     "[rank0]:[titan] 2024-10-01 10:00:00,123 - root - INFO - \033[31mstep: 10  \033[32mloss:  2.5000  "
     "\033[33mmemory:  1.2GiB(1.3%)  \033[34mtps: 4,321\033[39m\n[rank0]:[titan] - INFO - step: 20  loss:  2.2500  "
     "grad_norm:  0.5  memory: 1GiB(1%)\n[rank0]:[titan] - INFO - validate step: 20  loss:  2.3  memory: 1GiB(1%)\n",
     READER_torchtitan, 1, "", "loss", 2, 20, 2.25},
    {"litgpt.log",
     "Seed set to 1\nEpoch 1 | iter 40 step 10 | loss train: 2.500, val: n/a | iter time: 512.33 ms (step)\n"
     "Epoch 1 | iter 80 step 20 | loss train: 2.400, val: n/a | iter time: 512.33 ms (step)\n"
     "iter 80: val loss 2.2500, val time: 120.00 ms\n"
     "Epoch 1 | iter 120 step 30 | loss train: 2.300, val: 2.250 | iter time: 512.33 ms (step)\n",
     READER_litgpt, 1, "", "val loss", 1, 20, 2.25},
    {"modded.txt",
     "import torch\nstep:0/20 val_loss:10.5 train_time:0.000s step_avg:nanms\nstep:1/20 train_time:10ms\n"
     "step:20/20 val_loss:3.28125 train_time:1s\n",
     READER_modded_nanogpt, 1, "", "val_loss", 2, 20, 3.28125},
    {"nanogpt.log",
     "number of parameters: 10.65M\nstep 0: train loss 4.45, val loss 4.5\niter 0: loss 4.4, time 2ms, mfu -1%\n"
     "step 200: train loss 2.5, val loss 2.75\n",
     READER_nanogpt, 1, "", "val loss", 2, 200, 2.75},
    {"main.log", "s:0 tel:11.0\ns:0 trl:11.5 lr:0.000001 norm:14.96\ns:250 tel:6.125\ns:250 eval:0.25\n", READER_llmc,
     1, "", "val_loss", 2, 250, 6.125},
    {"run.jsonl",
     "{\"_meta\": {\"seed\": 3, \"lr\": 0.5}}\n{\"step\": 0, \"test\": {\"loss\": 4.5}}\n{\"step\": 50, \"test\": "
     "{\"loss\": 2.5}}\n",
     READER_json_lines, 1, "", "test.loss", 2, 50, 2.5},
    {"headed.jsonl",
     "{\"seed\": 1, \"lr\": 0.001, \"norm\": \"pre\"}\n{\"step\": 0, \"loss\": 4.5}\n{\"step\": 50, \"loss\": 2.5}\n",
     READER_json_lines, 1, "", "loss", 2, 50, 2.5},
    {"ended.jsonl",
     "{\"step\": 0, \"loss\": 4.5}\n{\"step\": 50, \"loss\": 2.5}\n{\"final_loss\": 2.5, \"time\": 12, \"seed\": 1}\n",
     READER_json_lines, 1, "", "loss", 2, 50, 2.5},
    {"flops.jsonl", "{\"step\": 0, \"flops\": 9223372036854775807}\n{\"step\": 50, \"flops\": 18446744073709551646}\n",
     READER_json_lines, 1, "", "flops", 2, 50, 0x1p64},
    {"history.json", "[{\"step\": 0, \"loss\": 4.5},\n {\"step\": 50, \"loss\": 2.5}]", READER_json_lines, 1, "",
     "loss", 2, 50, 2.5},
    {"rows.jsonl",
     "{\"arm\": \"a\", \"seed\": 1, \"step\": 0, \"loss\": 4}\n{\"arm\": \"a\", \"seed\": 1, \"step\": 9, \"loss\": "
     "3}\n"
     "{\"arm\": \"b\", \"seed\": 1, \"step\": 0, \"loss\": 4.5}\n{\"arm\": \"b\", \"seed\": 1, \"step\": 9, \"loss\": "
     "3.5}\n",
     READER_json_lines, 2, "b_seed1", "loss", 2, 9, 3.5},
    {"runs.json", "[{\"run\": \"a\", \"seed\": 1, \"loss\": 4},\n {\"run\": \"b\", \"seed\": 1, \"loss\": \"3.5\"}]",
     READER_json_lines, 2, "b", "loss", 1, 0, 3.5},
    {"curves.csv", "run_name,iter_num,loss\na,0,4\nb,0,4.5\na,9,3\nb,9,3.5\n", READER_runs_table, 2, "b", "loss", 2, 9,
     3.5},
    {"one.csv", "norm,seed,step,loss\na,1,0,4\na,1,9,3\n", READER_runs_table, 1, "", "loss", 2, 9, 3},
    {"sb3.csv", "rollout/ep_rew_mean,time/total_timesteps\n9,100\n10,200\n", READER_curve_csv, 1, "",
     "rollout/ep_rew_mean", 2, 200, 10},
    {"comma.csv", "step;val_loss;acc\n0;4,5;10,25%\n9;2,75;20,5 %\n", READER_curve_csv, 1, "", "acc", 2, 9, 20.5},
    {"table.tsv", "Name\tloss\tacc\na\t3,5\t71,5%\nb\t3,25\t80%\n", READER_runs_table, 2, "b", "loss", 1, 0, 3.25},
    {"split.jsonl",
     "{\"split\": \"val\", \"step\": 1, \"loss\": 2, \"acc\": 0.5}\n{\"split\": \"train\", \"step\": 1, \"loss\": 1}\n",
     READER_json_lines, 1, "", "val.loss", 1, 1, 2},
    {"split1.jsonl",
     "{\"split\": \"val\", \"step\": 1, \"loss\": 2, \"acc\": 0.5}\n{\"split\": \"train\", \"step\": 1, \"loss\": 1}\n",
     READER_json_lines, 1, "", "acc", 1, 1, .5},
    {"set.jsonl", "{\"set\": \"val\", \"step\": 1, \"loss\": 2}\n{\"set\": \"train\", \"step\": 1, \"loss\": 1}\n",
     READER_json_lines, 1, "", "val.loss", 1, 1, 2},
    {"split.csv", "step,split,loss,acc\n1,val,2,50%\n1,train,1,\n", READER_curve_csv, 1, "", "val.loss", 1, 1, 2},
    {"split1.csv", "epoch,Phase,loss,acc\n1,val,2,50%\n1,train,1,\n", READER_keras, 1, "", "acc", 1, 1, 50},
    {"colours.log",
     "\x1b[32mstep 0: train loss 4.45, val loss 4.5\x1b[0m\r\n 5%|#|\r10%|#|\r2024-05-01 INFO step 9: train loss 2.5, "
     "val loss 2.75\r\n",
     READER_nanogpt, 1, "", "val loss", 2, 9, 2.75},
    {"log.txt", "0 val 10.95\n0 hella 0.25\n0 train 10.9\n250 val 5.5\n", READER_nanogpt, 1, "", "val loss", 2, 250,
     5.5},
    {"train.txt", "code\nprint(f\"step:{step}/{n} val_loss:{x}\")\n[0]: step:5/9 train_loss:2.5 train_time:1ms\n",
     READER_modded_nanogpt, 1, "", "train_loss", 1, 5, 2.5},
    {"printed.txt", "val loss 11.5\nstep    1/9 | loss 11.25 (+nanz)| norm 1 (+nanz)| lr 1e-3\nval loss 6.5\n",
     READER_llmc, 1, "", "val_loss", 2, 1, 6.5},
    {"dvclive/plots/metrics/val/loss.tsv", "step\tloss\n0\t2\n1\t1.5\n", READER_curve_csv, 1, "", "val/loss", 2, 1,
     1.5},
    {"dvc.json", "{\"train\": {\"loss\": 0.5}, \"eval\": {\"loss\": 0.75}, \"step\": 8}", READER_json, 1, "",
     "eval.loss", 1, 8, .75},
    {"metrics.yaml", "eval:\n  loss: 0.75\n  acc: .5\ntrain: {loss: 1e-1}\nstep: 8\n", READER_yaml, 1, "", "eval.loss",
     1, 8, .75},
    {"summary.yml", "# of a run\nloss: 2.5\n", READER_yaml, 1, "", "loss", 1, 0, 2.5},
    {"fairseq.log",
     "2024-05-01 10:00:00 | INFO | fairseq_cli.train | begin validation on \"valid\" subset\n"
     "2024-05-01 10:00:01 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 12.5 | ppl 65.94 | num_updates "
     "40\n"
     "2024-05-01 10:00:02 | INFO | train | epoch 001 | loss 3.5 | num_updates 40 | wall 0\n"
     "2024-05-01 10:00:03 | INFO | valid | epoch 002 | valid on 'valid' subset | loss 11.25 | num_updates 80 | "
     "best_loss 11.25\n",
     READER_fairseq, 1, "", "valid_loss", 2, 80, 11.25},
    {"inner.log",
     "2024-05-01 10:00:03 | INFO | train_inner | epoch 001:      9 / 282 loss=3.25, ppl=8.86, num_updates=10, wall=0\n",
     READER_fairseq, 1, "", "train_inner_loss", 1, 10, 3.25},
    {"old.log",
     "| epoch 001 | loss 3.5 | nll_loss 3.25 | num_updates 40\n"
     "| epoch 001 | valid on 'valid' subset | loss 2.5 | nll_loss 2.25 | num_updates 40\n",
     READER_fairseq, 1, "", "valid_nll_loss", 1, 40, 2.25},
    {"objects.log",
     "Namespace(arch='x')\n2024-05-01 10:00:03 | INFO | valid | {\"epoch\": 1, \"valid_loss\": \"4.5\", "
     "\"valid_num_updates\": \"36\"}\n",
     READER_fairseq, 1, "", "valid_loss", 1, 36, 4.5},
    {"percent.jsonl", "{\"step\": 1, \"acc\": \"71.5%\"}\n{\"step\": 2, \"acc\": \"80 %\"}\n", READER_json_lines, 1, "",
     "acc", 2, 2, 80},
    {"lists.json", "{\"test_losses\": [4, 3, 2.5], \"random_seed\": 42}", READER_json, 1, "", "test_losses", 3, 2, 2.5},
    {"metrics/val/loss", "1717312614000 0.5 0\n1717312615000 0.25 20\n", READER_mlflow, 1, "", "val/loss", 2, 20, .25},
    {"record.json",
     "{\"schema\": 7, \"status\": \"ok\", \"spec\": \"lr = 0.1\\nseed = 4\\n\", \"evaluations\": [\n"
     " {\"step\": 0, \"valid_loss\": 7.5}, {\"step\": 9, \"valid_loss\": 6.5}]}",
     READER_record, 1, "", "valid_loss", 2, 9, 6.5},
};

Test(readers, help_names_every_reader) {
    for (int r = 0; r < READERS; r++)
        cr_expect(strstr(compare_help, log_readers[r].name), "compare --help does not name %s", log_readers[r].name);
}

static const Log *run_called(const char *name) {
    for (int i = 0; i < l.count; i++)
        if (!strcmp(l.log[i].name, name)) return &l.log[i];
    return NULL;
}

static void check_case(const Case *c) {
    cr_assert_eq(l.count, c->runs, "%s: %d runs", c->file, l.count);
    const Log *log = run_called(c->run);
    cr_assert(log, "%s: no run '%s'", c->file, c->run);
    cr_expect_eq(log->reader, c->reader, "%s: read as %s", c->file, log_readers[log->reader].shown);
    cr_expect(!log->fault && !log->doubt, "%s: %s%s", c->file, log->fault ? log->fault : "",
              log->doubt ? log->doubt : "");
    const LogSeries *s = log_series(log, c->metric);
    cr_assert(s, "%s: no metric %s", c->file, c->metric);
    cr_expect_eq(s->count, c->points, "%s: %zu points", c->file, s->count);
    cr_expect_eq(s->at[s->count - 1].step, c->step, "%s: step %g", c->file, s->at[s->count - 1].step);
    cr_expect_eq(s->at[s->count - 1].value, c->value, "%s: value %g", c->file, s->at[s->count - 1].value);
}

Test(readers, every_reader_reads_its_file) {
    bool read[READERS] = {[READER_tensorboard] = true, [READER_npy] = true, [READER_npz] = true}; /* below */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = logs_write(cases[i].file, cases[i].text);
        cr_assert_eq(logs_read_again(path, -1, &e), RC_OK, "%s: %s", cases[i].file, e.text);
        check_case(&cases[i]);
        read[cases[i].reader] = true;
    }
    for (int r = 0; r < READERS; r++) cr_expect(read[r], "no file of this test is for %s", log_readers[r].name);
}

Test(readers, a_first_line_of_settings_is_no_row_and_has_no_numbers) {
    const Log *log = logs_read_one(logs_write("h.jsonl", "{\"seed\": 7, \"lr\": 0.5, \"norm\": \"pre\"}\n"
                                                         "{\"step\": 0, \"loss\": 2}\n{\"step\": 9, \"loss\": 1}\n"));
    const char *seed = log_setting_of(log, "seed"), *norm = log_setting_of(log, "norm");
    cr_expect(seed && norm && !strcmp(seed, "7") && !strcmp(norm, "pre") && log->count == 1 && log->curve);
    log = logs_read_one(logs_write("u.jsonl", "{\"seed\": 7, \"lr\": 0.5}\n{\"loss\": 2}\n{\"loss\": 1}\n"));
    cr_expect(log->doubt && strstr(log->doubt, "lines are counted") && log->series[0].count == 2);
    log = logs_read_one(logs_write("s.jsonl", "{\"seed\": 7, \"lr\": 0.5}\n{\"seed\": 7, \"step\": 1, \"loss\": 2}\n"
                                              "{\"seed\": 7, \"step\": 2, \"loss\": 1}\n"));
    cr_expect(log->curve && log_series(log, "loss")->count == 2, "a header whose seed every line repeats");
    cr_expect_str_eq(log_setting_of(log, "lr"), "0.5");
    log = logs_read_one(logs_write("r.jsonl", "{\"seed\": 7, \"loss\": 2}\n"));
    cr_expect(!log->curve && log_series(log, "loss"), "a row alone");
}

/* A list of JSON, its last step, and what its doubt says. */
typedef struct {
    const char *text, *metric;
    double step;
    const char *doubt; /* NULL: none */
} ListCase;

static const ListCase list_cases[] = {
    {"{\"steps\": [0, 100, 200], \"loss\": [3, 2, 1], \"acc\": [0.1, null, 0.3], \"seed\": 1}", "loss", 200, NULL},
    {"{\"loss\": [3, 2, 1], \"acc\": [0.1, null, 0.3], \"Iter\": [\"0\", \"5\", \"10\"]}", "acc", 10, NULL},
    {"{\"epoch\": [1, 2], \"step\": [50, 100], \"loss\": [3, 2]}", "loss", 100, NULL},
    {"{\"epoch\": [1, 2], \"step\": [50, 100, 150], \"loss\": [3, 2]}", "loss", 2, NULL},
    {"{\"train\": {\"step\": [10, 20, 30], \"loss\": [3, 2, 1]}, \"val\": {\"step\": [30, 60], \"loss\": [3, 2]}}",
     "val.loss", 60, NULL},
    {"{\"train\": {\"step\": [10, 20, 30], \"loss\": [3, 2, 1]}, \"val\": {\"step\": [30, 60], \"loss\": [3, 2]}}",
     "train.loss", 30, NULL},
    {"{\"epoch\": [4, 8], \"history\": {\"val\": {\"loss\": [3, 2]}}}", "history.val.loss", 8, NULL},
    {"{\"loss\": [3, 2, 1]}", "loss", 2, "no list counts the steps of its loss; places are counted"},
    {"{\"val\": {\"steps\": [1, 5, 9]}, \"loss\": [3, 2, 1]}", "loss", 2, "no list counts the steps of its loss"},
    {"{\"steps\": [0, 100], \"loss\": [3, 2, 1]}", "loss", 2, "its list steps is not as long as loss"},
    {"{\"steps\": [0, 100, 100], \"loss\": [3, 2, 1]}", "loss", 2, "or does not ascend; places are counted"},
    {"{\"steps\": [0, \"x\", 100], \"loss\": [3, 2, 1]}", "loss", 2, "or does not ascend; places are counted"},
    {"{\"loss\": [3]}", "loss", 0, NULL},
};

Test(readers, a_list_of_steps_counts_the_lists_beside_it) {
    for (size_t i = 0; i < sizeof list_cases / sizeof *list_cases; i++) {
        const ListCase *c = &list_cases[i];
        const Log *log = logs_read_one(logs_write("list.json", c->text));
        const LogSeries *s = log_series(log, c->metric);
        cr_assert(s && s->count, "%s: no %s", c->text, c->metric);
        cr_expect_eq(s->at[s->count - 1].step, c->step, "%s: step %g", c->text, s->at[s->count - 1].step);
        cr_expect(c->doubt ? s->doubt && strstr(s->doubt, c->doubt) : !s->doubt, "%s: %s", c->text,
                  s->doubt ? s->doubt : "no doubt");
        for (int k = 0; k < log->count; k++) cr_expect(!log_is_step(log->series[k].name), "%s", c->text);
    }
    const Log *log = logs_read_one(logs_write("words.json", "{\"layers\": [\"a\", \"b\"], \"loss\": 2}"));
    cr_expect(log->count == 1 && !log->series[0].doubt, "a list of words is no series");
}

Test(readers, whole_numbers_beyond_64_bits_keep_their_digits) {
    static const char wide[] = "340282366920938463463374607431768211457";
    logs_write("wide/config.json", "{\"entropy\": 340282366920938463463374607431768211457, \"norm\": \"pre\"}");
    const Log *log = logs_read_one(logs_write("wide/m.jsonl", "{\"_meta\": {\"seed\": 18446744073709551615}}\n"
                                                              "{\"step\": 1, \"loss\": 2}\n"));
    const char *seed = log_setting_of(log, "seed"), *entropy = log_setting_of(log, "entropy");
    cr_assert(seed && entropy && log_setting_of(log, "norm"));
    cr_expect_str_eq(entropy, wide);
    cr_expect_str_eq(seed, "18446744073709551615");
}

Test(readers, a_number_that_no_double_holds_is_not_finite) {
    const Log *log = logs_read_one(logs_write("o.jsonl", "{\"step\": 0, \"loss\": 2}\n{\"step\": 1, \"loss\": 1e400}\n"
                                                         "{\"step\": 2, \"loss\": -1e400}\n"));
    const LogSeries *loss = log_series(log, "loss");
    cr_assert(loss && loss->count == 3);
    cr_expect(loss->at[0].value == 2 && isnan(loss->at[1].value) && isnan(loss->at[2].value), "as a run that diverged");
}

/* Four rows: arm, seed 1, steps 0 and 9; a and b stand at the same or at other times. */
static void rows_at(const char *const *time, bool json) {
    LOCAL_TEXT(text);
    if (!json) text_format(&text, "arm,seed,step,loss,date\n");
    for (int i = 0; i < 4; i++)
        text_format(&text,
                    json ? "{\"arm\": \"%c\", \"seed\": 1, \"step\": %d, \"loss\": %d, \"date\": \"%s\"}\n"
                         : "%c,1,%d,%d,%s\n",
                    "ab"[i / 2], i % 2 * 9, 4 - i, time[i]);
    OK(logs_read_again(logs_write(json ? "dated.jsonl" : "dated.csv", text.at), -1, &e));
}

Test(readers, a_date_of_a_row_is_no_run) {
    static const char *const times[][4] = {
        {"2024-05-01T10:00:01", "2024-05-01T10:10:01", "2024-05-01T10:00:01", "2024-05-01T10:10:01"},
        {"2024-05-01 10:00:01", "2024-05-02 10:10:01", "2024-05-03 10:00:01", "2024-05-04 10:10:01"},
        {"2024-05-01T10:00:01.5Z", "2024-05-01T10:00:02.5+02:00", "2024-05-01 10:00 UTC", "20240501_100000"},
        {"2024/05/01", "2024/05/02", "01.05.2024", "05/01/2024 10:00"},
        {"10:00:01", "10:00:02", "0:00:01", "0:00:02.25"}};
    for (size_t i = 0; i < 2 * sizeof times / sizeof *times; i++) {
        rows_at(times[i / 2], i % 2);
        cr_expect(l.count == 2 && run_called("b_seed1") && l.log[1].series[0].count == 2, "%s: %d runs",
                  times[i / 2][0], l.count);
    }
    static const char *const words[] = {"gpt-2024-05-01", "gpt-2024-05-01", "1.2.3", "1.2.3"};
    rows_at(words, false);
    cr_expect(l.count == 2 && run_called("a_gpt-2024-05-01_seed1"), "words with a date in them tell runs");
}

Test(readers, a_date_tells_runs_apart_where_nothing_else_does) {
    const char *path = logs_write("starts.csv", "norm,seed,step,loss,started\na,1,0,4,2024-05-01\na,1,9,3,2024-05-01\n"
                                                "a,1,0,5,2024-05-02\na,1,9,4,2024-05-02\n");
    OK(logs_read_again(path, -1, &e));
    cr_expect(l.count == 2 && run_called("a_2024-05-02_seed1"), "%d runs", l.count);
}

Test(readers, rows_of_one_seed_at_several_steps_are_no_runs) {
    static const char ended[] =
        "arm,seed,step,loss,end\na,1,0,4,\na,1,9,3,\na,1,,3,yes\nb,1,0,5,\nb,1,9,4,\nb,1,,4,yes\n";
    static const char *const odd[] = {"Wed May 1", "Thu May 2", "Fri May 3", "Sat May 4"}, *const where[] = {"step=9"};
    PickQuery q = {.metric = "loss"};
    LOCAL(pick_release) Pick p = {0};
    rows_at(odd, false);
    cr_assert_eq(pick_make(&p, &l, &q, &e), RC_USAGE);
    HOLDS(e.text, "seed 1 of arm 'b' is there at steps 0 and 9, and column 'date', of words, differs");
    pick_release(&p);
    q.where = where, q.where_count = 1;
    OK(pick_make(&p, &l, &q, &e));
    cr_expect_eq(p.used, 2);
    pick_release(&p);
    q.where_count = 0, q.unpaired = true;
    cr_expect_eq(pick_make(&p, &l, &q, &e), RC_USAGE, "evaluations are no runs without pairs either");
    static const char *const texts[] = {
        /* one of the runs was resumed; a line is a summary without a step; no seed but a name */
        "arm,seed,step,loss\na,1,0,4\na,1,9,3\na,2,0,4\na,2,0,4\nb,1,0,5\nb,1,9,4\n",
        "{\"arm\": \"a\", \"seed\": 1, \"step\": 0, \"loss\": 4}\n{\"arm\": \"a\", \"seed\": 1, \"step\": 9, \"loss\": "
        "3}\n"
        "{\"arm\": \"b\", \"seed\": 1, \"step\": 9, \"loss\": 3}\n{\"arm\": \"a\", \"seed\": 1, \"loss\": 3}\n",
        "run,arm,step,loss\nx,a,0,4\nx,a,9,3\nx,a,9,3\nx,b,0,5\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pick_release(&p);
        OK(logs_read_again(logs_write(i == 1 ? "rows.jsonl" : "rows.csv", texts[i]), -1, &e));
        cr_expect_eq(pick_make(&p, &l, &q, &e), RC_USAGE, "%zu: %d used", i, p.used);
        HOLDS(e.text, i == 2 ? "run x of arm 'a' is there at steps 0 and 9" : "seed 1 of arm ");
    }
    pick_release(&p); /* a table of runs, which have names and ended at unlike steps */
    OK(logs_read_again(logs_write("runs.csv", "Name,arm,seed,_step,loss\nx,a,1,9,4\ny,a,1,8,3\nz,b,1,9,4\nw,b,1,8,5\n"),
                       -1, &e));
    OK(pick_make(&p, &l, &q, &e));
    cr_expect_eq(p.used, 4);
    pick_release(&p); /* the same, whose names are their arm's */
    q.arm_key = "Name";
    OK(logs_read_again(
        logs_write("arms.csv", "Name,_step,loss\na,90,4\na,70,3\na,80,5\na,60,4\nb,75,4\nb,95,3\nb,65,5\nb,85,4\n"),
        -1, &e));
    OK(pick_make(&p, &l, &q, &e));
    cr_expect_eq(p.used, 8);
    pick_release(&p);
    OK(logs_read_again(logs_write("ended.csv", ended), -1, &e));
    q.unpaired = false, q.arm_key = NULL;
    cr_assert_eq(pick_make(&p, &l, &q, &e), RC_USAGE);
    HOLDS(e.text, "seed 1 of arm 'b' is there at steps 0 and 9, and these rows make no curve");
}

/* Reads rows of lr, wd, two seeds and two steps, and picks by a column lr. */
static Rc pick_rates(LogTold told, Pick *p) {
    LOCAL_TEXT(text);
    text_format(&text, "lr,wd,seed,step,loss\n");
    for (int i = 0; i < 16; i++)
        text_format(&text, "0.%d,%d,%d,%d,%d\n", i / 8 + 1, i / 4 % 2, i / 2 % 2, i % 2 * 9, i);
    const char *path = logs_write("rates.csv", text.at);
    PickQuery q = {.metric = "loss", .arm_key = "lr", .where = told.where, .where_count = told.where_count};
    logs_release(&l);
    e = (Error){0};
    OK(logs_read(&l, &path, 1, -1, told, &e));
    pick_release(p);
    return pick_make(p, &l, &q, &e);
}

Test(readers, columns_that_the_user_names_tell_runs_apart) {
    static const char *const where[] = {"wd=1"};
    LOCAL(pick_release) Pick p = {0};
    OK(pick_rates((LogTold){.arm = "lr", .where = where, .where_count = 1}, &p));
    cr_expect(l.count == 8 && p.used == 4 && p.curve && p.step == 9 && !p.unpaired, "%d runs", l.count);
    cr_expect_str_eq(l.log[7].name, "0.2_seed1");
    cr_expect_eq(pick_rates((LogTold){.arm = "lr"}, &p), RC_USAGE);
    HOLDS(e.text, "seed 1 of arm '0.2' is there at steps 0 and 9, and twice at step 9: --where KEY=VALUE says");
    cr_expect_eq(pick_rates((LogTold){.where = where, .where_count = 1}, &p), RC_USAGE);
    HOLDS(e.text, "seed 1 of arm '0.2' is there at steps 0 and 9, and these rows make no curve");
    const char *path = logs_write("numbers.csv", "arm,seed,step,loss\n1,1,0,4\n1,1,9,3\n2,1,0,5\n2,1,9,4\n");
    OK(logs_read_again(path, -1, &e));
    cr_expect(l.count == 2 && run_called("2_seed1"), "arms that are numbers: %d runs", l.count);
    path = logs_write("replicas.csv", "Name,replica,step,loss\na,1,0,4\na,1,9,3\na,2,0,5\na,2,9,4\n");
    logs_release(&l);
    OK(logs_read(&l, &path, 1, -1, (LogTold){.seed = "replica"}, &e));
    cr_expect(l.count == 2 && l.log[0].curve, "replicas: %d runs", l.count);
}

Test(readers, event_files_and_what_is_wrong_with_them) {
    static const float value[] = {2.5f, 2.25f, 2.125f};
    char bytes[1000];
    size_t n = logs_events(bytes, "eval/loss", value, 3);
    const char *path = logs_write_bytes("tb/events.out.tfevents.1", bytes, n);
    if (!event_known) {
        cr_expect_eq(logs_read_again(path, -1, &e), RC_UNMEASURED);
        HOLDS(e.text, "built with protobuf-c");
        return;
    }
    const Log *log = logs_read_one(path);
    const LogSeries *s = log_series(log, "eval/loss");
    cr_assert(s && s->count == 3 && !log->fault && !log->doubt);
    cr_expect(s->at[2].step == 30 && s->at[2].value == 2.125 && s->at[0].value == 2.5);

    log = logs_read_one(logs_write_bytes("tb1/events.out.tfevents.1", bytes, n - 3)); /* breaks off */
    s = log_series(log, "eval/loss");
    cr_expect(s && s->count == 2 && strstr(log->doubt, "breaks off at byte"), "%s", log->doubt);

    bytes[n - 6] ^= 1; /* a bit of the last value */
    log = logs_read_one(logs_write_bytes("tb2/events.out.tfevents.1", bytes, n));
    s = log_series(log, "eval/loss");
    cr_expect(s && s->count == 2 && strstr(log->doubt, "is damaged"), "%s", log->doubt);

    log = logs_read_one(logs_write_bytes("tb3/events.out.tfevents.1", bytes, logs_events(bytes, "x", value, 0)));
    cr_expect(log->fault && strstr(log->fault, "holds no numbers"));
}

Test(readers, event_files_of_one_folder_are_one_run) {
    static const float first[] = {3, 2.5f}, second[] = {4, 1.5f};
    char bytes[1000];
    if (!event_known) return;
    logs_write_bytes("two/events.out.tfevents.1", bytes, logs_events(bytes, "loss", first, 2));
    const char *path = logs_write_bytes("two/events.out.tfevents.2", bytes, logs_events(bytes, "loss", second, 2));
    char folder[1000];
    log_folder(folder, sizeof folder, path, 0);
    const LogSeries *s = log_series(logs_read_one(folder), "loss");
    cr_assert(s && s->count == 2);
    cr_expect(s->at[0].value == 4 && s->at[1].value == 1.5, "of equal steps the last one written stays");
}

/* A file that is bad, and what is said of its run: a fault, a doubt, or an error. */
static const struct {
    const char *file, *text, *fault, *doubt, *error;
} bad[] = {
    {"empty.csv", "", "the file is empty", NULL, NULL},
    {"half.yaml", "loss: 2.5\nnote: a word\n", NULL, NULL, "no reader knows this file"},
    {"cut.yaml", "loss: 2.5\nacc: [1,\n", NULL, NULL, "no reader knows this file"},
    {"list.yaml", "- 2.5\n- 3.5\n", NULL, NULL, "no reader knows this file"},
    {"begins.log", "2024-05-01 | INFO | valid | epoch 1 | loss high | num_updates 4\n", NULL, NULL,
     "no reader knows this"},
    {"steps.log", "2024-05-01 | INFO | valid | epoch 1 | loss 2.5\n", NULL, NULL, "no reader knows this file"},
    {"iteration.log", " iteration 20/ 40 | grad norm: 0.5 |\n validation loss at iteration x | lm loss value: 2 |\n",
     NULL, NULL, "no reader knows this file"},
    {"titan.log", "INFO - step: ten  loss:  2.5  memory: 1GiB\nINFO - step: 10  loss:  high  memory: 1GiB\n", NULL,
     NULL, "no reader knows this file"},
    {"epoch.log",
     "Epoch 1 | iter 40 step x | loss train: 2.5, val: n/a |\nEpoch 1 | iter 40 step 3 | loss train: n/a |\n", NULL,
     NULL, "no reader knows this file"},
    {"prose.txt", "Dear reader,\nthis is a letter.\n", NULL, NULL, "no reader knows this file"},
    {"cut.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo", NULL, "last line breaks off", NULL},
    {"whole.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo\n", NULL, NULL, "whole.jsonl:2:"},
    {"bad.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo\n{\"step\": 3, \"loss\": 1}\n", NULL, NULL,
     "bad.jsonl:2:"},
    {"none.json", "{\"log_history\": []}", "its log_history holds no numbers", NULL, NULL},
    {"cut.csv", "epoch,step,loss\n0,1,2.5\n1,2", NULL, "last line breaks off", NULL},
    {"odd.csv", "epoch,step,loss\n0,1\n1,2,2.5\n", NULL, NULL, "odd.csv:2: 2 fields where the header has 3"},
    {"means.csv", "run_name,loss_mean,loss_std\na,1,0.1\n", NULL, NULL, "'loss_mean' is a mean over runs"},
    {"group.csv", "Step,optimizer: adam - loss\n1,2\n", "a chart of groups", NULL, NULL},
    {"smooth.csv", "Step,a - loss,a - loss__MIN,a - loss__MAX\n1,2,1.5,2.5\n", NULL, "its __MIN and __MAX differ",
     NULL},
    {"time.csv", "Wall Time,a - loss\n5.5,2\n", NULL, "its x axis is 'Wall Time', no count of steps", NULL},
    {"comma.csv", "epoch;loss\n0;1,512\n", "no line holds a number: its loss on line 2 is '1,512' (decimals take", NULL,
     NULL},
    {"text.csv", "epoch,loss\n0,1.5\n1,bad\n2,NA\n", NULL, "its loss on line 3 is 'bad', no number", NULL},
    {"grouped.csv", "step,loss\n\"750\",3\n\"1,000\",2\n\"1,250\",1\n", "its step on line 3 is '1,000', no number",
     NULL, NULL},
    {"kilo.csv", "step,loss\n900,3\n1k,2\n", "its step on line 3 is '1k', no number", NULL, NULL},
    {"billion.tsv", "tokens\tloss\n0.5B\t3\n1B\t2\n", "its tokens on line 2 is '0.5B', no number", NULL, NULL},
    {"footers.csv", "epoch,loss\n1,3\n2,2\nmean,2.5\nstd,0.7\n", "its epoch on line 4 is 'mean', no number", NULL,
     NULL},
    {"footer.csv", "epoch,loss\n1,3\n2,2\nmean,2.5\n", NULL, "its epoch on line 4, the last, is 'mean', no number",
     NULL},
    {"again.csv", "epoch,loss\n1,3\nepoch,loss\n2,2\n", NULL, "its loss on line 3 is 'loss', no number", NULL},
    {"run.csv.bz2", "BZh91AY..", "it is a bzip2 archive: unpack it (bunzip2)", NULL, NULL},
    {"run.csv.xz", "\xFD\067zXZ..", "it is an xz archive: unpack it (unxz)", NULL, NULL},
    {"run.parquet", "PAR1....", "it is a Parquet file: write it as CSV or JSON", NULL, NULL},
    {"units.jsonl", "{\"step\": 1, \"acc\": \"71.5%\"}\n{\"step\": 2, \"acc\": 0.8}\n",
     "its acc has numbers with and without a sign of percent", NULL, NULL},
    {"units2.jsonl", "{\"step\": 1, \"acc\": 0.8}\n{\"step\": 2, \"acc\": \"71.5%\"}\n",
     "its acc has numbers with and without a sign of percent", NULL, NULL},
    {"plain.jsonl", "{\"loss\": 2}\n{\"loss\": 1}\n", NULL, "no key counts its steps; lines are counted", NULL},
    {"crash.csv", "Name,State,loss\na,crashed,2\n", "its State is crashed", NULL, NULL},
    {"crash.jsonl", "{\"run\": \"a\", \"state\": \"crashed\", \"loss\": 2}\n{\"run\": \"b\", \"loss\": 2}\n",
     "its state is crashed", NULL, NULL},
    {"killed.json",
     "[{\"run\": \"a\", \"step\": 1, \"loss\": 3, \"status\": \"killed\"},\n"
     " {\"run\": \"a\", \"step\": 2, \"loss\": 2, \"status\": \"killed\"}]",
     "its status is killed", NULL, NULL},
};

Test(readers, files_that_are_bad) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = logs_write(bad[i].file, bad[i].text);
        Rc rc = logs_read_again(path, -1, &e);
        cr_expect_eq(rc, bad[i].error ? RC_USAGE : RC_OK, "%s: %s", bad[i].file, e.text);
        if (bad[i].error) cr_expect(strstr(e.text, bad[i].error), "%s: %s", bad[i].file, e.text);
        const Log *log = l.count ? &l.log[0] : NULL;
        if (bad[i].fault) cr_expect(log && log->fault && strstr(log->fault, bad[i].fault), "%s", bad[i].file);
        if (bad[i].doubt) cr_expect(log && log->doubt && strstr(log->doubt, bad[i].doubt), "%s", bad[i].file);
        if (bad[i].doubt) cr_expect(log && !log->fault && log->count, "%s: what stands before is kept", bad[i].file);
    }
}

Test(readers, runs_of_one_name_in_a_chart_stay_two) {
    const char *path = logs_write("names.csv", "Step,pre_s1 - loss,pre_s1 - loss\n1,2,3\n");
    OK(logs_read_again(path, -1, &e));
    cr_expect(l.count == 2 && l.log[1].series[0].at[0].value == 3, "%d runs", l.count);
}

Test(readers, a_chart_of_a_run_that_diverged_is_not_smoothed) {
    const Log *log = logs_read_one(logs_write("nan.csv", "Step,a - loss,a - loss__MIN,a - loss__MAX\n1,2,2,2\n"
                                                         "2,NaN,NaN,NaN\n"));
    cr_expect(!log->doubt && isnan(log->series[0].at[1].value), "%s", log->doubt);
    log = logs_read_one(logs_write("nan.csv", "Step,a - loss,a - loss__MIN,a - loss__MAX\n1,NaN,2,NaN\n"));
    cr_expect(log->doubt && strstr(log->doubt, "smoothed"));
}

Test(readers, rows_of_runs_that_diverged_have_no_value) {
    static const char *const texts[] = {
        "arm,lr,seed,status,loss\na,1,1,ok,4\nb,1,1,Diverged,3\n",
        "{\"arm\": \"a\", \"lr\": 1, \"seed\": 1, \"status\": \"ok\", \"loss\": 4}\n"
        "{\"arm\": \"b\", \"lr\": 1, \"seed\": 1, \"status\": \"diverged\", \"loss\": 3}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        OK(logs_read_again(logs_write(i ? "diverged.jsonl" : "diverged.csv", texts[i]), -1, &e));
        cr_assert_eq(l.count, 2, "%s", texts[i]);
        cr_expect(!l.log[1].fault && log_series(&l.log[0], "loss")->at[0].value == 4, "%s", texts[i]);
        cr_expect(isnan(log_series(&l.log[1], "loss")->at[0].value), "%s", texts[i]);
        cr_expect_str_eq(log_setting_of(&l.log[1], "lr"), "1");
    }
}

Test(readers, steps_of_a_curve_that_are_empty_or_no_numbers) {
    const Log *log = logs_read_one(logs_write("footer.csv", "epoch,loss\n1,3\n2,2\nmean,2.5\n"));
    cr_expect(log->series[0].count == 2 && log->series[0].at[1].value == 2, "a footer is no step");
    log = logs_read_one(logs_write("gaps.csv", "step,loss,acc\n1,3,\n,,0.5\n2,2,\nNaN,,0.75\n"));
    const LogSeries *acc = log_series(log, "acc");
    cr_expect(!log->fault && !log->doubt && acc->count == 2 && acc->at[0].step == 1 && acc->at[1].step == 2);
}

Test(readers, a_column_of_kinds_is_a_setting_where_it_holds_one) {
    const Log *log = logs_read_one(logs_write("k.csv", "step,split,loss,acc\n1,val,2,50%\n1,train,1,60%\n"));
    cr_expect(!log_setting_of(log, "split") && log->count == 4 && log_series(log, "train.acc")->percent);
    log = logs_read_one(logs_write("k.csv", "step,split,loss\n1,val,2\n2,val,1\n"));
    cr_expect(log_setting_of(log, "split") && log_series(log, "loss")->count == 2);
    log = logs_read_one(logs_write("k.csv", "step,stage,loss\n1,warmup,3\n2,stable,2\n3,decay,1\n"));
    cr_expect(log->count == 1 && log_series(log, "loss")->count == 3, "stages of training cut no curve");
}

Test(readers, rows_of_unlike_files_are_runs) {
    static const char *const folders[] = {"pre/seed1", "pre/seed2", "post/seed1", "post/seed2"};
    PickQuery q = {.metric = "acc"};
    LOCAL(pick_release) Pick p = {0};
    for (int i = 0; i < 4; i++) {
        char file[80], text[80];
        snprintf(file, sizeof file, "early/%s/results.csv", folders[i]);
        snprintf(text, sizeof text, "seed,epoch,acc\n42,%d,.8\n", 11 + i);
        logs_write(file, text);
    }
    logs_read_below("early");
    OK(pick_make(&p, &l, &q, &e));
    cr_expect(p.used == 4 && !p.unpaired);
    pick_release(&p);
    q.unpaired = true, q.name = "{arm}/*/*";
    OK(pick_make(&p, &l, &q, &e));
    cr_expect_eq(p.used, 4);
}

Test(readers, made_up_names_hide_no_path_and_are_no_arms) {
    static const char *const texts[] = {"seed,loss,acc\n1,3,0.5\n2,3.5,0.25\n",
                                        "{\"seed\": 1, \"loss\": 3}\n{\"seed\": 2, \"loss\": 3.5}\n"};
    static const char *const folders[] = {"made", "made2"}, *const where[] = {"split=val"};
    static const char curve[] = "seed,step,split,loss\n3,1,val,4\n3,1,train,3\n3,9,val,2\n3,9,train,1\n";
    PickQuery q = {.metric = "loss"}, told = {.metric = "loss", .name = "{arm}.*"};
    LOCAL(pick_release) Pick p = {0};
    for (int i = 0; i < 4; i++) {
        char file[80];
        snprintf(file, sizeof file, "%s/%s.%s", folders[i / 2], i % 2 ? "post" : "pre", i / 2 ? "jsonl" : "csv");
        logs_write(file, texts[i / 2]);
        if (i % 2 == 0) continue;
        logs_read_below(folders[i / 2]);
        cr_expect_eq(pick_make(&p, &l, &q, &e), RC_USAGE, "%s", file);
        cr_expect(strstr(e.text, "nothing says which arm"), "%s", e.text);
        pick_release(&p);
        OK(pick_make(&p, &l, &told, &e));
        cr_expect(p.used == 4 && !p.unpaired && !strcmp(p.run[0].arm, "post"), "%d used, arm %s", p.used, p.run[0].arm);
        pick_release(&p);
    }
    logs_write("made3/pre_s1.csv", curve), logs_write("made3/post_s1.csv", curve);
    logs_read_below("made3");
    told.name = "{arm}_s*", told.where = where, told.where_count = 1;
    OK(pick_make(&p, &l, &told, &e));
    cr_expect(p.used == 2 && !strcmp(p.run[0].arm, "post"), "%d used, arm %s", p.used, p.run[0].arm);
}

/* Steps in the order in which they were written, mostly with their places as values; how many remain, and the last. */
static const struct {
    const char *file, *text;
    size_t points;
    double step;
    bool doubt;
} attempts[] = {
    {"scratch.csv", "step,loss\n1,0\n2,1\n3,2\n4,3\n1,4\n2,5\n3,6\n", 4, 4, true},
    {"resumed.csv", "step,loss\n1,0\n2,1\n3,2\n4,3\n2,4\n3,5\n", 4, 4, true},
    {"thrice.csv", "step,loss\n1,0\n2,1\n3,2\n4,3\n1,4\n2,5\n3,6\n1,7\n2,8\n", 4, 4, true},
    {"further.csv", "step,loss\n1,0\n2,1\n3,2\n2,3\n3,4\n4,5\n", 4, 4, false},
    {"equal.csv", "step,loss\n1,9\n2,8\n3,7\n1,9\n2,8\n", 3, 3, false},
    {"descends.csv", "step,loss\n4,0\n3,1\n2,2\n1,3\n", 4, 4, false},
    {"merged.csv", "step,loss\n3,0\n4,1\n5,2\n1,3\n2,4\n3,5\n", 5, 5, false},
    {"shuffled.csv", "step,loss\n5,0\n1,1\n4,2\n2,3\n3,4\n", 5, 5, false},
    {"two.csv", "step,loss\n1,0\n1,1\n2,2\n2,3\n3,4\n3,5\n", 3, 3, false},
    {"ranks.csv", "step,loss\n1,0\n2,1\n1,2\n3,3\n2,4\n4,5\n3,6\n", 4, 4, false},
    {"some.csv", "step,loss\n1,0\n2,1\n3,2\n4,3\n5,4\n1,5\n3,6\n", 5, 5, false},
    {"final.csv", "step,loss\n0,0\n1,1\n2,2\n0,3\n", 3, 2, false},
};

Test(readers, runs_whose_steps_begin_again_are_doubtful) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const LogSeries *s = log_series(logs_read_one(logs_write(attempts[i].file, attempts[i].text)), "loss");
        cr_expect(s->count == attempts[i].points && s->at[s->count - 1].step == attempts[i].step,
                  "%s: %zu points to %g", attempts[i].file, s->count, s->at[s->count - 1].step);
        cr_expect(attempts[i].doubt ? s->doubt && strstr(s->doubt, "begun again") : !s->doubt, "%s", attempts[i].file);
    }
    logs_write("zoomed/a.csv", "Step,a - loss\n1,1\n2,2\n3,3\n"),
        logs_write("zoomed/b.csv", "Step,a - loss\n1,4\n2,5\n");
    logs_read_below("zoomed");
    cr_expect(l.count == 1 && l.log[0].series[0].count == 3, "two charts of a run");
}

Test(readers, rows_of_a_name_that_ended_at_unlike_steps_are_runs) {
    static const struct {
        const char *text;
        int runs;
    } tables[] = {
        {"Name,_step,loss\na,90,4\na,70,3\na,80,5\na,60,4\nb,75,4\nb,95,3\nb,65,5\nb,85,4\n", 8},
        {"Name,_step,loss\na,60,4\na,70,3\na,80,5\na,90,4\nb,65,4\nb,75,3\nb,85,5\nb,95,4\n", 2},
        {"Name,_step,loss\na,90,4\na,80,3\na,70,5\na,60,4\nb,95,4\nb,85,3\nb,75,5\nb,65,4\n", 2},
        {"Name,_step,loss\na,90,4\na,70,3\na,80,5\na,60,4\nb,70,4\nb,90,3\nb,60,5\nb,80,4\n", 2},
        {"Name,_step,loss\na,80,4\na,90,3\na,60,5\na,70,4\nb,85,4\nb,95,3\nb,105,5\nb,115,4\n", 2},
        {"Name,seed,_step,loss\na,1,90,4\na,1,70,3\na,1,80,5\na,1,60,4\nb,1,75,4\nb,1,95,3\nb,1,65,5\nb,1,85,4\n", 2},
        {"Name,_step,loss\na,90,4\na,70,3\na,80,5\na,60,4\n", 1},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        OK(logs_read_again(logs_write("ends.csv", tables[i].text), -1, &e));
        cr_expect_eq(l.count, tables[i].runs, "table %zu: %d runs", i, l.count);
    }
}

Test(readers, text_in_utf16_of_both_orders) {
    static const char plain[] = "epoch,loss,val_loss\n0,1,2.5\n";
    char bytes[2 * sizeof plain];
    for (int big = 0; big < 2; big++) {
        bytes[0] = (char)(big ? 0xFE : 0xFF), bytes[1] = (char)(big ? 0xFF : 0xFE);
        for (size_t i = 0; i < sizeof plain - 1; i++)
            bytes[2 + 2 * i + (size_t)big] = plain[i], bytes[3 + 2 * i - (size_t)big] = 0;
        const char *path = logs_write_bytes("wide.csv", bytes, sizeof bytes);
        const LogSeries *s = log_series(logs_read_one(path), "val_loss");
        cr_expect(s && s->at[0].value == 2.5);
    }
}

Test(readers, event_files_in_folders_of_a_run_are_its_parts) {
    static const float value[] = {3, 2.5f};
    static const struct {
        const char *file, *tag, *metric;
    } parts[] = {{"parts/r/events.out.tfevents.1", "loss", "loss"},
                 {"parts/r/train/events.out.tfevents.1", "epoch_loss", "train/epoch_loss"},
                 {"parts/r/validation/events.out.tfevents.1", "epoch_loss", "validation/epoch_loss"},
                 {"parts/r/loss_top/events.out.tfevents.1", "loss", "loss_top"},
                 {"parts/r/1717312614.25/events.out.tfevents.1", "hparam/final", "hparam/final"}};
    char bytes[1000];
    if (!event_known) return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        logs_write_bytes(parts[i].file, bytes, logs_events(bytes, parts[i].tag, value, 2));
    logs_read_below("parts");
    cr_assert_eq(l.count, 1, "%d runs", l.count);
    HOLDS(l.log[0].path, "parts/r/events");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(log_series(&l.log[0], parts[i].metric), "no %s", parts[i].metric);
}

Test(readers, event_files_in_folders_of_rates_and_tags_are_runs) {
    static const float low[] = {3, 2.5f}, high[] = {4, 3.5f};
    char bytes[1000];
    if (!event_known) return;
    logs_write_bytes("tags/loss_mse_s1/events.out.tfevents.1", bytes, logs_events(bytes, "loss", low, 2));
    logs_write_bytes("tags/loss_huber_s1/events.out.tfevents.1", bytes, logs_events(bytes, "loss", high, 2));
    logs_read_below("tags");
    cr_expect_eq(l.count, 2, "%d runs that begin with their tag, beside no file of a run above", l.count);
    logs_write_bytes("rates/pre/0.001/events.out.tfevents.1", bytes, logs_events(bytes, "loss", low, 2));
    logs_write_bytes("rates/pre/0.01/events.out.tfevents.1", bytes, logs_events(bytes, "loss", high, 2));
    logs_read_below("rates");
    cr_assert_eq(l.count, 2, "%d runs", l.count);
    cr_expect(l.log[0].series[0].at[1].value == 2.5 && l.log[1].series[0].at[1].value == 3.5);
}

Test(readers, what_a_name_promises_and_a_file_does_not_hold_is_named) {
    logs_write("odd/a/metrics.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": 1}\n");
    logs_write("odd/b/metrics.jsonl", "{\"step\": 1, \"lo\n{\"step\": 2, \"loss\": 1}\n");
    logs_write("odd/a/tokenizer.json", "{\"a\": \"b\"}");
    logs_write("odd/a/notes.csv", "prose");
    logs_read_below("odd");
    cr_assert_eq(l.count, 2, "%d logs", l.count);
    cr_expect(l.log[1].fault && strstr(l.log[1].fault, "no reader knows its first line") && l.log[1].reader == READERS);
}

Test(readers, runs_of_mlflow_that_failed_and_groups_of_tasks) {
    logs_write("ml/r/metrics/loss", "1717312614000 0.5 0\n");
    logs_write("ml/r/metrics/lr", "1717312614000 0.5 0\n");
    logs_write("ml/r/meta.yaml", "run_name: pre_s1\nstatus: 4\nlifecycle_stage: active\n");
    logs_read_below("ml");
    cr_assert_eq(l.count, 1);
    cr_expect(l.log[0].fault && !strcmp(l.log[0].fault, "its status is FAILED") && !strcmp(l.log[0].name, "pre_s1"));
    logs_write("group/r.json",
               "{\"results\": {\"m\": {\"acc,none\": 0.5}, \"m_a\": {\"acc,none\": 0.5}}, \"versions\": {}, "
               "\"group_subtasks\": {\"m\": [\"m_a\"], \"m_a\": []}}");
    logs_read_below("group");
    cr_assert_eq(l.count, 2);
    cr_expect(l.log[0].fault && strstr(l.log[0].fault, "m is a group, the mean of tasks") && !l.log[1].fault);
}

Test(readers, settings_of_hydra_and_wandb) {
    logs_write("hy/0/.hydra/config.yaml", "norm: post\n");
    logs_write("hy/0/config.yaml", "lr:\n  desc: null\n  value: 0.5\n");
    logs_write("hy/0/m.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 1, \"loss\": 3}\n");
    logs_read_below("hy");
    const char *norm = log_setting_of(&l.log[0], "norm"), *lr = log_setting_of(&l.log[0], "lr");
    cr_expect(norm && lr && !strcmp(norm, "post") && !strcmp(lr, "0.5"));
    cr_expect(l.log[0].series[0].again == 1 && l.log[0].series[0].at[0].value == 3);
}

Test(readers, a_folder_and_its_checkpoints_are_one_run) {
    static const char early[] = "{\"log_history\": [{\"step\": 1, \"loss\": 2}]}";
    static const char late[] = "{\"log_history\": [{\"step\": 1, \"loss\": 2}, {\"step\": 2, \"loss\": 1}]}";
    logs_write("hf/checkpoint-1/trainer_state.json", early);
    logs_write("hf/checkpoint-2/trainer_state.json", late);
    logs_write("hf/trainer_state.json", late);
    logs_read_below("hf");
    int used = 0;
    for (int i = 0; i < l.count; i++) {
        bool last = strstr(l.log[i].path, "checkpoint") == NULL;
        cr_expect_eq(!l.log[i].fault, last, "%s", l.log[i].path);
        if (l.log[i].fault) cr_expect(strstr(l.log[i].fault, "the same run, saved earlier"));
        used += !l.log[i].fault;
    }
    cr_expect(l.count == 3 && used == 1, "%d logs, %d used", l.count, used);
}

Test(readers, settings_beside_a_run_are_its_own) {
    logs_write("v0/hparams.yaml", "lr: 0.1\nmodel:\n  dropout: 0.3\n  sizes:\n  - 1\n  object: !!python/name:a.b ''\n"
                                  "ref: &x\n  deep: 1\nagain: *x\nlast: yes\n");
    logs_write("v0/config.json", "{\"training\": {\"seed\": 7}, \"name\": \"a\"}");
    const Log *log = logs_read_one(logs_write("v0/metrics.csv", "epoch,step,loss\n0,1,2\n"));
    static const char *const want[][2] = {
        {"lr", "0.1"}, {"model.dropout", "0.3"}, {"dropout", "0.3"}, {"training.seed", "7"},
        {"seed", "7"}, {"ref.deep", "1"},        {"last", "yes"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const char *has = log_setting_of(log, want[i][0]);
        cr_assert(has, "no %s", want[i][0]);
        cr_expect_str_eq(has, want[i][1], "%s", want[i][0]);
    }
    cr_expect(!log_setting_of(log, "sizes") && !log_setting_of(log, "again"));
}

Test(readers, an_mlflow_run_is_its_folder) {
    char folder[1000];
    logs_write("mlruns/0/ab12/metrics/train/loss", "1717312614000 4.5 0\n1717312615000 3.5 10\n");
    logs_write("mlruns/0/ab12/params/optimizer", "adam\n");
    logs_write("mlruns/0/ab12/tags/mlflow.runName", "adam-s1");
    const char *path = logs_write("mlruns/0/ab12/metrics/val_loss", "1717312615000 2.5 10\n");
    log_folder(folder, sizeof folder, path, 1);
    const Log *log = logs_read_one(folder);
    const LogSeries *train = log_series(log, "train/loss"), *valid = log_series(log, "val_loss");
    cr_assert(train && valid && train->count == 2 && valid->count == 1);
    cr_expect(train->at[1].value == 3.5 && valid->at[0].value == 2.5 && valid->at[0].step == 10);
    cr_expect_str_eq(log->name, "adam-s1");
    cr_expect_str_eq(log_setting_of(log, "optimizer"), "adam");
}

Test(readers, a_folder_takes_the_best_kind_and_counts_the_others) {
    logs_write("mix/run.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": 1}\n");
    logs_write("mix/table.csv", "seed,loss,other\n1,2,3\n");
    logs_write("void/run.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": 1}\n");
    const char *none = logs_write("void/empty.jsonl", "");
    char beside[1000];
    log_folder(beside, sizeof beside, none, 0);
    OK(logs_read_again(beside, -1, &e));
    cr_expect(l.count == 2 && l.log[0].fault && strstr(l.log[0].fault, "the file is empty") && !l.log[1].fault);
    const char *path = logs_write("mix/notes.md", "# notes\n");
    char folder[1000];
    log_folder(folder, sizeof folder, path, 0);
    const Log *log = logs_read_one(folder);
    cr_expect_eq(log->reader, READER_json_lines);
    cr_expect_eq(l.others, 2);
    OK(logs_read_again(folder, READER_runs_table, &e));
    cr_expect(l.count == 1 && l.log[0].reader == READER_runs_table);
    cr_expect_eq(logs_read_again(folder, READER_npy, &e), RC_USAGE);
    HOLDS(e.text, "no file below this folder is a NumPy array");
}
