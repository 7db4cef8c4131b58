/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernel/core/base/env.h promises, for programs on the host
 *
 * Locks check their order, their balance, and that no thread sleeps while it holds one. Reference
 * counts check that they neither revive nor fall below zero. Allocations are counted and can be
 * made to fail. Memory that RCU frees is freed at the next weft_host_quiesce(), so that the address
 * sanitizer finds each later access. An error ends the program.
 *
 * Locks are real and checked for each thread, so that programs with several threads can use them.
 */
#ifndef WEFT_HOST_H
#define WEFT_HOST_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef u64 weft_ns;

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S64_MAX		((s64)(U64_MAX >> 1))
#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L
#define USEC_PER_SEC	1000000L
#define BITS_PER_LONG	64

/* ---- Compiler -------------------------------------------------------- */

#define __packed		__attribute__((__packed__))
#define __aligned(n)		__attribute__((__aligned__(n)))
#define __must_check		__attribute__((__warn_unused_result__))
#define __maybe_unused		__attribute__((__unused__))
#ifndef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#endif
#ifndef __noreturn
#define __noreturn		__attribute__((__noreturn__))
#endif
#define __printf(a, b)		__attribute__((__format__(__printf__, a, b)))
#define noinline		__attribute__((__noinline__))
#define fallthrough		__attribute__((__fallthrough__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define __acquires(x)
#define __releases(x)
#define __must_hold(x)
#define __acquire(x)		((void)0)
#define __release(x)		((void)0)

#define BUILD_BUG_ON(c)		_Static_assert(!(c), #c)
#define BUILD_BUG_ON_ZERO(e)	((int)sizeof(struct { int:(-!!(e)); }))
#define static_assert(...)	WEFT_HOST_ASSERT(__VA_ARGS__, "")
#define WEFT_HOST_ASSERT(c, m, ...)	_Static_assert(c, m)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define sizeof_field(t, m)	sizeof(((t *)0)->m)
#define offsetofend(t, m)	(offsetof(t, m) + sizeof_field(t, m))
#define struct_size(p, m, n)	(sizeof(*(p)) + sizeof((p)->m[0]) * (size_t)(n))

#define container_of(ptr, type, member)						\
	((type *)((char *)(1 ? (ptr) : &((type *)0)->member) - offsetof(type, member)))

#define min(a, b)								\
	({ __typeof__(a) _a = (a);						\
	   __typeof__(b) _b = (b);						\
	   (void)(&_a == &_b);							\
	   _a < _b ? _a : _b; })
#define max(a, b)								\
	({ __typeof__(a) _a = (a);						\
	   __typeof__(b) _b = (b);						\
	   (void)(&_a == &_b);							\
	   _a > _b ? _a : _b; })
#define min_t(t, a, b)	({ t _a = (a); t _b = (b); _a < _b ? _a : _b; })
#define max_t(t, a, b)	({ t _a = (a); t _b = (b); _a > _b ? _a : _b; })
#define min3(a, b, c)	min(min(a, b), c)
#define max3(a, b, c)	max(max(a, b), c)
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define swap(a, b)	do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ALIGN(x, a)		(((x) + ((__typeof__(x))(a) - 1)) & ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a)	((x) & ~((__typeof__(x))(a) - 1))
#define round_up(x, a)		ALIGN(x, a)
#define round_down(x, a)	ALIGN_DOWN(x, a)
#define roundup(x, y)		(DIV_ROUND_UP(x, y) * (y))
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (63 - (h))))

#define check_add_overflow(a, b, r)	__builtin_add_overflow(a, b, r)
#define check_mul_overflow(a, b, r)	__builtin_mul_overflow(a, b, r)

static inline bool is_power_of_2(u64 n)
{
	return n && !(n & (n - 1));
}

static inline int fls(u32 x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline int ilog2(u64 x)
{
	return fls64(x) - 1;
}

static inline u64 roundup_pow_of_two(u64 n)
{
	return n <= 1 ? 1 : 1ULL << fls64(n - 1);
}

static inline int ffs32(u32 x)
{
	return __builtin_ffs((int)x);
}

#define __ffs(x)	((unsigned long)__builtin_ctzl(x))
#define rol64(x, n)	((u64)(x) << (n) | (u64)(x) >> (64 - (n)))
#define hweight32(x)	((unsigned int)__builtin_popcount(x))
#define hweight64(x)	((unsigned int)__builtin_popcountll(x))

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * b) >> shift);
}

