/* The rows: name, label in tables, source, what is known to differ from it (.differs), who needs it (.needs), columns.
 * `normbench explain` and `list` print the equation that models/equation.h derives from the columns, because names
 * collide in the wild. A row names the columns that differ from a plain residual network's, PLAIN, which come first. */
#include "models/variant.h"

/* A row gives some columns a second time. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define LN NORM_layernorm
#define RMS NORM_rmsnorm
#define RULE(kind, value) {RULE_##kind, value, 0}
#define RULE_TO(kind, value, end) {RULE_##kind, value, end}
#define CHOICE(kind, value) {CHOICE_##kind, value}
#define NO NORM_none
#define PLAIN \
    .attn = {NO, NO, NO, NO, NO, NO}, .mlp = {NO, NO, NO, NO, NO, NO}, .embed = NO, .final = NO, \
    .carry = RULE(constant, 1), .gate = RULE(constant, 1), .depth_scale = RULE(constant, 1), \
    .in_strength = RULE(constant, 1), .out_strength = RULE(constant, 1), .post_strength = RULE(constant, 1), \
    .head_scale = RULE(constant, 1), .hidden_scale = RULE(constant, 1), .block_carry = RULE(constant, 1), \
    .x0 = RULE(constant, 0), .shrink = RULE(constant, 0), .embed_scale = RULE(constant, 1), \
    .logit_scale = RULE(constant, 1), .logit_cap = RULE(constant, 0), .qk_over = CHOICE(qk_over_head, 0), \
    .streams = CHOICE(streams_one, 0), .init = CHOICE(init_recipe, 0), .after_step = CHOICE(after_step_none, 0)
/* A norm before every sublayer, one after every sum, or one on every branch; the same kind before the head. */
#define IN(norm) PLAIN, .attn.in = norm, .mlp.in = norm, .final = norm
#define POST(norm) PLAIN, .attn.post = norm, .mlp.post = norm
#define OUT(norm) PLAIN, .attn.out = norm, .mlp.out = norm, .final = norm
#define IN_OUT(norm) IN(norm), .attn.out = norm, .mlp.out = norm
/* Blocks before, and from, a part of the depth; a rule from there on, or of one sublayer (ATTN, MLP) of all blocks. */
#define BEFORE(at, kind, n, of) {.column = COLUMN(at), .norm = kind, .range = {.to = AT_PART(n, of)}}
#define FROM(at, kind, n, of) {.column = COLUMN(at), .norm = kind, .range = {.from = AT_PART(n, of)}}
#define RULE_FROM(at, kind, n, of) {.column = COLUMN(at), .rule = kind, .range = {.from = AT_PART(n, of)}}
#define RULE_OF(where, at, kind) {.column = COLUMN(at), .rule = kind, .sub = SPAN_##where}
#define FIRST(at, kind) {.column = COLUMN(at), .norm = kind, .range = {.to = AT_BLOCK(0)}}

