/* Fibers for the SIMT shim. A fiber starts through ucontext; after that jumps switch fibers without system calls.
 * AddressSanitizer's own _longjmp forgets what it knows of a stack, and its swapcontext clears a whole stack's shadow
 * (a quarter of the time of sanitize.sh), so under it the compiler's jumps switch fibers. */
#undef _FORTIFY_SOURCE /* its _longjmp aborts on a jump to another stack */
#include "kernels/cuda/simt/simt.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/canon.h"
#include "kernels/cuda/simt/limits.h"

__thread SimtIndex threadIdx, blockIdx, blockDim, gridDim;
__thread const SimtCall *simt_called;

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define ADDRESSES_CHECKED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ADDRESSES_CHECKED
#endif
#ifdef ADDRESSES_CHECKED
typedef void *Landing[5];
#define LAND(at) __builtin_setjmp(at)
#define JUMP(at) __builtin_longjmp(at, 1)
#define OF_JUMPS __attribute__((noinline, no_sanitize("address")))
#else
typedef jmp_buf Landing;
#define LAND(at) _setjmp(at)
#define JUMP(at) _longjmp(at, 1)
#define OF_JUMPS
#endif

namespace {

enum { STACK = 128 << 10, WARP = CANON_LANES };
enum { TOGETHER = 3 }; /* blocks alive at once: no divisor of the usual grids */
enum State { READY, WAITING, ENDED };

/* Who waits for each other: a block, or a warp of it. */
struct Party {
    size_t from, size, waiting, ended;
    size_t path, first; /* where the first of those waiting does, and who it is */
};

struct Fiber {
    ucontext_t context;
    Landing at;
    bool begun = false;
    unsigned index = 0;               /* threadIdx.x */
    unsigned turn = 0;                /* which half of the warp's slots its next exchange takes */
    const SimtPlace *place = nullptr; /* where it waits */
    const SimtCall *called = nullptr;
    std::unique_ptr<unsigned char[]> stack{new unsigned char[STACK]};
};

struct Warp {
    Party lanes;
    float slot[2][WARP];
    float factor[2][WARP * SIMT_FACTORS];
};

/* Each has memory of its own, so that AddressSanitizer knows where it ends. */
struct Shared {
    const void *place;
    size_t bytes;
    void *at;
};

/* One that is alive. */
struct Block {
    SimtIndex index = {0, 0, 0};
    std::vector<std::unique_ptr<Fiber>> fiber;
    std::vector<unsigned char> state; /* of each, a State */
    std::vector<Warp> warp;
    Party all;
    std::vector<Shared> shared;
    Shared dynamic = {nullptr, 0, nullptr};
};

struct Machine {
    const char *name;
    const SimtKernel *kernel;
    const void *args;
    Grid grid;
    Block block[TOGETHER];
    Block *here;                  /* whose turn it is */
    std::vector<size_t> order_of; /* threads of a block: whose turn comes when */
    size_t next = 0;              /* in that order, of this round */
    Fiber *running = nullptr;
    Landing back;
    unsigned order = 0;
};

__thread Machine *ours;

/* This thread's machine is made at its first launch and gone with it. */
void ready() {
    static thread_local Machine machine;
    ours = &machine;
}

[[noreturn]] void mistake(const char *what) {
    fprintf(stderr, "simt: kernel %s, block %u %u %u: %s\n", ours->name, blockIdx.x, blockIdx.y, blockIdx.z, what);
    abort();
}

/* The next thread of the round that can go on has its turn. Null: none can. */
Fiber *take_turn() {
    const Block *b = ours->here;
    Fiber *f = nullptr;
    for (size_t n = ours->order_of.size(); !f && ours->next < n; ours->next++) {
        const size_t i = ours->order_of[ours->next];
        if (b->state[i] == READY) f = b->fiber[i].get();
    }
    ours->running = f;
    if (f) threadIdx.x = f->index;
    return f;
}

/* From one thread to the next, and after the last back to who called `enter`. */
OF_JUMPS [[noreturn]] void go_on(Fiber *f) {
    if (f->begun) JUMP(f->at);
    f->begun = true;
    setcontext(&f->context);
    abort();
}

OF_JUMPS [[noreturn]] void go_back() {
    JUMP(ours->back);
}

OF_JUMPS void leave() {
    if (LAND(ours->running->at)) return;
    Fiber *next = take_turn();
    if (!next) go_back();
    go_on(next);
}

OF_JUMPS void enter(Fiber *f) {
    if (!LAND(ours->back)) go_on(f);
}

void end(Fiber *f);

void fiber_main() {
    for (;;) {
        simt_called = nullptr;
        ours->kernel->call(ours->args);
        end(ours->running);
        leave();
    }
}

std::unique_ptr<Fiber> new_fiber() {
    std::unique_ptr<Fiber> f(new Fiber);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack.get();
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = nullptr;
    makecontext(&f->context, fiber_main, 0);
    return f;
}

[[noreturn]] void some_ended(const Party *p) {
    mistake(p == &ours->here->all ? "some threads ended before a barrier of the block"
                                  : "some lanes ended before an exchange of their warp");
}

std::string tell(const SimtPlace *at) {
    const char *file = at->file;
    while (!strncmp(file, "../", 3)) file += 3;
    return std::string(at->what) + " at " + file + ":" + std::to_string(at->line);
}

/* "__syncthreads at kernels/cuda/chain.cuh:15 of chain_sum at kernels/cuda/mean.cu:7" */
std::string tell(const Fiber *f) {
    std::string text = tell(f->place);
    for (const SimtCall *c = f->called; c; c = c->from) text += " of " + tell(c->at);
    return text;
}

[[noreturn]] void apart(const Party *p, const Fiber *a, const Fiber *b) {
    const bool all = p == &ours->here->all;
    const unsigned i = all ? a->index : a->index % WARP, j = all ? b->index : b->index % WARP;
    std::string text = std::string(all ? "threads " : "lanes ") + std::to_string(i) + " and " + std::to_string(j);
    text += std::string(" of a ") + (all ? "block" : "warp") + " meet in different places: ";
    mistake((text + tell(a) + "; " + tell(b)).c_str());
}

/* The last to come lets all go on, and goes on itself. */
void wait(Party *p, const SimtPlace *here) {
    Fiber *f = ours->running;
    Block *b = ours->here;
    const size_t path = simt_path(here);
    if (p->ended) some_ended(p);
    f->place = here, f->called = simt_called;
    if (!p->waiting)
        p->path = path, p->first = f->index;
    else if (p->path != path)
        apart(p, b->fiber[p->first].get(), f);
    if (++p->waiting == p->size) {
        memset(&b->state[p->from], READY, p->size);
        p->waiting = 0;
        return;
    }
    b->state[f->index] = WAITING;
    leave();
    simt_called = f->called;
}

Warp *warp_of(const Fiber *f) {
    return &ours->here->warp[f->index / WARP];
}

void end(Fiber *f) {
    Party *parties[] = {&ours->here->all, &warp_of(f)->lanes};
    ours->here->state[f->index] = ENDED;
    for (Party *p : parties) {
        p->ended++;
        if (p->waiting) some_ended(p);
    }
}

/* 0..n-1 ascending, descending, or permuted: i -> (a i + b) mod n with a coprime to n. */
void permute(std::vector<size_t> &turn, size_t n, unsigned order) {
    size_t a = order == 0 ? 1 : order == 1 ? n - 1 : 2 * (size_t)order + 1, b = order == 1 ? n - 1 : order;
    while (order > 1 && std::gcd(a, n) > 1) a++;
    turn.resize(n);
    for (size_t i = 0; i < n; i++) turn[i] = (a * i + b) % n;
}

Shared new_shared(const void *place, size_t bytes) {
    size_t declared = place ? bytes : 0;
    char why[SIMT_WHY];
    for (const Shared &s : ours->here->shared) declared += s.bytes;
    if (!simt_may_share(why, declared, ours->grid.shared)) mistake(why);
    Shared s = {place, bytes, malloc(bytes)};
    memset(s.at, 0xff, bytes);
    return s;
}

/* Whose turn it is from here on. */
void turn_to(Block *b) {
    ours->here = b;
    blockIdx = b->index;
}

void start() {
    Block *b = ours->here;
    size_t n = ours->grid.threads;
    b->all = Party{0, n, 0, 0, 0, 0};
    b->warp.resize((n + WARP - 1) / WARP);
    for (size_t w = 0; w < b->warp.size(); w++)
        b->warp[w].lanes = Party{w * WARP, n - w * WARP < WARP ? n - w * WARP : (size_t)WARP, 0, 0, 0, 0};
    for (const Shared &s : b->shared) memset(s.at, 0xff, s.bytes);
    if (b->dynamic.at)
        memset(b->dynamic.at, 0xff, b->dynamic.bytes);
    else if (ours->grid.shared)
        b->dynamic = new_shared(nullptr, ours->grid.shared);
    while (b->fiber.size() < n) b->fiber.push_back(new_fiber());
    b->state.assign(n, READY);
    for (size_t i = 0; i < n; i++) b->fiber[i]->turn = 0, b->fiber[i]->index = (unsigned)i;
}

/* Every thread of the block that can goes on to where it waits next, or to its end. */
void round() {
    ours->next = 0;
    Fiber *f = take_turn();
    if (!f) mistake("its threads wait for each other in different places");
    enter(f);
}

void run_blocks(size_t alive) {
    for (size_t k = 0; k < alive; k++) turn_to(&ours->block[k]), start();
    for (size_t ended = 0; ended < alive;)
        for (size_t k = 0; k < alive; k++) {
            if (ours->block[k].all.ended == ours->grid.threads) continue;
            turn_to(&ours->block[k]);
            round();
            ended += ours->block[k].all.ended == ours->grid.threads;
        }
}

void run_flat(size_t alive) {
    for (size_t i : ours->order_of) {
        threadIdx.x = (unsigned)i;
        for (size_t k = 0; k < alive; k++) {
            if (alive > 1 || !k) turn_to(&ours->block[k]);
            ours->kernel->call(ours->args);
        }
    }
}

void forget_shared(Block &b) {
    for (const Shared &shared : b.shared) free(shared.at);
    b.shared.clear();
    free(b.dynamic.at);
    b.dynamic = Shared{nullptr, 0, nullptr};
}

} // namespace