static inline u64 mul_u64_u32_shr(u64 a, u32 m, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * m) >> shift);
}

/* ---- Byte order: the compiler tells that of the host ----------------- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WEFT_HOST_BE(bits, x)	__builtin_bswap##bits(x)
#else
#define WEFT_HOST_BE(bits, x)	(x)
#endif
#define cpu_to_be16(x)	((__be16)WEFT_HOST_BE(16, (u16)(x)))
#define cpu_to_be32(x)	((__be32)WEFT_HOST_BE(32, (u32)(x)))
#define cpu_to_be64(x)	((__be64)WEFT_HOST_BE(64, (u64)(x)))
#define be16_to_cpu(x)	WEFT_HOST_BE(16, (u16)(x))
#define be32_to_cpu(x)	WEFT_HOST_BE(32, (u32)(x))
#define be64_to_cpu(x)	WEFT_HOST_BE(64, (u64)(x))
#ifndef htons
#define htons(x)	cpu_to_be16(x)
#define ntohs(x)	be16_to_cpu(x)
#define htonl(x)	cpu_to_be32(x)
#define ntohl(x)	be32_to_cpu(x)
#endif

/* ---- Memory order ---------------------------------------------------- */

/* The compiler may not compute @v again. */
#define OPTIMIZER_HIDE_VAR(v)	__asm__("" : "=r"(v) : "0"(v))
/* A read that may race, on purpose. */
#define data_race(x)		(x)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_mb()		weft_host_mb()

/* What another CPU does at a full barrier, or NULL. */
extern void (*weft_host_fenced)(void);

static inline void weft_host_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (weft_host_fenced)
		weft_host_fenced();
}

#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define cmpxchg(p, o, n)							\
	({ __typeof__(*(p)) _o = (o);						\
	   __atomic_compare_exchange_n(p, &_o, n, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); _o; })
#define rcu_dereference(p)	__atomic_load_n(&(p), __ATOMIC_CONSUME)
#define rcu_assign_pointer(p, v)	__atomic_store_n(&(p), v, __ATOMIC_RELEASE)
#define rcu_dereference_protected(p, c)	(p)
#define rcu_access_pointer(p)	READ_ONCE(p)
#define RCU_INIT_POINTER(p, v)	WRITE_ONCE(p, v)
#define __rcu

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#define ATOMIC_INIT(i)		{ (i) }
#define atomic_set(a, v)	__atomic_store_n(&(a)->counter, v, __ATOMIC_RELAXED)
#define atomic_read(a)		__atomic_load_n(&(a)->counter, __ATOMIC_RELAXED)
#define atomic_inc(a)		((void)__atomic_fetch_add(&(a)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_dec(a)		((void)__atomic_fetch_sub(&(a)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_add(n, a)	((void)__atomic_fetch_add(&(a)->counter, n, __ATOMIC_SEQ_CST))
#define atomic_sub(n, a)	((void)__atomic_fetch_sub(&(a)->counter, n, __ATOMIC_SEQ_CST))
#define atomic_inc_return(a)	__atomic_add_fetch(&(a)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_add_return(n, a)	__atomic_add_fetch(&(a)->counter, n, __ATOMIC_SEQ_CST)
#define atomic_dec_and_test(a)	(__atomic_sub_fetch(&(a)->counter, 1, __ATOMIC_SEQ_CST) == 0)
#define atomic64_set(a, v)	atomic_set(a, v)
#define atomic64_read(a)	atomic_read(a)
#define atomic64_inc(a)		atomic_inc(a)
#define atomic64_add(n, a)	atomic_add(n, a)
#define atomic64_sub(n, a)	atomic_sub(n, a)
#define atomic64_dec(a)		atomic_dec(a)
#define atomic64_cmpxchg(a, o, n)	cmpxchg(&(a)->counter, o, n)
#define atomic64_inc_return(a)	atomic_inc_return(a)
#define atomic64_add_return(n, a)	atomic_add_return(n, a)
#define atomic64_sub_return(n, a)	__atomic_sub_fetch(&(a)->counter, n, __ATOMIC_SEQ_CST)

