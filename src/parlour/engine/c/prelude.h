/* The C that every game needs: sets in one integer, random draws, hashing of words, division as in Python, and reports
   of faults in the rules.  -DPARLOUR_BOUNDS_CHECK checks every index.  Needs GNU C (gcc, clang). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns") /* short loops must not become slow string instructions */
#pragma GCC optimize("no-ipa-ra") /* has vzeroupper run before pow: search in Diamondback gains a factor of 1.4 */
#endif
#include <stdint.h>
#if defined(__NVPTX__) /* a CUDA device has no C library: inexact functions are only declared, to be linked later */
#define sqrt __builtin_sqrt
#define floor __builtin_floor
#define ceil __builtin_ceil
#define rint __builtin_rint
#define fabs __builtin_fabs
#define INFINITY __builtin_inf()
double log(double), log2(double), exp(double), erf(double), sin(double), cos(double), pow(double, double);
#else
#include <string.h>
#include <math.h>
#endif
typedef int64_t i64;
typedef uint64_t u64;
#if defined(PARLOUR_DEVICE)
#define EXPORT static inline __attribute__((always_inline, unused))
#elif defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALWAYS static inline __attribute__((always_inline, unused))
#define COLD static __attribute__((cold, noinline, unused))

/* Tables are filled before any other work: when the library is loaded, or on a device by all threads together. */
#if defined(PARLOUR_DEVICE)
#define KERNEL __attribute__((device_kernel)) void
#define REGISTER(name) (i64)__nvvm_read_ptx_sreg_##name()
ALWAYS i64 this_thread(void) { return REGISTER(ctaid_x) * REGISTER(ntid_x) + REGISTER(tid_x); }
ALWAYS i64 all_threads(void) { return REGISTER(nctaid_x) * REGISTER(ntid_x); }
#define FILL(table) KERNEL fill_##table(void)
#define EACH(i, size) (i64 i = this_thread(); i < size; i += all_threads())
#else
#define FILL(table) __attribute__((constructor)) static void fill_##table(void)
#define EACH(i, size) (i64 i = 0; i < size; i++)
#endif

/* The first fault in this thread since the last call of parlour_mistake: the number of a place in the rules, counted
   from 1, or 0 for none.  The threads of a device share one number. */
#if defined(PARLOUR_DEVICE)
i64 wrong;
#elif defined(__wasm__)
static i64 wrong;
#else
static _Thread_local i64 wrong;
#endif
COLD i64 mistake(i64 place) { if (!wrong) wrong = place; return 0; }
EXPORT i64 parlour_mistake(void) { i64 place = wrong; wrong = 0; return place; }

/* Indices: that of AT may be negative, as in Python; that of IN never is. */
ALWAYS i64 from_end(i64 i, i64 n) { return i + (n & (i >> 63)); }
#if defined(PARLOUR_BOUNDS_CHECK)
ALWAYS i64 checked(i64 i, i64 n, i64 place) { i = from_end(i, n); return UNLIKELY((u64)i >= (u64)n) ? mistake(place) : i; }
ALWAYS i64 checked_in(i64 i, i64 n, i64 place) { return UNLIKELY((u64)i >= (u64)n) ? mistake(place) : i; }
#define AT(i, n, place) checked(i, n, place)
#define IN(i, n, place) checked_in(i, n, place)
#else
#define AT(i, n, place) from_end(i, n)
#define IN(i, n, place) (i)
#endif

