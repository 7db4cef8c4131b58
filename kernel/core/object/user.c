// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - users of a core: one object for each user id that has a context or an endpoint
 *
 *	(none) --first reference--> counted --last reference--> freed
 *
 * What a user takes is counted in its object, and limited. The counts are atomic: a count that
 * would exceed its limit is taken back, and the caller gets an error.
 *
 * Locks: core->user_lock, taken here, protects the list and the references.
 */
#include "core/object/object.h"

static struct weft_user *weft_user_find(struct weft_core *core, u32 uid)
{
	struct weft_list *l;

	weft_list_for_each(l, &core->users) {
		struct weft_user *user = weft_entry(l, struct weft_user, node);

		if (user->uid == uid)
			return user;
	}
	return NULL;
}

/**
 * weft_user_get - get the user of a new object
 * @core: the core
 * @uid: user id
 *
 * Context: may sleep.
 * Return: the user with a reference for the caller, NULL: no memory.
 */
struct weft_user *weft_user_get(struct weft_core *core, u32 uid)
{
	struct weft_user *fresh = weft_alloc_sleep(sizeof(*fresh)), *user;

	if (!fresh)
		return NULL;
	weft_lock(&core->user_lock);
	user = weft_user_find(core, uid);
	if (!user) {
		user = fresh;
		fresh = NULL;
		user->uid = uid;
		weft_list_add_tail(&core->users, &user->node);
	}
	user->ref++;
	weft_unlock(&core->user_lock);
	weft_free(fresh);
	return user;
}

/* The user @uid takes @n: more than all before? */
static void weft_peak_take(struct weft_peak *peak, u64 n, u32 uid)
{
	if (n <= peak->most)
		return;
	peak->most = n;
	peak->uid = uid;
}

/* Keep the peaks of a user that goes. */
static void weft_user_remember(struct weft_core *core, const struct weft_user *user)
{
	u32 use;

	weft_assert_held(&core->user_lock);
	for (use = 0; use < WEFT_USES; use++)
		weft_peak_take(&core->peak[use], (u64)atomic64_read(&user->peak[use]), user->uid);
}

/**
 * weft_user_put - drop the reference of an object
 * @core: the core
 * @user: the user
 */
void weft_user_put(struct weft_core *core, struct weft_user *user)
{
	weft_lock(&core->user_lock);
	if (--user->ref) {
		user = NULL;
	} else {
		weft_list_del(&user->node);
		weft_user_remember(core, user);
	}
	weft_unlock(&core->user_lock);
	weft_free(user);
}

/**
 * weft_user_most - report who takes most
 * @core: the core
 * @use: WEFT_USE_*
 * @now: out: the user that takes most now
 * @peak: out: the one that has taken most since the port was made
 */
void weft_user_most(struct weft_core *core, u32 use, struct weft_peak *now, struct weft_peak *peak)
{
	struct weft_list *l;

	*now = (struct weft_peak){ .uid = WEFT_NOTE_NO_UID };
	weft_lock(&core->user_lock);
	*peak = core->peak[use];
	weft_list_for_each(l, &core->users) {
		const struct weft_user *user = weft_entry(l, struct weft_user, node);

		weft_peak_take(now, weft_user_uses(user, use), user->uid);
		weft_peak_take(peak, (u64)atomic64_read(&user->peak[use]), user->uid);
	}
	weft_unlock(&core->user_lock);
}

/* Return: the limit of what weft_user_take() counts, by WEFT_USE_*. */
static u64 weft_user_limit(const struct weft_core *core, u32 use)
{
	switch (use) {
	case WEFT_USE_CTXS:
		return READ_ONCE(core->conf.ctxs_user);
	case WEFT_USE_EPS:
		return READ_ONCE(core->conf.eps_user);
	case WEFT_USE_MEMORY:
		return READ_ONCE(core->conf.memory_user);
	case WEFT_USE_REGIONS:
		return READ_ONCE(core->conf.regions_user);
	default:
		return READ_ONCE(core->conf.linger_user);
	}
}