/* ---- Failures -------------------------------------------------------- */

/* A line that is printed when the program dies, also by a sanitizer. The caller owns the string. */
void weft_host_note(const char *text);
/* Print and abort: a warning in the kernel is a failed test here. */
void __noreturn __printf(3, 4) weft_host_die(const char *file, int line, const char *fmt, ...);

#define WARN_ON(c)								\
	({ bool _c = !!(c);							\
	   if (_c)								\
		   weft_host_die(__FILE__, __LINE__, "WARN_ON(%s)", #c);	\
	   _c; })
#define WARN_ON_ONCE(c)		WARN_ON(c)
#define WARN_ONCE(c, ...)							\
	({ bool _c = !!(c);							\
	   if (_c)								\
		   weft_host_die(__FILE__, __LINE__, __VA_ARGS__);		\
	   _c; })

#define MAX_ERRNO	4095

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= (unsigned long)-MAX_ERRNO;
}

static inline bool IS_ERR_OR_NULL(const void *p)
{
	return !p || IS_ERR(p);
}

static inline void *ERR_CAST(const void *p)
{
	return (void *)(unsigned long)p;
}

/* ---- Reference counts ------------------------------------------------ */

typedef struct { int refs; } refcount_t;

#define REFCOUNT_INIT(n)	{ (n) }

static inline void refcount_set(refcount_t *r, int n)
{
	__atomic_store_n(&r->refs, n, __ATOMIC_RELAXED);
}

static inline unsigned int refcount_read(const refcount_t *r)
{
	return (unsigned int)__atomic_load_n(&r->refs, __ATOMIC_RELAXED);
}

static inline void refcount_add(int n, refcount_t *r)
{
	if (__atomic_fetch_add(&r->refs, n, __ATOMIC_RELAXED) <= 0)
		weft_host_die(__FILE__, __LINE__, "reference to an object that has none");
}

static inline void refcount_inc(refcount_t *r)
{
	refcount_add(1, r);
}

static inline bool refcount_inc_not_zero(refcount_t *r)
{
	int n = __atomic_load_n(&r->refs, __ATOMIC_RELAXED);

	do {
		if (!n)
			return false;
		if (n < 0)
			weft_host_die(__FILE__, __LINE__, "reference count %d", n);
	} while (!__atomic_compare_exchange_n(&r->refs, &n, n + 1, false, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return true;
}

static inline bool refcount_sub_and_test(int n, refcount_t *r)
{
	int left = __atomic_sub_fetch(&r->refs, n, __ATOMIC_ACQ_REL);

	if (left < 0)
		weft_host_die(__FILE__, __LINE__, "reference dropped too often");
	return !left;
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	return refcount_sub_and_test(1, r);
}

static inline void refcount_dec(refcount_t *r)
{
	if (refcount_sub_and_test(1, r))
		weft_host_die(__FILE__, __LINE__, "last reference dropped by refcount_dec()");
}

/* ---- Bitmaps --------------------------------------------------------- */

#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define DECLARE_BITMAP(name, n)	unsigned long name[BITS_TO_LONGS(n)]

static inline void __set_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= 1UL << (n % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] &= ~(1UL << (n % BITS_PER_LONG));
}

static inline bool test_bit(unsigned long n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> (n % BITS_PER_LONG) & 1;
}

/* Atomic on their word, as in the kernel. */
static inline void set_bit(unsigned long n, unsigned long *map)
{
	__atomic_fetch_or(&map[n / BITS_PER_LONG], 1UL << (n % BITS_PER_LONG), __ATOMIC_RELAXED);
}

static inline void clear_bit(unsigned long n, unsigned long *map)
{
	__atomic_fetch_and(&map[n / BITS_PER_LONG], ~(1UL << (n % BITS_PER_LONG)),
			   __ATOMIC_RELAXED);
}

static inline bool __test_and_set_bit(unsigned long n, unsigned long *map)
{
	bool was = test_bit(n, map);

	__set_bit(n, map);
	return was;
}

static inline bool __test_and_clear_bit(unsigned long n, unsigned long *map)
{
	bool was = test_bit(n, map);

	__clear_bit(n, map);
	return was;
}

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, BITS_TO_LONGS(bits) * sizeof(long));
}

