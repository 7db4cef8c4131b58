// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One end of a measurement: one-sided operations. */
#include "side.h"

#define KEY 1 /* if the program chooses it */

void side_expose(struct side *s, void *buf, size_t len, struct side_memory *there)
{
	bool virt = s->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;

	side_must(fi_mr_reg(s->domain, buf, len, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0,
			    &s->mr, NULL), "fi_mr_reg");
	there->addr = virt ? (uintptr_t)buf : 0;
	there->key = fi_mr_key(s->mr);
}

int side_put(struct side *s, const void *buf, size_t len, size_t at)
{
	return side_posted(fi_inject_write(s->ep, buf, len, s->peer, s->there.addr + at,
					   s->there.key), "fi_inject_write");
}

int side_write(struct side *s, const void *buf, size_t len, size_t at)
{
	return side_posted(fi_write(s->ep, buf, len, NULL, s->peer, s->there.addr + at,
				    s->there.key, side_context(s)), "fi_write");
}

int side_writemsg(struct side *s, const void *buf, size_t len, size_t at, uint64_t flags)
{
	struct iovec iov = { (void *)buf, len };
	struct fi_rma_iov rem = { .addr = s->there.addr + at, .len = len, .key = s->there.key };
	struct fi_msg_rma m = {
		.msg_iov = &iov,
		.iov_count = 1,
		.addr = s->peer,
		.rma_iov = &rem,
		.rma_iov_count = 1,
		.context = side_context(s),
	};

	return side_posted(fi_writemsg(s->ep, &m, flags | FI_COMPLETION), "fi_writemsg");
}

int side_read(struct side *s, void *buf, size_t len, size_t at)
{
	return side_posted(fi_read(s->ep, buf, len, NULL, s->peer, s->there.addr + at,
				   s->there.key, side_context(s)), "fi_read");
}

int side_fetch(struct side *s, uint64_t *old, size_t at)
{
	static const uint64_t one = 1;

	return side_posted(fi_fetch_atomic(s->ep, &one, 1, NULL, old, NULL, s->peer,
					   s->there.addr + at, s->there.key, FI_UINT64, FI_SUM,
					   side_context(s)), "fi_fetch_atomic");
}
