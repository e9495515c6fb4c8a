/* Fibers for the SIMT shim. A fiber starts through ucontext; after that _setjmp and _longjmp switch fibers without
 * system calls. AddressSanitizer does not understand jumps between stacks, so under it
 * swapcontext does every switch. */
#undef _FORTIFY_SOURCE /* its _longjmp aborts on a jump to another stack */
#include "kernels/cuda/simt/simt.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <numeric>
#include <vector>

#include "base/canon.h"
#include "kernels/cuda/simt/run.h"

__thread SimtIndex threadIdx, blockIdx, blockDim, gridDim;

namespace {

enum { STACK = 128 << 10, MOST_SHARED = 100 << 10, WARP = CANON_LANES };
enum State { READY, WAITING, ENDED };

/* Who waits for each other: a block, or a warp of it. */
struct Party {
    size_t from, size, waiting, ended;
};

struct Fiber {
    ucontext_t context;
    jmp_buf at;
    bool begun = false;
    State state = ENDED;
    SimtIndex index = {0, 0, 0};
    unsigned turn = 0; /* which half of the warp's slots its next exchange takes */
    std::vector<unsigned char> stack;
};

struct Warp {
    Party lanes;
    float slot[2][WARP];
};

/* Each has memory of its own, so that AddressSanitizer knows where it ends. */
struct Shared {
    const void *place;
    size_t bytes;
    void *at;
};

struct Block {
    const char *name;
    void (*body)(const void *);
    const void *args;
    unsigned threads;
    std::vector<Fiber *> fiber;
    std::vector<Warp> warp;
    Party all;
    std::vector<Shared> shared;
    Shared dynamic = {nullptr, 0, nullptr};
    std::vector<size_t> order_of; /* whose turn comes when */
    Fiber *running = nullptr;
    ucontext_t home;
    jmp_buf back;
    unsigned order = 0;

    ~Block() {
        for (Fiber *f : fiber) delete f;
    }
};

__thread Block *ours;

/* This thread's block is made at its first launch and gone with it. */
void ready() {
    static thread_local Block block;
    ours = &block;
}

[[noreturn]] void mistake(const char *what) {
    fprintf(stderr, "simt: kernel %s, block %u %u %u: %s\n", ours->name, blockIdx.x, blockIdx.y, blockIdx.z, what);
    abort();
}

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define SWAP_CONTEXTS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SWAP_CONTEXTS
#endif

#ifdef SWAP_CONTEXTS
void leave() {
    swapcontext(&ours->running->context, &ours->home);
}

void enter(Fiber *f) {
    swapcontext(&ours->home, &f->context);
}
#else
void leave() {
    if (!_setjmp(ours->running->at)) _longjmp(ours->back, 1);
}

void enter(Fiber *f) {
    if (_setjmp(ours->back)) return;
    if (f->begun) _longjmp(f->at, 1);
    f->begun = true;
    setcontext(&f->context);
}
#endif

void end(Fiber *f);

void fiber_main() {
    for (;;) {
        ours->body(ours->args);
        end(ours->running);
        leave();
    }
}

Fiber *new_fiber() {
    Fiber *f = new Fiber;
    f->stack.resize(STACK);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack.data();
    f->context.uc_stack.ss_size = f->stack.size();
    f->context.uc_link = nullptr;
    makecontext(&f->context, fiber_main, 0);
    return f;
}

[[noreturn]] void some_ended(const Party *p) {
    mistake(p == &ours->all ? "some threads ended before a barrier of the block"
                            : "some lanes ended before an exchange of their warp");
}

/* The last to come lets all go on, and goes on itself. */
void wait(Party *p) {
    if (!ours->running) mistake("a flat stage has no thread to wait for");
    if (p->ended) some_ended(p);
    if (++p->waiting == p->size) {
        for (size_t i = p->from; i < p->from + p->size; i++) ours->fiber[i]->state = READY;
        p->waiting = 0;
        return;
    }
    ours->running->state = WAITING;
    leave();
}

Warp *warp_of(const Fiber *f) {
    return &ours->warp[f->index.x / WARP];
}

void end(Fiber *f) {
    Party *parties[] = {&ours->all, &warp_of(f)->lanes};
    f->state = ENDED;
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
    size_t used = bytes + ours->dynamic.bytes;
    for (const Shared &s : ours->shared) used += s.bytes;
    if (used > MOST_SHARED) mistake("more shared memory than a block has");
    Shared s = {place, bytes, malloc(bytes)};
    memset(s.at, 0xff, bytes);
    return s;
}

void run_block() {
    size_t n = ours->threads;
    ours->all = Party{0, n, 0, 0};
    for (size_t w = 0; w < ours->warp.size(); w++)
        ours->warp[w].lanes = Party{w * WARP, n - w * WARP < WARP ? n - w * WARP : (size_t)WARP, 0, 0};
    for (const Shared &s : ours->shared) memset(s.at, 0xff, s.bytes);
    if (ours->dynamic.bytes) memset(ours->dynamic.at, 0xff, ours->dynamic.bytes);
    for (size_t i = 0; i < n; i++) {
        Fiber *f = ours->fiber[i];
        f->state = READY, f->turn = 0;
        f->index = SimtIndex{(unsigned)i, 0, 0};
    }
    while (ours->all.ended < n) {
        bool moved = false;
        for (size_t i : ours->order_of) {
            Fiber *f = ours->fiber[i];
            if (f->state != READY) continue;
            moved = true;
            threadIdx = f->index;
            ours->running = f;
            enter(ours->running);
            ours->running = nullptr;
        }
        if (!moved) mistake("its threads wait for each other in different places");
    }
}

void run_flat() {
    for (size_t i : ours->order_of) {
        threadIdx = SimtIndex{(unsigned)i, 0, 0};
        ours->body(ours->args);
    }
}

} // namespace