void simt_order(unsigned order) {
    ready();
    ours->order = order;
}

void simt_run(const char *name, const void *body, Grid grid, const void *args, bool flat) {
    char why[SIMT_WHY];
    ready();
    ours->name = name, ours->kernel = (const SimtKernel *)body, ours->args = args, ours->grid = grid;
    if (!simt_may_launch(why, ours->kernel, grid)) {
        fprintf(stderr, "simt: kernel %s cannot be launched: %s\n", name, why);
        abort();
    }
    gridDim = SimtIndex{grid.x, grid.y, grid.z};
    blockDim = SimtIndex{grid.threads, 1, 1};
    std::vector<size_t> blocks;
    const unsigned order = ours->order & ~(unsigned)SIMT_TOGETHER;
    const size_t most = ours->order & SIMT_TOGETHER ? (size_t)TOGETHER : 1;
    permute(blocks, (size_t)grid.x * grid.y * grid.z, order);
    permute(ours->order_of, grid.threads, order);
    for (size_t first = 0; first < blocks.size(); first += most) {
        size_t alive = blocks.size() - first < most ? blocks.size() - first : most;
        for (size_t k = 0; k < alive; k++) {
            size_t b = blocks[first + k];
            ours->block[k].index =
                SimtIndex{(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
        }
        if (flat)
            run_flat(alive);
        else
            run_blocks(alive);
    }
    for (Block &b : ours->block) forget_shared(b);
}

void *simt_shared(const void *place, size_t bytes) {
    if (!ours->running) mistake("a flat stage has no memory to share");
    Block *b = ours->here;
    for (const Shared &s : b->shared)
        if (s.place == place) return s.at;
    b->shared.push_back(new_shared(place, bytes));
    return b->shared.back().at;
}

void *simt_dynamic(void) {
    if (!ours->running) mistake("a flat stage has no memory to share");
    return ours->here->dynamic.at;
}

void simt_syncthreads(const SimtPlace *here) {
    if (!ours->running) mistake("a flat stage has no thread to wait for");
    wait(&ours->here->all, here);
}

void simt_syncwarp(const SimtPlace *here) {
    if (!ours->running) mistake("a flat stage has no warp to wait for");
    wait(&warp_of(ours->running)->lanes, here);
}

/* One wait is enough: the next exchange uses the other half, and no thread can be two exchanges ahead. */
static const float *exchange(const SimtPlace *here, unsigned lanes, float value) {
    Fiber *f = ours->running;
    if (!f) mistake("a flat stage has no lane to exchange with");
    if (lanes != 0xffffffffu) mistake("only whole warps exchange");
    Warp *warp = warp_of(f);
    float *slot = warp->slot[f->turn++ & 1];
    slot[f->index % WARP] = value;
    wait(&warp->lanes, here);
    return slot;
}

/* Beside an exchange, whose half of the warp's slots says which half of these. */
const float *simt_factors(const SimtPlace *here, const float *own, int count) {
    Fiber *f = ours->running;
    if (!f) mistake("a flat stage has no lanes to multiply with");
    float *all = warp_of(f)->factor[f->turn & 1];
    memcpy(all + f->index % WARP * SIMT_FACTORS, own, (size_t)count * sizeof *own);
    exchange(here, 0xffffffffu, 0);
    return all;
}

void simt_mistake(const char *what) {
    mistake(what);
}

float simt_shfl_xor(const SimtPlace *here, unsigned lanes, float value, int other) {
    unsigned lane = threadIdx.x % WARP;
    return exchange(here, lanes, value)[lane ^ (unsigned)other];
}

unsigned simt_ballot(const SimtPlace *here, unsigned lanes, int holds) {
    const float *slot = exchange(here, lanes, holds ? 1.0f : 0.0f);
    unsigned all = 0;
    for (unsigned i = 0; i < WARP; i++) all |= (unsigned)(slot[i] != 0) << i;
    return all;
}

int simt_any(const SimtPlace *here, unsigned lanes, int holds) {
    return simt_ballot(here, lanes, holds) != 0;
}