/* Numbers. */
ALWAYS i64 floor_div(i64 a, i64 b) { i64 q = a / b; return q - ((a % b != 0) & ((a ^ b) < 0)); }
ALWAYS i64 floor_mod(i64 a, i64 b) { i64 r = a % b; return r + (b & -(i64)((r != 0) & ((r ^ b) < 0))); }
ALWAYS i64 checked_div(i64 a, i64 b, i64 place) {
  if (UNLIKELY((u64)b + 1 <= 1)) return b ? (i64)(0 - (u64)a) : mistake(place);
  return floor_div(a, b);
}
ALWAYS i64 checked_mod(i64 a, i64 b, i64 place) {
  if (UNLIKELY((u64)b + 1 <= 1)) return b ? 0 : mistake(place);
  return floor_mod(a, b);
}
ALWAYS u64 natural_div(u64 a, u64 b, i64 place) { return UNLIKELY(!b) ? (u64)mistake(place) : a / b; }
ALWAYS u64 natural_mod(u64 a, u64 b, i64 place) { return UNLIKELY(!b) ? (u64)mistake(place) : a % b; }
ALWAYS double divided(double a, double b, i64 place) { return UNLIKELY(b == 0.0) ? (double)mistake(place) : a / b; }
ALWAYS i64 whole(double x, i64 place) {
  return UNLIKELY(!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) ? mistake(place) : (i64)x;
}
ALWAYS i64 least(i64 a, i64 b) { return b < a ? b : a; }
ALWAYS i64 most(i64 a, i64 b) { return b > a ? b : a; }
ALWAYS u64 least_word(u64 a, u64 b) { return b < a ? b : a; }
ALWAYS u64 most_word(u64 a, u64 b) { return b > a ? b : a; }
ALWAYS double least_real(double a, double b) { return b < a ? b : a; }
ALWAYS double most_real(double a, double b) { return b > a ? b : a; }

/* Sets in one integer. */
ALWAYS i64 count(i64 members) { return __builtin_popcountll((u64)members); }
#if defined(__BMI2__) && defined(__x86_64__)
/* Built-ins instead of immintrin.h, which takes longer to compile than a whole game. */
ALWAYS i64 lowest(i64 members) { return (i64)__builtin_ia32_tzcnt_u64((u64)members); }
ALWAYS i64 nth(i64 members, i64 k) { return lowest((i64)__builtin_ia32_pdep_di((u64)1 << (k & 63), (u64)members)); }
#else
ALWAYS i64 lowest(i64 members) { return members ? __builtin_ctzll((u64)members) : 64; }
ALWAYS i64 nth(i64 members, i64 k) { /* binary search: is the member in the lower half of the remaining bits? */
  u64 left = (u64)members;
  i64 at = 0;
  for (i64 width = 32; width; width >>= 1) {
    i64 here = __builtin_popcountll(left & (((u64)1 << width) - 1)), beyond = -(i64)(k >= here);
    k -= here & beyond;
    left >>= width & beyond;
    at += width & beyond;
  }
  return at;
}
#endif

/* Hashing of words: the same as in parlour.engine.hashing. */
#define GOLD 0x9E3779B97F4A7C15ULL
#define TOLD 0xD1342543DE82EF95ULL
#define SEED 0x2545F4914F6CDD1DULL
ALWAYS u64 mix(u64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}
ALWAYS i64 below(u64 *rng, i64 n) {
  u64 z = *rng + GOLD;
  *rng = z;
  return (i64)(((mix(z) >> 32) * (u64)n) >> 32);
}
ALWAYS u64 fold(u64 key, u64 fact) { return mix((key ^ fact) * GOLD); }
ALWAYS u64 deed_fact(i64 action) { return mix(((u64)action + 1) * TOLD); }
ALWAYS u64 seeded(u64 first, i64 i) { return mix((first + (u64)i) * SEED + GOLD); }
ALWAYS i64 slot(u64 key, i64 last) { return (i64)(key & (u64)last); }
ALWAYS u64 event_fact(i64 event, i64 who, i64 a, i64 b) {
  u64 numbers = mix((u64)a * GOLD + (u64)b * SEED);
  return mix(numbers + ((u64)(event + 1) << 32 | (u64)(who + 2)) * TOLD);
}
/* If a memory lists events (parlour.engine.kernels.logs), row 4 holds their number, and each event takes three rows. */
COLD void list_event(u64 *memory, i64 rows, i64 columns, i64 audience, i64 event, i64 who, i64 a, i64 b) {
  u64 *number = memory + 4 * columns, *at = memory + (5 + 3 * (i64)*number) * columns;
  if (5 + 3 * ((i64)*number + 1) > rows) return;
  *number += 1;
  at[0] = (u64)audience, at[1] = (u64)event;
  at[columns] = (u64)who, at[columns + 1] = (u64)a;
  at[2 * columns] = (u64)b, at[2 * columns + 1] = 0;
}
ALWAYS u64 told_number(u64 place, i64 value) { u64 z = place * (2 * (u64)value + 1); return z ^ (z >> 32); }
ALWAYS u64 told_set(u64 place, i64 members) { return mix((u64)members ^ place); }

