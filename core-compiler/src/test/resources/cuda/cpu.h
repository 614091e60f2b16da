// Runs CUDA C++ on a CPU: blocks on a few system threads, the threads of a block as fibers that
// take turns at barriers and shuffles. For tests.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <atomic>
#include <thread>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __align__(n) alignas(n)
#define __shared__ static thread_local
#define KZ_KERNEL static
#define KZ_TWO_BLOCKS static
#define KZ_DYNAMIC_SHARED(T, name) T *const name = (T *)cpu_dynamic

struct cpu_dim { unsigned x; };
static thread_local cpu_dim threadIdx, blockIdx, blockDim, gridDim;
static thread_local char *cpu_dynamic;

typedef void (*cpu_kernel)(long long *faults, const long long *arguments);

struct cpu_fiber { ucontext_t context; bool done; };
struct cpu_block {
  std::vector<cpu_fiber> fibers;
  std::vector<char> stacks;
  ucontext_t scheduler;
  unsigned current, live, arrived, generation;
  std::vector<unsigned> warp_arrived, warp_generation;
  std::vector<uint64_t> lanes;
  cpu_kernel kernel;
  long long *faults;
  const long long *arguments;
};
static thread_local cpu_block cpu;
static const size_t CPU_STACK = 1 << 17;

static void cpu_yield() {
  unsigned me = threadIdx.x;
  swapcontext(&cpu.fibers[me].context, &cpu.scheduler);
  threadIdx.x = me;
}

static void cpu_fiber_main() {
  cpu.kernel(cpu.faults, cpu.arguments);
  unsigned me = threadIdx.x;
  cpu.fibers[me].done = true;
  cpu.live--;
  if (cpu.live > 0 && cpu.arrived == cpu.live) {
    cpu.arrived = 0;
    cpu.generation++;
  }
  swapcontext(&cpu.fibers[me].context, &cpu.scheduler);
}

static void cpu_run_fibers() {
  unsigned n = blockDim.x;
  if (cpu.fibers.size() < n) {
    cpu.fibers.resize(n);
    cpu.stacks.resize(n * CPU_STACK);
  }
  cpu.live = n;
  cpu.arrived = 0;
  cpu.warp_arrived.assign((n + 31) / 32, 0);
  cpu.warp_generation.assign((n + 31) / 32, 0);
  cpu.lanes.resize(n + 32);
  for (unsigned t = 0; t < n; t++) {
    cpu_fiber &f = cpu.fibers[t];
    getcontext(&f.context);
    f.done = false;
    f.context.uc_stack.ss_sp = &cpu.stacks[t * CPU_STACK];
    f.context.uc_stack.ss_size = CPU_STACK;
    f.context.uc_link = 0;
    makecontext(&f.context, cpu_fiber_main, 0);
  }
  while (cpu.live > 0)
    for (unsigned t = 0; t < n; t++)
      if (!cpu.fibers[t].done) {
        threadIdx.x = t;
        swapcontext(&cpu.scheduler, &cpu.fibers[t].context);
      }
}

static void __syncthreads() {
  if (++cpu.arrived == cpu.live) {
    cpu.arrived = 0;
    cpu.generation++;
    return;
  }
  unsigned g = cpu.generation;
  while (cpu.generation == g) cpu_yield();
}

static thread_local int cpu_any;
static int __syncthreads_or(int c) {
  if (threadIdx.x == 0) cpu_any = 0;
  __syncthreads();
  cpu_any |= c;
  __syncthreads();
  return cpu_any;
}

static void cpu_sync_warp() {
  unsigned w = threadIdx.x / 32;
  unsigned size = blockDim.x - 32 * w < 32 ? blockDim.x - 32 * w : 32;
  if (++cpu.warp_arrived[w] == size) {
    cpu.warp_arrived[w] = 0;
    cpu.warp_generation[w]++;
    return;
  }
  unsigned g = cpu.warp_generation[w];
  while (cpu.warp_generation[w] == g) cpu_yield();
}

