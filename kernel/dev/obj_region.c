// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - regions: memory of programs that peers may access (Documentation/rma.rst)
 *
 * A region is no object: it has a key, not a handle, and a context may have very many. Regions end
 * with their context, after its endpoints.
 *
 * Locks: ctx->own_lock.
 */
#include <linux/random.h>
#include <linux/uaccess.h>

#include "ctx.h"

/* Copy the segments of a region. Return: 0, -EFAULT, -EINVAL: their lengths overflow. */
static int weft_region_segs(struct weft_region_conf *conf, u64 segs)
{
	u32 i;

	if (copy_from_user(conf->seg, u64_to_user_ptr(segs), conf->n * sizeof(conf->seg[0])))
		return -EFAULT;
	for (i = 0; i < conf->n; i++)
		if (check_add_overflow(conf->len, conf->seg[i].len, &conf->len))
			return -EINVAL;
	return 0;
}

/*
 * Make a region with the counter @handle, if the context still may have one. ctx->own_lock is held.
 * Return: as weft_region_new(); -ENOENT: no such counter.
 */
static int weft_region_make(struct weft_ctx *ctx, struct weft_region_conf *conf, u32 handle)
{
	struct weft_ucq *ucq = NULL;
	int err;

	lockdep_assert_held(&ctx->own_lock);
	if (handle != WEFT_HANDLE_NONE) {
		ucq = weft_ucq_counter(ctx, handle);
		if (!ucq)
			return -ENOENT;
		conf->cntr = &ucq->cq;
	}
	err = weft_region_new(&ctx->domain, conf);
	if (!err && ucq)
		ucq->obj.users++;
	return err;
}

/* The same, if the context still may have one; else -EIO. */
static int weft_region_add(struct weft_ctx *ctx, struct weft_region_conf *conf, u32 handle)
{
	int err = -EIO;

	mutex_lock(&ctx->own_lock);
	if (!READ_ONCE(ctx->dead))
		err = weft_region_make(ctx, conf, handle);
	mutex_unlock(&ctx->own_lock);
	return err;
}

/**
 * weft_region_call_add - WEFT_IOC_REGION_ADD
 * @call: struct weft_ioc_region
 *
 * Return: 0, -EINVAL: access, number of segments, key with WEFT_REGIONF_KEY, no byte; -EFAULT: the
 * array of segments, or a segment that wraps; -EEXIST: the key is in use in its zone; -ENOENT: no
 * such counter; -ENOSPC, -ENOMEM, -EIO.
 */
int weft_region_call_add(struct weft_call *call)
{
	struct weft_ioc_region *arg = call->arg;
	struct weft_region_conf conf = {
		.key = arg->key, .base = arg->base, .access = arg->access, .n = arg->nsegs,
		.zone = arg->zone,
	};
	bool chosen = arg->flags & WEFT_REGIONF_KEY;
	int err;

	if (!conf.n || conf.n > WEFT_IOV_MAX || (chosen && conf.key))
		return -EINVAL;
	err = weft_region_segs(&conf, arg->segs);
	if (err)
		return err;
	do {
		if (chosen)
			conf.key = get_random_u64();
		err = weft_region_add(call->ctx, &conf, arg->cntr);
	} while (chosen && err == -EEXIST);
	arg->key = conf.key;
	return err;
}

/**
 * weft_region_call_end - WEFT_IOC_REGION_END
 * @call: struct weft_ioc_region_end
 *
 * Return: 0, -ENOENT: no such region; -ENOMEM.
 */
int weft_region_call_end(struct weft_call *call)
{
	const struct weft_ioc_region_end *arg = call->arg;
	struct weft_ctx *ctx = call->ctx;
	struct weft_out *out = weft_ctx_out(ctx);
	struct weft_cq *cntr;
	int err;

	if (!out)
		return -ENOMEM;
	mutex_lock(&ctx->own_lock);
	cntr = weft_region_cntr(&ctx->domain, arg->zone, arg->key);
	err = weft_region_end(&ctx->domain, arg->zone, arg->key, weft_now(), out);
	if (!err && cntr)
		container_of(cntr, struct weft_ucq, cq)->obj.users--;
	mutex_unlock(&ctx->own_lock);
	weft_flush(out);
	weft_ctx_out_put(ctx, out);
	return err;
}
