#include "tests/kernels/bf16_traps.h"

#include <assert.h>
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "kernels/cpu/simd/bf16.h"

enum { LANES = 16, TILES = 8, BYTES = 64 };

/* What the instructions have besides the interrupted thread's registers; one thread at a time. */
static struct {
    uint8_t tile[TILES][LANES][BYTES];
    bool configured;
    long taken;
    unsigned int ymm, zmm, high; /* where xsave keeps bits 128 to 255, 256 to 511, and registers 16 to 31 */
} machine;

typedef struct {
    const uint8_t *at; /* after the bytes read so far */
    greg_t *general;
    uint8_t *save;
    int map, pp, reg, other, rm; /* rm: a register, or -1 and memory */
    bool broadcast, x, b;
    uint8_t *memory, *index; /* base + displacement, and the index register's value */
} Instruction;

static void vector(uint8_t *out, const uint8_t *in, Instruction *i, int n) {
    struct {
        uint8_t *at;
        int from, bytes;
    } part[3] = {{i->save + 160 + 16 * n, 0, 16},
                 {i->save + machine.ymm + 16 * n, 16, 16},
                 {i->save + machine.zmm + 32 * n, 32, 32}};
    uint64_t present, touched = 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7;
    memcpy(&present, i->save + 512, sizeof present);
    present |= touched; /* what is restored, even where it was all zeros */
    if (!out) memcpy(i->save + 512, &present, sizeof present);
    if (n >= 16) part[0].at = i->save + machine.high + 64 * (n - 16), part[0].bytes = 64;
    for (int p = 0; p < (n < 16 ? 3 : 1); p++)
        if (out) memcpy(out + part[p].from, part[p].at, (size_t)part[p].bytes);
        else memcpy(part[p].at, in + part[p].from, (size_t)part[p].bytes);
}