template <class T> static T cpu_from_lane(T x, int lane) {
  unsigned first = threadIdx.x & ~31u;
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof x);
  cpu.lanes[threadIdx.x] = bits;
  cpu_sync_warp();
  if (lane >= 0 && lane < 32) memcpy(&x, &cpu.lanes[first + lane], sizeof x);
  cpu_sync_warp();
  return x;
}
template <class T> static T __shfl_up_sync(unsigned, T x, int d) {
  return cpu_from_lane(x, (int)(threadIdx.x & 31) - d);
}
template <class T> static T __shfl_down_sync(unsigned, T x, int d) {
  return cpu_from_lane(x, (int)(threadIdx.x & 31) + d);
}
template <class T> static T __shfl_sync(unsigned, T x, int lane) {
  return cpu_from_lane(x, lane & 31);
}
static unsigned __ballot_sync(unsigned, bool c) {
  unsigned first = threadIdx.x & ~31u, all = 0;
  cpu.lanes[threadIdx.x] = c;
  cpu_sync_warp();
  for (int k = 0; k < 32; k++) all |= (cpu.lanes[first + k] ? 1u : 0u) << k;
  cpu_sync_warp();
  return all;
}

static void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
template <class T> static T atomicCAS(T *p, T expected, T x) {
  __atomic_compare_exchange_n(p, &expected, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}
template <class T> static T atomicExch(T *p, T x) {
  return __atomic_exchange_n(p, x, __ATOMIC_SEQ_CST);
}
template <class T> static T atomicAdd(T *p, T x) {
  return __atomic_fetch_add(p, x, __ATOMIC_SEQ_CST);
}
template <class T, class U> static T cpu_add_float(T *p, T x) {
  U seen = __atomic_load_n((U *)p, __ATOMIC_SEQ_CST);
  for (;;) {
    T old, next;
    U bits;
    memcpy(&old, &seen, sizeof old);
    next = old + x;
    memcpy(&bits, &next, sizeof bits);
    if (__atomic_compare_exchange_n((U *)p, &seen, bits, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return old;
  }
}
static float atomicAdd(float *p, float x) { return cpu_add_float<float, uint32_t>(p, x); }
static double atomicAdd(double *p, double x) { return cpu_add_float<double, uint64_t>(p, x); }
#define CPU_ATOMIC(NAME, NEXT)                                                                   \
  template <class T> static T NAME(T *p, T x) {                                                  \
    T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                \
    while (!__atomic_compare_exchange_n(p, &old, (T)(NEXT), false, __ATOMIC_SEQ_CST,             \
                                        __ATOMIC_SEQ_CST))                                       \
      ;                                                                                          \
    return old;                                                                                  \
  }
CPU_ATOMIC(atomicMin, old < x ? old : x)
CPU_ATOMIC(atomicMax, old > x ? old : x)
CPU_ATOMIC(atomicAnd, old &x)
CPU_ATOMIC(atomicOr, old | x)
CPU_ATOMIC(atomicXor, old ^ x)

// together: whether threads wait for each other
static void cpu_run(cpu_kernel kernel, bool together, long long blocks, int threads,
                    long long shared, long long *faults, const long long *arguments) {
  std::atomic<long long> next(0);
  auto work = [&] {
    std::vector<char> dynamic(shared + 64);
    cpu_dynamic = (char *)(((uintptr_t)dynamic.data() + 63) & ~(uintptr_t)63);
    cpu.kernel = kernel;
    cpu.faults = faults;
    cpu.arguments = arguments;
    blockDim.x = threads;
    gridDim.x = blocks;
    for (long long b; (b = next++) < blocks;) {
      blockIdx.x = b;
      if (together) {
        cpu_run_fibers();
      } else {
        for (int t = 0; t < threads; t++) {
          threadIdx.x = t;
          kernel(faults, arguments);
        }
      }
    }
  };
  if (blocks < 2) {
    work();
  } else {
    std::thread other(work);
    work();
    other.join();
  }
}
