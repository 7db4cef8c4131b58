// SPDX-License-Identifier: GPL-2.0-only
/*
 * The environment of kernel/core in host programs: checked locks, counted memory, random numbers
 *
 * Each thread records which locks it holds. Counts are atomic. The list of objects that RCU frees
 * has its own lock.
 */
#include <sched.h>
#include <stdarg.h>

#include "core/base/env.h"

#define HELD_MAX	16

/* Locks that this thread holds, in the order in which they were taken. */
static __thread struct weft_lock *held[HELD_MAX];
static __thread int nheld;
static __thread int nmutex;
static __thread const struct weft_mutex *mutexes[2];
static __thread int nrcu;
static __thread int nsoft;	/* how many calls (not locks) have turned softirqs off */
static __thread bool atomic_context;

static pthread_mutex_t rcu_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct weft_rcu *rcu_list;
static long live;
static u64 fail_nth;
static u32 fail_rate;
static u64 fail_state;
static size_t fail_from;
static u64 failed;
static u64 random_state = 1;
static bool signal_is_pending;
static const char *note;

void weft_host_note(const char *text)
{
	note = text;
}

/* Functions of the sanitizers, if present: the sanitizers call them when they end the program. */
void __sanitizer_set_death_callback(void (*call)(void)) __attribute__((__weak__));

static void say_note(void)
{
	if (note)
		fprintf(stderr, "%s\n", note);
}

__attribute__((__constructor__)) static void hear_of_death(void)
{
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(say_note);
}

void weft_host_die(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	say_note();
	abort();
}

/* ---- Locks ----------------------------------------------------------- */

void weft_lock_init(struct weft_lock *l, int rank)
{
	if (rank < WEFT_RANK_CORE || rank > WEFT_RANK_LEAF)
		weft_host_die(__FILE__, __LINE__, "lock of rank %d", rank);
	pthread_mutex_init(&l->mutex, NULL);
	l->rank = rank;
}

static bool is_held(const struct weft_lock *l)
{
	for (int i = 0; i < nheld; i++)
		if (held[i] == l)
			return true;
	return false;
}

void weft_host_lock(struct weft_lock *l, const char *file, int line)
{
	if (!l->rank)
		weft_host_die(file, line, "lock was not initialised");
	if (is_held(l))
		weft_host_die(file, line, "lock is taken twice");
	if (nheld && held[nheld - 1]->rank >= l->rank)
		weft_host_die(file, line, "lock of rank %d is taken inside of one of rank %d",
			      l->rank, held[nheld - 1]->rank);
	if (nheld == HELD_MAX)
		weft_host_die(file, line, "too many locks");
	pthread_mutex_lock(&l->mutex);
	held[nheld++] = l;
}

void weft_host_lock_inner(struct weft_lock *l, const char *file, int line)
{
	if (!nheld && !nsoft)
		weft_host_die(file, line, "a softirq could want this lock while it is held");
	weft_host_lock(l, file, line);
}

void weft_host_softirqs_off(void)
{
	nsoft++;
}

void weft_host_softirqs_on(const char *file, int line)
{
	if (!nsoft--)
		weft_host_die(file, line, "softirqs are not off");
}

void weft_host_unlock(struct weft_lock *l, const char *file, int line)
{
	if (!is_held(l))
		weft_host_die(file, line, "lock is released that is not held");
	if (held[nheld - 1] != l)
		weft_host_die(file, line, "lock is released before one taken inside of it");
	nheld--;
	pthread_mutex_unlock(&l->mutex);
}

void weft_host_assert_held(const struct weft_lock *l, const char *file, int line)
{
	if (!is_held(l))
		weft_host_die(file, line, "lock should be held");
}

void weft_host_may_sleep(const char *file, int line)
{
	if (nheld || nrcu || nsoft || atomic_context)
		weft_host_die(file, line, "would sleep (%d locks, %d rcu, %s)", nheld, nrcu,
			      atomic_context || nsoft ? "atomic" : "process");
}

