// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - keys of jobs: their digest, and permission to use a job
 *
 * A key is copied from its program or from the administrator's request. The module makes a digest
 * of it (BLAKE2s), and wipes the key: it is stored nowhere. The credentials are those of the
 * process that opened the device, at that time. A process that received an open file from another
 * one has the rights of the opener, as with any file.
 *
 * The core's locks protect the lists of users and groups. The functions here take no other lock.
 */
#include <linux/cred.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>

#include "../compat.h"
#include "ctx.h"

void weft_key_digest(struct weft_job_key *key, const void *bytes, u32 len)
{
	static const u8 purpose[] = "weft job key, version 1";
	u8 hash[BLAKE2S_HASH_SIZE];
	__be64 word[4];

	BUILD_BUG_ON(sizeof(word) != sizeof(hash));
	BUILD_BUG_ON(sizeof(purpose) - 1 > BLAKE2S_KEY_SIZE);
	weft_blake2s(purpose, sizeof(purpose) - 1, bytes, len, hash, sizeof(hash));
	memcpy(word, hash, sizeof(word));
	key->secret[0] = be64_to_cpu(word[0]);
	key->secret[1] = be64_to_cpu(word[1]);
	key->print[0] = be64_to_cpu(word[2]);
	key->print[1] = be64_to_cpu(word[3]);
	memzero_explicit(hash, sizeof(hash));
	memzero_explicit(word, sizeof(word));
}

/* Return: true if the credentials are in the group. cred->group_info is sorted by number. */
static bool weft_key_in_group(const struct cred *cred, kgid_t gid)
{
	const struct group_info *info = cred->group_info;
	u32 low = 0, high = info->ngroups, mid;

	if (gid_eq(cred->egid, gid))
		return true;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (gid_eq(info->gid[mid], gid))
			return true;
		if (gid_lt(info->gid[mid], gid))
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/* Return: true if the job admits the credentials. @arg: credentials. */
static bool weft_key_may(const struct weft_job_who *who, const void *arg)
{
	const struct cred *cred = arg;
	u32 i;

	for (i = 0; i < who->nuid; i++)
		if (uid_eq(cred->euid, KUIDT_INIT(who->uid[i])))
			return true;
	for (i = 0; i < who->ngid; i++)
		if (weft_key_in_group(cred, KGIDT_INIT(who->gid[i])))
			return true;
	return false;
}

/**
 * weft_key_job - find the job of a new endpoint
 * @ctx: its context
 * @arg: the program's request
 *
 * Context: process, sleeps.
 * Return: the job, until weft_key_done(); NULL: the default job; ERR_PTR(-EINVAL: the key is too
 * short or too long, -EFAULT, -EKEYREJECTED: no job of the port has that key, -EACCES: the job does
 * not admit the opener of the port).
 */
struct weft_job *weft_key_job(struct weft_ctx *ctx, const struct weft_ioc_ep *arg)
{
	struct weft_job_key key;
	struct weft_job *job;
	u8 bytes[WEFT_KEY_MAX];

	if (!arg->key_size)
		return arg->key ? ERR_PTR(-EINVAL) : NULL;
	if (arg->key_size < WEFT_KEY_MIN || arg->key_size > WEFT_KEY_MAX)
		return ERR_PTR(-EINVAL);
	if (copy_from_user(bytes, u64_to_user_ptr(arg->key), arg->key_size)) {
		job = ERR_PTR(-EFAULT);
	} else {
		weft_key_digest(&key, bytes, arg->key_size);
		job = weft_job_enter(ctx->core, &key, weft_key_may, ctx->cred);
		memzero_explicit(&key, sizeof(key));
	}
	memzero_explicit(bytes, sizeof(bytes));
	return job;
}

/**
 * weft_key_done - release the job after the endpoint's creation succeeded or failed
 * @job: result of weft_key_job(), no error
 */
void weft_key_done(struct weft_job *job)
{
	if (!job)
		return;
	weft_job_leave(job);
	weft_job_put(job);
}