/* The next bit whose value differs from that of all bits of @skip. */
static inline unsigned long weft_host_next_bit(const unsigned long *map, unsigned long size,
					       unsigned long from, unsigned long skip)
{
	while (from < size) {
		unsigned long word = (map[from / BITS_PER_LONG] ^ skip) >> (from % BITS_PER_LONG);

		if (word)
			return min(size, from + __builtin_ctzl(word));
		from += BITS_PER_LONG - from % BITS_PER_LONG;
	}
	return size;
}

#define find_next_bit(map, size, from)		weft_host_next_bit(map, size, from, 0)
#define find_next_zero_bit(map, size, from)	weft_host_next_bit(map, size, from, ~0UL)
#define find_first_bit(map, size)	find_next_bit(map, size, 0)
#define find_first_zero_bit(map, size)	find_next_zero_bit(map, size, 0)
#define for_each_set_bit(bit, map, size)					\
	for ((bit) = find_first_bit(map, size); (bit) < (size);			\
	     (bit) = find_next_bit(map, size, (bit) + 1))

/* ---- Locks ----------------------------------------------------------- */

/**
 * struct weft_lock - a lock that knows its rank
 * @mutex: the real one
 * @rank: enum weft_rank, 0: not initialised
 */
struct weft_lock {
	pthread_mutex_t mutex;
	int rank;
};

/**
 * struct weft_mutex - a lock under which a thread may sleep; it is taken before all other locks
 * @mutex: the real one
 * @made: was initialised
 *
 * At most one mutex nests in another: the core's in an endpoint's.
 */
struct weft_mutex {
	pthread_mutex_t mutex;
	bool made;
};

void weft_lock_init(struct weft_lock *l, int rank);
void weft_host_lock(struct weft_lock *l, const char *file, int line);
/* Take a lock; die unless softirqs are off: within another lock, or by the calls below. */
void weft_host_lock_inner(struct weft_lock *l, const char *file, int line);
void weft_host_unlock(struct weft_lock *l, const char *file, int line);
void weft_host_softirqs_off(void);
void weft_host_softirqs_on(const char *file, int line);
void weft_host_assert_held(const struct weft_lock *l, const char *file, int line);
void weft_mutex_init(struct weft_mutex *m);
void weft_host_mutex_lock(struct weft_mutex *m, const char *file, int line);
bool weft_host_mutex_trylock(struct weft_mutex *m, const char *file, int line);
void weft_host_mutex_unlock(struct weft_mutex *m, const char *file, int line);
void weft_host_mutex_assert_held(const struct weft_mutex *m, const char *file, int line);

#define weft_lock(l)		weft_host_lock(l, __FILE__, __LINE__)
#define weft_unlock(l)		weft_host_unlock(l, __FILE__, __LINE__)
#define weft_softirqs_off()	weft_host_softirqs_off()
#define weft_softirqs_on()	weft_host_softirqs_on(__FILE__, __LINE__)
#define weft_lock_inner(l)	weft_host_lock_inner(l, __FILE__, __LINE__)
#define weft_unlock_inner(l)	weft_unlock(l)
#ifdef WEFT_HOST_BARE
/* as on a kernel without lockdep */
#define weft_assert_held(l)		((void)(l))
#define weft_mutex_assert_held(m)	((void)(m))
#else
#define weft_assert_held(l)	weft_host_assert_held(l, __FILE__, __LINE__)
#define weft_mutex_assert_held(m) weft_host_mutex_assert_held(m, __FILE__, __LINE__)
#endif
#define weft_mutex_lock(m)	weft_host_mutex_lock(m, __FILE__, __LINE__)
#define weft_mutex_trylock(m)	weft_host_mutex_trylock(m, __FILE__, __LINE__)
#define weft_mutex_unlock(m)	weft_host_mutex_unlock(m, __FILE__, __LINE__)