void weft_host_no_locks(const char *file, int line)
{
	if (nheld || nrcu)
		weft_host_die(file, line, "%d locks, %d rcu are held", nheld, nrcu);
}

bool weft_host_mutexes(void)
{
	return nmutex;
}

void weft_host_balanced(const char *file, int line)
{
	weft_host_no_locks(file, line);
	if (nmutex || nsoft)
		weft_host_die(file, line, "%d mutexes are held, softirqs are %s", nmutex,
			      nsoft ? "off" : "on");
}

void weft_host_atomic(bool on)
{
	atomic_context = on;
}

void weft_mutex_init(struct weft_mutex *m)
{
	pthread_mutex_init(&m->mutex, NULL);
	m->made = true;
}

void weft_host_mutex_lock(struct weft_mutex *m, const char *file, int line)
{
	weft_host_may_sleep(file, line);
	if (!m->made)
		weft_host_die(file, line, "mutex was not initialised");
	if (nmutex > 1)
		weft_host_die(file, line, "mutex is taken inside of two others");
	pthread_mutex_lock(&m->mutex);
	mutexes[nmutex++] = m;
}

bool weft_host_mutex_trylock(struct weft_mutex *m, const char *file, int line)
{
	if (!m->made)
		weft_host_die(file, line, "mutex was not initialised");
	if (nmutex || nheld || nrcu)
		weft_host_die(file, line, "mutex is tried inside of something");
	if (pthread_mutex_trylock(&m->mutex))
		return false;
	mutexes[nmutex++] = m;
	return true;
}

void weft_host_mutex_unlock(struct weft_mutex *m, const char *file, int line)
{
	if (!nmutex || nheld)
		weft_host_die(file, line, "mutex is released out of order (%d locks held)", nheld);
	if (mutexes[--nmutex] != m)
		weft_host_die(file, line, "another mutex was taken last");
	pthread_mutex_unlock(&m->mutex);
}

void weft_host_mutex_assert_held(const struct weft_mutex *m, const char *file, int line)
{
	int i;

	for (i = 0; i < nmutex; i++)
		if (mutexes[i] == m)
			return;
	weft_host_die(file, line, "mutex is not held");
}

/* ---- Memory ---------------------------------------------------------- */

