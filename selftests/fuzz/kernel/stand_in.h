/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stand-ins for the kernel's names that kernel/dev and kernel/admin use, so that their code runs in
 * a program of one thread
 *
 * Each of their files includes this header first; the kernel's headers are empty. Allocations, RCU
 * and locks are those of selftests/host/shim, counted and checked. User memory is an arena with
 * addresses of its own. The front of the arena can only be read. stand_in_work() does what a worker
 * would do.
 */
#ifndef WEFT_STAND_IN_H
#define WEFT_STAND_IN_H

#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include "core/base/env.h"

/* differences between kernels are not tested here */
#define WEFT_COMPAT_H

/* ---- Compiler, numbers ----------------------------------------------------------------------- */

#define __user
#define __init
#define __exit
#define __ro_after_init
#define THIS_MODULE		NULL

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1ul << PAGE_SHIFT)
#define PAGE_ALIGN(x)		ALIGN(x, PAGE_SIZE)
#define array_index_nospec(i, n)	(i)
#define PTR_ERR_OR_ZERO(p)	((int)(IS_ERR(p) ? PTR_ERR(p) : 0))
#define u64_to_user_ptr(x)	((void *)(uintptr_t)(x))
#define cond_resched()		might_sleep()
#define ERESTARTSYS		512

void *memchr_inv(const void *p, int c, size_t n);
ssize_t strscpy(char *dst, const char *src, size_t n);

/* The clock. */
extern u64 stand_in_now;
#define weft_now()		READ_ONCE(stand_in_now)

/* ---- Memory ---------------------------------------------------------------------------------- */

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ZERO		0
#define __GFP_NOWARN		0
#define kzalloc(n, gfp)		weft_alloc_sleep(n)
#define kvzalloc(n, gfp)	weft_alloc_sleep(n)
#define kvmalloc(n, gfp)	weft_alloc_sleep(n)
#define kvcalloc(n, size, gfp)	weft_alloc_sleep((size_t)(n) * (size))
#define kfree(p)		weft_free(p)
#define kvfree(p)		weft_free(p)
#define rcu_head		weft_rcu
#define kfree_rcu(p, m)		weft_free_rcu(p, m)
#define rcu_read_lock()		weft_rcu_lock()
#define rcu_read_unlock()	weft_rcu_unlock()
#define rcu_read_lock_sched()	weft_rcu_lock()
#define rcu_read_unlock_sched()	weft_rcu_unlock()
#define rcu_read_lock_sched_held()	true
#define rcu_dereference_check(p, held)	rcu_dereference(p)
#define RCU_INITIALIZER(p)	(p)
#define unrcu_pointer(p)	(p)
#define get_random_u64()	weft_random()

/**
 * struct page - a page; only a single page has bytes
 * @mem: the bytes, allocated at the first use
 */
struct page {
	void *mem;
};

#define VM_MAP			0
#define PAGE_KERNEL		0
#define alloc_page(gfp)		((struct page *)weft_alloc_sleep(sizeof(struct page)))
void *page_address(struct page *page);
void __free_page(struct page *page);
#define vmap(pages, n, flags, prot)	weft_alloc_sleep((size_t)(n) << PAGE_SHIFT)
#define vunmap(p)		weft_free(p)

#define VM_READ			1ul
#define VM_WRITE		2ul
#define VM_EXEC			4ul
#define VM_MAYWRITE		0x20ul
#define VM_MAYEXEC		0x40ul
#define VM_MAYSHARE		0x80ul
#define VM_IO			0x4000ul
#define VM_DONTCOPY		0x20000ul
#define VM_DONTEXPAND		0x40000ul
#define VM_DONTDUMP		0x4000000ul

/**
 * struct vm_area_struct - a map that is being made
 * @vm_pgoff: offset in pages
 * @vm_flags: VM_*
 * @npages: how many
 * @vm_mm: of which address space
 */
struct vm_area_struct {
	unsigned long vm_pgoff;
	unsigned long vm_flags;
	unsigned long npages;
	struct mm_struct *vm_mm;
};

