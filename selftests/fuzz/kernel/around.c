// SPDX-License-Identifier: GPL-2.0-only
/*
 * The surroundings of kernel/dev and the core when calls are fuzzed: a port that loses every
 * packet, an engine that never polls, and programs whose memory can be registered and not be used
 */
#include "stand_in.h"
#include "dev/ctx.h"
#include "dev/upcalls.h"

/* ---- The port -------------------------------------------------------------------------------- */

void weft_env_tx(struct weft_core *core, struct weft_tx *tx, u32 n)
{
	weft_host_no_locks(__FILE__, __LINE__);
}

bool weft_env_tx_resv(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b)
{
	b->data = malloc(b->len);
	return b->data;
}

void weft_env_send(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b)
{
	weft_host_no_locks(__FILE__, __LINE__);
	free(b->data);
}

void weft_env_timer(struct weft_path *path, weft_ns at)
{
}

char weft_env_program(struct weft_core *core, u32 pid)
{
	return 'S';
}

u32 weft_env_path_fit(struct weft_path *path)
{
	return 1400;
}

int weft_env_path_open(struct weft_path *path, u32 *max_payload)
{
	*max_payload = 1400;
	return 0;
}

void weft_env_path_close(struct weft_path *path)
{
}

void weft_env_note(struct weft_core *core, const struct weft_note *note)
{
}

void weft_env_denied(struct weft_path *path, const struct weft_denied *d)
{
}

int weft_env_group(struct weft_core *core, const struct weft_sockaddr *group, bool join)
{
	weft_host_no_locks(__FILE__, __LINE__);
	return 0;
}

void weft_up_query(struct weft_port *port, struct weft_ioc_query *q)
{
	q->mtu = 1500;
}

/* ---- The engine ------------------------------------------------------------------------------ */

void weft_hot_init(struct weft_hot *hot, struct weft_engine *engine, struct weft_obj *obj,
		   const void *bell)
{
	static struct weft_poller closed;

	hot->obj = obj;
	hot->poller = &closed;
}

void weft_hot_join(struct weft_hot *hot)
{
	weft_host_die(__FILE__, __LINE__, "nobody polls");
}

void weft_hot_forget(struct weft_hot *hot)
{
}

/* ---- Memory of programs ---------------------------------------------------------------------- */

/**
 * struct weft_memctx - memory of a context
 * @ref: references
 * @mrs: registrations
 * @killed: the context has gone
 */
struct weft_memctx {
	refcount_t ref;
	u32 mrs;
	bool killed;
};

struct weft_mr {
	struct weft_memctx *mc;
};

struct weft_memctx *weft_memctx_new(void (*gone)(void *priv), void *priv)
{
	struct weft_memctx *mc = weft_alloc_sleep(sizeof(*mc));

	if (!mc)
		return ERR_PTR(-ENOMEM);
	refcount_set(&mc->ref, 1);
	return mc;
}

void weft_memctx_get(struct weft_memctx *mc)
{
	refcount_inc(&mc->ref);
}

void weft_memctx_put(struct weft_memctx *mc)
{
	if (!refcount_dec_and_test(&mc->ref))
		return;
	WARN_ON(mc->mrs || !mc->killed);
	weft_free(mc);
}

bool weft_memctx_dead(const struct weft_memctx *mc)
{
	return mc->killed;
}

void *weft_alloc_for(struct weft_memctx *mc, size_t size)
{
	return weft_alloc(size);
}

void *weft_alloc_sleep_for(struct weft_memctx *mc, size_t size)
{
	return weft_alloc_sleep(size);
}

void weft_memctx_kill(struct weft_memctx *mc)
{
	mc->killed = true;
}

void weft_memctx_quiesce(struct weft_memctx *mc)
{
	WARN_ON(!mc->killed);
	might_sleep();
}

int weft_memctx_use(struct weft_memctx *mc)
{
	return mc->killed ? -EFAULT : 0;
}

void weft_memctx_unuse(struct weft_memctx *mc)
{
}

u64 weft_memctx_pinned(const struct weft_memctx *mc)
{
	return 0;
}

int weft_mr_reg(struct weft_memctx *mc, u64 addr, u64 len, u32 access, struct weft_mr **mr)
{
	might_sleep();
	if (!stand_in_at(u64_to_user_ptr(addr), len, access & WEFT_MR_WRITE))
		return -EFAULT;
	*mr = weft_alloc_sleep(sizeof(**mr));
	if (!*mr)
		return -ENOMEM;
	(*mr)->mc = mc;
	mc->mrs++;
	return 0;
}

void weft_mr_dereg(struct weft_mr *mr)
{
	might_sleep();
	mr->mc->mrs--;
	weft_free(mr);
}

int weft_mem_get(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		 struct weft_mem **mem)
{
	return -EFAULT;
}

int weft_mem_make(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		  struct weft_mem **mem)
{
	might_sleep();
	return -EFAULT;
}

int weft_user_read(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, void *dst, u32 len,
		   u32 piece, u32 skip)
{
	might_sleep();
	return -EFAULT;
}

int weft_user_write(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, const void *src,
		    u32 len)
{
	might_sleep();
	return -EFAULT;
}

int weft_user_peek(struct weft_memctx *mc, u64 addr, void *dst, u32 len)
{
	return -EAGAIN;
}

int weft_user_poke(struct weft_memctx *mc, u64 addr, const void *src, u32 len)
{
	return -EAGAIN;
}

int weft_mem_place(struct weft_memctx *mc, u64 addr, const void *src, u32 len, u32 piece, u32 skip)
{
	return -EAGAIN;
}

int weft_mem_pass(struct weft_memctx *mc, u64 addr, struct weft_memctx *from, u64 src, u32 len)
{
	return -EAGAIN;
}

int weft_mem_pull(struct weft_memctx *mc, u64 addr, struct weft_memctx *to, u64 dst, u32 len)
{
	return -EAGAIN;
}

int weft_mem_reach(struct weft_memctx *mc, u64 addr, u32 len, u32 access, weft_apply_fn fn,
		   void *arg)
{
	return -EAGAIN;
}

bool weft_mem_resident(struct weft_memctx *mc, u64 addr, u32 len, u32 access)
{
	return false;
}

/* No memory windows exist, so these functions are never called with one. */
#define NEVER	weft_host_die(__FILE__, __LINE__, "a window of memory that nobody got")

void weft_mem_hold(struct weft_mem *mem)
{
	NEVER;
}

void weft_mem_put(struct weft_mem *mem)
{
	NEVER;
}

int weft_mem_gather(struct weft_mem *mem, u32 off, const void *src, u32 len, u32 piece, u32 skip)
{
	NEVER;
}

int weft_mem_scatter(struct weft_mem *mem, u32 off, void *dst, u32 len, u32 piece, u32 skip)
{
	NEVER;
}

int weft_mem_copy(struct weft_mem *dst, u32 doff, struct weft_mem *src, u32 soff, u32 len)
{
	NEVER;
}

int weft_mem_apply(struct weft_mem *mem, u32 off, u32 len, weft_apply_fn fn, void *arg)
{
	NEVER;
}

int weft_user_apply(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len,
		    u32 access, weft_apply_fn fn, void *arg)
{
	NEVER;
}

u32 weft_mem_spans(struct weft_mem *mem, u32 off, u32 len, struct weft_span *span, u32 max)
{
	NEVER;
}

bool weft_mem_bounced(const struct weft_mem *mem)
{
	NEVER;
}

int weft_mem_flush(struct weft_mem *mem)
{
	NEVER;
}