static void weft_user_reached(struct weft_core *core, u32 use, u32 uid)
{
	switch (use) {
	case WEFT_USE_CTXS:
		weft_limit_hit(core, limit_contexts, uid);
		break;
	case WEFT_USE_EPS:
		weft_limit_hit(core, limit_endpoints, uid);
		break;
	case WEFT_USE_MEMORY:
		weft_limit_hit(core, limit_memory, uid);
		break;
	case WEFT_USE_REGIONS:
		weft_limit_hit(core, limit_regions, uid);
		break;
	default:
		weft_limit_hit(core, limit_linger, uid);
		break;
	}
}

/**
 * weft_user_take - count what a user takes
 * @core: the core
 * @user: the user
 * @use: WEFT_USE_*, but _MSGS and _BYTES, which credit bounds before they come (flow/credit.c)
 * @n: how many, or how many bytes
 *
 * Context: any.
 * Return: 0; -ENOSPC: the limit is reached, and nothing is counted.
 */
int weft_user_take(struct weft_core *core, struct weft_user *user, u32 use, u64 n)
{
	s64 now = atomic64_add_return((s64)n, &user->used[use]);

	if ((u64)now <= weft_user_limit(core, use)) {
		weft_user_peaks(user, use, now);
		return 0;
	}
	atomic64_sub((s64)n, &user->used[use]);
	weft_user_reached(core, use, user->uid);
	return -ENOSPC;
}

/**
 * weft_user_give - give back what weft_user_take() has counted
 * @user: the user
 * @use: WEFT_USE_*
 * @n: how many, or how many bytes
 *
 * Context: any.
 */
void weft_user_give(struct weft_user *user, u32 use, u64 n)
{
	WARN_ON_ONCE(atomic64_sub_return((s64)n, &user->used[use]) < 0);
}

/**
 * weft_user_enter - count a new object for its user
 * @core: the core
 * @uid: user id
 * @use: WEFT_USE_CTXS, WEFT_USE_EPS
 *
 * Context: may sleep.
 * Return: the user, to be left with weft_user_leave(); ERR_PTR(-ENOMEM, -ENOSPC: at the limit).
 */
struct weft_user *weft_user_enter(struct weft_core *core, u32 uid, u32 use)
{
	struct weft_user *user = weft_user_get(core, uid);
	int err;

	if (!user)
		return ERR_PTR(-ENOMEM);
	err = weft_user_take(core, user, use, 1);
	if (!err)
		return user;
	weft_user_put(core, user);
	return ERR_PTR(err);
}

/**
 * weft_user_leave - undo weft_user_enter()
 * @core: the core
 * @user: the user
 * @use: as for weft_user_enter()
 */
void weft_user_leave(struct weft_core *core, struct weft_user *user, u32 use)
{
	weft_user_give(user, use, 1);
	weft_user_put(core, user);
}

/* Return: the user with the smallest id from @pos on, or NULL. */
static const struct weft_user *weft_user_from(const struct weft_core *core, u64 pos)
{
	const struct weft_user *best = NULL;
	const struct weft_list *l;

	weft_assert_held(&core->user_lock);
	weft_list_for_each(l, &core->users) {
		const struct weft_user *user = weft_entry(l, const struct weft_user, node);

		if (user->uid >= pos && (!best || user->uid < best->uid))
			best = user;
	}
	return best;
}

/**
 * weft_user_look - report what a user takes
 * @core: the core
 * @pos: where to begin, 0: at the user with the smallest id; out: where the next call continues
 * @info: out
 *
 * Return: true if there is a further user.
 */
bool weft_user_look(struct weft_core *core, u64 *pos, struct weft_user_info *info)
{
	const struct weft_user *user;

	weft_lock(&core->user_lock);
	user = weft_user_from(core, *pos);
	if (user) {
		*pos = (u64)user->uid + 1;
		info->uid = user->uid;
		info->contexts = weft_user_uses(user, WEFT_USE_CTXS);
		info->endpoints = weft_user_uses(user, WEFT_USE_EPS);
		info->memory = weft_user_uses(user, WEFT_USE_MEMORY);
		info->regions = weft_user_uses(user, WEFT_USE_REGIONS);
		info->msgs = weft_user_uses(user, WEFT_USE_MSGS);
		info->bytes = weft_user_uses(user, WEFT_USE_BYTES);
		info->lingers = weft_user_uses(user, WEFT_USE_LINGERS);
	}
	weft_unlock(&core->user_lock);
	return user;
}