#define mmap_assert_write_locked(mm)	((void)WARN_ON(!(mm)->mmap_locked))
#define vma_pages(vma)		((vma)->npages)
#define vm_map_pages_zero(vma, pages, n)	((vma)->npages > (n) ? -ENXIO : 0)

static inline void weft_vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				     unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}

/* ---- User memory ----------------------------------------------------------------------------- */

#define STAND_IN_USER		0x10000ul	/* address of the arena */
#define STAND_IN_BYTES		0x4000ul
#define STAND_IN_CONST		0x0400ul	/* so many bytes of it cannot be written */

extern u8 stand_in_user[STAND_IN_BYTES];

/* The bytes at an address; NULL: not the user's, or not with that access. */
void *stand_in_at(const void *uaddr, size_t n, bool write);
unsigned long copy_from_user(void *dst, const void *uaddr, size_t n);
unsigned long copy_to_user(void *uaddr, const void *src, size_t n);
int copy_struct_from_user(void *dst, size_t ksize, const void *uaddr, size_t usize);
void *vmemdup_user(const void *uaddr, size_t n);
#define get_user(x, p)								\
	(copy_from_user(&(x), p, sizeof(x)) ? -EFAULT : 0)

/* ---- Lists and tables ------------------------------------------------------------------------ */

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline void list_add_tail(struct list_head *n, struct list_head *l)
{
	n->next = l;
	n->prev = l->prev;
	l->prev->next = n;
	l->prev = n;
}

static inline void list_del(struct list_head *n)
{
	n->next->prev = n->prev;
	n->prev->next = n->next;
	n->next = NULL;
	n->prev = NULL;
}

#define list_entry(p, t, m)	container_of(p, t, m)
#define list_for_each_entry(p, l, m)						\
	for (p = list_entry((l)->next, __typeof__(*p), m); &p->m != (l);	\
	     p = list_entry(p->m.next, __typeof__(*p), m))

#define bitmap_empty(map, n)	(find_first_bit(map, n) >= (n))

typedef struct { long counter; } atomic_long_t;

#define atomic_long_set(a, v)	atomic_set(a, v)
#define atomic_long_read(a)	atomic_read(a)
#define atomic_long_sub(n, a)	atomic_sub(n, a)
#define atomic_long_add(n, a)	atomic_add(n, a)
#define atomic_dec_if_positive(a)	(atomic_read(a) > 0 ? --(a)->counter : -1)
#define atomic_add_unless(a, n, u)	(atomic_read(a) != (u) ? (a)->counter += (n) : 0)

#define STAND_IN_IDS		1024

/**
 * struct xarray - objects by number
 * @p: number 1 is the first of them
 */
struct xarray {
	void *p[STAND_IN_IDS];
};

struct xa_limit {
	u32 min, max;
};

#define XA_LIMIT(a, b)		((struct xa_limit){ a, b })
#define XA_FLAGS_ALLOC1		0
#define XA_FLAGS_ACCOUNT	0
#define DEFINE_XARRAY_ALLOC1(name)	struct xarray name
#define xa_init_flags(xa, f)	memset(xa, 0, sizeof(*(xa)))
#define xa_destroy(xa)		((void)(xa))
#define xa_lock(xa)		((void)(xa))
#define xa_unlock(xa)		((void)(xa))
void *xa_load(struct xarray *xa, unsigned long id);
void *xa_erase(struct xarray *xa, unsigned long id);
int xa_alloc_cyclic(struct xarray *xa, u32 *id, void *p, struct xa_limit limit, u32 *next, int gfp);

/* ---- Locks ----------------------------------------------------------------------------------- */

/**
 * struct mutex - of one thread
 * @held: taken
 */
struct mutex {
	bool held;
};

#define mutex_init(m)		((m)->held = false)
#define mutex_destroy(m)	WARN_ON((m)->held)
#define mutex_lock(m)								\
	do {									\
		might_sleep();							\
		WARN_ON((m)->held);						\
		(m)->held = true;						\
	} while (0)
