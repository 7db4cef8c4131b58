// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - users of a core: one object for all endpoints of a user id
 *
 * Locks: core->user_lock, taken here.
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
 * weft_user_get - get the user of a new endpoint
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

/**
 * weft_user_put - drop the reference of an endpoint
 * @core: the core
 * @user: the user
 */
void weft_user_put(struct weft_core *core, struct weft_user *user)
{
	weft_lock(&core->user_lock);
	if (--user->ref)
		user = NULL;
	else
		weft_list_del(&user->node);
	weft_unlock(&core->user_lock);
	weft_free(user);
}
