/* Fibers for the SIMT shim. A fiber starts through ucontext; after that _setjmp and _longjmp change places without system
 * calls. AddressSanitizer does not understand jumps between stacks, so there swapcontext does it all. */
#include "kernels/cuda/simt/simt.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <vector>

#include "base/canon.h"
#include "kernels/cuda/simt/run.h"

thread_local SimtIndex threadIdx, blockIdx, blockDim, gridDim;

namespace {

enum { STACK = 128 << 10, MOST_SHARED = 100 << 10, WARP = CANON_LANES };
enum State { READY, AT_BLOCK, AT_WARP, ENDED };

struct Fiber {
    ucontext_t context;
    jmp_buf at;
    bool begun = false;
    State state = ENDED;
    SimtIndex index = {0, 0, 0};
    size_t shared = 0;  /* bytes of the block's memory this thread has asked for */
    unsigned turn = 0;  /* which half of the warp's slots its next exchange takes */
    std::vector<unsigned char> stack;
};

struct Warp {
    float slot[2][WARP];
};

struct Block {
    const char *name;
    void (*body)(const void *);
    const void *args;
    unsigned threads;
    std::vector<Fiber *> fiber;
    std::vector<Warp> warp;
    std::vector<unsigned char> shared, dynamic;
    Fiber *running = nullptr;
    ucontext_t home;
    jmp_buf back;
    unsigned order = 0;
};

thread_local Block block;

[[noreturn]] void mistake(const char *what) {
    fprintf(stderr, "simt: kernel %s, block %u %u %u: %s\n", block.name, blockIdx.x, blockIdx.y, blockIdx.z, what);
    abort();
}

#ifdef __SANITIZE_ADDRESS__
void leave() {
    swapcontext(&block.running->context, &block.home);
}

void enter(Fiber *f) {
    swapcontext(&block.home, &f->context);
}
#else
void leave() {
    if (!_setjmp(block.running->at)) _longjmp(block.back, 1);
}

void enter(Fiber *f) {
    if (_setjmp(block.back)) return;
    if (f->begun) _longjmp(f->at, 1);
    f->begun = true;
    setcontext(&f->context);
}
#endif

void fiber_main() {
    for (;;) {
        block.body(block.args);
        block.running->state = ENDED;
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

void wait(State where) {
    if (!block.running) mistake("a flat stage has no thread to wait for");
    block.running->state = where;
    leave();
}

/* Lets fibers [from, to) go on when all of them wait at `where`. */
bool release(size_t from, size_t to, State where) {
    size_t waiting = 0, ended = 0;
    for (size_t i = from; i < to; i++) {
        waiting += block.fiber[i]->state == where;
        ended += block.fiber[i]->state == ENDED;
    }
    if (waiting && ended) mistake(where == AT_BLOCK ? "some threads ended before a barrier of the block"
                                                    : "some lanes ended before an exchange of their warp");
    if (waiting < to - from) return false;
    for (size_t i = from; i < to; i++) block.fiber[i]->state = READY;
    return true;
}

/* A permutation of 0..n-1: i -> (a i + b) mod n with a coprime to n, or descending. */
size_t place(size_t i, size_t n, unsigned order) {
    if (order == 0) return i;
    if (order == 1) return n - 1 - i;
    size_t a = 2 * (size_t)order + 1;
    auto divides = [n](size_t d) {
        for (size_t x = n, y = d; ; ) {
            if (!y) return x != 1;
            size_t rest = x % y;
            x = y, y = rest;
        }
    };
    while (divides(a)) a += 2;
    return (a * i + order) % n;
}

void run_block() {
    size_t ended = 0, n = block.threads;
    memset(block.shared.data(), 0xff, block.shared.size());
    memset(block.dynamic.data(), 0xff, block.dynamic.size());
    for (size_t i = 0; i < n; i++) {
        Fiber *f = block.fiber[i];
        f->state = READY, f->shared = 0, f->turn = 0;
        f->index = SimtIndex{(unsigned)i, 0, 0};
    }
    while (ended < n) {
        bool moved = false;
        for (size_t k = 0; k < n; k++) {
            Fiber *f = block.fiber[place(k, n, block.order)];
            if (f->state != READY) continue;
            moved = true;
            threadIdx = f->index;
            block.running = f;
            enter(block.running);
            ended += block.running->state == ENDED;
            size_t warp = block.running->index.x / WARP * WARP;
            block.running = nullptr;
            (void)release(warp, warp + WARP < n ? warp + WARP : n, AT_WARP);
        }
        if (ended < n && !release(0, n, AT_BLOCK) && !moved) mistake("its threads wait for each other in different places");
    }
}

void run_flat() {
    memset(block.shared.data(), 0xff, block.shared.size());
    for (unsigned i = 0; i < block.threads; i++) {
        threadIdx = SimtIndex{(unsigned)place(i, block.threads, block.order), 0, 0};
        block.body(block.args);
    }
}

} // namespace

void simt_order(unsigned order) {
    block.order = order;
}

void simt_run(const char *name, const void *body, Grid grid, const void *args, bool flat) {
    block.name = name, block.body = (void (*)(const void *))body, block.args = args, block.threads = grid.threads;
    block.shared.resize(flat ? 0 : MOST_SHARED);
    block.dynamic.resize(grid.shared);
    if (!flat) {
        while (block.fiber.size() < grid.threads) block.fiber.push_back(new_fiber());
        block.warp.resize((grid.threads + WARP - 1) / WARP);
    }
    gridDim = SimtIndex{grid.x, grid.y, grid.z};
    blockDim = SimtIndex{grid.threads, 1, 1};
    size_t blocks = (size_t)grid.x * grid.y * grid.z;
    for (size_t k = 0; k < blocks; k++) {
        size_t b = place(k, blocks, block.order);
        blockIdx = SimtIndex{(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
        if (flat)
            run_flat();
        else
            run_block();
    }
}

void *simt_shared(size_t bytes) {
    if (!block.running) mistake("a flat stage has no memory to share");
    size_t from = (block.running->shared + 63) / 64 * 64;
    block.running->shared = from + bytes;
    if (from + bytes > MOST_SHARED) mistake("more shared memory than a block has");
    return block.shared.data() + from;
}

void *simt_dynamic(void) {
    return block.dynamic.data();
}

void __syncthreads(void) {
    wait(AT_BLOCK);
}

void __syncwarp(void) {
    wait(AT_WARP);
}

/* One wait is enough: the next exchange takes the other half, and nobody is two exchanges ahead. */
static const float *exchange(unsigned lanes, float value) {
    Fiber *f = block.running;
    if (!f) mistake("a flat stage has no lane to exchange with");
    if (lanes != 0xffffffffu) mistake("only whole warps exchange");
    float *slot = block.warp[f->index.x / WARP].slot[f->turn++ & 1];
    slot[f->index.x % WARP] = value;
    wait(AT_WARP);
    return slot;
}

float __shfl_xor_sync(unsigned lanes, float value, int other) {
    unsigned lane = threadIdx.x % WARP;
    return exchange(lanes, value)[lane ^ (unsigned)other];
}

int __any_sync(unsigned lanes, int holds) {
    const float *slot = exchange(lanes, holds ? 1.0f : 0.0f);
    int any = 0;
    for (int i = 0; i < WARP; i++) any = any || slot[i] != 0;
    return any;
}