#define mutex_unlock(m)								\
	do {									\
		WARN_ON(!(m)->held);						\
		(m)->held = false;						\
	} while (0)
#define mutex_lock_interruptible(m)	({ mutex_lock(m); 0; })
#define lockdep_is_held(m)	((m)->held)
#define lockdep_assert_held(m)	((void)WARN_ON(!(m)->held))

typedef struct {
	bool held;
} spinlock_t;

#define spin_lock_init(l)	((l)->held = false)
#define spin_lock_bh(l)								\
	do {									\
		WARN_ON((l)->held);						\
		(l)->held = true;						\
	} while (0)
#define spin_unlock_bh(l)	mutex_unlock(l)
#define spin_lock_irqsave(l, f)							\
	do {									\
		(f) = 0;							\
		spin_lock_bh(l);						\
	} while (0)
#define spin_unlock_irqrestore(l, f)						\
	do {									\
		(void)(f);							\
		spin_unlock_bh(l);						\
	} while (0)

/* ---- Programs, sleep, time ------------------------------------------------------------------- */

#define TASK_COMM_LEN		16
#define TASK_INTERRUPTIBLE	1
#define TASK_RUNNING		0

struct mm_struct {
	int users;
	bool mmap_locked;
};

typedef struct { u32 val; } kuid_t;
typedef struct { u32 val; } kgid_t;

struct group_info {
	int ngroups;
	kgid_t gid[3];
};

/**
 * struct cred - of the only user
 * @euid: 0
 * @egid: 0
 * @group_info: its groups, in order
 */
struct cred {
	kuid_t euid;
	kgid_t egid;
	struct group_info *group_info;
};

/* The references to the credentials are counted. */
const struct cred *get_current_cred(void);
void put_cred(const struct cred *cred);
#define KUIDT_INIT(n)		((kuid_t){ n })
#define KGIDT_INIT(n)		((kgid_t){ n })
#define uid_eq(a, b)		((a).val == (b).val)
#define gid_eq(a, b)		((a).val == (b).val)
#define gid_lt(a, b)		((a).val < (b).val)
#define uid_valid(u)		((u).val != U32_MAX)
#define gid_valid(g)		((g).val != U32_MAX)
#define make_kuid(ns, n)	KUIDT_INIT(n)
#define make_kgid(ns, n)	KGIDT_INIT(n)
#define __kgid_val(g)		((g).val)

#define BLAKE2S_HASH_SIZE	32
#define BLAKE2S_KEY_SIZE	32
/* Another hash: here it only has to depend on the bytes. */
void weft_blake2s(const u8 *key, size_t keylen, const u8 *in, size_t inlen, u8 *out,
		  size_t outlen);
#define memzero_explicit(p, n)	memset(p, 0, n)
#define kfree_sensitive(p)	weft_free(p)

struct task_struct {
	struct mm_struct *mm;
	struct task_struct *group_leader;
	u64 timer_slack_ns;
};

extern struct task_struct *stand_in_current;

#define current			stand_in_current
#define current_uid()		((kuid_t){ 0 })
#define __kuid_val(u)		((u).val)
#define task_tgid_nr(t)		1
#define get_task_comm(to, t)	memset(to, 0, sizeof(to))
#define num_online_cpus()	2
#define raw_smp_processor_id()	0
#define set_current_state(s)	((void)(s))
#define __set_current_state(s)	((void)(s))
/* A signal arrives when no other event would wake the sleeper. */
bool signal_pending(struct task_struct *t);
void schedule(void);
#define wake_up_process(t)	((void)(t))

typedef struct {
	spinlock_t lock; /* stands for the list that is missing here */
} wait_queue_head_t;

struct poll_table_struct;
#define init_waitqueue_head(w)	spin_lock_init(&(w)->lock)
/* one thread: no other one sleeps */
#define waitqueue_active(w)	((void)(w), false)
#define wake_up_poll(w, k)	((void)(w), (void)(k))
#define wake_up_interruptible_poll(w, k)	wake_up_poll(w, k)
struct wait_queue_entry {
	int any;
};