/* One step of splitmix64 (public domain, S. Vigna). */
static u64 mix(u64 *state)
{
	u64 z = __atomic_add_fetch(state, 0x9e3779b97f4a7c15ULL, __ATOMIC_RELAXED);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static bool fails(void)
{
	bool f = false;

	if (fail_nth && !__atomic_sub_fetch(&fail_nth, 1, __ATOMIC_RELAXED))
		f = true;
	if (fail_rate && (mix(&fail_state) & 0xffff) < fail_rate)
		f = true;
	if (f)
		__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
	return f;
}

static void *take(size_t size)
{
	void *p = fails() ? NULL : calloc(1, size);

	if (p)
		__atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
	return p;
}

void *weft_alloc(size_t size)
{
	if (fail_from && size >= fail_from) {
		__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	return take(size);
}

void *weft_host_alloc_sleep(size_t size, const char *file, int line)
{
	weft_host_may_sleep(file, line);
	return take(size);
}

void *weft_host_alloc_bytes(size_t size, const char *file, int line)
{
	void *p = weft_host_alloc_sleep(size, file, line);

	if (p)
		memset(p, 0x5c, size);
	return p;
}

void weft_free(const void *p)
{
	if (!p)
		return;
	if (__atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED) < 0)
		weft_host_die(__FILE__, __LINE__, "more is freed than was allocated");
	free((void *)(uintptr_t)p);
}

/* Each part is an allocation of its own, so the address sanitizer finds a later access. */
void *weft_store_get(struct weft_store *st, u32 len)
{
	if (len > WEFT_STORE_BLOCK)
		weft_host_die(__FILE__, __LINE__, "%u bytes of a store", len);
	st->cur++;
	return weft_host_alloc_bytes(len, __FILE__, __LINE__);
}

void weft_store_put(const void *p)
{
	weft_free(p);
}

void weft_store_fini(struct weft_store *st)
{
	st->cur = 0;
}

void weft_host_free_rcu(void *obj, struct weft_rcu *rcu)
{
	rcu->obj = obj;
	pthread_mutex_lock(&rcu_mutex);
	rcu->next = rcu_list;
	rcu_list = rcu;
	pthread_mutex_unlock(&rcu_mutex);
}

void weft_rcu_lock(void)
{
	nrcu++;
}

void weft_rcu_unlock(void)
{
	if (--nrcu < 0)
		weft_host_die(__FILE__, __LINE__, "rcu is unlocked too often");
}

void weft_host_quiesce(void)
{
	struct weft_rcu *r, *next;

	if (nrcu)
		weft_host_die(__FILE__, __LINE__, "rcu is held");
	pthread_mutex_lock(&rcu_mutex);
	r = rcu_list;
	rcu_list = NULL;
	pthread_mutex_unlock(&rcu_mutex);
	for (; r; r = next) {
		next = r->next;
		weft_free(r->obj);
	}
}

long weft_host_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

void weft_host_fail_nth(u64 nth)
{
	fail_nth = nth;
}

void weft_host_fragment(size_t size)
{
	fail_from = size;
}

void weft_host_fail_rate(u32 per_64k, u64 seed)
{
	fail_rate = per_64k;
	fail_state = seed;
}

u64 weft_host_failed(void)
{
	return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}

/* ---- Random numbers and hashing -------------------------------------- */

void weft_host_seed(u64 seed)
{
	random_state = seed;
}

u64 weft_random(void)
{
	return mix(&random_state);
}

static inline u64 rotl(u64 x, int n)
{
	return x << n | x >> (64 - n);
}

static void sip_round(u64 v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

/* SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). */
u64 weft_siphash(const void *data, size_t len, const u64 key[2])
{
	u64 v[4] = {
		key[0] ^ 0x736f6d6570736575ULL, key[1] ^ 0x646f72616e646f6dULL,
		key[0] ^ 0x6c7967656e657261ULL, key[1] ^ 0x7465646279746573ULL,
	};
	const u8 *p = data;
	size_t left = len;

	for (;;) {
		u64 word = 0;
		size_t n = left < 8 ? left : 8;

		for (size_t i = 0; i < n; i++)
			word |= (u64)p[i] << (8 * i);
		if (n < 8)
			word |= (u64)(len & 0xff) << 56;
		v[3] ^= word;
		sip_round(v);
		sip_round(v);
		v[0] ^= word;
		if (n < 8)
			break;
		p += 8;
		left -= 8;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

bool weft_signal_pending(void)
{
	return signal_is_pending;
}

/* A point at which other threads may run; this thread holds no lock. */
void (*weft_host_other)(void);
/* The same within weft_cmpxchg(). */
void (*weft_host_racer)(void *p);
/* The same at a full barrier. */
void (*weft_host_fenced)(void);

void weft_yield(void)
{
	might_sleep();
	sched_yield();
	if (weft_host_other)
		weft_host_other();
}

void weft_nap(void)
{
	weft_yield();
}

void weft_host_signal(bool pending)
{
	signal_is_pending = pending;
}

weft_counters_t weft_counters_new(u32 n)
{
	return weft_alloc(n * sizeof(u64));
}

void weft_counters_free(weft_counters_t c)
{
	weft_free(c);
}

void weft_counters_add(weft_counters_t c, u32 i, u64 n)
{
	(void)__atomic_fetch_add(&c[i], n, __ATOMIC_RELAXED);
}

u64 weft_counters_read(weft_counters_t c, u32 i)
{
	return __atomic_load_n(&c[i], __ATOMIC_RELAXED);
}