static greg_t *general(const Instruction *i, int n) {
    static const int name[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return &i->general[name[n]];
}

/* ModR/M and what follows; a displacement of one byte counts `scale` bytes. */
static void operand(Instruction *i, int scale) {
    int mode = *i->at >> 6, rm = *i->at & 7;
    i->at++;
    if (mode == 3) {
        i->rm = rm | i->b << 3 | i->x << 4;
        return;
    }
    int base = rm | i->b << 3;
    i->rm = -1, i->index = NULL;
    bool none = false;
    if (rm == 4) {
        int sib = *i->at++, index = (sib >> 3 & 7) | i->x << 3;
        base = (sib & 7) | i->b << 3, none = (sib & 7) == 5 && mode == 0;
        if (index != 4) i->index = (uint8_t *)(*general(i, index) << (sib >> 6));
    } else if (rm == 5 && mode == 0)
        assert(!"relative to the instruction");
    uint8_t *at = none ? NULL : (uint8_t *)*general(i, base);
    int32_t far = 0;
    if (mode == 1) far = (int8_t)*i->at++ * scale;
    if (mode == 2 || none) memcpy(&far, i->at, 4), i->at += 4;
    i->memory = at + far;
}

static float dot(uint32_t a, uint32_t b, float c) {
    return bf16_step(bf16_even(a), bf16_even(b), bf16_step(bf16_odd(a), bf16_odd(b), c));
}

static void source(uint32_t out[LANES], Instruction *i) {
    const uint8_t *at = i->memory + (size_t)i->index;
    if (i->rm >= 0) vector((uint8_t *)out, NULL, i, i->rm);
    else
        for (int l = 0; l < LANES; l++) memcpy(&out[l], i->broadcast ? at : at + 4 * l, 4);
}

/* EVEX 0F38: 52 vdpbf16ps, 72 vcvtne2ps2bf16. */
static bool on_vectors(Instruction *i, int code) {
    uint32_t a[LANES], b[LANES], out[LANES];
    source(b, i);
    vector((uint8_t *)a, NULL, i, i->other);
    if (code == 0x52 && i->pp == 2) {
        float c[LANES];
        vector((uint8_t *)c, NULL, i, i->reg);
        for (int l = 0; l < LANES; l++) c[l] = dot(a[l], b[l], c[l]);
        memcpy(out, c, sizeof out);
    } else if (code == 0x72 && i->pp == 3) {
        for (int l = 0; l < LANES / 2; l++) {
            out[l] = bf16_pair(canon_from_bits(b[2 * l]), canon_from_bits(b[2 * l + 1]));
            out[LANES / 2 + l] = bf16_pair(canon_from_bits(a[2 * l]), canon_from_bits(a[2 * l + 1]));
        }
    } else return false;
    vector(NULL, (const uint8_t *)out, i, i->reg);
    return true;
}

static void tile_dot(uint8_t to[][BYTES], uint8_t a[][BYTES], uint8_t b[][BYTES]) {
    for (int r = 0; r < LANES; r++)
        for (int n = 0; n < LANES; n++) {
            float even = 0, odd = 0, c;
            for (int k = 0; k < LANES; k++) {
                uint32_t x, y;
                memcpy(&x, &a[r][4 * k], 4), memcpy(&y, &b[k][4 * n], 4);
                even = bf16_step(bf16_even(x), bf16_even(y), even), odd = bf16_step(bf16_odd(x), bf16_odd(y), odd);
            }
            memcpy(&c, &to[r][4 * n], 4);
            c = bf16_add(c, bf16_add(even, odd));
            memcpy(&to[r][4 * n], &c, 4);
        }
}

/* All tiles of 16 rows of 64 bytes, or it is not ours. */
static bool configure(const uint8_t *at) {
    if (at[0] != 1) return false;
    for (int i = 1; i < 64; i++) {
        int want = i >= 16 && i < 16 + 2 * TILES ? (i % 2 ? 0 : BYTES) : i >= 48 && i < 48 + TILES ? LANES : 0;
        if (at[i] != want) return false;
    }
    return machine.configured = true;
}

/* VEX 0F38: 49 ldtilecfg, tilerelease, tilezero; 4B tileloadd, tilestored; 5C tdpbf16ps. */
static bool on_tiles(Instruction *i, int code) {
    if (code == 0x49 && i->pp == 0 && i->rm < 0) return configure(i->memory + (size_t)i->index);
    if (code == 0x49 && i->pp == 0)
        return memset(machine.tile, 0xff, sizeof machine.tile), machine.configured = false, true;
    if (!machine.configured) return false;
    if (code == 0x49 && i->pp == 3) return memset(machine.tile[i->reg], 0, sizeof *machine.tile), true;
    if (code == 0x5c && i->pp == 2)
        return tile_dot(machine.tile[i->reg], machine.tile[i->rm], machine.tile[i->other]), true;
    if (code != 0x4b || i->rm >= 0 || i->pp < 2) return false;
    for (int r = 0; r < LANES; r++) {
        uint8_t *line = i->memory + (ptrdiff_t)r * (ptrdiff_t)i->index, *row = machine.tile[i->reg][r];
        memcpy(i->pp == 3 ? row : line, i->pp == 3 ? line : row, BYTES);
    }
    return true;
}

static bool decode(Instruction *i) {
    while (*i->at == 0x2e || *i->at == 0x36 || *i->at == 0x3e) i->at++; /* what assemblers align branches with */
    const uint8_t *p = i->at;
    bool wide = p[0] == 0x62;
    if (!wide && p[0] != 0xc4) return false;
    int first = p[1], second = p[2], third = wide ? p[3] : 0;
    i->x = !(first >> 6 & 1), i->b = !(first >> 5 & 1), i->map = first & (wide ? 7 : 31), i->pp = second & 3;
    i->reg = !(first >> 7) << 3 | (wide ? !(first >> 4 & 1) << 4 : 0);
    i->other = (~second >> 3 & 15) | (wide ? !(third >> 3 & 1) << 4 : 0);
    i->broadcast = wide && third >> 4 & 1;
    if (i->map != 2 || second >> 7 || (wide && ((third >> 5 & 3) != 2 || third & 7 || third >> 7))) return false;
    i->at += wide ? 5 : 4;
    int code = i->at[-1];
    i->reg |= *i->at >> 3 & 7;
    operand(i, wide ? (i->broadcast ? 4 : 64) : 1);
    return wide ? on_vectors(i, code) : on_tiles(i, code);
}

static void trapped(int signal_number, siginfo_t *info, void *context) {
    ucontext_t *u = context;
    Instruction i = {.at = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP], .general = u->uc_mcontext.gregs,
                     .save = (uint8_t *)u->uc_mcontext.fpregs};
    (void)info;
    if (!decode(&i)) {
        signal(signal_number, SIG_DFL); /* comes again, and ends the test */
        return;
    }
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)i.at;
    machine.taken++;
}

bool bf16_traps_set(void) {
    unsigned int size, ignored, *const at[] = {&machine.ymm, &machine.zmm, &machine.high};
    const unsigned int part[] = {2, 6, 7};
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    if (!__builtin_cpu_supports("avx512vl")) return false;
    for (int i = 0; i < 3; i++)
        if (!__get_cpuid_count(0xd, part[i], &size, at[i], &ignored, &ignored) || !size) return false;
    return !sigaction(SIGILL, &action, NULL);
}

long bf16_traps_taken(void) {
    return machine.taken;
}