#define init_wait(w)		((w)->any = 0)
#define prepare_to_wait(w, x, s)	((void)(w))
#define finish_wait(w, x)	((void)(w))
#define poll_wait(f, w, p)	((void)(w))
#define wait_event_interruptible(w, c)	((c) ? 0 : -ERESTARTSYS)

typedef s64 ktime_t;

#define KTIME_MAX		S64_MAX
#define ktime_get()		((ktime_t)weft_now())
#define ns_to_ktime(n)		((ktime_t)(n))
#define ktime_add_safe(a, b)	((a) + (b) < (a) ? KTIME_MAX : (a) + (b))

enum hrtimer_restart { HRTIMER_NORESTART };

#define HRTIMER_MODE_ABS	0
#define HRTIMER_MODE_REL_SOFT	1

/**
 * struct hrtimer - a timer
 * @function: function to call
 * @at: when, if it is set
 * @set: it is in the list of those that are set
 * @next: in that list
 */
struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	ktime_t at;
	bool set;
	struct hrtimer *next;
};

#define hrtimer_setup(t, fn, clock, mode)	((t)->function = (fn))
#define hrtimer_start(t, at, mode)	hrtimer_start_range_ns(t, at, 0, mode)
void hrtimer_start_range_ns(struct hrtimer *t, ktime_t at, u64 slack, int mode);
int hrtimer_cancel(struct hrtimer *t);
#define hrtimer_try_to_cancel(t)	hrtimer_cancel(t)

/* ---- Workers --------------------------------------------------------------------------------- */

struct workqueue_struct;

struct work_struct {
	void (*fn)(struct work_struct *w);
	struct work_struct *next;
	bool pending;
};

/**
 * struct delayed_work - work that begins later
 * @work: the work
 */
struct delayed_work {
	struct work_struct work;
};

#define INIT_WORK(w, f)		(*(w) = (struct work_struct){ .fn = (f) })
bool queue_work(struct workqueue_struct *wq, struct work_struct *w);
#define work_busy(w)		((w)->pending)
bool flush_work(struct work_struct *w);
/* Do all work that waits. */
void stand_in_work(void);

/* A wait for a worker: the workers run, and then nothing is left to wait for. */
#define TASK_IDLE		0
#define ___wait_var_event(var, condition, state, exclusive, ret, cmd)		\
	do {									\
		stand_in_work();						\
		WARN_ON(!(condition));						\
	} while (0)
#define wake_up_var(var)	((void)(var))

/* ---- Files ----------------------------------------------------------------------------------- */

struct inode;

struct file;

struct seq_file;

struct file_operations {
	void *owner;
	int (*release)(struct inode *inode, struct file *file);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
	ssize_t (*read)(struct file *file, char *buf, size_t room, loff_t *pos);
	__poll_t (*poll)(struct file *file, struct poll_table_struct *pt);
	loff_t (*llseek)(struct file *file, loff_t where, int what);
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

/* (nobody reads it) */
#define seq_printf(m, ...)	((void)(m))

/**
 * struct file - file of an object
 * @private_data: the object
 * @f_op: its operations
 * @f_flags: O_NONBLOCK
 */
struct file {
	void *private_data;
	const struct file_operations *f_op;
	unsigned int f_flags;
};

#define compat_ptr_ioctl	NULL
#define noop_llseek		NULL

#define STAND_IN_FILES		64

extern struct file *stand_in_file[STAND_IN_FILES];

/* Close a file, if there is one with this number. */
void stand_in_close(int fd);
int get_unused_fd_flags(int flags);
void put_unused_fd(int fd);
void fd_install(int fd, struct file *file);
struct file *anon_inode_getfile(const char *name, const struct file_operations *fops, void *priv,
				int flags);
void fput(struct file *file);

/* ---- The rest: only named -------------------------------------------------------------------- */

struct net;
struct device;
struct attribute_group;
struct netlink_ext_ack;


#endif
