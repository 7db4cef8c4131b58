// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - limits of a port: names, ranges and counters
 *
 * Each limit is a setting in struct weft_conf, and code that may exceed it reads it anew. So a new
 * value affects only later events. Existing objects stay, and credit sent to another node stays
 * valid. Documentation/limits.rst describes the effect of each limit.
 *
 * Locks: none for settings, each is stored as one word; core->user_lock to read users.
 */
#include "core/object/object.h"

/* units of a value in struct weft_conf */
#define WEFT_LIMIT_PLAIN	1
#define WEFT_LIMIT_MS		NSEC_PER_MSEC

#define WEFT_LIMIT_NO_COUNTER	(-1)
#define WEFT_LIMIT_NO_USE	0
/* a use of each user, WEFT_USE_* */
#define WEFT_LIMIT_USER_BIT	BIT(31)
#define WEFT_LIMIT_USER(use)	(WEFT_LIMIT_USER_BIT | WEFT_USE_##use)
/* a number of the port, a u32; the most that it has been stands in "member_most", the next u32 */
#define WEFT_LIMIT_PORT(member)	((u32)(offsetof(struct weft_core, member) +		\
	BUILD_BUG_ON_ZERO(offsetof(struct weft_core, member##_most) !=			\
			  offsetof(struct weft_core, member) + sizeof(u32))))

/**
 * struct weft_limit - a limit
 * @name: its name
 * @unit: unit of the value
 * @off: offset in struct weft_conf
 * @size: size of the setting: 4 or 8 bytes
 * @scale: factor between the value and the setting
 * @min: smallest value
 * @max: largest value
 * @counter: WEFT_CNT_* that counts how often the limit was reached, WEFT_LIMIT_NO_COUNTER
 * @used: WEFT_LIMIT_PORT(): a number of the port; WEFT_LIMIT_USER(): a use of each user;
 *	WEFT_LIMIT_NO_USE: neither
 */
struct weft_limit {
	const char *name;
	const char *unit;
	u16 off;
	u16 size;
	u32 scale;
	u64 min;
	u64 max;
	int counter;
	u32 used;
};

#define WEFT_LIMIT(n, u, field, sc, lo, hi, cnt, use) {				\
	.name = (n), .unit = (u), .off = offsetof(struct weft_conf, field),	\
	.size = sizeof_field(struct weft_conf, field), .scale = (sc),		\
	.min = (lo), .max = (hi), .counter = (cnt), .used = (use),		\
}

#define WEFT_LIMIT_TIME(n, field, lo, hi)					\
	WEFT_LIMIT(n, "ms", field, WEFT_LIMIT_MS, lo, hi, WEFT_LIMIT_NO_COUNTER, WEFT_LIMIT_NO_USE)

#define WEFT_DAY_MS	86400000

static const struct weft_limit weft_limits[] = {
	/* a window has 16 bits in KiB, of which half may be in use at a time */
	WEFT_LIMIT("unexpected-node", "bytes", unexp_window, WEFT_LIMIT_PLAIN, 64 << 10, 16 << 20,
		   WEFT_CNT_limit_unexp, WEFT_LIMIT_NO_USE),
	WEFT_LIMIT("unexpected-endpoint", "bytes", unexp_ep, WEFT_LIMIT_PLAIN, 64 << 10, 1 << 30,
		   WEFT_CNT_limit_endpoint, WEFT_LIMIT_NO_USE),
	WEFT_LIMIT("unexpected-user", "bytes", unexp_user, WEFT_LIMIT_PLAIN, 64 << 10, 1 << 30,
		   WEFT_CNT_limit_user, WEFT_LIMIT_USER(BYTES)),
	WEFT_LIMIT("messages-endpoint", "messages", msgs_ep, WEFT_LIMIT_PLAIN, 64, 1 << 24,
		   WEFT_CNT_limit_endpoint, WEFT_LIMIT_NO_USE),
	WEFT_LIMIT("messages-user", "messages", msgs_user, WEFT_LIMIT_PLAIN, 64, 1 << 24,
		   WEFT_CNT_limit_user, WEFT_LIMIT_USER(MSGS)),
	WEFT_LIMIT("datagrams-endpoint", "datagrams", dgram_max, WEFT_LIMIT_PLAIN, 0, 65536,
		   WEFT_CNT_limit_datagrams, WEFT_LIMIT_NO_USE),
	WEFT_LIMIT("packets-path", "packets", rec_max, WEFT_LIMIT_PLAIN, 64, 4096,
		   WEFT_CNT_limit_packets, WEFT_LIMIT_NO_USE),
	WEFT_LIMIT("paths", "paths", max_paths, WEFT_LIMIT_PLAIN, 1, 1 << 20,
		   WEFT_CNT_limit_paths, WEFT_LIMIT_PORT(npaths)),
	WEFT_LIMIT("requests", "requests", asked_max, WEFT_LIMIT_PLAIN, 1, 1 << 20,
		   WEFT_CNT_limit_requests, WEFT_LIMIT_PORT(nasked)),
	WEFT_LIMIT("jobs", "jobs", jobs_max, WEFT_LIMIT_PLAIN, 0, 4096,
		   WEFT_CNT_limit_jobs, WEFT_LIMIT_PORT(njobs)),
	WEFT_LIMIT("linger-user", "flows", linger_user, WEFT_LIMIT_PLAIN, 0, 65536,
		   WEFT_CNT_limit_linger, WEFT_LIMIT_USER(LINGERS)),
	WEFT_LIMIT("contexts-user", "contexts", ctxs_user, WEFT_LIMIT_PLAIN, 1, 1 << 20,
		   WEFT_CNT_limit_contexts, WEFT_LIMIT_USER(CTXS)),
	WEFT_LIMIT("endpoints-user", "endpoints", eps_user, WEFT_LIMIT_PLAIN, 1, 1 << 20,
		   WEFT_CNT_limit_endpoints, WEFT_LIMIT_USER(EPS)),
	WEFT_LIMIT("memory-user", "bytes", memory_user, WEFT_LIMIT_PLAIN, 1 << 20, 1ull << 50,
		   WEFT_CNT_limit_memory, WEFT_LIMIT_USER(MEMORY)),
	WEFT_LIMIT("regions-user", "regions", regions_user, WEFT_LIMIT_PLAIN, 0, 1 << 24,
		   WEFT_CNT_limit_regions, WEFT_LIMIT_USER(REGIONS)),
	WEFT_LIMIT("backlog", "requests", backlog_max, WEFT_LIMIT_PLAIN, 1, 65536,
		   WEFT_LIMIT_NO_COUNTER, WEFT_LIMIT_NO_USE),
	WEFT_LIMIT_TIME("connect-ms", connect_ns, 10, WEFT_DAY_MS),
	WEFT_LIMIT_TIME("accept-ms", accept_ns, 10, WEFT_DAY_MS),
	WEFT_LIMIT_TIME("keepalive-ms", keepalive_ns, 10, WEFT_DAY_MS),
	WEFT_LIMIT_TIME("dead-ms", dead_ns, 100, WEFT_DAY_MS),
	WEFT_LIMIT_TIME("linger-ms", linger_ns, 100, WEFT_DAY_MS),
	WEFT_LIMIT_TIME("idle-ms", idle_ns, 100, WEFT_DAY_MS),
};