/* Atomic access to words that threads share. */
ALWAYS i64 read_shared(i64 *words, i64 i) { return __atomic_load_n(words + i, __ATOMIC_SEQ_CST); }
ALWAYS i64 swap_shared(i64 *words, i64 i, i64 x) { return __atomic_exchange_n(words + i, x, __ATOMIC_SEQ_CST); }
ALWAYS i64 add_shared(i64 *words, i64 i, i64 x) { return __atomic_fetch_add(words + i, x, __ATOMIC_SEQ_CST); }

/* Sums over vectors, eight lanes at a time: the same as in parlour.engine.vectors. */
typedef double lanes __attribute__((vector_size(64), aligned(8)));
ALWAYS void add_scaled(double *to, i64 at, const double *of, i64 first, double factor, i64 n) {
  to += at;
  of += first;
  for (i64 i = 0; i + 8 <= n; i += 8) *(lanes *)(to + i) += *(const lanes *)(of + i) * factor;
}
ALWAYS double product(const double *one, i64 i, const double *other, i64 j, i64 n) {
  lanes sums = {0};
  double total = 0.0;
  for (i64 m = 0; m + 8 <= n; m += 8) sums += *(const lanes *)(one + i + m) * *(const lanes *)(other + j + m);
  for (int k = 0; k < 8; k++) total += sums[k];
  return total;
}
/* One bit for each of eight entries: 1 where two rows differ. */
#if defined(__AVX__)
typedef float eight_f32 __attribute__((vector_size(32)));
typedef double four_f64 __attribute__((vector_size(32)));
typedef eight_f32 eight_f32_here __attribute__((aligned(4)));
typedef four_f64 four_f64_here __attribute__((aligned(8)));
ALWAYS unsigned differing_f32(const float *one, const float *other) {
  return (unsigned)__builtin_ia32_movmskps256((eight_f32)(*(eight_f32_here *)one != *(eight_f32_here *)other));
}
ALWAYS unsigned differing_f64(const double *one, const double *other) {
  const four_f64_here *a = (four_f64_here *)one, *b = (four_f64_here *)other;
  unsigned low = (unsigned)__builtin_ia32_movmskpd256((four_f64)(a[0] != b[0]));
  return low | (unsigned)__builtin_ia32_movmskpd256((four_f64)(a[1] != b[1])) << 4;
}
#else
#define DIFFERING(code, type) \
  ALWAYS unsigned differing_##code(const type *one, const type *other) { \
    unsigned any = 0; \
    for (int k = 0; k < 8; k++) any |= (unsigned)(one[k] != other[k]) << k; \
    return any; \
  }
DIFFERING(f32, float)
DIFFERING(f64, double)
#endif
#define SEARCHED(code, type) \
  ALWAYS i64 next_difference_##code(const type *one, const type *other, i64 i, i64 n) { \
    for (; i + 8 <= n; i += 8) { \
      unsigned any = differing_##code(one + i, other + i); \
      if (any) return i + __builtin_ctz(any); \
    } \
    while (i < n && one[i] == other[i]) i++; \
    return i; \
  } \
  ALWAYS i64 next_entry_##code(const type *row, i64 i, i64 n) { \
    const type zeros[8] = {0}; \
    for (; i + 8 <= n; i += 8) { \
      unsigned any = differing_##code(row + i, zeros); \
      if (any) return i + __builtin_ctz(any); \
    } \
    while (i < n && row[i] == 0) i++; \
    return i; \
  }