/* Die when a lock (not a mutex) is held, or within RCU: the code that follows may sleep. */
void weft_host_may_sleep(const char *file, int line);
#define might_sleep()		weft_host_may_sleep(__FILE__, __LINE__)
/* Die when a lock is held, or within RCU: the code that follows calls an upper layer. */
void weft_host_no_locks(const char *file, int line);
/* Die when any lock or mutex is held. For the time between events. */
/* Return: true if the thread holds a mutex. */
bool weft_host_mutexes(void);
void weft_host_balanced(const char *file, int line);

/* From here on sleeping is an error, as in a softirq. Passing false ends this. */
void weft_host_atomic(bool on);

/* ---- Memory ---------------------------------------------------------- */

/**
 * struct weft_rcu - member of an object that is freed when no reader is left
 * @next: the next object that waits
 * @obj: the object to free
 */
struct weft_rcu {
	struct weft_rcu *next;
	void *obj;
};

void *weft_alloc(size_t size);
void *weft_host_alloc_sleep(size_t size, const char *file, int line);
void *weft_host_alloc_bytes(size_t size, const char *file, int line);
void weft_free(const void *p);
void weft_host_free_rcu(void *obj, struct weft_rcu *rcu);
void weft_rcu_lock(void);
void weft_rcu_unlock(void);

#define weft_alloc_sleep(size)	weft_host_alloc_sleep(size, __FILE__, __LINE__)
#define weft_alloc_bytes(size)	weft_host_alloc_bytes(size, __FILE__, __LINE__)
#define weft_free_rcu(p, m)	weft_host_free_rcu(p, &(p)->m)

/* No reader is left: free what waits for that. */
void weft_host_quiesce(void);
/* Number of allocations that have not been freed. */
long weft_host_live(void);
/* Only the @nth allocation from now on fails (1: the next; 0: none). */
void weft_host_fail_nth(u64 nth);
/* Allocations fail with a probability of @per_64k / 65536; @seed makes the random numbers. */
void weft_host_fail_rate(u32 per_64k, u64 seed);
/*
 * Memory is fragmented: allocations of @size bytes or more fail if they may not sleep. 0: it is not
 * fragmented.
 */
void weft_host_fragment(size_t size);
/* Number of allocations that were made to fail. */
u64 weft_host_failed(void);

/* ---- Memory that programs change with atomic instructions ------------ */

/* What another thread does to @p just before weft_cmpxchg(), or NULL. */
extern void (*weft_host_racer)(void *p);

static inline void weft_host_race(void *p)
{
	if (unlikely(weft_host_racer))
		weft_host_racer(p);
}

#define weft_xchg(p, v)		xchg(p, v)
#define weft_cmpxchg(p, o, n)	({ weft_host_race(p); cmpxchg(p, o, n); })

static inline u32 weft_fetch_add32(u32 *p, u32 n)
{
	return __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST);
}

static inline u64 weft_fetch_add64(u64 *p, u64 n)
{
	return __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST);
}

/* ---- The rest -------------------------------------------------------- */

/* The same seed gives the same numbers. */
void weft_host_seed(u64 seed);
u64 weft_random(void);
u64 weft_siphash(const void *data, size_t len, const u64 key[2]);
bool weft_signal_pending(void);
void weft_yield(void);
/* What another thread does at weft_yield(), or NULL. */
extern void (*weft_host_other)(void);
void weft_nap(void);
void weft_host_signal(bool pending);

typedef u64 *weft_counters_t;

#define weft_count_add(core, name, n)						\
	((void)__atomic_fetch_add(&(core)->cnt[WEFT_CNT_##name], n, __ATOMIC_RELAXED))
#define weft_count(core, name)	weft_count_add(core, name, 1)

#define weft_trace_post_send(...)	((void)0)
#define weft_trace_post_recv(...)	((void)0)
#define weft_trace_arrive(...)		((void)0)
#define weft_trace_match(...)		((void)0)
#define weft_trace_complete(...)	((void)0)
#define weft_trace_complete_enabled()	false
#define weft_trace_retransmit(...)	((void)0)

weft_counters_t weft_counters_new(u32 n);
void weft_counters_free(weft_counters_t c);
void weft_counters_add(weft_counters_t c, u32 i, u64 n);
u64 weft_counters_read(weft_counters_t c, u32 i);

#endif