/**
 * weft_limit_tell - report that a limit was reached; see weft_limit_hit()
 * @core: the core
 * @counter: its counter
 * @name: name of its counter, constant
 * @uid: the user, WEFT_NOTE_NO_UID: none
 *
 * Context: any but hard interrupts.
 */
void weft_limit_tell(struct weft_core *core, enum weft_counter counter, const char *name, u32 uid)
{
	struct weft_note note = { .kind = WEFT_NOTE_LIMIT, .uid = uid, .limit = name };

	WRITE_ONCE(core->hit_by[counter], uid);
	weft_env_note(core, &note);
}

static u64 weft_limit_get(const struct weft_core *core, const struct weft_limit *l)
{
	const u8 *p = (const u8 *)&core->conf + l->off;

	if (l->size == sizeof(u64))
		return READ_ONCE(*(const u64 *)p) / l->scale;
	return READ_ONCE(*(const u32 *)p) / l->scale;
}

/* Return: the largest value; for paths the size of the tables. */
static u64 weft_limit_max(const struct weft_core *core, const struct weft_limit *l)
{
	if (l->off == offsetof(struct weft_conf, max_paths))
		return core->path_slots;
	return l->max;
}

/* Fill in the use of a limit, and the most that it has been. */
static void weft_limit_used(struct weft_core *core, const struct weft_limit *l,
			    struct weft_limit_info *info)
{
	struct weft_peak now = { .uid = WEFT_NOTE_NO_UID }, peak = now;
	const u32 *number;

	if (l->used & WEFT_LIMIT_USER_BIT) {
		weft_user_most(core, l->used & ~WEFT_LIMIT_USER_BIT, &now, &peak);
	} else {
		number = (const u32 *)((const u8 *)core + l->used);
		now.most = READ_ONCE(number[0]);
		peak.most = READ_ONCE(number[1]);
	}
	info->used = now.most;
	info->used_by = now.uid;
	info->peak = peak.most;
	info->peak_by = peak.uid;
}

/**
 * weft_limit_look - read a limit
 * @core: the core
 * @n: number of the limit, from 0
 * @info: out: its values
 *
 * Return: true if limit @n exists.
 */
bool weft_limit_look(struct weft_core *core, u32 n, struct weft_limit_info *info)
{
	const struct weft_limit *l;

	if (n >= ARRAY_SIZE(weft_limits))
		return false;
	l = &weft_limits[n];
	*info = (struct weft_limit_info) {
		.name = l->name,
		.unit = l->unit,
		.value = weft_limit_get(core, l),
		.min = l->min,
		.max = weft_limit_max(core, l),
		.counts = l->used != WEFT_LIMIT_NO_USE,
		.has_hits = l->counter != WEFT_LIMIT_NO_COUNTER,
	};
	if (info->counts)
		weft_limit_used(core, l, info);
	if (info->has_hits) {
		info->hits = weft_counters_read(core->cnt, l->counter);
		info->hit_by = READ_ONCE(core->hit_by[l->counter]);
	}
	return true;
}

/**
 * weft_limit_set - change a limit
 * @core: the core
 * @name: its name
 * @value: new value, in the unit of the limit
 *
 * Return: 0, -ENOENT: no such limit, -ERANGE: the value is out of range.
 */
int weft_limit_set(struct weft_core *core, const char *name, u64 value)
{
	const struct weft_limit *l;
	u8 *p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(weft_limits); i++)
		if (!strcmp(weft_limits[i].name, name))
			break;
	if (i == ARRAY_SIZE(weft_limits))
		return -ENOENT;
	l = &weft_limits[i];
	if (value < l->min || value > weft_limit_max(core, l))
		return -ERANGE;
	p = (u8 *)&core->conf + l->off;
	if (l->size == sizeof(u64))
		WRITE_ONCE(*(u64 *)p, value * l->scale);
	else
		WRITE_ONCE(*(u32 *)p, (u32)(value * l->scale));
	return 0;
}