void simt_order(unsigned order) {
    ready();
    ours->order = order;
}

void simt_run(const char *name, const void *body, Grid grid, const void *args, bool flat) {
    ready();
    ours->name = name, ours->body = (void (*)(const void *))body, ours->args = args, ours->threads = grid.threads;
    if (grid.shared) ours->dynamic = new_shared(nullptr, grid.shared);
    if (!flat) {
        while (ours->fiber.size() < grid.threads) ours->fiber.push_back(new_fiber());
    }
    ours->warp.resize((grid.threads + WARP - 1) / WARP);
    gridDim = SimtIndex{grid.x, grid.y, grid.z};
    blockDim = SimtIndex{grid.threads, 1, 1};
    std::vector<size_t> blocks;
    permute(blocks, (size_t)grid.x * grid.y * grid.z, ours->order);
    permute(ours->order_of, grid.threads, ours->order);
    for (size_t b : blocks) {
        blockIdx = SimtIndex{(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
        if (flat)
            run_flat();
        else
            run_block();
    }
    for (const Shared &shared : ours->shared) free(shared.at);
    ours->shared.clear();
    free(ours->dynamic.at);
    ours->dynamic = Shared{nullptr, 0, nullptr};
}

void *simt_shared(const void *place, size_t bytes) {
    if (!ours->running) mistake("a flat stage has no memory to share");
    for (const Shared &s : ours->shared)
        if (s.place == place) return s.at;
    ours->shared.push_back(new_shared(place, bytes));
    return ours->shared.back().at;
}

void *simt_dynamic(void) {
    if (!ours->running) mistake("a flat stage has no memory to share");
    return ours->dynamic.at;
}

void __syncthreads(void) {
    wait(&ours->all);
}

void __syncwarp(void) {
    if (!ours->running) mistake("a flat stage has no warp to wait for");
    wait(&warp_of(ours->running)->lanes);
}

/* One wait is enough: the next exchange uses the other half, and no thread can be two exchanges ahead. */
static const float *exchange(unsigned lanes, float value) {
    Fiber *f = ours->running;
    if (!f) mistake("a flat stage has no lane to exchange with");
    if (lanes != 0xffffffffu) mistake("only whole warps exchange");
    float *slot = ours->warp[f->index.x / WARP].slot[f->turn++ & 1];
    slot[f->index.x % WARP] = value;
    wait(&warp_of(f)->lanes);
    return slot;
}

float __shfl_xor_sync(unsigned lanes, float value, int other) {
    unsigned lane = threadIdx.x % WARP;
    return exchange(lanes, value)[lane ^ (unsigned)other];
}

unsigned __ballot_sync(unsigned lanes, int holds) {
    const float *slot = exchange(lanes, holds ? 1.0f : 0.0f);
    unsigned all = 0;
    for (unsigned i = 0; i < WARP; i++) all |= (unsigned)(slot[i] != 0) << i;
    return all;
}

int __any_sync(unsigned lanes, int holds) {
    return __ballot_sync(lanes, holds) != 0;
}
