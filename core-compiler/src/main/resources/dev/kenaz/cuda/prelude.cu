// Scalar types and functions of the Futhark language, for kernels.

#ifdef __CUDACC__
#pragma nv_diag_suppress 177, 550
#endif

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define KZ_INLINE __device__ __forceinline__
#define KZ static KZ_INLINE
#ifndef KZ_KERNEL
#define KZ_KERNEL extern "C" __global__
#endif
// Declares a kernel of which two blocks of 256 threads are to find room on a multiprocessor.
#ifndef KZ_TWO_BLOCKS
#define KZ_TWO_BLOCKS extern "C" __global__ __launch_bounds__(256, 2)
#endif
#ifndef KZ_DYNAMIC_SHARED
#define KZ_DYNAMIC_SHARED(T, name)                \
  extern __shared__ __align__(16) char kz_dyn[]; \
  T *const name = (T *)kz_dyn
#endif

template <class T> struct kz_unsigned { typedef T type; };
template <> struct kz_unsigned<i8> { typedef u8 type; };
template <> struct kz_unsigned<i16> { typedef u16 type; };
template <> struct kz_unsigned<i32> { typedef u32 type; };
template <> struct kz_unsigned<i64> { typedef u64 type; };

// Memory

template <class T> KZ T &at(i64 base, i64 index) { return ((T *)base)[index]; }

// The same in device memory, which the compiler can't tell of an address that was a number.
template <class T> KZ T &in_device(i64 base, i64 index) {
  T *p = (T *)base + index;
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(p));
#endif
  return *p;
}

KZ void copy_bytes(i64 to, i64 from, i64 n) {
  i64 i = 0;
  if (((to | from) & 7) == 0)
    for (; i + 8 <= n; i += 8) *(u64 *)(to + i) = *(u64 *)(from + i);
  for (; i < n; i++) *(u8 *)(to + i) = *(u8 *)(from + i);
}

// A buffer of the thread begins as an array of its own, of so many bytes, which is neither made nor
// freed, and whose elements lie between those of other threads. What comes from the heap is larger.
#define KZ_OWN 512

// More memory for a buffer of the thread, whose contents are lost; false if there is none.
KZ bool heap_grow(i64 &base, i64 &capacity, i64 n) {
  if (base != 0 && capacity >= n) return true;
  if (capacity > KZ_OWN) free((void *)base);
  capacity = n > KZ_OWN ? n : KZ_OWN + 1;
  base = n < 0 ? 0 : (i64)malloc((size_t)capacity);
  return base != 0;
}

KZ void heap_free(i64 &base, i64 &capacity) {
  if (capacity <= KZ_OWN) return;
  free((void *)base);
  base = 0;
  capacity = -1;
}

template <class T> KZ void exchange(T &a, T &b) {
  T c = a;
  a = b;
  b = c;
}

// Failures: the first one is kept.

template <class... A> static __device__ __noinline__ void fail(i64 *faults, i64 site, A... a) {
  if (atomicCAS((u64 *)faults, (u64)0, (u64)(site + 1)) == 0) {
    i64 all[] = {0, a...};
    for (int k = 1; k < (int)(sizeof(all) / sizeof(i64)); k++) faults[k] = all[k];
  }
}

// Bits

template <class T, class S> KZ T bit_copy(S x) {
  static_assert(sizeof(T) == sizeof(S), "types of one size");
  union { S s; T t; } u;
  u.s = x;
  return u.t;
}

// f16: bits in memory, f32 in registers, rounded after each operation

#ifdef __CUDACC__
KZ u16 half_bits(f32 x) {
  u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}