// clang-format off
const Variant variants[] = {
    {"none", "No norm", "plain residual network, no normalization",
     .needs = "001-5; the network of ReZero, SkipInit, Fixup and T-Fixup", PLAIN},
    {"pre", "Pre-LN", "Baevski and Auli 2019; Radford et al. 2019; Xiong et al. 2020",
     .differs = "GPT-2 scales the projections into the stream by 1/sqrt(2L) at the start (residual_init: scaled)",
     .needs = "write-ups 000 to 004", IN(LN)},
    {"post", "Post-LN", "Vaswani et al. 2017",
     .differs = "the paper starts from Xavier, this row as Pre-LN does",
     .needs = "write-ups 000, 001, 003, 004", POST(LN)},
    {"peri", "Peri-LN", "Kim et al. 2025",
     .differs = "write-up 004 draws N(x + f(N(x))), the row prepost, under this name; the paper's norm of the "
     "embedding is optional (embed: layernorm)",
     .needs = "write-up 004", IN_OUT(LN)},
    {"prepost", "Pre+Post-LN",
     "the block write-up 004 draws as Peri-LN; equals Post-LN at initialization from the second sublayer on",
     .differs = "x-transformers calls it pre_and_post_norm", .needs = "004-8", POST(LN), .attn.in = LN,
     .mlp.in = LN},
    {"outnorm", "Output norm", "OLMo et al. 2025, without its norms of q and k: x + N(f(x))",
     .differs = "OLMo 2 starts without scaling by depth (residual_init: plain)", .needs = "004-9", OUT(LN)},
    {"olmo2", "OLMo 2", "OLMo et al. 2025",
     .differs = "the model has RoPE, SwiGLU and no biases (recipe: llama) and starts without scaling by depth "
     "(residual_init: plain)",
     .needs = "004-9", OUT(RMS), .attn.qk = RMS, .qk_over = CHOICE(qk_over_width, 0)},
    {"gemma2", "Gemma 2", "Gemma Team 2024",
     .differs = "the model also caps attention logits at 50, stores gains as g - 1 and has RoPE and GeGLU "
     "and starts N(0, 0.02) everywhere; positions are scaled with the tokens here",
     .needs = "write-up 004, the placement in use", IN_OUT(RMS), .embed_scale = RULE(width_root, 1),
     .logit_cap = RULE(constant, 30)},
    {"sandwich", "Sandwich-LN", "Ding et al. 2021 (CogView); equals peri",
     .differs = "CogView's code divides the input of a norm by an eighth of its largest value, for fp16; "
     "x-transformers calls other blocks so",
     .needs = "its paper alone", IN_OUT(LN)},
    {"subln", "Sub-LN", "Wang et al. 2022 (Magneto)", .needs = "its paper alone", IN(LN), .attn.mid = LN, .mlp.mid = LN,
     .init = CHOICE(init_magneto, 0)},
    {"normformer", "NormFormer", "Shleifer et al. 2021",
     .differs = "without the optional scale of the residual, which the paper uses for small models; one port "
     "scales heads behind the output projection",
     .needs = "its paper alone", IN(LN), .attn.out = LN, .mlp.mid = LN, .head_scale = RULE(learned_row, 1)},
    {"deepnorm", "DeepNorm", "Wang et al. 2022 (DeepNet), decoder only",
     .differs = "one library's decoder builds Pre-LN with alpha x; another has (8L)^(+1/4) for (8L)^(-1/4), "
     "and alpha for 32 layers",
     .needs = "001-4, 001-5, normbench run theory", POST(LN), .carry = RULE(deep_carry, 1),
     .init = CHOICE(init_deepnorm, 0)},
    {"post-init", "Post-LN-init", "Wang et al. 2022 (DeepNet), section 3",
     .needs = "001-3", POST(LN), .init = CHOICE(init_layerwise, 0)},
    {"rezero", "ReZero", "Bachlechner et al. 2020",
     .differs = "the paper has a number per sublayer; its code, as here, one per block",
     .needs = "001-5, normbench run theory", PLAIN, .gate = RULE(learned_block, 0)},
    {"skipinit", "SkipInit", "De and Smith 2020",
     .needs = "001-5", PLAIN, .gate = RULE(learned, 0)},
    {"fixup", "Fixup", "Zhang et al. 2019",
     .differs = "the paper is on ResNets and starts the head at zero, which a tied head cannot; biases are "
     "vectors, not numbers, and the output's stands inside the scale; a port to transformers scales the MLP only",
     .needs = "its paper alone", PLAIN, .gate = RULE(learned, 1), .init = CHOICE(init_fixup, 0)},
    {"t-fixup", "T-Fixup", "Huang et al. 2020, its encoder's constants: a decoder-only block has two sublayers too",
     .differs = "its code multiplies v by another sqrt(2)", .needs = "its paper alone", PLAIN,
     .init = CHOICE(init_t_fixup, 0)},
    {"layerscale", "LayerScale", "Touvron et al. 2021 (CaiT)", .differs = "x-transformers starts at 0",
     .needs = "its paper alone", IN(LN), .gate = RULE(deep_row, 1)},
    {"lns", "LN scaling", "Sun et al. 2025",
     .differs = "the authors' first code never applies it (a name in lower case); their README says not to "
     "combine it with the 1/sqrt(2L) start, which this row leaves out",
     .needs = "001-4", IN(LN), .depth_scale = RULE(layer_root, 1), .init = CHOICE(init_plain, 0)},
    {"mixln", "Mix-LN", "Li et al. 2024: Post-LN in the first quarter of the blocks, Pre-LN behind",
     .needs = "write-up 001, adaptive schedules", PLAIN, .final = LN,
     .span = {BEFORE(attn.post, LN, 1, 4), BEFORE(mlp.post, LN, 1, 4), FROM(attn.in, LN, 1, 4), FROM(mlp.in, LN,
     1, 4)}},
    {"residual", "ResiDual", "Xie et al. 2023",
     .differs = "its code scales r by 0.05 on a large corpus (streams: dual 0.05)",
     .needs = "write-up 001, its open question", POST(LN), .final = LN, .streams = CHOICE(streams_dual, 1)},
    {"b2t", "B2T", "Takase et al. 2022",
     .differs = "its code multiplies all weights by L^(-1/2) at the start", .needs = "its paper alone", POST(LN),
     .streams = CHOICE(streams_skip, 0)},
    {"admin", "Admin", "Liu et al. 2020",
     .differs = "the code, as here, starts its sum at 1, but has the root of Var[x_0] + Var[f_1] in its second ratio; "
     "admin-torch has a constant instead of the profiling pass; some notes put the vector on the branch",
     .needs = "001-3, 001-6, normbench run theory", POST(LN), .carry = RULE(profiled, 1)},
    {"gpas", "GPAS", "Chen et al. 2025",
     .differs = "its code applies the gate behind attention's sum and again behind the MLP's, this row once behind the "
     "block", .needs = "its paper alone", IN(LN), .shrink = RULE(learned, 0)},
    {"hybridnorm", "HybridNorm", "Zhuo et al. 2025", .differs = "the model has RoPE and SwiGLU (recipe: llama)",
     .needs = "its paper alone", PLAIN, .attn.qk = RMS, .attn.v = RMS, .attn.post = RMS, .final = RMS},
    {"hybridnorm-star", "HybridNorm*", "Zhuo et al. 2025, its first block Pre-LN",
     .differs = "the model has RoPE and SwiGLU (recipe: llama)", .needs = "its paper alone",
     PLAIN, .attn.qk = RMS, .attn.v = RMS, .attn.post = RMS, .final = RMS,
     .span = {FIRST(attn.in, RMS), FIRST(attn.post, NORM_none), FIRST(mlp.in, RMS)}},
    {"keel", "KEEL", "arXiv 2601.19895",
     .differs = "alpha = 2L was not verified in the paper's text", .needs = "001-4, 1,000 layers",
     POST(LN), .attn.in = LN, .mlp.in = LN, .carry = RULE(sublayers, 1)},
    {"ngpt", "nGPT", "Loshchilov et al. 2024",
     .differs = "q and k have a gain each, one for all heads, where the code shares one per head and channel, held as "
     "1/sqrt(d); the code norms behind RoPE and takes |alpha|; the model has RoPE, SwiGLU, no biases, no decay and no "
     "warm-up",
     .needs = "write-up 001, its open question", POST(NORM_unit), .attn.out = NORM_unit, .mlp.out = NORM_unit,
     .attn.qk = RMS, .embed = NORM_unit, .carry = RULE(rest, 1), .gate = RULE(unit_row, 0.05),
     .hidden_scale = RULE(root_row, 1), .logit_scale = RULE(unit_row, 1), .init = CHOICE(init_unit, 0),
     .after_step = CHOICE(after_step_renormalize, 0)},
    {"x0-lambdas", "x0 lambdas", "the programs nanochat and modded-nanogpt",
     .differs = "the model has RMSNorm without gains, norms of q and k, RoPE and ReLU^2",
     .needs = "write-up 001, residual scaling", IN(RMS), .embed = RMS, .block_carry = RULE_TO(learned_ramp, 1.15, 1.05),
     .x0 = RULE_TO(learned_ramp, .2, .05), .init = CHOICE(init_zero_out, 0)},
    {"attnres", "AttnRes", "arXiv 2603.15031, section 3", .differs = "x-transformers has projected queries and heads",
     .needs = "write-up 001, residual scaling", IN(RMS), .streams = CHOICE(streams_attnres, 0)},
    {"attnres-block", "AttnRes, blocks", "arXiv 2603.15031, section 3: eight groups of sublayers",
     .differs = "with eight sublayers or fewer (four blocks) it is attnres",
     .needs = "write-up 001, residual scaling", IN(RMS), .streams = CHOICE(streams_attnres_block, 8)},
    {"hyper", "Hyper-connections", "Zhu et al. 2024, static, four streams",
     .differs = "the streams are summed by learned numbers, at first 1, before the head; x-transformers mixes "
     "in mHC's Sinkhorn steps",
     .needs = "write-up 001, residual scaling", IN(LN), .streams = CHOICE(streams_hyper, 4)},
    {"mhc", "mHC", "Xie et al. 2025, four streams",
     .differs = "the paper does not print where its vectors b start, so that they are from secondary sources "
     "(implementations of others); here H is at first the identity but for 0.0003, and each of p and q the same for "
     "all streams",
     .needs = "write-up 001, residual scaling", IN(LN), .streams = CHOICE(streams_mhc, 4)},
    {"siamese", "SiameseNorm", "Li et al. 2026, each sublayer's input normed",
     .differs = "its code has RMSNorm, RoPE and SwiGLU (recipe: llama), and for its language models HybridNorm's norms",
     .needs = "write-up 001, residual scaling", POST(LN), .attn.in = LN, .mlp.in = LN, .final = LN,
     .gate = RULE(layer_root, 0.70710678118654752), .streams = CHOICE(streams_siamese, 0)},
    {"pre-to-post", "Pre- to Post-LN",
     "this suite: Pre-LN at the first step, Post-LN (with a norm before the head) at the last",
     .needs = "001-7 and the open question of write-up 001", IN(LN), .attn.post = LN, .mlp.post = LN,
     .in_strength = RULE_TO(moves, 1, 0), .post_strength = RULE_TO(moves, 0, 1)},
    {"post-to-pre", "Post- to Pre-LN", "this suite: the reverse of pre-to-post",
     .needs = "001-7 and the open question of write-up 001", IN(LN), .attn.post = LN, .mlp.post = LN,
     .in_strength = RULE_TO(moves, 0, 1), .post_strength = RULE_TO(moves, 1, 0)},
    {"fade-in", "Pre-LN, fading in", "this suite: norms whose strength grows from 0 to 1 over the steps",
     .needs = "001-7 and the open question of write-up 001", IN(LN), .in_strength = RULE_TO(moves, 0, 1)},
};
// clang-format on
const int variant_count = sizeof variants / sizeof variants[0];
