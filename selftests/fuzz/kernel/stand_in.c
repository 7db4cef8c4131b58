// SPDX-License-Identifier: GPL-2.0-only
/* Stand-ins of stand_in.h. One thread; no locks. */
#include "stand_in.h"

/* ---- Bytes ----------------------------------------------------------------------------------- */

void *memchr_inv(const void *p, int c, size_t n)
{
	const u8 *b = p;

	for (; n; b++, n--)
		if (*b != (u8)c)
			return (void *)(uintptr_t)b;
	return NULL;
}

ssize_t strscpy(char *dst, const char *src, size_t n)
{
	size_t len = strnlen(src, n);

	if (!n)
		return -E2BIG;
	memcpy(dst, src, min(len, n - 1));
	dst[min(len, n - 1)] = 0;
	return len < n ? (ssize_t)len : -E2BIG;
}

/* ---- Users ----------------------------------------------------------------------------------- */

static struct group_info groups = { .ngroups = 3, .gid = { { 5 }, { 7 }, { 9 } } };
static struct cred me = { .group_info = &groups };
static int creds;

const struct cred *get_current_cred(void)
{
	creds++;
	return &me;
}

void put_cred(const struct cred *cred)
{
	WARN_ON(cred != &me || !creds);
	creds--;
}

void weft_blake2s(const u8 *key, size_t keylen, const u8 *in, size_t inlen, u8 *out,
		  size_t outlen)
{
	u64 k[2] = { keylen, outlen }, h;

	for (; outlen >= sizeof(h); outlen -= sizeof(h), out += sizeof(h)) {
		k[0]++;
		h = weft_siphash(in, inlen, k);
		memcpy(out, &h, sizeof(h));
	}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void *page_address(struct page *page)
{
	if (!page->mem)
		page->mem = calloc(1, PAGE_SIZE);
	return page->mem;
}

void __free_page(struct page *page)
{
	free(page->mem);
	weft_free(page);
}

u8 stand_in_user[STAND_IN_BYTES];

void *stand_in_at(const void *uaddr, size_t n, bool write)
{
	u64 off = (uintptr_t)uaddr - STAND_IN_USER;

	if (off > STAND_IN_BYTES || n > STAND_IN_BYTES - off || (write && off < STAND_IN_CONST))
		return NULL;
	return stand_in_user + off;
}

unsigned long copy_from_user(void *dst, const void *uaddr, size_t n)
{
	void *p = stand_in_at(uaddr, n, false);

	might_sleep();
	if (!p)
		return n;
	memcpy(dst, p, n);
	return 0;
}

unsigned long copy_to_user(void *uaddr, const void *src, size_t n)
{
	void *p = stand_in_at(uaddr, n, true);

	might_sleep();
	if (!p)
		return n;
	memcpy(p, src, n);
	return 0;
}

int copy_struct_from_user(void *dst, size_t ksize, const void *uaddr, size_t usize)
{
	size_t n = min(ksize, usize);
	const u8 *p = stand_in_at(uaddr, usize, false);

	if (!p)
		return -EFAULT;
	if (usize > ksize && memchr_inv(p + ksize, 0, usize - ksize))
		return -E2BIG;
	memcpy(dst, p, n);
	memset((u8 *)dst + n, 0, ksize - n);
	return 0;
}

void *vmemdup_user(const void *uaddr, size_t n)
{
	void *p = weft_alloc_sleep(n);

	if (!p)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(p, uaddr, n))
		return p;
	weft_free(p);
	return ERR_PTR(-EFAULT);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

void *xa_load(struct xarray *xa, unsigned long id)
{
	return id && id <= STAND_IN_IDS ? xa->p[id - 1] : NULL;
}

void *xa_erase(struct xarray *xa, unsigned long id)
{
	void *p = xa_load(xa, id);

	if (p)
		xa->p[id - 1] = NULL;
	return p;
}

int xa_alloc_cyclic(struct xarray *xa, u32 *id, void *p, struct xa_limit limit, u32 *next, int gfp)
{
	u32 n, i;

	for (n = 0; n < STAND_IN_IDS; n++) {
		i = (*next - 1 + n) % STAND_IN_IDS;
		if (!xa->p[i]) {
			xa->p[i] = p;
			*id = i + 1;
			*next = i + 2;
			return 0;
		}
	}
	return -EBUSY;
}

/* ---- Programs, sleep, time ------------------------------------------------------------------- */

u64 stand_in_now = NSEC_PER_SEC;

static struct hrtimer *timers;
static bool signalled;

bool signal_pending(struct task_struct *t)
{
	bool was = signalled;

	signalled = false;
	return was;
}

void schedule(void)
{
	struct hrtimer *t, *first = NULL;

	might_sleep();
	stand_in_work();
	for (t = timers; t; t = t->next)
		if (!first || t->at < first->at)
			first = t;
	if (!first || first->at == KTIME_MAX) {
		signalled = true;
		return;
	}
	stand_in_now = max_t(u64, stand_in_now, first->at);
	hrtimer_cancel(first);
	first->function(first);
}

void hrtimer_start_range_ns(struct hrtimer *t, ktime_t at, u64 slack, int mode)
{
	hrtimer_cancel(t);
	t->at = mode == HRTIMER_MODE_REL_SOFT ? ktime_add_safe(ktime_get(), at) : at;
	t->set = true;
	t->next = timers;
	timers = t;
}

int hrtimer_cancel(struct hrtimer *t)
{
	struct hrtimer **link = &timers;

	if (!t->set)
		return 0;
	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	t->set = false;
	return 1;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static struct work_struct *works, **works_end = &works;

bool queue_work(struct workqueue_struct *wq, struct work_struct *w)
{
	if (w->pending)
		return false;
	w->pending = true;
	w->next = NULL;
	*works_end = w;
	works_end = &w->next;
	return true;
}

void stand_in_work(void)
{
	struct work_struct *w;

	while ((w = works)) {
		works = w->next;
		if (!works)
			works_end = &works;
		w->pending = false;
		w->fn(w);
	}
}

bool flush_work(struct work_struct *w)
{
	might_sleep();
	if (!w->pending)
		return false;
	stand_in_work();
	return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

struct file *stand_in_file[STAND_IN_FILES];

/* A number that is reserved, and has no file yet. */
static struct file nothing;

int get_unused_fd_flags(int flags)
{
	int fd;

	for (fd = 0; fd < STAND_IN_FILES; fd++) {
		if (stand_in_file[fd])
			continue;
		stand_in_file[fd] = &nothing;
		return fd;
	}
	return -EMFILE;
}

void put_unused_fd(int fd)
{
	if (WARN_ON(stand_in_file[fd] != &nothing))
		return;
	stand_in_file[fd] = NULL;
}

void fd_install(int fd, struct file *file)
{
	if (WARN_ON(stand_in_file[fd] != &nothing))
		return;
	stand_in_file[fd] = file;
}

struct file *anon_inode_getfile(const char *name, const struct file_operations *fops, void *priv,
				int flags)
{
	struct file *file = weft_alloc_sleep(sizeof(*file));

	if (!file)
		return ERR_PTR(-ENFILE);
	file->private_data = priv;
	file->f_op = fops;
	file->f_flags = O_NONBLOCK;
	return file;
}

void fput(struct file *file)
{
	file->f_op->release(NULL, file);
	weft_free(file);
}

void stand_in_close(int fd)
{
	struct file *file = stand_in_file[fd];

	if (!file || WARN_ON(file == &nothing))
		return;
	stand_in_file[fd] = NULL;
	fput(file);
}