SEARCHED(f32, float)
SEARCHED(f64, double)

/* Copying and clearing memory: by vectors, because compilers would use slow x86 string instructions; on a device by the
   widest items that the alignment allows, because single bytes are slow there. */
#if defined(PARLOUR_DEVICE)
ALWAYS void copy_items(void *to, const void *from, const i64 size, const int width) {
  if (width == 8) for (i64 i = 0; i < size / 8; i++) ((u64 *)to)[i] = ((const u64 *)from)[i];
  else if (width == 4) for (i64 i = 0; i < size / 4; i++) ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
  else for (i64 i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
}
#define copy(to, from, size) copy_items(to, from, size, _Alignof(__typeof__(*(to))))
#define clear(to, size) \
  do { \
    __typeof__(to) at_ = (to); \
    for (i64 i_ = 0, n_ = (i64)(size) / (i64)sizeof *at_; i_ < n_; i_++) at_[i_] = 0; \
  } while (0)
#else
typedef int32_t eight_here __attribute__((vector_size(32), aligned(1)));
typedef int32_t four_here __attribute__((vector_size(16), aligned(1)));
ALWAYS void copy(void *to, const void *from, const i64 size) {
  char *t = to;
  const char *f = from;
  i64 i = 0;
  for (; i + 32 <= size; i += 32) *(eight_here *)(t + i) = *(const eight_here *)(f + i);
  memcpy(t + i, f + i, size & 31);
}
ALWAYS void clear(void *to, i64 size) {
  char *t = to;
  i64 i = 0;
  if (size > 1024) {
    memset(to, 0, size);
    return;
  }
  for (; i + 32 <= size; i += 32) *(eight_here *)(t + i) = (eight_here){0};
  for (; i + 4 <= size; i += 4) memset(t + i, 0, 4);
  for (; i < size; i++) t[i] = 0;
}
#endif

/* Rows of tensors number the seats from the observer, who comes first. */
ALWAYS i64 turned(i64 p, i64 me, i64 players) { i64 seat = p - me; return seat < 0 ? seat + players : seat; }
ALWAYS i64 turned_set(i64 members, i64 me, i64 players) {
  return (i64)((u64)(members >> me | (i64)((u64)members << (players - me))) & (((u64)1 << players) - 1));
}
/* Writes members 0 to size - 1 of a set as 0.0 or 1.0; size is known to the compiler. */
#if defined(PARLOUR_DEVICE)
ALWAYS void write_set(float *row, i64 members, const int size) {
  for (int c = 0; c < size; c++) row[c] = (float)((members >> c) & 1);
}
#else
typedef int32_t eight_bits __attribute__((vector_size(32)));
typedef int32_t four_bits __attribute__((vector_size(16)));
#define ONE 0x3F800000 /* the bits of 1.0f */
ALWAYS void write_set(float *row, i64 members, const int size) {
  int c = 0;
#pragma GCC unroll 8
  for (; c + 8 <= size; c += 8) { /* each lane tests one bit */
    const eight_bits bit = (eight_bits){1, 2, 4, 8, 16, 32, 64, 128} << (c & 31);
    *(eight_here *)(row + c) = (((eight_bits){0} + (int32_t)(members >> (c & 32)) & bit) == bit) & ONE;
  }
  if (c + 4 <= size) {
    const four_bits bit = (four_bits){1, 2, 4, 8} << (c & 31);
    *(four_here *)(row + c) = (((four_bits){0} + (int32_t)(members >> (c & 32)) & bit) == bit) & ONE;
    c += 4;
  }
  for (; c < size; c++) row[c] = (float)((members >> c) & 1);
}
#endif
