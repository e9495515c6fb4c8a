/* Write the network of a file of weights as JSON, so that other programs run it without variants, recipes or layer
 * ranges: the ops of the tape from tokens to logits, in order.
 *
 *   {"layers": 4, "width": 128, "context": 128, "vocabulary": 65, "dropout": 0, "progress": 1, "logits": NAME,
 *    "ops": [{"op": "linear", "out": NAME, "in": [NAME, ...], "layer": 0}, ...]}
 *
 * op: a row of kernels/ops.def, with its formula. in: "tokens", the out of an earlier op, or a tensor of the file. A
 * constant of the op (group, heads, eps, alpha, beta: kernels/op.h) is a further member unless it is 0; layer is absent
 * outside the blocks. progress: the u of ops whose formula has one, at which these weights are evaluated
 * (recipe_progress). Every sequence has the same positions, so a batch may be of any size. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/store/weights.h"

static void put_number(json_t *o, const char *key, double value) {
    if (value != 0) json_object_set_new(o, key, json_real(value));
}

static void put_count(json_t *o, const char *key, int value) {
    if (value) json_object_set_new(o, key, json_integer(value));
}

static json_t *op_json(const Tape *t, const Op *op) {
    json_t *in = json_array();
    for (int i = 0; i < op->in_count; i++)
        json_array_append_new(in, json_string(t->tensor[t->input[op->in_at + i]].name));
    json_t *o = json_new("op", op_info[op->kind].name, "out", t->tensor[op->out].name, "in", in);
    if (op->layer >= 0) json_object_set_new(o, "layer", json_integer(op->layer));
    put_count(o, "heads", op->attr.heads);
    put_count(o, "group", op->attr.group);
    if (op->attr.full) json_object_set_new(o, "full", json_true());
    put_number(o, "eps", op->attr.eps);
    put_number(o, "alpha", op->attr.alpha);
    put_number(o, "beta", op->attr.beta);
    return o;
}

void weights_model(const RunSpec *spec, int vocab, int step, Text *out) {
    ModelShape shape = spec_shape(spec, vocab);
    Recipe recipe = spec_recipe(spec);
    LOCAL(tape_release) Tape tape = {0};
    json_t *ops = json_array();
    transformer_build(&tape, &shape, &spec->variant, NULL);
    for (int i = 0; i < tape.ops; i++) {
        json_array_append_new(ops, op_json(&tape, &tape.op[i]));
        if (tape.op[i].out == tape.logits) break;
    }
    json_t *root = json_new("layers", shape.layers, "width", shape.width, "context", shape.context, "vocabulary", vocab,
                            "dropout", spec->dropout, "progress", recipe_progress(&recipe, step - 1), "logits",
                            tape.tensor[tape.logits].name, "ops", ops);
    OWNED char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    assert(text);
    text_add(out, text, strlen(text));
    json_decref(root);
}
