// SPDX-License-Identifier: GPL-2.0-only
/* Functions of kernel/dev that the core calls, for programs without contexts: they do nothing. */
#include "stand_in.h"

#define NEVER	weft_host_die(__FILE__, __LINE__, "there are no programs")

void weft_env_defer(struct weft_work *work)
{
	NEVER;
}

int weft_env_region(void *ctx, u32 key, u32 zone, const struct weft_iov *seg)
{
	NEVER;
}

void weft_env_wake_cq(struct weft_cq *cq)
{
	NEVER;
}

void weft_env_wake_eq(struct weft_eq *eq)
{
	NEVER;
}

void weft_env_free_cq(struct weft_cq *cq)
{
	NEVER;
}

void weft_env_free_eq(struct weft_eq *eq)
{
	NEVER;
}