KZ f32 half_value(u16 h) {
  f32 x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
KZ f32 half_round(f64 x) {
  u16 h;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
  return half_value(h);
}
#else
KZ u16 half_bits(f32 x) { return bit_copy<u16>((_Float16)x); }
KZ f32 half_value(u16 h) { return (f32)bit_copy<_Float16>(h); }
KZ f32 half_round(f64 x) { return (f32)(_Float16)x; }
#endif
KZ f32 half_round(f32 x) { return half_value(half_bits(x)); }
KZ f32 half_fma(f32 x, f32 y, f32 z) { return half_round((f64)x * (f64)y + (f64)z); }

KZ i64 fault_bits(f32 x) { return (i64)bit_copy<u32>(x); }
KZ i64 fault_bits(f64 x) { return bit_copy<i64>(x); }

// Integers: arithmetic wraps

template <class T> KZ T add(T x, T y) {
  typedef typename kz_unsigned<T>::type U;
  return (T)((U)x + (U)y);
}
template <class T> KZ T sub(T x, T y) {
  typedef typename kz_unsigned<T>::type U;
  return (T)((U)x - (U)y);
}
template <class T> KZ T mul(T x, T y) {
  typedef typename kz_unsigned<T>::type U;
  return (T)((u64)(U)x * (u64)(U)y);
}
template <> KZ_INLINE i32 mul<i32>(i32 x, i32 y) { return (i32)((u32)x * (u32)y); }
template <> KZ_INLINE u32 mul<u32>(u32 x, u32 y) { return x * y; }
template <class T> KZ T quot(T x, T y) {
  if ((T)-1 < (T)0 && y == (T)-1) return sub<T>(0, x);
  return (T)(x / y);
}
template <class T> KZ T rem(T x, T y) {
  if ((T)-1 < (T)0 && y == (T)-1) return 0;
  return (T)(x % y);
}
// rounds down
template <class T> KZ T floor_div(T x, T y) {
  T q = quot<T>(x, y);
  return (T)(rem<T>(x, y) != 0 && (x < 0) != (y < 0) ? q - 1 : q);
}
// has the divisor's sign
template <class T> KZ T floor_mod(T x, T y) {
  T r = rem<T>(x, y);
  return (T)(r != 0 && (r < 0) != (y < 0) ? r + y : r);
}
template <class T> KZ T int_pow(T x, T y) {
  T r = 1;
  u64 n = (u64)y;
  while (n != 0) {
    if (n & 1) r = mul<T>(r, x);
    x = mul<T>(x, x);
    n >>= 1;
  }
  return r;
}
template <class T> KZ T int_min(T x, T y) { return x < y ? x : y; }
template <class T> KZ T int_max(T x, T y) { return x > y ? x : y; }
template <class T> KZ T shl(T x, T y) {
  typedef typename kz_unsigned<T>::type U;
  return (T)((U)x << (y & (T)(8 * sizeof(T) - 1)));
}
template <class T> KZ T shr(T x, T y) { return (T)(x >> (y & (T)(8 * sizeof(T) - 1))); }
template <class T> KZ T ushr(T x, T y) {
  typedef typename kz_unsigned<T>::type U;
  return (T)((U)x >> (y & (T)(8 * sizeof(T) - 1)));
}
template <class T> KZ T int_abs(T x) { return x < 0 ? sub<T>(0, x) : x; }
template <class T> KZ T int_sgn(T x) { return (T)((x > 0) - (x < 0)); }
template <class T> KZ T mul_hi(T x, T y) { return (T)(((i64)x * (i64)y) >> (8 * sizeof(T))); }
template <> KZ_INLINE u32 mul_hi<u32>(u32 x, u32 y) { return (u32)(((u64)x * (u64)y) >> 32); }
#ifdef __CUDACC__
template <> KZ_INLINE i64 mul_hi<i64>(i64 x, i64 y) { return __mul64hi(x, y); }
template <> KZ_INLINE u64 mul_hi<u64>(u64 x, u64 y) { return __umul64hi(x, y); }
KZ i32 kz_popc(u64 x) { return __popcll(x); }
KZ i32 kz_clz(u64 x) { return __clzll((i64)x); }
KZ i32 kz_ffs(u64 x) { return __ffsll((i64)x); }
#else
template <> KZ_INLINE i64 mul_hi<i64>(i64 x, i64 y) { return (i64)(((__int128)x * y) >> 64); }
template <> KZ_INLINE u64 mul_hi<u64>(u64 x, u64 y) {
  return (u64)(((unsigned __int128)x * y) >> 64);
}
KZ i32 kz_popc(u64 x) { return __builtin_popcountll(x); }
KZ i32 kz_clz(u64 x) { return x == 0 ? 64 : __builtin_clzll(x); }
KZ i32 kz_ffs(u64 x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
#endif
// The product of two sizes; one that no memory can hold is 2^56.
KZ i64 size_of(i64 x, i64 y) {
  i64 product = (i64)((u64)x * (u64)y);
  bool exact = (x | y | product) >= 0 && mul_hi<i64>(x, y) == 0;
  return exact && product < (1ll << 56) ? product : 1ll << 56;
}
template <class T> KZ i32 popc(T x) { return kz_popc((u64)(typename kz_unsigned<T>::type)x); }
template <class T> KZ i32 clz(T x) {
  return kz_clz((u64)(typename kz_unsigned<T>::type)x) - 64 + (i32)(8 * sizeof(T));
}
template <class T> KZ i32 ctz(T x) {
  i32 first = kz_ffs((u64)(typename kz_unsigned<T>::type)x);
  return first == 0 ? (i32)(8 * sizeof(T)) : first - 1;
}

// Floats to integers: truncated, saturating, but negative ones wrap in unsigned types; NaN and
// infinities to 0

template <class T, class F> KZ T to_int(F x, F low, F high, T lowest, T highest) {
  return !(x - x == 0) ? (T)0 : x <= low ? lowest : x >= high ? highest : (T)x;
}
template <class T, class F> KZ T float_to(F x);
#define KZ_FLOAT_TO(T, LOW, HIGH, LOWEST, HIGHEST)                                              \
  template <> KZ_INLINE T float_to<T, f32>(f32 x) {                                                    \
    return to_int<T, f32>(x, (f32)(LOW), (f32)(HIGH), LOWEST, HIGHEST);                         \
  }                                                                                             \
  template <> KZ_INLINE T float_to<T, f64>(f64 x) {                                                    \
    return to_int<T, f64>(x, LOW, HIGH, LOWEST, HIGHEST);                                       \
  }
KZ_FLOAT_TO(i8, -128.0, 127.0, -128, 127)
KZ_FLOAT_TO(i16, -32768.0, 32767.0, -32768, 32767)
KZ_FLOAT_TO(i32, -2147483648.0, 2147483648.0, (i32)0x80000000u, 2147483647)
KZ_FLOAT_TO(i64, -9223372036854775808.0, 9223372036854775808.0, (i64)0x8000000000000000ull,
            9223372036854775807ll)
#define KZ_FLOAT_TO_UNSIGNED(T, HIGH, HIGHEST)                                                  \
  template <> KZ_INLINE T float_to<T, f32>(f32 x) {                                                    \
    return x < 0 ? (T)float_to<i64, f32>(x) : to_int<T, f32>(x, 0, (f32)(HIGH), 0, HIGHEST);    \
  }                                                                                             \
  template <> KZ_INLINE T float_to<T, f64>(f64 x) {                                                    \
    return x < 0 ? (T)float_to<i64, f64>(x) : to_int<T, f64>(x, 0, HIGH, 0, HIGHEST);           \
  }
KZ_FLOAT_TO_UNSIGNED(u8, 255.0, 255)
KZ_FLOAT_TO_UNSIGNED(u16, 65535.0, 65535)
KZ_FLOAT_TO_UNSIGNED(u32, 4294967296.0, 4294967295u)
KZ_FLOAT_TO_UNSIGNED(u64, 18446744073709551616.0, 18446744073709551615ull)

// Floats

KZ f32 f_min(f32 x, f32 y) { return fminf(x, y); }
KZ f64 f_min(f64 x, f64 y) { return fmin(x, y); }
KZ f32 f_max(f32 x, f32 y) { return fmaxf(x, y); }
KZ f64 f_max(f64 x, f64 y) { return fmax(x, y); }
template <class F> KZ bool f_isinf(F x) { return x == x && !(x - x == 0); }
template <class F> KZ F f_sgn(F x) { return x > 0 ? (F)1 : x < 0 ? (F)-1 : x; }
KZ f32 f_mod(f32 x, f32 y) { return fmodf(x, y); }
KZ f64 f_mod(f64 x, f64 y) { return fmod(x, y); }
KZ f32 half_nextafter(f32 x, f32 y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  u16 bits = half_bits(x);
  if (x == 0) return half_value(y > 0 ? 1 : 0x8001);
  return half_value((u16)((y > x) == (x > 0) ? bits + 1 : bits - 1));
}

// Indivisible updates of what has no instruction, by compare-and-swap of the word around it

template <class T, class F> KZ T atomic_apply_4(T *p, F f) {
  u32 *word = (u32 *)p;
  u32 seen = *(volatile u32 *)word;
  for (;;) {
    u32 was = atomicCAS(word, seen, bit_copy<u32>(f(bit_copy<T>(seen))));
    if (was == seen) return bit_copy<T>(was);
    seen = was;
  }
}
template <class T, class F> KZ T atomic_apply_8(T *p, F f) {
  u64 *word = (u64 *)p;
  u64 seen = *(volatile u64 *)word;
  for (;;) {
    u64 was = atomicCAS(word, seen, bit_copy<u64>(f(bit_copy<T>(seen))));
    if (was == seen) return bit_copy<T>(was);
    seen = was;
  }
}
// B: an unsigned integer of 1 or 2 bytes
template <class B, class F> KZ void atomic_apply_small(B *p, F f) {
  u32 *word = (u32 *)((u64)p & ~(u64)3);
  u32 shift = (u32)((u64)p & 3) * 8;
  u32 mask = (u32)(B)~(B)0 << shift;
  u32 seen = *(volatile u32 *)word;
  for (;;) {
    B next = f((B)(seen >> shift));
    u32 was = atomicCAS(word, seen, (seen & ~mask) | ((u32)next << shift));
    if (was == seen) return;
    seen = was;
  }
}


// Products of matrices that the lanes of a warp have together, which all 32 lanes compute together:
// four sums of a lane, two elements of the left matrix for each one of the right

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
KZ void multiply_half(f64 &s, f64 &t, f64 x, f64 a) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(s), "+d"(t)
      : "d"(x), "d"(a));
}
KZ void multiply_part(f64 &s, f64 &t, f64 &u, f64 &v, f64 x, f64 y, f64 a) {
  multiply_half(s, t, x, a);
  multiply_half(u, v, y, a);
}
#else
KZ void multiply_part(f64 &s, f64 &t, f64 &u, f64 &v, f64 x, f64 y, f64 a) {
  const u32 all = 0xffffffffu;
  const i32 lane = threadIdx.x % 32, row = lane / 4 * 4, column = lane % 4 * 8;
  for (i32 k = 0; k < 4; k++) {
    const f64 upper = __shfl_sync(all, x, row + k), lower = __shfl_sync(all, y, row + k);
    const f64 left = __shfl_sync(all, a, column + k), right = __shfl_sync(all, a, column + 4 + k);
    s = fma(upper, left, s);
    t = fma(upper, right, t);
    u = fma(lower, left, u);
    v = fma(lower, right, v);
  }
}
#endif
KZ void multiply_tile(f64 &s, f64 &t, f64 &u, f64 &v, f64 x, f64 y, f64 z, f64 w, f64 a, f64 b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(s), "+d"(t), "+d"(u), "+d"(v)
      : "d"(x), "d"(y), "d"(z), "d"(w), "d"(a), "d"(b));
#else
  multiply_part(s, t, u, v, x, y, a);
  multiply_part(s, t, u, v, z, w, b);
#endif
}
